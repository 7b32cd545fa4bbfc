//! Solves tables with one side's wins alone: each value is that of the whole table as far as this side wins.

use build::{Build, BuildOptions, FileOptions, FolderLock, Strategy, Verifier};
use library::{Edition, SolvedTables, TableFiles};
use plan::{Plan, Request};
use position::{Position, RuleBook};
use proof::Sample;
use rayon::ThreadPoolBuilder;
use rayon::prelude::*;
use solve::{Options, Unwatched, solve};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use table::{Table, Value};
use tablesmith_tests::{random_game, small_chess};
use variant::{Material, Metric, Side, Variant};

/// Compares a table with one side's wins alone with the whole one; how many values differ because the other
/// side wins.
#[track_caller]
fn check_values(whole: &Table, alone: &Table, winner: Side, what: &str) -> u64 {
    let mut n_hidden = 0;
    for stm in Side::BOTH {
        for index in 0..whole.layout().len() {
            let (expected, got) = (whole.value(stm, index), alone.value(stm, index));
            let is_hidden = (got, expected, stm) == (Value::Draw, Value::Stalemate, winner);
            let is_right = is_hidden || got == expected.of_winner(stm, winner);
            assert!(is_right, "{what}, {stm} to move, number {index}: {got:?}, expected {expected:?}");
            n_hidden += u64::from(got != expected);
        }
    }
    n_hidden
}

/// Solves a material whole and for either side alone; none if its colours are alike.
fn check_solved(variant: Variant, metric: Metric, material: &Material) -> Option<u64> {
    let tables = SolvedTables::of_metric(variant, metric);
    let variant = tables.variant();
    let material = material.canonical(variant);
    if material.is_one_sided(variant) {
        return None;
    }
    let what = format!("{metric} of {} in {}", material.name(variant), variant.name);
    let whole = tables.solve_needs(&material).and_then(|()| tables.solve(&material));
    // Some random games have tables that are too deep for any code.
    let whole = whole.ok()?;
    let n_hidden = Side::BOTH.map(|winner| {
        let options = Options { attacker: Some(winner), ..metric.into() };
        let alone = solve(variant, options, whole.layout().clone(), &tables, &Unwatched);
        let alone = alone.unwrap_or_else(|error| panic!("{what}: {error}"));
        check_values(&whole, &alone, winner, &what)
    });
    Some(n_hidden.iter().sum())
}

#[test]
fn random_games_have_the_same_wins_of_one_side() {
    let [n_checked, n_hidden] = [0, 0].map(AtomicU64::new);
    (0..240_u64).into_par_iter().for_each(|seed| {
        let Some((variant, material)) = random_game(900_000, seed, 100_000) else { return };
        if let Some(n) = check_solved(variant, Metric::OF_CONTEST[(seed / 6 % 5) as usize], &material) {
            n_checked.fetch_add(1, Ordering::Relaxed);
            n_hidden.fetch_add(n, Ordering::Relaxed);
        }
    });
    let n = [n_checked, n_hidden].map(AtomicU64::into_inner);
    assert!(n[0] > 50 && n[1] > 100_000, "{n:?}: most games are too large or too plain");
}

/// Builds a table, of one side's wins if that is asked for; its files.
fn build(
    (variant, metric, table): (&Variant, Metric, &str),
    winner: Option<Side>,
    folder: &Path,
    options: BuildOptions,
) -> TableFiles {
    let material = Material::parse(variant, table).expect("a material");
    let plan = Plan::new(variant, &Request::Table(material.clone())).expect("a plan");
    let lock = FolderLock::new(folder).expect("no other process");
    let pool = ThreadPoolBuilder::new().num_threads(2).build().expect("threads");
    let edition = Edition::new(variant, metric);
    let edition = match winner {
        Some(winner) => edition.with_winner(&material, winner).expect("its colours differ"),
        None => edition,
    };
    let built = Build::new(&plan, &lock, &pool, options).run(&edition, &build::Unwatched);
    let built = built.unwrap_or_else(|error| panic!("{error}"));
    assert!(built.error.is_none(), "{:?}", built.error);
    TableFiles::new(edition, folder)
}

/// Builds a table whole, and with one side's wins by every strategy: beside the whole table, whose files stay
/// as they are.
#[track_caller]
fn check_built(variant: &Variant, metric: Metric, name: &str, winner: Side) {
    let whole = tempfile::tempdir().expect("a folder");
    let options = || BuildOptions { files: FileOptions::new(true, false), ..BuildOptions::default() };
    let files = build((variant, metric, name), None, whole.path(), options());
    let expected = files.read(name).expect("a table");
    // Of the table's file the column, in a file of its own.
    let bytes = |files: &TableFiles| {
        let alone = tempfile::tempdir().expect("a folder");
        let to = alone.path().join(format::file_name(name));
        let column = files.edition().column(name, metric);
        format::copy_column(&files.main_path(name), &to, column).expect("the column");
        std::fs::read(to).expect("a file")
    };
    let before = bytes(&files);
    let mut of_strategies = Vec::new();
    for strategy in [Strategy::InMemory, Strategy::LogOnDisk, Strategy::PlanesOnDisk, Strategy::BlockByBlock]
    {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = if strategy == Strategy::InMemory { whole.path() } else { folder.path() };
        // All strategies write the same bytes: one file alone and one beside the whole table are looked at.
        let is_verified = strategy == Strategy::LogOnDisk;
        let options = BuildOptions { strategy: Some(strategy), verify: is_verified, ..options() };
        let alone = build((variant, metric, name), Some(winner), folder, options);
        let n_hidden = check_values(&expected, &alone.read(name).expect("a table"), winner, name);
        assert!(n_hidden > 1000, "{name}: {n_hidden} values of the other side");
        of_strategies.push(bytes(&alone));
        if matches!(strategy, Strategy::InMemory | Strategy::LogOnDisk) {
            check_asked(&alone, &expected, winner);
        }
    }
    assert!(of_strategies.iter().all(|bytes| *bytes == of_strategies[0]), "{name}: one strategy differs");
    assert_eq!(bytes(&files), before, "{name}: the whole table is another");
}

/// Verifies the file, and asks it for positions.
fn check_asked(files: &TableFiles, expected: &Table, winner: Side) {
    let (variant, metric) = (files.edition().variant(), files.edition().metric());
    let (material, name) = (expected.layout().material(), expected.layout().name());
    let verifier = Verifier::new(files.clone(), 6);
    let plan = Plan::new(variant, &Request::Table(material.clone())).expect("a plan");
    let job = plan.jobs().find(|job| job.material == *material).expect("the job of the table");
    let report = verifier.verify(job, Sample::All, &|_, _| {}).unwrap_or_else(|error| panic!("{error}"));
    assert!(report.is_clean() && report.n_values > 10_000, "{name}: {report:?}");
    let (book, tables) = (RuleBook::new(variant), files.tablebase(metric, 1 << 20).expect("a folder"));
    let mut n_asked = 0;
    for (index, stm) in
        (0..expected.layout().len()).step_by(211).flat_map(|i| [(i, Side::White), (i, Side::Black)])
    {
        let placement = expected.layout().decode(index);
        let men = expected.layout().men().iter().copied().zip(placement.iter().copied());
        let Some(position) = Position::from_men(men, stm).filter(|position| position.is_legal(&book)) else {
            continue;
        };
        let value = expected.value(stm, index).of_winner(stm, winner);
        let got = tables.value(&position).expect("a value");
        let is_hidden = (got, value, stm) == (Value::Draw, Value::Stalemate, winner);
        assert!(is_hidden || got == value, "{}: {got:?}, expected {value:?}", position.to_fen(&book));
        n_asked += u64::from(value != Value::Draw);
    }
    assert!(n_asked > 5, "{name}: {n_asked} wins");
    // The column is none of the whole table.
    let elsewhere = tempfile::tempdir().expect("a folder");
    let plain = TableFiles::new(Edition::new(variant, metric), elsewhere.path());
    let column = files.edition().column(name, metric);
    format::copy_column(&files.main_path(name), &plain.main_path(name), column).expect("a copy");
    let refused = plain.open(name, metric).expect_err("there are one side's wins alone");
    assert!(refused.is_not_found() && refused.to_string().contains("wins alone"), "{refused}");
}

#[test]
fn tables_of_one_side_are_built_verified_and_asked() {
    check_built(&small_chess(4, 5), Metric::Dtm, "KQvKR", Side::White);
    check_built(&small_chess(4, 5), Metric::Dtc, "KQvKR", Side::Black);
    check_built(&small_chess(4, 5), Metric::Dtz50, "KRvKP", Side::Black);
    check_built(&small_chess(4, 5), Metric::Wdl, "KRvKP", Side::White);
}

/// The other side to move is found by looking one move ahead.
#[test]
fn files_of_one_side_to_move_have_one_sides_wins() {
    let (variant, folder) = (small_chess(4, 5), tempfile::tempdir().expect("a folder"));
    let whole = tempfile::tempdir().expect("a folder");
    for (metric, winner) in [(Metric::Dtz, Side::White), (Metric::Dtc, Side::Black)] {
        let own = (&variant, metric, "KQvKR");
        let expected = build(
            own,
            None,
            whole.path(),
            BuildOptions { files: FileOptions::new(true, false), ..BuildOptions::default() },
        );
        let alone = build(own, Some(winner), folder.path(), BuildOptions::default());
        let file = alone.open("KQvKR", metric).expect("a file");
        assert!(file.left_out().is_some() && file.winner() == Some(winner));
        check_asked(&alone, &expected.read("KQvKR").expect("a table"), winner);
    }
}
