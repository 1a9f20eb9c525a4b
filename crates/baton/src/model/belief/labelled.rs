//! Particles with the names of what they are about, so that they are not taken for others.

use super::particles::Particles;
use crate::model::surrogate::Surrogate;
use serde::{Deserialize, Serialize};

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
