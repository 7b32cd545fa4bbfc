//! Names the metrics: what a table holds of a position beside who wins.
//!
//! All distances are plies; the winner hurries and the loser delays, but under `help`. The metrics differ in
//! what the plies lead to:
//!
//! | metric | a win in n plies reaches |
//! | --- | --- |
//! | `wdl` | nothing is counted |
//! | `dtc` | mate, or a capture or promotion into a won position |
//! | `dtz` | mate, or a capture or pawn move into a won position |
//! | `dtz50` | the same, under the n-move rule: a cursed win counts more plies than the rule allows |
//! | `dtm` | mate |
//! | `dtm50` | mate, under the n-move rule, whose clock both sides know |
//! | `help` | mate, of Black, which both sides want: a helpmate |
//!
//! Under `help` the colours are not alike: see [`Variant::for_metric`](crate::Variant::for_metric).

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// What a table holds of a position.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Metric {
    /// Who wins, without a distance and without the n-move rule.
    Wdl,
    /// Plies to mate or to a conversion: a capture or a promotion.
    Dtc,
    /// Plies to mate or to a move that sets the n-move rule's clock to zero: a capture or a pawn move.
    Dtz,
    /// As `Dtz`, and who wins under the n-move rule: a distance beyond the rule is a win or a loss that the
    /// rule turns into a draw. With a rule of another length than fifty moves it is that one.
    Dtz50,
    /// Plies to mate, without the n-move rule.
    Dtm,
    /// Plies until White has won if both sides want it, without the n-move rule. A draw is what never ends
    /// so.
    Help,
    /// Plies to mate under the n-move rule, with the rule's clock at 0; a table of it holds what changes with
    /// the clock, too. A draw is what the rule makes one.
    Dtm50,
}

impl Metric {
    /// The metrics of a contest, in which each side wants to win.
    pub const OF_CONTEST: [Metric; 5] = [Metric::Wdl, Metric::Dtc, Metric::Dtz, Metric::Dtz50, Metric::Dtm];

    /// The metrics that have one value a position, whatever stands on the clock of the n-move rule.
    pub const WITHOUT_CLOCK: [Metric; 6] =
        [Metric::Wdl, Metric::Dtc, Metric::Dtz, Metric::Dtz50, Metric::Dtm, Metric::Help];

    /// All metrics.
    pub const ALL: [Metric; 7] =
        [Metric::Wdl, Metric::Dtc, Metric::Dtz, Metric::Dtz50, Metric::Dtm, Metric::Help, Metric::Dtm50];

    /// The name in files and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Metric::Wdl => "wdl",
            Metric::Dtc => "dtc",
            Metric::Dtz => "dtz",
            Metric::Dtz50 => "dtz50",
            Metric::Dtm => "dtm",
            Metric::Dtm50 => "dtm50",
            Metric::Help => "help",
        }
    }

    /// The metric that tables of captures and promotions must hold for a table of this one to be solved.
    ///
    /// A conversion ends what `dtc` and `dtz` count, so behind it only the winner matters; `dtz50` also needs
    /// to know whether the win will be cursed.
    #[must_use]
    pub const fn needs(self) -> Metric {
        match self {
            Metric::Wdl | Metric::Dtc | Metric::Dtz => Metric::Wdl,
            Metric::Dtz50 => Metric::Dtz50,
            Metric::Dtm => Metric::Dtm,
            Metric::Dtm50 => Metric::Dtm50,
            Metric::Help => Metric::Help,
        }
    }

    /// Whether a table of this metric holds all that one of `other` does. Each holds who wins but `help`, and
    /// `dtm50`, which knows no win beyond the rule.
    #[must_use]
    pub fn includes(self, other: Metric) -> bool {
        self == other || (other == Metric::Wdl && !matches!(self, Metric::Help | Metric::Dtm50))
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that no metric has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownMetric(String);

impl UnknownMetric {
    pub(crate) fn new(name: &str) -> Self {
        UnknownMetric(name.into())
    }
}

impl fmt::Display for UnknownMetric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no metric `{}`", self.0.escape_debug())
    }
}

impl std::error::Error for UnknownMetric {}

impl FromStr for Metric {
    type Err = UnknownMetric;

    fn from_str(name: &str) -> Result<Self, UnknownMetric> {
        let known = Metric::ALL.into_iter().find(|metric| metric.name() == name);
        known.ok_or_else(|| UnknownMetric::new(name))
    }
}
