//! Describes a set of tables: what each needs and what it costs.

use serde::Serialize;

/// A table of a set.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct SetTable {
    /// Its name.
    pub name: String,
    /// The tables that it is made from, as places in the set; all of them come before it.
    pub needs: Vec<usize>,
    /// How long making it takes, roughly.
    pub seconds: f64,
    /// The memory that making it takes.
    pub memory_bytes: u64,
    /// The disk that it takes while it is made.
    pub scratch_bytes: u64,
    /// What its files take in the end.
    pub disk_bytes: u64,
}

/// Tables in an order in which each comes after those that it needs.
#[derive(Clone, PartialEq, Default, Debug, Serialize)]
pub struct TableSet {
    /// The tables.
    pub tables: Vec<SetTable>,
}

impl TableSet {
    /// The time of all tables, one after the other.
    ///
    /// Units: seconds.
    #[must_use]
    pub fn total_seconds(&self) -> f64 {
        self.tables.iter().map(|table| table.seconds).sum()
    }

    /// The longest time that tables take which need one another, and these tables, the first one first: no
    /// number of nodes is faster.
    #[must_use]
    pub fn critical_path(&self) -> (f64, Vec<usize>) {
        // The longest path that ends with each table, and the table before it.
        let mut ends: Vec<(f64, Option<usize>)> = Vec::with_capacity(self.tables.len());
        for table in &self.tables {
            let before = table.needs.iter().copied().max_by(|&a, &b| ends[a].0.total_cmp(&ends[b].0));
            ends.push((table.seconds + before.map_or(0.0, |before| ends[before].0), before));
        }
        let Some(last) = (0..ends.len()).max_by(|&a, &b| ends[a].0.total_cmp(&ends[b].0)) else {
            return (0.0, Vec::new());
        };
        let mut path: Vec<usize> = std::iter::successors(Some(last), |&at| ends[at].1).collect();
        path.reverse();
        (ends[last].0, path)
    }

    /// The tables that no other table of the set needs.
    #[must_use]
    pub fn last(&self) -> Vec<usize> {
        let mut is_needed = vec![false; self.tables.len()];
        self.tables.iter().flat_map(|table| &table.needs).for_each(|&needed| is_needed[needed] = true);
        (0..self.tables.len()).filter(|&at| !is_needed[at]).collect()
    }

    /// The set without some tables: those that are there need nobody's work.
    #[must_use]
    pub fn without(&self, is_there: impl Fn(usize) -> bool) -> TableSet {
        let mut places = vec![None; self.tables.len()];
        let mut left = TableSet::default();
        for (at, table) in self.tables.iter().enumerate().filter(|&(at, _)| !is_there(at)) {
            places[at] = Some(left.tables.len());
            let needs = table.needs.iter().filter_map(|&needed| places[needed]).collect();
            left.tables.push(SetTable { needs, ..table.clone() });
        }
        left
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::{SetTable, TableSet};

    /// A set of tables of so many seconds each, with what they need.
    pub(crate) fn set(tables: &[(&str, f64, &[usize])]) -> TableSet {
        let table = |&(name, seconds, needs): &(&str, f64, &[usize])| SetTable {
            name: name.into(),
            needs: needs.into(),
            seconds,
            memory_bytes: 100 << 20,
            scratch_bytes: 0,
            disk_bytes: 1 << 20,
        };
        TableSet { tables: tables.iter().map(table).collect() }
    }

    #[test]
    fn critical_path_is_the_longest() {
        let diamond = set(&[("a", 1.0, &[]), ("b", 5.0, &[0]), ("c", 2.0, &[0]), ("d", 1.0, &[1, 2])]);
        assert_eq!(diamond.critical_path(), (7.0, vec![0, 1, 3]));
        assert_eq!((diamond.total_seconds(), diamond.last()), (9.0, vec![3]));
        assert_eq!(set(&[]).critical_path(), (0.0, vec![]));
    }

    #[test]
    fn what_is_there_is_left_out() {
        let diamond = set(&[("a", 1.0, &[]), ("b", 5.0, &[0]), ("c", 2.0, &[0]), ("d", 1.0, &[1, 2])]);
        let left = diamond.without(|at| at < 2);
        assert_eq!(left, set(&[("c", 2.0, &[]), ("d", 1.0, &[0])]));
    }
}
