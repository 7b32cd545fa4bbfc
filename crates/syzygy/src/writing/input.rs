//! Gathers what the files of a material are made of: its own table, and those that captures and promotions
//! lead to.

use super::finder::Numbering;
use crate::error::SyzygyError;
use crate::family::Family;
use crate::material::code::PieceCode;
use crate::material::codes;
use crate::score::{RULE_PLIES, rule_plies};
use exit::{Change, Target, exits};
use index::Layout;
use position::RuleBook;
use std::collections::BTreeSet;
use std::sync::Arc;
use table::{Lookup, Table};
use variant::{Man, Material, Side, Variant};

/// The tables that the men of a material can come to by captures and promotions, with their own.
pub(crate) struct Input {
    pub(crate) family: Family,
    pub(crate) book: RuleBook,
    /// Plies of the n-move rule.
    pub(crate) rule_plies: u16,
    pub(crate) layout: Arc<Layout>,
    pub(crate) table: Arc<Table>,
    /// The codes of the layout's men.
    codes: Vec<PieceCode>,
    numbering: Numbering,
    /// In chess every capture and promotion with the table that it leads to, or of promotions a part of it.
    pub(crate) exits: Vec<(Change, Arc<Table>)>,
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
        let find = |material: Material| {
            let material = material.canonical(variant);
            let missing = || SyzygyError::Missing { material: material.name(variant) };
            lookup.table(&material).ok_or_else(missing)
        };
        let table = find(material.clone())?;
        let layout = table.layout().clone();
        let codes = codes(family, variant, layout.men()).filter(|_| layout.n_squares() == 64);
        let codes = codes.ok_or_else(|| SyzygyError::Unknown { variant: variant.name.clone() })?;
        let (mut behind_exits, mut behind) = (Vec::new(), Vec::new());
        if family == Family::Chess {
            let changes: BTreeSet<Change> =
                exits(variant, layout.men()).into_iter().map(|exit| exit.change).collect();
            for change in changes {
                let part = Target::new(variant, layout.men(), change).and_then(|target| {
                    let part = target.part?;
                    lookup.part(&target.material, part.man, part.squares)
                });
                let table = match part {
                    Some(part) => part,
                    None => find(Material::from_men(change.apply(layout.men())))?,
                };
                behind_exits.push((change, table));
            }
        } else if family.looks_at_moves() {
            for men in men_behind(family, variant, layout.men()) {
                let table = find(Material::from_men(men.iter().copied()))?;
                behind.push((men, table));
            }
        }
        Ok(Input {
            family,
            book: RuleBook::new(variant),
            rule_plies: if family == Family::Other { rule_plies(variant) } else { RULE_PLIES },
            numbering: Numbering::new(layout.clone(), &codes),
            layout,
            table,
            codes,
            exits: behind_exits,
            behind,
        })
    }

    /// The numbers of the slots.
    pub(crate) fn numbering(&self) -> &Numbering {
        &self.numbering
    }

    /// The codes of the men, in the order of the layout.
    pub(crate) fn codes(&self) -> &[PieceCode] {
        &self.codes
    }

    /// The sides to move that are kept: White alone if the material is symmetric.
    pub(crate) fn sides(&self) -> Vec<Side> {
        self.table.sides().collect()
    }
}

/// Every choice of men that one move can leave and that has a file.
fn men_behind(family: Family, variant: &Variant, men: &[Man]) -> BTreeSet<Vec<Man>> {
    let has_table = |change: &Change| Target::new(variant, men, *change).is_some();
    let changes = exits(variant, men).into_iter().map(|exit| exit.change).filter(has_table);
    let has_file = |men: &Vec<Man>| family.n_men().contains(&men.len());
    changes.map(|change| change.apply(men)).filter(has_file).collect()
}
