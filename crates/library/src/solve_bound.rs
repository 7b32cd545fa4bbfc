//! Says what may be solved in memory for a question.

use plan::{Job, Plan, Request};
use variant::{Material, Variant};

/// What may be solved for a question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SolveBound {
    /// The most men of a position whose tables are solved.
    pub men: usize,
    /// The most men of a position with rights to castle that is solved where no file has it: few values,
    /// whatever the limit of values.
    pub men_with_rights: usize,
    /// The most values of all tables together that are solved for a material.
    pub values: u64,
    /// The most memory of all tables that are kept; those that were asked longest ago are dropped before
    /// others are solved.
    ///
    /// Units: bytes.
    pub kept_bytes: u64,
}

impl Default for SolveBound {
    /// All tables of four men of chess, which take a second or two and some hundred megabytes.
    fn default() -> Self {
        SolveBound { men: 4, men_with_rights: 4, values: 400_000_000, kept_bytes: 1 << 30 }
    }
}

/// How many values all tables that a material needs have together, or its own alone, if they are more than
/// this.
pub(crate) fn misfit(variant: &Variant, material: &Material, most: u64) -> Option<u64> {
    // The rules alone know what such a table holds; there is nothing to plan.
    if variant.is_always_drawn(material) || variant.constant(material).is_some() {
        return None;
    }
    let alone = Job::alone(variant, material.clone()).n_values();
    if alone > most {
        return Some(alone);
    }
    let plan = Plan::new(variant, &Request::Table(material.clone()));
    let all = plan.map_or(u64::MAX, |plan| plan.jobs().map(Job::n_values).sum::<u64>());
    (all > most).then_some(all)
}
