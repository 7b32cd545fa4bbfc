//! All unmoves of one side into a set of placements, a block at a time.
//!
//! A block whose placements have two free men or more is rows of words, and everything is done by kernels;
//! one with a free man or none is a single word, for which a call would cost more than the work.

use crate::ground::Ground;
use crate::motion::{Between, FrameMove, Walks};
use kernel::{
    Axis, Neighbour, Plane, Walk, Word, axis_moves, cut_axis_moves, cut_lane_moves, cut_neighbour_moves,
    cut_out, lane_moves, lane_word, neighbour_moves, permute_word, rank_moves,
};
use variant::Side;

/// Takes back the moves of one side's mobile men.
#[derive(Debug)]
pub(crate) struct Unmover<'a, W> {
    ground: &'a Ground<'a, W>,
    /// Places in the frame.
    frame: Vec<usize>,
    /// The side's men on outer axes (0 is the outermost), and the man next to the lane, and in it.
    axes: Vec<(usize, usize)>,
    near: Option<usize>,
    lane: Option<usize>,
}

/// A set of placements, with the rows and blocks in which it has any.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source<'a, W> {
    pub(crate) words: &'a [W],
    /// By row.
    pub(crate) live: &'a [bool],
    /// By block.
    pub(crate) live_blocks: &'a [bool],
}

/// What is known of a block's rows, and room for intermediate ones; one a thread.
#[derive(Debug)]
pub(crate) struct Scratch<W> {
    /// By row: the squares of all men but the two that make up the row.
    pub(crate) taken: Vec<W>,
    /// By row: whether two of those men share a square.
    pub(crate) shared: Vec<bool>,
    passable: Vec<bool>,
    moves: Vec<W>,
    targets: Vec<W>,
    ignored: Vec<bool>,
    /// Moves, or what is kept from them, under compulsory capture.
    pub(crate) quiet: Vec<W>,
}

/// What is done with targets, the walks that they suit, and the rows that may be passed through.
type Moves<'f, W> = dyn FnMut(&[W], &[Walk<W>], &[bool]) + 'f;

/// Where in a row a man moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    Axis(usize),
    Near,
    Lane,
}

impl<W> Default for Scratch<W> {
    fn default() -> Self {
        Scratch {
            taken: Vec::new(),
            shared: Vec::new(),
            passable: Vec::new(),
            moves: Vec::new(),
            targets: Vec::new(),
            ignored: Vec::new(),
            quiet: Vec::new(),
        }
    }
}

impl<'a, W: Word> Unmover<'a, W> {
    pub(crate) fn new(ground: &'a Ground<'a, W>, side: Side) -> Self {
        let layout = ground.layout;
        let own = |man: usize| layout.men()[man].side == side;
        let (frame, free) = (ground.frame(), ground.free());
        let n_outer = free.len().saturating_sub(2);
        Unmover {
            ground,
            frame: (0..frame.len()).filter(|&place| own(frame[place])).collect(),
            axes: (0..n_outer).map(|axis| (axis, free[axis])).filter(|&(_, man)| own(man)).collect(),
            near: free.len().checked_sub(2).map(|place| free[place]).filter(|&man| own(man)),
            lane: ground.lane().filter(|&man| own(man)),
        }
    }

    /// An order of the blocks in which those that the side's frame men go between are near each other, so
    /// that a neighbour is still in the cache when it is read again.
    pub(crate) fn order(&self) -> &'a [u32] {
        self.ground.motion.order(self.frame.first().copied().unwrap_or(0))
    }

    /// Marks the blocks from which a move may lead into a live block.
    pub(crate) fn mark_origins(&self, live_blocks: &[bool], touched: &mut [bool]) {
        for block in (0..live_blocks.len()).filter(|&block| live_blocks[block]) {
            touched[block] = true;
            for &place in &self.frame {
                for &origin in self.ground.motion.origins(place, block) {
                    touched[origin as usize] = true;
                }
            }
        }
    }

    /// For a block of one word: the placements from which a move leads into `words`.
    #[inline]
    pub(crate) fn unmove_word(&self, words: &[W], block: usize) -> W {
        let motion = self.ground.motion;
        let mut sum = W::ZERO;
        let turned = |neighbour: Neighbour| {
            let (word, image) = (words[neighbour.block as usize], &motion.images[neighbour.image as usize]);
            if image.is_identity { word } else { permute_word(word, &image.lane) }
        };
        for &place in &self.frame {
            for &neighbour in motion.neighbours(place, block) {
                sum |= turned(neighbour);
            }
            for (neighbour, suited) in self.suited_moves(place, block) {
                sum |= turned(neighbour) & suited.mask(W::ZERO);
            }
        }
        if let Some(man) = self.lane {
            let word = words[block];
            if word != W::ZERO {
                let free = !(self.ground.frame_bits(block) | self.ground.fixed);
                let walks = &motion.men[man].walks;
                sum |= lane_word(word, free, &walks.any);
                sum |= lane_word(word & free, free, &walks.quiet);
                sum |= lane_word(word & !free, free, &walks.capture);
            }
        }
        sum
    }

    /// `dst |= ` the placements of a block of rows from which a move leads into `source`; rows that may have
    /// got some are marked in `touched`. `scratch` has been prepared for the block.
    pub(crate) fn unmove(
        &self,
        source: Source<'_, W>,
        block: usize,
        dst: &mut [W],
        touched: &mut [bool],
        scratch: &mut Scratch<W>,
    ) {
        let plane = self.plane(source.words, Some(source.live));
        for &place in &self.frame {
            neighbour_moves(dst, touched, None, plane, self.ground.motion.neighbours(place, block));
            for (neighbour, suited) in self.suited_moves(place, block) {
                let image = self.suited_image(plane, neighbour, suited, touched, None, scratch);
                dst.iter_mut().zip(image).for_each(|(dst, &word)| *dst |= word);
            }
        }
        if !source.live_blocks[block] {
            return;
        }
        let n_rows = touched.len();
        let rows = block * n_rows..(block + 1) * n_rows;
        let live = &source.live[rows];
        let src = &source.words[block * dst.len()..(block + 1) * dst.len()];
        if let Some(man) = self.near {
            self.unmove_near_man(man, src, block, dst, live, scratch);
        }
        if let Some(man) = self.lane {
            let taken = std::mem::take(&mut scratch.taken);
            let row_len = self.ground.row_len();
            self.each_walks_of(Place::Lane, man, block, src, &taken, scratch, &mut |src, walks, _| {
                lane_moves(dst, src, live, &taken, row_len, walks);
            });
            scratch.taken = taken;
        }
        if self.near.is_some() || self.lane.is_some() {
            touched.iter_mut().zip(live).for_each(|(touched, live)| *touched |= live);
        }
        for &(axis, man) in &self.axes {
            self.each_walks(Place::Axis(axis), man, block, src, scratch, &mut |src, walks, passable| {
                for lines in self.lines(axis, passable) {
                    axis_moves(dst, touched, src, live, lines, walks);
                }
            });
        }
    }

    /// Takes from live rows of `found` the placements of the block from which a move leads into `escape`;
    /// rows in which nothing is left are live no more. `scratch` has been prepared for the block.
    pub(crate) fn refute(
        &self,
        escape: &[W],
        block: usize,
        found: &mut [W],
        live: &mut [bool],
        scratch: &mut Scratch<W>,
    ) {
        let row_len = self.ground.row_len();
        let src = &escape[block * found.len()..(block + 1) * found.len()];
        if let Some(man) = self.lane {
            let taken = std::mem::take(&mut scratch.taken);
            self.each_walks_of(Place::Lane, man, block, src, &taken, scratch, &mut |src, walks, _| {
                cut_lane_moves(found, live, src, &taken, row_len, walks);
            });
            scratch.taken = taken;
        }
        if let Some(man) = self.near {
            let mut moves = std::mem::take(&mut scratch.moves);
            moves.resize(found.len(), W::ZERO);
            // Rows that are not live are never looked at.
            for (row, _) in moves.chunks_exact_mut(row_len).zip(&*live).filter(|(_, live)| **live) {
                row.fill(W::ZERO);
            }
            self.unmove_near_man(man, src, block, &mut moves, live, scratch);
            cut_out(found, live, &moves, row_len);
            scratch.moves = moves;
        }
        let plane = self.plane(escape, None);
        for &place in &self.frame {
            cut_neighbour_moves(found, live, plane, self.ground.motion.neighbours(place, block));
            for (neighbour, suited) in self.suited_moves(place, block) {
                let mut ignored = std::mem::take(&mut scratch.ignored);
                ignored.resize(live.len(), false);
                let image = self.suited_image(plane, neighbour, suited, &mut ignored, Some(live), scratch);
                cut_out(found, live, image, row_len);
                scratch.ignored = ignored;
            }
        }
        for &(axis, man) in &self.axes {
            if live.contains(&true) {
                self.each_walks(Place::Axis(axis), man, block, src, scratch, &mut |src, walks, passable| {
                    for lines in self.lines(axis, passable) {
                        cut_axis_moves(found, live, src, lines, walks);
                    }
                });
            }
        }
    }

    /// The moves of the man next to the lane, in wanted rows.
    fn unmove_near_man(
        &self,
        man: usize,
        src: &[W],
        block: usize,
        dst: &mut [W],
        wanted: &[bool],
        scratch: &mut Scratch<W>,
    ) {
        let (row_len, files) = (self.ground.row_len(), self.ground.layout.board().files());
        let taken = std::mem::take(&mut scratch.taken);
        self.each_walks_of(Place::Near, man, block, src, &taken, scratch, &mut |src, walks, _| {
            rank_moves(dst, src, wanted, &taken, row_len, files, walks);
        });
        scratch.taken = taken;
    }

    fn plane<'p>(&'p self, words: &'p [W], live: Option<&'p [bool]>) -> Plane<'p, W> {
        Plane { words, live, row_len: self.ground.row_len(), images: &self.ground.motion.images }
    }

    /// The moves of a frame man that ask something of the free men, if the pawns allow them, and what they
    /// ask.
    fn suited_moves(
        &self,
        place: usize,
        block: usize,
    ) -> impl Iterator<Item = (Neighbour, Suited<W>)> + use<'_, 'a, W> {
        let others = self.ground.motion.other_moves(place, block).iter();
        others.filter_map(|other| Some((other.neighbour, self.suits_pawns(other)?)))
    }

    /// The placements of a block from which such a move leads into a plane; rows that may have got some are
    /// marked in `touched`. Rows that are not wanted have nothing.
    fn suited_image<'s>(
        &self,
        plane: Plane<'_, W>,
        neighbour: Neighbour,
        suited: Suited<W>,
        touched: &mut [bool],
        wanted: Option<&[bool]>,
        scratch: &'s mut Scratch<W>,
    ) -> &'s [W] {
        let image = &mut scratch.targets;
        image.clear();
        image.resize(touched.len() * plane.row_len, W::ZERO);
        neighbour_moves(image, touched, wanted, plane, &[neighbour]);
        for (image, &outer) in image.chunks_exact_mut(plane.row_len).zip(self.ground.outer()) {
            for (x, word) in image.iter_mut().enumerate() {
                *word &= suited.mask(outer | W::bit(x));
            }
        }
        image
    }

    /// What a frame man's move asks of the free men, if the pawns allow it.
    fn suits_pawns(&self, one: &FrameMove<W>) -> Option<Suited<W>> {
        let pawn_there = self.ground.pawns.has(one.target.into());
        let between = one.between.given(self.ground.pawns).filter(|_| !pawn_there || one.capture)?;
        let kind = match (pawn_there || (one.quiet && one.capture), one.capture) {
            (true, _) => Target::Any,
            (false, true) => Target::Taken,
            (false, false) => Target::Empty,
        };
        Some(Suited { between, target: one.target.into(), kind })
    }

    /// The lines of an axis: one set for each choice of squares of the other outer men.
    fn lines<'p>(&self, axis: usize, passable: &'p [bool]) -> impl Iterator<Item = Axis<'p>> + use<'p, W> {
        let n = self.ground.layout.n_squares();
        let n_outer = self.ground.free().len() - 2;
        let stride = n.pow((n_outer - 1 - axis) as u32);
        let n_rows = passable.len();
        let first = move |high: usize| (0..stride).map(move |low| high * n * stride + low);
        (0..n_rows / (n * stride)).flat_map(first).map(move |first| Axis {
            first,
            stride,
            passable,
            row_len: n,
        })
    }

    fn each_walks(
        &self,
        place: Place,
        man: usize,
        block: usize,
        src: &[W],
        scratch: &mut Scratch<W>,
        moves: &mut Moves<'_, W>,
    ) {
        let taken = std::mem::take(&mut scratch.taken);
        self.each_walks_of(place, man, block, src, &taken, scratch, moves);
        scratch.taken = taken;
    }

    /// Calls `moves` for each kind of walks that a man has, with the targets that suit them.
    #[expect(clippy::too_many_arguments, reason = "the parts of a scratch that is in use")]
    fn each_walks_of(
        &self,
        place: Place,
        man: usize,
        block: usize,
        src: &[W],
        taken: &[W],
        scratch: &mut Scratch<W>,
        moves: &mut Moves<'_, W>,
    ) {
        let Walks { any, quiet, capture } = &self.ground.motion.men[man].walks;
        let mut passable = std::mem::take(&mut scratch.passable);
        if let Place::Axis(axis) = place {
            self.ground.find_passable(axis, block, &mut passable);
        }
        if !any.is_empty() {
            moves(src, any, &passable);
        }
        for (walks, is_quiet) in [(quiet, true), (capture, false)] {
            if walks.is_empty() {
                continue;
            }
            let mut targets = std::mem::take(&mut scratch.targets);
            targets.clear();
            targets.extend(src.iter().enumerate().map(|(word, &src)| {
                let free = self.free(place, word, taken, &passable);
                if is_quiet { src & free } else { src & !free }
            }));
            moves(&targets, walks, &passable);
            scratch.targets = targets;
        }
        scratch.passable = passable;
    }

    /// The placements of a word in which no other man stands on the man's square.
    fn free(&self, place: Place, word: usize, taken: &[W], passable: &[bool]) -> W {
        let row_len = self.ground.row_len();
        let (row, x) = (word / row_len, word % row_len);
        let (is_free, square) = match place {
            Place::Lane => return !(taken[row] | W::bit(x)),
            Place::Near => (!taken[row].has(x), x),
            Place::Axis(axis) => {
                let square = self.ground.outer_square(row, axis);
                (passable[row] && square != x, square)
            }
        };
        if is_free { !W::bit(square) } else { W::ZERO }
    }
}

/// A frame man's move that the pawns allow.
#[derive(Clone, Copy)]
struct Suited<W> {
    /// What the free men must leave in between.
    between: Between<W>,
    target: usize,
    kind: Target,
}

/// What must stand on a target.
#[derive(Clone, Copy)]
enum Target {
    Any,
    Taken,
    Empty,
}

impl<W: Word> Suited<W> {
    /// The placements of a word, the outer men standing on `outer`, in which the free men let the frame man
    /// pass and suit its target.
    #[inline]
    fn mask(self, outer: W) -> W {
        let target = W::bit(self.target);
        let on_target = if outer & target == W::ZERO { target } else { W::ONES };
        let suits = match self.kind {
            Target::Any => W::ONES,
            Target::Taken => on_target,
            Target::Empty => !on_target,
        };
        self.between.mask(outer) & suits
    }
}
