//! Lists the jobs of a build with what they need and the memory that they take.
//!
//! A *holding* is a table, or a part of one, that jobs read; it stays in memory from its first use to its
//! last unless its place is needed.

use super::footprint::{BuildFootprint, JobCost};
use plan::{Job, JobId, Memory, Need, Plan};
use std::collections::{BTreeMap, BTreeSet};
use variant::exit::TablePart;
use variant::{Man, Material};

/// How much of a table is in memory, in bytes a value, while it is read from somebody else's files: in
/// stretches of two bytes a value, joined, and in one byte at last.
const READING_COPIES: u64 = 5;

/// The number of a holding.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct HoldingId(pub(crate) usize);

/// The jobs of a build and the memory that they share.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Schedule {
    /// In the order of the plan.
    pub(crate) jobs: Vec<ScheduledJob>,
    /// The memory that each holding takes.
    pub(crate) holding_bytes: Vec<u64>,
    /// The memory that all may take together.
    pub(crate) limit_bytes: u64,
    /// The tables that a job reads slice by slice; they are no holdings.
    pub(crate) sliced: BTreeSet<(JobId, Material)>,
}

/// A job, what it waits for and what it takes.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct ScheduledJob {
    /// The jobs that it needs.
    pub(crate) needs: Vec<JobId>,
    /// The more urgent one of two comes first.
    pub(crate) urgency: u64,
    /// The memory that it takes beside the holdings that it reads.
    pub(crate) working_bytes: u64,
    /// The holdings that it reads.
    pub(crate) reads: Vec<HoldingId>,
    /// The holding that it leaves in memory when it is done, if somebody reads it.
    pub(crate) leaves: Option<HoldingId>,
}

impl Schedule {
    /// The schedule of a plan, and for each holding the need that it meets. Jobs that are not of one's own
    /// (`is_own`) need nothing and are no more than read.
    pub(crate) fn new(
        plan: &Plan,
        footprint: &BuildFootprint<'_>,
        limit_bytes: u64,
        is_own: &dyn Fn(JobId) -> bool,
    ) -> (Self, Vec<Need>) {
        let mut numbers = BTreeMap::new();
        let mut needs: Vec<Need> = Vec::new();
        let mut reads = Vec::new();
        let mut sliced = BTreeSet::new();
        // Tables of others are there as a whole.
        let others: BTreeSet<&Material> =
            plan.ids().filter(|&id| !is_own(id)).map(|id| &plan.job(id).material).collect();
        let costs: Vec<JobCost> = plan.jobs().map(|job| footprint.cost(job)).collect();
        for (id, job) in plan.ids().zip(plan.jobs()) {
            let number = |need: &Need| {
                let id = *numbers.entry(key(&need.material, need.part.as_ref())).or_insert_with(|| {
                    needs.push(need.clone());
                    HoldingId(needs.len() - 1)
                });
                needs[id.0].join_sides(need);
                id
            };
            let strategy = costs[id.0].strategy;
            let is_sliced =
                |need: &Need| footprint.is_sliced(job, need, strategy) && !others.contains(&need.material);
            let own = || job.needs.iter().filter(|_| is_own(id));
            sliced.extend(own().filter(|need| is_sliced(need)).map(|need| (id, need.material.clone())));
            let needs = own().filter(|need| !is_sliced(need));
            reads.push(needs.map(number).collect::<Vec<HoldingId>>());
        }
        let urgencies = plan.remaining_work();
        let job = |(id, reads): (JobId, Vec<HoldingId>)| {
            let job: &Job = plan.job(id);
            ScheduledJob {
                needs: if is_own(id) { plan.needed_by(id) } else { Vec::new() },
                urgency: urgencies[id.0],
                working_bytes: match is_own(id) {
                    true => costs[id.0].memory.working(),
                    false => job.n_values() * READING_COPIES,
                },
                reads,
                leaves: numbers.get(&key(&job.material, None)).copied(),
            }
        };
        let schedule = Schedule {
            jobs: plan.ids().zip(reads).map(job).collect(),
            holding_bytes: needs.iter().map(Need::bytes).collect(),
            // Jobs and holdings share what the program itself leaves.
            limit_bytes: limit_bytes.saturating_sub(Memory::PROCESS_BYTES),
            sliced,
        };
        (schedule, needs)
    }

    /// Whether a job reads a table slice by slice.
    pub(crate) fn is_sliced(&self, job: JobId, material: &Material) -> bool {
        self.sliced.contains(&(job, material.clone()))
    }

    pub(crate) fn job(&self, job: JobId) -> &ScheduledJob {
        &self.jobs[job.0]
    }

    pub(crate) fn bytes_of(&self, holding: HoldingId) -> u64 {
        self.holding_bytes[holding.0]
    }

    /// What a job takes with nothing else beside it.
    pub(crate) fn alone_bytes(&self, job: JobId) -> u64 {
        let job = self.job(job);
        job.working_bytes + job.reads.iter().map(|&holding| self.bytes_of(holding)).sum::<u64>()
    }
}

/// The key of a holding: the table, and which part of it.
fn key(material: &Material, part: Option<&TablePart>) -> (Material, Option<(Man, u128)>) {
    (material.clone(), part.map(|part| (part.man, part.squares.bits())))
}
