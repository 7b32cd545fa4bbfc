//! Takes back the moves of one side into a block, from all places that a man can have in a number.
//!
//! A block whose placements have two free men or more is rows of words, and kernels do all the work. One with
//! a free man or none is a single word, for which a call would cost more than the work.
//!
//! Where a block and its neighbours hold little, moves are taken back placement by placement. A late ply of
//! a large table finds one placement in some thousands. Kernels go through whole rows, of which nearly every
//! one holds something then; here each word that does is followed by itself, from the packed sets, and no
//! block is unpacked.

mod mover;

pub(crate) use mover::{Mover, Passing};

use crate::ground::{Ground, OuterId};
use crate::motion::{Between, FrameMove};
use crate::packed::{BlockSource, N_NEAR, PackedFrontier, WindowView};
use crate::plane::{Frontier, OpenPlane};
use crate::pool::Scratch;
use index::BlockId;
use kernel::{
    Landing, Neighbour, OuterRows, Plane, Walk, Word, are_single, cut_frame_moves, cut_lane_moves, cut_out,
    cut_outer_moves, cut_row_moves, frame_moves, lane_moves, lane_word, outer_moves, outer_word_moves,
    permute_word, row_moves, row_word_moves,
};
use std::slice::from_ref;
use variant::Side;

/// Takes back the moves of one side's mobile men.
#[derive(Debug)]
pub(crate) struct Unmover<'a, W> {
    ground: &'a Ground<'a, W>,
    /// Places in the frame.
    frame: Vec<usize>,
    /// The side's outer men, each with his place among the layout's men.
    outer: Vec<(OuterId, usize)>,
    /// The side's row man.
    row: Option<usize>,
    /// The side's lane man.
    lane: Option<usize>,
    /// Whether all moves can be followed word by word.
    is_single: bool,
}

/// The part of a placement's number that a free man's square is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Coordinate {
    Outer(OuterId),
    Row,
    Lane,
}

/// Walks of one kind, and the targets that suit them.
struct Course<'c, W> {
    walks: &'c [Walk<W>],
    targets: &'c [W],
    /// By row: the squares of all men but the row's two.
    taken: &'c [W],
    /// By row: whether an outer man may pass through it.
    passable: &'c [bool],
}

impl<'a, W: Word> Unmover<'a, W> {
    pub(crate) fn new(ground: &'a Ground<'a, W>, side: Side) -> Self {
        let layout = ground.layout;
        let own = |man: usize| layout.men()[man].side == side;
        let frame = ground.frame();
        let mut unmover = Unmover {
            ground,
            frame: (0..frame.len()).filter(|&place| own(frame[place])).collect(),
            outer: ground.outer_men().filter(|&(_, man)| own(man)).collect(),
            row: ground.row_man().filter(|&man| own(man)),
            lane: ground.lane().filter(|&man| own(man)),
            is_single: false,
        };
        unmover.is_single = unmover.can_be_thin();
        unmover
    }

    /// An order of the blocks in which those that the side's frame men go between are near each other, so
    /// that a neighbour is still in the cache when it is read again.
    pub(crate) fn order(&self) -> &'a [BlockId] {
        self.ground.motion.order(self.frame.first().copied().unwrap_or(0))
    }

    /// Marks the blocks from which a move may lead into a live block.
    pub(crate) fn mark_origins(&self, live_blocks: &[bool], touched: &mut [bool]) {
        for block in self.ground.blocks().filter(|block| live_blocks[block.index()]) {
            touched[block.index()] = true;
            for &place in &self.frame {
                for &origin in self.ground.motion.origins(place, block) {
                    touched[origin.index()] = true;
                }
            }
        }
    }

    /// For a block of one word: the placements from which a move leads into `words`.
    #[inline]
    pub(crate) fn unmove_word(&self, words: &[W], block: BlockId) -> W {
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
            for (neighbour, condition) in self.conditional_moves(place, block) {
                sum |= turned(neighbour) & condition.mask(W::ZERO);
            }
        }
        if let Some(man) = self.lane {
            let word = words[block.index()] & self.region_bits(man);
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
        source: &Frontier<W>,
        block: BlockId,
        dst: &mut [W],
        touched: &mut [bool],
        scratch: &mut Scratch<W>,
    ) {
        if let Some(packed) = source.packed.as_ref().filter(|packed| self.is_thin(packed, block)) {
            return self.unmove_thin(packed, block, dst, touched, scratch);
        }
        let mut window = std::mem::take(&mut scratch.window);
        let is_live = source.live_blocks[block.index()];
        match &source.packed {
            Some(packed) => {
                for part in self.parts(packed, block) {
                    let view = window.load(packed, self.targets_in(part, block));
                    self.unmove_part((view, part), is_live, block, (&mut *dst, &mut *touched), scratch);
                }
            }
            None => {
                let view = WindowView { words: &source.words, live: &source.live, slots: &[] };
                self.unmove_part((view, None), is_live, block, (dst, touched), scratch);
            }
        }
        scratch.window = window;
    }

    /// The parts in which what a block's moves lead into is looked at: all of it (`None`), or block by block,
    /// itself first, where a window does not keep all.
    fn parts(&self, source: &impl BlockSource<W>, block: BlockId) -> Vec<Option<BlockId>> {
        if source.n_slots() >= N_NEAR {
            return vec![None];
        }
        let mut parts: Vec<Option<BlockId>> = Vec::new();
        for target in self.targets(block).filter(|&target| source.has(target)) {
            if !parts.contains(&Some(target)) {
                parts.push(Some(target));
            }
        }
        parts
    }

    /// The blocks of a part.
    fn targets_in(
        &self,
        part: Option<BlockId>,
        block: BlockId,
    ) -> impl Iterator<Item = BlockId> + Clone + use<'_, 'a, W> {
        let whole = part.is_none().then(|| self.targets(block));
        part.into_iter().chain(whole.into_iter().flatten())
    }

    /// A block and those that frame men move to from it, some of them twice.
    fn targets(&self, block: BlockId) -> impl Iterator<Item = BlockId> + Clone + use<'_, 'a, W> {
        let motion = self.ground.motion;
        let of_frame_man = move |&place: &usize| {
            let others = motion.other_moves(place, block).iter().map(|other| other.neighbour);
            motion.neighbours(place, block).iter().copied().chain(others)
        };
        let neighbours = self.frame.iter().flat_map(of_frame_man);
        std::iter::once(block).chain(neighbours.map(|neighbour| BlockId::from(neighbour.block)))
    }

    /// Like `unmove`, from the words of the blocks of one part; `is_live` says whether the block itself
    /// holds any targets.
    fn unmove_part(
        &self,
        (view, part): (WindowView<'_, W>, Option<BlockId>),
        is_live: bool,
        block: BlockId,
        (dst, touched): (&mut [W], &mut [bool]),
        scratch: &mut Scratch<W>,
    ) {
        let plane = Plane { slots: view.slots, ..self.plane(view.words, Some(view.live)) };
        for &place in &self.frame {
            let neighbours = self.ground.motion.neighbours(place, block);
            match part {
                None => frame_moves(dst, touched, None, plane, neighbours),
                Some(_) => within(part, neighbours)
                    .for_each(|neighbour| frame_moves(dst, touched, None, plane, from_ref(neighbour))),
            }
            let conditional = self.conditional_moves(place, block);
            for (neighbour, condition) in conditional.filter(|(other, _)| is_within(part, other)) {
                let image = self.conditional_image(plane, neighbour, condition, touched, None, scratch);
                dst.iter_mut().zip(image).for_each(|(dst, &word)| *dst |= word);
            }
        }
        if !is_live || part.is_some_and(|part| part != block) {
            return;
        }
        let n_rows = touched.len();
        let slot = slot_of(block, view.slots);
        let live = &view.live[slot * n_rows..(slot + 1) * n_rows];
        let src = &view.words[slot * dst.len()..(slot + 1) * dst.len()];
        if let Some(man) = self.row {
            let (row_len, files) = (self.ground.row_len(), self.ground.layout.board().files());
            self.each_course(Coordinate::Row, man, block, src, scratch, &mut |course| {
                row_moves(dst, course.targets, live, course.taken, row_len, files, course.walks);
            });
        }
        if let Some(man) = self.lane {
            let row_len = self.ground.row_len();
            self.each_course(Coordinate::Lane, man, block, src, scratch, &mut |course| {
                lane_moves(dst, course.targets, live, course.taken, row_len, course.walks);
            });
        }
        if self.row.is_some() || self.lane.is_some() {
            touched.iter_mut().zip(live).for_each(|(touched, live)| *touched |= live);
        }
        for &(outer, man) in &self.outer {
            self.each_course(Coordinate::Outer(outer), man, block, src, scratch, &mut |course| {
                for lines in self.lines(outer, course.passable) {
                    outer_moves(dst, touched, course.targets, live, lines, course.walks);
                }
            });
        }
    }

    /// Takes from live rows of `found` the placements of the block from which a move leads into `escape`;
    /// rows in which nothing is left are live no more. `scratch` has been prepared for the block.
    pub(crate) fn refute(
        &self,
        escape: &OpenPlane<W>,
        block: BlockId,
        found: &mut [W],
        live: &mut [bool],
        scratch: &mut Scratch<W>,
    ) {
        if !live.contains(&true) {
            return;
        }
        let mut window = std::mem::take(&mut scratch.escapes);
        match escape {
            OpenPlane::Memory(words) => {
                self.refute_part((words, &[], None), block, (found, live), scratch);
            }
            OpenPlane::Disk(plane) => {
                for part in self.parts(plane, block) {
                    if live.contains(&true) {
                        let view = window.load(plane, self.targets_in(part, block));
                        let escape = (view.words, view.slots, part);
                        self.refute_part(escape, block, (&mut *found, &mut *live), scratch);
                    }
                }
            }
        }
        scratch.escapes = window;
    }

    /// Like `refute`, from the words of the blocks of one part.
    fn refute_part(
        &self,
        (escape, slots, part): (&[W], &[u32], Option<BlockId>),
        block: BlockId,
        (found, live): (&mut [W], &mut [bool]),
        scratch: &mut Scratch<W>,
    ) {
        let row_len = self.ground.row_len();
        let slot = slot_of(block, slots);
        let src = &escape[slot * found.len()..(slot + 1) * found.len()];
        // Of another block only frame men have a target there.
        let is_own = part.is_none_or(|part| part == block);
        if let Some(man) = self.lane.filter(|_| is_own) {
            self.each_course(Coordinate::Lane, man, block, src, scratch, &mut |course| {
                cut_lane_moves(found, live, course.targets, course.taken, row_len, course.walks);
            });
        }
        if let Some(man) = self.row.filter(|_| is_own) {
            let files = self.ground.layout.board().files();
            self.each_course(Coordinate::Row, man, block, src, scratch, &mut |course| {
                cut_row_moves(found, live, course.targets, course.taken, row_len, files, course.walks);
            });
        }
        let plane = Plane { slots, ..self.plane(escape, None) };
        for &place in &self.frame {
            let neighbours = self.ground.motion.neighbours(place, block);
            match part {
                None => cut_frame_moves(found, live, plane, neighbours),
                Some(_) => within(part, neighbours)
                    .for_each(|neighbour| cut_frame_moves(found, live, plane, from_ref(neighbour))),
            }
            let conditional = self.conditional_moves(place, block);
            for (neighbour, condition) in conditional.filter(|(other, _)| is_within(part, other)) {
                let mut ignored = std::mem::take(&mut scratch.ignored);
                ignored.resize(live.len(), false);
                let image =
                    self.conditional_image(plane, neighbour, condition, &mut ignored, Some(live), scratch);
                cut_out(found, live, image, row_len);
                scratch.ignored = ignored;
            }
        }
        for &(outer, man) in &self.outer {
            if is_own && live.contains(&true) {
                self.each_course(Coordinate::Outer(outer), man, block, src, scratch, &mut |course| {
                    for lines in self.lines(outer, course.passable) {
                        cut_outer_moves(found, live, course.targets, lines, course.walks);
                    }
                });
            }
        }
    }

    fn plane<'p>(&'p self, words: &'p [W], live: Option<&'p [bool]>) -> Plane<'p, W> {
        Plane { words, live, slots: &[], row_len: self.ground.row_len(), images: &self.ground.motion.images }
    }

    /// The moves of a frame man that ask something of the free men, if the pawns allow them, and what they
    /// ask.
    fn conditional_moves(
        &self,
        place: usize,
        block: BlockId,
    ) -> impl Iterator<Item = (Neighbour, FrameCondition<W>)> + use<'_, 'a, W> {
        let pawns = self.ground.pawns;
        let others = self.ground.motion.other_moves(place, block).iter();
        others.filter_map(move |other| Some((other.neighbour, FrameCondition::new(other, pawns)?)))
    }

    /// The placements of a block from which such a move leads into a plane; rows that may have got some are
    /// marked in `touched`. Rows that are not wanted have nothing.
    fn conditional_image<'s>(
        &self,
        plane: Plane<'_, W>,
        neighbour: Neighbour,
        condition: FrameCondition<W>,
        touched: &mut [bool],
        wanted: Option<&[bool]>,
        scratch: &'s mut Scratch<W>,
    ) -> &'s [W] {
        let image = &mut scratch.targets;
        image.clear();
        image.resize(touched.len() * plane.row_len, W::ZERO);
        frame_moves(image, touched, wanted, plane, &[neighbour]);
        for (image, &outer) in image.chunks_exact_mut(plane.row_len).zip(self.ground.outer()) {
            for (x, word) in image.iter_mut().enumerate() {
                *word &= condition.mask(outer | W::bit(x));
            }
        }
        image
    }

    /// The lines of an outer man: one set for each choice of squares of the other outer men.
    fn lines<'p>(
        &self,
        outer: OuterId,
        passable: &'p [bool],
    ) -> impl Iterator<Item = OuterRows<'p>> + use<'p, W> {
        let n = self.ground.layout.n_squares();
        let stride = self.ground.outer_stride(outer);
        let n_rows = passable.len();
        let first = move |high: usize| (0..stride).map(move |low| high * n * stride + low);
        (0..n_rows / (n * stride)).flat_map(first).map(move |first| OuterRows {
            first,
            stride,
            passable,
            row_len: n,
        })
    }

    /// Calls `take_back` for each kind of walks that a free man has, with the targets that suit them.
    fn each_course(
        &self,
        coordinate: Coordinate,
        man: usize,
        block: BlockId,
        src: &[W],
        scratch: &mut Scratch<W>,
        take_back: &mut dyn FnMut(Course<'_, W>),
    ) {
        let Scratch { taken, passable, targets, .. } = scratch;
        if let Coordinate::Outer(outer) = coordinate {
            self.ground.find_passable(outer, block, passable);
        }
        let goes_everywhere = self.ground.motion.men[man].region == self.ground.layout.board().all();
        for (walks, landing) in self.courses(man) {
            if goes_everywhere && landing == Landing::Any {
                take_back(Course { walks, targets: src, taken, passable });
                continue;
            }
            targets.clear();
            targets.extend(src.iter().enumerate().map(|(word, &src)| {
                let free = self.free(coordinate, word, taken, passable);
                let within = if goes_everywhere { W::ONES } else { self.within(coordinate, man, word) };
                landing.of(src, free) & within
            }));
            take_back(Course { walks, targets, taken, passable });
        }
    }

    /// The placements of a word in which the man stands where his moves may end.
    fn within(&self, coordinate: Coordinate, man: usize, word: usize) -> W {
        let (region, row_len) = (self.region_bits(man), self.ground.row_len());
        match coordinate {
            Coordinate::Lane => region,
            Coordinate::Row => W::when(region.has(word % row_len)),
            Coordinate::Outer(outer) => W::when(region.has(self.ground.outer_square(word / row_len, outer))),
        }
    }

    /// The squares on which a man's moves may end, as bits.
    fn region_bits(&self, man: usize) -> W {
        W::from_bits(self.ground.motion.men[man].region.bits())
    }

    /// The placements of a word in which no other man stands on the man's square.
    fn free(&self, coordinate: Coordinate, word: usize, taken: &[W], passable: &[bool]) -> W {
        let row_len = self.ground.row_len();
        let (row, x) = (word / row_len, word % row_len);
        let (is_free, square) = match coordinate {
            Coordinate::Lane => return !(taken[row] | W::bit(x)),
            Coordinate::Row => (!taken[row].has(x), x),
            Coordinate::Outer(outer) => {
                let square = self.ground.outer_square(row, outer);
                (passable[row] && square != x, square)
            }
        };
        if is_free { !W::bit(square) } else { W::ZERO }
    }
}

/// Whether a neighbour is in a part: in that block, or anywhere if there is none.
fn is_within(part: Option<BlockId>, neighbour: &Neighbour) -> bool {
    part.is_none_or(|part| part == BlockId::from(neighbour.block))
}

/// The neighbours in a part.
fn within(part: Option<BlockId>, neighbours: &[Neighbour]) -> impl Iterator<Item = &Neighbour> {
    neighbours.iter().filter(move |neighbour| is_within(part, neighbour))
}

/// Where a block's words are among those of a window, in blocks; all blocks are there where none has a slot.
fn slot_of(block: BlockId, slots: &[u32]) -> usize {
    slots.get(block.index()).map_or(block.index(), |&slot| slot as usize)
}

/// What a frame man's move asks of the free men.
#[derive(Clone, Copy)]
struct FrameCondition<W> {
    between: Between<W>,
    target: usize,
    occupant: Occupant,
}

/// What must stand on a target.
#[derive(Clone, Copy)]
enum Occupant {
    Any,
    Man,
    Empty,
}

impl<W: Word> FrameCondition<W> {
    /// The condition of a move among pawns on these squares; none if they do not allow it.
    fn new(one: &FrameMove<W>, pawns: W) -> Option<Self> {
        let pawn_there = pawns.has(one.target.into());
        let between = one.between.given(pawns).filter(|_| !pawn_there || one.capture)?;
        let occupant = match (pawn_there || (one.quiet && one.capture), one.capture) {
            (true, _) => Occupant::Any,
            (false, true) => Occupant::Man,
            (false, false) => Occupant::Empty,
        };
        Some(FrameCondition { between, target: one.target.into(), occupant })
    }

    /// The placements of a word, all free men but the lane man standing on `known`, that meet the condition.
    #[inline]
    fn mask(self, known: W) -> W {
        let target = W::bit(self.target);
        let on_target = if known & target == W::ZERO { target } else { W::ONES };
        let suits = match self.occupant {
            Occupant::Any => W::ONES,
            Occupant::Man => on_target,
            Occupant::Empty => !on_target,
        };
        self.between.mask(known) & suits
    }
}

/// A block is thin if it has at most one placement in this number.
const THIN: usize = 512;

/// An image costs less than all moves of a word, by so much.
const IMAGES: usize = 8;

impl<W: Word> Unmover<'_, W> {
    /// Whether the side's moves can be followed word by word at all.
    fn can_be_thin(&self) -> bool {
        let motion = self.ground.motion;
        let is_single = |man: usize| {
            let walks = &motion.men[man].walks;
            [&walks.any, &walks.quiet, &walks.capture].iter().all(|walks| are_single(walks))
        };
        self.row.into_iter().chain(self.outer.iter().map(|&(_, man)| man)).all(is_single)
    }

    /// Whether there is so little in a block and those that frame men move to from it that its words are
    /// better followed by themselves.
    fn is_thin(&self, source: &PackedFrontier, block: BlockId) -> bool {
        if !self.is_single
            || self.frame.iter().any(|&place| !self.ground.motion.other_moves(place, block).is_empty())
        {
            return false;
        }
        let images = self.targets(block).skip(1).map(|target| source.n_in(target)).sum::<usize>();
        let n_placements = self.ground.words_per_block() * self.ground.lane_len();
        (source.n_in(block) + images / IMAGES) * THIN <= n_placements
    }

    /// `dst |= ` the placements of a thin block from which a move leads into `source`; rows that may have
    /// got some are marked in `touched`. `scratch` has been prepared for the block.
    fn unmove_thin(
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
        let region_of = |man: Option<usize>| man.map_or(W::ZERO, |man| self.region_bits(man));
        let [row_region, lane_region] = [self.row, self.lane].map(region_of);
        for &(word, bits) in &own {
            let (row, x) = (word as usize / row_len, word as usize % row_len);
            let taken = scratch.taken[row];
            if let Some(man) = self.row {
                let bits = bits & W::when(row_region.has(x));
                for (walks, landing) in self.courses(man) {
                    row_word_moves(&mut dst[row * row_len..][..row_len], (x, bits), taken, walks, landing);
                }
                touched[row] = true;
            }
            if let Some(man) = self.lane {
                let bits = bits & lane_region;
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
            let region = self.region_bits(man);
            for &(word, bits) in &own {
                let (row, x) = (word as usize / row_len, word as usize % row_len);
                let (square, rows) = self.rows_through(outer, row, &scratch.passable);
                let bits = bits & W::when(region.has(square));
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
