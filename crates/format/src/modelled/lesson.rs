//! How the weights of what is learned beforehand are found: step by step over a sample, as in a mixture.
//!
//! Each code of the sample is an example: the places whose weights make its score, and whether the first
//! guess was right. The weights of an example move towards what would have told so,
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
use std::io;

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

/// Of so many runs one has examples: neighbours teach the same, and all lessons of a side are in memory at
/// once (60 MB for five men where nothing repeats, a third of that as a rule).
const THINNED: usize = 4;

/// A prime above any number of examples: its multiples are all of them, far from each other.
const STRIDE: u64 = 2_654_435_761;

/// What a sample of codes teaches.
pub(crate) struct Lesson {
    places: Places,
    /// The places of the examples, one example after the other, each counted from where those of its part
    /// begin.
    examples: Vec<u16>,
    are_right: Vec<bool>,
}

impl Lesson {
    /// A lesson from one block: codes from this place of a tile on, none of them 0.
    pub(crate) fn new(men: &Men<'_>, grid: &Grid, start: usize, codes: &[u16]) -> Self {
        let places = Places::new(men.layout());
        let starts = places.starts();
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
                    let of_all = places.of_squares(&squares).chain(of_code).zip(&starts);
                    examples.extend(of_all.map(|(place, start)| (place - start) as u16));
                    are_right.push(!misses[place]);
                }
            }
        }
        examples.shrink_to_fit();
        Lesson { places, examples, are_right }
    }

    /// What these lessons teach together; none if there is no example.
    pub(crate) fn learn(lessons: &[Lesson]) -> io::Result<Option<Learned>> {
        let Some(places) = lessons.first().map(|lesson| lesson.places) else { return Ok(None) };
        let starts = places.starts();
        // Where the examples of each lesson end among all.
        let ends: Vec<usize> = lessons
            .iter()
            .scan(0, |end, lesson| {
                *end += lesson.are_right.len();
                Some(*end)
            })
            .collect();
        let n = ends.last().copied().unwrap_or(0) as u64;
        if n == 0 {
            return Ok(None);
        }
        let mut weights = vec![0i32; places.len()];
        for step in 0..n * N_ROUNDS {
            let at = (step * STRIDE % n) as usize;
            let of = ends.partition_point(|&end| end <= at);
            let lesson = &lessons[of];
            let at = at + lesson.are_right.len() - ends[of];
            let (example, is_right) =
                (&lesson.examples[at * starts.len()..][..starts.len()], lesson.are_right[at]);
            let of_example = || starts.iter().zip(example).map(|(start, &place)| start + usize::from(place));
            let sum: i32 = of_example().map(|place| weights[place]).sum();
            let rate = FIRST_RATE - (FIRST_RATE - LAST_RATE) * step / (n * N_ROUNDS);
            let miss = (i32::from(is_right) << 16) - squash(sum >> TO_ODDS) as i32;
            // A probability has 16 bits behind the point, a rate ten.
            let change = (miss * rate as i32) >> (16 + 10 - WEIGHT_BITS);
            of_example().for_each(|place| weights[place] += change);
        }
        let kept = |weight: i32| {
            let rounded = (weight + (1 << (TO_KEPT - 1))) >> TO_KEPT;
            rounded.clamp(-i32::from(i8::MAX), i32::from(i8::MAX)) as i8
        };
        Learned::new(places, weights.into_iter().map(kept).collect()).map(Some)
    }
}
