//! Solves known positions with many men, and compares what comes out with what is known of them.

use anyhow::{Context, Result, bail};
use position::{Position, RuleBook};
use probe::{Answer, Ask};
use serde::Deserialize;
use std::path::Path;
use std::time::Instant;
use structure::{Estimate, Outline, Question, SearchWatch, Structure, Watch};
use table::Value;
use variant::{Metric, Variant};
use xtask::root;

/// The positions, in the form that the file explains.
const STUDIES: &str = include_str!("../data/studies.toml");

/// What is known of a position.
#[derive(Clone, Debug, Deserialize)]
struct Study {
    name: String,
    source: String,
    rules: Option<String>,
    file: Option<String>,
    fen: String,
    result: (i8, i8),
    moves: Vec<String>,
}

/// The file of positions.
#[derive(Debug, Deserialize)]
struct Studies {
    study: Vec<Study>,
}

struct Shown;

impl Watch for Shown {}

impl SearchWatch for Shown {
    fn begin(&self, structure: &Structure, estimate: &Estimate) {
        let (limit, bounds) = (structure.limit(), structure.bounds());
        eprintln!("  {bounds:?} {limit}: {} slices, {} values", estimate.n_slices, estimate.n_values);
    }
}

/// Runs the task: with names those positions, else all; whether all came out as known.
///
/// # Errors
/// A name that no position has, or a file that cannot be written.
pub(crate) fn run(names: &[String], folder: &Path) -> Result<bool> {
    let Studies { study: studies } = toml::from_str(STUDIES)?;
    if let Some(unknown) = names.iter().find(|name| studies.iter().all(|study| study.name != **name)) {
        let known: Vec<&str> = studies.iter().map(|study| study.name.as_str()).collect();
        bail!("there is no position {unknown}; there are {}", known.join(", "));
    }
    let mut is_well = true;
    for study in studies.iter().filter(|study| names.is_empty() || names.contains(&study.name)) {
        println!("{} ({}): {}", study.name, study.source, study.fen);
        let begun = Instant::now();
        let verdict = study.solve(folder, &Shown)?;
        let ((least, most), moves) = (results(&verdict), moves(&verdict).join(" "));
        let is_right = study.is_as_known(&verdict);
        let word = if is_right { "as known" } else { "NOT as known" };
        let exact = if verdict.is_exact() { "exact" } else { "not exact" };
        let seconds = begun.elapsed().as_secs_f64();
        println!("  at least {least}, at most {most}, moves {moves}, {exact}: {word} ({seconds:.1} s)");
        is_well &= is_right;
    }
    Ok(is_well)
}

impl Study {
    /// Solves the position, or the structure file that it comes from.
    fn solve(&self, folder: &Path, watch: &dyn SearchWatch) -> Result<Answer> {
        let variant = match &self.rules {
            None => Variant::chess(),
            Some(file) => Variant::load(root().join("lab/rules").join(file))?,
        };
        let position = Position::from_fen(&RuleBook::new(&variant), &self.fen)?;
        let file = self.file.as_ref().map(|file| root().join("structures").join(file));
        let outline = file.map(|file| Outline::load(file, &variant)).transpose()?;
        let metric = outline.as_ref().and_then(|outline| outline.metric).unwrap_or(Metric::Wdl);
        let roots = outline.as_ref().map_or_else(|| vec![position.clone()], |outline| outline.roots.clone());
        let question = Question {
            is_whole: outline.is_some(),
            limit: outline.and_then(|outline| outline.limit),
            most_values: 40_000_000_000,
            memory_bytes: 4 << 30,
            ..Question::new(metric, roots)
        };
        let structures = question.solve(&variant, &folder.join(&variant.name), watch)?.structures;
        let answers = structures.iter().map(|structure| structure.answer(&position, &Ask::MOVES));
        let answers: Vec<Answer> = answers.collect::<Result<_, _>>()?;
        let all = answers.into_iter().reduce(|before, own| before.and(own));
        all.with_context(|| format!("{}: nothing was solved", self.name))
    }

    /// Whether what was found is what is known; of a bound that is asked for no more than it can say.
    fn is_as_known(&self, answer: &Answer) -> bool {
        let is_exact = self.result.0 < self.result.1 || answer.is_exact();
        is_exact && results(answer) == self.result && (self.moves.is_empty() || moves(answer) == self.moves)
    }
}

/// From what to what the result may be for the side to move.
fn results(answer: &Answer) -> (i8, i8) {
    let result = |value| match value {
        Value::Win(_) => 1,
        Value::Loss(_) => -1,
        _ => 0,
    };
    (result(answer.value.least), result(answer.value.most))
}

/// The moves that keep the result.
fn moves(answer: &Answer) -> Vec<&str> {
    let mut moves: Vec<&str> = answer.best_moves().map(|mv| mv.uci.as_str()).collect();
    moves.sort_unstable();
    moves
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Silent;

    impl Watch for Silent {}
    impl SearchWatch for Silent {}

    /// A position of a game of its own, solved at once.
    #[test]
    fn a_small_study_comes_out_as_known() {
        let folder = tempfile::tempdir().expect("a folder");
        let studies: Studies = toml::from_str(STUDIES).unwrap_or_else(|error| panic!("{error}"));
        let study = studies.study.iter().find(|study| study.name == "hexapawn").expect("a study");
        let verdict = study.solve(folder.path(), &Silent).unwrap_or_else(|error| panic!("{error}"));
        assert!(study.is_as_known(&verdict), "{:?} {:?}", results(&verdict), moves(&verdict));
        // What is known decides.
        let other = Study { result: (1, 1), ..study.clone() };
        assert!(!other.is_as_known(&verdict));
        assert!(!Study { moves: vec!["a1a2".into()], ..study.clone() }.is_as_known(&verdict));
    }
}
