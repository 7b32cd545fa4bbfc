//! The tables that a material's captures and promotions lead to, each as a view in the material's own terms.
//!
//! A capture may lead anywhere in its table. A promotion leads only to where the new man stands on a
//! promotion square and the other side is to move: a part of the table, an eighth of one side's codes in
//! chess (less than half where all eight symmetries count), and those are the largest tables that a material
//! needs.

use crate::SolveError;
use geometry::SquareSet;
use std::collections::BTreeMap;
use std::sync::Arc;
use table::{Lookup, Table, Value, View};
use variant::{Man, Material, PieceId, Side, Variant};

/// A table, or a part of one, that solving a material reads.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Need {
    /// The canonical material of the table.
    pub material: Material,
    /// Of which such a man, on one of these squares, is enough, the other side being to move; none if the
    /// whole table is needed.
    pub part: Option<(Man, SquareSet)>,
}

/// What solving a material asks its lookup for: each table once, and the whole of it if any move needs that.
#[must_use]
pub fn needs(variant: &Variant, material: &Material) -> Vec<Need> {
    let men: Vec<Man> = material.men().collect();
    let mut needs: Vec<Need> = Vec::new();
    let is_table = |change: &Change| variant.constant(&Material::from_men(apply(&men, *change))).is_none();
    for change in changes(variant, &men).into_iter().filter(is_table) {
        let need = need_of(variant, &men, change);
        if !needs.contains(&need) {
            needs.push(need);
        }
    }
    let whole: Vec<Material> =
        needs.iter().filter(|need| need.part.is_none()).map(|need| need.material.clone()).collect();
    needs.retain(|need| need.part.is_none() || !whole.contains(&need.material));
    needs
}

/// What a move out of the material changes: which men are gone, and which pawn has become what.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Change {
    /// By their places among the layout's men: those that are gone, as bits.
    pub(crate) gone: u16,
    /// The place of the promoted pawn, and what it becomes.
    pub(crate) promoted: Option<(usize, PieceId)>,
}

impl Change {
    /// A man is captured or none, and a pawn is promoted or none.
    pub(crate) fn new(captured: Option<usize>, promoted: Option<(usize, PieceId)>) -> Self {
        Change { gone: captured.map_or(0, |man| 1 << man), promoted }
    }

    fn has_gone(self, man: usize) -> bool {
        self.gone >> man & 1 == 1
    }
}

/// The tables behind all changes that can happen to a material.
#[derive(Debug)]
pub(crate) struct Reach {
    tables: BTreeMap<Change, Behind>,
}

/// What is behind a change.
#[derive(Debug)]
enum Behind {
    Table {
        men: Vec<Man>,
        /// The place among them of the man that was a pawn.
        promoted: Option<usize>,
        table: Arc<Table>,
    },
    /// The men alone say it: by side to move.
    Constant([Value; 2]),
}

impl Reach {
    pub(crate) fn new(variant: &Variant, men: &[Man], lookup: &dyn Lookup) -> Result<Self, SolveError> {
        let material = Material::from_men(men.iter().copied());
        let mut found: Vec<(Need, Arc<Table>)> = Vec::new();
        for need in needs(variant, &material) {
            let table = match need.part {
                None => lookup.table(&need.material),
                Some((man, squares)) => lookup.part(&need.material, man, squares),
            };
            let table = table.ok_or_else(|| SolveError::Missing {
                material: material.name(variant),
                needed: need.material.name(variant),
            })?;
            found.push((need, table));
        }
        let behind = |change: Change| {
            let left = apply(men, change);
            if let Some(verdicts) = variant.constant(&Material::from_men(left.iter().copied())) {
                return (change, Behind::Constant(verdicts.map(Value::at_end)));
            }
            let need = need_of(variant, men, change);
            let serves =
                |own: &Need| own.material == need.material && (own.part.is_none() || own.part == need.part);
            let table = found.iter().find(|(own, _)| serves(own)).map(|(_, table)| table.clone());
            let promoted = change.promoted.map(|(pawn, _)| place_after(pawn, change));
            let table = table.expect("every change has its table among the needs");
            (change, Behind::Table { men: left, promoted, table })
        };
        Ok(Reach { tables: changes(variant, men).into_iter().map(behind).collect() })
    }

    /// The view of the table that a change leads to: its men are the material's, changed.
    pub(crate) fn views(&self) -> BTreeMap<Change, View<'_>> {
        self.tables.iter().map(|(&change, behind)| (change, behind.view())).collect()
    }
}

impl Behind {
    fn view(&self) -> View<'_> {
        let view = match self {
            Behind::Constant(values) => return View::constant(*values),
            Behind::Table { men, promoted: Some(promoted), table } => View::of_part(table, men, *promoted),
            Behind::Table { men, promoted: None, table } => View::of_table(table, men),
        };
        view.expect("the lookup gives the table that was asked for")
    }
}

/// What a change leads to.
fn need_of(variant: &Variant, men: &[Man], change: Change) -> Need {
    let changed = apply(men, change);
    let own = Material::from_men(changed.iter().copied());
    let material = own.canonical(variant);
    let part = change.promoted.and_then(|(pawn, _)| {
        let man = changed[place_after(pawn, change)];
        // A symmetric table has White to move only, so that it is Black who has promoted.
        let side = match () {
            () if variant.is_colour_symmetric() && material.is_symmetric() => Side::Black,
            () if own == material => man.side,
            () => !man.side,
        };
        let squares = variant.pawn_rules(Man { side, ..men[pawn] })?.promotion;
        Some((Man { side, ..man }, squares))
    });
    Need { material, part }
}

/// The place of a man among those that are left.
fn place_after(man: usize, change: Change) -> usize {
    man - (change.gone & ((1 << man) - 1)).count_ones() as usize
}

/// Every change that a move can make: a capture, a promotion, or both at once; or an explosion, or a
/// promotion.
fn changes(variant: &Variant, men: &[Man]) -> Vec<Change> {
    let capturable = |i: &usize| !variant.is_royal(men[*i]);
    let explodes = variant.rules.blast.is_some();
    let mut changes: Vec<Change> = match &variant.rules.blast {
        None => (0..men.len()).filter(capturable).map(|i| Change::new(Some(i), None)).collect(),
        Some(blast) => explosions(variant, men, blast),
    };
    for (pawn, &man) in men.iter().enumerate() {
        let Some(rules) = variant.pawn_rules(man) else { continue };
        let enemies = (0..men.len()).filter(capturable).filter(|&i| men[i].side != man.side);
        let promotes = |captured: &Option<usize>| {
            !variant.promotion_squares(man, captured.map(|victim| men[victim])).is_empty()
        };
        let captured: Vec<Option<usize>> =
            [None].into_iter().chain(enemies.map(Some).filter(|_| !explodes)).filter(promotes).collect();
        for &piece in &rules.promotes_to {
            let promoted = Some((pawn, piece));
            changes.extend(captured.iter().map(|&captured| Change::new(captured, promoted)));
        }
    }
    changes
}

/// Every set of men that can be gone after a capture that explodes, royal men left: of a captor, a victim,
/// and others that do not stay. Not all of them can stand so.
fn explosions(variant: &Variant, men: &[Man], blast: &variant::Blast) -> Vec<Change> {
    let bits = |keep: &dyn Fn(usize) -> bool| {
        (0..men.len()).filter(|&i| keep(i)).fold(0u16, |bits, i| bits | 1 << i)
    };
    let royal = bits(&|i| variant.is_royal(men[i]));
    let stays = bits(&|i| variant.is_pawn(men[i]) || blast.immune.contains(&men[i].piece)) | royal;
    let of = |side| bits(&|i| men[i].side == side) & !royal;
    let [white, black] = Side::BOTH.map(of);
    let is_left = |gone: &u16| {
        let (whites, blacks) = ((gone & white).count_ones(), (gone & black).count_ones());
        let (fixed_whites, fixed_blacks) =
            ((gone & white & stays).count_ones(), (gone & black & stays).count_ones());
        gone & royal == 0 && whites >= 1 && blacks >= 1 && fixed_whites <= 1 && fixed_blacks <= 1
    };
    (0..1u16 << men.len()).filter(is_left).map(|gone| Change { gone, promoted: None }).collect()
}

/// The men once a change has happened, in the same order.
fn apply(men: &[Man], change: Change) -> Vec<Man> {
    let become_what = |(i, &man): (usize, &Man)| match change.promoted {
        Some((pawn, piece)) if pawn == i => Man { piece, ..man },
        _ => man,
    };
    let stays = |(i, _): &(usize, Man)| !change.has_gone(*i);
    men.iter().enumerate().map(become_what).enumerate().filter(stays).map(|(_, man)| man).collect()
}
