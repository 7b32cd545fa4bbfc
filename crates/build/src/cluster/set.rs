//! Describes a set of tables, what each needs and what it costs, and puts it into levels of jobs.
//!
//! A job is worth its start if it takes some minutes, so small tables share one. Jobs whose tables lie
//! equally deep in the graph need none of each other: they begin together, as one array of an engine, and
//! the arrays wait for each other. An array asks for the same memory for each of its jobs, so tables of one
//! depth that take very different memory are arrays of their own.

use crate::{BuildFootprint, Strategy};
use plan::{Job, JobId, Plan};
use std::collections::{BTreeMap, BTreeSet};

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

/// Jobs that begin together; none of them needs another one.
#[derive(Clone, PartialEq, Debug)]
pub struct Level {
    /// The tables of each job, as places in the set, in the order in which the job makes them.
    pub jobs: Vec<Vec<usize>>,
    /// The levels that have to be done first; all of them come before it.
    pub needs: Vec<usize>,
}

impl Level {
    /// A name that no other level of the set has: that of its last table, and how many come before it.
    #[must_use]
    pub fn name(&self, set: &TableSet) -> String {
        let mut places = self.jobs.iter().flatten();
        let last = places.next_back().map_or("", |&at| set.tables[at].name.as_str());
        match places.count() {
            0 => last.to_owned(),
            n_before => format!("{last}+{n_before}"),
        }
    }

    /// The longest that one of its jobs takes.
    ///
    /// Units: seconds.
    #[must_use]
    pub fn seconds(&self, set: &TableSet) -> f64 {
        let seconds = |job: &Vec<usize>| job.iter().map(|&at| set.tables[at].seconds).sum();
        self.jobs.iter().map(seconds).fold(0.0, f64::max)
    }

    /// The most of something that one of its tables takes.
    #[must_use]
    pub fn most(&self, set: &TableSet, bytes: impl Fn(&SetTable) -> u64) -> u64 {
        self.jobs.iter().flatten().map(|&at| bytes(&set.tables[at])).max().unwrap_or(0)
    }

    /// The most that copies of all files take which one of its jobs reads.
    ///
    /// Units: bytes.
    #[must_use]
    pub fn input_bytes(&self, set: &TableSet) -> u64 {
        let bytes = |job: &Vec<usize>| job.iter().map(|&at| set.tables[at].input_bytes).sum();
        self.jobs.iter().map(bytes).max().unwrap_or(0)
    }
}

/// An engine numbers no more jobs of an array, if it is left as it comes.
const MOST_JOBS: usize = 1000;

/// The memory that reading and cutting the files of a finished set takes.
///
/// Units: bytes.
pub const FINISH_BYTES: u64 = 1 << 30;

/// A shared folder is read and written at twenty megabytes a second, if it is slow.
const FINISH_BYTES_PER_MINUTE: u64 = 60 * (20 << 20);
const LEAST_FINISH_MINUTES: u64 = 30;

/// The work that a table takes by a log, as a multiple of the work in memory.
const LOG_FACTOR: f64 = 1.5;

impl TableSet {
    /// The tables of a plan, on nodes that make `rate` placements a second.
    #[must_use]
    pub fn new(plan: &Plan, footprint: &BuildFootprint<'_>, rate: u64) -> Self {
        let (files, metrics) = (footprint.files, footprint.edition.metrics());
        let factor = |strategy: Strategy| if strategy.is_logged() { LOG_FACTOR } else { 1.0 };
        let both_sides = crate::FileOptions { both_sides: true, ..files };
        let both_bytes: Vec<u64> = plan.jobs().map(|job| both_sides.disk_bytes(job, metrics)).collect();
        let table = |(id, job): (JobId, &Job)| {
            let cost = footprint.cost(job);
            let needs: Vec<usize> = plan.needed_by(id).into_iter().map(|needed| needed.0).collect();
            SetTable {
                name: job.name.clone(),
                seconds: job.n_values() as f64 / rate.max(1) as f64 * factor(cost.strategy),
                memory_bytes: cost.memory.total(),
                scratch_bytes: cost.scratch_bytes,
                disk_bytes: files.disk_bytes(job, metrics),
                input_bytes: needs.iter().map(|&needed| both_bytes[needed]).sum(),
                needs,
            }
        };
        TableSet { tables: plan.ids().zip(plan.jobs()).map(table).collect() }
    }

    /// The time of all tables, one after the other.
    ///
    /// Units: seconds.
    #[must_use]
    pub fn total_seconds(&self) -> f64 {
        self.tables.iter().map(|table| table.seconds).sum()
    }

    /// How long it may take to read all files, compare their checksums and write those anew that kept both
    /// sides to move for others: more than the last job needs, if records are there and the last readers
    /// have cut such files.
    ///
    /// Units: minutes.
    #[must_use]
    pub fn finish_minutes(&self) -> u64 {
        let n_bytes: u64 = self.tables.iter().map(|table| table.disk_bytes).sum();
        LEAST_FINISH_MINUTES + 3 * n_bytes / FINISH_BYTES_PER_MINUTE
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

    /// Splits the set into levels whose jobs take at least about `least_seconds`. A level may wait for what
    /// only one of its tables needs, so jobs are no longer than that. `by_memory` makes levels of their own
    /// of tables that take more than twice the memory of others.
    ///
    /// The first tables of the set, which all others come from, are one job, if they take no longer.
    #[must_use]
    pub fn levels(&self, least_seconds: f64, by_memory: bool) -> Vec<Level> {
        let mut n_first = 0;
        let mut seconds = 0.0;
        while n_first < self.tables.len() && seconds + self.tables[n_first].seconds <= least_seconds {
            seconds += self.tables[n_first].seconds;
            n_first += 1;
        }
        let mut depths = vec![0; self.tables.len()];
        let mut groups: BTreeMap<(usize, u32), Vec<usize>> = BTreeMap::new();
        for (at, table) in self.tables.iter().enumerate().skip(n_first) {
            let needed = table.needs.iter().filter(|&&needed| needed >= n_first);
            depths[at] = needed.map(|&needed| depths[needed] + 1).max().unwrap_or(0);
            let class = if by_memory { table.memory_bytes.max(1).ilog2() } else { 0 };
            groups.entry((depths[at], class)).or_default().push(at);
        }
        let mut all = if n_first > 0 { vec![vec![(0..n_first).collect()]] } else { Vec::new() };
        for group in groups.values() {
            let jobs = self.jobs(group, least_seconds);
            all.extend(jobs.chunks(MOST_JOBS).map(<[Vec<usize>]>::to_vec));
        }
        let mut level_of = vec![0; self.tables.len()];
        for (level, jobs) in all.iter().enumerate() {
            jobs.iter().flatten().for_each(|&at| level_of[at] = level);
        }
        let level = |(own, jobs): (usize, Vec<Vec<usize>>)| {
            let needed = jobs.iter().flatten().flat_map(|&at| &self.tables[at].needs);
            let mut needs: BTreeSet<usize> = needed.map(|&needed| level_of[needed]).collect();
            // Where jobs are limited the arrays of one depth come one after the other, too.
            needs.extend(own.checked_sub(1).filter(|_| !by_memory));
            Level { needs: needs.into_iter().filter(|&needed| needed != own).collect(), jobs }
        };
        all.into_iter().enumerate().map(level).collect()
    }

    /// Groups some tables into jobs of at least about `least_seconds`.
    fn jobs(&self, places: &[usize], least_seconds: f64) -> Vec<Vec<usize>> {
        let (mut jobs, mut job, mut seconds) = (Vec::new(), Vec::new(), 0.0);
        for &at in places {
            job.push(at);
            seconds += self.tables[at].seconds;
            if seconds >= least_seconds {
                jobs.push(std::mem::take(&mut job));
                seconds = 0.0;
            }
        }
        if !job.is_empty() {
            jobs.push(job);
        }
        jobs
    }

    /// Returns the set without the tables that are there: no job has to make these.
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
    use super::{Level, SetTable, TableSet};

    /// Returns a set of tables, each with its name, its seconds and the tables that it needs.
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

    fn level(jobs: &[&[usize]], needs: &[usize]) -> Level {
        Level { jobs: jobs.iter().map(|job| job.to_vec()).collect(), needs: needs.into() }
    }

    #[test]
    fn small_tables_share_a_job_and_jobs_a_level() {
        let mut tables = set(&[
            ("a", 1.0, &[]),
            ("b", 1.0, &[0]),
            ("c", 50.0, &[0]),
            ("d", 4.0, &[1]),
            ("e", 3.0, &[1]),
            ("f", 9.0, &[2, 3]),
        ]);
        let levels = tables.levels(5.0, true);
        assert_eq!(levels, [level(&[&[0, 1]], &[]), level(&[&[2], &[3, 4]], &[0]), level(&[&[5]], &[1])]);
        assert_eq!(levels[1].name(&tables), "e+2");
        assert_eq!((levels[1].seconds(&tables), levels[1].input_bytes(&tables)), (50.0, 6 << 20));
        assert_eq!(tables.levels(1000.0, true), [level(&[&[0, 1, 2, 3, 4, 5]], &[])]);
        assert_eq!(set(&[]).levels(5.0, true), []);
        // A table that takes much more memory is a level of its own, unless levels are what is limited.
        tables.tables[2].memory_bytes = 9 << 30;
        let own = [level(&[&[3, 4]], &[0]), level(&[&[2]], &[0]), level(&[&[5]], &[1, 2])];
        assert_eq!(tables.levels(5.0, true)[1..], own);
        assert_eq!(tables.levels(5.0, false), levels);
        assert_eq!(tables.levels(0.0, false).len(), 4);
    }
}
