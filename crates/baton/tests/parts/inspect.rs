//! What the model sees at given points, at every fidelity.

use baton::campaign::Settings;
use baton::{Campaign, Fidelity, Goal, Parameter, Space, Value};

fn campaign() -> Campaign {
    let space = Space::new([Parameter::real("x", 0.0, 1.0)]).unwrap();
    let levels = [Fidelity::new("coarse", 1.0), Fidelity::new("fine", 4.0)];
    Campaign::new(space, levels, Goal::Minimize, Settings::default()).unwrap()
}

#[test]
fn the_top_fidelity_agrees_with_expectations_and_an_ask_is_not_disturbed() {
    let mut campaign = campaign();
    let points: Vec<Vec<Value>> = (0..5).map(|i| vec![Value::Real(0.25 * f64::from(i))]).collect();
    let mut task = campaign.start(24.0).unwrap();
    assert_eq!(task.sights(&points).unwrap(), Vec::<Vec<baton::campaign::Sight>>::new());
    for _ in 0..8 {
        let Some(trial) = task.ask().unwrap() else { break };
        task.tell(trial.id, (trial.number(0).unwrap() - 0.3).powi(2)).unwrap();
    }
    let mut undisturbed = task.clone();
    let sights = task.sights(&points).unwrap();
    let expected = task.expectations(&points).unwrap();
    for (seen, expected) in sights.iter().zip(&expected) {
        assert_eq!(seen.len(), 2);
        assert!((seen[1].mean - expected.mean).abs() < 1e-9, "{seen:?} {expected:?}");
        assert!((seen[1].interval.0 - expected.interval.0).abs() < 1e-9);
        assert!(seen.iter().all(|s| s.nats.optimum >= 0.0 && s.rate.is_finite()));
    }
    assert_eq!(task.ask().unwrap(), undisturbed.ask().unwrap());
    campaign.finish(task).unwrap();
    let before = campaign.start(24.0).unwrap().sights(&points).unwrap();
    assert_eq!(before.len(), 5, "what was handed on is seen before the first trial");
    assert!(before[1][1].mean < before[4][1].mean, "and it is about this function: {before:?}");
}
