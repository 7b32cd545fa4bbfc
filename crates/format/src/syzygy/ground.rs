//! The tables that the files of a material are made of: its own, and those that captures and promotions lead to.

use super::chess::{Chessman, PAWN, PROMOTIONS, chessman, kind};
use super::cube::Cube;
use super::error::SyzygyError;
use index::Layout;
use std::sync::Arc;
use table::{Lookup, Table};
use variant::{Man, Material, Side, Variant};

/// The tables that the men of a material can come to by captures and promotions, with their own.
pub(super) struct Ground {
    pub(super) layout: Arc<Layout>,
    pub(super) table: Arc<Table>,
    men: Vec<Chessman>,
    cube: Cube,
    /// Every capture and promotion with the table that it leads to.
    pub(super) exits: Vec<(ExitKey, Arc<Table>)>,
}

/// Mover, victim, and what becomes of the mover.
pub(super) type ExitKey = (usize, Option<usize>, Option<Man>);

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
}

/// The men that are left after a move, in the order of the layout.
pub(super) fn left_men(layout: &Layout, (mover, victim, becomes): ExitKey) -> Vec<Man> {
    let own = |(place, &man): (usize, &Man)| if place == mover { becomes.unwrap_or(man) } else { man };
    let men = layout.men().iter().enumerate().filter(|(place, _)| Some(*place) != victim);
    men.map(own).collect()
}
