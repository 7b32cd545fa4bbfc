//! Holds a move with what tables know of it, and says which of two is better.

use library::Successor;
use position::{Move, Position};
use table::Ply;
use variant::Metric;

/// A legal move and what it is worth to the side that makes it.
#[derive(Clone, Debug)]
pub struct Rated {
    /// The move.
    pub mv: Move,
    /// The move in coordinates.
    pub uci: String,
    /// The position after it.
    pub next: Position,
    /// 2 for a win, 1 for one that the n-move rule spoils, 0 for a draw, −1 and −2 for losses; none if
    /// nobody knows.
    pub class: Option<i8>,
    /// Plies to the end of the game, counted from before the move, if somebody wins and they are known.
    pub plies_to_end: Option<u16>,
    /// Plies to the next stop of a nearer goal, if these are known.
    pub plies_to_stop: Option<u16>,
}

impl Rated {
    pub(crate) fn new(successor: Successor) -> Self {
        let Successor { mv, uci, next, .. } = successor;
        Rated { mv, uci, next, class: None, plies_to_end: None, plies_to_stop: None }
    }

    /// Takes over what a metric says of the move.
    pub(crate) fn learn(&mut self, metric: Metric, known: Option<&Successor>, rule: Option<u16>, clock: u32) {
        let Some(value) = known.and_then(|known| known.value) else { return };
        let plies = value.ply().map(|Ply(plies)| plies);
        match metric {
            Metric::Dtm => self.plies_to_end = plies,
            Metric::Wdl => {}
            _ => self.plies_to_stop = plies,
        }
        // The metric of the rule comes first and decides.
        if self.class.is_some() {
            return;
        }
        let spoiled = metric == Metric::Dtz50
            && plies.is_some_and(|plies| {
                rule.is_some_and(|rule| u64::from(plies) + u64::from(clock) > u64::from(rule))
            });
        self.class = value.wdl().map(|wdl| if spoiled { wdl } else { 2 * wdl });
    }

    /// Smaller is better.
    pub(crate) fn key(&self, for_mate: bool) -> impl Ord + use<> {
        let class = self.class.unwrap_or(i8::MIN);
        let plies = if for_mate {
            self.plies_to_end.or(self.plies_to_stop)
        } else {
            self.plies_to_stop.or(self.plies_to_end)
        };
        let plies = i32::from(plies.unwrap_or(0));
        let other = i32::from(self.plies_to_end.unwrap_or(0));
        let sign = if class < 0 { -1 } else { 1 };
        // A winner hurries, a loser does not; a loss is compared by the end of the game where that is known.
        let first = if class < 0 && self.plies_to_end.is_some() { other } else { plies };
        (-i32::from(class), sign * first, sign * other)
    }
}
