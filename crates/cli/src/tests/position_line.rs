//! Gives positions as people's files have them: FEN and EPD, with what editors leave in them.

use super::{FIDE, Folder, call, run};

const QUEEN: &str = "8/8/8/8/8/4k3/8/4K2Q w - - 0 1";

/// The folder with the tables of three men, and what `probe` and `find` have in common.
fn solved(name: &str) -> Folder {
    let folder = Folder::new(name);
    run(&["solve", FIDE, "--men", "3", "--out", folder.text()], 0);
    folder
}

#[test]
fn lines_are_read_as_files_have_them() {
    let folder = solved("lines");
    let probe = ["probe", "--stdin", "--no-solve", "--variant", FIDE, "--tables", folder.text()];
    for (input, answers) in [
        // A byte order mark, CRLF, blank lines, comments, tabs between fields.
        (format!("\u{feff}# a list\r\n\r\n{QUEEN}\r\n \t\r\n"), vec![format!("{QUEEN}\t1\t9\th1d5")]),
        (QUEEN.replace(' ', "\t"), vec![format!("{QUEEN}\t1\t9\th1d5")]),
        // EPD, with the clocks as operations, and a semicolon at the end.
        (format!("{QUEEN};"), vec![format!("{QUEEN};\t1\t9\th1d5")]),
        (
            "8/8/8/8/8/4k3/8/4K2Q w - - bm Qd5; id \"KQvK 1\";".into(),
            vec!["8/8/8/8/8/4k3/8/4K2Q w - - bm Qd5; id \"KQvK 1\";\t1\t9\th1d5".into()],
        ),
        ("8/8 w\n".into(), vec!["8/8 w\terror\tnot a position: the men stand on 2 ranks".into()]),
    ] {
        let reply = call(&probe, &input);
        let lines: Vec<&str> = reply.out.lines().collect();
        assert_eq!(lines.len(), answers.len(), "{input:?}: {}", reply.out);
        for (line, answer) in lines.iter().zip(&answers) {
            assert!(line.starts_with(answer.as_str()), "{input:?}: {line}");
        }
        assert!(!reply.err.contains("left out"), "{input:?}: {}", reply.err);
    }
    // The clock of an operation counts.
    let clock = "8/8/8/8/8/4k3/8/4K2Q w - - hmvc 95; fmvn 60;";
    let args = ["probe", "--json", "--metric", "dtz50", "--variant", FIDE, "--tables", folder.text(), clock];
    call(&args, "").says(&["w - - 95 60", "\"wdl_now\": 0"]);
}

/// Rights that the men deny are left out, and one note a run says so.
#[test]
fn rights_that_cannot_be_are_told_once() {
    let folder = solved("denied");
    let probe = ["probe", "--no-solve", "--variant", FIDE, "--tables", folder.text()];
    let fen = "4k3/8/8/8/8/8/8/4K1R1 w KQkq e3 0 1";
    let reply = call(&[&probe[..], &["--stdin"]].concat(), &format!("{fen}\n").repeat(40));
    assert_eq!((reply.code, reply.out.lines().count()), (0, 40), "{}", reply.out);
    assert_eq!(reply.err.matches("the men of a position deny were left out").count(), 1, "{}", reply.err);
    let reply = run(&[&probe[..], &[fen]].concat(), 0);
    reply.says(&["White mates in"]);
    assert_eq!(reply.err.matches("the men of a position deny were left out").count(), 1, "{}", reply.err);
    run(&["plan", "--position", &format!("{fen};")], 0).errs(&["deny were left out"]);
}

/// What our own commands list can be asked for again.
#[test]
fn our_own_lists_are_read_again() {
    let folder = solved("lists");
    let table: &str = &folder.path("KQvK.tsm");
    let probe = ["probe", "--stdin", "--no-solve", "--variant", FIDE, "--tables", folder.text()];
    let find =
        ["find", "--variant", FIDE, "--tables", folder.text(), "KQvK", "--where", "wtm win and dtm == 19"];
    for list in [
        call(&find, ""),
        call(&[&find[..], &["--form", "fen"]].concat(), ""),
        call(&["stats", table, "--epd", "--variant", FIDE, "--limit", "20"], ""),
    ] {
        list.ended(0);
        let again = call(&probe, &list.out);
        again.ended(0);
        assert!(
            !list.out.is_empty() && again.out.lines().count() == list.out.lines().count(),
            "{}",
            again.out
        );
    }
}
