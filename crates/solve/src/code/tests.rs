//! Checks that batches write what they collect, whatever the size of blocks.

use super::Batch;

#[track_caller]
fn check_batch(n_rows: usize) {
    let row_len = 64;
    let (mut words, mut live) = (vec![0u64; row_len * n_rows], vec![false; n_rows]);
    (words[row_len * n_rows - 1], live[n_rows - 1]) = (1, true);
    let mut codes = vec![0u8; words.len()];
    let mut batch = Batch::new();
    batch.push(&words, &live, row_len, 9, (&mut codes, 1));
    batch.write(&mut codes, 1);
    let written: Vec<usize> = (0..codes.len()).filter(|&i| codes[i] == 9).collect();
    assert_eq!(written, [row_len * n_rows - 1], "{n_rows} rows");
}

#[test]
fn codes_of_blocks_of_any_size_are_written() {
    // One outer man, and two of them: four free men, more words than a place has numbers for.
    [1, 64, 64 * 64].into_iter().for_each(check_batch);
}
