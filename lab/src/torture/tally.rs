//! Counts what an attack has done and what was lost or wrong after it.

use std::fmt;

/// The kinds of harm that must not happen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
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

/// The attacks of one kind, what they have hit, and what was harmed.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Tally {
    /// How many.
    pub n_attacks: u64,
    /// What is worth saying about them, each with its number.
    pub notes: Vec<(&'static str, u64)>,
    harms: Vec<(Harm, u64)>,
}

impl Tally {
    /// So many more of something that is worth saying.
    pub(super) fn note(&mut self, name: &'static str, n: u64) {
        match self.notes.iter_mut().find(|(known, _)| *known == name) {
            Some((_, sum)) => *sum += n,
            None => self.notes.push((name, n)),
        }
    }

    pub(super) fn add(&mut self, harm: Harm) {
        match self.harms.iter_mut().find(|(known, _)| *known == harm) {
            Some((_, sum)) => *sum += 1,
            None => self.harms.push((harm, 1)),
        }
    }

    /// How often something was harmed in this way.
    #[must_use]
    pub fn n_harmed(&self, harm: Harm) -> u64 {
        self.harms.iter().find(|(known, _)| *known == harm).map_or(0, |(_, n)| *n)
    }

    /// The number of a note.
    #[must_use]
    pub fn noted(&self, name: &str) -> u64 {
        self.notes.iter().find(|(known, _)| *known == name).map_or(0, |(_, n)| *n)
    }
}

/// The tallies of all attacks.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Counts {
    /// Runs that were killed.
    pub kills: Tally,
    /// Files that were damaged.
    pub damages: Tally,
    /// Runs on a disk that was too small or became full.
    pub full_disks: Tally,
    /// Runs that met another one in their folder.
    pub races: Tally,
}

impl Counts {
    /// Whether nothing was harmed.
    #[must_use]
    pub fn is_well(&self) -> bool {
        [&self.kills, &self.damages, &self.full_disks, &self.races].iter().all(|tally| tally.harms.is_empty())
    }
}

/// The name of a kind of attacks, its tally, and what harm it can do.
type Line<'a> = (&'a str, &'a Tally, &'a [(Harm, &'a str)]);

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const OF_RUNS: [(Harm, &str); 4] = [
            (Harm::Lost, "lost"),
            (Harm::Half, "half files"),
            (Harm::Different, "bytes different"),
            (Harm::Panic, "panics"),
        ];
        const OF_FILES: [(Harm, &str); 3] = [
            (Harm::Wrong, "wrong answers"),
            (Harm::Unnoticed, "not found by verify"),
            (Harm::Panic, "panics"),
        ];
        let lines: [Line<'_>; 4] = [
            ("kills", &self.kills, &OF_RUNS),
            ("full disks", &self.full_disks, &OF_RUNS),
            ("two at once", &self.races, &OF_RUNS),
            ("damaged files", &self.damages, &OF_FILES),
        ];
        for (number, (name, tally, harms)) in lines.into_iter().enumerate() {
            let line_end = if number == 0 { "" } else { "\n" };
            let harms: Vec<String> =
                harms.iter().map(|&(harm, name)| format!("{name} {}", tally.n_harmed(harm))).collect();
            write!(f, "{line_end}{name} {}: {}", tally.n_attacks, harms.join(", "))?;
            let notes: Vec<String> = tally.notes.iter().map(|(name, n)| format!("{name} {n}")).collect();
            if !notes.is_empty() {
                write!(f, " ({})", notes.join(", "))?;
            }
        }
        Ok(())
    }
}
