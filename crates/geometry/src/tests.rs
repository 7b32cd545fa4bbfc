//! Checks squares, sets and symmetries exhaustively on small boards.

use crate::{Board, Square, SquareSet, Step, Symmetry};

/// Plain boards, the same bent to cylinders, and some with holes.
fn boards() -> Vec<Board> {
    let plain = [(8, 1), (1, 5), (2, 4), (3, 3), (3, 6), (5, 4), (8, 8), (4, 16), (10, 8), (11, 11), (16, 8)];
    let plain = plain.map(|(f, r)| Board::new(f, r).unwrap());
    let joined = plain.map(Board::with_joined_files);
    let corner = |board: Board| board.with_holes(squares(&[0])).unwrap();
    let centre = |board: Board| board.with_holes(squares(&[4])).unwrap();
    let with_holes =
        [corner(plain[0]), centre(plain[0]), corner(plain[5]), centre(joined[0]), corner(joined[5])];
    [&plain[..], &joined, &with_holes].concat()
}

fn squares(indices: &[usize]) -> SquareSet {
    indices.iter().map(|&index| Square::from_index(index)).collect()
}

#[test]
fn a_name_leads_back_to_its_square() {
    for board in boards() {
        for square in board.squares() {
            assert_eq!(board.square_named(&board.name(square)), Some(square));
        }
        for hole in board.holes().iter() {
            assert_eq!(board.square_named(&board.name(hole)), None);
        }
        for name in ["", "a", "a0", "a01", "a+1", "`1", "a17", "é1", "A1", "q1", "a18446744073709551616"] {
            assert_eq!(board.square_named(name), None, "{name}");
        }
    }
}

#[test]
fn sizes_that_cannot_be_are_refused() {
    for (files, ranks) in [(0, 0), (0, 8), (8, 0), (1, 3), (3, 1), (12, 11), (17, 3), (3, 17), (9, 15)] {
        assert!(Board::new(files, ranks).is_err(), "{files}x{ranks}");
    }
}

#[test]
fn symmetries_are_a_group_that_keeps_steps() {
    for board in boards() {
        let all = Symmetry::all(&board);
        for &a in &all {
            for square in board.squares() {
                assert_eq!(a.inverse(&board).square(&board, a.square(&board, square)), square);
                for &b in &all {
                    let one_by_one = b.square(&board, a.square(&board, square));
                    assert_eq!(a.then(b, &board).square(&board, square), one_by_one);
                }
                for step in [Step::new(1, 0), Step::new(-1, 2), Step::new(0, -3)] {
                    let moved = board.offset(square, step).map(|s| a.square(&board, s));
                    assert_eq!(moved, board.offset(a.square(&board, square), a.step(step)));
                }
            }
        }
    }
}

#[test]
fn an_offset_stays_on_the_board() {
    let board = Board::new(3, 4).unwrap();
    assert_eq!(board.offset(Square::from_index(2), Step::new(1, 0)), None);
    assert_eq!(board.offset(Square::from_index(2), Step::new(-1, 1)), Some(Square::from_index(4)));
    assert_eq!(board.mirror_ranks(Square::from_index(2)), Square::from_index(11));
}

#[test]
fn a_cylinder_has_no_side_edge() {
    let board = Board::new(5, 4).unwrap().with_joined_files();
    assert_eq!(board.offset(Square::from_index(4), Step::new(1, 1)), Some(Square::from_index(5)));
    assert_eq!(board.offset(Square::from_index(0), Step::new(-2, 0)), Some(Square::from_index(3)));
    assert_eq!(board.offset(Square::from_index(0), Step::new(-1, -1)), None);
    assert_eq!(board.offset(Square::from_index(1), Step::new(5, 0)), None, "once round is no step");
}

#[test]
fn a_hole_is_no_square() {
    let board = Board::new(4, 3).unwrap().with_holes(squares(&[1, 6, 12])).unwrap();
    assert_eq!(board.squares().count(), 10, "the third is beyond the board");
    assert_eq!(board.all().n_squares(), 10);
    assert_eq!(board.offset(Square::from_index(0), Step::new(1, 0)), None);
    assert_eq!(board.offset(Square::from_index(5), Step::new(1, 0)), None);
    assert!(!board.has(Square::from_index(6)) && board.has(Square::from_index(7)));
    assert!(board.with_holes(squares(&[0, 2, 3, 4, 5, 7])).is_ok());
    assert!(board.with_holes(squares(&[0, 2, 3, 4, 5, 7, 8])).is_err());
}

#[test]
fn symmetries_are_as_many_as_the_shape_has() {
    let count = |board: Board| Symmetry::all(&board).len();
    let board = |files, ranks| Board::new(files, ranks).unwrap();
    for (board, n) in [
        (board(8, 8), 8),
        (board(10, 8), 4),
        (board(8, 8).with_joined_files(), 32),
        (board(5, 4).with_joined_files(), 20),
        (board(3, 3).with_holes(squares(&[4])).unwrap(), 8),
        (board(3, 3).with_holes(squares(&[0])).unwrap(), 2),
        (board(4, 3).with_joined_files().with_holes(squares(&[0])).unwrap(), 2),
    ] {
        assert_eq!(count(board), n, "{board:?}");
    }
}
