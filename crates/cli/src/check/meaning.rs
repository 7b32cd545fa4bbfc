//! Says in words and pictures what the rules of a game mean: the board, how each man moves, how a game ends
//! (in `ending`), which tables there are.

use super::ending;
use super::paragraph::{WIDTH, paragraph, wrapped};
use super::squares::{self, listed};
use library::figure::{count, plural};
use std::collections::BTreeSet;
use variant::{Material, Metric, PawnRules, Piece, PieceId, Variant};

/// Between a picture and the words beside it.
const GAP: usize = 3;

/// The rules as people read them.
pub(super) fn text(variant: &Variant) -> String {
    let mut text = String::new();
    if !variant.description.is_empty() {
        text += &paragraph("", &variant.description);
    }
    if !variant.source.is_empty() {
        text += &paragraph("Source: ", &variant.source);
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text += &board(variant);
    text += &men(variant);
    text + &ending::text(variant) + &tables(variant)
}

fn board(variant: &Variant) -> String {
    let board = &variant.board;
    let n_squares = plural(board.all().n_squares() as u64, "square");
    let mut words = format!("{} files, {} ranks, {n_squares}", board.files(), board.ranks());
    if board.is_cylinder() {
        let last = board.name(board.square(board.files() - 1, 0));
        words += &format!("; a cylinder: beyond the {} file comes the a file", &last[..1]);
    }
    let mut text = paragraph("Board: ", &words);
    if !board.holes().is_empty() {
        text += &squares::picture(board);
    }
    text + "\n"
}

/// Every man with a picture of its moves, then what the marks mean.
fn men(variant: &Variant) -> String {
    let mut text = String::new();
    let mut marks = BTreeSet::new();
    for id in variant.piece_ids() {
        let diagram = variant.piece(id).movement.diagram();
        let width = diagram.lines().next().map_or(0, |line| line.chars().count());
        // A picture is as high as it is wide, with a space between two squares of a line.
        let (picture, legend): (Vec<_>, Vec<_>) =
            diagram.lines().enumerate().partition(|(row, _)| *row < width.div_ceil(2));
        let mut words = words(variant, id, WIDTH - width - GAP);
        for (_, line) in legend {
            // What a digit means differs from man to man.
            if line.starts_with(|c: char| c.is_ascii_digit()) {
                words.extend(wrapped(line, WIDTH - width - GAP, 2));
            } else {
                marks.insert(line.to_owned());
            }
        }
        for row in 0..picture.len().max(words.len()) {
            let left = picture.get(row).map_or("", |(_, line)| line);
            let right = words.get(row).map_or("", String::as_str);
            let pad = " ".repeat(width + GAP - left.chars().count());
            text += format!("{left}{pad}{right}").trim_end();
            text.push('\n');
        }
        text.push('\n');
    }
    let marks: Vec<String> = marks.into_iter().collect();
    if marks.is_empty() { text } else { text + &paragraph("Marks: ", &marks.join("; ")) + "\n" }
}

/// What is said beside a man's picture.
fn words(variant: &Variant, id: PieceId, width: usize) -> Vec<String> {
    let piece = variant.piece(id);
    let kind = match (&piece.pawn, piece.royal) {
        (Some(_), _) if !piece.name.contains("pawn") => ", a pawn",
        (None, true) => ", royal: each side has one, and loses with it",
        _ => "",
    };
    let mut sentences = piece.movement.in_words();
    // Round a cylinder with an odd number of files the colours do not fit.
    let has_colours = !variant.board.is_cylinder() || variant.board.files().is_multiple_of(2);
    if has_colours && piece.pawn.is_none() && piece.movement.is_colour_bound() {
        sentences.push("stays on squares of one colour".into());
    }
    if let Some(rules) = &piece.pawn {
        sentences.extend(pawn(variant, piece, rules));
    }
    let lines = sentences.iter().flat_map(|sentence| wrapped(sentence, width, 2));
    let title = format!("{}  {}{kind}", piece.letter, piece.name);
    wrapped(&title, width, 2).into_iter().chain(lines).collect()
}

/// What a pawn may do beside its moves.
fn pawn(variant: &Variant, piece: &Piece, rules: &PawnRules) -> Vec<String> {
    let board = &variant.board;
    let squares = |set| squares::in_words(board, set);
    let mut sentences = vec![format!("may stand on {}", squares(rules.zone))];
    if !rules.double_step_from.is_empty() && piece.movement.rays().iter().any(|ray| ray.quiet) {
        let en_passant = match rules.en_passant {
            true => "; a pawn may then capture it on the square between, en passant",
            false => "; it cannot be captured en passant",
        };
        let from = squares(rules.double_step_from);
        sentences.push(format!("from {from} may take a step without capture twice{en_passant}"));
    }
    let choices: Vec<String> = rules.promotes_to.iter().map(|&to| variant.piece(to).name.clone()).collect();
    sentences.push(format!("on {} becomes {}", squares(rules.promotion), listed(&choices, "or")));
    sentences
}

/// Which tables there are up to the men limit.
fn tables(variant: &Variant) -> String {
    let is_job = |material: &Material| !variant.is_always_drawn(material) && !variant.is_over(material);
    let counts = (2..=variant.men_limit)
        .map(|n_men| (n_men, Material::all(variant, n_men).iter().filter(|m| is_job(m)).count() as u64))
        .filter(|(_, n)| *n > 0);
    let counts: Vec<(usize, u64)> = counts.collect();
    let all: u64 = counts.iter().map(|(_, n)| n).sum();
    let each: Vec<String> = counts.iter().map(|(n_men, n)| format!("{} of {n_men} men", count(*n))).collect();
    let each = if each.len() < 2 { String::new() } else { format!(" ({})", listed(&each, "and")) };
    let what = match variant.default_metric {
        Metric::Wdl => "who wins".into(),
        metric => format!("{metric}, {}", distance(variant, metric)),
    };
    let up_to = format!("{} up to {} men{each}, holding {what}", count(all), variant.men_limit);
    paragraph("Tables: ", &up_to)
}

/// What a metric counts.
fn distance(variant: &Variant, metric: Metric) -> String {
    let rules = &variant.rules;
    let others = [rules.blast.is_some(), rules.extinction.is_some(), rules.goal.is_some()];
    let end = if variant.royal().is_some() && !others.contains(&true) { "mate" } else { "the end" };
    match metric {
        Metric::Dtc => format!("plies to {end}, capture or promotion"),
        Metric::Dtz => format!("plies to {end}, capture or a pawn's move"),
        Metric::Dtz50 => format!("plies to {end}, capture or a pawn's move under the n-move rule"),
        _ => format!("plies to {end}"),
    }
}
