//! Compares each kernel with the slow definition of what it does, at every level that the processor has, on
//! boards of eight files and others, with words of both widths.

mod class;
mod found;
mod frame;
mod moves;

use crate::{Level, Word};
use std::io::Write;

/// Every level that this processor can run.
fn levels() -> impl Iterator<Item = Level> {
    let all = [Level::Portable, Level::Avx2, Level::Avx512, Level::Gfni];
    all.into_iter().filter(|&level| level <= Level::detected())
}

/// Says which levels the tests of this crate compare, on standard error, although the test passes.
#[test]
fn levels_that_are_missing_are_announced() {
    let compared: Vec<Level> = levels().collect();
    assert_eq!(compared.first(), Some(&Level::Portable));
    if compared.len() < 4 {
        let _ = writeln!(
            std::io::stderr(),
            "\n*** only {compared:?} were compared: this processor has no more ***"
        );
    }
}

/// A small generator of words, so that every run sees the same ones.
struct Words(u64);

impl Words {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 ^ self.0 >> 29
    }

    fn word<W: Word>(&mut self, n_bits: usize) -> W {
        let halves = (0..W::HALVES).map(|half| W::from_half(half, self.next() & self.next()));
        halves.fold(W::ZERO, |sum, half| sum | half) & lowest(n_bits)
    }

    fn vec<W: Word>(&mut self, n: usize, n_bits: usize) -> Vec<W> {
        (0..n).map(|_| self.word(n_bits)).collect()
    }

    fn flags(&mut self, n: usize) -> Vec<bool> {
        (0..n).map(|_| self.next() >> 40 & 1 == 1).collect()
    }
}

/// The word of the lowest bits.
fn lowest<W: Word>(n_bits: usize) -> W {
    (0..n_bits).fold(W::ZERO, |sum, at| sum | W::bit(at))
}

#[test]
fn levels_have_names() {
    for level in levels() {
        assert_eq!(Level::named(&format!("{level:?}").to_lowercase()), Some(level));
    }
    assert_eq!(Level::named("sse9"), None);
}
