//! The exits by which tables are planned and solved, against those that the judge lists by itself.

use plan::{Plan, Request};
use proof::{random_ruled_variant, random_variant};
use std::collections::BTreeSet;
use tablesmith_tests::{game, root};
use variant::{Material, Variant};

/// The canonical materials that the judge's exits lead to.
fn judged(variant: &Variant, material: &Material) -> BTreeSet<Material> {
    proof::exits(variant, material).iter().map(|exit| exit.canonical(variant)).collect()
}

/// The canonical materials that a solver asks for.
fn solved_from(variant: &Variant, material: &Material) -> BTreeSet<Material> {
    exit::targets(variant, material).into_iter().map(|target| target.material).collect()
}

/// Every table of so many men needs the same tables for its plan, its solver and its judge.
#[track_caller]
fn check_variant(variant: &Variant, n_men: usize) -> usize {
    let plan = Plan::new(variant, &Request::UpTo(n_men)).unwrap();
    for job in plan.jobs() {
        let planned: BTreeSet<Material> = job.needs.iter().map(|need| need.material.clone()).collect();
        let solved_from = solved_from(variant, &job.material);
        assert_eq!(planned, solved_from, "{} of {}", job.name, variant.name);
        assert_eq!(planned, judged(variant, &job.material), "{} of {}", job.name, variant.name);
        for target in exit::targets(variant, &job.material) {
            let need = job.needs.iter().find(|need| need.material == target.material).unwrap();
            let Some(part) = &need.part else { continue };
            let reached = target.part.expect("where a part is enough, no exit leads anywhere else");
            let is_inside = part.man == reached.man && reached.squares.without(part.squares).is_empty();
            assert!(is_inside, "{} of {} needs {reached:?}", job.name, variant.name);
        }
    }
    plan.len()
}

#[test]
fn all_games_have_the_exits_that_the_judge_lists() {
    let files = std::fs::read_dir(root().join("variants")).unwrap();
    let names = files.map(|file| file.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned());
    for name in names {
        let variant = game(&name);
        let n_jobs = check_variant(&variant, if variant.pieces.len() > 8 { 4 } else { 5 });
        assert!(n_jobs > 0, "{name}");
    }
}

/// Nobody has drawn these boards: a pawn may find no way to a promotion square. The judge lists its promotion
/// all the same.
#[test]
fn random_games_have_no_exit_that_the_judge_does_not_list() {
    let (mut n_materials, mut n_equal) = (0, 0);
    for seed in 0..200 {
        for variant in [random_variant(seed), random_ruled_variant(seed, &proof::Rule::ALL)] {
            for material in (2..=4).flat_map(|n_men| Material::all(&variant, n_men)) {
                if variant.is_over(&material) {
                    continue;
                }
                let (found, judged) = (solved_from(&variant, &material), judged(&variant, &material));
                let name = material.name(&variant);
                assert!(found.is_subset(&judged), "seed {seed}, {name}: {found:?} and {judged:?}");
                n_materials += 1;
                n_equal += usize::from(found == judged);
            }
        }
    }
    assert!(n_equal * 10 > n_materials * 9, "{n_equal} of {n_materials}");
}
