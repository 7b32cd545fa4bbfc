//! Sets checksums right after a mutation, so that the code behind them is reached.

use super::mutation::mutate;
use md5::{Digest, Md5};
use proof::Dice;

/// Bytes of the header of a flat file.
const HEADER: usize = 256;

/// Bytes of the head of a container, of its tail, and of a page in its index before compression.
const HEAD: usize = 48;
const TAIL: usize = 32;
const ENTRY: usize = 39;

/// Sets the checksums of a container right, as far as it says where they are; every other time the index is
/// mutated too, which nothing does that changes a byte of it as it is compressed.
pub(super) fn container(bytes: &mut Vec<u8>, dice: &mut Dice) {
    let Some(end) = bytes.len().checked_sub(TAIL).filter(|&end| end >= HEAD) else { return };
    let n_index = usize::try_from(u64_at(bytes, end)).unwrap_or(usize::MAX);
    let Some(at) = end.checked_sub(n_index).filter(|&at| at >= HEAD) else { return };
    let mut packed = bytes[at..end].to_vec();
    if let Ok(mut index) = zstd::bulk::decompress(&packed, MOST_INDEX) {
        if dice.below(2) == 0 {
            mutate(&mut index, &[], dice);
        }
        set_checksums(&bytes[..at], &mut index);
        packed = zstd::bulk::compress(&index, 1).unwrap_or(packed);
    }
    let magic = bytes[bytes.len() - 8..].to_vec();
    bytes.truncate(at);
    let n_index = (packed.len() as u64).to_le_bytes();
    let sum = blake3::hash(&[&bytes[..HEAD], &n_index, &packed].concat());
    [&packed[..], &n_index, &sum.as_bytes()[..16], &magic].iter().for_each(|part| bytes.extend(*part));
}

/// The most bytes of an index of the corpus.
const MOST_INDEX: usize = 1 << 20;

/// Sets the checksums of pages right that an index of these has.
fn set_checksums(pages: &[u8], index: &mut [u8]) {
    let Some(about) = index.first_chunk().map(|bytes| u32::from_le_bytes(*bytes) as usize) else { return };
    let Some(entries) = about.checked_add(4).and_then(|start| index.get_mut(start..)) else { return };
    let (n, mut at) = (entries.len() / ENTRY, HEAD);
    for page in 0..n {
        let place = 4 * (4 * n + page);
        let n_bytes = u32::from_le_bytes(std::array::from_fn(|i| entries[place + i])) as usize;
        let Some(sum) = short(pages, at, n_bytes) else { return };
        entries[23 * n + 16 * page..][..16].copy_from_slice(&sum);
        at += n_bytes;
    }
}

/// Sets the sums of a flat file right.
pub(super) fn flat(bytes: &mut [u8]) {
    if bytes.len() < HEADER {
        return;
    }
    let rest: [u8; 16] = Md5::digest(&bytes[HEADER..]).into();
    bytes[224..240].copy_from_slice(&rest);
    let own: [u8; 16] = Md5::digest(&bytes[..240]).into();
    bytes[240..256].copy_from_slice(&own);
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..).and_then(|rest| rest.first_chunk()).map_or(u64::MAX, |bytes| u64::from_le_bytes(*bytes))
}

/// Returns the short BLAKE3 hash of `n_bytes` bytes from `start` on, if they are all there.
fn short(bytes: &[u8], start: usize, n_bytes: usize) -> Option<[u8; 16]> {
    let part = bytes.get(start..start.checked_add(n_bytes)?)?;
    blake3::hash(part).as_bytes().first_chunk().copied()
}
