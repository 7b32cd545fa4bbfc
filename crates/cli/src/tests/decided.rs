//! Asks at every door what the rules alone decide, and what lies beside the tables of a metric in a folder.

use super::{FIDE, Folder, call, refused, run};
use serde_json::Value;

/// Positions of any number of men, without a table: what `probe` says, the result, plies and best moves.
const DECIDED: [(&str, &str, i64, &str, &str); 6] = [
    ("6k1/5ppp/8/8/8/8/5PPP/1R4K1 w - - 0 1", "White mates in 1 move, 1 ply", 1, "1", "b1b8"),
    ("2rkr3/2p1p3/8/8/8/8/8/R3K3 w Q - 0 1", "White mates in 1 move, 1 ply", 1, "1", "a1d1 e1c1"),
    (
        "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3",
        "checkmate: Black has won",
        -1,
        "0",
        "-",
    ),
    ("k7/P7/K7/8/7p/7P/6pP/6B1 b - - 0 1", "stalemate: Black has no move, a draw", 0, "-", "-"),
    (
        "B1B1B1B1/8/8/8/8/4k3/8/4K3 w - - 0 1",
        "draw",
        0,
        "-",
        "a8b7 a8c6 a8d5 a8e4 a8f3 a8g2 a8h1 c8a6 c8b7 c8d7 c8e6 c8f5 c8g4 c8h3 e1d1 e1f1 e8a4 \
         e8b5 e8c6 e8d7 e8f7 e8g6 e8h5 g8a2 g8b3 g8c4 g8d5 g8e6 g8f7 g8h7",
    ),
    ("7k/6Q1/8/8/8/8/8/K7 b - - 0 1", "draw", 0, "-", "h8g7"),
];

#[track_caller]
fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn every_door_says_what_the_rules_decide() {
    let empty = Folder::new("decided");
    let probe = |more: &[&str], input: &str| {
        let reply = call(
            &[&["probe", "--tables", empty.text(), "--variant", FIDE, "--no-solve"], more].concat(),
            input,
        );
        reply.ended(0);
        reply.out
    };
    for (fen, text, wdl, plies, best) in DECIDED {
        let shown = probe(&[fen], "");
        assert!(shown.contains(&format!("\n{text}")), "{fen}: {shown}");
        let tab = format!("{fen}\t{wdl}\t{plies}\t{best}\n");
        assert_eq!(probe(&["--stdin"], &format!("{fen}\n")), tab);
        assert_eq!(probe(&["--stdin", "--value-only"], fen), format!("{fen}\t{wdl}\t{plies}\n"));
        for answer in [probe(&[fen, "--json"], ""), probe(&["--stdin", "--json"], fen)] {
            let answer = json(&answer);
            assert_eq!(answer["wdl"], wdl, "{answer}");
            let best: Vec<&str> = best.split(' ').filter(|best| *best != "-").collect();
            let moves = answer["moves"].as_array().expect("moves").iter();
            let known = moves.filter(|mv| mv["wdl"] == wdl).map(|mv| mv["uci"].as_str().expect("text"));
            assert_eq!(known.collect::<Vec<_>>(), best, "{answer}");
        }
        for metric in ["wdl", "dtz50"] {
            assert_eq!(json(&probe(&[fen, "--json", "--metric", metric], ""))["wdl"], wdl, "{fen}: {metric}");
        }
    }
    // What is not known of the other moves is said.
    let (mate, ..) = DECIDED[0];
    let shown = probe(&[mate], "");
    for part in
        ["Rb8#  b1b8  mate\n", "\n1. Rb8#\n", "not all moves can be rated: no table: KRPPPvKPPP has 9 men"]
    {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    // The engine, by both protocols.
    let uci = ["uci", "--tables", empty.text(), "--no-solve"];
    let played = call(&uci, &format!("position fen {mate}\ngo\nquit\n")).out;
    assert!(played.contains("score mate 1 ") && played.contains("bestmove b1b8"), "{played}");
    // With the whole rule on the clock it is a draw.
    let late = mate.replace("0 1", "100 80");
    let played = call(&uci, &format!("position fen {late}\ngo\nquit\n")).out;
    assert!(played.contains("score cp 1 ") && played.contains("bestmove b1b8"), "{played}");
    // Of White's moves g2g4 alone allows a mate in one.
    let fool = "rnbqkbnr/pppp1ppp/8/4p3/8/5P2/PPPPP1PP/RNBQKBNR w KQkq - 0 2";
    let all = format!("setoption name MultiPV value 256\nposition fen {fool}\ngo\nquit\n");
    let played = call(&uci, &all).out;
    let lost: Vec<&str> = played.lines().filter(|line| line.contains("score mate -1 ")).collect();
    assert!(lost.len() == 1 && lost[0].contains(" pv g2g4"), "{played}");
    let xboard = ["xboard", "--tables", empty.text(), "--no-solve"];
    let played = call(&xboard, &format!("new\nforce\nsetboard {mate}\npost\ngo\nquit\n")).out;
    assert!(
        played.contains("1 100001 0 20 b1b8") && played.contains("1-0 {checkmate: White has won}"),
        "{played}"
    );
}

/// A line of the input and a FEN on the command line have one answer, from whatever file of the folder.
#[test]
fn a_line_is_answered_as_a_position_is() {
    let folder = Folder::new("beside");
    let solve_to = |code: u8, more: &[&str]| {
        let reply = call(&[&["solve", "--out", folder.text()], more].concat(), "");
        assert_eq!(reply.code, code, "{more:?}: {}{}", reply.out, reply.err);
    };
    let solve = |more: &[&str]| solve_to(0, more);
    // A structure, exact; one of bounds; one side's wins; another metric.
    solve(&["--position", "8/8/8/1k6/8/1K6/1P6/8 b - - 0 1"]);
    solve_to(1, &["--position", "8/4k1p1/8/8/8/8/4K3/8 w - - 0 1", "--promoted", "0", "--metric", "wdl"]);
    solve(&[FIDE, "--table", "KRvKN", "--wins", "white"]);
    solve(&[FIDE, "--table", "KNvKN", "--metric", "wdl"]);
    for file in ["KQvK.tsm", "KRvK.tsm", "KBvK.tsm", "KNvK.tsm"] {
        drop(std::fs::remove_file(folder.0.join(file)));
    }
    let probe = ["probe", "--tables", folder.text(), "--variant", FIDE, "--no-solve"];
    let cases = [
        ("8/8/8/1k6/8/1K6/1P6/8 b - - 0 1", "wKb2-bK.tss"),
        // A structure knows more of a mate in one than the rules.
        ("8/1P6/2K5/8/8/8/k7/8 w - - 0 1", "wKb2-bK.tss"),
        ("8/4k1p1/8/8/8/8/4K3/8 w - - 0 1", ".tss"),
        ("8/8/8/8/3k4/8/2n5/K6R w - - 0 1", "KRvKN.tsm"),
        ("8/8/8/8/3k4/8/2n5/K6N w - - 0 1", "KNvKN.tsm"),
    ];
    for (fen, file) in cases {
        let (one, line) = (
            call(&[&probe[..], &[fen, "--json"]].concat(), ""),
            [&probe[..], &["--stdin", "--json"]].concat(),
        );
        let line = call(&line, fen);
        assert_eq!((one.code, line.code), (0, 0), "{fen}: {}{} {}{}", one.out, one.err, line.out, line.err);
        let (one, line) = (json(&one.out), json(&line.out));
        assert!(one.to_string().contains(file), "{fen}: {one}");
        for key in ["fen", "file", "files", "wdl", "dtm", "at_least", "at_most", "exact", "moves", "text"] {
            assert_eq!(one.get(key), line.get(key), "{fen}: {key}");
        }
    }
    let lines: Vec<&str> = cases.iter().map(|(fen, _)| *fen).collect();
    let many = call(&[&probe[..], &["--stdin"]].concat(), &lines.repeat(8).join("\n"));
    // Where White does not win, Black may: no best move is known.
    many.ended(1).says(&["\t-1..0\t-..-\t?\n"]);
    let answers: Vec<&str> = many.out.lines().collect();
    assert!(answers.len() == 40 && answers[..5] == answers[35..], "{}", many.out);
    assert!(answers[0].ends_with("\t-1\t44\tb5a5 b5a6 b5c5 b5c6"), "{}", answers[0]);
    assert!(answers[2].contains("\t0\t-"), "{}", answers[2]);
    many.errs(&["some plies are those of wdl"]);
}

/// A folder that is named has to be there; where none is named all goes on without.
#[test]
fn a_named_folder_that_is_not_there_is_an_error() {
    let folder = Folder::new("named");
    let fen = "8/8/8/8/8/4k3/8/4K2Q w - - 0 1";
    let own = folder.text();
    for args in [
        &["probe", "--tables", "/no/such", fen][..],
        &["probe", "--tables", "/no/such", "--stdin"],
        &["probe", "--tables", own, "--using", "/no/such", fen],
        &["probe", "--tables", own, "--using", "/no/such", "--stdin"],
        &["probe", "--tables", own, "--tables", "/no/such", fen],
        &["probe", "--tables", "/no/such", "--tables", own, "--stdin"],
        &["find", "--tables", "/no/such", "--where", "wtm win"],
        &["find", "--tables", own, "--tables", "/no/such", "--where", "wtm win"],
        &["stats", "--using", "/no/such", own],
        &["verify", "--using", "/no/such", own],
        &["solve", FIDE, "--using", "/no/such", "--men", "3", "--out", own],
        &["plan", "--position", fen, "--using", "/no/such"],
        &["serve", "--tables", "/no/such", "--variant", FIDE, "--listen", "127.0.0.1:0"],
        &["explore", "--tables", "/no/such"],
        &["serve", "--tables", own, "--tables", "/no/such", "--listen", "127.0.0.1:0"],
        &["explore", "--tables", own, "--tables", "/no/such"],
        &["uci", "--tables", own, "--tables", "/no/such"],
        &["xboard", "--tables", own, "--tables", "/no/such"],
        &["uci", "--tables", "/no/such"],
        &["xboard", "--tables", "/no/such"],
    ] {
        refused(args, "/no/such");
    }
    run(&["probe", fen], 0).says(&["White mates in 5 moves"]);
}

/// Where the side to move may have won without a move, distances hold one for the claim, and say so.
#[test]
fn distances_say_where_a_claim_counts() {
    let rules = FIDE.replace("fide", "antichess");
    let claimed = call(&["probe", "--variant", &rules, "8/8/8/8/8/8/1r6/R7 w - - 0 1"], "");
    let told = " moves, 3 plies (claiming a win without a move counts as a move)\n";
    claimed.ended(0).says(&[told]);
    call(&["probe", "--variant", FIDE, "8/8/8/8/8/4k3/8/4K2Q w - - 0 1"], "")
        .says(&["\nWhite mates in 5 moves, 9 plies\n"]);
}

/// Each question is answered from the first folder that has a file, with the rules that lie in either.
#[test]
fn tables_may_lie_in_several_folders() {
    let rules = concat!(env!("CARGO_MANIFEST_DIR"), "/../../variants/stalemate-loses.toml");
    let folder = Folder::new("several");
    let [one, other] = ["one", "other"].map(|name| format!("{}/{name}", folder.text()));
    for (table, out) in [("KQvK", &one), ("KRvK", &other)] {
        run(&["solve", rules, "--table", table, "--out", out], 0);
    }
    let (queen, rook) = ("8/8/8/4k3/8/8/8/KQ6 w - - 0 1", "8/8/8/4k3/8/8/8/KR6 w - - 0 1");
    let probe = |folders: [&str; 2], more: &[&str], input: &str| {
        let [first, second] = folders;
        let args = ["probe", "--no-solve", "--tables", first, "--tables", second];
        call(&[&args[..], more].concat(), input)
    };
    let beside = |out: &str| format!("{out}/stalemate-loses.rules.toml");
    // The rules of the second folder serve.
    std::fs::remove_file(beside(&one)).expect("the rules are there");
    let reply = probe([&one, &other], &["--stdin", "--value-only"], &format!("{queen}\n{rook}\n"));
    reply.ended(0);
    assert!(reply.out.lines().all(|line| line.contains("\t1\t")) && reply.out.lines().count() == 2);
    for (fen, place) in [(queen, &one), (rook, &other)] {
        probe([&one, &other], &[fen, "--json"], "").ended(0).says(&["\"wdl\": 1"]);
        let lined = probe([&one, &other], &[fen, "--line"], "");
        assert!(lined.code == 0 && lined.out.contains('#'), "{place}: {}{}", lined.out, lined.err);
    }
    let find = ["find", "--tables", &one, "--tables", &other, "--where", "wtm win", "--count"];
    let reply = call(&find, "");
    assert!(reply.code == 0 && ["KQvK", "KRvK"].iter().all(|name| reply.out.contains(name)), "{}", reply.out);
    refused(&[&find[..], &["KBvK"]].concat(), "/other; run `tablesmith solve");
    // The first of two files is read.
    std::fs::write(format!("{other}/KQvK.tsm"), "no table").expect("a file");
    assert_eq!(probe([&one, &other], &[queen], "").code, 0);
    probe([&other, &one], &[queen], "").ended(2).errs(&["/other/KQvK.tsm"]);
    // Rules that contradict each other are no guess.
    let text = std::fs::read_to_string(beside(&other)).expect("rules");
    let changed = text.replacen("metric = \"dtm\"", "metric = \"wdl\"", 1);
    assert_ne!(text, changed);
    std::fs::write(beside(&one), changed).expect("a file");
    probe([&one, &other], &[queen], "").ended(2).errs(&["have different rules of stalemate-loses"]);
    assert_eq!(probe([&one, &other], &[queen, "--variant", rules], "").code, 0);
}
