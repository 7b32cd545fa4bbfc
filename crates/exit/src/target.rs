//! Finds the table, and the part of it, that an exit leads to.

use crate::{Change, exits};
use geometry::SquareSet;
use variant::{Man, Material, Side, Variant};

/// The table, or the part of one, that an exit leads to.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Target {
    /// The canonical material of the table.
    pub material: Material,
    /// The part that is enough; none if the whole table is needed.
    pub part: Option<TablePart>,
}

/// The part of a table in which such a man stands on one of some squares and the other side is to move.
///
/// A capture may lead anywhere in its table. A promotion leads only to where the new man stands on a
/// promotion square and the other side is to move: in chess an eighth of one side's codes (less than half
/// where all eight symmetries count), and those are the largest tables that a material needs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TablePart {
    /// The man, in the colours of the table.
    pub man: Man,
    /// His squares, in the colours of the table.
    pub squares: SquareSet,
}

impl Target {
    /// The target of a change to these men; none if the men who are left decide the game, so that there is no
    /// table.
    #[must_use]
    pub fn new(variant: &Variant, men: &[Man], change: Change) -> Option<Self> {
        let left = change.apply(men);
        let own = Material::from_men(left.iter().copied());
        if variant.constant(&own).is_some() {
            return None;
        }
        let material = own.canonical(variant);
        let part = change.promoted.zip(change.promoted_place()).and_then(|((pawn, _), place)| {
            let man = left[place];
            // A symmetric table has White to move only, so it is Black who has promoted.
            let side = match () {
                () if material.is_one_sided(variant) => Side::Black,
                () if own == material => man.side,
                () => !man.side,
            };
            let squares = variant.pawn_rules(Man { side, ..men[pawn] })?.promotion;
            Some(TablePart { man: Man { side, ..man }, squares })
        });
        Some(Target { material, part })
    }
}

/// The targets of all exits of a material: each table once, and the whole of it if any exit needs that.
#[must_use]
pub fn targets(variant: &Variant, material: &Material) -> Vec<Target> {
    let men: Vec<Man> = material.men().collect();
    let mut targets: Vec<Target> = Vec::new();
    for target in exits(variant, &men).iter().filter_map(|exit| Target::new(variant, &men, exit.change)) {
        if !targets.contains(&target) {
            targets.push(target);
        }
    }
    let whole: Vec<Material> =
        targets.iter().filter(|target| target.part.is_none()).map(|target| target.material.clone()).collect();
    targets.retain(|target| target.part.is_none() || !whole.contains(&target.material));
    targets
}
