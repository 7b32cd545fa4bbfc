//! Simulates how long a number of nodes takes for a set.

use crate::{Bundle, TableSet};
use serde::Serialize;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// How long a set takes on some nodes.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Simulation {
    /// The nodes; each does one job at a time.
    pub n_nodes: usize,
    /// From the first start to the last end.
    pub seconds: f64,
    /// The time of all jobs together, starts included.
    pub work_seconds: f64,
    /// The longest chain of jobs that need one another, starts included: no number of nodes is faster.
    pub critical_seconds: f64,
}

/// A moment at which a job ends: the earliest first.
#[derive(PartialEq)]
struct End {
    seconds: f64,
    bundle: usize,
}

impl Eq for End {}

impl Ord for End {
    fn cmp(&self, other: &Self) -> Ordering {
        other.seconds.total_cmp(&self.seconds).then(other.bundle.cmp(&self.bundle))
    }
}

impl PartialOrd for End {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Lets so many nodes do the jobs; each start of a job costs so many seconds. Of the jobs that may begin,
/// the one is taken that the longest chain of others waits for. One more job comes behind all others and
/// takes `finish_seconds` beside its start: it looks at all files.
#[must_use]
pub fn simulate(
    set: &TableSet,
    bundles: &[Bundle],
    n_nodes: usize,
    (start_seconds, finish_seconds): (f64, f64),
) -> Simulation {
    let seconds: Vec<f64> = bundles.iter().map(|bundle| bundle.seconds(set) + start_seconds).collect();
    let mut in_need: Vec<Vec<usize>> = vec![Vec::new(); bundles.len()];
    for (at, bundle) in bundles.iter().enumerate() {
        bundle.needs.iter().for_each(|&needed| in_need[needed].push(at));
    }
    // The chain from each job to the end.
    let mut chains = vec![0.0; bundles.len()];
    for at in (0..bundles.len()).rev() {
        let after = in_need[at].iter().map(|&after| chains[after]).fold(0.0, f64::max);
        chains[at] = seconds[at] + after;
    }
    let mut n_lacking: Vec<usize> = bundles.iter().map(|bundle| bundle.needs.len()).collect();
    let mut ready: Vec<usize> = (0..bundles.len()).filter(|&at| n_lacking[at] == 0).collect();
    let (mut running, mut now) = (BinaryHeap::new(), 0.0);
    loop {
        while running.len() < n_nodes.max(1) {
            let first = (0..ready.len()).max_by(|&a, &b| chains[ready[a]].total_cmp(&chains[ready[b]]));
            let Some(first) = first else { break };
            let bundle = ready.swap_remove(first);
            running.push(End { seconds: now + seconds[bundle], bundle });
        }
        let Some(End { seconds, bundle }) = running.pop() else { break };
        now = seconds;
        for &after in &in_need[bundle] {
            n_lacking[after] -= 1;
            if n_lacking[after] == 0 {
                ready.push(after);
            }
        }
    }
    let finish_seconds = if bundles.is_empty() { 0.0 } else { start_seconds + finish_seconds };
    Simulation {
        n_nodes,
        seconds: now + finish_seconds,
        work_seconds: seconds.iter().sum::<f64>() + finish_seconds,
        critical_seconds: chains.iter().copied().fold(0.0, f64::max) + finish_seconds,
    }
}

#[cfg(test)]
mod tests {
    use super::simulate;
    use crate::bundles;
    use crate::set::tests::set;

    #[track_caller]
    fn check(n_nodes: usize, times: (f64, f64), expected: (f64, f64, f64)) {
        let tables = set(&[
            ("a", 1.0, &[]),
            ("b", 4.0, &[0]),
            ("c", 2.0, &[0]),
            ("d", 2.0, &[0]),
            ("e", 1.0, &[1, 2]),
        ]);
        let seen = simulate(&tables, &bundles(&tables, 0.0), n_nodes, times);
        assert_eq!((seen.seconds, seen.work_seconds, seen.critical_seconds), expected);
    }

    #[test]
    fn nodes_share_the_work() {
        check(1, (0.0, 0.0), (10.0, 10.0, 6.0));
        check(2, (0.0, 0.0), (6.0, 10.0, 6.0));
        check(50, (0.0, 0.0), (6.0, 10.0, 6.0));
        check(50, (0.0, 3.0), (9.0, 13.0, 9.0));
        check(50, (1.0, 3.0), (13.0, 19.0, 13.0));
        check(0, (0.0, 0.0), (10.0, 10.0, 6.0));
    }
}
