//! Reading Betza notation.
//!
//! A string is a row of terms, a term is `modifiers LETTER [LETTER again | number]`:
//!
//! ```text
//!   fm W  fc F      a pawn's forward step without and its diagonal steps with capture
//!   N N             the letter twice: as far as the board goes
//!   W 3             at most three times; 0 is "as far as the board goes" too; R4 is W4
//! ```
//!
//! `m` keeps only moves to empty squares, `c` only captures; neither or both of them means both. Direction letters
//! are explained beside [`Direction`](crate::direction::Direction). On a compound letter (K Q R B) modifiers and
//! numbers apply to each of its atoms. An empty string is a piece that does not move.
//!
//! Source: R. Betza's notation as described by H. G. Muller for XBoard; where readers of it differ, so does the text
//! beside the rule here.

use crate::atom::{self, Atom};
use crate::direction::{self, Direction};
use crate::{BetzaError, BetzaFault, Manner, Movement, RIDE, Ray};
use std::ops::Range;

/// A character and the byte at which it starts.
type Place = (usize, char);

impl Movement {
    /// Reads Betza notation.
    ///
    /// # Errors
    /// A string that is not in the notation, or uses what is not supported; all faults at once.
    pub fn parse(betza: &str) -> Result<Self, BetzaError> {
        let mut parser = Parser { text: betza, rest: betza.char_indices().collect(), faults: Vec::new() };
        parser.rest.reverse();
        let mut rays = Vec::new();
        while !parser.rest.is_empty() {
            parser.term(&mut rays);
        }
        match parser.faults {
            faults if faults.is_empty() => Ok(Movement::from_rays(rays)),
            faults => Err(BetzaError { text: betza.into(), faults }),
        }
    }
}

/// What the modifiers before a letter say.
#[derive(Default)]
struct Modifiers {
    start: usize,
    directions: Vec<(Range<usize>, Direction)>,
    quiet: bool,
    capture: bool,
}

struct Parser<'a> {
    text: &'a str,
    /// What is not read yet, the next character last.
    rest: Vec<Place>,
    faults: Vec<BetzaFault>,
}

impl Parser<'_> {
    fn peek(&self) -> Option<char> {
        self.rest.last().map(|&(_, c)| c)
    }

    /// The byte of the next character, or the end of the string.
    fn here(&self) -> usize {
        self.rest.last().map_or(self.text.len(), |&(at, _)| at)
    }

    fn fault(&mut self, span: Range<usize>, message: impl Into<String>, help: impl Into<String>) {
        let column = self.text[..span.start].chars().count() + 1;
        self.faults.push(BetzaFault { span, column, message: message.into(), help: help.into() });
    }

    /// Reads one term, or past a fault.
    fn term(&mut self, rays: &mut Vec<Ray>) {
        let n_faults = self.faults.len();
        let modifiers = self.modifiers();
        let Some((at, letter)) = self.rest.pop() else {
            if self.faults.len() == n_faults {
                let help = "write the letter of a move after them, as in `fmW`";
                self.fault(modifiers.start..self.text.len(), "modifiers without a move", help);
            }
            return;
        };
        let span = at..self.here();
        let Some((atoms, rides)) = atom::lettered(letter) else {
            self.no_letter(span, letter);
            return;
        };
        let limit = self.limit(letter, rides);
        for &atom in atoms {
            self.steps(atom, limit, &modifiers, rays);
        }
    }

    fn modifiers(&mut self) -> Modifiers {
        let mut modifiers = Modifiers { start: self.here(), ..Modifiers::default() };
        while let Some(letter) = self.peek().filter(char::is_ascii_lowercase) {
            if direction::LETTERS.contains(letter) {
                self.directions(&mut modifiers.directions);
                continue;
            }
            let start = self.here();
            self.rest.pop();
            let span = start..self.here();
            let seen = match letter {
                'm' => &mut modifiers.quiet,
                'c' => &mut modifiers.capture,
                _ => {
                    let (message, help) = refusal_of_modifier(letter);
                    self.fault(span, message, help);
                    continue;
                }
            };
            if std::mem::replace(seen, true) {
                self.fault(span, format!("`{letter}` twice"), "write it once");
            }
        }
        if !modifiers.quiet && !modifiers.capture {
            (modifiers.quiet, modifiers.capture) = (true, true);
        }
        modifiers
    }

    /// Reads a run of direction letters.
    fn directions(&mut self, directions: &mut Vec<(Range<usize>, Direction)>) {
        let mut start = self.here();
        let mut letters = Vec::new();
        while let Some(letter) = self.peek().filter(|&c| direction::LETTERS.contains(c)) {
            letters.push(letter);
            self.rest.pop();
        }
        for direction in direction::split(&letters) {
            let end = start + 1 + usize::from(direction.second.is_some());
            directions.push((start..end, direction));
            start = end;
        }
    }

    /// Reads how often the step may be repeated.
    fn limit(&mut self, letter: char, rides: bool) -> u8 {
        let mut limit = if rides { RIDE } else { 1 };
        let doubled = self.peek() == Some(letter);
        if doubled {
            self.rest.pop();
            limit = RIDE;
        }
        if doubled && self.peek() == Some(letter) {
            let start = self.here();
            while self.peek() == Some(letter) {
                self.rest.pop();
            }
            let help = format!("`{letter}{letter}` goes as far as the board does");
            self.fault(start..self.here(), format!("`{letter}` more than twice"), help);
        }
        let start = self.here();
        while self.peek().is_some_and(|c| c.is_ascii_digit()) {
            self.rest.pop();
        }
        let span = start..self.here();
        let digits = &self.text[span.clone()];
        if digits.is_empty() {
            return limit;
        }
        if doubled {
            let help = format!("write `{letter}{digits}` or `{letter}{letter}`");
            self.fault(span, "a range after a doubled letter", help);
            return limit;
        }
        match digits.parse::<u8>() {
            Ok(0) if digits == "0" => RIDE,
            Ok(n) if n < RIDE && !digits.starts_with('0') => n,
            _ => {
                let help =
                    format!("write a number from 1 to {}, or 0 for as far as the board goes", RIDE - 1);
                self.fault(span, format!("the range `{digits}` cannot be"), help);
                limit
            }
        }
    }

    /// The rays of one atom; faults where a direction means nothing for it.
    fn steps(&mut self, atom: Atom, limit: u8, modifiers: &Modifiers, rays: &mut Vec<Ray>) {
        let shape = atom.shape();
        for (span, direction) in &modifiers.directions {
            if !direction.suits(shape) && !self.faults.iter().any(|f| f.span == *span) {
                let written = &self.text[span.clone()];
                let message = format!("the direction `{written}` means nothing for `{}`", atom.letter);
                let help = "`h` stands with one letter and before N, C or Z: fh bh lh rh for a half, hl hr for a hand";
                self.fault(span.clone(), message, help);
            }
        }
        let keeps = |step| modifiers.directions.iter().any(|(_, direction)| direction.keeps(shape, step));
        let kept = atom.steps().into_iter().filter(|&step| modifiers.directions.is_empty() || keeps(step));
        rays.extend(kept.map(|step| Ray {
            step,
            limit,
            quiet: modifiers.quiet,
            capture: modifiers.capture,
            manner: Manner::Plain,
        }));
    }

    /// Says why a character is not the letter of a move.
    fn no_letter(&mut self, mut span: Range<usize>, letter: char) {
        let known = "moves are W F D N A H C Z G (L is C, J is Z) and K Q R B";
        match letter {
            'O' | 'U' | '@' => {
                let (what, help) = match letter {
                    'O' => ("castling", "tables hold positions without castling rights: leave it out"),
                    'U' => ("the universal leaper", known),
                    _ => (
                        "drops",
                        "in a game with drops material never shrinks, so it has no tables: leave it out",
                    ),
                };
                self.fault(span, format!("`{letter}` ({what}) is not supported"), help);
            }
            '[' => {
                while self.peek().is_some_and(|c| c != ']') {
                    self.rest.pop();
                }
                self.rest.pop();
                span.end = self.here();
                let help = "only moves along one line without a hurdle can be written today";
                self.fault(span, "moves of several legs in brackets are not supported yet", help);
            }
            c if c.is_ascii_digit() => {
                while self.peek().is_some_and(|c| c.is_ascii_digit()) {
                    self.rest.pop();
                }
                span.end = self.here();
                self.fault(span, "a range without a move before it", "write the letter first, as in `W3`");
            }
            c if c.is_ascii_uppercase() => self.fault(span, format!("there is no move `{c}`"), known),
            c => {
                let message = format!("`{}` is no part of the notation", c.escape_debug());
                self.fault(span, message, format!("remove it; {known}"));
            }
        }
    }
}

/// Why a lower-case letter is refused, and what to do.
fn refusal_of_modifier(letter: char) -> (String, String) {
    let (what, help) = match letter {
        'n' => (
            "lame moves, which can be blocked on the way",
            "leave it out for a leap; the knight is the upper-case `N`",
        ),
        'j' => ("moves that must jump", "leave it out"),
        'p' | 'g' => ("hoppers", "leave it out; every ray stops at the first man"),
        'i' => {
            ("moves from the initial square only", "a pawn's double step is `double-step` in `[piece.pawn]`")
        }
        'e' => (
            "en passant in the notation",
            "write `en-passant = true` in `[piece.pawn]` and leave it out here",
        ),
        'd' => ("captures of one's own men", "leave it out"),
        'u' => ("unloading", "leave it out"),
        'o' => ("rays round a cylinder", "leave it out"),
        'z' => ("crooked rides", "leave it out"),
        'q' => ("circular rides", "leave it out"),
        't' => ("tame or hop-restricted moves", "leave it out"),
        'y' => ("rays that change on the way", "leave it out"),
        'a' => ("moves of several legs", "leave it out"),
        _ => {
            let upper = letter.to_ascii_uppercase();
            let message = format!("there is no modifier `{letter}`");
            let help = match atom::lettered(upper) {
                Some(_) => format!("the letter of a move is upper case: `{upper}`"),
                None => "modifiers are m, c and the directions f b l r v s h".into(),
            };
            return (message, help);
        }
    };
    (format!("`{letter}` ({what}) is not supported yet"), help.into())
}
