//! What the next model-based trial is for, by method.

use super::plan::Agenda;
use super::trial::Aim;
use super::view::View;
use crate::acquisition::Criterion;
use crate::shared::Fitted;
use baton_numerics::random::Purpose;

impl View<'_> {
    /// What the next model-based trial is for.
    pub(crate) fn next_aim(&self, fitted: &Fitted) -> Aim {
        let untold = self.frame.draws && fitted.draws.is_empty();
        let for_this_task = match self.plan.agenda {
            Agenda::Both { beta } if beta == 0.0 || untold => true,
            Agenda::Both { .. } => return Aim::BOTH,
            Agenda::Coin { c } => self.key.stream(Purpose::Agenda, 0).uniform() < c,
            Agenda::Phases { c } => self.rounds() < first_phase(c, self.all_rounds()),
        };
        if for_this_task { Aim::OPTIMUM } else { Aim::FUTURE }
    }

    /// The weights of both gains for an aim.
    pub(crate) fn criterion(&self, aim: &Aim) -> Criterion {
        let (optimum_weight, beta) = match (aim.name(), self.plan.agenda) {
            ("both", Agenda::Both { beta }) => (1.0, beta),
            ("future", _) => (0.0, 1.0),
            _ => (1.0, 0.0),
        };
        let (optimum, transfer) = (self.search.optimum_gain, self.search.transfer_gain);
        Criterion { optimum, transfer, optimum_weight, beta }
    }
}

/// `ceil(c T)`, A14.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // c T is small and positive
fn first_phase(c: f64, all_rounds: usize) -> usize {
    // Less a hair, since 0.28 times 25 is a little more than 7 in floating point.
    (c * all_rounds as f64 - 1e-9).ceil().max(0.0) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_phase_is_rounded_up() {
        assert_eq!(first_phase(0.6, 20), 12);
        assert_eq!(first_phase(0.61, 20), 13);
        assert_eq!(first_phase(0.28, 25), 7);
        assert_eq!((first_phase(0.0, 5), first_phase(1.0, 5)), (0, 5));
    }
}
