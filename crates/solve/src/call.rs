//! Defines what a caller gives a solve and hears from it: options, progress, and why a material cannot be
//! solved.

use geometry::Square;
use index::Layout;
use std::sync::atomic::{AtomicBool, Ordering};
use table::Ply;
use variant::{Man, Metric, Side};

/// How a material is to be solved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// The values that the table is to hold.
    pub metric: Metric,
    /// Two bytes a value from the start, for tables that are known to be deep.
    pub wide: bool,
    /// The only side whose wins are looked for: where the other one wins the value is a draw, in half the
    /// time. Tables that keep White to move only have all.
    pub attacker: Option<Side>,
}

impl Options {
    /// The sides whose wins are looked for in a table.
    pub(crate) fn attackers(self, layout: &Layout) -> Vec<Side> {
        let attacker = if self.metric == Metric::Help { Some(Side::White) } else { self.attacker };
        let is_asked = |side: &Side| layout.is_one_sided() || attacker.is_none_or(|own| own == *side);
        Side::BOTH.into_iter().filter(is_asked).collect()
    }
}

impl From<Metric> for Options {
    /// One byte a value as long as that suffices.
    fn from(metric: Metric) -> Self {
        Options { metric, wide: false, attacker: None }
    }
}

/// Watches work that takes a while, from any of its threads: a solve, or what consists of solves and has
/// steps of its own, as a build.
pub trait Progress<S = Step>: Sync {
    /// A step is done.
    fn step(&self, _step: &S) {}

    /// Whether [`Step::Found`] is to be reported; to count what a ply has found takes a little time.
    fn asks_for_plies(&self) -> bool {
        false
    }

    /// Whether the codes may take a second byte each from now on; asked once, where one byte does not
    /// suffice for a table in memory. If not, the table is not solved.
    fn may_widen(&self) -> bool {
        true
    }

    /// Whether the solve is to stop: between two plies, from where a log can be gone on with. What is in
    /// memory alone is lost. A slice of two royal men and pawns under `wdl`, which has no plies, is
    /// finished.
    fn is_interrupted(&self) -> bool {
        false
    }
}

/// The steps of a solve.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// The number of the table's placements that are done, and of all that it has.
    Placements(u64, u64),
    /// A ply of a pass has been found, in one slice of the table. Slices are solved side by side, but the
    /// plies of each are reported in order, White's wins first. A slice whose values have outgrown their
    /// codes is solved, and reported, again.
    Found(FoundPly),
    /// A ply of a pass for this side's wins is in the log, of a slice that is solved into one.
    Logged(Side, u32),
}

/// What one ply of a pass has found in a slice: placements, those that stand for the same position apart.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FoundPly {
    /// The pawns of the slice with their squares; none in a table without pawns.
    pub pawns: Vec<(Man, Square)>,
    /// The side whose wins the pass finds.
    pub attacker: Side,
    /// The ply; under `wdl` the number of the step.
    pub ply: Ply,
    /// How many placements the attacker, to move, wins in these plies.
    pub n_won: u64,
    /// How many placements his opponent, to move, loses in these plies.
    pub n_lost: u64,
}

/// A progress without a watcher.
#[derive(Clone, Copy, Debug)]
pub struct Unwatched;

impl<S> Progress<S> for Unwatched {}

/// A progress without a watcher, which ends when the flag is set.
impl<S> Progress<S> for AtomicBool {
    fn is_interrupted(&self) -> bool {
        self.load(Ordering::Relaxed)
    }
}

/// The reasons why a material cannot be solved.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SolveError {
    /// A capture or promotion leads to a table that is not there.
    #[error("{material} needs the table {needed}, which is not there; solve {needed} first")]
    Missing {
        /// The material being solved.
        material: String,
        /// The material that is needed.
        needed: String,
    },
    /// The log of a table cannot be written.
    #[error("{material} was not solved to the end, because its log cannot be written: {what}")]
    Log {
        /// The material being solved.
        material: String,
        /// What the system says.
        what: String,
    },
    /// A table that captures and promotions lead to, or a slice that is done, cannot be read.
    #[error("{material} was not solved to the end, because what it needs cannot be read: {what}")]
    Unreadable {
        /// The material being solved.
        material: String,
        /// What the system or the reader says.
        what: String,
    },
    /// The caller has stopped the solve; its log, if it has one, is there to go on with.
    #[error("{material} was interrupted")]
    Interrupted {
        /// The material being solved.
        material: String,
    },
    /// The clock of the n-move rule goes further than a table can hold.
    #[error("{material} has no table of dtm50: the n-move rule has more than {most_moves} moves")]
    ClockTooLong {
        /// The material being solved.
        material: String,
        /// The most moves that the rule may have.
        most_moves: u16,
    },
    /// The values of a metric depend on more than the check that leads to another table.
    #[error("{material} has no table of {metric}: checks are counted in it; solve dtm or another metric")]
    CountedChecks {
        /// The material being solved.
        material: String,
        /// The metric.
        metric: Metric,
    },
    /// A win takes longer than two bytes can hold.
    #[error("{material} has a win of more than {limit} plies, more than a table can hold")]
    TooDeep {
        /// The material being solved.
        material: String,
        /// The most plies that a table can hold.
        limit: u32,
    },
}
