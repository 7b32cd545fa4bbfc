//! Packs a set of placements of one block into bytes.
//!
//! A placement is its number within the block. What stands in the bytes are the gaps between one placement
//! of the set and the next, in the code of Golomb and Rice: the low bits of a gap as they are, the rest in
//! unary, as zeros with a one behind them. How many low bits there are is chosen for each set by its mean
//! gap.
//!
//! ```text
//!   count (4 bytes)   low bits (1 byte)   gaps, from the lowest bit of the first byte on
//!
//!   gap 13 with 2 low bits:   0 0 0 1  0 1        three zeros and a one for 13 / 4, then 13 mod 4
//! ```
//!
//! A set of which each placement is in with a probability of its own takes half a bit a placement more than
//! its entropy, or less. Source: S. W. Golomb, *Run-length encodings* (1966); R. F. Rice (1979).

use kernel::{Word, is_full};

/// Bytes before the gaps: how many there are, and their low bits.
const HEAD_BYTES: usize = 5;

/// Bytes behind the gaps, so that eight can be read anywhere.
const TAIL_BYTES: usize = 8;

/// The zeros that say that the whole gap follows in 32 bits.
const ESCAPE: u32 = 22;

/// The bits of a gap of the escaped kind.
const ESCAPED_BITS: u32 = 32;

/// Appends the set of all bits in the live rows of a block's words. `full` gets the words that hold
/// something, each with its number.
///
/// Shape: `words` are rows of `row_len`, one for each of `live`, and have `lane_len` placements each.
pub(crate) fn pack<W: Word>(
    words: &[W],
    live: &[bool],
    (row_len, lane_len): (usize, usize),
    full: &mut Vec<(u32, W)>,
    bytes: &mut Vec<u8>,
) {
    full.clear();
    let (mut n, mut n_rows) = (0, 0);
    for (row, words) in words.chunks_exact(row_len).enumerate().filter(|(row, _)| live[*row]) {
        for (part, words) in words.chunks(PART).enumerate().filter(|(_, words)| is_full(words)) {
            let first = row * row_len + part * PART;
            for (x, &word) in words.iter().enumerate().filter(|(_, word)| **word != W::ZERO) {
                n += word.n_bits();
                full.push(((first + x) as u32, word));
            }
        }
        n_rows += 1;
    }
    let low_bits = low_bits(n, n_rows * row_len * lane_len);
    // A gap is less than the placements of a block, of which a set has the number.
    assert!(u32::try_from(live.len() * row_len * lane_len).is_ok(), "a block of too many placements");
    bytes.extend((n as u32).to_le_bytes());
    bytes.push(low_bits as u8);
    let mut gaps = GapWriter { bytes, low_bits, bits: 0, n_bits: 0 };
    let mut next = 0;
    for &(place, word) in &*full {
        let first = place as usize * lane_len;
        for bit in word.bits() {
            gaps.write((first + bit - next) as u32);
            next = first + bit + 1;
        }
    }
    gaps.finish();
}

/// The words that are looked at together for whether any of them holds something.
const PART: usize = 8;

/// How many low bits suit `n` placements among `n_places`.
fn low_bits(n: usize, n_places: usize) -> u32 {
    // Of gaps of this mean the median is ln 2 times as large, and half of all gaps should need no zero.
    let median = n_places * 69 / (100 * n.max(1));
    median.max(1).ilog2()
}

/// Writes gaps bit by bit.
struct GapWriter<'a> {
    bytes: &'a mut Vec<u8>,
    low_bits: u32,
    /// Bits that are not among the bytes yet, fewer than 32 of them.
    bits: u64,
    n_bits: u32,
}

impl GapWriter<'_> {
    #[inline]
    fn write(&mut self, gap: u32) {
        let zeros = gap >> self.low_bits;
        let low = u64::from(gap) & ((1 << self.low_bits) - 1);
        if zeros + 1 + self.low_bits <= 32 && zeros < ESCAPE {
            self.put((low << 1 | 1) << zeros, zeros + 1 + self.low_bits);
        } else if zeros < ESCAPE {
            self.put(1 << zeros, zeros + 1);
            self.put(low, self.low_bits);
        } else {
            self.put(1 << ESCAPE, ESCAPE + 1);
            self.put(gap.into(), ESCAPED_BITS);
        }
    }

    /// Writes up to 32 bits.
    #[inline]
    fn put(&mut self, bits: u64, n_bits: u32) {
        self.bits |= bits << self.n_bits;
        self.n_bits += n_bits;
        if self.n_bits >= 32 {
            self.bytes.extend_from_slice(&(self.bits as u32).to_le_bytes());
            self.bits >>= 32;
            self.n_bits -= 32;
        }
    }

    fn finish(self) {
        self.bytes.extend_from_slice(&self.bits.to_le_bytes()[..self.n_bits.div_ceil(8) as usize]);
        self.bytes.extend_from_slice(&[0; TAIL_BYTES]);
    }
}

/// How many placements a packed set has; none if these bytes are no set.
pub(crate) fn n_packed(bytes: &[u8]) -> Option<usize> {
    let head = bytes.first_chunk::<4>().filter(|_| bytes.len() >= HEAD_BYTES + TAIL_BYTES)?;
    Some(u32::from_le_bytes(*head) as usize)
}

/// Calls `visit` with the placements of a packed set, ascending. Returns whether the bytes are a set of
/// placements below `n_places`; if they are none, some placements below that may have been visited.
#[must_use]
#[inline]
pub(crate) fn unpack(bytes: &[u8], n_places: usize, mut visit: impl FnMut(usize)) -> bool {
    let Some(n) = n_packed(bytes) else { return false };
    let low_bits = u32::from(bytes[HEAD_BYTES - 1]);
    if low_bits >= ESCAPED_BITS {
        return false;
    }
    let gaps = &bytes[HEAD_BYTES..];
    let (mut at_bit, mut next) = (0, 0);
    for _ in 0..n {
        let Some(eight) = gaps.get(at_bit / 8..).and_then(|rest| rest.first_chunk::<8>()) else {
            return false;
        };
        // 57 bits at least.
        let bits = u64::from_le_bytes(*eight) >> (at_bit % 8);
        let zeros = bits.trailing_zeros();
        let (gap, n_bits) = if zeros < ESCAPE {
            let low = bits >> (zeros + 1) & ((1 << low_bits) - 1);
            ((u64::from(zeros) << low_bits | low) as usize, zeros + 1 + low_bits)
        } else {
            ((bits >> (ESCAPE + 1) & u64::from(u32::MAX)) as usize, ESCAPE + 1 + ESCAPED_BITS)
        };
        at_bit += n_bits as usize;
        let place = next + gap;
        if place >= n_places {
            return false;
        }
        visit(place);
        next = place + 1;
    }
    true
}

/// Calls `visit` with the words of a packed set that are not empty, each with its place in the block,
/// ascending. Returns whether the bytes are a set of placements of `n_words` words, as [`unpack`] does.
#[must_use]
pub(crate) fn unpack_words<W: Word>(
    bytes: &[u8],
    n_words: usize,
    lane_len: usize,
    mut visit: impl FnMut(usize, W),
) -> bool {
    let (mut word, mut bits) = (0, W::ZERO);
    let is_set = unpack(bytes, n_words * lane_len, |place| {
        let own = place / lane_len;
        if own != word {
            if bits != W::ZERO {
                visit(word, bits);
            }
            (word, bits) = (own, W::ZERO);
        }
        bits |= W::bit(place % lane_len);
    });
    if bits != W::ZERO {
        visit(word, bits);
    }
    is_set
}

#[cfg(test)]
mod tests {
    use super::{HEAD_BYTES, TAIL_BYTES, n_packed, pack, unpack, unpack_words};
    use kernel::Word;

    /// Numbers that look random.
    fn numbers() -> impl FnMut() -> u64 {
        let mut state = 1_u64;
        move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 33
        }
    }

    /// Packs the placements that are in a set, and unpacks them again. Returns how many bytes they take.
    #[track_caller]
    fn check<W: Word>(
        [n_rows, row_len, lane_len]: [usize; 3],
        what: &str,
        mut is_in: impl FnMut(usize) -> bool,
    ) -> usize {
        let mut words = vec![W::ZERO; n_rows * row_len];
        let mut live = vec![false; n_rows];
        let mut expected = Vec::new();
        for place in (0..words.len() * lane_len).filter(|&place| is_in(place)) {
            words[place / lane_len] |= W::bit(place % lane_len);
            live[place / lane_len / row_len] = true;
            expected.push(place);
        }
        let mut bytes = vec![7];
        pack(&words, &live, (row_len, lane_len), &mut Vec::new(), &mut bytes);
        let packed = &bytes[1..];
        assert_eq!(n_packed(packed), Some(expected.len()));
        let mut got = Vec::new();
        assert!(unpack(packed, words.len() * lane_len, |place| got.push(place)), "{what}");
        assert_eq!(got, expected, "{what}");
        let mut again = vec![W::ZERO; words.len()];
        assert!(unpack_words(packed, words.len(), lane_len, |at, bits: W| {
            assert!(again[at] == W::ZERO && bits != W::ZERO, "a word comes once");
            again[at] = bits;
        }));
        assert!(again == words, "{what}");
        // What is cut off or too large for its block is no set.
        if let Some(&last) = expected.last() {
            assert!(!unpack(packed, last, |_| {}), "{what}");
            assert!(!unpack(&packed[..12], words.len() * lane_len, |_| {}), "{what}");
        }
        packed.len()
    }

    #[track_caller]
    fn check_random<W: Word>(shape: [usize; 3], one_in: u64) -> usize {
        let mut number = numbers();
        check::<W>(shape, &format!("one in {one_in}"), |_| number().is_multiple_of(one_in))
    }

    #[test]
    fn what_is_packed_is_unpacked() {
        for one_in in [1, 2, 3, 10, 100, 1000, 100_000, u64::MAX] {
            check_random::<u64>([8, 64, 64], one_in);
            check_random::<u64>([3, 20, 20], one_in);
            check_random::<u128>([5, 80, 80], one_in);
            check_random::<u64>([1, 1, 1], one_in);
        }
    }

    /// Packs the first 64 placements of a block and one behind a gap, which takes `n_bits` bits.
    #[track_caller]
    fn check_gap(shape: [usize; 3], low_bits: u32, gap: usize, n_bits: usize) {
        assert_eq!(super::low_bits(65, shape.iter().product()), low_bits);
        let n_bytes =
            check::<u64>(shape, &format!("a gap of {gap}"), |place| place < 64 || place == 64 + gap);
        let n_bits = 64 * (1 + low_bits as usize) + n_bits;
        assert_eq!(n_bytes, HEAD_BYTES + n_bits.div_ceil(8) + TAIL_BYTES, "a gap of {gap}");
    }

    #[test]
    fn wide_gaps_are_escaped() {
        check_gap([1, 512, 64], 8, 0, 9);
        check_gap([1, 512, 64], 8, (22 << 8) - 1, 21 + 1 + 8);
        check_gap([1, 512, 64], 8, 22 << 8, 22 + 1 + 32);
        check_gap([1, 512, 64], 8, 512 * 64 - 65, 22 + 1 + 32);
        // Zeros and low bits are more than are written at once.
        check_gap([1, 4096, 64], 11, (22 << 11) - 1, 21 + 1 + 11);
        check_gap([1, 4096, 64], 11, 22 << 11, 22 + 1 + 32);
        check_gap([1, 4096, 64], 11, 4096 * 64 - 65, 22 + 1 + 32);
    }

    #[test]
    fn sets_take_little_more_than_their_entropy() {
        for one_in in [2, 3, 8, 50, 400] {
            let n_places = 64 * 64 * 64;
            let n_bytes = check_random::<u64>([64, 64, 64], one_in);
            let p = 1.0 / one_in as f64;
            let entropy = -(p * p.log2() + (1.0 - p) * (1.0 - p).log2()) * f64::from(n_places) / 8.0;
            assert!(
                (n_bytes as f64) < 1.12 * entropy + 32.0,
                "one in {one_in}: {n_bytes}, entropy {entropy}"
            );
        }
    }
}
