//! Describes what a structure's file has: its roots and limits, its tables and their slices.

use super::page::PagePlace;
use crate::{Bound, Limit};
use serde::{Deserialize, Serialize};

/// The index of a file, as JSON.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct FileIndex {
    /// The game.
    pub(crate) variant: String,
    /// The hash of its rules, as hexadecimal digits.
    pub(crate) rules: String,
    /// The metric's name.
    pub(crate) metric: String,
    /// The positions that the structure was made for, as FENs.
    pub(crate) roots: Vec<String>,
    /// The limit inside which it was solved.
    pub(crate) limit: Limit,
    /// What was found: the values, or bounds of them.
    pub(crate) bounds: Vec<Bound>,
    /// The names of the canonical materials whose tables were read, and whose values are not here.
    #[serde(default)]
    pub(crate) used: Vec<String>,
    /// Which program made it.
    pub(crate) program: String,
    /// The tables, in the order in which they were solved.
    pub(crate) tables: Vec<TableIndex>,
}

/// A material's slices, or those of a bound.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct TableIndex {
    /// The material's name, with its own colours.
    pub(crate) material: String,
    /// What the values are.
    pub(crate) bound: Bound,
    /// The squares of the pawns of each slice, by number; without pawns none.
    pub(crate) slices: Vec<Vec<u8>>,
    /// How many codes a unit has.
    pub(crate) unit_len: u64,
    /// How many codes a page has, but the last of a unit.
    pub(crate) page_len: u64,
    /// The pages, by unit and page: White to move and Black to move.
    pub(super) pages: [Vec<PagePlace>; 2],
}

impl TableIndex {
    pub(crate) fn new(material: String, bound: Bound, slices: Vec<Vec<u8>>) -> Self {
        TableIndex { material, bound, slices, unit_len: 0, page_len: 1, pages: [Vec::new(), Vec::new()] }
    }

    /// How many pages a unit has.
    pub(crate) fn pages_per_unit(&self) -> u64 {
        self.unit_len.div_ceil(self.page_len)
    }

    /// How many values it holds.
    pub(crate) fn n_values(&self) -> u64 {
        let pages = |side: &Vec<PagePlace>| side.len() as u64 / self.pages_per_unit().max(1) * self.unit_len;
        self.pages.iter().map(pages).sum()
    }

    /// Whether there are values with this side to move.
    pub(crate) fn keeps(&self, stm: variant::Side) -> bool {
        !self.pages[stm.index()].is_empty()
    }
}
