//! Compares the drawings of the files of tests/cases/variants_broken with those beside them.

use crate::failure::draw;
use std::path::{Path, PathBuf};
use variant::{Report, Variant};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Each file has its drawing beside it; `UPDATE_CASES=1` writes the drawings.
#[test]
fn files_give_their_drawings() {
    let folder = root().join("tests/cases/variants_broken");
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder).unwrap().map(|e| e.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "toml"));
    files.sort();
    assert!(files.len() >= 100, "only {} cases", files.len());
    let wrong: Vec<String> = files.iter().filter_map(|path| difference(path)).collect();
    assert!(wrong.is_empty(), "{} differ; UPDATE_CASES=1 writes them\n{}", wrong.len(), wrong.join("\n"));
}

/// What is wrong with the drawing of one file.
fn difference(path: &Path) -> Option<String> {
    let name = path.file_name().unwrap().to_string_lossy();
    let text = std::fs::read_to_string(path).unwrap();
    let Err(report) = Variant::parse(&text, &name) else { return Some(format!("{name} has no fault")) };
    let got = draw(&report, false);
    let beside = path.with_extension("txt");
    if std::env::var_os("UPDATE_CASES").is_some_and(|value| value == "1") {
        std::fs::write(&beside, &got).unwrap();
    }
    let expected = std::fs::read_to_string(&beside).unwrap_or_default();
    (got != expected).then(|| format!("=== {name}: expected\n{expected}=== {name}: got\n{got}"))
}

#[track_caller]
fn check_colours(report: &Report) {
    let (plain, coloured) = (draw(report, false), draw(report, true));
    assert!(plain.contains(report.source_name()) && !plain.contains('\u{1b}'), "{plain}");
    assert!(coloured.contains(report.source_name()) && coloured.contains('\u{1b}'), "{coloured}");
}

#[test]
fn only_a_terminal_gets_colours() {
    let text = "name = \"x\"\nboarrd = 1\n[[piece]]\nletter = \"K\"\nbetza = \"KzB\"\nroyal = true\n";
    check_colours(&Variant::parse(text, "test.toml").unwrap_err());
}

/// Any stretch of the file may be gone or be doubled, also in the middle of a key or a string.
#[test]
fn damaged_files_are_drawn() {
    let text = std::fs::read_to_string(root().join("variants/fide.toml")).unwrap();
    let cuts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    let mut n_drawn = 0;
    for (i, window) in cuts.windows(12).enumerate().step_by(5) {
        let (start, end) = (window[0], window[i % 12]);
        let without = text[..start].to_owned() + &text[end..];
        let doubled = text[..end].to_owned() + &text[start..];
        for damaged in [without, doubled] {
            if let Err(report) = Variant::parse(&damaged, "damaged.toml") {
                check_colours(&report);
                n_drawn += 1;
            }
        }
    }
    assert!(n_drawn >= 200, "{n_drawn} drawn");
}

/// What a file has of escape sequences is drawn as characters that do nothing.
#[test]
fn escape_sequences_of_a_file_are_not_obeyed() {
    let text = "name = \"\u{1b}[31mx\"\nb\u{9b}oard = \"\u{202e}\"\n# \u{7}\nletter\u{1b} = 1\n";
    let drawn = draw(&Variant::parse(text, "te\u{1b}st.toml").unwrap_err(), false);
    assert!(drawn.chars().all(|c| !c.is_control() || c == '\n') && !drawn.contains('\u{202e}'), "{drawn:?}");
    let coloured = draw(&Variant::parse("letter = \"\u{1b}]0;x\u{7}\"\n", "test.toml").unwrap_err(), true);
    assert!(!coloured.contains("\u{1b}]") && !coloured.contains('\u{7}'), "{coloured:?}");
}
