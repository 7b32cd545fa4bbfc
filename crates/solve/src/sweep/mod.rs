//! Goes through the touched blocks of a slice once: what a half-step does to each, by one thread or several.
//!
//! Each block is a unit of work that writes to itself only, so threads need no locks.

mod sink;

pub(crate) use sink::{BlockSink, Sink};

use crate::ground::{Ground, PARALLEL_WORDS};
use crate::plane::{Block, Frontier};
use crate::pool::Pool;
use crate::scratch::Scratch;
use kernel::Word;
use rayon::prelude::*;
use table::Code;

/// What is done to a touched block, with its codes and a scratch that is prepared for it.
///
/// Steps are called through a reference, once a block: so the ways through the blocks are compiled once.
pub(crate) type Step<'f, C, W> =
    dyn Fn(&mut Block<'_, W>, Option<BlockSink<'_, C, W>>, &mut Scratch<W>) + Sync + 'f;

/// One way through the blocks of a slice.
pub(crate) struct Sweep<'a, 's, C, W> {
    pub(crate) ground: &'a Ground<'a, W>,
    pub(crate) scratches: &'a Pool<Scratch<W>>,
    /// By block: whether it is visited.
    pub(crate) touched: &'a [bool],
    /// All blocks, in an order that keeps neighbours near; empty where blocks have no frame.
    pub(crate) order: &'a [u32],
    /// What is found goes here.
    pub(crate) frontier: &'a mut Frontier<W>,
    /// What is found may be taken out of this plane.
    pub(crate) open: &'a mut [W],
    /// The codes that are written, if any are.
    pub(crate) sink: Option<&'a mut Sink<'s, C, W>>,
}

impl<C: Code, W: Word> Sweep<'_, '_, C, W> {
    /// Calls `step` with every touched block. Notes which blocks are live afterwards; returns whether any is.
    pub(crate) fn run(self, step: &Step<'_, C, W>) -> bool {
        let ground = self.ground;
        let one = |mut block: Block<'_, W>,
                   sink: Option<BlockSink<'_, C, W>>,
                   live_block: &mut bool,
                   scratch: &mut Scratch<W>|
         -> bool {
            if !ground.is_word() {
                ground.prepare(block.number, scratch);
            }
            step(&mut block, sink, scratch);
            *live_block = block.live.contains(&true);
            *live_block
        };
        let n_touched = self.touched.iter().filter(|&&touched| touched).count();
        if n_touched * ground.words_per_block() < PARALLEL_WORDS {
            self.run_alone(one)
        } else {
            self.run_shared(one)
        }
    }

    /// Visits the blocks in the order of their numbers, by this thread.
    #[inline]
    fn run_alone(
        self,
        one: impl Fn(Block<'_, W>, Option<BlockSink<'_, C, W>>, &mut bool, &mut Scratch<W>) -> bool,
    ) -> bool {
        let Sweep { ground, scratches, touched, frontier, open, mut sink, .. } = self;
        let (n_words, n_rows) = (ground.words_per_block(), ground.n_rows());
        let block_len = n_words * ground.lane_len();
        let mut scratch = scratches.lend();
        let mut any = false;
        for number in (0..touched.len()).filter(|&block| touched[block]) {
            let (words, rows) =
                (number * n_words..(number + 1) * n_words, number * n_rows..(number + 1) * n_rows);
            let block = Block {
                number,
                found: &mut frontier.words[words.clone()],
                live: &mut frontier.live[rows],
                open: &mut open[words],
            };
            let sink = sink.as_deref_mut().map(|sink| sink.block(number, block_len));
            any |= one(block, sink, &mut frontier.live_blocks[number], &mut scratch);
        }
        any
    }

    /// Visits the blocks by several threads, near ones after each other.
    fn run_shared(
        self,
        one: impl Fn(Block<'_, W>, Option<BlockSink<'_, C, W>>, &mut bool, &mut Scratch<W>) -> bool + Sync,
    ) -> bool {
        let Sweep { ground, scratches, touched, order, frontier, open, sink } = self;
        let (n_words, n_rows) = (ground.words_per_block(), ground.n_rows());
        let block_len = n_words * ground.lane_len();
        let mut sinks = sink.map(|sink| sink.blocks(block_len));
        let blocks = frontier.words.chunks_exact_mut(n_words).zip(frontier.live.chunks_exact_mut(n_rows));
        let blocks = blocks.zip(open.chunks_exact_mut(n_words)).zip(&mut frontier.live_blocks).enumerate();
        let mut blocks: Vec<Option<_>> = blocks
            .map(|(number, (((found, live), open), live_block))| {
                let sink = sinks.as_mut().map(|sinks| sinks.next().expect("as many blocks of codes"));
                touched[number].then_some((Block { number, found, live, open }, sink, live_block))
            })
            .collect();
        let mut ordered: Vec<_> = order.iter().filter_map(|&block| blocks[block as usize].take()).collect();
        // Where there is no frame there is no order.
        ordered.extend(blocks.into_iter().flatten());
        let ordered = ordered.par_drain(..);
        let found = ordered.map_init(
            || scratches.lend(),
            |scratch, (block, sink, live_block)| one(block, sink, live_block, scratch),
        );
        found.reduce(|| false, |a, b| a | b)
    }
}
