//! Reads the indexes of a folder's files, and of folders that lend tables, and decides which tables are to
//! be made.
//!
//! Most finished files keep one side to move: the other is found by looking one move ahead. Solving reads
//! the tables below directly. What a move leads to has the other side to move, so a table mostly needs one
//! side of each table below, and if that is the one that was kept, nothing is to be done. Otherwise the
//! table below is solved again into scratch.

use crate::options::BuildOptions;
use library::{Lender, LibraryError, Loan, TableFiles};
use plan::{Job, JobId, Need, Plan, Request};
use std::path::PathBuf;
use variant::{Material, Metric, Side, Variant};

/// What a file says of itself.
enum State {
    /// There is none.
    Absent,
    /// It cannot be read, or is of other rules or another solver.
    Outdated,
    /// One side to move has been left out.
    OneSided(Side),
    /// It has both sides to move, and is to be trimmed.
    Untrimmed,
    Whole,
}

/// What a build would do with each table, in the order of the plan, as its files say. `stale` are those
/// that looked done from outside before, and were not.
///
/// # Errors
/// Something stands where one of the files is to go that is no file.
pub(super) fn survey(
    files: &TableFiles,
    plan: &Plan,
    options: &BuildOptions,
    lenders: &Lenders,
    stale: &[JobId],
) -> Result<Vec<Prospect>, LibraryError> {
    let mut surveyed = vec![Prospect::default(); plan.len()];
    let mut wanted: Vec<Vec<(&Job, &Need)>> = vec![Vec::new(); plan.len()];
    let mut is_own = vec![true; plan.len()];
    // A job that needs a table comes after it, so from the end each table is known to all that need it.
    for id in plan.ids().rev() {
        let job = plan.job(id);
        let mut after = plan.in_need_of(id).into_iter().peekable();
        if options.is_part_of_set
            && after.peek().is_some()
            && !after.any(|after| surveyed[after.0].is_to_make())
        {
            // Other jobs of the set see to it.
            is_own[id.0] = false;
            surveyed[id.0] = Prospect::Unneeded;
            continue;
        }
        let mut prospect = if options.force { Prospect::Asked } else { Prospect::Done };
        if stale.contains(&id) {
            prospect = Prospect::Outdated;
        }
        for &metric in files.edition().metrics() {
            let path = files.path(&job.name, metric);
            if std::fs::metadata(&path).is_ok_and(|there| !there.is_file()) {
                return Err(LibraryError::NotAFile { path });
            }
            let now = match state(files, job, metric) {
                State::OneSided(_) | State::Untrimmed if options.files.both_sides => Prospect::Asked,
                State::OneSided(side)
                    if files.edition().reads(metric) && !is_solved_again(files, job, metric) =>
                {
                    let in_need = wanted[id.0].iter().filter(|(_, need)| need.asks_for(side));
                    let needed_by: Vec<String> = in_need.map(|(job, _)| job.name.clone()).collect();
                    match needed_by.is_empty() {
                        true => Prospect::Done,
                        false => Prospect::LeftOut { side, needed_by },
                    }
                }
                State::Absent => Prospect::Missing,
                State::Outdated => Prospect::Outdated,
                State::OneSided(_) | State::Untrimmed | State::Whole => Prospect::Done,
            };
            // A table that is written anew has all that anybody needs.
            if matches!(prospect, Prospect::Done | Prospect::LeftOut { .. }) && now != Prospect::Done {
                prospect = now;
            }
        }
        if !lenders.is_empty() {
            let mut in_need = plan.in_need_of(id).into_iter();
            let is_needed = in_need.any(|after| is_own[after.0]) || lenders.is_asked_for(&job.material);
            let may_be_lent = !lenders.is_asked_for_by_name(&job.material);
            prospect = match prospect {
                Prospect::Done | Prospect::LeftOut { .. } => prospect,
                _ if !is_needed => Prospect::Unneeded,
                own if may_be_lent => {
                    let asks_for = |stm| wanted[id.0].iter().any(|(_, need)| need.asks_for(stm));
                    match Lender::lend(&lenders.lenders, files.edition(), job, asks_for) {
                        Ok(Some(loan)) => Prospect::Lent { loan, is_read: !wanted[id.0].is_empty() },
                        Err(why) if own == Prospect::Missing => Prospect::NotLent(why),
                        Ok(None) | Err(_) => own,
                    }
                }
                own => own,
            };
        }
        is_own[id.0] = prospect.is_own();
        surveyed[id.0] = prospect;
        if surveyed[id.0].is_to_make() {
            for needed in plan.needed_by(id) {
                let material = &plan.job(needed).material;
                let needs = job.needs.iter().filter(|need| need.material == *material);
                wanted[needed.0].extend(needs.map(|need| (job, need)));
            }
        }
    }
    Ok(surveyed)
}

/// What a build of these tables would do with each, in the order of the plan.
///
/// # Errors
/// Something is in the way of a file.
pub fn prospects(
    files: &TableFiles,
    plan: &Plan,
    options: &BuildOptions,
) -> Result<Vec<Prospect>, LibraryError> {
    survey(files, plan, options, &Lenders::default(), &[])
}

/// The disk that a build takes at most, roughly: tables that others read have both sides to move until then.
pub(super) fn disk_bytes(
    surveyed: &[Prospect],
    plan: &Plan,
    options: &BuildOptions,
    metrics: &[Metric],
) -> u64 {
    let is_needed = |id| plan.in_need_of(id).iter().any(|after| surveyed[after.0].is_to_make());
    let most = |(id, job): (JobId, &Job)| match is_needed(id) {
        true => options.files.most_disk_bytes(job, metrics),
        false => options.files.disk_bytes(job, metrics),
    };
    plan.ids().zip(plan.jobs()).filter(|(id, _)| surveyed[id.0].is_to_make()).map(most).sum()
}

/// Whether the table of a file that has left out a side to move is in scratch, solved again.
fn is_solved_again(files: &TableFiles, job: &Job, metric: Metric) -> bool {
    let again = files.again_summary(&job.name, metric).ok();
    let file = files.summary(&job.name, metric).ok();
    again.zip(file).is_some_and(|(again, file)| again.table_content() == file.table_content())
}

fn state(files: &TableFiles, job: &Job, metric: Metric) -> State {
    let summary = match files.summary(&job.name, metric) {
        Ok(summary) => summary,
        Err(error) if error.is_not_found() => return State::Absent,
        Err(_) => return State::Outdated,
    };
    let is_current = files.edition().is_current(&job.material, metric, &summary);
    match summary.left_out(job.is_one_sided()) {
        _ if !is_current => State::Outdated,
        Some(left_out) => State::OneSided(left_out),
        None if summary.metadata.trims_to.is_some() => State::Untrimmed,
        None => State::Whole,
    }
}

/// The folders that lend tables, the first one asked first.
#[derive(Debug, Default)]
pub struct Lenders {
    lenders: Vec<Lender>,
    wanted: Option<Request>,
}

impl Lenders {
    /// These folders lend tables to a build of what is wanted. A table that is asked for by its name is made
    /// even where one of them has it.
    ///
    /// # Errors
    /// A folder cannot be read.
    pub fn new(variant: &Variant, folders: &[PathBuf], wanted: &Request) -> Result<Self, LibraryError> {
        let wanted = match wanted {
            up_to @ Request::UpTo(_) => up_to.clone(),
            named => Request::Tables(named.named(variant)),
        };
        let lenders = folders.iter().map(|folder| Lender::new(folder, variant));
        Ok(Lenders { lenders: lenders.collect::<Result<_, _>>()?, wanted: Some(wanted) })
    }

    /// No folders.
    pub(super) fn nobody() -> &'static Self {
        static NOBODY: Lenders = Lenders { lenders: Vec::new(), wanted: None };
        &NOBODY
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.lenders.is_empty()
    }

    /// Whether a table is wanted for itself, and not for others that are made from it.
    pub(super) fn is_asked_for(&self, material: &Material) -> bool {
        match &self.wanted {
            Some(Request::UpTo(n_men)) => material.n_men() <= *n_men,
            _ => self.is_asked_for_by_name(material),
        }
    }

    /// Whether a table is wanted by its name.
    pub(super) fn is_asked_for_by_name(&self, material: &Material) -> bool {
        matches!(&self.wanted, Some(Request::Tables(wanted)) if wanted.contains(material))
    }
}

/// What a build is going to do with a table, as far as the indexes of files show.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub enum Prospect {
    /// It is there.
    #[default]
    Done,
    /// It is solved: it has no file.
    Missing,
    /// It is solved again: its file cannot be read, or is of other rules or another version of the solver.
    Outdated,
    /// It is solved again because that was asked for: by force, or to keep both sides to move.
    Asked,
    /// It is solved again for the sake of others: its files stay as they are, but have left out a side to
    /// move.
    LeftOut {
        /// The side that is missing.
        side: Side,
        /// The tables to be made that need it.
        needed_by: Vec<String>,
    },
    /// It is solved: a folder of others has it, but in a form that does not serve, for this reason.
    NotLent(String),
    /// It is taken from a folder of others.
    Lent {
        /// From where.
        loan: Loan,
        /// Whether a table that is to be made reads it.
        is_read: bool,
    },
    /// No table that is to be made needs it: those that do are taken from folders of others, or are for
    /// other builds of the set to make.
    Unneeded,
}

impl Prospect {
    /// Whether the table is to be made, or made again.
    #[must_use]
    pub fn is_to_make(&self) -> bool {
        !matches!(self, Prospect::Done | Prospect::Lent { .. } | Prospect::Unneeded)
    }

    /// The side to move that the table's file has left out and that a table which is to be made needs.
    pub(super) fn lacks(&self) -> Option<Side> {
        match self {
            Prospect::LeftOut { side, .. } => Some(*side),
            _ => None,
        }
    }

    /// Whether the table is to be in the folder in the end.
    #[must_use]
    pub fn is_own(&self) -> bool {
        !matches!(self, Prospect::Lent { .. } | Prospect::Unneeded)
    }
}
