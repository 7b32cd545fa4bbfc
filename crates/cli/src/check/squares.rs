//! Writes sets of squares in words, and draws a board.

use geometry::{Board, SquareSet};

/// The squares in words: whole ranks first, then the others by name; `nowhere` for none.
pub(super) fn in_words(board: &Board, squares: SquareSet) -> String {
    let is_whole = |rank: &usize| {
        let all = board.rank(*rank);
        !all.is_empty() && all.without(squares).is_empty()
    };
    let whole: Vec<usize> = (0..board.ranks()).filter(is_whole).collect();
    let of_ranks = whole.iter().map(|&rank| board.rank(rank)).fold(SquareSet::EMPTY, SquareSet::union);
    let others = squares.without(of_ranks).iter().map(|square| board.name(square));
    let ranks = runs(&whole).into_iter().map(|(first, last)| match last - first {
        0 => format!("{}", first + 1),
        1 => format!("{} and {}", first + 1, last + 1),
        _ => format!("{} to {}", first + 1, last + 1),
    });
    let ranks = ranks.collect::<Vec<_>>().join(", ");
    let ranks = match whole.len() {
        0 => None,
        1 => Some(format!("rank {ranks}")),
        _ => Some(format!("ranks {ranks}")),
    };
    let parts: Vec<String> = ranks.into_iter().chain(others).collect();
    if parts.is_empty() { "nowhere".into() } else { listed(&parts, "and") }
}

/// First and last of each run of neighbours.
fn runs(numbers: &[usize]) -> Vec<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for &number in numbers {
        match runs.last_mut().filter(|(_, last)| last + 1 == number) {
            Some((_, last)) => *last = number,
            None => runs.push((number, number)),
        }
    }
    runs
}

/// `a`, `a and b`, `a, b and c`.
pub(super) fn listed(parts: &[String], and: &str) -> String {
    match parts {
        [] => String::new(),
        [only] => only.clone(),
        [front @ .., last] => format!("{} {and} {last}", front.join(", ")),
    }
}

/// The board with its missing squares, White below.
pub(super) fn picture(board: &Board) -> String {
    let mut text = String::new();
    for rank in (0..board.ranks()).rev() {
        text += &format!("{:>2}", rank + 1);
        let marks =
            (0..board.files()).map(|file| if board.has(board.square(file, rank)) { " ." } else { "  " });
        text += marks.collect::<String>().trim_end();
        text.push('\n');
    }
    let files = (0..board.files()).map(|file| format!(" {}", (b'a' + file as u8) as char));
    text + "  " + &files.collect::<String>() + "\n"
}
