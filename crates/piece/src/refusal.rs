//! Describes the faults of a Betza string, and refuses what this reader does not support: with a reason, and
//! with what to write instead.
//!
//! A refusal is not a mistake of the writer, so it gives a reason. There are three kinds. Some things are
//! said elsewhere (a cylinder is a board, a double step and en passant are rules of pawns, castling is one
//! of the game). Some a table cannot hold (drops, who has moved before). And some are no movement: here a
//! man goes one way, by one step or round, and takes at most one man, where it ends.

use crate::atom;
use std::fmt;
use std::ops::Range;

/// One fault of a Betza string.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BetzaFault {
    /// The bytes of the string that are at fault; never empty.
    pub span: Range<usize>,
    /// The first character at fault, counted from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub help: String,
}

/// A Betza string that cannot be read: all its faults, from the left; never none.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("movement `{text}`: {}", list(faults))]
#[non_exhaustive]
pub struct BetzaError {
    /// The string.
    pub text: String,
    /// Its faults.
    pub faults: Vec<BetzaFault>,
}

impl fmt::Display for BetzaFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "column {}: {} ({})", self.column, self.message, self.help)
    }
}

fn list(faults: &[BetzaFault]) -> String {
    faults.iter().map(BetzaFault::to_string).collect::<Vec<_>>().join("; ")
}

/// The letters of moves.
pub(crate) const KNOWN_LETTERS: &str = "moves are W F D N A H C Z G (L is C, J is Z) and K Q R B";

/// What, because, and help.
type Refusal = (&'static str, &'static str, &'static str);

const LEGS: &str = "a move here goes one way and takes at most one man, where it ends";

const NO_LEGS: &str = "where the way does not matter write the leap (`N` for a step and a diagonal one), where it must \
                       be empty the lame leap (`nN`), and `q` for a ride that goes round";

/// Why a lower-case letter is refused, and what to do.
pub(crate) fn of_modifier(letter: char) -> (String, String) {
    let refusal = match letter {
        'i' => (
            "moves from the initial square only",
            "a table does not know who has moved before",
            "a pawn's double step is `double-step` in `[piece.pawn]`; leave it out here",
        ),
        'e' => (
            "en passant",
            "it is a rule of pawns here and no way to move",
            "write `en-passant = true` in `[piece.pawn]` and leave it out here",
        ),
        'd' => (
            "captures of one's own men",
            "men take men of the other side only, in every rule that tables know",
            "leave it out",
        ),
        'u' => ("unloading", "a man that was taken is gone for good", "leave it out"),
        'o' => (
            "rides round a cylinder",
            "the cylinder is a property of the board here, for all men alike",
            "write `cylinder = true` in `[board]` and leave it out here",
        ),
        'z' => (
            "crooked rides",
            "a ride here repeats its step or turns the same way each time, and does not go to and fro",
            "write `q` for a ride that goes round, or leave it out",
        ),
        't' => (
            "tame moves, or hops over some men only",
            "readers of the notation disagree on what it says",
            "leave it out",
        ),
        'y' => (
            "rides that change on the way",
            "a ride here keeps to one kind of path from its first step to its last",
            "for a ride that goes on behind a man write `p`, for one that lands next to him `g`",
        ),
        'a' => ("moves of several legs", LEGS, NO_LEGS),
        'j' => (
            "moves that must jump, or skip a square",
            "it says two things: of a leap that a man must be jumped over, of a ride that it passes its first square",
            "leave it out for a leap, which jumps over anything; for a ride over a man write `p` or `g`",
        ),
        _ => {
            let upper = letter.to_ascii_uppercase();
            let help = match atom::lettered(upper) {
                Some(_) => format!("the letter of a move is upper case: `{upper}`"),
                None => "modifiers are m, c, n, p, g, q and the directions f b l r v s h".into(),
            };
            return (format!("there is no modifier `{letter}`"), help);
        }
    };
    text(letter, refusal)
}

/// Why what stands in the place of a move is refused, and what to do; none if it is no part of the notation.
pub(crate) fn of_letter(letter: char) -> Option<(String, String)> {
    let refusal = match letter {
        'O' => (
            "castling",
            "a movement does not know who has moved",
            "write `castling = true` in `[rules]` and leave it out here",
        ),
        'U' => (
            "the universal leaper",
            "a movement here is made of steps, and its steps would depend on the board",
            KNOWN_LETTERS,
        ),
        '@' => (
            "drops",
            "in a game with drops material never shrinks, so no table can be built before the others",
            "leave it out",
        ),
        '[' => ("legs in brackets", LEGS, NO_LEGS),
        _ => return None,
    };
    Some(text(letter, refusal))
}

fn text(letter: char, (what, because, help): Refusal) -> (String, String) {
    (format!("`{letter}` ({what}) is not supported, because {because}"), help.into())
}

/// Why two letters of paths do not stand in one term.
pub(crate) fn help_on_two_paths(first: char, second: char) -> &'static str {
    let has = |letter| first == letter || second == letter;
    if first == second {
        "write it once"
    } else if has('q') {
        "a circular ride is neither lame nor does it hop: write one of them"
    } else if has('n') {
        "a lame move needs its way empty, a hopper needs a man on it: write one of them"
    } else {
        "`p` lands anywhere behind the man, `g` on the next square: write one of them"
    }
}
