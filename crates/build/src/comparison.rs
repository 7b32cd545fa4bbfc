//! Compares the tables of a folder with flat and Syzygy files, position by position, and keeps the first
//! differences.

use crate::exchange::{Report, for_each_table, plan_for};
use ::syzygy::{Agreement, Family, FileKind, Score, SyzygyTablebase};
use export::flat::{FlatTablebase, Form, parse_file_name};
use geometry::Square;
use index::Layout;
use library::figure::plies;
use library::{LibraryError, PlannedTables, TableFiles};
use position::{Position, RuleBook};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use table::{Scale, Value, threads};
use variant::{Man, Material, Metric, Side, Variant};

/// How many differences of a table are kept.
const MAX_LISTED: usize = 10;

/// How many placements a thread takes at a time.
const STRETCH: usize = 1 << 12;

/// How much of tables is compared.
#[derive(Clone, Copy, Debug)]
pub struct Amount {
    /// Tables of up to this many men are compared whole.
    pub max_men_whole: usize,
    /// How many placements of larger tables are compared, with each side to move.
    pub n_placements: u64,
}

impl Amount {
    /// How far apart the placements are that are compared of a table that is not compared whole.
    fn step(self, layout: &Layout) -> usize {
        (layout.len() / (self.n_placements as usize).max(1)).max(1)
    }
}

/// What comparing one table has shown.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Comparison {
    /// How many positions were compared.
    pub n_positions: u64,
    /// How many distances are a ply short because the file counts moves.
    pub n_rounded: u64,
    /// How many differences there are.
    pub n_differences: u64,
    /// The first of them, each in words: the position, what the file says, and what the table says.
    pub differences: Vec<String>,
    /// Why the table was not compared, if it was not: something is missing.
    pub missing: Option<String>,
}

impl Comparison {
    /// Goes through one placement of a layout in `step` with each side to move, on the caller's threads, and
    /// has the canonical ones compared, each by its number and the squares of its men.
    pub(crate) fn of_placements(
        layout: &Layout,
        step: usize,
        compare: impl Fn(Side, usize, &[Square], &mut Comparison) -> Result<(), LibraryError> + Sync,
    ) -> Result<Comparison, LibraryError> {
        let stretches = || threads::stretches(0..layout.len(), STRETCH * step);
        let all = layout.sides().iter().flat_map(|&stm| stretches().map(move |places| (stm, places)));
        let compared = threads::try_map(all, |(stm, places)| {
            let mut found = Comparison::default();
            for index in places.step_by(step) {
                let placement = layout.decode(index);
                if layout.is_canonical(index, &placement) {
                    compare(stm, index, &placement, &mut found)?;
                }
            }
            Ok::<_, LibraryError>(found)
        })?;
        Ok(compared.into_iter().fold(Comparison::default(), Comparison::with))
    }

    /// What comes of comparing a table: what is missing is not compared, and what is damaged differs.
    ///
    /// # Errors
    /// Something else is in the way.
    pub(crate) fn of_result(result: Result<Comparison, LibraryError>) -> Result<Comparison, LibraryError> {
        result.or_else(|error| {
            let text = error.to_string();
            match error {
                error if error.is_missing() => {
                    Ok(Comparison { missing: Some(text), ..Comparison::default() })
                }
                LibraryError::Format(_)
                | LibraryError::Flat(_)
                | LibraryError::Syzygy(_)
                | LibraryError::Probe(_) => {
                    let mut found = Comparison::default();
                    found.differ(|| text);
                    Ok(found)
                }
                error => Err(error),
            }
        })
    }

    /// Counts a difference, and keeps it if it is one of the first.
    pub(crate) fn differ(&mut self, difference: impl FnOnce() -> String) {
        self.n_differences += 1;
        if self.differences.len() < MAX_LISTED {
            self.differences.push(difference());
        }
    }

    /// This comparison and another one of the same table, or of another.
    #[must_use]
    pub fn with(mut self, other: Comparison) -> Comparison {
        self.n_positions += other.n_positions;
        self.n_rounded += other.n_rounded;
        self.n_differences += other.n_differences;
        let room = MAX_LISTED - self.differences.len();
        self.differences.extend(other.differences.into_iter().take(room));
        self.missing = self.missing.or(other.missing);
        self
    }
}

/// What a flat file says of a position, and what it should say.
fn values_differ(fen: &str, read: Value, expected: Value) -> String {
    format!("{fen}: {}, expected {}", in_words(read), in_words(expected))
}

/// What a Syzygy file says of a position, and what it should say.
fn scores_differ(fen: &str, read: Score, expected: Score) -> String {
    format!("{fen}: WDL {} and DTZ {}, expected {} and {}", read.wdl, read.dtz, expected.wdl, expected.dtz)
}

/// A value as people read it.
fn in_words(value: Value) -> String {
    match value {
        Value::Illegal => "not a position".into(),
        Value::Draw => "draw".into(),
        Value::Stalemate => "stalemate".into(),
        Value::Win(ply) => format!("win in {}", plies(ply.0)),
        Value::Loss(ply) => format!("loss in {}", plies(ply.0)),
    }
}

/// How many bytes of decompressed blocks are kept of tables that are probed.
const CACHE_BYTES: usize = 256 << 20;

/// A position with what the tables say of it.
struct Expected<'a> {
    book: &'a RuleBook,
    position: &'a Position,
    men: &'a [(Man, Square)],
    value: Value,
}

/// Compares positions of these tables, on the caller's threads: all of those that are compared whole, and a
/// sample of the others. `check` is called before each table.
fn compare_tables<E: From<LibraryError>>(
    own: &TableFiles,
    amount: Amount,
    wanted: &BTreeSet<Material>,
    check: impl Fn(&Material) -> Result<(), LibraryError>,
    compare: impl Fn(&Expected<'_>, &mut Comparison) -> Result<(), LibraryError> + Sync,
    report: Report<'_, Comparison, E>,
) -> Result<(), E> {
    let edition = own.edition();
    let (plan, book) = (plan_for(edition.variant(), wanted)?, RuleBook::new(edition.variant()));
    let tablebase = own.tablebase(edition.metric(), CACHE_BYTES).map_err(LibraryError::from)?;
    // One that cannot be opened is reported when its turn comes.
    let opened = |material: &Material| own.open_all(&material.name(edition.variant()));
    let whole = wanted.iter().filter(|material| material.n_men() <= amount.max_men_whole);
    let whole: BTreeSet<Material> = whole.filter(|material| opened(material).is_ok()).cloned().collect();
    let mut tables = PlannedTables::new(own, &plan, &whole)?;
    let work = |tables: &PlannedTables<'_>, place| {
        let material = &plan.job(place).material;
        let layout = Layout::new(edition.variant(), material);
        let compared = (|| {
            opened(material)?;
            let table = whole.contains(material).then(|| tables.get(place)).transpose()?;
            check(material)?;
            let step = if table.is_some() { 1 } else { amount.step(&layout) };
            Comparison::of_placements(&layout, step, |stm, index, placement, found| {
                let men: Vec<_> = layout.men().iter().copied().zip(placement.iter().copied()).collect();
                let position = Position::of_material(layout.material(), men.iter().copied(), stm);
                let Some(position) = position else { return Ok(()) };
                let value = match &table {
                    Some(table) => table.value(stm, index),
                    None => tablebase.value(&position)?,
                };
                compare(&Expected { book: &book, position: &position, men: &men, value }, found)
            })
        })();
        Comparison::of_result(compared)
    };
    for_each_table(&plan, &mut tables, wanted, work, report)
}

/// What the flat files among these hold: by metric, by form, and by whether they have all squares of the
/// pawns, the canonical materials.
#[must_use]
pub fn flat_materials(
    variant: &Variant,
    files: &[PathBuf],
) -> BTreeMap<(Metric, Form, bool), BTreeSet<Material>> {
    let mut contents: BTreeMap<_, BTreeSet<Material>> = BTreeMap::new();
    for name in files.iter().filter_map(|file| file.file_name()?.to_str()) {
        if let Some((flat, metric, form)) = parse_file_name(variant, name) {
            let key = (metric, form, flat.has_all_squares());
            contents.entry(key).or_default().insert(flat.material().clone());
        }
    }
    contents
}

/// Compares tables with flat files.
#[derive(Clone, Copy, Debug)]
pub struct FlatComparison<'a> {
    /// The tables.
    pub own: &'a TableFiles,
    /// The flat files.
    pub files: &'a FlatTablebase,
    /// How much of each table is compared.
    pub amount: Amount,
}

impl FlatComparison<'_> {
    /// Compares these tables, on the caller's threads.
    ///
    /// # Errors
    /// A file of a table is missing or damaged, or `report` fails; damaged flat files and values that differ
    /// are no errors, but in the comparison.
    pub fn run<E: From<LibraryError>>(
        &self,
        wanted: &BTreeSet<Material>,
        report: Report<'_, Comparison, E>,
    ) -> Result<(), E> {
        let check = |material: &Material| Ok(self.files.verify_checksums(material)?);
        compare_tables(self.own, self.amount, wanted, check, |one, found| self.compare(one, found), report)
    }

    fn compare(&self, one: &Expected<'_>, found: &mut Comparison) -> Result<(), LibraryError> {
        let Expected { book, position, value: expected, .. } = *one;
        let read = self.files.value(one.men, position.stm())?;
        let read = read.map_or(Value::Illegal, |(value, _)| value);
        let scale = Scale::new(self.files.metric(), &book.variant().rules);
        let is_same = match self.files.form() {
            Form::Distances => read == expected,
            Form::Wdl if scale.is_cursed(expected) => read == Value::Draw,
            Form::Wdl => read.wdl() == expected.wdl(),
        };
        found.n_positions += u64::from(expected != Value::Illegal);
        if !is_same {
            found.differ(|| values_differ(&position.to_fen(book), read, expected));
        }
        Ok(())
    }
}

/// Compares tables of `wdl` and `dtz50` with Syzygy files.
#[derive(Clone, Copy, Debug)]
pub struct SyzygyComparison<'a> {
    /// The tables.
    pub own: &'a TableFiles,
    /// The folder that has the Syzygy files.
    pub against: &'a Path,
    /// How much of each table is compared.
    pub amount: Amount,
}

impl SyzygyComparison<'_> {
    /// Whether a material has Syzygy files of both kinds, of any game.
    #[must_use]
    pub fn has_files(&self, material: &Material) -> bool {
        let name = material.name(self.own.edition().variant());
        let has = |family: &Family| {
            let path = |kind| self.against.join(family.file_name(kind, &name));
            [FileKind::Wdl, FileKind::Dtz].into_iter().all(|kind| path(kind).exists())
        };
        Family::ALL.iter().any(has)
    }

    /// Compares these tables, on the caller's threads.
    ///
    /// # Errors
    /// A file is missing or damaged, or `report` fails; that values differ is no error, but in the
    /// comparison.
    pub fn run<E: From<LibraryError>>(
        &self,
        wanted: &BTreeSet<Material>,
        report: Report<'_, Comparison, E>,
    ) -> Result<(), E> {
        let files = SyzygyTablebase::open_for_all(self.against, self.own.edition().variant());
        let compare = |one: &Expected<'_>, found: &mut Comparison| compare_score(&files, one, found);
        compare_tables(self.own, self.amount, wanted, |_| Ok(()), compare, report)
    }
}

fn compare_score(
    files: &SyzygyTablebase,
    one: &Expected<'_>,
    found: &mut Comparison,
) -> Result<(), LibraryError> {
    let Expected { book, position, value, .. } = *one;
    let Some(expected) = Score::of_game(book.variant(), value).filter(|_| position.is_legal(book)) else {
        return Ok(());
    };
    let read = files.score(position)?;
    let counts_plies = files.counts_plies(position)?;
    found.n_positions += 1;
    match expected.agreement(read, counts_plies) {
        Agreement::Same => {}
        Agreement::Rounded => found.n_rounded += 1,
        Agreement::Different => {
            found.differ(|| scores_differ(&position.to_fen(book), read, expected));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::comparison::{Comparison, values_differ};
    use table::{Ply, Value};

    #[test]
    fn the_first_differences_of_all_parts_are_kept() {
        let part = |n: u16| {
            let mut part = Comparison { n_positions: 9, n_rounded: 1, ..Comparison::default() };
            for ply in 0..n {
                part.differ(|| values_differ("8/8 w", Value::Win(Ply(ply)), Value::Draw));
            }
            part
        };
        let both = part(7).with(part(7));
        assert_eq!((both.n_positions, both.n_rounded, both.n_differences), (18, 2, 14));
        assert_eq!(both.differences.len(), 10);
        assert_eq!(both.differences[1], "8/8 w: win in 1 ply, expected draw");
        assert_eq!(both.differences[9], "8/8 w: win in 2 plies, expected draw");
    }
}
