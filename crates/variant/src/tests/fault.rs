//! Checks the faults of the files of tests/cases/variants_broken, and of files broken at random.

use super::*;

#[test]
fn files_have_faults_with_places() {
    let mut files: Vec<PathBuf> = std::fs::read_dir(root().join("tests/cases/variants_broken"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    assert!(files.len() >= 100, "only {} cases", files.len());
    for path in files {
        let text = std::fs::read_to_string(&path).unwrap();
        let name = path.display().to_string();
        let report = Variant::parse(&text, &name).expect_err(&name);
        check_places(&report, &text);
    }
}

/// Lines and columns are those of the spans, in order; every fault says what to write.
#[track_caller]
fn check_places(report: &Report, text: &str) {
    let mut last = 0;
    for fault in report.faults() {
        let before = text.get(..fault.span.start).expect("a span starts at a character");
        assert_eq!(fault.line, before.matches('\n').count() + 1, "{fault}");
        assert_eq!(fault.column, before.rsplit('\n').next().unwrap().chars().count() + 1, "{fault}");
        assert!(text.get(fault.span.clone()).is_some() && fault.span.start >= last, "{fault}");
        assert!(!fault.message.is_empty() && !fault.help.is_empty(), "{fault}");
        last = fault.span.start;
    }
}

#[test]
fn random_damage_never_panics() {
    let text: Vec<char> = fide_text().chars().collect();
    let pieces: Vec<&str> =
        "\"|[|]|=|\n|é|0|-|'|{|}|,|#|true|\u{0}|\t|.|[[piece]]\n|\"\"\"".split('|').collect();
    let mut state = 7_u64;
    let mut below = |n: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    for _ in 0..400 {
        let (at, n) = (below(text.len()), below(12));
        let end = (at + n).min(text.len());
        let damaged = text[..at].iter().collect::<String>()
            + pieces[below(pieces.len())]
            + &text[end..].iter().collect::<String>();
        if let Err(report) = Variant::parse(&damaged, "damaged.toml") {
            check_places(&report, &damaged);
            assert!(report.to_string().contains("damaged.toml"));
        }
    }
}

#[test]
fn a_report_is_one_line_a_fault_where_it_is_an_error() {
    let report =
        report("name = \"x\"\nboarrd = 1\n[[piece]]\nletter = \"K\"\nbetza = \"KzB\"\nroyal = true\n");
    assert_eq!(report.source_name(), "test.toml");
    assert_eq!(
        report.to_string(),
        "test.toml: 2 faults, nothing was read\n\
         test.toml:2:1: boarrd: unknown key `boarrd` at the top of the file; did you mean `board`?\n\
         test.toml:5:11: piece[1].betza: `z` (crooked rides) is not supported, because a ride here repeats its step \
         or turns the same way each time, and does not go to and fro; \
         write `q` for a ride that goes round, or leave it out"
    );
}

#[test]
fn a_file_that_is_not_there() {
    let error = Variant::load("no/such/file.toml").unwrap_err();
    assert!(matches!(error, LoadError::Read { .. }));
    assert!(error.to_string().starts_with("cannot read the variant file no/such/file.toml: "), "{error}");
}

#[track_caller]
fn check_not_utf8(name: &str, bytes: &[u8], byte: usize) {
    let file = std::env::temp_dir().join(format!("tablesmith-variant-{}-{name}.toml", std::process::id()));
    std::fs::write(&file, bytes).unwrap();
    let error = Variant::load(&file).unwrap_err();
    std::fs::remove_file(&file).unwrap();
    let expected = format!("{} is not UTF-8 (byte {byte}); save it as UTF-8", file.display());
    assert_eq!(error.to_string(), expected);
}

#[test]
fn a_file_that_is_not_utf8() {
    check_not_utf8("latin-1", b"name = \"x\"\n# caf\xe9\n", 17);
    check_not_utf8("utf-16", b"\xff\xfen\0", 1);
    check_not_utf8("cut", b"#\xc3", 2);
}

#[test]
fn what_is_no_regular_file_is_refused_at_once() {
    if cfg!(unix) {
        for device in ["/dev/zero", "/dev/null"] {
            let error = Variant::load(device).unwrap_err();
            assert!(matches!(error, LoadError::NotAFile { .. }), "{error}");
            assert!(error.to_string().contains("give the path of a file"), "{error}");
        }
    }
    let file = std::env::temp_dir().join(format!("tablesmith-variant-{}-large.toml", std::process::id()));
    std::fs::write(&file, vec![b'#'; 100_001]).unwrap();
    let error = Variant::load(&file).unwrap_err();
    std::fs::remove_file(&file).unwrap();
    assert!(error.to_string().contains("has 100001 bytes, and a variant file has at most 100000"), "{error}");
}

/// A file of a hundred kilobytes that is all wrong is refused as fast as one of a kilobyte.
#[test]
fn files_with_far_too_much_are_refused_at_once() {
    let pieces = "[[piece]]\nletter = \"N\"\nbetza = \"N\"\n".repeat(2_000);
    let text = format!("name = \"x\"\n{pieces}");
    let found = report(&text);
    assert!(
        found.to_string().contains("`piece` has 2000 entries, expected at most 200"),
        "{}",
        found.summary()
    );
    let holes = "\"a1\",".repeat(10_000);
    let text = format!("name = \"x\"\n[board]\nholes = [{holes}]\n");
    let found = report(&text);
    assert!(found.to_string().contains("`holes` has 10000 entries"), "{}", found.summary());
    let keys: String = (0..9_000).map(|i| format!("k{i} = 1\n")).collect();
    let found = report(&keys);
    assert_eq!(found.summary(), "test.toml: 200 faults and perhaps more, nothing was read");
    // Brackets within each other, in the notation and in a string.
    for text in ["[", "a=[", "x={a=", "a.", "[a.", "[[", "a=1 ", "x=\"\"\""] {
        let text = text.repeat(99_000 / text.len());
        let found = report(&text);
        let is_short = found.faults().iter().all(|fault| fault.message.len() < 1_000);
        assert!(is_short && found.to_string().contains("this is not TOML"), "{}", found.summary());
    }
    let betza = |text: &str| fide_text().replacen("betza = \"N\"", &format!("betza = \"{text}\""), 1);
    let found = report(&betza(&"(".repeat(80_000)));
    assert!(found.to_string().contains("the movement has 80000 bytes, and 8192 are the most"), "{found}");
    // A longer text is not read at all, and not shown.
    let found = report(&"é".repeat(60_000));
    let said = "this is not TOML: the text has 120000 bytes, and 100000 are the most; leave out";
    assert!(found.to_string().contains(said) && found.to_string().len() < 300, "{found}");
}

#[test]
fn notations_of_other_programs_are_one_fault() {
    for (text, line, said) in [
        ("{\"name\": \"x\",\n \"pieces\": [1, 2]}\n", 1, "this is not TOML: it is JSON"),
        ("\n[\n {\"name\": \"x\"}\n]\n", 2, "this is not TOML: it is JSON"),
        ("\u{feff}{\"name\": \"x\"}\n", 1, "this is not TOML: it is JSON"),
        ("\u{feff}\n[chess]\nking = k\npawn = p\n", 2, "this is not TOML: it is an INI file"),
        ("[]\n", 1, "this is not TOML: it is JSON"),
        ("[\"name\", \"x\"]\n", 1, "this is not TOML: it is JSON"),
        ("# mine\n\n[chess]\nking = k\npawn = p\n", 3, "this is not TOML: it is an INI file"),
        ("; mine\nking = k\n", 1, "this is not TOML: it is an INI file"),
        ("# mine\n[chess]\nking = k\n\n[mine:chess]\npawn = p\nqueen = -\n", 5, "Fairy-Stockfish"),
    ] {
        let found = report(text);
        assert_eq!(found.faults().len(), 1, "{found}");
        assert_eq!(found.faults()[0].line, line);
        assert!(found.to_string().contains(said), "{found}");
    }
    // TOML with one such line goes on being TOML with a fault.
    assert!(report("name = \"x\"\n[rules\n").to_string().contains("unclosed table"));
}

#[test]
fn control_characters_of_a_file_reach_no_terminal() {
    let report = report(
        "name = \"\\u001b[2Jx\"\n\"\\u001b]0;title\\u0007\" = 1\n[[piece]]\nletter = \"K\"\nname = \"ki\\u009bng\"\n\
         betza = \"K\\u001b[31m\"\nroyal = true\n[rules]\nstalemate = \"\\u202edraw\"\n",
    );
    let text = report.to_string();
    assert!(text.chars().all(|c| !c.is_control() || c == '\n') && !text.contains('\u{202e}'), "{text:?}");
    for said in [
        "`name` has the control character \\u{1b}",
        "\\u{1b}]0;title\\u{7}: unknown key",
        "piece[1].name: `name` has the control character \\u{9b}",
        "piece[1].betza: `betza` has the control character \\u{1b}",
    ] {
        assert!(text.contains(said), "{said} is not in {text}");
    }
    // A description may have lines.
    let lines = fide_text().replacen("description = \"", "description = \"a\\nb ", 1);
    assert!(Variant::parse(&lines, "test.toml").is_ok());
}
