//! How closely tasks are related.

use baton::{Campaign, Fidelity, Goal, Parameter, Settings, Space, Value};

/// What is believed after four tasks that differ by `change` times a function of their own.
fn learned(change: f64) -> f64 {
    let space = Space::new([Parameter::real("x", 0.0, 1.0), Parameter::real("y", 0.0, 1.0)]);
    let fidelities = vec![Fidelity::new("only", 1.0).with_noise(1e-4)];
    let mut settings = Settings::default().seed(3);
    settings.set("initial", "10").unwrap();
    settings.set("guard", "false").unwrap();
    let mut campaign = Campaign::new(space.unwrap(), fidelities, Goal::Maximize, settings).unwrap();
    for number in 0..4 {
        let mut task = campaign.start(20.0).unwrap();
        while let Some(trial) = task.ask().unwrap() {
            let [Value::Real(x), Value::Real(y)] = trial.point[..] else { unreachable!() };
            let own = (7.0 * x + 2.0 * f64::from(number)).sin() * (5.0 * y).cos();
            let value = (6.0 * x).cos() + (4.0 * y).sin() + change * own;
            task.tell(trial.id, value).unwrap();
        }
        campaign.finish(task).unwrap();
    }
    campaign.knowledge().relatedness.unwrap().0
}

#[test]
fn tasks_that_agree_are_believed_to_be_closer_than_those_that_do_not() {
    let (same, different) = (learned(0.0), learned(0.8));
    assert!(same > 2.3 && different < same - 0.2, "{same} {different}");
}
