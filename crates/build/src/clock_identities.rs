//! Compares values that change with the clock of the n-move rule with the tables of other metrics: what one
//! table says of all clocks, two others say of some.
//!
//! ```text
//!   dtz50 is d, at most the rule's plies   decided with the clock at c exactly for c ≤ rule − d
//!   dtm is at most the rule's plies        with the clock at 0 decided in as many plies
//!   dtm is more                            with the clock at 0 drawn, or decided in no fewer
//! ```

use library::{LibraryError, TableFiles};
use position::{Position, RuleBook};
use probe::Tablebase;
use proof::{Difference, Report};
use std::sync::atomic::{AtomicUsize, Ordering};
use table::{NEVER_DRAWN, Staircase, Table, Value, stands_for_itself, threads};
use variant::{Metric, Side};

/// The memory for blocks of a table that has left out a side to move.
const CACHE_BYTES: usize = 256 << 20;

/// Whether the file of a table has the columns that its column of `dtm50` is compared with.
pub(crate) fn has_others(files: &TableFiles, name: &str) -> bool {
    let edition = files.edition();
    let has = |metric: Metric| TableFiles::new(edition.under(metric), files.folder()).are_there(name);
    edition.variant().rules.rule_plies().is_some() && has(Metric::Dtz50) && has(Metric::Dtm)
}

/// Compares all values of a column of `dtm50`; those of a side to move that another column has left out only
/// if `derives`, since they take a thousand times as long. `progress` gets how many of how many pages are
/// done.
///
/// A side to move of the three tables is in memory at a time.
///
/// # Errors
/// A file is damaged.
pub(crate) fn compare(
    files: &TableFiles,
    name: &str,
    derives: bool,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<Report, LibraryError> {
    let rule = files.edition().variant().rules.rule_plies().unwrap_or_default();
    let file = files.open(name, Metric::Dtm50)?;
    let sides: Vec<Side> = file.layout().sides().iter().copied().filter(|&stm| file.keeps(stm)).collect();
    let n_done = AtomicUsize::new(0);
    let mut report = Report::default();
    for &stm in &sides {
        let own = files.read_with_steps(name, &[stm])?;
        let other = |metric| Other::open(files, name, metric, stm, derives);
        let (zeroing, mate) = (other(Metric::Dtz50)?, other(Metric::Dtm)?);
        let n_pages = own.clocked(stm).map_or(0, |clocked| clocked.pages.len());
        let one = |page: usize| -> Result<Report, LibraryError> {
            let mut report = Report::default();
            for (index, at_zero, staircase) in own.staircases(stm, page) {
                if at_zero == Value::Illegal || !stands_for_itself(own.layout(), index) {
                    continue;
                }
                let place = Place { table: &own, stm, index };
                let of_zeroing = |value| Some((value, agrees_with_zeroing(value, at_zero, &staircase, rule)));
                let of_mate = |value| Some((value, agrees_with_mate(value, at_zero, rule)?));
                let checks =
                    [zeroing.value(&place)?.and_then(of_zeroing), mate.value(&place)?.and_then(of_mate)];
                for (expected, agrees) in checks.into_iter().flatten() {
                    report.n_values += 1;
                    if !agrees {
                        report.add(|| place.difference(files, at_zero, expected));
                    }
                }
            }
            progress(n_done.fetch_add(1, Ordering::Relaxed) + 1, n_pages * sides.len());
            Ok(report)
        };
        let reports = threads::try_map(0..n_pages, one)?;
        report = reports.into_iter().fold(report, Report::joined);
    }
    Ok(report)
}

/// Whether a position is decided with the clocks at which `dtz50` says so.
fn agrees_with_zeroing(by_zeroing: Value, at_zero: Value, staircase: &Staircase, rule: u16) -> bool {
    match by_zeroing.ply().filter(|ply| ply.0 <= rule) {
        None => at_zero.wdl() == Some(0),
        // A loss without a move goes before the rule.
        Some(ply) if ply.0 == 0 => at_zero == by_zeroing && staircase.drawn_from == NEVER_DRAWN,
        Some(ply) => at_zero.wdl() == by_zeroing.wdl() && u16::from(staircase.drawn_from) == rule + 1 - ply.0,
    }
}

/// Whether the plies with the clock at 0 are those of `dtm`, or not fewer; none if `dtm` has a draw.
fn agrees_with_mate(by_mate: Value, at_zero: Value, rule: u16) -> Option<bool> {
    let ply = by_mate.ply()?;
    Some(match ply.0 <= rule {
        true => at_zero == by_mate,
        false => at_zero.ply().is_none_or(|own| own >= ply),
    })
}

/// A placement of a table that is a position.
struct Place<'a> {
    table: &'a Table,
    stm: Side,
    index: usize,
}

impl Place<'_> {
    fn position(&self) -> Position {
        let layout = self.table.layout();
        let placement = layout.decode(self.index);
        let men = layout.men().iter().copied().zip(placement.iter().copied());
        Position::from_men(men, self.stm).expect("a placement with a value")
    }

    fn difference(&self, files: &TableFiles, stored: Value, expected: Value) -> Difference {
        let book = RuleBook::new(files.edition().variant());
        Difference { fen: self.position().to_fen(&book), index: self.index, stm: self.stm, stored, expected }
    }
}

/// What a column that is compared with has of a side to move.
enum Other {
    Whole(Box<Table>),
    /// It is left out: values are those that moves lead to.
    Derived(Box<Tablebase>),
    /// It is left out, and nothing is compared.
    Absent,
}

impl Other {
    fn open(
        files: &TableFiles,
        name: &str,
        metric: Metric,
        stm: Side,
        derives: bool,
    ) -> Result<Self, LibraryError> {
        let own = TableFiles::new(files.edition().under(metric), files.folder());
        let is_kept = own.open_all(name)?.iter().all(|file| file.keeps(stm));
        Ok(match (is_kept, derives) {
            (true, _) => Other::Whole(Box::new(own.read_sides(name, &[stm])?)),
            (false, true) => Other::Derived(Box::new(files.tablebase(metric, CACHE_BYTES)?)),
            (false, false) => Other::Absent,
        })
    }

    /// The value of a position; none if nothing is compared.
    fn value(&self, place: &Place<'_>) -> Result<Option<Value>, LibraryError> {
        Ok(match self {
            Other::Whole(table) => Some(table.value(place.stm, place.index)),
            Other::Derived(tables) => Some(tables.value(&place.position())?),
            Other::Absent => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{agrees_with_mate, agrees_with_zeroing};
    use table::{NEVER_DRAWN, Ply, Staircase, Value};

    fn win(plies: u16) -> Value {
        Value::Win(Ply(plies))
    }

    #[test]
    fn a_position_is_decided_as_long_as_dtz50_says() {
        let agrees = |by_zeroing, at_zero, drawn_from| {
            let staircase = Staircase { drawn_from, steps: Vec::new() };
            agrees_with_zeroing(by_zeroing, at_zero, &staircase, 100)
        };
        assert!(agrees(win(61), win(69), 40));
        assert!(!agrees(win(61), win(69), 39), "drawn too early");
        assert!(!agrees(win(61), win(69), NEVER_DRAWN));
        assert!(!agrees(win(61), Value::Loss(Ply(69)), 40));
        assert!(agrees(win(101), Value::Draw, 0) && !agrees(win(101), win(101), 1));
        let mated = Value::Loss(Ply(0));
        assert!(agrees(mated, mated, NEVER_DRAWN) && !agrees(mated, mated, 100));
    }

    #[test]
    fn distances_at_clock_0_are_those_to_mate_or_longer() {
        let agrees = |by_mate, at_zero| agrees_with_mate(by_mate, at_zero, 100);
        assert_eq!(agrees(win(69), win(69)), Some(true));
        assert_eq!([agrees(win(69), win(71)), agrees(win(69), Value::Draw)], [Some(false); 2]);
        assert_eq!([agrees(win(131), win(133)), agrees(win(131), Value::Draw)], [Some(true); 2]);
        assert_eq!(agrees(win(131), win(129)), Some(false));
        assert_eq!(agrees(Value::Draw, win(1)), None);
    }
}
