//! Solves structures beside others and compares their bytes with those of structures solved alone.

use crate::loan::{MOST_OPEN, Neighbours};
use crate::run::solve_beside;
use crate::search::tests::small;
use crate::{Bound, Kept, Limit, MAX_SLICES, SolvedStructure, Structure, StructureError, Watch};
use geometry::SquareSet;
use position::{Position, RuleBook};
use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};
use variant::{Man, Metric, PieceId, Side, Variant};

const MEMORY: u64 = 1 << 30;

/// So little that tables with pawns are solved slice by slice.
const LITTLE: u64 = 1 << 12;

/// A pawn of White has gone a square.
const AFTER: &str = "3k/p3/2P1/P3/K3 w";
const BEFORE: &str = "3k/p3/4/P1P1/K3 w";

fn structure(variant: &Variant, metric: Metric, fen: &str, limit: Limit, bound: Bound) -> Structure {
    let root = Position::from_fen(&RuleBook::new(variant), fen).expect("a position");
    Structure::new(variant, metric, &[root], (limit, &[bound]), MAX_SLICES).expect("a structure")
}

/// Notes how many slices were taken, of how many.
#[derive(Default)]
struct Taken([AtomicU64; 2]);

impl Watch for Taken {
    fn taken(&self, n_slices: u64, n_all: u64) {
        self.0.iter().zip([n_slices, n_all]).for_each(|(slot, n)| slot.store(n, Ordering::Relaxed));
    }
}

/// Solves a structure beside others; how many slices were taken, of how many, and the bytes of the file.
fn solved_beside(
    structure: &Structure,
    neighbours: &[Arc<SolvedStructure>],
    path: &Path,
    memory_bytes: u64,
) -> ([u64; 2], Vec<u8>) {
    let taken = Taken::default();
    solve_beside(structure, neighbours, path, memory_bytes, &taken).expect("it is solved");
    (taken.0.map(AtomicU64::into_inner), fs::read(path).expect("a file"))
}

/// Solves `own` alone, then beside `other`; how many slices were taken, of how many.
fn n_taken(variant: &Variant, own: &Structure, other: &Structure, memory_bytes: u64) -> [u64; 2] {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    solved_beside(other, &[], &path("other.tss"), MEMORY);
    let (none, expected) = solved_beside(own, &[], &path("alone.tss"), memory_bytes);
    assert_eq!(none, [0, 0], "nothing is there to be taken");
    let other = SolvedStructure::open(&path("other.tss"), variant).expect("it was written just now");
    let (taken, bytes) = solved_beside(own, &[Arc::new(other)], &path("own.tss"), memory_bytes);
    assert!(bytes == expected, "{} {}: other bytes", own.name(), own.limit());
    taken
}

#[test]
fn what_a_neighbour_has_is_not_solved_again_and_is_the_same() {
    let variant = small();
    let limits = [
        (Limit::none(), Bound::Exact),
        (Limit::in_all(0), Bound::Lower),
        (Limit::in_all(1).with_few_men(4), Bound::Upper),
        (Limit::in_all(1).with_holder(Side::White), Bound::Lower),
    ];
    for metric in [Metric::Wdl, Metric::Dtm, Metric::Dtc, Metric::Dtz] {
        for (limit, bound) in &limits {
            let of = |fen| structure(&variant, metric, fen, limit.clone(), *bound);
            for memory_bytes in [MEMORY, LITTLE] {
                let [n_taken, n_all] = n_taken(&variant, &of(BEFORE), &of(AFTER), memory_bytes);
                assert!(n_taken * 4 > n_all && n_taken < n_all, "{metric} {limit}: {n_taken} of {n_all}");
            }
            // What comes after a position comes after the one before it, too.
            let [n_taken, n_all] = n_taken(&variant, &of(AFTER), &of(BEFORE), MEMORY);
            assert!(n_taken == n_all && n_all > 0, "{metric} {limit}: {n_taken} of {n_all}");
        }
    }
}

#[test]
fn other_limits_lend_what_is_exact_and_other_games_nothing() {
    let variant = small();
    let of = |limit: Limit, bound| structure(&variant, Metric::Dtm, AFTER, limit, bound);
    let exact = || of(Limit::none(), Bound::Exact);
    let few = |bound| of(Limit::in_all(0).with_few_men(4), bound);
    let [n_few, n_all] = n_taken(&variant, &few(Bound::Lower), &few(Bound::Upper), MEMORY);
    assert!(n_few > 0 && n_few < n_all, "{n_few} of {n_all}");
    // A table is exact where no move of it leaves the limit: the values are the same without one.
    for [own, other] in [[few(Bound::Lower), exact()], [exact(), few(Bound::Upper)]] {
        let [n, n_all] = n_taken(&variant, &own, &other, MEMORY);
        assert!(n > 0 && n < n_all, "{n} of {n_all}");
    }
    // Own pawns that stand are another limit; after which ply they do so is none.
    let standing = |n_plies| of(Limit::in_all(0).with_own_pawns_standing(n_plies), Bound::Lower);
    for [own, other] in [[of(Limit::in_all(0), Bound::Lower), standing(0)], [standing(1), exact()]] {
        let [n, n_all] = n_taken(&variant, &own, &other, MEMORY);
        assert!(n > 0 && n * 2 < n_all, "{n} of {n_all}");
    }
    let [n, n_all] = n_taken(&variant, &standing(1), &standing(0), MEMORY);
    assert!(n < n_all && n * 2 > n_all, "{n} of {n_all}");
    let king = Man { side: Side::White, piece: PieceId(0) };
    let corner: SquareSet = variant.board.square_named("a1").into_iter().collect();
    let kept = Kept::new(&variant, king, &[corner]).expect("the king stays in his corner");
    let keeping = |bound| of(Limit::in_all(0).with_kept(vec![kept.clone()]), bound);
    // He is kept there in the runs for a lower bound alone.
    assert_eq!(n_taken(&variant, &keeping(Bound::Upper), &keeping(Bound::Lower), MEMORY), [0, 0]);
    let kept = keeping(Bound::Lower);
    assert_ne!(n_taken(&variant, &kept, &kept, MEMORY), [0, 0]);
    let held = of(Limit::none().with_holder(Side::White), Bound::Exact);
    for other in [&kept, &held] {
        assert_eq!(n_taken(&variant, &exact(), other, MEMORY), [0, 0], "{}", other.limit());
        assert_eq!(n_taken(&variant, other, &exact(), MEMORY), [0, 0], "{}", other.limit());
    }
}

#[test]
fn what_is_damaged_in_a_neighbour_is_solved() {
    let variant = small();
    let [own, other] =
        [BEFORE, AFTER].map(|fen| structure(&variant, Metric::Dtm, fen, Limit::none(), Bound::Exact));
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let (_, whole) = solved_beside(&other, &[], &path("other.tss"), MEMORY);
    let (_, expected) = solved_beside(&own, &[], &path("alone.tss"), MEMORY);
    let mut n_opened = 0;
    for part in 0..16 {
        let mut damaged = whole.clone();
        damaged[whole.len() * part / 16 + 40] ^= 1;
        fs::write(path("other.tss"), &damaged).expect("a damaged file");
        match SolvedStructure::open(&path("other.tss"), &variant) {
            Ok(other) => {
                n_opened += 1;
                let (_, bytes) = solved_beside(&own, &[Arc::new(other)], &path("own.tss"), MEMORY);
                assert!(bytes == expected, "damaged in part {part}");
            }
            Err(StructureError::Damaged { .. }) => {}
            Err(error) => panic!("{error}"),
        }
    }
    assert!(n_opened > 8, "{n_opened} of 16 can be opened");
}

#[test]
fn the_newest_structures_are_looked_at() {
    let variant = small();
    let folder = tempfile::tempdir().expect("a folder");
    let path = |n: usize| folder.path().join(format!("{n}.tss"));
    let own = structure(&variant, Metric::Wdl, "k3/4/4/P3/3K w", Limit::none(), Bound::Exact);
    let whole = solved_beside(&own, &[], &path(0), MEMORY).1;
    let write = |n: usize| {
        fs::write(path(n), &whole).expect("a copy");
        let written = SystemTime::UNIX_EPOCH + Duration::from_secs(n as u64);
        File::options()
            .write(true)
            .open(path(n))
            .and_then(|file| file.set_modified(written))
            .expect("a time");
    };
    (0..MOST_OPEN + 4).for_each(write);
    let mut neighbours = Neighbours::default();
    let mut found = |metric| {
        let all = neighbours.of(&[folder.path()], metric, |path| SolvedStructure::open(path, &variant));
        all.iter().map(|own| own.path().to_path_buf()).collect::<Vec<_>>()
    };
    let newest = |last: usize| (0..MOST_OPEN).map(|n| path(last - n)).collect::<Vec<_>>();
    assert_eq!(found(Metric::Wdl), newest(MOST_OPEN + 3));
    write(MOST_OPEN + 4);
    assert_eq!(found(Metric::Wdl), newest(MOST_OPEN + 4));
    assert!(
        Neighbours::default()
            .of(&[folder.path()], Metric::Dtm, |path| SolvedStructure::open(path, &variant))
            .is_empty()
    );
}
