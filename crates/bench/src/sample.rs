//! Makes positions to ask for, and a folder of tables to ask.

use format::{Metadata, TableWriter, file_name};
use geometry::Symmetry;
use library::SolvedTables;
use position::{Position, RuleBook};
use std::path::{Path, PathBuf};
use table::Value;
use variant::{Material, Side, Variant};

/// Positions of a table, scattered over it and over the board, with their values.
pub struct Sample {
    /// The positions.
    pub fens: Vec<String>,
    /// What each is worth to the side to move.
    pub values: Vec<Value>,
}

impl Sample {
    /// So many positions of a material; the same ones every time.
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
pub(crate) fn metadata(variant: &Variant) -> Metadata {
    Metadata {
        program: "bench".into(),
        variant: variant.name.clone(),
        solver_version: solve::VERSION,
        dependencies: Vec::new(),
        statistics: serde_json::Value::Null,
        table: None,
        is_small: false,
        stays: None,
        stays_content: None,
        winner: None,
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // A temporary folder may stay; nothing can be done about it here.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
