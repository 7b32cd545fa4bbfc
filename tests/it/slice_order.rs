//! Solves tables with pawns slice by slice: codes are those that the solver writes in place, for every
//! game.

use crate::table_log::{check_same, files, has_pawns, solved};
use build::{Build, BuildOptions, BuildStep, FolderLock, ScratchUse, SlicesOpened, Strategy, scratch_files};
use library::{Edition, LibraryError, SolvedTables};
use plan::{Plan, Request};
use rayon::ThreadPoolBuilder;
use rayon::prelude::*;
use solve::{MemorySlices, Progress, Step, Unwatched, solve_sliced};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use table::{Lookup, SliceSource, Table};
use tablesmith_tests::{chess, game, random_game, small_chess};
use variant::exit::TablePart;
use variant::{Material, Metric, Variant};

/// The tables of a lookup, to be had slice by slice.
struct InSlices<'t>(&'t SolvedTables);

impl Lookup for InSlices<'_> {
    fn table(&self, material: &Material, _: Option<&TablePart>) -> Option<Arc<Table>> {
        // What decides nothing is asked for as a whole.
        let table = self.0.table(material, None);
        assert!(table.is_none(), "{} is to be read slice by slice", material.name(self.0.variant()));
        table
    }

    fn slices(&self, material: &Material) -> Option<Arc<dyn SliceSource>> {
        Some(self.0.table(material, None)?)
    }
}

/// How a slice is solved: never by a log, always by a log.
const MOST_IN_MEMORY: [u64; 2] = [u64::MAX, 0];

/// Solves a material with pawns in memory and slice by slice, in memory and by logs, with the other tables
/// as a whole and slice by slice.
#[track_caller]
fn check_sliced(tables: &SolvedTables, material: &Material) {
    let (variant, metric) = (tables.variant(), tables.metric());
    let (what, table) = solved(tables, material);
    let in_slices = InSlices(tables);
    let lookups: [&dyn Lookup; 2] = [tables, &in_slices];
    for (most, lookup) in MOST_IN_MEMORY.into_iter().zip(lookups) {
        let store = MemorySlices::default();
        let what = format!("{what}, slices up to {most} in memory");
        let layout = table.layout().clone();
        let sliced = solve_sliced(variant, metric, layout, lookup, (&store, most), &Unwatched);
        check_same(&table, &*sliced.unwrap_or_else(|error| panic!("{what}: {error}")), &what);
    }
}

#[track_caller]
fn check_named(tables: &SolvedTables, name: &str) {
    check_sliced(tables, &Material::parse(tables.variant(), name).unwrap_or_else(|e| panic!("{name}: {e}")));
}

#[test]
fn chess_is_solved_slice_by_slice() {
    for metric in Metric::WITHOUT_CLOCK {
        let own;
        let tables = match metric {
            Metric::Dtm => chess(),
            _ => {
                own = SolvedTables::of_metric(small_chess(4, 5), metric);
                &own
            }
        };
        for name in ["KRvKP", "KPvKP"] {
            check_named(tables, name);
        }
    }
}

#[test]
fn five_men_on_a_small_board_are_solved_slice_by_slice() {
    for (metric, name) in [(Metric::Dtc, "KRPvKB"), (Metric::Dtz50, "KPPvKP")] {
        check_named(&SolvedTables::of_metric(small_chess(4, 5), metric), name);
    }
}

#[test]
fn games_of_all_kinds_are_solved_slice_by_slice() {
    for (variant, name) in [
        ("atomic", "KPvKP"),
        ("antichess", "RPvP"),
        ("losers", "KPvKP"),
        ("cylinder", "KPvK"),
        ("capablanca", "KPvK"),
        ("berolina", "KPPvK"),
    ] {
        let own = game(variant);
        check_named(&SolvedTables::of_metric(own.clone(), own.default_metric), name);
        check_named(&SolvedTables::of_metric(own, Metric::Help), name);
    }
}

#[test]
fn random_games_are_solved_slice_by_slice() {
    let n_checked = AtomicU64::new(0);
    (0..240_u64).into_par_iter().for_each(|seed| {
        let Some((variant, material)) = random_game(0, seed, 100_000) else { return };
        if !has_pawns(&variant, &material) {
            return;
        }
        let metric = Metric::WITHOUT_CLOCK[(seed / 6 % 6) as usize];
        check_sliced(&SolvedTables::of_metric(variant, metric), &material);
        n_checked.fetch_add(1, Ordering::Relaxed);
    });
    assert!(n_checked.into_inner() > 30, "few games have pawns");
}

/// Stops builds after a number of steps, and notes how the slices of a table were found.
struct Stopper {
    n_left: AtomicU64,
    is_stopped: AtomicBool,
    found: Mutex<Vec<SlicesOpened>>,
}

impl Stopper {
    fn new(n_steps: u64) -> Self {
        let (n_left, is_stopped) = (AtomicU64::new(n_steps), AtomicBool::new(false));
        Stopper { n_left, is_stopped, found: Mutex::default() }
    }

    fn found(&self) -> Vec<SlicesOpened> {
        self.found.lock().expect("no panic").clone()
    }
}

impl Progress<BuildStep> for Stopper {
    fn step(&self, step: &BuildStep) {
        match step {
            BuildStep::Slices(_, _, opened) => self.found.lock().expect("no test panics here").push(*opened),
            BuildStep::Solve(_, Step::Placements(n_done, n_total)) => {
                assert!(n_done <= n_total, "{n_done} placements of {n_total}");
                let n_left = self.n_left.load(Ordering::Relaxed);
                self.n_left.store(n_left.saturating_sub(1), Ordering::Relaxed);
                self.is_stopped.fetch_or(n_left == 0, Ordering::Relaxed);
            }
            _ => {}
        }
    }
}

/// Builds a table of a game into a folder; the error if it was stopped.
fn build(
    folder: &Path,
    (variant, metric, table): (&Variant, Metric, &str),
    options: BuildOptions,
    stopper: &Stopper,
) -> Option<LibraryError> {
    let request = Request::Table(Material::parse(variant, table).expect("a material").canonical(variant));
    let plan = Plan::new(variant, &request).expect("a plan");
    let lock = FolderLock::new(folder).expect("no other process");
    let pool = ThreadPoolBuilder::new().num_threads(2).build().expect("threads");
    let build = Build::new(&plan, &lock, &pool, options).with_interrupt(&stopper.is_stopped);
    let built = build.run(&Edition::new(variant, metric), stopper);
    built.unwrap_or_else(|error| panic!("{table}: {error}")).error
}

fn options(strategy: Strategy, most_in_memory: u64) -> BuildOptions {
    BuildOptions { strategy: Some(strategy), most_in_memory, ..BuildOptions::default() }
}

/// The files of a table that is built in memory, and those that it needs.
fn built_in_memory(what: (&Variant, Metric, &str)) -> Vec<(String, Vec<u8>)> {
    let folder = tempfile::tempdir().expect("a folder");
    let error = build(folder.path(), what, options(Strategy::InMemory, 0), &Stopper::new(u64::MAX));
    assert!(error.is_none(), "{error:?}");
    files(folder.path())
}

#[track_caller]
fn check_files(folder: &Path, expected: &[(String, Vec<u8>)], what: &str) {
    let made = files(folder);
    let names =
        |files: &[(String, Vec<u8>)]| -> Vec<String> { files.iter().map(|(name, _)| name.clone()).collect() };
    // No scratch is left behind.
    assert_eq!(names(&made), names(expected), "{what}");
    for ((name, made), (_, expected)) in made.iter().zip(expected) {
        assert!(made == expected, "{name}: {what}");
    }
}

#[test]
fn builds_slice_by_slice_write_the_same_files() {
    let small = small_chess(4, 5);
    let large = small_chess(5, 13);
    for what in [
        (&small, Metric::Wdl, "KPvKP"),
        (&small, Metric::Dtc, "KRPvK"),
        (&small, Metric::Dtm, "KRvKP"),
        (&small, Metric::Dtz50, "KPvKP"),
        (&large, Metric::Dtz, "KPvK"),
        (&game("antichess"), Metric::Dtm, "PvP"),
        (&game("atomic"), Metric::Dtz50, "KPvK"),
    ] {
        let expected = built_in_memory(what);
        // The oracle and `verify` know these tables already: here the same bytes are enough.
        for (strategy, most_in_memory, verify) in [
            (Strategy::LogOnDisk, 0, what.2 == "KRPvK"),
            (Strategy::PlanesOnDisk, 0, false),
            (Strategy::BlockByBlock, 0, false),
            (Strategy::LogOnDisk, 1 << 25, false),
        ] {
            let folder = tempfile::tempdir().expect("a folder");
            let verified = BuildOptions { verify, ..options(strategy, most_in_memory) };
            let error = build(folder.path(), what, verified, &Stopper::new(u64::MAX));
            let what = format!("{} of {}, {strategy:?}, {most_in_memory} in memory", what.2, what.0.name);
            assert!(error.is_none(), "{what}: {error:?}");
            check_files(folder.path(), &expected, &what);
        }
    }
}

/// Builds a table in runs of `n_steps` steps; what they leave on the disk is torn in between.
#[track_caller]
fn check_stopped(most_in_memory: u64, n_steps: u64, tear: &dyn Fn(&Path, u64)) -> u64 {
    let what = (&small_chess(4, 5), Metric::Dtc, "KRPvK");
    let expected = built_in_memory(what);
    let folder = tempfile::tempdir().expect("a folder");
    let mut n_resumed = 0;
    for run in 1..500 {
        let stopper = Stopper::new(n_steps);
        let strategy = if run % 2 == 1 { Strategy::PlanesOnDisk } else { Strategy::LogOnDisk };
        let error = build(folder.path(), what, options(strategy, most_in_memory), &stopper);
        n_resumed += stopper.found().iter().filter(|found| matches!(found, SlicesOpened::Resumed(_))).count();
        match error {
            None => {
                check_files(folder.path(), &expected, &format!("after {run} runs"));
                return n_resumed as u64;
            }
            Some(LibraryError::Interrupted) => tear(folder.path(), run),
            Some(error) => panic!("{error}"),
        }
    }
    panic!("no end");
}

/// The scratch of a folder.
fn scratch(folder: &Path) -> Vec<PathBuf> {
    let entries =
        fs::read_dir(folder).expect("the folder is there").map(|entry| entry.expect("an entry").path());
    let is_scratch = |path: &PathBuf| {
        let ending = path.extension().and_then(|ending| ending.to_str());
        matches!(ending, Some("tsslices" | "tslog"))
    };
    entries.filter(is_scratch).collect()
}

#[test]
fn a_build_that_is_stopped_goes_on_behind_its_slices() {
    assert!(check_stopped(1 << 25, 3, &|_, _| {}) > 0);
    // By logs, inside a slice, too.
    let n_resumed = check_stopped(0, 60, &|_, _| {});
    assert!(n_resumed > 0, "nothing was gone on with");
}

#[test]
fn torn_slices_are_solved_again() {
    let turn = |bytes: &mut Vec<u8>, run: u64| {
        let at = (run as usize * 7919) % bytes.len();
        bytes[at] ^= 1 << (run % 8);
    };
    let cut =
        |bytes: &mut Vec<u8>, run: u64| bytes.truncate(bytes.len() - bytes.len().min(run as usize * 13));
    let splice = |bytes: &mut Vec<u8>, run: u64| {
        let at = (run as usize * 104_729) % bytes.len();
        let piece = bytes[at..(at + 60).min(bytes.len())].to_vec();
        bytes.splice(at / 2..at / 2, piece);
    };
    for (n, damage) in [&turn as &dyn Fn(&mut Vec<u8>, u64), &cut, &splice].into_iter().enumerate() {
        // Every third run is left alone, so that there is an end.
        let _ = check_stopped(0, 200, &|folder, run| {
            for path in scratch(folder).iter().filter(|_| run % 3 != n as u64) {
                let mut bytes = fs::read(path).expect("it can be read");
                if !bytes.is_empty() {
                    damage(&mut bytes, run);
                    fs::write(path, bytes).expect("it can be written");
                }
            }
        });
    }
}

#[test]
fn slices_of_something_else_are_not_used() {
    let small = small_chess(4, 5);
    let folder = tempfile::tempdir().expect("a folder");
    // By logs, which look at every ply whether they are to stop.
    let by_slices = || options(Strategy::LogOnDisk, 0);
    let what = (&small, Metric::Dtc, "KRPvK");
    let is_slices = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "tsslices");
    // What it is made from is there, so that every run is stopped in this table.
    assert!(build(folder.path(), what, by_slices(), &Stopper::new(u64::MAX)).is_none());
    fs::remove_file(folder.path().join("KRPvK.tsm")).expect("the table is there");
    let stopped = (1..50).find_map(|run| {
        let stopped = build(folder.path(), what, by_slices(), &Stopper::new(run));
        assert!(matches!(stopped, Some(LibraryError::Interrupted)), "{stopped:?}");
        scratch(folder.path()).into_iter().find(is_slices)
    });
    let path = stopped.expect("the slices are there");
    let usage = || -> Vec<ScratchUse> {
        let found = scratch_files(&small, folder.path(), folder.path()).expect("the folder can be read");
        found.into_iter().filter(|file| file.path == path).map(|file| file.usage).collect()
    };
    assert_eq!(usage(), [ScratchUse::Awaited]);
    // Those of a table of other rules have another identity.
    let mut bytes = fs::read(&path).expect("it can be read");
    bytes[20] ^= 1;
    fs::write(&path, bytes).expect("it can be written");
    assert_eq!(usage(), [ScratchUse::Outdated]);
    let left_behind = fs::read(&path).expect("it can be read");
    let stopper = Stopper::new(u64::MAX);
    let error = build(folder.path(), what, by_slices(), &stopper);
    assert!(error.is_none(), "{error:?}");
    assert!(usage().is_empty());
    // A run that is killed before it has removed them leaves them behind; the next one does it.
    fs::write(&path, left_behind).expect("it can be written");
    assert!(usage().iter().all(|usage| usage.is_none()) && !usage().is_empty(), "{:?}", usage());
    let error = build(folder.path(), what, by_slices(), &Stopper::new(u64::MAX));
    assert!(error.is_none() && usage().is_empty(), "{error:?}");
    assert!(stopper.found().contains(&SlicesOpened::Replaced), "{:?}", stopper.found());
    check_files(folder.path(), &built_in_memory(what), "begun again");
}
