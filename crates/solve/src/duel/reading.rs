//! Reads the codes of other slices as sets: who wins, for all placements of a slice at once.

use crate::word::SolverWord;
use geometry::Square;
use index::Layout;
use kernel::{Classes, LanePermutation, Word, permute_word, split_bytes};
use std::mem;
use table::{Value, ValueRows};

/// What placements are for the side to move, as sets; those in none of them are drawn.
#[derive(Default, Debug)]
pub(super) struct Verdicts<W> {
    pub(super) illegal: Vec<W>,
    /// Drawn without a legal move.
    pub(super) stuck: Vec<W>,
    pub(super) lost: Vec<W>,
    pub(super) won: Vec<W>,
}

/// Like [`Verdicts`], of the placements of one word.
#[derive(Clone, Copy, Debug)]
pub(super) struct WordVerdicts<W> {
    pub(super) illegal: W,
    pub(super) stuck: W,
    pub(super) lost: W,
    pub(super) won: W,
}

/// How slices are read that stand in a table as their images.
#[derive(Debug)]
pub(super) struct Images<W>(Vec<Image<W>>);

#[derive(Debug)]
struct Image<W> {
    /// The images of the squares.
    map: Vec<u8>,
    /// What makes of the bits of an image those of the word.
    lane: LanePermutation<W>,
}

impl<W: SolverWord> Images<W> {
    pub(super) fn new(layout: &Layout) -> Self {
        let image = |map: &[u8]| {
            let mut undone = vec![0; map.len()];
            (0..map.len()).for_each(|at| undone[usize::from(map[at])] = at as u8);
            Image { map: map.to_vec(), lane: LanePermutation::from_map(&undone) }
        };
        let maps = layout.group().iter().map(|&g| &layout.permutation(g)[..layout.n_squares()]);
        Images(maps.map(image).collect())
    }

    /// Reads the rows of `squares`, the row man's; of others what was there before may be left. `room` has
    /// as many words.
    pub(super) fn read(&self, rows: &ValueRows<'_>, squares: W, sets: &mut Verdicts<W>, room: &mut Vec<W>) {
        let whole = rows.whole().and_then(|(codes, map)| Some((codes, self.image_of(map)?)));
        let Some((codes, image)) = whole else {
            for at in squares.bits() {
                sets.set(at, word_verdicts::<W>(rows, Square::from_index(at)));
            }
            return;
        };
        let Verdicts { illegal, stuck, lost, won } = sets;
        let classes = Classes { zero: illegal, two: stuck, odd: lost, even: won };
        split_bytes(codes, image.map.len(), classes);
        if !matches!(image.lane, LanePermutation::Identity) {
            for set in [illegal, stuck, lost, won] {
                for (word, &at) in room.iter_mut().zip(&image.map) {
                    *word = permute_word(set[usize::from(at)], &image.lane);
                }
                mem::swap(set, room);
            }
        }
    }

    fn image_of(&self, map: &[u8]) -> Option<&Image<W>> {
        self.0.iter().find(|image| image.map == map)
    }
}

impl<W: Word> Verdicts<W> {
    pub(super) fn resize(&mut self, n: usize) {
        let Verdicts { illegal, stuck, lost, won } = self;
        [illegal, stuck, lost, won].into_iter().for_each(|set| set.resize(n, W::ZERO));
    }

    pub(super) fn word(&self, at: usize) -> WordVerdicts<W> {
        let Verdicts { illegal, stuck, lost, won } = self;
        WordVerdicts { illegal: illegal[at], stuck: stuck[at], lost: lost[at], won: won[at] }
    }

    pub(super) fn set(&mut self, at: usize, word: WordVerdicts<W>) {
        let WordVerdicts { illegal, stuck, lost, won } = word;
        (self.illegal[at], self.stuck[at], self.lost[at], self.won[at]) = (illegal, stuck, lost, won);
    }
}

/// Reads the row of one square of the row man, if there is one.
pub(super) fn word_verdicts<W: SolverWord>(rows: &ValueRows<'_>, row_square: Square) -> WordVerdicts<W> {
    let mut word = WordVerdicts { illegal: W::ZERO, stuck: W::ZERO, lost: W::ZERO, won: W::ZERO };
    let codes = W::codes(rows, row_square);
    if let Some(bytes) = W::narrow(&codes) {
        let WordVerdicts { illegal, stuck, lost, won } = &mut word;
        let [zero, two, odd, even] = [illegal, stuck, lost, won].map(std::slice::from_mut);
        split_bytes(bytes, W::BITS, Classes { zero, two, odd, even });
        return word;
    }
    for at in 0..W::BITS {
        let set = match W::value(&codes, at) {
            Value::Illegal => &mut word.illegal,
            Value::Stalemate => &mut word.stuck,
            Value::Loss(_) => &mut word.lost,
            Value::Win(_) => &mut word.won,
            Value::Draw => continue,
        };
        *set |= W::bit(at);
    }
    word
}
