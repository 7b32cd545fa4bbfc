//! Asks a value a question that has yes or no for an answer.

use std::fmt;
use std::str::FromStr;
use table::Value;
use variant::{Metric, Side};

/// A question about a position.
///
/// Under the metric `dtz50` a win counts only if the n-move rule lets it be one, the clock at 0; and "within
/// n plies" means to the capture, pawn move or mate that the win comes by, so that it is still won with the
/// clock at the rule's plies less n.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Question {
    /// Whether the position is drawn; under `dtz50` also by the n-move rule.
    Draw,
    /// Whether this side wins, within this many plies of the metric if that is asked.
    Win {
        /// Who.
        winner: Side,
        /// Within how many plies.
        within: Option<u16>,
    },
}

impl Question {
    /// The answer for a value with this side to move, in a table of a metric under an n-move rule of this
    /// many plies, if there is one.
    #[must_use]
    pub fn answer(self, value: Value, stm: Side, metric: Metric, rule_plies: Option<u16>) -> bool {
        let rule = rule_plies.filter(|_| metric == Metric::Dtz50).unwrap_or(u16::MAX);
        let (winner, ply) = match value {
            Value::Illegal => return false,
            Value::Draw | Value::Stalemate => return self == Question::Draw,
            Value::Win(ply) => (stm, ply.0),
            Value::Loss(ply) => (!stm, ply.0),
        };
        match self {
            Question::Draw => ply > rule,
            Question::Win { winner: wanted, within } => {
                winner == wanted && ply <= rule.min(within.unwrap_or(u16::MAX))
            }
        }
    }

    /// This question with the colours exchanged.
    #[must_use]
    pub fn swapped(self) -> Self {
        match self {
            Question::Draw => Question::Draw,
            Question::Win { winner, within } => Question::Win { winner: !winner, within },
        }
    }

    /// Fails with the reason if a table of this metric does not know the answer.
    ///
    /// # Errors
    /// `wdl` counts no plies.
    pub fn check_metric(self, metric: Metric) -> Result<(), String> {
        match (self, metric) {
            (Question::Win { winner, within: Some(_) }, Metric::Wdl) => Err(format!(
                "tables of wdl do not know within how many plies: ask \"{}\", or tables of another metric",
                Question::Win { winner, within: None }
            )),
            _ => Ok(()),
        }
    }

    /// The question in the name of a file, such as `white-wins-99`.
    #[must_use]
    pub fn slug(self) -> String {
        self.to_string().replace(" within ", "-").replace(' ', "-")
    }
}

impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Question::Draw => f.write_str("draw"),
            Question::Win { winner, within } => {
                write!(f, "{} wins", winner.to_string().to_lowercase())?;
                within.map_or(Ok(()), |plies| write!(f, " within {plies}"))
            }
        }
    }
}

/// No question is written like this.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "`{0}` is no question; ask \"white wins\", \"black wins\" or \"draw\", or within how many plies: \"white wins within 99\""
)]
pub struct UnknownQuestion(String);

impl FromStr for Question {
    type Err = UnknownQuestion;

    fn from_str(text: &str) -> Result<Self, UnknownQuestion> {
        let unknown = || UnknownQuestion(text.to_owned());
        let lower = text.to_lowercase();
        let words: Vec<&str> = lower.split_whitespace().collect();
        let side = |name: &str| match name {
            "white" => Ok(Side::White),
            "black" => Ok(Side::Black),
            _ => Err(unknown()),
        };
        match words[..] {
            ["draw"] => Ok(Question::Draw),
            [winner, "wins"] => Ok(Question::Win { winner: side(winner)?, within: None }),
            [winner, "wins", "within", plies] => {
                let within = Some(plies.parse().map_err(|_| unknown())?);
                Ok(Question::Win { winner: side(winner)?, within })
            }
            _ => Err(unknown()),
        }
    }
}
