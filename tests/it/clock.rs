//! Compares the distance to mate under the n-move rule with the oracle, for every state of the rule's clock.

use crate::rules::keep_to_regions;
use format::{BlockCache, Keep, Packing, TableFile, TableWriter, trim};
use library::SolvedTables;
use position::Position;
use proof::{Oracle, Rule, random_material, random_ruled_variant};
use rayon::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use table::{Table, Value, stands_for_itself};
use tablesmith_tests::{metadata, random_game, small_chess};
use variant::{Material, Metric, Rules, Side, Variant};

/// What was compared: values, those that are decided, those that are not what they are at clock 0, and those
/// of them that are decided still.
#[derive(Default, Debug)]
struct Counts([AtomicU64; 4]);

impl Counts {
    fn add(&self, place: usize, is: bool) {
        self.0[place].fetch_add(is.into(), Ordering::Relaxed);
    }
}

/// Compares every position of a table at every clock; nothing where the game is too deep for any table.
#[track_caller]
fn check(variant: &Variant, material: &Material, counts: &Counts) {
    let tables = SolvedTables::of_metric(variant.clone(), Metric::Dtm50);
    let material = material.canonical(variant);
    let solved = tables.solve_needs(&material).and_then(|()| tables.solve(&material));
    let Ok(table) = solved else { return };
    let table: &Table = &table;
    let mut oracle = Oracle::new(variant).counting(Metric::Dtm50);
    oracle.solve(&material);
    let Some(rule_plies) = variant.rules.rule_plies() else { return };
    let layout = table.layout();
    let name = material.name(variant);
    for stm in table.sides() {
        let clocked = table.clocked(stm).expect("a table under the rule");
        (0..layout.len()).into_par_iter().for_each(|index| {
            let at_zero = table.value(stm, index);
            let placement = layout.decode(index);
            let men = layout.men().iter().copied().zip(placement.iter().copied());
            let Some(position) = Position::from_men(men, stm) else {
                assert_eq!(at_zero, Value::Illegal);
                return;
            };
            // Steps stand with one of the numbers of a position.
            let Some(own) = layout.encode(&placement) else {
                assert_eq!(at_zero, Value::Illegal);
                return;
            };
            let staircase = clocked.staircase(layout, own, at_zero);
            for clock in 0..=u32::from(rule_plies) {
                let value = staircase.value(at_zero, clock);
                let now = position.clone().with_halfmove_clock(clock);
                let expected = oracle.value(&now).expect("a solved material");
                // At the end of the clock only a loss without a move is told from other ends.
                let is_same = value == expected || (value.wdl(), expected.wdl()) == (Some(0), Some(0));
                assert!(
                    is_same,
                    "{} {name}: {}: {value:?}, not {expected:?}",
                    variant.name,
                    now.to_fen(oracle.book())
                );
                counts.add(0, true);
                counts.add(1, value.ply().is_some());
                counts.add(2, value != at_zero);
                counts.add(3, value != at_zero && value.ply().is_some());
            }
        });
    }
}

fn ruled(variant: Variant, n_moves: u16) -> Variant {
    Variant { rules: Rules { n_move_rule: Some(n_moves), ..variant.rules.clone() }, ..variant }
}

#[test]
fn small_chess_at_every_clock() {
    let counts = Counts::default();
    for (files, ranks, name, n_moves) in [
        (4, 5, "KQvK", 2),
        (4, 5, "KRvK", 5),
        (4, 5, "KRvKR", 4),
        (5, 5, "KRvK", 7),
        (4, 5, "KPvK", 4),
        (3, 5, "KQvKR", 4),
        (4, 5, "KQvKR", 6),
        (3, 5, "KRvKN", 6),
        (3, 5, "KPPvK", 3),
        (3, 5, "KPvKP", 5),
        (4, 5, "KBNvK", 9),
        (3, 5, "KRRvK", 3),
        (3, 5, "KQPvK", 3),
        (4, 5, "KRvKP", 5),
    ] {
        let variant = ruled(small_chess(files, ranks), n_moves);
        let material = Material::parse(&variant, name).unwrap();
        check(&variant, &material, &counts);
    }
    let [n, n_decided, n_changed, n_steps] = counts.0.map(AtomicU64::into_inner);
    println!("{n} {n_decided} {n_changed} {n_steps}");
    assert!(n > 1_000_000 && n_decided > 500_000 && n_changed > 100_000 && n_steps > 1000);
}

#[test]
fn random_games_with_regions_at_every_clock() {
    let counts = Counts::default();
    (0..200_u64).into_par_iter().for_each(|seed| {
        let Variant { name, board, mut pieces, rules, .. } =
            random_ruled_variant(130_000_000 + seed, &Rule::ALL);
        keep_to_regions(&board, &mut pieces);
        let Ok(variant) = Variant::from_parts(name, board, pieces, rules) else { return };
        let variant = ruled(variant, 1 + (seed / 2 % 7) as u16);
        let n_men = 3 + (seed % 2) as usize;
        if variant.board.n_squares().pow(n_men as u32) <= 30_000 {
            check(&variant, &random_material(&variant, n_men, seed), &counts);
        }
    });
    let [n, n_decided, n_changed, _] = counts.0.map(AtomicU64::into_inner);
    assert!(n > 500_000 && n_decided > 100_000 && n_changed > 20_000, "{n} {n_decided} {n_changed}");
}

#[test]
fn random_games_at_every_clock() {
    let counts = Counts::default();
    (0..400_u64).into_par_iter().for_each(|seed| {
        if let Some((variant, material)) = random_game(700_000, seed, 30_000) {
            check(&ruled(variant, 1 + (seed / 2 % 7) as u16), &material, &counts);
        }
    });
    let [n, n_decided, n_changed, n_steps] = counts.0.map(AtomicU64::into_inner);
    println!("{n} {n_decided} {n_changed} {n_steps}");
    assert!(n > 1_000_000 && n_decided > 200_000 && n_changed > 50_000 && n_steps > 1000);
}

#[test]
fn a_clock_that_no_table_can_hold_is_refused() {
    let solve = |n_moves: u16| {
        let tables = SolvedTables::of_metric(ruled(small_chess(4, 5), n_moves), Metric::Dtm50);
        let material = Material::parse(tables.variant(), "KQvK").unwrap();
        let solved = tables.solve_needs(&material).and_then(|()| tables.solve(&material));
        solved.map(|_| ()).map_err(|error| error.to_string())
    };
    assert_eq!(solve(126), Ok(()));
    let error = solve(127).unwrap_err();
    assert!(error.contains("has no table of dtm50: the n-move rule has more than 126 moves"), "{error}");
}

/// Reads every value of a file at every clock; how many differ from those at clock 0.
#[track_caller]
fn check_file(file: &TableFile, table: &Table, rule_plies: u32) -> usize {
    let (layout, mut n_changed) = (table.layout(), 0);
    for stm in Side::BOTH.into_iter().filter(|&stm| file.keeps(stm)) {
        let clocked = table.clocked(stm).unwrap();
        let values = (0..layout.len()).map(|index| (index, table.value(stm, index)));
        for (index, at_zero) in values.filter(|&(i, v)| v != Value::Illegal && stands_for_itself(layout, i)) {
            for clock in 0..=rule_plies {
                let expected = clocked.staircase(layout, index, at_zero).value(at_zero, clock);
                assert_eq!(file.value_at(stm, index, clock).unwrap(), expected, "{stm} {index} at {clock}");
                n_changed += usize::from(expected != at_zero);
            }
        }
        let sides = [stm];
        let read = file.read_steps(file.read_sides(&sides).unwrap()).unwrap();
        assert_eq!(read.clocked(stm), table.clocked(stm));
    }
    n_changed
}

#[test]
fn files_have_every_value_at_every_clock() {
    let folder = tempfile::tempdir().unwrap();
    for (files, ranks, name, n_moves) in [(4, 5, "KRvKP", 5), (3, 5, "KRRvK", 3), (4, 5, "KQvKR", 7)] {
        let variant = ruled(small_chess(files, ranks), n_moves);
        let tables = SolvedTables::of_metric(variant.clone(), Metric::Dtm50);
        let material = Material::parse(&variant, name).unwrap();
        tables.solve_needs(&material).unwrap();
        let table = tables.solve(&material).unwrap();
        let metadata = metadata(&variant);
        let open = |path: &std::path::Path| {
            TableFile::open_of(path, &variant, Metric::Dtm50, Arc::new(BlockCache::new(1 << 20))).unwrap()
        };
        let writer = TableWriter::new(&variant).column(Metric::Dtm50);
        let (mut wholes, mut halves) = (Vec::new(), Vec::new());
        for packing in [Packing::Quick, Packing::Small] {
            let path = folder.path().join(format!("{packing:?}")).join(format!("{name}.tsm"));
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            let mut n_changed = Vec::new();
            for keep in [Keep::Both, Keep::UntilTrimmed] {
                let written = writer.packing(packing).keep(keep).write(&path, &table, &metadata).unwrap();
                wholes.push(written.table);
                n_changed.push(check_file(&open(&path), &table, 2 * u32::from(n_moves)));
            }
            let trimmed = trim(&path, &variant, Metric::Dtm50).unwrap();
            let one = writer
                .packing(packing)
                .keep(Keep::Smaller)
                .write(&folder.path().join(format!("{name}.tsm")), &table, &metadata)
                .unwrap();
            assert_eq!(trimmed.map(|trimmed| trimmed.content), Some(one.content));
            halves.push(one.content);
            n_changed.push(check_file(&open(&path), &table, 2 * u32::from(n_moves)));
            assert!(n_changed[0] == n_changed[1] && n_changed[2] > 1000 && n_changed[2] < n_changed[0]);
        }
        wholes.dedup();
        assert_eq!(wholes.len(), 1, "a table has one name");
        assert_ne!(halves[0], wholes[0]);
    }
}
