//! Computes the lengths of Huffman codes, none longer than a reader can take.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The most bits of a code.
const MAX_BITS: u8 = 32;

/// How many bits the code of each symbol takes, given how often it occurs; 0 for one that does not.
///
/// If a code comes out longer than readers can take, rare symbols are counted as less rare and it is tried
/// again.
pub(crate) fn code_lengths(counts: &[u32]) -> Vec<u8> {
    let mut weights: Vec<u64> = counts.iter().map(|&count| count.into()).collect();
    loop {
        let lengths = lengths_of(&weights);
        if lengths.iter().all(|&length| length <= MAX_BITS) {
            return lengths;
        }
        weights.iter_mut().filter(|weight| **weight > 0).for_each(|weight| *weight = *weight / 2 + 1);
    }
}

fn lengths_of(weights: &[u64]) -> Vec<u8> {
    let mut lengths = vec![0; weights.len()];
    let used: Vec<usize> = (0..weights.len()).filter(|&i| weights[i] > 0).collect();
    if let [only] = used[..] {
        lengths[only] = 1;
        return lengths;
    }
    // Nodes of the tree: the symbols used, then those that join two.
    let mut parents = vec![0; (2 * used.len()).saturating_sub(1)];
    let mut open: BinaryHeap<Reverse<(u64, usize)>> =
        used.iter().enumerate().map(|(node, &symbol)| Reverse((weights[symbol], node))).collect();
    for node in used.len()..parents.len() {
        let mut weight = 0;
        for _ in 0..2 {
            if let Some(Reverse((own, child))) = open.pop() {
                weight += own;
                parents[child] = node;
            }
        }
        open.push(Reverse((weight, node)));
    }
    let mut depths = vec![0u8; parents.len()];
    for node in (0..parents.len().saturating_sub(1)).rev() {
        depths[node] = depths[parents[node]].saturating_add(1);
    }
    used.iter().zip(&depths).for_each(|(&symbol, &depth)| lengths[symbol] = depth);
    lengths
}
