//! `solve --metric dtm50`: refuses what values that change with the clock of the n-move rule are not solved
//! with.

use super::args::SolveArgs;
use super::helpmates::refuse;
use crate::args::WriteFormat;
use crate::{Failure, Outcome};
use ::solve::MOST_RULE_MOVES;
use variant::{Metric, Variant};

/// Refuses options that tables of `dtm50` do not have, and games without a clock.
///
/// # Errors
/// There is such an option, or no clock.
pub(super) fn check(args: &SolveArgs, variant: &Variant) -> Outcome<()> {
    if !args.metric.contains(&Metric::Dtm50) {
        return Ok(());
    }
    let is_tsm = |format: &WriteFormat| *format == WriteFormat::Tsm;
    let wrong = [
        (args.rights, "--rights: castling positions have a value, and not one for each clock"),
        (args.wins.is_some(), "--wins: both sides play against the clock"),
        (!args.write.iter().all(is_tsm), "--write: only our own files hold values for each clock"),
        (
            args.strategy.is_some_and(|strategy| strategy.strategy().is_logged()),
            "--strategy: it is solved in memory",
        ),
    ];
    refuse(Metric::Dtm50, &wrong)?;
    match variant.rules.n_move_rule.filter(|&n| n > 0) {
        None => Err(Failure::new(format!(
            "{} has no n-move rule, so that no clock matters: solve it with --metric dtm",
            variant.name
        ))),
        Some(n) if n > MOST_RULE_MOVES => Err(Failure::new(format!(
            "the rule of {} has {n} moves, and tables of dtm50 hold clocks of {MOST_RULE_MOVES} moves at most",
            variant.name
        ))),
        Some(_) => Ok(()),
    }
}

/// Refuses positions of many men, whose structures have no clock.
///
/// # Errors
/// `dtm50` is among the metrics.
pub(crate) fn refuse_positions(metrics: &[Metric]) -> Outcome<()> {
    match metrics.contains(&Metric::Dtm50) {
        true => Err(Failure::new(
            "dtm50 is solved for whole tables: solve fide --table KQvKR --metric dtm50, and ask with probe; \
             for a position take dtz50, which knows the rule, or dtm",
        )),
        false => Ok(()),
    }
}
