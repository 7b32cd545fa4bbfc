//! Neighbour blocks and what symmetries make of them.

use super::{Words, levels};
use crate::frame::{cut_neighbour_moves_at, neighbour_moves_at};
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
        let read = Plane { words: &plane, live, row_len: n, images: &images };
        neighbour_moves_at(level, &mut dst, &mut touched, wanted, read, &neighbours);
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
            cut_neighbour_moves_at(level, &mut found, &mut left, read, neighbours);
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
