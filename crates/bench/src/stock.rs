//! Keeps tables that a benchmark needs but does not measure on disk from one run to the next, and makes
//! positions to ask for and a folder of tables to ask.
//!
//! Tables that a developer has solved into `tables/fide` are taken from there.

use crate::fide;
use format::{Keep, Metadata, TableWriter, file_name};
use geometry::Symmetry;
use library::{Edition, MemoryTables, SolvedTables, TableFiles};
use plan::{Plan, Request};
use position::{Position, RuleBook};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use table::{Table, Value};
use variant::{Material, Side, Variant};

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

    /// Writes the file that `solve` leaves of a table that is not waited for, reads it again as `solve`
    /// does, and removes it; its size in bytes.
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
                let table = drawn.solved(&target.material).unwrap_or_else(|error| panic!("{error}"));
                tables.insert(table, None);
                continue;
            }
            let files = self.files_of(&target.material).expect("what is needed is in stock");
            let name = target.material.name(&self.variant);
            let table = match &target.part {
                None => files.read(&name).unwrap_or_else(|error| panic!("{error}")),
                Some(part) => files.read_part(&name, part).unwrap_or_else(|error| panic!("{error}")),
            };
            tables.insert(Arc::new(table), target.part.as_ref());
        }
        SolvedTables::with_tables(self.variant.clone(), self.variant.default_metric, tables)
    }

    /// The folder that has a table of these rules and this solver with all sides to move.
    fn files_of(&self, material: &Material) -> Option<&TableFiles> {
        let name = material.name(&self.variant);
        [&self.files, &self.more].into_iter().find(|files| {
            let summary = files.main_summary(&name).ok();
            let is_current = summary.is_some_and(|summary| summary.metadata.solver_version == solve::VERSION);
            let file = is_current.then(|| files.open(&name, self.variant.default_metric).ok()).flatten();
            file.is_some_and(|file| file.left_out().is_none())
        })
    }
}

/// Positions of a table, scattered over it and over the board, with their values.
pub struct Sample {
    /// The positions.
    pub fens: Vec<String>,
    /// What each is worth to the side to move.
    pub values: Vec<Value>,
}

impl Sample {
    /// `n_positions` positions of a material; the same ones every time.
    ///
    /// # Panics
    /// If the material cannot be solved.
    #[must_use]
    pub fn new(tables: &SolvedTables, material: &Material, n_positions: usize) -> Self {
        let book = RuleBook::new(tables.variant());
        let table = tables.solved(material).unwrap_or_else(|error| panic!("{error}"));
        let layout = table.layout();
        let sides: Vec<Side> = table.sides().collect();
        let mut sample = Sample { fens: Vec::new(), values: Vec::new() };
        let mut state = 1u64;
        let mut below = |n: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((u128::from(state) * n as u128) >> 64) as usize
        };
        while sample.fens.len() < n_positions {
            let (side, index) = (sides[below(sides.len())], below(layout.len()));
            let symmetry: Symmetry = layout.group()[below(layout.group().len())];
            let value = table.value(side, index);
            if value == Value::Illegal {
                continue;
            }
            let squares = layout.decode(index);
            let turned = squares.iter().map(|&s| symmetry.square(layout.board(), s));
            let position = Position::from_men(layout.men().iter().copied().zip(turned), side);
            sample.fens.push(position.expect("a position has its men on squares of their own").to_fen(&book));
            sample.values.push(value);
        }
        sample
    }
}

/// A folder of table files that is gone when it is dropped.
pub struct Temporary {
    folder: PathBuf,
}

impl Temporary {
    /// Writes tables whose values the rules alone do not say into a folder of this name among the temporary
    /// files.
    ///
    /// # Panics
    /// If the disk refuses.
    #[must_use]
    pub fn new(name: &str, tables: &SolvedTables) -> Self {
        let folder = std::env::temp_dir().join(format!("tablesmith-bench-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let temporary = Temporary { folder };
        let variant = tables.variant();
        let metadata = metadata(variant);
        for table in tables.tables() {
            let material = table.layout().material();
            if variant.is_always_drawn(material) {
                continue;
            }
            let path = temporary.folder.join(file_name(&material.name(variant)));
            let written = TableWriter::new(variant).write(&path, &table, &metadata);
            written.unwrap_or_else(|error| panic!("{error}"));
        }
        temporary
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

/// What the files of benchmarks say of themselves.
fn metadata(variant: &Variant) -> Metadata {
    Metadata {
        program: "bench".into(),
        variant: variant.name.clone(),
        solver_version: solve::VERSION,
        ..Metadata::default()
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // A temporary folder may stay; nothing can be done about it here.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
