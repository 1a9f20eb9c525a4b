//! Looking for better basins.

use baton::{Campaign, Fidelity, Goal, Parameter, Settings, Space, Trial};

/// How many trials of the second task explore, with 20 trials a task.
fn exploring<const D: usize>(value: impl Fn([f64; D]) -> f64) -> usize {
    let real = |j: usize| Parameter::real(&format!("x{j}"), 0.0, 1.0);
    let space = Space::new((0..D).map(real).collect::<Vec<_>>()).unwrap();
    let only = vec![Fidelity::new("only", 1.0).with_noise(1e-4)];
    let settings = Settings::default().seed(3);
    let mut campaign = Campaign::new(space, only, Goal::Maximize, settings).unwrap();
    let mut trials: Vec<Trial> = Vec::new();
    for _ in 0..2 {
        let mut task = campaign.start(20.0).unwrap();
        while let Some(trial) = task.ask().unwrap() {
            let at = std::array::from_fn(|j| trial.number(j).unwrap());
            task.tell(trial.id, value(at)).unwrap();
        }
        trials = campaign.finish(task).unwrap().trials;
    }
    trials.iter().filter(|trial| trial.aim == *"explore").count()
}

fn hill<const D: usize>(x: [f64; D], top: f64) -> f64 {
    let squared: f64 = x.iter().map(|u| ((u - top) / 0.1).powi(2)).sum();
    (-0.5 * squared).exp()
}

#[test]
fn a_bowl_is_not_searched_for_other_basins() {
    assert_eq!(exploring(|[x, y]| -(x - 0.4).powi(2) - (y - 0.6).powi(2)), 0);
    assert!(exploring(|x: [f64; 2]| hill(x, 0.25) + 0.9 * hill(x, 0.75)) > 5);
}

#[test]
fn nothing_is_looked_for_where_all_has_been_seen() {
    let one = exploring(|x: [f64; 1]| hill(x, 0.25));
    let two = exploring(|x: [f64; 1]| hill(x, 0.25) + 0.9 * hill(x, 0.75));
    assert!(one < 4 && two > 5, "{one}, {two}");
}

#[test]
fn a_space_with_more_corners_than_candidates_is_not_searched_for_other_basins() {
    let three = exploring(|x: [f64; 3]| hill(x, 0.25) + 0.9 * hill(x, 0.75));
    let twelve = exploring(|x: [f64; 12]| {
        let first = [x[0], x[1], x[2]];
        hill(first, 0.25) + 0.9 * hill(first, 0.75)
    });
    assert!(three > 3 && twelve == 0, "{three}, {twelve}");
}
