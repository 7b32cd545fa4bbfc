//! Counts what a solve reports of each ply: as many placements as the codes of the table have at that ply,
//! however the table is solved. And stops solves between two plies.

use build::{Build, BuildOptions, BuildStep, FolderLock, Strategy};
use library::{Edition, LibraryError, SolvedTables};
use plan::{Plan, Request};
use rayon::ThreadPoolBuilder;
use solve::{MemoryLog, MemorySlices, Progress, SliceStore, SolveError, Step, solve_logged, solve_sliced};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use table::{Ply, Table, Value};
use tablesmith_tests::{chess, game, small_chess};
use variant::{Material, Metric, Side};

/// Notes what a solve reports: placements by side to move and value, and the slices that were named.
#[derive(Default)]
struct Reader {
    counts: Mutex<BTreeMap<(Side, bool, Ply), u64>>,
    slices: Mutex<BTreeSet<String>>,
}

impl Progress for Reader {
    fn asks_for_plies(&self) -> bool {
        true
    }

    fn step(&self, step: &Step) {
        let Step::Found(found) = step else { return };
        self.slices.lock().expect("no panic").insert(format!("{:?}", found.pawns));
        let mut counts = self.counts.lock().expect("no panic");
        for (stm, is_win, n) in [(found.attacker, true, found.n_won), (!found.attacker, false, found.n_lost)]
        {
            if n > 0 {
                *counts.entry((stm, is_win, found.ply)).or_default() += n;
            }
        }
    }
}

/// Counts placements by side to move and value in the codes of a table.
fn counted(table: &Table) -> BTreeMap<(Side, bool, Ply), u64> {
    let mut counts = BTreeMap::new();
    for stm in Side::BOTH {
        let Some(codes) = table.codes(stm) else { continue };
        for place in 0..table.layout().len() {
            let key = match codes.value(place) {
                Value::Win(ply) => (stm, true, ply),
                Value::Loss(ply) => (stm, false, ply),
                _ => continue,
            };
            *counts.entry(key).or_default() += 1;
        }
    }
    counts
}

#[track_caller]
fn check_plies(tables: &SolvedTables, name: &str) {
    let (variant, metric) = (tables.variant(), tables.metric());
    let table = tables.named(name).unwrap_or_else(|error| panic!("{name}: {error}"));
    let layout = table.layout();
    let check = |reader: &Reader, how: &str| {
        let mut counts = reader.counts.lock().expect("no panic").clone();
        // Of a symmetric table one side to move is kept.
        counts.retain(|(stm, ..), _| table.codes(*stm).is_some());
        assert_eq!(counts, counted(&table), "{metric} of {name} in {}, {how}", variant.name);
        assert!(!counts.is_empty(), "{name} has no wins");
        assert_eq!(reader.slices.lock().expect("no panic").len(), layout.n_slices(), "{name}, {how}");
    };
    let reader = Reader::default();
    drop(solve::solve(variant, metric, layout.clone(), tables, &reader).expect("it can be solved"));
    check(&reader, "in memory");
    for most_in_memory in [0, u64::MAX] {
        let reader = Reader::default();
        if layout.pawns().is_empty() {
            let log = MemoryLog::default();
            drop(solve_logged(variant, metric, layout.clone(), tables, &log, &reader).expect("by a log"));
        } else {
            let slices = MemorySlices::default();
            let store: (&dyn SliceStore, u64) = (&slices, most_in_memory);
            drop(solve_sliced(variant, metric, layout.clone(), tables, store, &reader).expect("in slices"));
        }
        check(&reader, "on the disk");
    }
}

#[test]
fn plies_are_reported_as_codes_have_them() {
    check_plies(chess(), "KQvKR");
    check_plies(chess(), "KPvK");
    check_plies(&SolvedTables::of_metric(small_chess(5, 5), Metric::Dtz50), "KRvKB");
    // Compulsory captures, and a side without men that has won.
    check_plies(&SolvedTables::new(game("antichess")), "QvK");
}

/// Stops a solve that has asked a number of times whether to go on.
struct Impatient(AtomicUsize);

impl<S> Progress<S> for Impatient {
    fn is_interrupted(&self) -> bool {
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_err()
    }
}

#[track_caller]
fn check_interrupted(tables: &SolvedTables, name: &str) {
    let (variant, metric) = (tables.variant(), tables.metric());
    let table = tables.named(name).unwrap_or_else(|error| panic!("{name}: {error}"));
    let layout = table.layout();
    let stopped = |error: Option<SolveError>, how: &str| {
        let is_interrupted = matches!(&error, Some(SolveError::Interrupted { material }) if material == name);
        assert!(is_interrupted, "{name} {how}: {error:?}");
    };
    for n_asked in [0, 1, 2, 7] {
        let impatient = || Impatient(AtomicUsize::new(n_asked));
        let solved = solve::solve(variant, metric, layout.clone(), tables, &impatient());
        stopped(solved.err(), "in memory");
        if layout.pawns().is_empty() {
            let log = MemoryLog::default();
            let solved = solve_logged(variant, metric, layout.clone(), tables, &log, &impatient());
            stopped(solved.err(), "by a log");
        } else {
            for most_in_memory in [0, u64::MAX] {
                let slices = MemorySlices::default();
                let store: (&dyn SliceStore, u64) = (&slices, most_in_memory);
                let solved = solve_sliced(variant, metric, layout.clone(), tables, store, &impatient());
                stopped(solved.err(), "in slices");
            }
        }
    }
}

#[test]
fn solves_stop_between_plies() {
    check_interrupted(chess(), "KQvKR");
    check_interrupted(chess(), "KPvK");
    // Solved as a duel.
    check_interrupted(&SolvedTables::of_metric(small_chess(6, 6), Metric::Wdl), "KPvKP");
}

/// Stops a build within its first table, and counts those that were begun.
struct Stops {
    n_begun: AtomicUsize,
    patience: Impatient,
}

impl Progress<BuildStep> for Stops {
    fn step(&self, step: &BuildStep) {
        if let BuildStep::Begun(_) = step {
            self.n_begun.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn is_interrupted(&self) -> bool {
        Progress::<BuildStep>::is_interrupted(&self.patience)
    }
}

#[test]
fn builds_stop_between_plies() {
    let variant = chess().variant();
    for name in ["KQvK", "KPvK"] {
        let request = Request::Table(Material::parse(variant, name).expect("a material"));
        let plan = Plan::new(variant, &request).expect("a plan");
        for strategy in [Strategy::InMemory, Strategy::LogOnDisk] {
            let folder = tempfile::tempdir().expect("a folder");
            let lock = FolderLock::new(folder.path()).expect("no other process");
            let pool = ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
            let options = BuildOptions { strategy: Some(strategy), ..BuildOptions::default() };
            let stops = Stops { n_begun: AtomicUsize::new(0), patience: Impatient(AtomicUsize::new(2)) };
            let built =
                Build::new(&plan, &lock, &pool, options).run(&Edition::new(variant, Metric::Dtm), &stops);
            let error = built.unwrap_or_else(|error| panic!("{name}: {error}")).error;
            assert!(matches!(error, Some(LibraryError::Interrupted)), "{name} {strategy:?}: {error:?}");
            assert_eq!(stops.n_begun.into_inner(), 1, "{name} {strategy:?}");
        }
    }
}
