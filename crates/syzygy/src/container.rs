//! Names the flags, sizes and the checksum of a file.

/// Flag of a side of a sub-table: Black is to move (of distances).
pub(crate) const BLACK_TO_MOVE: u8 = 1;
/// Flag: distances stand behind a map.
pub(crate) const MAPPED: u8 = 2;
/// Flag: wins are counted in plies.
pub(crate) const WIN_PLIES: u8 = 4;
/// Flag: losses are counted in plies.
pub(crate) const LOSS_PLIES: u8 = 8;
/// Flag: the map has two bytes an entry.
pub(crate) const WIDE: u8 = 16;
/// Flag: one value throughout.
pub(crate) const SINGLE: u8 = 0x80;

/// What stands before the checksum of a file of a game of its own: the hash of its rules, and zeros.
pub(crate) const RULES_BYTES: usize = 64;

/// Blocks of data begin at multiples of this.
pub(crate) const ALIGNMENT: usize = 64;

/// What ends a file.
pub(crate) const CHECKSUM_BYTES: usize = 16;

/// How the checksum of a file begins that was written here.
///
/// Others end their files with a sum of another kind, which is not known here, and no program that probes
/// looks at it. So the place is free for a sum of our own, and the mark tells the one from the other.
pub(crate) const CHECKSUM_MARK: [u8; 4] = *b"TSMB";

/// The checksum of what comes before it: the mark, and the first twelve bytes of a BLAKE3 hash.
pub(crate) fn checksum(bytes: &[u8]) -> [u8; CHECKSUM_BYTES] {
    let mut sum = [0; CHECKSUM_BYTES];
    let hash = blake3::hash(bytes);
    let of_mark = CHECKSUM_MARK.iter().chain(hash.as_bytes());
    sum.iter_mut().zip(of_mark).for_each(|(to, &from)| *to = from);
    sum
}
