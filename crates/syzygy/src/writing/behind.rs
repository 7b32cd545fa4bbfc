//! Finds the table that a move leads to, or the part of it that is asked for.

use crate::error::SyzygyError;
use geometry::SquareSet;
use std::sync::Arc;
use table::{Lookup, Table};
use variant::exit::{Change, Target};
use variant::{Man, Material, Variant};

/// A table that a move leads to, or a part of it.
pub(crate) type TableBehind = Arc<Table>;

/// The material that a change leads to, and the part of its table that is asked for.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct BehindExit {
    material: Material,
    /// The new man and the bits of the squares on which he may stand.
    part: Option<(Man, u128)>,
}

impl BehindExit {
    /// What a change of these men leads to.
    pub(crate) fn new(variant: &Variant, men: &[Man], change: Change) -> Self {
        let target = Target::new(variant, men, change);
        let part = target.and_then(|target| target.part.map(|part| (target.material, part)));
        match part {
            Some((material, part)) => BehindExit { material, part: Some((part.man, part.squares.bits())) },
            None => {
                BehindExit { material: Material::from_men(change.apply(men)).canonical(variant), part: None }
            }
        }
    }

    /// The part, or the whole table.
    pub(crate) fn find(&self, variant: &Variant, lookup: &dyn Lookup) -> Result<TableBehind, SyzygyError> {
        let part = self
            .part
            .and_then(|(man, squares)| lookup.part(&self.material, man, SquareSet::from_bits(squares)));
        part.map_or_else(|| find(variant, lookup, &self.material), Ok)
    }
}

/// The whole table of a material.
pub(crate) fn find(
    variant: &Variant,
    lookup: &dyn Lookup,
    material: &Material,
) -> Result<TableBehind, SyzygyError> {
    let material = material.canonical(variant);
    lookup.table(&material).ok_or_else(|| SyzygyError::Missing { material: material.name(variant) })
}
