//! Checks moves of frame men: neighbour blocks, as they stand and turned by symmetries.

use super::{Words, levels};
use crate::frame_man::{cut_frame_moves_at, frame_moves_at};
use crate::{Image, LanePermutation, Neighbour, Plane, Word, permute_word};

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

fn image<W: Word>(side: usize, symmetry: usize) -> Image<W> {
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
    check_neighbours::<u64>(8);
    check_neighbours::<u64>(5);
    check_neighbours::<u128>(5);
    check_neighbours::<u128>(9);
}

fn check_neighbours<W: Word>(side: usize) {
    let mut words = Words(3);
    let (n, n_blocks) = (side * side, 3);
    let images: Vec<Image<W>> = (0..8).map(|symmetry| image(side, symmetry)).collect();
    let plane: Vec<W> = words.vec(n_blocks * n * n, n);
    let live = words.flags(n_blocks * n);
    let before: Vec<W> = words.vec(n * n, n);
    let wanted = words.flags(n);
    let neighbours: Vec<Neighbour> = (0..20)
        .map(|i| Neighbour { block: i * 7 % 3, image: if i < 10 { 0 } else { (i % 8) as u8 } })
        .collect();
    // The union of these neighbours' words as they stand.
    let arriving = |neighbours: &[Neighbour], live: Option<&[bool]>, row: usize, x: usize| {
        let mut arriving = W::ZERO;
        for neighbour in neighbours {
            let at = |square| turned(side, neighbour.image as usize, square);
            let kept = neighbour.block as usize * n + at(row);
            if live.is_none_or(|live| live[kept]) {
                let word = plane[kept * n + at(x)];
                (0..n).filter(|&y| word.has(at(y))).for_each(|y| arriving |= W::bit(y));
            }
        }
        arriving
    };
    for (level, live, wanted) in
        levels().flat_map(|level| [(level, None, Some(&wanted[..])), (level, Some(&live[..]), None)])
    {
        let (mut dst, mut touched) = (before.clone(), vec![false; n]);
        let read = Plane { words: &plane, live, slots: &[], row_len: n, images: &images };
        frame_moves_at(level, &mut dst, &mut touched, wanted, read, &neighbours);
        for (row, x) in (0..n).flat_map(|row| (0..n).map(move |x| (row, x))) {
            let is_wanted = wanted.is_none_or(|wanted| wanted[row]);
            let arriving = if is_wanted { arriving(&neighbours, live, row, x) } else { W::ZERO };
            assert!(arriving == W::ZERO || touched[row]);
            let place = row * n + x;
            assert_eq!(dst[place], before[place] | arriving, "{level:?} side {side} row {row} word {x}");
        }
        // Few neighbours leave something in every row, all of them nothing in some.
        for neighbours in [&neighbours[..2], &neighbours[12..15], &neighbours[..]] {
            let (mut found, mut left) = (before.clone(), vec![true; n]);
            left[n / 2] = false;
            cut_frame_moves_at(level, &mut found, &mut left, read, neighbours);
            for row in 0..n {
                let expected = |x: usize| {
                    let gone = arriving(neighbours, live, row, x);
                    before[row * n + x] & !if row == n / 2 { W::ZERO } else { gone }
                };
                let expected: Vec<W> = (0..n).map(expected).collect();
                assert_eq!(found[row * n..][..n], expected, "{level:?} side {side} row {row}");
                let is_left = expected.iter().any(|&word| word != W::ZERO);
                assert_eq!(left[row], is_left && row != n / 2, "{level:?} side {side} row {row}");
            }
        }
    }
}

/// Rows of one word each, turned at every level, against what becomes of one word.
#[track_caller]
fn check_turned_words(map: &[u8], n_rounds: usize) {
    let mut words = Words(8);
    let n = map.len();
    let lane = LanePermutation::from_map(map);
    if let LanePermutation::Stages { windows: Some(windows), .. } = &lane {
        assert!(windows.rounds.len() <= n_rounds, "{} rounds for {map:?}", windows.rounds.len());
    }
    let images =
        [Image { is_identity: false, rows: vec![0], words: (0..n).rev().map(|x| x as u8).collect(), lane }];
    let (plane, before): (Vec<u128>, Vec<u128>) = (words.vec(n, n), words.vec(n, n));
    let read = Plane { words: &plane, live: None, slots: &[], row_len: n, images: &images };
    let turned = |word: u128| (0..n).filter(|&i| word.has(i)).fold(0, |sum, i| sum | 1u128 << map[i]);
    for level in levels() {
        let mut dst = before.clone();
        frame_moves_at(level, &mut dst, &mut [false], None, read, &[Neighbour { block: 0, image: 0 }]);
        for x in 0..n {
            let word = plane[n - 1 - x];
            assert_eq!(dst[x], before[x] | turned(word), "{level:?} word {x} {map:?}");
            assert_eq!(permute_word(word, &images[0].lane), turned(word), "{map:?}");
        }
    }
}

#[test]
fn words_of_two_halves_are_turned() {
    let mirrors = |files: usize, ranks: usize| {
        let square = move |file: usize, rank: usize| (rank * files + file) as u8;
        let squares = move || (0..files * ranks).map(move |s| (s % files, s / files));
        [
            squares().map(|(file, rank)| square(files - 1 - file, rank)).collect::<Vec<u8>>(),
            squares().map(|(file, rank)| square(file, ranks - 1 - rank)).collect(),
            squares().map(|(file, rank)| square(files - 1 - file, ranks - 1 - rank)).collect(),
        ]
    };
    for (files, ranks, n_rounds) in [(10, 8, 2), (9, 10, 3), (16, 8, 2), (12, 10, 2), (5, 13, 3), (3, 5, 4)] {
        mirrors(files, ranks).iter().for_each(|map| check_turned_words(map, n_rounds));
    }
    let exchanged: Vec<u8> = (0..121).map(|s| (s % 11 * 11 + s / 11) as u8).collect();
    check_turned_words(&exchanged, 16);
    let mut words = Words(9);
    for n in [128, 77, 16] {
        let mut shuffled: Vec<u8> = (0..n).collect();
        (0..n).for_each(|i| shuffled.swap(i.into(), (words.next() >> 20) as usize % usize::from(n)));
        check_turned_words(&shuffled, 16);
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
        let large = LanePermutation::from_map(&map);
        for (from, &to) in map.iter().enumerate() {
            assert_eq!(permute_word(1u64 << from, &permutation), 1 << to, "{map:?}");
            assert_eq!(permute_word(1u128 << from, &large), 1 << to, "{map:?}");
        }
    }
    let backwards: Vec<u8> = (0..121).rev().collect();
    let permutation = LanePermutation::from_map(&backwards);
    (0..121).for_each(|from| assert_eq!(permute_word(1u128 << from, &permutation), 1 << (120 - from)));
}
