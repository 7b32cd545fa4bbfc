//! All unmoves of one side into a set of placements, a few blocks at a time.

use crate::ground::Ground;
use crate::motion::{CompiledRay, FrameMove, Image};
use kernel::{axis_leap, axis_ride, lane_leap, lane_ride, permute_block};
use std::ops::Range;
use variant::Side;

/// Takes back the moves of one side's mobile men.
#[derive(Debug)]
pub(crate) struct Unmover<'a> {
    ground: &'a Ground<'a>,
    /// Places in the frame, and the men there.
    frame: Vec<(usize, usize)>,
    /// Axes (0 is the outermost), and the men there.
    axes: Vec<(usize, usize)>,
    lane: Option<usize>,
    /// For each word of a block the squares of the outer free men, as bits.
    outer: Vec<u64>,
    /// For each axis and word of a block: the axis man's square in lane bits, 0 if another outer man stands there.
    own_square: Vec<Vec<u64>>,
}

/// Room for intermediate rows; one a thread.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    free: Vec<u64>,
    source: Vec<u64>,
    run: Vec<u64>,
    image: Vec<u64>,
    /// For whoever calls: moves to be tested against.
    pub(crate) moves: Vec<u64>,
}

/// A set of placements, with the blocks in which it has any.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source<'a> {
    pub(crate) words: &'a [u64],
    /// By block; none if any block may have some.
    pub(crate) live: Option<&'a [bool]>,
}

impl Source<'_> {
    #[inline]
    fn is_live(&self, block: usize) -> bool {
        self.live.is_none_or(|live| live[block])
    }
}

impl<'a> Unmover<'a> {
    pub(crate) fn new(ground: &'a Ground<'a>, side: Side) -> Self {
        let layout = ground.layout;
        let own = |&(_, man): &(usize, usize)| layout.men()[man].side == side;
        let n_outer = layout.free().len().saturating_sub(1);
        let n = layout.n_squares();
        let digit = |word: usize, axis: usize| word / n.pow((n_outer - 1 - axis) as u32) % n;
        let n_words = layout.words_per_block();
        let square_bits = |word: usize, skip: Option<usize>| -> u64 {
            (0..n_outer).filter(|&a| Some(a) != skip).fold(0, |bits, a| bits | 1u64 << digit(word, a))
        };
        let own_square = |axis: usize| -> Vec<u64> {
            let bit = |word: usize| 1u64 << digit(word, axis);
            (0..n_words).map(|w| bit(w) & !square_bits(w, Some(axis))).collect()
        };
        Unmover {
            ground,
            frame: layout.frame().iter().copied().enumerate().filter(own).collect(),
            axes: layout.free()[..n_outer].iter().copied().enumerate().filter(own).collect(),
            lane: ground.lane().filter(|&man| layout.men()[man].side == side),
            outer: (0..n_words).map(|w| square_bits(w, None)).collect(),
            own_square: (0..n_outer).map(own_square).collect(),
        }
    }

    /// `dst |= ` the placements of `blocks` from which a move of a mobile man leads into `source`.
    ///
    /// Shape: `dst` has the words of `blocks`. Bits where men share a square mean nothing.
    pub(crate) fn unmove(
        &self,
        source: Source<'_>,
        blocks: Range<usize>,
        dst: &mut [u64],
        scratch: &mut Scratch,
    ) {
        let n_words = self.outer.len();
        for (place, block) in blocks.clone().enumerate() {
            let dst = &mut dst[place * n_words..(place + 1) * n_words];
            self.unmove_frame(source, block, dst, scratch);
            if source.is_live(block) {
                let own = &source.words[block * n_words..(block + 1) * n_words];
                for &(axis, man) in &self.axes {
                    self.unmove_axis(axis, man, own, block, dst, scratch);
                }
            }
        }
        if let Some(man) = self.lane
            && blocks.clone().any(|block| source.is_live(block))
        {
            let own = &source.words[blocks.start * n_words..blocks.end * n_words];
            self.unmove_lane(man, own, blocks, dst, scratch);
        }
    }

    fn unmove_frame(&self, source: Source<'_>, block: usize, dst: &mut [u64], scratch: &mut Scratch) {
        let n_words = self.outer.len();
        for &(place, _) in &self.frame {
            for frame_move in self.ground.motion.frame_moves(place, block) {
                let from = frame_move.block as usize;
                let pawn_there = self.ground.pawns >> frame_move.target & 1 == 1;
                let never = frame_move.path & self.ground.pawns != 0 || (pawn_there && !frame_move.capture);
                if never || !source.is_live(from) {
                    continue;
                }
                let src = &source.words[from * n_words..(from + 1) * n_words];
                let image = &self.ground.motion.images[frame_move.image as usize];
                let any_target = pawn_there || (frame_move.quiet && frame_move.capture);
                if frame_move.path == 0 && any_target {
                    or_image(dst, src, image);
                } else {
                    scratch.image.clear();
                    scratch.image.resize(n_words, 0);
                    or_image(&mut scratch.image, src, image);
                    for ((d, &moved), &outer) in dst.iter_mut().zip(&scratch.image).zip(&self.outer) {
                        *d |= moved & frame_mask(frame_move, outer, any_target);
                    }
                }
            }
        }
    }

    fn unmove_axis(
        &self,
        axis: usize,
        man: usize,
        src: &[u64],
        block: usize,
        dst: &mut [u64],
        scratch: &mut Scratch,
    ) {
        let n = self.ground.layout.n_squares();
        let taken = self.ground.frame_bits(block) | self.ground.pawns;
        // The man's own square must be free of the frame, the pawns, the other outer men, and the man in the lane.
        scratch.free.clear();
        scratch
            .free
            .extend(self.own_square[axis].iter().map(|&own| if own & !taken == 0 { 0 } else { !own }));
        let n_outer = self.own_square.len();
        let inner = n.pow((n_outer - 1 - axis) as u32);
        let rows = n * inner;
        scratch.run.resize(scratch.run.len().max(rows), 0);
        for CompiledRay { ray, axis: step, .. } in &self.ground.motion.men[man].rays {
            let src = filtered(src, &scratch.free, ray, &mut scratch.source);
            for start in (0..src.len()).step_by(rows) {
                let (src, dst) = (&src[start..start + rows], &mut dst[start..start + rows]);
                if step.limit == 1 {
                    axis_leap(dst, src, inner, step);
                } else {
                    let free = &scratch.free[start..start + rows];
                    axis_ride(dst, src, free, &mut scratch.run[..rows], inner, step);
                }
            }
        }
    }

    fn unmove_lane(
        &self,
        man: usize,
        src: &[u64],
        blocks: Range<usize>,
        dst: &mut [u64],
        scratch: &mut Scratch,
    ) {
        scratch.free.clear();
        for block in blocks {
            let taken = self.ground.frame_bits(block) | self.ground.pawns;
            scratch.free.extend(self.outer.iter().map(|&outer| !(outer | taken)));
        }
        for CompiledRay { ray, lane: step, .. } in &self.ground.motion.men[man].rays {
            let src = filtered(src, &scratch.free, ray, &mut scratch.source);
            if step.limit == 1 {
                lane_leap(dst, src, *step);
            } else {
                lane_ride(dst, src, &scratch.free, *step);
            }
        }
    }
}

/// The targets that a ray can have: free squares if it only moves, others if it only captures.
fn filtered<'a>(src: &'a [u64], free: &[u64], ray: &piece::Ray, kept: &'a mut Vec<u64>) -> &'a [u64] {
    if ray.quiet && ray.capture {
        return src;
    }
    kept.clear();
    kept.extend(src.iter().zip(free).map(|(&s, &f)| if ray.quiet { s & f } else { s & !f }));
    kept
}

/// The placements of a word in which the free men let the frame man pass and suit its target.
fn frame_mask(frame_move: &FrameMove, outer: u64, any_target: bool) -> u64 {
    if outer & frame_move.path != 0 {
        return 0;
    }
    let target = 1u64 << frame_move.target;
    let on_target = if outer & target != 0 { !0 } else { target };
    let suits = match (any_target, frame_move.capture) {
        (true, _) => !0,
        (false, true) => on_target,
        (false, false) => !on_target,
    };
    !frame_move.path & suits
}

fn or_image(dst: &mut [u64], src: &[u64], image: &Image) {
    if image.identity {
        dst.iter_mut().zip(src).for_each(|(d, &s)| *d |= s);
    } else {
        permute_block(dst, src, &image.rows, &image.lane);
    }
}
