//! A standard normal within an interval: how likely that is, its mean, the variance that it loses, and how
//! these follow the ends.

use baton_numerics::normal::{Tail, density};

/// What is known of a standard normal that lies between `low` and `high`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Truncated {
    low: f64,
    high: f64,
    /// the probability of the interval, and its logarithm
    pub share: f64,
    pub log_share: f64,
    /// the mean within
    pub mean: f64,
    /// one less the variance within
    pub lost: f64,
    /// densities at the ends, by the probability of the interval
    at_low: f64,
    at_high: f64,
}

impl Truncated {
    /// Anywhere.
    pub(super) const FREE: Self = Self {
        low: f64::NEG_INFINITY,
        high: f64::INFINITY,
        share: 1.0,
        log_share: 0.0,
        mean: 0.0,
        lost: 0.0,
        at_low: 0.0,
        at_high: 0.0,
    };

    /// Within an interval whose ends may be infinite.
    pub(super) fn between(low: f64, high: f64) -> Self {
        match (low > f64::NEG_INFINITY, high < f64::INFINITY) {
            (false, false) => Self::FREE,
            (false, true) => {
                let tail = Tail::at(high);
                let (log_share, mean) = (tail.log_cdf(high), -tail.mills);
                let (share, lost, at_high) = (log_share.exp(), tail.variance_lost, tail.mills);
                Self { low, high, share, log_share, mean, lost, at_low: 0.0, at_high }
            }
            (true, false) => Self::between(-high, -low).mirrored(),
            (true, true) => Self::inside(low, high),
        }
    }

    fn inside(low: f64, high: f64) -> Self {
        // Differences are taken in the tail on the side of the interval, where they keep their digits.
        let high = high.max(low);
        if low > 0.0 {
            return Self::inside(-high, -low).mirrored();
        }
        let cdf = |z: f64| Tail::at(z).log_cdf(z).exp();
        let share = (cdf(high) - cdf(low)).max(f64::MIN_POSITIVE);
        let (at_low, at_high) = (density(low) / share, density(high) / share);
        let mean = (at_low - at_high).clamp(low, high);
        let lost = (mean * mean - low * at_low + high * at_high).clamp(0.0, 1.0);
        Self { low, high, share, log_share: share.ln(), mean, lost, at_low, at_high }
    }

    fn mirrored(self) -> Self {
        let Self { low, high, at_low, at_high, .. } = self;
        let (at_low, at_high) = (at_high, at_low);
        Self { low: -high, high: -low, mean: -self.mean, at_low, at_high, ..self }
    }

    /// Derivatives of a function of the share's logarithm, the mean and the variance lost, by both ends.
    pub(super) fn by_ends(&self, by_log_share: f64, by_mean: f64, by_lost: f64) -> (f64, f64) {
        let Self { low, high, mean, lost, at_low, at_high, .. } = *self;
        // An end at infinity has no density, and moves nothing.
        let end = |z: f64, density: f64, sign: f64| {
            if density == 0.0 {
                return 0.0;
            }
            let square = 1.0 - lost + mean * mean;
            let mean_by_end = sign * density * (z - mean);
            let square_by_end = sign * density * (z * z - square);
            let lost_by_end = 2.0 * mean * mean_by_end - square_by_end;
            sign * density * by_log_share + mean_by_end * by_mean + lost_by_end * by_lost
        };
        (end(low, at_low, -1.0), end(high, at_high, 1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Moments by adding up.
    fn summed(low: f64, high: f64) -> (f64, f64, f64) {
        let (low, high) = (low.max(-12.0), high.min(12.0));
        let n = 200_000;
        let step = (high - low) / f64::from(n);
        let (mut p, mut m, mut s) = (0.0, 0.0, 0.0);
        for i in 0..n {
            let z = low + (f64::from(i) + 0.5) * step;
            let weight = density(z) * step;
            (p, m, s) = (p + weight, m + z * weight, s + z * z * weight);
        }
        (p, m / p, 1.0 - (s / p - (m / p) * (m / p)))
    }

    const INTERVALS: [(f64, f64); 7] = [
        (-1.0, f64::INFINITY),
        (f64::NEG_INFINITY, 0.4),
        (-0.5, 2.0),
        (1.0, 1.5),
        (-3.0, -2.0),
        (2.5, f64::INFINITY),
        (f64::NEG_INFINITY, -4.0),
    ];

    #[test]
    fn moments_are_those_of_a_sum() {
        for (low, high) in INTERVALS {
            let (share, mean, lost) = summed(low, high);
            let found = Truncated::between(low, high);
            let near = |a: f64, b: f64| (a - b).abs() < 1e-7 * b.abs().max(1.0);
            assert!(near(found.share, share) && near(found.mean, mean), "{low} {high} {found:?}");
            assert!((found.lost - lost).abs() < 1e-6, "{low} {high}: {} {lost}", found.lost);
        }
    }

    #[test]
    fn slopes_agree_with_finite_differences() {
        let weights = (0.7, -1.3, 2.1);
        let of = |t: &Truncated| weights.0 * t.share.ln() + weights.1 * t.mean + weights.2 * t.lost;
        for (low, high) in INTERVALS {
            let (by_low, by_high) =
                Truncated::between(low, high).by_ends(weights.0, weights.1, weights.2);
            let h = 1e-5;
            let numeric = |a: (f64, f64), b: (f64, f64)| {
                (of(&Truncated::between(a.0, a.1)) - of(&Truncated::between(b.0, b.1))) / (2.0 * h)
            };
            if low.is_finite() {
                let found = numeric((low + h, high), (low - h, high));
                assert!((found - by_low).abs() < 1e-5 * found.abs().max(1.0), "{found} {by_low}");
            }
            if high.is_finite() {
                let found = numeric((low, high + h), (low, high - h));
                assert!((found - by_high).abs() < 1e-5 * found.abs().max(1.0), "{found} {by_high}");
            }
        }
    }

    #[test]
    fn extremes_stay_finite() {
        for (low, high) in
            [(50.0, 51.0), (-1e100, 1e100), (1e100, f64::INFINITY), (3.0, 3.0 + 1e-14)]
        {
            let found = Truncated::between(low, high);
            let all = [found.share, found.mean, found.lost, found.at_low, found.at_high];
            assert!(all.iter().all(|x| !x.is_nan()), "{low} {high} {found:?}");
        }
    }
}
