//! Where a search begins, and how much is spent on it.

use crate::problem::{History, Space, reflect};
use baton_numerics::Mat;
use baton_numerics::random::Stream;

/// Discrete spaces up to this size are listed in full.
pub(crate) const LISTED: u64 = 4_096;
/// Spreads of the candidates around good observations.
const SPREADS: [f64; 2] = [0.03, 0.07];
/// How many of the best observations get such candidates: in states of Hartmann-6 where a search had
/// missed the best choice, that mostly lay within 0.1 of a good observation.
const CENTRES: usize = 12;
/// Quasi-random candidates for each one of a spread around an observation.
const PER_CENTRE: usize = 32;

/// Observations among the candidates, the newest ones.
const MOST_OBSERVED: usize = 256;

/// How much is spent on finding the best point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchEffort {
    /// quasi-random candidates
    pub candidates: usize,
    /// candidates that are refined where all coordinates are continuous
    pub starts: usize,
    /// the same where some are discrete: each step scores all neighbours of each
    pub walks: usize,
    /// steps of each ascent
    pub iterations: u32,
}

/// Where a search begins.
#[derive(Debug, Clone)]
pub struct Candidates {
    /// legal coordinates, one column each
    pub points: Mat<f64>,
    /// the first so many are spread evenly over the space
    pub scattered: usize,
}

/// All points of a small discrete space, else quasi-random ones, points around the best observations,
/// and the observations themselves.
pub fn candidates(
    space: &Space,
    history: &History,
    effort: SearchEffort,
    stream: &mut Stream,
) -> Candidates {
    candidates_by(space, (history, history.values()), effort, stream)
}

/// The same where the best observations are those with the largest merits.
pub(crate) fn candidates_by(
    space: &Space,
    (history, merits): (&History, &[f64]),
    effort: SearchEffort,
    stream: &mut Stream,
) -> Candidates {
    if let Some(points) = space.enumerate(LISTED) {
        return Candidates { scattered: points.ncols(), points };
    }
    let scattered = space.scattered(effort.candidates, stream);
    let mut columns: Vec<Vec<f64>> =
        (0..scattered.ncols()).map(|j| scattered.col_as_slice(j).to_vec()).collect();
    let per_centre = effort.candidates / PER_CENTRE + 1;
    for index in best_of(merits) {
        let centre = &history.point(index)[..space.dimension()];
        for spread in SPREADS {
            for _ in 0..per_centre {
                columns
                    .push(centre.iter().map(|u| reflect(u + spread * stream.normal())).collect());
            }
        }
    }
    let newest = history.len().saturating_sub(MOST_OBSERVED)..history.len();
    columns.extend(newest.map(|index| history.point(index)[..space.dimension()].to_vec()));
    for column in &mut columns {
        space.snap(column);
    }
    let points = Mat::from_fn(space.dimension(), columns.len(), |i, j| columns[j][i]);
    Candidates { points, scattered: scattered.ncols() }
}

/// Which observations have the largest merits, at any level.
fn best_of(merits: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..merits.len()).collect();
    order.sort_by(|a, b| merits[*b].total_cmp(&merits[*a]));
    order.truncate(CENTRES);
    order
}
