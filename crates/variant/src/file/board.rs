//! Reads the `[board]` table of a variant file: the size, the squares that are missing, joined files.

use super::schema;
use super::table::{Faults, Span, Table};
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
    let board = files.zip(ranks).and_then(|(files, ranks)| rectangle(&table, files, ranks, faults));
    let board = board.map(|board| if is_cylinder { board.with_joined_files() } else { board });
    let named = match &board {
        Some(board) => table.squares("holes", board, faults).unwrap_or_default(),
        None => table.strings("holes", faults).map(|_| Vec::new()).unwrap_or_default(),
    };
    let has_holes = named.iter().all(Option::is_some);
    let holes: Vec<(Square, Span)> = named.into_iter().flatten().collect();
    let board = board.map(|board| board.with_holes(holes.iter().map(|(square, _)| *square).collect()));
    if let Some(Err(error)) = &board {
        let help = "leave more squares to play on";
        faults.add(table.span_of("holes"), &table.path_of("holes"), error.to_string(), help);
    }
    BoardDraft { table: Some(table), board: board.and_then(Result::ok), has_holes, holes }
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
