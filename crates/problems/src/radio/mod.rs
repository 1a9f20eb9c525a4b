//! Uplink power control of two radio cells: the sum rate as a function of four settings.
//!
//! A point is (P0, alpha) of cell 0, then of cell 1, on the grid of 3GPP TS 38.331. User k sends
//! with `min(23, P0 + 10 log10 52 + alpha PL_k)` dBm, where `PL_k` is the path loss to its own base
//! station; all 20 users share the band, and the receivers combine 64 antennas for maximum ratio.
//! The value is the mean over channel samples of `sum_k min(5.5547, log2(1 + SINR_k))` in
//! bit/s/Hz. Fidelity is the number of samples, the first 10, 20, 50 or 100 of a bank frozen per
//! task, so that every level is a deterministic function. From task to task every user walks at
//! most 10 m and the channels are drawn anew.
//!
//! | module | what it knows |
//! |---|---|
//! | `cells` | users, samples and the grid of settings; what is sent and heard |
//! | `layout` | where the users are and what is lost on the way |
//! | `channel` | the bank of channels and what arrives after combining |
//! | `network` | the rates of one task |
//! | `exhaustive` | the best of all 912 x 912 settings |
//!
//! The value is defined between the grid points too, but only the grid is legal; the space snaps.

mod cells;
mod channel;
mod exhaustive;
mod layout;
mod network;

pub(crate) use cells::{LEVELS, cell_of};
pub(crate) use network::Network;

use crate::benchmark::{constant_space, levels};
use crate::{Benchmark, Description, Family, Optimum, Score};
use baton::Parameter;
use cells::{ALPHAS, HIGHEST_P0, LOWEST_P0, SAMPLES, STEP_P0};

/// The family.
pub(crate) struct Radio;

impl Family for Radio {
    fn name(&self) -> &'static str {
        "radio"
    }

    fn description(&self) -> Description {
        let p0 = |name| Parameter::stepped(name, LOWEST_P0, HIGHEST_P0, STEP_P0);
        let alpha = |name| Parameter::ordered(name, ALPHAS);
        let names = ["10 samples", "20 samples", "50 samples", "100 samples"];
        Description {
            space: constant_space(vec![p0("p0_0"), alpha("alpha_0"), p0("p0_1"), alpha("alpha_1")]),
            fidelities: levels(&names, &SAMPLES.map(|samples| samples as f64), 0.83),
            budget: 2000.0,
            initial: 10,
            tasks: 40,
            offset: 18.0,
            scale: 13.0,
            score: Score::Ratio,
        }
    }

    fn task(&self, master: u64, number: u64) -> Box<dyn Benchmark> {
        Box::new(Network::new(master, number))
    }
}

impl Benchmark for Network {
    fn value(&self, point: &[f64], level: usize) -> f64 {
        self.mean_rate(point, level)
    }

    fn optimum(&self) -> Optimum {
        self.optimum.get_or_init(|| exhaustive::best(self)).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MASTER;

    #[test]
    fn silence_is_worth_nothing_and_full_power_half_of_the_optimum() {
        let task = Network::new(MASTER, 1);
        assert!(task.value(&[-202.0, 0.0, -202.0, 0.0], 3) < 1e-12);
        let loud = task.value(&[24.0, 1.0, 24.0, 1.0], 3);
        let share = loud / task.optimum().value;
        assert!(share > 0.5 && share < 0.7, "{share}");
    }

    #[test]
    fn a_missing_setting_gives_no_value() {
        let task = Network::new(MASTER, 2);
        assert!(task.value(&[f64::NAN, 0.4, -100.0, 0.4], 0).is_nan());
        assert!(task.value(&[-100.0, 0.4, -100.0], 0).is_nan());
        assert!(task.value(&[-100.0, 0.4, -100.0, 0.4], 4).is_nan());
    }

    #[test]
    fn task_0_is_task_1() {
        let point = [-98.0, 0.9, -108.0, 1.0];
        let value = |number| Network::new(MASTER, number).value(&point, 3);
        assert_eq!(value(0), value(1));
        assert_ne!(value(0), value(2));
    }
}
