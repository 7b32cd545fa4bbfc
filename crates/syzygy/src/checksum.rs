//! Compares the checksum that ends a file: ours, or the one of the generator that most files come from.
//!
//! No program that probes needs a checksum, so a file may also have none: zeros.

/// How the checksum of a file begins that was written here. It tells our sum from the generator's.
const MARK: [u8; 4] = *b"TSMB";

/// Whose checksum a file has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChecksumKind {
    /// Ours: a mark and twelve bytes of a BLAKE3 hash.
    Own,
    /// That of the generator that most files come from: CityHash.
    Generator,
    /// The file has none, so that damage to its blocks cannot be seen.
    Absent,
}

impl ChecksumKind {
    /// Finds out whose checksum of these bytes this is; none if it is that of other bytes.
    pub(crate) fn of(content: &[u8], sum: &[u8]) -> Option<Self> {
        if sum.starts_with(&MARK) && sum == own_sum(content) {
            return Some(ChecksumKind::Own);
        }
        if sum.iter().all(|&byte| byte == 0) {
            return Some(ChecksumKind::Absent);
        }
        (sum == generator_sum(content)).then_some(ChecksumKind::Generator)
    }
}

/// Our checksum of what comes before it: the mark, and the first twelve bytes of a BLAKE3 hash.
pub(crate) fn own_sum(content: &[u8]) -> [u8; CHECKSUM_BYTES] {
    let mut sum = [0; CHECKSUM_BYTES];
    let hash = blake3::hash(content);
    let of_mark = MARK.iter().chain(hash.as_bytes());
    sum.iter_mut().zip(of_mark).for_each(|(to, &from)| *to = from);
    sum
}

/// How many bytes end a file.
///
/// The generator cuts a file into chunks of 16 MiB and hashes each to 32 bytes. The hash of these hashes is
/// the checksum, 16 bytes:
///
/// ```text
///   chunk ─ hash_256 ─► 32 bytes ┐
///   chunk ─ hash_256 ─► 32 bytes ┼─ hash_128 ─► 16 bytes
///   …                            ┘
/// ```
///
/// Later versions of CityHash give other numbers, so this one is written out. All arithmetic is modulo
/// 2⁶⁴.
///
/// Source: CityHash 1.0.3 by Geoff Pike and Jyrki Alakuijala, `CityHash128` and `CityHashCrc256`, under the
/// MIT licence:
///
/// > Copyright (c) 2011 Google, Inc.
/// >
/// > Permission is hereby granted, free of charge, to any person obtaining a copy of this software and
/// > associated documentation files (the "Software"), to deal in the Software without restriction, including
/// > without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
/// > copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the
/// > following conditions:
/// >
/// > The above copyright notice and this permission notice shall be included in all copies or substantial
/// > portions of the Software.
/// >
/// > THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT
/// > LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN
/// > NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY,
/// > WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE
/// > SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
pub(crate) const CHECKSUM_BYTES: usize = 16;

/// How many bytes of a file are hashed by themselves.
const CHUNK_BYTES: usize = 1 << 24;

/// Odd numbers without a pattern, to multiply by.
const K0: u64 = 0xc3a5_c85c_97cb_3127;
const K1: u64 = 0xb492_b66f_be98_f273;
const K3: u64 = 0xc949_d7c7_509e_6557;
const TO_ONE: u64 = 0x9ddf_ea08_eb38_2d69;

/// How many bytes [`Lanes`] takes at a time, and the fewest that [`hash_256`] takes.
const STEP_BYTES: usize = 40;
const LEAST_BYTES: usize = 6 * STEP_BYTES;

/// More bytes than this are hashed as a chunk is.
const MOST_SHORT_BYTES: usize = 900;

/// The checksum of what comes before it.
fn generator_sum(content: &[u8]) -> [u8; CHECKSUM_BYTES] {
    let mut hashes = Vec::with_capacity(32 * content.len().div_ceil(CHUNK_BYTES));
    content.chunks(CHUNK_BYTES).for_each(|chunk| hashes.extend(bytes(&hash_256(chunk))));
    let mut sum = [0; CHECKSUM_BYTES];
    let hash = if hashes.is_empty() { Vec::new() } else { bytes(&hash_128(&hashes)) };
    sum.iter_mut().zip(hash).for_each(|(to, from)| *to = from);
    sum
}

fn bytes(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// The hash of 32 bytes and more.
fn hash_128(text: &[u8]) -> [u64; 2] {
    if text.len() > MOST_SHORT_BYTES {
        let [_, _, first, second] = hash_256(text);
        return [first, second];
    }
    let (seeds, text) = ([word(text, 0) ^ K3, word(text, 8)], &text[16..]);
    if text.len() < 128 { hash_less_than_128(text, seeds) } else { hash_by_64(text, seeds) }
}

/// The hash of 16 to 127 bytes.
fn hash_less_than_128(text: &[u8], [mut a, mut b]: [u64; 2]) -> [u64; 2] {
    let (len, last) = (text.len() as u64, word(text, text.len() - 8));
    let (mut c, mut d);
    if text.len() == 16 {
        a = spread(a.wrapping_mul(K1)).wrapping_mul(K1);
        let both = joined(word(text, 0), last.wrapping_add(len).rotate_right(16)) ^ last;
        c = b.wrapping_mul(K1).wrapping_add(both);
        d = spread(a.wrapping_add(word(text, 0)));
    } else {
        c = joined(last.wrapping_add(K1), a);
        d = joined(b.wrapping_add(len), c.wrapping_add(word(text, text.len() - 16)));
        a = a.wrapping_add(d);
        // The last sixteen bytes or fewer have been looked at.
        for at in (0..text.len() - 16).step_by(16) {
            a = (a ^ spread(word(text, at).wrapping_mul(K1)).wrapping_mul(K1)).wrapping_mul(K1);
            b ^= a;
            c = (c ^ spread(word(text, at + 8).wrapping_mul(K1)).wrapping_mul(K1)).wrapping_mul(K1);
            d ^= c;
        }
    }
    let (a, b) = (joined(a, c), joined(d, b));
    [a ^ b, joined(b, a)]
}

/// The hash of 128 bytes and more.
fn hash_by_64(text: &[u8], [mut x, mut y]: [u64; 2]) -> [u64; 2] {
    let mut z = (text.len() as u64).wrapping_mul(K1);
    let first = (y ^ K1).rotate_right(49).wrapping_mul(K1).wrapping_add(word(text, 0));
    let mut v = [first, first.rotate_right(42).wrapping_mul(K1).wrapping_add(word(text, 8))];
    let mut w = [
        y.wrapping_add(z).rotate_right(35).wrapping_mul(K1).wrapping_add(x),
        x.wrapping_add(word(text, 88)).rotate_right(53).wrapping_mul(K1),
    ];
    let rest = text.len() % 128;
    for at in (0..text.len() - rest).step_by(64) {
        let sum = x.wrapping_add(y).wrapping_add(v[0]).wrapping_add(word(text, at + 16));
        x = sum.rotate_right(37).wrapping_mul(K1) ^ w[1];
        let sum = y.wrapping_add(v[1]).wrapping_add(word(text, at + 48));
        y = sum.rotate_right(42).wrapping_mul(K1) ^ v[0];
        z = (z ^ w[0]).rotate_right(33);
        v = mixed(text, at, [v[1].wrapping_mul(K1), x.wrapping_add(w[0])]);
        w = mixed(text, at + 32, [z.wrapping_add(w[1]), y]);
        (z, x) = (x, z);
    }
    y = y.wrapping_add(w[0].rotate_right(37).wrapping_mul(K0)).wrapping_add(z);
    x = x.wrapping_add(v[0].wrapping_add(z).rotate_right(49).wrapping_mul(K0));
    for done in (0..rest).step_by(32) {
        let at = text.len() - done - 32;
        y = y.wrapping_sub(x).rotate_right(42).wrapping_mul(K0).wrapping_add(v[1]);
        w[0] = w[0].wrapping_add(word(text, at + 16));
        x = x.rotate_right(49).wrapping_mul(K0).wrapping_add(w[0]);
        w[0] = w[0].wrapping_add(v[0]);
        v = mixed(text, at, v);
    }
    (x, y) = (joined(x, v[0]), joined(y, w[0]));
    let second = joined(x.wrapping_add(w[1]), y.wrapping_add(v[1]));
    [joined(x.wrapping_add(v[1]), w[1]).wrapping_add(y), second]
}

/// The hash of a chunk; a short one is filled up with zeros, and its length is the seed.
fn hash_256(chunk: &[u8]) -> [u64; 4] {
    if chunk.len() >= LEAST_BYTES {
        return hash_256_of(chunk, 0);
    }
    let mut filled = [0; LEAST_BYTES];
    filled[..chunk.len()].copy_from_slice(chunk);
    hash_256_of(&filled, !(chunk.len() as u32))
}

fn hash_256_of(text: &[u8], seed: u32) -> [u64; 4] {
    let (mut lanes, starts) = Lanes::new(text, seed);
    for (number, at) in (0..text.len() - text.len() % LEAST_BYTES).step_by(STEP_BYTES).enumerate() {
        lanes.take(&text[at..], number % 2 == 1);
    }
    let tail = &text[text.len() - text.len() % LEAST_BYTES..];
    (0..tail.len() / STEP_BYTES).for_each(|i| lanes.take(&tail[i * STEP_BYTES..], true));
    if !tail.len().is_multiple_of(STEP_BYTES) {
        // The last step takes bytes again, so that it is a whole one.
        lanes.take(&text[text.len() - STEP_BYTES..], true);
    }
    lanes.close(starts)
}

/// The state of [`hash_256`]: five numbers that change places, and a check of all that each has been.
struct Lanes {
    lanes: [u64; 5],
    /// The first of them, a step ago.
    before: u64,
    checks: [u32; 5],
}

impl Lanes {
    /// The state before the first byte, and the two numbers that go into the result.
    fn new(text: &[u8], seed: u32) -> (Self, [u64; 2]) {
        let (len, b) = (text.len() as u64, word(text, 96).wrapping_add(K0));
        let c = joined(b, len);
        let d = word(text, 120).wrapping_mul(K0).wrapping_add(len);
        let e = word(text, 184).wrapping_add(seed.into());
        let lanes = [word(text, 56).wrapping_add(K0), b, c, d, e];
        (Lanes { lanes, before: c.wrapping_add(d), checks: [seed, 0, 0, 0, 0] }, [c, d])
    }

    /// Takes the next forty bytes, by multiplication or without.
    fn take(&mut self, text: &[u8], multiplies: bool) {
        let (factor, less) = if multiplies { (K0, 0) } else { (1, 1) };
        let [a, b, c, d, e] = self.lanes;
        let turned = [(b, 41), (c, 27), (d, 41), (e, 33), (self.before, 25)];
        for (lane, (from, turns)) in turned.into_iter().enumerate() {
            let new = from.rotate_right(turns ^ less).wrapping_mul(factor);
            self.lanes[lane] = new.wrapping_add(word(text, 8 * lane));
            self.checks[lane] = crc32c(self.checks[lane], self.lanes[lane]);
        }
        self.before = a;
    }

    /// The hash.
    fn close(self, [first, second]: [u64; 2]) -> [u64; 4] {
        let [a, b, c, d, e] = self.lanes;
        let [f, g, h, i, j] = self.checks.map(u64::from);
        let j = j.wrapping_add(i << 32);
        let a = joined(a, j);
        let h = h.wrapping_add(g << 32);
        let b = b.wrapping_add(h);
        let c = joined(c, f).wrapping_add(i);
        let d = joined(d, e.wrapping_add(first));
        let j = j.wrapping_add(e);
        let i = i.wrapping_add(joined(h, self.before));
        let e = joined(a, d).wrapping_add(j);
        let f = joined(b, c).wrapping_add(a);
        let g = joined(j, i).wrapping_add(c);
        let mut hash = [e.wrapping_add(f).wrapping_add(g).wrapping_add(h), 0, 0, 0];
        let a = spread(a.wrapping_add(g).wrapping_mul(K0)).wrapping_mul(K0).wrapping_add(b);
        hash[1] = second.wrapping_add(a).wrapping_add(hash[0]);
        let a = spread(a.wrapping_mul(K0)).wrapping_mul(K0).wrapping_add(c);
        hash[2] = a.wrapping_add(hash[1]);
        let a = spread(a.wrapping_add(e).wrapping_mul(K0)).wrapping_mul(K0);
        hash[3] = a.wrapping_add(hash[2]);
        hash
    }
}

/// Two numbers from 32 bytes and two numbers.
fn mixed(text: &[u8], at: usize, [a, b]: [u64; 2]) -> [u64; 2] {
    let a = a.wrapping_add(word(text, at));
    let last = word(text, at + 24);
    let b = b.wrapping_add(a).wrapping_add(last).rotate_right(21);
    let sum = a.wrapping_add(word(text, at + 8)).wrapping_add(word(text, at + 16));
    [sum.wrapping_add(last), b.wrapping_add(sum.rotate_right(44)).wrapping_add(a)]
}

/// One number from two.
fn joined(low: u64, high: u64) -> u64 {
    let a = spread((low ^ high).wrapping_mul(TO_ONE));
    spread((high ^ a).wrapping_mul(TO_ONE)).wrapping_mul(TO_ONE)
}

/// The high bits brought down.
fn spread(number: u64) -> u64 {
    number ^ number >> 47
}

/// Eight bytes as a number.
fn word(text: &[u8], at: usize) -> u64 {
    let bytes = &text[at..at + 8];
    u64::from_le_bytes(std::array::from_fn(|i| bytes[i]))
}

/// The reflected polynomial. Source: Castagnoli, Bräuer, Herrmann, "Optimization of cyclic redundancy-check
/// codes with 24 and 32 parity bits" (1993).
///
/// The check is linear: that of eight bytes is the sum of those of each byte followed by zeros. So one table
/// for each place of a byte, and eight look-ups instead of 64 steps.
const POLYNOMIAL: u32 = 0x82f6_3b78;

/// For each number of bytes that follow, the check of each byte.
static TABLES: [[u32; 256]; 8] = tables();

/// The check of eight bytes that come after those whose check is `sum`.
fn crc32c(sum: u32, word: u64) -> u32 {
    let bytes = (word ^ u64::from(sum)).to_le_bytes();
    let own = TABLES.iter().zip(bytes.iter().rev()).map(|(table, &byte)| table[usize::from(byte)]);
    own.fold(0, |sum, own| sum ^ own)
}

const fn tables() -> [[u32; 256]; 8] {
    let mut tables = [[0; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let (mut sum, mut bit) = (byte as u32, 0);
        while bit < 8 {
            sum = if sum & 1 == 1 { sum >> 1 ^ POLYNOMIAL } else { sum >> 1 };
            bit += 1;
        }
        tables[0][byte] = sum;
        byte += 1;
    }
    let mut follow = 1;
    while follow < 8 {
        let mut byte = 0;
        while byte < 256 {
            let sum = tables[follow - 1][byte];
            tables[follow][byte] = sum >> 8 ^ tables[0][(sum & 255) as usize];
            byte += 1;
        }
        follow += 1;
    }
    tables
}

#[cfg(test)]
mod tests;
