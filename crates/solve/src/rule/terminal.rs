//! Finds where a slice has no game to play: the positions in which it is over for the side to move, though
//! no side has moved, by a goal or otherwise, and the placements that are no positions.

use crate::ground::{Attacked, Ground, fill_attacked, word_attacked};
use crate::law::{Goal, Standing};
use crate::pool::Pool;
use index::{BlockId, BlockRange};
use kernel::Word;
use variant::{Arrival, Side, Verdict};

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
    /// Nowhere, in this many blocks of this many words.
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
    /// Nowhere, in this many words.
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

    /// Where no side has won, by word; what is over already stays as it is.
    fn add_drawn(&mut self, words: impl Fn(usize) -> W) {
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

/// The placements in which one side's men have reached its goal; none if there is no goal.
#[derive(Debug)]
pub(crate) struct Arrivals<W> {
    /// By block: whether those of the frame are enough.
    in_frame: Vec<bool>,
    /// A plane: where there are enough with the free ones; none if there are no free ones.
    free: Option<Vec<W>>,
    /// A plane: where the other side cannot take away those who are there, if that matters.
    safe: Option<Vec<W>>,
    words_per_block: usize,
}

/// The placements of a set in one block.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Coverage<'a, W> {
    Nowhere,
    Everywhere,
    At(&'a [W]),
}

impl<W: Word> Arrivals<W> {
    pub(crate) fn new(ground: &Ground<'_, W>, side: Side) -> Self {
        let words_per_block = ground.words_per_block();
        let mut arrivals =
            Arrivals { in_frame: vec![false; ground.n_blocks()], free: None, safe: None, words_per_block };
        let Some(goal) = &ground.law.goal else { return arrivals };
        let men = &goal.men[side.index()];
        let may_win = goal.n_men <= men.len() || goal.arrival == Arrival::Filled;
        let places = if may_win { &goal.places[side.index()][..] } else { &[] };
        let lane = ground.lane();
        // Who wins there, and all men where a place without empty squares wins.
        let all = 0..ground.layout.men().len();
        let counted = all.filter(|man| goal.arrival == Arrival::Filled || men.contains(man));
        let (in_frame, free): (Vec<usize>, Vec<usize>) =
            counted.partition(|man| ground.frame().contains(man));
        let plus = |there: Standing, man: &usize| there.plus(men.contains(man));
        // By place and block: how many of the frame are there, those that win and all.
        let n_in_frame = places.iter().map(|squares| {
            let is_there = |&man: &usize, block| squares.has(ground.known_square(man, block));
            let n_there =
                |block| in_frame.iter().filter(|&man| is_there(man, block)).fold(Standing::default(), plus);
            ground.blocks().map(n_there).collect()
        });
        let n_in_frame: Vec<Vec<Standing>> = n_in_frame.collect();
        for (&place, n_by_block) in places.iter().zip(&n_in_frame) {
            let are_enough = n_by_block.iter().map(|&n| goal.is_reached(place, n));
            arrivals.in_frame.iter_mut().zip(are_enough).for_each(|(is, are)| *is |= are);
        }
        arrivals.free = (!free.is_empty()).then(|| {
            let mut plane = vec![W::ZERO; ground.n_words()];
            let in_lane = lane.filter(|lane| free.contains(lane));
            ground.for_each_word(ground.blocks(), |block, number, word| {
                for (&squares, n_by_block) in places.iter().zip(&n_in_frame) {
                    let is_there =
                        |&&man: &&usize| Some(man) != in_lane && squares.has(word.squares[man].index());
                    let n_known = free.iter().filter(is_there).fold(n_by_block[block.index()], plus);
                    let n_with_lane = in_lane.iter().fold(n_known, plus);
                    plane[number] |= W::when(goal.is_reached(squares, n_known)) & !squares;
                    plane[number] |= W::when(goal.is_reached(squares, n_with_lane)) & squares;
                }
            });
            plane
        });
        arrivals.safe = goal.arrival.heeds_attacks().then(|| safe_arrivals(ground, goal, side));
        arrivals
    }

    /// The arrivals in a block that the other side cannot take away; all, if that does not matter.
    fn safe(&self, block: BlockId) -> Coverage<'_, W> {
        match &self.safe {
            Some(plane) => Coverage::At(&plane[block.span(self.words_per_block)]),
            None => self.of(block),
        }
    }

    /// The arrivals in a block.
    pub(crate) fn of(&self, block: BlockId) -> Coverage<'_, W> {
        let n = self.words_per_block;
        match &self.free {
            _ if self.in_frame[block.index()] => Coverage::Everywhere,
            Some(plane) => Coverage::At(&plane[block.span(n)]),
            None => Coverage::Nowhere,
        }
    }

    /// Adds the arrivals to a plane.
    fn join_to(&self, plane: &mut [W]) {
        let blocks = BlockRange::new(0..self.in_frame.len());
        for (block, words) in blocks.zip(plane.chunks_exact_mut(self.words_per_block)) {
            match self.of(block) {
                Coverage::Nowhere => {}
                coverage => {
                    words.iter_mut().enumerate().for_each(|(place, word)| *word |= coverage.word(place))
                }
            }
        }
    }
}

/// A plane: the placements in which two men of `side` stand on its goal, or one whom no man of the other side
/// attacks.
fn safe_arrivals<W: Word>(ground: &Ground<'_, W>, goal: &Goal<W>, side: Side) -> Vec<W> {
    let men = &ground.motion.men;
    let attackers: Vec<usize> = (0..men.len()).filter(|&i| men[i].man.side != side).collect();
    let squares = goal.places[side.index()].iter().fold(W::ZERO, |all, &place| all | place);
    let mut plane = vec![W::ZERO; ground.n_words()];
    ground.for_each_word(ground.blocks(), |_, number, word| {
        let mut one = W::ZERO;
        for &man in &goal.men[side.index()] {
            let there = match ground.lane() == Some(man) {
                true => squares,
                false if squares.has(word.squares[man].index()) => W::ONES,
                false => continue,
            };
            plane[number] |= there & (one | !word_attacked(ground, man, &attackers, &word));
            one |= there;
        }
    });
    plane
}

impl<W: Word> Coverage<'_, W> {
    /// The bits of a word of the block.
    #[inline]
    pub(crate) fn word(&self, place: usize) -> W {
        match self {
            Coverage::Nowhere => W::ZERO,
            Coverage::Everywhere => W::ONES,
            Coverage::At(words) => words[place],
        }
    }

    pub(crate) fn is_nowhere(&self) -> bool {
        matches!(self, Coverage::Nowhere)
    }
}

/// Adds where the game is over for `stm` by a goal in a block; what is no position has no meaning.
/// `arrivals` are those of both sides; in `answers` Black, to move, can reach his own goal in the block.
///
/// The side that has just moved and reached its goal has won. Where Black may answer White, White's arrival
/// ends the game only if no move of Black's leads to his own goal, and what it is worth is judged when White
/// is to move again:
///
/// ```text
///   Black to move    White there                  lost, unless Black can get there
///   White to move    both there                   drawn
///                    White there, Black not       won: Black has not answered
///                    Black there, White not       lost
/// ```
///
/// Where an attacked man has to wait, he may have won when his own side is to move.
///
/// The man who reaches a goal is mostly royal, and he stands in the frame. So in nearly all blocks a man is
/// there everywhere or nowhere, and no plane is needed.
pub(crate) fn add_goals<W: Word>(
    ground: &Ground<'_, W>,
    stm: Side,
    block: BlockId,
    arrivals: &[Arrivals<W>; 2],
    answers: Option<&[W]>,
    terminals: &mut TerminalWords<W>,
) {
    let Some(goal) = &ground.law.goal else { return };
    let (own, other) = (&arrivals[stm.index()], arrivals[(!stm).index()].safe(block));
    let lost = |place: usize| other.word(place);
    match (goal.arrival, stm) {
        (Arrival::AtOnce | Arrival::Filled, _) => terminals.add(lost, Verdict::Loss),
        // No side has won where both are there; where it was over before, it stays so.
        (Arrival::Safe, _) | (Arrival::Answered, Side::White) => {
            let own = own.safe(block);
            terminals.add_drawn(|place| own.word(place) & other.word(place));
            terminals.add(lost, Verdict::Loss);
            terminals.add(|place| own.word(place), Verdict::Win);
        }
        (Arrival::SafeOrKept, _) => {
            let own = own.of(block);
            terminals.add(|place| own.word(place), Verdict::Win);
            terminals.add(lost, Verdict::Loss);
        }
        (Arrival::Answered, Side::Black) => {
            let answered = |place: usize| answers.map_or(W::ZERO, |answers| answers[place]);
            terminals.add(|place| other.word(place) & !answered(place), Verdict::Loss);
        }
    }
}

/// A plane: the placements that are no positions with `stm` to move; none if they are just those in which
/// the other side is attacked. `own` has where men of `stm` stand on their goal, if there is one.
///
/// Placements in which men share a square have no meaning here.
///
/// ```text
///   illegal (to move) = attacked (not to move)                     always
///                     ∪ attacked (to move)                         where no move may give check
///                     ∪ arrivals (to move)                         where a goal wins: it has won before
/// ```
///
/// But for the last: White who has reached his goal is to move again where Black had an answer, a man that is
/// attacked there has to wait, and the other side's move may fill a goal.
pub(crate) fn illegal<W: Word>(
    ground: &Ground<'_, W>,
    stm: Side,
    attacked: &Attacked<'_, W>,
    own: Option<&Arrivals<W>>,
) -> Option<Vec<W>> {
    let law = &ground.law;
    let is_over_before = |goal: &&Goal<W>| match goal.arrival {
        Arrival::AtOnce => true,
        Arrival::Answered => stm == Side::Black,
        Arrival::Safe | Arrival::SafeOrKept | Arrival::Filled => false,
    };
    let own = law.goal.as_ref().filter(is_over_before).and(own);
    if law.checking && own.is_none() {
        return None;
    }
    let planes = attacked.planes();
    let mut plane = planes[(!stm).index()].clone();
    if !law.checking {
        join(&mut plane, &planes[stm.index()]);
    }
    if let Some(own) = own {
        own.join_to(&mut plane);
    }
    Some(plane)
}

/// A plane: the placements that are no positions with `stm` to move, from the rules alone.
pub(crate) fn illegal_plane<W: Word>(ground: &Ground<'_, W>, stm: Side) -> Vec<W> {
    let mut attacked = [Vec::new(), Vec::new()];
    let needed = [Some(!stm), (!ground.law.checking).then_some(stm)];
    for side in needed.into_iter().flatten() {
        attacked[side.index()].resize(ground.n_words(), W::ZERO);
        fill_attacked(ground, side, &mut attacked[side.index()]);
    }
    let own = ground.law.goal.is_some().then(|| Arrivals::new(ground, stm));
    let rooms = Pool::default();
    match illegal(ground, stm, &Attacked::new(ground, Some(&attacked), &rooms), own.as_ref()) {
        Some(plane) => plane,
        None => std::mem::take(&mut attacked[(!stm).index()]),
    }
}

/// Adds another plane to a plane.
pub(crate) fn join<W: Word>(plane: &mut [W], other: &[W]) {
    plane.iter_mut().zip(other).for_each(|(word, &other)| *word |= other);
}
