//! Checks that texts are read in the symbols that make them cheapest.

use super::grammar::{Grammar, Worth};
use super::parse::{prices, read_whole, reread};
use super::run::{ANY, ANY_DISTANCE, Place};

/// Numbers below 2^31 without a pattern.
fn numbers(mut seed: u64) -> impl FnMut() -> u64 {
    move || {
        seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        seed >> 33
    }
}

/// Runs of few values, some of them long.
fn runs(seed: u64, n_values: u64) -> Vec<u16> {
    let mut next = numbers(seed);
    let mut values = Vec::new();
    while values.len() < 3_000 {
        let length = if next().is_multiple_of(5) { 1 + next() % 700 } else { 1 + next() % 4 };
        let value = (next() % n_values) as u16;
        values.extend(std::iter::repeat_n(value, length as usize));
    }
    values
}

/// Runs are counted as filling makes them.
#[track_caller]
fn check_n_runs<S: Place>(places: &[S]) {
    let filled = S::fill(places);
    let n_changes = filled.windows(2).filter(|pair| pair[0] != pair[1]).count();
    assert_eq!(S::n_runs(places.iter().copied()), n_changes + 1, "of {} places", places.len());
}

#[test]
fn runs_are_counted_as_they_are_filled() {
    let mut next = numbers(11);
    for n_places in [1, 2, 7, 500] {
        let sets: Vec<u8> = (0..n_places).map(|_| 1 + (next() % u64::from(ANY)) as u8).collect();
        check_n_runs(&sets);
        // The first is not free, so that there is a run.
        let distance =
            |at: u64, n: u64| if at > 0 && n.is_multiple_of(3) { ANY_DISTANCE } else { (n % 7) as u16 };
        let distances: Vec<u16> = (0..n_places).map(|at| distance(at, next())).collect();
        check_n_runs(&distances);
    }
    assert_eq!(u16::n_runs([ANY_DISTANCE; 3].into_iter()), 0, "runs where anything may stand");
}

/// A grammar of some values, the prices of its symbols, and what each stands for.
struct Case {
    grammar: Grammar,
    prices: Vec<u32>,
    expanded: Vec<Vec<u16>>,
}

impl Case {
    fn new<S: Place>(slots: &[S]) -> Self {
        let leaves: Vec<u16> = (0..9).collect();
        let mut grammar = Grammar::of_leaves(S::fill(slots), &leaves);
        grammar.join_runs(2);
        grammar.pair(4, Worth::Saving);
        let expanded = |symbol: usize| {
            let mut values = Vec::new();
            grammar.expand(symbol as u16, &mut values);
            values
        };
        let expanded = (0..grammar.symbols.len()).map(expanded).collect();
        Case { prices: prices(&grammar), expanded, grammar }
    }

    fn cost(&self, text: &[u16]) -> usize {
        text.iter().map(|&symbol| self.prices[usize::from(symbol)] as usize).sum()
    }

    /// What the symbols that fit from a place on cost, and where they lead.
    fn steps(&self, at: usize, n: usize, fits: &dyn Fn(usize, u16) -> bool) -> Vec<(usize, usize)> {
        let symbols = self.expanded.iter().zip(&self.prices);
        let fitting = symbols.filter(|(values, _)| {
            at + values.len() <= n && (at..).zip(*values).all(|(place, &value)| fits(place, value))
        });
        fitting.map(|(values, &price)| (price as usize, at + values.len())).collect()
    }

    /// The cost of the cheapest text of all.
    fn least_cost(&self, n: usize, fits: &dyn Fn(usize, u16) -> bool) -> usize {
        let mut costs = vec![usize::MAX; n + 1];
        costs[0] = 0;
        for at in 0..n {
            if costs[at] == usize::MAX {
                continue;
            }
            for (price, to) in self.steps(at, n, fits) {
                costs[to] = costs[to].min(costs[at] + price);
            }
        }
        costs[n]
    }
}

/// Texts are not the cheapest of all, but nearly; one of some fifty symbols, as here, is farther from it than
/// a long one.
const MOST_PERCENT: usize = 108;

/// Reads slots again, and returns what their text cost before and costs now.
#[track_caller]
fn check_reread<S: Place>(slots: &[S], fits: &dyn Fn(usize, u16) -> bool) -> [usize; 2] {
    let (n, mut case) = (slots.len(), Case::new(slots));
    let before = case.cost(&case.grammar.text);
    let (least, mut whole) = (case.least_cost(n, fits), case.grammar.clone());
    reread(&mut case.grammar, slots, S::OF_FEW.writing);
    let cost = case.cost(&case.grammar.text);
    assert!(least <= cost && cost <= before, "{cost} bits of {before}, {least} at least");
    assert!(cost * 100 <= least * MOST_PERCENT, "{cost} bits of {before}, {least} at least");
    read_whole(&mut whole, &slots.to_vec(), S::OF_MANY.writing);
    assert!(case.cost(&whole.text) * 100 <= least * MOST_PERCENT, "{} bits", case.cost(&whole.text));
    for grammar in [&case.grammar, &whole] {
        let mut read = Vec::new();
        grammar.text.iter().for_each(|&symbol| grammar.expand(symbol, &mut read));
        assert_eq!(read.len(), n);
        assert_eq!(read.iter().enumerate().position(|(at, &value)| !fits(at, value)), None);
    }
    [before, cost]
}

#[test]
fn text_is_nearly_as_cheap_as_can_be() {
    let mut bits = [0; 2];
    for seed in 0..4 {
        let mut next = numbers(seed + 100);
        // Lower values will do as well here and there.
        let set = |value: u16| if next().is_multiple_of(3) { (2u8 << value) - 1 } else { 1 << value };
        let sets: Vec<u8> = runs(seed, 5).into_iter().map(set).collect();
        let of_sets = check_reread(&sets, &|at, value| u16::from(sets[at]) >> value & 1 != 0);
        let slot = |value| if next().is_multiple_of(3) { ANY_DISTANCE } else { value };
        let slots: Vec<u16> = runs(seed + 50, 9).into_iter().map(slot).collect();
        let of_slots = check_reread(&slots, &|at, value| [value, ANY_DISTANCE].contains(&slots[at]));
        (0..2).for_each(|when| bits[when] += of_sets[when] + of_slots[when]);
    }
    assert!(bits[1] * 100 < bits[0] * 96, "{} bits of {} are hardly fewer", bits[1], bits[0]);
}
