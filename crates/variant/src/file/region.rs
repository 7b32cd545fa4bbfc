//! Reads a list of squares, or a string that names squares, whole ranks and whole files.
//!
//! `"d4 e4"` are two squares, `"*8"` is the eighth rank and `"a*"` the file a, as in Fairy-Stockfish's
//! `variants.ini`.

use super::table::{Faults, Table};
use geometry::{Board, SquareSet};

/// The squares of a key, if it is given; none where it has a fault, or the board does.
pub(crate) fn read(
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
