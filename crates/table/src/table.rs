//! Holds a solved table, or a part of one, in memory, and hands out the codes of any table a run of units at
//! a time.
//!
//! A *unit* is one block of one slice: `block_len` codes that stand next to each other. Tables that are
//! larger than memory are never there as a whole, so a writer or a counter of a table asks for its codes in
//! runs of units, and a [`Table`] in memory lends all of them at once.

use crate::{Clocked, Code, Codes, CodesRef, Coding, Staircase, Value, step_page_range};
use index::{Extent, Layout, Scope};
use std::io;
use std::ops::Range;
use std::sync::Arc;
use variant::{Man, Side};

/// The values of every position of a material, or of a part of them.
///
/// Invariant: of a material that is the same with its colours exchanged, as the rules are, only the
/// positions with White to move are kept: those with Black to move are the same with the colours exchanged.
/// Of any other material both are, unless the table was made for a reader of one of them
/// ([`Table::with_sides`]). Every code is exact, those of placements that are not canonical (see
/// [`Layout::is_canonical`]) too; a file may leave out what can be derived, and its reader puts it back.
///
/// A *part* has the positions in which one free man stands on certain squares and the other side is to move:
/// all that a promotion to such a man leads to. Its codes lie as in the whole table, those of other squares
/// left out.
#[derive(Clone, Debug)]
pub struct Table {
    layout: Arc<Layout>,
    codes: [Option<Codes>; 2],
    scope: Option<Scope>,
    extent: Extent,
    /// By side to move: how values change with the clock, under `dtm50`.
    clocked: [Option<Arc<Clocked>>; 2],
}

impl Table {
    /// A table of these codes, White to move and (unless the material is symmetric) Black to move.
    ///
    /// # Panics
    /// If the codes are not as many as the placements, or the sides are not those that the material needs.
    #[must_use]
    pub fn new(layout: Arc<Layout>, white_to_move: Codes, black_to_move: Option<Codes>) -> Self {
        assert_eq!(black_to_move.is_none(), layout.is_one_sided(), "one side to move if symmetric");
        Table::with_sides(layout, [Some(white_to_move), black_to_move])
    }

    /// Like [`Table::new`], with codes for some sides to move only, where no other is read.
    ///
    /// # Panics
    /// If there are none, or they are not as many as the placements.
    #[must_use]
    pub fn with_sides(layout: Arc<Layout>, codes: [Option<Codes>; 2]) -> Self {
        assert!(codes.iter().any(Option::is_some), "no side to move of {}", layout.name());
        Table::within(layout, codes, None)
    }

    /// The whole of a table, or the part of it that is in a scope.
    fn within(layout: Arc<Layout>, codes: [Option<Codes>; 2], scope: Option<Scope>) -> Self {
        let extent = Extent::new(&layout, scope.as_ref());
        for codes in codes.iter().flatten() {
            assert_eq!(codes.len(), extent.len(), "codes and placements of {}", layout.name());
        }
        Table { layout, codes, scope, extent, clocked: [None, None] }
    }

    /// The part of a table with these codes, in which the side to move is the one that
    /// [`Table::side_of_part`] says.
    ///
    /// # Panics
    /// If the codes are not as many as the part has.
    #[must_use]
    pub fn new_part(layout: Arc<Layout>, scope: Scope, codes: Codes) -> Self {
        let mut both = [None, None];
        both[Table::side_of_part(&layout, &scope).index()] = Some(codes);
        Table::within(layout, both, Some(scope))
    }

    /// The side to move in a part: the other one than that of the part's man.
    #[must_use]
    pub fn side_of_part(layout: &Layout, scope: &Scope) -> Side {
        Table::side_of_part_with(layout.men()[scope.man()])
    }

    /// The side to move in a part with this man.
    #[must_use]
    pub fn side_of_part_with(man: Man) -> Side {
        !man.side
    }

    /// Copies a part of the table; none if the table, being symmetric, does not keep the side to move of the
    /// part.
    ///
    /// # Panics
    /// If the table is itself a part.
    #[must_use]
    pub fn part(&self, scope: &Scope) -> Option<Table> {
        assert!(self.scope.is_none(), "a part of a part of {}", self.layout.name());
        let codes = self.codes(Table::side_of_part(&self.layout, scope))?.as_ref();
        let codes = codes_of_scope(&self.layout, scope, codes, scope.n_codes(&self.layout));
        Some(Table::new_part(self.layout.clone(), scope.clone(), codes))
    }

    /// This table without distances, as the metric `wdl` has it.
    #[must_use]
    pub fn to_wdl(&self) -> Table {
        let codes = self.codes.each_ref().map(|codes| codes.as_ref().map(|codes| codes.as_ref().to_wdl()));
        Table::within(self.layout.clone(), codes, self.scope.clone())
    }

    /// This table with what changes with the clock, by side to move.
    #[must_use]
    pub fn with_clocked(self, clocked: [Option<Clocked>; 2]) -> Table {
        Table { clocked: clocked.map(|clocked| clocked.map(Arc::new)), ..self }
    }

    /// This table with what changes with the clock in another one of the same material, of the sides to move
    /// that it has.
    #[must_use]
    pub fn with_steps_of(self, other: &Table) -> Table {
        let clocked =
            Side::BOTH.map(|side| other.clocked(side).filter(|_| self.codes(side).is_some()).cloned());
        Table { clocked, ..self }
    }

    /// This table with the clock of the n-move rule at these plies. Where values change with it, placements
    /// that are not canonical hold anything, and codes have two bytes.
    #[must_use]
    pub fn at_clock(&self, clock: u32) -> Table {
        let code = |value: Value| u16::from_value(value).unwrap_or(u16::DRAW);
        let of_clocked = |side: Side, clocked: &Clocked| -> Vec<u16> {
            let all = (0..clocked.pages.len()).flat_map(|page| self.staircases(side, page));
            all.map(|(_, at_zero, staircase)| code(staircase.value(at_zero, clock))).collect()
        };
        let codes = Side::BOTH.map(|side| {
            Some(match self.clocked(side).filter(|_| clock > 0) {
                Some(clocked) => u16::owned(of_clocked(side, clocked)),
                None => self.codes(side)?.clone(),
            })
        });
        Table::with_sides(self.layout.clone(), codes)
    }

    /// How the values of a page of steps change with the clock: by number, with the value at clock 0. Numbers
    /// by which no position is asked for have any staircase.
    ///
    /// # Panics
    /// If the values of this side to move do not change with the clock, or there is no such page.
    pub fn staircases(&self, stm: Side, page: usize) -> impl Iterator<Item = (usize, Value, Staircase)> + '_ {
        let clocked = self.clocked(stm).expect("values that change with the clock");
        let numbers = step_page_range(&self.layout, page);
        let start = numbers.start;
        let staircases =
            clocked.page(&self.layout, page).staircases(move |place| self.value(stm, start + place));
        numbers.zip(staircases).map(move |(index, staircase)| (index, self.value(stm, index), staircase))
    }

    /// How the values of a side to move change with the clock, if the table says so.
    #[must_use]
    pub fn clocked(&self, stm: Side) -> Option<&Arc<Clocked>> {
        self.clocked[stm.index()].as_ref()
    }

    /// Which part of its material's table this is; none if it is the whole.
    #[must_use]
    pub fn scope(&self) -> Option<&Scope> {
        self.scope.as_ref()
    }

    /// How far apart the codes lie.
    pub(crate) fn extent(&self) -> &Extent {
        &self.extent
    }

    /// The numbering of the placements.
    #[must_use]
    pub fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    /// The sides to move that the table keeps: White, or both; of a part one.
    pub fn sides(&self) -> impl Iterator<Item = Side> + '_ {
        Side::BOTH.into_iter().filter(|side| self.codes[side.index()].is_some())
    }

    /// The codes with this side to move, if the table keeps them.
    #[must_use]
    pub fn codes(&self, stm: Side) -> Option<&Codes> {
        self.codes[stm.index()].as_ref()
    }

    /// The sides to move that the table keeps, with their codes.
    pub fn codes_by_side(&self) -> impl Iterator<Item = (Side, CodesRef<'_>)> {
        Side::BOTH.into_iter().filter_map(|side| Some((side, self.codes(side)?.as_ref())))
    }

    /// The memory that the codes take.
    ///
    /// Units: bytes.
    #[must_use]
    pub fn size_bytes(&self) -> usize {
        self.codes.iter().flatten().map(Codes::size_bytes).sum()
    }

    /// The codes with this side to move, to be changed.
    #[must_use]
    pub fn codes_mut(&mut self, stm: Side) -> Option<&mut Codes> {
        self.codes[stm.index()].as_mut()
    }

    /// The value of the placement with this number; the table must keep this side to move.
    ///
    /// # Panics
    /// If it does not, or there is no such number.
    #[must_use]
    #[inline]
    pub fn value(&self, stm: Side, index: usize) -> Value {
        let codes = self.codes[stm.index()].as_ref();
        codes.expect("a symmetric table is read with White to move").as_ref().value(index)
    }
}

impl Table {
    /// The value of a placement with the clock of the n-move rule at these plies; the table must keep this
    /// side to move. If values do not change with the clock, it is that of any clock.
    ///
    /// # Panics
    /// As [`Table::value`].
    #[must_use]
    pub fn value_at(&self, stm: Side, index: usize, clock: u32) -> Value {
        let at_zero = self.value(stm, index);
        let clocked = self.clocked(stm).filter(|_| clock > 0);
        clocked
            .map_or(at_zero, |clocked| clocked.staircase(&self.layout, index, at_zero).value(at_zero, clock))
    }
}

/// Those of these codes that belong to a scope.
pub(crate) fn codes_of_scope(layout: &Layout, scope: &Scope, codes: CodesRef<'_>, n_kept: usize) -> Codes {
    fn kept<C: Code>(layout: &Layout, scope: &Scope, codes: &[C], n_kept: usize) -> Vec<C> {
        let mut part = vec![C::ILLEGAL; n_kept];
        scope.keep(layout, codes, &mut part);
        part
    }
    codes.map(|codes| kept(layout, scope, codes, n_kept), |codes| kept(layout, scope, codes, n_kept))
}

/// A table whose codes can be had a run of units at a time. Every code is exact, those of placements that
/// are not canonical too.
pub trait CodeSource: Sync {
    /// The numbering of the placements.
    fn layout(&self) -> &Arc<Layout>;

    /// Which codes a side to move has; none if the table does not keep it, as a symmetric one does not keep
    /// Black.
    fn coding(&self, stm: Side) -> Option<Coding>;

    /// How many units in a row are best asked for at once: as many as fit into memory, or all.
    fn units_at_once(&self) -> usize;

    /// How the values of a side to move change with the clock, if they do.
    fn clocked(&self, _stm: Side) -> Option<&Clocked> {
        None
    }

    /// The codes of some units in a row. They are borrowed if they are in memory, and otherwise put into
    /// `room`, whatever that has held.
    ///
    /// Shape: `block_len` codes a unit.
    ///
    /// # Errors
    /// What the codes are made from cannot be read.
    ///
    /// # Panics
    /// If the table does not keep this side to move.
    fn codes<'a>(&'a self, stm: Side, units: Range<usize>, room: &'a mut Codes) -> io::Result<CodesRef<'a>>;
}

impl CodeSource for Table {
    fn layout(&self) -> &Arc<Layout> {
        self.layout()
    }

    fn coding(&self, stm: Side) -> Option<Coding> {
        self.codes(stm).map(Codes::coding)
    }

    fn units_at_once(&self) -> usize {
        self.layout().n_units()
    }

    fn clocked(&self, stm: Side) -> Option<&Clocked> {
        Table::clocked(self, stm).map(Arc::as_ref)
    }

    fn codes<'a>(&'a self, stm: Side, units: Range<usize>, _: &'a mut Codes) -> io::Result<CodesRef<'a>> {
        assert!(self.scope().is_none(), "a part of {} has no units", self.layout().name());
        let len = self.layout().block_len();
        let codes = self.codes(stm).expect("a side to move that the table keeps").as_ref();
        Ok(codes.range(units.start * len..units.end * len))
    }
}

/// A table without its distances, as the metric `wdl` has it.
pub struct WithoutDistances<'a>(pub &'a dyn CodeSource);

impl std::fmt::Debug for WithoutDistances<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("WithoutDistances").field(&self.0.layout().name()).finish()
    }
}

impl CodeSource for WithoutDistances<'_> {
    fn layout(&self) -> &Arc<Layout> {
        self.0.layout()
    }

    fn coding(&self, stm: Side) -> Option<Coding> {
        self.0.coding(stm).map(|_| u8::CODING)
    }

    fn units_at_once(&self) -> usize {
        self.0.units_at_once()
    }

    fn codes<'a>(&'a self, stm: Side, units: Range<usize>, room: &'a mut Codes) -> io::Result<CodesRef<'a>> {
        let mut own = Codes::default();
        *room = self.0.codes(stm, units, &mut own)?.to_wdl();
        Ok(room.as_ref())
    }
}
