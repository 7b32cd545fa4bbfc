//! Checks moves of lane men, row men and outer men.

use super::{Words, levels};
use crate::lane_man::{cut_lane_moves_at, lane_moves_at};
use crate::outer_man::{cut_outer_moves_at, outer_moves_at};
use crate::row_man::{cut_row_moves_at, row_moves_at};
use crate::{Hurdle, Landing, Level, OuterRows, Walk, Word, are_single, lane_word, outer_word_moves};
use geometry::{Board, Square, SquareSet, Step};

/// A board with a way.
#[derive(Clone, Debug)]
struct Ground {
    board: Board,
    stages: Vec<(Step, bool)>,
    hurdle: Hurdle,
}

impl Ground {
    fn n(&self) -> usize {
        self.board.n_squares()
    }

    fn walk<W: Word>(&self) -> Walk<W> {
        Walk::new(&self.board, self.stages.iter().copied(), self.hurdle)
    }

    /// Whether a man that goes from `from`, others standing on the squares of `others`, may land on a square
    /// that `hit` accepts.
    fn arrives<W: Word>(&self, from: usize, others: W, hit: impl Fn(usize) -> bool) -> bool {
        let from = Square::from_index(from);
        if !self.board.has(from) {
            return false;
        }
        let (mut at, mut jumped) = (from, None);
        for (number, &(step, is_landing)) in self.stages.iter().enumerate() {
            let Some(to) = self.board.offset(at, step).filter(|&to| to != from) else { return false };
            let suits = match self.hurdle {
                Hurdle::None => true,
                Hurdle::OnTheWay => jumped.is_some(),
                Hurdle::JustBefore => number > 0 && jumped == Some(number - 1),
            };
            if is_landing && suits && hit(to.index()) {
                return true;
            }
            if others.has(to.index()) && (self.hurdle == Hurdle::None || jumped.replace(number).is_some()) {
                return false;
            }
            at = to;
        }
        false
    }
}

fn board(files: usize, ranks: usize) -> Board {
    Board::new(files, ranks).unwrap()
}

/// Ways over some boards: rides and hops of every length, ways of uneven stages.
fn grounds(boards: &[Board]) -> Vec<Ground> {
    let steps = [(1, 0), (0, 1), (-1, 1), (1, 1), (2, 1), (-1, -2), (0, -1), (-2, 0), (3, 2), (-1, -1)];
    let mut grounds = Vec::new();
    for &board in boards {
        for (files, ranks) in steps {
            let step = Step::new(files, ranks);
            for limit in [1, 2, 255] {
                for hurdle in [Hurdle::None, Hurdle::OnTheWay, Hurdle::JustBefore] {
                    grounds.push(Ground { board, stages: vec![(step, true); limit], hurdle });
                }
            }
        }
        let lame = [(Step::new(1, 0), false), (Step::new(1, 1), true)];
        let circle = [(1, 2), (-1, 2), (-2, 1), (-2, -1), (-1, -2), (1, -2), (2, -1), (2, 1)];
        let circle = circle.map(|(files, ranks)| (Step::new(files, ranks), true));
        for stages in [lame.to_vec(), lame.repeat(4), circle.to_vec()] {
            grounds.push(Ground { board, stages, hurdle: Hurdle::None });
        }
    }
    grounds
}

/// Squares that a board does not have.
fn holes() -> SquareSet {
    [3, 9, 10].map(Square::from_index).into_iter().collect()
}

/// Boards of up to 64 squares.
fn small_boards() -> Vec<Board> {
    let holes = holes();
    let plain = [board(8, 8), board(3, 5), board(5, 6), board(4, 16), board(16, 4)];
    let odd = [
        board(8, 8).with_holes(holes).unwrap(),
        board(8, 8).with_joined_files(),
        board(4, 6).with_joined_files(),
        board(5, 5).with_joined_files().with_holes(holes).unwrap(),
    ];
    [&plain[..], &odd].concat()
}

/// Larger ones.
fn large_boards() -> Vec<Board> {
    let holes: SquareSet = [0, 11, 70].map(Square::from_index).into_iter().collect();
    vec![
        board(10, 8),
        board(11, 11),
        board(8, 16),
        board(9, 10).with_joined_files(),
        board(10, 8).with_holes(holes).unwrap(),
    ]
}

fn bit<W: Word>(words: &[W], word: usize, bit: usize) -> bool {
    words[word].has(bit)
}

/// What a kernel must have made of `before`: bits for which `expected` holds are added in rows that are
/// wanted.
#[track_caller]
fn check_rows<W: Word>(
    (ground, level): (&Ground, Level),
    (before, after): (&[W], &[W]),
    wanted: impl Fn(usize) -> bool,
    expected: impl Fn(usize, usize, usize) -> bool,
) {
    let n = ground.n();
    for row in 0..before.len() / n {
        for x in 0..n {
            let added = (0..n).filter(|&y| wanted(row) && expected(row, x, y));
            let sum = added.fold(before[row * n + x], |sum, y| sum | W::bit(y));
            assert_eq!(after[row * n + x], sum, "{level:?} {ground:?} row {row} word {x}");
        }
    }
}

/// Checks rows of which one word in `one_in` holds placements.
fn check_row_men<W: Word>(boards: &[Board], n_rows: usize, one_in: usize) {
    let mut words = Words(1);
    for ground in &grounds(boards) {
        let n = ground.n();
        let (mut src, mut before): (Vec<W>, Vec<W>) = (words.vec(n_rows * n, n), words.vec(n_rows * n, n));
        for word in src.iter_mut().chain(&mut before) {
            *word &= W::when(((words.next() >> 20) as usize).is_multiple_of(one_in));
        }
        let taken: Vec<W> = words.vec(n_rows, n);
        let wanted: Vec<bool> = (0..n_rows).map(|row| row != 1).collect();
        let other =
            Ground { stages: vec![(Step::new(0, 1), true); 20], hurdle: Hurdle::None, ..ground.clone() };
        let walks = [ground.walk(), other.walk()];
        for level in levels() {
            let mut dst = before.clone();
            lane_moves_at(level, &mut dst, &src, &wanted, &taken, n, &walks);
            check_rows(
                (ground, level),
                (&before, &dst),
                |row| wanted[row],
                |row, x, y| {
                    let hit = |to| bit(&src, row * n + x, to);
                    let others = taken[row] | W::bit(x);
                    ground.arrives(y, others, hit) || other.arrives(y, others, hit)
                },
            );
            let (mut cut, mut left) = (before.clone(), wanted.clone());
            cut_lane_moves_at(level, &mut cut, &mut left, &src, &taken, n, &walks);
            check_cut((ground, level), (&before, &cut), (&wanted, &left), |row, x, y| {
                let hit = |to| bit(&src, row * n + x, to);
                let others = taken[row] | W::bit(x);
                ground.arrives(y, others, hit) || other.arrives(y, others, hit)
            });
            let mut dst = before.clone();
            row_moves_at(level, &mut dst, &src, &wanted, &taken, n, ground.board.files(), &walks);
            check_rows(
                (ground, level),
                (&before, &dst),
                |row| wanted[row],
                |row, x, y| {
                    let hit = |to| bit(&src, row * n + to, y);
                    let others = taken[row] | W::bit(y);
                    ground.arrives(x, others, hit) || other.arrives(x, others, hit)
                },
            );
            let (mut cut, mut left) = (before.clone(), wanted.clone());
            let files = ground.board.files();
            cut_row_moves_at(level, &mut cut, &mut left, &src, &taken, n, files, &walks);
            check_cut((ground, level), (&before, &cut), (&wanted, &left), |row, x, y| {
                let hit = |to| bit(&src, row * n + to, y);
                let others = taken[row] | W::bit(y);
                ground.arrives(x, others, hit) || other.arrives(x, others, hit)
            });
        }
        let others: W = words.word(n);
        let word = lane_word(src[0], !others, &walks[..1]);
        (0..n).for_each(|y| {
            assert_eq!(word.has(y), ground.arrives(y, others, |to| bit(&src, 0, to)), "{ground:?}");
        });
    }
}

#[test]
fn men_in_the_lane_and_next_to_it_come_from_every_source() {
    check_row_men::<u64>(&small_boards(), 3, 1);
    check_row_men::<u128>(&large_boards(), 1, 1);
    check_row_men::<u128>(&[board(3, 5)], 3, 1);
}

#[test]
fn men_in_thin_rows_come_from_every_source() {
    check_row_men::<u64>(&[board(8, 8)], 3, 10);
    check_row_men::<u128>(&[board(10, 8), board(12, 10), board(5, 16)], 1, 20);
}

/// What a kernel must have cut out of `before`: bits for which `gone` holds in live rows, which are live if
/// anything is left.
#[track_caller]
fn check_cut<W: Word>(
    (ground, level): (&Ground, Level),
    (before, after): (&[W], &[W]),
    (live, left): (&[bool], &[bool]),
    gone: impl Fn(usize, usize, usize) -> bool,
) {
    let not = |words: &[W]| words.iter().map(|&word| !word).collect::<Vec<W>>();
    check_rows((ground, level), (&not(before), &not(after)), |row| live[row], gone);
    for (row, words) in after.chunks_exact(ground.n()).enumerate() {
        assert_eq!(left[row], live[row] && words.iter().any(|&word| word != W::ZERO), "{level:?} row {row}");
    }
}

/// Checks one ground in `every`, as the definition is slow, with placements in one word in `one_in`.
fn check_outer_men<W: Word>(boards: &[Board], every: usize, one_in: usize) {
    let mut words = Words(2);
    for ground in grounds(boards).iter().step_by(every) {
        let n = ground.n();
        // Two squares of another man further in than the axis: rows in which it stands on either.
        let (stride, n_rows) = (2, 2 * n);
        let mut src: Vec<W> = words.vec(n_rows * n, n);
        for word in &mut src {
            *word &= W::when(((words.next() >> 20) as usize).is_multiple_of(one_in));
        }
        let before: Vec<W> = words.vec(n_rows * n, n);
        let (passable, live) = (words.flags(n_rows), words.flags(n_rows));
        let walks = [ground.walk()];
        // Rows that are not live hold nothing.
        let mut living = src.clone();
        let rows = living.chunks_exact_mut(n).zip(&live);
        rows.filter(|(_, live)| !**live).for_each(|(row, _)| row.fill(W::ZERO));
        let arrives = |row: usize, x: usize, y: usize, read: &dyn Fn(usize) -> bool| {
            let place = |to: usize| row % stride + to * stride;
            let blocked = (0..n).filter(|&s| !passable[place(s)]).fold(W::ZERO, |sum, s| sum | W::bit(s));
            let hit = |to: usize| read(place(to)) && bit(&src, place(to) * n + x, y);
            ground.arrives(row / stride, blocked | W::bit(x) | W::bit(y), hit)
        };
        for level in levels() {
            let (mut swept, mut cut) = (before.clone(), before.clone());
            let (mut touched, mut left) = (vec![false; n_rows], live.clone());
            for first in 0..stride {
                let axis = OuterRows { first, stride, passable: &passable, row_len: n };
                outer_moves_at(level, &mut swept, &mut touched, &living, &live, axis, &walks);
                cut_outer_moves_at(level, &mut cut, &mut left, &src, axis, &walks);
            }
            check_rows(
                (ground, level),
                (&before, &swept),
                |_| true,
                |row, x, y| {
                    let arrives = arrives(row, x, y, &|row| live[row]);
                    assert!(!arrives || touched[row], "a row that got something");
                    arrives
                },
            );
            check_cut((ground, level), (&before, &cut), (&live, &left), |row, x, y| {
                arrives(row, x, y, &|_| true)
            });
        }
        if are_single(&walks) {
            let (mut followed, mut touched) = (before.clone(), vec![false; n_rows]);
            for (word, &bits) in living.iter().enumerate().filter(|(_, bits)| **bits != W::ZERO) {
                let (row, x) = (word / n, word % n);
                let rows = OuterRows { first: row % stride, stride, passable: &passable, row_len: n };
                let place = (row / stride, x, bits);
                outer_word_moves(&mut followed, &mut touched, place, rows, &walks, Landing::Any);
            }
            check_rows(
                (ground, Level::Portable),
                (&before, &followed),
                |_| true,
                |row, x, y| {
                    let arrives = arrives(row, x, y, &|row| live[row]);
                    assert!(!arrives || touched[row], "a row that got something");
                    arrives
                },
            );
        }
    }
}

#[test]
fn men_further_out_come_from_every_source() {
    check_outer_men::<u64>(&[board(8, 8)], 5, 1);
    check_outer_men::<u64>(&[board(3, 5), board(5, 6), board(4, 6).with_joined_files()], 1, 1);
    check_outer_men::<u64>(&[board(5, 5).with_holes(holes()).unwrap()], 1, 1);
    check_outer_men::<u128>(&[board(3, 5), board(4, 5)], 1, 1);
}

#[test]
fn few_men_further_out_come_from_every_source() {
    check_outer_men::<u64>(&[board(8, 8)], 5, 100);
    check_outer_men::<u64>(&[board(3, 5), board(5, 6), board(4, 6).with_joined_files()], 1, 10);
    check_outer_men::<u64>(&[board(8, 8).with_holes(holes()).unwrap()], 11, 100);
    check_outer_men::<u128>(&[board(3, 5), board(4, 5)], 1, 20);
    check_outer_men::<u128>(&[board(9, 8).with_holes(holes()).unwrap()], 37, 200);
}

#[test]
fn rows_of_large_boards_move() {
    // One way and one row of each kind: the definition takes a second a way.
    for hurdle in [Hurdle::None, Hurdle::OnTheWay, Hurdle::JustBefore] {
        let mut words = Words(7);
        let ground = Ground { board: board(10, 8), stages: vec![(Step::new(-1, 1), true); 20], hurdle };
        let n = ground.n();
        let src: Vec<u128> = words.vec(n * n, n);
        let (passable, live) = (words.flags(n), vec![true; n]);
        let axis = OuterRows { first: 0, stride: 1, passable: &passable, row_len: n };
        for level in levels() {
            let (mut swept, mut cut) = (vec![0; n * n], vec![u128::MAX; n * n]);
            outer_moves_at(level, &mut swept, &mut vec![false; n], &src, &live, axis, &[ground.walk()]);
            cut_outer_moves_at(level, &mut cut, &mut live.clone(), &src, axis, &[ground.walk()]);
            // What is not cut out of everything is what arrives.
            cut.iter_mut().for_each(|word| *word = !*word);
            let rows = [3, 17, 45, 79];
            let before = vec![0; rows.len() * n];
            for after in [&swept, &cut] {
                let after: Vec<u128> =
                    rows.iter().flat_map(|row| &after[row * n..(row + 1) * n]).copied().collect();
                check_rows(
                    (&ground, level),
                    (&before, &after),
                    |_| true,
                    |row, x, y| {
                        let blocked = (0..n).filter(|&s| !passable[s]).fold(0u128, |sum, s| sum | 1 << s);
                        let hit = |to: usize| bit(&src, to * n + x, y);
                        ground.arrives(rows[row], blocked | 1 << x | 1 << y, hit)
                    },
                );
            }
        }
    }
}
