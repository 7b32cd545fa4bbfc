//! `solve --position`: solves what can come from positions, and says what they are worth.

use super::answer::print;
use super::{lent, positions};
use crate::args::SolveArgs;
use crate::console::Console;
use crate::game::Game;
use crate::pool::{count_threads, pool};
use crate::{Answer, Failure, Outcome};
use ::structure::{Bound, Estimate, Question, SearchWatch, SolvedStructure, Structure, Watch};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use library::figure::{bytes, count, plural, seconds};
use library::{LentTables, MemoryLimit};
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use variant::Metric;

pub(crate) fn solve(console: &mut Console<'_>, args: &SolveArgs) -> Outcome {
    let game = super::game(args.variant.as_deref())?;
    let (question, lent) = question(&game, &args.structure.position, args)?;
    let folder = game.tables(args.out.as_deref());
    let pool = pool(args.threads)?;
    let begun = Instant::now();
    let shown = Shown { bar: bar(console), err: Mutex::new(&mut *console.err), begun };
    let found = pool.install(|| question.solve(&game.variant, &folder, &shown));
    shown.bar.finish_and_clear();
    let found = found.map_err(Failure::new)?;
    for why in lent.iter().flat_map(|tables| tables.unfit()) {
        writeln!(console.err, "not used: {why}")?;
    }
    for root in &question.roots {
        print(console, &found.structures, root, args.json)?;
    }
    Ok(Answer::Yes)
}

/// What is asked, under the metric that is asked for; if none is, under the game's own unless limits are
/// needed, which say more of who wins than of distances.
fn question(
    game: &Game,
    fens: &[String],
    args: &SolveArgs,
) -> Result<(Question, Option<Arc<LentTables>>), Failure> {
    let roots = positions(game, fens)?;
    let memory = MemoryLimit::new(args.memory);
    let question = |metric| {
        let lent = lent(&game.variant, metric, &args.using)?;
        let question = Question {
            metric,
            roots: roots.clone(),
            limit: args.structure.promoted.clone(),
            using: lent.clone().map(|tables| tables as _),
            most_values: args.structure.limit,
            memory_bytes: memory.bytes,
            n_threads: count_threads(args.threads),
        };
        Ok((question, lent))
    };
    match &args.metric[..] {
        [metric] => question(*metric),
        [] => question(metric_for(game, &question(game.variant.default_metric)?.0)),
        _ => Err(Failure::new("a position is solved under one metric at a time; name one with --metric")),
    }
}

/// The game's own metric if no limit is needed, else who wins.
pub(super) fn metric_for(game: &Game, question: &Question) -> Metric {
    let fits = question.stages(&game.variant).into_iter().any(|stage| {
        stage.limit.is_none() && stage.structure.is_ok_and(|(_, estimate)| question.allows(&estimate))
    });
    if fits { game.variant.default_metric } else { Metric::Wdl }
}

fn bar(console: &Console<'_>) -> ProgressBar {
    let target = if console.is_watched { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let style = ProgressStyle::with_template("{bar:30} {percent:>3} %  {msg}").expect("a template");
    ProgressBar::with_draw_target(None, target).with_style(style)
}

/// Shows how far a search is.
struct Shown<'a> {
    bar: ProgressBar,
    err: Mutex<&'a mut (dyn Write + Send)>,
    begun: Instant,
}

impl Shown<'_> {
    fn tell(&self, line: &str) {
        self.bar.suspend(|| {
            // Whoever does not read these lines misses nothing that is written elsewhere.
            drop(writeln!(self.err.lock().unwrap_or_else(PoisonError::into_inner), "{line}"));
        });
    }
}

impl Watch for Shown<'_> {
    fn done(&self, n_values: u64, n_all: u64, table: &str) {
        self.bar.set_length(n_all);
        self.bar.set_position(n_values.min(n_all));
        self.bar.set_message(table.to_owned());
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
    }

    fn end(&self, structure: &SolvedStructure, is_exact: bool) {
        let exact = if is_exact { "exact" } else { "not exact yet" };
        let time = seconds(self.begun.elapsed());
        self.tell(&format!("{}: {exact} ({time})", structure.path().display()));
    }
}

/// What of the values is found.
pub(super) fn bound_words(bounds: &[Bound]) -> &'static str {
    match bounds {
        [Bound::Lower] => ", at least,",
        [Bound::Upper] => ", at most,",
        _ => "",
    }
}
