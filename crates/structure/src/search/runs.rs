//! Chooses the next run of a search, and plans no more limits than that takes.
//!
//! To plan a limit is to follow the graph of its slices, which takes as long as a cheap run. What lies inside
//! one limit lies inside every larger one, so a larger limit takes no less. It is planned when nothing that
//! is known takes less than that.

use super::{Question, SMALL_VALUES, Stage, cost, limits_with};
use crate::estimate::Estimate;
use crate::{Bound, Limit, Structure, StructureError, Watch};
use rayon::prelude::*;
use variant::{Metric, Variant};

/// A limit that is not planned yet.
#[derive(Clone, Debug)]
struct Open {
    /// Its place among all: of two that cost as much the first one comes first.
    at: usize,
    limit: Limit,
    bound: Bound,
    /// So many values it has at least.
    least: u64,
}

/// A run that is allowed.
#[derive(Debug)]
struct Ready {
    at: usize,
    structure: Structure,
    estimate: Estimate,
}

/// The runs of a search that are left.
#[derive(Debug)]
pub(super) struct Runs<'a> {
    question: &'a Question,
    open: Vec<Open>,
    ready: Vec<Ready>,
    /// The cheapest of those that are not allowed: its values, and why not.
    pub(super) refused: Option<(u64, StructureError)>,
}

/// How late a run comes: whether others go first, what it takes, its place.
type Rank = (bool, u64, usize);

impl Runs<'_> {
    /// Takes over what was planned.
    fn take(&mut self, at: usize, stage: Stage) {
        match stage.structure {
            Ok((structure, estimate)) => {
                self.raise(&stage.limit, stage.bound, estimate.n_values);
                if self.question.allows(&estimate) {
                    self.ready.push(Ready { at, structure, estimate });
                    return;
                }
                let is_cheaper = |(n_values, _): &(u64, StructureError)| estimate.n_values < *n_values;
                if self.refused.as_ref().is_none_or(is_cheaper) {
                    self.refused = Some((estimate.n_values, self.question.too_dear(&structure, &estimate)));
                }
            }
            // Of those that were not followed to their ends the last one would have come next.
            Err(error) => {
                self.raise(&stage.limit, stage.bound, u64::MAX);
                if self.refused.as_ref().is_none_or(|&(n_values, _)| n_values == u64::MAX) {
                    self.refused = Some((u64::MAX, error));
                }
            }
        }
        // What is larger still is not allowed either.
        let most_values = self.question.most_values.min(u64::MAX - 1);
        self.open.retain(|open| open.least <= most_values);
    }

    /// What lies in a limit has so many values.
    fn raise(&mut self, limit: &Limit, bound: Bound, n_values: u64) {
        let larger = |open: &&mut Open| open.bound == bound && limit.is_within(&open.limit, bound);
        self.open.iter_mut().filter(larger).for_each(|open| open.least = open.least.max(n_values));
    }

    /// The cheapest run that is left; none if the watcher has stopped the search.
    pub(super) fn next(&mut self, variant: &Variant, watch: &dyn Watch) -> Option<(Structure, Estimate)> {
        loop {
            if watch.is_interrupted() {
                self.refused = Some((u64::MAX, StructureError::Interrupted { path: None }));
                return None;
            }
            let best = self.ready.iter().map(|ready| self.rank(ready)).min();
            let mut next: Vec<&Open> = Vec::new();
            let mut open: Vec<&Open> = self.open.iter().collect();
            open.sort_by_key(|open| open.rank());
            for candidate in open.into_iter().filter(|open| best.is_none_or(|best| open.rank() < best)) {
                // One that holds another may turn out to take more than is needed.
                let holds = |other: &&Open| {
                    let bound = candidate.bound;
                    other.bound == bound && other.limit.is_within(&candidate.limit, bound)
                };
                if next.len() < rayon::current_num_threads() && !next.iter().any(holds) {
                    next.push(candidate);
                }
            }
            let next: Vec<Open> = next.into_iter().cloned().collect();
            if next.is_empty() {
                let first = (0..self.ready.len()).min_by_key(|&at| self.rank(&self.ready[at]))?;
                let Ready { structure, estimate, .. } = self.ready.swap_remove(first);
                return Some((structure, estimate));
            }
            self.open.retain(|open| next.iter().all(|next| next.at != open.at));
            let question = self.question;
            let planned = (variant, question.cap(), watch);
            let plan = |open: Open| (open.at, question.stage(planned, open.limit, open.bound));
            let planned: Vec<(usize, Stage)> = next.into_par_iter().map(plan).collect();
            planned.into_iter().for_each(|(at, stage)| self.take(at, stage));
        }
    }

    /// Where the values themselves can be had nothing else is asked for; but who wins may be known sooner.
    fn rank(&self, ready: &Ready) -> Rank {
        let (limit, n_values) = (ready.structure.limit(), ready.estimate.n_values);
        let is_first = self.question.metric != Metric::Wdl || n_values <= SMALL_VALUES;
        (!(limit.is_none() && is_first), cost(limit, n_values), ready.at)
    }
}

impl Question {
    /// What is to be run, as far as it has to be planned before anything runs.
    pub(super) fn runs(&self, variant: &Variant, watch: &dyn Watch) -> Runs<'_> {
        let mut runs = Runs { question: self, open: Vec::new(), ready: Vec::new(), refused: None };
        let planned = (variant, self.cap(), watch);
        if let Some(limit) = &self.limit {
            let stages = limit.bounds().into_iter().map(|bound| self.stage(planned, limit.clone(), bound));
            stages.enumerate().for_each(|(at, stage)| runs.take(at, stage));
            return runs;
        }
        let unlimited = self.stage(planned, Limit::none(), Bound::Exact);
        let needs_limit = !self.is_whole && !self.fits(&unlimited);
        runs.take(0, unlimited);
        if needs_limit && !watch.is_interrupted() {
            let (few_men, first, second) = self.few_men(planned);
            let open = limits_with(few_men).into_iter().zip(1..);
            runs.open = open.map(|((limit, bound), at)| Open { at, limit, bound, least: 0 }).collect();
            if second.is_none() {
                // All limits hold the smallest, which leads to the same slices for either bound.
                runs.open.retain(|open| open.bound == first.bound);
            }
            for stage in std::iter::once(first).chain(second) {
                // The smallest limit of a bound is its first.
                let place = runs.open.iter().position(|open| open.bound == stage.bound);
                let at = runs.open.remove(place.expect("either bound has limits")).at;
                runs.take(at, stage);
            }
        }
        runs
    }
}

impl Open {
    /// The earliest at which it may come.
    fn rank(&self) -> Rank {
        (true, cost(&self.limit, self.least), self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::{Metric, Question, Variant, cost};
    use crate::{Bound, Limit, Unwatched};
    use position::{Position, RuleBook};

    fn question(most_values: u64) -> Question {
        let book = RuleBook::new(&Variant::chess());
        let root = Position::from_fen(&book, "4k3/8/p6P/P7/8/8/7p/4K3 w - - 0 1").expect("a position");
        Question {
            metric: Metric::Wdl,
            roots: vec![root],
            is_whole: false,
            name: None,
            holder: None,
            limit: None,
            using: None,
            most_values,
            memory_bytes: u64::MAX,
            n_threads: 1,
        }
    }

    /// Limits that are planned as late as can be come in the order in which all of them would.
    #[test]
    fn cheap_runs_come_first() {
        let variant = Variant::chess();
        let all = question(0).stages(&variant, &Unwatched);
        let planned = all.iter().filter_map(|stage| Some((&stage.limit, stage.structure.as_ref().ok()?)));
        let mut planned: Vec<(u64, u64)> = planned
            .filter(|(limit, _)| !limit.is_none())
            .map(|(limit, (_, estimate))| (cost(limit, estimate.n_values), estimate.n_values))
            .collect();
        assert_eq!(planned.len(), 20);
        planned.sort_unstable();
        let most = planned.iter().map(|&(_, n_values)| n_values).max().expect("a run") - 1;
        let question = question(most);
        let mut runs = question.runs(&variant, &Unwatched);
        let first = runs.next(&variant, &Unwatched).expect("a run");
        assert!(runs.open.len() > 12, "{} limits are planned before the first run", 20 - runs.open.len());
        let mut got = vec![first.1.n_values];
        got.extend(std::iter::from_fn(|| Some(runs.next(&variant, &Unwatched)?.1.n_values)));
        let allowed = planned.iter().map(|&(_, n_values)| n_values).filter(|&n_values| n_values <= most);
        assert_eq!(got, allowed.collect::<Vec<u64>>());
        assert!(runs.refused.is_some_and(|(_, error)| error.to_string().contains("--limit")));
    }

    #[test]
    fn larger_limits_hold_smaller_ones() {
        let (none, one) = (Limit::in_all(0), Limit::in_all(1));
        let first = one.clone().with_first_only();
        for (small, large, expected) in [
            (&none, &first, true),
            (&Limit::each(0, 1), &first, true),
            (&Limit::each(1, 0), &first, false),
            (&none, &one, true),
            (&one, &none, false),
            (&one, &first, false),
            (&first, &one, true),
            (&Limit::each(1, 0), &one, true),
            (&one, &Limit::each(1, 1), true),
            (&Limit::each(1, 1), &one, false),
            (&Limit::each(1, 1), &Limit::in_all(2), true),
            (&none, &Limit::none(), true),
            (&Limit::none(), &Limit::in_all(2), false),
            (&none.clone().with_few_men(4), &one, false),
        ] {
            assert_eq!(small.is_within(large, Bound::Lower), expected, "{small} in {large}");
        }
        // For the other bound it is the other side that is held to the first piece.
        assert!(Limit::each(1, 0).is_within(&first, Bound::Upper));
    }
}
