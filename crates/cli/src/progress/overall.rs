//! Counts how far a run is: tables, placements, time. It never steps back.

use library::figure::{count, plural, seconds};
use std::collections::BTreeMap;
use std::time::Duration;

/// How much of a job solving is, in hundredths; the rest is counting, packing, writing and reading back.
const SOLVING_PERCENT: u64 = 70;

/// Like [`SOLVING_PERCENT`], where files are packed as small as can be.
const SOLVING_PERCENT_OF_SMALL: u64 = 15;

/// How much of a job is done when its files are packed; they are written and read back after that.
const PACKED_PERCENT: u64 = 95;

/// After so much time an estimate of the rest is worth something.
const FIRST_ESTIMATE: Duration = Duration::from_secs(3);

/// And after one part in so many of the work.
const LEAST_SHARE: u64 = 100;

const MINUTE: Duration = Duration::from_secs(60);

/// The progress of a run. A placement costs the same in every table, for now.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Overall {
    n_tables: u64,
    n_values: u64,
    tables_done: u64,
    values_done: u64,
    /// Of these so many were there before the run.
    values_found: u64,
    /// Jobs in work: how many values each has, and how many of them are done.
    running: BTreeMap<u64, (u64, u64)>,
    n_begun: u64,
    /// The most that has ever been shown.
    shown: u64,
    /// How much of a job solving is, in hundredths.
    solving_percent: u64,
}

impl Overall {
    /// A run of so many tables with so many values together.
    pub(crate) fn new(n_tables: u64, n_values: u64) -> Self {
        Overall { n_tables, n_values, solving_percent: SOLVING_PERCENT, ..Overall::default() }
    }

    /// This run, where files are packed as small as can be or not.
    pub(crate) fn packing_small(self, is_small: bool) -> Self {
        let solving_percent = if is_small { SOLVING_PERCENT_OF_SMALL } else { SOLVING_PERCENT };
        Overall { solving_percent, ..self }
    }

    /// A table of so many values is begun; its number.
    pub(crate) fn begin(&mut self, n_values: u64) -> u64 {
        self.n_begun += 1;
        self.running.insert(self.n_begun, (n_values, 0));
        self.n_begun
    }

    /// So much of a table's solving is done.
    pub(crate) fn advance(&mut self, number: u64, done: u64, total: u64) {
        self.reach(number, [0, self.solving_percent], done, total);
    }

    /// So much of a table's packing is done, and all of its solving.
    pub(crate) fn pack(&mut self, number: u64, done: u64, total: u64) {
        self.reach(number, [self.solving_percent, PACKED_PERCENT], done, total);
    }

    /// So much of a part of a table's work is done: from one hundredth to another.
    fn reach(&mut self, number: u64, [from, to]: [u64; 2], done: u64, total: u64) {
        if let Some((n_values, values_done)) = self.running.get_mut(&number) {
            let share = |percent: u64| u128::from(*n_values) * u128::from(percent) / 100;
            let part = (share(to) - share(from)) * u128::from(done.min(total)) / u128::from(total.max(1));
            *values_done = (*values_done).max((share(from) + part) as u64);
        }
    }

    /// A table is finished.
    pub(crate) fn finish(&mut self, number: u64) {
        if let Some((n_values, _)) = self.running.remove(&number) {
            self.tables_done += 1;
            self.values_done += n_values;
        }
    }

    /// A table was given up.
    pub(crate) fn abandon(&mut self, number: u64) {
        self.running.remove(&number);
    }

    /// A table of so many values was there before.
    pub(crate) fn find(&mut self, n_values: u64) {
        self.tables_done += 1;
        self.values_done += n_values;
        self.values_found += n_values;
    }

    /// How many values are done, those of tables in work among them.
    pub(crate) fn values_done(&mut self) -> u64 {
        let running: u64 = self.running.values().map(|(_, done)| done).sum();
        self.shown = self.shown.max(self.values_done + running);
        self.shown
    }

    /// How far the run is after so much time: `about 3:10 min left, 7 of 145 tables (12 %), 0:12 min`. What
    /// is asked for most comes first, where no line ends.
    pub(crate) fn text(&mut self, elapsed: Duration) -> String {
        let left = match self.left(elapsed) {
            None => String::new(),
            Some(left) if left < MINUTE => format!("about {} s left, ", left.as_secs()),
            Some(left) => format!("about {} left, ", seconds(left)),
        };
        let percent = u128::from(self.values_done()) * 100 / u128::from(self.n_values.max(1));
        let (tables_done, tables) = (count(self.tables_done), plural(self.n_tables, "table"));
        format!("{left}{tables_done} of {tables} ({percent} %), {}", seconds(elapsed))
    }

    /// The time that the rest takes, if it goes on as it went; what was there before took none.
    fn left(&mut self, elapsed: Duration) -> Option<Duration> {
        let done = self.values_done();
        let worked = done.saturating_sub(self.values_found);
        let rest = self.n_values.saturating_sub(done);
        // Of a large table nothing may be done for a while.
        let is_too_little = worked.saturating_mul(LEAST_SHARE) < worked + rest;
        if elapsed < FIRST_ESTIMATE || is_too_little || rest == 0 {
            return None;
        }
        let left_ms = elapsed.as_millis() * u128::from(rest) / u128::from(worked);
        // Nobody can foretell parts of a second.
        Some(Duration::from_secs(u64::try_from(left_ms / 1000).unwrap_or(u64::MAX).max(1)))
    }
}

#[cfg(test)]
mod tests {
    use super::Overall;
    use std::time::Duration;

    #[track_caller]
    fn check_text(overall: &mut Overall, elapsed_s: u64, expected: &str) {
        assert_eq!(overall.text(Duration::from_secs(elapsed_s)), expected);
    }

    #[test]
    fn progress_is_told_with_the_time_left() {
        let mut overall = Overall::new(4, 10_000);
        check_text(&mut overall, 0, "0 of 4 tables (0 %), 0.000 s");
        overall.find(1_000);
        check_text(&mut overall, 9, "1 of 4 tables (10 %), 9.0 s");
        let first = overall.begin(2_000);
        overall.advance(first, 1, 20);
        check_text(&mut overall, 9, "1 of 4 tables (10 %), 9.0 s");
        overall.advance(first, 1, 2);
        // 700 of the 8,300 that are left took ten seconds; the first thousand was there.
        check_text(&mut overall, 10, "about 1:58 min left, 1 of 4 tables (17 %), 10.0 s");
        overall.pack(first, 1, 3);
        assert_eq!(overall.values_done(), 1_000 + 1_400 + 166);
        overall.finish(first);
        check_text(&mut overall, 20, "about 1:10 min left, 2 of 4 tables (30 %), 20.0 s");
        let rest = overall.begin(7_000);
        overall.finish(rest);
        check_text(&mut overall, 70, "3 of 4 tables (100 %), 1:10 min");
    }

    #[test]
    fn progress_never_steps_back() {
        let mut overall = Overall::new(2, 1_000);
        let (first, second) = (overall.begin(500), overall.begin(500));
        let mut last = 0;
        let mut check = |overall: &mut Overall| {
            let done = overall.values_done();
            assert!((last..=1_000).contains(&done), "{done} after {last}");
            last = done;
        };
        for (done, total) in [(1, 10), (9, 10), (3, 10), (0, 0), (20, 10)] {
            overall.advance(first, done, total);
            check(&mut overall);
        }
        overall.abandon(first);
        check(&mut overall);
        overall.advance(first, 10, 10);
        overall.finish(second);
        check(&mut overall);
        assert_eq!(last, 500);
    }
}
