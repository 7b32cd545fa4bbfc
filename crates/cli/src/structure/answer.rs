//! Says what a structure knows of a position.

use super::open;
use crate::Failure;
use crate::console::Console;
use crate::probe::text;
use crate::report::Report;
use ::structure::{Between, Bound, EXTENSION, SolvedStructure, Verdict};
use library::figure::{distance, plural};
use library::{Finding, FindingJson};
use position::{Position, RuleBook};
use probe::ProbeError;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use table::{Ply, Value};
use variant::{Metric, Variant};

/// The structures of a folder, by name.
pub(super) fn structures_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|ending| ending == EXTENSION)).collect();
    files.sort_unstable();
    files
}

/// The structures of a folder; files that were made under other rules, or that cannot be read, are passed
/// over.
pub(crate) fn opened(folder: &Path, variant: &Variant, using: &[PathBuf]) -> Vec<Arc<SolvedStructure>> {
    let open = |file: PathBuf| open(&file, variant, using).ok().map(Arc::new);
    structures_in(folder).into_iter().filter_map(open).collect()
}

/// Those of some structures that know a position, of one metric: this one, or else the one whose files leave
/// least open, the game's own before others.
pub(crate) fn answering(
    structures: &[Arc<SolvedStructure>],
    variant: &Variant,
    position: &Position,
    metric: Option<Metric>,
) -> Result<Vec<Arc<SolvedStructure>>, ProbeError> {
    let mut found: Vec<(&Arc<SolvedStructure>, Verdict)> = Vec::new();
    for structure in structures {
        match structure.verdict(position) {
            Ok(verdict) => found.push((structure, verdict)),
            Err(ProbeError::Missing(_)) => {}
            Err(error) => return Err(error),
        }
    }
    let n_open = |metric: Metric| {
        let own = found.iter().filter(|(structure, _)| structure.metric() == metric);
        own.map(|(_, verdict)| verdict.clone()).reduce(Verdict::and).map(|verdict| verdict.n_open())
    };
    let all = [variant.default_metric].into_iter().chain(Metric::ALL);
    let told = all.filter_map(|own| n_open(own).map(|n_open| (n_open, own)));
    let metric = metric.or_else(|| told.min_by_key(|&(n_open, _)| n_open).map(|(_, own)| own));
    found.retain(|(structure, _)| Some(structure.metric()) == metric);
    // Where they know nothing other files may know more.
    let together = found.iter().map(|(_, verdict)| verdict.clone()).reduce(Verdict::and);
    let knowing = found.into_iter().filter(|_| !together.as_ref().is_some_and(says_nothing));
    Ok(knowing.map(|(structure, _)| structure.clone()).collect())
}

/// Whether a verdict leaves it open who wins, after whatever move, and when.
fn says_nothing(verdict: &Verdict) -> bool {
    let is_open = |value: Between| (value.least.wdl(), value.most.wdl()) == (Some(-1), Some(1));
    // A side with a legal move is mated in two plies at the earliest: the rules say so, not the file.
    let is_told_by_rules = matches!(
        (verdict.value.least, verdict.value.most),
        (Value::Loss(Ply(0..=2)), Value::Win(Ply(0..=1)))
    );
    is_told_by_rules && verdict.moves.iter().all(|mv| is_open(mv.value))
}

/// Prints what structures know of a position together.
pub(super) fn print(
    console: &mut Console<'_>,
    structures: &[Arc<SolvedStructure>],
    position: &Position,
    as_json: bool,
) -> Result<(), Failure> {
    if let Some(exact) = structures.iter().find(|structure| structure.is_exact()) {
        let tables = exact.tablebase(Bound::Exact);
        let finding = Finding::of_moves(&tables, position.clone(), false).map_err(Failure::new)?;
        return match as_json {
            true => console.print_json(&FindingJson::new(&tables, &finding)),
            false => Ok(write!(console.out, "{}", text::finding(&tables, &finding, None))?),
        };
    }
    match Bounded::new(structures, position).map_err(Failure::new)? {
        Some(bounded) => bounded.print(console, as_json),
        None => Ok(()),
    }
}

/// What structures of bounds know of a position together, in words.
#[derive(Serialize)]
pub(crate) struct Bounded {
    fen: String,
    /// The names of files and the limits that they were solved inside.
    files: Vec<String>,
    #[serde(serialize_with = "named")]
    metric: Metric,
    exact: bool,
    at_least: String,
    at_most: String,
    moves: Vec<BoundedMove>,
    /// The board, and what the side to move gets.
    #[serde(skip)]
    head: String,
    #[serde(skip)]
    value: Between,
}

#[derive(Serialize)]
struct BoundedMove {
    san: String,
    uci: String,
    at_least: String,
    at_most: String,
    #[serde(skip)]
    value: Between,
}

impl Bounded {
    /// None without structures.
    pub(crate) fn new(
        structures: &[Arc<SolvedStructure>],
        position: &Position,
    ) -> Result<Option<Self>, ProbeError> {
        let verdicts = structures.iter().map(|structure| structure.verdict(position));
        let verdict = verdicts.collect::<Result<Vec<_>, _>>()?.into_iter().reduce(Verdict::and);
        let name = |structure: &Arc<SolvedStructure>| {
            let name = structure.path().file_name().map(|name| name.display().to_string());
            format!("{}, solved {}", name.unwrap_or_default(), structure.limit())
        };
        let of = |verdict: Verdict| {
            let (book, metric) = (structures[0].book(), structures[0].metric());
            let files = structures.iter().map(name).collect();
            Bounded { files, ..Bounded::of(book, metric, position, &verdict) }
        };
        Ok(verdict.map(of))
    }

    /// What is known without any file.
    pub(super) fn of(book: &RuleBook, metric: Metric, position: &Position, verdict: &Verdict) -> Self {
        let moves = verdict.moves.iter().map(|mv| BoundedMove {
            san: position.san(book, mv.mv),
            uci: mv.uci.clone(),
            at_least: word(metric, mv.value.least),
            at_most: word(metric, mv.value.most),
            value: mv.value,
        });
        Bounded {
            fen: position.to_fen(book),
            files: Vec::new(),
            metric,
            exact: verdict.is_exact(),
            at_least: word(metric, verdict.value.least),
            at_most: word(metric, verdict.value.most),
            moves: moves.collect(),
            head: format!("{}\n{}\n", position.board_text(book), side_told(metric, position, verdict)),
            value: verdict.value,
        }
    }

    pub(super) fn print(&self, console: &mut Console<'_>, as_json: bool) -> Result<(), Failure> {
        match as_json {
            true => console.print_json(self),
            false => Ok(write!(console.out, "{}", self.text())?),
        }
    }

    /// The board, what is known of the value and of the moves.
    pub(crate) fn text(&self) -> String {
        let mut text = self.head.clone();
        text.extend(self.files.iter().map(|file| format!("(from {file})\n")));
        if !self.moves.is_empty() {
            let mut report = Report::new("move | | value");
            for mv in &self.moves {
                report.row([&mv.san, &mv.uci, &told(self.metric, mv.value)]);
            }
            text += &format!("\n{}", report.text(None));
        }
        text
    }

    /// Fields with tabs between them: the result, plies and best moves, or the word `bounds` and what is
    /// known.
    pub(crate) fn fields(&self, value_only: bool) -> String {
        let least = self.value.least;
        if !self.value.is_exact() {
            return format!("bounds\t{}", told(self.metric, self.value));
        }
        let ply = least.ply().filter(|_| self.metric != Metric::Wdl);
        let ply = ply.map_or_else(|| "-".into(), |ply| ply.0.to_string());
        let fields = format!("{}\t{ply}", least.wdl().unwrap_or(0));
        let best = self.moves.iter().filter(|mv| mv.value.least.preference(&least).is_eq());
        let best: Vec<&str> = best.map(|mv| mv.uci.as_str()).collect();
        match (value_only, best.is_empty()) {
            (true, _) => fields,
            (false, true) => fields + "\t-",
            (false, false) => format!("{fields}\t{}", best.join(" ")),
        }
    }
}

/// A metric by its name.
fn named<S: serde::Serializer>(metric: &Metric, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(metric.name())
}

/// What the side to move gets, as far as it is known.
fn side_told(metric: Metric, position: &Position, verdict: &Verdict) -> String {
    let (stm, value) = (position.stm(), told(metric, verdict.value));
    match value.as_str() {
        UNKNOWN => format!("what {stm} gets is {value}"),
        _ => format!("{stm} {value}"),
    }
}

/// Of a value of which nothing is known.
const UNKNOWN: &str = "not known";

/// What is known of a position and of its moves before all is, in a few words.
pub(super) fn so_far(metric: Metric, position: &Position, verdict: &Verdict) -> String {
    let value = side_told(metric, position, verdict);
    match verdict.n_moves_open() {
        0 => value,
        n_open => format!("{value}, {} open", plural(n_open as u64, "move")),
    }
}

/// A value, or from what to what it may be; the side that it is of is the one that moves.
fn told(metric: Metric, value: Between) -> String {
    let Between { least, most } = value;
    if value.is_exact() {
        return word(metric, least);
    }
    // Who wins has no plies.
    let is_open = |own: Value, other: Value| match metric {
        Metric::Wdl => {
            matches!((own, other), (Value::Win(_), Value::Win(_)) | (Value::Loss(_), Value::Loss(_)))
        }
        _ => own.preference(&other).is_eq(),
    };
    match (is_open(least, Between::ANYTHING.least), is_open(most, Between::ANYTHING.most)) {
        (true, true) => UNKNOWN.into(),
        (true, false) => format!("at most {}", word(metric, most)),
        (false, true) => format!("at least {}", word(metric, least)),
        (false, false) => format!("at least {}, at most {}", word(metric, least), word(metric, most)),
    }
}

fn word(metric: Metric, value: Value) -> String {
    let (verb, Ply(ply)) = match value {
        Value::Win(ply) => ("wins", ply),
        Value::Loss(ply) => ("loses", ply),
        Value::Draw | Value::Stalemate | Value::Illegal => return "draws".into(),
    };
    if metric == Metric::Wdl { verb.into() } else { format!("{verb} in {}", distance(ply)) }
}
