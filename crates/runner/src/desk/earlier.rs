//! Evaluations made elsewhere: as data of a task under way, or as finished tasks to learn from.

use super::{Desk, Step};
use crate::error::{Result, RunnerError};
use crate::replay::{Replay, description};
use crate::wanted::Plan;
use baton::{Description, Measured, Measurement, Task, Value};
use baton_store::{Lease, TrialRecord};

/// An evaluation made elsewhere.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// one value per parameter
    pub point: Vec<Value>,
    /// the fidelity, counted from 0
    pub level: usize,
    /// what came out
    pub value: f64,
    /// what held for it: values of descriptors by their names
    pub context: Description,
    /// what was measured of quantities that have to keep bounds
    pub constraints: Measured,
}

impl Row {
    /// What is said of all of these evaluations alike: the description of a task that is made of them.
    #[must_use]
    pub fn common(rows: &[Self]) -> Description {
        let Some((first, others)) = rows.split_first() else { return Description::new() };
        let shared = |(name, value): &(&String, &Value)| {
            others.iter().all(|row| row.context.get(*name) == Some(value))
        };
        let all = first.context.iter().filter(shared);
        all.map(|(name, value)| (name.clone(), value.clone())).collect()
    }

    fn measured(&self) -> Measurement {
        Measurement { constraints: self.constraints.clone(), ..Measurement::new(self.value) }
    }

    /// What held for it beyond what is said of its task, or instead.
    fn beyond(&self, said: &Description) -> Description {
        let other = |(name, value): &(&String, &Value)| said.get(*name) != Some(value);
        let context = self.context.iter().filter(other);
        context.map(|(name, value)| (name.clone(), value.clone())).collect()
    }
}

impl Desk {
    /// Adds evaluations made elsewhere to the task under way, or to the next one, at no cost.
    ///
    /// # Errors
    /// If a point is not legal, a value not finite, or there is no task left.
    pub fn add_free(&mut self, rows: &[Row], lease: Lease<'_>) -> Result<Step> {
        self.in_turn(lease, |desk| {
            if let Some(number) = desk.records.present().map(|task| task.number) {
                let mut task = Replay::of(&desk.records, number)?.task;
                let before = task.trials().len();
                add(&mut task, rows)?;
                desk.store.append(desk.name(), number, &task.trials()[before..], None, None)?;
            } else {
                let (plan, mut replay) = desk.next_task()?;
                add(&mut replay.task, rows)?;
                desk.start(&plan, replay.task.trials(), None, None)?;
            }
            desk.refresh()?;
            Ok(Step::Wait)
        })
    }

    /// Adds a finished task made of evaluations from elsewhere; no task may be under way.
    ///
    /// # Errors
    /// As [`Desk::add_free`], and if it is described by what is no descriptor, or by a value that the
    /// descriptor cannot take.
    pub fn add_finished(
        &mut self,
        (name, said): (&str, &Description),
        rows: &[Row],
        lease: Lease<'_>,
    ) -> Result<Step> {
        if let Some(task) = self.records.present() {
            let reason = format!("the task {:?} is under way", task.name);
            return Err(RunnerError::refused(reason));
        }
        let begun = self.records.tasks.iter().any(|task| task.name == name);
        if begun || self.records.spec.tasks.iter().any(|plan| plan.name == name) {
            return Err(RunnerError::refused(format!("there is a task {name:?} already")));
        }
        let problem = self.records.last_problem();
        let costs = problem.fidelities.iter().map(|fidelity| fidelity.cost);
        // A task needs a budget; this one spends nothing of it.
        let describe = self.records.spec.descriptors.canonical(said)?;
        let plan = Plan { describe, ..Plan::new(name, costs.fold(f64::MAX, f64::min)) };
        self.in_turn(lease, |desk| {
            let (spec, problem) = (&desk.records.spec, desk.records.last_problem());
            let knowledge = desk.records.campaign.knowledge.as_deref();
            let campaign = spec.campaign_over(&problem, knowledge)?;
            let mut task = campaign.start_described(plan.budget, &plan.describe)?;
            add(&mut task, rows)?;
            desk.start(&plan, task.trials(), None, None)?;
            desk.refresh()?;
            let number = desk.records.present().map_or(0, |task| task.number);
            desk.try_finish(number)
        })
    }
}

impl Desk {
    /// The task that holds all of these evaluations already, if one does: they were added before.
    ///
    /// # Errors
    /// If a point is not legal.
    pub fn added_before(&self, rows: &[Row]) -> Result<Option<String>> {
        for task in self.records.tasks.iter().filter(|_| !rows.is_empty()) {
            if self.new_to(task.number, rows)?.is_empty() {
                return Ok(Some(task.name.clone()));
            }
        }
        Ok(None)
    }

    /// Those of these evaluations that the task they would be added to does not hold yet.
    ///
    /// # Errors
    /// If a point is not legal.
    pub fn new_rows(&self, rows: &[Row]) -> Result<Vec<Row>> {
        match self.records.present() {
            Some(task) => self.new_to(task.number, rows),
            None => Ok(rows.to_vec()),
        }
    }

    /// One that a task holds once is new if it comes twice.
    fn new_to(&self, task: u32, rows: &[Row]) -> Result<Vec<Row>> {
        let mut there: Vec<&TrialRecord> = self.records.trials_of(task).iter().collect();
        let mut new = Vec::new();
        let record = self.records.tasks.get(task as usize);
        let said = record.map(description).transpose()?.unwrap_or_default();
        for row in rows {
            let Ok(point) = self.records.space_of(task).canonical(&row.point) else {
                new.push(row.clone()); // of another space, or of none: who adds it will say so
                continue;
            };
            let context = self.records.spec.descriptors.canonical(&row.beyond(&said))?;
            let twin = there.iter().position(|TrialRecord { trial, .. }| {
                let outcome = (trial.value(), trial.level, &trial.context, &trial.constraints);
                outcome == (Some(row.value), row.level, &context, &row.constraints)
                    && trial.point == point
            });
            match twin {
                Some(place) => drop(there.swap_remove(place)),
                None => new.push(row.clone()),
            }
        }
        Ok(new)
    }
}

fn add(task: &mut Task, rows: &[Row]) -> Result<()> {
    let said = task.description().clone();
    for row in rows {
        task.add_free_in(&row.point, row.level, row.measured(), &row.beyond(&said))?;
    }
    Ok(())
}
