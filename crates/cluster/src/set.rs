//! Describes a set of tables: what each needs and what it costs.

/// A table of a set.
#[derive(Clone, PartialEq, Debug)]
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
    /// What the files take that it is made from, as long as they keep both sides to move.
    pub input_bytes: u64,
}

/// Tables in an order in which each comes after those that it needs.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct TableSet {
    /// The tables.
    pub tables: Vec<SetTable>,
}

/// The memory that reading and cutting the files of a finished set takes.
///
/// Units: bytes.
pub const FINISH_BYTES: u64 = 1 << 30;

/// A shared folder is read and written at twenty megabytes a second, if it is slow.
const FINISH_BYTES_PER_MINUTE: u64 = 60 * (20 << 20);
const LEAST_FINISH_MINUTES: u64 = 30;

/// How long the head of a table's files takes to read on a folder of ordinary speed, with its record.
///
/// Units: seconds.
const LOOK_SECONDS: f64 = 0.02;

impl TableSet {
    /// The time of all tables, one after the other.
    ///
    /// Units: seconds.
    #[must_use]
    pub fn total_seconds(&self) -> f64 {
        self.tables.iter().map(|table| table.seconds).sum()
    }

    /// How long it may take to read all files, compare their checksums and write those anew that kept both
    /// sides to move for others: more than the last job needs, if records are there and the last readers have
    /// cut such files.
    ///
    /// Units: minutes.
    #[must_use]
    pub fn finish_minutes(&self) -> u64 {
        let n_bytes: u64 = self.tables.iter().map(|table| table.disk_bytes).sum();
        LEAST_FINISH_MINUTES + 3 * n_bytes / FINISH_BYTES_PER_MINUTE
    }

    /// How long comparing the heads of all files with what their jobs have recorded takes.
    ///
    /// Units: seconds.
    #[must_use]
    pub fn finish_seconds(&self) -> f64 {
        self.tables.len() as f64 * LOOK_SECONDS
    }

    /// The longest time that tables take which need one another: no number of nodes is faster.
    ///
    /// Units: seconds.
    #[must_use]
    pub fn critical_seconds(&self) -> f64 {
        // The longest chain that ends with each table.
        let mut ends: Vec<f64> = Vec::with_capacity(self.tables.len());
        for table in &self.tables {
            let before = table.needs.iter().map(|&needed| ends[needed]).fold(0.0, f64::max);
            ends.push(table.seconds + before);
        }
        ends.into_iter().fold(0.0, f64::max)
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
            input_bytes: needs.len() as u64 * (3 << 20),
        };
        TableSet { tables: tables.iter().map(table).collect() }
    }

    #[test]
    fn critical_chain_is_the_longest() {
        let diamond = set(&[("a", 1.0, &[]), ("b", 5.0, &[0]), ("c", 2.0, &[0]), ("d", 1.0, &[1, 2])]);
        assert_eq!(diamond.critical_seconds(), 7.0);
        assert_eq!((diamond.total_seconds(), diamond.last()), (9.0, vec![3]));
        assert_eq!(set(&[]).critical_seconds(), 0.0);
    }

    #[test]
    fn what_is_there_is_left_out() {
        let diamond = set(&[("a", 1.0, &[]), ("b", 5.0, &[0]), ("c", 2.0, &[0]), ("d", 1.0, &[1, 2])]);
        let left = diamond.without(|at| at < 2);
        let mut expected = set(&[("c", 2.0, &[]), ("d", 1.0, &[0])]);
        // Made from the same files as before.
        expected.tables[0].input_bytes = diamond.tables[2].input_bytes;
        expected.tables[1].input_bytes = diamond.tables[3].input_bytes;
        assert_eq!(left, expected);
    }
}
