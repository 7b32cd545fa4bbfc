//! Checks pawns of every kind, several in one game, and royal men of every kind.

use super::*;

/// A game of king, queen, knight, and one piece table for each pawn, on a board of 6 × 8.
fn game(pawns: &[&str]) -> String {
    let officers = "name = \"pawns\"\n[board]\nfiles = 6\n[[piece]]\nletter = \"K\"\nbetza = \"K\"\nroyal = true\n\
        [[piece]]\nletter = \"Q\"\nbetza = \"Q\"\n[[piece]]\nletter = \"N\"\nbetza = \"N\"\n";
    pawns.iter().fold(officers.to_owned(), |text, pawn| format!("{text}[[piece]]\n{pawn}\n"))
}

/// The squares of these ranks, or of these names.
fn squares(board: &Board, text: &str) -> SquareSet {
    let set = |word: &str| match word.parse::<usize>() {
        Ok(rank) => board.rank(rank - 1),
        Err(_) => [board.square_named(word).unwrap()].into_iter().collect(),
    };
    text.split_whitespace().map(set).fold(SquareSet::EMPTY, SquareSet::union)
}

/// A pawn with these keys stands, steps twice and promotes so (ranks or squares), en passant or not.
#[track_caller]
fn check_pawn(keys: &str, [zone, double, promotion]: [&str; 3], en_passant: bool) {
    let variant = parse(&game(&[&format!(
        "letter = \"P\"\nbetza = \"fmWfcF\"\npawn = {{ {keys}promotes-to = [\"Q\"] }}"
    )]));
    let board = variant.board;
    let expected = PawnRules {
        zone: squares(&board, zone),
        double_step_from: squares(&board, double),
        en_passant,
        promotion: squares(&board, promotion),
        promotes_to: vec![PieceId(1)],
        black: None,
    };
    let white = variant.pawn_rules(Man { side: Side::White, piece: PieceId(3) }).unwrap();
    assert_eq!(white, expected, "{keys}");
    let black = variant.pawn_rules(Man { side: Side::Black, piece: PieceId(3) }).unwrap();
    assert_eq!(black.promotion, expected.promotion.mirror_ranks(&board), "{keys}");
}

/// Black's pawns have their squares where they are; what a key does not say is White's in a mirror.
#[test]
fn squares_of_black_pawns() {
    let variant = parse(&game(&["letter = \"P\"\nbetza = \"fmWfcF\"\npawn = { promotes-to = [\"Q\"], \
         promotes-to-black = [\"N\"], promotion-zone-black = [\"a1\", \"b2\"], double-step-ranks-black = [6] }"]));
    let board = variant.board;
    let of = |side| variant.pawn_rules(Man { side, piece: PieceId(3) }).unwrap();
    let (white, black) = (of(Side::White), of(Side::Black));
    assert_eq!((white.promotion, white.double_step_from), (squares(&board, "8"), squares(&board, "2")));
    assert_eq!(black.promotion, squares(&board, "a1 b2"));
    assert_eq!(black.zone, squares(&board, "1 2 3 4 5 6 7").without(black.promotion));
    assert_eq!(black.double_step_from, squares(&board, "6"));
    assert_eq!((white.promotes_to, black.promotes_to), (vec![PieceId(1)], vec![PieceId(2)]));
    // Where Black's squares are White's in a mirror, the colours are alike.
    let alike = "pawn = { promotes-to = [\"Q\"], double-step-ranks-black = [7] }";
    let alike = parse(&game(&[&format!("letter = \"P\"\nbetza = \"fmWfcF\"\n{alike}")]));
    assert!(alike.is_colour_symmetric() && !variant.is_colour_symmetric());
}

#[test]
fn ranks_and_squares_of_a_pawn() {
    check_pawn("", ["2 3 4 5 6 7", "2", "8"], true);
    check_pawn("double-step = true, ", ["2 3 4 5 6 7", "2", "8"], true);
    check_pawn("double-step = false, ", ["2 3 4 5 6 7", "", "8"], false);
    check_pawn("double-step-ranks = [], ", ["2 3 4 5 6 7", "", "8"], false);
    check_pawn("double-step-ranks = [2], ", ["2 3 4 5 6 7", "2", "8"], true);
    check_pawn("doubleStepRanks = [3, 2], enPassant = false, ", ["2 3 4 5 6 7", "2 3", "8"], false);
    check_pawn("start-rank = 1, double-step-ranks = [1, 2, 3], ", ["1 2 3 4 5 6 7", "1 2 3", "8"], true);
    check_pawn("start-rank = 1, double-step-ranks = [2], ", ["1 2 3 4 5 6 7", "2", "8"], true);
    check_pawn("start-rank = 3, ", ["3 4 5 6 7", "3", "8"], true);
    check_pawn("promotion-rank = 6, ", ["2 3 4 5", "2", "6 7 8"], true);
    check_pawn("promotion-rank = 3, double-step = false, ", ["2", "", "3 4 5 6 7 8"], false);
    check_pawn("promotion-zone = [\"c8\", \"d8\"], ", ["2 3 4 5 6 7 a8 b8 e8 f8", "2", "c8 d8"], true);
    let may_stay = "promotion-rank = 7, mandatory-pawn-promotion = false, ";
    check_pawn(may_stay, ["2 3 4 5 6 7 8", "2", "7 8"], true);
    let whole_rank = "promotion-zone = [\"a8\", \"b8\", \"c8\", \"d8\", \"e8\", \"f8\"], ";
    check_pawn(whole_rank, ["2 3 4 5 6 7", "2", "8"], true);
}

const CHESS: &str = "letter = \"P\"\nbetza = \"fmWfcF\"\npawn = { promotes-to = [\"Q\", \"N\"] }";
const BEROLINA: &str =
    "letter = \"B\"\nbetza = \"fmFfcW\"\npawn = { promotes-to = [\"N\"], promotion-rank = 6 }";
const SERGEANT: &str =
    "letter = \"S\"\nbetza = \"fK\"\npawn = { promotes-to = [\"Q\"], double-step = false }";

#[test]
fn pawns_of_several_kinds_are_told_apart() {
    let variant = parse(&game(&[CHESS, BEROLINA, SERGEANT]));
    let text = |name: &str| {
        let material = Material::parse(&variant, name).unwrap();
        variant.canonical_rules(material.men().map(|man| man.piece))
    };
    let queen = "piece Q\n  ray -1 -1 5 mc\n  ray -1 0 5 mc\n  ray -1 1 5 mc\n  ray 0 -1 7 mc\n  ray 0 1 7 mc\n  \
        ray 1 -1 5 mc\n  ray 1 0 5 mc\n  ray 1 1 5 mc\n";
    let knight = "piece N\n  ray -2 -1 1 mc\n  ray -2 1 1 mc\n  ray -1 -2 1 mc\n  ray -1 2 1 mc\n  ray 1 -2 1 mc\n  \
        ray 1 2 1 mc\n  ray 2 -1 1 mc\n  ray 2 1 1 mc\n";
    let king = queen.replace(" 5 ", " 1 ").replace(" 7 ", " 1 ").replace("piece Q", "piece K royal");
    let head = format!("board 6 8\nstalemate draw\n{king}");
    let berolina = "piece B\n  ray -1 1 1 m\n  ray 0 1 1 c\n  ray 1 1 1 m\n  pawn zone 000000003fffffc0 double \
        0000000000000fc0 passant true promotion 0000ffffc0000000 N\n";
    let sergeant = "piece S\n  ray -1 1 1 mc\n  ray 0 1 1 mc\n  ray 1 1 1 mc\n  pawn zone 000003ffffffffc0 double \
        0000000000000000 passant false promotion 0000fc0000000000 Q\n";
    // The promotion squares of `berolina` are ranks 6 to 8: 18 squares from the 31st on.
    assert_eq!(text("KBvK"), format!("{head}{knight}{berolina}"));
    assert_eq!(text("KSvK"), format!("{head}{queen}{sergeant}"));
    assert_eq!(text("KSvKB"), format!("{head}{queen}{knight}{berolina}{sergeant}"));
    assert!(text("KPvKS").contains("piece P\n") && !text("KPvK").contains("piece S\n"));
}

/// Whether any man may be royal.
#[track_caller]
fn check_royal(betza: &str) {
    let text = format!(
        "name = \"royal\"\n[[piece]]\nletter = \"Q\"\nbetza = \"Q\"\n\
         [[piece]]\nletter = \"X\"\nbetza = \"{betza}\"\nroyal = true\n"
    );
    let variant = parse(&text);
    assert!(variant.pieces[0].royal && variant.pieces[0].letter == 'X', "{betza}");
    let material = Material::parse(&variant, "XQvX").unwrap();
    let rules = variant.canonical_rules(material.men().map(|man| man.piece));
    assert!(rules.starts_with("board 8 8\nstalemate draw\npiece X royal\n"), "{betza}: {rules}");
}

#[test]
fn any_man_may_be_royal() {
    ["K", "N", "WAD", "Q", "NN", "WfF", "fW", "mRcF", ""].into_iter().for_each(check_royal);
}
