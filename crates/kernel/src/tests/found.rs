//! Checks the kernels that cut found placements down and write their codes, and rows of numbers.

use super::{Words, levels, lowest};
use crate::code::{gather_at, store_bytes_at};
use crate::cut::{cut_at, cut_out_at, cut_placements_at, placements_at, take_at};
use crate::number::find_at;
use crate::{Distinct, Word, store_bytes_at_places, store_pairs, store_pairs_at_places};

#[test]
fn found_placements_are_settled_row_by_row() {
    check_settling::<u64>(&[(1, 64), (64, 64), (25, 25), (64, 63)]);
    check_settling::<u128>(&[(1, 128), (80, 80), (25, 25), (64, 64), (3, 65)]);
}

fn check_settling<W: Word>(shapes: &[(usize, usize)]) {
    let mut words = Words(5);
    for &(row_len, lane_len) in shapes {
        let live = [true, false, true, true];
        let mut found: Vec<W> = words.vec(4 * row_len, lane_len);
        found[row_len..2 * row_len].fill(W::ZERO);
        found[3 * row_len..].fill(W::ZERO);
        let open: Vec<W> = words.vec(4 * row_len, lane_len);
        for level in levels() {
            let zipped = || found.iter().zip(&open);
            let (mut kept, mut kept_live) = (found.clone(), live);
            cut_at(level, &mut kept, &mut kept_live, &open, row_len);
            assert!(kept.iter().copied().eq(zipped().map(|(&f, &o)| f & o)));
            assert!(!kept_live[1] && !kept_live[3]);
            let (mut kept, mut kept_live) = (found.clone(), live);
            cut_out_at(level, &mut kept, &mut kept_live, &open, row_len);
            assert!(kept.iter().copied().eq(zipped().map(|(&f, &o)| f & !o)));
            let mut left = open.clone();
            take_at(level, &mut left, &found, &live, row_len);
            assert!(left.iter().copied().eq(zipped().map(|(&f, &o)| o & !f)));
            let mut codes = vec![7; 4 * row_len * lane_len];
            store_bytes_at(level, &mut codes, &found, &live, row_len, lane_len, 9);
            let mut pairs = vec![7; 4 * row_len * lane_len];
            store_pairs(&mut pairs, &found, &live, row_len, lane_len, 900);
            let (mut places, mut bits) = (vec![3; 4 * row_len + 1], vec![W::ZERO; 4 * row_len + 1]);
            let mut n = 1;
            for (row, words) in found.chunks_exact(row_len).enumerate().filter(|(row, _)| live[*row]) {
                let room = (&mut places[n..], &mut bits[n..]);
                n += gather_at(level, words, row * row_len, room.0, room.1);
            }
            let (places, bits) = (&places[..n], &bits[..n]);
            assert!(bits[1..].iter().all(|&word| word != W::ZERO), "empty words are left out");
            let (mut later_codes, mut later_pairs) = (vec![7; codes.len()], vec![7; pairs.len()]);
            store_bytes_at_places(&mut later_codes, places, bits, lane_len, 9);
            store_pairs_at_places(&mut later_pairs, places, bits, lane_len, 900);
            assert!(later_codes == codes && later_pairs == pairs);
            for (place, (&code, &pair)) in codes.iter().zip(&pairs).enumerate() {
                let is_found = found[place / lane_len].has(place % lane_len);
                assert_eq!((code, pair), if is_found { (9, 900) } else { (7, 7) });
            }
        }
    }
}

#[test]
fn placements_have_men_on_squares_of_their_own() {
    check_placements::<u64>(&[64, 25]);
    check_placements::<u128>(&[25, 80]);
}

fn check_placements<W: Word>(sizes: &[usize]) {
    let mut words = Words(6);
    for &n in sizes {
        let mask: W = lowest(n);
        let (taken, shared): (Vec<W>, _) = (words.vec(3, n), [false, true, false]);
        for level in levels() {
            let mut dst = vec![W::ONES; 3 * n];
            placements_at(level, &mut dst, &taken, &shared, n, mask);
            for row in 0..3 {
                for x in 0..n {
                    let own = !taken[row].has(x) && !shared[row];
                    let expected = if own { mask & !taken[row] & !W::bit(x) } else { W::ZERO };
                    assert_eq!(dst[row * n + x], expected);
                }
            }
            let (found, open): (Vec<W>, Vec<W>) = (words.vec(2 * n, n), words.vec(2 * n, n));
            let (mut kept, mut live) = (found.clone(), [true; 2]);
            cut_placements_at(level, &mut kept, &mut live, &open, &taken[..2], &shared[..2], n);
            for (place, &kept) in kept.iter().enumerate() {
                let (row, x) = (place / n, place % n);
                let is_own = !taken[row].has(x) && !shared[row];
                let own = if is_own { !taken[row] & !W::bit(x) } else { W::ZERO };
                assert_eq!(kept, found[place] & open[place] & own);
            }
            let has_any = |row: usize| kept[row * n..][..n].iter().any(|&word| word != W::ZERO);
            assert_eq!(live, [has_any(0), has_any(1)]);
        }
    }
}

#[test]
fn distinct_numbers() {
    check_distinct::<u64>();
    check_distinct::<u128>();
}

fn check_distinct<W: Word>() {
    let mut words = Words(11);
    for n_numbers in [1, 2, 3, 17, 64, 1000, 65_536] {
        for _ in 0..50 {
            let row: Vec<i16> = (0..W::BITS).map(|_| (words.next() % n_numbers) as i16).collect();
            let some = words.word(W::BITS);
            for among in [W::ZERO, W::bit(0), W::bit(W::BITS - 1), W::ONES, some, some & words.word(W::BITS)]
            {
                let mut expected: Vec<(i16, W)> = Vec::new();
                for at in among.bits() {
                    match expected.iter_mut().find(|(number, _)| *number == row[at]) {
                        Some((_, bits)) => *bits |= W::bit(at),
                        None => expected.push((row[at], W::bit(at))),
                    }
                }
                for level in levels() {
                    let mut distinct = Distinct::default();
                    find_at(level, &mut distinct, &row, among);
                    assert_eq!(distinct.found(), expected, "{level:?}, {row:?} among {among:?}");
                }
            }
        }
    }
}
