//! Goes through the touched blocks of a slice once: what a half-step does to each, by one thread or several.
//!
//! Each block is a unit of work that writes to itself only, so threads need no locks. A [`Sink`] takes what
//! is found: it writes codes at once where blocks are small, through a batch for each large block, or enters
//! it in a log.

use crate::code::{Batch, most_bytes, store_rows, store_word};
use crate::ground::{Ground, PARALLEL_WORDS};
use crate::log::SideLog;
use crate::packed::{StoredSet, n_packed, pack};
use crate::plane::{Block, Frontier, OpenBlocks};
use crate::pool::{Pool, Scratch};
use index::{BlockId, Size};
use kernel::Word;
use table::{Code, threads};

/// What is done to a touched block, with its sink and a scratch that is prepared for it.
///
/// Steps are called through a reference, once a block: so the ways through the blocks are compiled once.
pub(crate) type Step<'f, C, W> =
    dyn Fn(&mut Block<'_, W>, Option<&mut BlockSink<'_, C, W>>, &mut Scratch<W>) + Sync + 'f;

/// A block that is visited where frontiers are packed: itself, its open set if that is in memory, and
/// its sink.
type Visit<'v, C, W> = (BlockId, Option<&'v mut [W]>, Option<BlockSink<'v, C, W>>);

/// One way through the blocks of a slice.
pub(crate) struct Sweep<'a, 's, C, W> {
    pub(crate) ground: &'a Ground<'a, W>,
    pub(crate) scratches: &'a Pool<Scratch<W>>,
    /// By block: whether it is visited.
    pub(crate) touched: &'a [bool],
    /// All blocks, in an order that keeps neighbours near; empty where blocks have no frame.
    pub(crate) order: &'a [BlockId],
    /// What is found goes here.
    pub(crate) frontier: &'a mut Frontier<W>,
    /// What is found may be taken out of this plane.
    pub(crate) open: OpenBlocks<'a, W>,
    /// Where what is found is written, if it is.
    pub(crate) sink: Option<&'a mut Sink<'s, C, W>>,
    /// As what it is written.
    pub(crate) code: Option<C>,
}

impl<C: Code, W: Word> Sweep<'_, '_, C, W> {
    /// Calls `step` with every touched block, and writes what it has found. Notes which blocks are live
    /// afterwards; returns whether any is.
    pub(crate) fn run(self, step: &Step<'_, C, W>) -> bool {
        let (ground, code) = (self.ground, self.code);
        if self.frontier.packed.is_some() {
            return self.run_packed(step);
        }
        let one = |mut block: Block<'_, W>,
                   mut sink: Option<BlockSink<'_, C, W>>,
                   live_block: &mut bool,
                   scratch: &mut Scratch<W>|
         -> bool {
            if !ground.is_word() {
                ground.prepare(block.id, scratch);
            }
            step(&mut block, sink.as_mut(), scratch);
            if let Some((sink, code)) = sink.as_mut().zip(code) {
                sink.store(ground, block.found, block.live, code);
            }
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

    /// Like `run`, where frontiers are packed: a block is found in the scratch.
    fn run_packed(self, step: &Step<'_, C, W>) -> bool {
        let Sweep { ground, scratches, touched, order, frontier, open, sink, code } = self;
        let (n_words, n_rows) = (ground.words_per_block(), ground.n_rows());
        let (row_len, lane_len) = (ground.row_len(), ground.lane_len());
        let room = frontier.packed.as_ref().expect("a packed frontier").room().clone();
        let mut sinks = sink.map(|sink| sink.blocks(n_words * lane_len));
        let n_blocks = touched.len();
        let (disk, opens) = match open {
            OpenBlocks::Memory(words) => (None, words.chunks_exact_mut(n_words).map(Some).collect()),
            OpenBlocks::Disk(plane) => (Some(plane), (0..n_blocks).map(|_| None).collect::<Vec<_>>()),
        };
        let mut blocks: Vec<Option<_>> = ground
            .blocks()
            .zip(opens)
            .map(|(id, open)| {
                let sink = sinks.as_mut().map(|sinks| sinks.next().expect("a sink for each block"));
                touched[id.index()].then_some((id, open, sink))
            })
            .collect();
        drop(sinks);
        let mut ordered: Vec<_> = order.iter().filter_map(|&block| blocks[block.index()].take()).collect();
        ordered.extend(blocks.into_iter().flatten());
        let one = |scratch: &mut Scratch<W>, (id, open, mut sink): Visit<'_, C, W>| {
            ground.prepare(id, scratch);
            let mut found = std::mem::take(&mut scratch.found);
            let mut live = std::mem::take(&mut scratch.found_live);
            found.resize(n_words, W::ZERO);
            live.resize(n_rows, false);
            let mut loaded = std::mem::take(&mut scratch.open);
            if let Some(plane) = disk {
                loaded.resize(n_words, W::ZERO);
                plane.load(id, &mut loaded);
            }
            let open = open.unwrap_or(&mut loaded);
            let mut block = Block { id, found: &mut found, live: &mut live, open, is_changed: false };
            step(&mut block, sink.as_mut(), scratch);
            if let Some(plane) = disk.filter(|_| block.is_changed) {
                plane.store(id, block.open);
            }
            scratch.open = loaded;
            let (mut set, mut full) = (Vec::new(), std::mem::take(&mut scratch.full));
            if live.contains(&true) {
                pack(&found, &live, (row_len, lane_len), &mut full, &mut set);
                if let Some((sink, code)) = sink.as_mut().zip(code) {
                    sink.store_packed(ground, &found, &live, &set, code);
                }
                // All that there is has been packed.
                full.iter().for_each(|&(word, _)| found[word as usize] = W::ZERO);
                live.fill(false);
            }
            let set = n_packed(&set).is_some_and(|n| n > 0).then(|| (id, room.keep(set)));
            (scratch.found, scratch.found_live, scratch.full) = (found, live, full);
            set
        };
        let found: Vec<Option<(BlockId, StoredSet)>> = if ordered.len() * n_words < PARALLEL_WORDS {
            let mut scratch = scratches.lend();
            ordered.into_iter().map(|block| one(&mut scratch, block)).collect()
        } else {
            threads::map_in(ordered, || scratches.lend(), |scratch, block| one(scratch, block))
        };
        let mut any = false;
        for (block, set) in found.into_iter().flatten() {
            frontier.join(block, set);
            any = true;
        }
        any
    }

    /// Visits the blocks in the order of their numbers, by this thread.
    #[inline]
    fn run_alone(
        self,
        one: impl Fn(Block<'_, W>, Option<BlockSink<'_, C, W>>, &mut bool, &mut Scratch<W>) -> bool,
    ) -> bool {
        let Sweep { ground, scratches, touched, frontier, open, mut sink, .. } = self;
        let open = open.words();
        let (n_words, n_rows) = (ground.words_per_block(), ground.n_rows());
        let block_len = n_words * ground.lane_len();
        let mut scratch = scratches.lend();
        let mut any = false;
        for id in ground.blocks().filter(|id| touched[id.index()]) {
            let (words, rows) = (id.span(n_words), id.span(n_rows));
            let block = Block {
                id,
                found: &mut frontier.words[words.clone()],
                live: &mut frontier.live[rows],
                open: &mut open[words],
                is_changed: false,
            };
            let sink = sink.as_deref_mut().map(|sink| sink.block(id, block_len));
            any |= one(block, sink, &mut frontier.live_blocks[id.index()], &mut scratch);
        }
        any
    }

    /// Visits the blocks by several threads, near ones after each other.
    fn run_shared(
        self,
        one: impl Fn(Block<'_, W>, Option<BlockSink<'_, C, W>>, &mut bool, &mut Scratch<W>) -> bool + Sync,
    ) -> bool {
        let Sweep { ground, scratches, touched, order, frontier, open, sink, .. } = self;
        let open = open.words();
        let (n_words, n_rows) = (ground.words_per_block(), ground.n_rows());
        let block_len = n_words * ground.lane_len();
        let mut sinks = sink.map(|sink| sink.blocks(block_len));
        let blocks = frontier.words.chunks_exact_mut(n_words).zip(frontier.live.chunks_exact_mut(n_rows));
        let blocks = blocks.zip(open.chunks_exact_mut(n_words)).zip(&mut frontier.live_blocks);
        let mut blocks: Vec<Option<_>> = ground
            .blocks()
            .zip(blocks)
            .map(|(id, (((found, live), open), live_block))| {
                let sink = sinks.as_mut().map(|sinks| sinks.next().expect("as many blocks of codes"));
                let block = Block { id, found, live, open, is_changed: false };
                touched[id.index()].then_some((block, sink, live_block))
            })
            .collect();
        let mut ordered: Vec<_> = order.iter().filter_map(|&block| blocks[block.index()].take()).collect();
        // Where there is no frame there is no order.
        ordered.extend(blocks.into_iter().flatten());
        let found = threads::map_in(
            ordered,
            || scratches.lend(),
            |scratch, (block, sink, live_block)| one(block, sink, live_block, scratch),
        );
        found.contains(&true)
    }
}

/// Where what a pass finds for one side to move goes.
pub(crate) enum Sink<'a, C, W> {
    /// The codes of a slice, and a batch for each block if blocks are large.
    Codes(&'a mut [C], Vec<Batch<C, W>>),
    /// What a code is in the log is that of two bytes.
    Log(&'a SideLog<'a>),
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

/// The most memory that the batches of a slice take, whose words have `word_bytes` bytes each.
///
/// Units: bytes.
pub(crate) fn most_batch_bytes(size: &Size, word_bytes: u64) -> u64 {
    let n_batches = n_batches(size.n_blocks() as usize, size.rows_per_block() as usize);
    n_batches as u64 * most_bytes(size.words_per_block(), word_bytes)
}

impl<'a, C: Code, W: Word> Sink<'a, C, W> {
    /// Codes of a slice that are written as they are found.
    pub(crate) fn of_codes(ground: &Ground<'_, W>, codes: &'a mut [C]) -> Self {
        let n_batches = n_batches(ground.n_blocks(), ground.n_rows());
        Sink::Codes(codes, std::iter::repeat_with(Batch::new).take(n_batches).collect())
    }

    /// Whether something could not be written; the log knows why.
    pub(crate) fn has_failed(&self) -> bool {
        match self {
            Sink::Codes(..) => false,
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
                Sink::Codes(codes, _) => BlockSink::Codes(&mut codes[block.span(block_len)], None),
                Sink::Log(log) => BlockSink::Log(log, block),
            };
            sink.store(ground, words, live, code);
        }
    }

    /// What takes the finds of one block.
    ///
    /// Shape: a block has `block_len` codes.
    fn block(&mut self, block: BlockId, block_len: usize) -> BlockSink<'_, C, W> {
        match self {
            Sink::Codes(codes, batches) => {
                let codes = &mut codes[block.span(block_len)];
                BlockSink::Codes(codes, batches.get_mut(block.index()))
            }
            Sink::Log(log) => BlockSink::Log(log, block),
        }
    }

    /// What takes the finds of each block, in order.
    ///
    /// Shape: a block has `block_len` codes.
    fn blocks(&mut self, block_len: usize) -> Box<dyn Iterator<Item = BlockSink<'_, C, W>> + '_> {
        match self {
            Sink::Codes(codes, batches) => {
                let mut batches = batches.iter_mut();
                let blocks = codes.chunks_exact_mut(block_len);
                Box::new(blocks.map(move |codes| BlockSink::Codes(codes, batches.next())))
            }
            Sink::Log(log) => Box::new((0..).map(|block| BlockSink::Log(log, BlockId::from_index(block)))),
        }
    }

    /// Writes what the batches still hold.
    pub(crate) fn close(self, ground: &Ground<'_, W>) {
        let Sink::Codes(codes, mut batches) = self else { return };
        let block_len = ground.words_per_block() * ground.lane_len();
        let blocks = batches.iter_mut().zip(codes.chunks_mut(block_len));
        threads::for_each(blocks, |(batch, codes)| batch.write(codes, ground.lane_len()));
    }
}

impl<C: Code, W: Word> BlockSink<'_, C, W> {
    /// Like `store`, of words that are packed already.
    fn store_packed(&mut self, ground: &Ground<'_, W>, words: &[W], live: &[bool], set: &[u8], code: C) {
        match self {
            BlockSink::Codes(..) => self.store(ground, words, live, code),
            BlockSink::Log(log, block) => log.enter_packed(*block, code.into(), set),
        }
    }

    /// Writes a code wherever these words of the block have a bit, or enters them in the log.
    ///
    /// Shape: a flag for each row of words; rows that are not live hold nothing.
    #[inline]
    pub(crate) fn store(&mut self, ground: &Ground<'_, W>, words: &[W], live: &[bool], code: C) {
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
