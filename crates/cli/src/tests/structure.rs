//! Solves positions instead of tables, and asks what comes of it.

use super::{FIDE, Folder, call, check, refused, run};
use std::fs;

/// White wins, and the king must go before the pawn.
const ROOT: &str = "8/8/8/1k6/8/1K6/1P6/8 b - - 0 1";

#[test]
fn a_position_is_solved_probed_and_verified() {
    let folder = Folder::new("structure");
    let reply = run(&["solve", "--position", ROOT, "--out", folder.text()], 0);
    reply.says(&["(from wKb2-bK.tss)"]).errs(&["wKb2-bK without a limit"]);
    assert!(reply.err.starts_with("fide has the rules that are built in\n"), "{}", reply.err);
    let file = folder.0.join("wKb2-bK.tss");
    let bytes = fs::read(&file).expect("the structure is there");
    // The same once more finds it.
    let again = call(&["solve", "--position", ROOT, "--out", folder.text()], "");
    assert_eq!((again.code, &again.out), (0, &reply.out), "{}", again.err);
    assert!(!again.err.contains("values of"), "nothing is solved again: {}", again.err);
    // Positions that come from it, and one that does not.
    let probe = |fen| call(&["probe", fen, "--tables", folder.text(), "--variant", FIDE, "--no-solve"], "");
    probe("8/1P6/2K5/8/8/8/k7/8 w - - 0 1").ended(0).says(&["White mates in", "b8=Q", "(from wKb2-bK.tss)"]);
    assert_ne!(probe("8/2P5/2K5/8/8/8/k7/8 w - - 0 1").code, 0);
    let path = file.to_str().expect("plain text");
    check(&["verify", path, "--variant", FIDE, "--sample", "20000"], 0, "all right", "");
    // A byte that was changed in a page or in the index is found.
    for place in [100, bytes.len() - 60] {
        let mut damaged = bytes.clone();
        damaged[place] ^= 1;
        fs::write(&file, damaged).expect("written");
        refused(&["verify", path, "--variant", FIDE], "solve the structure again");
    }
}

/// Who wins, how it goes on, and why the other moves do not win: as text, as PGN, and with a picture.
#[test]
fn a_position_is_told_with_its_line_and_what_refutes_other_moves() {
    let folder = Folder::new("told");
    let fen = "4k3/8/3K4/4P3/8/8/8/8 w - - 0 1";
    let picture = folder.path("board.svg");
    let solve =
        ["solve", "--position", fen, "--metric", "wdl", "--out", folder.text(), "--svg", &picture, "--why"];
    let told = run(&solve, 0);
    told.says(&[
        "White wins. Only Ke6 wins",
        "\n1. Ke6! K",
        "\nwhy not 1. Kc6? ",
        "\nwhy not 1. e6? Kd8! 2. e7+ Ke8! 3. Kc6 Kxe7! draws\n",
    ]);
    assert!(fs::read_to_string(&picture).expect("a picture").starts_with("<svg"));
    let probe = ["probe", fen, "--tables", folder.text(), "--variant", FIDE, "--no-solve", "--why"];
    let json = run(&[&probe[..], &["--json"]].concat(), 0).json();
    let first = |line: &serde_json::Value| line[0]["san"].as_str().map(str::to_owned);
    assert_eq!(first(&json["main_line"]).as_deref(), Some("Ke6"));
    assert_eq!(json["main_line"][0]["only"], true);
    let refuted = json["refutations"].as_array().expect("a list");
    assert_eq!(refuted.len(), json["moves"].as_array().expect("a list").len() - 1);
    let of_pawn =
        refuted.iter().find(|own| first(&own["line"]).as_deref() == Some("e6")).expect("a pawn's move");
    assert_eq!((&of_pawn["wdl"], &of_pawn["line"][1]["san"]), (&0.into(), &"Kd8".into()));
    let pgn = run(&[&probe[..], &["--pgn"]].concat(), 0);
    pgn.says(&[
        "[Result \"1-0\"]",
        &format!("[FEN \"{fen}\"]"),
        "{White wins} 1. Ke6! (1. ",
        "e6? Kd8! 2. e7+ Ke8! 3. Kc6 Kxe7! {draws})",
    ]);
    refused(&["solve", "--men", "3", "--why"], "--why is about a position");
    refused(&["probe", "--stdin", "--pgn"], "--pgn is about one position");
    refused(&["probe", fen, "--metric", "help", "--why"], "leave out --metric help");
}

/// A structure is searched like a table: it has as many zugzwangs with the pawn where it stands.
#[test]
fn structures_are_searched_like_tables() {
    let folder = Folder::new("searched");
    run(&["solve", "--position", ROOT, "--out", folder.text(), "--metric", "wdl"], 0);
    run(&["solve", "--position", ROOT, "--out", folder.text()], 0);
    run(&["solve", FIDE, "--table", "KPvK", "--out", folder.text()], 0);
    let count = |what: &str, condition: &str| {
        let place = ["--tables", folder.text(), "--variant", FIDE];
        let reply = run(&[&["find", what, "--where", condition, "--count"], &place[..]].concat(), 0);
        let row = reply.out.lines().find(|line| line.starts_with("KPvK ")).expect("a row").to_owned();
        row.split_whitespace().nth(1).expect("a number").to_owned()
    };
    let path = |name: &str| folder.path(name);
    for condition in [
        "mutual-zugzwang and P on b2",
        "wtm win and moves.winning == 1 and P on b5",
        "btm and moves.count == 1 and P on b7",
    ] {
        let of_table = count("KPvK", condition);
        assert_ne!(of_table, "0", "{condition}");
        for file in ["wKb2-bK.wdl.tss", "wKb2-bK.tss"] {
            let own = run(&["find", &path(file), "--where", condition, "--count"], 0);
            let row = own.out.lines().find(|line| line.starts_with("KPvK ")).expect("a row");
            assert_eq!(row.split_whitespace().nth(1), Some(&*of_table), "{condition}: {row}");
        }
    }
    // A file of bounds has open positions.
    call(&["solve", "--position", ROOT, "--promoted", "0", "--metric", "wdl", "--out", folder.text()], "");
    let file = path("wKb2-bK.wdl.p0.least.tss");
    run(&["find", &file, "--where", "wtm win", "--count"], 1)
        .errs(&["passed over: ", "placements that are open"]);
    refused(&["find", &file, "--where", "dtm > 5"], "has wdl and no dtm: ask for wdl alone");
    refused(&["find", &file, "KPvK", "--where", "wtm"], "KPvK is no structure");
    // A chart is of plies.
    let chart = run(&["chart", &path("wKb2-bK.tss")], 0);
    chart.says(&["wKb2-bK dtm: White to move wins</text>", "wKb2-bK dtm: Black to move loses</text>"]);
    refused(&["chart", &file], "holds who wins, and no plies to draw");
    refused(&["chart", &path("wKb2-bK.tss"), "--metric", "dtz"], "has dtm: leave --metric out");
    refused(&["chart", &path("wKb2-bK.tss"), "--square-of", "k"], "has a structure");
}

#[test]
fn a_search_ends_in_time_with_what_is_known() {
    let folder = Folder::new("structure-in-time");
    // Into a folder that is not there yet.
    let out = folder.path("new");
    let solve = |time| call(&["solve", "--position", ROOT, "--out", &out, "--time", time], "");
    solve("0s")
        .ended(1)
        .says(&["what Black gets is not known"])
        .errs(&["open: the time that --time gives was over before"]);
    solve("1h").ended(0).says(&["(from wKb2-bK.tss)"]);
    refused(&["solve", "--position", ROOT, "--time", "soon"], "no time such as 90s, 5m or 1h");
}

/// A capture leads into a structure; that tells nothing of the position.
#[test]
fn what_is_known_of_a_move_alone_is_refused_with_the_way_to_more() {
    let folder = Folder::new("structure-of-a-move");
    let blocked = "8/3k4/8/p1p5/P1P5/8/3K4/8 w - - 0 1";
    call(&["solve", "--position", blocked, "--out", folder.text()], "").ended(0);
    let fen = "8/3kr3/8/p1p5/P1P5/8/3KR3/8 w - - 0 1";
    run(&["probe", fen, "--tables", folder.text()], 1)
        .says(&["KRPPvKRPP is not built", &format!("--position \"{fen}\"`, which may take long")]);
    let json = call(&["probe", fen, "--tables", folder.text(), "--json"], "").json();
    assert_eq!(json["error"], "not built", "{json}");
}

#[test]
fn a_limit_makes_bounds() {
    let folder = Folder::new("bounds");
    let args = ["--position", ROOT, "--promoted", "0", "--metric", "wdl"];
    let solve = [&["solve"][..], &args, &["--out", folder.text()]].concat();
    let reply = call(&solve, "");
    // It is not known what Black gets, and why not is said.
    reply
        .ended(1)
        .says(&["Black at most draws", "wKb2-bK.wdl.p0.least.tss, solved with at most 0 promoted men"])
        .errs(&[
            "open: with at most 0 promoted men in all it cannot be told",
            "not exact yet, Black at most draws",
        ]);
    let json = call(&[&solve[..], &["--json"]].concat(), "").json();
    assert_eq!(
        (&json["wdl"], &json["at_most"]["wdl"]),
        (&serde_json::Value::Null, &serde_json::json!(0)),
        "{json}"
    );
    let probed = call(&["probe", ROOT, "--tables", folder.text(), "--variant", FIDE, "--no-solve"], "");
    // Only the file that says something is named.
    let told =
        "Black at most draws\n(from wKb2-bK.wdl.p0.least.tss, solved with at most 0 promoted men in all)\n\n";
    probed.ended(0).says(&[told]);
    assert!(probed.out.split("\nmove ").nth(1) == reply.out.split("\nmove ").nth(1), "{}", probed.out);
    // What is verified is told, in words and as JSON.
    let file = folder.0.join("wKb2-bK.wdl.p0.most.tss");
    let verify = ["verify", file.to_str().expect("plain text"), "--variant", FIDE, "--sample", "20000"];
    let told = "(wdl, at most, for White, solved with at most 0 promoted men in all): ";
    check(&verify, 0, told, "");
    let json = call(&[&verify[..], &["--json"]].concat(), "").json();
    assert!(json["bounds"][0] == "upper" && json["wrong"] == 0, "{json}");
    assert_eq!(json["limit"], "with at most 0 promoted men in all", "{json}");
    // Bounds of distances that say less do not hide those of who wins, which say more.
    let dtm = [&["solve"][..], &args[..4], &["--metric", "dtm", "--out", folder.text()]].concat();
    run(&dtm, 1);
    let exact = ["solve", "--position", ROOT, "--metric", "wdl", "--out", folder.text()];
    run(&exact, 0).says(&["Black loses"]);
    let probe = ["probe", ROOT, "--tables", folder.text(), "--variant", FIDE, "--no-solve"];
    let probed = call(&probe, "");
    assert!(probed.out.contains("Black loses") && !probed.out.contains("at least"), "{}", probed.out);
    check(&[&probe[..], &["--metric", "dtm"]].concat(), 0, "at least", "");
}

/// Tables at hand are read, when the structure is solved and when it is asked; what comes out is the same.
#[test]
fn tables_at_hand_are_used() {
    let (tables, endings) = (Folder::new("at-hand"), Folder::new("from-at-hand"));
    let (at_hand, out) = (tables.text(), endings.text());
    run(&["solve", FIDE, "--table", "KQvK", "--table", "KRvK", "--out", at_hand], 0);
    let solve = ["solve", "--position", ROOT, "--out", out];
    let whole = call(&["solve", "--position", ROOT, "--out", at_hand], "");
    let reply = call(&[&solve[..], &["--using", at_hand]].concat(), "");
    assert_eq!((reply.code, &reply.out), (0, &whole.out), "{}", reply.err);
    let (of_all, of_some) = (tables.0.join("wKb2-bK.tss"), endings.0.join("wKb2-bK.tss"));
    let size = |path: &std::path::Path| fs::metadata(path).expect("the structure is there").len();
    assert!(size(&of_some) < size(&of_all));
    let queen = "8/8/1Q6/2K5/8/8/8/k7 b - - 0 1";
    let probe = ["probe", queen, "--tables", out, "--variant", FIDE, "--no-solve"];
    assert_ne!(call(&probe, "").code, 0);
    check(&[&probe[..], &["--using", at_hand]].concat(), 0, "Black is mated in", "");
    let path = of_some.to_str().expect("plain text");
    let verify = ["verify", path, "--variant", FIDE, "--sample", "20000"];
    refused(&verify, "name their folder with --using DIR");
    check(&[&verify[..], &["--using", at_hand]].concat(), 0, "all right", "");
    refused(&[&solve[..], &["--using", "no-such"]].concat(), "there is no folder no-such");
    check(&["plan", "--position", ROOT, "--using", at_hand], 0, "K+B v K", "");
}

/// A structure lends its slices to the next one, and its slices go into flat files.
#[test]
fn slices_serve_the_next_run_and_other_programs() {
    let (folder, alone, flat) =
        (Folder::new("lending"), Folder::new("lending-nothing"), Folder::new("slices"));
    let solve = |root: &str, out: &Folder, using: &[&str]| {
        let solve = ["solve", "--position", root, "--metric", "wdl", "--out", out.text()];
        let told = run(&[&solve[..], using].concat(), 0).err;
        let taken: Vec<String> =
            told.lines().filter(|line| line.contains(" taken ")).map(str::to_owned).collect();
        taken
    };
    assert_eq!(solve("8/2P5/8/2K5/8/8/8/k7 w - - 0 1", &folder, &[]), [""; 0]);
    // The pawn a square back; the folder is that of the results, or named with --using.
    let before = |out: &Folder, using: &[&str]| {
        let taken = solve("8/8/2P5/2K5/8/8/8/k7 w - - 0 1", out, using);
        (taken, fs::read(out.0.join("wKc6-bK.wdl.tss")).expect("the structure is there"))
    };
    let (taken, own) = before(&folder, &[]);
    assert_eq!(taken, ["6 of 7 slices are taken from structures that are solved already"]);
    fs::remove_file(folder.0.join("wKc6-bK.wdl.tss")).expect("it is there");
    assert!(before(&alone, &["--using", folder.text()]) == (taken, own));
    let path = folder.0.join("wKc7-bK.wdl.tss");
    let export = ["export", path.to_str().expect("plain text"), "--out", flat.text(), "--format"];
    run(&[&export[..], &["tbc", "--table", "KvKP"]].concat(), 0).says(&["KPvK: 1 file, "]);
    assert!(flat.0.join("wKc7-bK.tbc").is_file());
    let probed =
        ["probe", "--tables", flat.text(), "--variant", FIDE, "--no-solve", "8/2P5/2K5/8/8/8/8/k7 b - - 0 1"];
    check(&probed, 0, "(from wKc7-bK.tbc)", "");
    refused(&[&export[..], &["tbl"]].concat(), "a .tbl cannot hold wdl");
    refused(&[&export[..], &["tbc", "--metric", "dtm"]].concat(), "has wdl and no dtm: leave --metric out");
    refused(&[&export[..], &["tbc", "--one-file"]].concat(), "each slice of a structure has its own file");
    refused(&[&export[..], &["tbc", "--table", "KQvKR"]].concat(), "has no KQvKR, it has KBvK, ");
    refused(&[&export[..], &["syzygy"]].concat(), "--format tbl and --format tbc");
}

/// King on d6 before the pawn on e6, and the other one on d8: the side to move spoils it.
#[test]
fn squares_that_correspond_are_listed() {
    let folder = Folder::new("squares");
    let root = "3k4/8/3KP3/8/8/8/8/8 w - - 0 1";
    run(&["solve", "--position", root, "--metric", "wdl", "--out", folder.text()], 0).says(&["draws"]);
    let path = folder.0.join("wKe6-bK.wdl.tss");
    let stats = ["stats", path.to_str().expect("plain text"), "--variant", FIDE];
    check(&stats, 0, "mutual zugzwangs: ", "");
    check(&stats, 0, "3k4/8/3KP3/8/8/8/8/8 w - - 0 1  White wins if the other side is to move", "");
    let squares = call(&[&stats[..], &["--squares"]].concat(), "");
    let pairs: Vec<Vec<&str>> = squares.out.lines().map(|line| line.split_whitespace().collect()).collect();
    for pair in [["d6", "d8"], ["f6", "f8"]] {
        assert!(pairs.iter().any(|line| line[..] == pair), "{}{}", squares.out, squares.err);
    }
    let json = call(&[&stats[..], &["--json"]].concat(), "").json();
    let n_of = |key: &str| json["white_to_move"][key].as_u64().expect("a number");
    assert!(n_of("won") > 0 && n_of("drawn") > 0 && n_of("lost") == 0 && n_of("open") == 0, "{json}");
    assert!(json["zugzwangs"].as_array().is_some_and(|all| !all.is_empty()), "{json}");
}

#[test]
fn what_is_too_much_is_refused_with_figures() {
    let e4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b - - 0 1";
    check(&["plan", "--position", e4], 1, "the position has 32 men", "");
    let plan = ["plan", "--position", ROOT, "--limit", "1000"];
    check(&plan, 1, "too much", "");
    refused(&[&["solve"], &plan[1..]].concat(), "--limit allows 1000");
    check(&["plan", "--position", ROOT], 0, "K+Q v K", "");
    refused(&["solve", "--position", "8/8 w"], "8/8 w:");
    refused(&["solve", "--position", "8/8/8/8/k7/1P6/8/K7 w - - 0 1"], "could capture Black's royal man");
    refused(&["solve", "--position", ROOT, "--promoted", "many"], "no number of promoted men");
    refused(&["solve", "--position", ROOT, "--metric", "wdl,dtm"], "one metric at a time");
}

/// A structure file is checked, planned and solved; what is wrong with one is shown with its lines.
#[test]
fn a_structure_file_is_solved() {
    let folder = Folder::new("file");
    let one = folder.write("one.toml", "description = \"A pawn.\"\nmen = \"wKb2-bK\"\n");
    let checked = call(&["check", &one], "");
    for part in
        ["ok: 3 men of fide, 1 way for the pawns to stand", "A pawn.", "White: king anywhere; pawn", "2 . P"]
    {
        checked.says(&[part]);
    }
    check(&["plan", FIDE, "--structure", &one], 0, "wKb2-bK without a limit:", "");
    let solve = ["solve", FIDE, "--structure", &one, "--out", folder.text()];
    let solved = call(&solve, "");
    for part in
        ["wKb2-bK.tss: 1 way for the pawns to stand, 11 slices", "of dtm, exact, solved without a limit"]
    {
        solved.ended(0).says(&[part]);
    }
    let probe = ["probe", ROOT, "--tables", folder.text(), "--variant", FIDE, "--no-solve"];
    check(&probe, 0, "(from wKb2-bK.tss)", "");
    // Several ways for the pawn to stand: the name of the file.
    let many = folder.write("ahead.toml", "men = \"wKb5+-bK\"\nmetric = \"wdl\"\n");
    let solved = run(&["solve", "--structure", &many, "--out", folder.text()], 0);
    solved.says(&["ahead.wdl.tss: 3 ways"]);
    // The mirror image of what is there is not solved again, nor is a position that is in it.
    let mirrored = folder.write("mirrored.toml", "men = \"wKg2-bK\"\n");
    let again = run(&["solve", FIDE, "--structure", &mirrored, "--out", folder.text()], 0);
    again.says(&["wKb2-bK.tss: 1 way"]);
    assert!(!again.err.contains("values of"), "nothing is solved again: {}", again.err);
    let again = call(&["solve", "--position", ROOT, "--out", folder.text()], "");
    assert!(again.code == 0 && !again.err.contains("values of"), "{}{}", again.out, again.err);
    // A number on the command line stands instead of the file's, and what is given away stays.
    let given = folder.write(
        "given.toml",
        "men = \"wKb2-bK\"\nmetric = \"wdl\"\n[limits]\npromoted = 1\ndiscard = [\"wb2b4\"]\n",
    );
    let given = ["solve", "--structure", &given, "--promoted", "0", "--out", folder.text()];
    let told = "with at most 0 promoted men in all, wb2b4 discarded";
    run(&given, 0).says(&[told]).errs(&[".least.tss: at least, for White ("]);
    let wrong = folder.write("wrong.toml", "men = \"wKb8-bK\"\n[limits]\npromotd = 1\n");
    for args in [&["check", &wrong][..], &["solve", "--structure", &wrong]] {
        let reply = call(args, "");
        let said = reply.out + &reply.err;
        assert!(reply.code > 0 && said.contains("wP cannot stand on `b8`"), "{said}");
        assert!(said.contains("did you mean `promoted`?") && said.contains("2 faults"), "{said}");
    }
    refused(&["check", FIDE, "--variant", FIDE], "is no structure file");
    refused(&["solve", "--structure", "no-such.toml"], "structures/wKQe6-bKQ.toml");
}

/// What cannot be put in order, as on a full disk, is not lost: the next run solves nothing again and ends
/// with the same bytes.
#[test]
fn a_file_is_put_in_order_by_the_next_run() {
    let (folder, other) = (Folder::new("unordered"), Folder::new("ordered"));
    let name = "wKb2-bK.wdl.tss";
    let blocked = folder.0.join(format!("{name}.sort"));
    fs::create_dir_all(&blocked).expect("a folder where the file is to be written");
    let solve =
        |folder: &Folder| call(&["solve", "--position", ROOT, "--metric", "wdl", "--out", folder.text()], "");
    solve(&folder).ended(2).errs(&[&format!("cannot write {}", folder.0.join(name).display())]);
    assert!(folder.0.join(format!("{name}.part")).exists() && !folder.0.join(name).exists());
    let begun = fs::metadata(folder.0.join(format!("{name}.part"))).expect("what was solved").len();
    fs::remove_dir(&blocked).expect("empty");
    solve(&folder).ended(0).says(&["Black loses"]);
    assert_eq!(solve(&other).code, 0);
    let [resumed, whole] = [&folder, &other].map(|folder| fs::read(folder.0.join(name)).expect("a file"));
    assert!(resumed == whole && begun > 0, "{} and {} bytes", resumed.len(), whole.len());
    assert!(!folder.0.join(format!("{name}.part")).exists());
}

/// A man that is fixed is named, and the bound says so.
#[test]
fn men_are_fixed_by_an_option() {
    let folder = Folder::new("fixed");
    let root = "8/8/8/8/1k6/8/1P6/K6N w - - 0 1";
    let solve = ["solve", "--position", root, "--metric", "wdl", "--out", folder.text()];
    let fixed = [&solve[..], &["--fixed", "wNh1", "--promoted", "0"]].concat();
    let reply = call(&fixed, "");
    let from = "wKNb2-bK.wdl.p0.wNh1.least.tss, solved with at most 0 promoted men in all, wNh1 fixed";
    reply.ended(1).says(&[from]).errs(&["open: with at most 0 promoted men in all, wNh1 fixed it"]);
    // What the knight could have done is left out.
    reply.says(&["Nf2   h1f2  not known"]);
    for (man, fault) in [
        ("wRh1", "no such man stands on h1"),
        ("wPb2", "a pawn stays where it is"),
        ("knight", "write side, letter and square"),
    ] {
        refused(&[&solve[..], &["--fixed", man]].concat(), fault);
    }
    // One bound is all that is asked for without a limit of promotions.
    check(&[&solve[..], &["--fixed", "wNh1"]].concat(), 0, "White at least draws", "wNh1 fixed");
    refused(&["solve", FIDE, "--fixed", "wNh1"], "--position");
}

/// Whether the side to move holds is asked alone.
#[test]
fn a_position_is_solved_for_a_draw() {
    let folder = Folder::new("for-draw");
    let solve = ["solve", "--position", ROOT, "--for", "draw", "--out", folder.text()];
    run(&solve, 0).says(&["Black loses", "(from wKb2-bK.wdl.draw-b.tss, "]);
    let root = "8/8/8/1k6/1P6/1K6/8/8 b - - 0 1";
    run(&["solve", "--position", root, "--for", "draw", "--out", folder.text()], 0)
        .says(&["Black at least draws"]);
    // Who wins can be asked of both sides at once.
    run(&["solve", "--position", root, "--position", ROOT, "--for", "verdict", "--out", folder.text()], 0)
        .says(&["\ndraw\n", "Black is mated in 22 moves"]);
    let white = "k7/8/K7/P7/8/8/8/8 w - - 0 1";
    refused(&["solve", "--position", root, "--position", white, "--for", "win"], "the same in all positions");
    let file = folder.0.join("wKb4-bK.wdl.draw-b.tss");
    check(&["verify", file.to_str().expect("plain text"), "--variant", FIDE], 0, "all right", "");
    refused(&[&solve[..], &["--metric", "dtm"]].concat(), "--for draw and --for win ask who wins");
    // Of the other side, and of men without pawns: each colour may hold.
    for (root, goal, told) in [
        ("k7/8/K7/P7/8/8/8/8 w - - 0 1", "win", "White at most draws"),
        ("8/1P6/8/8/8/8/1K6/6k1 w - - 0 1", "win", "White wins"),
        ("3k4/8/8/8/8/8/7r/4K3 w - - 0 1", "draw", "White loses"),
        ("3k4/8/8/8/8/8/7r/4K3 b - - 0 1", "draw", "Black at least draws"),
        ("3k4/8/8/8/8/8/7r/4K3 b - - 0 1", "win", "Black wins"),
        ("3k3R/8/8/8/8/8/8/4K3 b - - 0 1", "win", "Black at most draws"),
        ("3k4/7R/8/8/8/8/8/4K3 w - - 0 1", "win", "White wins"),
    ] {
        run(&["solve", "--position", root, "--for", goal, "--out", folder.text()], 0).says(&[told]);
    }
}
