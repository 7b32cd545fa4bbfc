//! Counts the positions with rights to castle by side to move and result.
//!
//! A position is counted once for all that are the same to the players: with the colours exchanged. The other
//! symmetries of a board do not hold where a king castles to a given side.

use position::RuleBook;
use rights::RightsTable;
use table::{Ply, Scale, Value};
use variant::{Metric, Side};

/// The positions of some choices of men and rights.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct RightsFigures {
    /// By side to move: wins, draws and losses. What the n-move rule makes draws of is among the draws.
    pub results: [[u64; 3]; 2],
    /// The longest win of the side to move, if distances are counted: the first of equals.
    pub longest_win: Option<RightsLongest>,
    /// The same of losses.
    pub longest_loss: Option<RightsLongest>,
}

/// A position that takes longest.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RightsLongest {
    /// How long it takes.
    pub ply: Ply,
    /// The position.
    pub fen: String,
}

impl RightsFigures {
    /// Counts the positions of a table.
    #[must_use]
    pub fn of(book: &RuleBook, scale: &Scale, table: &RightsTable) -> Self {
        let variant = book.variant();
        let n_a_side = table.n_numbers() / 2;
        // Each position of such a table is there twice, once with either side to move.
        let n_counted = if table.key().is_own_image(variant) { n_a_side } else { 2 * n_a_side };
        let mut figures = RightsFigures::default();
        let mut longest: [Option<(Ply, usize)>; 2] = [None; 2];
        for number in 0..n_counted {
            let value = table.value_of(number);
            let result = match value {
                Value::Illegal => continue,
                value if scale.is_cursed(value) => 1,
                Value::Win(_) => 0,
                Value::Draw | Value::Stalemate => 1,
                Value::Loss(_) => 2,
            };
            figures.results[usize::from(number >= n_a_side)][result] += 1;
            if let (Some(ply), true) = (value.ply(), result != 1) {
                let longest = &mut longest[result / 2];
                if longest.is_none_or(|(other, _)| ply > other) {
                    *longest = Some((ply, number));
                }
            }
        }
        let [win, loss] = longest.map(|longest| {
            let (ply, number) = longest.filter(|_| scale.metric() != Metric::Wdl)?;
            Some(RightsLongest { ply, fen: table.position(variant, number)?.to_fen(book) })
        });
        RightsFigures { longest_win: win, longest_loss: loss, ..figures }
    }

    /// How many positions there are.
    #[must_use]
    pub fn n_positions(&self) -> u64 {
        self.results.iter().flatten().sum()
    }

    /// How many there are with this side to move: wins, draws and losses.
    #[must_use]
    pub fn side(&self, stm: Side) -> [u64; 3] {
        self.results[stm.index()]
    }

    /// These and others together.
    #[must_use]
    pub fn with(mut self, other: RightsFigures) -> Self {
        for (own, other) in self.results.iter_mut().flatten().zip(other.results.as_flattened()) {
            *own += other;
        }
        let longer = |own: Option<RightsLongest>, other: Option<RightsLongest>| match (own, other) {
            (Some(own), Some(other)) if other.ply > own.ply => Some(other),
            (own, other) => own.or(other),
        };
        self.longest_win = longer(self.longest_win, other.longest_win);
        self.longest_loss = longer(self.longest_loss, other.longest_loss);
        self
    }
}
