//! Keeps the files and the solved tables of positions with rights to castle.

use rights::{RightsFile, RightsTables};
use std::collections::BTreeMap;
use std::sync::{Arc, RwLock};
use variant::Material;

/// What is known of positions with rights to castle.
#[derive(Debug)]
pub(crate) struct RightsShelf {
    pub(crate) tables: RightsTables,
    /// The files that are open, by canonical material. Absent files have no entry: they may come.
    pub(crate) files: RwLock<BTreeMap<Material, Arc<RightsFile>>>,
}

impl RightsShelf {
    /// Nothing yet; so many threads solve.
    pub(crate) fn new(n_threads: usize) -> Self {
        RightsShelf { tables: RightsTables::new(n_threads), files: RwLock::default() }
    }
}
