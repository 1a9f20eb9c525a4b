//! What tasks by themselves say of the parameters.

use crate::model::Earlier;
use crate::model::{Normal, Source};
use crate::problem::Units;
use crate::shared::{Frame, PastOptimum};
use crate::{Campaign, Fidelity, Goal, Knowledge, Parameter, Settings, Space, Value};

fn only() -> Vec<Fidelity> {
    vec![Fidelity::new("only", 1.0).with_noise(1e-3)]
}

fn campaign() -> Campaign {
    let space = Space::new(["x", "y"].map(|name| Parameter::real(name, 0.0, 1.0))).unwrap();
    Campaign::new(space, only(), Goal::Maximize, Settings::default().seed(6)).unwrap()
}

/// What is known after three tasks of a function that changes `rate` times as fast along `x`.
fn known_after(rate: f64) -> Knowledge {
    let mut campaign = campaign();
    for number in 0..3 {
        let mut task = campaign.start(30.0).unwrap();
        for i in 0..30 {
            let place = [0.618_034, 0.414_214].map(|step| f64::from(i) * step % 1.0);
            let trial = task.suggest(&place.map(Value::Real), 0).unwrap();
            let (x, y) = (rate * place[0] + f64::from(number), place[1] + f64::from(number));
            task.tell(trial.id, (2.0 * x).sin() + (2.0 * y).cos()).unwrap();
        }
        campaign.finish(task).unwrap();
    }
    campaign.knowledge().clone()
}

/// Priors of a model that starts cold, and those of a first task, if hills were at these places.
fn priors(known: &Knowledge, places: [[f64; 2]; 3]) -> (Vec<Normal>, Vec<Normal>) {
    let mut knowledge = Knowledge::none(known.schema().clone());
    knowledge.tendencies.clone_from(&known.tendencies);
    for place in places {
        knowledge.add_past_optimum(PastOptimum { place: place.to_vec(), height: 2.0 });
    }
    let (settings, fidelities) = (Settings::default(), only());
    let frame = Frame {
        model: &settings.model,
        preset: settings.preset(),
        source: Source::Map,
        transfer: &settings.transfer,
        units: &settings.units,
        space: &known.schema().space,
        descriptors: &known.schema().descriptors,
        description: &crate::problem::Description::new(),
        place: &[],
        fidelities: &fidelities,
        goal: Goal::Maximize,
        kept: &[],
        knowledge: &knowledge,
        key: baton_numerics::random::Key::default(),
        initial: 4,
        tested: None,
        draws: false,
        guesses: &[],
    };
    let units = Units::of(Goal::Maximize, &[0.0, 1.0]);
    let surrogate = frame.surrogate(&units, Earlier::None, false).unwrap();
    (frame.prior(&surrogate), frame.first_prior(&surrogate))
}

const TOGETHER: [[f64; 2]; 3] = [[0.2, 0.3], [0.22, 0.33], [0.25, 0.31]];
const APART: [[f64; 2]; 3] = [[0.1, 0.9], [0.9, 0.1], [0.5, 0.5]];

#[test]
fn tasks_of_one_kind_start_with_the_length_scales_of_those_before() {
    let known = known_after(6.0);
    let (with, first) = priors(&known, TOGETHER);
    assert!(with[0].0 < first[0].0 - 0.2, "{:?} {:?}", with[0], first[0]);
    assert!(with[0].0 < with[1].0 - 0.3, "{with:?}");
}

#[test]
fn where_hills_lie_apart_a_cold_start_is_that_of_a_first_task() {
    let (with, first) = priors(&known_after(6.0), APART);
    assert_eq!(with, first);
}
