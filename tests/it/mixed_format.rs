//! Checks that positions have the same values in every format: captures en passant, mates and stalemates too.

use crate::flat::DISTANCES;
use export::flat::{self, FlatOptions, Form};
use format::{TableWriter, file_name};
use geometry::Square;
use library::SolvedTables;
use position::{EnPassant, Position};
use probe::{ProbeError, Tablebase};
use std::path::Path;
use syzygy::{self, Family, FileKind, Options};
use tablesmith_tests::{chess, fide, game, metadata};
use tempfile::TempDir;
use variant::{Man, Material, Metric, Side, Variant};

/// Our own files of these tables under a metric, and of who wins if they need it.
fn own(solved_tables: &SolvedTables, names: &[&str], metrics: &[Metric]) -> TempDir {
    let (folder, variant) = (tempfile::tempdir().unwrap(), solved_tables.variant());
    for name in names {
        for &metric in metrics {
            let path = folder.path().join(file_name(name));
            let (table, data) = (solved_tables.named(name).unwrap(), metadata(variant));
            TableWriter::new(variant).column(metric).write(&path, &table, &data).unwrap();
        }
    }
    folder
}

/// Flat files of these tables.
fn flat(solved_tables: &SolvedTables, names: &[&str], form: Form) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let options = FlatOptions { form, ..DISTANCES };
    for name in names {
        flat::write(
            folder.path(),
            solved_tables.variant(),
            solved_tables.metric(),
            &solved_tables.named(name).unwrap(),
            &options,
        )
        .unwrap();
    }
    folder
}

fn open(folder: &Path, metric: Metric) -> Tablebase {
    open_of(&fide(), folder, metric)
}

fn open_of(variant: &Variant, folder: &Path, metric: Metric) -> Tablebase {
    Tablebase::open_with(&[folder.into()], variant, metric, 16 << 20).unwrap()
}

/// Positions of a material, in either colours and with every right to capture en passant that there may be.
fn positions(tables: &Tablebase, name: &str, step: usize) -> Vec<Position> {
    let material = Material::parse(tables.variant(), name).unwrap();
    let men: Vec<Man> = material.men().collect();
    let mut positions = Vec::new();
    for number in (0..64usize.pow(men.len() as u32)).step_by(step) {
        let swaps = number % 2 == 1;
        let place = |(i, man): (usize, &Man)| {
            let square = Square::from_index(number >> (6 * i) & 63);
            match swaps {
                true => (Man { side: !man.side, ..*man }, tables.variant().swap_colours(square)),
                false => (*man, square),
            }
        };
        for stm in Side::BOTH {
            let Some(position) = Position::from_men(men.iter().enumerate().map(place), stm) else { continue };
            let is_misplaced =
                position.men().any(|(man, s)| tables.variant().is_pawn(man) && !(8..56).contains(&s.index()));
            if is_misplaced || !position.is_legal(tables.book()) {
                continue;
            }
            let rights: Vec<EnPassant> = position.en_passant_rights(tables.book());
            let with = rights.iter().map(|&right| position.clone().with_en_passant(Some(right)));
            positions.extend(with.collect::<Vec<_>>());
            positions.push(position);
        }
    }
    positions
}

/// Two folders answer the same, the second one from files with this ending.
#[track_caller]
fn check_same(one: &Tablebase, other: &Tablebase, name: &str, step: usize, ending: &str) {
    let positions = positions(one, name, step);
    let n_rights = positions.iter().filter(|position| position.en_passant().is_some()).count();
    for position in &positions {
        let fen = position.to_fen(one.book());
        let here = |tables: &Tablebase| match tables.probe(position) {
            Ok(answer) => answer,
            other => panic!("{fen}: {other:?}"),
        };
        let [first, second] = [one, other].map(here);
        assert_eq!((first.value, first.outcome), (second.value, second.outcome), "{fen}");
        let file = second.file_name().unwrap();
        assert!(file.ends_with(ending), "{fen}: {file}");
    }
    assert!(positions.len() > 2_000, "{} positions of {name}", positions.len());
    assert!(n_rights > 0 || name != "KPvKP", "{n_rights} rights");
}

const PAWNS: [&str; 2] = ["KPvKP", "KPvK"];
const THREE_MEN: [&str; 5] = ["KQvK", "KRvK", "KBvK", "KNvK", "KPvK"];

#[test]
fn flat_files_answer_as_our_own() {
    let (own, flat) = (own(chess(), &PAWNS, &[Metric::Dtm]), flat(chess(), &PAWNS, Form::Distances));
    let [own, flat] = [own, flat].map(|folder| (open(folder.path(), Metric::Dtm), folder));
    check_same(&own.0, &flat.0, "KPvKP", 101, ".tbl");
    check_same(&own.0, &flat.0, "KPvK", 5, ".tbl");
}

#[test]
fn two_bits_answer_as_our_own() {
    let (own, flat) = (own(chess(), &PAWNS, &[Metric::Wdl]), flat(chess(), &PAWNS, Form::Wdl));
    let [own, flat] = [own, flat].map(|folder| (open(folder.path(), Metric::Wdl), folder));
    check_same(&own.0, &flat.0, "KPvKP", 101, ".tbc");
    check_same(&own.0, &flat.0, "KPvK", 5, ".tbc");
}

#[test]
fn syzygy_files_answer_as_our_own() {
    let solved_tables = SolvedTables::of_metric(fide(), Metric::Dtz50);
    let own = own(&solved_tables, &THREE_MEN, &[Metric::Wdl, Metric::Dtz50]);
    let others = tempfile::tempdir().unwrap();
    for name in THREE_MEN {
        let material = solved_tables.named(name).unwrap().layout().material().clone();
        let files = syzygy::write(
            Family::Chess,
            solved_tables.variant(),
            &material,
            &solved_tables,
            Options::default(),
        )
        .unwrap();
        files.save(others.path()).unwrap();
    }
    for (metric, ending) in [(Metric::Dtz50, ".rtbz"), (Metric::Wdl, ".rtbw")] {
        let (own, others) = (open(own.path(), metric), open(others.path(), metric));
        for name in THREE_MEN {
            check_same(&own, &others, name, 31, ending);
        }
    }
    // They do not tell how far mate is.
    let tables = open(others.path(), Metric::Dtm);
    let position = Position::from_fen(tables.book(), "8/8/8/8/8/3k4/8/3K3Q w - - 0 1").unwrap();
    assert!(
        matches!(tables.probe(&position), Err(ProbeError::Missing(table)) if table.to_string() == "not here: KQvK.tsm")
    );
}

#[test]
fn what_a_syzygy_file_is_read_together_with_is_missed_by_name() {
    let solved_tables = SolvedTables::of_metric(fide(), Metric::Dtz50);
    let material = solved_tables.named("KPvK").unwrap().layout().material().clone();
    let files =
        syzygy::write(Family::Chess, solved_tables.variant(), &material, &solved_tables, Options::default())
            .unwrap();
    let folder = tempfile::tempdir().unwrap();
    files.save(folder.path()).unwrap();
    let tables = open(folder.path(), Metric::Dtz50);
    let position = Position::from_fen(tables.book(), "8/P7/8/8/8/3k4/8/3K4 w - - 0 1").unwrap();
    let Err(ProbeError::Missing(missing)) = tables.probe(&position) else {
        panic!("a queen's table is not here")
    };
    assert_eq!((missing.material.as_str(), missing.to_string().as_str()), ("KQvK", "not here: KQvK.rtbw"));
}

/// Checks that Syzygy files of another game answer as our own; all its tables of `n_men` men are made.
#[track_caller]
fn check_family(family: Family, rules: &str, n_men: usize, compared: &[&str]) {
    let solved_tables = SolvedTables::of_metric(game(rules), Metric::Dtz50);
    let materials = Material::all(solved_tables.variant(), n_men);
    let names: Vec<String> =
        materials.iter().map(|material| material.name(solved_tables.variant())).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    names.iter().for_each(|name| drop(solved_tables.named(name).unwrap()));
    let own = own(&solved_tables, &names, &[Metric::Wdl, Metric::Dtz50]);
    let others = tempfile::tempdir().unwrap();
    for material in &materials {
        let files =
            syzygy::write(family, solved_tables.variant(), material, &solved_tables, Options::default())
                .unwrap();
        files.save(others.path()).unwrap();
    }
    for (metric, kind) in [(Metric::Dtz50, FileKind::Dtz), (Metric::Wdl, FileKind::Wdl)] {
        let [own, others] = [&own, &others].map(|folder| open_of(&game(rules), folder.path(), metric));
        for name in compared {
            let step = if n_men < 3 { 1 } else { 31 };
            check_same(&own, &others, name, step, family.extension(kind));
        }
    }
    // To chess these files are nothing.
    let chess = open(others.path(), Metric::Wdl);
    let position = Position::from_fen(chess.book(), "8/8/8/8/8/3k4/8/3K3Q w - - 0 1").unwrap();
    assert!(matches!(chess.probe(&position), Err(ProbeError::Missing(_))));
}

#[test]
fn syzygy_files_of_other_games_answer_as_our_own() {
    check_family(Family::Giveaway, "antichess", 2, &["PvP", "KvN"]);
    check_family(Family::Suicide, "suicide", 2, &["BvP"]);
    check_family(Family::Atomic, "atomic", 3, &["KQvK", "KPvK"]);
    check_family(Family::Other, "knightmate", 3, &["NPvN"]);
}

#[test]
fn distances_of_ours_stand_beside_outcomes_of_any_format() {
    // The column dtz50 does not say who wins, and KRvK.tsm has no column wdl that does.
    let solved_tables = SolvedTables::of_metric(fide(), Metric::Dtz50);
    let whole = own(&solved_tables, &["KRvK"], &[Metric::Wdl, Metric::Dtz50]);
    let half = own(&solved_tables, &["KRvK"], &[Metric::Dtz50]);
    let options = FlatOptions { form: Form::Wdl, packed: true, ..DISTANCES };
    flat::write(
        half.path(),
        solved_tables.variant(),
        Metric::Wdl,
        &solved_tables.named("KRvK").unwrap(),
        &options,
    )
    .unwrap();
    let [whole, half] = [whole, half].map(|folder| (open(folder.path(), Metric::Dtz50), folder));
    check_same(&whole.0, &half.0, "KRvK", 5, ".tsm");
}
