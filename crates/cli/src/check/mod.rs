//! `check`: prints the faults of a variant file or of a structure file, or what it means in words and what
//! is likely a mistake.

mod meaning;

use crate::console::Console;
use crate::fold::paragraph;
use crate::game::file_meant;
use crate::structure::game_of;
use crate::{Answer, Failure, Outcome, fault};
use ::structure::{Bound, Outline, OutlineMan};
use library::figure::plural;
use library::rules_of;
use meaning::{about, drawing, in_words};
use position::RuleBook;
use serde::Serialize;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use variant::{Fault, LoadError, Side, Variant};

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
            text: fault::draw(&report, std::io::stdout().is_terminal()),
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
fn verdict(args: &CheckArgs) -> Result<Result<Verdict, LoadError>, Failure> {
    let right = |text, meaning, warnings| Verdict { ok: true, faults: Vec::new(), warnings, text, meaning };
    if is_structure(&args.file) {
        let variant = game_of(args.variant.as_deref(), Some(&args.file))?.variant;
        return Ok(Outline::load(&args.file, &variant).map(|outline| {
            let (n_men, n_ways) = (outline.men.len(), plural(outline.roots.len() as u64, "way"));
            let text = format!("{n_men} men of {}, {n_ways} for the pawns to stand", variant.name);
            right(text, structure(&outline, &variant), Vec::new())
        }));
    }
    if args.variant.is_some() {
        let file = args.file.display();
        return Err(Failure::new(format!("{file} is no structure file; --variant is for these")));
    }
    Ok(rules_of(&file_meant(&args.file)).map(|variant| {
        let (board, pieces) = (&variant.board, plural(variant.pieces.len() as u64, "piece"));
        let text = format!("{}, {} × {} squares, {pieces}", variant.name, board.files(), board.ranks());
        right(text, meaning::text(&variant), variant.warnings())
    }))
}

/// Whether a file can be read and is a structure file.
fn is_structure(path: &Path) -> bool {
    let is_small = std::fs::metadata(path).is_ok_and(|there| there.is_file() && there.len() < 1 << 20);
    is_small && std::fs::read_to_string(path).is_ok_and(|text| Outline::is_meant(&text))
}

/// The structure as people read it: the men and their squares, what is left out, and what that makes of the
/// values.
fn structure(outline: &Outline, variant: &Variant) -> String {
    let mut text = about(&outline.description, &outline.source);
    for side in Side::BOTH {
        let own = outline.men.iter().filter(|own| own.man.side == side);
        let men: Vec<String> = own.map(|own| man(variant, own)).collect();
        text += &paragraph(&format!("{side}: "), &men.join("; "));
    }
    text += &format!("\n{}\n", picture(outline, variant));
    let book = RuleBook::new(variant);
    if let Some(root) = outline.roots.first() {
        text += &paragraph("One of its positions: ", &root.to_fen(&book));
    }
    text += &paragraph("Solved ", &limits(outline));
    if !outline.using.is_empty() {
        let folders: Vec<String> = outline.using.iter().map(|folder| folder.display().to_string()).collect();
        text += &paragraph("Read instead of solved: ", &format!("tables of {}", folders.join(", ")));
    }
    text
}

/// `king anywhere`, `pawn in the beginning on e6`, `rook fixed on h1`.
fn man(variant: &Variant, own: &OutlineMan) -> String {
    let piece = variant.piece(own.man.piece);
    let squares = in_words(&variant.board, own.squares);
    match own {
        _ if variant.is_pawn(own.man) => format!("{} in the beginning on {squares}", piece.name),
        OutlineMan { is_fixed: true, .. } => format!("{} fixed on {squares}", piece.name),
        _ if own.squares == variant.board.all() => format!("{} anywhere", piece.name),
        _ => format!("{} kept to {squares}", piece.name),
    }
}

/// The limit and what it makes of the values.
fn limits(outline: &Outline) -> String {
    let Some(limit) = &outline.limit else {
        return "without a limit: every value is exact.".into();
    };
    let meaning = match limit.bounds()[..] {
        [Bound::Exact] => "every value is exact",
        [Bound::Lower] => "every value says what White has at least",
        [Bound::Upper] => "every value says what White has at most",
        _ => "a file of what White has at least, and one of what White has at most",
    };
    format!("{limit}: {meaning}.")
}

/// The board with the letters of pawns and of men that are kept to squares; `+` where several kinds may
/// stand.
fn picture(outline: &Outline, variant: &Variant) -> String {
    let board = &variant.board;
    let shown: Vec<&OutlineMan> = outline.men.iter().filter(|own| own.squares != board.all()).collect();
    drawing(board, board.ranks().to_string().len(), |square| {
        let own = shown.iter().filter(|own| own.squares.contains(square));
        let mut letters: Vec<char> = own.map(|own| variant.fen_letter(own.man)).collect();
        letters.dedup();
        match letters[..] {
            [] => '.',
            [only] => only,
            _ => '+',
        }
    })
}
