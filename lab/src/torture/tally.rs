//! Counts what an attack has done and what was lost or wrong after it.

use std::collections::BTreeMap;
use std::fmt;

/// The kinds of harm that must not happen.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Harm {
    /// A finished file is gone, was made again without need, or a run that nobody disturbed has failed.
    Lost,
    /// A file has its name and is not whole.
    Half,
    /// The files in the end are not those of a run that nobody disturbed.
    Different,
    /// A damaged file has given another value than the whole one.
    Wrong,
    /// `verify` has found nothing wrong with a damaged file.
    Unnoticed,
    /// A process has panicked, was killed by the system, hangs, or ends without a sentence.
    Panic,
}

/// One harm, with all that is needed to look for its cause.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Finding {
    pub(super) harm: Harm,
    pub(super) text: String,
}

impl Finding {
    pub(super) fn new(harm: Harm, text: String) -> Self {
        Finding { harm, text }
    }
}

impl Harm {
    const fn name(self) -> &'static str {
        match self {
            Harm::Lost => "lost",
            Harm::Half => "half files",
            Harm::Different => "bytes different",
            Harm::Wrong => "wrong answers",
            Harm::Unnoticed => "not found by verify",
            Harm::Panic => "panics",
        }
    }
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
    /// So many more of something that is worth saying.
    pub(super) fn note(&mut self, name: &'static str, n: u64) {
        *self.notes.entry(name).or_default() += n;
    }

    pub(super) fn add(&mut self, harm: Harm) {
        *self.harms.entry(harm).or_default() += 1;
    }

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

/// The tallies of all attacks, each with its name and the harm that it can do.
#[derive(Clone, Debug)]
pub struct Counts(pub(super) Vec<(&'static str, &'static [Harm], Tally)>);

impl Counts {
    /// Whether nothing was harmed.
    #[must_use]
    pub fn is_well(&self) -> bool {
        self.0.iter().all(|(.., tally)| tally.harms.is_empty())
    }

    /// The tally of the attacks of this name.
    ///
    /// # Panics
    /// With a name that no attack has.
    #[must_use]
    pub fn of(&self, attack: &str) -> &Tally {
        let found = self.0.iter().find(|(name, ..)| *name == attack);
        found.map(|(.., tally)| tally).expect("the name of an attack")
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |parts: &mut dyn Iterator<Item = (&str, u64)>| {
            parts.map(|(name, n)| format!("{name} {n}")).collect::<Vec<_>>().join(", ")
        };
        for (number, (name, harms, tally)) in self.0.iter().enumerate() {
            let line_end = if number == 0 { "" } else { "\n" };
            let harms = list(&mut harms.iter().map(|&harm| (harm.name(), tally.n_harmed(harm))));
            write!(f, "{line_end}{name} {}: {harms}", tally.n_attacks)?;
            if !tally.notes.is_empty() {
                write!(f, " ({})", list(&mut tally.notes.iter().map(|(&name, &n)| (name, n))))?;
            }
        }
        Ok(())
    }
}
