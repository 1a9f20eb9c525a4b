//! A small campaign with everything in it: two tasks, two fidelities, a trial that fails, and a problem that
//! changes on the way; and what its records must say at the end, whatever happened on the way.

use baton::{Fidelity, Goal, Parameter, Settings, Space, Trial};
use baton_runner::drive;
use baton_runner::drive::Observer;
use baton_runner::wanted::{WantedFidelity, WantedParameter};
use baton_runner::{Desk, Ending, Event, Options, Plan, Records, Request, RunnerError, Spec, Stop};
use baton_store::{Settled, Store};
use std::sync::Arc;
use std::time::Duration;

/// Its name in the store.
pub const NAME: &str = "small";
const BUDGET: f64 = 6.0;

/// What it is.
pub fn spec() -> Result<Spec, String> {
    let space = Space::new([Parameter::real("x", 0.0, 1.0), Parameter::choice("mode", ["a", "b"])])
        .map_err(|error| error.to_string())?;
    let fidelities = vec![Fidelity::new("coarse", 1.0), Fidelity::new("fine", 2.0)];
    let mut settings = Settings::default().seed(7);
    for (key, value) in
        [("initial", "3"), ("candidates", "16"), ("walks", "2"), ("iterations", "3")]
    {
        settings.set(key, value).map_err(|error| error.to_string())?;
    }
    let tasks = vec![Plan::new("one", BUDGET), changed(Plan::new("two", BUDGET))];
    Ok(Spec::new(space, fidelities, Goal::Minimize, &settings, tasks))
}

/// The same task with a parameter and a fidelity more, and one that is fixed.
fn changed(plan: Plan) -> Plan {
    let named = |name: &str| WantedParameter { name: name.into(), ..WantedParameter::default() };
    let (low, high) = (Some(0.into()), Some(1.into()));
    let tilt = WantedParameter { low, high, ..named("tilt") };
    let mode = WantedParameter { fixed: Some("a".into()), ..named("mode") };
    let level = |(name, cost): (&str, f64)| WantedFidelity::from(&Fidelity::new(name, cost));
    let fidelities = [("rough", 0.5), ("coarse", 1.0), ("fine", 2.0)].map(level).to_vec();
    Plan { space: vec![tilt, mode], fidelities, ..plan }
}

fn evaluate(request: &Request, pause: Duration) -> Result<f64, String> {
    std::thread::sleep(pause);
    let x = request.trial.number(0).map_err(|error| error.to_string())?;
    let shift = 0.1 * f64::from(request.task);
    let bias = if request.trial.level == 0 { 0.05 } else { 0.0 };
    match request.trial.id {
        2 => Err("this one never works".into()),
        _ => Ok((x - 0.4 - shift).powi(2) + bias),
    }
}

/// A line per outcome that was acknowledged.
fn acknowledged(event: &Event<'_>, out: &dyn Fn(String)) {
    if let Event::Settled(record, Settled::Counted) = event {
        out(format!("{} {} {:?}", record.task, record.trial.id, record.trial.outcome));
    }
}

/// Runs it to its end, or until the store fails; tells of every outcome once it is acknowledged.
pub fn run(
    store: Arc<Store>,
    pause: Duration,
    out: &(dyn Fn(String) + Sync),
) -> Result<Ending, RunnerError> {
    let spec = spec().map_err(|reason| RunnerError::Refused { reason })?;
    let desk = Desk::create(store, NAME, &spec)?;
    let options = Options {
        name: "soak".into(),
        workers: 1,
        retries: 0,
        lease_seconds: 60.0,
        take_over: false,
    };
    let observer: &Observer<'_> = &|event, _| acknowledged(event, out);
    drive(desk, &|request: &Request| evaluate(request, pause), &options, &Stop::default(), observer)
}

/// Runs it to its end, silently and without disturbance, and gives what its records say then.
pub fn finish(store: &Arc<Store>) -> Result<Ended, String> {
    match run(Arc::clone(store), Duration::ZERO, &|_| ()) {
        Ok(Ending::Done) => Ended::of(store),
        Ok(other) => Err(format!("it ended {other:?}")),
        Err(error) => Err(format!("it could not go on: {error}")),
    }
}

/// What the records of the campaign say about results.
#[derive(Debug, Clone, PartialEq)]
pub struct Ended {
    tasks: Vec<TaskEnded>,
    knowledge: Option<String>,
}

#[derive(Debug, Clone, PartialEq)]
struct TaskEnded {
    name: String,
    spent: f64,
    result: Option<String>,
    knowledge: Option<String>,
    trials: Vec<Trial>,
}

impl Ended {
    /// As they are now.
    pub fn of(store: &Store) -> Result<Self, String> {
        let records = Records::read(store, NAME).map_err(|error| error.to_string())?;
        let mut tasks = Vec::new();
        for task in &records.tasks {
            let spent = records.spent(task.number);
            if spent > task.budget {
                return Err(format!("task {} spent {spent} of {}", task.name, task.budget));
            }
            let (result, knowledge) = (task.result.clone(), task.knowledge.clone());
            let (name, trials) =
                (task.name.clone(), records.trials(task.number).cloned().collect());
            tasks.push(TaskEnded { name, spent, result, knowledge, trials });
        }
        Ok(Self { tasks, knowledge: records.campaign.knowledge })
    }

    /// Whether an acknowledged outcome is among them.
    pub fn has(&self, line: &str) -> bool {
        let said = |number: usize, t: &Trial| format!("{number} {} {:?}", t.id, t.outcome) == line;
        let mut tasks = self.tasks.iter().enumerate();
        tasks.any(|(number, task)| task.trials.iter().any(|trial| said(number, trial)))
    }

    /// An error unless the results are those of an undisturbed run, bit for bit.
    pub fn same_as(&self, undisturbed: &Self) -> Result<(), String> {
        if self == undisturbed {
            return Ok(());
        }
        let shown = |ended: &Self| {
            let trials = ended.tasks.iter().flat_map(|task| &task.trials);
            trials.map(|t| format!("{} {:?} {:?}", t.id, t.point, t.outcome)).collect::<Vec<_>>()
        };
        Err(format!(
            "not the undisturbed results: {:?} instead of {:?}",
            shown(self),
            shown(undisturbed)
        ))
    }
}
