//! The tiles that a table's numbering is cut into, and the way through the places of one.
//!
//! A tile is the unit in which codes are put into the order of the file and back, and so what a writer or a reader of
//! whole tables holds of it at a time. Its axes are the squares of the innermost free men, three at most, and outside
//! of these axis 0: slice, frame and further free men together. A tile has as many values of axis 0 as make 65,536
//! codes, at least one; the last tile may have fewer.

use crate::order::{MAX_AXES, Order};
use geometry::Board;
use index::Layout;
use table::Code;

/// The codes that a tile should have, where that leaves axis 0 more than one value.
const TILE_CODES: usize = 1 << 16;

/// The tiles of a layout, with the codes of one side in a certain order.
#[derive(Clone, Debug)]
pub(crate) struct Tiles {
    order: Order,
    is_natural: bool,
    n_codes: usize,
    tile_codes: usize,
    /// For each axis how far apart its values are in the numbering.
    strides: [usize; MAX_AXES],
    n_squares: usize,
    /// The squares with the dark ones first.
    dark_first: Vec<u8>,
    /// The place of each square among these.
    place_of: Vec<u8>,
}

impl Tiles {
    /// The tiles of a layout; none if the order is for another number of axes.
    pub(crate) fn new(layout: &Layout, order: Order) -> Option<Tiles> {
        let n = layout.n_squares();
        let n_free = n_axes(layout) - 1;
        if order.axes().len() != n_free + 1 {
            return None;
        }
        let mut strides = [0; MAX_AXES];
        for (axis, stride) in strides[..=n_free].iter_mut().enumerate() {
            *stride = n.pow((n_free - axis) as u32);
        }
        let dark_first = dark_first(layout.board());
        let mut place_of = vec![0; n];
        dark_first.iter().zip(0..).for_each(|(&square, place)| place_of[square as usize] = place);
        Some(Tiles {
            order,
            is_natural: order.is_natural(),
            n_codes: layout.len(),
            tile_codes: tile_codes(layout),
            strides,
            n_squares: n,
            dark_first,
            place_of,
        })
    }

    /// Codes in their own order, in tiles of any size: as format version 1 has them.
    pub(crate) fn natural(layout: &Layout, tile_codes: usize) -> Tiles {
        let natural = Order::new(&[0], 0);
        Tiles {
            order: natural,
            is_natural: true,
            n_codes: layout.len(),
            tile_codes,
            strides: [1, 0, 0, 0],
            n_squares: layout.n_squares(),
            dark_first: Vec::new(),
            place_of: Vec::new(),
        }
    }

    /// Codes of a tile; the last may have fewer.
    pub(crate) fn tile_codes(&self) -> usize {
        self.tile_codes
    }

    /// How many tiles there are.
    pub(crate) fn len(&self) -> usize {
        self.n_codes.div_ceil(self.tile_codes)
    }

    /// The numbers of the placements of a tile.
    pub(crate) fn range(&self, tile: usize) -> std::ops::Range<usize> {
        let start = tile * self.tile_codes;
        start..self.n_codes.min(start + self.tile_codes)
    }

    /// The tile of a placement and its place there.
    pub(crate) fn place(&self, index: usize) -> (usize, usize) {
        let (tile, mut rest) = (index / self.tile_codes, index % self.tile_codes);
        if self.is_natural {
            return (tile, rest);
        }
        let n_outer = self.range(tile).len() / self.strides[0];
        let mut squares = [0; MAX_AXES];
        for (axis, square) in squares[..self.order.axes().len()].iter_mut().enumerate() {
            (*square, rest) = (rest / self.strides[axis], rest % self.strides[axis]);
        }
        let place = self.order.axes().iter().fold(0, |place, &axis| {
            let square = squares[axis as usize];
            let place_here = if self.order.is_apart(axis) { self.place_of[square] as usize } else { square };
            place * self.n_values(axis, n_outer) + place_here
        });
        (tile, place)
    }

    /// The way through the places of a tile; none if they are numbered so.
    pub(crate) fn walk(&self, tile: usize) -> Option<Walk> {
        if self.is_natural {
            return None;
        }
        let n_outer = self.range(tile).len() / self.strides[0];
        let offsets = |axis: &u8| -> Vec<u32> {
            let value = |v: usize| if self.order.is_apart(*axis) { self.dark_first[v] as usize } else { v };
            let stride = self.strides[*axis as usize];
            (0..self.n_values(*axis, n_outer)).map(|v| (value(v) * stride) as u32).collect()
        };
        let (last, outer) = self.order.axes().split_last()?;
        let rows = outer.iter().fold(vec![0], |rows: Vec<u32>, axis| {
            let steps = offsets(axis);
            rows.iter().flat_map(|row| steps.iter().map(move |step| row + step)).collect()
        });
        let inner = offsets(last);
        let is_run = inner.iter().zip(0..).all(|(&offset, place)| offset == place);
        Some(Walk { rows, inner, is_run })
    }

    /// How many codes the innermost axis of a whole tile has.
    pub(crate) fn row_codes(&self) -> usize {
        let last = *self.order.axes().last().expect("an order has axes");
        self.n_values(last, self.tile_codes / self.strides[0])
    }

    /// How many values an axis has in a tile with so many of axis 0.
    fn n_values(&self, axis: u8, n_outer: usize) -> usize {
        if axis == 0 { n_outer } else { self.n_squares }
    }
}

/// The numbers of a tile's placements, counted from its first, in the order of the file.
#[derive(Clone, Debug)]
pub(crate) struct Walk {
    rows: Vec<u32>,
    inner: Vec<u32>,
    /// Whether the innermost axis goes fastest in the numbering too.
    is_run: bool,
}

impl Walk {
    /// Codes as they are numbered, put into the order of the file.
    pub(crate) fn to_file<C: Code>(&self, codes: &[C], placed: &mut Vec<C>) {
        placed.clear();
        placed.resize(codes.len(), C::ILLEGAL);
        let n = self.inner.len();
        for (row, &start) in placed.chunks_exact_mut(n).zip(&self.rows) {
            let codes = &codes[start as usize..];
            if self.is_run {
                row.copy_from_slice(&codes[..n]);
            } else {
                row.iter_mut().zip(&self.inner).for_each(|(code, &at)| *code = codes[at as usize]);
            }
        }
    }

    /// Codes in the order of the file, put where they are numbered.
    pub(crate) fn from_file<C: Code>(&self, placed: &[C], codes: &mut [C]) {
        let n = self.inner.len();
        for (row, &start) in placed.chunks_exact(n).zip(&self.rows) {
            let codes = &mut codes[start as usize..];
            if self.is_run {
                codes[..n].copy_from_slice(row);
            } else {
                row.iter().zip(&self.inner).for_each(|(&code, &at)| codes[at as usize] = code);
            }
        }
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

/// The squares of the colour of a1, then the others, each in order.
fn dark_first(board: &Board) -> Vec<u8> {
    let colour = |square: usize| (square / board.files() as usize + square % board.files() as usize) % 2;
    let mut squares: Vec<u8> = (0..board.n_squares() as u8).collect();
    squares.sort_by_key(|&square| (colour(square as usize), square));
    squares
}
