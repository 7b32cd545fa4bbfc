//! Reads parts of tables in place of whole ones, and puts back what files leave out.

use exit::targets;
use geometry::SquareSet;
use index::{Layout, Scope};
use library::SolvedTables;
use solve::{Unwatched, read_part, restore, solve};
use std::convert::Infallible;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use table::{Code, Codes, CodesMut, Coding, Lookup, Table, Value};
use tablesmith_tests::{chess, small_chess};
use variant::{Man, Material, Side};

/// Gives parts wherever parts are enough, cut out of whole tables or, every other time, read as from a file.
struct CutTables<'a> {
    tables: &'a SolvedTables,
    n_parts: AtomicUsize,
}

impl Lookup for CutTables<'_> {
    fn table(&self, material: &Material) -> Option<Arc<Table>> {
        Some(self.tables.solved(material).unwrap())
    }

    fn part(&self, material: &Material, man: Man, squares: SquareSet) -> Option<Arc<Table>> {
        let table = self.tables.solved(material).unwrap();
        let layout = table.layout();
        // Of like men any will do: the asker's man is put in his place.
        let places = (0..layout.men().len()).rev().filter(|&place| layout.men()[place] == man);
        let Some(scope) = places.filter_map(|place| Scope::new(layout, place, squares)).next() else {
            return Some(table);
        };
        let n_parts = self.n_parts.fetch_add(1, Ordering::Relaxed);
        let part = table.part(&scope).expect("the side to move is kept");
        if n_parts.is_multiple_of(2) {
            return Some(Arc::new(part));
        }
        let read = read_from(self.tables, &emptied(&table), &scope);
        assert_eq!(part.codes(!man.side), read.codes(!man.side), "{}", layout.name());
        Some(Arc::new(read))
    }
}

/// A table as a file has it: nothing of use where there is no position or it is not canonical.
fn emptied(table: &Table) -> Table {
    let layout = table.layout();
    let mut emptied = table.clone();
    for stm in table.sides() {
        let left_out =
            |i: usize| table.value(stm, i) == Value::Illegal || !layout.is_canonical(i, &layout.decode(i));
        match emptied.codes_mut(stm).expect("it is kept") {
            Codes::Narrow(codes) | Codes::Split(codes, _) => empty(codes, left_out),
            Codes::Wide(codes) => empty(codes, left_out),
        }
    }
    emptied
}

/// Two files that hold a table together may say together what no value is, which reads as illegal.
fn empty<C: Code>(codes: &mut [C], left_out: impl Fn(usize) -> bool) {
    let anything = [C::from_value(Value::Stalemate).expect("it fits"), C::ILLEGAL];
    let codes = codes.iter_mut().enumerate().filter(|(i, _)| left_out(*i));
    codes.for_each(|(i, code)| *code = anything[i / 3 % 2]);
}

/// The part of a table, read range by range.
fn read_from(tables: &SolvedTables, file: &Table, scope: &Scope) -> Table {
    let read = |stm: Side, range: Range<usize>, codes: CodesMut<'_>| -> Result<(), Infallible> {
        match (file.codes(stm), codes) {
            (
                Some(Codes::Narrow(from) | Codes::Split(from, _)),
                CodesMut::Narrow(to) | CodesMut::Split(to, _),
            ) => to.copy_from_slice(&from[range]),
            (Some(Codes::Wide(from)), CodesMut::Wide(to)) => to.copy_from_slice(&from[range]),
            (from, to) => panic!("{from:?} and {to:?}"),
        }
        Ok(())
    };
    let codes = file.codes(Table::side_of_part(file.layout(), scope));
    let coding = codes.map_or(Coding::Narrow(()), Codes::coding);
    let Ok(part) = read_part(tables.variant(), file.layout().clone(), scope.clone(), coding, &read);
    part
}

#[track_caller]
fn check_parts(tables: &SolvedTables, name: &str, n_parts: usize) {
    let material = Material::parse(tables.variant(), name).unwrap();
    let whole = tables.solved(&material).unwrap();
    let layout = Arc::new(Layout::new(tables.variant(), &material));
    let parts = CutTables { tables, n_parts: AtomicUsize::new(0) };
    let table = solve(tables.variant(), tables.metric(), layout, &parts, &Unwatched).unwrap();
    for stm in whole.sides() {
        assert_eq!(table.codes(stm), whole.codes(stm), "{name}, {stm} to move");
    }
    assert_eq!(parts.n_parts.into_inner(), n_parts, "{name}: parts");
}

#[test]
fn parts_are_enough_for_promotions() {
    // On chess boards the frame is the kings, and each of four men who may come has a part.
    for (name, n_parts) in [("KPvK", 4), ("KPvKP", 4)] {
        check_parts(chess(), name, n_parts);
    }
    // A pawn that takes a rook and is promoted leads to four tables too, less the one that is needed whole:
    // in KRvKP that is KRvK.
    let small = SolvedTables::new(small_chess(4, 5));
    for (name, n_parts) in [
        ("KPvK", 4),
        ("KRPvK", 4),
        ("KQvKP", 4 + 3),
        ("KRvKP", 4 + 3),
        ("KRPvKP", 4 + 4 + 3),
        ("KQPvKQ", 4 + 4),
        ("KPPvKP", 4 + 4),
    ] {
        check_parts(&small, name, n_parts);
    }
}

#[track_caller]
fn check_restored(tables: &SolvedTables, name: &str) {
    let table = tables.named(name).unwrap();
    let mut restored = emptied(&table);
    restore(tables.variant(), &mut restored);
    for stm in table.sides() {
        assert_eq!(restored.codes(stm), table.codes(stm), "{name}, {stm} to move");
    }
}

#[test]
fn what_files_leave_out_is_put_back() {
    for name in ["KQvK", "KBBvK", "KRvKR", "KPvK", "KPPvK", "KRvKP"] {
        check_restored(chess(), name);
    }
    // Like men in the lane and outside of it, two and three, of one side and of both, with pawns and without.
    let oblong = SolvedTables::new(small_chess(4, 5));
    for name in ["KRvK", "KRRvK", "KNNvK", "KRRRvK", "KRRvKNN", "KRNNvK", "KRPPvK", "KRRPvK", "KNNvKP"] {
        check_restored(&oblong, name);
    }
    let square = SolvedTables::new(small_chess(5, 5));
    for name in ["KRvK", "KRRvK", "KNNvK", "KRRvKN", "KNNvKR", "KRRRvK", "KRNNvK", "KPPvK"] {
        check_restored(&square, name);
    }
}

#[test]
fn what_is_needed_whole_is_not_needed_in_part() {
    let tables = chess();
    for name in ["KPvK", "KPvKP", "KQPvKR", "KQvKQP", "KPPvKP"] {
        let material = Material::parse(tables.variant(), name).unwrap();
        let targets = targets(tables.variant(), &material);
        for target in &targets {
            assert!(target.material.is_canonical(tables.variant()), "{name} needs {target:?}");
            let same = targets.iter().filter(|other| other.material == target.material);
            let wholes = same.clone().filter(|other| other.part.is_none()).count();
            assert!(wholes == 0 || same.count() == 1, "{name} needs {target:?} whole and in part");
        }
        assert!(targets.iter().any(|target| target.part.is_some()), "{name} promotes");
    }
}
