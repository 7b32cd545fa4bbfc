//! Counts how large the program is, and holds each count against the one in `docs/house.md`.
//!
//! Code has no comments, no blank lines, no items for tests, and no files of tests and benches. The counts
//! see the text alone, so that they take a moment; the page says what each of them is for.

use super::complaint::Complaint;
use super::token::{self, Token};
use super::tree::{files, read};
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The page that holds the counts.
const PAGE: &str = "docs/house.md";

/// Endings of the names of types that say what went wrong.
const FAULTS: &[&str] = &["Error", "Fault", "Refusal", "Failure", "Failed"];

/// Words without a subject.
const VAGUE: &[&[&str]] = &[&["whoever"], &["somebody"], &["nobody"], &["so", "many"]];

/// A count with its name.
type Measure = (String, usize);

/// All counts of a source tree, in the order of the page.
///
/// # Errors
/// A file or folder that cannot be read.
pub fn measures(root: &Path) -> Result<Vec<Measure>> {
    let mut house = House::default();
    let paths = files(root)?;
    for path in &paths {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("rs") => house.add(path, &read(root, path)?),
            Some("toml") if path.iter().nth(2).is_some_and(|name| name == "Cargo.toml") => {
                house.n_crates += usize::from(path.starts_with("crates"));
            }
            _ => {}
        }
    }
    Ok(house.list())
}

/// Writes counts into the rows that the page has for them, and new rows behind its last one; its text
/// otherwise stays.
///
/// # Errors
/// The page cannot be read or written.
pub fn write(root: &Path, measures: &[Measure]) -> Result<()> {
    let page = read(root, Path::new(PAGE))?;
    Ok(fs_err::write(root.join(PAGE), written(&page, measures))?)
}

/// The page with these counts.
pub(super) fn written(page: &str, measures: &[Measure]) -> String {
    let shown = |(name, n): &Measure| format!("| {name} | {n} |");
    let mut lines: Vec<String> = page.lines().map(str::to_owned).collect();
    for measure in measures {
        let is_row = |line: &String| row(line).is_some_and(|(name, _)| name == measure.0);
        match lines.iter_mut().find(|line| is_row(line)) {
            Some(line) => *line = shown(measure),
            None => {
                let last =
                    lines.iter().rposition(|line| row(line).is_some()).map_or(lines.len(), |at| at + 1);
                lines.insert(last, shown(measure));
            }
        }
    }
    lines.join("\n") + "\n"
}

/// The counts that are larger than the page allows, and those that it does not name.
///
/// # Errors
/// A file or folder that cannot be read.
pub(super) fn check(root: &Path) -> Result<Vec<Complaint>> {
    Ok(compare(&read(root, Path::new(PAGE))?, &measures(root)?))
}

/// The counts that are larger than a page allows, and those that it does not name.
pub(super) fn compare(page: &str, measures: &[Measure]) -> Vec<Complaint> {
    let allowed: BTreeMap<&str, (usize, usize)> = (1..)
        .zip(page.lines())
        .filter_map(|(line, text)| row(text).map(|(name, n)| (name, (line, n))))
        .collect();
    let complain = |line, message| Complaint { path: PAGE.into(), line, message };
    let judge = |(name, n): &Measure| match allowed.get(name.as_str()) {
        None => Some(complain(0, format!("`{name}` is missing: add the row `| {name} | {n} |`"))),
        Some(&(line, most)) if *n > most => Some(complain(
            line,
            format!(
                "{name}: {n}, and {most} are allowed; make it less, or say in the commit why it is worth it"
            ),
        )),
        Some(_) => None,
    };
    // Walks are counted by coverage, which takes minutes: a command of its own writes them.
    let is_known = |name: &str| name.starts_with("walk ") || measures.iter().any(|(known, _)| known == name);
    let unknown = allowed.iter().filter(|(name, _)| !is_known(name));
    let unknown = unknown
        .map(|(name, &(line, _))| complain(line, format!("nothing is called `{name}`; delete the row")));
    measures.iter().filter_map(judge).chain(unknown).collect()
}

/// The name and the number of a row of the page's table.
fn row(line: &str) -> Option<(&str, usize)> {
    let (name, number) = line.strip_prefix("| ")?.strip_suffix(" |")?.split_once(" | ")?;
    Some((name, number.parse().ok()?))
}

/// Everything that is counted, file by file.
#[derive(Default)]
pub(super) struct House {
    /// The code of each file that has some.
    code: BTreeMap<PathBuf, usize>,
    /// Where types of each name are defined.
    types: BTreeMap<String, BTreeSet<PathBuf>>,
    n_crates: usize,
    n_test_lines: usize,
    n_types: usize,
    n_traits: usize,
    n_public: usize,
    n_error_enums: usize,
    n_json_structs: usize,
    n_tuples: usize,
    n_coding_arms: usize,
    n_the_same: usize,
    n_vague: usize,
}

impl House {
    /// Adds a file by its path from the root.
    pub(super) fn add(&mut self, path: &Path, text: &str) {
        self.n_the_same += text.lines().filter(|line| begins_the_same(line)).count();
        self.n_vague += n_vague(text);
        let code = token::code(text);
        let n_lines = token::lines(code.clone()).len();
        if is_test(path) {
            self.n_test_lines += n_lines;
            return;
        }
        let kept = token::without_tests(code);
        let n_code = token::lines(kept.clone()).len();
        self.n_test_lines += n_lines - n_code;
        if n_code > 0 {
            self.code.insert(path.into(), n_code);
        }
        let kept = token::tokens(kept);
        self.add_items(path, &kept);
    }

    /// Counts the types, traits and parameters among the tokens of a file.
    fn add_items(&mut self, path: &Path, code: &[Token]) {
        for (at, pair) in code.windows(2).enumerate() {
            let [Token::Word(kind), Token::Word(name)] = pair else {
                self.n_tuples += usize::from(begins_tuple_parameter(&code[at..]));
                self.n_coding_arms += usize::from(begins_coding_arm(&code[at..]));
                continue;
            };
            if !name.starts_with(|c: char| c.is_ascii_uppercase()) {
                continue;
            }
            let is_public = at > 0 && matches!(&code[at - 1], Token::Word(word) if word == "pub");
            match kind.as_str() {
                "struct" | "enum" => {
                    self.n_types += 1;
                    self.types.entry(name.clone()).or_default().insert(path.into());
                    let is_fault = FAULTS.iter().any(|ending| name.ends_with(ending));
                    self.n_error_enums += usize::from(kind == "enum" && is_fault);
                    self.n_json_structs += usize::from(kind == "struct" && name.ends_with("Json"));
                }
                "trait" => self.n_traits += 1,
                _ => continue,
            }
            self.n_public += usize::from(is_public);
        }
    }

    pub(super) fn list(&self) -> Vec<Measure> {
        let below = |folder: &str| {
            self.code.iter().filter(|(path, _)| path.starts_with(folder)).map(|(_, n)| n).sum()
        };
        let product: Vec<usize> =
            self.code.iter().filter(|(path, _)| !path.starts_with("lab")).map(|(_, &n)| n).collect();
        vec![
            ("lines of code outside tests, `lab` not counted".to_owned(), product.iter().sum()),
            ("of that `cli`".to_owned(), below("crates/cli")),
            ("of that `solve`".to_owned(), below("crates/solve")),
            ("of that `structure`".to_owned(), below("crates/structure")),
            ("of that `xtask`".to_owned(), below("xtask")),
            ("lines of code in `lab`".to_owned(), below("lab")),
            ("lines of code in tests".to_owned(), self.n_test_lines),
            ("files with code".to_owned(), product.len()),
            ("crates".to_owned(), self.n_crates),
            ("structs and enums".to_owned(), self.n_types),
            ("traits".to_owned(), self.n_traits),
            ("types and traits that are `pub`".to_owned(), self.n_public),
            ("enums of errors".to_owned(), self.n_error_enums),
            ("`…Json` structs".to_owned(), self.n_json_structs),
            (
                "names of types that three or more files define".to_owned(),
                self.types.values().filter(|files| files.len() >= 3).count(),
            ),
            ("parameters that are tuples".to_owned(), self.n_tuples),
            ("arms that tell the codings of values apart".to_owned(), self.n_coding_arms),
            ("doc comments that begin with The same".to_owned(), self.n_the_same),
            ("the words whoever, somebody, nobody, so many".to_owned(), self.n_vague),
        ]
    }
}

/// Whether a line is a doc comment that begins with *The same*.
fn begins_the_same(line: &str) -> bool {
    let comment = line.trim_start();
    let rest = ["/// The same", "//! The same"].iter().find_map(|begin| comment.strip_prefix(begin));
    rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
}

/// How often a text has words without a subject.
fn n_vague(text: &str) -> usize {
    let text = text.to_lowercase();
    let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    VAGUE.iter().map(|vague| words.windows(vague.len()).filter(|words| words == vague).count()).sum()
}

/// Whether a file holds tests or benches alone.
fn is_test(path: &Path) -> bool {
    let folders = ["tests", "benches", "examples"];
    path.iter().any(|part| {
        let part = part.to_str().unwrap_or_default();
        folders.contains(&part.strip_suffix(".rs").unwrap_or(part))
    })
}

/// Whether a parameter begins here that is a pattern of several names with the type of a tuple:
/// `(a, b): (…)`, behind an opening bracket or a comma.
fn begins_tuple_parameter(code: &[Token]) -> bool {
    use Token::{Mark, Word};
    let [Mark('(' | ','), rest @ ..] = code else { return false };
    let rest = if matches!(rest, [Word(word), ..] if word == "mut") { &rest[1..] } else { rest };
    let [Mark('('), Word(_), rest @ ..] = rest else { return false };
    let mut rest = rest;
    let mut n_names = 1;
    while let [Mark(','), Word(_), more @ ..] = rest {
        (rest, n_names) = (more, n_names + 1);
    }
    n_names > 1 && matches!(rest, [Mark(')'), Mark(':'), Mark('('), ..])
}

/// Whether the arm of a `match` begins here that stands for codes of one width.
fn begins_coding_arm(code: &[Token]) -> bool {
    use Token::{Colons, Mark, Word};
    let [Colons, Word(name), rest @ ..] = code else { return false };
    let equals = rest.iter().position(|token| *token == Mark('='));
    ["OneByte", "TwoBytes"].contains(&name.as_str())
        && equals.is_some_and(|at| rest.get(at + 1) == Some(&Mark('>')))
}
