//! Checks every metric: values against successors, metrics against each other, published numbers.

use super::{Tables, chess, material, placements, with_two_promotions};
use crate::{Oracle, Rule, VerifyOptions, random_material, random_ruled_variant, random_variant, verify};
use table::{Ply, Value};
use variant::{Material, Metric, Rules, Side, Variant};

/// Solves a material and all that it leads to.
fn solved(variant: &Variant, material: &Material, metric: Metric) -> Oracle {
    let mut oracle = Oracle::new(variant).counting(metric);
    oracle.solve(material);
    oracle
}

/// What the oracle says of a material, and of everything that it leads to, follows from what it leads to by
/// the formula of the metric. The oracle has not used the formula, nor has the formula heard of clocks.
#[track_caller]
fn check_formula(variant: &Variant, wanted: &Material, metric: Metric) {
    let oracle = solved(variant, wanted, metric);
    let mut tables = Tables::default();
    for material in (2..=wanted.n_men()).flat_map(|n| Material::all(variant, n)) {
        if let Some(table) = oracle.table(&material) {
            tables.0.insert(material, table.into());
        }
    }
    for (material, table) in tables.0.iter().filter(|(material, _)| has_all(variant, &tables, material)) {
        let report = verify(variant, &**table, &tables, &VerifyOptions::new(metric)).unwrap();
        let name = material.name(variant);
        assert!(report.is_clean(), "{} {name} {metric}: {}", variant.name, report.differences[0]);
    }
    assert!(tables.0.contains_key(&wanted.canonical(variant)), "{}", wanted.name(variant));
}

fn has_all(variant: &Variant, tables: &Tables, material: &Material) -> bool {
    let has = |exit: &Material| exit.n_men() <= 2 || tables.0.contains_key(&exit.canonical(variant));
    crate::derivation::exits(variant, material).iter().all(has)
}

#[test]
fn values_follow_from_those_of_successors() {
    for metric in Metric::WITHOUT_CLOCK {
        let small = [(3, 4, "KPvKP", 2), (3, 4, "KQvKR", 2), (3, 4, "KRvKN", 4), (4, 6, "KPvK", 50)];
        // The oracle needs longest for the last two.
        let n_games = if matches!(metric, Metric::Dtm | Metric::Dtz50) { small.len() } else { 2 };
        for (files, ranks, name, n_move_rule) in small.into_iter().take(n_games) {
            let rules = Rules { n_move_rule: Some(n_move_rule), ..Rules::default() };
            let variant = Variant { rules, ..with_two_promotions(chess(files, ranks)) };
            let variant = variant.for_metric(metric);
            check_formula(&variant, &material(&variant, name), metric);
        }
        for seed in 300..304 {
            let variant = random_variant(seed).for_metric(metric).into_owned();
            check_formula(&variant, &random_material(&variant, 3, seed).canonical(&variant), metric);
        }
    }
}

/// Some games with rules that chess does not have, each alone and all together, on small boards.
fn ruled_games(first: u64, n_alone: usize, n_together: usize) -> Vec<(Variant, Material)> {
    let alone = Rule::ALL.map(|rule| (vec![rule], n_alone));
    let all = alone.into_iter().chain([(Rule::ALL.to_vec(), n_together)]);
    let games = all.flat_map(|(kinds, n)| {
        let small = (first..).map(move |seed| (seed, random_ruled_variant(seed, &kinds)));
        small.filter(|(_, variant)| variant.board.n_squares() <= 16).take(n)
    });
    games.map(|(seed, variant)| (variant.clone(), random_material(&variant, 3, seed))).collect()
}

#[test]
fn values_follow_from_those_of_successors_under_any_rules() {
    for (variant, material) in ruled_games(900_000, 2, 20) {
        for metric in Metric::WITHOUT_CLOCK {
            let variant = variant.for_metric(metric);
            check_formula(&variant, &material.canonical(&variant), metric);
        }
    }
}

/// What must hold between the metrics of one position.
#[track_caller]
fn check_relations(variant: &Variant, material: &Material) -> [usize; 2] {
    let [wdl, dtc, dtz, dtz50, dtm] = Metric::OF_CONTEST.map(|metric| solved(variant, material, metric));
    let rule_plies = variant.rules.rule_plies().map_or(Ply(u16::MAX), Ply);
    let book = dtm.book();
    let [mut n_odd, mut n_cursed] = [0; 2];
    for position in placements(variant, material) {
        let all = [&dtm, &dtc, &dtz, &dtz50, &wdl].map(|oracle| oracle.value(&position).unwrap());
        let [to_mate, to_conversion, to_zeroing, under_rule, outcome] = all;
        let fen = position.to_fen(book);
        assert!(all.iter().all(|value| value.wdl() == outcome.wdl()), "{} {fen}: {all:?}", variant.name);
        match outcome {
            Value::Win(ply) => assert_eq!(ply, Ply(1), "{fen}"),
            Value::Loss(ply) => assert_eq!(ply, Ply(0), "{fen}"),
            _ => assert!(all.iter().all(|value| *value == outcome), "{fen}: {all:?}"),
        }
        // Whatever stops the count earlier can only shorten it; the rule can only lengthen it.
        assert!(to_zeroing.ply() <= to_conversion.ply(), "{} {fen}: {all:?}", variant.name);
        assert!(to_conversion.ply() <= to_mate.ply(), "{} {fen}: {all:?}", variant.name);
        assert!(to_zeroing.ply() <= under_rule.ply(), "{} {fen}: {all:?}", variant.name);
        // A mate is one under every metric that counts.
        let is_mate =
            [to_mate, to_conversion, to_zeroing, under_rule].map(|value| value == Value::Loss(Ply(0)));
        assert!(is_mate.iter().all(|&mate| mate == is_mate[0]), "{fen}: {all:?}");
        if variant.rules.rule_plies().is_none() {
            assert_eq!(under_rule, to_zeroing, "{fen}");
        }
        n_odd += usize::from(matches!(to_zeroing, Value::Loss(ply) if ply.0 % 2 == 1));
        n_cursed += usize::from(under_rule.ply().is_some_and(|ply| ply > rule_plies));
    }
    [n_odd, n_cursed]
}

#[test]
fn the_metrics_agree_with_each_other() {
    let mut sum = [0; 2];
    let small =
        [(3, 4, "KQvKR", Some(2)), (3, 4, "KPvKP", Some(2)), (3, 5, "KPvK", None), (4, 5, "KPvK", Some(50))];
    for (files, ranks, name, n_move_rule) in small {
        let rules = Rules { n_move_rule, ..Rules::default() };
        let variant = Variant { rules, ..with_two_promotions(chess(files, ranks)) };
        let seen = check_relations(&variant, &material(&variant, name));
        sum = [sum[0] + seen[0], sum[1] + seen[1]];
    }
    for seed in 400..404 {
        let variant = random_variant(seed);
        let seen = check_relations(&variant, &random_material(&variant, 3, seed));
        sum = [sum[0] + seen[0], sum[1] + seen[1]];
    }
    for (variant, material) in ruled_games(910_000, 2, 20) {
        let seen = check_relations(&variant, &material);
        sum = [sum[0] + seen[0], sum[1] + seen[1]];
    }
    let [n_odd, n_cursed] = sum;
    assert!(n_odd > 20 && n_cursed > 3000, "{n_odd} losses in an odd number of plies, {n_cursed} cursed");
}

/// The longest wins of White in plies, over both sides to move; the last material leads to the others.
#[track_caller]
fn check_longest(metric: Metric, expected: &[(&str, u16)]) {
    let variant = chess(8, 8);
    let mut oracle = Oracle::folded(&variant).counting(metric);
    let (last, _) = expected.last().unwrap();
    oracle.solve(&material(&variant, last));
    for &(name, expected) in expected {
        let table = oracle.table(&material(&variant, name)).unwrap();
        let all = Side::BOTH.into_iter().flat_map(|stm| (0..table.layout().len()).map(move |i| (stm, i)));
        let wins = all.filter_map(|(stm, index)| match (stm, table.value(stm, index)) {
            (Side::White, Value::Win(ply)) | (Side::Black, Value::Loss(ply)) => Some(ply.0),
            _ => None,
        });
        assert_eq!(wins.max(), Some(expected), "{name} {metric}");
    }
}

/// Source: the DTZ columns of the Syzygy tables, as published in their statistics.
#[test]
fn longest_distances_to_zeroing_moves_of_chess() {
    check_longest(Metric::Dtz, &[("KQvK", 20), ("KRvK", 32), ("KPvK", 20)]);
}

/// No win of three men takes longer than the rule of fifty moves.
#[test]
fn fifty_moves_are_enough_for_three_men() {
    check_longest(Metric::Dtz50, &[("KQvK", 20), ("KRvK", 32), ("KPvK", 20)]);
}

/// Ten and sixteen moves, one side's count of the plies.
#[test]
fn longest_distances_to_conversions_of_chess() {
    check_longest(Metric::Dtc, &[("KQvK", 20)]);
    check_longest(Metric::Dtc, &[("KRvK", 32)]);
}
