//! Which job may begin, by what it needs and by the memory that it takes.
//!
//! A *holding* is a table, or a part of one, that jobs read; it stays in memory from its first use to its
//! last unless its place is needed. What is in use at a time (the running jobs and all holdings in memory)
//! never exceeds the limit. There are no threads here and no clock: whoever calls decides when, so that the
//! same ledger runs the jobs and foretells their peak.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What is to be done, and what it takes.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Agenda {
    /// For each job the jobs that it needs.
    pub(crate) needed_by: Vec<Vec<usize>>,
    /// How urgent each job is.
    pub(crate) urgency: Vec<u64>,
    /// The memory that each job takes beside the holdings that it reads.
    pub(crate) working_bytes: Vec<u64>,
    /// The holdings that each job reads.
    pub(crate) uses: Vec<Vec<usize>>,
    /// The holding that each job leaves in memory when it is done, if somebody reads it.
    pub(crate) gives: Vec<Option<usize>>,
    /// The memory that each holding takes.
    pub(crate) holding_bytes: Vec<u64>,
    /// The memory that all may take together.
    pub(crate) limit_bytes: u64,
}

impl Agenda {
    /// What a job takes with nothing else beside it.
    pub(crate) fn alone_bytes(&self, job: usize) -> u64 {
        self.working_bytes[job] + self.uses[job].iter().map(|&h| self.holding_bytes[h]).sum::<u64>()
    }

    /// The most memory that is in use at a time if so many jobs run together, none of them is done yet, and
    /// each takes so much work.
    pub(crate) fn peak_bytes(&self, n_workers: usize, work: &[u64]) -> u64 {
        let mut ledger = Ledger::new(self);
        let mut running: Vec<(u64, usize)> = Vec::new();
        let mut peak_bytes = 0;
        loop {
            while let Some(job) = ledger.next_to_look() {
                ledger.must_make(job);
            }
            while running.len() < n_workers.max(1)
                && let Some((job, _)) = ledger.next_to_make()
            {
                running.push((work[job], job));
            }
            peak_bytes = peak_bytes.max(ledger.used_bytes);
            // The one with the least left ends first; the others have done as much by then.
            let Some(&first) = running.iter().min() else { return peak_bytes };
            running.retain(|&entry| entry != first);
            running.iter_mut().for_each(|(left, _)| *left -= first.0);
            ledger.finish(first.1, true);
        }
    }
}

/// What has been done and what is in memory.
pub(crate) struct Ledger<'a> {
    agenda: &'a Agenda,
    in_need_of: Vec<Vec<usize>>,
    /// How many jobs each job still waits for.
    n_open: Vec<usize>,
    /// Jobs that may be done already; by urgency, then the one that was planned first.
    to_look: BinaryHeap<(u64, Reverse<usize>)>,
    n_looking: usize,
    /// Jobs that wait for memory only.
    ready: Vec<usize>,
    n_running: usize,
    holdings: Vec<Holding>,
    used_bytes: u64,
}

#[derive(Clone, Default)]
struct Holding {
    is_in_memory: bool,
    n_running: usize,
    /// The jobs that will read it or do so now, in the order of the plan.
    users: Vec<usize>,
}

impl<'a> Ledger<'a> {
    pub(crate) fn new(agenda: &'a Agenda) -> Self {
        let n_jobs = agenda.needed_by.len();
        let mut in_need_of = vec![Vec::new(); n_jobs];
        let mut holdings = vec![Holding::default(); agenda.holding_bytes.len()];
        for job in 0..n_jobs {
            agenda.needed_by[job].iter().for_each(|&before| in_need_of[before].push(job));
            agenda.uses[job].iter().for_each(|&holding| holdings[holding].users.push(job));
        }
        let mut ledger = Ledger {
            agenda,
            in_need_of,
            n_open: agenda.needed_by.iter().map(Vec::len).collect(),
            to_look: BinaryHeap::new(),
            n_looking: 0,
            ready: Vec::new(),
            n_running: 0,
            holdings,
            used_bytes: 0,
        };
        let is_open = |job: &usize| agenda.needed_by[*job].is_empty();
        (0..n_jobs).filter(is_open).for_each(|job| ledger.open(job));
        ledger
    }

    /// Whether nobody is at work.
    pub(crate) fn is_idle(&self) -> bool {
        self.n_looking == 0 && self.n_running == 0
    }

    /// A job that has all that it needs and may be done already, if there is one.
    pub(crate) fn next_to_look(&mut self) -> Option<usize> {
        let (_, Reverse(job)) = self.to_look.pop()?;
        self.n_looking += 1;
        Some(job)
    }

    /// A job that was looked at is not done.
    pub(crate) fn must_make(&mut self, job: usize) {
        self.n_looking -= 1;
        self.ready.push(job);
    }

    /// The job that begins next, if there is memory for one: the one after which least memory is in use that
    /// was not before, then the most urgent one. And the holdings that must leave memory for it, those first
    /// that are needed last.
    pub(crate) fn next_to_make(&mut self) -> Option<(usize, Vec<usize>)> {
        let fitting = (0..self.ready.len()).filter(|&at| self.fits(self.ready[at]));
        let key = |at: usize| {
            let job = self.ready[at];
            (self.growth(job), Reverse(self.agenda.urgency[job]), job)
        };
        let at = fitting.min_by_key(|&at| key(at))?;
        let job = self.ready.swap_remove(at);
        let evicted = self.make_room(job);
        for &holding in &self.agenda.uses[job] {
            if !self.holdings[holding].is_in_memory {
                self.holdings[holding].is_in_memory = true;
                self.used_bytes += self.agenda.holding_bytes[holding];
            }
            self.holdings[holding].n_running += 1;
        }
        self.used_bytes += self.agenda.working_bytes[job];
        self.n_running += 1;
        Some((job, evicted))
    }

    /// A job that has all that it needs and does not fit even with nothing beside it.
    pub(crate) fn stuck(&self) -> Option<usize> {
        self.ready.iter().copied().find(|&job| self.agenda.alone_bytes(job) > self.agenda.limit_bytes)
    }

    /// A job is done, because it was made or because it was done before; the holdings that nobody needs any
    /// more.
    pub(crate) fn finish(&mut self, job: usize, is_made: bool) -> Vec<usize> {
        if is_made {
            self.n_running -= 1;
            self.used_bytes -= self.agenda.working_bytes[job];
        } else {
            self.n_looking -= 1;
        }
        let mut unneeded = Vec::new();
        for &at in &self.agenda.uses[job] {
            let holding = &mut self.holdings[at];
            holding.n_running -= usize::from(is_made);
            holding.users.retain(|&user| user != job);
            if holding.users.is_empty() && holding.is_in_memory {
                holding.is_in_memory = false;
                self.used_bytes -= self.agenda.holding_bytes[at];
                unneeded.push(at);
            }
        }
        if let (Some(at), true) = (self.agenda.gives[job], is_made) {
            if self.holdings[at].users.is_empty() {
                unneeded.push(at);
            } else {
                self.holdings[at].is_in_memory = true;
                self.used_bytes += self.agenda.holding_bytes[at];
            }
        }
        for after in std::mem::take(&mut self.in_need_of[job]) {
            self.n_open[after] -= 1;
            if self.n_open[after] == 0 {
                self.open(after);
            }
        }
        unneeded
    }

    fn open(&mut self, job: usize) {
        self.to_look.push((self.agenda.urgency[job], Reverse(job)));
    }

    fn missing_bytes(&self, job: usize) -> u64 {
        let missing = self.agenda.uses[job].iter().filter(|&&at| !self.holdings[at].is_in_memory);
        missing.map(|&at| self.agenda.holding_bytes[at]).sum()
    }

    /// Whether a job fits once every holding that no running job and not this one reads has left.
    fn fits(&self, job: usize) -> bool {
        let evictable: u64 = self.evictable(job).map(|at| self.agenda.holding_bytes[at]).sum();
        let needed = self.agenda.working_bytes[job] + self.missing_bytes(job);
        self.used_bytes - evictable + needed <= self.agenda.limit_bytes
    }

    fn evictable(&self, job: usize) -> impl Iterator<Item = usize> + '_ {
        let uses = &self.agenda.uses[job];
        let is_idle = |holding: &Holding| holding.is_in_memory && holding.n_running == 0;
        let holdings = self.holdings.iter().enumerate();
        holdings.filter(move |&(at, holding)| is_idle(holding) && !uses.contains(&at)).map(|(at, _)| at)
    }

    /// How much more memory holds something once the job is done than before.
    fn growth(&self, job: usize) -> i128 {
        let bytes = |at: usize| i128::from(self.agenda.holding_bytes[at]);
        let change = |&at: &usize| {
            let holding = &self.holdings[at];
            match (holding.users.len() == 1, holding.is_in_memory) {
                (true, true) => -bytes(at),
                (false, false) => bytes(at),
                _ => 0,
            }
        };
        let given = self.agenda.gives[job].filter(|&at| !self.holdings[at].users.is_empty());
        self.agenda.uses[job].iter().map(change).sum::<i128>() + given.map_or(0, bytes)
    }

    /// Lets holdings go until the job fits.
    fn make_room(&mut self, job: usize) -> Vec<usize> {
        let needed = self.agenda.working_bytes[job] + self.missing_bytes(job);
        let mut idle: Vec<usize> = self.evictable(job).collect();
        idle.sort_by_key(|&at| self.holdings[at].users.first().copied());
        let mut evicted = Vec::new();
        while self.used_bytes + needed > self.agenda.limit_bytes
            && let Some(at) = idle.pop()
        {
            self.holdings[at].is_in_memory = false;
            self.used_bytes -= self.agenda.holding_bytes[at];
            evicted.push(at);
        }
        evicted
    }
}

#[cfg(test)]
mod tests;
