//! Compares attacked placements with the slow way to find them.

use super::Ground;
use super::attack::{fill_attacked, word_attacked};
use crate::law::Law;
use crate::motion::Motion;
use index::{Layout, SliceId};
use variant::{Material, Side, Variant};

#[track_caller]
fn check_planes(name: &str) {
    let variant = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../variants/fide.toml"));
    let variant = Variant::parse(&variant.expect("the rules of chess"), "fide.toml").expect("are right");
    let material = Material::parse(&variant, name).expect("a material");
    let layout = Layout::new(&variant, &material);
    let motion = Motion::<u64>::new(&variant, &layout);
    let law = Law::new(&variant, &layout, &table::LeftOut::default());
    let ground = Ground::new(&layout, &motion, &law, SliceId::from_index(layout.n_slices() / 2));
    for side in Side::BOTH {
        let mut plane = vec![0; ground.n_words()];
        fill_attacked(&ground, side, &mut plane);
        let men = &motion.men;
        let royal = (0..men.len()).find(|&i| men[i].royal && men[i].man.side == side).expect("a king");
        let attackers: Vec<usize> = (0..men.len()).filter(|&i| men[i].man.side != side).collect();
        ground.for_each_word(ground.blocks(), |block, index, word| {
            let expected = ground.placements(&word) & word_attacked(&ground, royal, &attackers, &word);
            assert_eq!(plane[index], expected, "{name}: {side} in block {block}, word {index}");
        });
    }
}

#[test]
fn rows_are_attacked_as_words_are() {
    ["KQvKR", "KBvKP", "KRPvKN", "KRBvKN"].into_iter().for_each(check_planes);
}
