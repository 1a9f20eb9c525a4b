//! Finding the source of a gas release: which source explains what 18 sensors measured?
//!
//! A point is (rate Q in g/s, x0, y0, height z0 in m); the wind blows along +x at 2 m/s. A Gaussian
//! plume with Briggs' rural dispersion predicts the sensors; fidelity m is Pasquill's stability
//! class, A to F, and the measurements are those of class F without noise. The value is
//! `-ln(1 + SSE / S0)` with `S0` the sum of squared measurements: 0 at the true source, `-ln 2`
//! where the plume misses every sensor. The variant `gas-raw` is `-SSE` itself.
//!
//! Layout, wind and source are those of H. Li and J. Zhang, "Fast source term estimation using the
//! PGA-NM hybrid method", EAAI 2017; a task moves the sensors about.

use crate::benchmark::{constant_space, levels};
use crate::stream::{Problem, Stream};
use crate::{Benchmark, Description, Family, Optimum, Score};
use baton::Parameter;
use std::f64::consts::{LN_2, PI};

const WIND: f64 = 2.0;
/// The source of the plain family.
pub(crate) const TRUE_SOURCE: [f64; 4] = [1500.0, 8.0, 10.0, 5.0];
const SENSORS: usize = 18;
/// Stability classes, A to F.
pub(crate) const LEVELS: usize = 6;
const SENSOR_HEIGHT: f64 = 3.0;

/// Dispersion of one stability class: `sigma_y = across d / sqrt(1 + 1e-4 d)` and
/// `sigma_z = up d (1 + bend d)^exponent`.
struct Stability {
    across: f64,
    up: f64,
    bend: f64,
    exponent: f64,
}

const fn stability(across: f64, up: f64, bend: f64, exponent: f64) -> Stability {
    Stability { across, up, bend, exponent }
}

const CLASSES: [Stability; LEVELS] = [
    stability(0.22, 0.20, 0.0, 0.0),
    stability(0.16, 0.12, 0.0, 0.0),
    stability(0.11, 0.08, 2e-4, -0.5),
    stability(0.08, 0.06, 1.5e-3, -0.5),
    stability(0.06, 0.03, 3e-4, -1.0),
    stability(0.04, 0.016, 3e-4, -1.0),
];

/// How the misfit becomes a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Objective {
    /// `-ln(1 + SSE / S0)`
    Logarithmic,
    /// `-SSE`, heavy-tailed
    Raw,
}

/// The family.
pub(crate) struct Gas {
    objective: Objective,
}

impl Gas {
    /// With values of order one.
    pub fn logarithmic() -> Self {
        Self { objective: Objective::Logarithmic }
    }

    /// With the sum of squares itself.
    pub fn raw() -> Self {
        Self { objective: Objective::Raw }
    }
}

impl Family for Gas {
    fn name(&self) -> &'static str {
        match self.objective {
            Objective::Logarithmic => "gas",
            Objective::Raw => "gas-raw",
        }
    }

    fn description(&self) -> Description {
        match self.objective {
            Objective::Logarithmic => description(),
            Objective::Raw => Description { offset: -28.0, scale: 28.0, ..description() },
        }
    }

    fn task(&self, master: u64, number: u64) -> Box<dyn Benchmark> {
        Box::new(Release::new(master, number, TRUE_SOURCE, self.objective))
    }
}

/// What the plain and the moving family have in common.
pub(crate) fn description() -> Description {
    let costs = [10.0, 15.0, 20.0, 25.0, 30.0, 35.0];
    Description {
        space: constant_space(vec![
            Parameter::real("q", 10.0, 5000.0),
            Parameter::real("x0", -500.0, 500.0),
            Parameter::real("y0", -500.0, 500.0),
            Parameter::real("z0", 0.0, 10.0),
        ]),
        fidelities: levels(&["A", "B", "C", "D", "E", "F"], &costs, 1e-3),
        budget: 750.0,
        initial: 10,
        tasks: 17,
        offset: -LN_2,
        scale: 0.5,
        score: Score::Regret,
    }
}

/// One release and what was measured of it.
pub(crate) struct Release {
    objective: Objective,
    source: [f64; 4],
    sensors: [[f64; 3]; SENSORS],
    measured: [f64; SENSORS],
    /// `S0`
    signal: f64,
}

impl Release {
    /// The release from `source` as the sensors of task `number` see it.
    pub fn new(master: u64, number: u64, source: [f64; 4], objective: Objective) -> Self {
        let sensors = sensors(master, number);
        let measured = sensors.map(|sensor| concentration(&CLASSES[LEVELS - 1], &source, &sensor));
        let signal = measured.iter().map(|c| c * c).sum();
        Self { objective, source, sensors, measured, signal }
    }

    /// The true source.
    pub fn source(&self) -> &[f64; 4] {
        &self.source
    }

    /// Where the sensors are.
    pub fn sensors(&self) -> &[[f64; 3]; SENSORS] {
        &self.sensors
    }

    /// What they measured, in g/m^3.
    pub fn measured(&self) -> &[f64; SENSORS] {
        &self.measured
    }

    /// Sum of the squared measurements.
    pub fn signal(&self) -> f64 {
        self.signal
    }

    /// Sum of squared differences between what a source would have caused and what was measured.
    pub fn misfit(&self, point: &[f64], level: usize) -> f64 {
        let (Some(class), Ok(source)) = (CLASSES.get(level), <&[f64; 4]>::try_from(point)) else {
            return f64::NAN;
        };
        let pairs = self.sensors.iter().zip(&self.measured);
        pairs.map(|(sensor, c)| (concentration(class, source, sensor) - c).powi(2)).sum()
    }
}

impl Benchmark for Release {
    fn value(&self, point: &[f64], level: usize) -> f64 {
        let misfit = self.misfit(point, level);
        let loss = match self.objective {
            Objective::Logarithmic => (misfit / self.signal).ln_1p(),
            Objective::Raw => misfit,
        };
        // Subtracted, so that no loss is 0 and not -0.
        0.0 - loss
    }

    fn optimum(&self) -> Optimum {
        Optimum { point: self.source.to_vec(), value: self.value(&self.source, LEVELS - 1) }
    }
}

/// The sensors: three rows of six across the wind, moved about in every task but task 0.
fn sensors(master: u64, number: u64) -> [[f64; 3]; SENSORS] {
    const ACROSS: [f64; 6] = [10.0, 20.0, 30.0, -10.0, -20.0, -30.0];
    let mut stream = Stream::new(master, Problem::Gas, number, 0);
    std::array::from_fn(|j| {
        let (x, y) = ([250.0, 350.0, 450.0][j / 6], ACROSS[j % 6]);
        if number == 0 {
            return [x, y, SENSOR_HEIGHT];
        }
        let along = 50.0 * (2.0 * stream.uniform() - 1.0);
        let across = 15.0 * (2.0 * stream.uniform() - 1.0);
        [x + along, y + across, SENSOR_HEIGHT]
    })
}

/// Concentration at a sensor in g/m^3, with the ground reflecting the plume; nothing upwind. Within
/// a metre of the source the plume would be infinitely thin, hence the least distance.
fn concentration(class: &Stability, source: &[f64; 4], sensor: &[f64; 3]) -> f64 {
    let [rate, x0, y0, z0] = *source;
    let [x, y, z] = *sensor;
    let distance = x - x0;
    if distance <= 0.0 {
        return 0.0;
    }
    // Not `max`, which would turn a missing place into a metre.
    let distance = if distance < 1.0 { 1.0 } else { distance };
    let across = class.across * distance / (1.0 + 1e-4 * distance).sqrt();
    let up = class.up * distance * (1.0 + class.bend * distance).powf(class.exponent);
    let bell = |offset: f64, width: f64| (-offset * offset / (2.0 * width * width)).exp();
    let vertical = bell(z - z0, up) + bell(z + z0, up);
    rate / (2.0 * PI * WIND * across * up) * bell(y - y0, across) * vertical
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MASTER;

    #[test]
    fn a_plume_that_misses_every_sensor_is_worth_minus_ln_2() {
        let task = Release::new(MASTER, 1, TRUE_SOURCE, Objective::Logarithmic);
        for level in 0..LEVELS {
            assert_eq!(task.value(&[100.0, 499.0, 400.0, 0.0], level), -LN_2);
        }
        assert!(task.value(&[100.0, f64::NAN, 400.0, 0.0], 0).is_nan());
    }

    #[test]
    fn coarser_classes_do_not_reach_the_optimum() {
        let task = Release::new(MASTER, 2, TRUE_SOURCE, Objective::Logarithmic);
        let at_source: Vec<f64> = (0..LEVELS).map(|m| task.value(&TRUE_SOURCE, m)).collect();
        assert!(at_source.is_sorted() && at_source[4] < -0.1, "{at_source:?}");
        assert_eq!(at_source[5], 0.0);
    }
}
