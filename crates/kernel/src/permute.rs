//! Permutations of the bits of a word: what a symmetry of the board does to the man in the lane.

/// A permutation of the bits of a word.
#[derive(Clone, Debug)]
pub enum LanePermutation {
    /// Every bit stays.
    Identity,
    /// A symmetry of the 8×8 board, by swaps of groups of bits: transpose, then mirror files, then mirror ranks.
    Square8 {
        /// Exchange files and ranks.
        transpose: bool,
        /// Exchange left and right.
        mirror_files: bool,
        /// Exchange near and far.
        mirror_ranks: bool,
    },
    /// Any other: for each byte of the word, what its bits become.
    Bytes(Box<[[u64; 256]; 8]>),
}

impl LanePermutation {
    /// The permutation that takes bit `i` to bit `map[i]`.
    ///
    /// Shape: `map` has a row of `n` distinct numbers below `n`, `n` at most 64.
    #[must_use]
    pub fn from_map(map: &[u8]) -> Self {
        assert!(map.len() <= 64 && map.iter().all(|&to| (to as usize) < map.len()));
        if map.iter().enumerate().all(|(i, &to)| i == to as usize) {
            return LanePermutation::Identity;
        }
        for bits in 0..8 {
            let candidate = LanePermutation::Square8 {
                transpose: bits & 4 != 0,
                mirror_files: bits & 1 != 0,
                mirror_ranks: bits & 2 != 0,
            };
            let same = |(i, &to): (usize, &u8)| permute_word(1 << i, &candidate) == 1 << to;
            if map.len() == 64 && map.iter().enumerate().all(same) {
                return candidate;
            }
        }
        let mut bytes = Box::new([[0; 256]; 8]);
        for (byte, row) in bytes.iter_mut().enumerate() {
            for (value, word) in row.iter_mut().enumerate() {
                let bits = (0..8).filter(|bit| value >> bit & 1 == 1).map(|bit| byte * 8 + bit);
                *word = bits.filter(|&bit| bit < map.len()).map(|bit| 1 << map[bit]).sum();
            }
        }
        LanePermutation::Bytes(bytes)
    }
}

/// A word with its bits permuted.
#[must_use]
#[inline(always)]
pub fn permute_word(word: u64, permutation: &LanePermutation) -> u64 {
    match permutation {
        LanePermutation::Identity => word,
        LanePermutation::Square8 { transpose, mirror_files, mirror_ranks } => {
            let mut word = word;
            if *transpose {
                word = transposed(word);
            }
            if *mirror_files {
                word = mirrored_bytes(word);
            }
            if *mirror_ranks {
                word = word.swap_bytes();
            }
            word
        }
        LanePermutation::Bytes(bytes) => word
            .to_le_bytes()
            .iter()
            .zip(bytes.iter())
            .fold(0, |sum, (&value, row)| sum | row[value as usize]),
    }
}

/// The bits of `word` that differ from those `by` places above, under `mask`, exchanged with them.
#[inline(always)]
fn exchanged(word: u64, by: u32, mask: u64) -> u64 {
    let differ = (word ^ (word >> by)) & mask;
    word ^ differ ^ (differ << by)
}

/// An 8×8 matrix of bits transposed: 1×1 squares within 2×2, 2×2 within 4×4, 4×4 within 8×8.
#[inline(always)]
fn transposed(word: u64) -> u64 {
    let word = exchanged(word, 7, 0x00AA_00AA_00AA_00AA);
    let word = exchanged(word, 14, 0x0000_CCCC_0000_CCCC);
    exchanged(word, 28, 0x0000_0000_F0F0_F0F0)
}

/// Every byte with its bits in reverse order.
#[inline(always)]
fn mirrored_bytes(word: u64) -> u64 {
    let word = (word >> 1 & 0x5555_5555_5555_5555) | (word & 0x5555_5555_5555_5555) << 1;
    let word = (word >> 2 & 0x3333_3333_3333_3333) | (word & 0x3333_3333_3333_3333) << 2;
    (word >> 4 & 0x0F0F_0F0F_0F0F_0F0F) | (word & 0x0F0F_0F0F_0F0F_0F0F) << 4
}
