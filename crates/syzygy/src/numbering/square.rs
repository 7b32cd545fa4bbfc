//! Places squares in the board's symmetries: the diagonal a1–h8 and the triangle a1–d1–d4.

/// Above the diagonal a1–h8 if positive, below it if negative.
pub(crate) fn above(square: u8) -> i32 {
    i32::from(square >> 3) - i32::from(square & 7)
}

/// The square mirrored at the diagonal a1–h8.
pub(crate) const fn transposed(square: u8) -> u8 {
    (square >> 3 | square << 3) & 63
}

/// The squares of the triangle a1–d1–d4 in the order of their numbers: those of its long side last.
pub(crate) fn triangle() -> Vec<u8> {
    let corner = |s: &u8| s & 7 < 4 && s >> 3 < 4;
    let off = (0..64).filter(|s| corner(s) && above(*s) < 0);
    let on = (0..64).filter(|s| corner(s) && above(*s) == 0);
    off.chain(on).collect()
}
