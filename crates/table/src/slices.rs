//! Keeps the slices of tables that are larger than memory as long as a solver reads them.
//!
//! What the placements of one slice lead to lies in few slices of each other table: a capture of a mobile
//! man leaves the pawns where they stand, and of a promotion it is known where the new man stands. So a
//! table is read *piece* by piece, where a piece is one slice with one side to move, or the part of it in
//! which one man stands on given squares. A piece comes from the [`SliceSource`] when it is first asked for,
//! and stays until the [`SliceCache`] forgets what has not been used in an era.
//!
//! A table without pawns is one slice. Where that is too large, too, it is read block by block, and the few
//! blocks that were read last are kept ([`SliceCache::by_blocks`]).

use crate::mapping::Reading;
use crate::spare::give_back;
use crate::table::codes_of_scope;
use crate::{Code, Codes, CodesRef, Mapping, Table};
use geometry::{MAX_SQUARES, Square, SquareSet, Symmetry};
use index::{BlockId, Extent, Layout, Scope, SliceId};
use parking_lot::{Mutex, RwLock};
use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use variant::{Man, Side};

/// A table whose codes can be had slice by slice. Every code is exact, those of placements that are not
/// canonical too.
pub trait SliceSource: Send + Sync {
    /// The numbering of the placements.
    fn layout(&self) -> &Arc<Layout>;

    /// Whether this side to move can be had.
    fn keeps(&self, stm: Side) -> bool;

    /// The codes of a part of a slice. With `shares` the work may be shared among threads; without, the
    /// caller holds a lock, and the work must be done by this thread.
    ///
    /// # Errors
    /// They cannot be read.
    fn read(&self, stm: Side, slice: SliceId, part: SlicePart<'_>, shares: bool) -> io::Result<Codes>;
}

/// A part of a slice.
#[derive(Clone, Copy, Debug)]
pub enum SlicePart<'a> {
    /// All of it.
    Whole,
    /// What belongs to a scope.
    Scope(&'a Scope),
    /// A block, of a table without pawns.
    Block(BlockId),
}

/// A table in memory.
impl SliceSource for Table {
    fn layout(&self) -> &Arc<Layout> {
        Table::layout(self)
    }

    fn keeps(&self, stm: Side) -> bool {
        self.codes(stm).is_some()
    }

    fn read(&self, stm: Side, slice: SliceId, part: SlicePart<'_>, _: bool) -> io::Result<Codes> {
        let layout = Table::layout(self);
        let missing = || io::Error::other(format!("{} has not {stm} to move", layout.name()));
        let codes = self.codes(stm).ok_or_else(missing)?;
        Ok(part_of(layout, codes.as_ref().range(slice.span(layout.slice_len())), part))
    }
}

/// Those of the codes of a slice that are a part of it; of a scope also those of some of its blocks.
#[must_use]
pub fn part_of(layout: &Layout, codes: CodesRef<'_>, part: SlicePart<'_>) -> Codes {
    let scope = match part {
        SlicePart::Whole => return codes.into(),
        SlicePart::Block(block) => return codes.range(block.span(layout.block_len())).into(),
        SlicePart::Scope(scope) => scope,
    };
    codes_of_scope(layout, scope, codes, scope.n_codes_of(layout, codes.len()))
}

/// The pieces of a table that are in memory.
pub struct SliceCache<'s> {
    source: Arc<dyn SliceSource + 's>,
    /// With when each was last asked for.
    pieces: RwLock<HashMap<PieceKey, (Arc<Codes>, AtomicU64)>>,
    /// Where the table is read block by block: how many blocks stay in memory, and how the codes of one are
    /// numbered.
    blocks: Option<(usize, Extent)>,
    /// Locked while a piece that is no block is read, so that it is read once.
    reading: Mutex<()>,
    failure: Mutex<Option<io::Error>>,
    /// The era, counted up whenever what is read changes; or the time, counted up by each block.
    now: AtomicU64,
}

/// A part of a slice of a table with a side to move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece<'a> {
    pub(crate) stm: Side,
    pub(crate) slice: SliceId,
    pub(crate) part: SlicePart<'a>,
    /// How its codes are numbered.
    pub(crate) extent: &'a Extent,
}

/// The side to move, the slice, the block if it is one, and the man and his squares if it is a scope.
type PieceKey = (Side, SliceId, Option<BlockId>, Option<(usize, u128)>);

impl Piece<'_> {
    fn key(&self) -> PieceKey {
        match self.part {
            SlicePart::Whole => (self.stm, self.slice, None, None),
            SlicePart::Block(block) => (self.stm, self.slice, Some(block), None),
            SlicePart::Scope(scope) => {
                (self.stm, self.slice, None, Some((scope.man(), scope.squares().bits())))
            }
        }
    }
}

impl std::fmt::Debug for SliceCache<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("SliceCache").field(&self.layout().name()).finish()
    }
}

impl<'s> SliceCache<'s> {
    /// Nothing is in memory yet.
    #[must_use]
    pub fn new(source: Arc<dyn SliceSource + 's>) -> Self {
        SliceCache {
            source,
            pieces: RwLock::default(),
            blocks: None,
            reading: Mutex::default(),
            failure: Mutex::default(),
            now: AtomicU64::new(0),
        }
    }

    /// A cache of a table without pawns that is read block by block: the `most` blocks that were asked for
    /// last stay in memory, at least one.
    ///
    /// What a block of one table leads to lies in one block of each table below, if the frame men are those
    /// that are still there. So each thread needs one block at a time, and those before it may go.
    ///
    /// # Panics
    /// If the table has pawns.
    #[must_use]
    pub fn by_blocks(source: Arc<dyn SliceSource + 's>, most: usize) -> Self {
        let mut cache = SliceCache::new(source);
        assert!(cache.layout().pawns().is_empty(), "{} has pawns", cache.layout().name());
        cache.blocks = Some((most.max(1), Extent::of_block(cache.layout())));
        cache
    }

    /// The numbering of the placements.
    #[must_use]
    pub fn layout(&self) -> &Layout {
        self.source.layout()
    }

    /// How the codes of a block are numbered, where the table is read block by block.
    pub(crate) fn block_extent(&self) -> Option<&Extent> {
        self.blocks.as_ref().map(|(_, extent)| extent)
    }

    /// A new era begins, in which no piece has been asked for yet.
    pub fn begin_era(&self) {
        self.now.fetch_add(1, Ordering::Relaxed);
    }

    /// Forgets the pieces that were not asked for in this era, and single blocks.
    pub fn forget_unused(&self) {
        let now = self.now.load(Ordering::Relaxed);
        self.forget(|(_, _, block, _), used| block.is_some() || used != now);
    }

    /// Forgets some pieces.
    fn forget(&self, is_gone: impl Fn(&PieceKey, u64) -> bool) {
        let mut pieces = self.pieces.write();
        for (_, (codes, _)) in pieces.extract_if(|key, (_, used)| is_gone(key, *used.get_mut())) {
            if let Some(codes) = Arc::into_inner(codes) {
                codes.either(give_back, drop);
            }
        }
    }

    /// Why a piece could not be read, if one could not: until then it was taken for illegal placements, and
    /// what was made of it is of no use.
    #[must_use]
    pub fn take_failure(&self) -> Option<io::Error> {
        self.failure.lock().take()
    }

    /// Keeps the codes of a whole slice as if they had been asked for.
    pub fn keep(&self, stm: Side, slice: SliceId, codes: Codes) {
        let used = AtomicU64::new(self.now.load(Ordering::Relaxed));
        self.pieces.write().insert((stm, slice, None, None), (Arc::new(codes), used));
    }

    /// How many bytes of codes are in memory.
    #[must_use]
    pub fn size_bytes(&self) -> usize {
        self.pieces.read().values().map(|(codes, _)| codes.size_bytes()).sum()
    }

    /// A piece that is in memory.
    fn found(&self, key: &PieceKey) -> Option<Arc<Codes>> {
        let now = match key.2 {
            Some(_) => self.now.fetch_add(1, Ordering::Relaxed) + 1,
            None => self.now.load(Ordering::Relaxed),
        };
        let pieces = self.pieces.read();
        let (codes, used) = pieces.get(key)?;
        used.store(now, Ordering::Relaxed);
        Some(codes.clone())
    }

    /// The codes of a piece, which is read if it is not in memory. Two threads may read the same block, and
    /// one of both is kept.
    pub(crate) fn codes(&self, piece: &Piece<'_>) -> Arc<Codes> {
        let key = piece.key();
        self.found(&key).unwrap_or_else(|| {
            let _reading = key.2.is_none().then(|| self.reading.lock());
            self.found(&key).unwrap_or_else(|| self.read(key, piece, false))
        })
    }

    /// Asks for a piece. If it is not in memory and `reads`, all threads read it, and no thread may be
    /// reading the table meanwhile.
    pub(crate) fn prepare(&self, piece: &Piece<'_>, reads: bool) {
        let key = piece.key();
        if self.found(&key).is_none() && reads {
            self.read(key, piece, true);
        }
    }

    fn read(&self, key: PieceKey, piece: &Piece<'_>, shares: bool) -> Arc<Codes> {
        let Piece { stm, slice, part, extent } = *piece;
        let codes = self.source.read(stm, slice, part, shares).and_then(|codes| {
            let is_whole = codes.len() == extent.len();
            let wrong = || io::Error::other(format!("a slice of {} is incomplete", self.layout().name()));
            if is_whole { Ok(codes) } else { Err(wrong()) }
        });
        let codes = Arc::new(codes.unwrap_or_else(|error| {
            self.failure.lock().get_or_insert(error);
            u8::owned(vec![0; extent.len()])
        }));
        let mut pieces = self.pieces.write();
        if let (Some((most, _)), Some(_)) = (&self.blocks, key.2) {
            let blocks = || pieces.iter().filter(|((_, _, block, _), _)| block.is_some());
            let oldest = blocks().min_by_key(|(_, (_, used))| used.load(Ordering::Relaxed));
            let oldest = oldest.map(|(key, _)| *key).filter(|_| blocks().count() >= *most);
            oldest.into_iter().for_each(|oldest| drop(pieces.remove(&oldest)));
        }
        let used = AtomicU64::new(self.now.load(Ordering::Relaxed));
        pieces.insert(key, (codes.clone(), used));
        codes
    }
}

impl Drop for SliceCache<'_> {
    fn drop(&mut self) {
        self.forget(|_, _| true);
    }
}

/// How an asker's men read a table slice by slice.
///
/// Of a man who has just been promoted nothing is read of each slice but where he stands on one square, or on
/// its images.
#[derive(Debug)]
pub(crate) struct SliceReader<'a> {
    pub(crate) cache: &'a SliceCache<'a>,
    pub(crate) mapping: Mapping,
    /// The place of the promoted man among the asker's men; any if there is none.
    promoted: usize,
    parts: SquareParts,
}

/// By square, in the asker's terms as in the table's: the number of the part of each slice that belongs to
/// it; and the parts.
type SquareParts = ([u8; MAX_SQUARES], Vec<(Option<Scope>, Extent)>);

impl<'a> SliceReader<'a> {
    /// A reader for these men, of whom the one at place `promoted`, if any, stands on a known square
    /// whenever something is asked; none if the men are not the table's material in either colours.
    pub(crate) fn new(cache: &'a SliceCache<'a>, men: &[Man], promoted: Option<usize>) -> Option<Self> {
        let layout = cache.layout();
        let keeps = Side::BOTH.map(|stm| cache.source.keeps(stm));
        let plain = Mapping::new(layout, keeps, men)?;
        let scoped = promoted.and_then(|place| {
            // Just after a promotion the other side is to move.
            let stm = !men[place].side;
            // Of like men any will do, because a table has all of their orders.
            let is_like = |own: &usize| {
                let (man, own) = (men[place], layout.men()[*own]);
                own == man || (layout.is_colour_symmetric() && own == Man { side: !man.side, ..man })
            };
            let pinned = |own: usize| {
                let mapping = Mapping::pinned(
                    layout,
                    keeps,
                    men,
                    layout.material().given_checks(),
                    Some((own, place)),
                )?;
                // A structure's table has the slices that are asked for, and not those with the colours
                // exchanged.
                let is_as_plain = mapping.has(stm)
                    && mapping.reading(layout, stm).to_table == plain.reading(layout, stm).to_table;
                let parts = is_as_plain.then(|| parts_by_square(layout, own))??;
                Some(SliceReader { cache, mapping, promoted: place, parts })
            };
            (0..men.len()).filter(is_like).find_map(pinned)
        });
        Some(scoped.unwrap_or_else(|| {
            let parts = ([0; MAX_SQUARES], vec![(None, Extent::of_slice(layout, None))]);
            SliceReader { cache, mapping: plain, promoted: 0, parts }
        }))
    }

    /// The piece that holds a placement with the table's men on the squares `own`, once a symmetry is applied
    /// to these, and the asker's on `squares`; none if the men cannot stand so. Where the table is read block
    /// by block and `varying` are free men, that is a block, and their squares do not matter.
    #[inline]
    pub(crate) fn piece(
        &self,
        reading: &Reading<'_>,
        (to_table, own): (Symmetry, &[Square]),
        squares: &[Square],
        varying: impl IntoIterator<Item = usize>,
    ) -> Option<Piece<'_>> {
        let (layout, stm) = (self.cache.layout(), reading.stm);
        let is_free = |man: usize| layout.free().contains(&man);
        if let Some(extent) = self.cache.block_extent()
            && varying.into_iter().all(is_free)
        {
            let block = layout.block_number(to_table, own)?;
            return Some(Piece { stm, slice: SliceId::FIRST, part: SlicePart::Block(block), extent });
        }
        let (numbers, parts) = &self.parts;
        let square = layout.permutation(reading.to_table)[squares[self.promoted].index()];
        let (scope, extent) = &parts[numbers[square as usize] as usize];
        let slice = layout.slice_number(to_table, own)?;
        Some(Piece { stm, slice, part: scope.as_ref().map_or(SlicePart::Whole, SlicePart::Scope), extent })
    }
}

/// The parts of a slice by the squares of a man of the layout; none if he is no free one, so that there are
/// none.
fn parts_by_square(layout: &Layout, own: usize) -> Option<SquareParts> {
    const NOT_YET: u8 = u8::MAX;
    let (mut numbers, mut parts) = ([NOT_YET; MAX_SQUARES], Vec::new());
    for square in layout.board().squares() {
        if numbers[square.index()] == NOT_YET {
            let scope = Scope::new(layout, own, SquareSet::from_iter([square]))?;
            scope.squares().iter().for_each(|image| numbers[image.index()] = parts.len() as u8);
            let extent = Extent::of_slice(layout, Some(&scope));
            parts.push((Some(scope), extent));
        }
    }
    Some((numbers, parts))
}

#[cfg(test)]
mod tests {
    use super::Piece;
    use crate::{Code, Codes, SliceCache, SlicePart, SliceSource};
    use index::{BlockId, Extent, Layout, SliceId};
    use parking_lot::Mutex;
    use std::io;
    use std::sync::Arc;
    use variant::{Material, Side, Variant};

    /// Blocks with their number everywhere; notes which were read.
    struct Noted(Arc<Layout>, Mutex<Vec<usize>>);

    impl SliceSource for Noted {
        fn layout(&self) -> &Arc<Layout> {
            &self.0
        }

        fn keeps(&self, _: Side) -> bool {
            true
        }

        fn read(&self, _: Side, _: SliceId, part: SlicePart<'_>, _: bool) -> io::Result<Codes> {
            let SlicePart::Block(block) = part else { return Err(io::ErrorKind::Unsupported.into()) };
            self.1.lock().push(block.index());
            Ok(u8::owned(vec![block.index() as u8; self.0.block_len()]))
        }
    }

    #[test]
    fn what_was_not_asked_for_longest_goes() {
        let variant = Variant::chess();
        let material = Material::parse(&variant, "KQvK").expect("a material of chess");
        let layout = Arc::new(Layout::new(&variant, &material));
        let source = Arc::new(Noted(layout.clone(), Mutex::default()));
        let cache = SliceCache::by_blocks(source.clone(), 2);
        let extent = cache.block_extent().expect("it is read block by block");
        for block in [1, 2, 1, 3, 1, 2, 2, 1] {
            let part = SlicePart::Block(BlockId::from_index(block));
            let codes = cache.codes(&Piece { stm: Side::White, slice: SliceId::FIRST, part, extent });
            assert_eq!(*codes, u8::owned(vec![block as u8; layout.block_len()]));
        }
        assert_eq!(*source.1.lock(), [1, 2, 3, 2]);
        assert_eq!(cache.size_bytes(), 2 * layout.block_len());
        cache.forget_unused();
        assert_eq!(cache.size_bytes(), 0);
    }

    #[test]
    fn a_slice_that_is_kept_is_not_read() {
        let variant = Variant::chess();
        let material = Material::parse(&variant, "KQvK").expect("a material of chess");
        let layout = Arc::new(Layout::new(&variant, &material));
        // This source has no whole slices.
        let cache = SliceCache::new(Arc::new(Noted(layout.clone(), Mutex::default())));
        let extent = &Extent::of_slice(&layout, None);
        let (stm, slice) = (Side::Black, SliceId::FIRST);
        let piece = Piece { stm, slice, part: SlicePart::Whole, extent };
        let codes = u8::owned(vec![5; layout.slice_len()]);
        cache.keep(stm, slice, codes.clone());
        cache.forget_unused();
        cache.begin_era();
        assert_eq!((&*cache.codes(&piece), cache.take_failure().is_none()), (&codes, true));
        cache.begin_era();
        cache.forget_unused();
        cache.codes(&piece);
        assert!(cache.take_failure().is_some());
    }
}
