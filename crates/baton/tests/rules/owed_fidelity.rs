//! Cheaper fidelities prove themselves.

use baton::{Campaign, Fidelity, Goal, Parameter, Settings, Space, Trial};

const DIMENSION: usize = 3;

/// The trials of a second task, but for the first, a test.
fn second_task(
    (key, value): (&str, &str),
    (coarse, budget): (f64, f64),
    tell: impl Fn(&Trial) -> Option<f64>,
) -> Vec<Trial> {
    let mut settings = Settings::default().seed(7);
    settings.set(key, value).unwrap();
    let coordinates = (0..DIMENSION).map(|j| Parameter::real(&format!("x{j}"), 0.0, 1.0));
    let levels = [("coarse", coarse), ("fine", 2.0)];
    let levels = levels.map(|(name, cost)| Fidelity::new(name, cost).with_noise(1e-4));
    let space = Space::new(coordinates.collect::<Vec<_>>()).unwrap();
    let mut campaign = Campaign::new(space, levels.to_vec(), Goal::Maximize, settings).unwrap();
    let mut trials = Vec::new();
    for budget in [50.0, budget] {
        let mut task = campaign.start(budget).unwrap();
        while let Some(trial) = task.ask().unwrap() {
            assert!(trial.id < 200, "asked for ever");
            match tell(&trial) {
                Some(value) => task.tell(trial.id, value).unwrap(),
                None => task.fail(trial.id, "no").unwrap(),
            }
        }
        trials = campaign.finish(task).unwrap().trials;
    }
    assert_eq!(trials[0].aim.name(), "test");
    trials[1..].to_vec()
}

/// A bowl at the truth, and something else at the coarse level.
fn misled(trial: &Trial) -> f64 {
    let numbers = (0..DIMENSION).map(|j| trial.number(j).unwrap());
    let wave = |u: f64| (97.0 * u + 31.0 * trial.number(0).unwrap()).sin();
    let bowl = |u: f64| -(u - 0.3).powi(2);
    if trial.level == 0 { numbers.map(wave).sum() } else { numbers.map(bowl).sum() }
}

fn below(trials: &[Trial]) -> usize {
    trials.iter().filter(|trial| trial.level == 0).count()
}

#[test]
fn a_worthless_level_is_asked_as_often_as_there_are_coordinates() {
    let trials = second_task(("guard", "true"), (1.0, 50.0), |trial| Some(misled(trial)));
    assert_eq!(below(&trials[..2 * DIMENSION + 2]), DIMENSION, "{trials:?}");
    let owed = |trial: &&Trial| trial.why().contains("below the highest fidelity");
    assert!(trials.iter().filter(owed).all(|trial| trial.level == 0), "{trials:?}");
    assert!((1..=DIMENSION).contains(&trials.iter().filter(owed).count()), "{trials:?}");
    let unguarded = second_task(("guard", "false"), (1.0, 50.0), |trial| Some(misled(trial)));
    assert!(below(&unguarded[..2 * DIMENSION + 2]) < DIMENSION, "{unguarded:?}");
    assert_eq!(unguarded.iter().filter(owed).count(), 0, "{unguarded:?}");
}

#[test]
fn a_level_that_fails_is_not_asked_for_ever_whether_failures_cost_or_not() {
    for charged in ["true", "false"] {
        let tell = |trial: &Trial| (trial.level > 0).then(|| misled(trial));
        let trials = second_task(("charge_failed", charged), (1.0, 50.0), tell);
        assert!(trials.len() - below(&trials) >= 10, "{charged}: {trials:?}");
    }
}

#[test]
fn nothing_is_owed_to_a_level_that_is_dearer_or_takes_the_place_of_the_truth() {
    for (coarse, budget) in [(5.0, 9.0), (1.8, 5.0)] {
        let tell = |trial: &Trial| Some(misled(trial));
        let trials = second_task(("guard", "true"), (coarse, budget), tell);
        assert_eq!(trials[0].level, 1, "{trials:?}");
    }
}
