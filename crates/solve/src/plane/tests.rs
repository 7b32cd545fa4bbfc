//! Tests of frontiers: which rows and blocks are live, and that nothing is left behind.

use super::Frontier;

const N_BLOCKS: usize = 3;
const N_ROWS: usize = 2;
const ROW_LEN: usize = 4;

fn live(flags: &[bool]) -> Vec<usize> {
    (0..flags.len()).filter(|&i| flags[i]).collect()
}

/// The live rows and blocks once these words have got a bit.
#[track_caller]
fn check_live(words: &[usize], rows: &[usize], blocks: &[usize]) {
    let mut frontier = Frontier::<u64>::default();
    frontier.reset(N_BLOCKS, N_ROWS, ROW_LEN);
    words.iter().for_each(|&word| frontier.add(word, 1 << word));
    assert_eq!(frontier.any, !words.is_empty(), "{words:?}");
    assert_eq!((live(&frontier.live), live(&frontier.live_blocks)), (rows.to_vec(), blocks.to_vec()));
    for (word, &bits) in frontier.words.iter().enumerate() {
        assert_eq!(bits, if words.contains(&word) { 1 << word } else { 0 }, "word {word} of {words:?}");
    }
    frontier.clear();
    let left = (frontier.any, live(&frontier.live), live(&frontier.live_blocks));
    assert_eq!(left, (false, vec![], vec![]), "after {words:?}");
    assert!(frontier.words.iter().all(|&bits| bits == 0), "after {words:?}");
}

#[test]
fn words_make_their_rows_and_blocks_live() {
    check_live(&[], &[], &[]);
    check_live(&[0], &[0], &[0]);
    check_live(&[3, 4], &[0, 1], &[0]);
    check_live(&[7, 23], &[1, 5], &[0, 2]);
    check_live(&[8, 9, 12], &[2, 3], &[1]);
}

#[test]
fn no_bits_make_nothing_live() {
    let mut frontier = Frontier::<u64>::default();
    frontier.reset(N_BLOCKS, N_ROWS, ROW_LEN);
    frontier.add_any(5, 0);
    assert!(!frontier.any && live(&frontier.live).is_empty());
    frontier.add_any(5, 6);
    frontier.add_any(5, 9);
    assert_eq!((frontier.words[5], live(&frontier.live)), (15, vec![1]));
}

/// A frontier is used again for slices of another shape.
#[test]
fn resetting_forgets_what_another_slice_had() {
    let mut frontier = Frontier::<u64>::default();
    frontier.reset(N_BLOCKS, N_ROWS, ROW_LEN);
    (0..N_BLOCKS * N_ROWS * ROW_LEN).for_each(|word| frontier.add(word, !0));
    frontier.reset(2, 1, 5);
    assert_eq!((frontier.words.len(), frontier.live.len(), frontier.live_blocks.len()), (10, 2, 2));
    assert!(!frontier.any && frontier.words.iter().all(|&bits| bits == 0));
    frontier.add(9, 1);
    assert_eq!((live(&frontier.live), live(&frontier.live_blocks)), (vec![1], vec![1]));
}
