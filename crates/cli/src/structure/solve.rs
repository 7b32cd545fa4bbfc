//! `--position` and `--structure` of `solve` and `plan`: solves what can come from positions and says what
//! they are worth, or what solving them takes under each limit. Shows meanwhile what is planned, what is
//! solved, what is known.

use super::asked::{Asked, RunArgs};
use super::{StructureFacts, asked, bound_in_words, bound_words};
use crate::plan::PlanArgs;
use crate::solve::SolveArgs;
use crate::{Answer, Console, Failure, Game, Outcome, Report, Watch, interrupt, pool};
use ::structure::{
    Bound, Estimate, Limit, Question, RaceSize, SearchWatch, SolvedStructure, Stage, Structure,
};
use library::figure::{bytes, count, plural, seconds};
use library::{AnswerJson, AskedTables, so_far};
use parking_lot::Mutex;
use position::{Position, RuleBook};
use probe::{Ask, Line, ProbeError};
use serde::Serialize;
use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};
use variant::Side;

pub(crate) fn solve(console: &mut Console<'_>, args: &SolveArgs, game: &Game, roots: &[Position]) -> Outcome {
    let run =
        RunArgs { using: &args.using, metric: &args.metric, memory: args.memory, threads: args.threads };
    let folder = game.tables(console, args.out.as_deref());
    let (pool, book) = (pool(args.threads)?, RuleBook::new(&game.variant));
    let shown = Shown::new(console, args.time);
    let Asked { question, lent } =
        shown.during(|| pool.install(|| Asked::new(game, roots, &args.structure, &run, &shown)))?;
    let is_told = !question.is_whole && !args.json;
    let shown = shown.of(&question, is_told.then(|| book.clone()));
    let found = shown.during(|| pool.install(|| question.solve(&game.variant, &folder, &shown)));
    let is_late = shown.is_late();
    drop(shown);
    let found = found?;
    for why in lent.iter().flat_map(|tables| tables.unfit()) {
        writeln!(console.err, "not used: {why}")?;
    }
    if question.is_whole {
        print_whole(console, &question, &found.structures, args.json)?;
    } else {
        let exact = found.structures.iter().find(|structure| structure.is_exact());
        // How it goes on is asked as every door asks it.
        let folders = if folder.is_dir() { vec![folder] } else { Vec::new() };
        let tables = AskedTables::new(&game.variant, &folders, CACHE_BYTES, None)?.using(&args.using);
        let goes_on = || !interrupt::is_asked_for();
        let ask = Ask { line: Line::ToEnd, why: args.telling.why, goes_on: &goes_on, ..Ask::MOVES };
        for (root, answer) in question.roots.iter().zip(found.answers) {
            let answer = exact.map_or(Ok(answer), |exact| exact.answer(root, &Ask::MOVES))?;
            let told = match tables.answer_legal(root, Some(question.metric), &ask) {
                Ok(all) => probe::Answer { line: all.line, refutations: all.refutations, ..answer },
                Err(ProbeError::Missing(_)) => answer,
                Err(error) => return Err(error.into()),
            };
            args.telling.draw(&book, &told)?;
            match args.json {
                true => console.print_json(&AnswerJson::new(&book, &told, usize::MAX))?,
                false => write!(console.out, "{}", args.telling.text(&book, &told, None))?,
            }
        }
    }
    let Some(open) = found.open else { return Ok(Answer::Yes) };
    let open = open.to_string();
    let why = match open.strip_prefix("interrupted").filter(|_| is_late) {
        Some(rest) => format!("the time that --time gives was over{rest}"),
        None => open,
    };
    console.tell(&format!("open: {why}"))?;
    Ok(Answer::No)
}

/// The bytes of decompressed blocks of tables beside a structure.
const CACHE_BYTES: usize = 64 << 20;

#[derive(Serialize)]
struct WholeStructure {
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
) -> Result<(), Failure> {
    let n_ways = question.roots.len();
    let n_slices = |structure: &SolvedStructure| structure.tables().map(|(_, _, n)| n).sum::<usize>();
    if as_json {
        let json = structures.iter().map(|structure| {
            let (slices, values) = (n_slices(structure), structure.n_values());
            StructureFacts::new(structure, WholeStructure { ways_for_pawns: n_ways, slices, values })
        });
        return console.print_json(&json.collect::<Vec<_>>());
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
    Ok(())
}

/// How many of the dearest men are named.
const N_DEAREST: usize = 3;

/// A limit, and what solving under it takes; why it cannot be had otherwise.
#[derive(Serialize)]
struct StageLine {
    limit: String,
    fits: bool,
    error: Option<String>,
    #[serde(flatten)]
    estimate: Estimate,
}

impl StageLine {
    fn new(stage: &Stage, question: &Question) -> Self {
        let limit = match stage.bound {
            Bound::Exact => stage.limit.to_string(),
            Bound::Lower => format!("at least, {}", stage.limit),
            Bound::Upper => format!("at most, {}", stage.limit),
        };
        let (estimate, error) = match &stage.structure {
            Ok((_, estimate)) => (estimate.clone(), None),
            Err(error) => (Estimate::default(), Some(error.to_string())),
        };
        StageLine { limit, fits: error.is_none() && question.allows(&estimate), error, estimate }
    }

    /// The line of a pawn race, which comes before all limits.
    fn of_race((limit, estimate): (Limit, Estimate)) -> Self {
        StageLine { limit: limit.to_string(), fits: true, error: None, estimate }
    }

    fn cells(&self) -> Vec<String> {
        let Estimate { n_slices, n_values, seconds: time, memory_bytes, disk_bytes, .. } = self.estimate;
        let figures = match self.error {
            Some(_) => vec![String::new(); 5],
            None => vec![
                count(n_slices),
                count(n_values),
                seconds(Duration::from_secs_f64(time)),
                bytes(memory_bytes),
                bytes(disk_bytes),
            ],
        };
        let note = self.error.as_deref().unwrap_or(if self.fits { "" } else { "too much" });
        std::iter::once(self.limit.clone()).chain(figures).chain([note.to_owned()]).collect()
    }
}

pub(crate) fn plan(console: &mut Console<'_>, args: &PlanArgs) -> Outcome {
    let (game, roots) = asked(console, args.variant.as_deref(), &args.structure)?;
    let run =
        RunArgs { using: &args.using, metric: &args.metric, memory: args.memory, threads: args.threads };
    let (question, race, stages) = {
        let shown = Shown::new(console, None);
        shown.during(|| {
            let Asked { question, .. } = Asked::new(&game, &roots, &args.structure, &run, &shown)?;
            let race = question.race_estimate(&game.variant, &shown);
            // Limits are planned when a race has left something open.
            let stages = if race.is_some() { Vec::new() } else { question.stages(&game.variant, &shown) };
            Ok::<_, Failure>((question, race, stages))
        })?
    };
    let stage_lines = stages.iter().map(|stage| StageLine::new(stage, &question));
    let any_race = race.is_some();
    let lines: Vec<StageLine> = race.map(StageLine::of_race).into_iter().chain(stage_lines).collect();
    let any_fits = lines.iter().any(|line| line.fits);
    let answer = if any_fits { Answer::Yes } else { Answer::No };
    if args.json {
        console.print_json(&lines)?;
        return Ok(answer);
    }
    let mut report = Report::new("limit | >slices | >values | >time | >memory | >disk |");
    lines.iter().for_each(|line| report.row(line.cells()));
    write!(console.out, "{}", report.text(console.out_width))?;
    if any_race {
        writeln!(
            console.out,
            "\nwhat a race leaves open is looked at inside limits: --promoted 1 plans one"
        )?;
    }
    // What is told in detail is the first that fits, else the smallest.
    let planned = || stages.iter().filter_map(|stage| stage.structure.as_ref().ok());
    let fitting = planned().find(|(_, estimate)| question.allows(estimate));
    if let Some(shown) = fitting.or_else(|| planned().min_by_key(|(_, estimate)| estimate.n_values)) {
        print_dearest(console, shown)?;
    }
    if !any_fits {
        let (limit, memory) = (count(question.most_values), bytes(question.memory_bytes));
        writeln!(
            console.out,
            "\nnothing of this fits into {limit} values (--limit) and {memory} (--memory): begin after pawns \
             are exchanged or blocked, or allow more"
        )?;
    }
    Ok(answer)
}

/// Prints which men take most of a structure.
fn print_dearest(
    console: &mut Console<'_>,
    (structure, estimate): &(Structure, Estimate),
) -> Result<(), Failure> {
    writeln!(console.out, "\n{} {}:", structure.name(), structure.limit())?;
    let mut report = Report::new("men beside pawns | >pawns | >slices | >values | >share");
    for men in estimate.by_men.iter().take(N_DEAREST) {
        let (least, most) = men.n_pawns;
        let percent = men.n_values as f64 * 100.0 / estimate.n_values.max(1) as f64;
        let pawns = if least == most { least.to_string() } else { format!("{least}–{most}") };
        let (slices, values) = (count(men.n_slices), count(men.n_values));
        report.row([&men.name, &pawns, &slices, &values, &format!("{percent:.0} %")]);
    }
    write!(console.out, "{}", report.text(console.out_width))?;
    match estimate.by_men.len().saturating_sub(N_DEAREST) {
        0 => Ok(()),
        n_more => Ok(writeln!(console.out, "… and {n_more} more")?),
    }
}

fn in_words(winner: Option<Side>) -> String {
    winner.map_or_else(|| "a draw".into(), |winner| format!("{winner} wins"))
}

/// Shows how far a search is.
pub(super) struct Shown<'a> {
    watch: Watch<'a>,
    begun: Instant,
    /// When the search is to stop.
    deadline: Option<Instant>,
    /// The positions that are asked about.
    roots: Vec<Position>,
    /// The rules, if verdicts go to the output as soon as they are known.
    book: Option<RuleBook>,
    /// The output, until it says what each position is worth, whatever its moves are.
    out: Mutex<Option<&'a mut (dyn Write + Send)>>,
}

impl<'a> Shown<'a> {
    pub(super) fn new(console: &'a mut Console<'_>, time: Option<Duration>) -> Self {
        let begun = Instant::now();
        let watch = Watch::new(console.is_watched, &mut *console.err);
        watch.at_work("planning".into());
        let out = Mutex::new(Some(&mut *console.out as _));
        Shown {
            watch,
            begun,
            deadline: time.and_then(|time| begun.checked_add(time)),
            roots: Vec::new(),
            book: None,
            out,
        }
    }

    /// Like `new`, of a question; with rules verdicts go to the output as soon as they are known.
    pub(super) fn of(self, question: &Question, book: Option<RuleBook>) -> Self {
        Shown { roots: question.roots.clone(), book, ..self }
    }

    /// Whether the search was to stop by now.
    fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Does something that takes a while, and says meanwhile how far it is.
    pub(super) fn during<R>(&self, work: impl FnOnce() -> R) -> R {
        self.watch.during(work)
    }

    /// Prints what positions are worth once that is known, if moves of theirs are open and the search goes
    /// on.
    fn tell_verdicts(&self, answers: &[probe::Answer]) {
        let Some(book) = &self.book else { return };
        if answers.is_empty() || !answers.iter().all(|answer| answer.value.is_exact()) {
            return;
        }
        let Some(out) = self.out.lock().take() else { return };
        for (root, answer) in self.roots.iter().zip(answers) {
            let line = format!("{}: {}", root.to_fen(book), so_far(answer));
            // A reader who has gone shows when all is printed.
            self.watch.beside(|| drop(writeln!(out, "{line}").and_then(|()| out.flush())));
        }
    }
}

impl ::structure::Watch for Shown<'_> {
    fn followed(&self, limit: &Limit, n_slices: usize) {
        self.watch.at_work(format!("planning {limit}: {} so far", plural(n_slices as u64, "slice")));
    }

    fn done(&self, n_values: u64, n_all: u64, table: &str) {
        let percent = n_values.min(n_all) * 100 / n_all.max(1);
        self.watch.at_work(format!("{percent} % of {} values, {table}", count(n_all)));
    }

    fn taken(&self, n_slices: u64, n_all: u64) {
        let taken = match n_slices == n_all {
            true => format!("all {} are", plural(n_all, "slice")),
            false => format!(
                "{} of {} {}",
                count(n_slices),
                plural(n_all, "slice"),
                if n_slices == 1 { "is" } else { "are" }
            ),
        };
        self.watch.note(&format!("{taken} taken from structures that are solved already"));
    }

    fn raced(&self, n_done: u64, n_all: u64, what: &str) {
        self.watch.at_work(format!("{} %, {what}", n_done.min(n_all) * 100 / n_all.max(1)));
    }

    fn is_interrupted(&self) -> bool {
        interrupt::is_asked_for() || self.is_late()
    }
}

impl SearchWatch for Shown<'_> {
    fn begin(&self, structure: &Structure, estimate: &Estimate) {
        self.watch.note(&format!(
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
        self.watch.at_work(format!("0 % of {} values", count(estimate.n_values)));
    }

    fn begin_race(&self, name: &str, size: RaceSize) {
        self.watch.note(&format!(
            "{name}, as a pawn race: {} for the pawns to stand, {}",
            plural(size.n_ways as u64, "way"),
            plural(size.n_queens as u64, "queen slice"),
        ));
        self.watch.at_work("0 %, proving".into());
    }

    fn guessed(&self, winners: &[Option<Side>]) {
        let time = seconds(self.begun.elapsed());
        let text = match winners {
            [winner] => in_words(*winner),
            _ => {
                let n_wins = |side: Side| winners.iter().filter(|winner| **winner == Some(side)).count();
                let [white, black] = Side::BOTH.map(n_wins);
                format!("White wins {white}, Black {black}, {} drawn", winners.len() - white - black)
            }
        };
        self.watch.note(&format!("by a rule of thumb, not proved: {text} ({time})"));
    }

    fn end(&self, structure: &SolvedStructure, answers: &[probe::Answer], is_exact: bool) {
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
        self.watch.note(&format!("{}: {known} ({time})", structure.path().display()));
        self.watch.at_work("planning".into());
        if !is_exact {
            self.tell_verdicts(answers);
        }
    }
}
