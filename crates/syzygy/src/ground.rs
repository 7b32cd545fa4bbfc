//! The tables that the files of a material are made of: its own, and those that captures and promotions lead
//! to.

use crate::board::{chessmen, rule_plies};
use crate::chess::{Chessman, KING, PAWN, chessman, kind, letter};
use crate::cube::Cube;
use crate::error::SyzygyError;
use crate::{Family, RULE_PLIES};
use index::Layout;
use std::collections::BTreeSet;
use std::sync::Arc;
use table::{Lookup, Table};
use variant::{Man, Material, PieceId, Side, Variant};

/// The tables that the men of a material can come to by captures and promotions, with their own.
pub(crate) struct Ground {
    pub(crate) family: Family,
    /// Plies of the n-move rule.
    pub(crate) rule_plies: u16,
    pub(crate) layout: Arc<Layout>,
    pub(crate) table: Arc<Table>,
    men: Vec<Chessman>,
    cube: Cube,
    /// In chess every capture and promotion with the table that it leads to.
    pub(crate) exits: Vec<(ExitKey, Arc<Table>)>,
    /// In other games all choices of men that captures and promotions leave, with their tables.
    pub(crate) leavings: Vec<(Leaving, Arc<Table>)>,
}

/// Mover, victim, and what becomes of the mover.
pub(crate) type ExitKey = (usize, Option<usize>, Option<Man>);

/// Men who are left after a move, as the variant has them and as chessmen.
pub(crate) struct Leaving {
    pub(crate) men: Vec<Man>,
    pub(crate) chessmen: Vec<Chessman>,
}

impl Ground {
    /// The tables, found in `lookup`: those of the metric `dtz50`, in chess bare kings among them.
    pub(crate) fn new(
        family: Family,
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
        let unknown = || SyzygyError::Unknown { variant: variant.name.clone() };
        let men = chessmen(family, variant, layout.men());
        let men = men.filter(|_| layout.n_squares() == 64).ok_or_else(unknown)?;
        let cube = Cube::new(family, &men);
        let (exits, leavings) = (Vec::new(), Vec::new());
        let rule_plies = if family == Family::Own { rule_plies(variant) } else { RULE_PLIES };
        let mut ground = Ground { family, rule_plies, layout, table, men, cube, exits, leavings };
        if !family.looks_at_moves() {
            return Ok(ground);
        }
        let keys = ground.exit_keys(variant);
        if family == Family::Chess {
            for key in keys {
                let material = Material::from_men(left_men(&ground.layout, key));
                ground.exits.push((key, find(&material)?));
            }
        } else {
            for men in ground.all_leavings(&keys) {
                let chessmen = men.iter().map(|&man| chessman(variant, man)).collect::<Option<_>>();
                let table = find(&Material::from_men(men.iter().copied()))?;
                ground.leavings.push((Leaving { men, chessmen: chessmen.ok_or_else(unknown)? }, table));
            }
        }
        Ok(ground)
    }

    /// Every capture and promotion.
    fn exit_keys(&self, variant: &Variant) -> Vec<ExitKey> {
        let (layout, men) = (&*self.layout, &self.men);
        let pieces = self.family.promotions().iter().filter_map(|&kind| variant.piece_lettered(letter(kind)));
        let pieces: Vec<PieceId> = pieces.collect();
        let is_royal = |i: usize| self.family.has_royal_kings() && kind(men[i]) == KING;
        let mut keys = Vec::new();
        for (mover, &man) in layout.men().iter().enumerate() {
            let foes = (0..men.len()).filter(|&i| layout.men()[i].side != man.side && !is_royal(i));
            for victim in foes.map(Some).chain((kind(men[mover]) == PAWN).then_some(None)) {
                let promoted = pieces.iter().map(|&piece| Some(Man { piece, ..man }));
                // A pawn that captures may stay one, but he cannot capture a pawn on the last rank.
                let may_promote =
                    kind(men[mover]) == PAWN && victim.is_none_or(|victim| kind(men[victim]) != PAWN);
                let stays = victim.map(|_| None);
                let all = stays.into_iter().chain(promoted.filter(|_| may_promote));
                keys.extend(all.map(|becomes| (mover, victim, becomes)));
            }
        }
        keys
    }

    /// All choices of men that moves leave and that have a file: each side has a man, and bare kings are
    /// drawn.
    fn all_leavings(&self, keys: &[ExitKey]) -> BTreeSet<Vec<Man>> {
        let mut all: BTreeSet<Vec<Man>> = BTreeSet::new();
        for &key in keys {
            match (self.family, key) {
                (Family::Atomic, (mover, Some(victim), _)) => {
                    let others: Vec<usize> =
                        (0..self.men.len()).filter(|i| ![mover, victim].contains(i)).collect();
                    let may_go = |i: usize| ![PAWN, KING].contains(&kind(self.men[i]));
                    for gone in 0..1usize << others.len() {
                        let is_gone = |at: usize| gone >> at & 1 != 0;
                        if (0..others.len()).any(|at| is_gone(at) && !may_go(others[at])) {
                            continue;
                        }
                        let stay = (0..others.len()).filter(|&at| !is_gone(at)).map(|at| others[at]);
                        all.insert(stay.map(|i| self.layout.men()[i]).collect());
                    }
                }
                _ => {
                    all.insert(left_men(&self.layout, key));
                }
            }
        }
        let has_both = |men: &Vec<Man>| Side::BOTH.iter().all(|&side| men.iter().any(|man| man.side == side));
        let is_table = |men: &Vec<Man>| has_both(men) && self.family.n_men().contains(&men.len());
        all.into_iter().filter(is_table).collect()
    }

    /// Where the slots stand.
    pub(crate) fn cube(&self) -> &Cube {
        &self.cube
    }

    /// The men in the order of the layout.
    pub(crate) fn men(&self) -> &[Chessman] {
        &self.men
    }

    /// The sides to move that are kept: White alone if the material is symmetric.
    pub(crate) fn sides(&self) -> Vec<Side> {
        self.table.sides().collect()
    }
}

/// The men that are left after a move, in the order of the layout.
pub(crate) fn left_men(layout: &Layout, (mover, victim, becomes): ExitKey) -> Vec<Man> {
    let own = |(place, &man): (usize, &Man)| if place == mover { becomes.unwrap_or(man) } else { man };
    let men = layout.men().iter().enumerate().filter(|(place, _)| Some(*place) != victim);
    men.map(own).collect()
}
