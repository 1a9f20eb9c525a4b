//! Which of many observations are kept: those with the best values, and a sample of the others that knows
//! nothing of their values. A point that those kept all but determine would add nothing, and is passed over.

use crate::error::Result;

/// A point that is kept has at least this share of its variance unexplained by the others.
const LEAST_NEW: f64 = 1e-5;
/// Of the points that `theta` is learned from, this share is chosen for its values: if the good ones alone are
/// kept, what made the others bad seems not to matter.
pub(super) const FEW_BEST: f64 = 0.1;
/// Multiples of it, without their whole parts, are spread evenly, and so are every second, third and so on.
const GOLDEN_RATIO: f64 = 1.618_033_988_749_895;

/// At most so many points, a share of them by their values, and by their prior covariance, column by column.
pub(super) fn choose(
    values: &[f64],
    variances: Vec<f64>,
    (most, best): (usize, f64),
    column: &mut dyn FnMut(usize) -> Result<Vec<f64>>,
) -> Result<Kept> {
    let (by_value, sample) = (by_value(values), spread(values.len()));
    let mut kept = Kept::none(variances);
    kept.add(by_value, share_of(most, best), column)?;
    kept.add(sample, most, column)?;
    Ok(kept)
}

/// At most so many, by their values alone, in ascending order.
pub(super) fn sample(values: &[f64], most: usize) -> Vec<usize> {
    let (mut chosen, best) = (by_value(values), share_of(most, FEW_BEST));
    chosen.truncate(best);
    for i in spread(values.len()) {
        if chosen.len() >= most {
            break;
        }
        if !chosen[..best.min(chosen.len())].contains(&i) {
            chosen.push(i);
        }
    }
    chosen.sort_unstable();
    chosen
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a small positive number
fn share_of(most: usize, share: f64) -> usize {
    (share * most as f64).ceil() as usize
}

fn by_value(values: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*b].total_cmp(&values[*a]));
    order
}

/// All, in an order whose beginnings are spread evenly.
fn spread(count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    let place = |i: &usize| (*i as f64 * GOLDEN_RATIO).fract();
    order.sort_by(|a, b| place(a).total_cmp(&place(b)));
    order
}

/// Points that are kept, by pivoted Cholesky.
pub(super) struct Kept {
    pub chosen: Vec<usize>,
    /// `L^-1` times the covariance of the points kept with all, `L` the lower factor of that between those kept
    pub rows: Vec<Vec<f64>>,
    /// the variance of each point given those that are kept
    pub left: Vec<f64>,
    prior: Vec<f64>,
}

impl Kept {
    /// Of points with these variances.
    pub(super) fn none(variances: Vec<f64>) -> Self {
        Self { chosen: Vec::new(), rows: Vec::new(), left: variances.clone(), prior: variances }
    }

    /// Adds points in this order until there are so many, without those that add nothing.
    pub(super) fn add(
        &mut self,
        order: Vec<usize>,
        until: usize,
        column: &mut dyn FnMut(usize) -> Result<Vec<f64>>,
    ) -> Result<()> {
        for next in order {
            if self.chosen.len() >= until {
                break;
            }
            if self.is_new(next) {
                self.push(next, column(next)?);
            }
        }
        Ok(())
    }

    fn is_new(&self, i: usize) -> bool {
        self.left[i] > LEAST_NEW * self.prior[i]
    }

    /// Points that are not kept and not determined by those that are.
    pub(super) fn lost(&self) -> usize {
        (0..self.left.len()).filter(|i| self.is_new(*i)).count()
    }

    fn push(&mut self, next: usize, covariance: Vec<f64>) {
        let pivot = self.left[next].sqrt();
        let mut explained = vec![0.0; covariance.len()];
        for row in &self.rows {
            let weight = row[next];
            explained.iter_mut().zip(row).for_each(|(sum, entry)| *sum += entry * weight);
        }
        let mut row = covariance;
        for ((entry, explained), left) in row.iter_mut().zip(&explained).zip(&mut self.left) {
            *entry = (*entry - explained) / pivot;
            *left = (*left - *entry * *entry).max(0.0);
        }
        self.left[next] = 0.0;
        self.rows.push(row);
        self.chosen.push(next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use baton_numerics::Mat;

    fn keep(prior: &Mat<f64>, means: &[f64], most: usize) -> Kept {
        let variances = (0..means.len()).map(|i| prior[(i, i)]).collect();
        let mut column = |i: usize| Ok(prior.col_as_slice(i).to_vec());
        choose(means, variances, (most, FEW_BEST), &mut column).unwrap()
    }

    #[test]
    fn but_for_the_best_values_do_not_decide_what_is_kept() {
        let prior = Mat::<f64>::identity(300, 300);
        let [kept, other] = [1.0, -1.0].map(|sign| {
            let means: Vec<f64> = (0..300).map(|i| sign * (7.0 * f64::from(i)).sin()).collect();
            keep(&prior, &means, 200).chosen
        });
        let changed = other.iter().filter(|i| !kept.contains(i)).count();
        assert_eq!([kept.len(), other.len()], [200, 200]);
        assert!(changed <= 40, "{changed}");
        let twice = Mat::from_fn(300, 300, |i, j| if i / 2 == j / 2 { 1.0 } else { 0.0 });
        let kept = keep(&twice, &[0.0; 300], 200);
        assert_eq!((kept.chosen.len(), kept.lost()), (150, 0));
        assert_eq!(keep(&twice, &[0.0; 300], 100).lost(), 100);
    }

    #[test]
    fn a_sample_has_the_best_and_is_spread() {
        let values: Vec<f64> = (0..1_000).map(|i| (7.0 * f64::from(i)).sin()).collect();
        let chosen = sample(&values, 100);
        assert_eq!(chosen.len(), 100);
        assert!(chosen.is_sorted_by(|a, b| a < b));
        assert!(by_value(&values)[..10].iter().all(|best| chosen.contains(best)));
        let tenth = |k: usize| chosen.iter().filter(|i| **i / 100 == k).count();
        assert!((0..10).all(|k| (5..=16).contains(&tenth(k))), "{chosen:?}");
        assert_eq!(sample(&values[..7], 100), [0, 1, 2, 3, 4, 5, 6]);
    }
}
