//! Counts what attacks have done, and what was lost or wrong after them.

use super::command::{Ended, Program};
use proof::Dice;
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

/// The kinds of harm that must not happen.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Harm {
    /// A finished file is gone, was made again without need, or a run that nothing disturbed has failed.
    Lost,
    /// A file has its name and is not whole.
    Half,
    /// The files in the end are not those of a run that nothing disturbed.
    Different,
    /// A damaged file has given another value than the whole one.
    Wrong,
    /// `verify` has found nothing wrong with a damaged file.
    Unnoticed,
    /// A process has panicked, was killed by the system, hangs, or ends without a sentence.
    Panic,
}

/// The attacks of one kind, what they have hit, and what was harmed.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Tally {
    /// How many.
    pub n_attacks: u64,
    /// What is worth saying about them, each with its number.
    notes: BTreeMap<&'static str, u64>,
    harms: BTreeMap<Harm, u64>,
}

impl Tally {
    /// How often something was harmed in this way.
    #[must_use]
    pub fn n_harmed(&self, harm: Harm) -> u64 {
        self.harms.get(&harm).copied().unwrap_or(0)
    }

    /// The number of a note.
    #[must_use]
    pub fn noted(&self, name: &str) -> u64 {
        self.notes.get(name).copied().unwrap_or(0)
    }
}

/// Where an attack takes place, and what is found.
pub(super) struct Attack<'a> {
    pub(super) program: &'a Program,
    pub(super) folder: &'a Path,
    pub(super) dice: Dice,
    pub(super) tally: Tally,
    /// Each harm, with all that is needed to look for its cause.
    pub(super) findings: Vec<(Harm, String)>,
}

impl Attack<'_> {
    /// Adds to the number of something that is worth saying.
    pub(super) fn note(&mut self, name: &'static str, n: u64) {
        *self.tally.notes.entry(name).or_default() += n;
    }

    pub(super) fn harm(&mut self, harm: Harm, text: String) {
        *self.tally.harms.entry(harm).or_default() += 1;
        self.findings.push((harm, text));
    }

    /// Whether a command has done what no command may do.
    pub(super) fn has_fault(&mut self, ended: &Ended) -> bool {
        let fault = ended.fault();
        let has_fault = fault.is_some();
        fault.into_iter().for_each(|fault| self.harm(Harm::Panic, fault));
        has_fault
    }
}

/// The tallies of all attacks by their names.
#[derive(Clone, Debug)]
pub struct Counts(pub(super) BTreeMap<&'static str, Tally>);

impl Counts {
    /// Whether nothing was harmed.
    #[must_use]
    pub fn is_well(&self) -> bool {
        self.0.values().all(|tally| tally.harms.is_empty())
    }

    /// The tally of the attacks of this name.
    ///
    /// # Panics
    /// With a name that no attack has.
    #[must_use]
    pub fn of(&self, attack: &str) -> &Tally {
        &self.0[attack]
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, Tally { n_attacks, notes, harms }) in &self.0 {
            let harm: Vec<String> = harms.iter().map(|(harm, n)| format!("{harm:?} {n}")).collect();
            let harm = if harm.is_empty() { "no harm".to_owned() } else { harm.join(", ") };
            let notes: Vec<String> = notes.iter().map(|(note, n)| format!("{note} {n}")).collect();
            writeln!(f, "{name} {n_attacks}: {harm} ({})", notes.join(", "))?;
        }
        Ok(())
    }
}
