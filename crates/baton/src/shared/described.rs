//! Earlier tasks as they were described, each with the point that was recommended for it.

use crate::problem::{Description, Descriptors, Space};
use serde::{Deserialize, Serialize};

/// Tasks kept; older ones are dropped.
pub(super) const MOST_DESCRIBED: usize = 256;

/// An earlier task of a campaign with descriptors.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DescribedTask {
    /// its place in the sequence, from 0
    pub number: u32,
    /// what was said of it
    pub description: Description,
    /// coordinates of the point that was recommended for it, if anything was told
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub best: Option<Vec<f64>>,
}

impl DescribedTask {
    /// Whether such a task can have been.
    pub(super) fn is_sound(&self, space: &Space, descriptors: &Descriptors) -> bool {
        let inside = |u: &Vec<f64>| {
            u.len() == space.dimension() && u.iter().all(|x| (0.0..=1.0).contains(x))
        };
        let described = descriptors.canonical(&self.description);
        described.is_ok_and(|known| known == self.description)
            && self.best.as_ref().is_none_or(inside)
    }
}
