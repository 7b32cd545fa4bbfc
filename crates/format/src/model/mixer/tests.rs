//! Tests that counters learn, and that odds mixed with good weights predict better.

use crate::model::mixer::*;

/// Bits that all come, and keeps their probabilities.
struct Known(Vec<u32>);

impl Bits for Known {
    const WRITES: bool = true;

    fn pass(&mut self, bit: bool, p: u32) -> bool {
        self.0.push(p);
        bit
    }
}

/// The arithmetic of one bit as the page of the format has it, one input after the other.
fn plain(weights: &mut [i32; 9], odds: [i32; 8], score: i32, bit: bool) -> u32 {
    let sum: i32 = (0..8).map(|input| weights[input] * odds[input]).sum();
    let p = squash((sum >> 16) + ((weights[8] * score) >> 12));
    let miss = ((i32::from(bit) << 16) - p as i32) >> 6;
    if (-23..24).contains(&miss) {
        return p;
    }
    for input in 0..8 {
        let moved = weights[input] + ((odds[input] * miss + (1 << 14)) >> 15);
        weights[input] = moved.clamp(-16_383, 16_383);
    }
    weights[8] = (weights[8] + ((score * miss + (1 << 10)) >> 11)).clamp(-16_383, 16_383);
    p
}

#[test]
fn vectors_mix_as_single_numbers_do() {
    let mut mixer = Mixer::new(1);
    let (mut weights, mut counters) = ([875; 9], [NEW; 8]);
    weights[8] = 1875;
    let (mut known, mut expected) = (Known(Vec::new()), Vec::new());
    for step in 0..20_000u32 {
        // What comes is even for long, and then at random, so that weights go far.
        let number = step.wrapping_mul(2_654_435_761) >> 16;
        let bit = if step % 4000 < 3000 { step % 8000 < 4000 } else { number & 1 == 1 };
        let score = (number % 3001) as i32 - 1500;
        expected.push(plain(&mut weights, counters.map(i32::from), score, bit));
        mixer.pass(u16x8::splat(7), (0, 0, score), bit, &mut known);
        let miss = ((i32::from(bit) << 16) - known.0[step as usize] as i32) >> 6;
        if miss.abs() >= LEAST_MISS {
            counters = mixer.transitions.after(Lesson::bit(bit), i16x8::new(counters));
        }
    }
    assert!(known.0 == expected);
    assert!(known.0.iter().any(|&p| p < 2_000) && known.0.iter().any(|&p| p > 63_500));
}

#[test]
fn a_node_has_counters_of_its_own() {
    let (mut mixer, mut known) = (Mixer::new(1), Known(Vec::new()));
    for _ in 0..20 {
        mixer.pass(u16x8::splat(1), (0, 0, 0), true, &mut known);
    }
    mixer.pass(u16x8::splat(1), (1, 0, 0), true, &mut known);
    assert!(known.0[19] > 60_000 && known.0[20] == 1 << 15, "{:?}", known.0);
}

/// The logarithm of a counter's odds in 128ths.
fn odds(counter: Counter) -> i32 {
    i32::from(counter >> SEEN_BITS)
}

/// Passes bits through a new counter.
fn counted(bits: impl IntoIterator<Item = bool>) -> Counter {
    let one = |counter, bit| Transitions::get().after(Lesson::bit(bit), i16x8::splat(counter))[0];
    bits.into_iter().fold(NEW, one)
}

#[test]
fn counters_move_towards_what_comes_and_stay_within_their_odds() {
    assert_eq!(odds(NEW), 0);
    let (one, ones) = (odds(counted([true])), odds(counted([true; 1000])));
    // After one bit five sixths; after many as sure as can be.
    assert_eq!((one, ones), (206, MOST_COUNTED));
    assert_eq!(odds(counted([false; 1000])), -MOST_COUNTED);
    let (half, eighth) = ((0..1000).map(|i| i % 2 == 0), (0..1000).map(|i| i % 8 == 0));
    assert!(odds(counted(half)).abs() < 20, "as often as not");
    let eighth = odds(counted(eighth));
    assert!((-330..-200).contains(&eighth), "one of eight is −249: {eighth}");
}

#[test]
fn late_bits_move_a_counter_less_than_early_ones() {
    let after = |n: usize| odds(counted((0..n).map(|i| i % 2 == 0)));
    let moved = |n: usize| after(n + 1).abs_diff(after(n));
    assert!(moved(2) > moved(10) && moved(10) >= moved(40) && moved(40) > 0);
}
