//! Reads the `[board]` table of a variant file (the size, the squares that are missing, joined files), and
//! sets of squares by their names.

use super::schema;
use super::table::{Faults, Span, Table};
use geometry::{Board, LEAST_SQUARES, MAX_SQUARES, Square, SquareSet};

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
    let [files, ranks] = ["files", "ranks"].map(|name| table.number_or(name, 1..=16, 8, faults));
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
        table.fault("holes", error.to_string(), help, faults);
    }
    BoardDraft { table: Some(table), board: board.and_then(Result::ok), has_holes, holes }
}

fn rectangle(table: &Table<'_>, files: usize, ranks: usize, faults: &mut Faults<'_>) -> Option<Board> {
    let board = Board::new(files, ranks);
    if let Err(error) = &board {
        let (key, other) = if table.has("files") { ("files", ranks) } else { ("ranks", files) };
        let help = match files * ranks > MAX_SQUARES {
            true => format!("make `{key}` at most {}", MAX_SQUARES / other),
            false => format!("make `{key}` at least {}", LEAST_SQUARES.div_ceil(other)),
        };
        table.fault(key, error.to_string(), help, faults);
    }
    board.ok()
}

/// The squares of a key, if it is given; none where it has a fault, or the board does.
///
/// `"d4 e4"` are two squares, `"*8"` is the eighth rank and `"a*"` the file a, as in Fairy-Stockfish's
/// `variants.ini`.
pub(crate) fn read_region(
    table: &Table<'_>,
    name: &'static str,
    board: Option<&Board>,
    faults: &mut Faults<'_>,
) -> Option<SquareSet> {
    if !table.is_string(name) {
        let Some(board) = board else {
            table.strings(name, faults);
            return None;
        };
        let squares = table.squares(name, board, faults)?;
        return squares.into_iter().map(|square| square.map(|(square, _)| square)).collect();
    }
    let value = table.string(name, faults)?;
    let board = board?;
    let mut region = SquareSet::EMPTY;
    let mut is_whole = true;
    let mut at = 0;
    for word in value.value.split(' ') {
        let start = at;
        at += word.len() + 1;
        if word.is_empty() {
            continue;
        }
        match squares_named(board, word) {
            Some(squares) => region = region.union(squares),
            None => {
                is_whole = false;
                let message = format!("a board of {board} has nothing called `{}`", word.escape_debug());
                let help =
                    "name squares, whole ranks and whole files with spaces between, as in \"d4 *8 a*\"";
                faults.add(
                    faults.inside(&value, start..start + word.len()),
                    &table.path_of(name),
                    message,
                    help,
                );
            }
        }
    }
    is_whole.then_some(region)
}

/// The squares of one word: a square, `*` and a rank, or a file and `*`; none for any other.
#[must_use]
pub fn squares_named(board: &Board, word: &str) -> Option<SquareSet> {
    if let Some(rank) = word.strip_prefix('*') {
        let is_plain = !rank.is_empty() && rank.chars().all(|c| c.is_ascii_digit());
        let rank = rank.parse::<usize>().ok().filter(|rank| is_plain && (1..=board.ranks()).contains(rank));
        return rank.map(|rank| board.rank(rank - 1));
    }
    if let Some(file) = word.strip_suffix('*') {
        let mut letters = file.chars();
        let (letter, rest) = (letters.next()?, letters.next());
        let file = (letter as usize).wrapping_sub('a' as usize);
        let on_file = |square: &geometry::Square| board.file_of(*square) == file;
        return (rest.is_none() && file < board.files())
            .then(|| board.all().iter().filter(on_file).collect());
    }
    board.square_named(word).map(|square| [square].into_iter().collect())
}
