//! Runs the console blocks of the documents: types what stands after `$ ` and compares the output with what
//! stands below.
//!
//! They are run with the installed binary, which has the same commands as `cargo xtask`, in a folder with the
//! variants of the repository and the tables of three men of chess. In the output `…` stands for anything
//! within a line, and on a line of its own for any lines. A block of TOML that begins with `# at the end of
//! FILE` is added to that file.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The README and then the pages of `docs`, in the order of their names.
fn documents(root: &Path) -> Vec<PathBuf> {
    let pages = std::fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let mut documents: Vec<_> = pages.filter(|path| path.extension().is_some_and(|it| it == "md")).collect();
    documents.sort();
    documents.insert(0, root.join("README.md"));
    documents
}

/// What a document has its reader do.
enum Step {
    /// Type a command and see this output.
    Type { command: String, output: String },
    /// Add this text to a file.
    Append { file: String, text: String },
}

fn steps(document: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    for fenced in document.split("\n```").skip(1).step_by(2) {
        let (language, text) = fenced.split_once('\n').unwrap_or((fenced, ""));
        let first = text.lines().next().unwrap_or_default();
        match (language, first.strip_prefix("# at the end of ")) {
            ("console", _) => steps.extend(typed(text)),
            ("toml", Some(file)) => {
                steps.push(Step::Append { file: file.into(), text: format!("\n{text}\n") });
            }
            _ => {}
        }
    }
    steps
}

/// The commands of a console block.
fn typed(text: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    for line in text.lines() {
        match (line.strip_prefix("$ "), steps.last_mut()) {
            (Some(command), _) => steps.push(Step::Type { command: command.into(), output: String::new() }),
            (None, Some(Step::Type { output, .. })) => *output += &format!("{line}\n"),
            (None, _) => panic!("a block begins with a command: {line}"),
        }
    }
    steps
}

/// Whether lines are as expected, where `…` stands for anything within a line, or for any lines.
fn fits(expected: &[&str], found: &[&str]) -> bool {
    match (expected, found) {
        ([], found) => found.is_empty(),
        (["…", rest @ ..], found) => (0..=found.len()).any(|n| fits(rest, &found[n..])),
        ([line, rest @ ..], [first, others @ ..]) => line_fits(line, first) && fits(rest, others),
        _ => false,
    }
}

fn line_fits(expected: &str, found: &str) -> bool {
    match expected.split_once('…') {
        None => expected == found,
        Some((front, rest)) => found.strip_prefix(front).is_some_and(|found| {
            let mut ends = (0..=found.len()).filter(|&at| found.is_char_boundary(at));
            ends.any(|at| line_fits(rest, &found[at..]))
        }),
    }
}

#[track_caller]
fn check_fits(expected: &str, found: &str, is_fitting: bool) {
    let [expected, found] = [expected, found].map(|text| text.lines().collect::<Vec<_>>());
    assert_eq!(fits(&expected, &found), is_fitting, "{expected:?} and {found:?}");
}

#[test]
fn dots_stand_for_anything() {
    check_fits("a\nb", "a\nb", true);
    check_fits("a\nb", "a\nb\nc", false);
    check_fits("a\n…", "a\nb\nc", true);
    check_fits("…\nc", "a\nb\nc", true);
    check_fits("…\nb", "a\nb\nc", false);
    check_fits("in … s, … B", "in 0.3 s, 12 B", true);
    check_fits("in … s, … B", "in 0.3 s, 12 kB.", false);
    check_fits("in …", "out 3 s", false);
}

/// The words of a command; double quotes hold words together.
fn words(command: &str) -> Vec<String> {
    let quoted = command.split('"').enumerate();
    quoted
        .flat_map(|(i, part)| match i % 2 {
            1 => vec![part.to_owned()],
            _ => part.split_whitespace().map(str::to_owned).collect(),
        })
        .collect()
}

fn tablesmith(folder: &Path, args: &[String]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tablesmith")).args(args).current_dir(folder).output().expect("it runs")
}

#[test]
fn commands_do_what_the_documents_say() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("variants")).unwrap();
    for entry in std::fs::read_dir(root.join("variants")).unwrap() {
        let path = entry.unwrap().path();
        std::fs::copy(&path, folder.path().join("variants").join(path.file_name().unwrap())).unwrap();
    }
    let solve = ["solve", "variants/fide.toml", "--men", "3"].map(str::to_owned);
    assert!(tablesmith(folder.path(), &solve).status.success());

    let mut n_steps = 0;
    for document in documents(&root) {
        let text = std::fs::read_to_string(&document).unwrap();
        for step in steps(&text) {
            match step {
                Step::Append { file, text } => append(&folder.path().join(file), &text),
                Step::Type { command, output } => check(folder.path(), &document, &command, &output),
            }
            n_steps += 1;
        }
    }
    assert!(n_steps >= 10, "{n_steps} steps");
}

fn append(file: &Path, text: &str) {
    let whole = std::fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display())) + text;
    std::fs::write(file, whole).unwrap();
}

#[track_caller]
fn check(folder: &Path, document: &Path, command: &str, expected: &str) {
    let document = document.display();
    let args = command.strip_prefix("cargo xtask ").expect("a command of the workbench");
    let output = tablesmith(folder, &words(args));
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let [wanted, found] = [expected, &*out].map(|text| text.lines().collect::<Vec<_>>());
    assert!(fits(&wanted, &found), "{document}: {command}: expected\n{expected}got\n{out}{err}");
    assert_ne!(output.status.code(), Some(2), "{document}: {command}\n{err}");
}
