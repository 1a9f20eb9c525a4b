//! How the observations of each level count in the moments of each level.

use baton_numerics::Mat;
use std::ops::Range;

/// The observed and pending trials of one level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Group {
    pub level: usize,
    /// where they lie
    pub rows: Range<usize>,
}

/// How much the sums of each group, and their products pair by pair (`h <= g`, row by row), one
/// column each, count in the moments of each level (rows).
#[derive(Debug, Clone)]
pub(super) struct Mixing {
    pub mean: Mat<f64>,
    pub variance: Mat<f64>,
    pub covariance: Mat<f64>,
    /// `kappa` between every level (columns) and the level of each observation (rows)
    pub rows: Mat<f64>,
}

impl Mixing {
    pub(super) fn new(groups: &[Group], kappa: &Mat<f64>, levels: usize) -> Self {
        let all = (0..groups.len()).flat_map(|g| (0..=g).map(move |h| (g, h)));
        let pairs: Vec<(usize, usize)> = all.collect();
        let between = |pair: usize, m: usize, other: usize| {
            let (g, h) = pairs[pair];
            let (a, b) = (groups[g].level, groups[h].level);
            let one_way = kappa[(a, m)] * kappa[(b, other)];
            if g == h { one_way } else { one_way + kappa[(b, m)] * kappa[(a, other)] }
        };
        let top = levels - 1;
        let level_of: Vec<usize> =
            groups.iter().flat_map(|group| group.rows.clone().map(|_| group.level)).collect();
        Self {
            rows: Mat::from_fn(level_of.len(), levels, |i, m| kappa[(level_of[i], m)]),
            mean: Mat::from_fn(levels, groups.len(), |m, g| kappa[(groups[g].level, m)]),
            variance: Mat::from_fn(levels, pairs.len(), |m, pair| between(pair, m, m)),
            covariance: Mat::from_fn(levels, pairs.len(), |m, pair| between(pair, m, top)),
        }
    }
}
