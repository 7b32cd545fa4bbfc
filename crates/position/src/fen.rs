//! Reads and writes FENs, and draws a small board for terminals; a FEN that is wrong is refused with every
//! fault named.
//!
//! The fields are those of chess on any board and with any letters: the men rank by rank, the side to move,
//! who may still castle (`castling`), the square that a double step passed over, and two clocks. All but the
//! first two may be missing, and are `- - 0 1` then. On a board of ten files or more a run of digits is one
//! number, and a square that the board does not have is written `*`. The en-passant square may be given
//! whether or not a pawn can capture there. Where two pawns can have passed over one square (diagonal
//! steps), the pawn's own square follows it: `d3e4` is the pawn on e4 that came over d3. The two are read in
//! either order, as Fairy-Stockfish writes them.

use crate::{EnPassant, FenError, FenFault, Position, RuleBook, castling};
use geometry::{Square, SquareSet};
use std::fmt::Write as _;
use variant::{Man, PieceId, Side, Variant};

/// The longest text that is read; a FEN of a board of 128 squares has at most some two hundred bytes.
const MAX_BYTES: usize = 1000;

/// What stands for a square that the board does not have.
const HOLE: char = '*';

impl Position {
    /// Reads a FEN of a position as tables hold them: a right to castle is a fault. The position may be
    /// illegal (a royal man that can be captured): ask [`Position::is_legal`]. A side may have no men where
    /// the rules know no royal ones.
    ///
    /// # Errors
    /// All faults of the text at once.
    pub fn from_fen(book: &RuleBook, fen: &str) -> Result<Self, FenError> {
        Position::read_fen(book, fen, false)
    }

    /// Reads a FEN, rights to castle too.
    ///
    /// # Errors
    /// All faults of the text at once.
    pub fn from_fen_with_castling(book: &RuleBook, fen: &str) -> Result<Self, FenError> {
        Position::read_fen(book, fen, true)
    }

    fn read_fen(book: &RuleBook, fen: &str, with_castling: bool) -> Result<Self, FenError> {
        let variant = book.variant();
        if fen.len() > MAX_BYTES {
            let (got, most) = (fen.len(), MAX_BYTES);
            return Err(FenError { faults: vec![FenFault::Length { got, most }] });
        }
        let mut fields: Vec<&str> = fen.split_whitespace().collect();
        // Checks are counted before the clocks, or behind them as those that were given.
        let counts = variant.rules.check_counting.is_some();
        let checks = fields.iter().skip(4).position(|field| counts && field.contains('+'));
        let checks = checks.map(|place| fields.remove(4 + place));
        if !(2..=6).contains(&fields.len()) {
            return Err(FenError {
                faults: vec![FenFault::Fields { got: fields.len(), example: example(variant) }],
            });
        }
        let mut faults = Vec::new();
        let mut position = Position::empty(Side::White);
        read_men(variant, fields[0], &mut position, &mut faults);
        match fields[1] {
            "w" => {}
            "b" => position.set_stm(Side::Black),
            other => faults.push(FenFault::SideToMove { got: other.into() }),
        }
        let [castling, en_passant] = [2, 3].map(|field| fields.get(field).copied().unwrap_or("-"));
        // Who can castle or has just passed over a square shows only when men and side to move are known.
        let is_known = faults.is_empty();
        match castling {
            "-" => {}
            field if !castling::is_plain(book, field) => {
                let is_rule = with_castling && variant.rules.castling.is_some();
                faults.push(FenFault::CastlingField { got: field.into(), is_rule });
            }
            field if !with_castling => faults.push(FenFault::Castling { got: field.into() }),
            field if is_known => match castling::read_field(book, &position, field) {
                Ok(rights) => position = position.with_castling(rights),
                Err(wrong) => faults.extend(wrong),
            },
            _ => {}
        }
        if en_passant != "-" && is_known {
            match read_en_passant(book, &position, en_passant) {
                Ok(right) => position = position.with_en_passant(Some(right)),
                Err(fault) => faults.push(fault),
            }
        }
        match checks.map_or(Some([0; 2]), |field| read_checks(variant, field)) {
            Some(given) => position.given_checks = given,
            None => faults.push(FenFault::Checks {
                got: checks.unwrap_or_default().into(),
                most: variant.rules.check_counting.unwrap_or_default(),
            }),
        }
        let mut clock = |field: usize, clock: &'static str, at_least: u32| {
            let text = fields.get(field)?;
            let number = text.parse::<u32>().ok().filter(|_| !text.starts_with('+'));
            if number.is_none() {
                faults.push(FenFault::Clock { clock, got: (*text).into() });
            }
            Some(number?.max(at_least))
        };
        position.halfmove_clock = clock(4, "halfmove clock", 0).unwrap_or(0);
        position.fullmove = clock(5, "move number", 1).unwrap_or(1);
        if faults.is_empty() { Ok(position) } else { Err(FenError { faults }) }
    }

    /// Writes the position as FEN, all six fields; the en-passant square is written after every double step
    /// that allows the capture, whether or not a pawn can make it.
    #[must_use]
    pub fn to_fen(&self, book: &RuleBook) -> String {
        let stm = if self.stm() == Side::White { 'w' } else { 'b' };
        let men = write_men(book.variant(), self);
        let en_passant =
            self.en_passant().map_or_else(|| "-".into(), |right| self.en_passant_text(book, right));
        let castling = castling::write_field(book, self);
        let checks = book.variant().checks_left_text(self.given_checks);
        let checks = checks.strip_prefix('+').map_or_else(String::new, |checks| format!("{checks} "));
        format!("{men} {stm} {castling} {en_passant} {checks}{} {}", self.halfmove_clock, self.fullmove)
    }

    fn en_passant_text(&self, book: &RuleBook, right: EnPassant) -> String {
        let board = &book.variant().board;
        let rights = self.en_passant_rights(book);
        let is_alone = rights.iter().filter(|r| r.passed == right.passed).count() < 2;
        let victim = if is_alone { String::new() } else { board.name(right.victim) };
        board.name(right.passed) + &victim
    }
}

/// A FEN of [`Position::to_fen`] without its clocks, as lines of EPD begin.
#[must_use]
pub fn without_clocks(fen: &str) -> &str {
    fen.rsplitn(3, ' ').nth(2).unwrap_or(fen)
}

/// Reads the checks that either side has given: `2+3` says how many are left, `+1+0` how many were given.
fn read_checks(variant: &Variant, field: &str) -> Option<[u8; 2]> {
    let n = variant.rules.check_counting?;
    if !field.starts_with('+') {
        return variant.read_checks_left(&format!("+{field}"));
    }
    variant.read_checks_left(field).map(|given| given.map(|left| n - left))
}

fn read_men(variant: &Variant, field: &str, position: &mut Position, faults: &mut Vec<FenFault>) {
    let board = &variant.board;
    let ranks: Vec<&str> = field.split('/').collect();
    if ranks.len() != board.ranks() {
        faults.push(FenFault::Ranks { got: ranks.len(), expected: board.ranks() });
        return;
    }
    for (rank, text) in (0..board.ranks()).rev().zip(ranks) {
        let (mut file, mut is_counted) = (0, true);
        let mut starred = SquareSet::EMPTY;
        let mut chars = text.chars().peekable();
        while let Some(letter) = chars.next() {
            if let Some(digit) = letter.to_digit(10) {
                let mut number = letter.to_string();
                let mut n_empty = digit as usize;
                while let Some(next) = chars.next_if(char::is_ascii_digit) {
                    number.push(next);
                    n_empty = n_empty.saturating_mul(10).saturating_add(next as usize - '0' as usize);
                }
                file = usize::saturating_add(file, n_empty);
                // Where no number has two digits, two are two numbers.
                let is_joined = number.len() > 1 && board.files() < 10;
                if is_joined || digit == 0 {
                    let (rank, text) = (rank + 1, text.to_owned());
                    is_counted = false;
                    faults.push(FenFault::Number { rank, text, number, is_joined });
                }
                continue;
            }
            let square = (file < board.files()).then(|| board.square(file, rank));
            match man_lettered(variant, letter) {
                _ if letter == HOLE => square.into_iter().for_each(|square| starred.insert(square)),
                Some(man) => square
                    .filter(|&square| board.has(square))
                    .into_iter()
                    .for_each(|square| place(variant, man, square, position, faults)),
                None => faults.push(FenFault::Letter {
                    rank: rank + 1,
                    letter,
                    variant: variant.name.clone(),
                    known: variant.pieces.iter().map(|p| p.letter).collect(),
                }),
            }
            file = file.saturating_add(1);
        }
        if !is_counted {
            // How many squares that makes is not known.
            continue;
        }
        if file != board.files() {
            let (got, expected) = (file, board.files());
            faults.push(FenFault::RankLength { rank: rank + 1, text: text.into(), got, expected });
            continue;
        }
        let holes = (0..board.files()).map(|file| board.square(file, rank)).filter(|&s| !board.has(s));
        let holes: SquareSet = holes.collect();
        let names = |set: SquareSet| set.iter().map(|s| board.name(s)).collect::<Vec<_>>().join(", ");
        let (rank, text) = (rank + 1, text.to_owned());
        if !holes.without(starred).is_empty() {
            let squares = names(holes.without(starred));
            faults.push(FenFault::Hole { rank, text: text.clone(), squares });
        }
        if !starred.without(holes).is_empty() {
            faults.push(FenFault::NoHole { rank, text, squares: names(starred.without(holes)) });
        }
    }
    if variant.has_side_without_royals() {
        let material = position.material();
        let may_be_bare = variant.may_lack_men(material.n_men()) || variant.is_over(&material);
        let is_bare =
            |side: &Side| material.side(*side).is_empty() && variant.n_royals(*side) == 0 && !may_be_bare;
        faults.extend(Side::BOTH.into_iter().filter(is_bare).map(|side| FenFault::Bare { side }));
    }
    for side in Side::BOTH {
        let got = position.men_of(side).filter(|&(man, _)| variant.is_royal(man)).count();
        // Where captures explode, a game ends with a position in which one is gone.
        let expected = variant.n_royals(side);
        if got != expected && !(got == 0 && variant.rules.blast.is_some()) {
            let letter = |piece| variant.fen_letter(Man { side, piece }).to_string();
            let letters = variant.royals().map(letter).collect::<Vec<_>>().join(" or ");
            faults.push(FenFault::Royal { side, got, letters, expected });
        }
    }
}

fn place(variant: &Variant, man: Man, square: Square, position: &mut Position, faults: &mut Vec<FenFault>) {
    if !variant.zone(man).contains(square) {
        let piece = variant.piece(man.piece).name.clone();
        faults.push(FenFault::Zone { side: man.side, piece, square: variant.board.name(square) });
    }
    position.put(man, square);
}

fn man_lettered(variant: &Variant, letter: char) -> Option<Man> {
    let side = if letter.is_ascii_lowercase() { Side::Black } else { Side::White };
    Some(Man { side, piece: variant.piece_lettered(letter.to_ascii_uppercase())? })
}

fn read_en_passant(book: &RuleBook, position: &Position, field: &str) -> Result<EnPassant, FenFault> {
    let board = &book.variant().board;
    let rights = position.en_passant_rights(book);
    let named = |right: &&EnPassant| {
        let passed = board.name(right.passed);
        let victim = board.name(right.victim);
        field == passed || field == passed.clone() + &victim || field == victim + &passed
    };
    let found: Vec<&EnPassant> = rights.iter().filter(named).collect();
    if let [right] = found[..] {
        return Ok(*right);
    }
    let choices = if found.is_empty() { rights } else { found.into_iter().copied().collect() };
    let text = |right: &EnPassant| format!("`{}`", position.en_passant_text(book, *right));
    let names: Vec<String> = choices.iter().map(text).collect();
    let expected = if names.is_empty() {
        format!("`-`: no double step of {} can have led here", !position.stm())
    } else {
        format!("`-` or a square that a double step has just passed over, here {}", names.join(" or "))
    };
    Err(FenFault::EnPassant { got: field.into(), expected })
}

fn write_men(variant: &Variant, position: &Position) -> String {
    let board = &variant.board;
    let rank_text = |rank: usize| {
        let mut text = String::new();
        let mut n_empty = 0;
        for square in (0..board.files()).map(|file| board.square(file, rank)) {
            let letter = position.man_on(square).map(|man| variant.fen_letter(man));
            let Some(letter) = letter.or((!board.has(square)).then_some(HOLE)) else {
                n_empty += 1;
                continue;
            };
            if n_empty > 0 {
                text.push_str(&n_empty.to_string());
                n_empty = 0;
            }
            text.push(letter);
        }
        if n_empty > 0 {
            text.push_str(&n_empty.to_string());
        }
        text
    };
    (0..board.ranks()).rev().map(rank_text).collect::<Vec<_>>().join("/")
}

/// Returns a FEN of the variant: the royal men, or those of the first kind, on the first and the last squares
/// where they may stand.
fn example(variant: &Variant) -> String {
    let first = |side| {
        let is_first = |id: &PieceId| variant.piece(*id).royal == (variant.n_royals(side) > 0);
        Man { side, piece: variant.piece_ids().find(is_first).unwrap_or(PieceId(0)) }
    };
    let [white, black] = Side::BOTH.map(first);
    let mut position = Position::empty(Side::White);
    let n = |side| variant.n_royals(side).max(1);
    variant.zone(white).iter().take(n(Side::White)).for_each(|square| position.put(white, square));
    let last = variant.zone(black).n_squares().saturating_sub(n(Side::Black));
    variant.zone(black).iter().skip(last).for_each(|square| position.put(black, square));
    format!("{} w - -", write_men(variant, &position))
}

impl Position {
    /// The board as lines of text, last rank first, each line ending in a line feed; `.` is an empty square,
    /// `*` a missing one.
    #[must_use]
    pub fn board_text(&self, book: &RuleBook) -> String {
        let board = &book.variant().board;
        let width = board.ranks().to_string().len();
        let mut text = String::new();
        for rank in (0..board.ranks()).rev() {
            let _ = write!(text, "{:>width$}", rank + 1);
            for file in 0..board.files() {
                let square = board.square(file, rank);
                let empty = if board.has(square) { '.' } else { HOLE };
                text.push(' ');
                text.push(self.man_on(square).map_or(empty, |man| book.variant().fen_letter(man)));
            }
            text.push('\n');
        }
        text.push_str(&" ".repeat(width));
        for file in 0..board.files() {
            text.push(' ');
            text.push((b'a' + file as u8) as char);
        }
        text.push('\n');
        if let Some(n) = book.variant().rules.check_counting {
            let [white, black] = self.given_checks.map(|given| n.saturating_sub(given));
            let _ = writeln!(text, "checks left: White {white}, Black {black}");
        }
        text
    }
}
