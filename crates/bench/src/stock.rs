//! Keeps tables that a benchmark needs but does not measure on disk from one run to the next.
//!
//! Those that somebody has solved into `tables/fide` are taken from there.

use crate::fide;
use crate::sample::metadata;
use format::{Keep, TableWriter, file_name};
use library::{Edition, MemoryTables, SolvedTables, TableFiles};
use plan::{Plan, Request};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use table::Table;
use variant::{Material, Variant};

/// A folder of solved tables.
pub struct Stock {
    variant: Variant,
    /// The folder that tables are written to.
    files: TableFiles,
    /// Another folder that may have tables.
    more: TableFiles,
}

impl Stock {
    /// The stock of chess tables for all benchmarks, where cargo puts what it builds.
    ///
    /// # Panics
    /// If its folder cannot be made.
    #[must_use]
    pub fn of_chess() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
        let folder = target.join("bench-tables");
        std::fs::create_dir_all(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let variant = fide();
        let edition = Edition::new(&variant, variant.default_metric);
        let more = TableFiles::new(edition.clone(), &root.join("tables/fide"));
        Stock { variant, files: TableFiles::new(edition, &folder), more }
    }

    /// The rules of chess.
    #[must_use]
    pub fn variant(&self) -> &Variant {
        &self.variant
    }

    /// Everything that solving this material asks for, and not its own table. What is not in stock, or is of
    /// other rules, is solved first and written.
    ///
    /// # Panics
    /// If it cannot be solved or written.
    #[must_use]
    pub fn needs_of(&self, material: &Material) -> SolvedTables {
        let plan = Plan::new(&self.variant, &Request::Table(material.clone()));
        let plan = plan.unwrap_or_else(|error| panic!("{error}"));
        let below: Vec<&Material> = plan.jobs().map(|job| &job.material).filter(|m| *m != material).collect();
        for &needed in &below {
            if self.files_of(needed).is_none() {
                eprintln!("{} is solved, to be at hand from now on", needed.name(&self.variant));
                self.write(&crate::solve(&self.loaded(needed), needed));
            }
        }
        self.loaded(material)
    }

    /// Writes a table; the size of its file in bytes.
    ///
    /// # Panics
    /// If the disk refuses.
    pub fn write(&self, table: &Table) -> u64 {
        let name = table.layout().material().name(&self.variant);
        let metadata = metadata(&self.variant);
        let written = TableWriter::new(&self.variant).write(&self.files.main_path(&name), table, &metadata);
        written.unwrap_or_else(|error| panic!("{error}")).size_bytes
    }

    /// Writes the file that `solve` leaves of a table that nobody waits for, reads it again as `solve` does,
    /// and removes it; its size in bytes.
    ///
    /// # Panics
    /// If the disk refuses.
    #[must_use]
    pub fn try_write(&self, table: &Table) -> u64 {
        let name = table.layout().material().name(&self.variant);
        let folder = self.files.folder().join("tried");
        let path = folder.join(file_name(&name));
        let written = std::fs::create_dir_all(&folder).map_err(|error| error.to_string()).and_then(|()| {
            let metadata = metadata(&self.variant);
            let written = TableWriter::new(&self.variant).keep(Keep::Smaller).write(&path, table, &metadata);
            let written = written.map_err(|error| error.to_string())?;
            written.check(&path).map_err(|error| error.to_string())?;
            std::fs::remove_file(&path).map_err(|error| error.to_string())?;
            Ok(written)
        });
        written.unwrap_or_else(|error| panic!("{error}")).size_bytes
    }

    /// What solving a material asks for, all of which is in stock.
    fn loaded(&self, material: &Material) -> SolvedTables {
        let mut tables = MemoryTables::default();
        let drawn = SolvedTables::new(self.variant.clone());
        for target in variant::exit::targets(&self.variant, material) {
            if self.variant.is_always_drawn(&target.material) {
                tables.insert(drawn.solved(&target.material).unwrap_or_else(|error| panic!("{error}")));
                continue;
            }
            let files = self.files_of(&target.material).expect("what is needed is in stock");
            let name = target.material.name(&self.variant);
            match &target.part {
                None => tables.insert(Arc::new(files.read(&name).unwrap_or_else(|error| panic!("{error}")))),
                Some(part) => {
                    let table = files.read_part(&name, part).unwrap_or_else(|error| panic!("{error}"));
                    tables.insert_part(part.man, part.squares, Arc::new(table));
                }
            }
        }
        SolvedTables::with_tables(self.variant.clone(), self.variant.default_metric, tables)
    }

    /// The folder that has a table of these rules and this solver with all sides to move.
    fn files_of(&self, material: &Material) -> Option<&TableFiles> {
        let name = material.name(&self.variant);
        [&self.files, &self.more].into_iter().find(|files| {
            let summary = format::Summary::read(&files.main_path(&name)).ok();
            let is_current = summary.is_some_and(|summary| summary.metadata.solver_version == solve::VERSION);
            let file = is_current.then(|| files.open(&name, self.variant.default_metric).ok()).flatten();
            file.is_some_and(|file| file.left_out().is_none())
        })
    }
}
