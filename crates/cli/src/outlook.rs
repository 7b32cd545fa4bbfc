//! Says what a build is going to do with tables that are there already, and why.

use ::plan::Plan;
use build::Prospect;
use library::figure::plural;
use serde::Serialize;

/// No more tables are named one by one.
const MOST_LINES: usize = 12;

/// No more tables that are taken from somewhere are named.
const MOST_TAKEN: usize = 8;

/// No more tables are named in one line.
const MOST_NAMES: usize = 3;

/// A line for each table that has a file and is solved again, and for each that a folder of others has in
/// vain;
/// none for those that were asked for.
pub(crate) fn again(plan: &Plan, outlook: &[Prospect]) -> Vec<String> {
    let line = |(job, prospect): (&::plan::Job, &Prospect)| {
        let why = match prospect {
            Prospect::LeftOut { side, needed_by } => {
                let verb = if needed_by.len() == 1 { "needs" } else { "need" };
                format!("its file has not {side} to move, which {} {verb}; the file stays", names(needed_by))
            }
            Prospect::NotLent(why) => return Some(format!("{} is solved: {why}", job.name)),
            Prospect::Outdated => "its file is of other rules or another version, or cannot be read".into(),
            _ => return None,
        };
        Some(format!("{} is solved again: {why}", job.name))
    };
    let mut lines: Vec<String> = plan.jobs().zip(outlook).filter_map(line).collect();
    if lines.len() > MOST_LINES + 1 {
        let more = plural((lines.len() - MOST_LINES) as u64, "more table");
        lines.truncate(MOST_LINES);
        lines.push(format!("… and {more} for like reasons"));
    }
    lines
}

/// The tables that are taken from a folder of others.
#[derive(Serialize, Debug)]
pub(crate) struct Taken {
    folder: String,
    /// How their files end.
    ending: String,
    tables: Vec<String>,
}

impl Taken {
    /// `taken from syzygy (.rtbw): KQvK, KRvK`.
    pub(crate) fn line(&self) -> String {
        let Taken { folder, ending, tables } = self;
        let named = match tables.len() {
            0..=MOST_TAKEN => tables.join(", "),
            n => format!("{} and {} more", tables[..MOST_TAKEN].join(", "), n - MOST_TAKEN),
        };
        format!("taken from {folder} ({ending}): {named}")
    }
}

/// What is taken from where, by folders and formats.
pub(crate) fn taken(plan: &Plan, outlook: &[Prospect]) -> Vec<Taken> {
    let mut all: Vec<Taken> = Vec::new();
    for (job, prospect) in plan.jobs().zip(outlook) {
        let Prospect::Lent { loan, is_read: true } = prospect else { continue };
        let (folder, ending) = (loan.folder().display().to_string(), loan.ending());
        match all.iter_mut().find(|taken| taken.folder == folder && taken.ending == ending) {
            Some(taken) => taken.tables.push(job.name.clone()),
            None => all.push(Taken { folder, ending, tables: vec![job.name.clone()] }),
        }
    }
    all
}

/// `2 of 20 tables are to be solved, 18 are there`.
pub(crate) fn sum(outlook: &[Prospect]) -> String {
    let n_done = outlook.iter().filter(|prospect| **prospect == Prospect::Done).count();
    let (n_all, n_to_make) = (outlook.len(), outlook.len() - n_done);
    match n_to_make {
        0 => format!("all of {} are there", plural(n_all as u64, "table")),
        1 => format!("1 of {} is to be solved, {n_done} are there", plural(n_all as u64, "table")),
        n => format!("{n} of {} are to be solved, {n_done} are there", plural(n_all as u64, "table")),
    }
}

/// A prospect in a word, for programs.
pub(crate) fn name(prospect: &Prospect) -> &'static str {
    match prospect {
        Prospect::Done => "done",
        Prospect::Missing => "missing",
        Prospect::Outdated => "outdated",
        Prospect::LeftOut { .. } => "left-out",
        _ => "asked",
    }
}

fn names(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] if names.len() <= MOST_NAMES => format!("{} and {last}", first.join(", ")),
        _ => format!("{} and {} more", names[..MOST_NAMES - 1].join(", "), names.len() + 1 - MOST_NAMES),
    }
}

#[cfg(test)]
mod tests {
    use super::names;

    #[track_caller]
    fn check_names(given: &[&str], expected: &str) {
        assert_eq!(names(&given.iter().map(|&name| name.to_owned()).collect::<Vec<String>>()), expected);
    }

    #[test]
    fn few_names_are_listed_and_many_counted() {
        check_names(&["KRvK"], "KRvK");
        check_names(&["KRvK", "KQvK", "KBvK"], "KRvK, KQvK and KBvK");
        check_names(&["KRvK", "KQvK", "KBvK", "KNvK"], "KRvK, KQvK and 2 more");
    }
}
