//! Counts how the values of a table change with the clock of the n-move rule.

use crate::census::Writer;
use serde::Serialize;
use std::fmt::Write as _;
use table::{NEVER_DRAWN, Table, stands_for_itself, threads};
use variant::{Side, Variant};

/// How the values of the positions with one side to move change with the clock, those that stand for the same
/// position counted once.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct ClockStatistics {
    /// The side to move, `white` or `black`.
    pub side: &'static str,
    /// Positions that are won or lost with the clock at 0.
    pub decided: u64,
    /// Of these, positions that take longer from some clock on and are not drawn there.
    pub longer: u64,
    /// The most times that the distance of a position grows, and a position; none if it never does.
    pub most_steps: Option<(usize, String)>,
    /// The clocks at which values change, in ascending order.
    pub changes: Vec<ClockChanges>,
}

/// What changes at one clock.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
pub struct ClockChanges {
    /// The plies of the clock.
    pub clock: u32,
    /// Positions that take longer than with one ply less on the clock.
    pub longer: u64,
    /// Positions that are drawn, and were not with one ply less.
    pub drawn: u64,
}

/// What some pages have.
struct Found {
    decided: u64,
    longer: u64,
    most: Option<(usize, usize)>,
    changes: Vec<[u64; 2]>,
}

impl ClockStatistics {
    /// The statistics of each side to move whose values change with the clock.
    #[must_use]
    pub fn collect(variant: &Variant, table: &Table) -> Vec<Self> {
        let writer = Writer::new(variant, table.layout());
        let one = |side: Side| Some((side, table.clocked(side)?));
        let of_side = |(side, clocked): (Side, &std::sync::Arc<table::Clocked>)| {
            let layout = table.layout();
            let page = |page: usize| {
                let all = vec![[0; 2]; usize::from(NEVER_DRAWN) + 1];
                let mut found = Found { decided: 0, longer: 0, most: None, changes: all };
                for (index, at_zero, own) in table.staircases(side, page) {
                    if at_zero.ply().is_none() || !stands_for_itself(layout, index) {
                        continue;
                    }
                    found.decided += 1;
                    found.longer += u64::from(!own.steps.is_empty());
                    own.growths().for_each(|steps| found.changes[usize::from(steps[0].clock)][0] += 1);
                    if own.drawn_from != NEVER_DRAWN {
                        found.changes[usize::from(own.drawn_from)][1] += 1;
                    }
                    let n_steps = own.growths().count();
                    if n_steps > found.most.map_or(0, |(most, _)| most) {
                        found.most = Some((n_steps, index));
                    }
                }
                found
            };
            let (mut sum, mut most) = (ClockStatistics::default(), None);
            let mut changes = vec![[0; 2]; usize::from(NEVER_DRAWN) + 1];
            for found in threads::map(0..clocked.pages.len(), page) {
                sum.decided += found.decided;
                sum.longer += found.longer;
                changes.iter_mut().zip(&found.changes).for_each(|(sum, own)| {
                    sum.iter_mut().zip(own).for_each(|(sum, own)| *sum += own);
                });
                // The first of the most.
                if found.most.map_or(0, |(n, _)| n) > most.map_or(0, |(n, _): (usize, usize)| n) {
                    most = found.most;
                }
            }
            let changes = changes.into_iter().zip(0..).filter(|(counts, _)| *counts != [0; 2]);
            ClockStatistics {
                side: if side == Side::White { "white" } else { "black" },
                most_steps: most.map(|(n, index)| (n, writer.fen(side, index))),
                changes: changes
                    .map(|([longer, drawn], clock)| ClockChanges { clock, longer, drawn })
                    .collect(),
                ..sum
            }
        };
        Side::BOTH.into_iter().filter_map(one).map(of_side).collect()
    }

    /// The statistics as text: a line, and one for each clock at which something changes.
    #[must_use]
    pub fn render(&self) -> String {
        let side = if self.side == "white" { "White" } else { "Black" };
        let mut text = format!(
            "{side} to move: {} of {} decided positions take longer from some clock on",
            self.longer, self.decided
        );
        if let Some((n, fen)) = &self.most_steps {
            let _ = write!(text, ", {n} times at most: {fen}");
        }
        text.push('\n');
        if !self.changes.is_empty() {
            text.push_str("  clock      longer       drawn\n");
        }
        for ClockChanges { clock, longer, drawn } in &self.changes {
            let _ = writeln!(text, "  {clock:>5}  {longer:>10}  {drawn:>10}");
        }
        text
    }
}
