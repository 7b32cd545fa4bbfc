//! Compares estimates of memory with what runs took.

use crate::footprint::{BuildFootprint, check_disk, compare};
use crate::{FileOptions, Strategy};
use library::{Edition, LibraryError, Remedy};
use plan::{Job, Memory, Plan, Request};
use solve::Planes;
use std::path::Path;
use variant::{Material, Metric, Variant};

/// The memory that a table of chess takes with this many threads.
fn memory(name: &str, metric: Metric, is_small: bool, n_threads: usize) -> Memory {
    let variant = Variant::parse(variant::game::CHESS, "fide.toml").expect("the rules of chess");
    let material = Material::parse(&variant, name).expect("a material of chess");
    let plan = Plan::new(&variant, &Request::Table(material)).expect("a plan");
    let edition = Edition::new(&variant, metric);
    let files = FileOptions::new(false, is_small);
    BuildFootprint::new(&edition, files, n_threads).cost(plan.jobs().last().expect("a job")).memory
}

/// What a run with two threads took at its peak to solve the table, all others being there.
///
/// Units: millions of bytes.
#[track_caller]
fn check_peak(name: &str, measured: f64) {
    let estimate = memory(name, Metric::Dtm, false, 2).total() as f64 / 1e6;
    assert!((estimate / measured - 1.0).abs() < 0.15, "{name}: {estimate} MB, measured {measured} MB");
}

#[test]
fn estimates_are_near_what_was_measured() {
    check_peak("KBBvKN", 503.3);
    check_peak("KQRvKQ", 515.1);
    check_peak("KQQvKQ", 520.4);
    check_peak("KNNvKQ", 508.8);
    check_peak("KRPvKR", 1135.9);
    check_peak("KQPvKQ", 1152.2);
    check_peak("KQPvKP", 1071.0);
    check_peak("KQPPvK", 522.6);
    check_peak("KPPPvK", 171.0);
}

#[test]
fn fewer_threads_solve_fewer_slices_at_a_time() {
    let planes = |n_threads| memory("KQPvKP", Metric::Dtm, false, n_threads).planes;
    assert_eq!(planes(2), 2 * planes(1));
}

/// Nothing but memory serves what changes with the clock: no other way is taken where memory is short, and
/// the second byte of a code, which the longest mates take, has its room from the beginning.
#[test]
fn what_changes_with_the_clock_has_room_for_wide_codes() {
    let (mate, by_clock) =
        (memory("KQPvKP", Metric::Dtm, false, 2), memory("KQPvKP", Metric::Dtm50, false, 2));
    assert_eq!(by_clock.own_codes, 6 * mate.own_codes);
    let variant = Variant::chess();
    let edition = Edition::new(&variant, Metric::Dtm50);
    let footprint = BuildFootprint::new(&edition, FileOptions::new(false, false), 2).within(1 << 30);
    let material = Material::parse(&variant, "KQPvKP").expect("a material of chess");
    let plan = Plan::new(&variant, &Request::Table(material)).expect("a plan");
    assert!(plan.jobs().all(|job| footprint.cost(job).strategy == Strategy::InMemory));
    assert!(footprint.is_only_in_memory());
}

/// Distances lie in two columns: both tables are in memory for a moment, when they are read and written.
#[test]
fn distances_are_read_and_written_with_a_second_table() {
    let (mate, zeroing) = (memory("KQRvKQ", Metric::Dtm, false, 2), memory("KQRvKQ", Metric::Dtz, false, 2));
    assert_eq!((mate.own_codes, mate.planes), (zeroing.own_codes, zeroing.planes));
    assert!(
        zeroing.file_buffers > zeroing.own_codes && mate.file_buffers < mate.own_codes,
        "{mate:?}, {zeroing:?}"
    );
    assert!(mate.part_reading < zeroing.part_reading, "{mate:?}, {zeroing:?}");
}

/// A model is trained on samples, which are in memory together.
#[test]
fn small_files_are_packed_with_samples() {
    let buffers = |is_small| memory("KQRvKQ", Metric::Dtm, is_small, 2).file_buffers;
    assert!(buffers(true) > buffers(false) + 40_000_000, "{} {}", buffers(true), buffers(false));
}

/// Large blocks are written at once, so four free men on a board of 64 squares make no batches.
#[test]
fn six_men_have_no_logs() {
    assert!(memory("KQRvKQ", Metric::Dtm, false, 2).batches > 0);
    assert_eq!(memory("KQRvKQB", Metric::Dtm, false, 2).batches, 0);
}

/// KRBvKNN by a log, as measured with two threads (docs/benchmarks/2026-11-22-six-men.md).
#[test]
fn a_table_of_six_men_is_solved_by_a_log() {
    let variant = Variant::parse(variant::game::CHESS, "fide.toml").expect("the rules of chess");
    let job = Job::alone(&variant, Material::parse(&variant, "KRBvKNN").expect("a material of chess"));
    let edition = Edition::new(&variant, Metric::Dtc);
    let files = FileOptions::new(false, false);
    let within = |limit| BuildFootprint::new(&edition, files, 2).within(limit);
    assert_eq!(within(40_000_000_000).strategy(&job), Strategy::InMemory);
    let little = within(4_000_000_000);
    assert_eq!(little.strategy(&job), Strategy::LogOnDisk);
    let estimate = little.total_of(&job) as f64 / 1e6;
    assert!(estimate < 4000.0 && 3761.0 < 1.15 * estimate, "{estimate} MB, measured 3761 MB");
    assert!(little.scratch_bytes(&job) > 6_545_234_522, "the log alone has as much");
}

/// KRBvKNN with little memory, as measured: by two threads over the first plies, of which the first finds
/// most, and by one until its files were written.
#[test]
fn a_table_of_six_men_is_solved_block_by_block() {
    let variant = Variant::parse(variant::game::CHESS, "fide.toml").expect("the rules of chess");
    let material = Material::parse(&variant, "KRBvKNN").expect("a material of chess");
    let plan = Plan::new(&variant, &Request::Table(material)).expect("a plan");
    let job = plan.jobs().last().expect("a job");
    let edition = Edition::new(&variant, Metric::Dtc);
    let files = FileOptions::new(false, false);
    let within = |limit, n_threads| BuildFootprint::new(&edition, files, n_threads).within(limit).cost(job);
    assert_eq!(within(1_500_000_000, 2).strategy, Strategy::PlanesOnDisk);
    for (limit, n_threads, slots, measured) in [(450, 2, 24, 320.4), (250, 1, 24, 190.5)] {
        let little = within(limit * 1_000_000, n_threads);
        let planes = Planes::BlockByBlock { n_slots: slots };
        assert_eq!((little.strategy, little.n_threads), (Strategy::BlockByBlock, n_threads), "{little:?}");
        assert_eq!(little.planes, planes, "{limit} MB");
        let estimate = little.memory.total() as f64 / 1e6;
        assert!(measured < 1.15 * estimate, "{estimate} MB, measured {measured} MB");
    }
    let little = within(400_000_000, 2);
    assert!(little.memory.total() <= 400_000_000 && little.n_threads == 2, "{little:?}");
    assert_eq!(little.memory.whole_tables, 0, "tables below are read block by block");
    // Of many threads this many solve it as may.
    let many = within(400_000_000, 16);
    assert!(many.memory.total() <= 400_000_000 && (2..16).contains(&many.n_threads), "{many:?}");
}

/// Of tables with pawns some slices are in memory, and what these read of other tables.
#[test]
fn a_table_with_pawns_is_solved_slice_by_slice() {
    let variant = Variant::parse(variant::game::CHESS, "fide.toml").expect("the rules of chess");
    let edition = Edition::new(&variant, Metric::Dtc);
    let files = FileOptions::new(false, false);
    let material = Material::parse(&variant, "KNNPvKN").expect("a material of chess");
    let plan = Plan::new(&variant, &Request::Table(material)).expect("a plan");
    let job = plan.jobs().last().expect("a job");
    let ample = BuildFootprint::new(&edition, files, 2);
    assert_eq!((ample.strategy(job), ample.scratch_bytes(job)), (Strategy::InMemory, 0));
    let little = ample.within(8_000_000_000);
    assert_eq!(little.strategy(job), Strategy::LogOnDisk);
    let memory = little.cost(job).memory;
    assert!(memory.total() < 8_000_000_000, "{memory:?}");
    // Four kinds of promotion lead to tables of which each has 969 million placements of interest.
    assert!(memory.exits > 4 * 7_751_073_792 / 8, "{memory:?}");
    // Those of five men stay whole. One of six men would take 121 million bytes, and there are four.
    assert!(memory.table_parts < 1 << 28, "the parts of large tables are read slice by slice: {memory:?}");
    assert!(little.scratch_bytes(job) > job.size().n_placements());
}

#[test]
fn too_little_room_is_said() {
    assert!(compare(Path::new("tables"), 10, 10).is_ok());
    let error: LibraryError =
        compare(Path::new("tables"), 2_000_000, 1_000).expect_err("there is too little room");
    let message = error.to_string();
    assert!(message.contains("1.0 kB free") && message.contains("2.0 MB"), "{message}");
    assert_eq!(error.remedy(), Some(Remedy::MakeRoom));
}

#[test]
fn folder_need_not_exist() {
    assert!(check_disk(Path::new("no/such/folder"), 1).is_ok());
    assert!(check_disk(Path::new("no/such/folder"), u64::MAX).is_err());
}
