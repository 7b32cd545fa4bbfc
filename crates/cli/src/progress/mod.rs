//! Shows how far a run is: moving bars on a terminal, lines elsewhere.

mod overall;
mod step;

use crate::fold::fold;
use ::console::Term;
use ::plan::Job;
use ::solve::FoundPly;
use build::{BuildProgress, LogStep, Opened, Outdated, SlicesOpened, TableProgress};
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use library::figure::{count, plural, seconds};
use overall::{Overall, SOLVING_PERCENT, SOLVING_PERCENT_OF_SMALL};
use parking_lot::Mutex;
use std::fmt;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
pub(crate) use step::{Steps, Stop, not_built};
use variant::{Side, Variant};

/// Without bars something is said at least so often while a table is solved.
const SILENCE: Duration = Duration::from_secs(30);

/// Bars are redrawn at most so often.
const REDRAWING: Duration = Duration::from_millis(100);

/// Shows the progress of a run.
pub(crate) struct Watch<'a> {
    bars: Option<(MultiProgress, ProgressBar)>,
    err: Mutex<Lines<'a>>,
    /// Shared with the bar, which reads the clock whenever it is drawn.
    run: Arc<Mutex<Run>>,
    solving_percent: u64,
    /// The game whose plies are reported, if they are.
    plies: Option<&'a Variant>,
}

/// How far the run is, and when it began.
struct Run {
    overall: Overall,
    begun: Instant,
}

impl Run {
    fn new(n_tables: u64, n_values: u64) -> Self {
        Run { overall: Overall::new(n_tables, n_values), begun: Instant::now() }
    }

    fn text(&mut self) -> String {
        self.overall.text(self.begun.elapsed())
    }
}

/// Where lines go, and when something was last said or drawn.
struct Lines<'a> {
    out: &'a mut (dyn Write + Send),
    last: Instant,
}

/// Shows the progress of one table; one that is dropped is not done.
pub(crate) struct JobWatch<'w, 'a> {
    watch: &'w Watch<'a>,
    name: String,
    number: u64,
    bar: Option<ProgressBar>,
    /// What is being solved of a table with a log: whose wins, and behind which ply.
    logged: Mutex<Option<(Side, u32)>>,
}

impl<'a> Watch<'a> {
    /// A run that has not begun. Bars are drawn if somebody watches, otherwise lines are written.
    pub(crate) fn new(is_watched: bool, err: &'a mut (dyn Write + Send)) -> Self {
        let run = Arc::new(Mutex::new(Run::new(0, 0)));
        let bars = is_watched.then(|| {
            let bars = MultiProgress::with_draw_target(ProgressDrawTarget::stderr_with_hz(10));
            let clock = run.clone();
            let text = move |_: &ProgressState, out: &mut dyn fmt::Write| {
                // What cannot be drawn is drawn the next time.
                let _ = out.write_str(&clock.lock().text());
            };
            let style = style("{bar:16}  {run}").with_key("run", text);
            let all = bars.add(ProgressBar::new(0).with_style(style));
            (bars, all)
        });
        let err = Mutex::new(Lines { out: err, last: Instant::now() });
        Watch { bars, err, run, solving_percent: SOLVING_PERCENT, plies: None }
    }

    /// This watch, for files that are packed as small as can be, which takes most of the time.
    pub(crate) fn of_small_files(self) -> Self {
        Watch { solving_percent: SOLVING_PERCENT_OF_SMALL, ..self }
    }

    /// This watch, which also reports each ply that is found in tables of a game.
    pub(crate) fn with_plies(self, variant: &'a Variant) -> Self {
        Watch { plies: Some(variant), ..self }
    }

    /// The run of so many tables and values begins.
    pub(crate) fn start(&self, n_tables: usize, n_values: u64) {
        let overall = Overall::new(n_tables as u64, n_values).with_solving_percent(self.solving_percent);
        *self.run.lock() = Run { overall, begun: Instant::now() };
        if let Some((_, all)) = &self.bars {
            all.set_length(n_values);
            all.enable_steady_tick(Duration::from_millis(200));
        }
        self.show();
    }

    /// A table of so many values is begun.
    pub(crate) fn begin(&self, name: &str, n_values: u64) -> JobWatch<'_, 'a> {
        let bar = self.bars.as_ref().map(|(bars, all)| {
            let bar = bars.insert_before(all, ProgressBar::new(1));
            bar.set_style(style("{bar:16} {percent:>3} %  {wide_msg}"));
            bar.set_message(name.to_owned());
            bar
        });
        let number = self.run.lock().overall.begin(n_values);
        JobWatch { watch: self, name: name.to_owned(), number, bar, logged: Mutex::default() }
    }

    /// Does something that prints, the bars out of the way.
    pub(crate) fn beside<R>(&self, print: impl FnOnce() -> R) -> R {
        match &self.bars {
            Some((bars, _)) => bars.suspend(print),
            None => print(),
        }
    }

    /// Prints a line that everybody should see.
    pub(crate) fn note(&self, line: &str) {
        match &self.bars {
            // A line that cannot be shown is nothing that the tables depend on.
            Some((bars, _)) => {
                let width = Term::stderr().size_checked().map(|(_, width)| width.into());
                drop(bars.println(width.map_or_else(|| line.to_owned(), |width| fold(line, width))));
            }
            None => self.write(line),
        }
    }

    /// Takes the bars away.
    pub(crate) fn close(self) {
        if let Some((bars, all)) = self.bars {
            all.finish_and_clear();
            drop(bars.clear());
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
        // Nobody need read along.
        drop(writeln!(err.out, "{line}"));
    }

    /// Whether nothing has been said or drawn for so long; then it is time now, and asking again is too soon.
    fn is_due(&self, pause: Duration) -> bool {
        let mut err = self.err.lock();
        let is_due = err.last.elapsed() >= pause;
        if is_due {
            err.last = Instant::now();
        }
        is_due
    }
}

impl JobWatch<'_, '_> {
    /// So much of a whole is done.
    pub(crate) fn show(&self, done: u64, total: u64) {
        self.watch.run.lock().overall.advance(self.number, done, total);
        self.draw(done, total);
    }

    fn draw(&self, done: u64, total: u64) {
        if let Some(bar) = &self.bar {
            bar.set_length(total);
            bar.set_position(done);
            if self.watch.is_due(REDRAWING) {
                self.watch.show();
            }
        } else if self.watch.is_due(SILENCE) {
            let run = self.watch.run.lock().text();
            let logged = *self.logged.lock();
            let where_it_is = logged.map_or_else(String::new, |(attacker, ply)| {
                format!("; {} at ply {ply} of {attacker}'s wins", self.name)
            });
            self.watch.write(&format!("{run}{where_it_is}"));
        }
    }

    /// The table is done, and somebody else prints a line about it.
    pub(crate) fn finish_silently(self) {
        self.watch.run.lock().overall.finish(self.number);
        self.watch.show();
    }
}

impl ::solve::Progress for JobWatch<'_, '_> {
    fn placements_done(&self, done: u64, total: u64) {
        self.show(done, total);
    }

    fn asks_for_plies(&self) -> bool {
        self.watch.plies.is_some()
    }

    fn ply_logged(&self, attacker: Side, ply: u32) {
        *self.logged.lock() = Some((attacker, ply));
        if let Some(bar) = &self.bar {
            bar.set_message(format!("{}: ply {ply} of {attacker}'s wins", self.name));
        }
    }

    fn ply_found(&self, found: &FoundPly<'_>) {
        let Some(variant) = self.watch.plies else { return };
        let pawns: String = found
            .pawns
            .iter()
            .map(|&(man, square)| format!(" {}{}", variant.fen_letter(man), variant.board.name(square)))
            .collect();
        let (name, attacker, time) = (&self.name, found.attacker, found.ply);
        for (n_placements, stm) in [(found.n_won, attacker), (found.n_lost, !attacker)] {
            if n_placements > 0 {
                let n_placements = plural(n_placements, "placement");
                self.watch.note(&format!(
                    "{name}{pawns}: {attacker} wins in {time}: {n_placements}, {stm} to move"
                ));
            }
        }
    }
}

impl TableProgress for JobWatch<'_, '_> {
    fn logged(&self, path: &Path, opened: &Opened) {
        let (name, path) = (&self.name, path.display());
        self.watch.note(&match opened {
            Opened::New => format!("{name} is solved by a log on the disk: {path}"),
            Opened::Replaced => {
                format!("{name}: {path} was the log of other rules or other tables, and is begun again")
            }
            Opened::Resumed(LogStep { attacker, ply: Some(ply) }) => {
                format!("{name}: goes on behind ply {ply} of {attacker}'s wins, by its log {path}")
            }
            Opened::Resumed(LogStep { attacker, ply: None }) => {
                format!("{name}: goes on behind {attacker}'s wins, by its log {path}")
            }
        });
    }

    fn sliced(&self, path: &Path, opened: &SlicesOpened, n_slices: u64) {
        let (name, path, n_slices) = (&self.name, path.display(), count(n_slices));
        self.watch.note(&match *opened {
            SlicesOpened::New => {
                format!("{name} is solved slice by slice; its {n_slices} slices go to the disk: {path}")
            }
            SlicesOpened::Replaced => {
                format!("{name}: {path} had slices of other rules or other tables, and is begun again")
            }
            SlicesOpened::Resumed(n_done) => {
                format!("{name}: goes on behind slice {} of {n_slices}, by {path}", count(n_done as u64))
            }
        });
    }

    fn packing(&self, done: u64, total: u64) {
        self.watch.run.lock().overall.pack(self.number, done, total);
        *self.logged.lock() = None;
        if let Some(bar) = self.bar.as_ref().filter(|_| done == 0) {
            bar.set_message(format!("{} packing", self.name));
        }
        self.draw(done, total);
    }

    fn finish(self: Box<Self>, time: Duration) {
        self.watch.run.lock().overall.finish(self.number);
        self.watch.tell(&format!("{} done in {}", self.name, seconds(time)));
    }
}

impl BuildProgress for Watch<'_> {
    fn start(&self, n_tables: usize, n_values: u64) {
        Watch::start(self, n_tables, n_values);
    }

    fn found(&self, job: &Job) {
        self.run.lock().overall.find(job.n_values());
        self.tell(&format!("{} done already", job.name));
    }

    fn outdated(&self, job: &Job, reason: &Outdated) {
        self.note(&format!("{} is solved again: {reason}", job.name));
    }

    fn begin(&self, job: &Job) -> Box<dyn TableProgress + '_> {
        Box::new(Watch::begin(self, &job.name, job.n_values()))
    }
}

impl Drop for JobWatch<'_, '_> {
    fn drop(&mut self) {
        self.watch.run.lock().overall.abandon(self.number);
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}
