//! Compares the solver's tables with the oracle's values for one material of a random game.

use super::variant_file;
use library::SolvedTables;
use proof::{Oracle, random_material};
use std::panic::{AssertUnwindSafe, catch_unwind};
use variant::{Material, Metric, Side, Variant};

/// A material of a random game, to be compared.
#[derive(Clone, Debug)]
pub struct Case {
    /// What the case was made of.
    pub seed: u64,
    /// The rules.
    pub variant: Variant,
    /// The men.
    pub material: Material,
    /// What is counted.
    pub metric: Metric,
}

/// The result of a comparison.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// All is equal; how many values there are.
    Equal(usize),
    /// What is not as it should be, in words.
    Different(String),
}

impl Verdict {
    /// The verdict of a comparison. A panic on either side is a difference.
    pub(super) fn of(compare: impl FnOnce() -> Verdict) -> Verdict {
        catch_unwind(AssertUnwindSafe(compare)).unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
            Verdict::Different(format!("panic: {text}"))
        })
    }
}

/// The most squares on which the oracle looks at four men.
pub(super) const MOST_SQUARES_FOR_FOUR: usize = 20;

/// The most squares on which it looks at every placement of three men.
const MOST_SQUARES: usize = 64;

/// The fewest men of a game: the royal ones, or one each.
pub(super) fn least_men(variant: &Variant) -> usize {
    Side::BOTH.into_iter().map(|side| variant.n_royals(side).max(1)).sum()
}

impl Case {
    /// Returns the case of a seed in a game, of `n_men` men or a random number of them, but at most three on
    /// a large board.
    #[must_use]
    pub fn random(seed: u64, game: &Variant, n_men: Option<usize>, metric: Metric) -> Self {
        let variant = game.for_metric(metric).into_owned();
        let is_small = variant.board.n_squares() <= MOST_SQUARES_FOR_FOUR;
        let n_men = n_men.unwrap_or(match seed % 16 {
            0 => 2,
            1 if is_small => 4,
            _ => 3,
        });
        let n_men = if variant.board.n_squares() > MOST_SQUARES { n_men.min(3) } else { n_men };
        let n_men = n_men.max(least_men(&variant));
        let material = random_material(&variant, n_men, seed).canonical(&variant);
        Case { seed, variant, material, metric }
    }

    /// The metric that a seed is compared under beside plies to mate.
    #[must_use]
    pub fn other_metric(seed: u64) -> Metric {
        let others = Metric::ALL.map(|metric| if metric == Metric::Dtm { Metric::Dtm50 } else { metric });
        others[(seed / 7 % 6) as usize]
    }

    /// Compares all values. A panic on either side is a difference.
    #[must_use]
    pub fn check(&self) -> Verdict {
        Verdict::of(|| self.compare())
    }

    fn compare(&self) -> Verdict {
        let tables = SolvedTables::of_metric(self.variant.clone(), self.metric);
        let table = tables.solved(&self.material).unwrap_or_else(|error| panic!("{error}"));
        // On large boards the oracle trusts the numbering of the table, which small ones have tried.
        let is_large = self.variant.board.n_squares() > MOST_SQUARES;
        let oracle = if is_large { Oracle::folded(&self.variant) } else { Oracle::new(&self.variant) };
        let mut oracle = oracle.counting(self.metric);
        oracle.solve(&self.material);
        let mut different = oracle.differences_anywhere(&table, 3).expect("the oracle has solved it");
        different.extend(oracle.differences(&table, 3).expect("the oracle has solved it"));
        if different.is_empty() {
            return Verdict::Equal(table.layout().len() * table.sides().count());
        }
        let lines: Vec<String> = different
            .iter()
            .map(|d| format!("{}: the solver has {:?}, the oracle {:?}", d.fen, d.stored, d.expected))
            .collect();
        Verdict::Different(lines.join("\n"))
    }

    /// The case for people: how to see it again, and all rules that matter.
    #[must_use]
    pub fn text(&self) -> String {
        let Case { seed, variant, material, metric } = self;
        format!("# seed {seed}, {} by {metric}\n", material.name(variant)) + &variant_file::text(variant)
    }
}
