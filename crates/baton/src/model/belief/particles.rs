//! Weighted particles over `theta`, and the names of what they are about, so that they are not taken for
//! others.

use crate::Error;
use crate::error::{Result, all_finite, same_size};
use crate::model::surrogate::Surrogate;
use serde::{Deserialize, Serialize};

/// At least one parameter vector, all of one length, with weights that sum to one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct Particles {
    thetas: Vec<Vec<f64>>,
    weights: Vec<f64>,
}

/// What a file may claim.
#[derive(Deserialize)]
struct Unchecked {
    thetas: Vec<Vec<f64>>,
    weights: Vec<f64>,
}

impl TryFrom<Unchecked> for Particles {
    type Error = Error;

    /// Keeps the weights as they are, to the bit, once they pass the checks.
    fn try_from(claimed: Unchecked) -> Result<Self> {
        let Unchecked { thetas, weights } = claimed;
        let checked = Self::weighted(thetas, &weights)?;
        Ok(Self { weights, ..checked })
    }
}

impl Particles {
    /// Particles of equal weight.
    ///
    /// # Errors
    /// As [`Particles::weighted`].
    pub fn equal(thetas: Vec<Vec<f64>>) -> Result<Self> {
        let weights = vec![1.0; thetas.len()];
        Self::weighted(thetas, &weights)
    }

    /// Particles with weights in any unit.
    ///
    /// # Errors
    /// If there are none, lengths differ, a number is not finite, a weight is negative or all are
    /// zero.
    pub fn weighted(thetas: Vec<Vec<f64>>, weights: &[f64]) -> Result<Self> {
        same_size("weights of the particles", thetas.len(), weights.len())?;
        all_finite("weight of a particle", weights)?;
        let dimension = thetas.first().map_or(0, Vec::len);
        for theta in &thetas {
            same_size("parameters of a particle", dimension, theta.len())?;
            all_finite("parameter of a particle", theta)?;
        }
        let total: f64 = weights.iter().sum();
        let lowest = weights.iter().copied().fold(total, f64::min);
        if !total.is_finite() || total <= 0.0 || lowest < 0.0 {
            let must = "positive in sum, none negative";
            return Err(Error::OutOfRange { what: "weight of the particles", value: lowest, must });
        }
        let weights = weights.iter().map(|w| w / total).collect();
        Ok(Self { thetas, weights })
    }

    /// The parameter vectors.
    pub fn thetas(&self) -> &[Vec<f64>] {
        &self.thetas
    }

    /// Their weights; they sum to one.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// Number of particles, `V`.
    pub fn count(&self) -> usize {
        self.thetas.len()
    }

    /// Length of a parameter vector.
    pub fn dimension(&self) -> usize {
        self.thetas[0].len()
    }

    /// The particle at a given share of the total weight.
    pub fn pick(&self, share: f64) -> usize {
        let mut passed = 0.0;
        let beyond = |weight: &f64| {
            passed += weight;
            passed > share
        };
        self.weights.iter().position(beyond).unwrap_or(self.count() - 1)
    }
}

/// A belief with the names and shapes of its parameter blocks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Belief {
    /// kernels and mean, by name
    model: String,
    layout: Vec<(String, Vec<usize>)>,
    particles: Particles,
}

impl Belief {
    /// Particles over the parameters of a surrogate.
    pub fn new(surrogate: &Surrogate, particles: Particles) -> Self {
        Self { model: surrogate.name(), layout: layout(surrogate), particles }
    }

    /// Whether its parameters mean the same in this surrogate.
    pub fn fits(&self, surrogate: &Surrogate) -> bool {
        self.misfit(surrogate).is_none()
    }

    /// What differs from this surrogate, if its parameters mean something else there.
    pub fn misfit(&self, surrogate: &Surrogate) -> Option<String> {
        let (theirs, ours) = (&self.model, surrogate.name());
        if *theirs != ours || self.layout != layout(surrogate) {
            return Some(format!(
                "it was learned with another surrogate: {theirs} there, {ours} here, or of other sizes"
            ));
        }
        let (got, expected) = (self.particles.dimension(), surrogate.parameter_count());
        let differs = got != expected;
        differs.then(|| format!("its particles have {got} parameters instead of {expected}"))
    }

    /// Names and shapes of the blocks that a particle is made of, in their order.
    pub fn blocks(&self) -> &[(String, Vec<usize>)] {
        &self.layout
    }

    /// The particles.
    pub fn particles(&self) -> &Particles {
        &self.particles
    }
}

fn layout(surrogate: &Surrogate) -> Vec<(String, Vec<usize>)> {
    let blocks = surrogate.layout().blocks().iter();
    blocks.map(|block| (block.name.clone(), block.shape.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_normalised_and_bad_ones_refused() {
        let thetas = vec![vec![1.0], vec![2.0]];
        let particles = Particles::weighted(thetas.clone(), &[1.0, 3.0]).unwrap();
        assert_eq!(particles.weights(), [0.25, 0.75]);
        assert_eq!((particles.pick(0.2), particles.pick(0.3), particles.pick(1.0)), (0, 1, 1));
        assert!(Particles::weighted(thetas.clone(), &[0.0, 0.0]).is_err());
        assert!(Particles::weighted(thetas.clone(), &[2.0, -1.0]).is_err());
        assert!(Particles::weighted(thetas, &[1.0]).is_err());
        assert!(Particles::equal(vec![]).is_err());
        assert!(Particles::equal(vec![vec![1.0], vec![1.0, 2.0]]).is_err());
        assert!(Particles::equal(vec![vec![f64::NAN]]).is_err());
    }
}
