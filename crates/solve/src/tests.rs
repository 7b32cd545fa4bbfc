//! What the solver knows before it starts, against the slow way to find it.

use crate::attack::{fill_attacked, word_attacked};
use crate::code::Log;
use crate::ground::Ground;
use crate::motion::Motion;
use index::Layout;
use variant::{Material, Side, Variant};

#[track_caller]
fn check_planes(name: &str) {
    let variant = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../variants/fide.toml"));
    let variant = Variant::parse(&variant.expect("the rules of chess"), "fide.toml").expect("are right");
    let material = Material::parse(&variant, name).expect("a material");
    let layout = Layout::new(&variant, &material);
    let motion = Motion::<u64>::new(&variant, &layout);
    let ground = Ground::new(&layout, &motion, layout.n_slices() / 2);
    for side in Side::BOTH {
        let mut plane = vec![0; ground.n_words()];
        fill_attacked(&ground, side, &mut plane);
        let men = &motion.men;
        let royal = (0..men.len()).find(|&i| men[i].royal && men[i].man.side == side).expect("a king");
        let attackers: Vec<usize> = (0..men.len()).filter(|&i| men[i].man.side != side).collect();
        ground.for_each_word(0..ground.n_blocks(), |block, index, word| {
            let expected = ground.placements(&word) & word_attacked(&ground, royal, &attackers, &word);
            assert_eq!(plane[index], expected, "{name}: {side} in block {block}, word {index}");
        });
    }
}

#[test]
fn rows_are_attacked_as_words_are() {
    ["KQvKR", "KBvKP", "KRPvKN", "KRBvKN"].into_iter().for_each(check_planes);
}

#[track_caller]
fn check_log(n_rows: usize) {
    let row_len = 64;
    let (mut words, mut live) = (vec![0u64; row_len * n_rows], vec![false; n_rows]);
    (words[row_len * n_rows - 1], live[n_rows - 1]) = (1, true);
    let mut codes = vec![0u8; words.len()];
    let mut log = Log::default();
    log.push(&words, &live, row_len, 9, (&mut codes, 1));
    log.write(&mut codes, 1);
    let written: Vec<usize> = (0..codes.len()).filter(|&i| codes[i] == 9).collect();
    assert_eq!(written, [row_len * n_rows - 1], "{n_rows} rows");
}

#[test]
fn codes_of_blocks_of_any_size_are_written() {
    // One outer man, and two of them: four free men, more words than a place has numbers for.
    [1, 64, 64 * 64].into_iter().for_each(check_log);
}
