//! Holds solved tables, and parts of tables, in memory.

use geometry::SquareSet;
use std::collections::BTreeMap;
use std::sync::Arc;
use table::{Lookup, Table};
use variant::{Man, Material};

/// Tables, and parts of tables, by their materials.
#[derive(Clone, Default, Debug)]
pub struct MemoryTables {
    tables: BTreeMap<Material, Arc<Table>>,
    parts: BTreeMap<Material, Vec<PartialTable>>,
}

#[derive(Clone, Debug)]
struct PartialTable {
    man: Man,
    squares: SquareSet,
    table: Arc<Table>,
}

impl MemoryTables {
    /// Keeps a whole table.
    pub fn insert(&mut self, table: Arc<Table>) {
        self.tables.insert(table.layout().material().clone(), table);
    }

    /// Keeps a table for whoever asks for the part of it in which such a man stands on these squares. It may
    /// be that part, or the whole table.
    pub fn insert_part(&mut self, man: Man, squares: SquareSet, table: Arc<Table>) {
        let parts = self.parts.entry(table.layout().material().clone()).or_default();
        parts.push(PartialTable { man, squares, table });
    }

    /// Drops the whole tables of which this is not true.
    pub fn retain(&mut self, mut is_kept: impl FnMut(&Material) -> bool) {
        self.tables.retain(|material, _| is_kept(material));
    }

    /// Drops the parts of tables of which this is not true.
    pub fn retain_parts(&mut self, mut is_kept: impl FnMut(&Material, Man, SquareSet) -> bool) {
        for (material, parts) in &mut self.parts {
            parts.retain(|part| is_kept(material, part.man, part.squares));
        }
        self.parts.retain(|_, parts| !parts.is_empty());
    }

    /// Whether the part, or more of it, was kept for whoever asks for such a part.
    #[must_use]
    pub fn has_part(&self, material: &Material, man: Man, squares: SquareSet) -> bool {
        self.found(material, man, squares).is_some()
    }

    /// The whole tables.
    pub fn tables(&self) -> impl Iterator<Item = &Arc<Table>> {
        self.tables.values()
    }
}

impl MemoryTables {
    fn found(&self, material: &Material, man: Man, squares: SquareSet) -> Option<&PartialTable> {
        let serves = |part: &&PartialTable| part.man == man && squares.without(part.squares).is_empty();
        self.parts.get(material).and_then(|parts| parts.iter().find(serves))
    }
}

impl Lookup for MemoryTables {
    fn table(&self, material: &Material) -> Option<Arc<Table>> {
        self.tables.get(material).cloned()
    }

    fn part(&self, material: &Material, man: Man, squares: SquareSet) -> Option<Arc<Table>> {
        let part = self.found(material, man, squares);
        part.map(|part| part.table.clone()).or_else(|| self.table(material))
    }
}
