//! Holds what is known of a position under any metric: an answer, or how either side wins with help.

use probe::Answer;
use table::{Ply, Value};
use variant::Side;

/// What is known of a position if both sides want one of them to win. An answer to that counts as won, for
/// either side to move, what can end so, and as drawn what never can.
#[derive(Debug)]
pub struct Helpmates {
    /// White is to win.
    pub white: Answer,
    /// Black is to win; not known where the rules are not the same for both sides.
    pub black: Option<Answer>,
}

impl Helpmates {
    /// The answers that there are.
    pub fn answers(&self) -> impl Iterator<Item = &Answer> {
        std::iter::once(&self.white).chain(&self.black)
    }

    /// In how many plies this side can win with help; none if it never can or that is not known.
    #[must_use]
    pub fn plies(&self, winner: Side) -> Option<Ply> {
        let answer = if winner == Side::White { Some(&self.white) } else { self.black.as_ref() };
        answer?.value.ply()
    }

    /// Whether neither side can ever win: a dead position.
    #[must_use]
    pub fn is_dead(&self) -> bool {
        self.answers().count() == 2 && self.answers().all(|answer| answer.value.value() == Some(Value::Draw))
    }
}

/// What is known of a position under the metric that is asked.
#[derive(Debug)]
pub enum Told {
    /// Under a metric of a contest.
    Answer(Box<Answer>),
    /// Under `help`.
    Helpmates(Box<Helpmates>),
}

impl Told {
    /// The answers that it consists of.
    #[must_use]
    pub fn answers(&self) -> Vec<&Answer> {
        match self {
            Told::Answer(answer) => vec![answer],
            Told::Helpmates(helpmates) => helpmates.answers().collect(),
        }
    }
}
