//! Cuts an excerpt out of a tile that is a whole table, so that orders can be compared on a part of it.
//!
//! The excerpt has stretches of the values of axis 0, as they stand in the file, evenly spread; of the other
//! axes all values. So rows are as long as in the whole, and a row's neighbours are the same but at the ends
//! of the stretches.

use super::codes::SideCodes;
use crate::tile::tiling::Tiling;
use table::Code;

/// At most one in so many values of axis 0 is taken.
const PART: usize = 8;

/// So many codes are taken at least, or all that there are.
const LEAST_CODES: usize = 1 << 18;

/// In how many stretches.
const N_STRETCHES: usize = 16;

/// Some of the codes of a tile, illegal where nothing is kept.
pub(crate) struct Excerpt<C> {
    /// How many values of axis 0 there are.
    n_values: usize,
    /// The codes of one value after the other, in the order in which the values stand in the file.
    codes: Vec<C>,
}

impl<C: Code> Excerpt<C> {
    /// An excerpt of the codes of a whole table; `tiling` says how the values of axis 0 stand.
    pub(crate) fn new(side: SideCodes<'_>, tiling: &Tiling, codes: &[C]) -> Self {
        let stride = tiling.axis_0_stride();
        let (mut taken, mut kept) = (Vec::new(), Vec::new());
        let places = places(codes.len() / stride, stride);
        let n_values = places.len();
        taken.reserve(n_values * stride);
        for place in places {
            let start = tiling.axis_0_value(place) * stride;
            side.selection.select(&codes[start..start + stride], start, &mut kept);
            taken.extend_from_slice(&kept);
        }
        side.profile.payload.translate(side.coding, &mut taken);
        Excerpt { n_values, codes: taken }
    }

    /// Puts the codes in the order of a tiling whose values of axis 0 stand as they do here.
    pub(crate) fn arrange(&self, tiling: &Tiling, placed: &mut Vec<C>) {
        placed.resize(self.codes.len(), C::ILLEGAL);
        tiling.walk_of_values(self.n_values).gather(&self.codes, placed);
    }

    /// How many values of axis 0 there are.
    pub(crate) fn n_values(&self) -> usize {
        self.n_values
    }
}

/// The most codes that are taken of so many.
pub(crate) fn excerpt_codes(n_codes: u64) -> u64 {
    n_codes.min((n_codes / PART as u64).max(2 * LEAST_CODES as u64))
}

/// The places of the values that are taken of so many, each of which has `stride` codes.
fn places(n_values: usize, stride: usize) -> Vec<usize> {
    let n_taken = (n_values / PART).max(LEAST_CODES / stride).max(1);
    if n_taken > n_values / 2 {
        return (0..n_values).collect();
    }
    let n_stretches = N_STRETCHES.min(n_taken);
    // The first stretch begins where the whole does, and the last ends there.
    let stretch = |i: usize| {
        let length = (i + 1) * n_taken / n_stretches - i * n_taken / n_stretches;
        let start = i * (n_values - length) / (n_stretches - 1).max(1);
        start..start + length
    };
    (0..n_stretches).flat_map(stretch).collect()
}

#[cfg(test)]
mod tests {
    use super::places;

    #[track_caller]
    fn check_places(n_values: usize, stride: usize, n_taken: usize) {
        let places = places(n_values, stride);
        assert_eq!(places.len(), n_taken, "of {n_values} values of {stride} codes");
        assert!(places.is_sorted_by(|a, b| a < b), "each of {places:?} once");
        assert_eq!(places[0], 0, "from the beginning");
        assert!(n_taken == 1 || places[n_taken - 1] == n_values - 1, "to the end");
    }

    #[test]
    fn excerpts_are_spread_over_the_whole_table() {
        check_places(1, 64, 1);
        check_places(462, 64, 462);
        check_places(462, 4096, 64);
        check_places(99, 4096, 99);
        check_places(24 * 3612, 64, 24 * 3612 / 8);
        check_places(462, 1 << 18, 57);
        check_places(10, 1 << 20, 1);
    }
}
