//! Solves the shortest mate under a short n-move rule, and asks for it at every door of the command line.

use super::{FIDE, Folder, call, check, refused, run};
use std::fs;

#[test]
fn mates_under_the_rule_depend_on_the_clock() {
    let folder = Folder::new("clock");
    let text = fs::read_to_string(FIDE).expect("the rules of chess");
    let short = text.replace("n-move-rule = 50", "n-move-rule = 12");
    assert_ne!(short, text);
    let (rules, tables) = (&*folder.write("short.toml", short), &*folder.path("tables"));
    for metrics in ["dtm50", "dtz50,dtm"] {
        run(&["solve", rules, "--table", "KQvK", "--metric", metrics, "--out", tables], 0);
    }
    run(&["verify", tables], 0).says(&["KQvK.dtm50: ok"]);

    // Nothing but the mate sets the clock back: in 19 plies of 24, as long as they are left.
    let probe = |clock: u32, more: &[&str]| {
        let fen = format!("8/8/8/5k2/8/8/1Q6/K7 w - - {clock} 40");
        let args = ["probe", "--variant", rules, "--tables", tables, "--no-solve", "--metric", "dtm50", &fen];
        call(&[&args, more].concat(), "")
    };
    for clock in [0, 5] {
        probe(clock, &[]).ended(0).says(&["White mates in 10 moves, 19 plies\n(from KQvK.tsm)"]);
    }
    probe(6, &[]).ended(0).says(&["draw\n(from KQvK.tsm)"]);
    probe(5, &["--json"]).says(&["\"dtm50\": 19"]);
    // The line mates on the last ply of the rule.
    let line = probe(5, &["--line"]).out;
    assert!(line.lines().any(|line| line.starts_with("40. ")) && line.trim_end().ends_with("#!"), "{line}");
    let stream = ["probe", "--stdin", "--variant", rules, "--tables", tables, "--metric", "dtm50"];
    let fens = "8/8/8/5k2/8/8/1Q6/K7 w - - 5 40\n8/8/8/5k2/8/8/1Q6/K7 w - - 6 40\n";
    call(&stream, fens).ended(0).says(&["\t1\t19\t", "\t0\t-\t"]);

    let find = |condition: &str, more: &[&str]| {
        let args = ["find", "KQvK", "--variant", rules, "--tables", tables, "--metric", "dtm50", "--where"];
        call(&[&args[..], &[condition], more].concat(), "")
    };
    find("dtm50 at 5 == 19 and wtm", &["--count"]).ended(0).says(&["KQvK  "]);
    find("win in dtm50 at 6 and dtm50 at 6 == 19", &["--count"]).ended(1);
    find("dtm50 at 25 == 19", &[]).ended(2);
    find("dtm50 at 5 == 19 and moves.winning == 1", &[]).ended(2);

    let file = format!("{tables}/KQvK.tsm");
    check(
        &["stats", &file, "--metric", "dtm50"],
        0,
        "With the clock of the n-move rule:\nWhite to move: 0 of ",
        "",
    );
    run(&["repack", tables, "--small", "--metric", "dtm50"], 0);
    probe(5, &[]).ended(0).says(&["White mates in 10 moves, 19 plies\n(from KQvK.tsm)"]);
    probe(6, &[]).ended(0).says(&["draw\n(from KQvK.tsm)"]);
}

#[test]
fn what_has_no_value_for_each_clock_is_refused() {
    let refuses = |more: &[&str], why: &str| {
        refused(&[&["solve", FIDE, "--metric", "dtm50"], more].concat(), why);
    };
    refuses(&["--men", "3", "--rights"], "castling positions have a value, and not one for each clock");
    refuses(&["--table", "KQvK", "--wins", "white"], "both sides play against the clock");
    refuses(&["--men", "3", "--write", "syzygy"], "only our own files hold values for each clock");
    refuses(&["--men", "3", "--strategy", "log"], "it is solved in memory");
    refuses(&["--position", "8/8/8/8/2r5/8/2k5/K6Q w - - 0 60"], "dtm50 is solved for whole tables");
    refused(&["solve", "makruk", "--men", "3", "--metric", "dtm50"], "makruk has no n-move rule");
}
