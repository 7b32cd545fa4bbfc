//! Answers positions with few men from tables that are at hand, so that they need not be solved.
//!
//! Such a material is no part of the structure: its slices are not followed, a limit does not apply to it,
//! and its values are exact. The file of a structure names these materials, and does not hold their values.

use position::Position;
use std::io;
use std::sync::Arc;
use table::{SliceSource, Value};
use variant::Material;

/// Tables of whole materials, of the structure's metric.
pub trait TableSource: std::fmt::Debug + Send + Sync {
    /// Whether the table of a canonical material is there, with both sides to move.
    fn has(&self, material: &Material) -> bool;

    /// The table of a canonical material that is there, to be read slice by slice.
    ///
    /// # Errors
    /// It cannot be read.
    fn slices(&self, material: &Material) -> io::Result<Arc<dyn SliceSource>>;

    /// The value of a legal position without a right to capture en passant; none if its table is not there.
    ///
    /// # Errors
    /// The table cannot be read.
    fn value(&self, position: &Position) -> io::Result<Option<Value>>;
}

/// The tables that a structure may use, if there are any.
pub type TablesAtHand = Option<Arc<dyn TableSource>>;
