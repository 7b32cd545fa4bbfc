//! Where the men stand in the codes of a tile, and what has been learned of their squares.

use super::learned::Learned;
use crate::tile::Tiles;
use index::{Layout, MAX_MEN};

/// The squares of the men at each place of a tile.
#[derive(Clone, Copy)]
pub(crate) struct Men<'a> {
    layout: &'a Layout,
    tiles: &'a Tiles,
    tile: usize,
    /// The man whose squares are the innermost level, if one's are.
    inner: Option<usize>,
}

impl<'a> Men<'a> {
    pub(crate) fn new(layout: &'a Layout, tiles: &'a Tiles, tile: usize) -> Self {
        Men { layout, tiles, tile, inner: tiles.inner_man(layout) }
    }

    /// The layout.
    pub(super) fn layout(&self) -> &'a Layout {
        self.layout
    }

    /// The squares at a place.
    pub(super) fn squares(&self, place: usize) -> [u8; MAX_MEN] {
        let placement = self.layout.decode(self.tiles.number(self.tile, place));
        let mut squares = [0; MAX_MEN];
        squares.iter_mut().zip(placement.iter()).for_each(|(to, square)| *to = square.index() as u8);
        squares
    }
}

/// What has been learned of a tile.
#[derive(Clone, Copy)]
pub(crate) struct Outlook<'a> {
    pub(crate) men: Men<'a>,
    pub(crate) learned: &'a Learned,
}

impl Outlook<'_> {
    /// What the squares add to the scores of a run that begins at this place of the tile.
    pub(super) fn of_run(&self, start: usize, sums: &mut [i32]) {
        let Outlook { men, learned } = self;
        let mut squares = men.squares(start);
        let all = learned.of_squares(&squares);
        let Some(man) = men.inner else {
            sums.iter_mut()
                .zip(start..)
                .for_each(|(sum, place)| *sum = learned.of_squares(&men.squares(place)));
            return;
        };
        // A run goes along a rank, so that one man moves and the others stand still.
        let still = all - learned.of_man(man, &squares);
        for (i, sum) in sums.iter_mut().enumerate() {
            squares[man] = men.tiles.inner_square(start + i);
            *sum = still + learned.of_man(man, &squares);
        }
    }
}
