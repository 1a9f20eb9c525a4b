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
