//! A number with a 90 % interval, from draws of what it is a number of.

use serde::Serialize;

/// A number with a 90 % interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Estimate {
    /// of the posterior mean
    pub value: f64,
    /// from 5 to 95 % of the draws, and as far as the value
    pub interval: (f64, f64),
}

impl Estimate {
    /// A number, and the same of each draw; those that are no numbers do not count.
    pub(super) fn new(value: f64, mut draws: Vec<f64>) -> Self {
        draws.retain(|draw| draw.is_finite());
        draws.sort_by(f64::total_cmp);
        let (low, high) = (quantile(&draws, 0.05), quantile(&draws, 0.95));
        let interval = (low.unwrap_or(value).min(value), high.unwrap_or(value).max(value));
        Self { value, interval }
    }

    /// Of numbers of the functions of every model, the mean's first: that of the mean, averaged over models, with
    /// an interval by all others.
    pub(super) fn over_models(numbers: Vec<Vec<f64>>) -> Self {
        let models = numbers.len().max(1) as f64;
        let value = numbers.iter().filter_map(|of| of.first()).sum::<f64>() / models;
        let draws = numbers.into_iter().flat_map(|of| of.into_iter().skip(1));
        Self::new(value, draws.collect())
    }
}

/// Of sorted numbers, linearly between neighbours.
fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let place = share * sorted.len().checked_sub(1)? as f64;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // within the list
    let below = place.floor() as usize;
    let above = sorted[(below + 1).min(sorted.len() - 1)];
    Some(sorted[below] + (place - below as f64) * (above - sorted[below]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_holds_nine_draws_in_ten_and_the_value() {
        let draws = || (0..=100).rev().map(f64::from).chain([f64::NAN]).collect();
        assert_eq!(Estimate::new(40.0, draws()).interval, (5.0, 95.0));
        assert_eq!(Estimate::new(99.0, draws()).interval, (5.0, 99.0));
        assert_eq!(Estimate::new(2.0, Vec::new()).interval, (2.0, 2.0));
        assert_eq!(Estimate::new(2.0, vec![4.0]).interval, (2.0, 4.0));
    }

    #[test]
    fn the_mean_of_each_model_comes_first_and_is_no_draw() {
        let found = Estimate::over_models(vec![vec![1.0, 4.0, 6.0], vec![9.0, 4.0, 6.0]]);
        assert_eq!((found.value, found.interval), (5.0, (4.0, 6.0)));
    }
}
