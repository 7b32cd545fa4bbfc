//! From the `[board]` table of a variant file to a board: its size, the squares that are missing, joined files.

use crate::reader::{Faults, Span, Table, Value};
use crate::schema;
use geometry::{Board, MAX_SQUARES, Square};

/// The board of a file, with the places where its holes stand.
#[derive(Default)]
pub(crate) struct BoardDraft<'a> {
    table: Option<Table<'a>>,
    /// That of chess if the file says nothing; none if the file's has a fault.
    pub(crate) board: Option<Board>,
    /// Whether the holes are all that the file names.
    pub(crate) has_holes: bool,
    holes: Vec<(Square, Span)>,
}

impl BoardDraft<'_> {
    /// Where the file names a missing square, and the key; the whole board where it does not.
    pub(crate) fn place_of(&self, hole: Square) -> (Span, String) {
        let Some(table) = &self.table else { return (0..0, "board".into()) };
        let named = self.holes.iter().find(|(square, _)| *square == hole).map(|(_, span)| span.clone());
        (named.unwrap_or_else(|| table.span_of("holes")), table.path_of("holes"))
    }
}

/// Reads the board of a file.
pub(crate) fn read<'a>(file: &Table<'a>, faults: &mut Faults<'_>) -> BoardDraft<'a> {
    if !file.has("board") {
        return BoardDraft { board: Board::new(8, 8).ok(), ..BoardDraft::default() };
    }
    let Some(table) = file.table("board", &schema::BOARD, faults) else { return BoardDraft::default() };
    let side = |name, faults: &mut Faults<'_>| match table.number(name, 3..=16, faults) {
        Some(value) => Some(value.value),
        None if table.has(name) => None,
        None => Some(8),
    };
    let (files, ranks) = (side("files", faults), side("ranks", faults));
    let is_cylinder = table.boolean("cylinder", faults).is_some_and(|cylinder| cylinder.value);
    let names = table.strings("holes", faults).unwrap_or_default();
    let n_named = names.len();
    let size = files.zip(ranks);
    let board = size.and_then(|(files, ranks)| rectangle(&table, files, ranks, faults));
    let board = board.map(|board| if is_cylinder { board.with_joined_files() } else { board });
    let holes =
        board.map(|board| holes(&board, &table, names.into_iter().flatten(), faults)).unwrap_or_default();
    let has_holes = holes.len() == n_named;
    let board =
        board.and_then(|board| match board.with_holes(holes.iter().map(|(square, _)| *square).collect()) {
            Ok(board) => Some(board),
            Err(error) => {
                let help = "leave more squares to play on";
                faults.add(table.span_of("holes"), &table.path_of("holes"), error.to_string(), help);
                None
            }
        });
    BoardDraft { table: Some(table), board, has_holes, holes }
}

fn rectangle(table: &Table<'_>, files: usize, ranks: usize, faults: &mut Faults<'_>) -> Option<Board> {
    let board = Board::new(files, ranks);
    if let Err(error) = &board {
        let (key, other) = if table.has("files") { ("files", ranks) } else { ("ranks", files) };
        let help = format!("make `{key}` at most {}", MAX_SQUARES / other);
        faults.add(table.span_of(key), &table.path_of(key), error.to_string(), help);
    }
    board.ok()
}

/// The missing squares with their places, each once; what is none is a fault.
fn holes(
    board: &Board,
    table: &Table<'_>,
    names: impl Iterator<Item = Value<'static, String>>,
    faults: &mut Faults<'_>,
) -> Vec<(Square, Span)> {
    let key = table.path_of("holes");
    let mut holes: Vec<(Square, Span)> = Vec::new();
    for name in names {
        let written = name.value.escape_debug();
        match board.square_named(&name.value) {
            None => {
                let last = board.name(board.square(board.files() - 1, board.ranks() - 1));
                let message = format!("a board of {board} has no square `{written}`");
                let help = format!("squares go from \"a1\" to \"{last}\", the letter of the file first");
                faults.add(name.span, &key, message, help);
            }
            Some(square) if holes.iter().any(|(hole, _)| *hole == square) => {
                faults.add(name.span, &key, format!("{written} is missing twice"), "name each square once");
            }
            Some(square) => holes.push((square, name.span)),
        }
    }
    holes
}
