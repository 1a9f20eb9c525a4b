//! The best point of a smooth function in a box: quasi-Newton ascent from many starts.

use crate::Optimum;
use baton_numerics::Mat;
use baton_numerics::ascent::{Bounds, Effort, Height, ascend};

/// Climbs from all `starts` and keeps the highest summit. Steps are taken until they gain nothing
/// that a float can show, for reference values are compared to nine digits.
pub(crate) fn highest(
    starts: &[Vec<f64>],
    bounds: &Bounds,
    height: impl Fn(&[f64]) -> Height,
) -> Optimum {
    let columns = Mat::from_fn(bounds.low.len(), starts.len(), |i, j| starts[j][i]);
    let effort = Effort { iterations: 1000, tolerance: 0.0, ..Effort::default() };
    let summits = ascend(columns.as_ref(), bounds, effort, |trials, _| {
        let at = |j| height(&trials.col(j).iter().copied().collect::<Vec<f64>>());
        (0..trials.ncols()).map(at).collect()
    });
    let best = summits.into_iter().max_by(|a, b| a.value.total_cmp(&b.value));
    match best {
        Some(summit) => Optimum { point: summit.point, value: summit.value },
        None => Optimum { point: Vec::new(), value: f64::NAN },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_higher_of_two_summits_is_found() {
        // Summits near -1 and 1, tilted to the right.
        let double = |x: &[f64]| Height {
            value: -(x[0] * x[0] - 1.0).powi(2) + 0.1 * x[0],
            slope: vec![-4.0 * x[0] * (x[0] * x[0] - 1.0) + 0.1],
        };
        let bounds = Bounds { low: vec![-2.0], high: vec![2.0] };
        let best = highest(&[vec![-1.5], vec![0.5], vec![-0.5]], &bounds, double);
        assert!(best.point[0] > 1.0 && best.point[0] < 1.02, "{best:?}");
        assert!(double(&best.point).slope[0].abs() < 1e-6);
    }
}
