//! In which placements a royal man is attacked: the source of what is illegal and what is mate.
//!
//! From which squares a man attacks a square, and what must be empty for it, is known before; so a man whose square is
//! known attacks in all placements of a word, less those in which the man in the lane stands in between.

use crate::ground::{Ground, Word};
use crate::motion::Attack;
use crate::unmove::Scratch;
use kernel::lane_moves;
use rayon::prelude::*;
use variant::Side;

/// A plane: the placements of a slice in which `side`'s royal man is attacked.
///
/// Placements in which men share a square have no meaning here; their bits are 0.
pub(crate) fn attacked(ground: &Ground<'_>, side: Side) -> Vec<u64> {
    let mut plane = vec![0; ground.n_words()];
    fill_attacked(ground, side, &mut plane);
    plane
}

/// The same into a plane that is there already.
pub(crate) fn fill_attacked(ground: &Ground<'_>, side: Side, plane: &mut [u64]) {
    let men = &ground.motion.men;
    let royal = (0..men.len()).find(|&i| men[i].royal && men[i].man.side == side);
    let Some(royal) = royal else {
        plane.fill(0);
        return;
    };
    let attackers: Vec<usize> = (0..men.len()).filter(|&i| men[i].man.side != side).collect();
    let frame_place = ground.frame().iter().position(|&man| man == royal);
    let words_per_block = ground.words_per_block();
    let fill = |scratch: &mut Fill, block: usize, words: &mut [u64]| match frame_place {
        Some(place) if !ground.is_word() => {
            let square = ground.layout.frame_squares(block)[place].index();
            scratch.fill_rows(ground, &attackers, square, block, words);
        }
        _ => ground.for_each_word(block..block + 1, |_, index, word| {
            let placements = ground.placements(&word);
            words[index % words_per_block] = match placements {
                0 => 0,
                _ => placements & word_attacked(ground, royal, &attackers, &word),
            };
        }),
    };
    if plane.len() >= crate::block::PARALLEL_WORDS {
        let blocks = plane.par_chunks_exact_mut(words_per_block).enumerate();
        blocks.for_each_init(Fill::default, |scratch, (block, words)| fill(scratch, block, words));
    } else {
        let mut scratch = Fill::default();
        let blocks = plane.chunks_exact_mut(words_per_block).enumerate();
        blocks.for_each(|(block, words)| fill(&mut scratch, block, words));
    }
}

/// Room for one block.
#[derive(Default)]
struct Fill {
    scratch: Scratch,
    targets: Vec<u64>,
    wanted: Vec<bool>,
}

impl Fill {
    /// The block's royal man stands in the frame.
    fn fill_rows(
        &mut self,
        ground: &Ground<'_>,
        attackers: &[usize],
        square: usize,
        block: usize,
        words: &mut [u64],
    ) {
        let (free, row_len) = (ground.free(), ground.row_len());
        ground.prepare(block, &mut self.scratch);
        let Scratch { taken, shared, .. } = &self.scratch;
        words.fill(0);
        for &man in attackers {
            let attacks = &ground.motion.men[man].attacks_on[square];
            let place = free.iter().position(|&free| free == man);
            if place == Some(free.len() - 1) {
                self.targets.clear();
                self.targets.resize(words.len(), 1 << square);
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
                    let open = attacks.iter().filter(|attack| attack.path & taken[row] == 0);
                    open.for_each(|attack| words[attack.square as usize] |= !attack.path);
                    continue;
                }
                let from = match place {
                    Some(axis) => ground.outer_square(row, axis),
                    None => ground.known_square(man, block),
                };
                let from_there = attacks.iter().filter(|attack| attack.square as usize == from);
                for &Attack { path, .. } in from_there.filter(|attack| attack.path & taken[row] == 0) {
                    for (x, word) in words.iter_mut().enumerate() {
                        *word |= if path >> x & 1 == 0 { !path } else { 0 };
                    }
                }
            }
        }
        self.targets.clear();
        self.targets.resize(words.len(), 0);
        ground.fill_placements(block, &self.scratch, &mut self.targets);
        words.iter_mut().zip(&self.targets).for_each(|(word, placements)| *word &= placements);
    }
}

/// The same for one word, whoever stands where.
pub(crate) fn word_attacked(ground: &Ground<'_>, royal: usize, attackers: &[usize], word: &Word) -> u64 {
    let lane = ground.lane();
    let mut attacked = 0;
    for &attacker in attackers {
        let man = &ground.motion.men[attacker];
        let open = |attack: &&Attack| attack.path & word.taken == 0;
        if lane == Some(royal) {
            let from = word.squares[attacker].index();
            man.attacks_from[from].iter().filter(open).for_each(|attack| attacked |= 1 << attack.square);
            continue;
        }
        let square = word.squares[royal].index();
        let open = man.attacks_on[square].iter().filter(open);
        if lane == Some(attacker) {
            open.for_each(|attack| attacked |= 1 << attack.square);
        } else {
            // The man in the lane stops the attack where it stands in between.
            let from = word.squares[attacker].index();
            let open = open.filter(|attack| attack.square as usize == from);
            open.for_each(|attack| attacked |= !attack.path);
        }
    }
    attacked
}
