//! Says what to type about a table that is not there.

use crate::args::ProbeArgs;
use crate::game::Game;
use crate::remedy::solve_command;
use library::{Finding, Gap, Refusal};

/// How to build what a probe misses.
pub(super) struct Remedy<'a> {
    pub(super) program: &'a str,
    pub(super) game: &'a Game,
    pub(super) args: &'a ProbeArgs,
}

impl Remedy<'_> {
    /// The command that builds a table, or all.
    pub(super) fn command(&self, material: Option<&str>) -> String {
        let metric = self.args.metric.filter(|&metric| metric != self.game.variant.default_metric);
        let out = self.args.tables.as_deref();
        solve_command(self.program, &self.game.path, material, metric.as_slice(), out)
    }

    /// A refusal with what mends it.
    pub(super) fn message(&self, refusal: &Refusal) -> String {
        match refusal.missing() {
            Some(missing) => format!("{refusal}: run {}", self.command(Some(&missing.material))),
            None => refusal.to_string(),
        }
    }

    /// What cannot be said of a position, and what mends it.
    pub(super) fn gap(&self, finding: &Finding) -> Option<String> {
        let (gap, missing) = finding.gap()?;
        let lacking = match gap {
            Gap::SomeMoves => "not all moves can be rated",
            Gap::AllMoves => "the moves cannot be rated",
            Gap::RestOfLine => "the main line cannot be continued",
            Gap::WholeLine => "the main line cannot be played",
        };
        let name = &missing.material;
        Some(format!("{lacking} because {name} is not built: run {}", self.command(Some(name))))
    }
}
