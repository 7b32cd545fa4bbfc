//! Tracks the longest values that a pass has written and detects values that have no code.

use crate::sweep::Sink;
use table::{Code, Value};
use variant::Metric;

/// A pass has not come to its end: a value did not fit into the codes or could not be logged, or whoever
/// watches has stopped it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Halt;

/// The longest values of a side to move.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Longest {
    pub(crate) win: u16,
    pub(crate) loss: u16,
}

impl Longest {
    /// The longest of these and a value of the same side to move.
    pub(crate) fn with(self, value: Value) -> Longest {
        match value {
            Value::Win(ply) => Longest { win: self.win.max(ply.0), ..self },
            Value::Loss(ply) => Longest { loss: self.loss.max(ply.0), ..self },
            Value::Illegal | Value::Draw | Value::Stalemate => self,
        }
    }

    /// The longest of both.
    pub(crate) fn max(self, other: Longest) -> Longest {
        Longest { win: self.win.max(other.win), loss: self.loss.max(other.loss) }
    }
}

/// Codes that a pass writes, and what may be written.
pub(crate) struct Record<'a, C, W> {
    pub(crate) sink: Sink<'a, C, W>,
    pub(crate) metric: Metric,
    /// The longest of these values that still has a code beside the others of the same side to move.
    pub(crate) most_plies: u16,
    /// The longest that has been written.
    pub(crate) longest: u16,
}

impl<C: Code, W> Record<'_, C, W> {
    /// The code of a value; none if there is none beside those of the other values.
    pub(crate) fn code(&self, value: Value) -> Option<C> {
        let fits = value.ply().is_none_or(|ply| ply.0 <= self.most_plies);
        if fits { C::from_value_under(self.metric, value) } else { None }
    }

    pub(crate) fn note(&mut self, value: Value) {
        self.longest = self.longest.max(value.ply().map_or(0, |ply| ply.0));
    }
}
