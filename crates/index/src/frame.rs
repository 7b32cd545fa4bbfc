//! Chooses the frame men and numbers their squares, folded by the symmetries that a material's rules
//! respect.

use crate::number::BlockId;
use geometry::{Board, Square, SquareSet, Symmetry};
use piece::{Ray, RayPath};
use variant::{Man, Material, PawnStep, Variant};

/// All canonical frames of a material; a frame of fewer than two men leaves the missing squares at 0.
#[derive(Debug)]
pub(crate) struct Frames {
    /// The squares of each block's frame men.
    pub(crate) squares: Vec<[Square; 2]>,
    /// The symmetries (without the identity) that leave a block's frame men in place.
    pub(crate) residual: Vec<Vec<Symmetry>>,
    /// For every pair of squares: block × [`Symmetry::N`] + symmetry that leads there, or `NONE`.
    of_pair: Vec<u32>,
    n_squares: usize,
}

/// No block, no slice.
pub(crate) const NONE: u32 = u32::MAX;

/// A block or slice and the symmetry that leads to it, as one number.
///
/// # Panics
/// If there are more slices than fit: their codes would not fit into any memory either.
pub(crate) fn joined(number: usize, symmetry: Symmetry) -> u32 {
    let joined = u32::try_from(number * Symmetry::N + symmetry.index()).ok().filter(|&joined| joined != NONE);
    joined.unwrap_or_else(|| panic!("{number} blocks or slices are too many to be numbered"))
}

/// A block or slice and the symmetry that leads to it, from one number.
#[inline]
pub(crate) fn split(found: u32) -> (usize, Symmetry) {
    let found = found as usize;
    (found / Symmetry::N, Symmetry::from_index(found % Symmetry::N))
}

impl Frames {
    /// The frames of these men (at most two); `fold` holds the symmetries to fold by.
    pub(crate) fn new(variant: &Variant, men: &[Man], fold: &[Symmetry]) -> Self {
        let board = &variant.board;
        let n = board.n_squares();
        let origin = Square::from_index(0);
        let mut frames =
            Frames { squares: Vec::new(), residual: Vec::new(), of_pair: vec![NONE; n * n], n_squares: n };
        let are_alike = men.len() == 2 && men[0] == men[1];
        let range = |used: bool| if used { 0..n } else { 0..1 };
        for first in range(!men.is_empty()) {
            for second in range(men.len() > 1) {
                let pair = [Square::from_index(first), Square::from_index(second)];
                let known = frames.of_pair[first * n + second] != NONE;
                let can_be = match men.len() {
                    0 => true,
                    1 => board.has(pair[0]),
                    _ => can_be(variant, men, pair),
                };
                if known || !can_be {
                    continue;
                }
                let block = frames.squares.len();
                let mut residual = Vec::new();
                for &g in fold {
                    let mut image = pair.map(|s| g.square(board, s));
                    image[men.len()..].fill(origin);
                    // Like men may have changed places: who is who makes no difference.
                    let exchanged = [image[1], image[0]];
                    let is_kept = image == pair || (are_alike && exchanged == pair);
                    if is_kept && g != Symmetry::IDENTITY {
                        residual.push(g);
                    }
                    for image in [Some(image), are_alike.then_some(exchanged)].into_iter().flatten() {
                        let slot = &mut frames.of_pair[image[0].index() * n + image[1].index()];
                        if *slot == NONE {
                            *slot = joined(block, g.inverse(board));
                        }
                    }
                }
                frames.squares.push(pair);
                frames.residual.push(residual);
            }
        }
        frames
    }

    /// For every square of one frame man, the other one standing still: block × [`Symmetry::N`] + symmetry
    /// that leads there, or [`NONE`]. `pair` has the other man's square, `place` is that of the man who
    /// moves.
    #[inline]
    pub(crate) fn line(&self, pair: [Square; 2], place: usize) -> impl Fn(usize) -> u32 + '_ {
        let (start, stride) = if place == 0 {
            (pair[1].index(), self.n_squares)
        } else {
            (pair[0].index() * self.n_squares, 1)
        };
        let line = &self.of_pair[start..];
        move |square| line[square * stride]
    }

    /// The block of these frame squares and the symmetry that leads to it.
    #[inline]
    pub(crate) fn find(&self, pair: [Square; 2]) -> Option<(BlockId, Symmetry)> {
        let found = self.of_pair[pair[0].index() * self.n_squares + pair[1].index()];
        if found == NONE {
            return None;
        }
        let (block, symmetry) = split(found);
        Some((BlockId::from_index(block), symmetry))
    }
}

/// Whether two frame men can stand so: not on one square, and not two royal men of different sides that
/// attack each other by a first step (nothing can stand between, so neither side could be to move). Where
/// captures explode, royal men make none.
fn can_be(variant: &Variant, men: &[Man], pair: [Square; 2]) -> bool {
    let royals = men.iter().all(|&m| variant.is_royal(m)) && men[0].side != men[1].side;
    let mutual = variant.rules.blast.is_none()
        && leaps_onto(variant, men[0], pair[0], pair[1])
        && leaps_onto(variant, men[1], pair[1], pair[0]);
    pair[0] != pair[1] && pair.iter().all(|&s| variant.board.has(s)) && !(royals && mutual)
}

fn leaps_onto(variant: &Variant, man: Man, from: Square, to: Square) -> bool {
    let board: &Board = &variant.board;
    let reaches = |r: &Ray| r.capture && r.path == RayPath::Plain && board.offset(from, r.step) == Some(to);
    variant.region(man).contains(to) && variant.movement(man).rays().iter().any(reaches)
}

/// The places of the frame men: the royal men if there are two others or one and a free man.
///
/// Without royal men on a side, or with several, men of one side, who can never capture each other: two of
/// which either has no like, or that are each other's only like, the shortest reach first; else a single one
/// without a like; else none. So like men are never torn apart, and both orders of two of them are one block.
pub(crate) fn choice_of_frame(variant: &Variant, men: &[Man], mobile: &[usize]) -> Vec<usize> {
    let most = mobile.len().saturating_sub(1).min(2);
    let royal: Vec<usize> = mobile.iter().copied().filter(|&i| variant.is_royal(men[i])).collect();
    if !royal.is_empty() && variant.has_one_royal_each() {
        let others = mobile.iter().copied().filter(|i| !royal.contains(i));
        return royal.iter().copied().chain(others).take(most).collect();
    }
    let n_like = |i: usize| mobile.iter().filter(|&&other| men[other] == men[i]).count();
    let reach =
        |i: usize| variant.movement(men[i]).rays().iter().map(|ray| usize::from(ray.limit)).sum::<usize>();
    let mut single: Vec<usize> = mobile.iter().copied().filter(|&i| n_like(i) == 1).collect();
    single.sort_by_key(|&i| (reach(i), i));
    let pairs = || {
        let of_singles = single.iter().flat_map(|&a| single.iter().map(move |&b| [a, b]));
        let of_like = mobile
            .iter()
            .filter(|&&i| n_like(i) == 2)
            .flat_map(|&a| mobile.iter().filter(move |&&b| men[a] == men[b]).map(move |&b| [a, b]));
        of_singles.chain(of_like).filter(|[a, b]| a < b && men[*a].side == men[*b].side)
    };
    let pair = if most == 2 { pairs().min_by_key(|&[a, b]| (reach(a) + reach(b), a, b)) } else { None };
    match pair {
        Some(pair) => pair.to_vec(),
        None => single.into_iter().take(most.min(1)).collect(),
    }
}

/// The symmetries of the board that every man's movement and region, every pawn's squares, the goals, the
/// squares that men are kept to and the pawn moves that are given away respect, the identity first.
///
/// For the men of chess: all eight without pawns, the left-right mirror with pawns. In a race to the last
/// rank the left-right mirror is all that is left.
#[must_use]
pub fn symmetry_group(variant: &Variant, material: &Material) -> Vec<Symmetry> {
    let all = goal_symmetries(variant);
    all.into_iter().filter(|&g| material.men().all(|man| is_respected_by(variant, man, g))).collect()
}

/// The symmetries of the board that the goals respect, and the squares that men are kept to; the identity
/// first.
pub(crate) fn goal_symmetries(variant: &Variant) -> Vec<Symmetry> {
    let places = variant.rules.goal.as_ref().map_or(&[][..], |goal| &goal.places);
    let kept = || variant.rules.kept.iter().flat_map(|kept| &kept.squares);
    let keeps_goal = |g| places.iter().all(|all| all.iter().all(|&p| all.contains(&moved(variant, g, p))));
    let all = Symmetry::all(&variant.board).into_iter().filter(|g| !g.is_idle_on(&variant.board));
    all.filter(|&g| keeps_goal(g) && kept().all(|&set| keeps_set(variant, g, set))).collect()
}

/// Whether a man's movement and region and, of a pawn, its squares and its moves that are given away respect
/// a symmetry.
pub(crate) fn is_respected_by(variant: &Variant, man: Man, g: Symmetry) -> bool {
    let keeps = |man| variant.movement(man).is_preserved_by(g) && keeps_set(variant, g, variant.region(man));
    keeps(man)
        && variant.pawn_rules(man).is_none_or(|pawn| {
            let sets = [pawn.zone, pawn.promotion, pawn.double_step_from];
            sets.iter().all(|&set| keeps_set(variant, g, set))
                // A promoted man brings its own movement and region into the game.
                && pawn.promotes_to.iter().all(|&piece| keeps(Man { piece, ..man }))
                && variant.rules.given_steps.iter().all(|steps| keeps_steps(variant, man, g, steps))
        })
}

/// Whether the images of a pawn's moves among these are among them.
fn keeps_steps(variant: &Variant, pawn: Man, g: Symmetry, steps: &[PawnStep]) -> bool {
    let image = |square| g.square(&variant.board, square);
    let mut own = steps.iter().filter(|(man, ..)| *man == pawn);
    own.all(|&(man, from, to)| steps.contains(&(man, image(from), image(to))))
}

fn keeps_set(variant: &Variant, g: Symmetry, set: SquareSet) -> bool {
    moved(variant, g, set) == set
}

/// Where a symmetry takes a set of squares.
fn moved(variant: &Variant, g: Symmetry, set: SquareSet) -> SquareSet {
    set.iter().map(|square| g.square(&variant.board, square)).collect()
}
