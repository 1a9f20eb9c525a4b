//! How much of the best possible choice the search of an ask finds: a diagnostic, no part of an ask.

use baton::{Campaign, Fidelity, Goal, Parameter, Settings, Space};

#[test]
fn a_thorough_search_finds_no_less_and_the_ask_is_left_as_it_was() {
    let space = Space::new([Parameter::real("x", 0.0, 1.0), Parameter::real("y", 0.0, 1.0)]);
    let levels = [Fidelity::new("coarse", 1.0), Fidelity::new("fine", 3.0)];
    let settings = Settings::default();
    let campaign = Campaign::new(space.unwrap(), levels, Goal::Maximize, settings).unwrap();
    let mut task = campaign.start(60.0).unwrap();
    assert_eq!(task.search_quality(10).unwrap(), None);
    for _ in 0..9 {
        let trial = task.ask().unwrap().unwrap();
        let value =
            (5.0 * trial.number(0).unwrap()).sin() - (trial.number(1).unwrap() - 0.4).powi(2);
        task.tell(trial.id, value).unwrap();
    }
    let expected = task.clone().ask().unwrap();
    let quality = task.search_quality(10).unwrap().unwrap();
    assert!(quality.ratio() > 0.9 && quality.ratio() <= 1.0, "{quality:?}");
    assert!(quality.climbed > 0 && quality.scored > quality.climbed);
    let alone = task.search_quality(1).unwrap().unwrap();
    assert_eq!((alone.rate, alone.ratio()), (quality.rate, 1.0));
    assert_eq!(task.ask().unwrap(), expected);
}
