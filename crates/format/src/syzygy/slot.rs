//! Slots: what a file may hold for each position, made of solved tables.
//!
//! Readers look at captures before they believe a file, so many a value need not be in it:
//!
//! ```text
//!   WDL   the best capture is worth as much as the position      that value or any lower one
//!         otherwise                                              the value
//!   DTZ   a draw                                                 anything
//!         a win that a capture or a pawn move keeps              anything
//!         otherwise                                              the distance
//!   both  no position                                            anything
//! ```
//!
//! The slots of a side to move stand in a [`Cube`]: the numbers of an arrangement are looked up there, and however many
//! arrangements are tried, moves are made once.

use super::chess::{Chessman, PAWN, PROMOTIONS, attacks, chessman, kind};
use super::cube::Cube;
use super::error::SyzygyError;
use geometry::Square;
use index::{Layout, MAX_MEN};
use rayon::prelude::*;
use std::sync::Arc;
use table::{Lookup, Table, Value, View};
use variant::{Man, Material, Side, Variant};

/// Every WDL value.
pub(super) const ANY: u8 = 0b1_1111;

/// Every distance.
pub(super) const ANY_DISTANCE: u16 = u16::MAX;

/// Where the class of a distance stands in its slot; below it are the plies.
pub(super) const CLASS_SHIFT: u32 = 14;

/// The most plies that a slot has room for.
const MAX_PLIES: u16 = (1 << CLASS_SHIFT) - 2;

/// Plies of the fifty-move rule.
const RULE_PLIES: u16 = 100;

/// How many placements a thread takes at a time.
const STRETCH: usize = 1 << 14;

/// What a file may hold with one side to move, by the place in the cube.
pub(super) struct Slots {
    /// A bit for each WDL value (0 loss to 4 win) that will do.
    pub(super) wdl: Vec<u8>,
    /// The class of the distance (0 win, 1 loss, 2 cursed win, 3 blessed loss) and its plies less one (less 101 of the
    /// latter two); [`ANY_DISTANCE`] where anything will do.
    pub(super) dtz: Vec<u16>,
}

/// A move that changes the men: where it leads is another table.
struct Exit<'a> {
    /// The place of the man that moves.
    mover: usize,
    /// The place of the man that is captured, if one is.
    victim: Option<usize>,
    /// Whether a pawn is promoted by it.
    promotes: bool,
    /// The table, for the men that are left in the order of the layout, the mover as what he becomes.
    view: View<'a>,
}

/// The value with the fifty-move rule counted: 0 loss, 1 blessed loss, 2 draw, 3 cursed win, 4 win.
pub(super) fn wdl_of(value: Value) -> Option<u8> {
    Some(match value {
        Value::Illegal => return None,
        Value::Loss(ply) => u8::from(ply.0 > RULE_PLIES),
        Value::Draw | Value::Stalemate => 2,
        Value::Win(ply) => 4 - u8::from(ply.0 > RULE_PLIES),
    })
}

/// The tables that the men of a material can come to by captures and promotions, with their own.
pub(super) struct Ground {
    layout: Arc<Layout>,
    table: Arc<Table>,
    men: Vec<Chessman>,
    cube: Cube,
    exits: Vec<(ExitKey, Arc<Table>)>,
}

/// Mover, victim, and what becomes of the mover.
type ExitKey = (usize, Option<usize>, Option<Man>);

impl Ground {
    /// The tables, found in `lookup`: those of the metric `dtz50`, bare kings among them.
    pub(super) fn new(
        variant: &Variant,
        material: &Material,
        lookup: &dyn Lookup,
    ) -> Result<Self, SyzygyError> {
        let missing = |material: &Material| SyzygyError::Missing {
            material: material.canonical(variant).name(variant),
        };
        let find =
            |material: &Material| lookup.table(&material.canonical(variant)).ok_or_else(|| missing(material));
        let table = find(material)?;
        let layout = table.layout().clone();
        let not_chess = || SyzygyError::NotChess { variant: variant.name.clone() };
        let men: Option<Vec<Chessman>> = layout.men().iter().map(|&man| chessman(variant, man)).collect();
        let men = men.filter(|_| layout.n_squares() == 64).ok_or_else(not_chess)?;
        let pieces = PROMOTIONS.map(|kind| variant.piece_lettered(super::chess::letter(kind)));
        let mut exits = Vec::new();
        for (mover, &man) in layout.men().iter().enumerate() {
            let captures = (0..men.len())
                .filter(|&i| layout.men()[i].side != man.side && !variant.is_royal(layout.men()[i]))
                .map(Some);
            for victim in captures.chain((kind(men[mover]) == PAWN).then_some(None)) {
                let promoted = pieces.iter().flatten().map(|&piece| Some(Man { piece, ..man }));
                // A pawn that captures may stay one, but he cannot capture a pawn on the last rank.
                let may_promote =
                    kind(men[mover]) == PAWN && victim.is_none_or(|victim| kind(men[victim]) != PAWN);
                let stays = victim.map(|_| None);
                for becomes in stays.into_iter().chain(promoted.filter(|_| may_promote)) {
                    let key = (mover, victim, becomes);
                    let material = Material::from_men(left_men(&layout, key));
                    exits.push((key, find(&material)?));
                }
            }
        }
        let cube = Cube::new(&men);
        Ok(Ground { layout, table, men, cube, exits })
    }

    /// Where the slots stand.
    pub(super) fn cube(&self) -> &Cube {
        &self.cube
    }

    /// The men in the order of the layout.
    pub(super) fn men(&self) -> &[Chessman] {
        &self.men
    }

    /// The sides to move that are kept: White alone if the material is symmetric.
    pub(super) fn sides(&self) -> Vec<Side> {
        self.table.sides().collect()
    }

    /// The slots with a side to move.
    ///
    /// Complexity: the captures of every position are made, pawn moves only where a pawn move or mate decides.
    pub(super) fn slots(&self, stm: Side) -> Result<Slots, SyzygyError> {
        let mover = Mover::new(self, stm);
        let n = self.cube.len();
        let mut slots = Slots { wdl: vec![ANY; n], dtz: vec![ANY_DISTANCE; n] };
        let stretches = slots.wdl.par_chunks_mut(STRETCH).zip(slots.dtz.par_chunks_mut(STRETCH));
        let fits = stretches.enumerate().map(|(stretch, (wdl, dtz))| {
            wdl.iter_mut().zip(dtz).zip(stretch * STRETCH..).all(|((wdl, dtz), place)| {
                let slot = mover.slot(place);
                if let Some(slot) = slot {
                    (*wdl, *dtz) = slot;
                }
                slot.is_none_or(|(own_wdl, _)| own_wdl != TOO_DEEP)
            })
        });
        match fits.all(|fits| fits) {
            true => Ok(slots),
            false => Err(SyzygyError::TooDeep { material: self.layout.name().to_owned(), plies: MAX_PLIES }),
        }
    }
}

/// No WDL value will do: the distance has no room.
const TOO_DEEP: u8 = 0;

/// The men that are left after a move, in the order of the layout.
fn left_men(layout: &Layout, (mover, victim, becomes): ExitKey) -> Vec<Man> {
    let own = |(place, &man): (usize, &Man)| if place == mover { becomes.unwrap_or(man) } else { man };
    let men = layout.men().iter().enumerate().filter(|(place, _)| Some(*place) != victim);
    men.map(own).collect()
}

/// One side to move, with everything that its moves lead to.
struct Mover<'a> {
    ground: &'a Ground,
    stm: Side,
    exits: Vec<Exit<'a>>,
    own: View<'a>,
    /// Places of the pawns of the side to move.
    pawns: Vec<usize>,
    /// Places of the other side's pawns.
    foes: Vec<usize>,
}

impl<'a> Mover<'a> {
    fn new(ground: &'a Ground, stm: Side) -> Self {
        let layout = &*ground.layout;
        let exit = |(key, table): &'a (ExitKey, Arc<Table>)| {
            let men = left_men(layout, *key);
            let view = View::of_table(table, &men).expect("the table is that of these men");
            Exit { mover: key.0, victim: key.1, promotes: key.2.is_some(), view }
        };
        let exits = ground.exits.iter().filter(|((mover, ..), _)| layout.men()[*mover].side == stm).map(exit);
        let pawns = |of: Side| {
            let places = 0..ground.men.len();
            places.filter(|&i| kind(ground.men[i]) == PAWN && layout.men()[i].side == of).collect()
        };
        Mover {
            ground,
            stm,
            exits: exits.collect(),
            own: View::of_table(&ground.table, layout.men()).expect("a table is that of its own men"),
            pawns: pawns(stm),
            foes: pawns(!stm),
        }
    }

    /// What may be held at this place of the cube; none if anything may.
    fn slot(&self, place: usize) -> Option<(u8, u16)> {
        let n_men = self.ground.men.len();
        let mut numbers = [0; super::chess::MAX_MEN];
        self.ground.cube.squares(place, &mut numbers);
        let (mut squares, mut occupied) = ([Square::from_index(0); super::chess::MAX_MEN], 0u64);
        for (square, &number) in squares.iter_mut().zip(&numbers[..n_men]) {
            if occupied >> number & 1 != 0 {
                return None;
            }
            occupied |= 1 << number;
            *square = Square::from_index(number.into());
        }
        let placement = &squares[..n_men];
        let value = self.ground.table.value(self.stm, self.ground.layout.encode(placement)?);
        let wdl = wdl_of(value)?;
        let may_hide = wdl > 0;
        let is_hidden = may_hide && self.has_capture_worth(wdl, placement, occupied);
        let mask = if is_hidden { (1 << (wdl + 1)) - 1 } else { 1 << wdl };
        let ply = value.ply().map_or(0, |ply| ply.0);
        let (class, least) = match wdl {
            4 => (0, 1),
            0 => (1, 1),
            3 => (2, RULE_PLIES + 1),
            1 => (3, RULE_PLIES + 1),
            _ => return Some((mask, ANY_DISTANCE)),
        };
        let is_free =
            wdl > 2 && (is_hidden || (ply == least && self.has_pawn_move_worth(wdl, placement, occupied)));
        let plies = ply.saturating_sub(least);
        if plies > MAX_PLIES {
            return Some((TOO_DEEP, ANY_DISTANCE));
        }
        let distance = if is_free { ANY_DISTANCE } else { class << CLASS_SHIFT | plies };
        Some((mask, distance))
    }

    /// Whether a capture leads to this value for the side to move; none leads to a better one.
    fn has_capture_worth(&self, wdl: u8, squares: &[Square], occupied: u64) -> bool {
        self.exits.iter().any(|exit| {
            let Some(victim) = exit.victim else { return false };
            let (from, to) = (squares[exit.mover].index() as u8, squares[victim].index() as u8);
            attacks(self.ground.men[exit.mover], from, to, occupied)
                && self.is_worth(exit, wdl, squares, squares[victim])
        })
    }

    /// Whether a move of a pawn without capture leads to this value for the side to move. A double step that can be
    /// answered by a capture en passant is passed over: what it is worth is more than a table says.
    fn has_pawn_move_worth(&self, wdl: u8, squares: &[Square], occupied: u64) -> bool {
        self.pawns.iter().any(|&pawn| {
            let from = squares[pawn].index() as u8;
            let (forward, home): (i8, u8) = if self.stm == Side::White { (8, 1) } else { (-8, 6) };
            let to = from.wrapping_add_signed(forward);
            if occupied >> to & 1 != 0 {
                return false;
            }
            if matches!(to >> 3, 0 | 7) {
                let to = Square::from_index(to.into());
                let exits = self.exits.iter().filter(|exit| exit.mover == pawn && exit.victim.is_none());
                return exits.into_iter().any(|exit| self.is_worth(exit, wdl, squares, to));
            }
            let far = to.wrapping_add_signed(forward);
            let may_double = from >> 3 == home && occupied >> far & 1 == 0 && !self.is_guarded(to, squares);
            self.is_step_worth(pawn, to, wdl, squares)
                || (may_double && self.is_step_worth(pawn, far, wdl, squares))
        })
    }

    /// Whether a pawn of the other side attacks a square.
    fn is_guarded(&self, square: u8, squares: &[Square]) -> bool {
        self.foes.iter().any(|&foe| attacks(self.ground.men[foe], squares[foe].index() as u8, square, 0))
    }

    fn is_step_worth(&self, pawn: usize, to: u8, wdl: u8, squares: &[Square]) -> bool {
        let mut after = [Square::from_index(0); MAX_MEN];
        after[..squares.len()].copy_from_slice(squares);
        after[pawn] = Square::from_index(to.into());
        let value = self.own.value(!self.stm, &after[..squares.len()]);
        wdl_of(value).is_some_and(|other| 4 - other == wdl)
    }

    /// Whether a move that changes the men is legal and leads to this value for the side to move.
    fn is_worth(&self, exit: &Exit<'_>, wdl: u8, squares: &[Square], to: Square) -> bool {
        if kind(self.ground.men[exit.mover]) == PAWN && exit.promotes != matches!(to.index() >> 3, 0 | 7) {
            return false;
        }
        let (mut after, mut n) = ([Square::from_index(0); MAX_MEN], 0);
        for (place, &square) in squares.iter().enumerate() {
            if Some(place) != exit.victim {
                after[n] = if place == exit.mover { to } else { square };
                n += 1;
            }
        }
        let value = exit.view.value(!self.stm, &after[..n]);
        wdl_of(value).is_some_and(|other| 4 - other == wdl)
    }
}
