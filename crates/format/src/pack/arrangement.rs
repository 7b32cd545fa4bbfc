//! Describes how a side's codes stand before they are compressed.

use super::fill::Fill;
use crate::model::{Block, GuessPredictor, LiteralTree, Prior, TileMen};
use crate::tile::grid::Grid;
use crate::tile::order::Order;
use crate::tile::tiling::{TileId, Tiling};
use index::Layout;
use std::io;
use std::sync::Arc;

/// How a side's codes are arranged before they are compressed.
#[derive(Clone, Debug)]
pub(crate) struct Arrangement {
    pub(crate) order: Order,
    pub(crate) tiling: Tiling,
    pub(crate) fill: Fill,
    /// What a sample of the tiles takes, in bytes.
    pub(crate) sample_bytes: usize,
    /// What a model begins with; without a tree one whose codes all weigh the same.
    pub(crate) prior: Option<Arc<Prior>>,
    pub(crate) tree: Option<Arc<LiteralTree>>,
}

impl Arrangement {
    /// An order of which nothing else is known.
    pub(super) fn new(order: Order, tiling: Tiling) -> Self {
        Arrangement { order, tiling, fill: Fill::Last, sample_bytes: 0, prior: None, tree: None }
    }

    /// A block of a tile, given the tile's grid and the place of the block's first code.
    pub(super) fn block<'a>(
        &'a self,
        layout: &'a Layout,
        (tile, grid): (TileId, &'a Grid),
        start: usize,
    ) -> Block<'a> {
        let men = TileMen::new(layout, &self.tiling, tile);
        let predictor = self.prior.as_deref().map(|prior| GuessPredictor { men, prior });
        Block { grid, start, predictor }
    }

    /// What a model begins with, as it stands in a file.
    pub(super) fn learned_bytes(&self) -> io::Result<Box<[u8]>> {
        let tree = self.tree.as_ref().map(|tree| tree.frame()).transpose()?;
        Ok(learned_bytes(self.prior.as_ref().map(|prior| prior.frame()), tree.as_deref()))
    }
}

/// The frames of a prior and of a tree as they stand in a file: each behind its length, which is 0 if there
/// is none.
pub(super) fn learned_bytes(prior: Option<&[u8]>, tree: Option<&[u8]>) -> Box<[u8]> {
    let frames = [prior, tree].map(Option::unwrap_or_default);
    frames.iter().flat_map(|frame| [&(frame.len() as u32).to_le_bytes(), *frame].concat()).collect()
}
