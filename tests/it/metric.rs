//! Every metric against numbers that others have published.
//!
//! `cases/published_3-4.csv`: who wins, and the longest distances to a capture or pawn move, over both sides to move:
//! the statistics published with the Syzygy tables (syzygy1/tb, syzygy-tables.info), which know the rule of fifty
//! moves; no table of so few men has a win that the rule spoils. KBBvKN under the rule: from the same. Moves to
//! conversion: the records that L. Stiller and J. Tamplin have published.

use stats::Statistics;
use std::sync::OnceLock;
use table::Codes;
use tablesmith_tests::{Shelf, fide};
use variant::{Metric, Side, Variant};

const CHESS: &str = include_str!("../cases/published_3-4.csv");

/// The chess tables of a metric, solved once.
fn chess(metric: Metric) -> &'static Shelf {
    static SHELVES: [OnceLock<Shelf>; 5] = [const { OnceLock::new() }; 5];
    SHELVES[metric as usize].get_or_init(|| Shelf::new(Variant { metric, ..fide() }))
}

/// The plies of the longest wins and losses of positions in which this side wins, whoever is to move.
fn longest(statistics: &Statistics, winner: Side) -> Option<u16> {
    let win = statistics.side(winner).longest_win.as_ref();
    let loss = statistics.side(!winner).longest_loss.as_ref();
    win.into_iter().chain(loss).map(|longest| longest.ply).max()
}

/// One row: name, three counts for either side to move, two longest mates, the longest distances of White and of Black.
#[track_caller]
fn check_row(metric: Metric, row: &str) {
    let fields: Vec<&str> = row.split(',').collect();
    let number = |i: usize| fields[i].parse::<u64>().unwrap_or_else(|_| panic!("{row}: field {i}"));
    let shelf = chess(metric);
    let statistics = Statistics::collect(shelf.variant(), &shelf.named(fields[0]));
    for (side, first) in [(Side::White, 1), (Side::Black, 4)] {
        let side = statistics.side(side);
        let counts = [side.wins.orbits, side.draws.orbits, side.losses.orbits];
        assert_eq!(counts, [0, 1, 2].map(|i| number(first + i)), "{metric} of {}", fields[0]);
    }
    if matches!(metric, Metric::Dtz | Metric::Dtz50) {
        let found = Side::BOTH.map(|winner| longest(&statistics, winner));
        let expected = [9, 10].map(|i| (fields[i] != "-").then(|| number(i) as u16));
        assert_eq!(found, expected, "{metric} of {}: longest", fields[0]);
    }
}

#[test]
fn every_metric_knows_who_wins_and_dtz_how_long_it_takes() {
    for metric in [Metric::Wdl, Metric::Dtc, Metric::Dtz, Metric::Dtz50] {
        CHESS.lines().skip(1).for_each(|row| check_row(metric, row));
    }
}

#[test]
fn the_longest_ways_to_a_conversion() {
    // Plies from the moves published: the winner is to move, and his last move is the capture, the promotion or mate.
    for (name, moves) in [("KQvK", 10), ("KRvKN", 27), ("KQvKR", 31)] {
        let shelf = chess(Metric::Dtc);
        let statistics = Statistics::collect(shelf.variant(), &shelf.named(name));
        let longest = statistics.side(Side::White).longest_win.as_ref().map(|longest| longest.ply);
        assert_eq!(longest, Some(2 * moves - 1), "{name}");
    }
}

#[test]
fn two_bishops_against_a_knight_under_the_rule_of_fifty_moves() {
    let shelf = Shelf::new(Variant { metric: Metric::Dtz50, ..fide() });
    let table = shelf.named("KBBvKN");
    let one_byte = |side| matches!(table.codes(side), Some(Codes::Split(..)));
    assert!(
        Side::BOTH.into_iter().all(one_byte),
        "one byte holds longer wins on one side than the rule allows"
    );
    let statistics = Statistics::collect(shelf.variant(), &table);
    let white = statistics.side(Side::White);
    let wins = |is_cursed: bool| {
        let plies = white.wins_by_ply.iter().filter(|at| (at.ply > 100) == is_cursed);
        plies.map(|at| at.count.orbits).sum::<u64>()
    };
    assert_eq!([wins(false), wins(true), white.draws.orbits], [29_293_840, 7_750_066, 39_758_818]);
    assert_eq!(white.losses.orbits, 88);
    assert_eq!(longest(&statistics, Side::White), Some(132));
    let under_the_rule = |side: Side| {
        let plies =
            if side == Side::White { &white.wins_by_ply } else { &statistics.side(side).losses_by_ply };
        plies.iter().map(|at| at.ply).filter(|&ply| ply <= 100).max()
    };
    assert_eq!(Side::BOTH.into_iter().filter_map(under_the_rule).max(), Some(100));
}

/// Bishop and commoner against a nightrider, of which few bytes hold the distances.
#[test]
fn the_longest_way_to_a_conversion_that_is_known_of_five_men() {
    let text = ["K,K", "B,B", "M,K", "H,NN"].map(|piece| {
        let (letter, betza) = piece.split_once(',').expect("two fields");
        let royal = letter == "K";
        format!(
            "[[piece]]\nletter = \"{letter}\"\nname = \"{letter}\"\nbetza = \"{betza}\"\nroyal = {royal}\n"
        )
    });
    let text = format!("name = \"test\"\nmetric = \"dtc\"\n{}", text.concat());
    let variant =
        Variant::parse(&text, "test.toml").unwrap_or_else(|report| panic!("{}", report.render(false)));
    let shelf = Shelf::new(variant);
    let table = shelf.named("KBMvKH");
    assert!(matches!(table.codes(Side::White), Some(Codes::Wide(_))), "two bytes");
    let statistics = Statistics::collect(shelf.variant(), &table);
    assert_eq!(longest(&statistics, Side::White), Some(614));
}
