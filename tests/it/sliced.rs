//! Solves tables with pawns slice by slice: codes are those that the solver writes in place, for every game.

use index::{Layout, Scope};
use library::SolvedTables;
use proof::{Rule, random_material, random_ruled_variant, random_variant};
use rayon::prelude::*;
use solve::{MemorySlices, Unwatched, solve_sliced};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use table::{CodeSource, Codes, CodesRef, Lookup, SliceSource, Table};
use tablesmith_tests::{chess, game, small_chess};
use variant::{Material, Metric, Side, Variant};

/// The tables of a lookup, to be had slice by slice.
struct InSlices<'t>(&'t SolvedTables);

impl Lookup for InSlices<'_> {
    fn table(&self, material: &Material) -> Option<Arc<Table>> {
        // What decides nothing is asked for as a whole.
        let table = self.0.table(material);
        assert!(table.is_none(), "{} is to be read slice by slice", material.name(self.0.variant()));
        table
    }

    fn slices(&self, material: &Material) -> Option<Arc<dyn SliceSource>> {
        Some(Arc::new(TableSlices(self.0.table(material)?)))
    }
}

struct TableSlices(Arc<Table>);

impl SliceSource for TableSlices {
    fn layout(&self) -> &Arc<Layout> {
        self.0.layout()
    }

    fn keeps(&self, stm: Side) -> bool {
        self.0.codes(stm).is_some()
    }

    fn read(&self, stm: Side, slice: usize, scope: Option<&Scope>, _: bool) -> io::Result<Codes> {
        let layout = self.0.layout();
        let range = slice * layout.slice_len()..(slice + 1) * layout.slice_len();
        let whole = self.0.codes(stm).expect("it is kept").as_ref().range(range);
        let Some(scope) = scope else { return Ok(whole.into()) };
        let mut part: Codes = match whole {
            CodesRef::Wide(_) => Codes::Wide(vec![0; scope.n_codes(layout) / layout.n_slices()]),
            _ => Codes::Narrow(vec![0; scope.n_codes(layout) / layout.n_slices()]),
        };
        match (whole, &mut part) {
            (CodesRef::Narrow(whole) | CodesRef::Split(whole, _), Codes::Narrow(part)) => {
                scope.keep(layout, whole, part);
            }
            (CodesRef::Wide(whole), Codes::Wide(part)) => scope.keep(layout, whole, part),
            _ => unreachable!("they are as wide"),
        }
        Ok(match (whole, part) {
            (CodesRef::Split(_, split), Codes::Narrow(part)) => Codes::Split(part, split),
            (_, part) => part,
        })
    }
}

/// Compares a table with one that is handed out in runs of units.
#[track_caller]
fn check_same(table: &Table, sliced: &dyn CodeSource, what: &str) {
    let layout = table.layout();
    let (n_units, len) = (layout.n_slices() * layout.n_blocks(), layout.block_len());
    for stm in Side::BOTH {
        let codes = table.codes(stm);
        assert_eq!(sliced.coding(stm), codes.map(Codes::coding), "{what}, {stm} to move");
        let Some(codes) = codes else { continue };
        let mut room = Codes::Narrow(Vec::new());
        for units in [0..1, n_units / 2..n_units, n_units / 3..n_units / 3 + 5, 0..n_units] {
            let units = units.start..units.end.min(n_units);
            let made = sliced.codes(stm, units.clone(), &mut room).expect("slices are in memory");
            let expected = codes.as_ref().range(units.start * len..units.end * len);
            assert!(made == expected, "{what}, {stm} to move, units {units:?}");
        }
    }
}

/// How a slice is solved: never by a log, always by a log.
const MOST_IN_MEMORY: [u64; 2] = [u64::MAX, 0];

/// Solves a material with pawns in memory and slice by slice, in memory and by logs, with the other tables as a
/// whole and slice by slice.
#[track_caller]
fn check_sliced(tables: &SolvedTables, material: &Material) {
    let (variant, metric) = (tables.variant(), tables.metric());
    let material = material.canonical(variant);
    let what = format!("{metric} of {} in {}", material.name(variant), variant.name);
    let table = tables.solve_needs(&material).and_then(|()| tables.solve(&material));
    let table = table.unwrap_or_else(|error| panic!("{what}: {error}"));
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

fn has_pawns(variant: &Variant, material: &Material) -> bool {
    material.men().any(|man| variant.is_pawn(man))
}

#[track_caller]
fn check_named(tables: &SolvedTables, name: &str) {
    check_sliced(tables, &Material::parse(tables.variant(), name).unwrap_or_else(|e| panic!("{name}: {e}")));
}

#[test]
fn chess_is_solved_slice_by_slice() {
    for metric in Metric::ALL {
        let own;
        let tables = match metric {
            Metric::Dtm => chess(),
            _ => {
                own = SolvedTables::of_metric(small_chess(4, 5), metric);
                &own
            }
        };
        for name in ["KPvK", "KRvKP", "KPvKP", "KPPvK"] {
            check_named(tables, name);
        }
    }
}

#[test]
fn five_men_on_a_small_board_are_solved_slice_by_slice() {
    for (metric, name) in [(Metric::Dtc, "KRPvKR"), (Metric::Dtz50, "KPPvKP")] {
        check_named(&SolvedTables::of_metric(small_chess(4, 4), metric), name);
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
        let tables = SolvedTables::new(game(variant));
        check_named(&tables, name);
    }
}

#[test]
fn random_games_are_solved_slice_by_slice() {
    let n_checked = AtomicU64::new(0);
    (0..240_u64).into_par_iter().for_each(|seed| {
        let variant = match seed % 2 {
            0 => random_ruled_variant(seed, &Rule::ALL),
            _ => random_variant(seed),
        };
        let n_men = 2 + (seed / 2 % 3) as usize;
        let material = random_material(&variant, n_men, seed);
        let n_squares = variant.board.n_squares();
        if !has_pawns(&variant, &material) || n_squares.pow(n_men as u32) > 100_000 {
            return;
        }
        let metric = Metric::ALL[(seed / 6 % 5) as usize];
        check_sliced(&SolvedTables::of_metric(variant, metric), &material);
        n_checked.fetch_add(1, Ordering::Relaxed);
    });
    assert!(n_checked.into_inner() > 30, "few games have pawns");
}
