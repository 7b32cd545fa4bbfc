//! Checks that bytes are split into sets by their class, and joined from sets.

use super::{Words, levels};
use crate::class::{join_bytes_at, split_bytes_at};
use crate::{Classes, Word};

#[test]
fn bytes_are_split_by_class_and_joined_again() {
    check_classes::<u64>(&[64, 63, 25, 8, 1]);
    check_classes::<u128>(&[128, 80, 64, 65, 20]);
}

fn check_classes<W: Word>(row_lens: &[usize]) {
    let mut words = Words(17);
    let n = 5;
    for &row_len in row_lens {
        for n_numbers in [3, 5, 6, 256] {
            let codes: Vec<u8> = (0..n * row_len).map(|_| (words.next() % n_numbers) as u8).collect();
            for level in levels() {
                // What was there before does not count.
                let mut sets = [const { Vec::new() }; 4].map(|_: Vec<W>| vec![W::ONES; n]);
                let [zero, two, odd, even] = sets.each_mut().map(|set| set.as_mut_slice());
                split_bytes_at(level, &codes, row_len, Classes { zero, two, odd, even });
                for (place, &code) in codes.iter().enumerate() {
                    let (word, at) = (place / row_len, place % row_len);
                    let here = sets.each_ref().map(|set| set[word].has(at));
                    let decided = code >= 3;
                    let expected = [code == 0, code == 2, decided && code % 2 == 1, decided && code % 2 == 0];
                    assert_eq!(here, expected, "{level:?}: {code} at {at} of {row_len}");
                }
                let beyond = |word: &W| (row_len..W::BITS).any(|at| word.has(at));
                assert!(!sets.iter().flatten().any(beyond), "{level:?}: bits beyond {row_len}");
                if n_numbers <= 5 {
                    let [zero, two, odd, even] = sets.each_ref().map(Vec::as_slice);
                    let some = |i: usize| W::ONES & !(zero[i] | two[i] | odd[i] | even[i]);
                    let one: Vec<W> = (0..n).map(some).collect();
                    let mut joined = vec![77; codes.len()];
                    join_bytes_at(level, &mut joined, row_len, &one, two, odd, even);
                    assert_eq!(joined, codes, "{level:?}, rows of {row_len}");
                }
            }
        }
    }
}
