//! Provides the tests that cross crates with the variants of the repository and with tables solved on demand.

use format::Metadata;
use library::SolvedTables;
use proof::{Rule, random_material, random_ruled_variant, random_variant};
use stats::Statistics;
use std::ffi::OsString;
use std::io::{Cursor, Write};
use std::path::PathBuf;
use std::sync::OnceLock;
use variant::{Material, Variant};

/// The root of the repository.
#[must_use]
pub fn root() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// What a command of the workbench has printed.
#[derive(Debug)]
pub struct Reply {
    /// Its exit code.
    pub code: u8,
    /// What it answered.
    pub out: String,
    /// What it complained of.
    pub err: String,
}

/// Runs a command of the workbench on this input.
///
/// # Panics
/// If it prints what is no text.
pub fn call(args: impl IntoIterator<Item = impl Into<OsString>>, input: &str) -> Reply {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let (args, input) = (args.into_iter().map(Into::into), Cursor::new(input.to_owned()));
    let code = cli::run_on_streams(&cli::TABLESMITH, args, input, &mut out, &mut err);
    let text = |bytes| String::from_utf8(bytes).expect("output is text");
    Reply { code, out: text(out), err: text(err) }
}

/// The rules of a game, from the file that users have.
///
/// # Panics
/// If there is no such file, or it has a fault.
#[must_use]
pub fn game(name: &str) -> Variant {
    let path = root().join("variants").join(name).with_extension("toml");
    Variant::load(path).unwrap_or_else(|fault| panic!("{fault}"))
}

/// The rules of chess, from the file that users have.
#[must_use]
pub fn fide() -> Variant {
    game("fide")
}

/// The rules of chess on a smaller board, with promotion on its last rank.
///
/// # Panics
/// If the file of chess does not say each size once.
#[must_use]
pub fn small_chess(files: usize, ranks: usize) -> Variant {
    let chess = std::fs::read_to_string(root().join("variants/fide.toml")).expect("chess is there");
    // Its kings castle to files that a smaller board does not have.
    let mut text = chess.replace("castling = true", "castling = false");
    assert_ne!(text, chess, "chess has castling");
    for (key, size) in [("files", files), ("\nranks", ranks), ("promotion-rank", ranks)] {
        let from = format!("{key} = 8");
        assert_eq!(text.matches(&from).count(), 1, "{from}");
        text = text.replace(&from, &format!("{key} = {size}"));
    }
    Variant::parse(&text, "small.toml").unwrap_or_else(|report| panic!("{report}"))
}

/// A random game, every other one with rules that chess does not have, and a material of two to four men of
/// it; none if their placements are more than this many. The seed of the game is `first` and this one added.
#[must_use]
pub fn random_game(first: u64, seed: u64, most_placements: usize) -> Option<(Variant, Material)> {
    let variant = match seed % 2 {
        0 => random_ruled_variant(first + seed, &Rule::ALL),
        _ => random_variant(first + seed),
    };
    let n_men = 2 + (seed / 2 % 3) as usize;
    let is_small = variant.board.n_squares().pow(n_men as u32) <= most_placements;
    let material = is_small.then(|| random_material(&variant, n_men, seed))?;
    Some((variant, material))
}

/// What a test's file says of how it was made.
#[must_use]
pub fn metadata(variant: &Variant) -> Metadata {
    Metadata {
        program: "test".into(),
        variant: variant.name.clone(),
        solver_version: solve::VERSION,
        ..Metadata::default()
    }
}

/// The statistics of a table, by its name.
///
/// # Panics
/// If the game has no such table, or it cannot be solved.
#[must_use]
pub fn statistics_of(tables: &SolvedTables, name: &str) -> Statistics {
    let table = tables.named(name).unwrap_or_else(|error| panic!("{name}: {error}"));
    Statistics::collect(tables.variant(), tables.metric(), &table)
}

/// Says something on standard error although the test passes, as what it could not compare: the lines that a
/// passing test prints are kept back.
pub fn announce(text: &str) {
    // Where standard error cannot be written, it stays unsaid.
    let _ = writeln!(std::io::stderr(), "\n*** {text} ***");
}

/// The chess tables of all tests, solved once.
#[must_use]
pub fn chess() -> &'static SolvedTables {
    static CHESS: OnceLock<SolvedTables> = OnceLock::new();
    CHESS.get_or_init(|| SolvedTables::new(fide()))
}

/// Runs the programs in Rust that README shows.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
