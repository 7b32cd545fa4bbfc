//! Reads positions as people and other programs write them: FEN or EPD, with rights that cannot be.
//!
//! ```text
//!   8/8/8/8/8/4k3/8/4K2Q w - - 3 60                              FEN; fields that are missing are `- - 0 1`
//!   8/8/8/8/8/4k3/8/4K2Q w - - hmvc 3; fmvn 60; id "KQvK 1";     EPD: these two operations are the clocks
//!   8/8/8/8/8/4k3/8/4K2Q w - - 3 60; a remark                    what follows a semicolon is passed over
//! ```

use position::{CastlingRight, CastlingRights, FenError, FenFault, Position, RuleBook};

/// Reads a position as [`read_position`] does, whether or not rights were passed over.
///
/// # Errors
/// All other faults of the text at once.
pub fn lenient_position(book: &RuleBook, text: &str) -> Result<Position, FenError> {
    read_position(book, text).map(|(position, _)| position)
}

/// Reads a FEN or a line of EPD, and reports whether rights were passed over. Castling rights and an
/// en-passant square that the men deny are: some programs write `KQkq` whatever has moved, or the square
/// behind every pawn.
///
/// # Errors
/// All other faults of the text at once.
pub fn read_position(book: &RuleBook, text: &str) -> Result<(Position, bool), FenError> {
    let mut fields = fields(text);
    // In an address a `+` is a blank: `2 3 0 1` is `2+3 0 1`.
    let counts = book.variant().rules.check_counting.is_some();
    let checks = if counts && fields.len() == 8 { fields[4..6].join("+") } else { String::new() };
    if !checks.is_empty() {
        fields.splice(4..6, [&*checks]);
    }
    let is_castling = |field: &&str| field.chars().all(|letter| letter.is_ascii_alphabetic());
    let castling = fields.get(2).copied().filter(is_castling).unwrap_or_default();
    if !castling.is_empty() {
        fields[2] = "-";
    }
    let (position, mut is_denied) = match Position::from_fen(book, &fields.join(" ")) {
        Err(error) if fields.len() > 3 && !fields[3].contains('+') && is_en_passant(&error) => {
            fields[3] = "-";
            (Position::from_fen(book, &fields.join(" "))?, true)
        }
        read => (read?, false),
    };
    let mut rights = CastlingRights::NONE;
    for at in 0..castling.len() {
        fields[2] = &castling[at..=at];
        let Ok(found) = Position::from_fen_with_castling(book, &fields.join(" ")) else {
            is_denied = true;
            continue;
        };
        let is_new = |right: &CastlingRight| rights.rook(right.side, right.wing).is_none();
        let new: Vec<CastlingRight> = found.castling().iter().filter(is_new).collect();
        is_denied |= new.is_empty();
        rights = new.into_iter().fold(rights, CastlingRights::with);
    }
    Ok((position.with_castling(rights), is_denied))
}

/// The line of a list of positions without a byte order mark and the blanks around it; none if it is blank or
/// a comment, which begins with `#`.
pub fn position_line(line: &str) -> Option<&str> {
    let line = line.trim_start_matches('\u{feff}').trim();
    (!line.is_empty() && !line.starts_with('#')).then_some(line)
}

/// The fields of a FEN, whichever of the forms the text has.
fn fields(text: &str) -> Vec<&str> {
    let mut parts = operations(text.trim_start_matches('\u{feff}')).peekable();
    let mut fields = parts.next().unwrap_or_default();
    if parts.peek().is_none() {
        return fields;
    }
    // Before the first semicolon stand the fields, with the checks that are left if they are counted, and
    // perhaps the first operation.
    let is_number = |word: &&&str| word.bytes().all(|byte| byte.is_ascii_digit());
    let are_checks = |word: &&str| word.split('+').all(|number| is_number(&&number)) && word.contains('+');
    let n_first = if fields.get(4).is_some_and(are_checks) { 5 } else { 4 };
    let n_clocks = fields.iter().skip(n_first).take(2).take_while(is_number).count();
    let n_behind = usize::from(fields.get(n_first + n_clocks).is_some_and(are_checks));
    let operation = fields.split_off(fields.len().min(n_first + n_clocks + n_behind));
    for operation in std::iter::once(operation).chain(parts) {
        let (place, clock) = match operation[..] {
            ["hmvc", clock] => (n_first, clock),
            ["fmvn", clock] => (n_first + 1, clock),
            _ => continue,
        };
        if fields.len() >= n_first {
            fields.extend(["0", "1"].iter().skip(fields.len() - n_first));
            fields[place] = clock;
        }
    }
    fields
}

/// The words of each operation of EPD; a semicolon within quotation marks ends none.
fn operations(text: &str) -> impl Iterator<Item = Vec<&str>> {
    let mut is_quoted = false;
    let is_end = move |c: char| {
        is_quoted ^= c == '"';
        c == ';' && !is_quoted
    };
    text.split(is_end).map(|operation| operation.split_whitespace().collect())
}

/// Whether nothing is wrong but the en-passant square.
fn is_en_passant(error: &FenError) -> bool {
    error.faults().iter().all(|fault| matches!(fault, FenFault::EnPassant { .. }))
}

#[cfg(test)]
mod tests {
    use super::{lenient_position, position_line, read_position};
    use position::RuleBook;
    use std::path::Path;
    use variant::Variant;

    #[track_caller]
    fn check(variant: &Variant, fen: &str, expected: &str) {
        let book = RuleBook::new(variant);
        assert_eq!(lenient_position(&book, fen).expect("a position").to_fen(&book), expected, "{fen}");
    }

    #[test]
    fn checks_that_are_left_stand_where_people_write_them() {
        let game = Variant::built_in("three-check").expect("it is built in");
        let men = "4k3/8/8/8/8/8/8/4KQ2 w";
        for (given, kept) in [
            ("- - 2+3 4 9", "2+3 4 9"),
            ("- - 2+3", "2+3 0 1"),
            ("- - 4 9 +1+0", "2+3 4 9"),
            ("- - 2 3 4 9", "2+3 4 9"),
            ("- - 2+3 bm Qf8+; hmvc 4; fmvn 9; c0 \"1+1\";", "2+3 4 9"),
            ("- - 4 9 +1+0; id \"x\";", "2+3 4 9"),
            ("- - bm Qf8+; dm 3;", "3+3 0 1"),
        ] {
            check(&game, &format!("{men} {given}"), &format!("{men} - - {kept}"));
        }
        let misplaced = lenient_position(&RuleBook::new(&game), &format!("{men} - 2+3 0 1"));
        assert!(misplaced.is_err());
    }

    #[test]
    fn rights_that_can_be_are_kept() {
        let chess = Variant::chess();
        for (given, kept) in [("K", "K"), ("KQkq", "K"), ("q", "-"), ("AHh", "K"), ("HK", "K"), ("-", "-")] {
            let fen = |castling: &str| format!("4k3/8/8/8/8/8/8/4K2R w {castling} - 3 5");
            check(&chess, &fen(given), &fen(kept));
        }
        let file = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../variants/chess960.toml"));
        let chess960 = Variant::load(file).expect("a game");
        // Two rooks on one side: the first that is named keeps its right.
        for (given, kept) in [("K", "K"), ("F", "F"), ("FH", "F"), ("HF", "K"), ("BFb", "FQ")] {
            let fen = |castling: &str| format!("4k3/8/8/8/8/8/8/1R1K1R1R w {castling} - 0 1");
            check(&chess960, &fen(given), &fen(kept));
        }
        // What cannot be there at all is passed over, and what is no field is not.
        check(&chess, "4k3/8/8/8/8/8/8/4K2R w Kz e3", "4k3/8/8/8/8/8/8/4K2R w K - 0 1");
        let book = RuleBook::new(&chess);
        assert!(lenient_position(&book, "4k3/8/8/8/8/8/8/4K2R w K1 -").is_err());
        assert!(lenient_position(&book, "4k3/8/8/8/8/8/8/4K2R x K e3").is_err());
    }

    #[test]
    fn positions_are_read_as_people_write_them() {
        let book = RuleBook::new(&Variant::chess());
        let fen = |clock: u32, number: u32| format!("8/8/8/8/8/4k3/8/4K2Q w - - {clock} {number}");
        for (text, expected) in [
            ("8/8/8/8/8/4k3/8/4K2Q w", fen(0, 1)),
            ("8/8/8/8/8/4k3/8/4K2Q w - -", fen(0, 1)),
            ("8/8/8/8/8/4k3/8/4K2Q w - -;", fen(0, 1)),
            ("8/8/8/8/8/4k3/8/4K2Q\tw\t-\t-\t7\t60\r", fen(7, 60)),
            ("\u{feff}8/8/8/8/8/4k3/8/4K2Q w - - 7 60", fen(7, 60)),
            ("8/8/8/8/8/4k3/8/4K2Q w - - 7 60;", fen(7, 60)),
            ("8/8/8/8/8/4k3/8/4K2Q w - - 7 60 ; White wins", fen(7, 60)),
            ("8/8/8/8/8/4k3/8/4K2Q w - - 7 60 bm Qd5;", fen(7, 60)),
            ("8/8/8/8/8/4k3/8/4K2Q w - - bm Qd5; dm 5; id \"KQvK; 1\"; hmvc 7;", fen(7, 1)),
            ("8/8/8/8/8/4k3/8/4K2Q w - - hmvc 7; fmvn 60;", fen(7, 60)),
            ("8/8/8/8/8/4k3/8/4K2Q w - - id \"KQvK; 1\"; fmvn 60;", fen(0, 60)),
            ("8/8/8/8/8/4k3/8/4K2Q w - - fmvn 60; id \"hmvc 9;\"; c0 \"win, 9 plies\";", fen(0, 60)),
        ] {
            let (position, is_denied) =
                read_position(&book, text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!((position.to_fen(&book), is_denied), (expected, false), "{text}");
        }
        // What would be passed over without a word is none.
        for text in [
            "8/8/8/8/8/4k3/8/4K2Q w - - bm Qd5",
            "8/8/8/8/8/4k3/8/4K2Q w - - 0 1 moves h1d5",
            "8/8/8/8/8/4k3/8/4K2Q w - - hmvc x;",
            ";",
            "",
        ] {
            assert!(read_position(&book, text).is_err(), "{text}");
        }
        for (text, is_denied) in [("w K -", false), ("w KQ -", true), ("w K e3", true), ("w - -", false)] {
            let text = format!("4k3/8/8/8/8/8/8/4K2R {text} 0 1");
            assert_eq!(read_position(&book, &text).map(|(_, is_denied)| is_denied), Ok(is_denied), "{text}");
        }
    }

    #[test]
    fn lines_without_a_position_are_passed_over() {
        for (line, expected) in [
            ("8/8 w\r", Some("8/8 w")),
            ("\u{feff}8/8 w", Some("8/8 w")),
            ("\u{feff}# a list", None),
            ("  # a list", None),
            (" \t\r", None),
            ("", None),
        ] {
            assert_eq!(position_line(line), expected, "{line:?}");
        }
    }
}
