//! Reads FENs as other programs send them: rights that cannot be are passed over.

use position::{CastlingRight, CastlingRights, FenError, FenFault, Position, RuleBook};

/// Reads a FEN. Castling rights and an en-passant square that cannot be are ignored: some programs write
/// `KQkq` whatever has moved, or the square behind every pawn.
///
/// # Errors
/// All other faults of the text at once.
pub fn lenient_position(book: &RuleBook, fen: &str) -> Result<Position, FenError> {
    let mut fields: Vec<&str> = fen.split_whitespace().collect();
    let is_castling = |field: &&str| field.chars().all(|letter| letter.is_ascii_alphabetic());
    let castling = fields.get(2).copied().filter(is_castling).unwrap_or_default();
    if !castling.is_empty() {
        fields[2] = "-";
    }
    let position = match Position::from_fen(book, &fields.join(" ")) {
        Err(error) if fields.len() > 3 && is_en_passant(&error) => {
            fields[3] = "-";
            Position::from_fen(book, &fields.join(" "))
        }
        read => read,
    }?;
    let mut rights = CastlingRights::NONE;
    for at in 0..castling.len() {
        fields[2] = &castling[at..=at];
        let Ok(found) = Position::from_fen_with_castling(book, &fields.join(" ")) else { continue };
        let is_new = |right: &CastlingRight| rights.rook(right.side, right.wing).is_none();
        let new: Vec<CastlingRight> = found.castling().iter().filter(is_new).collect();
        rights = new.into_iter().fold(rights, CastlingRights::with);
    }
    Ok(position.with_castling(rights))
}

/// Whether nothing is wrong but the en-passant square.
fn is_en_passant(error: &FenError) -> bool {
    error.faults().iter().all(|fault| matches!(fault, FenFault::EnPassant { .. }))
}

#[cfg(test)]
mod tests {
    use super::lenient_position;
    use position::RuleBook;
    use std::path::Path;
    use variant::Variant;

    #[track_caller]
    fn check(variant: &Variant, fen: &str, expected: &str) {
        let book = RuleBook::new(variant);
        assert_eq!(lenient_position(&book, fen).expect("a position").to_fen(&book), expected, "{fen}");
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
}
