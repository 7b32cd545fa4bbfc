//! `check`: prints the faults of a variant file or of a structure file, or what it means in words and what
//! is likely a mistake.

use crate::failure::draw;
use crate::game::file_meant;
use crate::import::game_in;
use crate::structure::game_of;
use crate::{Answer, Console, Failure, Game, Outcome, plural};
use ::structure::Outline;
use library::{rules_in_words, rules_of, structure_in_words};
use serde::Serialize;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use variant::{Fault, LoadError};

/// Check a variant file or a structure file: print its faults, or in words what it means and what in it is
/// likely a mistake
#[derive(clap::Args, Debug)]
pub(crate) struct CheckArgs {
    /// The file, or the name of a game that is built in
    pub(crate) file: PathBuf,
    /// Of a structure file: the rules of its game [default: those that it names, or chess]
    #[arg(long, value_name = "FILE")]
    pub(crate) variant: Option<PathBuf>,
    /// Say only that the file is right, and what is likely a mistake
    #[arg(long, conflicts_with = "json")]
    pub(crate) brief: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// What checking a file has shown.
#[derive(Serialize)]
struct Verdict {
    ok: bool,
    faults: Vec<Fault>,
    warnings: Vec<String>,
    /// The file in half a line, or its faults drawn.
    #[serde(skip)]
    text: String,
    /// What is right, as people read it.
    #[serde(skip)]
    meaning: String,
}

pub(crate) fn run(console: &mut Console<'_>, args: &CheckArgs) -> Outcome {
    let verdict = match verdict(args)? {
        Ok(verdict) => verdict,
        Err(LoadError::Faults(report)) => Verdict {
            ok: false,
            faults: report.faults().to_vec(),
            warnings: Vec::new(),
            text: draw(&report, std::io::stdout().is_terminal()),
            meaning: String::new(),
        },
        Err(error) => return Err(Failure::new(error)),
    };
    let answer = if verdict.ok { Answer::Yes } else { Answer::No };
    if args.json {
        console.print_json(&verdict)?;
        return Ok(answer);
    }
    if !verdict.ok {
        write!(console.out, "{}", verdict.text)?;
        return Ok(answer);
    }
    let meaning = if args.brief { String::new() } else { format!("\n{}", verdict.meaning) };
    let text = format!("{}: ok: {}\n{meaning}", args.file.display(), verdict.text);
    console.print_folded(&text)?;
    for (i, warning) in verdict.warnings.iter().enumerate() {
        let gap = if i == 0 && !args.brief { "\n" } else { "" };
        writeln!(console.out, "{gap}warning: {warning}")?;
    }
    Ok(answer)
}

/// Reads the file as what it is.
fn verdict(args: &CheckArgs) -> Outcome<Result<Verdict, LoadError>> {
    let right = |text, meaning, warnings| Verdict { ok: true, faults: Vec::new(), warnings, text, meaning };
    if is_structure(&args.file) {
        let variant = game_of(args.variant.as_deref(), Some(&args.file))?.variant;
        return Ok(Outline::load(&args.file, &variant).map(|outline| {
            let (n_men, n_ways) = (outline.men.len(), plural(outline.roots.len() as u64, "way"));
            let text = format!("{n_men} men of {}, {n_ways} for the pawns to stand", variant.name);
            right(text, structure_in_words(&outline, &variant), Vec::new())
        }));
    }
    if args.variant.is_some() {
        let file = args.file.display();
        return Err(Failure::new(format!("{file} is no structure file; --variant is for these")));
    }
    let rules = match game_in(&args.file) {
        Some(_) => Ok(Game::load(&args.file)?.variant),
        None => rules_of(&file_meant(&args.file)),
    };
    Ok(rules.map(|variant| {
        let (board, pieces) = (&variant.board, plural(variant.pieces.len() as u64, "piece"));
        let text = format!("{}, {} × {} squares, {pieces}", variant.name, board.files(), board.ranks());
        right(text, rules_in_words(&variant), variant.warnings())
    }))
}

/// Whether a file can be read and is a structure file.
fn is_structure(path: &Path) -> bool {
    let is_small = std::fs::metadata(path).is_ok_and(|there| there.is_file() && there.len() < 1 << 20);
    is_small && std::fs::read_to_string(path).is_ok_and(|text| Outline::is_meant(&text))
}
