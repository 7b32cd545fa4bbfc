//! Packs where a new queen stands: for either king's square, sets of squares of the queen.
//!
//! A slice has 4,096 rows of 64 bits, and thousands of slices wait for those that read them. With the
//! defender's king on one square the rows are much alike, wherever the attacker's king is: they differ
//! where he guards something or stands in the way, or one of them is empty. So a row is stored as what
//! makes it differ from that of the attacker's king before it, and most rows do not:
//!
//! ```text
//!   by attacker's king: which rows differ ─► by row: which of its bytes differ ─► these bytes
//!                         64 bits                       8 bits
//!                                                   none: empty, or no longer
//! ```
//!
//! The row behind empty ones is compared with the last that was not empty. Rows of kings that cannot stand
//! so are left out. On the attacker's own square no queen stands, and its bit counts as unchanged.

use super::bitboard::{Bits, bit, mirrored, squares};
use super::ground::KingSets;

/// By squares of the attacker's king and of the defender's: squares of the queen.
pub(super) type QueenSets = [KingSets; 64];

/// Empty sets.
pub(super) fn no_sets() -> Box<QueenSets> {
    vec![[0; 64]; 64].try_into().expect("there are as many rows as squares")
}

/// The squares in an order in which each lies beside the one before: every other rank from h to a.
fn winding(place: usize) -> usize {
    if place & 8 == 0 { place } else { place ^ 7 }
}

/// Packs sets whose rows are empty but where the defender's king may stand beside the attacker's.
pub(super) fn pack(sets: &QueenSets, may_stand: impl Fn(usize) -> Bits, bytes: &mut Vec<u8>) {
    let (mut last, mut empty): (KingSets, Bits) = ([0; 64], !0);
    for king in (0..64).map(winding) {
        let (rows, others) = (&sets[king], may_stand(king));
        if others == 0 {
            continue;
        }
        let (at, mut differing) = (bytes.len(), 0);
        bytes.extend([0; 8]);
        for other in squares(others) {
            let is_empty = rows[other] == 0;
            let difference = if is_empty { 0 } else { (rows[other] ^ last[other]) & !bit(king) };
            if difference != 0 || is_empty != (empty & bit(other) != 0) {
                differing |= bit(other);
                last[other] ^= difference;
                empty = if is_empty { empty | bit(other) } else { empty & !bit(other) };
                let own = difference.to_le_bytes();
                bytes.push((0..8).fold(0, |all, byte| all | u8::from(own[byte] != 0) << byte));
                bytes.extend(own.iter().filter(|byte| **byte != 0));
            }
        }
        bytes[at..at + 8].copy_from_slice(&differing.to_le_bytes());
    }
}

/// What packed sets say, from the first square of the attacker's king on.
enum Said {
    /// The row of a square of the defender's king differs in these bits from the one before.
    Differs(usize, Bits),
    /// These are the rows of a square of the attacker's king; those of these squares are not empty.
    Rows(usize, Bits),
}

fn unpack(mut bytes: &[u8], may_stand: impl Fn(usize) -> Bits, mut visit: impl FnMut(Said)) {
    let mut empty: Bits = !0;
    for king in (0..64).map(winding) {
        let others = may_stand(king);
        if others == 0 {
            continue;
        }
        for other in squares(u64::from_le_bytes(take(&mut bytes))) {
            let [which] = take(&mut bytes);
            if which == 0 {
                empty ^= bit(other);
                continue;
            }
            empty &= !bit(other);
            let difference = squares(which.into()).fold(0, |all, byte| {
                let [own] = take(&mut bytes);
                all | Bits::from(own) << (8 * byte)
            });
            visit(Said::Differs(other, difference));
        }
        visit(Said::Rows(king, others & !empty));
    }
}

/// Unpacks sets, with the files exchanged if they are to be.
pub(super) fn unpack_all(
    bytes: &[u8],
    may_stand: impl Fn(usize) -> Bits,
    is_mirrored: bool,
) -> Box<QueenSets> {
    let mut sets = no_sets();
    let mirror = if is_mirrored { 7 } else { 0 };
    let image = |set: Bits| if is_mirrored { mirrored(set) } else { set };
    let mut last: KingSets = [0; 64];
    unpack(bytes, may_stand, |said| match said {
        Said::Differs(other, difference) => last[other ^ mirror] ^= image(difference),
        Said::Rows(king, others) => {
            let (others, own) = (image(others), !bit(king ^ mirror));
            for (other, (row, last)) in sets[king ^ mirror].iter_mut().zip(&last).enumerate() {
                *row = last & own & (others >> other & 1).wrapping_neg();
            }
        }
    });
    sets
}

/// Unpacks the kings' squares that have the queen on a square.
pub(super) fn unpack_square(bytes: &[u8], may_stand: impl Fn(usize) -> Bits, square: usize) -> KingSets {
    let (mut sets, mut last) = ([0; 64], 0);
    unpack(bytes, may_stand, |said| match said {
        Said::Differs(other, difference) => last ^= (difference >> square & 1) << other,
        Said::Rows(king, others) if king != square => sets[king] = last & others,
        Said::Rows(..) => {}
    });
    sets
}

/// Unpacks the rows of a square of the attacker's king.
pub(super) fn unpack_king(bytes: &[u8], may_stand: impl Fn(usize) -> Bits, king: usize) -> KingSets {
    let (mut sets, mut last) = ([0; 64], [0; 64]);
    unpack(bytes, may_stand, |said| match said {
        Said::Differs(other, difference) => last[other] ^= difference,
        Said::Rows(at, others) if at == king => {
            squares(others).for_each(|other| sets[other] = last[other] & !bit(king));
        }
        Said::Rows(..) => {}
    });
    sets
}

fn take<const N: usize>(bytes: &mut &[u8]) -> [u8; N] {
    let (own, rest) = bytes.split_first_chunk().expect("it is as it was packed");
    *bytes = rest;
    *own
}
