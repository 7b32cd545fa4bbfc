//! Compiles the rules beside the pieces for one material: what does not depend on where pawns stand.
//!
//! Each rule becomes sets of placements, made once a slice (`rule`): placements that are *illegal*,
//! positions in which the game is over (*terminal*), in which a side *must capture*, and in which it may
//! *pass*. The passes see these sets and no rule.

use geometry::{Square, SquareSet, Step};
use index::Layout;
use kernel::Word;
use table::{LeftOut, Ply, Value, View};
use variant::{Arrival, Man, Pass, PawnStep, Side, Variant, Verdict};

/// The rules of a variant for one material.
#[derive(Debug)]
pub(crate) struct Law<W> {
    /// What being attacked without a move means for a side.
    pub(crate) mated: Verdict,
    /// By side: what having no move means for it otherwise; none is a draw.
    pub(crate) stuck: [Option<Verdict>; 2],
    /// By side to move: what the men that there are mean for it; none if they mean nothing.
    pub(crate) extinct: [Option<Verdict>; 2],
    /// Whether both sides want White to win.
    pub(crate) helped: bool,
    /// Whether a move may give check.
    pub(crate) checking: bool,
    /// Whether who has a capture must capture.
    pub(crate) must_capture: bool,
    /// By side, where checks are counted, so that they lead to other tables: whether the next one wins.
    pub(crate) check_wins: Option<[bool; 2]>,
    /// When a side may pass.
    pub(crate) pass: Pass,
    pub(crate) goal: Option<Goal<W>>,
    pub(crate) blast: Option<Blast<W>>,
    /// Men that are kept to squares, if it matters here.
    pub(crate) kept: Option<Kept<W>>,
    /// Pawn moves that are left out, and the side that has none of them; the other side wins by one.
    pub(crate) left_out: Option<(Side, Vec<PawnStep>)>,
}

impl<W: Word> Law<W> {
    /// The rules, and what a bound leaves out of them.
    pub(crate) fn new(variant: &Variant, layout: &Layout, left_out: &LeftOut) -> Self {
        let (rules, material) = (&variant.rules, layout.material());
        let n_men = |side: Side| material.side(side).len();
        let stuck = |side: Side| match left_out.loser {
            Some(loser) if loser == side && left_out.is_lost_stuck => Some(Verdict::Loss),
            _ => rules.stalemate_verdict(n_men(side), n_men(!side)),
        };
        Law {
            mated: rules.checkmate,
            stuck: Side::BOTH.map(stuck),
            extinct: Side::BOTH.map(|stm| variant.extinct(material, stm)),
            helped: rules.helped,
            checking: rules.checking,
            must_capture: rules.must_capture,
            check_wins: rules.check_counting.map(|n| material.given_checks().map(|given| given + 1 >= n)),
            pass: rules.pass,
            goal: rules.goal.as_ref().map(|goal| Goal::new(layout, goal)),
            blast: rules.blast.as_ref().map(|blast| Blast::new(layout, blast)),
            kept: left_out.loser.and_then(|side| Kept::new(layout, &rules.kept, side)),
            left_out: left_out.loser.map(|loser| (loser, left_out.pawn_moves.clone())),
        }
    }

    /// What is given where a pawn move is left out, by side to move.
    pub(crate) fn given(&self) -> View<'static> {
        let loser = self.left_out.as_ref().map(|(loser, _)| *loser);
        View::given(Side::BOTH.map(|stm| match loser {
            Some(loser) if loser != stm => Value::Win(Ply(1)),
            _ => Value::Loss(Ply(0)),
        }))
    }

    /// Whether a side can have won because it has no move.
    pub(crate) fn may_win_stuck(&self) -> bool {
        self.mated == Verdict::Win || self.stuck.contains(&Some(Verdict::Win))
    }

    /// Whether the game can be over though there are moves.
    pub(crate) fn ends_early(&self) -> bool {
        self.goal.is_some() || self.kept.is_some() || self.extinct.iter().any(Option::is_some)
    }
}

/// Places on the board that win.
#[derive(Debug)]
pub(crate) struct Goal<W> {
    /// By side: the places in the layout of the men that win there.
    pub(crate) men: [Vec<usize>; 2],
    /// By side: the squares of each place.
    pub(crate) places: [Vec<W>; 2],
    /// How many of the men must stand in one place.
    pub(crate) n_men: usize,
    pub(crate) arrival: Arrival,
}

impl<W: Word> Goal<W> {
    fn new(layout: &Layout, goal: &variant::Goal) -> Self {
        let wins = |side| move |(_, man): &(usize, &Man)| man.side == side && goal.is_for(man.piece);
        let of = |side| layout.men().iter().enumerate().filter(wins(side)).map(|(i, _)| i).collect();
        let squares = |set: &SquareSet| W::from_bits(set.intersection(layout.board().all()).bits());
        let places = goal.places.each_ref().map(|places| places.iter().map(squares).collect());
        let n_men = usize::from(goal.n_men);
        Goal { men: Side::BOTH.map(of), places, n_men, arrival: goal.arrival }
    }

    /// Whether a place is reached by the men that stand on it.
    pub(crate) fn is_reached(&self, place: W, there: Standing) -> bool {
        let is_full = there.n_winning > 0 && there.n_all >= place.n_bits();
        there.n_winning >= self.n_men || self.arrival == Arrival::Filled && is_full
    }
}

/// How many men stand on a place.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Standing {
    /// Those who win there.
    pub(crate) n_winning: usize,
    /// All that are counted, of either side.
    pub(crate) n_all: usize,
}

impl Standing {
    /// With one man more.
    pub(crate) fn plus(self, wins: bool) -> Self {
        Standing { n_winning: self.n_winning + usize::from(wins), n_all: self.n_all + 1 }
    }
}

/// The reach of explosions, and the men who outlast them.
///
/// ```text
///   gone = captor, victim, and of the others within one square all but immune men
/// ```
#[derive(Debug)]
pub(crate) struct Blast<W> {
    /// By square: the squares within one of it.
    pub(crate) near: Vec<W>,
    /// By the layout's men: whether the man stays when something near explodes.
    stays: Vec<bool>,
}

impl<W: Word> Blast<W> {
    fn new(layout: &Layout, rules: &variant::Blast) -> Self {
        let board = layout.board();
        let around = (-1..=1).flat_map(|files| (-1..=1).map(move |ranks| Step { files, ranks }));
        let around: Vec<Step> = around.filter(|step| (step.files, step.ranks) != (0, 0)).collect();
        let near = |square: usize| {
            let to = |step: &Step| board.offset(Square::from_index(square), *step);
            around.iter().filter_map(to).fold(W::ZERO, |near, to| near | W::bit(to.index()))
        };
        let has = |square: &usize| board.has(Square::from_index(*square));
        let near = (0..layout.n_squares()).map(|s| if has(&s) { near(s) } else { W::ZERO }).collect();
        let stays = layout.men().iter().map(|man| rules.immune.contains(&man.piece)).collect();
        Blast { near, stays }
    }

    /// The men that are gone, as bits, after a capture on a square, all men's squares being known; the
    /// captor stands where he came from or on the square.
    pub(crate) fn gone(&self, squares: &[Square], captor: usize, victim: usize, on: Square) -> usize {
        let near = self.near[on.index()];
        let is_gone = |man: usize| {
            man == captor || man == victim || (near.has(squares[man].index()) && !self.stays[man])
        };
        (0..squares.len()).filter(|&man| is_gone(man)).fold(0, |gone, man| gone | 1 << man)
    }
}

/// The men of a side that are kept to squares.
///
/// Like men share their squares: a placement is inside if each of them can be given squares of his own among
/// those of his kind.
#[derive(Debug)]
pub(crate) struct Kept<W> {
    /// Who has lost where one of them stands elsewhere.
    pub(crate) loser: Side,
    men: Vec<KeptMen<W>>,
}

/// Like men, and the squares that they are kept to.
#[derive(Debug)]
struct KeptMen<W> {
    /// Their places in the layout.
    men: Vec<usize>,
    /// As many sets of squares, or more.
    squares: Vec<W>,
}

impl<W: Word> Kept<W> {
    /// The kept men of a side; none if all of them may stand anywhere.
    fn new(layout: &Layout, kept: &[variant::Kept], loser: Side) -> Option<Self> {
        let board = layout.board();
        let all = W::from_bits(board.all().bits());
        let places = |man: Man| (0..layout.men().len()).filter(move |&place| layout.men()[place] == man);
        let like_men = |kept: &variant::Kept| {
            let men: Vec<usize> = places(kept.man).collect();
            let mut squares: Vec<W> =
                kept.squares.iter().map(|set| W::from_bits(set.intersection(board.all()).bits())).collect();
            squares.resize(squares.len().max(men.len()), all);
            let n_anywhere = squares.iter().filter(|&&set| set == all).count();
            (n_anywhere < men.len()).then_some(KeptMen { men, squares })
        };
        let men: Vec<KeptMen<W>> =
            kept.iter().filter(|kept| kept.man.side == loser).filter_map(like_men).collect();
        (!men.is_empty()).then_some(Kept { loser, men })
    }

    /// The placements of a word in which a man stands elsewhere; `square` knows where each man is but the
    /// one in the lane.
    pub(crate) fn elsewhere(&self, lane: Option<usize>, square: impl Fn(usize) -> usize) -> W {
        self.men.iter().fold(W::ZERO, |found, like| {
            let known: Vec<usize> =
                like.men.iter().filter(|&&man| Some(man) != lane).map(|&man| square(man)).collect();
            let has_lane = known.len() < like.men.len();
            found | !fitting(&known, &like.squares, 0, has_lane)
        })
    }
}

/// Where the man in the lane may stand if the others, on `known` squares, and he each have squares of their
/// own; without such a man everywhere or nowhere. Bits of `used` are squares that are given to others.
fn fitting<W: Word>(known: &[usize], squares: &[W], used: u32, has_lane: bool) -> W {
    let free = || squares.iter().enumerate().filter(|(i, _)| used >> i & 1 == 0);
    match known.split_first() {
        None if has_lane => free().fold(W::ZERO, |all, (_, &set)| all | set),
        None => W::ONES,
        Some((&first, rest)) => free()
            .filter(|(_, set)| set.has(first))
            .fold(W::ZERO, |all, (i, _)| all | fitting(rest, squares, used | 1 << i, has_lane)),
    }
}

#[cfg(test)]
mod tests {
    use super::fitting;

    #[test]
    fn like_men_have_squares_of_their_own() {
        // Two men, one kept to squares 0 and 1, the other to squares 1 and 2.
        let squares = [0b011u64, 0b110];
        assert_eq!(fitting(&[0], &squares, 0, true), 0b110);
        assert_eq!(fitting(&[1], &squares, 0, true), 0b111);
        assert_eq!(fitting(&[2], &squares, 0, true), 0b011);
        assert_eq!(fitting(&[3], &squares, 0, true), 0);
        assert_eq!(fitting(&[0, 1], &squares, 0, false), u64::MAX);
        assert_eq!(fitting(&[0, 0], &squares, 0, false), 0);
        // A man who is alone takes either.
        assert_eq!(fitting(&[], &squares, 0, true), 0b111);
    }
}
