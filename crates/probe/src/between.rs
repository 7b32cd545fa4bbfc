//! Holds what is known of a value, which may be less than all.

use std::cmp::Ordering;
use std::fmt;
use table::{Ply, Scale, Value};

/// What is known of a value, as the side sees it whose value it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Between {
    /// It is at least as good as this.
    pub least: Value,
    /// It is at most as good as this.
    pub most: Value,
}

impl Between {
    /// Nothing is known.
    pub const ANYTHING: Between = Between { least: Value::Loss(Ply(0)), most: Value::Win(Ply(1)) };

    /// All is known.
    #[must_use]
    pub fn exactly(value: Value) -> Self {
        Between { least: value, most: value }
    }

    /// The value, if it is known.
    #[must_use]
    pub fn value(self) -> Option<Value> {
        self.is_exact().then_some(self.least)
    }

    /// Like [`Self::wdl`], with the clock of the n-move rule at this many plies: what the rule spoils is a
    /// draw.
    #[must_use]
    pub fn wdl_now(self, scale: &Scale, clock: u32) -> Option<i8> {
        self.least_now(scale, clock).filter(|_| self.least_now(scale, clock) == self.most_now(scale, clock))
    }

    /// 1, 0 or −1: what the side gets at least with the clock of the n-move rule at this many plies; none
    /// of what is no position.
    #[must_use]
    pub fn least_now(self, scale: &Scale, clock: u32) -> Option<i8> {
        if scale.is_cursed_at(self.least, clock) { Some(0) } else { self.least.wdl() }
    }

    /// Like [`Self::least_now`], at most.
    #[must_use]
    pub fn most_now(self, scale: &Scale, clock: u32) -> Option<i8> {
        if scale.is_cursed_at(self.most, clock) { Some(0) } else { self.most.wdl() }
    }

    /// Whether the value is known, and the n-move rule makes a draw of it with its clock at this many plies.
    #[must_use]
    pub fn is_cursed_at(self, scale: &Scale, clock: u32) -> bool {
        self.value().is_some_and(|value| scale.is_cursed_at(value, clock))
    }

    /// What it is at least and at most, as far as that says more than the rules do: a side with a move is
    /// mated in two plies at the earliest, and mates in one.
    #[must_use]
    pub fn told(self) -> (Option<Value>, Option<Value>) {
        let least = Some(self.least).filter(|least| !matches!(least, Value::Loss(Ply(0..=2))));
        let most = Some(self.most).filter(|most| !matches!(most, Value::Win(Ply(0..=1))));
        (least, most)
    }

    /// Whether nothing is known but what the rules say of any position.
    #[must_use]
    pub fn is_open(self) -> bool {
        !self.is_exact() && self.told() == (None, None)
    }

    /// The plies, if a side wins for sure and they are known.
    #[must_use]
    pub fn ply(self) -> Option<Ply> {
        self.value()?.ply()
    }

    /// Whether the value is known.
    #[must_use]
    pub fn is_exact(self) -> bool {
        self.least.preference(&self.most) == Ordering::Equal
    }

    /// 1 for a win, 0 for a draw, −1 for a loss, if that is known.
    #[must_use]
    pub fn wdl(self) -> Option<i8> {
        self.least.wdl().filter(|_| self.least.wdl() == self.most.wdl())
    }

    /// Whether it is known if the side loses.
    #[must_use]
    pub fn tells_loss(self) -> bool {
        matches!(self.most, Value::Loss(_)) || !matches!(self.least, Value::Loss(_))
    }

    /// Whether it is known if the side wins.
    #[must_use]
    pub fn tells_win(self) -> bool {
        matches!(self.least, Value::Win(_)) || !matches!(self.most, Value::Win(_))
    }

    /// What both say.
    #[must_use]
    pub fn and(self, other: Between) -> Between {
        let better = |a: Value, b: Value| if a.preference(&b).is_ge() { a } else { b };
        let worse = |a: Value, b: Value| if a.preference(&b).is_ge() { b } else { a };
        Between { least: better(self.least, other.least), most: worse(self.most, other.most) }
    }

    /// How many of win, draw and loss it may be beside one.
    #[must_use]
    pub fn n_open(self) -> usize {
        let result = |value| match value {
            Value::Win(_) => 2,
            Value::Loss(_) => 0,
            _ => 1usize,
        };
        result(self.most).saturating_sub(result(self.least))
    }

    /// The better one comes first: by what it is at least, then by what it is at most.
    pub(crate) fn order(self, other: Between) -> Ordering {
        let by_least = other.least.preference(&self.least);
        by_least.then_with(|| other.most.preference(&self.most))
    }
}

/// Whether the value is known to be this one.
impl PartialEq<Value> for Between {
    fn eq(&self, other: &Value) -> bool {
        self.least == *other && self.most == *other
    }
}

impl fmt::Display for Between {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.value() {
            Some(value) => value.fmt(f),
            None => write!(f, "{} to {}", self.least, self.most),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use variant::{Metric, Variant};

    #[test]
    fn both_say_more_than_one_and_the_rule_spoils_either() {
        let [win, loss] = [|plies| Value::Win(Ply(plies)), |plies| Value::Loss(Ply(plies))];
        let (least, most) =
            (Between { least: Value::Draw, ..Between::ANYTHING }, Between::exactly(Value::Draw));
        assert_eq!((least.wdl(), least.tells_loss(), least.tells_win()), (None, true, false));
        assert_eq!(least.and(Between { most: Value::Stalemate, ..Between::ANYTHING }).wdl(), Some(0));
        assert_eq!((least.n_open(), most.n_open(), Between::ANYTHING.n_open()), (1, 0, 2));
        let late = Between { least: win(101), most: win(1) };
        let scale = Scale::new(Metric::Dtz50, &Variant::chess().rules);
        assert_eq!((late.wdl(), late.wdl_now(&scale, 0)), (Some(1), None));
        assert_eq!(Between::exactly(loss(90)).wdl_now(&scale, 11), Some(0));
        assert!(Between { least: loss(2), most: win(1) }.is_open() && !late.is_open());
        assert!(!Between::exactly(loss(2)).is_open() && late != win(101));
    }
}
