//! Draws of the maximum `f*` (A10): the distribution of the largest of independent normals,
//! `prod_i Phi((y - mu_i) / sigma_i)`, is matched by a Gumbel law at its quartiles.

use crate::Error;
use crate::error::{Result, all_finite, computed, same_size};
use baton_numerics::normal::log_cdf;
use baton_numerics::tails::log_cdf_sums;

/// `Phi^-1(0.75)`
const UPPER_QUARTILE: f64 = 0.674_489_750_196_081_7;
/// Candidates this many deviations below the lowest quantile do not change it by a single bit.
const OUT_OF_REACH: f64 = 9.0;
/// Where not all count: a candidate that hardly does, one that does for sure, deviations beyond which none
/// matters, and how often an interval is halved.
const HARDLY: f64 = 1e-6;
const SURE: f64 = 0.9;
const REACH: f64 = 5.0;
const HALVINGS: u32 = 40;
/// A relative step below this is rounding: the sums are good to some 1e-14.
const PRECISION: f64 = 1e-13;

/// A Gumbel law: `P(f* <= y) = exp(-exp(-(y - location) / scale))`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gumbel {
    /// the mode
    pub location: f64,
    /// the spread; 0 if the maximum is known
    pub scale: f64,
    /// the 25, 50 and 75 % quantiles it was matched at
    pub quartiles: [f64; 3],
}

impl Gumbel {
    /// Fits the law of the largest of independent normals.
    ///
    /// # Errors
    /// If there are none, lengths differ, a number is not finite or a variance is not positive.
    pub fn of_largest(means: &[f64], variances: &[f64]) -> Result<Self> {
        same_size("variances of the candidates", means.len(), variances.len())?;
        all_finite("mean of a candidate", means)?;
        all_finite("variance of a candidate", variances)?;
        if let Some(value) = variances.iter().find(|v| **v <= 0.0) {
            let must = "positive";
            return Err(Error::OutOfRange { what: "variance of a candidate", value: *value, must });
        }
        if means.is_empty() {
            let must = "at least 1";
            return Err(Error::OutOfRange { what: "number of candidates", value: 0.0, must });
        }
        let candidates = Candidates::within_reach(means, variances);
        let low = candidates.quantile(0.25_f64.ln(), candidates.start(-UPPER_QUARTILE))?;
        // A quantile is never below a lower one: a start left of the root, and near it.
        let middle = candidates.quantile(0.5_f64.ln(), low.max(candidates.start(0.0)))?;
        let start = middle.max(candidates.start(UPPER_QUARTILE));
        let high = candidates.quantile(0.75_f64.ln(), start)?;
        Ok(Self::with_quartiles([low, middle, high]))
    }

    fn with_quartiles(quartiles: [f64; 3]) -> Self {
        let [low, middle, high] = quartiles;
        let double_log = |p: f64| (-p.ln()).ln();
        let scale = ((high - low) / (double_log(0.25) - double_log(0.75))).max(0.0);
        let location = middle + scale * double_log(0.5);
        Self { location, scale, quartiles }
    }

    /// The expected maximum, `m^` of (42).
    pub fn mean(&self) -> f64 {
        self.location + 0.577_215_664_901_532_9 * self.scale
    }

    /// The value below which a share `uniform` of the law lies; shares outside `(0, 1)` are taken as
    /// the nearest inside.
    pub fn at(&self, uniform: f64) -> f64 {
        let uniform = uniform.clamp(f64::MIN_POSITIVE, 1.0 - 0.5 * f64::EPSILON);
        self.location - self.scale * (-uniform.ln()).ln()
    }
}

/// The law of the largest of independent normals of which each counts with a probability, if any does, and
/// the probability that none does.
///
/// # Errors
/// If a moment is not finite.
pub(crate) fn largest_feasible(
    means: &[f64],
    variances: &[f64],
    feasibility: &[f64],
) -> Result<(Option<Gumbel>, f64)> {
    all_finite("mean of a candidate", means)?;
    all_finite("variance of a candidate", variances)?;
    let none: f64 = feasibility.iter().map(|q| (-q.min(1.0)).ln_1p()).sum::<f64>().exp();
    if none > 1.0 - HARDLY {
        return Ok((None, 1.0));
    }
    // What hardly counts, or lies below what counts for sure, does not move a quartile that shows.
    let all = || means.iter().zip(variances).zip(feasibility).map(|((m, v), q)| (*m, v.sqrt(), *q));
    let sure = all().filter(|(_, _, q)| *q > SURE).map(|(mean, sd, _)| mean - UPPER_QUARTILE * sd);
    let floor = sure.fold(f64::NEG_INFINITY, f64::max);
    let counts = |(mean, sd, q): &(f64, f64, f64)| *q > HARDLY && floor - mean < REACH * sd;
    let candidates: Vec<(f64, f64, f64)> = all().filter(counts).collect();
    let at_most = |y: f64| {
        let log = |(mean, sd, q): &(f64, f64, f64)| (-q * log_cdf((mean - y) / sd).exp()).ln_1p();
        candidates.iter().map(log).sum::<f64>().exp()
    };
    let ends = candidates.iter().map(|(mean, sd, _)| (mean - REACH * sd, mean + REACH * sd));
    let (low, high) = ends
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), (a, b)| (low.min(a), high.max(b)));
    let none_here = at_most(f64::NEG_INFINITY);
    let quantile = |share: f64| {
        let wanted = none_here + share * (1.0 - none_here);
        let (mut low, mut high) = (low, high);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            if at_most(middle) < wanted { low = middle } else { high = middle }
        }
        0.5 * (low + high)
    };
    let quartiles = [quantile(0.25), quantile(0.5), quantile(0.75)];
    let law = quartiles.iter().all(|y| y.is_finite()).then(|| Gumbel::with_quartiles(quartiles));
    Ok((law, none))
}

/// The normals whose largest is sought.
struct Candidates {
    means: Vec<f64>,
    deviations: Vec<f64>,
    inverse_deviations: Vec<f64>,
}

impl Candidates {
    /// No quantile from the first quartile on lies below the largest of the candidates' own.
    fn within_reach(means: &[f64], variances: &[f64]) -> Self {
        let all = || means.iter().zip(variances).map(|(mean, v)| (*mean, v.sqrt()));
        let floor = all().map(|(mean, sd)| mean - UPPER_QUARTILE * sd);
        let floor = floor.fold(f64::NEG_INFINITY, f64::max);
        let near = |(mean, sd): &(f64, f64)| floor - mean < OUT_OF_REACH * sd;
        let (means, deviations): (Vec<f64>, Vec<f64>) = all().filter(near).unzip();
        let inverse_deviations = deviations.iter().map(|sd| 1.0 / sd).collect();
        Self { means, deviations, inverse_deviations }
    }

    /// The largest of the candidates' own quantiles.
    fn start(&self, z: f64) -> f64 {
        let own = self.means.iter().zip(&self.deviations).map(|(mean, sd)| mean + z * sd);
        own.fold(f64::NEG_INFINITY, f64::max)
    }

    /// The root of `sum_i log Phi((y - mu_i) / sigma_i) = log_share`. The sum is increasing and
    /// concave, so Newton's method from any point left of the root climbs to it without
    /// overshooting.
    fn quantile(&self, log_share: f64, start: f64) -> Result<f64> {
        let mut y = start;
        for _ in 0..100 {
            let (total, slope) = log_cdf_sums(y, &self.means, &self.inverse_deviations);
            let step = (log_share - total) / slope;
            let matters = step > PRECISION * y.abs().max(1e-300);
            if !matters {
                break;
            }
            y += step;
        }
        computed("a quantile of the maximum", y)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn one_candidate_has_its_own_quartiles() {
        let gumbel = Gumbel::of_largest(&[2.0], &[4.0]).unwrap();
        assert!((gumbel.quartiles[0] - (2.0 - 2.0 * UPPER_QUARTILE)).abs() < 1e-14);
        assert_eq!(gumbel.quartiles[1], 2.0);
        assert!((gumbel.at(0.5) - 2.0).abs() < 1e-14);
    }

    #[test]
    fn a_known_maximum_has_no_spread() {
        let gumbel = Gumbel::of_largest(&[1.0, 5.0], &[1e-300, 1e-300]).unwrap();
        assert!((gumbel.at(0.01) - 5.0).abs() < 1e-12 && (gumbel.at(0.99) - 5.0).abs() < 1e-12);
    }

    #[test]
    fn bad_candidates_are_refused() {
        assert!(Gumbel::of_largest(&[], &[]).is_err());
        assert!(Gumbel::of_largest(&[1.0], &[0.0]).is_err());
        assert!(Gumbel::of_largest(&[f64::NAN], &[1.0]).is_err());
        assert!(Gumbel::of_largest(&[1.0], &[1.0, 2.0]).is_err());
    }

    proptest! {
        #[test]
        fn quartiles_solve_their_equation(
            candidates in prop::collection::vec((-3.0..3.0_f64, 1e-6..4.0_f64), 1..60),
        ) {
            let (means, variances): (Vec<f64>, Vec<f64>) = candidates.iter().copied().unzip();
            let gumbel = Gumbel::of_largest(&means, &variances).unwrap();
            for (y, share) in gumbel.quartiles.iter().zip([0.25_f64, 0.5, 0.75]) {
                let log: f64 =
                    candidates.iter().map(|(m, v)| log_cdf((y - m) / v.sqrt())).sum();
                prop_assert!((log - share.ln()).abs() < 1e-9, "{} {}", log, share.ln());
            }
        }
    }
}
