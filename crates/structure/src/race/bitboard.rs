//! Computes moves on sets of squares of a board of 8 × 8: bit 0 is a1, bit 7 h1, bit 63 h8.
//!
//! A queen's moves are filled in eight directions at once for all squares of a set, each time twice as far:
//! after three steps a fill has gone seven squares, which is as far as the board reaches.

/// A set of squares.
pub(super) type Bits = u64;

/// The squares of the files a and h.
const FILE_A: Bits = 0x0101_0101_0101_0101;
const FILE_H: Bits = FILE_A << 7;

/// The squares of the first and of the last rank.
pub(super) const FIRST_RANK: Bits = 0xff;
pub(super) const LAST_RANK: Bits = 0xff << 56;

/// A square as a set.
pub(super) const fn bit(square: usize) -> Bits {
    1 << square
}

/// The squares of a set, from a1 on.
pub(super) fn squares(set: Bits) -> impl Iterator<Item = usize> {
    let mut rest = set;
    std::iter::from_fn(move || {
        (rest != 0).then(|| {
            let square = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            square
        })
    })
}

/// The set with the files exchanged, a for h.
pub(super) const fn mirrored(set: Bits) -> Bits {
    set.reverse_bits().swap_bytes()
}

/// The squares beside those of a set, in eight directions.
pub(super) const fn beside(set: Bits) -> Bits {
    let sideways = (set & !FILE_H) << 1 | (set & !FILE_A) >> 1;
    let row = set | sideways;
    sideways | row << 8 | row >> 8
}

/// By square: the squares beside it.
pub(super) const NEIGHBOURS: [Bits; 64] = {
    let mut all = [0; 64];
    let mut square = 0;
    while square < 64 {
        all[square] = beside(bit(square));
        square += 1;
    }
    all
};

/// What pawns that move up the board attack.
pub(super) const fn attacks_upwards(pawns: Bits) -> Bits {
    (pawns & !FILE_H) << 9 | (pawns & !FILE_A) << 7
}

/// What pawns that move down the board attack.
pub(super) const fn attacks_downwards(pawns: Bits) -> Bits {
    (pawns & !FILE_A) >> 9 | (pawns & !FILE_H) >> 7
}

const fn shifted(set: Bits, step: i32) -> Bits {
    if step > 0 { set << step } else { set >> -step }
}

/// The squares to which queens on the squares of a set can go over empty squares, up to the first square
/// that is not empty and with it.
pub(super) fn queen_moves(set: Bits, empty: Bits) -> Bits {
    let sideways = ray::<1>(set, empty, !FILE_H) | ray::<-1>(set, empty, !FILE_A);
    let straight = ray::<8>(set, empty, !0) | ray::<-8>(set, empty, !0);
    let rising = ray::<9>(set, empty, !FILE_H) | ray::<7>(set, empty, !FILE_A);
    let falling = ray::<-7>(set, empty, !FILE_H) | ray::<-9>(set, empty, !FILE_A);
    sideways | straight | rising | falling
}

/// Like [`queen_moves`], in one direction: by how much a square's number grows with a step (a negative
/// number is a shift to the right), and the squares from which the step stays on the board.
fn ray<const STEP: i32>(set: Bits, empty: Bits, stays: Bits) -> Bits {
    // A square may be left in this direction, and may be passed on the way.
    let one = empty & shifted(stays, STEP);
    let two = one & shifted(one, STEP);
    let four = two & shifted(two, 2 * STEP);
    let mut from = set | one & shifted(set, STEP);
    from |= two & shifted(from, 2 * STEP);
    from |= four & shifted(from, 4 * STEP);
    shifted(from & stays, STEP)
}

/// By two squares: the squares that the second one hides from a queen on the first.
pub(super) static HIDDEN: [[Bits; 64]; 64] = {
    let mut all = [[0; 64]; 64];
    let mut square = 0;
    while square < 64 {
        let mut direction = 0;
        while direction < 9 {
            let (files, ranks) = (direction % 3 - 1, direction / 3 - 1);
            let (mut file, mut rank, mut passed) = (square % 8 + files, square / 8 + ranks, 0);
            while direction != 4 && 0 <= file && file < 8 && 0 <= rank && rank < 8 {
                let at = rank * 8 + file;
                let mut before: Bits = passed;
                while before != 0 {
                    all[square as usize][before.trailing_zeros() as usize] |= bit(at as usize);
                    before &= before - 1;
                }
                passed |= bit(at as usize);
                (file, rank) = (file + files, rank + ranks);
            }
            direction += 1;
        }
        square += 1;
    }
    all
};

/// Sets by square, with a border of empty sets.
#[derive(Clone)]
pub(super) struct Bordered([Bits; 91]);

impl Bordered {
    pub(super) fn new(sets: &[Bits; 64]) -> Self {
        let mut bordered = Bordered([0; 91]);
        sets.iter().enumerate().for_each(|(square, set)| bordered.0[Self::at(square)] = *set);
        bordered
    }

    /// One more square to a rank, and a rank and a square before the first and behind the last.
    const fn at(square: usize) -> usize {
        square + square / 8 + 10
    }

    pub(super) fn get(&self, square: usize) -> Bits {
        self.0[Self::at(square)]
    }

    /// Takes squares out of the set of a square.
    pub(super) fn remove(&mut self, square: usize, gone: Bits) {
        self.0[Self::at(square)] &= !gone;
    }

    /// The sets of the squares beside a square, together.
    pub(super) fn beside(&self, square: usize) -> Bits {
        let (at, sets) = (Self::at(square), &self.0);
        let below = sets[at - 10] | sets[at - 9] | sets[at - 8];
        let above = sets[at + 8] | sets[at + 9] | sets[at + 10];
        below | above | sets[at - 1] | sets[at + 1]
    }
}
