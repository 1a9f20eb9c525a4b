//! What is said of tasks in each arm, and a run of one.

use crate::Failure;
use crate::problem::{Evaluator, Posed, Source};
use crate::records::{Row, add, load};
use baton::{
    Campaign, Description, Descriptors, Goal, Knowledge, Method, Settings, Space, Task, Trial,
    Value,
};
use baton_numerics::random::{Key, Purpose};
use std::path::Path;
use std::time::Instant;

/// What Baton is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arm {
    /// how each task differs
    With,
    /// nothing
    Without,
    /// of each task what is true of another
    Shuffled,
    /// random numbers
    Noise,
    /// nothing; nothing is handed on but the point recommended for the nearest task, tried first
    Nearest,
}

impl Arm {
    pub const ALL: [Self; 5] =
        [Self::With, Self::Without, Self::Shuffled, Self::Noise, Self::Nearest];

    pub fn name(self) -> &'static str {
        match self {
            Self::With => "with",
            Self::Without => "without",
            Self::Shuffled => "shuffled",
            Self::Noise => "noise",
            Self::Nearest => "nearest",
        }
    }

    pub fn named(name: &str) -> Result<Self, Failure> {
        let found = Self::ALL.into_iter().find(|arm| arm.name() == name);
        found.ok_or_else(|| format!("there is no arm {name}").into())
    }

    fn describes(self) -> bool {
        matches!(self, Self::With | Self::Shuffled | Self::Noise)
    }
}

/// One sequence of tasks in one arm.
pub struct Run<'a> {
    pub source: &'a Source,
    pub arm: Arm,
    pub seed: u64,
    pub tasks: u32,
    pub keys: &'a [(String, String)],
}

impl Run<'_> {
    /// Carries on until it is done or time is up; how many tasks are done.
    pub fn carry_on(&self, folder: &Path, until: Option<Instant>) -> Result<u32, Failure> {
        let name = format!("{}-{}-{}.jsonl", self.source.name(), self.arm.name(), self.seed);
        let path = folder.join(name);
        let mut rows = load(&path)?;
        while done(&rows) < self.tasks {
            let Some(row) = self.task(&rows, until)? else { break };
            add(&path, &row)?;
            rows.push(row);
        }
        Ok(done(&rows))
    }

    /// The next task; nothing if time is up.
    fn task(&self, rows: &[Row], until: Option<Instant>) -> Result<Option<Row>, Failure> {
        let late = || until.is_some_and(|until| Instant::now() >= until);
        if late() {
            return Ok(None);
        }
        let number = done(rows) + 1;
        let posed = self.source.posed(self.seed, number)?;
        let mut evaluator = self.source.evaluator(self.seed, number)?;
        let mut campaign = self.campaign(&posed, rows.last())?;
        let mut task = self.start(&campaign, &posed, number)?;
        let place = place(&posed)?;
        let mut first = match nearest(rows, &place).filter(|_| self.arm == Arm::Nearest) {
            Some(point) => {
                let point: Vec<Value> = point.iter().map(|x| (*x).into()).collect();
                let trial = task.suggest(&point, posed.fidelities.len() - 1)?;
                self.answer(&mut task, &trial, &posed, &mut evaluator, number)?;
                Some(numbers(&trial.point))
            }
            None => task.recommendation()?.map(|foretold| numbers(&foretold.point)),
        };
        let (mut asking, mut asks) = (0.0, 0.0);
        loop {
            if late() {
                return Ok(None);
            }
            let asked = Instant::now();
            let Some(trial) = task.ask()? else { break };
            asking += asked.elapsed().as_secs_f64();
            asks += 1.0;
            first.get_or_insert_with(|| numbers(&trial.point));
            self.answer(&mut task, &trial, &posed, &mut evaluator, number)?;
        }
        let recommended = task.recommendation()?.map(|last| numbers(&last.point));
        let mut regret = |point: &Option<Vec<f64>>| -> Result<f64, Failure> {
            let point = point.as_ref().ok_or("no point was recommended")?;
            Ok(posed.optimum - evaluator.value(point, posed.fidelities.len() - 1)??)
        };
        let mut row = Row {
            family: self.source.name().to_owned(),
            method: self.arm.name().to_owned(),
            seed: self.seed,
            task: number,
            first_regret: regret(&first)?,
            end_regret: regret(&recommended)?,
            cost: task.budget() - task.cost_left(),
            trials: task.trials().len(),
            ms_per_ask: 1e3 * asking / f64::max(asks, 1.0),
            place,
            recommended: recommended.unwrap_or_default(),
            knowledge: String::new(),
        };
        campaign.finish(task)?;
        if self.arm != Arm::Nearest {
            row.knowledge = campaign.knowledge().to_json()?;
        }
        Ok(Some(row))
    }

    /// The campaign as it is before the next task.
    fn campaign(&self, posed: &Posed, last: Option<&Row>) -> Result<Campaign, Failure> {
        let method = if self.arm == Arm::Nearest { Method::WarmStart } else { Method::Default };
        let mut settings = Settings::new(method).seed(self.seed);
        if let (Arm::Nearest, Some(last)) = (self.arm, last) {
            // A campaign of its own for each task: other random numbers.
            settings = settings.campaign(u64::from(last.task));
        }
        for (key, value) in self.keys {
            settings.set(key, value)?;
        }
        let (space, fidelities) = (posed.space.clone(), posed.fidelities.clone());
        let mut campaign = Campaign::new(space, fidelities, Goal::Maximize, settings)?;
        if self.arm.describes() {
            campaign = campaign.with_descriptors(Descriptors::new(posed.descriptors.clone())?)?;
        }
        match last.filter(|row| !row.knowledge.is_empty()) {
            Some(row) => Ok(campaign.with_knowledge(Knowledge::from_json(&row.knowledge)?)?),
            None => Ok(campaign),
        }
    }

    /// The task with what this arm says of it.
    fn start(&self, campaign: &Campaign, posed: &Posed, number: u32) -> Result<Task, Failure> {
        let values: Vec<Value> = match self.arm {
            Arm::Without | Arm::Nearest => return Ok(campaign.start(posed.budget)?),
            Arm::With => posed.told.iter().map(|z| (*z).into()).collect(),
            Arm::Shuffled => {
                let other = self.source.posed(self.seed, self.other(number))?;
                other.told.iter().map(|z| (*z).into()).collect()
            }
            Arm::Noise => {
                let space = Space::new(posed.descriptors.clone())?;
                let mut stream = self.key(number, 0).stream(Purpose::Trial, 1);
                let unit: Vec<f64> = (0..space.dimension()).map(|_| stream.uniform()).collect();
                space.point(&unit)?
            }
        };
        let names = posed.descriptors.iter().map(|one| one.name.clone());
        let said: Description = names.zip(values).collect();
        Ok(campaign.start_described(posed.budget, &said)?)
    }

    /// The task whose descriptors a task gets when they are shuffled: never its own.
    fn other(&self, number: u32) -> u32 {
        let mut order: Vec<u32> = (1..=self.tasks).collect();
        let mut stream = self.key(0, 0).stream(Purpose::Trial, 2);
        // Sattolo's shuffle: a single cycle.
        for i in (1..order.len()).rev() {
            order.swap(i, stream.below(i));
        }
        order[number as usize - 1]
    }

    fn answer(
        &self,
        task: &mut Task,
        trial: &Trial,
        posed: &Posed,
        evaluator: &mut Evaluator,
        number: u32,
    ) -> Result<(), Failure> {
        let variance = posed.fidelities[trial.level].noise_variance.unwrap_or(0.0);
        let step = u32::try_from(trial.id).unwrap_or(u32::MAX);
        let noise = self.key(number, step).stream(Purpose::Noise, 0).normal();
        match evaluator.value(&numbers(&trial.point), trial.level)? {
            Ok(value) => task.tell(trial.id, value + variance.sqrt() * noise)?,
            Err(reason) => task.fail(trial.id, &reason)?,
        }
        Ok(())
    }

    fn key(&self, task: u32, step: u32) -> Key {
        Key { seed: self.seed, campaign: 0, task, step }
    }
}

/// How many tasks are done.
fn done(rows: &[Row]) -> u32 {
    rows.last().map_or(0, |row| row.task)
}

/// Where a task lies among all that could be described.
fn place(posed: &Posed) -> Result<Vec<f64>, Failure> {
    let told: Vec<Value> = posed.told.iter().map(|z| (*z).into()).collect();
    Ok(Space::new(posed.descriptors.clone())?.coordinates(&told)?)
}

/// The point recommended for the earlier task that is nearest.
fn nearest<'a>(rows: &'a [Row], place: &[f64]) -> Option<&'a [f64]> {
    let distance =
        |row: &Row| -> f64 { row.place.iter().zip(place).map(|(a, b)| (a - b).powi(2)).sum() };
    let closest = rows.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)));
    closest.map(|row| &row.recommended[..])
}

fn numbers(point: &[Value]) -> Vec<f64> {
    point.iter().map(|value| value.number().unwrap_or(f64::NAN)).collect()
}
