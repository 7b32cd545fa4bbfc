//! Says in words and pictures what a structure file means: the men and their squares, what is left out, and
//! what that makes of the values.

use super::paragraph::paragraph;
use super::refusal::{CheckJson, refuse};
use super::squares::in_words;
use crate::args::CheckArgs;
use crate::console::Console;
use crate::{Answer, Outcome};
use ::structure::{Bound, Outline, OutlineMan};
use library::figure::plural;
use position::RuleBook;
use std::path::Path;
use variant::{Side, Variant};

/// Whether a file can be read and is a structure file.
pub(super) fn is_meant(path: &Path) -> bool {
    let is_small = std::fs::metadata(path).is_ok_and(|there| there.is_file() && there.len() < 1 << 20);
    is_small && std::fs::read_to_string(path).is_ok_and(|text| Outline::is_meant(&text))
}

pub(super) fn run(console: &mut Console<'_>, args: &CheckArgs) -> Outcome {
    let game = crate::structure::game_of(args.variant.as_deref(), Some(&args.file))?;
    let outline = match Outline::load(&args.file, &game.variant) {
        Ok(outline) => outline,
        Err(error) => return refuse(console, error, args.json),
    };
    if args.json {
        console.print_json(&CheckJson { ok: true, faults: &[], warnings: &[] })?;
        return Ok(Answer::Yes);
    }
    let n_men = outline.men.len();
    let n_ways = plural(outline.roots.len() as u64, "way");
    let (file, variant) = (args.file.display(), &game.variant.name);
    writeln!(console.out, "{file}: ok: {n_men} men of {variant}, {n_ways} for the pawns to stand")?;
    if !args.brief {
        write!(console.out, "\n{}", meaning(&outline, &game.variant))?;
    }
    Ok(Answer::Yes)
}

/// The structure as people read it.
fn meaning(outline: &Outline, variant: &Variant) -> String {
    let mut text = String::new();
    if !outline.description.is_empty() {
        text += &paragraph("", &outline.description);
    }
    if !outline.source.is_empty() {
        text += &paragraph("Source: ", &outline.source);
    }
    if !text.is_empty() {
        text.push('\n');
    }
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
    let width = board.ranks().to_string().len();
    let mut text = String::new();
    for rank in (0..board.ranks()).rev() {
        let mark = |file| {
            let square = board.square(file, rank);
            let mut letters: Vec<char> = shown
                .iter()
                .filter(|own| own.squares.contains(square))
                .map(|own| variant.fen_letter(own.man))
                .collect();
            letters.dedup();
            match letters[..] {
                [] if board.has(square) => '.',
                [] => ' ',
                [only] => only,
                _ => '+',
            }
        };
        let marks: String = (0..board.files()).flat_map(|file| [' ', mark(file)]).collect();
        text += &format!("{:>width$}{}\n", rank + 1, marks.trim_end());
    }
    let files = (0..board.files()).flat_map(|file| [' ', (b'a' + file as u8) as char]);
    text + &" ".repeat(width) + &files.collect::<String>() + "\n"
}
