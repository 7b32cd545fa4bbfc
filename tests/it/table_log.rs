//! Solves tables into a log: codes made of it are those that the solver writes in place, for every game.

use crate::blocks_below::InBlocks;
use crate::unwritten_byte::LogWithPlanes;
use build::{
    Build, BuildOptions, FileLog, FileOptions, FolderLock, Lenders, Opened, Prospect, Strategy, prospects,
};
use index::Layout;
use library::{Edition, SolvedTables, TableFiles};
use plan::{Plan, Request};
use proof::{Rule, random_material, random_ruled_variant};
use rayon::ThreadPoolBuilder;
use rayon::prelude::*;
use solve::{LogEntry, LogStore, MemoryLog, Planes, Progress, SolveError, Unwatched, solve_logged};
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use table::{CodeSource, Codes, Table};
use tablesmith_tests::{chess, game, random_game, small_chess};
use variant::{Material, Metric, Side, Variant};

/// Compares a table with one that is handed out in runs of units.
#[track_caller]
pub(crate) fn check_same(table: &Table, made: &dyn CodeSource, what: &str) {
    let layout = table.layout();
    let (n_units, len) = (layout.n_units(), layout.block_len());
    for stm in Side::BOTH {
        let codes = table.codes(stm);
        assert_eq!(made.coding(stm), codes.map(Codes::coding), "{what}, {stm} to move");
        let Some(codes) = codes else { continue };
        let mut room = Codes::default();
        for units in [0..1, n_units / 2..n_units, n_units / 3..n_units / 3 + 5, 0..n_units] {
            let units = units.start..units.end.min(n_units);
            let made = made.codes(stm, units.clone(), &mut room).expect("all is in memory");
            let expected = codes.as_ref().range(units.start * len..units.end * len);
            assert!(made == expected, "{what}, {stm} to move, units {units:?}");
        }
    }
}

/// Solves a material in memory; its name, and its table.
#[track_caller]
pub(crate) fn solved(tables: &SolvedTables, material: &Material) -> (String, Table) {
    let variant = tables.variant();
    let material = material.canonical(variant);
    let what = format!("{} of {} in {}", tables.metric(), material.name(variant), variant.name);
    let table = tables.solve_needs(&material).and_then(|()| tables.solve(&material));
    let table = table.unwrap_or_else(|error| panic!("{what}: {error}"));
    (what, table)
}

/// Solves a material without pawns in memory, and into a log: with its planes in memory or apart, and apart
/// with few blocks of them and of the tables below in memory; whether planes can be apart.
#[track_caller]
fn check_logged(tables: &SolvedTables, material: &Material) -> bool {
    let (variant, metric) = (tables.variant(), tables.metric());
    let (what, table) = solved(tables, material);
    let (log, apart) = (MemoryLog::default(), LogWithPlanes::default());
    for store in [&log as &dyn LogStore, &apart] {
        let logged = solve_logged(variant, metric, table.layout().clone(), tables, store, &Unwatched);
        check_same(&table, &*logged.unwrap_or_else(|error| panic!("{what}: {error}")), &what);
    }
    let below = InBlocks::new(tables, u64::MAX);
    for n_slots in [1, 10] {
        let store = LogWithPlanes::of_slots(n_slots);
        let logged = solve_logged(variant, metric, table.layout().clone(), &below, &store, &Unwatched);
        let what = format!("{what}, {n_slots} blocks");
        check_same(&table, &*logged.unwrap_or_else(|error| panic!("{what}: {error}")), &what);
    }
    apart.is_written()
}

pub(crate) fn has_pawns(variant: &Variant, material: &Material) -> bool {
    material.men().any(|man| variant.is_pawn(man))
}

#[test]
fn chess_is_logged() {
    for metric in Metric::WITHOUT_CLOCK {
        let own;
        let tables = match metric {
            Metric::Dtm => chess(),
            _ => {
                own = SolvedTables::of_metric(tablesmith_tests::fide(), metric);
                &own
            }
        };
        for name in ["KQvKR", "KRvKR", "KBNvK", "KNvK", "KQvK"] {
            let material = Material::parse(tables.variant(), name).expect("a material");
            assert_eq!(check_logged(tables, &material), material.n_men() > 3, "{name}: planes apart");
        }
    }
}

#[test]
fn games_of_all_kinds_are_logged() {
    for (variant, names) in [
        ("atomic", ["KQvKR", "KNvKB"]),
        ("antichess", ["KRvQ", "NvBB"]),
        ("losers", ["KQvKR", "KRvKN"]),
        ("racing-kings", ["KQvKR", "KRvK"]),
        ("cylinder", ["KRvKB", "KBvK"]),
        ("capablanca", ["KRvK", "KAvK"]),
        ("shatranj", ["KRvKN", "KRvKR"]),
    ] {
        let own = game(variant);
        let metrics = [own.default_metric, Metric::Help];
        for (metric, name) in metrics.into_iter().flat_map(|metric| names.map(|name| (metric, name))) {
            let tables = SolvedTables::of_metric(own.clone(), metric);
            let material = Material::parse(tables.variant(), name);
            let material = material.unwrap_or_else(|error| panic!("{variant}, {name}: {error}"));
            let can_be_apart = !["antichess", "losers"].contains(&variant) && material.n_men() > 3;
            assert_eq!(check_logged(&tables, &material), can_be_apart, "{variant}, {name}: planes apart");
        }
    }
}

#[test]
fn random_games_are_logged() {
    let [n_checked, n_apart] = [0, 0].map(AtomicU64::new);
    (0..300_u64).into_par_iter().for_each(|seed| {
        let Some((variant, material)) = random_game(0, seed, 200_000) else { return };
        if has_pawns(&variant, &material) {
            return;
        }
        let metric = Metric::WITHOUT_CLOCK[(seed / 6 % 6) as usize];
        let is_apart = check_logged(&SolvedTables::of_metric(variant, metric), &material);
        n_checked.fetch_add(1, Ordering::Relaxed);
        n_apart.fetch_add(u64::from(is_apart), Ordering::Relaxed);
    });
    let n = [n_checked, n_apart].map(AtomicU64::into_inner);
    assert!(n[0] > 50 && n[1] > 10, "{n:?}: most games have pawns or are too large");
}

#[test]
fn five_men_on_a_small_board_are_logged() {
    let tables = SolvedTables::of_metric(small_chess(5, 5), Metric::Dtc);
    for name in ["KRBvKN", "KNNvKR", "KQRvKQ"] {
        assert!(check_logged(&tables, &Material::parse(tables.variant(), name).expect("a material")));
    }
}

/// A log on a disk that is full from some entry on.
struct FullLog(AtomicU64);

impl LogStore for FullLog {
    fn append(&self, _: LogEntry, _: &[u8]) -> io::Result<u64> {
        let n_left = self.0.load(Ordering::Relaxed);
        self.0.store(n_left.saturating_sub(1), Ordering::Relaxed);
        if n_left == 0 { Err(io::ErrorKind::StorageFull.into()) } else { Ok(0) }
    }

    fn read(&self, _: u64, _: &mut [u8]) -> io::Result<()> {
        Err(io::ErrorKind::UnexpectedEof.into())
    }
}

#[test]
fn a_log_that_cannot_be_written_ends_with_a_sentence() {
    let tables = chess();
    let material = Material::parse(tables.variant(), "KQvK").expect("a material");
    tables.solve_needs(&material).expect("it can be solved");
    let layout = Arc::new(Layout::new(tables.variant(), &material));
    for n_entries in [0, 5] {
        let log = FullLog(AtomicU64::new(n_entries));
        let logged = solve_logged(tables.variant(), Metric::Dtm, layout.clone(), tables, &log, &Unwatched);
        let error = logged.err().expect("the log is full");
        assert!(matches!(error, SolveError::Log { .. }), "{error}");
        assert!(error.to_string().contains("KQvK was not solved to the end"), "{error}");
    }
    // So it is where a plane has no room.
    let material = Material::parse(tables.variant(), "KQvKR").expect("a material");
    tables.solve_needs(&material).expect("it can be solved");
    let small = layout;
    let layout = Arc::new(Layout::new(tables.variant(), &material));
    for most_bytes in [0, 100_000] {
        let log = LogWithPlanes::of_bytes(most_bytes);
        let logged = solve_logged(tables.variant(), Metric::Dtm, layout.clone(), tables, &log, &Unwatched);
        let error = logged.err().expect("a plane is full").to_string();
        assert!(error.contains("KQvKR was not solved to the end"), "{error}");
    }
    // What was written and cannot be read is an error too.
    let log = FullLog(AtomicU64::new(u64::MAX));
    let logged = solve_logged(tables.variant(), Metric::Dtm, small, tables, &log, &Unwatched);
    let logged = logged.unwrap_or_else(|error| panic!("{error}"));
    let mut room = Codes::default();
    assert!(logged.codes(Side::White, 0..10, &mut room).is_err());
}

/// Stops a solve after a number of plies.
struct Impatient(AtomicU64);

impl Progress for Impatient {
    fn is_interrupted(&self) -> bool {
        let n_left = self.0.load(Ordering::Relaxed);
        self.0.store(n_left.saturating_sub(1), Ordering::Relaxed);
        n_left == 0
    }
}

const IDENTITY: [u8; 32] = [7; 32];

fn open(path: &Path) -> (FileLog, Opened) {
    FileLog::open(path, &IDENTITY, Duration::ZERO).unwrap_or_else(|error| panic!("{error}"))
}

/// Solves a material in runs of `n_plies` plies, the file torn between them. Returns the number of runs.
#[track_caller]
fn check_resumed(tables: &SolvedTables, material: &Material, n_plies: u64, tear: &dyn Fn(&Path, u64)) -> u64 {
    let (variant, metric) = (tables.variant(), tables.metric());
    let (what, table) = solved(tables, material);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("log");
    for run in 1.. {
        assert!(run < 2000, "{what}: no end");
        // Nothing is kept of planes on the disk, so each run may have them elsewhere.
        let planes = match run % 3 {
            0 => Planes::InMemory,
            1 => Planes::OnDisk,
            _ => Planes::BlockByBlock { n_slots: 1 },
        };
        let log = open(&path).0.with_planes(planes);
        let patience = Impatient(AtomicU64::new(n_plies));
        match solve_logged(variant, metric, table.layout().clone(), tables, &log, &patience) {
            Ok(logged) => {
                check_same(&table, &*logged, &what);
                return run;
            }
            Err(SolveError::Interrupted { .. }) => tear(&path, run),
            Err(error) => panic!("{what}: {error}"),
        }
    }
    unreachable!("runs are counted")
}

#[test]
fn what_is_interrupted_goes_on() {
    let tables = chess();
    for (name, n_plies) in [("KQvKR", 1), ("KRvKR", 4)] {
        let material = Material::parse(tables.variant(), name).expect("a material");
        let n_runs = check_resumed(tables, &material, n_plies, &|_, _| {});
        assert!(n_runs > 5, "{name}: {n_runs} runs");
    }
    let n_runs = AtomicU64::new(0);
    (0..60_u64).into_par_iter().for_each(|seed| {
        let variant = random_ruled_variant(seed, &Rule::ALL);
        let n_men = 2 + (seed % 2) as usize;
        let material = random_material(&variant, n_men, seed);
        if !has_pawns(&variant, &material) {
            let metric = Metric::WITHOUT_CLOCK[(seed / 2 % 6) as usize];
            let tables = SolvedTables::of_metric(variant, metric);
            n_runs.fetch_add(check_resumed(&tables, &material, 1, &|_, _| {}), Ordering::Relaxed);
        }
    });
    assert!(n_runs.into_inner() > 60, "few games were interrupted");
}

#[test]
fn a_torn_log_is_gone_on_with() {
    let tables = chess();
    let material = Material::parse(tables.variant(), "KQvKR").expect("a material");
    // What the power cut off, what it left behind, and what has turned on the disk.
    check_resumed(tables, &material, 9, &|path, run| {
        let n_bytes = fs::metadata(path).expect("the log is there").len();
        let file = OpenOptions::new().write(true).open(path).expect("the log is there");
        file.set_len(n_bytes - n_bytes.min(run * 3)).expect("it can be cut");
    });
    check_resumed(tables, &material, 9, &|path, run| {
        let mut file = OpenOptions::new().append(true).open(path).expect("the log is there");
        let rest: Vec<u8> = (0..run * 5).map(|i| (i * run) as u8 & 3).collect();
        file.write_all(&rest).expect("it can be written");
    });
    check_resumed(tables, &material, 9, &|path, run| {
        let mut bytes = fs::read(path).expect("the log is there");
        let at = bytes.len() - 1 - (run as usize * 37) % 100;
        bytes[at] ^= 4;
        fs::write(path, bytes).expect("it can be written");
    });
}

#[test]
fn a_log_of_something_else_is_not_gone_on_with() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("log");
    assert_eq!(open(&path).1, Opened::New);
    assert_eq!(open(&path).1, Opened::New, "nothing is in it yet");
    let (_, opened) = FileLog::open(&path, &[8; 32], Duration::ZERO).expect("it is made again");
    assert_eq!(opened, Opened::Replaced);
    fs::write(&path, "no log at all, and longer than the head of one would be").expect("it can be written");
    assert_eq!(open(&path).1, Opened::Replaced);
}

/// The files of a build, by name.
fn built(
    variant: &Variant,
    (metric, request, is_small): (Metric, &Request, bool),
    strategy: Strategy,
    n_threads: usize,
) -> Vec<(String, Vec<u8>)> {
    let folder = tempfile::tempdir().expect("a folder");
    let plan = Plan::new(variant, request).expect("a plan");
    let lock = FolderLock::new(folder.path()).expect("no other process");
    let pool = ThreadPoolBuilder::new().num_threads(n_threads).build().expect("threads");
    let options = BuildOptions {
        files: FileOptions::new(false, is_small),
        // The others are the same bytes.
        verify: strategy == Strategy::LogOnDisk,
        strategy: Some(strategy),
        // Tables below are read block by block however small they are.
        most_in_memory: if strategy == Strategy::BlockByBlock { 0 } else { 1 << 25 },
        ..BuildOptions::default()
    };
    let edition = Edition::new(variant, metric);
    let built = Build::new(&plan, &lock, &pool, options).run(&edition, &build::Unwatched);
    let built = built.unwrap_or_else(|error| panic!("{error}"));
    assert!(built.error.is_none(), "{:?}", built.error);
    assert_eq!(built.tables.len(), plan.len());
    files(folder.path())
}

/// The files of a folder that are not for the program alone, by name.
pub(crate) fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(folder).expect("the folder is there");
    let mut files: Vec<(String, Vec<u8>)> = entries
        .map(|entry| entry.expect("an entry"))
        .map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.path()))
        .filter(|(name, _)| !name.starts_with('.'))
        .map(|(name, path)| (name, fs::read(path).expect("a file")))
        .collect();
    files.sort();
    files
}

/// Builds tables in memory and by logs, with planes in memory and on the disk.
#[track_caller]
fn check_built(variant: &Variant, metric: Metric, table: Option<&str>, is_small: bool) {
    let request = match table {
        Some(name) => Request::Table(Material::parse(variant, name).expect("a material").canonical(variant)),
        None => Request::UpTo(3),
    };
    let what = (metric, &request, is_small);
    let in_memory = built(variant, what, Strategy::InMemory, 2);
    assert!(!in_memory.is_empty(), "{}: no files", variant.name);
    let logged = [(Strategy::LogOnDisk, 1), (Strategy::PlanesOnDisk, 2), (Strategy::BlockByBlock, 2)];
    for (strategy, n_threads) in logged {
        let logged = built(variant, what, strategy, n_threads);
        let names = |files: &[(String, Vec<u8>)]| -> Vec<String> {
            files.iter().map(|(name, _)| name.clone()).collect()
        };
        // No log is left behind.
        assert_eq!(names(&logged), names(&in_memory), "{metric} in {}", variant.name);
        for ((name, logged), (_, in_memory)) in logged.iter().zip(&in_memory) {
            assert!(logged == in_memory, "{name} of {}, {strategy:?}, {n_threads} threads", variant.name);
        }
    }
}

#[test]
fn builds_by_logs_write_the_same_files() {
    check_built(&tablesmith_tests::fide(), Metric::Dtm, None, false);
    check_built(&small_chess(5, 5), Metric::Dtz50, None, false);
    check_built(&small_chess(5, 5), Metric::Dtm, None, true);
    check_built(&small_chess(6, 6), Metric::Dtm, Some("KRvKN"), false);
    check_built(&game("atomic"), Metric::Wdl, Some("KQvK"), false);
    check_built(&game("antichess"), Metric::Dtc, Some("QvR"), false);
    // KRvKB is read with the colours exchanged.
    check_built(&small_chess(4, 5), Metric::Dtc, Some("KRBvKR"), false);
}

/// Builds one table of a small game into a folder.
fn build_table(folder: &Path, table: &str, options: BuildOptions, lender: Option<&Path>) {
    build_table_of(&small_edition(), folder, table, options, lender);
}

fn build_table_of(
    (variant, edition): &(Variant, Edition),
    folder: &Path,
    table: &str,
    options: BuildOptions,
    lender: Option<&Path>,
) {
    let request = Request::Table(Material::parse(variant, table).expect("a material"));
    let plan = Plan::new(variant, &request).expect("a plan");
    let lock = FolderLock::new(folder).expect("no other process");
    let pool = ThreadPoolBuilder::new().num_threads(2).build().expect("threads");
    let lenders: Vec<PathBuf> = lender.into_iter().map(Path::to_path_buf).collect();
    let lenders = Lenders::new(variant, &lenders, &request).expect("the folder can be read");
    let build = Build::new(&plan, &lock, &pool, options).with_lenders(&lenders);
    let built = build.run(edition, &build::Unwatched).unwrap_or_else(|error| panic!("{error}"));
    assert!(built.error.is_none(), "{:?}", built.error);
}

fn small_edition() -> (Variant, Edition) {
    let variant = small_chess(5, 5);
    let edition = Edition::new(&variant, Metric::Dtz);
    (variant, edition)
}

/// What one run hands on in memory another one reads from files, of which two hold a distance together. Men
/// of a kind on both sides and kings on the diagonal of the board are where files leave out most.
#[test]
fn tables_are_the_same_made_from_files_and_in_memory() {
    let men = [("K", true), ("R", false), ("N", false)];
    let head = "name = \"square\"\nboard = { files = 4, ranks = 4 }\n";
    let text = men.iter().fold(head.to_owned(), |text, (letter, royal)| {
        format!("{text}[[piece]]\nletter = \"{letter}\"\nbetza = \"{letter}\"\nroyal = {royal}\n")
    });
    let variant = Variant::parse(&text, "square.toml").unwrap_or_else(|report| panic!("{report}"));
    for metric in [Metric::Dtc, Metric::Dtz50] {
        let own = (variant.clone(), Edition::new(&variant, metric));
        let folders = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
        let [in_memory, from_files] = folders.each_ref().map(tempfile::TempDir::path);
        let options = || BuildOptions { files: FileOptions::new(true, false), ..BuildOptions::default() };
        build_table_of(&own, in_memory, "KRRvKNN", options(), None);
        let expected = files(in_memory);
        for (name, bytes) in expected.iter().filter(|(name, _)| !name.contains("KRRvKNN")) {
            fs::write(from_files.join(name), bytes).expect("it can be written");
        }
        build_table_of(&own, from_files, "KRRvKNN", options(), None);
        assert!(files(from_files) == expected, "{metric}");
    }
}

/// A table below that has left out a side, and one of others, serve a log as they serve a solver in memory.
#[test]
fn builds_by_logs_use_what_is_there() {
    const TABLE: &str = "KQvKR";
    let options = |strategy| BuildOptions { strategy: Some(strategy), ..BuildOptions::default() };
    let (in_memory, by_log) = (options(Strategy::InMemory), options(Strategy::LogOnDisk));
    let folder = || tempfile::tempdir().expect("a folder");
    let (own, logged, lent, lender) = (folder(), folder(), folder(), folder());
    build_table(own.path(), TABLE, in_memory.clone(), None);
    let expected = files(own.path());

    // The set is there but for the one table.
    let (variant, edition) = small_edition();
    for (name, bytes) in expected.iter().filter(|(name, _)| !name.starts_with(TABLE)) {
        fs::write(logged.path().join(name), bytes).expect("it can be written");
    }
    let request = Request::Table(Material::parse(&variant, TABLE).expect("a material"));
    let plan = Plan::new(&variant, &request).expect("a plan");
    let outlook = prospects(&TableFiles::new(edition, logged.path()), &plan, &by_log).expect("no refusal");
    assert!(outlook.iter().any(|one| matches!(one, Prospect::LeftOut { .. })), "{outlook:?}");
    build_table(logged.path(), TABLE, by_log.clone(), None);
    assert!(files(logged.path()) == expected);

    let both_sides = BuildOptions { files: FileOptions::new(true, false), ..in_memory };
    for below in ["KQvK", "KRvK"] {
        build_table(lender.path(), below, both_sides.clone(), None);
    }
    build_table(lent.path(), TABLE, BuildOptions { verify: true, ..by_log }, Some(lender.path()));
    let made = files(lent.path());
    assert!(!made.is_empty() && made.iter().all(|(name, _)| name.starts_with(TABLE)));
    assert!(made.iter().all(|file| expected.contains(file)));
}
