//! Mixes random bits at every level, and one by one.

use super::levels;
use crate::{Curves, KnownBit, Mixture};

fn curves() -> Curves {
    Curves {
        stretch: std::array::from_fn(|p| (p as i16 - 2048) / 2),
        squash: std::array::from_fn(|odds| (16 + odds * 15) as u16),
        rates: std::array::from_fn(|n_seen| (2 << 16) / (2 * n_seen as u32 + 3)),
        most_seen: 20,
    }
}

/// Bits in few contexts and many, some that a counter predicts alone.
fn bits(n: u32) -> Vec<KnownBit> {
    let hash = |i: u32| (i + 1).wrapping_mul(0x9e37_79b1).rotate_left(11).wrapping_mul(0x85eb_ca6b);
    let one = |i: u32| KnownBit {
        slots: std::array::from_fn(|input| (hash(i * 8 + input as u32) % (3 << (2 * input))) as u16),
        score: (hash(i) % 3001) as i16 - 1500,
        set: (hash(!i) % 6) as u8,
        bit: !hash(i ^ 0x55).is_multiple_of(5),
    };
    (0..n).map(one).collect()
}

#[test]
fn every_level_mixes_alike() {
    let (curves, bits) = (curves(), bits(20_000));
    let new = || {
        let mut mixture = Mixture::new(5);
        // Weights that are too large soon are stopped.
        mixture.clear(1_000_000, -1_048_000);
        mixture
    };
    let mut mixture = new();
    let expected: Vec<u32> = bits
        .iter()
        .map(|known| {
            if known.set == 5 {
                return known.slots[0].into();
            }
            let prediction = mixture.predict(&curves, known.slots, known.score, known.set.into());
            mixture.learn(&curves, prediction, known.bit);
            prediction.p
        })
        .collect();
    assert!(expected.iter().collect::<std::collections::BTreeSet<_>>().len() > 1000);
    for level in levels() {
        let (mut mixture, mut probabilities) = (new(), Vec::new());
        for part in bits.chunks(777) {
            mixture.pass_at(level, &curves, part, &mut probabilities);
        }
        assert!(probabilities == expected, "{level:?}");
    }
}
