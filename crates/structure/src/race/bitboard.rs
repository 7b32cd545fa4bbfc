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

/// The steps of a queen: by how much a square's number grows (a negative number is a shift to the right),
/// and the squares from which the step stays on the board.
const STEPS: [(i32, Bits); 8] = [
    (1, !FILE_H),
    (-1, !FILE_A),
    (8, !0),
    (-8, !0),
    (9, !FILE_H),
    (-9, !FILE_A),
    (7, !FILE_A),
    (-7, !FILE_H),
];

const fn shifted(set: Bits, step: i32) -> Bits {
    if step > 0 { set << step } else { set >> -step }
}

/// The squares to which queens on the squares of a set can go over empty squares, up to the first square that
/// is not empty and with it.
pub(super) fn queen_moves(set: Bits, empty: Bits) -> Bits {
    let mut all = 0;
    for (step, stays) in STEPS {
        // A square may be left in this direction, and may be passed on the way.
        let mut passes = empty & shifted(stays, step);
        let mut from = set;
        for far in [1, 2, 4] {
            from |= passes & shifted(from, step * far);
            passes &= shifted(passes, step * far);
        }
        all |= shifted(from & stays, step);
    }
    all
}
