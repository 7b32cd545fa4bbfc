//! What files are to be like, which sides to move they keep above all, and what has to be made for that.
//!
//! A file of a large table keeps one side to move: the other is found by looking one move ahead. Solving
//! reads the tables below directly, so a table keeps both sides for as long as one that needs it is still to
//! be made: such a file says of itself that it is an interim one. Where a table was cut down in an earlier
//! run and somebody needs the other side now, it is made again.

use crate::Failure;
use crate::edition::Edition;
use ::plan::{Job, Need, Plan};
use format::{Packing, Summary};
use std::path::Path;
use table::Table;
use variant::{Metric, Side};

/// Of plies to mate, tables of fewer men are small, and read by many others: they always keep both sides to
/// move. The tables of other metrics are there to be small.
const MIN_MEN_OF_ONE_SIDE: usize = 5;

/// What the files of a run are like in the end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Keeping {
    /// Both sides to move stay, whatever the table.
    pub(crate) both_sides: bool,
    /// How files of plies to mate are packed.
    pub(crate) packing: Packing,
}

impl Keeping {
    pub(crate) fn new(both_sides: bool, is_small: bool) -> Self {
        Keeping { both_sides, packing: if is_small { Packing::Small } else { Packing::Quick } }
    }

    /// Whether the file of this table under a metric is to have one side to move only.
    pub(crate) fn is_one_sided(self, job: &Job, metric: Metric) -> bool {
        let is_enough = job.material.n_men() >= MIN_MEN_OF_ONE_SIDE || metric != Metric::Dtm;
        !self.both_sides && is_enough && !job.is_symmetric()
    }

    /// What the files of a table take in the end, roughly: as much as a quick one of plies to mate, unless
    /// that is the only one and is packed smaller.
    pub(crate) fn disk_bytes(self, job: &Job, metrics: &[Metric]) -> u64 {
        let quick =
            if self.is_one_sided(job, Metric::Dtm) { job.side_disk_bytes() } else { job.disk_bytes() };
        match self.packing {
            Packing::Small if metrics == [Metric::Dtm] => job.small_bytes(quick),
            Packing::Small | Packing::Quick => quick,
        }
    }
}

/// What a look at the headers of a folder's files tells of a run.
pub(super) struct Survey {
    /// By place in the plan: whether the table is to be made, roughly; what is damaged shows only later.
    pub(super) make: Vec<bool>,
    /// The side to move that a table's file has left out and that a table which is to be made needs.
    pub(super) lacks: Vec<Option<Side>>,
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

impl Survey {
    /// Looks at the files of a plan's tables. `stale` are those that looked done from outside before, and
    /// were not.
    ///
    /// # Errors
    /// A file of another metric stands where one of these is to go, and nobody forces it away.
    pub(super) fn new(
        edition: &Edition,
        plan: &Plan,
        folder: &Path,
        (force, keeping): (bool, Keeping),
        stale: &[usize],
    ) -> Result<Self, Failure> {
        let mut make = vec![false; plan.len()];
        let mut lacks = vec![None; plan.len()];
        let mut wanted: Vec<Vec<&Need>> = vec![Vec::new(); plan.len()];
        // Whoever needs a table comes after it, so from the end each table is known to all that need it.
        for place in (0..plan.len()).rev() {
            let job = plan.job(place);
            make[place] = force || stale.contains(&place);
            for &metric in edition.files() {
                match state(edition, job, folder, metric) {
                    State::OneSided(left_out) => {
                        let needs_it = edition.reads(metric)
                            && wanted[place].iter().any(|need| needs_side(need, left_out, metric));
                        make[place] |= needs_it || keeping.both_sides;
                        lacks[place] = lacks[place].or(needs_it.then_some(left_out));
                    }
                    State::Interim => make[place] |= keeping.both_sides,
                    State::Absent => make[place] = true,
                    State::Other(other) if !force => {
                        let file = edition.path(folder, &job.name, metric);
                        return Err(Failure::new(format!(
                            "{} holds the metric {other} and would be replaced by one of {metric}; move it away, \
                             name another folder with --out DIR, or give --force",
                            file.display()
                        )));
                    }
                    State::Other(_) | State::Whole => {}
                }
            }
            if make[place] {
                for need in plan.needed_by(place) {
                    let material = &plan.job(need).material;
                    wanted[need].extend(job.needs.iter().filter(|need| need.material == *material));
                }
            }
        }
        Ok(Survey { make, lacks })
    }

    /// The disk that a run takes at most, roughly: tables that others need have both sides to move for a
    /// while.
    pub(super) fn disk_bytes(&self, plan: &Plan, keeping: Keeping, metrics: &[Metric]) -> u64 {
        let most = |(place, job): (usize, &Job)| match plan.in_need_of(place).iter().any(|&i| self.make[i]) {
            true => job.disk_bytes(),
            false => keeping.disk_bytes(job, metrics),
        };
        plan.jobs().enumerate().filter(|&(place, _)| self.make[place]).map(most).sum()
    }
}

/// Whether this need wants a side to move of its table's file. Of distances parts are not read, but whole
/// tables.
fn needs_side(need: &Need, stm: Side, metric: Metric) -> bool {
    let is_in_parts = metric == Metric::Dtm;
    !is_in_parts || need.part.as_ref().is_none_or(|part| Table::side_of_part_with(part.man) == stm)
}

fn state(edition: &Edition, job: &Job, folder: &Path, metric: Metric) -> State {
    let Ok(summary) = Summary::read(&edition.path(folder, &job.name, metric)) else { return State::Absent };
    let is_current = summary.rules_hash == format::rules_hash(&edition.variant, &job.material, metric)
        && summary.metadata.solver_version == ::solve::VERSION;
    match summary.left_out(job.is_symmetric()) {
        _ if summary.metric != metric.name() => State::Other(summary.metric),
        _ if !is_current => State::Absent,
        Some(left_out) => State::OneSided(left_out),
        None if summary.metadata.stays.is_some() => State::Interim,
        None => State::Whole,
    }
}
