//! Keeps tables that were solved because a caller asked, those of any number of games within one limit of
//! bytes.
//!
//! A [`MetricTables`] has the tables of a game under one metric. All of a program share a [`SolveLedger`].
//! Before one gets a table, those that were asked longest ago are emptied until there is room.
//!
//! Solving never waits for the threads of the caller. A thread of a pool that waits for work of the same
//! pool takes up other work meanwhile; if that asks for a table too, it waits for a lock that its own
//! thread holds, for ever. And where all threads of a pool wait for a table, none is left to solve it. So
//! tables are solved by threads of their own, and the caller waits without doing anything else. A caller
//! that stops waiting leaves its thread at work if that has begun: the table is there when it is asked for
//! again. A thread whose turn comes when its caller has gone ends at once.

use crate::solved_tables::{MemoryTables, SolvedTables};
use parking_lot::{Mutex, RwLock};
use plan::{Plan, Request};
use position::Position;
use probe::{Ask, By, ProbeError, Tablebase};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Arc, Weak, mpsc};
use std::time::Duration;
use variant::{Material, Metric, Variant};

/// How long a caller waits for a table before it looks whether it is to stop.
const PATIENCE: Duration = Duration::from_millis(5);

/// The bytes that tables in memory may take, of all games that share it. Clones are the same ledger.
#[derive(Clone, Debug)]
pub struct SolveLedger {
    limit_bytes: u64,
    /// Held while a table is solved: one at a time, since each takes all cores.
    shelves: Arc<Mutex<Vec<Weak<MetricTables>>>>,
    /// Counts up whenever a shelf is asked.
    now: Arc<AtomicU64>,
}

impl SolveLedger {
    /// A ledger of this many bytes. While a table is solved it takes some times its size beyond them.
    #[must_use]
    pub fn new(limit_bytes: u64) -> Self {
        SolveLedger { limit_bytes, shelves: Arc::default(), now: Arc::new(AtomicU64::new(1)) }
    }

    /// The most bytes that tables may take.
    #[must_use]
    pub fn limit_bytes(&self) -> u64 {
        self.limit_bytes
    }

    /// An empty shelf that shares these bytes.
    pub(crate) fn shelf(&self, metric: Metric) -> Arc<MetricTables> {
        let shelf =
            Arc::new(MetricTables { metric, content: RwLock::default(), last_asked: AtomicU64::new(0) });
        let mut shelves = self.shelves.lock();
        shelves.retain(|other| other.strong_count() > 0);
        shelves.push(Arc::downgrade(&shelf));
        shelf
    }

    /// What a shelf has if that is enough; otherwise what it has once this material is solved with all that
    /// it leads to. None if it cannot be solved, if `stop` is set before it is, or if the question is asked
    /// in haste.
    pub(crate) fn solved(
        &self,
        shelf: &Arc<MetricTables>,
        variant: &Variant,
        material: &Material,
        is_enough: impl Fn(&Tablebase) -> bool + Send + 'static,
        stop: &AtomicBool,
    ) -> Option<Arc<Tablebase>> {
        shelf.last_asked.store(self.now.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
        // Rights to castle would be solved to find out; that is left to the thread.
        let is_enough_now = |content: &Arc<Tablebase>| probe::in_haste(|| is_enough(content)).0;
        if let Some(content) = shelf.content().filter(is_enough_now) {
            return Some(content);
        }
        if !probe::may_solve() {
            return None;
        }
        let n_threads = rayon::current_num_threads();
        let (ledger, shelf, variant, material) =
            (self.clone(), shelf.clone(), variant.clone(), material.clone());
        let solve = move |shelves: &[Weak<MetricTables>]| {
            ledger.solve(shelves, &shelf, &variant, &material, is_enough, n_threads)
        };
        self.waited(solve, stop)?
    }

    /// Has a thread of its own do what solves, one at a time, and waits for it; none if `stop` is set before
    /// it is done.
    pub(crate) fn waited<T: Send + 'static>(
        &self,
        work: impl FnOnce(&[Weak<MetricTables>]) -> T + Send + 'static,
        stop: &AtomicBool,
    ) -> Option<T> {
        if stop.load(Ordering::Relaxed) {
            return None;
        }
        let (sender, done) = mpsc::channel();
        let caller = Arc::new(());
        let (ledger, waiting) = (self.clone(), Arc::downgrade(&caller));
        let in_turn = move || {
            let shelves = ledger.shelves.lock();
            if waiting.strong_count() > 0 {
                // A caller that has stopped waiting does not listen.
                drop(sender.send(work(&shelves)));
            }
        };
        let thread = std::thread::Builder::new().spawn(in_turn).ok()?;
        loop {
            match done.recv_timeout(PATIENCE) {
                Ok(found) => return Some(found),
                Err(RecvTimeoutError::Timeout) if stop.load(Ordering::Relaxed) => return None,
                Err(RecvTimeoutError::Timeout) => {}
                // The thread ends without a word only by a panic.
                Err(RecvTimeoutError::Disconnected) => match thread.join() {
                    Ok(()) => return None,
                    Err(panic) => std::panic::resume_unwind(panic),
                },
            }
        }
    }

    /// Solves a material with all that it leads to, unless the shelf has enough when its turn has come.
    fn solve(
        &self,
        shelves: &[Weak<MetricTables>],
        shelf: &MetricTables,
        variant: &Variant,
        material: &Material,
        is_enough: impl Fn(&Tablebase) -> bool,
        n_threads: usize,
    ) -> Option<Arc<Tablebase>> {
        // Another thread may have solved it in the meantime.
        if let Some(content) = shelf.content().filter(|content| is_enough(content)) {
            return Some(content);
        }
        let threads = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().ok()?;
        self.make_room(shelves, bytes_of(variant, material, shelf));
        let mut there = MemoryTables::default();
        let known = shelf.content();
        known.iter().flat_map(|content| content.held_tables()).for_each(|table| there.insert(table, None));
        let tables = SolvedTables::with_tables(variant.clone(), shelf.metric, there);
        threads.install(|| tables.solved(material)).ok()?;
        let content = Arc::new(Tablebase::from_tables(variant, shelf.metric, tables.tables()));
        shelf.set(Some(content.clone()));
        // What the caller asks next it finds solved: rights to castle, too.
        is_enough(&content);
        Some(content)
    }

    /// Empties shelves, those first that were asked longest ago, until this many bytes more are within the
    /// limit.
    fn make_room(&self, shelves: &[Weak<MetricTables>], needed_bytes: u64) {
        let mut full: Vec<Arc<MetricTables>> = shelves.iter().filter_map(Weak::upgrade).collect();
        full.sort_by_key(|shelf| shelf.last_asked.load(Ordering::Relaxed));
        let mut n_bytes: u64 = full.iter().map(|shelf| shelf.bytes()).sum();
        for shelf in &full {
            if n_bytes.saturating_add(needed_bytes) <= self.limit_bytes {
                break;
            }
            n_bytes -= shelf.bytes();
            shelf.set(None);
        }
    }
}

/// The tables of a game under one metric. Only the caller that asks for a table waits until it is solved.
#[derive(Debug)]
pub(crate) struct MetricTables {
    metric: Metric,
    content: RwLock<Option<Arc<Tablebase>>>,
    /// When a caller asked last, by the ledger's clock.
    last_asked: AtomicU64,
}

impl MetricTables {
    /// What is there now.
    pub(crate) fn content(&self) -> Option<Arc<Tablebase>> {
        self.content.read().clone()
    }

    /// The names of the tables that are there now.
    pub(crate) fn names(&self) -> Vec<String> {
        let content = self.content();
        let tables = content.iter().flat_map(|content| content.held_tables());
        tables.map(|table| table.layout().name().to_owned()).collect()
    }

    /// The bytes of the tables that are there now.
    pub(crate) fn bytes(&self) -> u64 {
        let content = self.content();
        content.iter().flat_map(|content| content.held_tables()).map(|table| table.size_bytes() as u64).sum()
    }

    fn set(&self, content: Option<Arc<Tablebase>>) {
        *self.content.write() = content;
    }
}

/// Whether tables in memory answer a position.
pub(crate) fn answers(tables: &Tablebase, position: &Position) -> bool {
    match tables.answer(position, &Ask::VALUE) {
        Ok(answer) => answer.by == By::Table,
        Err(error) => !matches!(error, ProbeError::Missing(_)),
    }
}

/// The bytes of the tables that solving a material adds to a shelf, one for each value.
fn bytes_of(variant: &Variant, material: &Material, shelf: &MetricTables) -> u64 {
    let content = shelf.content();
    let is_there =
        |material: &Material| content.as_ref().is_some_and(|content| content.held_table(material).is_some());
    let plan = Plan::new(variant, &Request::Table(material.clone()));
    plan.map_or(0, |plan| plan.jobs().filter(|job| !is_there(&job.material)).map(|job| job.n_values()).sum())
}

#[cfg(test)]
mod tests {
    use super::SolveLedger;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Duration;
    use variant::{Material, Metric, Variant};

    /// While a table is solved others wait for their turn, which passes those by whose callers have gone.
    #[test]
    fn what_no_caller_waits_for_is_not_begun() {
        let (chess, ledger) = (Variant::chess(), SolveLedger::new(1 << 20));
        let (shelf, stop) = (ledger.shelf(Metric::Dtm), AtomicBool::new(false));
        let material = Material::parse(&chess, "KQvK").expect("a material");
        let ask = || ledger.solved(&shelf, &chess, &material, |_| true, &stop).is_some();
        let turn = ledger.shelves.lock();
        std::thread::scope(|scope| {
            let asking = scope.spawn(ask);
            std::thread::sleep(Duration::from_millis(20));
            stop.store(true, Ordering::Relaxed);
            assert!(!asking.join().expect("an answer"));
        });
        drop(turn);
        // The thread that was left behind holds the shelf until it ends.
        while Arc::strong_count(&shelf) > 1 {
            std::thread::yield_now();
        }
        assert_eq!(shelf.names(), [""; 0]);
        stop.store(false, Ordering::Relaxed);
        assert!(ask());
        assert_eq!(shelf.names(), ["KvK", "KQvK"]);
    }
}
