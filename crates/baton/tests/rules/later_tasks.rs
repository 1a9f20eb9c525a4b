//! The gain about `theta` in the default method: `beta`.

use baton::model::Note;
use baton::{Campaign, Fidelity, Goal, Parameter, Settings, Space, Trial};

fn settings(entries: &[(&str, &str)]) -> Settings {
    let mut settings = Settings::default().seed(5);
    for (key, value) in [("starts", "8"), ("candidates", "64"), ("transfer_gain", "noisy")] {
        settings.set(key, value).unwrap();
    }
    for (key, value) in entries {
        settings.set(key, value).unwrap();
    }
    settings
}

fn campaign(settings: Settings) -> Campaign {
    let space = Space::new(["x", "y"].map(|name| Parameter::real(name, 0.0, 1.0))).unwrap();
    let levels = vec![Fidelity::new("coarse", 1.0), Fidelity::new("fine", 3.0)];
    Campaign::new(space, levels, Goal::Maximize, settings).unwrap()
}

fn hills(task: u32, trial: &Trial) -> f64 {
    let (x, y) = (trial.number(0).unwrap(), trial.number(1).unwrap());
    let hill = |a: f64, b: f64| (-((x - a).powi(2) + (y - b).powi(2)) / 0.02).exp();
    hill(0.25, 0.3) + (0.8 + 0.05 * f64::from(task)) * hill(0.75, 0.7) - 0.1 * trial.level as f64
}

/// The trials of each task.
fn run(settings: Settings, tasks: u32, value: impl Fn(u32, &Trial) -> f64) -> Vec<Vec<Trial>> {
    let mut campaign = campaign(settings);
    let one = |task| {
        let mut running = campaign.start(24.0).unwrap();
        while let Some(trial) = running.ask().unwrap() {
            running.tell(trial.id, value(task, &trial)).unwrap();
        }
        campaign.finish(running).unwrap().trials
    };
    (0..tasks).map(one).collect()
}

fn nats_for_later(trials: &[Trial]) -> f64 {
    trials.iter().filter_map(|trial| trial.nats).map(|nats| nats.transfer).sum()
}

#[test]
fn nats_for_later_tasks_are_those_of_beta_and_none_in_the_last_task() {
    let with = run(settings(&[("beta", "0.3"), ("horizon", "3")]), 3, hills);
    let both = |trials: &[Trial]| trials.iter().filter(|t| t.aim == *"both").count();
    for task in &with[..2] {
        assert!(nats_for_later(task) > 0.1 && both(task) > 3, "{}", nats_for_later(task));
    }
    assert_eq!((nats_for_later(&with[2]), both(&with[2])), (0.0, 0));
    let alone = run(settings(&[("beta", "0.3"), ("explore", "0")]), 2, hills);
    assert!(nats_for_later(&alone[1]) > 0.1);
    let without = run(settings(&[("horizon", "3")]), 3, hills);
    assert!(without.iter().all(|task| nats_for_later(task) == 0.0 && both(task) == 0));
    assert_eq!(run(settings(&[("beta", "0"), ("horizon", "3")]), 3, hills), without);
}

#[test]
fn a_first_task_is_led_by_its_optimum() {
    let trials = |beta: &str| run(settings(&[("beta", beta)]), 1, hills).remove(0);
    let bought = |beta: &str| {
        let nats = trials(beta).into_iter().filter_map(|trial| trial.nats);
        nats.map(|nats| nats.optimum).sum::<f64>()
    };
    assert!(bought("0.3") > 0.5 * bought("0"), "{} {}", bought("0.3"), bought("0"));
}

#[test]
fn a_task_goes_on_with_the_same_bits_after_it_was_restored() {
    let mut campaign = campaign(settings(&[("beta", "0.3")]));
    for task in 0..2 {
        let mut running = campaign.start(24.0).unwrap();
        while let Some(trial) = running.ask().unwrap() {
            running.tell(trial.id, hills(task, &trial)).unwrap();
            let mut again = campaign.resume(24.0, running.trials()).unwrap();
            assert_eq!(again.ask().unwrap(), running.clone().ask().unwrap());
        }
        campaign.finish(running).unwrap();
    }
}

#[test]
fn hostile_values_break_nothing() {
    let worst: [fn(u32, &Trial) -> f64; 5] = [
        |_, _| 0.0,
        |_, trial| 1e300 * trial.number(0).unwrap_or(0.0),
        |_, trial| 1e-300 * trial.number(0).unwrap_or(0.0),
        |_, trial| if trial.id % 3 == 0 { -1e12 } else { 1.0 },
        |task, trial| f64::from(task + 1) * 1e8 + 1e-8 * trial.id as f64,
    ];
    for value in worst {
        for task in run(settings(&[("beta", "2")]), 2, value) {
            for trial in &task {
                let nats = trial.nats.unwrap_or_default();
                assert!(nats.optimum.is_finite() && nats.transfer.is_finite(), "{trial:?}");
                let failed = |note: &Note| matches!(note, Note::FellBack(_));
                assert!(!trial.notes.iter().any(failed), "{:?}", trial.notes);
            }
        }
    }
}
