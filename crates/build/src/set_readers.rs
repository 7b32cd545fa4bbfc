//! Says which tables of a set read each of them, for the builds that make the set together.
//!
//! A build that makes one table of a set plans no more than what that table is made from. Which side to move
//! its files may leave out depends on the tables that are made from it, elsewhere or later.

use plan::Plan;
use std::collections::BTreeMap;
use variant::{Material, Side};

/// Which tables of a set read each of them, and with which sides to move.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct SetReaders(BTreeMap<Material, Readers>);

#[derive(Clone, PartialEq, Eq, Default, Debug)]
struct Readers {
    /// By side to move.
    is_asked_for: [bool; 2],
    by: Vec<Material>,
}

impl SetReaders {
    /// Those of the tables of a plan.
    #[must_use]
    pub fn new(plan: &Plan) -> Self {
        let mut tables: BTreeMap<Material, Readers> = BTreeMap::new();
        for job in plan.jobs() {
            for need in job.needs.iter().filter(|need| !need.is_drawn) {
                let readers = tables.entry(need.material.clone()).or_default();
                for stm in Side::BOTH {
                    readers.is_asked_for[stm.index()] |= need.asks_for(stm);
                }
                // The parts of a table that a job reads follow one another.
                if readers.by.last() != Some(&job.material) {
                    readers.by.push(job.material.clone());
                }
            }
        }
        SetReaders(tables)
    }

    /// Whether a table of the set reads this one with this side to move.
    #[must_use]
    pub fn ask_for(&self, material: &Material, stm: Side) -> bool {
        self.0.get(material).is_some_and(|readers| readers.is_asked_for[stm.index()])
    }

    /// The tables that are made from this one.
    #[must_use]
    pub fn of(&self, material: &Material) -> &[Material] {
        self.0.get(material).map_or(&[], |readers| &readers.by)
    }
}

#[cfg(test)]
mod tests {
    use super::SetReaders;
    use plan::{Plan, Request};
    use variant::{Material, Side, Variant};

    #[track_caller]
    fn check(material: &str, sides: &str, by: &[&str]) {
        let chess = Variant::chess();
        let parse = |name: &str| Material::parse(&chess, name).expect("a material");
        let wanted = ["KQvKP", "KRPvK"].map(parse);
        let plan = Plan::new(&chess, &Request::Tables(wanted.into())).expect("a plan");
        let (readers, material) = (SetReaders::new(&plan), parse(material));
        let letter = |stm: &Side| if *stm == Side::White { 'w' } else { 'b' };
        let asked = Side::BOTH.into_iter().filter(|&stm| readers.ask_for(&material, stm));
        assert_eq!(asked.map(|stm| letter(&stm)).collect::<String>(), sides);
        let mut found: Vec<String> = readers.of(&material).iter().map(|by| by.name(&chess)).collect();
        found.sort();
        assert_eq!(found, by);
    }

    #[test]
    fn readers_of_a_table_are_those_of_the_whole_set() {
        // Black's pawn becomes a rook; White's pawn is captured.
        check("KQvKR", "w", &["KQvKP"]);
        check("KQRvK", "b", &["KRPvK"]);
        check("KRPvK", "", &[]);
        // The rook is captured; the queen is, with the colours exchanged.
        check("KPvK", "wb", &["KQvKP", "KRPvK"]);
    }
}
