//! Captures of mobile men: the values of the ghosts.
//!
//! Where a man and its enemy share a square there is no position, so the bit stands for the placement after the
//! capture: the victim is gone, and the victim's side is to move. The values come from the smaller tables, once a
//! slice, for captures by either side.

use crate::event::{Events, Gathering};
use crate::ground::{Ground, Word};
use crate::reach::Change;
use geometry::Square;
use index::MAX_MEN;
use rayon::prelude::*;
use std::collections::BTreeMap;
use table::{Value, View};
use variant::Side;

/// What captures by one side lead to.
#[derive(Debug, Default)]
pub(crate) struct Captures {
    /// The ghosts whose capture is legal: words and bits.
    pub(crate) legal: Vec<(u32, u64)>,
    /// The ghosts after which the other side has lost, by its distance from mate.
    pub(crate) lost: Events,
    /// The ghosts after which the other side has won, by its distance from mate.
    pub(crate) won: Events,
}

#[derive(Default)]
struct Found {
    legal: Vec<(u32, u64)>,
    lost: Vec<(u16, usize, u64)>,
    won: Vec<(u16, usize, u64)>,
}

/// A pair of men that can share a square: who captures, who is captured, and what that leads to.
struct Pair<'a> {
    captor: usize,
    victim: usize,
    view: &'a View<'a>,
}

impl Captures {
    /// The captures by the mobile men of `side`.
    pub(crate) fn gather(ground: &Ground<'_>, side: Side, views: &BTreeMap<Change, View<'_>>) -> Self {
        let men = &ground.motion.men;
        let mut pairs = Vec::new();
        for captor in (0..men.len()).filter(|&i| men[i].man.side == side && !men[i].pawn) {
            for victim in (0..men.len()).filter(|&i| men[i].man.side != side && !men[i].royal) {
                let view = &views[&Change { captured: Some(victim), promoted: None }];
                pairs.push(Pair { captor, victim, view });
            }
        }
        if pairs.is_empty() {
            return Captures::default();
        }
        let found: Vec<Found> = (0..ground.layout.n_blocks())
            .into_par_iter()
            .with_min_len(256)
            .map(|block| {
                let mut found = Found::default();
                ground.for_each_word(block..block + 1, |_, index, word| {
                    gather_word(ground, &pairs, side, index, &word, &mut found);
                });
                found
            })
            .collect();
        let (mut legal, mut lost, mut won) = (Vec::new(), Gathering::default(), Gathering::default());
        for block in found {
            legal.extend(block.legal);
            block.lost.into_iter().for_each(|(ply, word, bit)| lost.add(ply, word, bit));
            block.won.into_iter().for_each(|(ply, word, bit)| won.add(ply, word, bit));
        }
        Captures { legal, lost: lost.sorted(), won: won.sorted() }
    }
}

fn gather_word(
    ground: &Ground<'_>,
    pairs: &[Pair<'_>],
    side: Side,
    index: usize,
    word: &Word,
    found: &mut Found,
) {
    let n_men = ground.motion.men.len();
    let lane = ground.lane();
    let n_known = n_men - usize::from(lane.is_some());
    let n_shared = n_known - word.taken.count_ones() as usize;
    if n_shared > 1 {
        return;
    }
    let mut legal = 0;
    for pair in pairs {
        // Exactly these two share a square: both known, or the man in the lane where the other one stands.
        let ghosts = match (lane == Some(pair.captor), lane == Some(pair.victim)) {
            (false, false) if n_shared == 1 && word.squares[pair.captor] == word.squares[pair.victim] => {
                if lane.is_some() {
                    ground.lane_mask & !word.taken
                } else {
                    1
                }
            }
            (true, false) if n_shared == 0 => 1 << word.squares[pair.victim].index(),
            (false, true) if n_shared == 0 => 1 << word.squares[pair.captor].index(),
            _ => 0,
        };
        let mut rest = ghosts;
        while rest != 0 {
            let at = rest.trailing_zeros() as usize;
            let bit = rest & rest.wrapping_neg();
            rest ^= bit;
            let mut squares = [Square::from_index(0); MAX_MEN];
            let left = (0..n_men).filter(|&man| man != pair.victim);
            for (slot, man) in squares.iter_mut().zip(left) {
                *slot = if lane == Some(man) { Square::from_index(at) } else { word.squares[man] };
            }
            let value = pair.view.value(!side, &squares[..n_men - 1]);
            match value {
                Value::Illegal => continue,
                Value::Loss(ply) => found.lost.push((ply.0, index, bit)),
                Value::Win(ply) => found.won.push((ply.0, index, bit)),
                Value::Draw | Value::Stalemate => {}
            }
            legal |= bit;
        }
    }
    if legal != 0 {
        found.legal.push((index as u32, legal));
    }
}
