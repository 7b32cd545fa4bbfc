//! Reads a table in the terms of an asker: any colours, any order of men.

use crate::slices::{Piece, SliceReader};
use crate::{CodeRow, Codes, CodesRef, Mapping, SliceCache, SliceSource, Table, Value};
use geometry::{Square, Symmetry};
use index::{Extent, Layout, MAX_PLACED, NOWHERE, Row, Rows, SliceId};
use std::sync::Arc;
use variant::exit::{Change, TablePart};
use variant::{Man, Material, PawnStep, Side};

/// Where solved tables are found.
pub trait Lookup: Sync {
    /// The table of a canonical material, or at least the part of it that is asked for; if it is there.
    ///
    /// A part is one of [`Table::part`] or [`Table::new_part`]: a man has just been put on one of some
    /// squares and waits for the other side to move.
    fn table(&self, material: &Material, part: Option<&TablePart>) -> Option<Arc<Table>>;

    /// The slices of a canonical material's table, if that is to be read slice by slice: solvers that keep
    /// their own table so ask for them, and writers that have a part of a table in memory at a time.
    fn slices(&self, _material: &Material) -> Option<Arc<dyn SliceSource>> {
        None
    }

    /// What stands for the table of the men that are left by an exit, which makes this change of the asker's
    /// men, where that is not asked for by its material: a structure has tables of some slices, and values
    /// for what it leaves out.
    fn stands_for(&self, _men: &[Man], _exit: Change) -> Option<StandIn> {
        None
    }

    /// What is left out inside the asker's own table.
    fn left_out(&self) -> LeftOut {
        LeftOut::default()
    }

    /// The codes of a slice of the asker's own table, where they are known before it is solved: then no slice
    /// is solved but those that are not. Either side to move that the table keeps is known, or neither is.
    fn known(&self, _slice: SliceId) -> Option<[Option<Codes>; 2]> {
        None
    }
}

/// What a bound of a table leaves out of its rules, to the loss of one side.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct LeftOut {
    /// The side to whose loss it is: it has lost where one of its men stands off the squares that it is kept
    /// to ([`variant::Kept`]). Without such a side nothing is left out.
    pub loser: Option<Side>,
    /// Whether the loser has lost where it is without a move: the moves that it has may be among those that
    /// are left out.
    pub is_lost_stuck: bool,
    /// Moves of pawns. The loser has no such move, and the other side wins by one.
    pub pawn_moves: Vec<PawnStep>,
}

/// What stands for the whole table of some men.
pub enum StandIn {
    /// A table of those slices that are asked for.
    Table(Arc<Table>),
    /// A table that is read slice by slice.
    Slices(Arc<dyn SliceSource>),
    /// Nothing: the positions are given this value without being looked at, by side to move.
    Given([Value; 2]),
    /// Nothing, because no move of the asker leads there.
    Nowhere,
}

/// A table that is needed and not there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Missing {
    /// Its canonical material.
    pub material: Material,
}

/// A table as an asker reads it who lists the men in another order, or with the colours exchanged.
///
/// What is read are the codes in memory, each at its own place: see [`Table`]. Where the men alone say who
/// has won, there is no table, and the view has the same value everywhere.
#[derive(Debug)]
pub struct View<'a>(Values<'a>);

#[derive(Debug)]
enum Values<'a> {
    Table(TableCodes<'a>),
    Slices(SliceReader<'a>),
    /// By side to move, and whether that was given without being looked at.
    Constant([Value; 2], bool),
    Entered(Box<EnteredValues<'a>>),
}

/// Positions as moves enter them: see [`View::entered`].
#[derive(Debug)]
struct EnteredValues<'a> {
    silent: View<'a>,
    /// By side to move.
    checked: [Option<View<'a>>; 2],
}

/// The codes of a table, and how they are read.
#[derive(Debug)]
struct TableCodes<'a> {
    layout: &'a Layout,
    extent: Extent,
    codes: [Option<CodesRef<'a>>; 2],
    mapping: Mapping,
}

impl<'a> View<'a> {
    /// The view of a table for these men, or of a part of one in which the man at place `promoted` stands
    /// only where the part has him; none if they are not the table's material in either colours.
    ///
    /// # Panics
    /// If the table is a part of one, and no man is promoted.
    #[must_use]
    pub fn of_table(table: &'a Table, men: &[Man], promoted: Option<usize>) -> Option<Self> {
        let codes = Side::BOTH.map(|side| table.codes(side).map(Codes::as_ref));
        let pin = table.scope().map(|scope| match promoted {
            Some(promoted) => (scope.man(), promoted),
            None => panic!("only a part of {} is there, not the table", table.layout().name()),
        });
        let given_checks = table.layout().material().given_checks();
        View::pinned(table.layout(), table.extent().clone(), codes, men, given_checks, pin)
    }

    /// Shows a whole table for these men, whose sides have given these checks; none if they are not the
    /// table's material in either colours.
    #[must_use]
    pub fn with_checks(table: &'a Table, men: &[Man], given_checks: [u8; 2]) -> Option<Self> {
        let codes = Side::BOTH.map(|side| table.codes(side).map(Codes::as_ref));
        View::pinned(table.layout(), table.extent().clone(), codes, men, given_checks, None)
    }

    /// The view of codes that may still be in the making.
    #[must_use]
    pub fn new(layout: &'a Layout, codes: [Option<CodesRef<'a>>; 2], men: &[Man]) -> Option<Self> {
        let given_checks = layout.material().given_checks();
        View::pinned(layout, Extent::new(layout, None), codes, men, given_checks, None)
    }

    fn pinned(
        layout: &'a Layout,
        extent: Extent,
        codes: [Option<CodesRef<'a>>; 2],
        men: &[Man],
        given_checks: [u8; 2],
        pin: Option<(usize, usize)>,
    ) -> Option<Self> {
        let keeps = codes.map(|codes| codes.is_some());
        let mapping = Mapping::pinned(layout, keeps, men, given_checks, pin)?;
        Some(View(Values::Table(TableCodes { layout, extent, codes, mapping })))
    }

    /// The view of a table that is read slice by slice, for these men, of whom the one at place `promoted`,
    /// if any, was a pawn and stands on a known square; none if they are not the table's material in either
    /// colours.
    #[must_use]
    pub fn of_slices(cache: &'a SliceCache<'a>, men: &[Man], promoted: Option<usize>) -> Option<Self> {
        SliceReader::new(cache, men, promoted).map(|reader| View(Values::Slices(reader)))
    }

    /// The view of positions that all have the same value, by side to move.
    #[must_use]
    pub fn constant(values: [Value; 2]) -> Self {
        View(Values::Constant(values, false))
    }

    /// The view of positions that are not looked at and have been given this value, by side to move.
    #[must_use]
    pub fn given(values: [Value; 2]) -> Self {
        View(Values::Constant(values, true))
    }

    /// Shows positions as moves enter them where checks are counted: one in which the side to move is
    /// attacked is read from `checked`, by that side, which has the table after the check. The side to move
    /// is attacked where the other one could not be to move.
    #[must_use]
    pub fn entered(silent: View<'a>, checked: [Option<View<'a>>; 2]) -> Self {
        View(Values::Entered(Box::new(EnteredValues { silent, checked })))
    }

    /// Whether the side to move is attacked, where checks are counted.
    #[must_use]
    pub fn is_checked(&self, stm: Side, squares: &[Square]) -> bool {
        let Values::Entered(entered) = &self.0 else { return false };
        let is_illegal = |stm| entered.silent.value(stm, squares) == Value::Illegal;
        is_illegal(!stm) && !is_illegal(stm)
    }

    /// What positions with this side to move have been given, if they are not looked at.
    #[must_use]
    pub fn given_value(&self, stm: Side) -> Option<Value> {
        match &self.0 {
            Values::Constant(values, true) => Some(values[stm.index()]),
            _ => None,
        }
    }

    /// The value with the asker's men on these squares and the asker's `stm` to move.
    ///
    /// Complexity: one numbering of the placement and one read.
    ///
    /// # Panics
    /// If the view is of a part that does not have it.
    #[must_use]
    #[inline]
    pub fn value(&self, stm: Side, squares: &[Square]) -> Value {
        let table = match &self.0 {
            Values::Table(table) => table,
            Values::Slices(reader) => return reader.value(stm, squares),
            Values::Constant(values, _) => return values[stm.index()],
            Values::Entered(entered) => {
                let silent = entered.silent.value(stm, squares);
                let checked = entered.checked[stm.index()].as_ref();
                let checked = checked.filter(|_| self.is_checked(stm, squares));
                return checked.map_or(silent, |checked| checked.value(stm, squares));
            }
        };
        let reading = table.mapping.reading(table.layout, stm);
        let mut own = [Square::from_index(0); MAX_PLACED];
        reading.squares(table.layout, squares, &mut own);
        match table.layout.place(&table.extent, &own[..squares.len()]) {
            Some(index) => table.codes_of(reading.stm).value(index),
            None => Value::Illegal,
        }
    }

    /// The rows of values for every square of the asker's man at place `varying`, one for each square of the
    /// man at place `slow` (or one only), with the asker's `stm` to move. The squares of these two men do not
    /// matter.
    #[must_use]
    pub fn rows(&self, stm: Side, squares: &[Square], slow: Option<usize>, varying: usize) -> ValueRows<'_> {
        let table = match &self.0 {
            Values::Table(table) => table,
            Values::Slices(reader) => return reader.rows(stm, squares, slow, varying),
            Values::Constant(values, _) => {
                return ValueRows(RowValues::Constant(values[stm.index()]));
            }
            Values::Entered(entered) => {
                let silent = |stm| entered.silent.rows(stm, squares, slow, varying);
                let Some(checked) = &entered.checked[stm.index()] else { return silent(stm) };
                let checked = checked.rows(stm, squares, slow, varying);
                let rows = EnteredRows { silent: silent(stm), other: silent(!stm), checked };
                return ValueRows(RowValues::Entered(Box::new(rows)));
            }
        };
        let reading = table.mapping.reading(table.layout, stm);
        let own = reading.ordered(squares);
        let slow = slow.map(|man| reading.place_of(man));
        let own = &own[..squares.len()];
        let rows = table.layout.rows(&table.extent, reading.to_table, own, slow, reading.place_of(varying));
        let (codes, n_squares) = (table.codes_of(reading.stm), table.layout.n_squares());
        ValueRows(RowValues::Table { rows, codes, n_squares })
    }

    /// Asks for what placements with the asker's pawns on these squares need of a table that is read slice by
    /// slice, so that it stays in this era; nothing where the table is in memory as a whole. If that is not
    /// in memory and `reads`, all threads read it, and no thread may be reading the table meanwhile. The
    /// squares of mobile men do not matter, but for a promoted man's.
    pub fn prepare(&self, stm: Side, squares: &[Square], reads: bool) {
        if let Values::Slices(reader) = &self.0
            && let Some(piece) = reader.piece_of(stm, squares)
        {
            reader.cache.prepare(&piece, reads);
        }
    }

    /// How many codes that is, and the slice; none where the table is in memory as a whole.
    #[must_use]
    pub fn slice_of(&self, stm: Side, squares: &[Square]) -> Option<(usize, SliceId)> {
        match &self.0 {
            Values::Slices(reader) => {
                reader.piece_of(stm, squares).map(|piece| (piece.extent.len(), piece.slice))
            }
            _ => None,
        }
    }
}

impl SliceReader<'_> {
    #[inline]
    fn value(&self, stm: Side, squares: &[Square]) -> Value {
        let layout = self.cache.layout();
        let reading = self.mapping.reading(layout, stm);
        let mut own = [Square::from_index(0); MAX_PLACED];
        reading.squares(layout, squares, &mut own);
        let own = &own[..squares.len()];
        let found = self.piece(&reading, (Symmetry::IDENTITY, own), squares, []);
        let place = found.and_then(|piece| Some((piece, layout.place(piece.extent, own)?)));
        place.map_or(Value::Illegal, |(piece, place)| self.cache.codes(&piece).value(place))
    }

    fn rows(&self, stm: Side, squares: &[Square], slow: Option<usize>, varying: usize) -> ValueRows<'_> {
        let layout = self.cache.layout();
        let reading = self.mapping.reading(layout, stm);
        let own = reading.ordered(squares);
        let own = &own[..squares.len()];
        let (slow, varying) = (slow.map(|man| reading.place_of(man)), reading.place_of(varying));
        let n_squares = layout.n_squares();
        let both = slow.into_iter().chain([varying]);
        ValueRows(match self.piece(&reading, (reading.to_table, own), squares, both) {
            None => RowValues::Constant(Value::Illegal),
            Some(piece) => {
                let rows = layout.rows(piece.extent, reading.to_table, own, slow, varying);
                RowValues::Slice { rows, codes: self.cache.codes(&piece), n_squares }
            }
        })
    }

    /// The piece in which a placement lies, of a table that is read slice by slice.
    fn piece_of(&self, stm: Side, squares: &[Square]) -> Option<Piece<'_>> {
        let layout = self.cache.layout();
        // A side to move that is not there was never asked for.
        if !self.mapping.has(stm) {
            return None;
        }
        let reading = self.mapping.reading(layout, stm);
        let own = reading.ordered(squares);
        let all = 0..squares.len();
        self.piece(&reading, (reading.to_table, &own[..squares.len()]), squares, all)
    }
}

impl<'a> TableCodes<'a> {
    /// The codes with a side to move that the table keeps.
    #[inline]
    fn codes_of(&self, stm: Side) -> CodesRef<'a> {
        match self.codes[stm.index()] {
            Some(codes) => codes,
            None => panic!("{} was asked for {stm:?} to move, which it does not have", self.layout.name()),
        }
    }
}

/// Rows of values: see [`View::rows`].
#[derive(Clone, Debug)]
pub struct ValueRows<'a>(RowValues<'a>);

#[derive(Clone, Debug)]
enum RowValues<'a> {
    Table { rows: Rows<'a>, codes: CodesRef<'a>, n_squares: usize },
    Slice { rows: Rows<'a>, codes: Arc<Codes>, n_squares: usize },
    Constant(Value),
    Entered(Box<EnteredRows<'a>>),
}

/// Rows of positions as moves enter them.
#[derive(Clone, Debug)]
struct EnteredRows<'a> {
    silent: ValueRows<'a>,
    /// With the other side to move.
    other: ValueRows<'a>,
    checked: ValueRows<'a>,
}

impl ValueRows<'_> {
    /// The row with the slow man on this square; without one the square does not matter. A value that is
    /// the same everywhere stands on missing squares too.
    ///
    /// # Panics
    /// If it is of a part that does not have it.
    #[inline]
    pub fn codes<const N: usize>(&self, slow_square: Square) -> CodeRow<N> {
        let (rows, codes, n) = match &self.0 {
            RowValues::Table { rows, codes, n_squares } => (rows, *codes, *n_squares),
            RowValues::Slice { rows, codes, n_squares } => (rows, (**codes).as_ref(), *n_squares),
            RowValues::Constant(value) => return two_bytes(|_| *value),
            RowValues::Entered(rows) => {
                let [silent, other, checked] =
                    [&rows.silent, &rows.other, &rows.checked].map(|rows| rows.codes::<N>(slow_square));
                let value = |row: &CodeRow<N>, at: usize| row.as_ref().value(at);
                return two_bytes(|at| {
                    // Where neither side could be to move, none has given a check.
                    let (own, is_checked) = (value(&silent, at), value(&other, at) == Value::Illegal);
                    if own != Value::Illegal && is_checked { value(&checked, at) } else { own }
                });
            }
        };
        let mut places = [NOWHERE; N];
        let row = rows.at(slow_square, &mut places);
        codes.map(|codes| gathered(codes, row, n), |codes| gathered(codes, row, n))
    }

    /// Borrows the rows as one slice if they lie together and have alternating codes of one byte: a row for
    /// each image of a square of the slow man, with a code for each image of a square of the other; and the
    /// images of the squares.
    #[must_use]
    #[inline]
    pub fn whole(&self) -> Option<(&[u8], &[u8])> {
        let (rows, codes, n) = match &self.0 {
            RowValues::Table { rows, codes, n_squares } => (rows, *codes, *n_squares),
            RowValues::Slice { rows, codes, n_squares } => (rows, (**codes).as_ref(), *n_squares),
            RowValues::Constant(_) | RowValues::Entered(_) => return None,
        };
        let (start, images) = rows.whole()?;
        Some((&codes.alternating()?[start..start + n * n], &images[..n]))
    }

    /// What moves to the placements of the row are worth.
    ///
    /// # Panics
    /// As [`Self::codes`].
    #[inline]
    pub fn worths<const N: usize>(&self, slow_square: Square, worths: &mut [i16; N]) {
        self.codes(slow_square).worths(worths);
    }
}

/// A row of these values.
fn two_bytes<const N: usize>(value: impl Fn(usize) -> Value) -> CodeRow<N> {
    let code = |at| <u16 as crate::Code>::from_value(value(at)).expect("two bytes hold what a table holds");
    CodeRow::TwoBytes(std::array::from_fn(code))
}

/// The codes of a row.
#[inline]
fn gathered<C: crate::Code, const N: usize>(codes: &[C], row: Row<'_>, n: usize) -> [C; N] {
    let mut gathered = [C::ILLEGAL; N];
    match row {
        Row::Nowhere => {}
        Row::Even { start, step: 1, permutation } => {
            let codes = &codes[start..start + n];
            match <&[C; 64]>::try_from(codes) {
                Ok(codes) if permutation[1] == 1 && permutation[8] == 8 => {
                    gathered[..64].copy_from_slice(codes);
                }
                Ok(codes) => {
                    for (slot, &at) in gathered.iter_mut().zip(&permutation[..64]) {
                        *slot = codes[at as usize & 63];
                    }
                }
                Err(_) => {
                    for (slot, &at) in gathered.iter_mut().zip(&permutation[..n]) {
                        *slot = codes[at as usize];
                    }
                }
            }
        }
        Row::Even { start, step, permutation } => {
            let codes = &codes[start..start + (n - 1) * step + 1];
            for (slot, &at) in gathered.iter_mut().zip(&permutation[..n]) {
                *slot = codes[at as usize * step];
            }
        }
        Row::Places(places) => {
            for (slot, &place) in gathered.iter_mut().zip(&places[..n]) {
                if place != NOWHERE {
                    *slot = codes[place];
                }
            }
        }
    }
    gathered
}
