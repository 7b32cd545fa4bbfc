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

impl<'a> SlicePart<'a> {
    /// The part that belongs to a scope, or all if there is none.
    fn new(scope: Option<&'a Scope>) -> Self {
        scope.map_or(SlicePart::Whole, SlicePart::Scope)
    }
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

/// Those of the codes of a slice that are a part of it.
#[must_use]
pub fn part_of(layout: &Layout, codes: CodesRef<'_>, part: SlicePart<'_>) -> Codes {
    let scope = match part {
        SlicePart::Whole => return codes.into(),
        SlicePart::Block(block) => return codes.range(block.span(layout.block_len())).into(),
        SlicePart::Scope(scope) => scope,
    };
    codes_of_scope(layout, scope, codes, scope.n_codes(layout) / layout.n_slices())
}

/// The pieces of a table that are in memory.
pub struct SliceCache<'s> {
    source: Arc<dyn SliceSource + 's>,
    pieces: RwLock<HashMap<PieceKey, Piece>>,
    /// Where it is read block by block.
    blocks: Option<RecentBlocks>,
    /// Locked while a piece is read, so that it is read once.
    reading: Mutex<()>,
    failure: Mutex<Option<io::Error>>,
    /// Counted up whenever what is read changes.
    era: AtomicU64,
}

/// The side to move, the slice, and the man and his squares where it is a part.
type PieceKey = (Side, SliceId, Option<(usize, u128)>);

#[derive(Debug)]
struct Piece {
    codes: Arc<Codes>,
    /// The era in which it was last asked for.
    used: AtomicU64,
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
            era: AtomicU64::new(0),
        }
    }

    /// A cache of a table without pawns that is read block by block: `most` blocks stay in memory.
    ///
    /// # Panics
    /// If the table has pawns.
    #[must_use]
    pub fn by_blocks(source: Arc<dyn SliceSource + 's>, most: usize) -> Self {
        let cache = SliceCache::new(source);
        assert!(cache.layout().pawns().is_empty(), "{} has pawns", cache.layout().name());
        let blocks = RecentBlocks::new(cache.layout(), most);
        SliceCache { blocks: Some(blocks), ..cache }
    }

    /// The numbering of the placements.
    #[must_use]
    pub fn layout(&self) -> &Layout {
        self.source.layout()
    }

    /// A new era begins, in which no piece has been asked for yet.
    pub fn begin_era(&self) {
        self.era.fetch_add(1, Ordering::Relaxed);
    }

    /// Forgets the pieces that were not asked for in this era, and single blocks.
    pub fn forget_unused(&self) {
        self.blocks.iter().for_each(RecentBlocks::clear);
        let era = self.era.load(Ordering::Relaxed);
        let mut pieces = self.pieces.write();
        pieces.retain(|_, piece| *piece.used.get_mut() == era);
    }

    /// Why a piece could not be read, if one could not: until then it was taken for illegal placements, and
    /// what was made of it is of no use.
    #[must_use]
    pub fn take_failure(&self) -> Option<io::Error> {
        self.failure.lock().take()
    }

    /// How many bytes of codes are in memory.
    #[must_use]
    pub fn size_bytes(&self) -> usize {
        let pieces = self.pieces.read();
        let of_pieces: usize = pieces.values().map(|piece| piece.codes.size_bytes()).sum();
        of_pieces + self.blocks.as_ref().map_or(0, RecentBlocks::size_bytes)
    }

    /// A piece that is in memory.
    fn found(&self, key: &PieceKey) -> Option<Arc<Codes>> {
        let pieces = self.pieces.read();
        let piece = pieces.get(key)?;
        piece.used.store(self.era.load(Ordering::Relaxed), Ordering::Relaxed);
        Some(piece.codes.clone())
    }

    /// A piece, which is read if it is not in memory.
    pub(crate) fn piece(&self, stm: Side, slice: SliceId, part: &ScopedSlice<'_>) -> Arc<Codes> {
        let key = part.key(stm, slice);
        self.found(&key).unwrap_or_else(|| {
            let _reading = self.reading.lock();
            self.found(&key).unwrap_or_else(|| self.read(key, part, false))
        })
    }

    /// Asks for a piece if it is in memory.
    pub(crate) fn keep(&self, stm: Side, slice: SliceId, part: &ScopedSlice<'_>) {
        drop(self.found(&part.key(stm, slice)));
    }

    /// Reads a piece that is not in memory, by all threads. No thread may be reading the table meanwhile.
    pub(crate) fn prepare(&self, stm: Side, slice: SliceId, part: &ScopedSlice<'_>) {
        let key = part.key(stm, slice);
        if self.found(&key).is_none() {
            self.read(key, part, true);
        }
    }

    fn read(&self, key: PieceKey, part: &ScopedSlice<'_>, shares: bool) -> Arc<Codes> {
        let (stm, slice, _) = key;
        let codes = Arc::new(self.read_part((stm, slice), SlicePart::new(part.scope), part.extent, shares));
        let piece = Piece { codes: codes.clone(), used: AtomicU64::new(self.era.load(Ordering::Relaxed)) };
        self.pieces.write().insert(key, piece);
        codes
    }

    /// Reads a part that has as many codes as this extent.
    fn read_part(
        &self,
        (stm, slice): (Side, SliceId),
        part: SlicePart<'_>,
        extent: &Extent,
        shares: bool,
    ) -> Codes {
        let codes = self.source.read(stm, slice, part, shares).and_then(|codes| {
            let is_whole = codes.len() == extent.len();
            let wrong = || io::Error::other(format!("a slice of {} is incomplete", self.layout().name()));
            if is_whole { Ok(codes) } else { Err(wrong()) }
        });
        codes.unwrap_or_else(|error| {
            self.failure.lock().get_or_insert(error);
            u8::owned(vec![0; extent.len()])
        })
    }
}

/// A whole slice, or what belongs to a scope.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScopedSlice<'a> {
    pub(crate) scope: Option<&'a Scope>,
    pub(crate) extent: &'a Extent,
}

impl ScopedSlice<'_> {
    fn key(&self, stm: Side, slice: SliceId) -> PieceKey {
        (stm, slice, self.scope.map(|scope| (scope.man(), scope.squares().bits())))
    }
}

/// How an asker's men read a table slice by slice.
#[derive(Debug)]
pub(crate) struct SliceReader<'a> {
    pub(crate) cache: &'a SliceCache<'a>,
    pub(crate) mapping: Mapping,
    whole: Extent,
    promoted: Option<Promoted>,
}

/// A man who has just been promoted: of each slice nothing is read but where he stands on one square, or on
/// its images.
#[derive(Debug)]
struct Promoted {
    /// His place among the asker's men.
    place: usize,
    /// By square, in the asker's terms as in the table's: the number of what belongs to it.
    numbers: [u8; MAX_SQUARES],
    parts: Vec<(Scope, Extent)>,
}

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
                let mapping = Mapping::pinned(layout, keeps, men, Some((own, place)))?;
                // A structure's table has the slices that are asked for, and not those with the colours
                // exchanged.
                let is_as_plain = mapping.has(stm)
                    && mapping.reading(layout, stm).to_table == plain.reading(layout, stm).to_table;
                let promoted = is_as_plain.then(|| Promoted::new(layout, own, place))??;
                Some((mapping, Some(promoted)))
            };
            (0..men.len()).filter(is_like).find_map(pinned)
        });
        let (mapping, promoted) = scoped.unwrap_or((plain, None));
        Some(SliceReader { cache, mapping, whole: Extent::of_slice(layout, None), promoted })
    }

    /// The block of a placement with the table's men on these squares, and its extent, where the table is
    /// read block by block and `varying` are free men, so that their squares do not matter. The codes are
    /// none if the frame men cannot stand so.
    #[inline]
    pub(crate) fn block(
        &self,
        stm: Side,
        (to_table, own): (Symmetry, &[Square]),
        varying: impl IntoIterator<Item = usize>,
    ) -> Option<(&Extent, Option<Arc<Codes>>)> {
        let recent = self.cache.blocks.as_ref()?;
        let extent = &recent.extent;
        let layout = self.cache.layout();
        if varying.into_iter().any(|man| !layout.free().contains(&man)) {
            return None;
        }
        let codes = layout.block_number(to_table, own).map(|block| {
            let read = || self.cache.read_part((stm, SliceId::FIRST), SlicePart::Block(block), extent, false);
            recent.block((stm, block), read)
        });
        Some((extent, codes))
    }

    /// The part of a slice that holds the placements with the asker's men on these squares, `permutation`
    /// being the way to the table's.
    #[inline]
    pub(crate) fn part(&self, squares: &[Square], permutation: &[u8; MAX_SQUARES]) -> ScopedSlice<'_> {
        match &self.promoted {
            None => ScopedSlice { scope: None, extent: &self.whole },
            Some(Promoted { place, numbers, parts }) => {
                let (scope, extent) = &parts[numbers[permutation[squares[*place].index()] as usize] as usize];
                ScopedSlice { scope: Some(scope), extent }
            }
        }
    }
}

impl Promoted {
    /// None if the man is no free one, so that there are no parts by his squares.
    fn new(layout: &Layout, own: usize, place: usize) -> Option<Self> {
        const NOT_YET: u8 = u8::MAX;
        let mut promoted = Promoted { place, numbers: [NOT_YET; MAX_SQUARES], parts: Vec::new() };
        for square in layout.board().squares() {
            if promoted.numbers[square.index()] == NOT_YET {
                let scope = Scope::new(layout, own, SquareSet::from_iter([square]))?;
                let number = promoted.parts.len() as u8;
                scope.squares().iter().for_each(|image| promoted.numbers[image.index()] = number);
                let extent = Extent::of_slice(layout, Some(&scope));
                promoted.parts.push((scope, extent));
            }
        }
        Some(promoted)
    }
}

/// A side to move and a block.
type BlockKey = (Side, BlockId);

/// Blocks, the one that was asked for last at the end.
type Blocks = Vec<(BlockKey, Arc<Codes>)>;

/// Some blocks in memory; when there is no room for another, that goes which was not asked for longest.
///
/// What a block of one table leads to lies in one block of each table below, if the frame men are those that
/// are still there. So each thread needs one block at a time, and those before it may go.
#[derive(Debug)]
pub(crate) struct RecentBlocks {
    /// How the codes of a block are numbered.
    pub(crate) extent: Extent,
    most: usize,
    blocks: Mutex<Blocks>,
}

impl RecentBlocks {
    /// Room for `most` blocks of a layout, at least one.
    pub(crate) fn new(layout: &Layout, most: usize) -> Self {
        RecentBlocks { extent: Extent::of_block(layout), most: most.max(1), blocks: Mutex::default() }
    }

    /// A block, which `read` reads if it is not here. Two threads may read the same one, and one of both is
    /// kept.
    pub(crate) fn block(&self, key: BlockKey, read: impl FnOnce() -> Codes) -> Arc<Codes> {
        if let Some(codes) = found(&mut self.blocks.lock(), key) {
            return codes;
        }
        let codes = Arc::new(read());
        let mut blocks = self.blocks.lock();
        // Another thread may have read it meanwhile.
        if let Some(codes) = found(&mut blocks, key) {
            return codes;
        }
        if blocks.len() >= self.most {
            blocks.remove(0);
        }
        blocks.push((key, codes.clone()));
        codes
    }

    /// Forgets all.
    fn clear(&self) {
        self.blocks.lock().clear();
    }

    /// How many bytes of codes are in memory.
    pub(crate) fn size_bytes(&self) -> usize {
        self.blocks.lock().iter().map(|(_, codes)| codes.size_bytes()).sum()
    }
}

/// A block, which is the last one asked for from then on.
fn found(blocks: &mut Blocks, key: BlockKey) -> Option<Arc<Codes>> {
    let place = blocks.iter().rposition(|(own, _)| *own == key)?;
    let block = blocks.remove(place);
    let codes = block.1.clone();
    blocks.push(block);
    Some(codes)
}

#[cfg(test)]
mod tests {
    use super::RecentBlocks;
    use crate::{Code, Codes};
    use index::{BlockId, Layout};
    use std::cell::RefCell;
    use variant::{Material, Side, Variant};

    #[test]
    fn what_was_not_asked_for_longest_goes() {
        let variant = Variant::chess();
        let material = Material::parse(&variant, "KQvK").expect("a material of chess");
        let recent = RecentBlocks::new(&Layout::new(&variant, &material), 2);
        let read = RefCell::new(Vec::new());
        let ask = |block: usize| {
            let codes = recent.block((Side::White, BlockId::from_index(block)), || {
                read.borrow_mut().push(block);
                u8::owned(vec![block as u8; 3])
            });
            assert_eq!(Codes::as_ref(&codes), u8::borrowed(&[block as u8; 3]));
        };
        for block in [1, 2, 1, 3, 1, 2, 2, 1] {
            ask(block);
        }
        assert_eq!(read.into_inner(), [1, 2, 3, 2]);
        assert_eq!(recent.size_bytes(), 6);
        recent.clear();
        assert_eq!(recent.size_bytes(), 0);
    }
}
