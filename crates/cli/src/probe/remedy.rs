//! Says what to type about a table that is not there.

use crate::args::ProbeArgs;
use crate::game::Game;
use crate::remedy::{is_foreign, solve_command};
use library::{Finding, Gap, Refusal};
use std::path::Path;
use std::sync::OnceLock;

/// How to build what a probe misses.
pub(super) struct Remedy<'a> {
    pub(super) program: &'a str,
    pub(super) game: &'a Game,
    pub(super) args: &'a ProbeArgs,
    /// The folder that is asked.
    pub(super) folder: &'a Path,
    /// Whether it has files of other programs only, found out when something is missing.
    pub(super) is_foreign: OnceLock<bool>,
}

/// What to do about a table that a folder of other programs' files does not have.
fn add_to(folder: &Path) -> String {
    let folder = folder.display();
    format!(
        "{folder} has flat or Syzygy files only: add its files, or name a folder of our tables with --tables"
    )
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
            Some(missing) => match self.foreign() {
                Some(folder) => format!("not here: a file of {}; {}", missing.material, add_to(folder)),
                None => format!("{refusal}: run {}", self.command(Some(&missing.material))),
            },
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
        Some(match self.foreign() {
            Some(folder) => format!("{lacking} because no file has {name}; {}", add_to(folder)),
            None => format!("{lacking} because {name} is not built: run {}", self.command(Some(name))),
        })
    }

    /// The folder, if it is none to build into.
    fn foreign(&self) -> Option<&Path> {
        let is_foreign = self.is_foreign.get_or_init(|| is_foreign(self.folder));
        is_foreign.then_some(self.folder)
    }
}
