//! Writes one code wherever a placement is a position, or wherever it is none.

use super::store_rows;
use crate::ground::Ground;
use crate::scratch::Scratch;
use index::BlockRange;
use kernel::Word;
use table::Code;

/// Writes a code wherever a placement of these blocks is a position, or wherever it is none: a position has
/// its men on squares of their own, and is not illegal.
///
/// Shape: `illegal` has the words of the blocks, `codes` their codes.
pub(crate) fn mark_where<C: Code, W: Word>(
    ground: &Ground<'_, W>,
    illegal: &[W],
    mut blocks: BlockRange,
    codes: &mut [C],
    (code, is_position): (C, bool),
) {
    let (n_words, n_rows) = (ground.words_per_block(), ground.n_rows());
    let (row_len, lane_len) = (ground.row_len(), ground.lane_len());
    // Blocks of one word are written together, as the rows that they are.
    let at_once = if ground.is_word() { blocks.len() } else { 1 };
    let mut scratch = Scratch::default();
    let mut words = vec![W::ZERO; at_once * n_words];
    let live = vec![true; at_once * n_rows];
    let chunks = codes.chunks_exact_mut((at_once * n_words * lane_len).max(1));
    for (codes, illegal) in chunks.zip(illegal.chunks_exact(at_once * n_words)) {
        let of_blocks = words.chunks_exact_mut(n_words).zip(illegal.chunks_exact(n_words));
        for ((words, illegal), block) in of_blocks.zip(&mut blocks) {
            if !ground.is_word() {
                ground.prepare(block, &mut scratch);
            }
            ground.fill_placements(block, &scratch, words);
            for (word, &illegal) in words.iter_mut().zip(illegal) {
                let positions = *word & !illegal;
                *word = if is_position { positions } else { ground.lane_mask & !positions };
            }
        }
        store_rows(codes, &words, &live, row_len, lane_len, code);
    }
}
