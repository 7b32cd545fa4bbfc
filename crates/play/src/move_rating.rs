//! Holds a move with what tables know of it, says which of two is better, and looks for progress where
//! tables say who wins and not how far it is.
//!
//! Where tables say who wins, [`Ranks`] say which move leads on soonest. If these are not known, positions
//! that the game has seen are avoided, and the other side is left as few moves as can be.

use library::AskedTables;
use position::{Move, Position};
use probe::{Between, ProbeError, Ranks, RatedMove};
use std::collections::HashMap;
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
    /// 2 for a win, 1 for one that the n-move rule spoils, 0 for a draw, −1 and −2 for losses; none if it
    /// is not known.
    pub class: Option<i8>,
    /// Whether that is what the move is worth at least, and it may be worth more.
    pub is_bound: bool,
    /// Whether the distance to the next stop is rounded and stands at the very edge of the rule: if it
    /// takes a ply more than what is written, the rule spoils the win.
    pub is_at_edge: bool,
    /// Plies to the end of the game, counted from before the move, if a side wins and they are known.
    pub plies_to_end: Option<u16>,
    /// Plies to the next stop of a nearer goal, if these are known.
    pub plies_to_stop: Option<u16>,
}

impl Rated {
    pub(crate) fn new(position: &Position, rated: RatedMove) -> Self {
        let RatedMove { mv, uci, .. } = rated;
        let (next, class, is_bound, is_at_edge) = (position.play(mv), None, false, false);
        Rated { mv, uci, next, class, is_bound, is_at_edge, plies_to_end: None, plies_to_stop: None }
    }

    /// Takes over what a metric says of the move; with distances that may be a ply short, if they are
    /// rounded.
    pub(crate) fn learn(&mut self, metric: Metric, known: Between, is_rounded: bool, rule: Rule) {
        let Some(value) = known.value() else {
            // A draw that may be more is worth as much as a draw; of what may be a loss it is not known.
            let least = known.least.wdl().filter(|&wdl| wdl >= 0).or(known.wdl());
            let plies = known.least.ply().filter(|_| metric == Metric::Dtz50);
            let is_spoiled = plies.is_some_and(|Ply(plies)| rule.is_over_after(plies));
            if let (None, Some(wdl)) = (self.class, least) {
                (self.class, self.is_bound) = (Some(if is_spoiled { wdl } else { 2 * wdl }), true);
            }
            return;
        };
        let plies = value.ply().map(|Ply(plies)| plies);
        match metric {
            Metric::Dtm => {
                self.plies_to_end = plies;
                // A side that mates in time wins, however far the next capture is.
                self.is_at_edge &= plies.is_none_or(|plies| rule.is_over_after(plies));
            }
            // The values are those with the clock as it is.
            Metric::Dtm50 => (self.plies_to_end, self.is_at_edge) = (plies, false),
            Metric::Wdl => {}
            _ => self.plies_to_stop = plies,
        }
        // The metric of the rule comes first and decides; a bound gives way to a value.
        if self.class.is_some() && !self.is_bound {
            return;
        }
        self.is_bound = false;
        let plies = plies.filter(|_| metric == Metric::Dtz50);
        let is_spoiled = plies.is_some_and(|plies| rule.is_over_after(plies));
        self.class = value.wdl().map(|wdl| if is_spoiled { wdl } else { 2 * wdl });
        self.is_at_edge = is_rounded
            && !is_spoiled
            && plies.is_some_and(|plies| rule.is_over_after(plies.saturating_add(1)));
    }

    /// Larger is better: wins, those at the edge of the rule, those that it spoils, draws, what is not
    /// known, and losses in reverse; what is not known comes first if it hides the best.
    pub(crate) fn rank(&self, hides_best: bool) -> i8 {
        match self.class {
            Some(class) => 4 * class - if self.is_at_edge { class.signum() } else { 0 },
            None if hides_best => i8::MAX,
            None => -1,
        }
    }

    /// Smaller is better.
    pub(crate) fn key(&self, for_mate: bool, hides_best: bool) -> impl Ord + use<> {
        let class = self.class.unwrap_or(0);
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
        // Plies to a mate are not compared with those to a capture.
        let is_far = for_mate && class > 0 && self.plies_to_end.is_none();
        (-i32::from(self.rank(hides_best)), is_far, sign * first, sign * other)
    }
}

/// The n-move rule, if there is one, and how many plies of it are over.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rule {
    pub(crate) plies: Option<u16>,
    pub(crate) clock: u32,
}

impl Rule {
    /// Whether it matters if a distance is a ply more: then the game may be drawn.
    pub(crate) fn is_at_edge(self, known: Between) -> bool {
        // Elsewhere a ply more changes nothing.
        known.value().is_some_and(|value| {
            let Ply(plies) = value.ply().unwrap_or(Ply(0));
            self.is_over_after(plies.saturating_add(1))
        })
    }

    /// Whether the game is drawn by the rule before `plies` plies more are played.
    pub(crate) fn is_over_after(self, plies: u16) -> bool {
        self.plies.is_some_and(|rule| u64::from(plies) + u64::from(self.clock) > u64::from(rule))
    }
}

#[cfg(test)]
mod tests {
    use super::{Rated, Rule};
    use position::{Position, RuleBook};
    use probe::{Between, RatedMove};
    use table::{Ply, Value};
    use variant::{Metric, Variant};

    #[test]
    fn rounded_wins_at_the_edge_of_the_rule_come_behind_exact_ones() {
        let book = RuleBook::new(&Variant::chess());
        let position = Position::from_fen(&book, "8/8/8/8/8/4k3/8/4K2Q w - - 0 1").expect("a FEN");
        let unrated = || Rated::new(&position, RatedMove::unrated(&book, &position)[0].clone());
        let rule = Rule { plies: Some(100), clock: 40 };
        let rank = |value: Value, is_rounded: bool| {
            let mut rated = unrated();
            rated.learn(Metric::Dtz50, Between::exactly(value), is_rounded, rule);
            rated.rank(false)
        };
        let [win, loss] = [|plies| Value::Win(Ply(plies)), |plies| Value::Loss(Ply(plies))];
        let ranks = [
            rank(win(60), false),
            rank(win(60), true),
            rank(win(61), true),
            rank(Value::Draw, false),
            unrated().rank(false),
            rank(loss(61), false),
            rank(loss(60), true),
            rank(loss(60), false),
        ];
        assert!(ranks.is_sorted_by(|a, b| a > b), "{ranks:?}");
        // Before the edge a ply more changes nothing.
        assert_eq!(rank(win(59), true), rank(win(1), false));
        // A mate in time is one, however far the next capture is.
        let mut rated = unrated();
        rated.learn(Metric::Dtz50, Between::exactly(win(60)), true, rule);
        rated.learn(Metric::Dtm, Between::exactly(win(60)), false, rule);
        assert_eq!(rated.rank(false), rank(win(60), false));
        // A bound gives way to a value, whichever comes first.
        let draws = Between { least: Value::Draw, most: win(1) };
        let mut rated = unrated();
        rated.learn(Metric::Dtz50, draws, false, rule);
        assert_eq!((rated.class, rated.is_bound), (Some(0), true));
        rated.learn(Metric::Dtm, Between::exactly(win(21)), false, rule);
        assert_eq!((rated.class, rated.is_bound), (Some(2), false));
        rated.learn(Metric::Wdl, draws, false, rule);
        assert_eq!(rated.class, Some(2));
        // What is not known comes first if something better than all the others has to be there.
        assert!(unrated().rank(true) > rank(win(1), false));
    }
}

/// The positions that a game has seen, and how often.
#[derive(Clone, Default, Debug)]
pub struct Memory {
    seen: HashMap<Position, u32>,
}

impl Memory {
    /// Remembers a position.
    pub fn add(&mut self, position: &Position) {
        *self.seen.entry(without_clock(position)).or_insert(0) += 1;
    }

    fn times(&self, position: &Position) -> u32 {
        self.seen.get(&without_clock(position)).copied().unwrap_or(0)
    }
}

/// A position comes again whatever the clock says; the number of the move counts up with each.
fn without_clock(position: &Position) -> Position {
    let men = position.men();
    let same = Position::from_men(men, position.stm()).unwrap_or_else(|| position.clone());
    same.with_en_passant(position.en_passant()).with_given_checks(position.given_checks())
}

/// Sorts moves that win by the progress that they make; the others stay behind them as they are.
pub(crate) fn sort(
    tables: &AskedTables,
    position: &Position,
    memory: &Memory,
    moves: &mut [Rated],
) -> Result<(), ProbeError> {
    let n_winning = moves.iter().take_while(|rated| rated.class.is_some_and(|class| class > 0)).count();
    let known = tables.who_wins();
    let ranks = Ranks::new(tables.book(), position, position.stm(), &known, &|| true)?;
    let plies: HashMap<Move, u16> = ranks.moves().collect();
    moves[..n_winning].sort_by_cached_key(|rated| {
        let plies = plies.get(&rated.mv).copied().unwrap_or(u16::MAX);
        let replies = rated.next.legal_moves(tables.book()).len();
        (plies, memory.times(&rated.next), replies, rated.uci.clone())
    });
    Ok(())
}
