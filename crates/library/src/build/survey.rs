//! Reads the headers of a folder's files and decides which tables are to be made.
//!
//! A file of a large table keeps one side to move: the other is found by looking one move ahead. Solving
//! reads the tables below directly, so a table keeps both sides for as long as one that needs it is still to
//! be made: such a file says of itself that it is an interim one. Where a table was cut down in an earlier
//! build and somebody needs the other side now, it is made again.

use super::options::BuildOptions;
use crate::{LibraryError, TableFiles};
use format::Summary;
use plan::{Job, JobId, Need, Plan};
use table::Table;
use variant::{Metric, Side};

/// What the files of a table say, in the order of the plan.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Surveyed {
    /// Whether the table is to be made, roughly; what is damaged shows only later.
    pub(super) is_to_make: bool,
    /// The side to move that the table's file has left out and that a table which is to be made needs.
    pub(super) lacks: Option<Side>,
}

/// What a file says of itself.
enum State {
    /// There is none of these rules and this solver.
    Absent,
    /// One side to move has been left out.
    OneSided(Side),
    /// It keeps both sides to move for now.
    Interim,
    /// It is a table of another metric.
    Other(String),
    Whole,
}

/// Looks at the files of a plan's tables. `stale` are those that looked done from outside before, and were
/// not.
///
/// # Errors
/// A file of another metric stands where one of these is to go, and the build is not a forced one; or
/// something stands there that is no file.
pub(super) fn survey(
    files: &TableFiles,
    plan: &Plan,
    options: &BuildOptions,
    stale: &[JobId],
) -> Result<Vec<Surveyed>, LibraryError> {
    let mut surveyed = vec![Surveyed::default(); plan.len()];
    let mut wanted: Vec<Vec<&Need>> = vec![Vec::new(); plan.len()];
    // Whoever needs a table comes after it, so from the end each table is known to all that need it.
    for id in plan.ids().rev() {
        let (job, found) = (plan.job(id), &mut surveyed[id.0]);
        found.is_to_make = options.force || stale.contains(&id);
        for &metric in files.edition().metrics() {
            let path = files.path(&job.name, metric);
            if std::fs::metadata(&path).is_ok_and(|there| !there.is_file()) {
                return Err(LibraryError::NotAFile { path });
            }
            match state(files, job, metric) {
                State::OneSided(left_out) => {
                    let is_needed = files.edition().reads(metric)
                        && wanted[id.0].iter().any(|need| needs_side(need, left_out, metric));
                    found.is_to_make |= is_needed || options.files.both_sides;
                    found.lacks = found.lacks.or(is_needed.then_some(left_out));
                }
                State::Interim => found.is_to_make |= options.files.both_sides,
                State::Absent => found.is_to_make = true,
                State::Other(found) if !options.force => {
                    return Err(LibraryError::OtherMetric { path, found, wanted: metric });
                }
                State::Other(_) | State::Whole => {}
            }
        }
        if found.is_to_make {
            for needed in plan.needed_by(id) {
                let material = &plan.job(needed).material;
                wanted[needed.0].extend(job.needs.iter().filter(|need| need.material == *material));
            }
        }
    }
    Ok(surveyed)
}

/// The disk that a build takes at most, roughly: tables that others need have both sides to move for a while.
pub(super) fn disk_bytes(
    surveyed: &[Surveyed],
    plan: &Plan,
    options: &BuildOptions,
    metrics: &[Metric],
) -> u64 {
    let is_needed = |id| plan.in_need_of(id).iter().any(|after| surveyed[after.0].is_to_make);
    let most = |(id, job): (JobId, &Job)| match is_needed(id) {
        true => options.files.most_disk_bytes(job, metrics),
        false => options.files.disk_bytes(job, metrics),
    };
    plan.ids().zip(plan.jobs()).filter(|(id, _)| surveyed[id.0].is_to_make).map(most).sum()
}

/// Whether this need wants a side to move of its table's file. Of distances parts are not read, but whole
/// tables.
fn needs_side(need: &Need, stm: Side, metric: Metric) -> bool {
    let is_in_parts = metric == Metric::Dtm;
    !is_in_parts || need.part.as_ref().is_none_or(|part| Table::side_of_part_with(part.man) == stm)
}

fn state(files: &TableFiles, job: &Job, metric: Metric) -> State {
    let Ok(summary) = Summary::read(&files.path(&job.name, metric)) else { return State::Absent };
    let rules_hash = format::rules_hash(files.edition().variant(), &job.material, metric);
    let is_current = summary.rules_hash == rules_hash && summary.metadata.solver_version == solve::VERSION;
    match summary.left_out(job.is_one_sided()) {
        _ if summary.metric != metric.name() => State::Other(summary.metric),
        _ if !is_current => State::Absent,
        Some(left_out) => State::OneSided(left_out),
        None if summary.metadata.stays.is_some() => State::Interim,
        None => State::Whole,
    }
}
