//! Counts and lists the ways to choose some squares of many.

/// The most men that are chosen together, and one.
const N_CHOSEN: usize = 8;

/// The ways to choose some of up to 64.
static CHOICES: [[u64; N_CHOSEN]; 65] = choices_of_64();

const fn choices_of_64() -> [[u64; N_CHOSEN]; 65] {
    let mut all = [[0; N_CHOSEN]; 65];
    let mut n = 0;
    while n <= 64 {
        all[n][0] = 1;
        let mut k = 1;
        while k < N_CHOSEN && n > 0 {
            all[n][k] = all[n - 1][k - 1] + all[n - 1][k];
            k += 1;
        }
        n += 1;
    }
    all
}

/// The number of ways to choose `k`, at most seven, of `n`, at most 64.
#[inline]
pub(crate) fn choose(n: u64, k: u64) -> u64 {
    CHOICES[n as usize][k as usize]
}

/// Every choice of `n` squares that begins as `chosen`, the others ascending.
#[cfg(feature = "parallel")]
pub(crate) fn choices(from: &[u8], chosen: &mut Vec<u8>, n: usize, note: &mut impl FnMut(&[u8])) {
    if chosen.len() == n {
        return note(chosen);
    }
    for (i, &square) in from.iter().enumerate() {
        chosen.push(square);
        choices(&from[i + 1..], chosen, n, note);
        chosen.pop();
    }
}
