//! Writes the main line of a position as a game in PGN, the only moves marked with `!`.

use crate::line::only_winning;
use position::Position;
use probe::Tablebase;
use std::fmt::Write;
use variant::{Side, visible};

/// Lines of movetext are broken before this column, as PGN's export format has it.
const WIDTH: usize = 80;

/// No game goes on longer: of a drawn position there is no line, and no known win takes so long.
const MAX_PLIES: usize = 4000;

/// The game: tags, movetext, an empty line. It ends where a table is missing.
pub(crate) fn game(tables: &Tablebase, first: &Position, event: &str) -> String {
    let book = tables.book();
    let mut position = first.clone();
    let mut words: Vec<String> = Vec::new();
    let winner = match tables.value(&position).ok().and_then(table::Value::wdl) {
        Some(1) => Some(position.stm()),
        Some(-1) => Some(!position.stm()),
        _ => None,
    };
    while winner.is_some() && words.len() < MAX_PLIES {
        let Ok(moves) = tables.moves(&position) else { break };
        // In mate there is none; of a drawn position there is no line.
        let Some(best) = moves.first().filter(|best| best.value.wdl() != Some(0)) else { break };
        let number = position.fullmove();
        let (stm, is_first) = (position.stm(), words.is_empty());
        let only = Some(stm) == winner && only_winning(&moves).is_some();
        match stm {
            Side::White => words.push(format!("{number}.")),
            Side::Black if is_first => words.push(format!("{number}...")),
            Side::Black => {}
        }
        words.push(position.san(book, best.mv) + if only { "!" } else { "" });
        position = position.play(best.mv);
    }
    let result = match winner {
        Some(Side::White) => "1-0",
        Some(Side::Black) => "0-1",
        None => "1/2-1/2",
    };
    words.push(result.into());
    let fen = first.to_fen(book);
    let mut text = format!("[Event \"{event}\"]\n");
    for tag in ["Site", "Date", "Round", "White", "Black"] {
        let value = if tag == "Date" { "????.??.??" } else { "?" };
        let _ = writeln!(text, "[{tag} \"{value}\"]");
    }
    let _ = writeln!(text, "[Result \"{result}\"]");
    let game = &book.variant().name;
    if game != "fide" {
        let _ = writeln!(text, "[Variant \"{}\"]", visible(game).replace(['"', '\\'], "'"));
    }
    let _ = writeln!(text, "[SetUp \"1\"]\n[FEN \"{fen}\"]\n");
    text + &filled(&words) + "\n"
}

/// Words in lines that are not too long.
pub(crate) fn filled(words: &[String]) -> String {
    let mut text = String::new();
    let mut column = 0;
    for word in words {
        let length = word.chars().count();
        if column > 0 && column + 1 + length >= WIDTH {
            text.push('\n');
            column = 0;
        } else if column > 0 {
            text.push(' ');
            column += 1;
        }
        text += word;
        column += length;
    }
    text + "\n"
}
