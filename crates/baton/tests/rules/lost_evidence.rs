//! What observations that are not kept said of `theta`.

use baton::{Campaign, Fidelity, Goal, Knowledge, Parameter, Settings, Space, Value};

/// What is known after two tasks of so many trials on a function that changes fastest along the
/// first of six coordinates.
fn known_after(trials: u32) -> Knowledge {
    let names = ["a", "b", "c", "d", "e", "f"];
    let space = Space::new(names.map(|name| Parameter::real(name, 0.0, 1.0)));
    let fidelities = vec![Fidelity::new("only", 1.0).with_noise(1e-2)];
    let settings = Settings::default().seed(7);
    let mut campaign = Campaign::new(space.unwrap(), fidelities, Goal::Maximize, settings).unwrap();
    for number in 0..2 {
        let mut task = campaign.start(f64::from(trials)).unwrap();
        for i in number * trials..(number + 1) * trials {
            let steps = [0.618_034, 0.414_214, 0.732_051, 0.236_068, 0.645_751, 0.316_625];
            let place = steps.map(|step| f64::from(i) * step % 1.0);
            let trial = task.suggest(&place.map(Value::Real), 0).unwrap();
            let slow: f64 = place[1..].iter().map(|x| (4.0 * x).sin()).sum();
            task.tell(trial.id, 2.0 * (9.0 * place[0]).sin() + slow).unwrap();
        }
        campaign.finish(task).unwrap();
    }
    campaign.knowledge().clone()
}

#[test]
fn nothing_is_remembered_of_what_is_kept_and_of_the_rest_which_coordinate_matters() {
    assert_eq!(known_after(40).parameters, None);
    let parameters = known_after(150).parameters.unwrap();
    let [x, y] = [parameters[0], parameters[1]];
    assert!(x.0 < y.0 - 0.5 && x.1 < 0.5, "{x:?} {y:?}");
}
