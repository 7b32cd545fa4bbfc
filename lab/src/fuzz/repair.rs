//! Sets checksums right after a mutation, so that the code behind them is reached.

use md5::{Digest, Md5};

/// Bytes of the header of either format.
const HEADER: usize = 256;

/// Sets the checksums of a `.tsm` right, as far as its header says where they are.
pub(super) fn tsm(bytes: &mut [u8]) {
    if bytes.len() < HEADER {
        return;
    }
    let number = |bytes: &[u8], at: usize| usize::try_from(u64_at(bytes, at)).unwrap_or(usize::MAX);
    let (n_metadata, index, n_index) = (number(bytes, 56), number(bytes, 64), number(bytes, 72));
    for entry in 0..n_index / 28 {
        let Some(at) = entry.checked_mul(28).and_then(|at| at.checked_add(index)) else { break };
        let Some(own) = bytes.get(at..).and_then(|rest| rest.first_chunk::<28>()) else { break };
        let n_bytes = u32::from_le_bytes(std::array::from_fn(|i| own[8 + i])) as usize;
        let Some(sum) = short(bytes, number(own, 0), n_bytes) else { continue };
        bytes[at + 12..at + 28].copy_from_slice(&sum);
    }
    for (place, start, n_bytes) in [(200, HEADER, n_metadata), (216, index, n_index)] {
        if let Some(sum) = short(bytes, start, n_bytes) {
            bytes[place..place + 16].copy_from_slice(&sum);
        }
    }
    if let Some(sum) = short(bytes, 0, 240) {
        bytes[240..256].copy_from_slice(&sum);
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

/// The short BLAKE3 hash of some bytes, if there are so many.
fn short(bytes: &[u8], start: usize, n_bytes: usize) -> Option<[u8; 16]> {
    let part = bytes.get(start..start.checked_add(n_bytes)?)?;
    blake3::hash(part).as_bytes().first_chunk().copied()
}
