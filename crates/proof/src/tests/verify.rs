//! What verify accepts and what it finds.

use super::{Tables, chess};
use crate::{Oracle, Sample, random_variant, verify};
use table::{Codes, Table};
use variant::{Material, Side, Variant};

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
        let report = verify(variant, table, tables, Sample::All, &|_, _| {}).unwrap();
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
            let Some(Codes::Wide(codes)) = wrong.codes_mut(stm) else { panic!("oracle tables are wide") };
            codes[index] = if codes[index] > 5 { codes[index] - 1 } else { codes[index] + 2 };
            let report = verify(&variant, &wrong, &tables, Sample::All, &|_, _| {}).unwrap();
            let expected = table.value(stm, index);
            let found =
                report.differences.iter().any(|d| d.index == index && d.stm == stm && d.expected == expected);
            assert!(found, "{index} {stm}: {report:?}");
            assert_eq!(report.n_differences as usize, report.differences.len());
        }
    }
}

#[test]
fn a_sample_is_spread_over_the_table() {
    let variant = chess(4, 4);
    let tables = tables(&variant, 3);
    let table: &Table = &tables.0[&Material::parse(&variant, "KPvK").unwrap()];
    let layout = table.layout();
    let n_blocks = layout.n_slices() * layout.n_blocks();
    let last = std::sync::Mutex::new((0, 0));
    let progress = |done, all| *last.lock().unwrap() = (done, all);
    let report = verify(&variant, table, &tables, Sample::Blocks(n_blocks / 2), &progress).unwrap();
    assert!(report.is_clean());
    assert_eq!(report.n_values as usize, n_blocks / 2 * layout.block_len() * 2);
    assert_eq!(last.lock().unwrap().1, n_blocks / 2 * 2);
    let missing = verify(&variant, table, &Tables::default(), Sample::All, &|_, _| {}).unwrap_err();
    assert_eq!(missing.material.n_men(), 3);
}
