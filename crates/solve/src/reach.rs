//! Looks up the tables behind the exits of a material, and shows each as a view in the material's own terms.

use crate::SolveError;
use exit::{Change, Target, exits, targets};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use table::{Lookup, Table, Value, View};
use variant::{Man, Material, Variant};

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
        let mut found: Vec<(Target, Arc<Table>)> = Vec::new();
        for target in targets(variant, &material) {
            let table = match &target.part {
                None => lookup.table(&target.material),
                Some(part) => lookup.part(&target.material, part.man, part.squares),
            };
            let table = table.ok_or_else(|| SolveError::Missing {
                material: material.name(variant),
                needed: target.material.name(variant),
            })?;
            found.push((target, table));
        }
        let behind = |change: Change| {
            let men_left = change.apply(men);
            if let Some(verdicts) = variant.constant(&Material::from_men(men_left.iter().copied())) {
                return (change, Behind::Constant(verdicts.map(Value::at_end)));
            }
            let target = Target::new(variant, men, change).expect("the men do not decide the game");
            let serves = |own: &Target| {
                own.material == target.material && (own.part.is_none() || own.part == target.part)
            };
            let table = found.iter().find(|(own, _)| serves(own)).map(|(_, table)| table.clone());
            let table = table.expect("every change has its table among the targets");
            (change, Behind::Table { men: men_left, promoted: change.promoted_place(), table })
        };
        let changes: BTreeSet<Change> = exits(variant, men).into_iter().map(|exit| exit.change).collect();
        Ok(Reach { tables: changes.into_iter().map(behind).collect() })
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
