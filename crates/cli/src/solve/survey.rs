//! Which sides to move files keep, and what has to be made for that.
//!
//! A file of a large table keeps one side to move: the other is found by looking one move ahead. Solving reads the
//! tables below directly, so a table keeps both sides for as long as one that needs it is still to be made: such a file
//! says of itself that it is an interim one. Where a table was cut down in an earlier run and somebody needs the other
//! side now, it is made again.

use crate::game::Game;
use ::plan::{Job, Need, Plan};
use format::Summary;
use std::path::Path;
use table::Table;
use variant::Side;

/// Tables of fewer men are small, and read by many others: they always keep both sides to move.
const MIN_MEN_OF_ONE_SIDE: usize = 5;

/// Which sides to move the files of a run keep in the end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Keeping {
    /// Both, whatever the table.
    pub(crate) both_sides: bool,
}

impl Keeping {
    /// Whether the file of this table is to have one side to move only.
    pub(crate) fn is_one_sided(self, job: &Job) -> bool {
        !self.both_sides && job.material.n_men() >= MIN_MEN_OF_ONE_SIDE && !job.material.is_symmetric()
    }

    /// What the file of a table takes in the end, roughly.
    pub(crate) fn disk_bytes(self, job: &Job) -> u64 {
        if self.is_one_sided(job) { job.side_disk_bytes() } else { job.disk_bytes() }
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
    Whole,
}

impl Survey {
    pub(super) fn new(game: &Game, plan: &Plan, folder: &Path, force: bool, keeping: Keeping) -> Self {
        let mut make = vec![false; plan.len()];
        let mut lacks = vec![None; plan.len()];
        let mut wanted: Vec<Vec<&Need>> = vec![Vec::new(); plan.len()];
        // Whoever needs a table comes after it, so from the end each table is known to all that need it.
        for place in (0..plan.len()).rev() {
            let job = plan.job(place);
            lacks[place] = match state(game, job, folder) {
                State::OneSided(left_out) => {
                    let needs_it = wanted[place].iter().any(|need| needs_side(need, left_out));
                    make[place] = needs_it || keeping.both_sides;
                    needs_it.then_some(left_out)
                }
                State::Interim => {
                    make[place] = keeping.both_sides;
                    None
                }
                State::Absent => {
                    make[place] = true;
                    None
                }
                State::Whole => None,
            };
            make[place] |= force;
            if make[place] {
                for need in plan.needed_by(place) {
                    let material = &plan.job(need).material;
                    wanted[need].extend(job.needs.iter().filter(|need| need.material == *material));
                }
            }
        }
        Survey { make, lacks }
    }

    /// The disk that a run takes at most, roughly: tables that others need have both sides to move for a while.
    pub(super) fn disk_bytes(&self, plan: &Plan, keeping: Keeping) -> u64 {
        let most = |(place, job): (usize, &Job)| match plan.in_need_of(place).iter().any(|&i| self.make[i]) {
            true => job.disk_bytes(),
            false => keeping.disk_bytes(job),
        };
        plan.jobs().enumerate().filter(|&(place, _)| self.make[place]).map(most).sum()
    }
}

/// Whether this need wants a side to move of its table.
fn needs_side(need: &Need, stm: Side) -> bool {
    need.part.as_ref().is_none_or(|part| Table::side_of_part_with(part.man) == stm)
}

fn state(game: &Game, job: &Job, folder: &Path) -> State {
    let Ok(summary) = Summary::read(&folder.join(format::file_name(&job.name))) else { return State::Absent };
    let is_current = summary.rules_hash.0 == game.variant.rules_hash(&job.material)
        && summary.metadata.solver_version == ::solve::VERSION;
    match summary.left_out() {
        _ if !is_current => State::Absent,
        Some(left_out) => State::OneSided(left_out),
        None if summary.metadata.stays.is_some() => State::Interim,
        None => State::Whole,
    }
}
