//! Verifies a finished table: derives every value again from the values that its moves lead to, and
//! describes the positions about which table and proof disagree.
//!
//! The unit of work is a stretch of placements; stretches are checked in parallel and the report is the same
//! for any number of threads. The crate's header says why this is a proof; of a sample it proves that what
//! was looked at is consistent with what it leads to, and that is all.

use crate::derivation::{derived, exits};
use crate::reading::Tables;
use crate::{Find, Values};
use index::Layout;
use position::{Position, RuleBook};
use rayon::prelude::*;
use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use table::{Missing, Scale, Value};
use variant::{Man, Metric, Side, Variant};

/// The most differences that a report lists; all are counted.
const MAX_LISTED: usize = 100;

/// How many placements are looked at one after the other: where the outermost free men stand still, so that
/// the moves of them all lead to few places of the tables, which are read once and then remembered.
const STRETCH: usize = 4096;

/// How much of a table is verified.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sample {
    /// Every placement.
    All,
    /// At least this many placements with each side to move, if there are as many, like men exchanged not
    /// counted again: stretches of 4,096, spread evenly over the table.
    Placements(u64),
    /// As many, at places that are known only with the seed.
    Random {
        /// How many.
        n_placements: u64,
        /// The seed.
        seed: u64,
    },
}

impl Sample {
    /// The stretches of a table that belong to the sample.
    pub(crate) fn stretches(self, n_placements: usize) -> Vec<Range<usize>> {
        let n_all = n_placements.div_ceil(STRETCH);
        let most = |n: u64| n_all.min(usize::try_from(n).unwrap_or(usize::MAX).div_ceil(STRETCH));
        let (n, seed) = match self {
            Sample::All => (n_all, None),
            Sample::Placements(n) => (most(n), None),
            Sample::Random { n_placements, seed } => (most(n_placements), Some(seed)),
        };
        // The middle ones of this many equal parts, or one of each part.
        let place = |i: usize| match seed {
            None => ((2 * i + 1) as u128 * n_all as u128 / (2 * n) as u128) as usize,
            Some(seed) => {
                let part = |i: usize| (i as u128 * n_all as u128 / n as u128) as usize;
                part(i) + (mixed(seed, i as u64) % (part(i + 1) - part(i)) as u64) as usize
            }
        };
        let range = |first: usize| first * STRETCH..n_placements.min((first + 1) * STRETCH);
        (0..n).map(|i| range(place(i))).collect()
    }
}

/// A number that looks like chance: the finisher of SplitMix64.
fn mixed(seed: u64, i: u64) -> u64 {
    let mut mixed = seed.wrapping_add(i.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    for (shift, factor) in [(30, 0xbf58_476d_1ce4_e5b9), (27, 0x94d0_49bb_1331_11eb)] {
        mixed = (mixed ^ (mixed >> shift)).wrapping_mul(factor);
    }
    mixed ^ (mixed >> 31)
}

/// Why a table cannot be verified.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum VerifyError {
    /// The table of a material is needed and not there.
    Missing(Missing),
    /// Values cannot be read; their reader knows why.
    Unreadable,
}

/// What a verification has found.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Report {
    /// How many stored values were looked at.
    pub n_values: u64,
    /// How many of them belong to legal positions whose moves were made.
    pub n_positions: u64,
    /// How many successors were looked up.
    pub n_successors: u64,
    /// How many values are wrong.
    pub n_differences: u64,
    /// The first of the wrong values, by side to move and number.
    pub differences: Vec<Difference>,
}

impl Report {
    /// Whether every value that was looked at is right.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.n_differences == 0
    }

    /// Counts a wrong value, and lists it if there is room.
    pub fn add(&mut self, difference: impl FnOnce() -> Difference) {
        self.n_differences += 1;
        if self.differences.len() < MAX_LISTED {
            self.differences.push(difference());
        }
    }

    /// This report and another one; of the differences as many as are listed.
    #[must_use]
    pub fn joined(mut self, other: Report) -> Report {
        self.n_values += other.n_values;
        self.n_positions += other.n_positions;
        self.n_successors += other.n_successors;
        self.n_differences += other.n_differences;
        let room = MAX_LISTED - self.differences.len();
        self.differences.extend(other.differences.into_iter().take(room));
        self
    }
}

/// How a table is to be verified.
#[derive(Clone, Copy)]
pub struct VerifyOptions<'a> {
    /// The metric of the table's values.
    pub metric: Metric,
    /// The side whose wins alone the table has, if it has not those of both: where the other side wins it
    /// says that no side does.
    pub winner: Option<Side>,
    /// How much of the table is looked at.
    pub sample: Sample,
    /// Whether a stored value is right, given the one derived from values of which some may be rounded: of
    /// rounded distances equality cannot be asked.
    pub is_alike: &'a (dyn Fn(Value, Value) -> bool + Sync),
    /// Called with the stretches done and all stretches, from any thread.
    pub progress: &'a (dyn Fn(usize, usize) + Sync),
}

impl VerifyOptions<'static> {
    /// Every value of a table of this metric has to be the derived one; no report says how far it is.
    #[must_use]
    pub fn new(metric: Metric) -> Self {
        VerifyOptions {
            metric,
            winner: None,
            sample: Sample::All,
            is_alike: &|stored, derived| stored == derived,
            progress: &|_, _| {},
        }
    }
}

/// Verifies a table; `others` has the tables that its captures and promotions lead to, of the same metric or
/// of any that holds what this one needs (the table itself need not be among them).
///
/// Of a table without distances this is no proof: see [`verify_wdl`].
///
/// # Errors
/// A table that is needed is not there, or a value cannot be read.
pub fn verify(
    variant: &Variant,
    values: &dyn Values,
    others: &dyn Find,
    options: &VerifyOptions<'_>,
) -> Result<Report, VerifyError> {
    let book = RuleBook::new(variant);
    let scale = Scale::new(options.metric, &variant.rules);
    let exits = exits(variant, values.layout().material());
    let tables = Tables::new(variant, scale, &exits, |material| others.find(material));
    let tables = tables.map_err(VerifyError::Missing)?;
    let reading = tables.reading(&book, Some(values));
    let expected = |position: &Position, (stm, _): (Side, usize), n_successors: &mut u64| {
        let value = derived(&book, &scale, position, |next| {
            *n_successors += 1;
            reading.value(next)
        })?;
        Some(options.winner.map_or(value, |winner| value.of_winner(stm, winner)))
    };
    // One side's wins do not tell its stalemates from other draws.
    let may_hide = options.winner.is_some();
    let is_alike = |stored: Value, derived: Value| {
        let is_hidden = may_hide && stored == Value::Draw && derived == Value::Stalemate;
        is_hidden || (options.is_alike)(stored, derived)
    };
    let end_of_clock = scale.clock_plies().map_or(0, u32::from);
    let verifier = Verifier { book: &book, values, expected: &expected, is_alike: &is_alike, end_of_clock };
    verifier.verify(options.sample, options.progress)
}

/// Verifies a table without distances against one of the same material with distances of whatever kind, which
/// has been verified: both have to say the same of who wins.
///
/// Wins without distances can hold each other up: each follows from the next, and none ever ends. Distances
/// cannot, since they grow smaller from move to move.
///
/// # Errors
/// A value cannot be read.
pub fn verify_wdl(
    variant: &Variant,
    values: &dyn Values,
    counted: &dyn Values,
    sample: Sample,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<Report, VerifyError> {
    let expected = |_: &Position, (stm, index): (Side, usize), _: &mut u64| {
        counted.value(stm, index).map(Value::without_distance)
    };
    let (book, is_alike) = (RuleBook::new(variant), |stored, derived| stored == derived);
    Verifier { book: &book, values, expected: &expected, is_alike: &is_alike, end_of_clock: 0 }
        .verify(sample, progress)
}

/// In how many ways the like free men of a placement can be exchanged; all but one of them have no value of
/// their own.
fn n_exchanges(layout: &Layout) -> u64 {
    let free: Vec<Man> = layout.free().iter().map(|&i| layout.men()[i]).collect();
    free.chunk_by(|a, b| a == b).map(|like| (1..=like.len() as u64).product::<u64>()).product()
}

/// What the value of a legal position should be, given its place in the table; none if that cannot be read.
/// Counts the successors that are looked up.
type Expected<'a> = dyn Fn(&Position, (Side, usize), &mut u64) -> Option<Value> + Sync + 'a;

/// Whether a stored value is right, given the derived one.
type IsAlike<'a> = dyn Fn(Value, Value) -> bool + Sync + 'a;

struct Verifier<'a> {
    book: &'a RuleBook,
    values: &'a dyn Values,
    expected: &'a Expected<'a>,
    is_alike: &'a IsAlike<'a>,
    /// The plies of the n-move rule if values change with its clock, or else 0.
    end_of_clock: u32,
}

impl Verifier<'_> {
    fn verify(
        &self,
        sample: Sample,
        progress: &(dyn Fn(usize, usize) + Sync),
    ) -> Result<Report, VerifyError> {
        let layout = self.values.layout();
        let sides = Side::BOTH.into_iter().filter(|&stm| self.values.keeps(stm));
        let exchanged = |n: u64| n.saturating_mul(n_exchanges(layout));
        let sample = match sample {
            Sample::Placements(n) => Sample::Placements(exchanged(n)),
            Sample::Random { n_placements, seed } => {
                Sample::Random { n_placements: exchanged(n_placements), seed }
            }
            Sample::All => Sample::All,
        };
        let stretches = sample.stretches(layout.len());
        let work: Vec<(Side, &Range<usize>)> =
            sides.flat_map(|stm| stretches.iter().map(move |stretch| (stm, stretch))).collect();
        let done = AtomicUsize::new(0);
        let checked: Option<Vec<Report>> = work
            .par_iter()
            .map(|&(stm, stretch)| {
                let report = self.verify_stretch(stm, stretch.clone());
                progress(done.fetch_add(1, Ordering::Relaxed) + 1, work.len());
                report
            })
            .collect();
        let checked = checked.ok_or(VerifyError::Unreadable)?;
        Ok(checked.into_iter().fold(Report::default(), Report::joined))
    }

    /// What a stretch holds; none if a value cannot be read.
    fn verify_stretch(&self, stm: Side, stretch: Range<usize>) -> Option<Report> {
        let layout = self.values.layout();
        let mut report = Report::default();
        for index in stretch {
            let placement = layout.decode(index);
            let men = layout.men().iter().copied().zip(placement.iter().copied());
            let position = Position::of_material(layout.material(), men, stm);
            let legal = position.as_ref().filter(|position| position.is_legal(self.book));
            let canonical = legal.and_then(|_| layout.encode(&placement));
            if !self.values.is_whole() && canonical != Some(index) {
                continue;
            }
            let expected = match legal.zip(canonical) {
                None => Value::Illegal,
                // Like men exchanged, or an image: the value must be that of the number that stands for it.
                Some((_, canonical)) if canonical != index => self.values.value(stm, canonical)?,
                Some((position, _)) => {
                    report.n_positions += 1;
                    (self.expected)(position, (stm, index), &mut report.n_successors)?
                }
            };
            let stored = self.values.value(stm, index)?;
            report.n_values += 1;
            if !(self.is_alike)(stored, expected) {
                let place = (stm, index);
                report.add(|| Difference::new(self.book, position.as_ref(), place, stored, expected));
            }
            if let Some(position) = legal.filter(|_| self.end_of_clock > 0 && canonical == Some(index)) {
                self.verify_clocks(position, (stm, index), &mut report)?;
            }
        }
        Some(report)
    }

    /// Verifies a position at the clocks before and at which its value changes.
    ///
    /// Nothing else needs to be looked at: the values that moves lead to become draws or longer with the
    /// clock and never shorter, and so does the best of them, so one that is right at both ends of an
    /// interval is right within it.
    fn verify_clocks(
        &self,
        position: &Position,
        (stm, index): (Side, usize),
        report: &mut Report,
    ) -> Option<()> {
        let changes = self.values.changes(stm, index)?;
        let around = changes.iter().flat_map(|&clock| [clock - 1, clock]);
        // The end of the clock is a draw by definition.
        let around = around.filter(|clock| (1..self.end_of_clock).contains(clock));
        let mut clocks: Vec<u32> = around.collect();
        clocks.dedup();
        let mut before = self.values.value(stm, index)?;
        for clock in clocks {
            let now = position.clone().with_halfmove_clock(clock);
            let expected = (self.expected)(&now, (stm, index), &mut report.n_successors)?;
            let stored = self.values.value_at(stm, index, clock)?;
            report.n_values += 1;
            let is_longer = stored.ply().is_none() || stored.ply() >= before.ply();
            if !(self.is_alike)(stored, expected) || !is_longer {
                report.add(|| Difference::new(self.book, Some(&now), (stm, index), stored, expected));
            }
            before = stored;
        }
        Some(())
    }
}

/// A stored value that is not what it should be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// The position; where men share a square, what can be said of it.
    pub fen: String,
    /// The number of the placement in the table.
    pub index: usize,
    /// The side to move.
    pub stm: Side,
    /// The value in the table.
    pub stored: Value,
    /// The value that follows from the rules.
    pub expected: Value,
}

impl Difference {
    pub(crate) fn new(
        book: &RuleBook,
        position: Option<&Position>,
        (stm, index): (Side, usize),
        stored: Value,
        expected: Value,
    ) -> Self {
        let fen = match position {
            Some(position) => position.to_fen(book),
            None => format!("placement {index}, where two men share a square"),
        };
        Difference { fen, index, stm, stored, expected }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: stored {:?}, expected {:?}", self.fen, self.stored, self.expected)
    }
}
