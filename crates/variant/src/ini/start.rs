//! Reads of the first position of a game what rules depend on: where pawns and rooks begin, which squares are
//! missing.

use geometry::{Board, Square};

/// The first position, as far as it can be read.
#[derive(Debug)]
pub(super) struct Start {
    /// From the last rank down: what stands on the squares, `.` for nothing, `*` for no square.
    rows: Vec<Vec<char>>,
    /// Whether a side may castle.
    pub(super) has_rights: bool,
}

impl Start {
    pub(super) fn parse(fen: &str, board: &Board) -> Self {
        let placement = fen.split_whitespace().next().unwrap_or_default();
        let placement = placement.split('[').next().unwrap_or_default();
        let row = |text: &str| {
            let (mut row, mut n_empty) = (Vec::new(), 0usize);
            for letter in text.chars().chain(['/']) {
                match letter.to_digit(10) {
                    Some(digit) => n_empty = n_empty.saturating_mul(10).saturating_add(digit as usize),
                    None => {
                        row.extend(std::iter::repeat_n('.', n_empty.min(board.files())));
                        n_empty = 0;
                        row.extend(Some(letter).filter(|letter| !"/+~".contains(*letter)));
                    }
                }
            }
            row.truncate(board.files());
            row
        };
        let has_rights =
            fen.split_whitespace().nth(2).is_some_and(|rights| rights.contains(char::is_alphabetic));
        Start { rows: placement.split('/').take(board.ranks()).map(row).collect(), has_rights }
    }

    /// How many men of this letter White and Black have.
    pub(super) fn n_of(&self, letter: char) -> [usize; 2] {
        let count = |letter: char| self.rows.iter().flatten().filter(|own| **own == letter).count();
        [count(letter.to_ascii_uppercase()), count(letter.to_ascii_lowercase())]
    }

    /// The lowest rank on which a man of these letters stands, from 0 on, as his own side sees it.
    pub(super) fn lowest_rank(&self, letters: &str, board: &Board) -> Option<usize> {
        let from_top = self.rows.iter().enumerate();
        let ranks = from_top.flat_map(|(top, row)| {
            row.iter().filter_map(move |own| match own.is_ascii_uppercase() {
                _ if !letters.contains(own.to_ascii_uppercase()) => None,
                true => (board.ranks() - 1).checked_sub(top),
                false => Some(top),
            })
        });
        ranks.min()
    }

    /// The squares that are missing.
    pub(super) fn holes(&self, board: &Board) -> Vec<Square> {
        let mut holes = Vec::new();
        for (top, row) in self.rows.iter().enumerate().take(board.ranks()) {
            let missing = row.iter().enumerate().filter(|(_, own)| **own == '*');
            holes.extend(missing.map(|(file, _)| board.square(file, board.ranks() - 1 - top)));
        }
        holes
    }

    /// The file of White's king on his first rank, and those of the outermost rooks to his left and right.
    pub(super) fn castling_files(&self, king: char, rooks: &str) -> Option<(usize, [usize; 2])> {
        let row = self.rows.last()?;
        let at = row.iter().position(|own| *own == king)?;
        let is_rook = |own: &char| rooks.contains(*own);
        let left = row[..at].iter().position(is_rook)?;
        let right = at + 1 + row[at + 1..].iter().rposition(is_rook)?;
        Some((at, [left, right]))
    }
}

/// `10`, or `j` for the tenth file.
pub(super) fn number_or_file(text: &str) -> Option<usize> {
    let mut letters = text.chars();
    match (letters.next(), letters.next()) {
        (Some(letter @ 'a'..='p'), None) => Some(letter as usize - 'a' as usize + 1),
        _ => text.parse().ok(),
    }
}

/// Whether a word names squares of a larger board: `*9`, `k4`.
pub(super) fn is_off_the_board(word: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    let file = word.strip_prefix(|c: char| c.is_ascii_lowercase());
    word.strip_prefix('*').is_some_and(is_number) || file.is_some_and(|rest| rest == "*" || is_number(rest))
}
