//! Gathers what the files of a material are made of beside its own table: what captures and promotions lead
//! to.

use super::behind::{BehindExit, TableBehind, find};
use super::promotion::Promotions;
use crate::error::SyzygyError;
use crate::family::Family;
use crate::material::code::{PieceCode, leading_pawn};
use crate::material::codes;
use crate::score::{RULE_PLIES, rule_plies};
use index::Layout;
use position::RuleBook;
use std::collections::BTreeSet;
use std::sync::Arc;
use table::Lookup;
use variant::exit::{Change, Target, exits};
use variant::{Man, Material, Variant};

/// What the men of a material can come to by captures and promotions.
pub(crate) struct Input {
    pub(crate) family: Family,
    pub(crate) book: RuleBook,
    /// Plies of the n-move rule.
    pub(crate) rule_plies: u16,
    /// The numbering of all placements.
    pub(crate) layout: Arc<Layout>,
    /// The codes of the layout's men.
    codes: Vec<PieceCode>,
    /// In chess every capture with the table that it leads to, or a part of it.
    pub(crate) exits: Vec<(Change, TableBehind)>,
    /// In chess what promotions without capture are worth.
    pub(crate) promotions: Promotions,
    /// In other games the men who are left by any capture or promotion, with their table.
    pub(crate) behind: Vec<(Vec<Man>, TableBehind)>,
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
                let table = find(variant, lookup, &Material::from_men(men.iter().copied()))?;
                behind.push((men, table));
            }
        }
        // Of a symmetric material White is to move.
        promoted.retain(|change| {
            change.promoted.is_some_and(|(pawn, _)| layout.sides().contains(&layout.men()[pawn].side))
        });
        let promotions = Promotions::new(&book, &layout, &promoted, &|behind| behind.find(variant, lookup))?;
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

    /// The codes of the men, in the order of the layout.
    pub(crate) fn codes(&self) -> &[PieceCode] {
        &self.codes
    }
}

/// Every choice of men that one move can leave and that has a file.
fn men_behind(family: Family, variant: &Variant, men: &[Man]) -> BTreeSet<Vec<Man>> {
    let has_table = |change: &Change| Target::new(variant, men, *change).is_some();
    let changes = exits(variant, men).into_iter().map(|exit| exit.change).filter(has_table);
    let has_file = |men: &Vec<Man>| family.n_men().contains(&men.len());
    changes.map(|change| change.apply(men)).filter(has_file).collect()
}
