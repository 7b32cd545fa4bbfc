//! One block of a half-step: what it finds, what that is taken out of, and where its codes go.
//!
//! A half-step goes through all touched blocks, each for itself, so that they may be gone through by several
//! threads.

use crate::code::{Log, Storable};
use crate::frontier::Frontier;
use crate::ground::Ground;
use crate::thread::PerThread;
use crate::unmove::Scratch;
use kernel::{Word, take};
use rayon::prelude::*;

/// A slice of so many words or more is solved by several threads, at the plies at which so many are touched.
pub(crate) const PARALLEL_WORDS: usize = 1 << 16;

/// The codes of a block, and what is put down for it if it is large.
type Written<'a, C, W> = (&'a mut [C], Option<&'a mut Log<C, W>>);

/// One block as a half-step sees it.
pub(crate) struct Block<'a, C, W> {
    pub(crate) number: usize,
    pub(crate) found: &'a mut [W],
    pub(crate) live: &'a mut [bool],
    /// What is taken out of when something is found.
    pub(crate) open: &'a mut [W],
    pub(crate) codes: Option<Written<'a, C, W>>,
}

/// Where a half-step's codes go.
pub(crate) struct Sink<'a, C, W> {
    codes: &'a mut [C],
    /// By block; none if blocks are small.
    logs: Vec<Log<C, W>>,
}

impl<'a, C: Storable, W: PerThread> Sink<'a, C, W> {
    pub(crate) fn new(ground: &Ground<'_, W>, codes: &'a mut [C]) -> Self {
        let n_logs = if ground.n_rows() > 1 { ground.n_blocks() } else { 0 };
        let logs = std::iter::repeat_with(Log::default).take(n_logs).collect();
        Sink { codes, logs }
    }

    /// Writes a code wherever a frontier has something, into the codes at once.
    pub(crate) fn write(&mut self, ground: &Ground<'_, W>, frontier: &Frontier<W>, code: C) {
        let (n_words, n_rows) = (ground.layout.words_per_block(), ground.n_rows());
        let block_len = ground.layout.block_len();
        for block in (0..ground.layout.n_blocks()).filter(|&block| frontier.live_blocks[block]) {
            let words = &frontier.words[block * n_words..(block + 1) * n_words];
            let codes = &mut self.codes[block * block_len..(block + 1) * block_len];
            if ground.is_word() {
                store_word(ground, codes, 0, words[0], Some(code));
            } else {
                let live = &frontier.live[block * n_rows..(block + 1) * n_rows];
                C::store(codes, words, live, ground.row_len(), ground.lane_len(), code);
            }
        }
    }

    /// Writes what is not written yet.
    pub(crate) fn close(self, ground: &Ground<'_, W>) {
        let block_len = ground.words_per_block() * ground.lane_len();
        let mut logs = self.logs;
        let blocks = logs.par_iter_mut().zip(self.codes.par_chunks_mut(block_len));
        blocks.for_each(|(log, codes)| log.write(codes, ground.lane_len()));
    }
}

/// What is found in a block is open no more.
#[inline]
pub(crate) fn take_all<C, W: Word>(ground: &Ground<'_, W>, block: &mut Block<'_, C, W>) {
    if ground.is_word() {
        block.open[0] &= !block.found[0];
        block.live[0] = block.found[0] != W::ZERO;
    } else {
        take(block.open, block.found, block.live, ground.row_len());
    }
}

/// Writes a code wherever something is found.
#[inline]
pub(crate) fn store<C: Storable, W: Word>(
    ground: &Ground<'_, W>,
    block: &mut Block<'_, C, W>,
    code: Option<C>,
) {
    let (Some((codes, log)), Some(code)) = (&mut block.codes, code) else { return };
    let (row_len, lane_len) = (ground.row_len(), ground.lane_len());
    match log {
        Some(log) => log.push(block.found, block.live, row_len, code, (codes, lane_len)),
        None if ground.is_word() => store_word(ground, codes, 0, block.found[0], Some(code)),
        None => C::store(codes, block.found, block.live, row_len, lane_len, code),
    }
}

#[inline]
pub(crate) fn store_word<C: Storable, W: Word>(
    ground: &Ground<'_, W>,
    codes: &mut [C],
    place: usize,
    word: W,
    code: Option<C>,
) {
    let Some(code) = code else { return };
    let codes = &mut codes[place * ground.lane_len()..];
    word.bits().for_each(|at| codes[at] = code);
}

/// Calls `step` with every touched block and what is known of its rows, in parallel where there are many;
/// notes which blocks are live afterwards, and says whether any is. `order` is that of all blocks, which
/// keeps neighbours near.
pub(crate) fn for_each_block<C: Storable, W: PerThread>(
    ground: &Ground<'_, W>,
    touched: &[bool],
    frontier: &mut Frontier<W>,
    open: &mut [W],
    sink: Option<&mut Sink<'_, C, W>>,
    order: &[u32],
    step: impl Fn(&mut Block<'_, C, W>, &mut Scratch<W>) + Sync,
) -> bool {
    let (n_words, n_rows) = (ground.words_per_block(), ground.n_rows());
    let block_len = n_words * ground.lane_len();
    let Frontier { words, live, live_blocks, .. } = frontier;
    let one = |mut block: Block<'_, C, W>, live_block: &mut bool| -> bool {
        with_scratch(|scratch| {
            if !ground.is_word() {
                ground.prepare(block.number, scratch);
            }
            step(&mut block, scratch);
        });
        *live_block = block.live.contains(&true);
        *live_block
    };
    let n_touched = touched.iter().filter(|&&touched| touched).count();
    if n_touched * n_words < PARALLEL_WORDS {
        let mut sink = sink;
        let mut any = false;
        for number in (0..touched.len()).filter(|&block| touched[block]) {
            let block = Block {
                number,
                found: &mut words[number * n_words..(number + 1) * n_words],
                live: &mut live[number * n_rows..(number + 1) * n_rows],
                open: &mut open[number * n_words..(number + 1) * n_words],
                codes: sink.as_deref_mut().map(|Sink { codes, logs }| {
                    (&mut codes[number * block_len..(number + 1) * block_len], logs.get_mut(number))
                }),
            };
            any |= one(block, &mut live_blocks[number]);
        }
        return any;
    }
    let mut codes = sink.map(|Sink { codes, logs }| (codes.chunks_exact_mut(block_len), logs.iter_mut()));
    let blocks = words.chunks_exact_mut(n_words).zip(live.chunks_exact_mut(n_rows));
    let blocks = blocks.zip(open.chunks_exact_mut(n_words)).zip(live_blocks).enumerate();
    let mut blocks: Vec<Option<(Block<'_, C, W>, &mut bool)>> = blocks
        .map(|(number, (((found, live), open), live_block))| {
            let codes = codes
                .as_mut()
                .map(|(codes, logs)| (codes.next().expect("as many blocks of codes"), logs.next()));
            touched[number].then_some((Block { number, found, live, open, codes }, live_block))
        })
        .collect();
    let mut ordered: Vec<_> = order.iter().filter_map(|&block| blocks[block as usize].take()).collect();
    // Where there is no frame there is no order.
    ordered.extend(blocks.into_iter().flatten());
    let ordered = ordered.par_drain(..);
    ordered.map(|(block, live_block)| one(block, live_block)).reduce(|| false, |a, b| a | b)
}

/// Calls `use_it` with the thread's scratch. It is taken while it is used, so that a thread that is given
/// other work meanwhile makes another.
pub(crate) fn with_scratch<W: PerThread, R>(use_it: impl FnOnce(&mut Scratch<W>) -> R) -> R {
    let slot = W::scratch();
    let mut scratch = slot.take().unwrap_or_default();
    let result = use_it(&mut scratch);
    slot.set(Some(scratch));
    result
}
