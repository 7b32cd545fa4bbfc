//! The tables that a material's captures and promotions lead to, each as a view in the material's own terms.

use crate::SolveError;
use std::collections::BTreeMap;
use std::sync::Arc;
use table::{Lookup, Table, View};
use variant::{Man, Material, PieceId, Variant};

/// What a move out of the material changes: which man is gone, and which pawn has become what.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Change {
    /// The place of the captured man among the layout's men.
    pub(crate) captured: Option<usize>,
    /// The place of the promoted pawn, and what it becomes.
    pub(crate) promoted: Option<(usize, PieceId)>,
}

/// The tables behind all changes that can happen to a material.
#[derive(Debug)]
pub(crate) struct Reach {
    tables: BTreeMap<Change, (Vec<Man>, Arc<Table>)>,
}

impl Reach {
    pub(crate) fn new(variant: &Variant, men: &[Man], lookup: &dyn Lookup) -> Result<Self, SolveError> {
        let mut tables = BTreeMap::new();
        for change in changes(variant, men) {
            let changed = apply(men, change);
            let needed = Material::from_men(changed.iter().copied()).canonical();
            let table = lookup.table(&needed).ok_or_else(|| SolveError::Missing {
                material: Material::from_men(men.iter().copied()).name(variant),
                needed: needed.name(variant),
            })?;
            tables.insert(change, (changed, table));
        }
        Ok(Reach { tables })
    }

    /// The view of the table that a change leads to: its men are the material's, changed.
    pub(crate) fn views(&self) -> BTreeMap<Change, View<'_>> {
        self.tables
            .iter()
            .map(|(&change, (men, table))| {
                (change, View::of_table(table, men).expect("the lookup gives the table that was asked for"))
            })
            .collect()
    }
}

/// Every change that a move can make: a capture, a promotion, or both at once.
fn changes(variant: &Variant, men: &[Man]) -> Vec<Change> {
    let capturable = |i: &usize| !variant.is_royal(men[*i]);
    let mut changes: Vec<Change> =
        (0..men.len()).filter(capturable).map(|i| Change { captured: Some(i), promoted: None }).collect();
    for (pawn, &man) in men.iter().enumerate() {
        let Some(rules) = variant.pawn_rules(man) else { continue };
        for &piece in &rules.promotes_to {
            let promoted = Some((pawn, piece));
            changes.push(Change { captured: None, promoted });
            let captures = variant.movement(man).rays().iter().any(|r| r.capture);
            for victim in (0..men.len()).filter(capturable) {
                let meet = !variant.zone(men[victim]).intersection(rules.promotion).is_empty();
                if captures && meet && men[victim].side != man.side {
                    changes.push(Change { captured: Some(victim), promoted });
                }
            }
        }
    }
    changes
}

/// The men once a change has happened, in the same order.
fn apply(men: &[Man], change: Change) -> Vec<Man> {
    let become_what = |(i, &man): (usize, &Man)| match change.promoted {
        Some((pawn, piece)) if pawn == i => Man { piece, ..man },
        _ => man,
    };
    let stays = |(i, _): &(usize, Man)| change.captured != Some(*i);
    men.iter().enumerate().map(become_what).enumerate().filter(stays).map(|(_, man)| man).collect()
}
