//! Compares the games of variants/ with the naive oracle, value for value, and pawns of every kind on small
//! boards.

use library::SolvedTables;
use proof::Oracle;
use tablesmith_tests::{game, root, statistics_of};
use variant::{Material, Variant};

/// Tables of a variant agree with the oracle, which looks at the placements that they keep.
#[track_caller]
fn check_folded(file: &str, names: &[&str]) {
    let tables = SolvedTables::new(game(file));
    for name in names {
        let material = Material::parse(tables.variant(), name).unwrap();
        let table = tables.solved(&material).unwrap();
        let mut oracle = Oracle::folded(tables.variant());
        oracle.solve_with(&material, &tables).expect("the tables has what the table leads to");
        let differences = oracle.differences(&table, 5).expect("the oracle has solved it");
        assert!(differences.is_empty(), "{name} of {file}: {differences:#?}");
    }
}

#[test]
fn chess_boards_with_other_men() {
    check_folded("commoner", &["KMvK"]);
    check_folded("nightrider", &["KHvK"]);
    check_folded("knightmate", &["NKvN", "NPvN"]);
    check_folded("amazon-empress-princess", &["KGvK", "KPvK"]);
    check_folded("stalemate-loses", &["KHvK", "KPvK"]);
    check_folded("berolina", &["KPvK"]);
    check_folded("grasshopper", &["KGvK", "KPvK"]);
}

#[test]
fn other_boards() {
    check_folded("los-alamos", &["KPvK", "KNvK"]);
    check_folded("gardner", &["KPvK", "KPvKP", "KRvKB"]);
    check_folded("cylinder", &["KQvK", "KPvK", "KNvK"]);
    check_folded("capablanca", &["KAvK", "KPvK"]);
    check_folded("cannon", &["KvK", "KCvK", "KHvK", "KSvK"]);
}

#[test]
fn other_rules() {
    check_folded("shatranj", &["KvK", "KRvK", "KPvK"]);
    check_folded("makruk", &["KSvK", "KPvK"]);
    check_folded("ai-wok", &["KAvK", "KPvK"]);
    check_folded("orda", &["KvK", "KHvK", "KLvK", "KAvK", "KPvK"]);
    check_folded("antichess", &["QvP", "PvP", "KvN", "NPvN"]);
    check_folded("suicide", &["PvP", "RNvB"]);
    check_folded("atomic", &["KvK", "KQvK", "KPvK"]);
    check_folded("king-of-the-hill", &["KvK", "KBvK", "KPvK"]);
    check_folded("coregal", &["KQvK", "KPvK"]);
    check_folded("horde", &["QvK", "PvKP", "PPvK"]);
    check_folded("chigorin", &["KCvK", "KPvK", "KvKP"]);
    check_folded("three-check", &["KBvK", "KNvK+2+3", "KPvK+1+2"]);
    check_folded("racing-kings", &["KvK", "KRvK", "KvKN"]);
    check_folded("kinglet", &["PvP", "KPvP"]);
    check_folded("losers", &["KQvK", "KPvK"]);
}

#[test]
fn men_of_the_zoos() {
    check_folded("fairy-zoo", &["KOvK", "KVvK", "KXvK", "KPvK"]);
    check_folded("fairy-zoo-leapers", &["KDvK", "KCvK"]);
    check_folded("fairy-zoo-shogi", &["KGvK", "KLvK"]);
    check_folded("fairy-zoo-hoppers", &["KJvK", "KNvK", "KBvK", "KTvK", "KWvK", "KDvK"]);
}

/// The longest wins that the files tell of themselves, in plies, White to move.
#[track_caller]
fn check_longest(file: &str, name: &str, plies: Option<u16>) {
    let tables = SolvedTables::new(game(file));
    let statistics = statistics_of(&tables, name);
    let longest = statistics.white_to_move.longest_win.map(|longest| longest.ply);
    assert_eq!(longest, plies, "{name} of {file}");
    let text = std::fs::read_to_string(root().join(format!("variants/{file}.toml"))).unwrap();
    let longest = plies.map_or("none".into(), |plies| plies.to_string());
    let line = format!("#   {name:<4}  {longest}");
    assert!(text.lines().any(|l| l.starts_with(&line)), "{file} does not tell {line:?}");
}

#[test]
fn longest_wins_as_the_files_have_them() {
    check_longest("berolina", "KPvK", Some(53));
    for (name, plies) in [("KQvK", 21), ("KCvK", 25), ("KRvK", 37), ("KAvK", 41)] {
        check_longest("capablanca", name, Some(plies));
    }
    check_longest("cylinder", "KQvK", Some(19));
    check_longest("cylinder", "KPvK", Some(49));
    check_longest("grasshopper", "KGvK", None);
    for (name, plies) in [("KCvK", 33), ("KHvK", 35), ("KvK", 29)] {
        check_longest("cannon", name, Some(plies));
    }
}

/// A table of king, queen, knight and the pawns with these tables on a small board, and all it leads to,
/// agrees with the oracle, which knows of no symmetry.
#[track_caller]
fn check_pawns(board: &str, pawns: &[(&str, &str, &str)], name: &str) {
    let head = format!("name = \"pawns\"\nboard = {{ {board} }}\n");
    let officers = [("K", "K", "royal = true"), ("Q", "Q", ""), ("N", "N", "")];
    let pieces = officers.iter().chain(pawns);
    let text = pieces.fold(head, |text, (letter, betza, more)| {
        format!("{text}[[piece]]\nletter = \"{letter}\"\nbetza = \"{betza}\"\n{more}\n")
    });
    let variant = Variant::parse(&text, "pawns.toml").unwrap_or_else(|report| panic!("{report}"));
    let material = Material::parse(&variant, name).unwrap().canonical(&variant);
    let table = SolvedTables::new(variant.clone()).solved(&material).unwrap();
    let mut oracle = Oracle::new(&variant);
    oracle.solve(&material);
    let differences = oracle.differences(&table, 5).expect("the oracle has solved it");
    assert!(differences.is_empty(), "{name} of {text}: {differences:#?}");
}

const CHESS: (&str, &str, &str) = ("P", "fmWfcF", "pawn = { promotes-to = [\"Q\", \"N\"] }");
const BEROLINA: (&str, &str, &str) = ("B", "fmFfcW", "pawn = { promotes-to = [\"N\"] }");
const SERGEANT: (&str, &str, &str) = ("S", "fK", "pawn = { promotes-to = [\"Q\"] }");

#[test]
fn pawns_of_every_kind() {
    let kinds = [CHESS, BEROLINA, SERGEANT];
    for name in ["KSvKP", "KPvKB", "KSvKB"] {
        check_pawns("files = 3, ranks = 5", &kinds, name);
    }
    // Steps from several ranks, on a ring, around holes, to some squares of the last rank only or to the
    // fourth rank.
    let steps = |more: &str| format!("pawn = {{ promotes-to = [\"Q\"], {more} }}");
    let several = steps("start-rank = 1, double-step-ranks = [1, 2, 3]");
    let early = steps("promotion-rank = 4, double-step = false");
    let some = steps("promotion-zone = [\"b6\"]");
    let one = steps("promotion-zone = [\"a6\"], double-step-ranks = [2, 3], en-passant = false");
    let slow = steps("double-step = false");
    let slow = ("P", "fmWfcF", slow.as_str());
    let several = ("P", "fmWfcF", several.as_str());
    check_pawns("files = 3, ranks = 6", &[several, ("B", "fmFfcW", &early)], "KPvKB");
    check_pawns("files = 3, ranks = 6", &[("P", "fmWfcF", &some), ("S", "fK", &one)], "KPvKS");
    check_pawns("files = 4, ranks = 5, cylinder = true", &[BEROLINA, slow], "KPvKB");
    check_pawns("files = 3, ranks = 6, cylinder = true", &[several], "KPvKP");
    let holes = "files = 4, ranks = 6, holes = [\"b1\", \"b3\", \"b4\", \"b6\", \"d2\", \"d5\"]";
    check_pawns(holes, &kinds, "KPvKS");
    // Forward as knights go.
    check_pawns("files = 4, ranks = 5", &[("P", "fmNfcF", &steps("double-step = false"))], "KPvKP");
}
