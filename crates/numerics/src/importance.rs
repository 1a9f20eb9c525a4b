//! Sobol's indices: how much of the variance of a function of independent inputs, each uniform in
//! `(0, 1)`, is due to which of them.
//!
//! With points `a` and `b` drawn apart, and `ab` the point `a` with the inputs of a set taken from `b`:
//!
//! | of a set of inputs | is | estimated by |
//! |---|---|---|
//! | closed | what they explain by themselves | `mean(f(b) (f(ab) - f(a))) / V`, Saltelli et al. 2010 |
//! | total | what is lost where they are not known | `mean((f(a) - f(ab))^2) / (2 V)`, Jansen 1999 |
//!
//! The closed index of one input is its first-order index; that of two, less both of these, is their
//! interaction. Points are Sobol's, with a random shift (`sobol.rs`), so that a second stream gives a second
//! estimate.

use crate::random::Stream;
use crate::sobol::shifted_points;
use faer::Mat;

/// The points at which a function has to be known.
#[derive(Debug, Clone)]
pub struct PickFreeze {
    inputs: usize,
    count: usize,
    /// `a` above `b`
    drawn: Mat<f64>,
}

/// What is found of one function.
#[derive(Debug, Clone, PartialEq)]
pub struct Indices {
    /// its variance
    pub variance: f64,
    /// of each set of inputs: what they explain by themselves, as a share of the variance
    pub closed: Vec<f64>,
    /// and what they take part in
    pub total: Vec<f64>,
}

impl PickFreeze {
    /// With `count` pairs of points, at best a power of two.
    pub fn new(inputs: usize, count: usize, stream: &mut Stream) -> Self {
        Self { inputs, count, drawn: shifted_points(2 * inputs, count, stream) }
    }

    /// The points `a`, `b`, and `ab` of each set: one column each.
    pub fn points(&self, sets: &[Vec<usize>]) -> Mat<f64> {
        let (inputs, count) = (self.inputs, self.count);
        Mat::from_fn(inputs, count * (2 + sets.len()), |i, column| {
            let (block, j) = (column / count.max(1), column % count.max(1));
            let of_b = block == 1 || (block > 1 && sets[block - 2].contains(&i));
            self.drawn[(if of_b { inputs + i } else { i }, j)]
        })
    }

    /// The indices of a function with these values at the points. A constant has none: all are 0.
    pub fn indices(&self, values: &[f64]) -> Indices {
        // In parts of the largest, so that squares of 1e300 do not overflow.
        let largest = values.iter().fold(0.0_f64, |most, f| most.max(f.abs()));
        let scale = if largest > 0.0 { largest } else { 1.0 };
        let scaled: Vec<f64> = values.iter().map(|f| f / scale).collect();
        let mut blocks = scaled.chunks_exact(self.count.max(1));
        let (Some(a), Some(b)) = (blocks.next(), blocks.next()) else {
            return Indices { variance: 0.0, closed: Vec::new(), total: Vec::new() };
        };
        let both = || a.iter().chain(b);
        let size = (2 * self.count) as f64;
        let mean = both().sum::<f64>() / size;
        let variance = both().map(|f| (f - mean) * (f - mean)).sum::<f64>() / size;
        let is_constant = variance.sqrt() <= 1e-12;
        let share = |sum: f64| if is_constant { 0.0 } else { sum / self.count as f64 / variance };
        let (mut closed, mut total) = (Vec::new(), Vec::new());
        for ab in blocks {
            let pairs = || ab.iter().zip(a).zip(b);
            closed.push(share(pairs().map(|((ab, a), b)| (b - mean) * (ab - a)).sum()));
            total.push(share(pairs().map(|((ab, a), _)| 0.5 * (a - ab) * (a - ab)).sum()));
        }
        Indices { variance: (variance * scale * scale).min(f64::MAX), closed, total }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Key, Purpose};
    use std::f64::consts::PI;

    fn found(inputs: usize, sets: &[Vec<usize>], f: impl Fn(&[f64]) -> f64) -> Indices {
        let mut stream = Key::default().stream(Purpose::Trial, 0);
        let design = PickFreeze::new(inputs, 4096, &mut stream);
        let points = design.points(sets);
        let values: Vec<f64> = (0..points.ncols()).map(|j| f(points.col_as_slice(j))).collect();
        design.indices(&values)
    }

    #[test]
    fn indices_of_ishigami_are_those_known_in_closed_form() {
        let x = |u: f64| PI * (2.0 * u - 1.0);
        let f = |u: &[f64]| {
            let (a, b, c) = (x(u[0]), x(u[1]), x(u[2]));
            a.sin() + 7.0 * b.sin().powi(2) + 0.1 * c.powi(4) * a.sin()
        };
        let found = found(3, &[vec![0], vec![1], vec![2], vec![0, 2]], f);
        let closed = [0.313_905, 0.442_411, 0.0, 0.557_589];
        let total = [0.557_589, 0.442_411, 0.243_684, 0.557_589];
        assert!((found.variance - 13.844_588).abs() < 0.1, "{found:?}");
        for (k, (closed, total)) in closed.into_iter().zip(total).enumerate() {
            assert!((found.closed[k] - closed).abs() < 0.01, "{k}: {found:?}");
            assert!((found.total[k] - total).abs() < 0.01, "{k}: {found:?}");
        }
    }

    #[test]
    fn an_input_that_is_not_used_has_no_share_and_a_constant_none_at_all() {
        let one = found(5, &[vec![0], vec![4]], |u| u[0]);
        assert_eq!((one.closed[1], one.total[1]), (0.0, 0.0));
        assert!((one.total[0] - 1.0).abs() < 1e-3);
        let huge = found(2, &[vec![0], vec![1]], |u| 1e300 * (u[0] - 0.5));
        assert!((huge.total[0] - 1.0).abs() < 1e-3 && huge.variance == f64::MAX, "{huge:?}");
        let none = found(2, &[vec![0], vec![1]], |_| 1e6);
        assert_eq!(none.closed, [0.0, 0.0]);
        assert_eq!(none.total, [0.0, 0.0]);
    }
}
