//! Packs the columns of finished tables in another way, without solving the tables again.
//!
//! The values stay, and with them the name that other files give the table, so what was made of it is up to
//! date as before. The writer checks each block that it packs. A draft stands in a folder of its own until
//! it is known to hold the values of the old column; then it takes that one's place. A run that is killed
//! leaves the old file or the new one, and maybe a draft that the next writer of the folder removes.
//!
//! Columns of distances do not say who wins, and are read with `wdl`. Where the two keep different sides to
//! move, the table is solved again in memory, from the tables of the folder that it leads to.

use crate::lock::DRAFTS;
use crate::{FolderLock, TableLease};
use format::{Keep, Metadata, Packing, Summary, TableFile, TableWriter, put_column, writing_bytes};
use index::Size;
use library::{Edition, Fitting, LibraryError, MemoryLimit, PlannedTables, TableFiles};
use std::fs;
use table::Table;
use variant::{Material, Metric, Side, Variant};

/// What became of a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Repacked {
    /// It was packed so already.
    Already,
    /// It is packed so now.
    Done {
        /// Its size before.
        before_bytes: u64,
        /// Its size now.
        after_bytes: u64,
    },
    /// A run that has not ended may still read both sides to move of it: it is as it was.
    Untrimmed,
}

/// Packs columns of a folder in one way.
#[derive(Clone, Copy, Debug)]
pub struct Repacking<'a> {
    lock: &'a FolderLock,
    variant: &'a Variant,
    packing: Packing,
    limit: MemoryLimit,
}

impl<'a> Repacking<'a> {
    /// Packs columns of a game's tables in a folder in this way. No more memory is used than the limit says.
    #[must_use]
    pub fn new(lock: &'a FolderLock, variant: &'a Variant, packing: Packing, limit: MemoryLimit) -> Self {
        Repacking { lock, variant, packing, limit }
    }

    /// Packs the column of a table for a metric, on all threads of the current pool; `progress` gets how
    /// much of the packing is done, of how much.
    ///
    /// # Errors
    /// A file is missing, damaged or of other rules, the table does not fit into memory, or the disk
    /// refuses. The old file is there then.
    pub fn file(
        &self,
        material: &Material,
        metric: Metric,
        progress: &(dyn Fn(u64, u64) + Sync),
    ) -> Result<Repacked, LibraryError> {
        let files = TableFiles::new(Edition::new(self.variant, metric), self.lock.folder());
        let name = material.name(self.variant);
        let path = files.path(&name, metric);
        let summary = files.summary(&name, metric)?;
        let wants_small = self.packing == Packing::Small;
        if summary.is_small == wants_small {
            return Ok(Repacked::Already);
        }
        if summary.metadata.trims_to.is_some() {
            return Ok(Repacked::Untrimmed);
        }
        // Machines that share a folder may have locks of their own.
        let Ok(_lease) = TableLease::try_new(&path)? else { return Ok(Repacked::Untrimmed) };
        let file = files.open(&name, metric)?;
        self.check_memory(material, metric, &summary)?;
        let (table, is_solved) = self.table(&files, material, &file)?;
        let writer = TableWriter::new(self.variant).column(metric).keep(Keep::Both).packing(self.packing);
        let writer = match file.left_out() {
            Some(_) => writer.one_side_of(summary.table_content()),
            None => writer,
        };
        let metadata = Metadata { table: None, ..summary.metadata.clone() };
        let drafts = self.lock.folder().join(DRAFTS);
        fs::create_dir_all(&drafts).map_err(LibraryError::io("make the folder", &drafts))?;
        // The file of a draft needs the name of a table to be read as one.
        let draft = drafts.join(path.file_name().unwrap_or_default());
        let replaced = (|| {
            // What two columns or a solver gave may differ from what the old one holds.
            if (is_solved || file.holds_distances()) && !file.holds(self.variant, &table)? {
                return Err(LibraryError::Contradicted { path: path.clone() });
            }
            let written = writer.progress(progress).write(&draft, &table, &metadata)?;
            let is_same = written.table == summary.table_content();
            if !is_same {
                return Err(LibraryError::Contradicted { path: path.clone() });
            }
            let written = put_column(&draft, &path, metric)?;
            Ok(Repacked::Done { before_bytes: summary.size_bytes, after_bytes: written.size_bytes })
        })();
        // What cannot be removed is removed by the next writer.
        let _ = fs::remove_dir_all(&drafts);
        replaced
    }

    /// The table with the sides to move that a column of it keeps, and whether it was solved for that.
    fn table(
        &self,
        files: &TableFiles,
        material: &Material,
        file: &TableFile,
    ) -> Result<(Table, bool), LibraryError> {
        let name = material.name(self.variant);
        let sides: Vec<Side> = Side::BOTH.into_iter().filter(|&side| file.keeps(side)).collect();
        let kept = files.kept_sides(&name)?;
        if sides.iter().all(|side| kept.contains(side)) {
            return Ok((files.read_with_steps(&name, &sides)?, false));
        }
        let table = PlannedTables::only(files, material)?;
        let codes = Side::BOTH.map(|side| table.codes(side).filter(|_| sides.contains(&side)).cloned());
        Ok((Table::with_sides(table.layout().clone(), codes).with_steps_of(&table), true))
    }

    /// Whether the codes of a table and what packs them fit into memory.
    fn check_memory(
        &self,
        material: &Material,
        metric: Metric,
        summary: &Summary,
    ) -> Result<(), LibraryError> {
        let size = Size::new(self.variant, material);
        let widths: u64 = summary.code_widths.iter().map(|&width| u64::from(width)).sum();
        let n_threads = rayon::current_num_threads();
        let packing = (metric, self.packing);
        let writing = writing_bytes((&size, material.n_men()), packing, summary.size_bytes, n_threads, None);
        let needed_bytes = widths * summary.placements + writing;
        if needed_bytes <= self.limit.bytes {
            return Ok(());
        }
        let (material, limit) = (material.name(self.variant), self.limit);
        Err(LibraryError::MemoryShort {
            material,
            needed_bytes,
            limit,
            n_threads,
            fitting: Fitting::default(),
        })
    }
}
