//! How a flat parameter vector is divided into named blocks.

use std::ops::Range;

/// A named piece of the parameter vector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// such as `log_lengthscales`
    pub name: String,
    /// its sizes; a matrix is stored row by row
    pub shape: Vec<usize>,
}

impl Block {
    pub(super) fn new(name: impl Into<String>, shape: impl Into<Vec<usize>>) -> Self {
        Self { name: name.into(), shape: shape.into() }
    }

    /// Number of parameters in the block.
    pub fn size(&self) -> usize {
        self.shape.iter().product()
    }
}

/// All blocks in their order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Layout {
    blocks: Vec<Block>,
}

impl Layout {
    /// Adds blocks at the end and says which range of the vector they take.
    pub(super) fn extend(&mut self, blocks: Vec<Block>) -> Range<usize> {
        let start = self.size();
        self.blocks.extend(blocks);
        start..self.size()
    }

    /// The blocks, first to last.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// Length of the parameter vector.
    pub fn size(&self) -> usize {
        self.blocks.iter().map(Block::size).sum()
    }
}
