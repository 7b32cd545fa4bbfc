//! Counts what attacks have done, and what was lost or wrong after them.

use super::command::{Ended, Program};
use proof::Dice;
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

/// The kinds of harm that must not happen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
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

/// What attacks of one kind have done, by words: how many there were, what they have hit, and what was
/// harmed, by the name of the harm.
pub(super) type Tally = BTreeMap<String, u64>;

/// How the words for harm begin.
const HARM: &str = "HARM: ";

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
    /// Counts something that is worth saying, if it is so.
    pub(super) fn note(&mut self, name: &str, is_so: bool) {
        *self.tally.entry(name.to_owned()).or_default() += u64::from(is_so);
    }

    pub(super) fn harm(&mut self, harm: Harm, text: String) {
        self.note(&format!("{HARM}{harm:?}"), true);
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
        self.0.values().flat_map(Tally::keys).all(|word| !word.starts_with(HARM))
    }

    /// How often the attacks of a name have done something.
    #[must_use]
    pub fn of(&self, attack: &str, what: &str) -> u64 {
        self.0.get(attack).and_then(|tally| tally.get(what)).copied().unwrap_or(0)
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|(name, tally)| {
            let notes: Vec<String> = tally.iter().map(|(note, n)| format!("{note} {n}")).collect();
            writeln!(f, "{name}: {}", notes.join(", "))
        })?;
        f.write_str(if self.is_well() { "no harm was done" } else { "harm was done" })
    }
}
