//! Builds, counts and verifies the columns of positions with rights to castle.

use crate::TableLease;
use format::{FormatError, Metadata, Written, file_name, write_rights};
use library::{Edition, Fitting, LentTables, LibraryError, MemoryLimit, PROGRAM, TableFiles};
use plan::Plan;
use position::{Position, RuleBook};
use probe::{PositionValues, ProbeError, Tablebase};
use proof::{Difference, Report};
use rights::{RightsFile, RightsKey, RightsTable, RightsTables, VERSION};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use table::{Ply, Scale, Value, threads};
use variant::{Material, Metric, Side, Variant};

/// How many bytes of decompressed blocks are kept at most while rights are solved; of the memory that there
/// may be at most a quarter.
const CACHE_BYTES: u64 = 1 << 30;
const CACHE_SHARE: u64 = 4;

/// Tables of this many men are read whole.
const LARGE: usize = 5;

/// Solves positions with rights to castle from the tables of a folder, under one metric.
#[derive(Debug)]
pub struct RightsBuild<'a> {
    /// The rules.
    pub variant: &'a Variant,
    /// How values count.
    pub metric: Metric,
    /// The folder of the tables, into whose files the positions go.
    pub folder: &'a Path,
    /// The tables of other folders, which are asked where this one has none, and their files.
    pub lent: Option<Arc<LentTables>>,
    /// How many threads compute.
    pub n_threads: usize,
    /// Whether columns are made that are there already.
    pub force: bool,
    /// The memory that there may be.
    pub memory: MemoryLimit,
}

/// The column of one material with rights.
#[derive(Clone, Debug)]
pub struct BuiltRights {
    /// The material's name.
    pub name: String,
    /// How many choices of rights it has.
    pub n_choices: usize,
    /// What is in it.
    pub figures: RightsFigures,
    /// The bytes of the column.
    pub size_bytes: u64,
    /// How long it took; none if it was there before.
    pub time: Option<Duration>,
    /// The file of another folder that serves, if none was made.
    pub lent: Option<PathBuf>,
}

impl RightsBuild<'_> {
    /// Builds the columns of all materials of a plan in which a side can castle, in its order. Tells the
    /// name of each to `begun`, and passes each to `built`; how many materials have too many men.
    ///
    /// # Errors
    /// A table that is needed is not there or cannot be read, or a file cannot be written.
    pub fn run(
        &self,
        plan: &Plan,
        begun: &dyn Fn(&str),
        built: &mut dyn FnMut(BuiltRights) -> Result<(), LibraryError>,
    ) -> Result<usize, LibraryError> {
        let tables = Tablebase::open_with(
            &[self.folder.into()],
            self.variant,
            self.metric,
            self.cache_bytes() as usize,
        )?;
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
            if keys.iter().any(|key| RightsTables::check_size(self.variant, key).is_err()) {
                n_too_large += 1;
                continue;
            }
            begun(&job.name);
            built(self.column(&tables, &job.material, begun)?)?;
        }
        Ok(n_too_large)
    }

    fn cache_bytes(&self) -> u64 {
        CACHE_BYTES.min(self.memory.bytes / CACHE_SHARE)
    }

    /// The column of a material, made unless it is there.
    fn column(
        &self,
        tables: &Tablebase,
        material: &Material,
        begun: &dyn Fn(&str),
    ) -> Result<BuiltRights, LibraryError> {
        let name = material.name(self.variant);
        let file_name = file_name(&name);
        let path = self.folder.join(&file_name);
        let since = Instant::now();
        // One run at a time adds to a file; what it has made is there then.
        let _lease = TableLease::wait(&path, &mut |_| {
            begun(&format!("{name}, to whose file another run is adding"));
            true
        })?;
        let lent = self.lent.as_ref().map(|lent| lent.files(&file_name)).unwrap_or_default();
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
        let size_bytes = write(&path, self.variant, material, self.metric, &solved)?.size_bytes;
        let figures = figures(tables.book(), tables.scale(), &solved);
        let (n_choices, time) = (solved.len(), Some(since.elapsed()));
        Ok(BuiltRights { name, n_choices, figures, size_bytes, time, lent: None })
    }

    /// Refuses a material whose positions take too much memory while they are solved.
    fn check_memory(&self, material: &Material) -> Result<(), LibraryError> {
        let keys = RightsKey::all(self.variant, material);
        let solving =
            keys.iter().map(|key| RightsTable::footprint_bytes(self.variant, key)).max().unwrap_or(0);
        // All choices are kept until the file is written.
        let kept = keys.iter().map(|key| RightsTable::kept_bytes(self.variant, key)).sum::<u64>();
        let most = solving + kept;
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

    /// Reads the table of a material whole, if it is large: nearly every position of it is asked for, many
    /// of them several times.
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
        let all = file.tables().ok().filter(|_| file.is_current())?;
        Some((all.len(), figures(tables.book(), tables.scale(), &all), file.summary().size_bytes))
    }
}

/// Writes all choices of rights of a material into the file of its table.
fn write(
    path: &Path,
    variant: &Variant,
    material: &Material,
    metric: Metric,
    solved: &[Arc<RightsTable>],
) -> Result<Written, FormatError> {
    let choices = solved.iter().map(|table| (table.key().name(variant), table.codes())).collect::<Vec<_>>();
    let (program, solver_version) = (PROGRAM.into(), VERSION);
    let made = Metadata { program, variant: variant.name.clone(), solver_version, ..Metadata::default() };
    write_rights(path, variant, material, metric, &choices, made)
}

fn figures(book: &RuleBook, scale: &Scale, tables: &[Arc<RightsTable>]) -> RightsFigures {
    let all = tables.iter().map(|table| RightsFigures::of(book, scale, table));
    all.fold(RightsFigures::default(), RightsFigures::with)
}

/// The positions of some choices of men and rights.
///
/// A position is counted once for all that are the same to the players: with the colours exchanged. The
/// other symmetries of a board do not hold where a king castles to a given side.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct RightsFigures {
    /// By side to move: wins, draws and losses. What the n-move rule makes draws of is among the draws.
    pub results: [[u64; 3]; 2],
    /// The longest win of the side to move, if distances are counted: the first of equals.
    pub longest_win: Option<RightsLongest>,
    /// The longest loss.
    pub longest_loss: Option<RightsLongest>,
}

/// How many numbers of a table, from the first on, have all of its positions once.
fn n_counted(variant: &Variant, table: &RightsTable) -> usize {
    // Each position of such a table is there twice, once with either side to move.
    if table.key().is_own_image(variant) { table.n_numbers() / 2 } else { table.n_numbers() }
}

/// A position that takes longest.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RightsLongest {
    /// How long it takes.
    pub ply: Ply,
    /// The position.
    pub fen: String,
}

impl RightsFigures {
    /// Counts the positions of a table.
    #[must_use]
    pub fn of(book: &RuleBook, scale: &Scale, table: &RightsTable) -> Self {
        let variant = book.variant();
        let n_a_side = table.n_numbers() / 2;
        let mut figures = RightsFigures::default();
        let mut longest: [Option<(Ply, usize)>; 2] = [None; 2];
        for number in 0..n_counted(variant, table) {
            let value = table.value_of(number);
            let result = match value {
                Value::Illegal => continue,
                value if scale.is_cursed(value) => 1,
                Value::Win(_) => 0,
                Value::Draw | Value::Stalemate => 1,
                Value::Loss(_) => 2,
            };
            figures.results[usize::from(number >= n_a_side)][result] += 1;
            if let (Some(ply), true) = (value.ply(), result != 1) {
                let longest = &mut longest[result / 2];
                if longest.is_none_or(|(other, _)| ply > other) {
                    *longest = Some((ply, number));
                }
            }
        }
        let [win, loss] = longest.map(|longest| {
            let (ply, number) = longest.filter(|_| scale.metric() != Metric::Wdl)?;
            Some(RightsLongest { ply, fen: table.position(variant, number)?.to_fen(book) })
        });
        RightsFigures { longest_win: win, longest_loss: loss, ..figures }
    }

    /// How many positions there are.
    #[must_use]
    pub fn n_positions(&self) -> u64 {
        self.results.iter().flatten().sum()
    }

    /// How many there are with this side to move: wins, draws and losses.
    #[must_use]
    pub fn side(&self, stm: Side) -> [u64; 3] {
        self.results[stm.index()]
    }

    /// These and others together.
    #[must_use]
    pub fn with(mut self, other: RightsFigures) -> Self {
        for (own, other) in self.results.iter_mut().flatten().zip(other.results.as_flattened()) {
            *own += other;
        }
        let longer = |own: Option<RightsLongest>, other: Option<RightsLongest>| match (own, other) {
            (Some(own), Some(other)) if other.ply > own.ply => Some(other),
            (own, other) => own.or(other),
        };
        self.longest_win = longer(self.longest_win, other.longest_win);
        self.longest_loss = longer(self.longest_loss, other.longest_loss);
        self
    }
}

/// A position in which castling alone keeps the result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SoleCastling {
    /// The position, as EPD: the move, and its value.
    pub epd: String,
    /// Whether it wins; otherwise it draws, as a win does that comes too late for the rule.
    pub is_win: bool,
}

impl SoleCastling {
    /// All of them in a table, by number, with more than one legal move; on the caller's threads.
    ///
    /// # Errors
    /// A table that a move leads to is not there or cannot be read.
    pub fn all(tables: &Tablebase, table: &RightsTable) -> Result<Vec<Self>, ProbeError> {
        let numbers = 0..n_counted(tables.variant(), table);
        let found = threads::try_map(threads::stretches(numbers, STRETCH), |numbers| {
            let found = numbers.filter_map(|number| SoleCastling::of(tables, table, number).transpose());
            found.collect::<Result<Vec<Self>, ProbeError>>()
        })?;
        Ok(found.into_iter().flatten().collect())
    }

    fn of(tables: &Tablebase, table: &RightsTable, number: usize) -> Result<Option<Self>, ProbeError> {
        let value = table.value_of(number);
        let wdl = |value: Value| if tables.scale().is_cursed(value) { Some(0) } else { value.wdl() };
        let result = wdl(value).filter(|&wdl| wdl >= 0);
        let (Some(result), Some(position)) = (result, table.position(tables.variant(), number)) else {
            return Ok(None);
        };
        let legal = position.legal_moves(tables.book());
        if legal.len() < 2 || !legal.iter().any(|mv| mv.castling.is_some()) {
            return Ok(None);
        }
        let moves = tables.moves(&position)?;
        let mut as_good = moves.iter().filter(|rated| rated.value.value().and_then(wdl) == Some(result));
        let (Some(best), None) = (as_good.next(), as_good.next()) else { return Ok(None) };
        if best.mv.castling.is_none() {
            return Ok(None);
        }
        let fen = position.to_fen(tables.book());
        let san = position.san(tables.book(), best.mv);
        let epd = format!("{} bm {san}; c0 \"{value}\";", position::without_clocks(&fen));
        Ok(Some(SoleCastling { epd, is_win: result == 1 }))
    }
}

/// How many numbers are looked at one after the other.
const STRETCH: usize = 4096;

/// Verifies a column of these tables, or about this many of its placements if that is fewer, spread evenly,
/// on the caller's threads; `progress` gets how many more values are done.
///
/// With distances this proves the values, as far as those of the tables are right: a win points to a loss
/// that is nearer, down to a mate or to a table.
///
/// # Errors
/// The file is damaged, or a table that is needed is not there or cannot be read.
pub fn verify_rights(
    tables: &Tablebase,
    file: &RightsFile,
    most: u64,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Report, ProbeError> {
    let keys = file.keys();
    let n_all: u64 = keys.iter().map(|key| key.n_numbers(tables.variant()) / 2).sum();
    let one_in = n_all.div_ceil(most.max(1)).max(1) as usize;
    let mut report = Report::default();
    for key in keys {
        let table = file.table(key)?.expect("the file has this key");
        let n_stretches = table.n_numbers().div_ceil(STRETCH);
        // Of each choice of rights at least one stretch.
        let step = one_in.min(n_stretches).max(1);
        let stretches = threads::stretches(0..table.n_numbers(), STRETCH);
        let checked = threads::try_map(stretches.skip(step / 2).step_by(step), |range| {
            let n_values = range.len() as u64;
            let report = verify_stretch(tables, &table, range);
            progress(n_values);
            report
        });
        report = checked?.into_iter().fold(report, Report::joined);
    }
    Ok(report)
}

fn verify_stretch(
    tables: &Tablebase,
    table: &RightsTable,
    range: Range<usize>,
) -> Result<Report, ProbeError> {
    let mut report = Report::default();
    for number in range {
        let stored = table.value_of(number);
        let position = table.position(tables.variant(), number);
        let legal = position.as_ref().filter(|position| position.is_legal(tables.book()));
        let expected = match legal {
            None => Value::Illegal,
            Some(position) => {
                report.n_positions += 1;
                derived(tables, position, &mut report.n_successors)?
            }
        };
        report.n_values += 1;
        if stored != expected {
            let stm = Side::BOTH[usize::from(number >= table.n_numbers() / 2)];
            report.add(|| {
                let fen = name(tables.book(), position.as_ref(), number);
                Difference { fen, index: number, stm, stored, expected }
            });
        }
    }
    Ok(report)
}

/// The value of a position by the definition, from what the tables say of the positions that it leads to.
fn derived(tables: &Tablebase, position: &Position, n_successors: &mut u64) -> Result<Value, ProbeError> {
    let mut failed = None;
    let value = proof::derived(tables.book(), tables.scale(), position, |next| {
        *n_successors += 1;
        match tables.value_of_legal(next) {
            Ok(value) => Some(value),
            Err(error) => {
                failed.get_or_insert(error);
                None
            }
        }
    });
    match (value, failed) {
        (_, Some(error)) => Err(error),
        // A move to what no table has a place for.
        (value, None) => Ok(value.unwrap_or(Value::Illegal)),
    }
}

fn name(book: &RuleBook, position: Option<&Position>, number: usize) -> String {
    position.map_or_else(|| format!("number {number}"), |position| position.to_fen(book))
}

#[cfg(test)]
mod tests;
