//! Exhaustive checks on small boards.

use crate::{Board, Square, Step, Symmetry};

fn boards() -> Vec<Board> {
    [(3, 3), (3, 6), (5, 4), (8, 8), (4, 16)].map(|(f, r)| Board::new(f, r).unwrap()).to_vec()
}

#[test]
fn a_name_leads_back_to_its_square() {
    for board in boards() {
        for square in board.squares() {
            assert_eq!(board.square_named(&board.name(square)), Some(square));
        }
        for name in ["", "a", "a0", "a01", "a+1", "`1", "a17", "é1", "A1", "p1", "a18446744073709551616"] {
            assert_eq!(board.square_named(name), None, "{name}");
        }
    }
}

#[test]
fn sizes_that_cannot_be_are_refused() {
    for (files, ranks) in [(0, 0), (2, 8), (8, 2), (9, 8), (17, 3), (8, 9)] {
        assert!(Board::new(files, ranks).is_err(), "{files}x{ranks}");
    }
}

#[test]
fn symmetries_are_a_group_that_keeps_steps() {
    for board in boards() {
        let all = Symmetry::all(&board);
        for &a in &all {
            for square in board.squares() {
                assert_eq!(a.inverse().square(&board, a.square(&board, square)), square);
                for &b in &all {
                    let one_by_one = b.square(&board, a.square(&board, square));
                    assert_eq!(a.then(b).square(&board, square), one_by_one);
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
