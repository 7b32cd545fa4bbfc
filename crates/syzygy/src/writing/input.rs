//! Gathers what the files of a material are made of beside its own table: what captures and promotions lead
//! to.

use crate::error::SyzygyError;
use crate::material::{Family, PieceCode, codes, leading_pawn};
use crate::score::{RULE_PLIES, rule_plies};
use crate::writing::slots::{ROW, class};
use geometry::Square;
use index::{Layout, MAX_MEN, SliceId};
use position::{Position, RuleBook};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use table::{Lookup, Table, View, threads};
use variant::exit::{Change, TablePart, Target, exits};
use variant::{Man, Material, PieceId, Side, Variant};

/// What the men of a material can come to by captures and promotions.
pub(crate) struct Input {
    pub(crate) family: Family,
    pub(crate) book: RuleBook,
    /// Plies of the n-move rule.
    pub(crate) rule_plies: u16,
    /// The numbering of all placements.
    pub(crate) layout: Arc<Layout>,
    /// The codes of the layout's men.
    pub(crate) codes: Vec<PieceCode>,
    /// In chess every capture with the table that it leads to, or a part of it.
    pub(crate) exits: Vec<(Change, Arc<Table>)>,
    /// In chess what promotions without capture are worth.
    pub(crate) promotions: Promotions,
    /// In other games the men who are left by any capture or promotion, with their table.
    pub(crate) behind: Vec<(Vec<Man>, Arc<Table>)>,
}

impl Input {
    /// The tables, found in `lookup`: those of the metric `dtz50`, in chess bare kings among them, and at
    /// least a part of those that are promoted into.
    pub(crate) fn new(
        family: Family,
        variant: &Variant,
        material: &Material,
        lookup: &dyn Lookup,
    ) -> Result<Self, SyzygyError> {
        let layout = Arc::new(Layout::new(variant, &material.canonical(variant)));
        let codes = codes(family, variant, layout.men()).filter(|_| layout.n_squares() == 64);
        let codes = codes.ok_or_else(|| SyzygyError::Unknown { variant: variant.name.clone() })?;
        let book = RuleBook::new(variant);
        let (mut behind_exits, mut behind) = (Vec::new(), Vec::new());
        let mut promoted = Vec::new();
        if family == Family::Chess {
            let changes: BTreeSet<Change> =
                exits(variant, layout.men()).into_iter().map(|exit| exit.change).collect();
            let captures;
            (captures, promoted) = changes.into_iter().partition::<Vec<Change>, _>(|change| change.gone != 0);
            for change in captures {
                let table = BehindExit::new(variant, layout.men(), change).find(variant, lookup)?;
                behind_exits.push((change, table));
            }
        } else if family.looks_at_moves() {
            for men in men_behind(family, variant, layout.men()) {
                let table = find(variant, lookup, &Material::from_men(men.iter().copied()), None)?;
                behind.push((men, table));
            }
        }
        // Of a symmetric material White is to move.
        promoted.retain(|change| {
            change.promoted.is_some_and(|(pawn, _)| layout.sides().contains(&layout.men()[pawn].side))
        });
        let promotions = Promotions::new(&book, &layout, &promoted, lookup)?;
        Ok(Input {
            family,
            rule_plies: if family == Family::Other { rule_plies(variant) } else { RULE_PLIES },
            book,
            layout,
            codes,
            exits: behind_exits,
            promotions,
            behind,
        })
    }

    /// How many files the leading pawn may stand on; one without pawns, which means nothing.
    pub(crate) fn n_files(&self) -> usize {
        if leading_pawn(&self.codes).is_some() { 4 } else { 1 }
    }
}

/// Every choice of men that one move can leave and that has a file.
fn men_behind(family: Family, variant: &Variant, men: &[Man]) -> BTreeSet<Vec<Man>> {
    let has_table = |change: &Change| Target::new(variant, men, [0; 2], *change).is_some();
    let changes = exits(variant, men).into_iter().map(|exit| exit.change).filter(has_table);
    let has_file = |men: &Vec<Man>| family.n_men().contains(&men.len());
    changes.map(|change| change.apply(men)).filter(has_file).collect()
}

/// The material that a change leads to, and the part of its table that is asked for.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct BehindExit {
    material: Material,
    part: Option<TablePart>,
}

impl BehindExit {
    /// What a change of these men leads to.
    fn new(variant: &Variant, men: &[Man], change: Change) -> Self {
        let part = Target::new(variant, men, [0; 2], change).and_then(|target| target.part);
        BehindExit { material: Material::from_men(change.apply(men)).canonical(variant), part }
    }

    /// The part, or the whole table.
    fn find(&self, variant: &Variant, lookup: &dyn Lookup) -> Result<Arc<Table>, SyzygyError> {
        find(variant, lookup, &self.material, self.part.as_ref())
    }
}

/// The table of a material, or the part of it that is asked for.
pub(crate) fn find(
    variant: &Variant,
    lookup: &dyn Lookup,
    material: &Material,
    part: Option<&TablePart>,
) -> Result<Arc<Table>, SyzygyError> {
    let material = material.canonical(variant);
    let missing = || SyzygyError::Missing { material: material.name(variant) };
    lookup.table(&material, part).ok_or_else(missing)
}

/// On which squares of the man who varies some promotion leads to a win, and on which to a cursed one.
///
/// A pawn that is promoted leads to a table of as many men, which is as large as the material's own. Of all
/// that it says two bits are of use: whether the promotion wins, and whether the n-move rule spoils that.
/// And they are of use only where a pawn stands before its last step, in a sixth of the slices of either
/// side:
///
/// ```text
///   for each table that is promoted into     the part of it where the new man stands on the last rank
///     for each slice with the pawn before it   a row of it for each row of the slice ─► two bits a placement
/// ```
///
/// So these tables are in memory one after the other, before the material's own.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct PromotionRow {
    pub(crate) won: u64,
    pub(crate) cursed: u64,
}

/// What promotions without capture are worth, for all placements of a layout.
#[derive(Debug)]
pub(crate) struct Promotions {
    /// By side to move and slice: a mark for each row, or nothing where no pawn is before its last step.
    by_side: [Vec<Vec<PromotionRow>>; 2],
}

impl Promotions {
    /// Looks up what these changes, all of them promotions without capture, lead to.
    fn new(
        book: &RuleBook,
        layout: &Layout,
        changes: &[Change],
        lookup: &dyn Lookup,
    ) -> Result<Self, SyzygyError> {
        let none = || vec![Vec::new(); layout.n_slices()];
        let mut promotions = Promotions { by_side: [none(), none()] };
        let mut by_table: BTreeMap<BehindExit, Vec<Change>> = BTreeMap::new();
        for &change in changes {
            by_table.entry(BehindExit::new(book.variant(), layout.men(), change)).or_default().push(change);
        }
        for (behind, changes) in by_table {
            let table = behind.find(book.variant(), lookup)?;
            changes.into_iter().for_each(|change| promotions.add(book, layout, change, &table));
        }
        Ok(promotions)
    }

    fn add(&mut self, book: &RuleBook, layout: &Layout, change: Change, table: &Table) {
        let (Some((place, piece)), Some(after)) = (change.promoted, change.promoted_place()) else { return };
        let man: Man = layout.men()[place];
        let pawn = Pawn::new(book, place, man);
        let men_left = change.apply(layout.men());
        let view = View::of_table(table, &men_left, Some(after)).expect("the table is that of these men");
        let n_rows = layout.slice_len() / ROW;
        for slice in layout.slices() {
            let own = layout.pawns().iter().position(|&own| own == place).expect("a pawn is promoted");
            let from = layout.pawn_squares(slice)[own];
            for step in pawn.steps[from.index()].iter().filter(|step| step.promotion == Some(piece)) {
                let rows = &mut self.by_side[man.side.index()][slice.index()];
                rows.resize(n_rows, PromotionRow::default());
                threads::for_each_element(rows, |number, marks| {
                    let Some(row) = Row::new(layout, slice.index() * n_rows + number) else { return };
                    if row.occupied & step.crossed() != 0 {
                        return;
                    }
                    let (after, n) = row.after(place, None, step.to);
                    let classes = classes(&view, !man.side, &after[..n], row.varying);
                    let may = !row.occupied & !step.crossed();
                    let of_class = |class: u8| {
                        let bits =
                            classes.iter().zip(0..).map(|(&own, square)| u64::from(own == class) << square);
                        bits.fold(0, |all, bit| all | bit) & may
                    };
                    marks.won |= of_class(4);
                    marks.cursed |= of_class(3);
                });
            }
        }
    }

    /// The marks of a row of a slice.
    pub(crate) fn row(&self, stm: Side, slice: SliceId, row: usize) -> PromotionRow {
        self.by_side[stm.index()]
            .get(slice.index())
            .and_then(|rows| rows.get(row))
            .copied()
            .unwrap_or_default()
    }
}

/// A row: where the men stand but for the one who varies.
pub(crate) struct Row {
    pub(crate) squares: [Square; MAX_MEN],
    pub(crate) n_men: usize,
    pub(crate) varying: usize,
    /// The squares of the men who do not vary.
    pub(crate) occupied: u64,
}

impl Row {
    /// The row of a layout with this number; none if two of its men share a square.
    pub(crate) fn new(layout: &Layout, number: usize) -> Option<Self> {
        let placement = layout.decode(number * ROW);
        let varying = *layout.free().last().expect("one of two kings is free");
        let (mut squares, mut occupied) = ([Square::from_index(0); MAX_MEN], 0u64);
        for (man, (square, own)) in squares.iter_mut().zip(placement.iter().copied()).enumerate() {
            *square = own;
            if man != varying {
                if occupied >> own.index() & 1 != 0 {
                    return None;
                }
                occupied |= 1 << own.index();
            }
        }
        Some(Row { squares, n_men: layout.men().len(), varying, occupied })
    }

    pub(crate) fn square(&self, man: usize) -> u8 {
        self.squares[man].index() as u8
    }

    /// The row with the man who varies on a square.
    pub(crate) fn with(&self, square: usize) -> Row {
        let mut squares = self.squares;
        squares[self.varying] = Square::from_index(square);
        Row { squares, ..*self }
    }

    /// The squares of the men that are left after a move, and how many they are.
    pub(crate) fn after(
        &self,
        mover: usize,
        victim: Option<usize>,
        to: Square,
    ) -> ([Square; MAX_MEN], usize) {
        let (mut after, mut n) = ([Square::from_index(0); MAX_MEN], 0);
        for (place, &square) in self.squares[..self.n_men].iter().enumerate() {
            if Some(place) != victim {
                after[n] = if place == mover { to } else { square };
                n += 1;
            }
        }
        (after, n)
    }
}

/// What moves to the placements of a row are worth, 0 loss to 4 win; 0 for no move too.
pub(crate) fn classes(view: &View<'_>, stm: Side, squares: &[Square], varying: usize) -> [u8; ROW] {
    let mut worths = [0; ROW];
    view.rows(stm, squares, None, varying).codes::<ROW>(Square::from_index(0)).worths(&mut worths);
    worths.map(class)
}

/// A pawn of a side to move.
pub(crate) struct Pawn {
    /// His place among the men.
    pub(crate) place: usize,
    /// His moves without capture from each square.
    pub(crate) steps: Vec<Vec<PawnStep>>,
}

/// A pawn's move without capture.
pub(crate) struct PawnStep {
    pub(crate) to: Square,
    pub(crate) promotion: Option<PieceId>,
    /// The square that a double step passes over.
    pub(crate) passed: Option<Square>,
}

impl Pawn {
    /// The pawn at this place, alone on the board.
    pub(crate) fn new(book: &RuleBook, place: usize, man: Man) -> Self {
        let from = |square: usize| {
            let position = Position::from_men([(man, Square::from_index(square))], man.side);
            let moves = position.map_or_else(Vec::new, |position| position.legal_moves(book));
            moves
                .iter()
                .map(|mv| PawnStep { to: mv.to, promotion: mv.promotion, passed: mv.passed })
                .collect()
        };
        Pawn { place, steps: (0..ROW).map(from).collect() }
    }
}

impl PawnStep {
    /// The squares that must be free.
    pub(crate) fn crossed(&self) -> u64 {
        self.passed.map_or(0, |passed| 1 << passed.index()) | 1 << self.to.index()
    }
}
