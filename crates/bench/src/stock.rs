//! Keeps tables that a benchmark needs but does not measure on disk from one run to the next.
//!
//! Those that somebody has solved into `tables/fide` are taken from there.

use crate::sample::metadata;
use crate::{Shelf, fide};
use format::{Keep, TableFile, TableWriter, file_name};
use geometry::SquareSet;
use index::Scope;
use plan::{Plan, Request};
use std::path::{Path, PathBuf};
use table::Table;
use variant::{Man, Material, Variant};

/// A folder of solved tables.
pub struct Stock {
    variant: Variant,
    /// Where tables are written to.
    folder: PathBuf,
    /// Where tables may be besides.
    more: PathBuf,
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
        Stock { variant: fide(), folder, more: root.join("tables/fide") }
    }

    /// The rules of chess.
    #[must_use]
    pub fn variant(&self) -> &Variant {
        &self.variant
    }

    /// A shelf with everything that solving this material asks for, and not its own table. What is not in
    /// stock, or is of other rules, is solved first and written.
    ///
    /// # Panics
    /// If it cannot be solved or written.
    #[must_use]
    pub fn shelf_below(&self, material: &Material) -> Shelf {
        let plan = Plan::new(&self.variant, &Request::Table(material.clone()));
        let plan = plan.unwrap_or_else(|error| panic!("{error}"));
        let below: Vec<&Material> = plan.jobs().map(|job| &job.material).filter(|m| *m != material).collect();
        for &needed in &below {
            if self.file(needed).is_none() {
                eprintln!("{} is solved, to be at hand from now on", needed.name(&self.variant));
                let table = self.shelf(needed).solve(needed);
                self.write(&table);
            }
        }
        self.shelf(material)
    }

    /// Writes a table; the size of its file in bytes.
    ///
    /// # Panics
    /// If the disk refuses.
    pub fn write(&self, table: &Table) -> u64 {
        let name = table.layout().material().name(&self.variant);
        let metadata = metadata(&self.variant);
        let written =
            TableWriter::new(&self.variant).write(&self.folder.join(file_name(&name)), table, &metadata);
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
        let folder = self.folder.join("tried");
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
    fn shelf(&self, material: &Material) -> Shelf {
        let mut shelf = Shelf::new(self.variant.clone());
        for target in exit::targets(&self.variant, material) {
            if self.variant.is_always_drawn(&target.material) {
                shelf.add(&target.material);
                continue;
            }
            let file = self.file(&target.material).expect("what is needed is in stock");
            let mut table = file.read_table().unwrap_or_else(|error| panic!("{error}"));
            solve::restore(&self.variant, &mut table);
            let table = match target.part {
                None => table,
                Some(part) => part_of(table, part.man, part.squares),
            };
            shelf.put(&target.material, table);
        }
        shelf
    }

    /// The file of a table, if there is one of these rules and this solver with all sides to move.
    #[must_use]
    pub fn file(&self, material: &Material) -> Option<TableFile> {
        [&self.folder, &self.more].into_iter().find_map(|folder| {
            let path = folder.join(file_name(&material.name(&self.variant)));
            let summary = format::Summary::read(&path).ok()?;
            let is_current = summary.metadata.solver_version == solve::VERSION;
            let file = is_current.then(|| TableFile::open(&path, &self.variant).ok()).flatten();
            file.filter(|file| file.left_out().is_none())
        })
    }
}

/// The part of a table with such a man on these squares; the whole of it where it has no such part.
fn part_of(table: Table, man: Man, squares: SquareSet) -> Table {
    let layout = table.layout();
    let places = (0..layout.men().len()).filter(|&place| layout.men()[place] == man);
    let scope = places.filter_map(|place| Scope::new(layout, place, squares)).next();
    scope.and_then(|scope| table.part(&scope)).unwrap_or(table)
}
