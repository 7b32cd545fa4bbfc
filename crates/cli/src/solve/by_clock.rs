//! Refuses what tables of helpmates (`solve --metric help`), and of values that change with the clock of the
//! n-move rule (`--metric dtm50`), are not solved with.

use super::args::SolveArgs;
use crate::args::WriteFormat;
use crate::{Failure, Outcome};
use ::solve::MOST_RULE_MOVES;
use variant::{Metric, Variant};

/// Refuses options that tables of `help` or `dtm50` do not have.
///
/// # Errors
/// There is such an option.
pub(super) fn check_options(args: &SolveArgs) -> Outcome<()> {
    use Metric::{Dtm50, Help};
    let is_wins = args.wins.is_some();
    let is_logged = args.strategy.is_some_and(|strategy| strategy.strategy().is_logged());
    let is_other = args.write.iter().any(|&format| format != WriteFormat::Tsm);
    let wrong = [
        (Help, args.rights, "--rights: castling has no part in helpmates of few men"),
        (Help, is_wins, "--wins: KQvKR has White's mates, and KRvKQ Black's"),
        (Help, is_other, "--write: only our own files hold helpmates"),
        (Dtm50, args.rights, "--rights: castling positions have a value, and not one for each clock"),
        (Dtm50, is_wins, "--wins: both sides play against the clock"),
        (Dtm50, is_other, "--write: only our own files hold values for each clock"),
        (Dtm50, is_logged, "--strategy: it is solved in memory"),
    ];
    match wrong.iter().find(|(metric, is_given, _)| *is_given && args.metric.contains(metric)) {
        Some((metric, _, what)) => Err(Failure::new(format!("--metric {metric} cannot be used with {what}"))),
        None => Ok(()),
    }
}

/// Refuses to solve `dtm50` of games without a clock that it would go by.
///
/// # Errors
/// There is no such clock, or it is too long.
pub(super) fn check_clock(args: &SolveArgs, variant: &Variant) -> Outcome<()> {
    if !args.metric.contains(&Metric::Dtm50) {
        return Ok(());
    }
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
