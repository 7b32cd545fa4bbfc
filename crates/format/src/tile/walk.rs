//! Moves the codes of a tile from one order into another.

use table::Code;

/// A way through the codes of a tile: where in one order stands what comes next in the other.
///
/// Both ways gather: to read at a distance is several times as fast as to write at one.
#[derive(Clone, Debug)]
pub(crate) struct Walk {
    rows: Vec<u32>,
    inner: Vec<u32>,
    /// Whether what comes next stands next to each other all along a row.
    is_run: bool,
}

impl Walk {
    /// The walk over axes, the outermost first, each with the distances that its values add.
    pub(super) fn new(axes: impl Iterator<Item = Vec<u32>>) -> Self {
        let mut axes: Vec<Vec<u32>> = axes.collect();
        let inner = axes.pop().unwrap_or_else(|| vec![0]);
        let rows = axes.iter().fold(vec![0], |rows: Vec<u32>, axis| {
            rows.iter().flat_map(|row| axis.iter().map(move |step| row + step)).collect()
        });
        let is_run = inner.iter().zip(0..).all(|(&at, place)| at == place);
        Walk { rows, inner, is_run }
    }

    /// All codes of a tile, from the one order into the other.
    pub(crate) fn gather<C: Code>(&self, from: &[C], to: &mut [C]) {
        let n = self.inner.len();
        for (row, &start) in to.chunks_exact_mut(n).zip(&self.rows) {
            let from = &from[start as usize..];
            if self.is_run {
                row.copy_from_slice(&from[..n]);
            } else {
                row.iter_mut().zip(&self.inner).for_each(|(code, &at)| *code = from[at as usize]);
            }
        }
    }
}
