//! Tails of the standard normal distribution.
//!
//! Everything the entropy searches need of the normal law, in one evaluation and at full relative
//! precision for every `z`:
//!
//! | symbol | meaning |
//! |---|---|
//! | `phi`, `Phi` | density and distribution function |
//! | `r` | inverse Mills ratio `phi(z) / Phi(z)` |
//! | `w` | variance of a standard normal truncated from above at `z`: `1 - r (z + r)` |
//!
//! For `z < 0` write `t = -z`. The naive `1 - r (z + r)` loses `t^4` units of the last place there,
//! and `exp(t^2/2) erfc(..)` is infinity times zero, so the left tail uses the scaled function
//! `erfcx` and, from `FRACTION_FROM` on, Laplace's continued fraction
//! `r = t + c1, c_k = k / (t + c_{k+1})`, in which all the cancelling terms can be removed by hand.

use errorfunctions::RealErrorFunctions;
use std::f64::consts::{FRAC_1_SQRT_2, PI};

/// `t` from which the continued fraction replaces `erfcx`. At 5 the direct form still has a
/// relative error of about 1e-13, and [`FRACTION_TERMS`] terms of the fraction are exact.
const FRACTION_FROM: f64 = 5.0;
const FRACTION_TERMS: u32 = 48;

/// What is known of a standard normal truncated from above at one point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tail {
    /// `phi(z) / Phi(z)`
    pub mills: f64,
    /// `z + phi(z) / Phi(z)`, free of cancellation
    pub excess: f64,
    /// `1 - r (z + r)`: the variance that is left, in `(0, 1]`
    pub variance_ratio: f64,
    /// `r (z + r)`: the share of the variance that is removed, in `[0, 1)`
    pub variance_lost: f64,
}

impl Tail {
    /// Evaluates all quantities at `z`. Infinite `z` gives the limits; NaN gives NaN.
    pub fn at(z: f64) -> Self {
        if z >= 0.0 {
            Self::right(z)
        } else if z > -FRACTION_FROM {
            Self::left_by_erfcx(-z)
        } else {
            Self::left_by_fraction(-z)
        }
    }

    fn right(z: f64) -> Self {
        let upper = upper_tail(z);
        let mills = density(z) / (1.0 - upper);
        // At z = infinity the product below would be 0 * infinity.
        let excess = z + mills;
        let variance_lost = if mills == 0.0 { 0.0 } else { mills * excess };
        Self { mills, excess, variance_ratio: 1.0 - variance_lost, variance_lost }
    }

    /// `Phi(-t) = phi(t) R(t)` with `R(t) = sqrt(pi/2) erfcx(t / sqrt 2)`.
    fn left_by_erfcx(t: f64) -> Self {
        let mills = 1.0 / ((PI / 2.0).sqrt() * (t * FRAC_1_SQRT_2).erfcx());
        let excess = mills - t;
        let variance_lost = mills * excess;
        Self { mills, excess, variance_ratio: 1.0 - variance_lost, variance_lost }
    }

    /// With `c1 = 1/(t + c2)`, `c2 = 2/(t + c3)` one has
    /// `1 - r c1 = (t + 2 c2 - c3) / ((t + c3) (t + c2)^2)`, where nothing cancels.
    fn left_by_fraction(t: f64) -> Self {
        let mut c3 = 0.0;
        for k in (3..FRACTION_TERMS).rev() {
            c3 = f64::from(k) / (t + c3);
        }
        let c2 = 2.0 / (t + c3);
        let excess = 1.0 / (t + c2);
        let mills = t + excess;
        // Divided in steps, so that (t + c2)^2 cannot overflow; at t = infinity the limit is 0.
        let variance_ratio = if t.is_infinite() {
            0.0
        } else {
            (t + 2.0 * c2 - c3) / (t + c3) / (t + c2) / (t + c2)
        };
        Self { mills, excess, variance_ratio, variance_lost: 1.0 - variance_ratio }
    }

    /// `log Phi(z)`. Not kept with the rest: the gains do not need it, and it is dear.
    pub fn log_cdf(&self, z: f64) -> f64 {
        if z >= 0.0 {
            (-upper_tail(z)).ln_1p()
        } else {
            -0.5 * z * z - half_log_two_pi() - self.mills.ln()
        }
    }

    /// `-1/2 log(1 - r (z + r))`: nats by which knowing the upper bound narrows the normal, if the
    /// truncated law is taken for a normal of its own variance.
    pub fn gain(&self) -> f64 {
        if self.variance_lost < 0.5 {
            -0.5 * (-self.variance_lost).ln_1p()
        } else {
            -0.5 * self.variance_ratio.ln()
        }
    }

    /// `z r / 2 - log Phi(z)`: the exact entropy difference of max-value entropy search.
    pub fn entropy_difference(&self, z: f64) -> f64 {
        if z.is_infinite() {
            if z > 0.0 { 0.0 } else { f64::INFINITY }
        } else if z >= 0.0 {
            0.5 * z * self.mills - self.log_cdf(z)
        } else {
            // z r / 2 + t^2 / 2 = -t (r - t) / 2: the two squares of t are cancelled by hand.
            0.5 * z * self.excess + half_log_two_pi() + self.mills.ln()
        }
    }
}

/// `phi(z)`.
pub fn density(z: f64) -> f64 {
    (-0.5 * z * z).exp() / (2.0 * PI).sqrt()
}

/// `log Phi(z)`.
pub fn log_cdf(z: f64) -> f64 {
    Tail::at(z).log_cdf(z)
}

/// `1 - Phi(z)` for `z >= 0`.
fn upper_tail(z: f64) -> f64 {
    0.5 * (-0.5 * z * z).exp() * (z * FRAC_1_SQRT_2).erfcx()
}

fn half_log_two_pi() -> f64 {
    0.5 * (2.0 * PI).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    const REFERENCE: &str = include_str!("../../../reference/truncated_normal.json");

    fn number(row: &serde_json::Value, key: &str) -> f64 {
        match &row[key] {
            serde_json::Value::String(text) => text.parse().expect("a number in text"),
            value => value.as_f64().expect("a number"),
        }
    }

    fn assert_close(name: &str, z: f64, got: f64, want: f64) {
        let error = (got - want).abs();
        let fits = error <= 1e-12 * want.abs() || (want.abs() < 1e-300 && error <= 1e-300);
        assert!(fits, "{name}({z}) = {got:e}, reference {want:e}");
    }

    #[test]
    fn every_reference_value_is_met_to_twelve_digits() {
        let rows: Vec<serde_json::Value> = serde_json::from_str(REFERENCE).expect("reference file");
        assert!(rows.len() > 20);
        for row in &rows {
            let z = number(row, "z");
            let tail = Tail::at(z);
            assert_close("log_cdf", z, tail.log_cdf(z), number(row, "log_cdf"));
            assert_close("mills", z, tail.mills, number(row, "mills"));
            let ratio = number(row, "truncated_variance_ratio");
            assert_close("variance ratio", z, tail.variance_ratio, ratio);
            assert_close("gain", z, tail.gain(), number(row, "gain"));
            let mes = number(row, "mes");
            assert_close("mes", z, tail.entropy_difference(z), mes);
        }
    }

    #[test]
    fn the_pieces_join_smoothly() {
        for seam in [0.0_f64, -FRACTION_FROM] {
            let (below, above) = (Tail::at(seam - 1e-13), Tail::at(seam + 1e-13));
            let gap = (below.variance_ratio / above.variance_ratio - 1.0).abs();
            assert!(gap < 1e-11, "at {seam}: {gap:e}");
            assert!((below.mills / above.mills - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn limits_are_finite_where_they_exist() {
        let far = Tail::at(f64::INFINITY);
        assert_eq!((log_cdf(f64::INFINITY), far.mills, far.variance_ratio), (0.0, 0.0, 1.0));
        assert_eq!((far.gain(), far.entropy_difference(f64::INFINITY)), (0.0, 0.0));
        let low = Tail::at(f64::NEG_INFINITY);
        assert_eq!(low.variance_ratio, 0.0);
        assert_eq!(low.variance_lost, 1.0);
        assert!(Tail::at(f64::NAN).mills.is_nan());
        let huge = Tail::at(-1e200);
        assert!(huge.gain().is_infinite() || huge.gain() > 0.0);
        assert!(huge.mills.is_finite() && !huge.variance_ratio.is_nan());
    }
}
