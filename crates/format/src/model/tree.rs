//! Leads to a literal, a code that is neither guess, by questions with two answers: the tree of a side's
//! literals.
//!
//! The leaves stand in a row: even codes, odd codes, and last *another one*, for codes that the tree does not
//! have. A node parts its leaves where both parts weigh as nearly the same as can be. What a code weighs is
//! how often it was a literal in a sample, as a power of two, which stands in the file. So few questions lead
//! to what comes often, and codes that share questions are near each other.
//!
//! Values of neighbours differ by an even number of plies nearly always, and seldom by many. So beside what
//! counters say each question has a score by how near to the guess the codes of either answer are: a code
//! that is `2k` above or below the guess counts as 1 + 4,200 / (k (k + 1)); any other that is a win or a loss
//! as 2, a draw as 60.

use crate::model::mixer::stretch;
#[cfg(feature = "parallel")]
use std::io;
#[cfg(feature = "parallel")]
use zstd::bulk::compress;
use zstd::bulk::decompress;

/// Codes from this one on are no leaves of their own.
pub(super) const MOST_CODES: usize = 1 << 10;

/// The most that a code weighs, as a power of two.
const MOST_LEVEL: u8 = 16;

/// The lowest code of a win or a loss; draws are below.
const FIRST_DECIDED: usize = 3;

const NEAR: u32 = 4_200;
const WEIGHT_OF_DRAW: u32 = 60;
const WEIGHT_OF_OTHERS: u32 = 2;

/// As for priors: it is done once for a side.
#[cfg(feature = "parallel")]
const LEVEL: i32 = 19;

/// The questions that lead to the literals of a side to move.
#[derive(Debug)]
pub(crate) struct LiteralTree {
    /// How often each code was a literal, as a power of two.
    levels: Vec<u8>,
    /// Level by level from the root, which is the first.
    nodes: Vec<Node>,
    /// The place of each leaf in the row.
    places: Vec<u16>,
    /// By guess and node.
    scores: Vec<i16>,
}

/// A question: is the leaf behind the first part?
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    /// The first place of the second part.
    pub(super) split: u16,
    /// What the answers no and yes lead to.
    pub(super) next: [Next; 2],
}

/// What an answer leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Next {
    /// Another question.
    Node(u16),
    /// A code.
    Code(u16),
    /// A code that is no leaf.
    Another,
}

impl LiteralTree {
    /// A tree whose codes all weigh the same, for sides of which no literal is known: codes of a byte or of
    /// two.
    #[cfg(feature = "parallel")]
    pub(crate) fn even(n_bytes: usize) -> Self {
        LiteralTree::new(vec![0; if n_bytes == 1 { 1 << u8::BITS } else { MOST_CODES }])
    }

    /// By how often each code was a literal.
    #[cfg(feature = "parallel")]
    pub(super) fn of_counts(counts: &[u32]) -> Self {
        let n_codes = counts.len().clamp(1, MOST_CODES);
        let total: u64 = counts.iter().map(|&n| u64::from(n)).sum::<u64>().max(1);
        let level =
            |&n: &u32| (u64::from(n) << MOST_LEVEL).checked_div(total).map_or(0, |part| part.max(1).ilog2());
        let mut levels: Vec<u8> = counts.iter().take(n_codes).map(|n| level(n) as u8).collect();
        levels.resize(n_codes, 0);
        LiteralTree::new(levels)
    }

    /// From the frame that a file has of it; none if it is not one, of codes of this many bits.
    pub(crate) fn decode(frame: &[u8], n_bits: u32) -> Option<Self> {
        let levels = decompress(frame, MOST_CODES).ok()?;
        let is_one =
            (1..=1 << n_bits).contains(&levels.len()) && levels.iter().all(|&level| level <= MOST_LEVEL);
        is_one.then(|| LiteralTree::new(levels))
    }

    /// The frame for a file.
    #[cfg(feature = "parallel")]
    pub(crate) fn frame(&self) -> io::Result<Vec<u8>> {
        compress(&self.levels, LEVEL)
    }

    /// # Panics
    /// If there are no levels, or too many.
    fn new(levels: Vec<u8>) -> Self {
        let n_codes = levels.len();
        assert!((1..=MOST_CODES).contains(&n_codes), "{n_codes} codes");
        let row: Vec<u16> = (0..2).flat_map(|parity| (parity..n_codes as u16).step_by(2)).collect();
        let mut places = vec![0; n_codes];
        row.iter().zip(0..).for_each(|(&code, place)| places[usize::from(code)] = place);
        let weights = row.iter().map(|&code| 1u64 << levels[usize::from(code)]).chain([1]);
        let sums = sums(weights);
        let leaf = |place: usize| row.get(place).map_or(Next::Another, |&code| Next::Code(code));
        // Ranges of leaves that wait for their node, which follows those before them.
        let (mut ranges, mut nodes) = (vec![[0, n_codes + 1]], Vec::with_capacity(n_codes));
        while let Some(&[start, end]) = ranges.get(nodes.len()) {
            let split = split(&sums, start, end);
            let next = [[start, split], [split, end]].map(|[start, end]| {
                if end - start == 1 {
                    return leaf(start);
                }
                ranges.push([start, end]);
                Next::Node(ranges.len() as u16 - 1)
            });
            nodes.push(Node { split: split as u16, next });
        }
        let scores = scores(&row, &ranges, &nodes);
        LiteralTree { levels, nodes, places, scores }
    }

    /// Whether a guess is a win or a loss: codes near it are likelier than others.
    #[inline]
    pub(super) fn is_decided(&self, guess: u16) -> bool {
        usize::from(guess) >= FIRST_DECIDED
    }

    /// The place of a code's leaf.
    #[inline]
    pub(super) fn place(&self, code: u16) -> u16 {
        self.places.get(usize::from(code)).copied().unwrap_or(self.levels.len() as u16)
    }

    /// A node.
    #[inline]
    pub(super) fn node(&self, node: u16) -> Node {
        self.nodes[usize::from(node)]
    }

    /// The logarithms of the odds, in 128ths, that each question near this guess is answered with yes, by
    /// nodes; all alike if the guess is no win and no loss, or no leaf.
    #[inline]
    pub(super) fn scores(&self, guess: u16) -> &[i16] {
        let (n, guess) = (self.nodes.len(), usize::from(guess));
        let guess = if guess < self.levels.len() { guess } else { 0 };
        &self.scores[guess * n..(guess + 1) * n]
    }
}

/// The first place of the second part of some leaves: both parts weigh as nearly the same as can be. Of
/// places that are equal in that it is the first.
fn split(sums: &[u64], start: usize, end: usize) -> usize {
    let both = sums[start] + sums[end];
    let is_off = |split: &usize| (2 * sums[*split]).abs_diff(both);
    (start + 1..end).min_by_key(is_off).expect("a node has two leaves at least")
}

/// The scores of all guesses and nodes.
fn scores(row: &[u16], ranges: &[[usize; 2]], nodes: &[Node]) -> Vec<i16> {
    let mut all = vec![0; row.len() * nodes.len()];
    for (guess, scores) in all.chunks_exact_mut(nodes.len()).enumerate().skip(FIRST_DECIDED) {
        let sums = sums(row.iter().map(|&code| u64::from(weight_near(guess, code.into()))).chain([0]));
        for ((score, node), [start, end]) in scores.iter_mut().zip(nodes).zip(ranges) {
            let [no, yes] = [[*start, node.split.into()], [node.split.into(), *end]]
                .map(|[start, end]: [usize; 2]| (sums[end] - sums[start]) as u32);
            *score = stretch((yes + 1) * (1 << 12) / (no + yes + 2)) as i16;
        }
    }
    all
}

/// What a code counts near a guess that is a win or a loss.
fn weight_near(guess: usize, code: usize) -> u32 {
    let steps = code.abs_diff(guess) as u32 / 2;
    match code {
        0 => 0,
        1..FIRST_DECIDED => WEIGHT_OF_DRAW,
        _ if code % 2 != guess % 2 => WEIGHT_OF_OTHERS,
        _ if steps == 0 => 0,
        _ => 1 + NEAR / (steps * (steps + 1)),
    }
}

/// The sums of all numbers before each place, and before the end.
fn sums(numbers: impl Iterator<Item = u64>) -> Vec<u64> {
    let mut sum = 0;
    let mut sums = vec![0];
    sums.extend(numbers.map(|number| {
        sum += number;
        sum
    }));
    sums
}

#[cfg(all(test, feature = "parallel"))]
mod tests {
    use super::*;

    /// The answers that lead to a code, and what they lead to.
    fn way(tree: &LiteralTree, code: u16) -> (Vec<bool>, Next) {
        let (mut answers, mut next, place) = (Vec::new(), Next::Node(0), tree.place(code));
        while let Next::Node(node) = next {
            let node = tree.node(node);
            answers.push(place >= node.split);
            next = node.next[usize::from(place >= node.split)];
        }
        (answers, next)
    }

    #[test]
    fn each_code_has_a_way_of_its_own() {
        let often = |code: u32| if code % 2 == 1 { 100_000 / code } else { code % 7 };
        for counts in [vec![], vec![0], vec![0, 5], (0..131).map(often).collect(), vec![9; 2000]] {
            let tree = LiteralTree::of_counts(&counts);
            let n_codes = counts.len().clamp(1, MOST_CODES) as u16;
            let ways: Vec<Vec<bool>> = (0..n_codes)
                .map(|code| {
                    let (answers, next) = way(&tree, code);
                    assert_eq!(next, Next::Code(code));
                    answers
                })
                .collect();
            let mut sorted = ways.clone();
            sorted.sort();
            sorted.dedup();
            assert_eq!(sorted.len(), ways.len());
            assert_eq!(way(&tree, n_codes).1, Next::Another);
            assert_eq!(way(&tree, u16::MAX).1, Next::Another);
            let read = LiteralTree::decode(&tree.frame().unwrap(), 16).unwrap();
            assert!((0..n_codes).all(|code| way(&read, code) == way(&tree, code)));
        }
    }

    #[test]
    fn what_is_often_is_near_the_root() {
        let counts: Vec<u32> = (0..200).map(|code| if code == 41 { 10_000 } else { 10 }).collect();
        let tree = LiteralTree::of_counts(&counts);
        assert!(way(&tree, 41).0.len() <= 3, "{:?}", way(&tree, 41));
        assert!(way(&tree, 100).0.len() >= 6);
        // Weights that are far apart make no way without end.
        let steep: Vec<u32> = (0..16).map(|at| 1 << (2 * at)).collect();
        assert!((0..16).all(|code| way(&LiteralTree::of_counts(&steep), code).0.len() <= 16));
    }

    #[test]
    fn two_plies_away_is_likelier_than_twenty() {
        let tree = LiteralTree::even(1);
        // The odds of a way: the logarithms of all answers' probabilities.
        let odds = |guess: u16, code: u16| {
            let (mut next, mut sum, place) = (Next::Node(0), 0.0, tree.place(code));
            while let Next::Node(at) = next {
                let (node, score) = (tree.node(at), f64::from(tree.scores(guess)[usize::from(at)]) / 128.0);
                let is_yes = place >= node.split;
                sum -= (1.0 + (if is_yes { -score } else { score }).exp()).ln();
                next = node.next[usize::from(is_yes)];
            }
            sum
        };
        assert!(odds(41, 43) > odds(41, 61) + 2.0 && odds(41, 39) > odds(41, 21) + 2.0);
        assert!(odds(41, 61) > odds(41, 60) + 1.0, "a win stays one");
        assert!(tree.scores(1).iter().all(|&score| score == 0), "nothing is near a draw");
        assert_eq!(tree.scores(300), tree.scores(0));
    }

    #[test]
    fn what_is_no_tree_is_refused() {
        let frame = |levels: &[u8]| compress(levels, 3).unwrap();
        assert!(LiteralTree::decode(&frame(&[3; 256]), 8).is_some());
        assert!(LiteralTree::decode(&frame(&[3; 257]), 8).is_none(), "codes that no byte has");
        assert!(LiteralTree::decode(&frame(&[3; 1025]), 16).is_none(), "too many");
        assert!(
            LiteralTree::decode(&frame(&[17]), 8).is_none() && LiteralTree::decode(&frame(&[]), 8).is_none()
        );
        assert!(
            LiteralTree::decode(&frame(&[3; 9])[1..], 8).is_none() && LiteralTree::decode(&[], 8).is_none()
        );
    }
}
