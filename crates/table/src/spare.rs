//! Keeps the memory of large codes for the next ones while a run lasts.
//!
//! The slices of a run have the same length again and again, and the codes of a large one take gigabytes.
//! Memory that goes back to the system comes back page by page, each of them cleared, which takes as long as
//! a tenth to a third of what is computed in it. A run never keeps more than it has had in use at a time,
//! and nothing of it where codes of another length are asked for.

use kernel::repeated;
use parking_lot::Mutex;

/// Fewer codes are not kept.
const LARGE_CODES: usize = 1 << 26;

/// More codes are not kept: both sides of a slice that is solved, and of two that are read.
const MOST_SPARE: usize = 6;

struct Spare {
    /// How many runs last.
    n_runs: usize,
    codes: Vec<Vec<u8>>,
}

static SPARE: Mutex<Spare> = Mutex::new(Spare { n_runs: 0, codes: Vec::new() });

/// As long as one of these lives the memory of large codes is kept for the next ones.
#[derive(Debug)]
pub struct SpareCodes(());

impl SpareCodes {
    /// From now on memory is kept.
    #[must_use]
    pub fn keep() -> Self {
        SPARE.lock().n_runs += 1;
        SpareCodes(())
    }
}

impl Drop for SpareCodes {
    fn drop(&mut self) {
        let mut spare = SPARE.lock();
        spare.n_runs -= 1;
        if spare.n_runs == 0 {
            spare.codes.clear();
        }
    }
}

/// This many codes of one byte, all illegal.
pub(crate) fn illegal_codes(n_codes: usize) -> Vec<u8> {
    if n_codes >= LARGE_CODES {
        let mut spare = SPARE.lock();
        let Some(place) = spare.codes.iter().position(|codes| codes.len() == n_codes) else {
            // Those of another length would lie idle.
            spare.codes.clear();
            return repeated(0, n_codes);
        };
        let mut codes = spare.codes.swap_remove(place);
        drop(spare);
        codes.fill(0);
        return codes;
    }
    vec![0; n_codes]
}

/// Keeps the memory of codes that are not needed any more, if they are large and a run lasts.
pub(crate) fn give_back(codes: Vec<u8>) {
    let mut spare = SPARE.lock();
    if spare.n_runs > 0 && codes.len() >= LARGE_CODES {
        // Those of another length would lie idle.
        spare.codes.retain(|own| own.len() == codes.len());
        spare.codes.truncate(MOST_SPARE - 1);
        spare.codes.push(codes);
    }
}

#[cfg(test)]
mod tests {
    use super::{LARGE_CODES, MOST_SPARE, SPARE, SpareCodes, give_back, illegal_codes};

    /// Gives back codes that are not illegal, and asks for codes; how many were kept before and after that.
    fn kept(n_next: usize) -> [usize; 2] {
        give_back(vec![7; LARGE_CODES]);
        let n_kept = || SPARE.lock().codes.len();
        let before = n_kept();
        let next = illegal_codes(n_next);
        assert!(next.len() == n_next && next.iter().all(|&code| code == 0));
        [before, n_kept()]
    }

    #[test]
    fn memory_is_kept_for_codes_of_its_length_while_a_run_lasts() {
        assert_eq!(kept(LARGE_CODES), [0, 0]);
        let run = SpareCodes::keep();
        assert_eq!(kept(LARGE_CODES), [1, 0]);
        assert_eq!(kept(1 << 10), [1, 1]);
        // Of another length: nothing is kept any more.
        assert_eq!(kept(LARGE_CODES + 1), [2, 0]);
        let other = SpareCodes::keep();
        drop(run);
        assert_eq!(kept(LARGE_CODES), [1, 0]);
        // Few, and of one length.
        (0..=MOST_SPARE).for_each(|_| give_back(vec![0; LARGE_CODES]));
        assert_eq!(SPARE.lock().codes.len(), MOST_SPARE);
        give_back(vec![0; LARGE_CODES + 1]);
        assert_eq!(SPARE.lock().codes.len(), 1);
        drop(other);
        assert_eq!(kept(LARGE_CODES), [0, 0]);
    }
}
