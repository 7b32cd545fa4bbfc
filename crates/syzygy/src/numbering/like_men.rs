//! Numbers the squares of a leading group of like men: KKvK, QQvQQ, NNNvK, where no two men are without a
//! like one.
//!
//! Only games whose kings are men like any other have such tables. All like men are the same to us, so one of
//! them who stands nearest the middle of a side of the board (by the order of the triangle b1 c1 d1 c2 d2 d3
//! a1 b2 c3 d4) is brought there, and
//!
//! ```text
//!   two     of two that stand alike, the one is chosen after which the other is not in the triangle a5–a7–c5
//!   more    the squares that stand before the first one in a spiral from the rim to the middle are left out,
//!           and the others are a choice of the rest: its number among all choices
//! ```
//!
//! The spiral numbers the squares from 63 to 0: the places of each square of the triangle clockwise, then the
//! next one.

use super::NONE;
#[cfg(feature = "parallel")]
use super::choice::choices;
use super::choice::choose;
use super::square::{above, transposed, triangle};
use std::sync::LazyLock;

/// The most like men that lead.
pub(crate) const MAX_LIKE: usize = 5;

struct Numbers {
    /// The number in the triangle of the place to which symmetries bring a square.
    orbit: [u8; 64],
    /// The square's number in the spiral.
    spiral: [u8; 64],
    /// The number of two men, the first one's square given by its number in the triangle.
    pairs: [[u32; 64]; 10],
    n_pairs: u32,
    /// The number at which the placements of n + 1 men begin of whom the first stands there in the triangle;
    /// and of all.
    like: [[u32; 11]; MAX_LIKE],
}

static NUMBERS: LazyLock<Box<Numbers>> = LazyLock::new(|| Box::new(numbers()));

/// The same square on the other side of the board: of the files, of the ranks.
const FILES: u8 = 7;
const RANKS: u8 = 56;

fn numbers() -> Numbers {
    let scan = triangle();
    let (mut orbit, mut spiral) = ([0; 64], [0; 64]);
    let mut next = 64;
    for (&square, number) in scan.iter().zip(0..) {
        let flipped = transposed(square);
        let mut clockwise = vec![square, flipped, flipped ^ RANKS, square ^ RANKS];
        let other_half = clockwise.iter().rev().map(|square| square ^ FILES).collect::<Vec<u8>>();
        clockwise.extend(other_half);
        clockwise.dedup();
        for place in clockwise {
            next -= 1;
            (orbit[place as usize], spiral[place as usize]) = (number, next);
        }
    }
    let (mut pairs, mut n_pairs) = ([[NONE; 64]; 10], 0);
    for (t, &first) in (0..).zip(&scan) {
        let is_wanted = |second: &u8| {
            let own = orbit[*second as usize];
            *second != first && own >= t && !(own == t && is_far(*second))
        };
        let all = || (0..64).filter(is_wanted);
        let seconds: Vec<u8> = match above(first) {
            0 => all().filter(|&s| above(s) == 0).chain(all().filter(|&s| above(s) < 0)).collect(),
            _ => all().collect(),
        };
        for second in seconds {
            pairs[t as usize][second as usize] = n_pairs;
            n_pairs += 1;
        }
    }
    let mut like = [[0; 11]; MAX_LIKE];
    for (n_others, like) in (0..).zip(&mut like) {
        for (t, &first) in scan.iter().enumerate() {
            like[t + 1] = like[t] + choose(spiral[first as usize].into(), n_others) as u32;
        }
    }
    Numbers { orbit, spiral, pairs, n_pairs, like }
}

/// Whether a square is in the triangle a5–a7–c5.
fn is_far(square: u8) -> bool {
    square >> 3 >= 4 && (square & 7) + (square >> 3) < 7
}

/// How many placements so many like men have.
pub(crate) fn size(n: usize) -> u32 {
    if n == 2 { NUMBERS.n_pairs } else { NUMBERS.like[n - 1][10] }
}

/// The number of the first `n` men, who are alike; all squares are put in the place that the number stands
/// for.
pub(crate) fn encode(squares: &mut [u8], n: usize) -> u32 {
    let numbers = &**NUMBERS;
    let orbit = |square: u8| numbers.orbit[square as usize & 63];
    let first = (0..n).min_by_key(|&i| orbit(squares[i])).unwrap_or(0);
    squares.swap(0, first);
    let files = if squares[0] & 7 > 3 { FILES } else { 0 };
    let ranks = if squares[0] >> 3 > 3 { RANKS } else { 0 };
    squares.iter_mut().for_each(|square| *square ^= files | ranks);
    let is_above = above(squares[0]) > 0 || (n == 2 && above(squares[0]) == 0 && above(squares[1]) > 0);
    if is_above {
        squares.iter_mut().for_each(|square| *square = transposed(*square));
    }
    if n == 2 {
        if orbit(squares[0]) == orbit(squares[1]) && is_far(squares[1]) {
            squares.swap(0, 1);
            squares.iter_mut().for_each(|square| *square = transposed(*square ^ RANKS));
        }
        return numbers.pairs[orbit(squares[0]) as usize][squares[1] as usize];
    }
    let place = |square: u8| numbers.spiral[square as usize & 63];
    squares[1..n].sort_unstable_by_key(|&square| place(square));
    let mut number = numbers.like[n - 1][orbit(squares[0]) as usize];
    for (&square, i) in squares[1..n].iter().zip(1..) {
        number += choose(place(square).into(), i) as u32;
    }
    number
}

/// Calls `note` with a placement for each number, and maybe some that are none.
#[cfg(feature = "parallel")]
pub(crate) fn visit(n: usize, note: &mut impl FnMut(&[u8])) {
    for first in triangle() {
        let inner = |square: &u8| n == 2 || NUMBERS.spiral[*square as usize] < NUMBERS.spiral[first as usize];
        let mut others: Vec<u8> = (0..64).filter(|&square| square != first).filter(inner).collect();
        others.sort_unstable_by_key(|&square| NUMBERS.spiral[square as usize]);
        choices(&others, &mut vec![first], n, note);
    }
}
