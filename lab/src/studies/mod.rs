//! Solves known positions with many men, and compares what comes out with what is known of them.

mod study;

use position::{Position, RuleBook};
use std::path::Path;
use std::time::Instant;
use structure::{Estimate, Outline, Question, Structure, Verdict, Watch};
use study::{STUDIES, Study};
use table::Value;
use variant::{Metric, Variant};
use xtask::root;

struct Shown;

impl Watch for Shown {
    fn begin(&self, structure: &Structure, estimate: &Estimate) {
        let (limit, bounds) = (structure.limit(), structure.bounds());
        eprintln!("  {bounds:?} {limit}: {} slices, {} values", estimate.n_slices, estimate.n_values);
    }
}

/// Runs the task: with names those positions, else all; whether all came out as known.
///
/// # Errors
/// A name that no position has, or a file that cannot be written.
pub(crate) fn run(args: &[String], folder: &Path) -> Result<bool, String> {
    let named = |name: &String| STUDIES.iter().find(|study| *name == study.name);
    if let Some(unknown) = args.iter().find(|name| named(name).is_none()) {
        let names: Vec<&str> = STUDIES.iter().map(|study| study.name).collect();
        return Err(format!("there is no position {}; there are {}", unknown, names.join(", ")));
    }
    let mut is_well = true;
    for study in STUDIES.iter().filter(|study| args.is_empty() || args.iter().any(|name| *name == study.name))
    {
        println!("{} ({}): {}", study.name, study.source, study.fen);
        let begun = Instant::now();
        let verdict = study.solve(folder, &Shown)?;
        let (result, moves) = (results(&verdict), moves(&verdict));
        let is_right = study.is_as_known(&verdict);
        let word = if is_right { "as known" } else { "NOT as known" };
        let exact = if verdict.is_exact() { "exact" } else { "not exact" };
        let seconds = begun.elapsed().as_secs_f64();
        let (least, most) = result;
        println!(
            "  at least {least}, at most {most}, moves {}, {exact}: {word} ({seconds:.1} s)",
            moves.join(" ")
        );
        is_well &= is_right;
    }
    Ok(is_well)
}

impl Study {
    /// Solves the position, or the structure file that it comes from.
    fn solve(&self, folder: &Path, watch: &dyn Watch) -> Result<Verdict, String> {
        let variant = match self.rules {
            None => Variant::chess(),
            Some(text) => Variant::parse(text, self.name).map_err(|report| report.to_string())?,
        };
        let position = Position::from_fen(&RuleBook::new(&variant), self.fen);
        let position = position.map_err(|error| error.to_string())?;
        let outline = self.file.map(|file| Outline::load(root().join("structures").join(file), &variant));
        let outline = outline.transpose().map_err(|error| error.to_string())?;
        let question = Question {
            metric: outline.as_ref().and_then(|outline| outline.metric).unwrap_or(Metric::Wdl),
            roots: outline.as_ref().map_or_else(|| vec![position.clone()], |outline| outline.roots.clone()),
            is_whole: outline.is_some(),
            name: None,
            holder: None,
            limit: outline.and_then(|outline| outline.limit),
            using: None,
            most_values: 40_000_000_000,
            memory_bytes: 4 << 30,
            n_threads: rayon::current_num_threads(),
        };
        let found = question.solve(&variant, &folder.join(&variant.name), watch);
        let structures = found.map_err(|error| error.to_string())?.structures;
        let mut verdict: Option<Verdict> = None;
        for structure in structures {
            let own = structure.verdict(&position).map_err(|error| error.to_string())?;
            verdict = Some(verdict.map_or(own.clone(), |before| before.and(own)));
        }
        verdict.ok_or_else(|| format!("{}: nothing was solved", self.name))
    }

    /// Whether what was found is what is known; of a bound that is asked for no more than it can say.
    fn is_as_known(&self, verdict: &Verdict) -> bool {
        let is_exact = self.result.0 < self.result.1 || verdict.is_exact();
        is_exact && results(verdict) == self.result && (self.moves.is_empty() || moves(verdict) == self.moves)
    }
}

/// From what to what the result may be for the side to move.
fn results(verdict: &Verdict) -> (i8, i8) {
    let result = |value| match value {
        Value::Win(_) => 1,
        Value::Loss(_) => -1,
        _ => 0,
    };
    (result(verdict.value.least), result(verdict.value.most))
}

/// The moves that keep the result.
fn moves(verdict: &Verdict) -> Vec<&str> {
    let mut moves: Vec<&str> = verdict.best_moves().map(|mv| mv.uci.as_str()).collect();
    moves.sort_unstable();
    moves
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Silent;

    impl Watch for Silent {}

    /// A position of a game of its own, solved at once.
    #[test]
    fn a_small_study_comes_out_as_known() {
        let folder = tempfile::tempdir().expect("a folder");
        let study = STUDIES.iter().find(|study| study.name == "hexapawn").expect("a study");
        let verdict = study.solve(folder.path(), &Silent).unwrap_or_else(|error| panic!("{error}"));
        assert!(study.is_as_known(&verdict), "{:?} {:?}", results(&verdict), moves(&verdict));
        // What is known decides.
        let other = Study { result: (1, 1), ..*study };
        assert!(!other.is_as_known(&verdict));
        assert!(!Study { moves: &["a1a2"], ..*study }.is_as_known(&verdict));
    }
}
