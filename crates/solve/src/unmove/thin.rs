//! Takes moves back placement by placement, where a block and its neighbours hold little.
//!
//! A late ply of a large table finds one placement in some thousands. Kernels go through whole rows, of which
//! nearly every one holds something then; here each word that does is followed by itself, from the packed
//! sets, and no block is unpacked.

use super::Unmover;
use crate::ground::OuterId;
use crate::packed::PackedFrontier;
use crate::scratch::Scratch;
use index::BlockId;
use kernel::{
    Landing, OuterRows, Walk, Word, are_single, lane_word, outer_word_moves, permute_word, row_word_moves,
};

/// A block is thin if it has at most one placement in so many.
const THIN: usize = 512;

/// An image costs less than all moves of a word, by so much.
const IMAGES: usize = 8;

impl<W: Word> Unmover<'_, W> {
    /// Whether the side's moves can be followed word by word at all.
    pub(super) fn can_be_thin(&self) -> bool {
        let motion = self.ground.motion;
        let is_single = |man: usize| {
            let walks = &motion.men[man].walks;
            [&walks.any, &walks.quiet, &walks.capture].iter().all(|walks| are_single(walks))
        };
        self.row.into_iter().chain(self.outer.iter().map(|&(_, man)| man)).all(is_single)
    }

    /// Whether there is so little in a block and those that frame men move to from it that its words are
    /// better followed by themselves.
    pub(super) fn is_thin(&self, source: &PackedFrontier, block: BlockId) -> bool {
        if !self.is_single
            || self.frame.iter().any(|&place| !self.ground.motion.other_moves(place, block).is_empty())
        {
            return false;
        }
        let images = self.targets(block).skip(1).map(|target| source.n_in(target)).sum::<usize>();
        let n_placements = self.ground.words_per_block() * self.ground.lane_len();
        (source.n_in(block) + images / IMAGES) * THIN <= n_placements
    }

    /// `dst |= ` the placements of a thin block from which a move leads into `source`; rows that may have got
    /// some are marked in `touched`. `scratch` has been prepared for the block.
    pub(super) fn unmove_thin(
        &self,
        source: &PackedFrontier,
        block: BlockId,
        dst: &mut [W],
        touched: &mut [bool],
        scratch: &mut Scratch<W>,
    ) {
        let (ground, row_len) = (self.ground, self.ground.row_len());
        for &place in &self.frame {
            for &neighbour in ground.motion.neighbours(place, block) {
                let image = &ground.motion.images[neighbour.image as usize];
                let undone = &ground.motion.undone[neighbour.image as usize];
                source.for_each_word(neighbour.block.into(), |word, bits: W| {
                    let (row, x) = (word / row_len, word % row_len);
                    let (row, x, bits) = match image.is_identity {
                        true => (row, x, bits),
                        false => {
                            let (row, x) = (undone.rows[row] as usize, usize::from(undone.words[x]));
                            (row, x, permute_word(bits, &image.lane))
                        }
                    };
                    dst[row * row_len + x] |= bits;
                    touched[row] = true;
                });
            }
        }
        let mut own = std::mem::take(&mut scratch.full);
        own.clear();
        source.for_each_word(block, |word, bits| own.push((word as u32, bits)));
        for &(word, bits) in &own {
            let (row, x) = (word as usize / row_len, word as usize % row_len);
            let taken = scratch.taken[row];
            if let Some(man) = self.row {
                for (walks, landing) in self.courses(man) {
                    row_word_moves(&mut dst[row * row_len..][..row_len], (x, bits), taken, walks, landing);
                }
                touched[row] = true;
            }
            if let Some(man) = self.lane {
                let free = !(taken | W::bit(x));
                for (walks, landing) in self.courses(man) {
                    dst[row * row_len + x] |= lane_word(landing.of(bits, free), free, walks);
                }
                touched[row] = true;
            }
        }
        for &(outer, man) in &self.outer {
            if own.is_empty() {
                break;
            }
            ground.find_passable(outer, block, &mut scratch.passable);
            for &(word, bits) in &own {
                let (row, x) = (word as usize / row_len, word as usize % row_len);
                let (square, rows) = self.rows_through(outer, row, &scratch.passable);
                for (walks, landing) in self.courses(man) {
                    outer_word_moves(dst, touched, (square, x, bits), rows, walks, landing);
                }
            }
        }
        scratch.full = own;
    }

    /// The square of an outer man in a row, and the rows of all his squares, the others staying.
    fn rows_through<'p>(&self, outer: OuterId, row: usize, passable: &'p [bool]) -> (usize, OuterRows<'p>) {
        let (square, stride) = (self.ground.outer_square(row, outer), self.ground.outer_stride(outer));
        let first = row - square * stride;
        (square, OuterRows { first, stride, passable, row_len: self.ground.row_len() })
    }

    /// The walks of a free man, by what they ask of the square that they lead to.
    fn courses(&self, man: usize) -> impl Iterator<Item = (&[Walk<W>], Landing)> {
        let walks = &self.ground.motion.men[man].walks;
        let all =
            [(&walks.any, Landing::Any), (&walks.quiet, Landing::Quiet), (&walks.capture, Landing::Capture)];
        all.into_iter()
            .filter(|(walks, _)| !walks.is_empty())
            .map(|(walks, landing)| (walks.as_slice(), landing))
    }
}
