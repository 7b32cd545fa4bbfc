//! Holds whole tables in memory for whoever asks for very many of their positions.

use crate::Tablebase;
use crate::tablebase::Entry;
use std::sync::{Arc, PoisonError};
use table::Table;
use variant::Material;

impl Tablebase {
    /// Answers from a table in memory in place of its file, until it is released. Of a side to move that it
    /// does not have positions are answered by their moves, as those that a file has left out.
    pub fn hold(&self, table: Arc<Table>) {
        let material = table.layout().material().clone();
        self.release(&material);
        self.held.write().unwrap_or_else(PoisonError::into_inner).insert(material, table);
    }

    /// Answers from the file of a canonical material again.
    pub fn release(&self, material: &Material) {
        self.held.write().unwrap_or_else(PoisonError::into_inner).remove(material);
        let is_other = |entry: &Entry| match entry {
            Entry::File(file) => file.0.layout().material() != material,
            Entry::Memory(memory) => memory.0.layout().material() != material,
            _ => true,
        };
        self.entries.write().unwrap_or_else(PoisonError::into_inner).retain(|_, entry| is_other(entry));
    }
}
