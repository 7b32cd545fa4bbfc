//! Chooses a value for every slot that may hold several, so that runs of a value are as long as possible.
//!
//! A run is a stretch in which one value will do everywhere. Beginning a new run only where the slots so far
//! have nothing in common with the next gives the fewest runs that there can be: a run that ended earlier
//! could always be carried on to the same place.

/// Every WDL value, a bit each.
pub(crate) const ANY: u8 = 0b1_1111;

/// Every distance.
pub(crate) const ANY_DISTANCE: u16 = u16::MAX;

/// Values for sets of WDL values, a bit each.
pub(crate) fn fill_sets(sets: &[u8]) -> Vec<u16> {
    let mut values = vec![0; sets.len()];
    let (mut begin, mut common) = (0, u8::MAX);
    for (at, &set) in sets.iter().enumerate() {
        if common & set == 0 {
            values[begin..at].fill(common.trailing_zeros() as u16);
            (begin, common) = (at, set);
        } else {
            common &= set;
        }
    }
    values[begin..].fill(common.trailing_zeros() as u16);
    values
}

/// Values for distances, of which some may be anything.
pub(crate) fn fill_distances(distances: &[u16]) -> Vec<u16> {
    let mut last = distances.iter().copied().find(|&distance| distance != ANY_DISTANCE).unwrap_or(0);
    let mut filled = |&distance: &u16| {
        if distance != ANY_DISTANCE {
            last = distance;
        }
        last
    };
    distances.iter().map(&mut filled).collect()
}
