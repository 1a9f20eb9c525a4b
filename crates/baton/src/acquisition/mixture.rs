//! Mutual information between the index of a mixture's component and a draw from the mixture:
//! `I = sum_v w_v integral N_v log(N_v / p)`, `p = sum_v w_v N_v`, at most `log V`.
//!
//! Integrated panel by panel with Gauss-Legendre nodes. A panel is no wider than `PANEL` standard
//! deviations of any component it meets and never jumps over one, so narrow components inside wide
//! ones are seen. Its derivatives, with `t = (y - mu_v) / sigma_v` and `e = log(N_v / p)`:
//!
//! `dI/dmu_v = w_v integral N_v e t / sigma_v`, `dI/dv_v = w_v integral N_v e (t^2 - 1) / (2 v_v)`.

use baton_numerics::quadrature::gauss_legendre;
use std::sync::LazyLock;

/// Width of a panel in standard deviations of the narrowest component there.
const PANEL: f64 = 1.5;
/// Beyond this many standard deviations a component is over.
const REACH: f64 = 9.0;
const NODES: usize = 10;

static RULE: LazyLock<[(f64, f64); NODES]> = LazyLock::new(gauss_legendre::<NODES>);

/// The information and its derivatives.
#[derive(Debug, Clone, PartialEq)]
pub struct MixtureInformation {
    /// nats, in `[0, log V]`
    pub nats: f64,
    /// by the components' means
    pub by_mean: Vec<f64>,
    /// by the components' variances
    pub by_variance: Vec<f64>,
}

/// The information for components of the given moments; variances must be positive.
pub fn mixture_information(
    means: &[f64],
    variances: &[f64],
    weights: &[f64],
) -> MixtureInformation {
    let count = means.len();
    let mut result =
        MixtureInformation { nats: 0.0, by_mean: vec![0.0; count], by_variance: vec![0.0; count] };
    let mixture = Mixture::new(means, variances, weights);
    let mut densities = vec![0.0; count];
    mixture.for_each_panel(|middle, half| {
        for (node, weight) in RULE.iter() {
            mixture.add_node(middle + half * node, half * weight, &mut densities, &mut result);
        }
    });
    result.nats = result.nats.clamp(0.0, (count.max(1) as f64).ln());
    result
}

struct Mixture<'a> {
    means: &'a [f64],
    deviations: Vec<f64>,
    weights: &'a [f64],
    /// `log w_v - log(sigma_v sqrt(2 pi))`
    constants: Vec<f64>,
}

impl<'a> Mixture<'a> {
    fn new(means: &'a [f64], variances: &[f64], weights: &'a [f64]) -> Self {
        let deviations: Vec<f64> = variances.iter().map(|v| v.sqrt()).collect();
        let half_log = 0.5 * (2.0 * std::f64::consts::PI).ln();
        let constants = deviations.iter().map(|sd| -sd.ln() - half_log).collect();
        Self { means, deviations, weights, constants }
    }

    /// Calls `visit` with middle and half-width of every panel, left to right.
    fn for_each_panel(&self, mut visit: impl FnMut(f64, f64)) {
        let ends =
            |side: f64| self.means.iter().zip(&self.deviations).map(move |(m, s)| m + side * s);
        let mut y = ends(-REACH).fold(f64::INFINITY, f64::min);
        let last = ends(REACH).fold(f64::NEG_INFINITY, f64::max);
        while y < last {
            // Far from zero a narrow panel may be lost to rounding; then it is made wider.
            let width = self.panel_width(y).max(8.0 * f64::EPSILON * y.abs()).min(last - y);
            if !(width > 0.0 && width.is_finite()) {
                break;
            }
            if self.within_reach(y + 0.5 * width) {
                visit(y + 0.5 * width, 0.5 * width);
            }
            y += width;
        }
    }

    fn panel_width(&self, y: f64) -> f64 {
        let allowed = |(mean, sd): (&f64, &f64)| {
            if y >= mean + REACH * sd {
                f64::INFINITY
            } else {
                (PANEL * sd).max(mean - REACH * sd - y)
            }
        };
        self.means.iter().zip(&self.deviations).map(allowed).fold(f64::INFINITY, f64::min)
    }

    fn within_reach(&self, y: f64) -> bool {
        self.means.iter().zip(&self.deviations).any(|(mean, sd)| (y - mean).abs() < REACH * sd)
    }

    fn add_node(&self, y: f64, step: f64, logs: &mut [f64], result: &mut MixtureInformation) {
        let mut density = 0.0;
        for (v, log) in logs.iter_mut().enumerate() {
            let t = (y - self.means[v]) / self.deviations[v];
            *log = self.constants[v] - 0.5 * t * t;
            density += self.weights[v] * log.exp();
        }
        if density <= 0.0 {
            return;
        }
        let log_density = density.ln();
        for (v, log) in logs.iter().enumerate() {
            let mass = step * self.weights[v] * log.exp();
            if mass == 0.0 {
                continue; // the excess below is then infinite, or nearly
            }
            let t = (y - self.means[v]) / self.deviations[v];
            let sd = self.deviations[v];
            let excess = mass * (log - log_density);
            result.nats += excess;
            result.by_mean[v] += excess * t / sd;
            result.by_variance[v] += 0.5 * excess * (t * t - 1.0) / (sd * sd);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::testing::stream;
    use proptest::prelude::*;

    fn equal(count: usize) -> Vec<f64> {
        vec![1.0 / count as f64; count]
    }

    #[test]
    fn equal_components_carry_nothing_and_separate_ones_everything() {
        let same = mixture_information(&[1.0; 4], &[2.0; 4], &equal(4));
        assert!(same.nats.abs() < 1e-14);
        let apart = mixture_information(&[0.0, 100.0, 1e6], &[1.0, 1e-6, 4.0], &equal(3));
        assert!((apart.nats - 3.0_f64.ln()).abs() < 1e-9, "{}", apart.nats);
        let one = mixture_information(&[3.0], &[1.0], &[1.0]);
        assert_eq!(one.nats, 0.0);
    }

    #[test]
    fn a_monte_carlo_average_agrees() {
        let (means, variances, weights) = ([0.0, 0.5, 2.0], [1.0, 0.01, 0.3], [0.5, 0.2, 0.3]);
        let exact = mixture_information(&means, &variances, &weights).nats;
        let log_normal = |y: f64, v: usize| {
            let z = (y - means[v]).powi(2) / variances[v];
            -0.5 * (z + (2.0 * std::f64::consts::PI * variances[v]).ln())
        };
        let mut stream = stream(6);
        let draws = 400_000;
        let mut total = 0.0;
        for _ in 0..draws {
            let share = stream.uniform();
            let v = usize::from(share > 0.5) + usize::from(share > 0.7);
            let y = means[v] + variances[v].sqrt() * stream.normal();
            let density: f64 = (0..3).map(|i| weights[i] * log_normal(y, i).exp()).sum();
            total += log_normal(y, v) - density.ln();
        }
        let average = total / f64::from(draws);
        assert!((average - exact).abs() < 0.005, "{average} {exact}");
    }

    proptest! {
        #[test]
        fn bounds_hold_and_derivatives_agree_with_finite_differences(
            moments in prop::collection::vec((-3.0..3.0_f64, -4.0..2.0_f64), 2..6),
        ) {
            let means: Vec<f64> = moments.iter().map(|m| m.0).collect();
            let variances: Vec<f64> = moments.iter().map(|m| m.1.exp()).collect();
            let weights = equal(means.len());
            let result = mixture_information(&means, &variances, &weights);
            prop_assert!(result.nats >= 0.0 && result.nats <= (means.len() as f64).ln());
            let at = |v: usize, by_mean: f64, by_variance: f64| {
                let (mut means, mut variances) = (means.clone(), variances.clone());
                means[v] += by_mean;
                variances[v] += by_variance;
                mixture_information(&means, &variances, &weights).nats
            };
            for v in 0..means.len() {
                let step = 1e-4 * variances[v].sqrt();
                let numeric = (at(v, step, 0.0) - at(v, -step, 0.0)) / (2.0 * step);
                let scale = 1e-5 * (1.0 + 1.0 / variances[v]);
                prop_assert!((result.by_mean[v] - numeric).abs() < scale);
                let step = 1e-4 * variances[v];
                let numeric = (at(v, 0.0, step) - at(v, 0.0, -step)) / (2.0 * step);
                prop_assert!((result.by_variance[v] - numeric).abs() < scale);
            }
        }

        #[test]
        fn no_moments_cause_a_panic_or_a_hang(
            moments in prop::collection::vec((prop_oneof![
                Just(0.0), Just(1e300), Just(-1e300), Just(1e-300), -1.0..1.0_f64
            ], prop_oneof![Just(1e-300), Just(1e300), Just(1e-14), 0.1..1.0_f64]), 1..5),
        ) {
            let (means, variances): (Vec<f64>, Vec<f64>) = moments.iter().copied().unzip();
            let nats = mixture_information(&means, &variances, &equal(means.len())).nats;
            prop_assert!(nats >= 0.0 && nats.is_finite());
        }
    }
}
