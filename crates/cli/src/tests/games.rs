//! Solves games by their names, from nothing but the program.

use super::{FIDE, Folder, call, check, refused, run};
use std::fs;
use variant::game::GAMES;

#[test]
fn games_that_are_built_in_are_listed_and_shown() {
    let list = call(&["variants"], "").out;
    assert_eq!(list.lines().count(), 1 + GAMES.len(), "{list}");
    let row = list.lines().find(|line| line.starts_with("los-alamos")).expect("a row");
    assert!(row.contains("6×6") && row.contains("Los Alamos chess: 6 × 6, without bishops"), "{row}");
    let shown = call(&["variants", "--show", "chess"], "").out;
    let rules = shown.strip_suffix(&fs::read_to_string(FIDE).expect("the rules")).expect("the rules");
    assert!(rules.lines().all(|line| line.starts_with('#')), "{rules}");
    assert!(rules.contains("give it a name of its own below: as `fide` its tables"), "{rules}");
    refused(&["variants", "--show", "ches"], "`tablesmith variants` lists those that are built in");
}

#[test]
fn games_are_solved_by_their_names() {
    let folder = Folder::new("by-name");
    let solve = |game: &str| call(&["solve", game, "--table", "KQvK", "--out", folder.text()], "");
    let reply = solve("Atomic");
    reply.ended(0);
    assert!(reply.err.starts_with("atomic has the rules that are built in\n"), "{}", reply.err);
    let beside = folder.0.join("atomic.rules.toml");
    assert_eq!(fs::read_to_string(&beside).expect("the rules lie beside the tables"), variant::game::ATOMIC);
    // Tables are asked by the rules beside them, whatever the program knows.
    check(&["probe", "8/8/8/8/8/4k3/8/4K2Q w", "--tables", folder.text()], 0, "(from KQvK.tsm)", "");
    check(&["verify", folder.text()], 0, "KQvK", "");
    solve("atomic-2").ended(2).errs(&["one of the games that are built in"]);
    run(&["plan", "--men", "3"], 0).says(&["5 tables"]);
}
