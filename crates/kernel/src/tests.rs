//! Each kernel against the slow definition of what it does, on every board shape's steps and all lengths with a tail.

use crate::axis::{axis_leap_at, axis_ride_at};
use crate::lane::{lane_leap_at, lane_ride_at};
use crate::permute::permute_block_at;
use crate::{AxisStep, LanePermutation, LaneStep, Level, lane_word, permute_word};

/// Every level that this processor can run.
fn levels() -> impl Iterator<Item = Level> {
    [Level::Portable, Level::Avx2, Level::Avx512].into_iter().filter(|&level| level <= Level::detected())
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
}

/// A board with a step: where the step leads from a square, if anywhere.
#[derive(Clone, Copy)]
struct Ground {
    files: i32,
    ranks: i32,
    step: (i32, i32),
}

impl Ground {
    fn target(self, s: usize) -> Option<usize> {
        let (f, r) = (s as i32 % self.files + self.step.0, s as i32 / self.files + self.step.1);
        ((0..self.files).contains(&f) && (0..self.ranks).contains(&r)).then(|| (r * self.files + f) as usize)
    }

    fn n(self) -> usize {
        (self.files * self.ranks) as usize
    }

    fn mask(self) -> u64 {
        u64::MAX >> (64 - self.n())
    }

    fn lane_step(self, limit: u32) -> LaneStep {
        let sources = (0..self.n()).filter(|&s| self.target(s).is_some()).map(|s| 1 << s).sum();
        LaneStep { shift: -(self.step.0 + self.step.1 * self.files), sources, limit }
    }

    fn axis_step(self, limit: u32) -> AxisStep {
        let depth = |s: usize| std::iter::successors(Some(s), |&s| self.target(s)).count();
        let mut pairs: Vec<(u8, u8)> =
            (0..self.n()).filter_map(|s| self.target(s).map(|t| (s as u8, t as u8))).collect();
        pairs.sort_by_key(|&(s, _)| depth(s as usize));
        AxisStep { pairs, limit }
    }

    /// From which squares `targets` are reached, square by square.
    fn sources(self, targets: u64, free: u64, limit: u32) -> u64 {
        let reaches = |s: usize| {
            let mut at = s;
            (0..limit).any(|i| {
                if i > 0 && free >> at & 1 == 0 {
                    return false;
                }
                let Some(next) = self.target(at) else { return false };
                // A square that is not free stops the ride for good: make every later look fail too.
                at = next;
                targets >> at & 1 == 1 && self.free_between(s, at, free)
            })
        };
        (0..self.n()).filter(|&s| reaches(s)).map(|s| 1 << s).sum()
    }

    fn free_between(self, s: usize, t: usize, free: u64) -> bool {
        std::iter::successors(self.target(s), |&at| self.target(at))
            .take_while(|&at| at != t)
            .all(|at| free >> at & 1 == 1)
    }
}

fn grounds() -> Vec<Ground> {
    let steps = [(1, 0), (0, 1), (-1, 1), (1, 1), (2, 1), (-1, -2), (0, -1), (-2, 0), (3, 2)];
    let boards = [(8, 8), (3, 5), (5, 6), (4, 16), (16, 4)];
    let of_board = |(files, ranks)| steps.map(|step| Ground { files, ranks, step });
    boards.into_iter().flat_map(of_board).collect()
}

#[test]
fn lane_steps_lead_from_every_source() {
    let mut words = Words(1);
    for ground in grounds() {
        for limit in [1, 2, 3, 255] {
            let step = ground.lane_step(limit);
            for n in [0, 1, 3, 8, 17, 64] {
                let (src, free) = (words.vec(n, ground.mask()), words.vec(n, ground.mask()));
                let before = words.vec(n, ground.mask());
                for level in levels() {
                    let mut dst = before.clone();
                    match limit {
                        1 => lane_leap_at(level, &mut dst, &src, step),
                        _ => lane_ride_at(level, &mut dst, &src, &free, step),
                    }
                    for i in 0..n {
                        let expected = ground.sources(src[i], free[i], limit);
                        assert_eq!(dst[i], before[i] | expected, "{level:?} {:?} limit {limit}", ground.step);
                        assert_eq!(lane_word(src[i], free[i], step), expected);
                    }
                }
            }
        }
    }
}

#[test]
fn axis_steps_lead_from_every_source() {
    let mut words = Words(2);
    for ground in grounds() {
        for limit in [1, 2, 3, 255] {
            let step = ground.axis_step(limit);
            for inner in [1, 2, 5, 8] {
                let n = ground.n() * inner;
                let (src, free, before) = (words.vec(n, !0), words.vec(n, !0), words.vec(n, !0));
                for level in levels() {
                    let mut dst = before.clone();
                    let mut scratch = vec![!0; n];
                    match limit {
                        1 => axis_leap_at(level, &mut dst, &src, inner, &step),
                        _ => axis_ride_at(level, &mut dst, &src, &free, &mut scratch, inner, &step),
                    }
                    // One bit of one inner word at a time is a plain set of squares.
                    for (i, bit) in [(0, 0), (inner - 1, 63), (inner / 2, 31)] {
                        let column = |rows: &[u64]| -> u64 {
                            (0..ground.n()).map(|s| (rows[s * inner + i] >> bit & 1) << s).sum()
                        };
                        let expected = column(&before) | ground.sources(column(&src), column(&free), limit);
                        let case = (level, ground.step, limit, inner);
                        assert_eq!(column(&dst), expected, "{case:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn permutations_take_each_bit_where_it_belongs() {
    let mut words = Words(3);
    let mirror = |n: usize| (0..n as u8).rev().collect::<Vec<_>>();
    let transpose: Vec<u8> = (0..64).map(|i| i % 8 * 8 + i / 8).collect();
    let rotate: Vec<u8> = (0..64).map(|i| i % 8 * 8 + 7 - i / 8).collect();
    for map in [(0..64).collect(), mirror(64), mirror(30), transpose, rotate, vec![2, 0, 1]] {
        let permutation = LanePermutation::from_map(&map);
        let mask = u64::MAX >> (64 - map.len());
        for word in words.vec(20, mask) {
            let expected: u64 = map.iter().enumerate().map(|(i, &to)| (word >> i & 1) << to).sum();
            assert_eq!(permute_word(word, &permutation), expected, "{map:?}");
        }
        for n in [0, 1, 7, 64] {
            let (src, before) = (words.vec(n, mask), words.vec(n, mask));
            let rows: Vec<u32> = (0..n as u32).rev().collect();
            for level in levels() {
                let mut dst = before.clone();
                permute_block_at(level, &mut dst, &src, &rows, &permutation);
                for i in 0..n {
                    assert_eq!(dst[i], before[i] | permute_word(src[n - 1 - i], &permutation), "{level:?}");
                }
            }
        }
    }
}
