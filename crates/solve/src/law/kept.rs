//! Compiles the squares that men of one side are kept to, and finds the placements with a man elsewhere.
//!
//! Like men share their squares: a placement is inside if each of them can be given squares of his own among
//! those of his kind.

use index::Layout;
use kernel::Word;
use variant::{Man, Side};

/// The men of a side that are kept to squares.
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
    pub(super) fn new(layout: &Layout, kept: &[variant::Kept], loser: Side) -> Option<Self> {
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

    /// The placements of a word in which a man stands elsewhere; `square` knows where each man is but the one
    /// in the lane.
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
