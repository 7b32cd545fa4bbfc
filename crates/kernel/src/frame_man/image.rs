//! Turns a row by a symmetry: words and bits change places alike, `row[x][y]` is `kept[σ(x)][σ(y)]`.
//!
//! It is made in parts of eight words, so that a caller who needs a part of a row makes no more.

use super::permutation::{LanePermutation, permute_word, staged};
use crate::Word;
use crate::word::is_full;

/// A symmetry undone: how to read a block as it stands, that is kept under the symmetry.
#[derive(Clone, Debug)]
pub struct Image<W> {
    /// Nothing changes place.
    pub is_identity: bool,
    /// For each row of a block the row that it is kept in.
    pub rows: Vec<u32>,
    /// For each word of a row the word that it is kept in: where the symmetry takes a square.
    pub words: Vec<u8>,
    /// What becomes of the bits.
    pub lane: LanePermutation<W>,
}

/// Words of a part of a row.
pub(crate) const PART_WORDS: usize = 8;

/// Parts of a row: all of them, or those whose bit is set, bit `i` that of words `8 × i` to `8 × i + 8`. The
/// words that make up no part are always taken.
#[derive(Clone, Copy)]
pub(crate) struct RowParts(Option<u32>);

impl RowParts {
    pub(crate) const ALL: RowParts = RowParts(None);

    /// Those in which a row has any bits.
    #[inline(always)]
    pub(crate) fn of<W: Word>(row: &[W]) -> RowParts {
        let mut parts = 0;
        for (part, words) in row.as_chunks::<PART_WORDS>().0.iter().enumerate() {
            let mut any = 0;
            W::halves(words).iter().for_each(|&half| any |= half);
            parts |= u32::from(any != 0) << part;
        }
        RowParts(Some(parts))
    }

    /// The numbers of those among the first `n`.
    #[inline(always)]
    pub(crate) fn among(self, n: usize) -> impl Iterator<Item = usize> {
        (0..n).filter(move |part| self.0.is_none_or(|parts| parts >> part & 1 == 1))
    }
}

/// `dst |= ` some parts of a row that is kept under a symmetry.
#[inline(always)]
pub(crate) fn add_image<W: Word>(dst: &mut [W], kept: &[W], image: &Image<W>, parts: RowParts) {
    assert!(dst.len() == kept.len() && dst.len() == image.words.len());
    let (eights, rest) = dst.as_chunks_mut::<PART_WORDS>();
    let places = image.words.as_chunks::<PART_WORDS>().0;
    let first = eights.len() * PART_WORDS;
    for part in parts.among(eights.len()) {
        let (dst, places) = (&mut eights[part], &places[part]);
        let mut words = [W::ZERO; PART_WORDS];
        for (word, &place) in words.iter_mut().zip(places) {
            *word = kept[place as usize];
        }
        // Much of what is found late holds nothing.
        if !is_full(&words) {
            continue;
        }
        // The flags are resolved outside the loop, so that each loop is straight line code.
        macro_rules! run {
            ($t:expr, $f:expr, $r:expr) => {{
                let fixed = LanePermutation::Square8 { transpose: $t, mirror_files: $f, mirror_ranks: $r };
                // A loop: what is handed to a function need not get the instructions of the kernel.
                for word in &mut words {
                    *word = permute_word(*word, &fixed);
                }
            }};
        }
        match &image.lane {
            LanePermutation::Identity => {}
            LanePermutation::Square8 { transpose, mirror_files, mirror_ranks } => {
                match (transpose, mirror_files, mirror_ranks) {
                    (false, false, false) => run!(false, false, false),
                    (false, true, false) => run!(false, true, false),
                    (false, false, true) => run!(false, false, true),
                    (false, true, true) => run!(false, true, true),
                    (true, false, false) => run!(true, false, false),
                    (true, true, false) => run!(true, true, false),
                    (true, false, true) => run!(true, false, true),
                    (true, true, true) => run!(true, true, true),
                }
            }
            LanePermutation::Stages { stages, .. } => words = W::unpack(staged(W::pack(&words), stages)),
        }
        for (dst, &word) in W::halves_mut(dst).iter_mut().zip(W::halves(&words)) {
            *dst |= word;
        }
    }
    for (dst, &place) in rest.iter_mut().zip(&image.words[first..]) {
        *dst |= permute_word(kept[place as usize], &image.lane);
    }
}
