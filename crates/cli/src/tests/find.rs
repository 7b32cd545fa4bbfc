//! Runs `find` and the lists and comparisons of `stats`, from the arguments to the output.

use super::{FIDE, Folder, call, check, refused, run};
use std::fs;

/// A folder with the tables of three men of chess.
fn three_men(name: &str) -> Folder {
    let folder = Folder::new(name);
    run(&["solve", FIDE, "--men", "3", "--out", folder.text()], 0);
    folder
}

#[test]
fn positions_are_found_and_counted() {
    let folder = three_men("find");
    let find = |args: &[&str]| call(&[&["find", "--tables", folder.text()], args].concat(), "");
    let longest = find(&["KQvK", "--where", "wtm plies = 19"]);
    assert_eq!((longest.code, longest.out.lines().count()), (0, 1), "{}", longest.err);
    assert!(longest.out.starts_with("8/8/8/5k2/8/8/1Q6/K7 w - - bm "), "{}", longest.out);
    longest.errs(&["KQvK: 1 position modulo symmetry (8 on the whole board"]);
    let count = find(&["K*vK", "--where", "btm mate", "--count"]);
    count.ended(0);
    assert!(count.out.lines().last().unwrap().starts_with("together"), "{}", count.out);
    // The same as the statistics count.
    assert!(
        count.out.lines().any(|line| line.starts_with("KQvK ") && line.contains(" 364 ")),
        "{}",
        count.out
    );
    let fens = find(&["KPvK", "--where", "wtm moves.winning == 1 and keeping.promotes", "--form", "fen"]);
    assert!(fens.out.lines().all(|line| line.contains('P') && line.ends_with(" w - - 0 1")), "{}", fens.out);
    assert!(!fens.out.is_empty());
    let first = find(&["KPvK", "--where", "win", "--form", "csv", "--limit", "3"]);
    assert_eq!(first.out.lines().count(), 4, "{}", first.out);
    assert!(first.out.starts_with("fen,material,to_move,result,dtm,best\n"), "{}", first.out);
    first.errs(&["KPvK: the first 3"]);
    let sample = |seed| find(&["--where", "win", "--form", "fen", "--sample", "5", "--seed", seed]).out;
    assert_eq!(sample("7"), sample("7"));
    assert_eq!(sample("7").lines().count(), 5);
    assert_ne!(sample("7"), sample("8"));
    let game = find(&["KPvK", "--where", "wtm plies = 55", "--form", "pgn", "--limit", "1"]);
    game.says(&["[Event \"KPvK 1\"]", "# 1-0\n"]);
    assert!(game.out.contains('!'), "{}", game.out);
    let none = find(&["KBvK", "--where", "win"]);
    assert_eq!((none.code, none.out.as_str()), (1, ""), "{}", none.err);
}

#[test]
fn queries_that_cannot_be_answered_say_why() {
    let folder = three_men("find-faults");
    let tables = ["--tables", folder.text()];
    let check_fault = |args: &[&str], message: &str| {
        refused(&[&["find"], args, &tables].concat(), message);
    };
    check_fault(&["KQvK", "--where", "wtm wining"], "did you mean `win`?\n  | wtm wining\n  |     ^^^^^^");
    check_fault(&["KQvKR", "--where", "win"], "KQvKR is not there with the metric dtm");
    check_fault(&["KX*vK", "--where", "win"], "no table fits `KX*vK`");
    check_fault(&["KQvK", "--where", "draw in dtz50"], "with the metrics dtm, dtz50, wdl");
    check_fault(&["KQvK"], "--where <CONDITION>");
    refused(&["find", "--where", "win", "--tables", "no/such/folder"], "no/such/folder");
    check(&["find", "--words"], 0, "| `mutual-zugzwang` | code |", "");
}

#[test]
fn other_metrics_are_compared() {
    let folder = Folder::new("find-metrics");
    let metrics = ["--metric", "dtm,dtz50,dtc", "--table", "KPvK", "--out", folder.text()];
    run(&[&["solve", FIDE][..], &metrics].concat(), 0);
    let find = |args: &[&str]| {
        call(&[&["find", "KPvK", "--tables", folder.text(), "--count", "--where"], args].concat(), "")
    };
    find(&["wtm and dtm - dtc > 10"]).ended(0);
    // No win of three men is drawn by the fifty-move rule.
    find(&["wins in dtm but drawn in dtz50"]).ended(1);
    assert!(find(&["win in dtm and win in wdl and win in dtc"]).out.contains("62,480"));
}

#[test]
fn statistics_of_folders_are_listed() {
    let folder = three_men("stats-list");
    let stats = |args: &[&str]| call(&[&["stats", folder.text()], args].concat(), "");
    let text = stats(&[]);
    assert_eq!((text.code, text.out.lines().count()), (0, 6), "{}", text.err);
    let csv = stats(&["--csv"]).out;
    let (head, rows) = csv.split_once('\n').unwrap();
    let place = |name: &str| head.split(',').position(|column| column == name).expect("a column");
    let queen: Vec<&str> = rows.lines().find(|line| line.starts_with("KQvK,")).unwrap().split(',').collect();
    let cells = ["metric", "wtm_wins", "wtm_wins_board", "btm_longest_loss", "zugzwangs"]
        .map(|name| queen[place(name)]);
    assert_eq!(cells, ["dtm", "18081", "144508", "20", "0"]);
    assert_eq!(queen[place("btm_loss_percent")], "89.71");
    let plies = stats(&["--csv", "--by-ply"]).out;
    assert!(plies.contains("\nKQvK,dtm,white,win,19,1,8\n"), "{plies}");
    let markdown = stats(&["--markdown"]).out;
    assert!(markdown.lines().nth(1).unwrap().starts_with("| --- | --- | ---: |"), "{markdown}");
    assert!(stats(&["--json"]).out.contains("\"slow_win\": "));
    let file = folder.0.join("KQvK.tsm");
    let one = call(&["stats", file.to_str().unwrap(), "--csv"], "");
    assert_eq!((one.code, one.out.lines().count()), (0, 2), "{}", one.err);
    let empty = Folder::new("stats-empty");
    refused(&["stats", empty.text()], "has no table files");
}

#[test]
fn a_report_fits_one_screen() {
    let folder = three_men("stats-report");
    let file = folder.0.join("KQvK.tsm");
    let report = run(&["stats", file.to_str().unwrap(), "--report"], 0);
    assert!(report.out.lines().count() < 25, "{}", report.out);
    let row = |label: &str| {
        let line =
            report.out.lines().find(|line| line.starts_with(label)).unwrap_or_else(|| panic!("{label}"));
        line[label.len()..].split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(row("legal positions"), ["144,508", "100.00", "223,944", "100.00"]);
    assert_eq!(row("drawn"), ["0", "0.00", "23,048", "10.29"]);
    // The lone king takes the queen, or is stalemated.
    assert_eq!(row("draws by a capture at once")[2], "22,176");
    assert_eq!(row("other draws (fortresses)")[2], "0");
}

#[test]
fn tables_of_two_games_are_compared() {
    let folder = three_men("stats-against");
    let rules = fs::read_to_string(FIDE).expect("the rules of chess");
    let rules = rules.replace("name = \"fide\"", "name = \"cruel\"");
    let rules = rules.replace("stalemate-value = \"draw\"", "stalemate-value = \"loss\"");
    let (file, other) = (folder.0.join("cruel.toml"), folder.0.join("cruel"));
    fs::write(&file, rules).expect("the file is written");
    let solve = ["solve", file.to_str().unwrap(), "--table", "KQvK", "--out", other.to_str().unwrap()];
    run(&solve, 0);
    let files = [&folder.0, &other].map(|folder| folder.join("KQvK.tsm").to_str().unwrap().to_owned());
    let compared = run(&["stats", &files[0], "--against", &files[1]], 0);
    // Of 2896 draws with Black to move, 109 are stalemates.
    let row = compared.out.lines().filter(|line| line.starts_with("fide: draw")).nth(1).unwrap();
    assert_eq!(row.split_whitespace().collect::<Vec<_>>(), ["fide:", "draw", "0", "2,787", "109", "0"]);
    compared.says(&["stalemate by fide, loss in 0 plies by cruel"]);
    let rook = folder.0.join("KRvK.tsm");
    refused(&["stats", &files[0], "--against", rook.to_str().unwrap()], "the same letters are needed");
}

#[test]
fn the_page_lists_the_words() {
    let words = call(&["find", "--words"], "").out;
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/find.md");
    let page = fs::read_to_string(page).expect("the page about find");
    assert!(page.contains(&words), "docs/find.md needs\n{words}");
}

#[test]
fn pieces_are_surveyed() {
    let survey = run(&["survey", "--pieces", "N,rook", "--against", ",N", "--csv"], 0);
    let lines: Vec<&str> = survey.out.lines().collect();
    assert_eq!(lines.len(), 5, "{}", survey.out);
    assert!(lines[1].starts_with("N,knight,never,0.00,"), "{}", lines[1]);
    assert!(lines[3].starts_with("R,rook,forced,100.00,") && lines[3].contains(",31,"), "{}", lines[3]);
    call(&["survey", "--pieces", "N", "--pairs", "--board", "6x6", "--json"], "")
        .says(&["\"pieces\": \"N + N\""]);
    refused(&["survey", "--pieces", "N,,R"], "has an empty name");
    refused(&["survey", "--pieces", "no such piece"], "no piece is called `no such piece`");
    refused(&["survey", "--pieces", "N", "--against", "Nx"], "there is no modifier `x`");
}

#[test]
fn tables_are_drawn() {
    let folder = three_men("chart");
    let file = folder.0.join("KQvK.tsm");
    let file = file.to_str().unwrap();
    let lines = call(&["chart", file], "");
    lines.says(&["KQvK dtm: White to move wins</text>"]);
    assert_eq!(lines.out.matches("<polyline ").count(), 2);
    let other = folder.0.join("KPvK.tsm");
    let other = other.to_str().unwrap();
    let both = call(&["chart", file, other, "--result", "win", "--linear"], "");
    both.says(&["KQvK dtm, KPvK dtm: positions by ply"]);
    assert_eq!(both.out.matches("<polyline ").count(), 2, "White's wins of each");
    // The bytes are the same everywhere: these are the picture of docs/find.md.
    let map = call(&["chart", other, "--square-of", "k"], "");
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/charts/kpvk-heat-map.svg");
    assert_eq!(map.out, fs::read_to_string(page).expect("the picture of the page"), "{}", map.err);
    refused(&["chart", file, "--square-of", "R"], "KQvK has no man `R`; it has KQk");
    let out = folder.0.join("a.svg");
    run(&["chart", file, "-o", out.to_str().unwrap()], 0);
    assert_eq!(fs::read_to_string(&out).expect("a picture"), lines.out);
}

#[test]
fn longest_mates_are_listed() {
    let folder = three_men("longest");
    let out = folder.0.join("lists");
    let export = ["export", folder.text(), "--format", "longest", "--out", out.to_str().unwrap()];
    run(&export, 0);
    let list = fs::read_to_string(out.join("longest_mates.csv")).expect("a list");
    assert!(list.contains("\nKQvK,dtm,white,win,19,1,8,8/8/8/5k2/8/8/1Q6/K7 w - - 0 1\n"), "{list}");
}

#[test]
fn pictures_in_pixels_need_the_feature() {
    let folder = three_men("chart-png");
    let (file, out) = (folder.0.join("KQvK.tsm"), folder.0.join("a.PNG"));
    let args = ["chart", file.to_str().unwrap(), "-o", out.to_str().unwrap()];
    if cfg!(feature = "png") {
        run(&args, 0);
        let bytes = fs::read(&out).expect("a picture");
        // The head of a PNG, and twice the drawing's 960 units of width.
        assert_eq!(bytes[..8], *b"\x89PNG\r\n\x1a\n");
        assert_eq!(bytes[16..20], 1920u32.to_be_bytes());
    } else {
        refused(&args, "this program was built without PNG; name a file that ends in .svg");
    }
}
