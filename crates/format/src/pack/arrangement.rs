//! Describes how a side's codes stand before they are compressed.

use super::fill::Fill;
use crate::model::{GuessPredictor, Prior, TileMen};
use crate::tile::order::Order;
use crate::tile::tiling::{TileId, Tiling};
use index::Layout;
use std::sync::Arc;

/// How a side's codes are arranged before they are compressed.
#[derive(Clone, Debug)]
pub(crate) struct Arrangement {
    pub(crate) order: Order,
    pub(crate) tiling: Tiling,
    pub(crate) fill: Fill,
    /// What a sample of the tiles takes, in bytes.
    pub(crate) sample_bytes: usize,
    /// What a model begins with.
    pub(crate) prior: Option<Arc<Prior>>,
}

impl Arrangement {
    /// The predictor of a tile, if the side has a prior.
    pub(super) fn predictor<'a>(&'a self, layout: &'a Layout, tile: TileId) -> Option<GuessPredictor<'a>> {
        let prior = self.prior.as_deref()?;
        Some(GuessPredictor { men: TileMen::new(layout, &self.tiling, tile), prior })
    }
}
