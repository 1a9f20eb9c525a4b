//! How many floating-point operations the hot paths carry out, by their matrix products.
//!
//! Multiplications and additions count one each. What is left out is the work on single entries:
//! tanh, exp and the normal tails, and all that grows with fewer than two sizes.
//!
//! | letter | meaning |
//! |---|---|
//! | `n` | observations |
//! | `N` | points that are predicted at |
//! | `w` | parameters of the network's matrices, 0 without a network |
//! | `f` | features per point: the width of the last layer, or the dimension |
//! | `g` | levels that were observed |

/// What features are made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Features {
    dimension: usize,
    /// empty without a network
    widths: Vec<usize>,
}

impl Features {
    /// Of points with this dimension; no widths, no network.
    pub fn new(dimension: usize, widths: Vec<usize>) -> Self {
        Self { dimension, widths }
    }

    /// `w`
    fn weights(&self) -> f64 {
        self.pairs().map(|(inputs, outputs)| (inputs * outputs) as f64).sum()
    }

    fn biases(&self) -> f64 {
        self.widths.iter().sum::<usize>() as f64
    }

    /// The first layer's weights: the way back to the parameters need not reach the points.
    fn first_weights(&self) -> f64 {
        self.pairs().next().map_or(0.0, |(inputs, outputs)| (inputs * outputs) as f64)
    }

    /// `f`
    fn width(&self) -> f64 {
        *self.widths.last().unwrap_or(&self.dimension) as f64
    }

    fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        let inputs = std::iter::once(&self.dimension).chain(&self.widths);
        inputs.zip(&self.widths).map(|(inputs, outputs)| (*inputs, *outputs))
    }
}

/// One SVGD step. Every particle: the network there (`2 n w`), back to its weights (`2 n w`) and
/// through all layers but the first (`2 n (w - w_1)`), distances there and back (`4 n n f`), factor
/// and inverse (`n n n`). Then the interaction of all pairs: distances, kernel-weighted scores and
/// repulsion (3 products).
pub fn svgd_step(features: &Features, particles: usize, points: usize) -> f64 {
    let (n, count) = (points as f64, particles as f64);
    let network = 6.0 * n * features.weights() - 2.0 * n * features.first_weights();
    let distances = 4.0 * n * n * features.width();
    let each = network + distances + n * n * n;
    count * each + 6.0 * count * count * (features.weights() + features.biases())
}

/// The search of one ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AskWork {
    /// particles, each of which predicts
    pub particles: usize,
    /// observations, `n`
    pub rows: usize,
    /// levels observed, `g`
    pub groups: usize,
    /// points whose worth is wanted at every level
    pub scored: usize,
    /// points whose slope is wanted too
    pub climbed: usize,
}

/// One ask without refit. For every particle and point: the network (`2 w`), distances to the
/// observations (`2 n f`), whitening (`2 n n`), products of the white groups (`g (g + 1) n`). Where
/// the slope is wanted, the way back once more: sums of white groups (`2 g g n`), whitening
/// (`2 n n`), distances (`2 n f`), the network (`2 w`).
pub fn ask(features: &Features, work: AskWork) -> f64 {
    let (n, g) = (work.rows as f64, work.groups as f64);
    let shared = 2.0 * features.weights() + 2.0 * n * features.width() + 2.0 * n * n;
    let forward = shared + g * (g + 1.0) * n;
    let backward = shared + 2.0 * g * g * n;
    let points = (work.scored + work.climbed) as f64 * forward + work.climbed as f64 * backward;
    work.particles as f64 * points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_case_agrees_with_the_count_by_hand() {
        let features = Features::new(2, vec![3, 4]);
        // w = 6 + 12, biases 7, f = 4
        assert_eq!((features.weights(), features.biases(), features.width()), (18.0, 7.0, 4.0));
        let each = 6.0 * 5.0 * 18.0 - 2.0 * 5.0 * 6.0 + 4.0 * 25.0 * 4.0 + 125.0;
        assert_eq!(svgd_step(&features, 2, 5), 2.0 * each + 24.0 * 25.0);
        let work = AskWork { particles: 2, rows: 5, groups: 3, scored: 10, climbed: 1 };
        let shared = 36.0 + 40.0 + 50.0;
        let expected = 2.0 * (11.0 * (shared + 60.0) + shared + 90.0);
        assert_eq!(ask(&features, work), expected);
    }

    #[test]
    fn without_a_network_there_are_only_distances_and_whitening() {
        let features = Features::new(6, Vec::new());
        let work = AskWork { particles: 1, rows: 10, groups: 1, scored: 1, climbed: 0 };
        assert_eq!(ask(&features, work), 120.0 + 200.0 + 20.0);
    }
}
