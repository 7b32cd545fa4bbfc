//! Takes the codes that a pass writes: at once where blocks are small, through a log for each large block.

use crate::code::{Log, store_rows, store_word};
use crate::ground::Ground;
use crate::plane::{Block, Frontier};
use index::Size;
use kernel::Word;
use rayon::prelude::*;
use table::Code;

/// The codes of a slice as a pass writes them.
pub(crate) struct Sink<'a, C, W> {
    codes: &'a mut [C],
    /// By block; none if blocks are small.
    logs: Vec<Log<C, W>>,
}

/// The codes of one block, and its log if it is large.
pub(crate) struct BlockSink<'a, C, W> {
    pub(crate) codes: &'a mut [C],
    log: Option<&'a mut Log<C, W>>,
}

/// The number of logs: blocks of one row are written at once.
const fn n_logs(n_blocks: usize, rows_per_block: usize) -> usize {
    if rows_per_block > 1 { n_blocks } else { 0 }
}

impl<'a, C: Code, W: Word> Sink<'a, C, W> {
    /// The most memory that the logs of a slice take.
    ///
    /// Units: bytes.
    pub(crate) fn most_log_bytes(size: &Size) -> u64 {
        let n_logs = n_logs(size.n_blocks() as usize, size.rows_per_block() as usize);
        (n_logs * Log::<C, W>::most_bytes(size.words_per_block() as usize)) as u64
    }

    pub(crate) fn new(ground: &Ground<'_, W>, codes: &'a mut [C]) -> Self {
        let n_logs = n_logs(ground.n_blocks(), ground.n_rows());
        Sink { codes, logs: std::iter::repeat_with(Log::new).take(n_logs).collect() }
    }

    /// Writes a code wherever a frontier has something, into the codes at once.
    pub(crate) fn write(&mut self, ground: &Ground<'_, W>, frontier: &Frontier<W>, code: C) {
        let (n_words, n_rows) = (ground.layout.words_per_block(), ground.n_rows());
        let block_len = ground.layout.block_len();
        for block in (0..ground.layout.n_blocks()).filter(|&block| frontier.live_blocks[block]) {
            let words = &frontier.words[block * n_words..(block + 1) * n_words];
            let codes = &mut self.codes[block * block_len..(block + 1) * block_len];
            if ground.is_word() {
                store_word(codes, 0, words[0], ground.lane_len(), code);
            } else {
                let live = &frontier.live[block * n_rows..(block + 1) * n_rows];
                store_rows(codes, words, live, ground.row_len(), ground.lane_len(), code);
            }
        }
    }

    /// The codes of one block.
    ///
    /// Shape: a block has `block_len` codes.
    pub(super) fn block(&mut self, number: usize, block_len: usize) -> BlockSink<'_, C, W> {
        let codes = &mut self.codes[number * block_len..(number + 1) * block_len];
        BlockSink { codes, log: self.logs.get_mut(number) }
    }

    /// The codes of each block in order.
    ///
    /// Shape: a block has `block_len` codes.
    pub(super) fn blocks(&mut self, block_len: usize) -> impl Iterator<Item = BlockSink<'_, C, W>> {
        let mut logs = self.logs.iter_mut();
        self.codes.chunks_exact_mut(block_len).map(move |codes| BlockSink { codes, log: logs.next() })
    }

    /// Writes what the logs still hold.
    pub(crate) fn close(self, ground: &Ground<'_, W>) {
        let block_len = ground.words_per_block() * ground.lane_len();
        let mut logs = self.logs;
        let blocks = logs.par_iter_mut().zip(self.codes.par_chunks_mut(block_len));
        blocks.for_each(|(log, codes)| log.write(codes, ground.lane_len()));
    }
}

impl<C: Code, W: Word> BlockSink<'_, C, W> {
    /// Writes a code wherever something is found.
    #[inline]
    pub(crate) fn store(&mut self, ground: &Ground<'_, W>, block: &Block<'_, W>, code: C) {
        let (row_len, lane_len) = (ground.row_len(), ground.lane_len());
        match &mut self.log {
            Some(log) => log.push(block.found, block.live, row_len, code, (self.codes, lane_len)),
            None if ground.is_word() => store_word(self.codes, 0, block.found[0], lane_len, code),
            None => store_rows(self.codes, block.found, block.live, row_len, lane_len, code),
        }
    }
}
