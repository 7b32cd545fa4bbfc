//! Reads parts of tables in place of whole ones, and puts back what files leave out.

use format::{Keep, TableWriter};
use index::{Layout, Scope, SliceId};
use library::{Edition, PlannedTables, SolvedTables, TableFiles};
use plan::{Plan, Request};
use solve::{Unwatched, read_part, restore, solve};
use std::collections::BTreeSet;
use std::convert::Infallible;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use syzygy::Family;
use table::{Code, Codes, CodesMut, Lookup, Ply, SlicePart, SliceSource, Table, Value};
use tablesmith_tests::{chess, fide, metadata, small_chess};
use variant::exit::{TablePart, targets};
use variant::{Material, Metric, Side};

/// Gives parts wherever parts are enough, cut out of whole tables or, every other time, read as from a file.
struct CutTables<'a> {
    tables: &'a SolvedTables,
    n_parts: AtomicUsize,
}

impl Lookup for CutTables<'_> {
    fn table(&self, material: &Material, part: Option<&TablePart>) -> Option<Arc<Table>> {
        let table = self.tables.solved(material).unwrap();
        let Some(TablePart { man, squares }) = part else { return Some(table) };
        let layout = table.layout();
        // Of like men any will do: the asker's man is put in his place.
        let places = (0..layout.men().len()).rev().filter(|&place| layout.men()[place] == *man);
        let Some(scope) = places.filter_map(|place| Scope::new(layout, place, *squares)).next() else {
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
            Codes::OneByte(codes, _) => empty(codes, left_out),
            Codes::TwoBytes(codes) => empty(codes, left_out),
        }
    }
    emptied
}

/// Two columns that hold a table together may say together what no value is, which reads as illegal.
fn empty<C: Code>(codes: &mut [C], left_out: impl Fn(usize) -> bool) {
    let anything = [C::from_value(Value::Stalemate).expect("it fits"), C::ILLEGAL];
    let codes = codes.iter_mut().enumerate().filter(|(i, _)| left_out(*i));
    codes.for_each(|(i, code)| *code = anything[i / 3 % 2]);
}

/// The part of a table, read range by range.
fn read_from(tables: &SolvedTables, file: &Table, scope: &Scope) -> Table {
    let read = |stm: Side, range: Range<usize>, codes: CodesMut<'_>| -> Result<(), Infallible> {
        match (file.codes(stm), codes) {
            (Some(Codes::OneByte(from, _)), CodesMut::OneByte(to, _)) => to.copy_from_slice(&from[range]),
            (Some(Codes::TwoBytes(from)), CodesMut::TwoBytes(to)) => to.copy_from_slice(&from[range]),
            (from, to) => panic!("{from:?} and {to:?}"),
        }
        Ok(())
    };
    let codes = file.codes(Table::side_of_part(file.layout(), scope));
    let coding = codes.map_or(u8::CODING, Codes::coding);
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

/// Gives one table, and that slice by slice only where it has been told so; all others come whole.
struct OwnTables<'a> {
    tables: &'a SolvedTables,
    own: Arc<Table>,
    slices: Option<Arc<CountedSlices>>,
}

impl Lookup for OwnTables<'_> {
    fn table(&self, material: &Material, _: Option<&TablePart>) -> Option<Arc<Table>> {
        if material != self.own.layout().material() {
            return Some(self.tables.solved(material).unwrap());
        }
        assert!(self.slices.is_none(), "{} was asked for as a whole", self.own.layout().name());
        Some(self.own.clone())
    }

    fn slices(&self, material: &Material) -> Option<Arc<dyn SliceSource>> {
        let slices = self.slices.clone().filter(|slices| slices.0.layout().material() == material)?;
        Some(slices)
    }
}

/// The slices of a table, how often each is read with either side to move, and whether it can be.
struct CountedSlices(Arc<Table>, Mutex<[Vec<usize>; 2]>, bool);

impl SliceSource for CountedSlices {
    fn layout(&self) -> &Arc<Layout> {
        self.0.layout()
    }

    fn keeps(&self, stm: Side) -> bool {
        self.0.codes(stm).is_some()
    }

    fn read(&self, stm: Side, slice: SliceId, part: SlicePart<'_>, shares: bool) -> io::Result<Codes> {
        self.1.lock().unwrap()[stm.index()][slice.index()] += 1;
        if self.2 {
            SliceSource::read(&*self.0, stm, slice, part, shares)
        } else {
            Err(io::Error::other("dust"))
        }
    }
}

fn counted(own: &Arc<Table>, is_readable: bool) -> Arc<CountedSlices> {
    let none = vec![0; own.layout().n_slices()];
    Arc::new(CountedSlices(own.clone(), Mutex::new([none.clone(), none]), is_readable))
}

/// Checks that a table has the same Syzygy files if each slice of it is read `n_readings` times.
#[track_caller]
fn check_slices(tables: &SolvedTables, own: &Arc<Table>, rounded: bool, n_readings: usize) {
    let name = own.layout().name();
    let written = |slices: Option<Arc<CountedSlices>>| {
        let lookup = OwnTables { tables, own: own.clone(), slices };
        let options = syzygy::Options { rounded };
        syzygy::write(Family::Chess, tables.variant(), own.layout().material(), &lookup, options).unwrap()
    };
    let slices = counted(own, true);
    assert!(written(None) == written(Some(slices.clone())), "{name}: other bytes");
    let n_read = slices.1.lock().unwrap();
    for stm in own.sides() {
        let n_read = &n_read[stm.index()];
        assert!(n_read.iter().all(|&n| n == n_readings), "{name}, {stm} to move: {n_read:?}");
    }
}

#[test]
fn syzygy_files_are_written_slice_by_slice() {
    let tables = SolvedTables::of_metric(fide(), Metric::Dtz50);
    for (name, rounded) in [
        ("KRvK", false),
        ("KPvK", true),
        // White's pawn leads, Black's, and the foremost of two; the colours are alike.
        ("KRPvK", false),
        ("KBvKP", true),
        ("KPPvK", false),
        ("KPvKP", true),
    ] {
        check_slices(&tables, &tables.named(name).unwrap(), rounded, 1);
    }
}

#[test]
fn distances_are_exact_if_one_in_the_last_slices_must_be() {
    let tables = SolvedTables::of_metric(fide(), Metric::Dtz50);
    let own = tables.named("KPvK").unwrap();
    let layout = own.layout();
    // Wins that are just in time, with the pawn on the d-file alone or on the b-file, which is read first.
    for (file, n_readings) in [(3, 2), (1, 1)] {
        let of_side = |stm: Side| {
            let code = |number: usize| {
                let pawn = layout.pawn_squares(SliceId::from_index(number / layout.slice_len()))[0];
                let value = match own.value(stm, number) {
                    Value::Win(_) if pawn.index() % 8 == file => Value::Win(Ply(100)),
                    value => value,
                };
                u8::from_value_under(Metric::Dtz50, value).unwrap()
            };
            u8::owned((0..layout.len()).map(code).collect()).under(Metric::Dtz50, Ply(100))
        };
        let changed = Table::new(layout.clone(), of_side(Side::White), Some(of_side(Side::Black)));
        check_slices(&tables, &Arc::new(changed), true, n_readings);
    }
}

#[test]
fn slices_that_cannot_be_read_end_the_writing() {
    let tables = SolvedTables::of_metric(fide(), Metric::Dtz50);
    let own = tables.named("KPvK").unwrap();
    let lookup = OwnTables { tables: &tables, own: own.clone(), slices: Some(counted(&own, false)) };
    let options = syzygy::Options::default();
    let written = syzygy::write(Family::Chess, tables.variant(), own.layout().material(), &lookup, options);
    assert_eq!(written.unwrap_err().to_string(), "the table KPvK cannot be read: dust");
}

/// Syzygy files that are written from parts are those that are written from whole tables.
#[track_caller]
fn check_syzygy(tables: &SolvedTables, name: &str, n_parts: usize) {
    let material = Material::parse(tables.variant(), name).unwrap();
    let written = |lookup: &dyn Lookup| {
        let options = syzygy::Options::default();
        syzygy::write(Family::Chess, tables.variant(), &material, lookup, options).unwrap()
    };
    let parts = CutTables { tables, n_parts: AtomicUsize::new(0) };
    assert!(written(&parts) == written(tables), "{name}: other bytes");
    assert_eq!(parts.n_parts.into_inner(), n_parts, "{name}: parts");
}

#[test]
fn syzygy_files_are_written_from_parts() {
    let tables = SolvedTables::of_metric(fide(), Metric::Dtz50);
    // Each of four pieces, and again where a pawn takes the bishop. White alone is to move where the colours
    // are alike.
    for (name, n_parts) in [("KPvK", 4), ("KPvKP", 4), ("KBvKP", 4 + 4)] {
        check_syzygy(&tables, name, n_parts);
    }
}

/// The files of all tables of a plan.
fn written_files(tables: &SolvedTables, plan: &Plan, keep: Keep, folder: &Path) -> TableFiles {
    let variant = tables.variant();
    let files = TableFiles::new(Edition::new(variant, tables.metric()), folder);
    for job in plan.jobs() {
        let table = tables.solved(&job.material).unwrap();
        for &metric in files.edition().metrics() {
            let path = files.path(&job.name, metric);
            let writer = TableWriter::new(variant).column(metric).keep(keep);
            writer.write(&path, &table, &metadata(variant)).unwrap();
        }
    }
    files
}

/// The slices of a table in files hold what it holds in memory.
#[track_caller]
fn check_read(slices: &dyn SliceSource, whole: &Table) {
    let layout = whole.layout();
    for (stm, slice) in whole.sides().flat_map(|stm| layout.slices().map(move |slice| (stm, slice))) {
        let read = slices.read(stm, slice, SlicePart::Whole, true).unwrap();
        let span = slice.span(layout.slice_len());
        assert_eq!(read.len(), span.len(), "{}", layout.name());
        // What is no position does not make codes wide.
        assert!(!read.is_wide(), "{}, {stm} to move", layout.name());
        let is_same = |number: usize| read.value(number) == whole.value(stm, span.start + number);
        assert!((0..read.len()).all(is_same), "{}, {stm} to move", layout.name());
    }
}

/// Tables of a plan are read in parts where these are enough, from files of both sides to move and of one.
#[track_caller]
fn check_planned(metric: Metric, keep: Keep, names: [&str; 2], in_slices: bool) {
    let tables = SolvedTables::of_metric(small_chess(4, 5), metric);
    let variant = tables.variant();
    let wanted: BTreeSet<Material> =
        names.iter().map(|name| Material::parse(variant, name).unwrap()).collect();
    let plan = Plan::new(variant, &Request::Tables(wanted.iter().cloned().collect())).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let files = written_files(&tables, &plan, keep, folder.path());
    let mut planned = PlannedTables::with_successors(&files, &plan, &wanted);
    if in_slices {
        planned = planned.with_slices(1);
    }
    let (mut n_parts, mut n_in_slices) = (0, 0);
    for place in planned.places() {
        let job = plan.job(place);
        match planned.slices(&job.material) {
            Some(slices) => {
                assert!(in_slices, "{}", job.name);
                check_read(&*slices, &tables.solved(&job.material).unwrap());
                n_in_slices += 1;
            }
            None => assert!(planned.get(place).unwrap().scope().is_none(), "{}", job.name),
        }
        for need in job.needs.iter().filter(|need| !need.is_drawn) {
            let whole = tables.solved(&need.material).unwrap();
            let Some(part) = &need.part else {
                let read = planned.table(&need.material, None).unwrap();
                assert!(read.scope().is_none() && read.layout().len() == whole.layout().len());
                continue;
            };
            let read = planned.table(&need.material, Some(part)).unwrap();
            let cut = whole.part(read.scope().unwrap()).unwrap();
            let [read, cut] = [&*read, &cut].map(|table| table.codes(!part.man.side).unwrap());
            // Each has its own longest win, which codes are numbered by.
            assert!(read.len() == cut.len(), "{} of {}", need.name, job.name);
            let is_same = |index: usize| read.value(index) == cut.value(index);
            assert!((0..read.len()).all(is_same), "{} of {}", need.name, job.name);
            n_parts += 1;
        }
        assert!(planned.take_failure().is_none());
        planned.forget(place);
    }
    assert!(n_parts > 4, "{n_parts} parts");
    assert_eq!(n_in_slices, if in_slices && keep == Keep::Both { 2 } else { 0 });
}

#[test]
fn exports_read_parts_of_the_tables_promoted_into() {
    // Both are wanted, and the second is one that the first leads to.
    check_planned(Metric::Dtz50, Keep::Both, ["KRPvKP", "KQRvKP"], false);
    check_planned(Metric::Dtm, Keep::Both, ["KRPvKP", "KRPvKR"], false);
    // Where a side to move is left out, tables are solved again, from parts too.
    check_planned(Metric::Dtz50, Keep::Smaller, ["KRPvKP", "KQRvKP"], false);
}

#[test]
fn exports_read_their_own_tables_slice_by_slice() {
    check_planned(Metric::Dtz50, Keep::Both, ["KRPvKP", "KQRvKP"], true);
    check_planned(Metric::Dtz50, Keep::Smaller, ["KRPvKP", "KQRvKP"], true);
}

#[test]
fn tables_come_when_they_are_asked_for_and_a_failure_says_why() {
    let tables = SolvedTables::of_metric(small_chess(4, 5), Metric::Dtz50);
    let parsed = |name| Material::parse(tables.variant(), name).unwrap();
    let wanted: BTreeSet<Material> = ["KRvKP", "KRPvKP"].into_iter().map(parsed).collect();
    let plan = Plan::new(tables.variant(), &Request::Tables(wanted.iter().cloned().collect())).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let files = written_files(&tables, &plan, Keep::Both, folder.path());
    let mut planned = PlannedTables::with_successors(&files, &plan, &wanted).with_slices(1);
    let places = planned.places();
    // What is in memory as a whole is not read slice by slice: a later place needs it.
    assert!(planned.slices(&parsed("KRvKP")).is_some());
    let whole = planned.get(places[0]).unwrap();
    assert!(planned.slices(&parsed("KRvKP")).is_none());
    planned.forget(places[0]);
    assert!(Arc::ptr_eq(&whole, &planned.whole(&parsed("KRvKP")).unwrap()));
    planned.forget(places[1]);
    assert!(!Arc::ptr_eq(&whole, &planned.whole(&parsed("KRvKP")).unwrap()));
    let need = plan.job(places[1]).needs.iter().find(|need| need.part.is_some() && !need.is_drawn).unwrap();
    assert!(planned.table(&need.material, need.part.as_ref()).is_some());
    std::fs::remove_file(files.path(&need.name, Metric::Dtz50)).unwrap();
    assert!(planned.table(&need.material, need.part.as_ref()).is_none());
    let failure = planned.take_failure().unwrap().to_string();
    assert!(failure.contains(&need.name), "{failure}");
    assert!(planned.take_failure().is_none());
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
