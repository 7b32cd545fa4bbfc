//! Turns valid bytes into nearly valid ones.

use proof::Dice;

/// Numbers at which sums overflow and lengths end.
const EDGES: [u64; 12] =
    [0, 1, 2, 0x7f, 0x80, 0xff, 0xffff, 0x7fff_ffff, 0xffff_ffff, 1 << 40, u64::MAX >> 1, u64::MAX];

/// The most bytes that a mutation adds.
const MOST_ADDED: usize = 600;

/// Changes bytes in a few ways; `others` are bytes to take something from.
pub(crate) fn mutate(bytes: &mut Vec<u8>, others: &[Vec<u8>], dice: &mut Dice) {
    for _ in 0..1 + small(6, dice) {
        // Headers decide what the rest is taken for, so they are hit as often as the rest.
        let reach = if dice.below(2) == 0 { bytes.len().min(256) } else { bytes.len() };
        let at = dice.below(reach.max(1));
        match dice.below(9) {
            0..3 => flip(bytes, at, dice),
            3 if !bytes.is_empty() => bytes[at] = dice.below(256) as u8,
            4 => {
                let (edge, n) = (EDGES[dice.below(EDGES.len())], 1 << dice.below(4));
                let number = edge.wrapping_add(small(3, dice) as u64).to_le_bytes();
                bytes.iter_mut().skip(at).take(n).zip(number).for_each(|(byte, new)| *byte = new);
            }
            5 => bytes.truncate(at),
            6 => {
                let end = (at + 1 + small(MOST_ADDED, dice)).min(bytes.len());
                bytes.drain(at..end);
            }
            7 => {
                let end = (at + 1 + small(MOST_ADDED, dice)).min(bytes.len());
                let again = bytes[at..end].to_vec();
                bytes.splice(at..at, again);
            }
            _ => splice(bytes, at, others, dice),
        }
    }
}

/// Changes a line or two of a text: takes one out, or one of the others in, or gives a key another's
/// value.
pub(crate) fn mutate_lines(bytes: &mut Vec<u8>, others: &[Vec<u8>], dice: &mut Dice) {
    let text = String::from_utf8_lossy(bytes);
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for _ in 0..1 + dice.below(2) {
        let other = String::from_utf8_lossy(&others[dice.below(others.len())]);
        let others: Vec<&str> = other.lines().collect();
        let (at, new) = (dice.below(lines.len().max(1)), others[dice.below(others.len())]);
        match (dice.below(4), lines.get(at).and_then(|line| line.split_once('='))) {
            (0, Some(_)) => drop(lines.remove(at)),
            (1, Some((key, _))) => {
                lines[at] = format!("{key}={}", new.split('=').next_back().unwrap_or_default())
            }
            _ => lines.insert((at + 1).min(lines.len()), new.to_owned()),
        }
    }
    *bytes = lines.join("\n").into_bytes();
}

/// Flips one bit of the byte at this place, if there is one.
pub(crate) fn flip(bytes: &mut [u8], at: usize, dice: &mut Dice) {
    if let Some(byte) = bytes.get_mut(at) {
        *byte ^= 1 << dice.below(8);
    }
}

/// A number below this one, small ones more often.
pub(crate) fn small(limit: usize, dice: &mut Dice) -> usize {
    let limit = dice.below(limit) + 1;
    dice.below(limit)
}

/// Puts a stretch of one of the others in the place of what stands here.
pub(crate) fn splice(bytes: &mut Vec<u8>, at: usize, others: &[Vec<u8>], dice: &mut Dice) {
    let Some(other) = others.get(dice.below(others.len().max(1))).filter(|other| !other.is_empty()) else {
        return;
    };
    let from = dice.below(other.len());
    let end = (from + 1 + small(MOST_ADDED, dice)).min(other.len());
    let upto = (at + end - from).min(bytes.len());
    bytes.splice(at..upto, other[from..end].iter().copied());
}
