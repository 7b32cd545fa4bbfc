//! Stores the positions in which the game is over for the side to move, though nobody moved.

use index::BlockId;
use kernel::Word;
use variant::Verdict;

/// The positions of one side to move in which the game is over, of the blocks that have any.
///
/// Invariant: `lost` and `won` of a block share no position, and `any` has them both; the rest of it is
/// drawn.
#[derive(Debug)]
pub(crate) struct Terminals<W> {
    /// By block: which of those below it is; `NOWHERE` if it has none.
    numbers: Vec<u32>,
    words_per_block: usize,
    words: TerminalWords<W>,
}

/// The terminal positions of one block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockTerminals<'a, W> {
    pub(crate) any: &'a [W],
    pub(crate) lost: &'a [W],
    /// Won without a move: that is claimed, which counts a ply.
    pub(crate) won: &'a [W],
}

const NOWHERE: u32 = u32::MAX;

impl<W: Word> Terminals<W> {
    /// Nowhere, in so many blocks of so many words.
    pub(crate) fn nowhere(n_blocks: usize, words_per_block: usize) -> Self {
        Terminals { numbers: vec![NOWHERE; n_blocks], words_per_block, words: TerminalWords::nowhere(0) }
    }

    /// Where it is over in a block; none if it is not.
    #[inline]
    pub(crate) fn of(&self, block: BlockId) -> Option<BlockTerminals<'_, W>> {
        let number = self.numbers[block.index()];
        (number != NOWHERE).then(|| {
            let words = number as usize * self.words_per_block..(number as usize + 1) * self.words_per_block;
            let TerminalWords { any, lost, won } = &self.words;
            BlockTerminals { any: &any[words.clone()], lost: &lost[words.clone()], won: &won[words] }
        })
    }

    /// Where it is over in a word of the plane.
    pub(crate) fn any_at(&self, word: usize) -> W {
        let (block, place) = (word / self.words_per_block, word % self.words_per_block);
        self.of(BlockId::from_index(block)).map_or(W::ZERO, |over| over.any[place])
    }

    /// Sets the terminal positions of a block that has none so far.
    pub(crate) fn put(&mut self, block: BlockId, words: &TerminalWords<W>) {
        if words.any.iter().all(|&word| word == W::ZERO) {
            return;
        }
        self.numbers[block.index()] = (self.words.any.len() / self.words_per_block) as u32;
        self.words.any.extend_from_slice(&words.any);
        self.words.lost.extend_from_slice(&words.lost);
        self.words.won.extend_from_slice(&words.won);
    }
}

impl<W: Word> BlockTerminals<'_, W> {
    /// Whether a position is won.
    pub(crate) fn has_won(&self) -> bool {
        self.won.iter().any(|&word| word != W::ZERO)
    }

    /// Whether a position is lost.
    pub(crate) fn has_lost(&self) -> bool {
        self.lost.iter().any(|&word| word != W::ZERO)
    }
}

/// The terminal positions of a block, as they are collected from the rules.
#[derive(Debug)]
pub(crate) struct TerminalWords<W> {
    any: Vec<W>,
    lost: Vec<W>,
    won: Vec<W>,
}

impl<W: Word> TerminalWords<W> {
    /// Nowhere, in so many words.
    pub(crate) fn nowhere(n_words: usize) -> Self {
        let words = || vec![W::ZERO; n_words];
        TerminalWords { any: words(), lost: words(), won: words() }
    }

    /// Starts from the terminal positions of a block.
    pub(crate) fn set(&mut self, of_block: Option<BlockTerminals<'_, W>>) {
        for (words, of) in [
            (&mut self.any, of_block.map(|block| block.any)),
            (&mut self.lost, of_block.map(|block| block.lost)),
            (&mut self.won, of_block.map(|block| block.won)),
        ] {
            match of {
                Some(of) => words.copy_from_slice(of),
                None => words.fill(W::ZERO),
            }
        }
    }

    /// Where nobody has won, by word; what is over already stays as it is.
    pub(crate) fn add_drawn(&mut self, words: impl Fn(usize) -> W) {
        self.any.iter_mut().enumerate().for_each(|(place, any)| *any |= words(place));
    }

    /// Where this is the verdict on the side to move, by word; what is over already stays as it is.
    pub(crate) fn add(&mut self, words: impl Fn(usize) -> W, verdict: Verdict) {
        let decided = match verdict {
            Verdict::Loss => &mut self.lost,
            Verdict::Win => &mut self.won,
        };
        for (place, (any, decided)) in self.any.iter_mut().zip(decided).enumerate() {
            let word = words(place);
            *decided |= word & !*any;
            *any |= word;
        }
    }

    /// Leaves out what is no position.
    pub(crate) fn keep(&mut self, positions: &[W]) {
        for words in [&mut self.any, &mut self.lost, &mut self.won] {
            words.iter_mut().zip(positions).for_each(|(word, &positions)| *word &= positions);
        }
    }
}
