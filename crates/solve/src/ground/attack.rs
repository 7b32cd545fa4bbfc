//! Finds the placements in which a royal man is attacked: they decide legality and mate.
//!
//! `Motion` lists from which squares a man attacks a square, and what must stand in between. So a man whose
//! square is known attacks in all placements of a word, less those in which the lane man stands in between.
//! The answer is a plane, or comes block by block where planes would be too large.

use super::{Ground, OuterId, WordSquares};
use crate::law::Blast;
use crate::motion::Attack;
use crate::pool::{Pool, Room, Scratch};
use index::{BlockId, BlockRange};
use kernel::{Word, lane_moves};
use table::threads;
use variant::Side;

/// Fills a plane with the placements of a slice in which a royal man of `side` is attacked.
///
/// Placements in which men share a square have no meaning here; their bits are 0.
pub(crate) fn fill_attacked<W: Word>(ground: &Ground<'_, W>, side: Side, plane: &mut [W]) {
    if !ground.is_large() {
        return fill_attacked_in(ground, side, ground.blocks(), plane);
    }
    let attacks = Attacks::new(ground, side);
    let blocks = ground.blocks().zip(plane.chunks_exact_mut(ground.words_per_block()));
    threads::fold(blocks, AttackRoom::default, |room, (block, words)| attacks.fill(room, block, words));
}

/// Like `fill_attacked`, for the words of some blocks, by this thread.
pub(crate) fn fill_attacked_in<W: Word>(
    ground: &Ground<'_, W>,
    side: Side,
    blocks: BlockRange,
    words: &mut [W],
) {
    let (attacks, mut room) = (Attacks::new(ground, side), AttackRoom::default());
    let blocks = blocks.zip(words.chunks_exact_mut(ground.words_per_block()));
    blocks.for_each(|(block, words)| attacks.fill(&mut room, block, words));
}

/// Finds the placements in which a royal man of `side` is attacked, block by block.
#[derive(Debug)]
struct Attacks<'a, W> {
    ground: &'a Ground<'a, W>,
    /// Each with his place in the frame, if he has one; none if no man is royal.
    royals: Vec<(usize, Option<usize>)>,
    attackers: Vec<usize>,
}

impl<'a, W: Word> Attacks<'a, W> {
    pub(crate) fn new(ground: &'a Ground<'a, W>, side: Side) -> Self {
        let men = &ground.motion.men;
        let explodes = ground.law.blast.is_some();
        let captures = |i: &usize| men[*i].man.side != side && !(men[*i].royal && explodes);
        let frame_place = |royal: usize| ground.frame().iter().position(|&man| man == royal);
        let royals = ground.motion.royals(side).map(|royal| (royal, frame_place(royal))).collect();
        Attacks { ground, royals, attackers: (0..men.len()).filter(captures).collect() }
    }

    /// Fills the words of a block.
    pub(crate) fn fill(&self, room: &mut AttackRoom<W>, block: BlockId, words: &mut [W]) {
        let ground = self.ground;
        words.fill(W::ZERO);
        for &(royal, frame_place) in &self.royals {
            match frame_place {
                Some(place) if !ground.is_word() => {
                    let square = ground.layout.frame_squares(block)[place].index();
                    room.fill_rows(ground, &self.attackers, square, block, words);
                }
                _ => {
                    let n = words.len();
                    ground.for_each_word(block.alone(), |_, index, word| {
                        let placements = ground.placements(&word);
                        if placements != W::ZERO {
                            words[index % n] |=
                                placements & word_attacked(ground, royal, &self.attackers, &word);
                        }
                    });
                }
            }
        }
        if let Some(blast) = &ground.law.blast {
            shield(ground, blast, block, words);
        }
    }
}

/// Room to find the attacks of one block.
#[derive(Default, Debug)]
pub(crate) struct AttackRoom<W> {
    scratch: Scratch<W>,
    targets: Vec<W>,
    wanted: Vec<bool>,
    /// Room for the attacks themselves.
    pub(super) words: Vec<W>,
}

impl<W: Word> Room for AttackRoom<W> {}

impl<W: Word> AttackRoom<W> {
    /// Adds the attacks on a royal man who stands in the frame, on `square`.
    fn fill_rows(
        &mut self,
        ground: &Ground<'_, W>,
        attackers: &[usize],
        square: usize,
        block: BlockId,
        words: &mut [W],
    ) {
        let (free, row_len) = (ground.free(), ground.row_len());
        ground.prepare(block, &mut self.scratch);
        let Scratch { taken, shared, .. } = &self.scratch;
        for &man in attackers {
            let attacks = &ground.motion.men[man].attacks_on[square];
            // Walks lead out of a man's region, and what it attacks does not.
            if attacks.is_empty() {
                continue;
            }
            let place = free.iter().position(|&free| free == man);
            if place == Some(free.len() - 1) {
                self.targets.clear();
                self.targets.resize(words.len(), W::bit(square));
                self.wanted.clear();
                self.wanted.extend(shared.iter().map(|shared| !shared));
                let walks = &ground.motion.men[man].walks;
                for walks in [&walks.any, &walks.capture].into_iter().filter(|walks| !walks.is_empty()) {
                    lane_moves(words, &self.targets, &self.wanted, taken, row_len, walks);
                }
                continue;
            }
            let rows = words.chunks_exact_mut(row_len).enumerate().filter(|(row, _)| !shared[*row]);
            for (row, words) in rows {
                if place == Some(free.len() - 2) {
                    for attack in attacks {
                        words[attack.square as usize] |= attack.between.mask(taken[row]);
                    }
                    continue;
                }
                let from = match place {
                    Some(outer) => ground.outer_square(row, OuterId(outer)),
                    None => ground.known_square(man, block),
                };
                let from_there = attacks.iter().filter(|attack| attack.square as usize == from);
                for between in from_there.filter_map(|attack| attack.between.given(taken[row])) {
                    for (x, word) in words.iter_mut().enumerate() {
                        *word |= between.mask(W::bit(x));
                    }
                }
            }
        }
        self.targets.clear();
        self.targets.resize(words.len(), W::ZERO);
        ground.fill_placements(block, &self.scratch, &mut self.targets);
        words.iter_mut().zip(&self.targets).for_each(|(word, &placements)| *word &= placements);
    }
}

/// The placements of one word in which one of these men is attacked, wherever the men stand.
pub(crate) fn word_any_attacked<W: Word>(
    ground: &Ground<'_, W>,
    men: &[usize],
    attackers: &[usize],
    word: &WordSquares<W>,
) -> W {
    men.iter().fold(W::ZERO, |all, &man| all | word_attacked(ground, man, attackers, word))
}

/// The placements of one word in which a man is attacked, wherever the men stand.
pub(crate) fn word_attacked<W: Word>(
    ground: &Ground<'_, W>,
    target: usize,
    attackers: &[usize],
    word: &WordSquares<W>,
) -> W {
    let lane = ground.lane();
    let mut attacked = W::ZERO;
    for &attacker in attackers {
        let man = &ground.motion.men[attacker];
        let open = |attack: &&Attack<W>| attack.between.allows(word.taken);
        if lane == Some(target) {
            let from = word.squares[attacker].index();
            let open = man.attacks_from[from].iter().filter(open);
            open.for_each(|attack| attacked |= W::bit(attack.square.into()));
            continue;
        }
        let attacks = man.attacks_on[word.squares[target].index()].iter();
        if lane == Some(attacker) {
            attacks.filter(open).for_each(|attack| attacked |= W::bit(attack.square.into()));
        } else {
            // The lane man stops the attack where he stands in between, or is what is jumped over.
            let from = word.squares[attacker].index();
            let from_there = attacks.filter(|attack| attack.square as usize == from);
            from_there.for_each(|attack| attacked |= attack.between.mask(word.taken));
        }
    }
    attacked
}

/// Takes out of a block the placements in which the two royal men stand near each other: there a capture of
/// either would take the captor's own royal man with it.
fn shield<W: Word>(ground: &Ground<'_, W>, blast: &Blast<W>, block: BlockId, words: &mut [W]) {
    let [Some(white), Some(black)] = Side::BOTH.map(|side| ground.motion.royals(side).next()) else { return };
    let lane = ground.lane();
    let n = words.len();
    ground.for_each_word(block.alone(), |_, number, word| {
        let near = |man: usize| blast.near[word.squares[man].index()];
        let shielded = match lane {
            Some(lane) if lane == white => near(black),
            Some(lane) if lane == black => near(white),
            _ if near(white).has(word.squares[black].index()) => W::ONES,
            _ => W::ZERO,
        };
        words[number % n] &= !shielded;
    });
}

/// Where the royal man of either side is attacked in a slice.
#[derive(Debug)]
pub(crate) struct Attacked<'a, W> {
    /// By side; none if blocks are computed whenever they are asked for.
    planes: Option<&'a [Vec<W>; 2]>,
    /// By side.
    attacks: [Attacks<'a, W>; 2],
    rooms: &'a Pool<AttackRoom<W>>,
}

impl<'a, W: Word> Attacked<'a, W> {
    /// What these planes say, if there are any.
    pub(crate) fn new(
        ground: &'a Ground<'a, W>,
        planes: Option<&'a [Vec<W>; 2]>,
        rooms: &'a Pool<AttackRoom<W>>,
    ) -> Self {
        Attacked { planes, attacks: Side::BOTH.map(|side| Attacks::new(ground, side)), rooms }
    }

    /// The planes, by side.
    ///
    /// # Panics
    /// If there are none: only slices of plain chess without pawns can do without.
    pub(crate) fn planes(&self) -> &'a [Vec<W>; 2] {
        self.planes.expect("rules beside the pieces and pawns ask for planes")
    }

    pub(crate) fn words_per_block(&self) -> usize {
        self.attacks[0].ground.words_per_block()
    }

    /// Calls `read` with the words of a block: where `side`'s royal man is attacked.
    pub(crate) fn with_block<R>(&self, side: Side, block: BlockId, read: impl FnOnce(&[W]) -> R) -> R {
        let attacks = &self.attacks[side.index()];
        let n = self.words_per_block();
        if let Some(planes) = self.planes {
            return read(&planes[side.index()][block.span(n)]);
        }
        let mut room = self.rooms.lend();
        let mut words = std::mem::take(&mut room.words);
        words.resize(n, W::ZERO);
        attacks.fill(&mut room, block, &mut words);
        let answer = read(&words);
        room.words = words;
        answer
    }
}
