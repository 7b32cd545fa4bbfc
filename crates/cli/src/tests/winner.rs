//! Solves one side's wins alone, and shows, probes, verifies and cleans up what comes of it.

use super::{FIDE, Folder, call, check, refused, run};
use std::fs;
use variant::{Metric, Side};

#[test]
fn one_sides_wins_are_solved_probed_and_verified() {
    let folder = Folder::new("winner");
    let solve = |table: &str, more: &[&str]| {
        let args = [&["solve", FIDE, "--table", table, "--out", folder.text()], more].concat();
        let reply = run(&args, 0);
        reply.out + &reply.err
    };
    let text = solve("KPvK", &["--wins", "white"]);
    assert!(
        text.contains("White's wins alone in KPvK; what White does not win is counted as drawn:"),
        "{text}"
    );
    let text = solve("KvKP", &["--wins", "black", "--metric", "dtc"]);
    assert!(text.contains("Black's wins in KvKP are White's in KPvK"), "{text}");
    let file = folder.0.join("KPvK.tsm");
    let path = file.to_str().expect("plain text").to_owned();
    let columns = run(&["stats", &path, "--columns"], 0);
    for metric in ["wdl", "dtc", "dtm"] {
        columns.says(&[&format!("KPvK   {metric} with White's wins alone")]);
    }

    let probe = |fen: &str| call(&["probe", "--tables", folder.text(), fen, "--no-solve"], "");
    probe("8/8/8/6k1/8/8/1P4K1/8 w - - 0 1")
        .ended(0)
        .says(&["White mates in 28 moves, 55 plies\n(from KPvK.tsm)"]);
    // The same with the colours exchanged.
    probe("8/1p4k1/8/8/6K1/8/8/8 b - - 0 1").says(&["Black mates in 28 moves, 55 plies"]);
    probe("8/8/8/8/8/4k3/4P3/4K3 w - - 0 1").says(&["not a win for White\n"]);
    let drawn = probe("4k3/4p3/4K3/8/8/8/8/8 b - - 0 1");
    assert!(drawn.out.contains("not a win for Black\n") && !drawn.out.contains("draws"), "{}", drawn.out);

    let verified = run(&["verify", folder.text()], 0);
    for table in ["KPvK.white: ok", "KPvK.white.dtc: ok", "KPvK.white.wdl: ok", "KQvK: ok"] {
        verified.says(&[table]);
    }
    check(&["verify", &path], 0, "KPvK.white: ok", "");
    check(&["stats", &path], 0, "KPvK dtm, White's wins alone: positions", "");
    refused(&["stats", &path, "--hash"], "has one side's wins alone");
    // Once the whole table is there it answers.
    solve("KPvK", &[]);
    probe("8/8/8/8/8/4k3/4P3/4K3 w - - 0 1").says(&["draw\n(from KPvK.tsm)"]);
    check(&["stats", &path], 0, "KPvK dtm: positions", "");
    run(&["verify", &path], 0).says(&["KPvK: ok", "KPvK.white: ok"]);
}

/// Of columns of either side's wins the one answers that knows who wins.
#[test]
fn columns_of_both_sides_wins_stand_side_by_side() {
    let folder = Folder::new("winner-both");
    for side in ["white", "black"] {
        let args = ["solve", FIDE, "--table", "KQvKR", "--wins", side, "--out", folder.text()];
        run(&args, 0);
    }
    let probe = |fen: &str| call(&["probe", "--tables", folder.text(), fen, "--no-solve"], "").out;
    let white = probe("8/8/8/8/2r5/8/2k5/K6Q w - - 0 1");
    assert!(white.contains("White mates in 35 moves") && white.contains("(from KQvKR.tsm)"), "{white}");
    let black = probe("8/8/8/8/8/k7/7r/K6Q b - - 0 1");
    assert!(black.contains("Black mates in 1 move") && black.contains("(from KQvKR.tsm)"), "{black}");
    // White's wins alone do not hide what the rules know of Black's.
    let file = folder.0.join("KQvKR.tsm");
    let path = file.to_str().expect("plain text");
    let column = |winner| format::Column { winner: Some(winner), ..Metric::Dtm.into() };
    format::remove_column(&file, column(Side::Black)).expect("the column is removed");
    let mates = probe("8/8/8/8/8/k7/7r/K6Q b - - 0 1");
    assert!(mates.contains("Black mates in 1 move") && mates.contains("Rxh1#"), "{mates}");

    // A name that is none does not keep the others from being verified, and says what is wrong with it.
    fs::copy(&file, folder.0.join("KQvKR.white.tsm")).expect("a file");
    let verified = run(&["verify", folder.text(), "--sample", "1000"], 1);
    verified.says(&["KQvKR.white: ok", "KQvKR.white.tsm: not verified: a table's file is called"]);
    fs::remove_file(folder.0.join("KRvK.tsm")).expect("a file");
    run(&["verify", path], 1).says(&["--table KQvKR --wins white"]);
}

#[test]
fn wins_of_one_side_that_cannot_be_are_refused() {
    let folder = Folder::new("winner-not");
    let own = ["solve", FIDE, "--out", folder.text(), "--wins", "white"];
    let solve = |more: &[&'static str]| [&own, more].concat();
    refused(&solve(&["--table", "KRvKR"]), "KRvKR is symmetric: White's wins are Black's");
    refused(&solve(&["--table", "KQvK", "--table", "KRvK"]), "--wins is for one table");
    refused(&solve(&["--men", "3"]), "--table <MATERIAL>");
    refused(&solve(&["--table", "KQvK", "--write", "syzygy"]), "cannot be used with");
}

#[test]
fn scratch_of_one_sides_wins_has_a_name_of_its_own() {
    let folder = Folder::new("winner-scratch");
    let args = ["solve", FIDE, "--table", "KRvKN", "--wins", "white", "--out", folder.text()];
    run(&args, 0);
    for name in ["fide.KRvKN.white.dtm.tslog", "fide.KRvKN.black.dtm.tslog", "fide.KRvKN.red.dtm.tslog"] {
        fs::write(folder.0.join(name), "the log of a killed run").expect("a file");
    }
    call(&["clean", FIDE, "--out", folder.text()], "").says(&[
        "fide.KRvKN.white.dtm.tslog (23 B): its table is there",
        "fide.KRvKN.black.dtm.tslog (23 B): it is of other rules",
    ]);
    assert!(folder.0.join("fide.KRvKN.red.dtm.tslog").exists(), "it is of no game here");
}
