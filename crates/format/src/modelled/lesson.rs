//! How the weights of what is learned beforehand are found: step by step over a sample, as in a mixture.
//!
//! Each code of the sample is an example: the places whose weights make its score, and whether the first guess was
//! right. The weights of an example move towards what would have told so,
//!
//! ```text
//!   weight += rate × (right − squash(score))
//! ```
//!
//! at first far, then less and less; examples come in an order in which neighbours do not follow each other.
//!
//! Everything is an integer, so that a file has the same bytes on every machine.

use super::grid::Grid;
use super::learned::{Learned, Places};
use super::mixture::squash;
use super::outlook::Men;
use super::surroundings::{Run, Surroundings};

/// How often each example is seen.
const N_ROUNDS: u64 = 2;

/// How fast weights move in the beginning and in the end, in 1,024ths.
const FIRST_RATE: u64 = 112;
const LAST_RATE: u64 = 10;

/// Weights while they move: a logarithm of odds of 1.0 has so many bits behind the point.
const WEIGHT_BITS: u32 = 20;
/// From there to 128ths, and to the sixteenths that are kept.
const TO_ODDS: u32 = WEIGHT_BITS - 7;
const TO_KEPT: u32 = WEIGHT_BITS - 4;

/// Of so many runs one is an example: neighbours teach the same.
const THINNED: usize = 4;

/// A prime above any number of examples: its multiples are all of them, far from each other.
const STRIDE: u64 = 2_654_435_761;

/// What a sample of codes teaches.
pub(crate) struct Lesson {
    places: Places,
    /// How many places an example has.
    n_places: usize,
    /// The places of the examples, one after the other.
    examples: Vec<u32>,
    are_right: Vec<bool>,
}

impl Lesson {
    /// A lesson from one block: codes from this place of a tile on, none of them 0.
    pub(crate) fn new(men: &Men<'_>, grid: &Grid, start: usize, codes: &[u16]) -> Self {
        let places = Places::new(men.layout());
        let (mut examples, mut are_right) = (Vec::new(), Vec::new());
        let mut misses = vec![false; codes.len()];
        let (mut next, mut n_runs) = (0, 0);
        while next < codes.len() {
            let run = Run::new(grid, start, next, codes.len());
            next += run.len;
            if run.row > 0 && codes[run.start - run.row..][..run.len] == codes[run.start..next] {
                continue;
            }
            n_runs += 1;
            for place in run.start..next {
                let around = Surroundings::new(&run, place, codes);
                let (guess, _) = around.guesses();
                let of_code = places.of_code(around.alike(), run.misses_around(place, &misses), guess);
                misses[place] = codes[place] != guess;
                if n_runs % THINNED == 0 {
                    let squares = men.squares(start + place);
                    examples.extend(places.of_squares(&squares).chain(of_code).map(|place| place as u32));
                    are_right.push(!misses[place]);
                }
            }
        }
        let n_places = examples.len().checked_div(are_right.len()).unwrap_or(0);
        Lesson { places, n_places, examples, are_right }
    }

    /// What these lessons teach together; none if there is no example.
    pub(crate) fn learn(lessons: &[Lesson]) -> Option<Learned> {
        let first = lessons.iter().find(|lesson| lesson.n_places > 0)?;
        let of_all: Vec<(&[u32], bool)> = lessons
            .iter()
            .flat_map(|lesson| lesson.examples.chunks(first.n_places).zip(lesson.are_right.iter().copied()))
            .collect();
        let n = of_all.len() as u64;
        let mut weights = vec![0i32; first.places.len()];
        for step in 0..n * N_ROUNDS {
            let (example, is_right) = of_all[(step * STRIDE % n) as usize];
            let sum: i32 = example.iter().map(|&place| weights[place as usize]).sum();
            let rate = FIRST_RATE - (FIRST_RATE - LAST_RATE) * step / (n * N_ROUNDS);
            let miss = (i32::from(is_right) << 16) - squash(sum >> TO_ODDS) as i32;
            // A probability has 16 bits behind the point, a rate ten.
            let change = (miss * rate as i32) >> (16 + 10 - WEIGHT_BITS);
            example.iter().for_each(|&place| weights[place as usize] += change);
        }
        let kept = |weight: i32| {
            let rounded = (weight + (1 << (TO_KEPT - 1))) >> TO_KEPT;
            rounded.clamp(-i32::from(i8::MAX), i32::from(i8::MAX)) as i8
        };
        Some(Learned::new(first.places, weights.into_iter().map(kept).collect()))
    }
}
