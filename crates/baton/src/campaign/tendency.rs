//! What a finished task by itself says of the parameters of the surrogate.
//!
//! A task that turns out to be unrelated to earlier ones cannot use their function, but it may be as
//! rough as they were, along the same coordinates, with levels that can be trusted as much. So every
//! task is fitted by itself once it is finished, and a model that starts cold begins with what all of
//! them have in common (`knowledge/tendency.rs`). Whether tasks are of one kind is asked of their hills:
//! where coordinates mean something else in every task, length scales of others mislead, and hills lie
//! anywhere.

use super::contest::Model;
use super::epoch::{Frame, Observation};
use super::method::ThetaSource;
use super::priors::before_a_task;
use super::remembered::{MOST_PARAMETERS, curvature};
use crate::error::Result;
use crate::knowledge::Tendency;
use crate::problem::Units;
use crate::surrogate::Earlier;

/// So many observations of a task say enough.
const ENOUGH: usize = 200;
/// How high the function lies is a task's own.
const OWN: &str = "mean";

/// What tasks have shown with this one. The weight of a value is the share of the prior's variance that
/// the data take away.
pub(super) fn after(
    frame: &Frame<'_>,
    units: &Units,
    observations: &[Observation],
) -> Result<Vec<Tendency>> {
    let mut tendencies = frame.knowledge.tendencies.clone();
    let settings = frame.settings;
    let fitted = settings.method.plan().source == ThetaSource::Map;
    let count = frame.surrogate(units, Earlier::None, false)?.parameter_count();
    if !settings.guard || !settings.hills || !fitted || count > MOST_PARAMETERS {
        return Ok(tendencies);
    }
    if tendencies.len() != count {
        tendencies = vec![Tendency::default(); count];
    }
    let observations = &observations[..observations.len().min(ENOUGH)];
    let alone = frame.history(units, observations)?;
    let model = Model::fit(frame, units, (Earlier::None, false), &alone, observations.len())?;
    let (surrogate, theta) = (&model.surrogate, model.theta());
    let known = before_a_task(settings, surrogate, frame.knowledge);
    let curvature = curvature(surrogate, theta, &model.history, count)?;
    let blocks = surrogate.layout().blocks().iter();
    let of_tasks = blocks.flat_map(|block| vec![block.name != OWN; block.size()]);
    for (i, is_common) in of_tasks.enumerate() {
        let said = known[i].1.powi(2) * curvature[i];
        if is_common {
            tendencies[i].add(theta[i], said / (1.0 + said));
        }
    }
    Ok(tendencies)
}

#[cfg(test)]
mod tests {
    use crate::campaign::epoch::Frame;
    use crate::campaign::priors::{Normal, at_first, before_a_task};
    use crate::knowledge::Hill;
    use crate::problem::Units;
    use crate::surrogate::Earlier;
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
            campaign.finish(&mut task).unwrap();
        }
        campaign.knowledge().clone()
    }

    /// Priors of a model that starts cold, and those of a first task, if hills were at these places.
    fn priors(known: &Knowledge, places: [[f64; 2]; 3]) -> (Vec<Normal>, Vec<Normal>) {
        let mut knowledge = Knowledge::none(known.schema().clone());
        knowledge.tendencies.clone_from(&known.tendencies);
        for place in places {
            knowledge.add_hill(Hill { place: place.to_vec(), height: 2.0 });
        }
        let (settings, fidelities) = (Settings::default(), only());
        let frame = Frame {
            settings: &settings,
            space: &known.schema().space,
            fidelities: &fidelities,
            goal: Goal::Maximize,
            knowledge: &knowledge,
            key: baton_numerics::random::Key::default(),
            initial: 4,
            tested: None,
        };
        let units = Units::of(Goal::Maximize, &[0.0, 1.0]);
        let surrogate = frame.surrogate(&units, Earlier::None, false).unwrap();
        (before_a_task(&settings, &surrogate, &knowledge), at_first(&settings, &surrogate))
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
}
