//! Shows how far a search is: what is planned, what is solved, what is known. A terminal has a bar that
//! moves, and elsewhere a line is written whenever nothing has been said for a while.

use super::{bound_in_words, bound_words};
use crate::console::Console;
use crate::interrupt;
use ::structure::{Estimate, Limit, Question, SearchWatch, SolvedStructure, Structure, Watch};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use library::figure::{bytes, count, plural, seconds};
use library::so_far;
use parking_lot::{Mutex, MutexGuard};
use position::{Position, RuleBook};
use probe::Answer;
use std::io::Write;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

/// How long nothing is said elsewhere than on a terminal: a thirtieth of the run, but neither less nor more
/// than this.
const SILENCE: [Duration; 2] = [Duration::from_secs(2), Duration::from_secs(30)];

/// How often somebody looks whether a line is due.
const LOOKING: Duration = Duration::from_millis(100);

/// Shows how far a search is.
pub(super) struct Shown<'a> {
    bar: ProgressBar,
    is_watched: bool,
    begun: Instant,
    /// The positions that are asked about.
    roots: Vec<Position>,
    /// The rules, if verdicts go to the output as soon as they are known.
    book: Option<RuleBook>,
    lines: Mutex<Lines<'a>>,
}

/// Where lines go, and what there is to be said.
struct Lines<'a> {
    out: &'a mut (dyn Write + Send),
    err: &'a mut (dyn Write + Send),
    last: Instant,
    /// What is done now.
    at_work: String,
    /// Whether it is known what each position is worth, whatever its moves are.
    is_told: bool,
}

impl<'a> Shown<'a> {
    pub(super) fn new(console: &'a mut Console<'_>) -> Self {
        let is_watched = console.is_watched;
        let target = if is_watched { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let style = ProgressStyle::with_template("{spinner} {elapsed}  {msg}").expect("a template");
        let bar = ProgressBar::with_draw_target(None, target).with_style(style);
        let begun = Instant::now();
        let (out, err) = (&mut *console.out, &mut *console.err);
        let (last, at_work) = (begun, "planning".to_owned());
        let lines = Mutex::new(Lines { out, err, last, at_work, is_told: false });
        Shown { bar, is_watched, begun, roots: Vec::new(), book: None, lines }
    }

    /// Like `new`, of a question; with rules verdicts go to the output as soon as they are known.
    pub(super) fn of(self, question: &Question, book: Option<RuleBook>) -> Self {
        Shown { roots: question.roots.clone(), book, ..self }
    }

    /// Does something that takes a while, and says meanwhile how far it is.
    pub(super) fn during<R>(&self, work: impl FnOnce() -> R) -> R {
        if self.is_watched {
            // A clock of its own keeps it moving where nothing is counted.
            self.bar.enable_steady_tick(LOOKING);
        }
        let (end, ended) = mpsc::channel::<()>();
        let done = std::thread::scope(|scope| {
            scope.spawn(move || {
                while ended.recv_timeout(LOOKING) == Err(RecvTimeoutError::Timeout) {
                    self.say_if_due();
                }
            });
            let done = work();
            drop(end);
            done
        });
        self.bar.finish_and_clear();
        done
    }

    fn say_if_due(&self) {
        let [least, most] = SILENCE;
        let pause = (self.begun.elapsed() / 30).clamp(least, most);
        let mut lines = self.lines();
        if !self.is_watched && lines.last.elapsed() + LOOKING >= pause {
            let line = format!("{} ({})", lines.at_work, seconds(self.begun.elapsed()));
            lines.tell(&line);
        }
    }

    fn lines(&self) -> MutexGuard<'_, Lines<'a>> {
        self.lines.lock()
    }

    /// Says what is done now.
    fn at_work(&self, what: String) {
        self.bar.set_message(what.clone());
        self.lines().at_work = what;
    }

    fn tell(&self, line: &str) {
        self.bar.suspend(|| self.lines().tell(line));
    }

    /// Prints what positions are worth once that is known, if moves of theirs are open and the search goes
    /// on.
    fn tell_verdicts(&self, answers: &[Answer]) {
        let Some(book) = &self.book else { return };
        let is_known = |answer: &Answer| answer.value.is_exact();
        let mut lines = self.lines();
        if lines.is_told || answers.is_empty() || !answers.iter().all(is_known) {
            return;
        }
        lines.is_told = true;
        drop(lines);
        self.bar.suspend(|| {
            let mut lines = self.lines();
            for (root, answer) in self.roots.iter().zip(answers) {
                let fen = root.to_fen(book);
                let line = format!("{fen}: {}", so_far(answer));
                // A reader who has gone shows when all is printed.
                drop(writeln!(lines.out, "{line}").and_then(|()| lines.out.flush()));
            }
        });
    }
}

impl Lines<'_> {
    fn tell(&mut self, line: &str) {
        self.last = Instant::now();
        // Whoever does not read these lines misses nothing that is written elsewhere.
        drop(writeln!(self.err, "{line}"));
    }
}

impl Watch for Shown<'_> {
    fn followed(&self, limit: &Limit, n_slices: usize) {
        self.at_work(format!("planning {limit}: {} so far", plural(n_slices as u64, "slice")));
    }

    fn done(&self, n_values: u64, n_all: u64, table: &str) {
        let percent = n_values.min(n_all) * 100 / n_all.max(1);
        self.at_work(format!("{percent} % of {} values, {table}", count(n_all)));
    }

    fn is_interrupted(&self) -> bool {
        interrupt::is_asked_for()
    }
}

impl SearchWatch for Shown<'_> {
    fn begin(&self, structure: &Structure, estimate: &Estimate) {
        self.tell(&format!(
            "{}{} {}: {}, {} values of {}, about {} and {}",
            structure.name(),
            bound_words(structure.bounds()),
            structure.limit(),
            plural(estimate.n_slices, "slice"),
            count(estimate.n_values),
            structure.metric(),
            seconds(Duration::from_secs_f64(estimate.seconds)),
            bytes(estimate.disk_bytes),
        ));
        self.at_work(format!("0 % of {} values", count(estimate.n_values)));
    }

    fn end(&self, structure: &SolvedStructure, answers: &[Answer], is_exact: bool) {
        let known = match (is_exact, answers) {
            (_, []) => bound_in_words(structure.bounds()).to_owned(),
            (true, _) => "exact".to_owned(),
            (false, [answer]) => format!("not exact yet, {}", so_far(answer)),
            (false, _) => {
                let n_exact = answers.iter().filter(|answer| answer.is_exact()).count();
                format!("{n_exact} of {} exact", plural(answers.len() as u64, "position"))
            }
        };
        let time = seconds(self.begun.elapsed());
        self.tell(&format!("{}: {known} ({time})", structure.path().display()));
        self.at_work("planning".into());
        if !is_exact {
            self.tell_verdicts(answers);
        }
    }
}
