//! `solve --position` and `solve --structure`: solves what can come from positions, and says what they are
//! worth.

use super::answer::{print, so_far};
use super::asked::{Asked, RunArgs};
use super::bound_in_words;
use crate::args::SolveArgs;
use crate::console::Console;
use crate::pool::pool;
use crate::{Answer, Failure, Outcome};
use ::structure::{Bound, Estimate, Question, SearchWatch, SolvedStructure, Structure, Verdict, Watch};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use library::figure::{bytes, count, plural, seconds};
use serde::Serialize;
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

pub(crate) fn solve(console: &mut Console<'_>, args: &SolveArgs) -> Outcome {
    let game = super::game_of(args.variant.as_deref(), args.structure.structure.as_deref())?;
    let run =
        RunArgs { using: &args.using, metric: &args.metric, memory: args.memory, threads: args.threads };
    let Asked { question, lent } = Asked::new(&game, &args.structure, &run)?;
    let folder = game.tables(args.out.as_deref());
    let pool = pool(args.threads)?;
    let begun = Instant::now();
    let shown = Shown { bar: bar(console), err: Mutex::new(&mut *console.err), begun, question: &question };
    let found = pool.install(|| question.solve(&game.variant, &folder, &shown));
    shown.bar.finish_and_clear();
    let found = found.map_err(Failure::new)?;
    for why in lent.iter().flat_map(|tables| tables.unfit()) {
        writeln!(console.err, "not used: {why}")?;
    }
    if question.is_whole {
        return print_whole(console, &question, &found.structures, args.json);
    }
    for root in &question.roots {
        print(console, &found.structures, root, args.json)?;
    }
    Ok(Answer::Yes)
}

#[derive(Serialize)]
struct WholeJson {
    file: String,
    metric: String,
    limit: String,
    bounds: Vec<Bound>,
    ways_for_pawns: usize,
    slices: usize,
    values: u64,
}

/// Prints what was solved of a structure file, a line for each file of results.
fn print_whole(
    console: &mut Console<'_>,
    question: &Question,
    structures: &[Arc<SolvedStructure>],
    as_json: bool,
) -> Outcome {
    let n_ways = question.roots.len();
    let n_slices = |structure: &SolvedStructure| structure.tables().map(|(_, _, n)| n).sum::<usize>();
    if as_json {
        let json = structures.iter().map(|structure| WholeJson {
            file: structure.path().display().to_string(),
            metric: structure.metric().to_string(),
            limit: structure.limit().to_string(),
            bounds: structure.bounds().to_vec(),
            ways_for_pawns: n_ways,
            slices: n_slices(structure),
            values: structure.n_values(),
        });
        console.print_json(&json.collect::<Vec<_>>())?;
        return Ok(Answer::Yes);
    }
    for structure in structures {
        writeln!(
            console.out,
            "{}: {} for the pawns to stand, {} with all that comes from them, {} values of {}, {}, solved {}",
            structure.path().display(),
            plural(n_ways as u64, "way"),
            plural(n_slices(structure) as u64, "slice"),
            count(structure.n_values()),
            structure.metric(),
            bound_in_words(structure.bounds()),
            structure.limit(),
        )?;
    }
    Ok(Answer::Yes)
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
    question: &'a Question,
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

    fn end(&self, structure: &SolvedStructure, verdicts: &[Verdict], is_exact: bool) {
        let known = match (is_exact, verdicts) {
            (_, []) => bound_in_words(structure.bounds()).to_owned(),
            (true, _) => "exact".to_owned(),
            (false, [verdict]) => {
                format!("not exact yet, {}", so_far(self.question.metric, &self.question.roots[0], verdict))
            }
            (false, _) => {
                let n_exact = verdicts.iter().filter(|verdict| verdict.is_exact()).count();
                format!("{n_exact} of {} exact", plural(verdicts.len() as u64, "position"))
            }
        };
        let time = seconds(self.begun.elapsed());
        self.tell(&format!("{}: {known} ({time})", structure.path().display()));
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
