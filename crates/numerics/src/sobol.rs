//! Quasi-random points in the unit cube: Sobol's sequence with a random digital shift.
//!
//! The shift exclusive-ors all coordinates of one dimension with the same 32 random bits. It keeps
//! the even spread of the sequence, removes its first point from the corner, and makes every point
//! uniformly distributed on its own. Dimensions beyond the tabulated 1,000 are plainly random.

use crate::random::Stream;
use faer::Mat;
use sobol::Sobol;
use sobol::params::JoeKuoD6;
use std::sync::LazyLock;

const TABULATED: usize = 1_000;
/// Direction numbers of the tabulated dimensions (S. Joe and F. Y. Kuo, 2008), read once.
static DIRECTIONS: LazyLock<JoeKuoD6> = LazyLock::new(JoeKuoD6::standard);

/// The first `count` shifted Sobol points in `(0, 1)`, one column each (`dimension` x `count`).
pub fn shifted_points(dimension: usize, count: usize, stream: &mut Stream) -> Mat<f64> {
    let mut points = Mat::zeros(dimension, count);
    let tabulated = dimension.min(TABULATED);
    let shift: Vec<u32> = (0..tabulated).map(|_| high_bits(stream)).collect();
    let mut sequence = Sobol::<u32>::new(tabulated.max(1), &*DIRECTIONS);
    for j in 0..count {
        let bits = sequence.next().unwrap_or_default();
        for i in 0..dimension {
            points[(i, j)] = match (bits.get(i), shift.get(i)) {
                (Some(b), Some(s)) => centre(b ^ s),
                _ => stream.open_uniform(),
            };
        }
    }
    points
}

#[allow(clippy::cast_possible_truncation)]
fn high_bits(stream: &mut Stream) -> u32 {
    (stream.bits() >> 32) as u32
}

/// The middle of the cell that 32 bits name, so that neither 0 nor 1 occurs.
fn centre(bits: u32) -> f64 {
    (f64::from(bits) + 0.5) / 4_294_967_296.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Key, Purpose};

    fn points(dimension: usize, count: usize) -> Mat<f64> {
        shifted_points(dimension, count, &mut Key::default().stream(Purpose::Candidates, 0))
    }

    #[test]
    fn every_eighth_of_every_axis_holds_its_share() {
        let points = points(7, 64);
        for axis in 0..7 {
            for cell in 0..8 {
                let low = f64::from(cell) / 8.0;
                let inside = |j: &usize| (low..low + 0.125).contains(&points[(axis, *j)]);
                assert_eq!((0..64).filter(inside).count(), 8, "axis {axis} cell {cell}");
            }
        }
    }

    #[test]
    fn any_dimension_is_served() {
        for dimension in [0, 1, 2, 100, 1_000, 1_200] {
            let points = points(dimension, 3);
            assert_eq!((points.nrows(), points.ncols()), (dimension, 3));
            for j in 0..3 {
                assert!(points.col_as_slice(j).iter().all(|u| *u > 0.0 && *u < 1.0));
            }
        }
        assert!(points(1_200, 2)[(1_100, 1)] != points(1_200, 2)[(1_101, 1)]);
    }
}
