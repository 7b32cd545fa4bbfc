//! Parses Betza notation into a movement.
//!
//! A string is a row of terms, a term is `modifiers LETTER [LETTER again | number]`:
//!
//! ```text
//!   fm W  fc F      a pawn's forward step without and its diagonal steps with capture
//!   N N             the letter twice: as far as the board goes
//!   W 3             at most three times; 0 is "as far as the board goes" too; R4 is W4
//!   n N  p R  g Q   lame, over a man, over a man to the square behind him
//!   q N             round in a circle, both ways, as far as the board goes: the rose
//! ```
//!
//! `m` keeps only moves to empty squares, `c` only captures; neither or both of them means both. Direction
//! letters are explained beside [`Direction`](crate::atom::Direction), and of a circle say where its
//! first step goes. On a compound letter (K Q R B) modifiers and numbers apply to each of its atoms. At most
//! one of `n p g q` stands in a term; they are the [`RayPath`]s that are not plain. The number of a hopper
//! counts all its steps, those before the man, over him and behind him: `pR3` has one square beside the man's
//! and its own. Modifiers may stand in any order. An empty string is a piece that does not move.
//!
//! Source: R. Betza's notation as described by H. G. Muller for XBoard; where readers of it differ, so does
//! the text beside the rule here.

use crate::atom::{self, Atom, Direction, Shape};
use crate::refusal::{self, KNOWN_LETTERS};
use crate::{BetzaError, BetzaFault, Movement, RIDE, Ray, RayPath, lame_way, named};
use std::collections::BTreeSet;
use std::ops::Range;

/// The longest string; that of every movement is shorter by half.
///
/// Units: bytes.
const MAX_LENGTH: usize = 8_192;

/// So much of a string that is too long is shown.
const MAX_SHOWN: usize = 60;

/// The most faults that are reported of a string.
const MAX_FAULTS: usize = 100;

/// Shorter texts are not taken for words.
const SHORTEST_WORDS: usize = 4;

/// A character and the byte at which it starts.
type Place = (usize, char);

impl Movement {
    /// Reads Betza notation.
    ///
    /// # Errors
    /// A string that is not in the notation, uses what is not supported, or is longer than any movement. All
    /// faults at once, but no more than a hundred.
    pub fn parse(betza: &str) -> Result<Self, BetzaError> {
        if betza.len() > MAX_LENGTH {
            return Err(too_long(betza));
        }
        if let Some(fault) = fault_of_words(betza) {
            return Err(BetzaError { text: betza.into(), faults: vec![fault] });
        }
        let mut parser = Parser { text: betza, rest: betza.char_indices().collect(), faults: Vec::new() };
        parser.rest.reverse();
        let mut rays = Vec::new();
        while !parser.rest.is_empty() && parser.faults.len() < MAX_FAULTS {
            parser.term(&mut rays);
        }
        match parser.faults {
            faults if faults.is_empty() => Ok(Movement::from_rays(rays)),
            mut faults => {
                faults.sort_by_key(|fault| (fault.span.start, fault.span.end));
                Err(BetzaError { text: betza.into(), faults })
            }
        }
    }
}

/// The fault of a string that is too long, of which the beginning is enough to see.
fn too_long(betza: &str) -> BetzaError {
    let shown: String = betza.chars().take(MAX_SHOWN).collect();
    let start = shown.char_indices().last().map_or(0, |(at, _)| at);
    let message = format!("the movement has {} bytes, and {MAX_LENGTH} are the most", betza.len());
    let help = "leave out what is there twice: a movement has at most some hundred terms".into();
    let fault = BetzaFault { span: start..shown.len(), column: MAX_SHOWN, message, help };
    BetzaError { text: shown, faults: vec![fault] }
}

/// The fault of a text that is made of words, and not of the letters of modifiers alone.
fn fault_of_words(betza: &str) -> Option<BetzaFault> {
    let is_other = |c: char| c.is_ascii_lowercase() && !"mcnpgq".contains(c) && !atom::LETTERS.contains(c);
    if !is_words(betza) || !betza.contains(is_other) {
        return None;
    }
    let mut known = BTreeSet::new();
    let written = betza.split([' ', '-']).chain([betza]).filter_map(named);
    let written = written.filter(|piece| known.insert(piece.name));
    let written: Vec<String> = written.map(|piece| format!("{} is `{}`", piece.name, piece.betza)).collect();
    let help = match &*written {
        [] => "the list of pieces by name has their notation".into(),
        written => written.join(", "),
    };
    let help = format!("{help}; a move has an upper-case letter, as in `fmW`");
    Some(BetzaFault {
        span: 0..betza.len(),
        column: 1,
        message: format!("`{betza}` is no notation but words"),
        help,
    })
}

/// Whether a text is one of words: notation has upper-case letters behind the first.
#[must_use]
pub fn is_words(text: &str) -> bool {
    let is_lower = |word: &str| word.chars().skip(1).all(|c| c.is_ascii_lowercase());
    let is_alphabetic = text.chars().all(|c| c.is_ascii_alphabetic() || " -".contains(c));
    text.len() >= SHORTEST_WORDS && is_alphabetic && text.split([' ', '-']).all(is_lower)
}

/// What the modifiers before a letter say.
#[derive(Default)]
struct Modifiers {
    start: usize,
    directions: Vec<(Range<usize>, Direction)>,
    quiet: bool,
    capture: bool,
    /// The letter of the path, and where it stands.
    path: Option<(Range<usize>, char)>,
    /// Whether another one stands beside it, which is a fault.
    has_two_paths: bool,
}

/// What came before and at a letter: the step to repeat, how often, and how the letter was written.
struct Term {
    letter: char,
    atoms: &'static [Atom],
    limit: u8,
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
        if self.faults.len() >= MAX_FAULTS {
            return;
        }
        let column = self.text[..span.start].chars().count() + 1;
        self.faults.push(BetzaFault { span, column, message: message.into(), help: help.into() });
    }

    /// Reads one term, or past a fault.
    fn term(&mut self, rays: &mut Vec<Ray>) {
        let n_faults = self.faults.len();
        let modifiers = self.modifiers();
        let Some((at, letter)) = self.rest.pop() else {
            if self.faults.len() == n_faults {
                let last = self.text.chars().last().unwrap_or_default().to_ascii_uppercase();
                let help = "write the letter of a move after them, as in `fmW`";
                let help = match atom::lettered(last) {
                    Some(_) => format!("{help}; such letters are upper case: `{last}`"),
                    None => help.into(),
                };
                self.fault(modifiers.start..self.text.len(), "modifiers without a move", help);
            }
            return;
        };
        let span = at..self.here();
        let Some((atoms, rides)) = atom::lettered(letter) else {
            self.no_letter(span, letter);
            return;
        };
        let is_circle = matches!(modifiers.path, Some((_, 'q')));
        let limit = self.limit(letter).unwrap_or(if rides || is_circle { RIDE } else { 1 });
        let term = Term { letter, atoms, limit };
        let paths = self.paths(&term, &modifiers);
        for &atom in atoms {
            self.steps(atom, limit, &modifiers, paths, rays);
        }
    }

    fn modifiers(&mut self) -> Modifiers {
        let mut modifiers = Modifiers { start: self.here(), ..Modifiers::default() };
        while let Some(letter) = self.peek().filter(char::is_ascii_lowercase) {
            if atom::LETTERS.contains(letter) {
                self.directions(&mut modifiers.directions);
                continue;
            }
            let start = self.here();
            self.rest.pop();
            let span = start..self.here();
            let seen = match letter {
                'm' => &mut modifiers.quiet,
                'c' => &mut modifiers.capture,
                'n' | 'p' | 'g' | 'q' => {
                    self.path_letter(&mut modifiers, letter, span);
                    continue;
                }
                _ => {
                    let (message, help) = refusal::of_modifier(letter);
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
        while let Some(letter) = self.peek().filter(|&c| atom::LETTERS.contains(c)) {
            letters.push(letter);
            self.rest.pop();
        }
        for direction in atom::split(&letters) {
            let end = start + 1 + usize::from(direction.second.is_some());
            directions.push((start..end, direction));
            start = end;
        }
    }

    /// Takes the letter of a path; a fault if there is one already.
    fn path_letter(&mut self, modifiers: &mut Modifiers, letter: char, span: Range<usize>) {
        let Some((_, other)) = modifiers.path else {
            modifiers.path = Some((span, letter));
            return;
        };
        modifiers.has_two_paths |= letter != other;
        let message = match letter == other {
            true => format!("`{letter}` twice"),
            false => format!("`{letter}` beside `{other}`"),
        };
        self.fault(span, message, refusal::help_on_two_paths(other, letter));
    }

    /// Reads how often the step may be repeated; none if the string does not say.
    fn limit(&mut self, letter: char) -> Option<u8> {
        let doubled = self.peek() == Some(letter);
        if doubled {
            self.rest.pop();
        }
        if doubled && self.peek() == Some(letter) {
            let start = self.here();
            while self.peek() == Some(letter) {
                self.rest.pop();
            }
            let help = format!("`{letter}{letter}` goes as far as the board does");
            self.fault(start..self.here(), format!("`{letter}` more than twice"), help);
        }
        let span = self.number();
        let digits = &self.text[span.clone()];
        match digits.parse::<u8>() {
            _ if digits.is_empty() => doubled.then_some(RIDE),
            _ if doubled => {
                let help = format!("write `{letter}{digits}` or `{letter}{letter}`");
                self.fault(span, "a range after a doubled letter", help);
                Some(RIDE)
            }
            Ok(0) if digits == "0" => Some(RIDE),
            Ok(n) if n < RIDE && !digits.starts_with('0') => Some(n),
            _ => {
                let help =
                    format!("write a number from 1 to {}, or 0 for as far as the board goes", RIDE - 1);
                self.fault(span, format!("the range `{digits}` cannot be"), help);
                // Something that no other fault follows from.
                Some(RIDE)
            }
        }
    }

    /// Reads past the digits that come next.
    fn number(&mut self) -> Range<usize> {
        let start = self.here();
        while self.peek().is_some_and(|c| c.is_ascii_digit()) {
            self.rest.pop();
        }
        start..self.here()
    }

    /// The paths of the term's rays; a fault where the letter means nothing for it.
    fn paths(&mut self, term: &Term, modifiers: &Modifiers) -> &'static [RayPath] {
        let Some((span, path)) = modifiers.path.clone().filter(|_| !modifiers.has_two_paths) else {
            return &[RayPath::Plain];
        };
        let Term { letter, atoms, limit } = *term;
        match path {
            'n' if atoms.iter().any(|atom| lame_way(atom.steps()[0]).is_empty()) => {
                let help = "nothing lies within its step, and a ride stops at the first man anyway: leave it out; \
                            lame moves are nN nD nA nH nC nZ nG";
                self.fault(span, format!("`n` means nothing for `{letter}`"), help);
                &[RayPath::Plain]
            }
            'n' => &[RayPath::Lame],
            'p' | 'g' if limit < 2 => {
                let ride = atom::ridden(letter);
                let message =
                    "a hopper needs two steps or more: to the man it passes over, and on behind him";
                let help = format!(
                    "write `{path}{ride}` for as far as the board goes, or a number as in `{path}{letter}2`"
                );
                self.fault(span, message, help);
                &[RayPath::Plain]
            }
            'p' => &[RayPath::Cannon],
            'g' => &[RayPath::Grasshopper],
            _ if atoms.iter().any(|atom| atom.shape() != Shape::Oblique) => {
                let help = "only the steps of N, C and Z go round: write `qN` for the rose, or leave it out";
                self.fault(span, format!("`q` means nothing for `{letter}`"), help);
                &[RayPath::Plain]
            }
            _ if limit == 1 => {
                let help =
                    format!("write `{letter}` for the leap, or `q{letter}` for as far as the board goes");
                self.fault(span, "a circle of one step is a leap", help);
                &[RayPath::Plain]
            }
            _ => &[RayPath::CircularLeft, RayPath::CircularRight],
        }
    }

    /// The rays of one atom; faults where a direction means nothing for it.
    fn steps(
        &mut self,
        atom: Atom,
        limit: u8,
        modifiers: &Modifiers,
        paths: &[RayPath],
        rays: &mut Vec<Ray>,
    ) {
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
        let ray = |step, path| Ray { step, limit, quiet: modifiers.quiet, capture: modifiers.capture, path };
        rays.extend(kept.flat_map(|step| paths.iter().map(move |&path| ray(step, path))));
    }

    /// Says why a character is not the letter of a move.
    fn no_letter(&mut self, mut span: Range<usize>, letter: char) {
        if letter == '[' {
            while self.peek().is_some_and(|c| c != ']') {
                self.rest.pop();
            }
            self.rest.pop();
        }
        // A number behind it belongs to it.
        self.number();
        span.end = self.here();
        if letter.is_ascii_digit() {
            self.fault(span, "a range without a move before it", "write the letter first, as in `W3`");
        } else if let Some((message, help)) = refusal::of_letter(letter) {
            self.fault(span, message, help);
        } else if letter.is_ascii_uppercase() {
            self.fault(span, format!("there is no move `{letter}`"), KNOWN_LETTERS);
        } else {
            let message = format!("`{}` is no part of the notation", letter.escape_debug());
            self.fault(span, message, format!("remove it; {KNOWN_LETTERS}"));
        }
    }
}
