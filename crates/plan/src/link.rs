//! Links a material to the tables that its exits lead to.

use std::collections::BTreeSet;
use variant::exit::{Exit, Reason, Target, exits};
use variant::{Man, Material, Side, Variant};

/// A reason why one table needs another.
pub(crate) struct Link {
    pub(crate) reason: Reason,
    pub(crate) target: Target,
    /// The side to move behind the exit, as the target's table has it.
    pub(crate) stm: Side,
}

/// The links of a material in the order of its exits, those of like men once. Exits without a table are left
/// out.
pub(crate) fn links(variant: &Variant, material: &Material) -> Vec<Link> {
    let men: Vec<Man> = material.men().collect();
    let mut found = BTreeSet::new();
    let link = |exit: Exit| {
        let left = Material::from_men(exit.change.apply(&men));
        if !found.insert((exit.reason, left.clone())) {
            return None;
        }
        let target = Target::new(variant, &men, exit.change)?;
        let mover = exit.reason.mover();
        let stm = match () {
            // A symmetric table has White to move only.
            () if target.material.is_one_sided(variant) => Side::White,
            () if target.material == left => !mover,
            () => mover,
        };
        Some(Link { reason: exit.reason, target, stm })
    };
    exits(variant, &men).into_iter().filter_map(link).collect()
}
