//! Compares the exits of plans and solvers with those that the judge lists.

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
    variant::exit::targets(variant, material).into_iter().map(|target| target.material).collect()
}

/// Returns all materials of up to `n_men` men that are not decided by the men alone.
fn materials(variant: &Variant, n_men: usize) -> impl Iterator<Item = Material> {
    (2..=n_men).flat_map(|n| Material::all(variant, n)).filter(|material| !variant.is_over(material))
}

#[test]
fn all_games_have_the_exits_that_the_judge_lists() {
    for file in std::fs::read_dir(root().join("variants")).unwrap() {
        let name = file.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned();
        let variant = game(&name);
        let n_men = if variant.pieces.len() > 8 { 3 } else { 4 };
        let mut n_materials = 0;
        for material in materials(&variant, n_men) {
            let found = solved_from(&variant, &material);
            assert_eq!(found, judged(&variant, &material), "{} of {name}", material.name(&variant));
            n_materials += 1;
        }
        assert!(n_materials > 2, "{name}");
    }
}

/// A plan has the tables that the solver asks for, in the parts that it asks for.
#[track_caller]
fn check_plan(name: &str, n_men: usize) {
    let variant = game(name);
    let plan = Plan::new(&variant, &Request::UpTo(n_men)).unwrap();
    let mut n_parts = 0;
    for job in plan.jobs() {
        let planned: BTreeSet<Material> = job.needs.iter().map(|need| need.material.clone()).collect();
        assert_eq!(planned, solved_from(&variant, &job.material), "{} of {name}", job.name);
        for target in variant::exit::targets(&variant, &job.material) {
            let need = job.needs.iter().find(|need| need.material == target.material).unwrap();
            let Some(part) = &need.part else { continue };
            let reached = target.part.expect("where a part is enough, no exit leads anywhere else");
            let is_inside = part.man == reached.man && reached.squares.without(part.squares).is_empty();
            assert!(is_inside, "{} of {name} needs {reached:?}", job.name);
            n_parts += 1;
        }
    }
    assert_eq!(n_parts > 0, n_men > 4, "{n_parts} parts of {name}");
}

#[test]
fn plans_have_what_the_solver_asks_for() {
    check_plan("fide", 5);
    check_plan("atomic", 4);
    check_plan("antichess", 3);
    check_plan("makruk", 4);
}

/// These boards are random: a pawn may find no way to a promotion square. The judge lists its promotion all
/// the same.
#[test]
fn random_games_have_no_exit_that_the_judge_does_not_list() {
    let (mut n_materials, mut n_equal) = (0, 0);
    for seed in 0..50 {
        for variant in [random_variant(seed), random_ruled_variant(seed, &proof::Rule::ALL)] {
            for material in materials(&variant, 4) {
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
