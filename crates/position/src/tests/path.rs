//! Checks lame men, hoppers and circular riders, on boards with holes and joined files.

use super::game::{BOTH, MOVE, TAKE, along, around, game, king, pawn, piece, position, so};
use crate::RuleBook;
use geometry::{Board, SquareSet};
use piece::{RIDE, RayPath};

/// A man of each kind: C the cannon of xiangqi, V one that moves as it captures, S a short one, G the
/// grasshopper, H one that must stand beside its hurdle, M the mao, E the elephant, Z that of janggi, L the
/// lame nightrider, O and Q the rose (Q in one direction only, and not far), and plain ones: R rook, B
/// bishop, N knight, A leaper of two. D never moves.
fn zoo(board: Board) -> RuleBook {
    let rook = |mode| around(1, 0, RIDE, mode);
    let queen = |limit| [around(1, 0, limit, BOTH), around(1, 1, limit, BOTH)].concat();
    let rose = [RayPath::CircularLeft, RayPath::CircularRight].map(|m| so(m, around(2, 1, RIDE, BOTH)));
    let pieces = vec![
        king(),
        piece('C', &[rook(MOVE), so(RayPath::Cannon, rook(TAKE))]),
        piece('V', &[so(RayPath::Cannon, rook(BOTH))]),
        piece('S', &[so(RayPath::Cannon, around(1, 0, 3, BOTH))]),
        piece('G', &[so(RayPath::Grasshopper, queen(RIDE))]),
        piece('H', &[so(RayPath::Grasshopper, queen(2))]),
        piece('M', &[so(RayPath::Lame, around(2, 1, 1, BOTH))]),
        piece('E', &[so(RayPath::Lame, around(2, 2, 1, BOTH))]),
        piece('Z', &[so(RayPath::Lame, around(3, 2, 1, BOTH))]),
        piece('L', &[so(RayPath::Lame, around(2, 1, RIDE, BOTH))]),
        piece('O', &rose),
        piece('Q', &[so(RayPath::CircularLeft, along(&[(2, 1)], 3, BOTH))]),
        piece('R', &[rook(BOTH)]),
        piece('B', &[around(1, 1, RIDE, BOTH)]),
        piece('N', &[around(2, 1, 1, BOTH)]),
        piece('A', &[around(2, 0, 1, BOTH), around(2, 2, 1, BOTH)]),
        piece('D', &[]),
    ];
    game(board, pieces)
}

fn cylinder() -> RuleBook {
    zoo(Board::new(6, 5).unwrap().with_joined_files())
}

/// Five files and ranks, without c3 and d2.
fn holed() -> RuleBook {
    zoo(holed_board())
}

fn holed_board() -> Board {
    let board = Board::new(5, 5).unwrap();
    let holes: SquareSet = ["c3", "d2"].iter().filter_map(|name| board.square_named(name)).collect();
    board.with_holes(holes).unwrap()
}

/// Where the man on a square may go; `targets` are sorted by name.
#[track_caller]
fn check_targets(book: &RuleBook, fen: &str, from: &str, targets: &str) {
    let position = position(book, fen);
    let moves = position.legal_moves(book).into_iter().map(|mv| mv.uci(book));
    let mut got: Vec<String> = moves.filter_map(|uci| uci.strip_prefix(from).map(str::to_owned)).collect();
    got.sort();
    assert_eq!(got.join(" "), targets, "{from} of {fen}");
}

#[test]
fn hoppers_need_a_man_to_jump_over() {
    let book = zoo(Board::new(8, 8).unwrap());
    // Men on d8, d6 (own), a4, f4, h4, d2, d1 (own).
    let fen = |man: char| format!("3d3k/8/3D4/8/d2{man}1d1d/8/3d4/K2D4 w - - 0 1");
    for (man, targets) in [
        ('C', "b4 c4 d3 d5 d8 e4 h4"),
        ('V', "d7 d8 g4 h4"),
        ('S', "d7 g4"),
        ('G', "d7 g4"),
        ('H', ""),
        ('R', "a4 b4 c4 d2 d3 d5 e4 f4"),
    ] {
        check_targets(&book, &fen(man), "d4", targets);
    }
    // A second man behind the first ends the way; a man right behind the hurdle may be captured.
    let fen = |man: char| format!("k7/8/1d1d1d2/2ddd3/1Dd{man}Dd2/8/8/7K w - - 0 1");
    for (man, targets) in
        [('C', "d1 d2 d3 d6 f4"), ('V', "d6 f4"), ('G', "b6 d6 f4 f6"), ('H', "b6 d6 f4 f6")]
    {
        check_targets(&book, &fen(man), "d4", targets);
    }
}

#[test]
fn lame_men_are_stopped_on_the_way() {
    let book = zoo(Board::new(8, 8).unwrap());
    let cases = [
        ("7k/8/8/8/3M4/8/8/K7 w - - 0 1", "d4", "b3 b5 c2 c6 e2 e6 f3 f5"),
        ("7k/8/8/3d4/2DM4/8/2d5/K7 w - - 0 1", "d4", "c2 e2 f3 f5"),
        ("7k/8/8/4d3/3E4/8/8/K4d2 w - - 0 1", "d4", "b2 b6 f2"),
        ("7k/8/8/8/3Z4/8/8/K7 w - - 0 1", "d4", "a2 a6 b1 b7 f1 f7 g2 g6"),
        ("7k/8/4D3/4D3/3Zd3/8/8/K7 w - - 0 1", "d4", "a2 a6 b1 b7 f1"),
        ("7k/8/8/8/1D6/4d3/8/L6K w - - 0 1", "a1", "b3 c2 e3"),
        ("7k/8/8/8/8/8/8/L6K w - - 0 1", "a1", "b3 c2 c5 d7 e3 g4"),
    ];
    for (fen, from, targets) in cases {
        check_targets(&book, fen, from, targets);
    }
}

#[test]
fn circles_close_and_are_stopped() {
    let book = zoo(Board::new(8, 8).unwrap());
    let cases = [
        ("7k/8/8/8/8/8/7K/O7 w - - 0 1", "a1", "a5 a7 b3 c2 c6 d4 e1 f3 g1"),
        ("7k/8/8/8/3d4/8/7K/O7 w - - 0 1", "a1", "a5 b3 c2 d4 e1"),
        ("7k/8/8/8/8/8/K7/3Q4 w - - 0 1", "d1", "f2 f6 g4"),
        ("7k/8/5D2/8/8/8/K7/3Q4 w - - 0 1", "d1", "f2 g4"),
        ("7k/8/8/8/6d1/8/K7/3Q4 w - - 0 1", "d1", "f2 g4"),
    ];
    for (fen, from, targets) in cases {
        check_targets(&book, fen, from, targets);
    }
    // The circle f2 g4 f6 d7 b6 a4 b2 leads back to d1: with one man on it all but that man's far side is in
    // reach.
    let rays = so(RayPath::CircularLeft, along(&[(2, 1)], RIDE, BOTH));
    let book = game(Board::new(8, 8).unwrap(), vec![king(), piece('O', &[rays]), piece('D', &[])]);
    check_targets(&book, "7k/8/8/8/8/8/8/K2O4 w - - 0 1", "d1", "a4 b2 b6 d7 f2 f6 g4");
    check_targets(&book, "7k/3d4/8/8/8/8/8/K2O4 w - - 0 1", "d1", "d7 f2 f6 g4");
}

#[test]
fn a_cylinder_leads_round_the_back() {
    let book = cylinder();
    let cases = [
        ("k5/6/1R4/6/3K2 w - - 0 1", "b3", "a3 b1 b2 b4 b5 c3 d3 e3 f3"),
        ("k5/6/1RD1d1/6/3K2 w - - 0 1", "b3", "a3 b1 b2 b4 b5 e3 f3"),
        ("k5/6/1V1D2/6/3K2 w - - 0 1", "b3", "a3 c3 e3 f3"),
        ("k5/6/1V4/6/3K2 w - - 0 1", "b3", ""),
        ("5k/6/DG4/6/3K2 w - - 0 1", "b3", "f3"),
        ("5k/6/6/2K3/B5 w - - 0 1", "a1", "b2 c3 c5 d4 e3 e5 f2"),
        ("5k/6/6/3K2/N5 w - - 0 1", "a1", "b3 c2 e2 f3"),
        ("5k/6/6/3K2/M5 w - - 0 1", "a1", "b3 c2 e2 f3"),
        ("5k/6/6/3K2/M4D w - - 0 1", "a1", "b3 c2 f3"),
        ("3k2/6/6/6/K5 w - - 0 1", "a1", "a2 b1 b2 f1 f2"),
    ];
    for (fen, from, targets) in cases {
        check_targets(&book, fen, from, targets);
    }
}

#[test]
fn holes_stop_rides_and_lame_leaps_only() {
    let book = holed();
    let cases = [
        ("4k/5/2*2/3*1/K1R2 w - - 0 1", "c1", "b1 c2 d1 e1"),
        ("4k/1B3/2*2/3*1/K4 w - - 0 1", "b4", "a3 a5 c5"),
        ("4k/5/2*2/3*1/KN3 w - - 0 1", "b1", "a3"),
        ("4k/5/2*2/2M*1/4K w - - 0 1", "c2", "a1 a3"),
        ("4k/5/2*2/2A*1/K4 w - - 0 1", "c2", "a2 a4 c4 e2 e4"),
        ("4k/5/2*2/D2*1/V3K w - - 0 1", "a1", "a3 a4 a5"),
    ];
    for (fen, from, targets) in cases {
        check_targets(&book, fen, from, targets);
    }
}

#[test]
fn the_largest_boards() {
    let book = zoo(Board::new(16, 8).unwrap());
    let fen = "15k/16/16/16/16/16/14K1/R15 w - - 0 1";
    check_targets(&book, fen, "a1", "a2 a3 a4 a5 a6 a7 a8 b1 c1 d1 e1 f1 g1 h1 i1 j1 k1 l1 m1 n1 o1 p1");
    let tall = zoo(Board::new(8, 16).unwrap());
    let fen = "7k/8/8/8/8/8/8/8/8/8/8/8/8/8/8/KB6 w - - 0 1";
    check_targets(&tall, fen, "b1", "a2 c2 d3 e4 f5 g6 h7");
    assert_eq!(position(&tall, "7k/8/8/8/8/8/8/8/8/8/8/8/8/8/8/B6K w - - 0 1").perft(&tall, 1), 10);
}

/// Who is attacked is found from the other end of the way than who may move where.
#[test]
fn a_hurdle_makes_a_check() {
    let book = zoo(Board::new(8, 8).unwrap());
    let cases = [
        ("k7/8/8/8/8/8/8/C6K b - - 0 1", false),
        ("k7/d7/8/8/8/8/8/C6K b - - 0 1", true),
        ("k7/d7/8/D7/8/8/8/C6K b - - 0 1", false),
        ("k7/d7/8/8/8/8/8/G6K b - - 0 1", true),
        ("k7/8/d7/8/8/8/8/G6K b - - 0 1", false),
        ("k7/8/8/8/8/8/1d6/G6K b - - 0 1", false),
        ("k7/2M5/8/8/8/8/8/7K b - - 0 1", true),
        ("k7/1dM5/8/8/8/8/8/7K b - - 0 1", false),
        ("8/8/8/8/8/8/5k2/3Q3K b - - 0 1", true),
    ];
    for (fen, is_in_check) in cases {
        assert_eq!(position(&book, fen).is_in_check(&book), is_in_check, "{fen}");
    }
}

/// A pawn of two squares at a time that does not leap: its double step needs all four squares.
#[test]
fn a_lame_pawn_takes_its_step_twice() {
    let board = Board::new(4, 8).unwrap();
    let rays = [so(RayPath::Lame, along(&[(0, 2)], 1, MOVE)), along(&[(-1, 1), (1, 1)], 1, TAKE)];
    let book = game(board, vec![king(), piece('D', &[]), pawn(&board, 'P', &rays, 1, &[1])]);
    check_targets(&book, "3k/4/4/4/4/4/P3/3K w - - 0 1", "a2", "a4 a6");
    check_targets(&book, "3k/4/4/D3/4/4/P3/3K w - - 0 1", "a2", "a4");
    check_targets(&book, "3k/4/4/4/D3/4/P3/3K w - - 0 1", "a2", "");
    let rights = |fen: &str| position(&book, fen).en_passant_rights(&book).len();
    assert_eq!(rights("3k/4/P3/4/4/4/4/3K b - - 0 1"), 1);
    assert_eq!(rights("3k/4/P3/D3/4/4/4/3K b - - 0 1"), 0);
}
