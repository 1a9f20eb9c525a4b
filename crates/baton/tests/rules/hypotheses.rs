//! How a task is found to relate to earlier ones.

use baton::{Campaign, Fidelity, Goal, Parameter, Settings, Space, Value};

/// Two tasks of a hill, the second with its top at another place; what the campaign knows then.
fn after_two_tasks(tops: [f64; 2]) -> Campaign {
    let space = Space::new([Parameter::real("x", 0.0, 1.0), Parameter::real("y", 0.0, 1.0)]);
    let fidelities = vec![Fidelity::new("only", 1.0).with_noise(1e-4)];
    let mut settings = Settings::default().seed(5);
    settings.set("initial", "12").unwrap();
    let mut campaign = Campaign::new(space.unwrap(), fidelities, Goal::Maximize, settings).unwrap();
    for top in tops {
        let mut task = campaign.start(24.0).unwrap();
        while let Some(trial) = task.ask().unwrap() {
            let [Value::Real(x), Value::Real(y)] = trial.point[..] else { unreachable!() };
            let squared = (x - top).powi(2) / 0.02 + (y - 0.4).powi(2) / 0.08;
            task.tell(trial.id, 2.0 * (-squared).exp() + x).unwrap();
        }
        campaign.finish(task).unwrap();
    }
    campaign
}

#[test]
fn a_hill_that_moved_speaks_for_drift_and_one_that_stayed_against_it() {
    let [moved, stayed] =
        [[0.4, 0.55], [0.4, 0.4]].map(|tops| after_two_tasks(tops).knowledge().drift);
    assert!(moved > stayed + 3.0, "{moved} {stayed}");
}
