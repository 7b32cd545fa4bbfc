//! Builds the files of positions with rights to castle, one beside each table.

use super::figures::RightsFigures;
use library::{Edition, Fitting, LentTables, LibraryError, MemoryLimit, PROGRAM, TableFiles};
use plan::Plan;
use position::RuleBook;
use probe::{PositionValues, Tablebase};
use rights::{RightsFile, RightsKey, RightsTable, RightsTables, rights_file_name, write_rights_file};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use table::Scale;
use variant::{Material, Metric, Variant};

/// How many bytes of decompressed blocks are kept at most while rights are solved; of the memory that there
/// may be at most a quarter.
const CACHE_BYTES: u64 = 1 << 30;
const CACHE_SHARE: u64 = 4;

/// Tables of so many men are read whole.
const LARGE: usize = 5;

/// Solves positions with rights to castle from the tables of a folder, under one metric.
#[derive(Debug)]
pub struct RightsBuild<'a> {
    /// The rules.
    pub variant: &'a Variant,
    /// How values count.
    pub metric: Metric,
    /// The folder of the tables, into which the files go.
    pub folder: &'a Path,
    /// The tables of other folders, which are asked where this one has none, and their files.
    pub lent: Option<Arc<LentTables>>,
    /// How many threads compute.
    pub n_threads: usize,
    /// Whether files are made that are there already.
    pub force: bool,
    /// The memory that there may be.
    pub memory: MemoryLimit,
}

/// The file of one material with rights.
#[derive(Clone, Debug)]
pub struct BuiltRights {
    /// The material's name.
    pub name: String,
    /// How many choices of rights it has.
    pub n_choices: usize,
    /// What is in it.
    pub figures: RightsFigures,
    /// The bytes of the file.
    pub size_bytes: u64,
    /// How long it took; none if it was there before.
    pub time: Option<Duration>,
    /// The file of another folder that serves, if none was made.
    pub lent: Option<PathBuf>,
}

impl RightsBuild<'_> {
    /// Builds the files of all materials of a plan in which somebody can castle, in its order, and passes
    /// each to `built`; how many materials have too many men.
    ///
    /// # Errors
    /// A table that is needed is not there or cannot be read, or a file cannot be written.
    pub fn run(
        &self,
        plan: &Plan,
        built: &mut dyn FnMut(BuiltRights) -> Result<(), LibraryError>,
    ) -> Result<usize, LibraryError> {
        let tables =
            Tablebase::open_with(self.folder, self.variant, self.metric, self.cache_bytes() as usize)?;
        let tables = tables.with_threads(self.n_threads);
        let tables = match &self.lent {
            Some(lent) => tables.lending(lent.clone()),
            None => tables,
        };
        let mut n_too_large = 0;
        for job in plan.jobs() {
            let keys = RightsKey::all(self.variant, &job.material);
            if keys.is_empty() {
                continue;
            }
            match keys.iter().all(|key| RightsTables::check_size(self.variant, key).is_ok()) {
                true => built(self.file(&tables, &job.material)?)?,
                false => n_too_large += 1,
            }
        }
        Ok(n_too_large)
    }

    fn cache_bytes(&self) -> u64 {
        CACHE_BYTES.min(self.memory.bytes / CACHE_SHARE)
    }

    /// The file of a material, made unless it is there.
    fn file(&self, tables: &Tablebase, material: &Material) -> Result<BuiltRights, LibraryError> {
        let name = material.name(self.variant);
        let file_name = rights_file_name(&name, self.metric, self.variant.default_metric);
        let path = self.folder.join(&file_name);
        let begun = Instant::now();
        let lent = self.lent.as_ref().map(|lent| lent.rights_files(&file_name)).unwrap_or_default();
        for (path, lent) in [(&path, None)].into_iter().chain(lent.iter().map(|path| (path, Some(path)))) {
            let lent = lent.cloned();
            if let Some((n_choices, figures, size_bytes)) = self.is_there(tables, path, material) {
                return Ok(BuiltRights { name, n_choices, figures, size_bytes, time: None, lent });
            }
        }
        self.check_memory(material)?;
        self.hold(tables, material)?;
        let solved = tables.solved_rights(material);
        tables.release(material);
        let solved = solved?;
        let size_bytes = write_rights_file(&path, self.variant, material, self.metric, &solved, PROGRAM)?;
        let figures = figures(tables.book(), tables.scale(), &solved);
        let (n_choices, time) = (solved.len(), Some(begun.elapsed()));
        Ok(BuiltRights { name, n_choices, figures, size_bytes, time, lent: None })
    }

    /// Refuses a material whose positions take too much memory while they are solved.
    fn check_memory(&self, material: &Material) -> Result<(), LibraryError> {
        let keys = RightsKey::all(self.variant, material).into_iter();
        let most = keys.map(|key| RightsTable::footprint_bytes(self.variant, &key)).max().unwrap_or(0);
        if most + self.cache_bytes() <= self.memory.bytes {
            return Ok(());
        }
        Err(LibraryError::MemoryShort {
            material: format!("{} with castling rights", material.name(self.variant)),
            // The cache takes its share of it.
            needed_bytes: most + most / (CACHE_SHARE - 1) + CACHE_SHARE,
            limit: self.memory,
            n_threads: self.n_threads,
            fitting: Fitting::default(),
        })
    }

    /// Reads the table of a material whole, if it is large: nearly every position of it is asked for, many of
    /// them several times.
    fn hold(&self, tables: &Tablebase, material: &Material) -> Result<(), LibraryError> {
        if material.n_men() < LARGE {
            return Ok(());
        }
        let files = TableFiles::new(Edition::new(self.variant, self.metric), self.folder);
        let name = material.name(self.variant);
        // The name of a file that is not there is told when it is asked.
        if !files.are_there(&name) {
            return Ok(());
        }
        let sides = files.kept_sides(&name)?;
        let n_values = files.open(&name, self.metric)?.layout().len() as u64 * sides.len() as u64;
        // Two bytes each at most, and as much again while it is read.
        if !sides.is_empty() && 4 * n_values + self.cache_bytes() <= self.memory.bytes {
            tables.hold(Arc::new(files.read_sides(&name, &sides)?));
        }
        Ok(())
    }

    /// What a file has that is whole and need not be made again; none if all are to be.
    fn is_there(
        &self,
        tables: &Tablebase,
        path: &Path,
        material: &Material,
    ) -> Option<(usize, RightsFigures, u64)> {
        if self.force {
            return None;
        }
        let file = RightsFile::open(path, self.variant, material, self.metric).ok()?;
        let read = |key| file.table(key).ok().flatten();
        let all =
            file.keys().map(read).collect::<Option<Vec<Arc<RightsTable>>>>().filter(|_| file.is_current())?;
        Some((all.len(), figures(tables.book(), tables.scale(), &all), file.size_bytes()))
    }
}

fn figures(book: &RuleBook, scale: &Scale, tables: &[Arc<RightsTable>]) -> RightsFigures {
    let all = tables.iter().map(|table| RightsFigures::of(book, scale, table));
    all.fold(RightsFigures::default(), RightsFigures::with)
}
