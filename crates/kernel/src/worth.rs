//! Finds the best move of each placement of a row, by what the moves are worth.
//!
//! A *worth* is a number for what a position is worth to the side that moves there, the larger the better.
//! Wins and losses are those of the side that is to move then:
//!
//! ```text
//!   no position    won in 0, 1, 2 … plies   drawn    lost in …, 2, 1, 0 plies
//!        0              1, 2, 3, …          middle        …, most − 1, most
//! ```
//!
//! So the best of several moves is a maximum, and what a position is worth whose best move is known is a
//! subtraction. A row has a worth for each square of the lane man; as in the kernels for sets, the moves of
//! the other men lead to other rows and his own along the row.

use crate::Level;
use std::fmt::Debug;
use std::ops::BitAnd;

/// A worth of one byte or two.
pub trait Worth: Copy + Ord + Default + Debug + BitAnd<Output = Self> + Send + Sync + 'static {
    /// A draw.
    const DRAW: Self;
    /// A position in which the side to move has lost: the best that a move can lead to.
    const MATE: Self;
    /// The most plies of a win or a loss that have a worth.
    const MOST_PLIES: u16;

    /// The worth of a position that the side to move has lost after these plies. Of more plies than there are
    /// worths for it has no meaning.
    fn of_loss(ply: u16) -> Self;

    /// The worth of a position that the side to move wins after these plies.
    fn of_win(ply: u16) -> Self;

    /// The plies after which the side to move has lost (true) or won; none of a draw. Of no position, 0, they
    /// have no meaning.
    fn plies(self) -> Option<(bool, u16)>;

    /// What a position is worth whose best move is worth this; of no move, 0, it has no meaning. A distance
    /// that has no worth becomes a draw.
    fn of_position(self) -> Self;
}

macro_rules! worth {
    ($number:ty) => {
        impl Worth for $number {
            const DRAW: Self = 1 << (<$number>::BITS - 1);
            const MATE: Self = <$number>::MAX;
            const MOST_PLIES: u16 = (Self::DRAW - 2) as u16;

            #[inline(always)]
            fn of_loss(ply: u16) -> Self {
                <$number>::MAX.wrapping_sub(ply as $number)
            }

            #[inline(always)]
            fn of_win(ply: u16) -> Self {
                (ply as $number).wrapping_add(1)
            }

            #[inline(always)]
            fn plies(self) -> Option<(bool, u16)> {
                match self {
                    Self::DRAW => None,
                    won if won < Self::DRAW => Some((false, won.wrapping_sub(1) as u16)),
                    lost => Some((true, (<$number>::MAX - lost) as u16)),
                }
            }

            #[inline(always)]
            fn of_position(self) -> Self {
                let turned = (0 as $number).wrapping_sub(self);
                turned
                    .wrapping_add((self > Self::DRAW) as $number)
                    .wrapping_sub((self < Self::DRAW) as $number)
            }
        }
    };
}

worth!(u8);
worth!(u16);

/// A stage of a way of the lane man, from any square of the row.
#[derive(Clone, Debug)]
pub struct LaneStage<T, const N: usize> {
    /// How many squares further it leads, as squares are numbered.
    pub by: isize,
    /// By square: all bits where the board has a square there; none elsewhere.
    pub sources: [T; N],
    /// Whether the man may stop there.
    pub lands: bool,
}

/// One stage of the way of a man whose square is known. The stages of a way follow each other, the last one
/// first.
#[derive(Clone, Copy, Debug)]
pub struct RowStage {
    /// The row that it leads to.
    pub row: u32,
    /// Its square, which the lane man must leave free for the stages behind it.
    pub square: u8,
    /// Whether the man may stop there.
    pub lands: bool,
    /// Whether it is the last stage of its way.
    pub begins: bool,
}

/// A row that a move leads to under a condition.
#[derive(Clone, Debug)]
pub struct OtherRow<T, const N: usize> {
    /// The row.
    pub row: u32,
    /// By square of the row as it stands: where it is kept; none if it is kept as it stands.
    pub image: Option<u8>,
    /// By square of the lane man: all bits where the move is possible.
    pub mask: Option<[T; N]>,
}

/// The moves of one side in the placements of a row.
#[derive(Debug)]
pub struct RowMoves<'a, T, const N: usize> {
    /// The rows that moves lead to.
    pub source: &'a [[T; N]],
    /// The row.
    pub row: usize,
    /// By square: all bits where the lane man may pass.
    pub free: [T; N],
    /// His ways, if he is of the side, each with its first stage first.
    pub lane: &'a [Vec<LaneStage<T, N>>],
    /// The ways of the men of known squares that stay in the block.
    pub stages: &'a [RowStage],
    /// By square: all bits on all others.
    pub others_of: &'a [[T; N]],
    /// The other rows that moves lead to.
    pub others: &'a [OtherRow<T, N>],
    /// By image: where each square of a row is kept.
    pub images: &'a [[u8; N]],
}

impl<T: Worth, const N: usize> RowMoves<'_, T, N> {
    /// Makes each worth that of the best move, if a move is better.
    #[inline]
    pub fn join(&self, best: &mut [T; N]) {
        #[cfg(target_arch = "x86_64")]
        {
            #[expect(unsafe_code, reason = "the processor has the instructions")]
            match Level::detected() {
                // SAFETY: `Level::detected` is no higher than what the processor has.
                Level::Gfni | Level::Avx512 => return unsafe { join_avx512(self, best) },
                // SAFETY: as above.
                Level::Avx2 => return unsafe { join_avx2(self, best) },
                Level::Portable => {}
            }
        }
        join(self, best);
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn join_avx512<T: Worth, const N: usize>(moves: &RowMoves<'_, T, N>, best: &mut [T; N]) {
    join(moves, best);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn join_avx2<T: Worth, const N: usize>(moves: &RowMoves<'_, T, N>, best: &mut [T; N]) {
    join(moves, best);
}

#[inline(always)]
fn join<T: Worth, const N: usize>(moves: &RowMoves<'_, T, N>, best: &mut [T; N]) {
    let own = &moves.source[moves.row];
    for stages in moves.lane {
        let mut way = [T::default(); N];
        for stage in stages.iter().rev() {
            // Three times as long, so that a shift needs no bounds.
            let mut room = [[T::default(); N]; 3];
            for i in 0..N {
                let passed = way[i] & moves.free[i];
                room[1][i] = if stage.lands { passed.max(own[i]) } else { passed };
            }
            let start = N.wrapping_add_signed(stage.by);
            let shifted = &room.as_flattened()[start..start + N];
            for i in 0..N {
                way[i] = shifted[i] & stage.sources[i];
            }
        }
        larger(best, &way);
    }
    let mut way = [T::default(); N];
    for stage in moves.stages {
        if stage.begins {
            larger(best, &way);
            way = [T::default(); N];
        }
        // A mask, because a byte that is written has to be in memory before the row is read again.
        let (others, source) =
            (&moves.others_of[usize::from(stage.square)], &moves.source[stage.row as usize]);
        for i in 0..N {
            let passed = way[i] & others[i];
            way[i] = if stage.lands { passed.max(source[i]) } else { passed };
        }
    }
    larger(best, &way);
    for other in moves.others {
        let mut row = moves.source[other.row as usize];
        if let Some(image) = other.image {
            let (kept, image) = (row, &moves.images[usize::from(image)]);
            for i in 0..N {
                row[i] = kept[usize::from(image[i]) % N];
            }
        }
        if let Some(mask) = &other.mask {
            for i in 0..N {
                row[i] = row[i] & mask[i];
            }
        }
        larger(best, &row);
    }
}

#[inline(always)]
fn larger<T: Worth, const N: usize>(best: &mut [T; N], row: &[T; N]) {
    for i in 0..N {
        best[i] = best[i].max(row[i]);
    }
}

#[cfg(test)]
mod tests {
    use super::Worth;

    /// What a worth says is what it was made from, and a position is worth what its best move leaves.
    #[track_caller]
    fn check<T: Worth>() {
        assert_eq!((T::of_loss(0), T::DRAW.plies(), T::DRAW.of_position()), (T::MATE, None, T::DRAW));
        for ply in (0..T::MOST_PLIES.min(2000)).chain([T::MOST_PLIES - 1]) {
            let (lost, won) = (T::of_loss(ply), T::of_win(ply));
            assert_eq!((lost.plies(), won.plies()), (Some((true, ply)), Some((false, ply))));
            assert_eq!((lost.of_position(), won.of_position()), (T::of_win(ply + 1), T::of_loss(ply + 1)));
            assert!(T::default() < won && won < T::DRAW && T::DRAW < lost);
        }
        // One ply more than there are worths for.
        assert_eq!(T::of_loss(T::MOST_PLIES).of_position(), T::DRAW);
        assert_eq!(T::of_win(T::MOST_PLIES).of_position(), T::DRAW);
    }

    #[test]
    fn worths_of_one_byte_and_two() {
        check::<u8>();
        check::<u16>();
    }
}
