//! Says what a structure knows of a position.

use super::open;
use crate::Failure;
use crate::console::Console;
use crate::grid::{Align, Grid};
use crate::probe::text;
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
pub(crate) fn structures_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|ending| ending == EXTENSION)).collect();
    files.sort_unstable();
    files
}

/// The structures of a folder that know a position, of one metric: this one, or else the one whose files
/// leave least open, the game's own before others. Files that were made under other rules are passed over.
pub(crate) fn answering(
    folder: &Path,
    variant: &Variant,
    position: &Position,
    metric: Option<Metric>,
    using: &[PathBuf],
) -> Result<Vec<Arc<SolvedStructure>>, Failure> {
    let mut found: Vec<(Arc<SolvedStructure>, Verdict)> = Vec::new();
    for file in structures_in(folder) {
        let Ok(structure) = open(&file, variant, using).map(Arc::new) else { continue };
        match structure.verdict(position) {
            Ok(verdict) => found.push((structure, verdict)),
            Err(ProbeError::Missing(_)) => {}
            Err(error) => return Err(Failure::new(error)),
        }
    }
    let n_open = |metric: Metric| {
        let own = found.iter().filter(|(structure, _)| structure.metric() == metric);
        own.map(|(_, verdict)| verdict.clone()).reduce(Verdict::and).map(|verdict| verdict.n_open())
    };
    let all = [variant.default_metric].into_iter().chain(Metric::ALL);
    let told = all.filter_map(|own| n_open(own).map(|n_open| (n_open, own)));
    let metric = metric.or_else(|| told.min_by_key(|&(n_open, _)| n_open).map(|(_, own)| own));
    let own = found.into_iter().filter(|(structure, _)| Some(structure.metric()) == metric);
    Ok(own.map(|(structure, _)| structure).collect())
}

/// Prints what structures know of a position together.
pub(crate) fn print(
    console: &mut Console<'_>,
    structures: &[Arc<SolvedStructure>],
    position: &Position,
    as_json: bool,
) -> Result<(), Failure> {
    if let Some(exact) = structures.iter().find(|structure| structure.is_exact()) {
        let tables = exact.tablebase(Bound::Exact);
        let finding = Finding::of_moves(&tables, position.clone(), false);
        let finding = finding.map_err(|refusal| Failure::new(format!("{refusal:?}")))?;
        return match as_json {
            true => console.print_json(&FindingJson::new(&tables, &finding)),
            false => Ok(write!(console.out, "{}", text::finding_of(&tables, &finding, None))?),
        };
    }
    let mut verdict: Option<Verdict> = None;
    for structure in structures {
        let own = structure.verdict(position).map_err(Failure::new)?;
        verdict = Some(verdict.map_or(own.clone(), |before| before.and(own)));
    }
    let (Some(verdict), Some(first)) = (verdict, structures.first()) else { return Ok(()) };
    print_verdict(console, (first.book(), first.metric()), &sources(structures), position, &verdict, as_json)
}

/// Prints what is known of a position, and from which files.
pub(super) fn print_verdict(
    console: &mut Console<'_>,
    rules: (&RuleBook, Metric),
    sources: &[String],
    position: &Position,
    verdict: &Verdict,
    as_json: bool,
) -> Result<(), Failure> {
    match as_json {
        true => console.print_json(&VerdictJson::new(rules, sources, position, verdict)),
        false => Ok(write!(console.out, "{}", bounded(rules, sources, position, verdict))?),
    }
}

/// The names of files and the limits that they were solved inside.
fn sources(structures: &[Arc<SolvedStructure>]) -> Vec<String> {
    let name = |structure: &Arc<SolvedStructure>| {
        let name = structure.path().file_name().map(|name| name.display().to_string()).unwrap_or_default();
        format!("{name}, solved {}", structure.limit())
    };
    structures.iter().map(name).collect()
}

#[derive(Serialize)]
struct VerdictJson {
    fen: String,
    files: Vec<String>,
    metric: String,
    exact: bool,
    at_least: String,
    at_most: String,
    moves: Vec<MoveJson>,
}

#[derive(Serialize)]
struct MoveJson {
    san: String,
    uci: String,
    at_least: String,
    at_most: String,
}

impl VerdictJson {
    fn new(
        (book, metric): (&RuleBook, Metric),
        sources: &[String],
        position: &Position,
        verdict: &Verdict,
    ) -> Self {
        let word = |value| word(metric, value);
        VerdictJson {
            fen: position.to_fen(book),
            files: sources.to_vec(),
            metric: metric.to_string(),
            exact: verdict.is_exact(),
            at_least: word(verdict.value.least),
            at_most: word(verdict.value.most),
            moves: verdict
                .moves
                .iter()
                .map(|mv| MoveJson {
                    san: position.san(book, mv.mv),
                    uci: mv.uci.clone(),
                    at_least: word(mv.value.least),
                    at_most: word(mv.value.most),
                })
                .collect(),
        }
    }
}

/// The board, what is known of the value and of the moves.
fn bounded(
    (book, metric): (&RuleBook, Metric),
    sources: &[String],
    position: &Position,
    verdict: &Verdict,
) -> String {
    let mut text = position.board_text(book);
    text += &format!("\n{}\n", side_told(metric, position, verdict));
    for source in sources {
        text += &format!("(from {source})\n");
    }
    if !verdict.moves.is_empty() {
        let mut grid = Grid::new(&[("move", Align::Left), ("", Align::Left), ("value", Align::Left)]);
        for mv in &verdict.moves {
            grid.push(vec![position.san(book, mv.mv), mv.uci.clone(), told(metric, mv.value)]);
        }
        text += &format!("\n{}", grid.text(None));
    }
    text
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
