//! Tests which packing a choice of files means, and which tables of a set read which.

use crate::options::{FileOptions, SetReaders};
use plan::{Plan, Request};
use variant::{Material, Metric, Side, Variant};

/// The files of all tables of chess up to this many men.
///
/// Units: thousands of bytes.
#[track_caller]
fn check_disk(n_men: usize, metrics: &[Metric], is_small: bool, measured: u64) {
    let plan = Plan::new(&Variant::chess(), &Request::UpTo(n_men)).expect("a plan");
    let files = FileOptions::new(false, is_small);
    let estimate: u64 = plan.jobs().map(|job| files.disk_bytes(job, metrics)).sum();
    let (estimate, measured) = (estimate as f64 / 1e3, measured as f64);
    assert!((estimate / measured - 1.0).abs() < 0.25, "{metrics:?}: {estimate} kB, measured {measured}");
}

#[test]
fn estimates_of_disk_are_near_what_was_measured() {
    check_disk(4, &[Metric::Dtm], false, 27_400);
    check_disk(4, &[Metric::Wdl], false, 646);
    check_disk(4, &[Metric::Dtz50, Metric::Wdl], false, 3_933 + 646);
    check_disk(4, &[Metric::Dtm, Metric::Wdl], false, 27_400 + 646);
    check_disk(5, &[Metric::Dtm], false, 2_930_604);
    check_disk(5, &[Metric::Dtz50, Metric::Wdl], false, 1_351_157);
    check_disk(4, &[Metric::Wdl], true, 469);
    check_disk(4, &[Metric::Dtz50, Metric::Wdl], true, 2_828 + 469);
}

#[track_caller]
fn check(material: &str, sides: &str, by: &[&str]) {
    let chess = Variant::chess();
    let parse = |name: &str| Material::parse(&chess, name).expect("a material");
    let wanted = ["KQvKP", "KRPvK"].map(parse);
    let plan = Plan::new(&chess, &Request::Tables(wanted.into())).expect("a plan");
    let (readers, material) = (SetReaders::new(&plan), parse(material));
    let letter = |stm: &Side| if *stm == Side::White { 'w' } else { 'b' };
    let asked = Side::BOTH.into_iter().filter(|&stm| readers.ask_for(&material, stm));
    assert_eq!(asked.map(|stm| letter(&stm)).collect::<String>(), sides);
    let mut found: Vec<String> = readers.of(&material).iter().map(|by| by.name(&chess)).collect();
    found.sort();
    assert_eq!(found, by);
}

#[test]
fn readers_of_a_table_are_those_of_the_whole_set() {
    // Black's pawn becomes a rook; White's pawn is captured.
    check("KQvKR", "w", &["KQvKP"]);
    check("KQRvK", "b", &["KRPvK"]);
    check("KRPvK", "", &[]);
    // The rook is captured; the queen is, with the colours exchanged.
    check("KPvK", "wb", &["KQvKP", "KRPvK"]);
}
