//! Solves known positions with many men, and compares what comes out with what is known of them.

use crate::whole_table;
use position::{Position, RuleBook};
use std::ffi::OsString;
use std::path::Path;
use std::time::Instant;
use structure::{Estimate, Question, SearchWatch, Structure, Watch};
use table::Value;
use variant::{Metric, Variant};

/// What is known of a position.
struct Study {
    name: &'static str,
    /// Who composed it or where it stands.
    source: &'static str,
    fen: &'static str,
    /// 1, 0 or −1 for the side to move.
    result: i8,
    /// The moves that keep the result, in coordinates; empty if that is not known.
    moves: &'static [&'static str],
}

const STUDIES: &[Study] = &[
    Study {
        name: "reti",
        source: "R. Réti, Deutschösterreichische Tages-Zeitung 1921",
        fen: "7K/8/k1P5/7p/8/8/8/8 w - - 0 1",
        result: 0,
        moves: &["h8g7"],
    },
    Study {
        name: "saavedra",
        source: "F. Saavedra and G. E. Barbier, Glasgow Weekly Citizen 1895",
        fen: "8/8/1KP5/3r4/8/8/8/k7 w - - 0 1",
        result: 1,
        moves: &["c6c7"],
    },
    Study {
        name: "saavedra-promotion",
        source: "the same after 1. c7 Rd6+ 2. Kb5 Rd5+ 3. Kb4 Rd4+ 4. Kb3 Rd3+ 5. Kc2 Rd4",
        fen: "8/2P5/8/8/3r4/8/2K5/k7 w - - 0 1",
        result: 1,
        moves: &["c7c8r"],
    },
    Study {
        name: "lasker-reichhelm",
        source: "Em. Lasker and G. Reichhelm, Chicago Tribune 1901",
        fen: "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1",
        result: 1,
        moves: &["a1b1"],
    },
    Study {
        name: "breakthrough",
        source: "known since G. Cozio 1766: three pawns against three",
        fen: "8/ppp5/8/PPP5/6k1/8/8/6K1 w - - 0 1",
        result: 1,
        moves: &["b5b6"],
    },
];

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
pub(crate) fn run(args: &[OsString], folder: &Path) -> Result<bool, String> {
    if let Some((_, args)) = args.split_first().filter(|(first, _)| *first == "--whole") {
        return whole_table::run(&whole_table::Options::parse(args)?, &mut |line| println!("{line}"));
    }
    let variant = Variant::chess();
    let book = RuleBook::new(&variant);
    let named = |name: &OsString| STUDIES.iter().find(|study| *name == study.name);
    if let Some(unknown) = args.iter().find(|name| named(name).is_none()) {
        let names: Vec<&str> = STUDIES.iter().map(|study| study.name).collect();
        return Err(format!("there is no position {}; there are {}", unknown.display(), names.join(", ")));
    }
    let mut is_well = true;
    for study in STUDIES.iter().filter(|study| args.is_empty() || args.iter().any(|name| *name == study.name))
    {
        println!("{} ({}): {}", study.name, study.source, study.fen);
        let root = Position::from_fen(&book, study.fen).map_err(|error| error.to_string())?;
        let question = Question {
            metric: Metric::Wdl,
            roots: vec![root],
            is_whole: false,
            name: None,
            holder: None,
            limit: None,
            using: None,
            most_values: 40_000_000_000,
            memory_bytes: 4 << 30,
            n_threads: rayon::current_num_threads(),
        };
        let begun = Instant::now();
        let found = question.solve(&variant, folder, &Shown).map_err(|error| error.to_string())?;
        let verdict = &found.verdicts[0];
        let result = match verdict.value.least {
            Value::Win(_) => 1,
            Value::Loss(_) => -1,
            _ => 0,
        };
        let mut moves: Vec<&str> = verdict.best_moves().map(|mv| mv.uci.as_str()).collect();
        moves.sort_unstable();
        let has_moves = study.moves.is_empty() || moves == study.moves;
        let is_right = verdict.is_exact() && result == study.result && has_moves;
        let word = if is_right { "as known" } else { "NOT as known" };
        let exact = if verdict.is_exact() { "exact" } else { "not exact" };
        let seconds = begun.elapsed().as_secs_f64();
        println!("  result {result}, moves {}, {exact}: {word} ({seconds:.1} s)", moves.join(" "));
        is_well &= is_right;
    }
    Ok(is_well)
}
