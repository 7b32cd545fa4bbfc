//! Copies codes from where like men stand in ascending order to every other order.

use index::{Layout, MAX_PLACED};
use std::ops::Range;
use table::Code;

/// A run of like men among the free men.
pub(super) struct LikeMen {
    /// How many codes lie between two places of the last of them.
    inner: usize,
    /// In how many ways they can stand, shared squares too.
    n_ways: usize,
    /// Which way of standing is the same as which one in ascending order.
    copies: Vec<(u32, u32)>,
}

impl LikeMen {
    pub(super) fn new(layout: &Layout, run: &Range<usize>) -> Self {
        let n = layout.n_squares();
        let n_ways = n.pow(run.len() as u32);
        let mut copies = Vec::new();
        for way in 0..n_ways {
            let mut squares = [0; MAX_PLACED];
            let mut rest = way;
            for square in squares[..run.len()].iter_mut().rev() {
                *square = rest % n;
                rest /= n;
            }
            squares[..run.len()].sort_unstable();
            let ascending = squares[..run.len()].iter().fold(0, |number, s| number * n + s);
            if ascending != way {
                copies.push((ascending as u32, way as u32));
            }
        }
        LikeMen { inner: n.pow((layout.free().len() - run.end) as u32), n_ways, copies }
    }

    /// Copies what stands in ascending order to every other order.
    pub(super) fn restore<C: Code>(&self, codes: &mut [C]) {
        let inner = self.inner;
        for codes in codes.chunks_exact_mut(self.n_ways * inner) {
            if inner == 1 {
                self.copies.iter().for_each(|&(from, to)| codes[to as usize] = codes[from as usize]);
                continue;
            }
            for &(from, to) in &self.copies {
                let from = from as usize * inner;
                codes.copy_within(from..from + inner, to as usize * inner);
            }
        }
    }
}
