//! Each kernel against the slow definition of what it does, at every level that the processor has, on boards of
//! eight files and others.

use crate::axis::{axis_moves_at, axis_moves_into_at};
use crate::frame::neighbour_moves_at;
use crate::lane::lane_moves_at;
use crate::rank::rank_moves_at;
use crate::settle::{cut_at, cut_out_at, cut_placements_at, placements_at, store_bytes_at, take_at};
use crate::{
    Axis, Distinct, Image, LanePermutation, Level, Neighbour, Plane, Walk, gather, lane_word, permute_word,
    store_bytes_at_places, store_pairs, store_pairs_at_places,
};

/// Every level that this processor can run.
fn levels() -> impl Iterator<Item = Level> {
    let all = [Level::Portable, Level::Avx2, Level::Avx512, Level::Gfni];
    all.into_iter().filter(|&level| level <= Level::detected())
}

/// A small generator of words, so that every run sees the same ones.
struct Words(u64);

impl Words {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 ^ self.0 >> 29
    }

    fn vec(&mut self, n: usize, mask: u64) -> Vec<u64> {
        (0..n).map(|_| self.next() & self.next() & mask).collect()
    }

    fn flags(&mut self, n: usize) -> Vec<bool> {
        (0..n).map(|_| self.next() >> 40 & 1 == 1).collect()
    }
}

/// A board with a step.
#[derive(Clone, Copy, Debug)]
struct Ground {
    files: usize,
    ranks: usize,
    step: (i32, i32),
    limit: u32,
}

impl Ground {
    fn n(self) -> usize {
        self.files * self.ranks
    }

    fn mask(self) -> u64 {
        u64::MAX >> (64 - self.n())
    }

    fn walk(self) -> Walk {
        Walk::new((self.files, self.ranks), self.step, self.limit)
    }

    /// The squares that a man reaches, nearest first.
    fn line(self, from: usize) -> Vec<usize> {
        let mut line = Vec::new();
        let (mut file, mut rank) = ((from % self.files) as i32, (from / self.files) as i32);
        for _ in 0..self.limit {
            (file, rank) = (file + self.step.0, rank + self.step.1);
            if !(0..self.files as i32).contains(&file) || !(0..self.ranks as i32).contains(&rank) {
                break;
            }
            line.push(rank as usize * self.files + file as usize);
        }
        line
    }

    /// Whether a man that walks from `from`, others standing on the squares of `others`, comes to a square that `hit`
    /// accepts.
    fn arrives(self, from: usize, others: u64, hit: impl Fn(usize) -> bool) -> bool {
        for to in self.line(from) {
            if hit(to) {
                return true;
            }
            if others >> to & 1 == 1 {
                return false;
            }
        }
        false
    }
}

fn grounds() -> Vec<Ground> {
    let steps = [(1, 0), (0, 1), (-1, 1), (1, 1), (2, 1), (-1, -2), (0, -1), (-2, 0), (3, 2), (-1, -1)];
    let boards = [(8, 8), (3, 5), (5, 6), (4, 16), (16, 4)];
    let mut grounds = Vec::new();
    for (files, ranks) in boards {
        for step in steps {
            grounds.extend([1, 2, 3, 255].map(|limit| Ground { files, ranks, step, limit }));
        }
    }
    grounds
}

fn bit(words: &[u64], word: usize, bit: usize) -> bool {
    words[word] >> bit & 1 == 1
}

/// What a kernel must have made of `before`: bits for which `expected` holds are added in rows that are wanted.
#[track_caller]
fn check_rows(
    (ground, level): (Ground, Level),
    (before, after): (&[u64], &[u64]),
    wanted: impl Fn(usize) -> bool,
    expected: impl Fn(usize, usize, usize) -> bool,
) {
    let n = ground.n();
    for row in 0..before.len() / n {
        for x in 0..n {
            let sum = (0..n)
                .fold(before[row * n + x], |sum, y| sum | u64::from(wanted(row) && expected(row, x, y)) << y);
            assert_eq!(after[row * n + x], sum, "{level:?} {ground:?} row {row} word {x}");
        }
    }
}

#[test]
fn men_in_the_lane_and_next_to_it_come_from_every_source() {
    let mut words = Words(1);
    for ground in grounds() {
        let (n, n_rows) = (ground.n(), 3);
        let (src, before) = (words.vec(n_rows * n, ground.mask()), words.vec(n_rows * n, ground.mask()));
        let (taken, wanted) = (words.vec(n_rows, ground.mask()), [true, false, true]);
        let walks = [ground.walk(), Walk::new((ground.files, ground.ranks), (0, 1), 255)];
        let other = Ground { step: (0, 1), limit: 255, ..ground };
        for level in levels() {
            let mut dst = before.clone();
            lane_moves_at(level, &mut dst, &src, &wanted, &taken, n, &walks);
            check_rows(
                (ground, level),
                (&before, &dst),
                |row| wanted[row],
                |row, x, y| {
                    let hit = |to| bit(&src, row * n + x, to);
                    let others = taken[row] | 1 << x;
                    ground.arrives(y, others, hit) || other.arrives(y, others, hit)
                },
            );
            let mut dst = before.clone();
            rank_moves_at(level, &mut dst, &src, &wanted, &taken, n, (ground.files, &walks));
            check_rows(
                (ground, level),
                (&before, &dst),
                |row| wanted[row],
                |row, x, y| {
                    let hit = |to| bit(&src, row * n + to, y);
                    let others = taken[row] | 1 << y;
                    ground.arrives(x, others, hit) || other.arrives(x, others, hit)
                },
            );
        }
        let free = words.next();
        let word = lane_word(src[0], free, &walks[..1]);
        (0..n).for_each(|y| {
            assert_eq!(word >> y & 1 == 1, ground.arrives(y, !free, |to| bit(&src, 0, to)), "{ground:?}");
        });
    }
}

#[test]
fn men_further_out_come_from_every_source() {
    let mut words = Words(2);
    for ground in grounds().into_iter().filter(|ground| ground.n() <= 30 || ground.files == 8) {
        let n = ground.n();
        // Two squares of another man further in than the axis: rows in which it stands on either.
        let (stride, n_rows) = (2, 2 * n);
        let src = words.vec(n_rows * n, ground.mask());
        let before = words.vec(n_rows * n, ground.mask());
        let (passable, live) = (words.flags(n_rows), words.flags(n_rows));
        let walks = [ground.walk()];
        // Rows that are not live hold nothing.
        let mut living = src.clone();
        let rows = living.chunks_exact_mut(n).zip(&live);
        rows.filter(|(_, live)| !**live).for_each(|(row, _)| row.fill(0));
        let arrives = |row: usize, x: usize, y: usize, read: &dyn Fn(usize) -> bool| {
            let place = |to: usize| row % stride + to * stride;
            let blocked = (0..n).filter(|&s| !passable[place(s)]).map(|s| 1u64 << s).sum::<u64>();
            let hit = |to: usize| read(place(to)) && bit(&src, place(to) * n + x, y);
            ground.arrives(row / stride, blocked | 1 << x | 1 << y, hit)
        };
        for level in levels() {
            let (mut swept, mut walked) = (before.clone(), before.clone());
            let mut touched = vec![false; n_rows];
            for first in 0..stride {
                let axis = Axis { first, stride, passable: &passable, row_len: n };
                axis_moves_at(level, &mut swept, &mut touched, &living, &live, axis, &walks);
                axis_moves_into_at(level, &mut walked, &live, &src, axis, &walks);
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
            check_rows(
                (ground, level),
                (&before, &walked),
                |row| live[row],
                |row, x, y| arrives(row, x, y, &|_| true),
            );
        }
    }
}

/// Where a symmetry of a square board of `side` files takes a square.
fn turned(side: usize, symmetry: usize, square: usize) -> usize {
    let (mut file, mut rank) = (square % side, square / side);
    if symmetry & 4 != 0 {
        (file, rank) = (rank, file);
    }
    if symmetry & 1 != 0 {
        file = side - 1 - file;
    }
    if symmetry & 2 != 0 {
        rank = side - 1 - rank;
    }
    rank * side + file
}

fn image(side: usize, symmetry: usize) -> Image {
    let n = side * side;
    let mut undone = vec![0; n];
    (0..n).for_each(|square| undone[turned(side, symmetry, square)] = square as u8);
    Image {
        is_identity: symmetry == 0,
        rows: (0..n).map(|square| turned(side, symmetry, square) as u32).collect(),
        words: (0..n).map(|square| turned(side, symmetry, square) as u8).collect(),
        lane: LanePermutation::from_map(&undone),
    }
}

#[test]
fn neighbours_are_read_as_they_stand() {
    let mut words = Words(3);
    for side in [8, 5] {
        let (n, n_blocks) = (side * side, 3);
        let images: Vec<Image> = (0..8).map(|symmetry| image(side, symmetry)).collect();
        let plane = words.vec(n_blocks * n * n, u64::MAX >> (64 - n));
        let live = words.flags(n_blocks * n);
        let before = words.vec(n * n, u64::MAX >> (64 - n));
        let wanted = words.flags(n);
        let neighbours: Vec<Neighbour> = (0..20)
            .map(|i| Neighbour { block: i * 7 % 3, image: if i < 10 { 0 } else { (i % 8) as u8 } })
            .collect();
        for (level, live, wanted) in
            levels().flat_map(|level| [(level, None, Some(&wanted)), (level, Some(&live), None)])
        {
            let (mut dst, mut touched) = (before.clone(), vec![false; n]);
            let read = Plane { words: &plane, live: live.map(|live| &live[..]), row_len: n, images: &images };
            let wanted = wanted.map(|wanted: &Vec<bool>| &wanted[..]);
            neighbour_moves_at(level, &mut dst, &mut touched, wanted, read, &neighbours);
            for row in 0..n {
                for x in 0..n {
                    let mut expected = before[row * n + x];
                    for neighbour in neighbours.iter().filter(|_| wanted.is_none_or(|wanted| wanted[row])) {
                        let at = |square| turned(side, neighbour.image as usize, square);
                        let kept = neighbour.block as usize * n + at(row);
                        if live.is_none_or(|live| live[kept]) {
                            assert!(touched[row]);
                            let word = plane[kept * n + at(x)];
                            expected |= (0..n).map(|y| (word >> at(y) & 1) << y).sum::<u64>();
                        }
                    }
                    assert_eq!(dst[row * n + x], expected, "{level:?} side {side} row {row} word {x}");
                }
            }
        }
    }
}

#[test]
fn permutations_take_every_bit_where_they_should() {
    let mut words = Words(4);
    let mut shuffled: Vec<u8> = (0..64).collect();
    (0..64).for_each(|i| shuffled.swap(i, (words.next() >> 20) as usize % 64));
    let maps = (0..8).map(|symmetry| (0..64).map(|s| turned(8, symmetry, s) as u8).collect());
    let others = [shuffled, (0..30).rev().collect(), vec![0]];
    for map in maps.chain(others) {
        let permutation = LanePermutation::from_map(&map);
        for (from, &to) in map.iter().enumerate() {
            assert_eq!(permute_word(1 << from, &permutation), 1 << to, "{map:?}");
        }
    }
}

#[test]
fn found_placements_are_settled_row_by_row() {
    let mut words = Words(5);
    for (row_len, lane_len) in [(1, 64), (64, 64), (25, 25), (64, 63)] {
        let mask = u64::MAX >> (64 - lane_len);
        let live = [true, false, true, true];
        let mut found = words.vec(4 * row_len, mask);
        found[row_len..2 * row_len].fill(0);
        found[3 * row_len..].fill(0);
        let open = words.vec(4 * row_len, mask);
        for level in levels() {
            let zipped = || found.iter().zip(&open);
            let (mut kept, mut kept_live) = (found.clone(), live);
            cut_at(level, &mut kept, &mut kept_live, &open, row_len);
            assert!(kept.iter().copied().eq(zipped().map(|(f, o)| f & o)));
            assert!(!kept_live[1] && !kept_live[3]);
            let (mut kept, mut kept_live) = (found.clone(), live);
            cut_out_at(level, &mut kept, &mut kept_live, &open, row_len);
            assert!(kept.iter().copied().eq(zipped().map(|(f, o)| f & !o)));
            let mut left = open.clone();
            take_at(level, &mut left, &found, &live, row_len);
            assert!(left.iter().copied().eq(zipped().map(|(f, o)| o & !f)));
            let mut codes = vec![7; 4 * row_len * lane_len];
            store_bytes_at(level, &mut codes, &found, &live, row_len, lane_len, 9);
            let mut pairs = vec![7; 4 * row_len * lane_len];
            store_pairs(&mut pairs, &found, &live, row_len, lane_len, 900);
            let (mut places, mut bits) = (vec![3; 4 * row_len + 1], vec![0; 4 * row_len + 1]);
            let n = gather(&found, &live, row_len, &mut places, &mut bits, 1);
            let (places, bits) = (&places[..n], &bits[..n]);
            assert!(bits[1..].iter().all(|&word| word != 0), "empty words are left out");
            let (mut later_codes, mut later_pairs) = (vec![7; codes.len()], vec![7; pairs.len()]);
            store_bytes_at_places(&mut later_codes, places, bits, lane_len, 9);
            store_pairs_at_places(&mut later_pairs, places, bits, lane_len, 900);
            assert!(later_codes == codes && later_pairs == pairs);
            for (place, (&code, &pair)) in codes.iter().zip(&pairs).enumerate() {
                let is_found = bit(&found, place / lane_len, place % lane_len);
                assert_eq!((code, pair), if is_found { (9, 900) } else { (7, 7) });
            }
        }
    }
}

#[test]
fn placements_have_men_on_squares_of_their_own() {
    let mut words = Words(6);
    for n in [64usize, 25] {
        let mask = u64::MAX >> (64 - n);
        let (taken, shared) = (words.vec(3, mask), [false, true, false]);
        for level in levels() {
            let mut dst = vec![u64::MAX; 3 * n];
            placements_at(level, &mut dst, &taken, &shared, n, mask);
            for row in 0..3 {
                for x in 0..n {
                    let own = taken[row] >> x & 1 == 0 && !shared[row];
                    let expected = if own { mask & !taken[row] & !(1 << x) } else { 0 };
                    assert_eq!(dst[row * n + x], expected);
                }
            }
            let (found, open) = (words.vec(2 * n, mask), words.vec(2 * n, mask));
            let (mut kept, mut live) = (found.clone(), [true; 2]);
            cut_placements_at(level, &mut kept, &mut live, &open, &taken[..2], &shared[..2], n);
            for (place, &kept) in kept.iter().enumerate() {
                let (row, x) = (place / n, place % n);
                let is_own = taken[row] >> x & 1 == 0 && !shared[row];
                let own = if is_own { !taken[row] & !(1 << x) } else { 0 };
                assert_eq!(kept, found[place] & open[place] & own);
            }
        }
    }
}

#[test]
fn levels_have_names() {
    for level in levels() {
        assert_eq!(Level::named(&format!("{level:?}").to_lowercase()), Some(level));
    }
    assert_eq!(Level::named("sse9"), None);
}

#[test]
fn distinct_numbers() {
    let mut words = Words(11);
    for n_numbers in [1, 2, 3, 17, 64, 1000, 65_536] {
        for _ in 0..50 {
            let row: [i16; 64] = std::array::from_fn(|_| (words.next() % n_numbers) as i16);
            for among in [0, 1, 1 << 63, u64::MAX, words.next(), words.next() & words.next()] {
                let mut expected: Vec<(i16, u64)> = Vec::new();
                for at in (0..64).filter(|at| among >> at & 1 == 1) {
                    match expected.iter_mut().find(|(number, _)| *number == row[at]) {
                        Some((_, bits)) => *bits |= 1 << at,
                        None => expected.push((row[at], 1 << at)),
                    }
                }
                for level in levels() {
                    let mut distinct = Distinct::default();
                    distinct.find_at(level, &row, among);
                    assert_eq!(distinct.found(), expected, "{level:?}, {row:?} among {among:#x}");
                }
            }
        }
    }
}
