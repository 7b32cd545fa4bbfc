//! Numbers the squares of the leading group, the few men who are numbered together so that symmetric
//! placements share a number.
//!
//! Numbered naively three men have 64 × 63 × 62 placements. A board without pawns has eight symmetries, so
//! the first man can be brought into the triangle a1–d1–d4 (ten squares), and where he stands on its long
//! side the next one below the diagonal, and so on:
//!
//! ```text
//!   three unlike men   6·63·62 + 4·28·62 + 4·7·28 + 4·7·6 = 31,332   first man off the diagonal, on it, …
//!   two kings          462                                           kings that touch have no number
//!   two unlike men     6·63 + 4·28 + 4·7 = 518                       kings may touch, or be absent
//!   n like men         278, 6,162, …                                 see `like_men`
//!   n pawns            by the file (a to d) of the leading pawn, nearest the edge and the second rank
//! ```
//!
//! These numbers are those of the format: a reader computes the same.

use std::sync::LazyLock;

/// The number of a placement that has none.
pub(crate) const NONE: u32 = u32::MAX;

/// The most pawns of a leading group: six of seven men are not kings, and five pawns share a file's numbers.
pub(crate) const MAX_PAWNS: usize = 5;

/// How many placements three unlike men have.
const N_THREE: u32 = 31_332;

/// How many placements two kings have that do not touch.
const N_KINGS: u32 = 462;

/// How many placements two unlike men have.
const N_TWO: u32 = 518;

/// Which men lead.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LeadingGroup {
    /// Three unlike men.
    Three,
    /// The two kings, where no other man is without a like one, and kings may not touch.
    Kings,
    /// Two unlike men, where no other man is without a like one.
    Two,
    /// This many like men, where at most one man is without a like one.
    Like(usize),
    /// This many pawns of one side, the leading one on this file (0 to 3).
    Pawns { n: usize, file: usize },
}

struct Numbers {
    /// The square's number in the triangle a1–d1–d4.
    triangle: [u8; 64],
    /// The square's number below the diagonal a1–h8.
    below: [u8; 64],
    /// The number of two kings, the first one's square given by its number in the triangle.
    kings: [[u32; 64]; 10],
    /// How far to the front a pawn is: 47 on a2, 0 on e7.
    front: [u8; 64],
    /// The number at which the placements with the leading one of n + 1 pawns on a square begin.
    pawn: [[u32; 64]; MAX_PAWNS],
    /// How many placements there are of n + 1 pawns, the leading one on a file.
    n_pawn: [[u32; 4]; MAX_PAWNS],
}

static NUMBERS: LazyLock<Box<Numbers>> = LazyLock::new(|| Box::new(numbers()));

fn numbers() -> Numbers {
    let mut triangle = [0; 64];
    let scan = squares_of_triangle();
    scan.iter().zip(0..).for_each(|(&s, n)| triangle[s as usize] = n);
    let mut below = [0; 64];
    (0..64u8).filter(|s| above(*s) < 0).zip(0..).for_each(|(s, n)| below[s as usize] = n);
    let mut kings = [[NONE; 64]; 10];
    let (mut next, mut on_diagonal) = (0, Vec::new());
    for (t, &first) in scan.iter().enumerate() {
        for second in 0..64u8 {
            let apart = |shift: u8, mask: u8| (first >> shift & mask).abs_diff(second >> shift & mask) > 1;
            if !(apart(0, 7) || apart(3, 7)) || (above(first) == 0 && above(second) > 0) {
                continue;
            }
            if above(first) == 0 && above(second) == 0 {
                on_diagonal.push((t, second));
                continue;
            }
            kings[t][second as usize] = next;
            next += 1;
        }
    }
    for (t, second) in on_diagonal {
        kings[t][second as usize] = next;
        next += 1;
    }
    let mut front = [0; 64];
    let mut left = 48;
    for file in 0..4 {
        for rank in 1..7 {
            for square in [rank * 8 + file, rank * 8 + 7 - file] {
                left -= 1;
                front[square] = left;
            }
        }
    }
    let (mut pawn, mut n_pawn) = ([[0; 64]; MAX_PAWNS], [[0; 4]; MAX_PAWNS]);
    for (n, (pawn, n_pawn)) in pawn.iter_mut().zip(&mut n_pawn).enumerate() {
        for (file, n_pawn) in n_pawn.iter_mut().enumerate() {
            let mut begin = 0;
            for square in (1..7).map(|rank| rank * 8 + file) {
                pawn[square] = begin;
                begin += choose(u64::from(front[square]), n as u64) as u32;
            }
            *n_pawn = begin;
        }
    }
    Numbers { triangle, below, kings, front, pawn, n_pawn }
}

/// How far to the front of its number a pawn is; the leading pawn is the one with the most.
#[inline]
fn front(square: u8) -> u8 {
    NUMBERS.front[square as usize & 63]
}

/// The file, 0 to 3, of the one of these pawns that leads; 0 if there is none.
pub(crate) fn file_of_leader(pawns: impl Iterator<Item = u8>) -> usize {
    let leader = pawns.max_by_key(|&square| front(square));
    leader.map_or(0, |square| usize::from((square & 7).min(7 - (square & 7))))
}

impl LeadingGroup {
    /// How many men lead.
    pub(crate) fn n_men(self) -> usize {
        match self {
            LeadingGroup::Three => 3,
            LeadingGroup::Kings | LeadingGroup::Two => 2,
            LeadingGroup::Like(n) => n,
            LeadingGroup::Pawns { n, .. } => n,
        }
    }

    /// How many placements they have.
    pub(crate) fn size(self) -> u32 {
        match self {
            LeadingGroup::Three => N_THREE,
            LeadingGroup::Kings => N_KINGS,
            LeadingGroup::Two => N_TWO,
            LeadingGroup::Like(n) => size(n),
            LeadingGroup::Pawns { n, file } => NUMBERS.n_pawn[n - 1][file],
        }
    }

    /// The number of the leading men, the first of `squares`, which are put in the place that the number
    /// stands for together with all others; [`NONE`] where kings touch.
    #[inline]
    pub(crate) fn encode(self, squares: &mut [u8]) -> u32 {
        match self {
            LeadingGroup::Pawns { n, .. } => encode_pawns(squares, n),
            LeadingGroup::Like(n) => encode(squares, n),
            LeadingGroup::Three | LeadingGroup::Kings | LeadingGroup::Two => {
                normalise(squares, self.n_men());
                let (a, b) = (squares[0], squares[1]);
                match self {
                    LeadingGroup::Three => three(a, b, squares[2]),
                    LeadingGroup::Two => two(a, b),
                    _ => NUMBERS.kings[NUMBERS.triangle[a as usize] as usize][b as usize],
                }
            }
        }
    }

    /// For each number one placement of the leading men that has it; where there is none, all of them stand
    /// on a1.
    #[cfg(feature = "parallel")]
    pub(crate) fn placements(self) -> Vec<[u8; MAX_PAWNS]> {
        let mut all = vec![[0; MAX_PAWNS]; self.size() as usize];
        let mut note = |squares: &[u8]| {
            let mut own = [0; MAX_PAWNS];
            own[..squares.len()].copy_from_slice(squares);
            let number = self.encode(&mut own[..squares.len()]);
            if own[..squares.len()] == *squares
                && let Some(slot) = all.get_mut(number as usize)
            {
                *slot = own;
            }
        };
        match self {
            LeadingGroup::Pawns { n, file } => {
                for first in (1..7).map(|rank| rank * 8 + file as u8) {
                    let mut others: Vec<u8> = (8..56).filter(|&s| front(s) < front(first)).collect();
                    others.sort_unstable_by_key(|&s| front(s));
                    choices(&others, &mut vec![first], n, &mut note);
                }
            }
            LeadingGroup::Like(n) => visit(n, &mut note),
            LeadingGroup::Three | LeadingGroup::Kings | LeadingGroup::Two => {
                let corner = (0..64).filter(|&a| a & 7 < 4 && a >> 3 < 4 && above(a) <= 0);
                for (a, b) in corner.flat_map(|a| (0..64).filter(move |&b| b != a).map(move |b| (a, b))) {
                    match self {
                        LeadingGroup::Three => {
                            (0..64).filter(|c| ![a, b].contains(c)).for_each(|c| note(&[a, b, c]))
                        }
                        _ => note(&[a, b]),
                    }
                }
            }
        }
        all
    }
}

/// Mirrors a placement so that the first man is in the triangle and the first of the leading men who is off
/// the diagonal is below it. Men before him are on the diagonal, so it is all the same to them.
#[inline]
fn normalise(squares: &mut [u8], n_lead: usize) {
    let files = if squares[0] & 7 > 3 { 7 } else { 0 };
    let ranks = if squares[0] >> 3 > 3 { 56 } else { 0 };
    squares.iter_mut().for_each(|s| *s ^= files | ranks);
    if let Some(&first) = squares[..n_lead].iter().find(|&&s| above(s) != 0)
        && above(first) > 0
    {
        squares.iter_mut().for_each(|s| *s = transposed(*s));
    }
}

/// The number of two unlike men in normal form.
fn two(a: u8, b: u8) -> u32 {
    let numbers = &**NUMBERS;
    let rank = |s: u8| u32::from(s >> 3);
    if above(a) != 0 {
        return u32::from(numbers.triangle[a as usize]) * 63 + u32::from(b) - u32::from(b > a);
    }
    if above(b) != 0 {
        return 6 * 63 + rank(a) * 28 + u32::from(numbers.below[b as usize]);
    }
    6 * 63 + 4 * 28 + rank(a) * 7 + rank(b) - u32::from(b > a)
}

/// The number of three men in normal form.
fn three(a: u8, b: u8, c: u8) -> u32 {
    let numbers = &**NUMBERS;
    // The squares that earlier men stand on are left out of the count.
    let b_less = u32::from(b) - u32::from(b > a);
    let c_less = u32::from(c) - u32::from(c > a) - u32::from(c > b);
    let rank = |s: u8| u32::from(s >> 3);
    let rank_less = |s: u8, others: &[u8]| rank(s) - others.iter().filter(|&&o| s > o).count() as u32;
    if above(a) != 0 {
        return (u32::from(numbers.triangle[a as usize]) * 63 + b_less) * 62 + c_less;
    }
    let begin = 6 * 63;
    if above(b) != 0 {
        return (begin + rank(a) * 28 + u32::from(numbers.below[b as usize])) * 62 + c_less;
    }
    let begin = (begin + 4 * 28) * 62;
    if above(c) != 0 {
        return begin + rank(a) * 196 + rank_less(b, &[a]) * 28 + u32::from(numbers.below[c as usize]);
    }
    begin + 4 * 7 * 28 + rank(a) * 42 + rank_less(b, &[a]) * 6 + rank_less(c, &[a, b])
}

/// The number of the first `n` men, all pawns; the leading one comes to the front, on one of the files a to
/// d.
#[inline]
fn encode_pawns(squares: &mut [u8], n: usize) -> u32 {
    let leader = (0..n).max_by_key(|&i| front(squares[i])).unwrap_or(0);
    squares.swap(0, leader);
    if squares[0] & 7 > 3 {
        squares.iter_mut().for_each(|s| *s ^= 7);
    }
    squares[1..n].sort_unstable_by_key(|&s| front(s));
    let mut number = NUMBERS.pawn[n - 1][squares[0] as usize & 63];
    for (i, &square) in squares[1..n].iter().enumerate() {
        number += choose(u64::from(front(square)), i as u64 + 1) as u32;
    }
    number
}

/// The most like men that lead.
pub(crate) const MAX_LIKE: usize = 5;

struct LikeNumbers {
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

static LIKE_NUMBERS: LazyLock<Box<LikeNumbers>> = LazyLock::new(|| Box::new(like_numbers()));

/// Leads to the square on the other side of the board: of the files, of the ranks.
const FILES: u8 = 7;
const RANKS: u8 = 56;

fn like_numbers() -> LikeNumbers {
    let scan = squares_of_triangle();
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
    LikeNumbers { orbit, spiral, pairs, n_pairs, like }
}

/// Whether a square is in the triangle a5–a7–c5.
fn is_far(square: u8) -> bool {
    square >> 3 >= 4 && (square & 7) + (square >> 3) < 7
}

/// How many placements this many like men have.
///
/// Only games whose kings are men like any other have such tables. All like men are the same to us, so one
/// of them who stands nearest the middle of a side of the board (by the order of the triangle b1 c1 d1 c2 d2
/// d3 a1 b2 c3 d4) is brought there, and
///
/// ```text
///   two     of two that stand alike, the one is chosen after which the other is not in the triangle a5–a7–c5
///   more    the squares that stand before the first one in a spiral from the rim to the middle are left out,
///           and the others are a choice of the rest: its number among all choices
/// ```
///
/// The spiral numbers the squares from 63 to 0: the places of each square of the triangle clockwise, then
/// the next one.
pub(crate) fn size(n: usize) -> u32 {
    if n == 2 { LIKE_NUMBERS.n_pairs } else { LIKE_NUMBERS.like[n - 1][10] }
}

/// The number of the first `n` men, who are alike; all squares are put in the place that the number stands
/// for.
pub(crate) fn encode(squares: &mut [u8], n: usize) -> u32 {
    let numbers = &**LIKE_NUMBERS;
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
    for first in squares_of_triangle() {
        let inner = |square: &u8| {
            n == 2 || LIKE_NUMBERS.spiral[*square as usize] < LIKE_NUMBERS.spiral[first as usize]
        };
        let mut others: Vec<u8> = (0..64).filter(|&square| square != first).filter(inner).collect();
        others.sort_unstable_by_key(|&square| LIKE_NUMBERS.spiral[square as usize]);
        choices(&others, &mut vec![first], n, note);
    }
}

/// The most men that are chosen together, and one.
const N_CHOSEN: usize = 8;

/// The ways to choose some of up to 64.
static CHOICES: [[u64; N_CHOSEN]; 65] = choices_of_64();

const fn choices_of_64() -> [[u64; N_CHOSEN]; 65] {
    let mut all = [[0; N_CHOSEN]; 65];
    let mut n = 0;
    while n <= 64 {
        all[n][0] = 1;
        let mut k = 1;
        while k < N_CHOSEN && n > 0 {
            all[n][k] = all[n - 1][k - 1] + all[n - 1][k];
            k += 1;
        }
        n += 1;
    }
    all
}

/// The number of ways to choose `k`, at most seven, of `n`, at most 64.
#[inline]
pub(crate) fn choose(n: u64, k: u64) -> u64 {
    CHOICES[n as usize][k as usize]
}

/// Every choice of `n` squares that begins as `chosen`, the others ascending.
#[cfg(feature = "parallel")]
pub(crate) fn choices(from: &[u8], chosen: &mut Vec<u8>, n: usize, note: &mut impl FnMut(&[u8])) {
    if chosen.len() == n {
        return note(chosen);
    }
    for (i, &square) in from.iter().enumerate() {
        chosen.push(square);
        choices(&from[i + 1..], chosen, n, note);
        chosen.pop();
    }
}

/// Above the diagonal a1–h8 if positive, below it if negative.
pub(crate) fn above(square: u8) -> i32 {
    i32::from(square >> 3) - i32::from(square & 7)
}

/// The square mirrored at the diagonal a1–h8.
pub(crate) const fn transposed(square: u8) -> u8 {
    (square >> 3 | square << 3) & 63
}

/// The squares of the triangle a1–d1–d4 in the order of their numbers: those of its long side last.
pub(crate) fn squares_of_triangle() -> Vec<u8> {
    let corner = |s: &u8| s & 7 < 4 && s >> 3 < 4;
    let off = (0..64).filter(|s| corner(s) && above(*s) < 0);
    let on = (0..64).filter(|s| corner(s) && above(*s) == 0);
    off.chain(on).collect()
}
