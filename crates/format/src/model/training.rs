//! Trains a prior and counts literals on samples of codes. The weights of a prior move step by step, as those
//! of a mixer do.
//!
//! Each code of the sample is an example: the features whose weights make its score, and whether the first
//! guess was right. The weights of an example move towards what would have predicted that,
//!
//! ```text
//!   weight += rate × (right − squash(score))
//! ```
//!
//! at first far, then less and less; examples come in an order in which neighbours do not follow each other.
//!
//! Everything is an integer, so that a file has the same bytes on every machine.

use super::prior::{Features, Prior};
use super::tree::LiteralTree;
use crate::model::context::{Misses, Neighbours, Run, Surroundings};
use crate::model::mixer::squash;
use crate::model::prior::TileMen;
use crate::tile::Grid;
use std::io;

/// How often each example is seen.
const N_ROUNDS: u64 = 2;

/// How fast weights move in the beginning and in the end, in 1,024ths.
const FIRST_RATE: u64 = 112;
const LAST_RATE: u64 = 10;

/// Weights while they move: a logarithm of odds of 1.0 has this many bits behind the point.
const WEIGHT_BITS: u32 = 20;
/// From there to 128ths, and to the sixteenths that are kept.
const TO_ODDS: u32 = WEIGHT_BITS - 7;
const TO_KEPT: u32 = WEIGHT_BITS - 4;

/// Of this many runs one has examples: neighbours teach the same, and all samples of a side are in memory at
/// once (60 MB for five men where nothing repeats, a third of that as a rule).
const THINNED: usize = 4;

/// A prime above any number of examples: its multiples are all of them, far from each other.
const STRIDE: u64 = 2_654_435_761;

/// The examples of one block.
pub(crate) struct Sample {
    features: Features,
    /// The features of the examples, one example after the other, each counted from the start of its group.
    examples: Vec<u16>,
    are_right: Vec<bool>,
    /// How often each code was a literal.
    literals: Vec<u32>,
}

impl Sample {
    /// The most memory that the examples of a block of this many codes take, where nothing repeats.
    ///
    /// Units: bytes.
    pub(crate) const fn most_bytes(n_men: usize, n_codes: usize) -> usize {
        let n_features = n_men * (n_men - 1) / 2 + 3;
        n_codes / THINNED * (n_features * size_of::<u16>() + size_of::<bool>())
    }

    /// The examples of one block: codes from this place of a tile on, none of them 0.
    pub(crate) fn new(men: &TileMen<'_>, grid: &Grid, start: usize, codes: &[u16]) -> Self {
        let features = Features::new(men.layout());
        let starts = features.starts();
        let (mut examples, mut are_right) = (Vec::new(), Vec::new());
        let mut misses = Misses::default();
        misses.clear(codes.len());
        let (mut literals, mut n_runs) = (Vec::new(), 0);
        for run in Run::all(grid, start, codes.len()) {
            let places = run.start..run.start + run.len;
            if run.row > 0 && codes[run.start - run.row..][..run.len] == codes[places.clone()] {
                continue;
            }
            n_runs += 1;
            let mut of_run = misses.around(&run);
            let surroundings = Surroundings::new(&run, &codes[..run.start]);
            for place in places {
                let in_run = place - run.start;
                let around = Neighbours::new(&surroundings, &codes[run.start..], in_run);
                let (guess, second) = around.guesses();
                let of_code = features.of_code(around.alike(), of_run.around(in_run), guess);
                let is_right = codes[place] == guess;
                if !is_right {
                    of_run.note(in_run);
                    if Some(codes[place]) != second {
                        let code = usize::from(codes[place]);
                        literals.resize(literals.len().max(code + 1), 0);
                        literals[code] += 1;
                    }
                }
                if n_runs % THINNED == 0 {
                    let squares = men.squares(start + place);
                    let of_all = features.of_squares(&squares).chain(of_code).zip(&starts);
                    examples.extend(of_all.map(|(feature, start)| (feature - start) as u16));
                    are_right.push(is_right);
                }
            }
            misses.keep(&run, of_run);
        }
        examples.shrink_to_fit();
        Sample { features, examples, are_right, literals }
    }

    /// The tree of the literals of these samples.
    pub(crate) fn tree(samples: &[Sample]) -> LiteralTree {
        let n_codes = samples.iter().map(|sample| sample.literals.len()).max().unwrap_or(0);
        let mut counts = vec![0; n_codes];
        for sample in samples {
            counts.iter_mut().zip(&sample.literals).for_each(|(count, n)| *count += n);
        }
        LiteralTree::of_counts(&counts)
    }

    /// The weights that these samples train together; none if there is no example.
    pub(crate) fn train(samples: &[Sample]) -> io::Result<Option<Prior>> {
        let Some(features) = samples.first().map(|sample| sample.features) else { return Ok(None) };
        let starts = features.starts();
        // Where the examples of each sample end among all.
        let ends: Vec<usize> = samples
            .iter()
            .scan(0, |end, sample| {
                *end += sample.are_right.len();
                Some(*end)
            })
            .collect();
        let n = ends.last().copied().unwrap_or(0) as u64;
        if n == 0 {
            return Ok(None);
        }
        let mut weights = vec![0i32; features.len()];
        for step in 0..n * N_ROUNDS {
            let at = (step * STRIDE % n) as usize;
            let of = ends.partition_point(|&end| end <= at);
            let sample = &samples[of];
            let at = at + sample.are_right.len() - ends[of];
            let (example, is_right) =
                (&sample.examples[at * starts.len()..][..starts.len()], sample.are_right[at]);
            let of_example =
                || starts.iter().zip(example).map(|(start, &feature)| start + usize::from(feature));
            let sum: i32 = of_example().map(|feature| weights[feature]).sum();
            let rate = FIRST_RATE - (FIRST_RATE - LAST_RATE) * step / (n * N_ROUNDS);
            let miss = (i32::from(is_right) << 16) - squash(sum >> TO_ODDS) as i32;
            // A probability has 16 bits behind the point, a rate ten.
            let change = (miss * rate as i32) >> (16 + 10 - WEIGHT_BITS);
            of_example().for_each(|feature| weights[feature] += change);
        }
        let kept = |weight: i32| {
            let rounded = (weight + (1 << (TO_KEPT - 1))) >> TO_KEPT;
            rounded.clamp(-i32::from(i8::MAX), i32::from(i8::MAX)) as i8
        };
        Prior::new(features, weights.into_iter().map(kept).collect()).map(Some)
    }
}
