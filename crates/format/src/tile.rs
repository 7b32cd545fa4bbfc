//! Cuts the codes of a side into tiles, and orders the codes in each.

use crate::code::Payload;
use geometry::Board;
use index::{BlockId, Layout, SliceBlock};
use std::ops::Range;
#[cfg(feature = "parallel")]
use table::Code;

/// The codes that a tile should have, where that leaves axis 0 more than one value.
const TILE_CODES: usize = 1 << 16;

/// The most codes of a side that are one tile in files that hold no plies to mate.
pub(crate) const WHOLE_CODES: usize = 1 << 23;

/// The number of a tile.
///
/// A tile is the unit in which codes are put into the order of the file and back, and so what a writer or a
/// reader of whole tables holds of it at a time. Its axes are the squares of the innermost free men, three
/// at most, and outside of these axis 0: slice, frame and further free men together. A tile has as many
/// values of axis 0 as make 65,536 codes, at least one; the last tile may have fewer. In files of other
/// metrics than `dtm` a table that is not large is one tile.
///
/// Where a tile is the whole table, axis 0 may be *turned*: inside each slice its blocks stand by the square
/// of the second frame man first, and then of the first. With White to win it is Black's king whose square
/// matters, and White's that may as well stand next to where it stands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct TileId(usize);

impl TileId {
    /// The first, which may be the only one.
    #[cfg(feature = "parallel")]
    pub(crate) const FIRST: TileId = TileId(0);

    /// The one with this number.
    #[inline]
    pub(crate) fn from_index(index: usize) -> Self {
        TileId(index)
    }

    /// Its number.
    #[inline]
    pub(crate) fn index(self) -> usize {
        self.0
    }

    /// The numbers of this one alone.
    #[cfg(feature = "parallel")]
    pub(crate) fn alone(self) -> Range<usize> {
        self.0..self.0 + 1
    }
}

/// The tiles of a layout, with the codes of one side in a certain order.
#[derive(Clone, Debug)]
pub(crate) struct Tiling {
    order: Order,
    is_natural: bool,
    n_codes: usize,
    tile_codes: usize,
    /// For each axis how far apart its values are in the numbering.
    strides: [usize; MAX_AXES],
    n_squares: usize,
    files: usize,
    /// The squares with the dark ones first.
    dark_first: Vec<u8>,
    /// The place of each square among these.
    place_of: Vec<u8>,
    /// Where axis 0 is turned: the value at each place, and the place of each value.
    turned: Option<[Vec<u32>; 2]>,
}

impl Tiling {
    /// The tiles of a layout, of this many codes each; none if the order is for other axes, or turns what
    /// cannot be turned.
    pub(crate) fn new(layout: &Layout, order: Order, tile_codes: usize) -> Option<Tiling> {
        let n = layout.n_squares();
        let n_free = n_axes(layout) - 1;
        if order.axes().len() != n_free + 1 || order.is_turned() && !can_turn(layout, tile_codes) {
            return None;
        }
        let mut strides = [0; MAX_AXES];
        for (axis, stride) in strides[..=n_free].iter_mut().enumerate() {
            *stride = n.pow((n_free - axis) as u32);
        }
        let dark_first = dark_first(layout.board());
        let mut place_of = vec![0; n];
        dark_first.iter().zip(0..).for_each(|(&square, place)| place_of[square as usize] = place);
        Some(Tiling {
            order,
            is_natural: order.is_natural(),
            n_codes: layout.len(),
            tile_codes,
            strides,
            n_squares: n,
            files: layout.board().files(),
            dark_first,
            place_of,
            turned: order.is_turned().then(|| turned(layout)),
        })
    }

    /// Codes of a tile; the last may have fewer.
    #[cfg(feature = "parallel")]
    pub(crate) fn tile_codes(&self) -> usize {
        self.tile_codes
    }

    /// How many tiles there are.
    #[cfg(feature = "parallel")]
    pub(crate) fn len(&self) -> usize {
        self.n_codes.div_ceil(self.tile_codes)
    }

    /// The tile of a placement.
    #[cfg(feature = "parallel")]
    pub(crate) fn tile_of(&self, index: usize) -> TileId {
        TileId(index / self.tile_codes)
    }

    /// The numbers of the placements of a tile.
    pub(crate) fn range(&self, tile: TileId) -> Range<usize> {
        let start = tile.0 * self.tile_codes;
        start..self.n_codes.min(start + self.tile_codes)
    }

    /// The tile of a placement and its place there.
    pub(crate) fn place(&self, index: usize) -> (TileId, usize) {
        let (tile, mut rest) = (TileId(index / self.tile_codes), index % self.tile_codes);
        if self.is_natural {
            return (tile, rest);
        }
        let n_axis_0 = self.range(tile).len() / self.strides[0];
        let mut squares = [0; MAX_AXES];
        for (axis, square) in squares[..self.order.axes().len()].iter_mut().enumerate() {
            (*square, rest) = (rest / self.strides[axis], rest % self.strides[axis]);
        }
        let place = self.order.axes().iter().fold(0, |place, &axis| {
            place * self.n_values(axis, n_axis_0) + self.place_on(axis, squares[axis as usize])
        });
        (tile, place)
    }

    /// The number of the placement at a place of a tile.
    pub(crate) fn number(&self, tile: TileId, place: usize) -> usize {
        let start = tile.0 * self.tile_codes;
        if self.is_natural {
            return start + place;
        }
        let n_axis_0 = self.range(tile).len() / self.strides[0];
        let (mut rest, mut number) = (place, start);
        for &axis in self.order.axes().iter().rev() {
            let n_values = self.n_values(axis, n_axis_0);
            number += self.value_on(axis, rest % n_values) * self.strides[axis as usize];
            rest /= n_values;
        }
        number
    }

    /// The way from a tile's numbers to its places in the file; none if these are the same.
    #[cfg(feature = "parallel")]
    pub(crate) fn to_file(&self, tile: TileId) -> Option<Walk> {
        let n_axis_0 = self.n_axis_0(tile)?;
        Some(Walk::new(self.order.axes().iter().map(|&axis| {
            let stride = self.strides[axis as usize];
            let step = |place: usize| (self.value_on(axis, place) * stride) as u32;
            (0..self.n_values(axis, n_axis_0)).map(step).collect()
        })))
    }

    /// The way back: from a tile's places in the file to its numbers.
    #[cfg(feature = "parallel")]
    pub(crate) fn to_numbers(&self, tile: TileId) -> Option<Walk> {
        let n_axis_0 = self.n_axis_0(tile)?;
        let mut strides = [0; MAX_AXES];
        self.order.axes().iter().rev().fold(1, |stride, &axis| {
            strides[axis as usize] = stride;
            stride * self.n_values(axis, n_axis_0)
        });
        Some(Walk::new((0..self.order.axes().len() as u8).map(|axis| {
            let stride = strides[axis as usize];
            let step = |value: usize| (self.place_on(axis, value) * stride) as u32;
            (0..self.n_values(axis, n_axis_0)).map(step).collect()
        })))
    }

    /// How many codes a value of axis 0 has.
    #[cfg(feature = "parallel")]
    pub(crate) fn axis_0_stride(&self) -> usize {
        self.strides[0]
    }

    /// The value at a place of axis 0.
    #[cfg(feature = "parallel")]
    pub(crate) fn axis_0_value(&self, place: usize) -> usize {
        self.value_on(0, place)
    }

    /// The way from this many values of axis 0, which are numbered as they stand in the file, to their
    /// places in a file of them alone.
    #[cfg(feature = "parallel")]
    pub(crate) fn walk_of_values(&self, n_values: usize) -> Walk {
        Walk::new(self.order.axes().iter().map(|&axis| {
            let stride = self.strides[axis as usize];
            let value = |place: usize| if axis == 0 { place } else { self.value_on(axis, place) };
            (0..self.n_values(axis, n_values)).map(|place| (value(place) * stride) as u32).collect()
        }))
    }

    /// How the codes of a tile stand to each other.
    pub(crate) fn grid(&self, tile: TileId) -> Grid {
        let n_axis_0 = self.range(tile).len() / self.strides[0];
        let mut grid = Grid { sizes: [1; 3], are_squares: [false; 3], files: self.files };
        for (level, &axis) in self.order.axes().iter().rev().take(3).enumerate() {
            grid.sizes[level] = self.n_values(axis, n_axis_0);
            grid.are_squares[level] = axis > 0;
        }
        grid
    }

    /// The man of this layout whose squares are the innermost level, if one's are.
    pub(crate) fn inner_man(&self, layout: &Layout) -> Option<usize> {
        let n_free = self.order.axes().len() - 1;
        let axis = usize::from(*self.order.axes().last()?);
        (axis > 0).then(|| layout.free()[layout.free().len() - n_free + axis - 1])
    }

    /// The place in a tile at which that man's row begins, all of his squares one after the other.
    pub(crate) fn inner_row(&self, place: usize) -> usize {
        place - place % self.n_squares
    }

    /// The square of that man this many places into a row.
    #[inline]
    pub(crate) fn inner_square(&self, in_row: usize) -> u8 {
        let axis = *self.order.axes().last().expect("an order has axes");
        self.value_on(axis, in_row) as u8
    }

    /// The place of a value on its axis.
    fn place_on(&self, axis: u8, value: usize) -> usize {
        match &self.turned {
            Some([_, places]) if axis == 0 => places[value] as usize,
            _ if self.order.is_apart(axis) => self.place_of[value] as usize,
            _ => value,
        }
    }

    /// The value at a place of an axis.
    fn value_on(&self, axis: u8, place: usize) -> usize {
        match &self.turned {
            Some([values, _]) if axis == 0 => values[place] as usize,
            _ if self.order.is_apart(axis) => self.dark_first[place] as usize,
            _ => place,
        }
    }

    /// How many values axis 0 has in a tile; none if all places are numbered as they stand.
    #[cfg(feature = "parallel")]
    fn n_axis_0(&self, tile: TileId) -> Option<usize> {
        (!self.is_natural).then(|| self.range(tile).len() / self.strides[0])
    }

    /// How many codes the innermost axis has in a tile with this many values of axis 0; those of a whole
    /// tile, if they are not given.
    #[cfg(feature = "parallel")]
    pub(crate) fn row_codes(&self, n_axis_0: Option<usize>) -> usize {
        let last = *self.order.axes().last().expect("an order has axes");
        self.n_values(last, n_axis_0.unwrap_or(self.tile_codes / self.strides[0]))
    }

    /// How many values an axis has in a tile with this many of axis 0.
    fn n_values(&self, axis: u8, n_axis_0: usize) -> usize {
        if axis == 0 { n_axis_0 } else { self.n_squares }
    }
}

/// How many axes the tiles of a layout have.
pub(crate) fn n_axes(layout: &Layout) -> usize {
    1 + layout.free().len().min(MAX_AXES - 1)
}

/// Codes of a tile of a layout.
pub(crate) fn tile_codes(layout: &Layout) -> usize {
    let inner = layout.n_squares().pow(n_axes(layout) as u32 - 1);
    inner * (TILE_CODES / inner).max(1)
}

/// Codes of a tile of a layout in files of this payload.
pub(crate) fn tile_codes_of(payload: Payload, layout: &Layout) -> usize {
    let is_whole = payload != Payload::Values && layout.len() <= WHOLE_CODES;
    if is_whole { layout.len() } else { tile_codes(layout) }
}

/// Whether axis 0 can be turned in tiles of this many codes: one is the whole table, there are two frame
/// men, and no free man's squares are on axis 0.
pub(crate) fn can_turn(layout: &Layout, tile_codes: usize) -> bool {
    tile_codes == layout.len() && layout.frame().len() == 2 && layout.free().len() < MAX_AXES
}

/// The values of axis 0 in the order in which they stand with the frame men exchanged, and the place of each.
fn turned(layout: &Layout) -> [Vec<u32>; 2] {
    let mut blocks: Vec<BlockId> = layout.blocks().collect();
    blocks.sort_by_key(|&block| {
        let [first, second] = layout.frame_squares(block);
        (second, first)
    });
    let of_slice = |slice| blocks.iter().map(move |&block| layout.unit(SliceBlock { slice, block }) as u32);
    let values: Vec<u32> = layout.slices().flat_map(of_slice).collect();
    let mut places = vec![0; values.len()];
    values.iter().zip(0..).for_each(|(&value, place)| places[value as usize] = place);
    [values, places]
}

/// The squares of the colour of a1, then the others, each in order.
fn dark_first(board: &Board) -> Vec<u8> {
    let colour = |square: usize| (square / board.files() + square % board.files()) % 2;
    let mut squares: Vec<u8> = (0..board.n_squares() as u8).collect();
    squares.sort_by_key(|&square| (colour(square as usize), square));
    squares
}

/// The three innermost levels of a tile, the innermost first; one that there is not has one value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Grid {
    /// How many values each level has.
    pub(crate) sizes: [usize; 3],
    /// Whether they are squares.
    pub(crate) are_squares: [bool; 3],
    /// Squares in a rank.
    pub(crate) files: usize,
}

impl Grid {
    /// How many places lie between neighbours on a level.
    pub(crate) fn stride(&self, level: usize) -> usize {
        self.sizes[..level].iter().product()
    }

    /// The value that a place has on a level.
    pub(crate) fn value(&self, level: usize, place: usize) -> usize {
        place / self.stride(level) % self.sizes[level]
    }
}

/// The most axes of a tile.
pub(crate) const MAX_AXES: usize = 4;

/// How one side's codes stand in each tile.
///
/// A compressor finds what repeats near by, so that neighbours in the file should be placements of like
/// value. Which neighbours are alike depends on the table: with White to move it is mostly the squares of
/// White's own men that matter little, and a bishop's neighbours are the squares of its own colour. So the
/// numbering is cut into *tiles*, and in each tile the axes may stand in any order, and the squares of an
/// axis with the dark ones first.
///
/// ```text
///   number of a placement:   outer × n × n × n  +  man 1 × n × n  +  man 2 × n  +  man 3
///                            axis 0                 axis 1            axis 2       axis 3
///   in the file, order 0 3 1 2:                      outermost 0, then 3, then 1, and 2 goes fastest
/// ```
///
/// [`Tiling`] says which axes there are, and how many values each has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Order {
    axes: [u8; MAX_AXES],
    n_axes: usize,
    /// Bit `a`: the squares of axis `a` stand with their colours apart; bit 0: the frame men are exchanged.
    apart: u8,
}

impl Order {
    /// What an unused entry holds where an order is written down.
    const NO_AXIS: u16 = 8;

    /// These axes, the outermost first.
    ///
    /// # Panics
    /// With more axes than there can be.
    pub(crate) fn new(order: &[u8], apart: u8) -> Self {
        let mut axes = [0; MAX_AXES];
        axes[..order.len()].copy_from_slice(order);
        Order { axes, n_axes: order.len(), apart }
    }

    /// The axes, the outermost first.
    pub(crate) fn axes(&self) -> &[u8] {
        &self.axes[..self.n_axes]
    }

    /// Whether the squares of an axis stand with their colours apart.
    pub(crate) fn is_apart(&self, axis: u8) -> bool {
        self.apart >> axis & 1 == 1
    }

    /// Whether the values of axis 0 stand with the frame men exchanged.
    pub(crate) fn is_turned(&self) -> bool {
        self.is_apart(0)
    }

    /// Whether the codes stand as they are numbered.
    pub(crate) fn is_natural(&self) -> bool {
        self.apart == 0 && self.axes().iter().enumerate().all(|(level, &axis)| level == axis as usize)
    }

    /// Four bits for each level, the outermost lowest: the axis, plus 4 if its colours are apart or, of axis
    /// 0, the frame men exchanged; 8 for none.
    pub(crate) fn encode(&self) -> u16 {
        (0..MAX_AXES).fold(0, |bits, level| {
            let entry = match self.axes().get(level) {
                Some(&axis) => u16::from(axis) | u16::from(self.is_apart(axis)) << 2,
                None => Self::NO_AXIS,
            };
            bits | entry << (4 * level)
        })
    }

    /// The order written down so; none if it is no order. Only some tiles can be turned.
    pub(crate) fn decode(bits: u16, may_turn: bool) -> Option<Order> {
        let entries: [u16; MAX_AXES] = std::array::from_fn(|level| bits >> (4 * level) & 15);
        let n_axes = entries.iter().take_while(|&&entry| entry < Self::NO_AXIS).count();
        let mut order = Order { axes: [0; MAX_AXES], n_axes, apart: 0 };
        for (level, &entry) in entries[..n_axes].iter().enumerate() {
            order.axes[level] = entry as u8 & 3;
            order.apart |= (entry as u8 >> 2) << order.axes[level];
        }
        let has_all = (0..n_axes as u8).all(|axis| order.axes().contains(&axis));
        let is_turn_right = may_turn || !order.is_turned();
        let is_order = n_axes > 0 && has_all && is_turn_right && order.encode() == bits;
        is_order.then_some(order)
    }

    /// All orders of these many axes, the natural one first.
    pub(crate) fn all(n_axes: usize, apart: u8) -> Vec<Order> {
        let mut all = vec![vec![]];
        for _ in 0..n_axes {
            let longer = |order: &Vec<u8>| {
                let rest = (0..n_axes as u8).filter(|axis| !order.contains(axis)).collect::<Vec<_>>();
                rest.into_iter().map(|axis| [order.as_slice(), &[axis]].concat()).collect::<Vec<_>>()
            };
            all = all.iter().flat_map(longer).collect();
        }
        all.iter().map(|axes| Order::new(axes, apart)).collect()
    }
}

/// A way through the codes of a tile: where in one order stands what comes next in the other.
///
/// Both ways gather: to read at a distance is several times as fast as to write at one.
#[cfg(feature = "parallel")]
#[derive(Clone, Debug)]
pub(crate) struct Walk {
    rows: Vec<u32>,
    inner: Vec<u32>,
    /// Whether what comes next stands next to each other all along a row.
    is_run: bool,
}

#[cfg(feature = "parallel")]
impl Walk {
    /// The walk over axes, the outermost first, each with the distances that its values add.
    fn new(axes: impl Iterator<Item = Vec<u32>>) -> Self {
        let mut axes: Vec<Vec<u32>> = axes.collect();
        let inner = axes.pop().unwrap_or_else(|| vec![0]);
        let rows = axes.iter().fold(vec![0], |rows: Vec<u32>, axis| {
            rows.iter().flat_map(|row| axis.iter().map(move |step| row + step)).collect()
        });
        let is_run = inner.iter().zip(0..).all(|(&at, place)| at == place);
        Walk { rows, inner, is_run }
    }

    /// All codes of a tile, from the one order into the other.
    pub(crate) fn gather<C: Code>(&self, from: &[C], to: &mut [C]) {
        let n = self.inner.len();
        for (row, &start) in to.chunks_exact_mut(n).zip(&self.rows) {
            let from = &from[start as usize..];
            if self.is_run {
                row.copy_from_slice(&from[..n]);
            } else {
                row.iter_mut().zip(&self.inner).for_each(|(code, &at)| *code = from[at as usize]);
            }
        }
    }
}
