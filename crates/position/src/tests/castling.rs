//! Checks castling: rights, obstacles, FENs, notation, moves and unmoves.

use super::game::{BOTH, around, king, orthodox, pawn, piece, position};
use super::variants::book;
use crate::{Position, RuleBook};
use geometry::{Board, SquareSet};
use piece::RIDE;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use variant::{Castling, Material, Pass, PieceId, Rules, Variant};

#[track_caller]
fn read(book: &RuleBook, fen: &str) -> Position {
    let position = Position::from_fen_with_castling(book, fen);
    position.unwrap_or_else(|error| panic!("{fen}: {error}"))
}

/// The castlings among the legal moves, as text.
fn castlings(book: &RuleBook, position: &Position) -> Vec<String> {
    let moves = position.legal_moves(book);
    let castlings = moves.iter().filter(|mv| mv.castling.is_some());
    castlings.map(|&mv| format!("{} {}", mv.uci(book), position.san_among(book, mv, &moves))).collect()
}

#[track_caller]
fn check_castlings(book: &RuleBook, cases: &[(&str, &[&str])]) {
    for (fen, expected) in cases {
        assert_eq!(castlings(book, &read(book, fen)), *expected, "{fen}");
    }
}

#[test]
fn castling_is_legal_where_nothing_is_in_the_way() {
    check_castlings(
        &book("fide"),
        &[
            ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", &["e1g1 O-O", "e1c1 O-O-O"]),
            ("r3k2r/8/8/8/8/8/8/4K3 b kq - 0 1", &["e8g8 O-O", "e8c8 O-O-O"]),
            ("4k3/8/8/8/8/8/8/R3K2R w Q - 0 1", &["e1c1 O-O-O"]),
            ("4k3/8/8/8/8/8/8/R3K2R w - - 0 1", &[]),
            // A man stands between, on b1 too.
            ("4k3/8/8/8/8/8/8/Rn2K1NR w KQ - 0 1", &[]),
            // In check; over an attacked square; to one.
            ("4k3/8/8/8/8/8/4r3/R3K2R w KQ - 0 1", &[]),
            ("4k3/8/8/5r2/8/8/8/R3K2R w KQ - 0 1", &["e1c1 O-O-O"]),
            ("4k3/8/8/6r1/8/8/8/R3K2R w KQ - 0 1", &["e1c1 O-O-O"]),
            // An attacked rook, or a square that only the rook crosses, is no matter.
            ("4k3/8/8/1r5r/8/8/8/R3K2R w KQ - 0 1", &["e1g1 O-O", "e1c1 O-O-O"]),
            ("5k2/8/8/8/8/8/8/4K2R w K - 0 1", &["e1g1 O-O+"]),
            ("3k4/2pp4/8/8/8/8/2Q5/R3K3 w Q - 0 1", &["e1c1 O-O-O"]),
            ("3k4/N1p1p3/8/7Q/8/8/8/R3K3 w Q - 0 1", &["e1c1 O-O-O#"]),
        ],
    );
    check_castlings(
        &book("capablanca"),
        &[("r4k3r/10/10/10/10/10/10/R4K3R w KQkq - 0 1", &["f1i1 O-O", "f1c1 O-O-O"])],
    );
    // A knight is king there, and attacked as one.
    check_castlings(
        &book("knightmate"),
        &[
            ("4n3/8/8/8/8/8/8/R3N2R w KQ - 0 1", &["e1g1 O-O", "e1c1 O-O-O"]),
            ("4n3/8/8/8/8/8/8/R3N2k w Q - 0 1", &["e1c1 O-O-O"]),
            ("4n3/8/8/8/8/8/1k6/R3N2R w KQ - 0 1", &["e1g1 O-O"]),
        ],
    );
    // No man is royal there, so no attack is in the way.
    check_castlings(
        &book("kinglet"),
        &[("4k3/p7/8/5r2/8/8/P3r3/R3K2R w KQ - 0 1", &["e1g1 O-O", "e1c1 O-O-O"])],
    );
    // Where a capture can be made it must be.
    check_castlings(
        &book("losers"),
        &[("4k3/7p/8/8/8/8/P7/4K2R w K - 0 1", &[]), ("4k3/p7/7p/8/8/7P/P7/4K2R w K - 0 1", &["e1g1 O-O"])],
    );
}

/// Kings side by side are safe from everybody. Where the king leaves that shield, the squares that he crosses
/// are looked at with the rook where it stands, and the last one with the rook where it comes to.
#[test]
fn castling_of_kings_side_by_side() {
    check_castlings(
        &book("atomic"),
        &[
            ("8/8/8/5r2/8/8/3k4/4K2R w K - 0 1", &[]),
            ("8/8/8/8/4r3/8/5k2/4K2R w K - 0 1", &["e1g1 O-O"]),
            ("8/8/8/8/8/8/3Qk3/R3K2r w Q - 0 1", &["e1c1 O-O-O+"]),
            ("8/8/8/8/8/8/4k3/R3K2q w Q - 0 1", &["e1c1 O-O-O"]),
            ("8/8/8/8/8/8/4k3/r3K2R w K - 0 1", &["e1g1 O-O"]),
            ("r3k2R/4K3/8/8/8/8/8/8 b q - 0 1", &["e8c8 O-O-O"]),
            // On d1 the king has left the shield, and the rook still stands on a1.
            ("8/8/8/8/8/8/5k2/R3K2q w Q - 0 1", &[]),
            // The rook does not cover c1 from there.
            ("8/8/8/8/8/2q5/4k3/R3K3 w Q - 0 1", &[]),
        ],
    );
    let mut any = book("atomic").variant().clone();
    any.rules.castling.as_mut().unwrap().any_files = true;
    check_castlings(
        &RuleBook::new(&any),
        &[
            ("3rkR2/4K3/8/8/8/8/8/8 b q - 0 1", &["e8d8 O-O-O"]),
            ("8/8/8/8/8/8/5k2/R3K2q w Q - 0 1", &[]),
            // The rook goes away from between.
            ("8/8/8/8/8/8/4k3/1qR1K3 w Q - 0 1", &[]),
            ("8/8/8/8/8/8/3k4/qRK5 w Q - 0 1", &["c1b1 O-O-O"]),
        ],
    );
}

/// A game on six files: the king comes to the next file, or goes two by a step of his own, and so do others.
fn six_files(rules: &str, king: &str) -> RuleBook {
    let text = format!(
        "name = \"six\"\n[board]\nfiles = 6\nranks = 6\n[rules]\ncastling = true\n{rules}\n\
         [[piece]]\nletter = \"K\"\nbetza = \"{king}\"\nroyal = true\n\
         [[piece]]\nletter = \"R\"\nbetza = \"R\"\n[[piece]]\nletter = \"G\"\nbetza = \"gR\"\n"
    );
    RuleBook::new(&Variant::parse(&text, "six.toml").unwrap_or_else(|error| panic!("{error}")))
}

/// What coordinates mean: a plain move, castling, or no legal move.
#[track_caller]
fn check_coordinates(book: &RuleBook, fen: &str, cases: &[(&str, &str)]) {
    let position = read(book, fen);
    for (uci, expected) in cases {
        let got = match position.parse_uci(book, uci) {
            Ok(mv) if mv.castling.is_some() => "castling",
            Ok(_) => "plain",
            Err(_) => "none",
        };
        assert_eq!(got, *expected, "{fen} {uci}");
    }
    for mv in position.legal_moves(book) {
        assert_eq!(position.parse_uci(book, &mv.uci(book)), Ok(mv), "{fen}");
    }
}

/// Coordinates that the king's own step has never castle, not even where the step is illegal.
#[test]
fn castling_that_is_like_a_step_takes_the_rook() {
    let near = "castling-king-file = \"d\"\ncastling-kingside-file = \"e\"\ncastling-queenside-file = \"b\"";
    let book = six_files(near, "K");
    check_castlings(&book, &[("r2k1r/6/6/6/6/R2K1R w KQkq - 0 1", &["d1f1 O-O+", "d1b1 O-O-O"])]);
    let both = [("d1e1", "plain"), ("d1f1", "castling"), ("d1b1", "castling"), ("d1a1", "castling")];
    check_coordinates(&book, "r2k1r/6/6/6/6/R2K1R w KQkq - 0 1", &both);
    check_coordinates(&book, "r2k1r/6/6/6/6/R2K1R w Q - 0 1", &[("d1e1", "plain"), ("d1f1", "none")]);
    // Over the rook on e1 the grasshopper sees d1, and castling takes that hurdle away.
    let far = "castling-king-file = \"c\"\ncastling-kingside-file = \"d\"\ncastling-queenside-file = \"b\"\n\
               castling-rook-kingside-file = \"e\"";
    let hopper = six_files(far, "K");
    check_coordinates(&hopper, "k5/6/6/6/6/2K1Rg w K - 0 1", &[("c1d1", "none"), ("c1e1", "castling")]);
    let leaps = "castling-king-file = \"c\"\ncastling-kingside-file = \"e\"\ncastling-queenside-file = \"b\"";
    let wazir = six_files(leaps, "WD");
    check_castlings(&wazir, &[("1k4/6/6/6/6/R1K2R w KQ - 0 1", &["c1f1 O-O", "c1a1 O-O-O"])]);
    check_coordinates(&wazir, "1k4/6/6/6/6/R1K2R w KQ - 0 1", &[("c1e1", "plain"), ("c1b1", "plain")]);
    let plain = six_files(leaps, "FA");
    check_castlings(&plain, &[("1k4/6/6/6/6/R1K2R w KQ - 0 1", &["c1e1 O-O", "c1b1 O-O-O"])]);
    check_coordinates(&plain, "1k4/6/6/6/6/R1K2R w KQ - 0 1", &[("c1e1", "castling"), ("c1f1", "castling")]);
}

/// A pass moves no man.
#[test]
fn a_pass_keeps_all_rights() {
    let near = "castling-king-file = \"d\"\ncastling-kingside-file = \"e\"\ncastling-queenside-file = \"b\"";
    let kept = |book: &RuleBook, fen: &str, uci: &str| {
        let position = read(book, fen);
        position.play(position.parse_uci(book, uci).unwrap()).to_fen(book)
    };
    let book = six_files(&format!("{near}\npass = true"), "K");
    let open = "r2k1r/6/6/6/6/R2K1R w KQkq - 3 9";
    assert_eq!(kept(&book, open, "d1d1"), "r2k1r/6/6/6/6/R2K1R b KQkq - 4 9");
    let stalemate = six_files(&format!("{near}\npass-on-stalemate = true"), "W");
    assert_eq!(kept(&stalemate, "r2k1r/6/6/6/6/5K b q - 0 1", "d6c6"), "r1k2r/6/6/6/6/5K w - - 1 2");
    // Without royal men the man on the first square stands for all.
    let text = "name = \"common\"\n[rules]\ncastling = true\ncastling-king-piece = \"K\"\npass = true\n\
                extinction-value = \"loss\"\nextinction-piece-types = \"*\"\n\
                [[piece]]\nletter = \"K\"\nbetza = \"K\"\n[[piece]]\nletter = \"R\"\nbetza = \"R\"\n";
    let common =
        RuleBook::new(&Variant::parse(text, "common.toml").unwrap_or_else(|error| panic!("{error}")));
    let open = "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1";
    assert_eq!(kept(&common, open, "a1a1"), "4k3/8/8/8/8/8/8/R3K2R b KQ - 1 1");
}

/// King and rook may come to where they stand, cross each other, or uncover an attack.
#[test]
fn castling_from_any_files() {
    check_castlings(
        &book("chess960"),
        &[
            ("4k3/8/8/8/8/8/8/1RK3R1 w KQ - 0 1", &["c1g1 O-O", "c1b1 O-O-O"]),
            ("4k3/8/8/8/8/8/8/5RKR w K - 0 1", &[]),
            ("4k3/8/8/8/8/8/8/6KR w K - 0 1", &["g1h1 O-O"]),
            ("4k3/8/8/8/8/8/8/5KR1 w K - 0 1", &["f1g1 O-O"]),
            ("4k3/8/8/8/8/8/8/RK5R w KQ - 0 1", &["b1h1 O-O", "b1a1 O-O-O"]),
            // The rook on b1 goes, and a1 sees the king on c1.
            ("4k3/8/8/8/8/8/8/rRK5 w Q - 0 1", &[]),
            ("4k3/8/8/8/8/8/8/1RK5 w Q - 0 1", &["c1b1 O-O-O"]),
            ("4k3/8/8/8/3r4/8/8/1RK5 w Q - 0 1", &["c1b1 O-O-O"]),
            ("rk5r/8/8/8/8/8/8/4K3 b kq - 0 1", &["b8h8 O-O", "b8a8 O-O-O"]),
        ],
    );
    // Either way to write it is read, unless it is the king's own step.
    let book = book("chess960");
    let near = [("f1g1", "plain"), ("f1h1", "castling")];
    check_coordinates(&book, "4k3/8/8/8/8/8/8/5K1R w K - 0 1", &near);
    let far = [("e1g1", "castling"), ("e1h1", "castling"), ("e1f1", "plain")];
    check_coordinates(&book, "4k3/8/8/8/8/8/8/4K2R w K - 0 1", &far);
    // The rook alone moves, and that is no pass.
    let still = read(&book, "4k3/8/8/8/8/8/8/6KR w K - 0 1");
    let mv = still.parse_uci(&book, "g1h1").unwrap();
    assert!(!mv.is_pass() && mv.from == mv.to);
    assert_eq!(still.play(mv).to_fen(&book), "4k3/8/8/8/8/8/8/5RK1 b - - 1 1");
}

#[test]
fn rights_go_with_the_men() {
    let book = book("fide");
    let after = |fen: &str, uci: &str| {
        let position = read(&book, fen);
        let mv = position.parse_uci(&book, uci).unwrap_or_else(|error| panic!("{fen}: {error}"));
        position.play(mv).to_fen(&book)
    };
    let open = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 3 9";
    for (uci, expected) in [
        ("e1e2", "r3k2r/8/8/8/8/8/4K3/R6R b kq - 4 9"),
        ("h1g1", "r3k2r/8/8/8/8/8/8/R3K1R1 b Qkq - 4 9"),
        ("a1b1", "r3k2r/8/8/8/8/8/8/1R2K2R b Kkq - 4 9"),
        ("a1a8", "R3k2r/8/8/8/8/8/8/4K2R b Kk - 0 9"),
        ("e1g1", "r3k2r/8/8/8/8/8/8/R4RK1 b kq - 4 9"),
        ("e1c1", "r3k2r/8/8/8/8/8/8/2KR3R b kq - 4 9"),
    ] {
        assert_eq!(after(open, uci), expected, "{uci}");
    }
    assert_eq!(after("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 3 9", "e8c8"), "2kr3r/8/8/8/8/8/8/R3K2R w KQ - 4 10");
    // A double step leaves both kinds of right.
    assert_eq!(after("r3k3/8/8/8/8/8/4P3/4K2R w Kq - 0 1", "e2e4"), "r3k3/8/8/8/4P3/8/8/4K2R b Kq e3 0 1");
    // An explosion takes the rook and the right with him.
    let atomic = super::variants::book("atomic");
    let blown = read(&atomic, "4k2r/6n1/8/8/8/8/6Q1/4K3 w k - 0 1");
    let mv = blown.parse_uci(&atomic, "g2g7").unwrap();
    assert_eq!(blown.play(mv).to_fen(&atomic), "4k3/8/8/8/8/8/8/4K3 b - - 0 1");
    // Two positions that differ in a right are two positions.
    let (with, without) = (read(&book, open), read(&book, &open.replace("KQkq", "KQk")));
    assert_ne!(with, without);
    assert_eq!(with.castling().iter().count(), 4);
    assert_eq!(with.castling_rights(&book), with.castling().iter().collect::<Vec<_>>());
    assert_eq!(with.castling().squares().n_squares(), 6);
    // All choices but none: of four rights 15; in Chess960 each wing has one of two rooks, or none.
    assert_eq!(with.castling_choices(&book).len(), 15);
    assert!(with.castling_choices(&book).contains(&without.castling()));
    let any = super::variants::book("chess960");
    let rooks = position(&any, "4k3/8/8/8/8/8/8/RR2K1RR w - - 0 1");
    assert_eq!((rooks.castling_rights(&any).len(), rooks.castling_choices(&any).len()), (4, 8));
}

#[track_caller]
fn check_fault(book: &RuleBook, fen: &str, expected: &[&str]) {
    let error = Position::from_fen_with_castling(book, fen).expect_err(fen);
    let got: Vec<String> = error.faults().iter().map(ToString::to_string).collect();
    assert_eq!(got, expected, "{fen}");
}

#[test]
fn rights_are_read_and_written() {
    let (chess, any) = (book("fide"), book("chess960"));
    for (book, read_as, written) in [
        (&chess, "KQkq", "KQkq"),
        (&chess, "qkQK", "KQkq"),
        (&chess, "HAha", "KQkq"),
        (&chess, "Hq", "Kq"),
        (&any, "HAha", "KQkq"),
        (&any, "KQkq", "KQkq"),
    ] {
        let fen = |castling: &str| format!("r3k2r/8/8/8/8/8/8/R3K2R w {castling} - 0 1");
        assert_eq!(read(book, &fen(read_as)).to_fen(book), fen(written), "{read_as}");
    }
    // An inner rook is named by its file.
    for castling in ["KQkq", "GQkq", "GBgb", "Kq"] {
        let fen = format!("rr2k1rr/8/8/8/8/8/8/RR2K1RR w {castling} - 0 1");
        assert_eq!(read(&any, &fen).to_fen(&any), fen);
    }
    let inner = read(&any, "4k3/8/8/8/8/8/8/4K1RR w G - 0 1");
    assert_eq!(castlings(&any, &inner), ["e1g1 O-O"]);
    check_fault(
        &chess,
        "4k3/8/8/8/8/8/8/4K2R w KQk - 0 1",
        &[
            "castling right `Q`: there must be White's king on e1 and a rook on a1",
            "castling right `k`: there must be Black's king on e8 and a rook on h8",
        ],
    );
    check_fault(
        &chess,
        "4k3/8/8/8/8/8/8/4K1R1 w GK - 0 1",
        &[
            "castling right `G`: there must be White's king on e1 and a rook on h1 or a1",
            "castling right `K`: there must be White's king on e1 and a rook on h1",
        ],
    );
    check_fault(
        &any,
        "4k3/8/8/8/8/8/1K6/RR4RR w AKq - 0 1",
        &[
            "castling right `A`: there must be White's king on rank 1 and a rook on a1",
            "castling right `K`: there must be White's king on rank 1 and a rook on it, nearer to h1",
            "castling right `q`: there must be Black's king on rank 8 and a rook on it, nearer to a8",
        ],
    );
    let twice = "White castles on that side of the king with one rook only";
    let twice = |letter: char| format!("castling right `{letter}`: {twice}");
    check_fault(&any, "4k3/8/8/8/8/8/8/4K1RR w HG - 0 1", &[&twice('G')]);
    check_fault(&chess, "4k3/8/8/8/8/8/8/4K2R w KH - 0 1", &[&twice('H')]);
    let expected = "the castling field is `Kx`, expected `-` or rights such as `KQkq`";
    check_fault(&chess, "4k3/8/8/8/8/8/8/4K2R w Kx - 0 1", &[expected]);
    check_fault(
        &book("gardner"),
        "4k/5/5/5/R3K w Q - 0 1",
        &["castling rights `Q`: gardner has no castling; write `-`"],
    );
    // What tables hold is asked for without.
    let error = Position::from_fen(&chess, "4k3/8/8/8/8/8/8/4K2R w K - 0 1").unwrap_err();
    assert!(error.is_castling() && error.to_string().contains("are not read here"), "{error}");
}

#[test]
fn positions_hold_all_men_of_chess() {
    let book = book("fide");
    let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let array = read(&book, fen);
    assert_eq!((array.n_men(), array.to_fen(&book)), (32, fen.to_owned()));
    assert!(array.is_legal(&book));
}

/// Five files and three ranks: chess rooks castle, and pawns promote to them.
fn small(any_files: bool) -> RuleBook {
    let board = Board::new(5, 3).unwrap();
    let rook = piece('R', &[around(1, 0, RIDE, BOTH)]);
    let mut pawn = pawn(&board, 'P', &orthodox(), 1, &[1]);
    let rules = pawn.pawn.as_mut().unwrap();
    (rules.double_step_from, rules.en_passant) = (SquareSet::EMPTY, false);
    let pieces = vec![king(), rook, pawn];
    let castling = Castling {
        king: PieceId(0),
        rooks: vec![PieceId(1)],
        rank: 0,
        king_file: 2,
        rook_files: [4, 0],
        king_targets: [3, 1],
        any_files,
    };
    let rules = Rules { castling: Some(castling), ..Rules::default() };
    RuleBook::new(&Variant::from_parts("small", board, pieces, rules).unwrap())
}

/// Every legal position of the material with every choice of rights, each once.
fn positions(book: &RuleBook, material: &Material) -> Vec<Position> {
    let mut all = Vec::new();
    for position in super::unmove::positions(book, material) {
        let choices = position.castling_choices(book);
        all.extend(choices.into_iter().map(|rights| position.clone().with_castling(rights)));
        all.push(position);
    }
    let mut seen = HashSet::new();
    all.retain(|position| seen.insert(key(position)));
    all
}

#[track_caller]
fn check_inverse(book: &RuleBook, before: &str, after: &[&str]) {
    let parse = |name: &str| Material::parse(book.variant(), name).unwrap();
    let before = parse(before);
    let after: Vec<Material> = after.iter().map(|name| parse(name)).chain([before.clone()]).collect();
    let material = |p: &Position| p.material();
    let mut forward = HashSet::new();
    let mut n_castlings = 0;
    for a in positions(book, &before) {
        a.for_each_successor(book, |mv, b| {
            n_castlings += usize::from(mv.castling.is_some());
            forward.insert((key(&a), key(b)));
        });
    }
    let pieces: Vec<PieceId> =
        book.variant().piece_ids().filter(|&p| !book.variant().piece(p).royal).collect();
    let mut backward = HashSet::new();
    for b in after.iter().flat_map(|material| positions(book, material)) {
        for a in b.unmoves(book, &pieces).iter().filter(|a| material(a) == before) {
            let is_new = backward.insert((key(a), key(&b)));
            assert!(is_new, "{} twice before {}", a.to_fen(book), b.to_fen(book));
        }
    }
    assert!(n_castlings > 0);
    // The numbers say little to a reader, so the first difference is looked up.
    if let Some(pair) = forward.symmetric_difference(&backward).next() {
        let all: Vec<Position> = after.iter().flat_map(|material| positions(book, material)).collect();
        let fen = |number| all.iter().find(|p| key(p) == number).map(|p| p.to_fen(book));
        panic!("{:?} -> {:?} only forward: {}", fen(pair.0), fen(pair.1), forward.contains(pair));
    }
}

/// A number that differs for different positions, whatever their clocks.
fn key(position: &Position) -> u64 {
    let mut hasher = DefaultHasher::new();
    let mut position = position.clone().with_halfmove_clock(0);
    position.fullmove = 1;
    position.hash(&mut hasher);
    hasher.finish()
}

#[test]
fn moves_and_unmoves_with_castling_are_inverse() {
    check_inverse(&small(false), "KRvK", &["KvK"]);
    check_inverse(&small(false), "KRvKR", &["KvKR", "KRvK"]);
    check_inverse(&small(true), "KRvK", &["KvK"]);
    check_inverse(&small(true), "KRRvK", &["KRvK"]);
    check_inverse(&small(false), "KRvKP", &["KRvK", "KvKP", "KvKR", "KRvKR"]);
    let mut passing = small(false).variant().clone();
    passing.rules.pass = Pass::Always;
    check_inverse(&RuleBook::new(&passing), "KRvKR", &["KvKR", "KRvK"]);
}

#[test]
fn positions_without_rights_do_not_change() {
    let with = book("fide");
    let mut variant = with.variant().clone();
    variant.rules.castling = None;
    let without = RuleBook::new(&variant);
    for fen in ["r3k2r/8/8/8/8/8/8/R3K2R w - - 0 1", "4k3/8/8/8/8/8/8/R3K3 w - - 0 1"] {
        assert_eq!(position(&with, fen).legal_moves(&with), position(&without, fen).legal_moves(&without));
        assert_eq!(position(&with, fen).perft(&with, 3), position(&without, fen).perft(&without, 3));
    }
}
