//! Checks what `verify` accepts and what it finds.

use super::{Tables, chess};
use crate::{Find, Oracle, Sample, Values, VerifyError, VerifyOptions, random_variant, verify, verify_wdl};
use index::Layout;
use std::sync::Arc;
use table::{Code, Codes, Ply, Table, Value};
use variant::{Material, Metric, Side, Variant};

/// The oracle's tables of all canonical materials with up to `n_men` men.
fn tables(variant: &Variant, n_men: usize) -> Tables {
    let mut oracle = Oracle::new(variant);
    let mut tables = Tables::default();
    for material in (3..=n_men).flat_map(|n| Material::all(variant, n)) {
        oracle.solve(&material);
        let table = oracle.table(&material).unwrap();
        tables.0.insert(material, table.into());
    }
    tables
}

#[track_caller]
fn check_clean(variant: &Variant, tables: &Tables) {
    for (material, table) in &tables.0 {
        let report = verify(variant, &**table, tables, &VerifyOptions::new(Metric::Dtm)).unwrap();
        let name = material.name(variant);
        assert!(report.is_clean(), "{} {name}: {}", variant.name, report.differences[0]);
        assert_eq!(report.n_values as usize, table.layout().len() * table.sides().count());
        assert!(
            report.n_positions > 0 && report.n_successors > report.n_positions / 10,
            "{name}: {report:?}"
        );
    }
}

#[test]
fn what_the_oracle_says_is_verified() {
    let variant = chess(3, 5);
    check_clean(&variant, &tables(&variant, 3));
    for seed in 100..110 {
        let variant = random_variant(seed);
        check_clean(&variant, &tables(&variant, 3));
    }
}

/// Changes one value at a time; a wrong value is found, or what leads to it is.
#[test]
fn a_wrong_value_is_found() {
    let variant = chess(4, 4);
    let tables = tables(&variant, 3);
    let material = Material::parse(&variant, "KRvK").unwrap();
    let table: &Table = &tables.0[&material];
    for stm in Side::BOTH {
        for index in (0..table.layout().len()).step_by(7) {
            let mut wrong = table.clone();
            let Some(Codes::TwoBytes(codes)) = wrong.codes_mut(stm) else { panic!("oracle tables are wide") };
            codes[index] = if codes[index] > 5 { codes[index] - 1 } else { codes[index] + 2 };
            let report = verify(&variant, &wrong, &tables, &VerifyOptions::new(Metric::Dtm)).unwrap();
            let expected = table.value(stm, index);
            let found =
                report.differences.iter().any(|d| d.index == index && d.stm == stm && d.expected == expected);
            assert!(found, "{index} {stm}: {report:?}");
            assert_eq!(report.n_differences as usize, report.differences.len());
        }
    }
}

/// Outcomes agree with every metric that counts, and one that is wrong is found.
#[test]
fn wdl_is_compared_with_distances() {
    let variant = chess(4, 4);
    let material = Material::parse(&variant, "KPvK").unwrap();
    let [mut wdl, dtc, dtz, dtz50, dtm] = Metric::OF_CONTEST.map(|metric| {
        let mut oracle = Oracle::new(&variant).counting(metric);
        oracle.solve(&material);
        oracle.table(&material).unwrap()
    });
    for counted in [&dtc, &dtz, &dtz50, &dtm] {
        let report = verify_wdl(&variant, &wdl, counted, Sample::All, &|_, _| {}).unwrap();
        assert!(report.is_clean() && report.n_positions > 0, "{report:?}");
    }
    let index = (0..dtm.layout().len()).find(|&i| dtm.value(Side::White, i) == Value::Draw).unwrap();
    let Some(Codes::TwoBytes(codes)) = wdl.codes_mut(Side::White) else { panic!("oracle tables are wide") };
    codes[index] = u16::from_value(Value::Win(Ply(1))).unwrap();
    let report = verify_wdl(&variant, &wdl, &dtm, Sample::All, &|_, _| {}).unwrap();
    assert!(report.differences.iter().any(|d| d.index == index && d.expected == Value::Draw), "{report:?}");
}

#[track_caller]
fn check_stretches(sample: Sample, n_placements: usize, expected: &[usize]) {
    let stretches = sample.stretches(n_placements);
    assert_eq!(stretches.iter().map(|stretch| stretch.start).collect::<Vec<_>>(), expected);
    assert!(stretches.iter().all(|stretch| stretch.end == n_placements.min(stretch.start + 4096)));
}

#[test]
fn a_sample_is_spread_over_the_table() {
    check_stretches(Sample::All, 9000, &[0, 4096, 8192]);
    check_stretches(Sample::Placements(1), 9000, &[4096]);
    check_stretches(Sample::Placements(4097), 40_960, &[2 * 4096, 7 * 4096]);
    check_stretches(Sample::Placements(u64::MAX), 4097, &[0, 4096]);
    check_stretches(Sample::Placements(100), 1, &[0]);
}

#[test]
fn a_random_sample_has_a_stretch_of_each_part() {
    let n_placements = 1000 * 4096;
    let starts = |seed| {
        let stretches = Sample::Random { n_placements: 10 * 4096, seed }.stretches(n_placements);
        stretches.iter().map(|stretch| stretch.start / 4096).collect::<Vec<usize>>()
    };
    for seed in 0..20 {
        let starts = starts(seed);
        assert!(
            starts.len() == 10 && starts.iter().enumerate().all(|(i, start)| start / 100 == i),
            "{starts:?}"
        );
    }
    assert_ne!(starts(1), starts(2));
    assert_eq!(Sample::Random { n_placements: u64::MAX, seed: 7 }.stretches(n_placements).len(), 1000);
}

#[test]
fn progress_is_told_and_a_missing_table_too() {
    let variant = chess(4, 4);
    let tables = tables(&variant, 3);
    let table: &Table = &tables.0[&Material::parse(&variant, "KPvK").unwrap()];
    let last = std::sync::Mutex::new((0, 0));
    let progress = |done, all| *last.lock().unwrap() = (done, all);
    let options = VerifyOptions {
        sample: Sample::Placements(1),
        progress: &progress,
        ..VerifyOptions::new(Metric::Dtm)
    };
    let report = verify(&variant, table, &tables, &options).unwrap();
    assert!(report.is_clean() && report.n_positions > 0);
    assert_eq!(last.lock().unwrap().1, 2);
    let missing = verify(&variant, table, &Tables::default(), &VerifyOptions::new(Metric::Dtm)).unwrap_err();
    assert!(matches!(missing, VerifyError::Missing(missing) if missing.material.n_men() == 3));
}

/// The canonical places of legal positions of a table, and perhaps not even all of those, as a file has them.
struct Sparse {
    table: Arc<Table>,
    unreadable: Option<usize>,
}

impl Values for Sparse {
    fn layout(&self) -> &Layout {
        self.table.layout()
    }

    fn keeps(&self, stm: Side) -> bool {
        self.table.keeps(stm)
    }

    fn is_whole(&self) -> bool {
        false
    }

    fn value(&self, stm: Side, index: usize) -> Option<Value> {
        let value = self.table.value(stm, index);
        let layout = self.layout();
        assert_ne!(value, Value::Illegal, "{index}");
        assert!(layout.is_canonical(index, &layout.decode(index)), "{index}");
        (self.unreadable != Some(index)).then_some(value)
    }
}

#[test]
fn only_what_a_file_holds_is_asked_for() {
    let variant = chess(4, 4);
    let tables = tables(&variant, 3);
    for (material, table) in &tables.0 {
        let whole = verify(&variant, &**table, &tables, &VerifyOptions::new(Metric::Dtm)).unwrap();
        let sparse = Sparse { table: table.clone(), unreadable: None };
        let report = verify(&variant, &sparse, &tables, &VerifyOptions::new(Metric::Dtm)).unwrap();
        assert!(report.is_clean(), "{}", material.name(&variant));
        assert_eq!((report.n_positions, report.n_values), (whole.n_positions, whole.n_positions));
        let first = (0..table.layout().len()).find(|&i| {
            table.value(Side::White, i) != Value::Illegal
                && table.layout().is_canonical(i, &table.layout().decode(i))
        });
        let unreadable = Sparse { table: table.clone(), unreadable: first };
        let error = verify(&variant, &unreadable, &tables, &VerifyOptions::new(Metric::Dtm)).unwrap_err();
        assert_eq!(error, VerifyError::Unreadable);
    }
}

/// A table of which one side to move has been left out.
struct OneSided {
    table: Arc<Table>,
    kept: Side,
}

impl Values for OneSided {
    fn layout(&self) -> &Layout {
        self.table.layout()
    }

    fn keeps(&self, stm: Side) -> bool {
        stm == self.kept
    }

    fn is_whole(&self) -> bool {
        true
    }

    fn value(&self, stm: Side, index: usize) -> Option<Value> {
        assert_eq!(stm, self.kept, "{}", self.table.layout().name());
        Some(self.table.value(stm, index))
    }
}

/// Tables of one side to move each, where that is possible.
struct Halves<'a> {
    tables: &'a Tables,
    kept: Side,
}

impl Halves<'_> {
    fn half(&self, table: &Arc<Table>) -> Arc<dyn Values> {
        match table.layout().material().is_symmetric() {
            true => table.clone(),
            false => Arc::new(OneSided { table: table.clone(), kept: self.kept }),
        }
    }
}

impl Find for Halves<'_> {
    fn find(&self, material: &Material) -> Option<Arc<dyn Values>> {
        self.tables.0.get(material).map(|table| self.half(table))
    }
}

#[test]
fn one_side_to_move_is_enough() {
    let variant = chess(4, 4);
    let tables = tables(&variant, 3);
    for kept in Side::BOTH {
        let halves = Halves { tables: &tables, kept };
        for (material, table) in &tables.0 {
            let name = material.name(&variant);
            let half = halves.half(table);
            let report = verify(&variant, &*half, &halves, &VerifyOptions::new(Metric::Dtm)).unwrap();
            assert!(report.is_clean() && report.n_values > 0, "{name}, {kept} to move");
            // A wrong value shows in the values of the same side, two plies away.
            let mut wrong = (**table).clone();
            let Some(Codes::TwoBytes(codes)) = wrong.codes_mut(kept) else {
                panic!("{name} has two bytes a value")
            };
            let Some(at) = codes.iter().position(|&code| code > 2) else { continue };
            codes[at] += 4;
            let wrong = OneSided { table: Arc::new(wrong), kept };
            let report = verify(&variant, &wrong, &halves, &VerifyOptions::new(Metric::Dtm)).unwrap();
            assert!(!report.is_clean(), "{name}, {kept} to move");
        }
    }
}
