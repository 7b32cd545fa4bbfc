//! Tests how much disk a choice of files takes.

use crate::options::FileOptions;
use plan::{Plan, Request};
use variant::{Metric, Variant};

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
