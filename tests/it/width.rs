//! Solves tables with two bytes a value.

use crate::table_log::check_same;
use build::{Build, BuildFootprint, BuildOptions, BuildStep, FileOptions, FolderLock};
use index::Layout;
use library::{Edition, MemoryLimit, SolvedTables, TableFiles};
use plan::{Plan, Request};
use proof::Oracle;
use rayon::ThreadPoolBuilder;
use solve::{MemorySlices, Options, Progress, SolveError, Unwatched, solve, solve_sliced};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use table::{Code, Codes, Lookup, Ply, Table, Value};
use tablesmith_tests::{chess, small_chess};
use variant::exit::TablePart;
use variant::{Material, Metric, Side, Variant};

/// Two bytes from the start, or only once they are needed: the same values. Tables are looked up in `lookup`.
#[track_caller]
fn check_width(variant: &Variant, lookup: &dyn Lookup, metric: Metric, name: &str, suffices: bool) {
    let material = Material::parse(variant, name).unwrap();
    let layout = Arc::new(Layout::new(variant, &material));
    let solved = |wide| {
        let options = Options { wide, ..metric.into() };
        solve(variant, options, layout.clone(), lookup, &Unwatched).unwrap()
    };
    let (first, wide) = (solved(false), solved(true));
    let bounded = solve(variant, metric, layout.clone(), lookup, &NoRoom);
    assert_eq!(
        bounded.is_ok(),
        suffices,
        "{metric} of {name}: two bytes are not taken without being asked for"
    );
    for stm in first.sides() {
        let codes = first.codes(stm).unwrap();
        assert_eq!(!codes.is_wide(), suffices, "{metric} of {name}: one byte suffices");
        assert!(wide.codes(stm).is_some_and(Codes::is_wide), "{metric} of {name}: two bytes as asked");
        let differ = (0..codes.len()).find(|&i| first.value(stm, i) != wide.value(stm, i));
        assert_eq!(differ, None, "{metric} of {name}, {stm} to move");
    }
    assert_eq!(wide.sides().collect::<Vec<Side>>(), first.sides().collect::<Vec<Side>>());
    if !layout.pawns().is_empty() {
        let (store, what) = (MemorySlices::default(), format!("{metric} of {name} slice by slice"));
        let sliced = solve_sliced(variant, metric, layout, lookup, (&store, u64::MAX), &Unwatched);
        check_same(&first, &*sliced.unwrap_or_else(|error| panic!("{what}: {error}")), &what);
    }
}

/// There is no room for a second byte.
struct NoRoom;

impl Progress for NoRoom {
    fn may_widen(&self) -> bool {
        false
    }
}

/// Counts the tables that are solved by logs.
struct Logs(AtomicUsize);

impl Progress<BuildStep> for Logs {
    fn step(&self, step: &BuildStep) {
        if let BuildStep::Log(..) | BuildStep::Slices(..) = step {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Builds a table whose solver asks for two bytes a value in memory, with so much memory beyond the estimate;
/// the table, and whether it was solved by a log.
fn built_wide(variant: &Variant, name: &str, more_bytes: u64) -> (Table, bool) {
    let material = Material::parse(variant, name).unwrap();
    let (plan, edition) =
        (Plan::new(variant, &Request::Table(material)).unwrap(), Edition::new(variant, Metric::Dtm));
    let job = plan.jobs().last().unwrap();
    let files = FileOptions::new(true, false);
    let limit = BuildFootprint::new(&edition, files, 1).total_of(job) + more_bytes;
    let options = BuildOptions { memory: MemoryLimit::new(Some(limit)), files, ..BuildOptions::default() };
    let solver = |variant: &Variant,
                  options: Options,
                  layout: Arc<Layout>,
                  lookup: &dyn Lookup,
                  progress: &dyn Progress| {
        let is_asked = layout.name() == name;
        if is_asked && !progress.may_widen() {
            return Err(SolveError::TooDeep { material: name.into(), limit: 7 });
        }
        solve(variant, Options { wide: is_asked, ..options }, layout, lookup, progress)
    };
    let folder = tempfile::tempdir().unwrap();
    let lock = FolderLock::new(folder.path()).unwrap();
    let pool = ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let logs = Logs(AtomicUsize::new(0));
    let built = Build::new(&plan, &lock, &pool, options).with_solver(&solver).run(&edition, &logs);
    assert!(built.unwrap().error.is_none());
    let table = TableFiles::new(edition, folder.path()).read(name).unwrap();
    (table, logs.0.into_inner() > 0)
}

#[test]
fn a_table_without_room_for_two_bytes_is_solved_by_a_log() {
    let tables = SolvedTables::new(small_chess(5, 6));
    for name in ["KQvKR", "KRvKP"] {
        let expected = tables.named(name).unwrap();
        for (more_bytes, is_logged) in [(0, true), (1 << 30, false)] {
            let (table, has_log) = built_wide(tables.variant(), name, more_bytes);
            assert_eq!(has_log, is_logged, "{name} with {more_bytes} bytes more");
            for stm in table.sides() {
                let differ =
                    (0..table.layout().len()).find(|&i| table.value(stm, i) != expected.value(stm, i));
                assert_eq!(differ, None, "{name}, {stm} to move");
            }
        }
    }
}

#[test]
fn wide_tables_say_what_narrow_ones_say() {
    // Behind a capture any table holds who wins, so that the tables of the distance to mate serve other
    // metrics too.
    for metric in [Metric::Dtm, Metric::Wdl, Metric::Dtc, Metric::Dtz] {
        for name in ["KPvK", "KQvKR", "KPvKP"] {
            drop(chess().named(name).unwrap());
            check_width(chess().variant(), chess(), metric, name, true);
        }
    }
}

#[test]
fn tables_are_widened_on_the_way() {
    // Under a rule of 126 moves every win 300 plies further off is cursed, and to win a man is to win in 253.
    let mut variant = small_chess(5, 5);
    variant.rules.n_move_rule = Some(126);
    let tables = SolvedTables::new(variant);
    for (name, suffices) in
        [("KRvKR", false), ("KRvKB", false), ("KRBvK", false), ("KPvK", false), ("KPvKP", false)]
    {
        check_width(tables.variant(), &Deeper(&tables), Metric::Dtz50, name, suffices);
    }
}

/// Tables in which every mate takes 300 plies longer than in these tables.
struct Deeper<'a>(&'a SolvedTables);

impl Lookup for Deeper<'_> {
    fn table(&self, material: &Material, _: Option<&TablePart>) -> Option<Arc<Table>> {
        let table = self.0.solved(material).unwrap();
        let codes = |side: Side| {
            table.codes(side).map(|codes| {
                let deeper = |index| match codes.as_ref().value(index) {
                    Value::Win(Ply(ply)) => Value::Win(Ply(ply + 300)),
                    Value::Loss(Ply(ply)) => Value::Loss(Ply(ply + 300)),
                    value => value,
                };
                u16::owned((0..codes.len()).map(|i| u16::from_value(deeper(i)).unwrap()).collect())
            })
        };
        let white = codes(Side::White).expect("White to move is kept");
        Some(Arc::new(Table::new(table.layout().clone(), white, codes(Side::Black))))
    }
}

#[test]
fn a_table_that_needs_two_bytes_takes_them_by_itself() {
    // Rooks on 5 × 5 squares, where to win a rook is to win after more plies than one byte can say.
    let tables = SolvedTables::new(small_chess(5, 5));
    for name in ["KRvKR", "KRBvK"] {
        let material = Material::parse(tables.variant(), name).unwrap();
        let layout = Arc::new(Layout::new(tables.variant(), &material));
        let table = solve(tables.variant(), tables.metric(), layout, &Deeper(&tables), &Unwatched).unwrap();
        assert!(table.sides().all(|stm| table.codes(stm).is_some_and(Codes::is_wide)), "{name}");
        let longest = (0..table.layout().len()).filter_map(|i| table.value(Side::White, i).ply()).max();
        assert!(longest > Some(Ply(300)), "{name}: {longest:?}");
        let mut oracle = Oracle::new(tables.variant());
        oracle.solve_with(&material, &Deeper(&tables)).expect("everything is there");
        let differences = oracle.differences(&table, 5).expect("the oracle has solved it");
        assert!(differences.is_empty(), "{name}: {differences:#?}");
    }
}
