//! Looking where earlier tasks had their best, or all over.

use baton::shared::Region;
use baton::{Aim, Campaign, Fidelity, Goal, Parameter, Settings, Space, Trial, Value};

/// A plain with a needle at `top` in both coordinates, seen with a little noise.
fn value(trial: &Trial, top: f64) -> f64 {
    let squared: f64 = (0..2).map(|j| ((trial.number(j).unwrap() - top) / 0.03).powi(2)).sum();
    let noise = ((trial.id * 7 + 3) % 11) as f64 / 11.0 - 0.5;
    3.0 * (-0.5 * squared).exp() + 0.1 * noise
}

fn only() -> Vec<Fidelity> {
    vec![Fidelity::new("only", 1.0).with_noise(1e-3)]
}

fn square() -> Space {
    Space::new([Parameter::real("x", 0.0, 1.0), Parameter::real("y", 0.0, 1.0)]).unwrap()
}

fn campaign(hills: &str) -> Campaign {
    over(square(), hills, only())
}

fn over(space: Space, hills: &str, fidelities: Vec<Fidelity>) -> Campaign {
    let mut settings = Settings::default().seed(5);
    settings.set("hills", hills).unwrap();
    Campaign::new(space, fidelities, Goal::Maximize, settings).unwrap()
}

/// Runs a task, in which somebody may have seen the needle; its trials.
fn trials(campaign: &mut Campaign, top: f64, seen: bool) -> Vec<Trial> {
    let truth = campaign.knowledge().schema().fidelities.len() - 1;
    let mut task = campaign.start([20.0, 80.0][truth]).unwrap();
    if seen {
        task.add_free(&[Value::Real(top), Value::Real(top)], truth, 3.0).unwrap();
    }
    while let Some(trial) = task.ask().unwrap() {
        task.tell(trial.id, value(&trial, top)).unwrap();
    }
    campaign.finish(task).unwrap().trials
}

/// The purposes of its trials.
fn aims(campaign: &mut Campaign, top: f64, seen: bool) -> Vec<Aim> {
    trials(campaign, top, seen).iter().map(|trial| trial.aim.clone()).collect()
}

#[test]
fn a_task_without_a_hill_looks_where_earlier_ones_had_theirs() {
    for hills in ["true", "false"] {
        let mut campaign = campaign(hills);
        aims(&mut campaign, 0.3, true);
        aims(&mut campaign, 0.34, true);
        assert_eq!(campaign.knowledge().past_optima().len(), 2);
        let drawn = aims(&mut campaign, 5.0, false); // none in reach
        let drawn = drawn.iter().filter(|aim| **aim == *"warm_start").count();
        assert_eq!(drawn > 3, hills == "true", "{drawn}");
    }
}

#[test]
fn many_asked_at_once_do_not_all_look_for_hills() {
    let mut campaign = campaign("true");
    aims(&mut campaign, 0.3, true);
    aims(&mut campaign, 0.34, true);
    let mut task = campaign.start(20.0).unwrap();
    let asked = task.ask_many(6).unwrap();
    let looking = |trial: &&Trial| ["test", "warm_start"].contains(&trial.aim.name());
    assert_eq!(asked.iter().filter(looking).count(), 1);
}

#[test]
fn draws_cost_at_most_half_and_lie_near_no_other_trial_at_the_truth() {
    let fidelities = [("coarse", 1.0), ("fine", 4.0)];
    let fidelities = fidelities.map(|(name, cost)| Fidelity::new(name, cost).with_noise(1e-3));
    let mut campaign = over(square(), "true", fidelities.to_vec());
    trials(&mut campaign, 0.3, true);
    trials(&mut campaign, 0.4, true);
    let hills = campaign.knowledge().past_optima().to_vec();
    let region = Region::of(&hills, &[Some(0.0); 2]).unwrap();
    let (mut spent, mut on_draws, mut at_truth) = (0.0, 0.0, Vec::new());
    for trial in trials(&mut campaign, 5.0, false) {
        let place: Vec<f64> = (0..2).map(|j| trial.number(j).unwrap()).collect();
        spent += trial.cost;
        if trial.aim == *"warm_start" {
            on_draws += trial.cost;
            assert!(on_draws <= 0.5 * spent, "{on_draws} of {spent}");
            assert!(!at_truth.iter().any(|known: &Vec<f64>| region.are_near(known, &place)));
        }
        if trial.level == 1 {
            at_truth.push(place);
        }
    }
    assert!(on_draws > 8.0, "{on_draws}");
}

#[test]
fn the_space_is_surveyed_where_no_task_found_anything() {
    for hills in ["true", "false"] {
        let mut campaign = campaign(hills);
        let first = aims(&mut campaign, 5.0, false);
        let second = aims(&mut campaign, 5.0, false);
        assert!(campaign.knowledge().past_optima().is_empty());
        assert!(!first.iter().any(|aim| *aim == *"survey"));
        assert_eq!(second.iter().any(|aim| *aim == *"survey"), hills == "true");
    }
}

#[test]
fn a_handful_of_trials_without_a_hill_calls_for_no_survey() {
    let mut campaign = campaign("true");
    for _ in 0..2 {
        let mut task = campaign.start(6.0).unwrap();
        while let Some(trial) = task.ask().unwrap() {
            task.tell(trial.id, value(&trial, 5.0)).unwrap();
        }
        let finished = campaign.finish(task).unwrap();
        assert!(finished.trials.iter().all(|trial| trial.aim != *"survey"));
    }
    assert!(campaign.knowledge().past_optima().is_empty());
    assert!(aims(&mut campaign, 5.0, false).iter().any(|aim| *aim == *"survey"));
}

#[test]
fn a_survey_takes_a_third_of_the_trials_and_repeats_no_point_where_there_are_few() {
    let real = |name: &str| Parameter::real(name, 0.0, 1.0);
    let whole = |name: &str| Parameter::integer(name, 0, 1);
    for (parameters, least) in [(["x", "y"].map(real), 4), (["x", "y"].map(whole), 1)] {
        let mut campaign = over(Space::new(parameters).unwrap(), "true", only());
        trials(&mut campaign, 50.0, false);
        let all = trials(&mut campaign, 50.0, false);
        let surveyed = (0..all.len()).filter(|i| all[*i].aim == *"survey");
        let repeats = |i: &usize| all[..*i].iter().any(|earlier| earlier.point == all[*i].point);
        let (count, repeated) = (surveyed.clone().count(), surveyed.filter(repeats).count());
        assert!(count >= least && count * 3 <= all.len() + 2, "{count}");
        assert_eq!(repeated, 0, "of {count}");
    }
}

#[test]
fn what_is_given_to_others_tells_no_height_as_it_was() {
    let mut campaign = campaign("true");
    aims(&mut campaign, 0.3, true);
    let (kept, given) = (campaign.knowledge().past_optima(), campaign.shareable().unwrap());
    assert_eq!(kept[0].place, given.past_optima()[0].place);
    assert!((kept[0].height - given.past_optima()[0].height).abs() > 1e-6);
}
