//! Takes what a pass finds: writes codes at once where blocks are small, through a batch for each large
//! block, or enters it in a log.

use crate::code::{Batch, store_rows, store_word};
use crate::ground::Ground;
use crate::log::SideLog;
use crate::plane::Frontier;
use index::{BlockId, Size};
use kernel::Word;
use rayon::prelude::*;
use table::Code;

/// Where what a pass finds for one side to move goes.
pub(crate) enum Sink<'a, C, W> {
    Codes(CodeSink<'a, C, W>),
    /// What a code is in the log is that of two bytes.
    Log(&'a SideLog<'a>),
}

/// The codes of a slice as a pass writes them.
pub(crate) struct CodeSink<'a, C, W> {
    codes: &'a mut [C],
    /// By block; none if blocks are small.
    batches: Vec<Batch<C, W>>,
}

/// Where what is found in one block goes.
pub(crate) enum BlockSink<'a, C, W> {
    /// Its codes, and its batch if it is large.
    Codes(&'a mut [C], Option<&'a mut Batch<C, W>>),
    /// The log, and the block.
    Log(&'a SideLog<'a>, BlockId),
}

/// The number of batches: blocks of one row are written at once.
const fn n_batches(n_blocks: usize, rows_per_block: usize) -> usize {
    if rows_per_block > 1 { n_blocks } else { 0 }
}

impl<'a, C: Code, W: Word> Sink<'a, C, W> {
    /// The most memory that the batches of a slice take.
    ///
    /// Units: bytes.
    pub(crate) fn most_batch_bytes(size: &Size) -> u64 {
        let n_batches = n_batches(size.n_blocks() as usize, size.rows_per_block() as usize);
        (n_batches * Batch::<C, W>::most_bytes(size.words_per_block() as usize)) as u64
    }

    /// Codes of a slice that are written as they are found.
    pub(crate) fn of_codes(ground: &Ground<'_, W>, codes: &'a mut [C]) -> Self {
        let n_batches = n_batches(ground.n_blocks(), ground.n_rows());
        Sink::Codes(CodeSink { codes, batches: std::iter::repeat_with(Batch::new).take(n_batches).collect() })
    }

    /// Whether something could not be written; the log knows why.
    pub(crate) fn has_failed(&self) -> bool {
        match self {
            Sink::Codes(_) => false,
            Sink::Log(log) => log.has_failed(),
        }
    }

    /// Writes a code wherever a frontier has something, at once.
    pub(crate) fn write(&mut self, ground: &Ground<'_, W>, frontier: &Frontier<W>, code: C) {
        let (n_words, n_rows) = (ground.words_per_block(), ground.n_rows());
        let block_len = n_words * ground.lane_len();
        for block in ground.blocks().filter(|block| frontier.live_blocks[block.index()]) {
            let words = &frontier.words[block.span(n_words)];
            let live = &frontier.live[block.span(n_rows)];
            let mut sink = match self {
                Sink::Codes(CodeSink { codes, .. }) => {
                    BlockSink::Codes(&mut codes[block.span(block_len)], None)
                }
                Sink::Log(log) => BlockSink::Log(log, block),
            };
            sink.store(ground, (words, live), code);
        }
    }

    /// What takes the finds of one block.
    ///
    /// Shape: a block has `block_len` codes.
    pub(super) fn block(&mut self, block: BlockId, block_len: usize) -> BlockSink<'_, C, W> {
        match self {
            Sink::Codes(CodeSink { codes, batches }) => {
                let codes = &mut codes[block.span(block_len)];
                BlockSink::Codes(codes, batches.get_mut(block.index()))
            }
            Sink::Log(log) => BlockSink::Log(log, block),
        }
    }

    /// What takes the finds of each block, in order.
    ///
    /// Shape: a block has `block_len` codes.
    pub(super) fn blocks(&mut self, block_len: usize) -> Box<dyn Iterator<Item = BlockSink<'_, C, W>> + '_> {
        match self {
            Sink::Codes(CodeSink { codes, batches }) => {
                let mut batches = batches.iter_mut();
                let blocks = codes.chunks_exact_mut(block_len);
                Box::new(blocks.map(move |codes| BlockSink::Codes(codes, batches.next())))
            }
            Sink::Log(log) => Box::new((0..).map(|block| BlockSink::Log(log, BlockId::from_index(block)))),
        }
    }

    /// Writes what the batches still hold.
    pub(crate) fn close(self, ground: &Ground<'_, W>) {
        let Sink::Codes(CodeSink { codes, mut batches }) = self else { return };
        let block_len = ground.words_per_block() * ground.lane_len();
        let blocks = batches.par_iter_mut().zip(codes.par_chunks_mut(block_len));
        blocks.for_each(|(batch, codes)| batch.write(codes, ground.lane_len()));
    }
}

impl<C: Code, W: Word> BlockSink<'_, C, W> {
    /// The same of words that are packed already.
    pub(crate) fn store_packed(
        &mut self,
        ground: &Ground<'_, W>,
        (words, live): (&[W], &[bool]),
        set: &[u8],
        code: C,
    ) {
        match self {
            BlockSink::Codes(..) => self.store(ground, (words, live), code),
            BlockSink::Log(log, block) => log.enter_packed(*block, code.into(), set),
        }
    }

    /// Writes a code wherever these words of the block have a bit, or enters them in the log.
    ///
    /// Shape: a flag for each row of words; rows that are not live hold nothing.
    #[inline]
    pub(crate) fn store(&mut self, ground: &Ground<'_, W>, (words, live): (&[W], &[bool]), code: C) {
        let (row_len, lane_len) = (ground.row_len(), ground.lane_len());
        match self {
            BlockSink::Codes(codes, Some(batch)) => batch.push(words, live, row_len, code, (codes, lane_len)),
            BlockSink::Codes(codes, None) if ground.is_word() => {
                store_word(codes, 0, words[0], lane_len, code);
            }
            BlockSink::Codes(codes, None) => store_rows(codes, words, live, row_len, lane_len, code),
            BlockSink::Log(log, block) => log.enter(*block, code.into(), words, live, (row_len, lane_len)),
        }
    }
}
