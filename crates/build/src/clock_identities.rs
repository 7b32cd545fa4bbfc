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
use table::{Value, threads};
use variant::{Metric, Side};

/// The memory for blocks of the other tables.
const CACHE_BYTES: usize = 256 << 20;

/// How many placements are compared by a thread at a time.
const STRETCH: usize = 1 << 12;

/// Whether the file of a table has the columns that its column of `dtm50` is compared with.
pub(crate) fn has_others(files: &TableFiles, name: &str) -> bool {
    let edition = files.edition();
    let has = |metric: Metric| TableFiles::new(edition.under(metric), files.folder()).are_there(name);
    edition.variant().rules.rule_plies().is_some() && has(Metric::Dtz50) && has(Metric::Dtm)
}

/// Compares all values of a column of `dtm50`. `progress` gets how many placements of how many are done.
///
/// # Errors
/// A file is damaged.
pub(crate) fn compare(
    files: &TableFiles,
    name: &str,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<Report, LibraryError> {
    let edition = files.edition();
    let rule = edition.variant().rules.rule_plies().unwrap_or_default();
    let file = files.open(name, Metric::Dtm50)?;
    let (layout, book) = (file.layout().clone(), RuleBook::new(edition.variant()));
    let [zeroing, mate] = [Metric::Dtz50, Metric::Dtm].map(|metric| files.tablebase(metric, CACHE_BYTES));
    let (zeroing, mate): (Tablebase, Tablebase) = (zeroing?, mate?);
    let sides = Side::BOTH.into_iter().filter(|&stm| file.keeps(stm));
    let (n_all, n_done) = (layout.len() * sides.clone().count(), AtomicUsize::new(0));
    let starts = sides.flat_map(|stm| (0..layout.len()).step_by(STRETCH).map(move |start| (stm, start)));
    let one = |(stm, start): (Side, usize)| -> Result<Report, LibraryError> {
        let (mut report, places) = (Report::default(), start..layout.len().min(start + STRETCH));
        let n_own = places.len();
        for index in places {
            let placement = layout.decode(index);
            let men = layout.men().iter().copied().zip(placement.iter().copied());
            let Some(position) = Position::from_men(men, stm).filter(|position| position.is_legal(&book))
            else {
                continue;
            };
            if !layout.is_canonical(index, &placement) {
                continue;
            }
            let (by_zeroing, by_mate) = (zeroing.value(&position)?, mate.value(&position)?);
            let at_zero = file.value(stm, index)?;
            let drawn_from = file.changes(stm, index)?.last().map(|&clock| clock as u16);
            let real = by_zeroing.ply().filter(|ply| ply.0 <= rule);
            let mut expect = |expected: Value, is_right: bool| {
                report.n_values += 1;
                if !is_right {
                    let fen = position.to_fen(&book);
                    report.add(|| Difference { fen, index, stm, stored: at_zero, expected });
                }
            };
            match real {
                None => expect(Value::Draw, at_zero.wdl() == Some(0)),
                // A loss without a move goes before the rule.
                Some(ply) if ply.0 == 0 => expect(by_zeroing, at_zero == by_zeroing && drawn_from.is_none()),
                Some(ply) => {
                    expect(
                        by_zeroing,
                        at_zero.wdl() == by_zeroing.wdl() && drawn_from == Some(rule + 1 - ply.0),
                    );
                }
            }
            match by_mate.ply() {
                Some(ply) if ply.0 <= rule => expect(by_mate, at_zero == by_mate),
                Some(ply) => expect(by_mate, at_zero.ply().is_none_or(|own| own >= ply)),
                None => {}
            }
        }
        progress(n_done.fetch_add(n_own, Ordering::Relaxed) + n_own, n_all);
        Ok(report)
    };
    let reports = threads::try_map(starts, one)?;
    Ok(reports.into_iter().fold(Report::default(), Report::joined))
}
