//! Holds a query: its condition, and what has to be read to judge it.

use crate::condition::{Condition, Needs};
use crate::parser::read;
use crate::token::QueryFault;
use variant::{Metric, Side, Variant};

/// Conditions on positions of one game: see [`crate::words`] for the language.
#[derive(Clone, PartialEq, Debug)]
pub struct Query {
    pub(crate) text: String,
    pub(crate) condition: Condition,
    needs: Needs,
}

impl Query {
    /// Reads a query; `metric` is the one that words without a metric are about.
    ///
    /// # Errors
    /// The text is no query of this game: which word is meant, and what could stand there.
    pub fn parse(variant: &Variant, metric: Metric, text: &str) -> Result<Query, QueryFault> {
        let (condition, needs) = read(variant, metric, text)?;
        Ok(Query { text: text.to_owned(), condition, needs })
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The metrics of the tables that it reads: its own first, each once.
    #[must_use]
    pub fn metrics(&self) -> &[Metric] {
        &self.needs.metrics
    }

    /// The clock of the n-move rule at which values of `dtm50` are read; of all others it is 0.
    #[must_use]
    pub fn clock(&self) -> u32 {
        self.needs.clock.unwrap_or(0)
    }

    /// Whether moves must be generated, and so the tables that they lead to be there.
    #[must_use]
    pub fn uses_moves(&self) -> bool {
        self.needs.uses_moves
    }

    /// Whether positions behind several moves are looked up.
    #[must_use]
    pub fn uses_line(&self) -> bool {
        self.needs.uses_line
    }

    /// The sides to move of which codes are read.
    #[must_use]
    pub fn sides(&self) -> Vec<Side> {
        let may_hold = |side: &Side| may_hold(&self.condition, *side) != Some(false);
        let own = Side::BOTH.into_iter().filter(may_hold).collect();
        if self.needs.reads_other_side || self.needs.uses_moves { Side::BOTH.to_vec() } else { own }
    }

    /// Whether tables with one side to move will do, whichever it is: of a zugzwang either side's codes rule
    /// nearly all positions out, and of those that are left a few moves say what the other side does.
    #[must_use]
    pub fn is_content_with_one_side(&self) -> bool {
        self.needs.metrics.len() == 1 && is_zugzwang(&self.condition)
    }

    /// Whether moves are asked whether they give check.
    pub(crate) fn uses_checks(&self) -> bool {
        self.needs.uses_checks
    }
}

/// Whether a condition holds of zugzwangs only.
fn is_zugzwang(condition: &Condition) -> bool {
    match condition {
        Condition::MutualZugzwang(_) | Condition::Zugzwang => true,
        Condition::And(parts) => parts.iter().any(is_zugzwang),
        Condition::Or(parts) => parts.iter().all(is_zugzwang),
        _ => false,
    }
}

/// Whether a condition holds with this side to move, as far as that alone decides.
fn may_hold(condition: &Condition, stm: Side) -> Option<bool> {
    let (parts, decisive) = match condition {
        Condition::ToMove(side) => return Some(*side == stm),
        Condition::Not(inner) => return may_hold(inner, stm).map(|holds| !holds),
        Condition::And(parts) => (parts, false),
        Condition::Or(parts) => (parts, true),
        _ => return None,
    };
    let known: Vec<Option<bool>> = parts.iter().map(|part| may_hold(part, stm)).collect();
    if known.contains(&Some(decisive)) {
        return Some(decisive);
    }
    known.iter().all(Option::is_some).then_some(!decisive)
}
