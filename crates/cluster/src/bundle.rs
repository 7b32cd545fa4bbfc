//! Puts small tables together into jobs that are worth their start.

use crate::TableSet;

/// Tables that one job makes, one after the other.
#[derive(Clone, PartialEq, Debug)]
pub struct Bundle {
    /// The tables, as places in the set; each comes after those that it needs.
    pub tables: Vec<usize>,
    /// The bundles that have to be done first, as places among the bundles; all of them come before it.
    pub needs: Vec<usize>,
}

impl Bundle {
    /// A name that no other bundle of the set has: that of its last table, and how many come before it.
    #[must_use]
    pub fn name(&self, set: &TableSet) -> String {
        let last = self.tables.last().map_or("", |&at| set.tables[at].name.as_str());
        match self.tables.len() {
            0 | 1 => last.to_owned(),
            n => format!("{last}+{}", n - 1),
        }
    }

    /// How long its tables take.
    ///
    /// Units: seconds.
    #[must_use]
    pub fn seconds(&self, set: &TableSet) -> f64 {
        self.tables.iter().map(|&at| set.tables[at].seconds).sum()
    }

    /// What copies of all files take that its tables are made from.
    ///
    /// Units: bytes.
    #[must_use]
    pub fn input_bytes(&self, set: &TableSet) -> u64 {
        self.tables.iter().map(|&at| set.tables[at].input_bytes).sum()
    }

    /// The most that one of its tables takes: memory and scratch.
    ///
    /// Units: bytes.
    #[must_use]
    pub fn most_bytes(&self, set: &TableSet) -> (u64, u64) {
        let tables = || self.tables.iter().map(|&at| &set.tables[at]);
        let most = |bytes: Option<u64>| bytes.unwrap_or(0);
        (most(tables().map(|t| t.memory_bytes).max()), most(tables().map(|t| t.scratch_bytes).max()))
    }
}

/// Tables in bundles of at least about so many seconds. A bundle may wait for what only one of its tables
/// needs, so bundles are no longer than that.
///
/// The first tables of the set, which all others come from, are one bundle. After these, tables of the same
/// depth of the graph are put together: none of them needs another one, so no two bundles wait for each
/// other.
#[must_use]
pub fn bundles(set: &TableSet, least_seconds: f64) -> Vec<Bundle> {
    let mut bundle_of = vec![0; set.tables.len()];
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut n_first = 0;
    let mut seconds = 0.0;
    while n_first < set.tables.len() && seconds + set.tables[n_first].seconds <= least_seconds {
        seconds += set.tables[n_first].seconds;
        n_first += 1;
    }
    if n_first > 0 {
        groups.push((0..n_first).collect());
    }
    let mut depths = vec![0; set.tables.len()];
    for at in n_first..set.tables.len() {
        let needed = set.tables[at].needs.iter().filter(|&&needed| needed >= n_first);
        depths[at] = needed.map(|&needed| depths[needed] + 1).max().unwrap_or(0);
    }
    let deepest = depths.iter().max().copied().unwrap_or(0);
    for depth in 0..=deepest {
        let mut group = Vec::new();
        let mut seconds = 0.0;
        for at in (n_first..set.tables.len()).filter(|&at| depths[at] == depth) {
            group.push(at);
            seconds += set.tables[at].seconds;
            if seconds >= least_seconds {
                groups.push(std::mem::take(&mut group));
                seconds = 0.0;
            }
        }
        if !group.is_empty() {
            groups.push(group);
        }
    }
    for (bundle, tables) in groups.iter().enumerate() {
        tables.iter().for_each(|&at| bundle_of[at] = bundle);
    }
    let needs = |bundle: usize, tables: &[usize]| {
        let needed = tables.iter().flat_map(|&at| &set.tables[at].needs).map(|&needed| bundle_of[needed]);
        let mut needs: Vec<usize> = needed.filter(|&needed| needed != bundle).collect();
        needs.sort_unstable();
        needs.dedup();
        needs
    };
    let bundle = |(at, tables): (usize, Vec<usize>)| Bundle { needs: needs(at, &tables), tables };
    groups.into_iter().enumerate().map(bundle).collect()
}

#[cfg(test)]
mod tests {
    use super::{Bundle, bundles};
    use crate::set::tests::set;

    fn bundle(tables: &[usize], needs: &[usize]) -> Bundle {
        Bundle { tables: tables.into(), needs: needs.into() }
    }

    #[test]
    fn small_tables_share_a_job() {
        let tables = set(&[
            ("a", 1.0, &[]),
            ("b", 1.0, &[0]),
            ("c", 50.0, &[0]),
            ("d", 4.0, &[1]),
            ("e", 3.0, &[1]),
            ("f", 9.0, &[2, 3]),
        ]);
        let bundled = bundles(&tables, 5.0);
        assert_eq!(
            bundled,
            [bundle(&[0, 1], &[]), bundle(&[2], &[0]), bundle(&[3, 4], &[0]), bundle(&[5], &[1, 2])]
        );
        assert_eq!(bundled[2].name(&tables), "e+1");
        assert_eq!(bundled[2].seconds(&tables), 7.0);
        assert_eq!(bundles(&tables, 1000.0), [bundle(&[0, 1, 2, 3, 4, 5], &[])]);
        assert_eq!(bundles(&tables, 0.0).len(), 6);
        assert_eq!(bundles(&set(&[]), 5.0), []);
    }
}
