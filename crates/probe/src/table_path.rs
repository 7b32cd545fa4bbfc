//! Names the files that tables are in, or would be in, opens them, and holds whole tables in memory.

use crate::tablebase::{Entry, SortedMen};
use crate::{MissingTable, ProbeError, Tablebase};
use format::{BlockCache, Column, FormatError, TableFile, column_path};
use position::Position;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use table::{Table, Value};
use variant::{Material, Side};

impl Tablebase {
    /// The folders of the tables, if they are in some whose own files are asked.
    pub(crate) fn folders(&self) -> &[PathBuf] {
        self.folder.as_ref().filter(|folder| !folder.only_exchange).map_or(&[], |folder| &folder.paths)
    }

    /// The file of a position's men; none where no file is needed. Of a position with rights to castle that
    /// of the rights, if there is one.
    ///
    /// # Errors
    /// The table is not there ([`ProbeError::Missing`]) or cannot be read.
    pub fn file_of(&self, position: &Position) -> Result<Option<PathBuf>, ProbeError> {
        if let Some(file) = self.rights_file_of(position)? {
            return Ok(Some(file.path().to_path_buf()));
        }
        if let Some(values) = self.values() {
            return Ok(values.path());
        }
        let Some(sorted) = SortedMen::new(position) else { return Ok(None) };
        Ok(match &*self.entry(&sorted, position)? {
            Entry::File(file) => Some(file.0.path().to_path_buf()),
            Entry::Exchange(files, format, material) => {
                files.path(self.variant(), position, material, *format)
            }
            Entry::Lent(values) => values.path(),
            Entry::Memory(_) | Entry::Drawn | Entry::Over(_) | Entry::Impossible => None,
        })
    }

    /// Opens the file of a canonical material for these men. The one that answers for the other colours is
    /// shared, and its blocks with it.
    pub(crate) fn opened(
        &self,
        cache: &Arc<BlockCache>,
        path: &Path,
        sorted: &SortedMen,
        material: &Material,
    ) -> Result<Arc<TableFile>, FormatError> {
        let entries = self.entries.read();
        let twin = match entries.get(&sorted.exchanged_key()).map(|entry| &**entry) {
            Some(Entry::File(file)) => Some(file.0.clone()),
            _ => None,
        };
        drop(entries);
        // Without a symmetry of the colours the other men have a table of their own.
        if let Some(twin) = twin.filter(|twin| twin.layout().material() == material) {
            return Ok(twin);
        }
        TableFile::open_of(path, self.variant(), self.column(material), cache.clone()).map(Arc::new)
    }

    /// The column of a material's file that is asked.
    fn column(&self, material: &Material) -> Column {
        let own = self.one_winner.as_ref().filter(|(of, _)| of == material);
        Column { winner: own.map(|(_, winner)| *winner), ..self.scale().metric().into() }
    }

    /// The refusal of men whose table is not there.
    pub(crate) fn not_built(&self, material: &Material) -> ProbeError {
        let material = material.canonical(self.variant());
        self.missing(&material, self.path(&material))
    }

    /// The error with the file that would hold the table.
    pub(crate) fn missing(&self, material: &Material, file: PathBuf) -> ProbeError {
        let (material, metric) = (material.name(self.variant()), self.scale().metric());
        ProbeError::Missing(MissingTable::new(material, metric, file))
    }

    /// The file of a canonical material; of tables in memory its name only.
    pub(crate) fn path(&self, material: &Material) -> PathBuf {
        let folders = self.folder.as_ref().map_or(&[][..], |folder| &folder.paths);
        column_path(folders, &material.name(self.variant()), self.column(material))
    }
}

impl Tablebase {
    /// Answers from a table in memory in place of its file, until it is released. Of a side to move that it
    /// does not have positions are answered by their moves, as those that a file has left out.
    pub fn hold(&self, table: Arc<Table>) {
        let material = table.layout().material().clone();
        self.release(&material);
        self.held.write().insert(material, table);
    }

    /// The table of a canonical material that is in memory.
    #[must_use]
    pub fn held_table(&self, material: &Material) -> Option<Arc<Table>> {
        self.held.read().get(material).cloned()
    }

    /// The tables that are in memory.
    #[must_use]
    pub fn held_tables(&self) -> Vec<Arc<Table>> {
        self.held.read().values().cloned().collect()
    }

    /// Answers from the file of a canonical material again.
    pub fn release(&self, material: &Material) {
        self.held.write().remove(material);
        let is_other = |entry: &Entry| match entry {
            Entry::File(file) => file.0.layout().material() != material,
            Entry::Memory(memory) => memory.0.layout().material() != material,
            _ => true,
        };
        self.entries.write().retain(|_, entry| is_other(entry));
    }
}

impl Tablebase {
    /// These tables, of which one is read from a column that has one side's wins alone: where this side
    /// does not win its positions are called draws. `material` is canonical.
    #[must_use]
    pub fn with_winner(mut self, material: &Material, winner: Side) -> Self {
        self.wdl = self.wdl.map(|wdl| Box::new(wdl.with_winner(material, winner)));
        self.one_winner = Some((material.clone(), winner));
        self
    }

    /// The side whose wins alone are known of a position, if it has men of which no more is known.
    #[must_use]
    pub fn winner_of(&self, position: &Position) -> Option<Side> {
        let (material, winner) = self.one_winner.as_ref()?;
        let own = position.material();
        match () {
            () if own == *material => Some(*winner),
            () if own.swapped() == *material => Some(!*winner),
            () => None,
        }
    }

    /// A value, as far as the table of the position's men tells it.
    pub(crate) fn of_winner(&self, position: &Position, value: Value) -> Value {
        self.winner_of(position).map_or(value, |winner| value.of_winner(position.stm(), winner))
    }
}
