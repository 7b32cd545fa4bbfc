//! Shows how far a command is: bars that move on a terminal, and elsewhere a line whenever nothing has been
//! said for a while. Counts tables, placements and time, and never steps back.

mod step;

use crate::{Out, count, fold, plural, seconds};
use ::console::Term;
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};
pub(crate) use step::{Loading, Steps, not_built};
use variant::Side;

/// How long nothing is said elsewhere than on a terminal.
const SILENCE: Duration = Duration::from_secs(30);

/// A run that counts no tables has its end out of sight: at its beginning a line is due sooner, after a
/// thirtieth of the run, but not before this.
const LEAST_SILENCE: Duration = Duration::from_secs(2);

/// How often the clock is looked at: whether a line is due, or a bar to be drawn again.
const LOOKING: Duration = Duration::from_millis(100);

/// How often a bar moves by itself, where nothing is counted.
const TICK: Duration = Duration::from_millis(200);

/// Shows the progress of a run; the bars are gone when it is dropped.
pub(crate) struct Watch<'a> {
    bars: Option<(MultiProgress, ProgressBar)>,
    err: Mutex<Lines<'a>>,
    /// Shared with the bar, which reads the clock whenever it is drawn.
    run: Arc<Mutex<Run>>,
    /// How much of a job solving is, in hundredths.
    pub(crate) solving_percent: u64,
}

/// How far the run is, and when it began.
struct Run {
    overall: Overall,
    /// What is done now, of a run without tables to count.
    words: Option<String>,
    /// The shortest silence.
    least_silence: Duration,
    /// The table that was logged last, whose wins, and behind which ply.
    logged: Option<(String, Side, u32)>,
    begun: Instant,
}

impl Run {
    fn new(overall: Overall, words: Option<String>) -> Self {
        Run { overall, words, least_silence: SILENCE, logged: None, begun: Instant::now() }
    }

    fn text(&mut self) -> String {
        let elapsed = self.begun.elapsed();
        self.words.clone().unwrap_or_else(|| self.overall.text(elapsed))
    }

    /// The text with the time and the place within a table.
    fn line(&mut self) -> String {
        let text = self.text();
        match (&self.words, &self.logged) {
            (Some(_), _) => format!("{text} ({})", seconds(self.begun.elapsed())),
            (None, Some((name, side, ply))) => format!("{text}; {name} at ply {ply} of {side}'s wins"),
            (None, None) => text,
        }
    }
}

/// Where lines go, and when something was last said or drawn.
struct Lines<'a> {
    out: Out<'a>,
    last: Instant,
}

/// Shows the progress of one table; one that is dropped is not done.
pub(crate) struct JobWatch<'w, 'a> {
    pub(crate) watch: &'w Watch<'a>,
    name: String,
    number: u64,
    bar: Option<ProgressBar>,
}

impl<'a> Watch<'a> {
    /// A run that has not begun. Bars are drawn on a watched terminal, otherwise lines are written.
    pub(crate) fn new(is_watched: bool, err: Out<'a>) -> Self {
        let run = Run::new(Overall::new(0, 0), Some("reading tables".to_owned()));
        let run = Arc::new(Mutex::new(run));
        let bars = is_watched.then(|| {
            let bars = MultiProgress::with_draw_target(ProgressDrawTarget::stderr_with_hz(10));
            let all = bars.add(ProgressBar::new(0));
            (bars, all)
        });
        let err = Mutex::new(Lines { out: err, last: Instant::now() });
        let watch = Watch { bars, err, run, solving_percent: SOLVING_PERCENT };
        watch.begin_bar("{spinner} {elapsed}  {run}", 0);
        watch
    }

    /// The run of `n_tables` with `n_values` together begins.
    pub(crate) fn start(&self, n_tables: usize, n_values: u64) {
        let overall = Overall::new(n_tables as u64, n_values);
        let overall = Overall { solving_percent: self.solving_percent, ..overall };
        *self.run.lock() = Run::new(overall, None);
        self.begin_bar("{bar:16}  {run}", n_values);
        self.show();
    }

    /// This is done now, in a run that counts no tables.
    pub(crate) fn at_work(&self, words: String) {
        let mut run = self.run.lock();
        (run.words, run.least_silence) = (Some(words), LEAST_SILENCE);
    }

    /// Does something that takes a while, and says meanwhile how far it is.
    pub(crate) fn during<R>(&self, work: impl FnOnce() -> R) -> R {
        let (end, ended) = mpsc::channel::<()>();
        std::thread::scope(|scope| {
            if self.bars.is_none() {
                scope.spawn(move || {
                    while ended.recv_timeout(LOOKING) == Err(RecvTimeoutError::Timeout) {
                        self.say_if_due();
                    }
                });
            }
            let done = work();
            drop(end);
            done
        })
    }

    fn begin_bar(&self, template: &str, n_values: u64) {
        let Some((_, all)) = &self.bars else { return };
        let clock = self.run.clone();
        let text = move |_: &ProgressState, out: &mut dyn fmt::Write| {
            // What cannot be drawn is drawn the next time.
            let _ = out.write_str(&clock.lock().text());
        };
        all.set_style(style(template).with_key("run", text));
        all.set_length(n_values);
        all.enable_steady_tick(TICK);
    }

    fn say_if_due(&self) {
        let mut run = self.run.lock();
        if self.is_due((run.begun.elapsed() / 30).clamp(run.least_silence, SILENCE)) {
            let line = run.line();
            self.write(&line);
        }
    }

    /// A table of `n_values` is begun.
    pub(crate) fn begin(&self, name: &str, n_values: u64) -> JobWatch<'_, 'a> {
        let bar = self.bars.as_ref().map(|(bars, all)| {
            let bar = bars.insert_before(all, ProgressBar::new(1));
            bar.set_style(style("{bar:16} {percent:>3} %  {wide_msg}"));
            bar.set_message(name.to_owned());
            bar
        });
        let number = self.run.lock().overall.begin(n_values);
        JobWatch { watch: self, name: name.to_owned(), number, bar }
    }

    /// A table of `n_values` was there before.
    pub(crate) fn found(&self, name: &str, n_values: u64) {
        self.run.lock().overall.find(n_values);
        self.tell(&format!("{name} done already"));
    }

    /// Does something that prints, the bars out of the way.
    pub(crate) fn beside<R>(&self, print: impl FnOnce() -> R) -> R {
        match &self.bars {
            Some((bars, _)) => bars.suspend(print),
            None => print(),
        }
    }

    /// Prints a line of the output, the bars out of the way: long runs are read along.
    pub(crate) fn print(&self, out: &mut dyn Write, line: &str) -> io::Result<()> {
        self.beside(|| writeln!(out, "{line}").and_then(|()| out.flush()))
    }

    /// Prints a line that a reader should see whatever is drawn.
    pub(crate) fn note(&self, line: &str) {
        match &self.bars {
            // A line that cannot be shown is nothing that the tables depend on.
            Some((bars, _)) => {
                let width = Term::stderr().size_checked().map(|(_, width)| width.into());
                drop(bars.println(fold(line, width)));
            }
            None => self.write(line),
        }
    }

    /// A line about one table, and how far the run is by it.
    fn tell(&self, line: &str) {
        match &self.bars {
            Some(_) => self.show(),
            None => {
                let run = self.run.lock().text();
                self.write(&format!("{line}; {run}"));
            }
        }
    }

    /// Shows how far the run is, where bars are.
    fn show(&self) {
        if let Some((_, all)) = &self.bars {
            // Unlocked before the bar is drawn, which reads the clock.
            let done = self.run.lock().overall.values_done();
            all.set_position(done);
        }
    }

    fn write(&self, line: &str) {
        let mut err = self.err.lock();
        err.last = Instant::now();
        // A line that is not read is missed by no table.
        drop(writeln!(err.out, "{line}"));
    }

    /// Whether nothing has been said or drawn for so long; then it is time now, and asking again is too soon.
    fn is_due(&self, pause: Duration) -> bool {
        let mut err = self.err.lock();
        let is_due = err.last.elapsed() + LOOKING >= pause;
        if is_due {
            err.last = Instant::now();
        }
        is_due
    }
}

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        if let Some((bars, all)) = &self.bars {
            all.finish_and_clear();
            drop(bars.clear());
        }
    }
}

impl JobWatch<'_, '_> {
    /// So much of a whole is done.
    pub(crate) fn show(&self, done: u64, total: u64) {
        self.watch.run.lock().overall.advance(self.number, done, total);
        self.draw(done, total);
    }

    /// So much of its files is packed.
    pub(crate) fn pack(&self, done: u64, total: u64) {
        let mut run = self.watch.run.lock();
        run.overall.pack(self.number, done, total);
        run.logged = None;
        drop(run);
        if let Some(bar) = self.bar.as_ref().filter(|_| done == 0) {
            bar.set_message(format!("{} packing", self.name));
        }
        self.draw(done, total);
    }

    /// The log has a ply of this side's wins.
    pub(crate) fn logged(&self, attacker: Side, ply: u32) {
        self.watch.run.lock().logged = Some((self.name.clone(), attacker, ply));
        if let Some(bar) = &self.bar {
            bar.set_message(format!("{}: ply {ply} of {attacker}'s wins", self.name));
        }
    }

    fn draw(&self, done: u64, total: u64) {
        if let Some(bar) = &self.bar {
            bar.set_length(total);
            bar.set_position(done);
            if self.watch.is_due(2 * LOOKING) {
                self.watch.show();
            }
        }
    }

    /// The table is done, which took so long.
    pub(crate) fn finish(self, time: Duration) {
        self.watch.run.lock().overall.finish(self.number);
        self.watch.tell(&format!("{} done in {}", self.name, seconds(time)));
    }

    /// The table is done, and the caller prints a line about it.
    pub(crate) fn finish_silently(self) {
        self.watch.run.lock().overall.finish(self.number);
        self.watch.show();
    }
}

impl Drop for JobWatch<'_, '_> {
    fn drop(&mut self) {
        self.watch.run.lock().overall.running.remove(&self.number);
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// A plan that is made sooner needs no bar.
const MOMENT: Duration = Duration::from_millis(500);

/// Shows on a terminal that a plan is being made, if that takes longer than a moment. The bar is gone when
/// this is dropped.
pub(crate) struct Planning {
    is_watched: bool,
    begun: Instant,
    bar: Option<ProgressBar>,
}

impl Planning {
    /// Planning begins.
    pub(crate) fn new(is_watched: bool) -> Self {
        Planning { is_watched, begun: Instant::now(), bar: None }
    }

    /// Some steps are done of those that are known of.
    pub(crate) fn step(&mut self, n_done: usize, n_known: usize) {
        if self.bar.is_none() && self.begun.elapsed() > MOMENT {
            self.phase("planning");
        }
        if let Some(bar) = &self.bar {
            bar.set_length(n_known as u64);
            bar.set_position(n_done as u64);
        }
    }

    /// From now on something else is done, with no steps to count; it may take a while.
    pub(crate) fn phase(&mut self, name: &'static str) {
        if !self.is_watched {
            return;
        }
        let bar = self.bar.get_or_insert_with(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
            bar.enable_steady_tick(TICK);
            bar.with_style(style("{spinner} {msg} {bar:30} {pos} of {len}  {elapsed}"))
        });
        bar.set_message(name);
    }
}

impl Drop for Planning {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// How much of a job solving is, in hundredths; the rest is counting, packing, writing and reading back.
pub(crate) const SOLVING_PERCENT: u64 = 70;

/// Like [`SOLVING_PERCENT`], where files are packed as small as can be.
pub(crate) const SOLVING_PERCENT_OF_SMALL: u64 = 15;

/// How much of a job is done when its files are packed; they are written and read back after that.
const PACKED_PERCENT: u64 = 95;

/// After so much time an estimate of the rest is worth something.
const FIRST_ESTIMATE: Duration = Duration::from_secs(3);

/// And after one part of the work in this number of parts.
const LEAST_SHARE: u64 = 100;

const MINUTE: Duration = Duration::from_secs(60);

/// The progress of a run. A placement costs the same in every table, for now.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
struct Overall {
    n_tables: u64,
    n_values: u64,
    tables_done: u64,
    values_done: u64,
    /// How many of these were there before the run.
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
    /// A run of `n_tables` with `n_values` together.
    fn new(n_tables: u64, n_values: u64) -> Self {
        Overall { n_tables, n_values, solving_percent: SOLVING_PERCENT, ..Overall::default() }
    }

    /// A table of `n_values` is begun; its number.
    fn begin(&mut self, n_values: u64) -> u64 {
        self.n_begun += 1;
        self.running.insert(self.n_begun, (n_values, 0));
        self.n_begun
    }

    /// So much of a table's solving is done.
    fn advance(&mut self, number: u64, done: u64, total: u64) {
        self.reach(number, [0, self.solving_percent], done, total);
    }

    /// So much of a table's packing is done, and all of its solving.
    fn pack(&mut self, number: u64, done: u64, total: u64) {
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
    fn finish(&mut self, number: u64) {
        if let Some((n_values, _)) = self.running.remove(&number) {
            self.tables_done += 1;
            self.values_done += n_values;
        }
    }

    /// A table of `n_values` was there before.
    fn find(&mut self, n_values: u64) {
        self.tables_done += 1;
        self.values_done += n_values;
        self.values_found += n_values;
    }

    /// How many values are done, those of tables in work among them.
    fn values_done(&mut self) -> u64 {
        let running: u64 = self.running.values().map(|(_, done)| done).sum();
        self.shown = self.shown.max(self.values_done + running);
        self.shown
    }

    /// How far the run is after so much time: `about 3:10 min left, 7 of 145 tables (12 %), 0:12 min`. What
    /// is asked for most comes first, where no line ends.
    fn text(&mut self, elapsed: Duration) -> String {
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
        // Parts of a second cannot be foretold.
        Some(Duration::from_secs(u64::try_from(left_ms / 1000).unwrap_or(u64::MAX).max(1)))
    }
}

#[cfg(test)]
mod tests {
    use super::{Overall, Planning};
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
        overall.running.remove(&first);
        check(&mut overall);
        overall.advance(first, 10, 10);
        overall.finish(second);
        check(&mut overall);
        assert_eq!(last, 500);
    }

    #[test]
    fn nobody_sees_a_bar_who_does_not_watch() {
        let mut planning = Planning::new(false);
        planning.step(1, 2);
        planning.phase("waiting");
        assert!(planning.bar.is_none());
        // A plan that is made in a moment needs none.
        let mut planning = Planning::new(true);
        planning.step(1, 2);
        assert!(planning.bar.is_none());
    }
}
