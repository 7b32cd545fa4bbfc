//! Finds the end of a game: by what stands on the board, or for want of a legal move.
//!
//! The men on the board come first, without a look at moves: a royal man who was blown up, extinct men (all
//! of a side, or those of one kind), a goal, in this order. A goal is squares on which a man wins by
//! standing there. A position is *dead* if no sequence of moves ends with a win: bare kings, a knight,
//! bishops that all stand on squares of one colour.

use crate::{Position, RuleBook};
use geometry::SquareSet;
use variant::{Arrival, Man, Side, Verdict};

/// The end of a game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Outcome {
    /// The side to move is attacked and has no move.
    Checkmate,
    /// The side to move is not attacked and has no move.
    Stalemate,
    /// The royal man of the side to move was blown up.
    Explosion,
    /// A side's men are extinct, all of them or those of some kind.
    Extinction,
    /// A man stands on its goal.
    Goal,
    /// The side that has just moved has given as many checks as win.
    Checks,
}

/// How a game has ended, and for whom.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Ending {
    /// What has ended it.
    pub outcome: Outcome,
    /// Who has won; none if it is a draw.
    pub winner: Option<Side>,
}

impl Position {
    /// How the game has ended here, if it has. The position is legal.
    #[must_use]
    pub fn ending(&self, book: &RuleBook) -> Option<Ending> {
        self.adjudication(book)
            .or_else(|| (!self.has_legal_move(book)).then(|| self.end_without_a_move(book)))
    }

    /// How the game has ended by what stands on the board, whatever could move, if it has.
    #[must_use]
    pub fn adjudication(&self, book: &RuleBook) -> Option<Ending> {
        if self.is_blown_up(book) {
            return Some(Ending { outcome: Outcome::Explosion, winner: Some(!self.stm()) });
        }
        let by_checks = || {
            let winner = self.winner_by_checks(book);
            winner.map(|winner| Ending { outcome: Outcome::Checks, winner: Some(winner) })
        };
        self.end_by_extinction(book).or_else(|| self.end_by_goal(book)).or_else(by_checks)
    }

    /// The side that has given as many checks as win, if they are counted.
    pub(crate) fn winner_by_checks(&self, book: &RuleBook) -> Option<Side> {
        book.variant().winner_by_checks(self.given_checks)
    }

    /// What it means that the side to move has no legal move.
    fn end_without_a_move(&self, book: &RuleBook) -> Ending {
        let rules = &book.variant().rules;
        let (outcome, verdict) = if self.is_in_check(book) {
            (Outcome::Checkmate, Some(rules.checkmate))
        } else {
            let [own, other] = [self.stm(), !self.stm()].map(|side| self.squares_of(side).n_squares());
            (Outcome::Stalemate, rules.stalemate_verdict(own, other))
        };
        let winner = verdict.map(|verdict| if verdict == Verdict::Win { self.stm() } else { !self.stm() });
        Ending { outcome, winner }
    }

    /// What has ended the game here, if it has ended.
    #[must_use]
    pub fn outcome(&self, book: &RuleBook) -> Option<Outcome> {
        self.ending(book).map(|ending| ending.outcome)
    }

    /// Who has won, if the game has ended here and a side has.
    #[must_use]
    pub fn winner(&self, book: &RuleBook) -> Option<Side> {
        self.ending(book)?.winner
    }
}

/// The game ends with the move that reaches the goal, so the winner is never to move, but for three rules:
///
/// - Black, who moves second, may answer White by reaching his goal with the next move, which makes a draw.
///   Only where he can does the game go on, and then White, who is to move after that, wins, loses or draws
///   without moving again.
/// - A man that is attacked there has to wait, so that his side may be to move when he has won.
/// - The other side's move may fill a goal, which wins after one's own move if it is still full then.
impl Position {
    /// Whether as many men of this side stand on its goal as it takes, or one where no square of it is empty
    /// and that is enough. If they have to be safe, there is one more, or none of them is attacked.
    fn has_reached_goal(&self, book: &RuleBook, side: Side, safe: bool) -> bool {
        let Some(goal) = &book.variant().rules.goal else { return false };
        let men = self.men_of(side).filter(|(man, _)| book.man(*man).wins_on_goal);
        let squares: SquareSet = men.map(|(_, square)| square).collect();
        let is_taken = |square| self.man_on(square).is_some();
        goal.places[side.index()].iter().any(|place| {
            let (there, needed) = (squares.intersection(*place), usize::from(goal.n_men));
            if there.n_squares() < needed {
                return goal.arrival == Arrival::Filled && !there.is_empty() && place.iter().all(is_taken);
            }
            let is_attacked = |square| self.could_capture_on(book, !side, square);
            !(safe && there.n_squares() == needed && there.iter().any(is_attacked))
        })
    }

    /// Whether the side to move has won by the goal already, so that it should not be to move.
    pub(crate) fn is_past_the_goal(&self, book: &RuleBook) -> bool {
        let is_past = book.variant().rules.goal.as_ref().is_some_and(|goal| match goal.arrival {
            Arrival::AtOnce => true,
            Arrival::Answered => self.stm() == Side::Black,
            Arrival::Safe | Arrival::SafeOrKept | Arrival::Filled => false,
        });
        is_past && self.has_reached_goal(book, self.stm(), false)
    }

    /// How the goal has ended the game, if it has.
    fn end_by_goal(&self, book: &RuleBook) -> Option<Ending> {
        let goal = book.variant().rules.goal.as_ref()?;
        let own = goal.arrival != Arrival::Filled
            && self.has_reached_goal(book, self.stm(), goal.arrival == Arrival::Safe);
        let other = self.has_reached_goal(book, !self.stm(), goal.arrival.heeds_attacks());
        let end = |winner| Some(Ending { outcome: Outcome::Goal, winner });
        let is_answered = goal.arrival == Arrival::Answered && self.stm() == Side::Black;
        match (own, other) {
            (true, true) if goal.arrival != Arrival::SafeOrKept => end(None),
            (true, _) => end(Some(self.stm())),
            (false, true) if is_answered && self.can_answer(book) => None,
            (false, true) => end(Some(!self.stm())),
            (false, false) => None,
        }
    }

    /// Whether the side to move has a legal move to its goal.
    fn can_answer(&self, book: &RuleBook) -> bool {
        let mut can = false;
        self.for_each_allowed(book, |_, next| {
            can |= next.has_reached_goal(book, self.stm(), false);
            !can
        });
        can
    }
}

impl Position {
    /// How extinction has ended the game, if it has.
    fn end_by_extinction(&self, book: &RuleBook) -> Option<Ending> {
        let extinction = book.variant().rules.extinction.as_ref()?;
        let n_men = |side, kind| match kind {
            None => self.squares_of(side).n_squares(),
            Some(kind) => self.men_of(side).filter(|(man, _)| man.piece == kind).count(),
        };
        let winner = match extinction.verdict(n_men, self.stm())? {
            Verdict::Win => self.stm(),
            Verdict::Loss => !self.stm(),
        };
        Some(Ending { outcome: Outcome::Extinction, winner: Some(winner) })
    }
}

/// A knight, or such bishops, that give check attack squares of the colour on which the king stands. The
/// squares beside him along rank and file have the other colour and no man on them, so the other king would
/// have to take them all from him, and only from a square next to him could he. So no mate exists on any
/// rectangle. Elsewhere (holes, a cylinder, kings that go another way, wins by more than mate) only what the
/// rules prove of the men counts.
impl Position {
    /// Whether neither side can win, however both move. There may be other such positions; these are the
    /// ones that every player knows.
    #[must_use]
    pub fn is_dead(&self, book: &RuleBook) -> bool {
        let variant = book.variant();
        if self.n_men() == 2 {
            let material = self.material().canonical(variant);
            return variant.is_always_drawn(&material);
        }
        let [bishops, knights] = &book.minors;
        let others = || self.men().filter(|(man, _)| !variant.is_royal(*man));
        if others().count() == 1 && others().all(|(man, _)| knights.contains(&man.piece)) {
            return true;
        }
        let colour = |square| (variant.board.file_of(square) + variant.board.rank_of(square)) % 2;
        let first = others().next().map(|(_, square)| colour(square));
        // Without other men one side has lost its king, as to an explosion.
        let are_alike =
            |(man, square): (Man, _)| bishops.contains(&man.piece) && Some(colour(square)) == first;
        first.is_some() && others().all(are_alike)
    }
}
