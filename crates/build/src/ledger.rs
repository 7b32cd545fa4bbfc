//! Decides which job may begin, by what it needs and by the memory that it takes.
//!
//! What is in use at a time (the running jobs and all holdings in memory) never exceeds the limit. There are
//! no threads here and no clock: the caller decides when, so that the same ledger runs the jobs and predicts
//! their peak.

use crate::footprint::{BuildFootprint, JobCost};
use plan::{Job, JobId, Memory, Need, Plan};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use variant::Material;

/// What has been done and what is in memory.
pub(super) struct Ledger<'a> {
    schedule: &'a Schedule,
    waits: Vec<Wait>,
    /// Jobs that may be done already; by urgency, then the one that was planned first.
    to_look: BinaryHeap<(u64, Reverse<JobId>)>,
    n_looking: usize,
    /// Jobs that wait for memory only, the one first that begins first if it fits.
    ready: BTreeSet<Key>,
    /// The keys of the jobs in `ready`.
    keys: Vec<Option<Key>>,
    /// Jobs that wait for more memory than there may be.
    too_large: Vec<JobId>,
    n_running: usize,
    /// What running jobs take beyond what was estimated.
    grown_bytes: Vec<u64>,
    holdings: Vec<Holding>,
    in_memory: BTreeSet<HoldingId>,
    used_bytes: u64,
    /// What those holdings take of it that no running job reads.
    idle_bytes: u64,
}

/// The least comes first: how much memory a job holds for others once it is done, its urgency, its place.
type Key = (i128, Reverse<u64>, JobId);

/// Which jobs a job waits for and which wait for it.
#[derive(Clone, Default)]
struct Wait {
    /// How many jobs it still waits for.
    n_open: usize,
    /// The jobs that need it.
    in_need: Vec<JobId>,
}

#[derive(Clone, Default)]
struct Holding {
    is_in_memory: bool,
    n_running: usize,
    /// The jobs that will read it or do so now, in the order of the plan.
    users: Vec<JobId>,
}

/// The most memory that a build takes at a time: as many jobs run together as there are threads, none of them
/// is done yet, and each takes as much work as it has values.
#[must_use]
pub fn peak_bytes(plan: &Plan, footprint: &BuildFootprint<'_>, limit_bytes: u64) -> u64 {
    let (schedule, _) = Schedule::new(plan, footprint, limit_bytes, &|_| true);
    let work: Vec<u64> = plan.jobs().map(Job::n_values).collect();
    Memory::PROCESS_BYTES + peak_of(&schedule, footprint.n_threads, &work)
}

/// The most memory that jobs and holdings use at a time if each job takes so much work.
fn peak_of(schedule: &Schedule, n_workers: usize, work: &[u64]) -> u64 {
    let mut ledger = Ledger::new(schedule);
    let mut running: Vec<(u64, JobId)> = Vec::new();
    let mut peak_bytes = 0;
    loop {
        while let Some(job) = ledger.next_to_look() {
            ledger.must_make(job);
        }
        while running.len() < n_workers.max(1)
            && let Some((job, _)) = ledger.next_to_make()
        {
            running.push((work[job.0], job));
        }
        peak_bytes = peak_bytes.max(ledger.used_bytes);
        // The one with the least left ends first; the others have done as much by then.
        let Some(&first) = running.iter().min() else { return peak_bytes };
        running.retain(|&entry| entry != first);
        running.iter_mut().for_each(|(left, _)| *left -= first.0);
        ledger.finish(first.1, true);
    }
}

impl<'a> Ledger<'a> {
    pub(super) fn new(schedule: &'a Schedule) -> Self {
        let mut waits = vec![Wait::default(); schedule.jobs.len()];
        let mut holdings = vec![Holding::default(); schedule.holding_bytes.len()];
        let jobs = || (0..).map(JobId).zip(&schedule.jobs);
        for (id, job) in jobs() {
            waits[id.0].n_open = job.needs.len();
            job.needs.iter().for_each(|before| waits[before.0].in_need.push(id));
            job.reads.iter().for_each(|holding| holdings[holding.0].users.push(id));
        }
        let mut ledger = Ledger {
            schedule,
            waits,
            to_look: BinaryHeap::new(),
            n_looking: 0,
            ready: BTreeSet::new(),
            keys: vec![None; schedule.jobs.len()],
            too_large: Vec::new(),
            n_running: 0,
            grown_bytes: vec![0; schedule.jobs.len()],
            holdings,
            in_memory: BTreeSet::new(),
            used_bytes: 0,
            idle_bytes: 0,
        };
        jobs().filter(|(_, job)| job.needs.is_empty()).for_each(|(id, _)| ledger.open(id));
        ledger
    }

    /// Whether no job is at work.
    pub(super) fn is_idle(&self) -> bool {
        self.n_looking == 0 && self.n_running == 0
    }

    /// A job that has all that it needs and may be done already, if there is one.
    pub(super) fn next_to_look(&mut self) -> Option<JobId> {
        let (_, Reverse(job)) = self.to_look.pop()?;
        self.n_looking += 1;
        Some(job)
    }

    /// A job that was looked at is not done.
    pub(super) fn must_make(&mut self, job: JobId) {
        self.n_looking -= 1;
        if self.schedule.alone_bytes(job) > self.schedule.limit_bytes {
            self.too_large.push(job);
        } else {
            self.enqueue(job);
        }
    }

    /// The job that begins next, if there is memory for one: the one after which least memory is in use that
    /// was not before, then the most urgent one. And the holdings that must leave memory for it, those first
    /// that are needed last.
    pub(super) fn next_to_make(&mut self) -> Option<(JobId, Vec<HoldingId>)> {
        let key = *self.ready.iter().find(|&&(_, _, job)| self.fits(job))?;
        let job = key.2;
        self.ready.remove(&key);
        self.keys[job.0] = None;
        let evicted = self.make_room(job, self.schedule.job(job).working_bytes + self.missing_bytes(job));
        for &at in &self.schedule.job(job).reads {
            self.enter(at);
            let holding = &mut self.holdings[at.0];
            if holding.n_running == 0 {
                self.idle_bytes -= self.schedule.bytes_of(at);
            }
            holding.n_running += 1;
        }
        self.used_bytes += self.schedule.job(job).working_bytes;
        self.n_running += 1;
        Some((job, evicted))
    }

    /// A running job is to take more than was estimated: the holdings that must leave memory for it; none if
    /// there is no room.
    pub(super) fn grow(&mut self, job: JobId, n_bytes: u64) -> Option<Vec<HoldingId>> {
        if self.used_bytes - self.idle_bytes + n_bytes > self.schedule.limit_bytes {
            return None;
        }
        let evicted = self.make_room(job, n_bytes);
        self.used_bytes += n_bytes;
        self.grown_bytes[job.0] += n_bytes;
        Some(evicted)
    }

    /// A job that has all that it needs and does not fit even with nothing beside it.
    pub(super) fn stuck(&self) -> Option<JobId> {
        self.too_large.first().copied()
    }

    /// A job is done, because it was made or because it was done before; the holdings that no job needs any
    /// more.
    pub(super) fn finish(&mut self, job: JobId, is_made: bool) -> Vec<HoldingId> {
        if is_made {
            self.n_running -= 1;
            self.used_bytes -= self.schedule.job(job).working_bytes + self.grown_bytes[job.0];
        } else {
            self.n_looking -= 1;
        }
        let mut unneeded = Vec::new();
        for &at in &self.schedule.job(job).reads {
            let holding = &mut self.holdings[at.0];
            if is_made {
                holding.n_running -= 1;
                if holding.n_running == 0 {
                    self.idle_bytes += self.schedule.bytes_of(at);
                }
            }
            holding.users.retain(|&user| user != job);
            if holding.users.is_empty() && holding.is_in_memory {
                self.leave(at);
                unneeded.push(at);
            } else if holding.users.len() == 1 {
                self.rank_users(at);
            }
        }
        if let (Some(at), true) = (self.schedule.job(job).leaves, is_made) {
            if self.holdings[at.0].users.is_empty() {
                unneeded.push(at);
            } else {
                self.enter(at);
            }
        }
        for after in std::mem::take(&mut self.waits[job.0].in_need) {
            self.waits[after.0].n_open -= 1;
            if self.waits[after.0].n_open == 0 {
                self.open(after);
            }
        }
        unneeded
    }

    fn open(&mut self, job: JobId) {
        self.to_look.push((self.schedule.job(job).urgency, Reverse(job)));
    }

    /// A holding comes into memory, if it is not there.
    fn enter(&mut self, at: HoldingId) {
        if !self.holdings[at.0].is_in_memory {
            self.holdings[at.0].is_in_memory = true;
            self.in_memory.insert(at);
            self.used_bytes += self.schedule.bytes_of(at);
            self.idle_bytes += self.schedule.bytes_of(at);
            self.rank_users(at);
        }
    }

    /// A holding that no running job reads leaves memory.
    fn leave(&mut self, at: HoldingId) {
        self.holdings[at.0].is_in_memory = false;
        self.in_memory.remove(&at);
        self.used_bytes -= self.schedule.bytes_of(at);
        self.idle_bytes -= self.schedule.bytes_of(at);
        self.rank_users(at);
    }

    fn enqueue(&mut self, job: JobId) {
        let key = (self.growth(job), Reverse(self.schedule.job(job).urgency), job);
        self.ready.insert(key);
        self.keys[job.0] = Some(key);
    }

    /// Puts the waiting jobs that read a holding where they belong now.
    fn rank_users(&mut self, at: HoldingId) {
        let users = std::mem::take(&mut self.holdings[at.0].users);
        let waiting: Vec<JobId> = users.iter().copied().filter(|user| self.keys[user.0].is_some()).collect();
        self.holdings[at.0].users = users;
        for job in waiting {
            if let Some(key) = self.keys[job.0] {
                self.ready.remove(&key);
            }
            self.enqueue(job);
        }
    }

    fn missing_bytes(&self, job: JobId) -> u64 {
        let missing = self.schedule.job(job).reads.iter().filter(|&&at| !self.holdings[at.0].is_in_memory);
        missing.map(|&at| self.schedule.bytes_of(at)).sum()
    }

    /// Whether a job fits once every holding that no running job and not this one reads has left.
    fn fits(&self, job: JobId) -> bool {
        let own = self.schedule.job(job).reads.iter().filter(|&&at| self.is_idle_holding(at));
        let own_bytes: u64 = own.map(|&at| self.schedule.bytes_of(at)).sum();
        let evictable = self.idle_bytes - own_bytes;
        let needed = self.schedule.job(job).working_bytes + self.missing_bytes(job);
        self.used_bytes - evictable + needed <= self.schedule.limit_bytes
    }

    fn is_idle_holding(&self, at: HoldingId) -> bool {
        let holding = &self.holdings[at.0];
        holding.is_in_memory && holding.n_running == 0
    }

    fn evictable(&self, job: JobId) -> impl Iterator<Item = HoldingId> + '_ {
        let uses = &self.schedule.job(job).reads;
        let idle = self.in_memory.iter().copied().filter(move |&at| self.is_idle_holding(at));
        idle.filter(move |at| !uses.contains(at))
    }

    /// How much more memory holds something once the job is done than before.
    fn growth(&self, job: JobId) -> i128 {
        let bytes = |at: HoldingId| i128::from(self.schedule.bytes_of(at));
        let change = |&at: &HoldingId| {
            let holding = &self.holdings[at.0];
            match (holding.users.len() == 1, holding.is_in_memory) {
                (true, true) => -bytes(at),
                (false, false) => bytes(at),
                _ => 0,
            }
        };
        let given = self.schedule.job(job).leaves.filter(|&at| !self.holdings[at.0].users.is_empty());
        self.schedule.job(job).reads.iter().map(change).sum::<i128>() + given.map_or(0, bytes)
    }

    /// Lets holdings go that a job does not read, until there is room for this many bytes more.
    fn make_room(&mut self, job: JobId, needed: u64) -> Vec<HoldingId> {
        let mut evicted = Vec::new();
        if self.used_bytes + needed <= self.schedule.limit_bytes {
            return evicted;
        }
        let mut idle: Vec<HoldingId> = self.evictable(job).collect();
        idle.sort_by_key(|&at| self.holdings[at.0].users.first().copied());
        while self.used_bytes + needed > self.schedule.limit_bytes
            && let Some(at) = idle.pop()
        {
            self.leave(at);
            evicted.push(at);
        }
        evicted
    }
}

/// How much of a table is in memory, in bytes a value, while it is read from other folders' files: in
/// stretches of two bytes a value, joined, and in one byte at last.
const READING_COPIES: u64 = 5;

/// The number of a holding.
///
/// A *holding* is a table, or a part of one, that jobs read; it stays in memory from its first use to its
/// last unless its place is needed.
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
    /// The holding that it leaves in memory when it is done, if a job reads it.
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
                let key = (need.material.clone(), need.part.clone());
                let id = *numbers.entry(key).or_insert_with(|| {
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
                leaves: numbers.get(&(job.material.clone(), None)).copied(),
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

#[cfg(test)]
mod tests;
