//! Holds what doors say of positions, and compares it with a snapshot.
//!
//! ```text
//! == mate dtm 7k/6Q1/6K1/8/8/8/8/8 b - - 0 1
//! says (text json stdin-json api python uci): checkmate: White has won
//! move (uci): (none)
//! ```
//!
//! A block is a position. Each of its lines is one aspect of the answer, with the doors that agree on it; an
//! aspect with two lines is a disagreement. Python compares its own doors with the same lines
//! (`crates/python/tests/test_golden.py`), so lines of doors that are not asked here stay as they are.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// The aspects of answers, in the order of a block.
const ASPECTS: [&str; 28] = [
    "fen", "says", "end", "wdl", "plies", "metric", "best", "move", "moves", "san", "line", "from", "solved",
    "missing", "gap", "bounds", "score", "points", "basis", "pv", "lichess", "next", "refused", "kind",
    "code", "status", "told", "other",
];

/// The doors, in the order of a line.
const DOORS: [&str; 12] = [
    "text",
    "json",
    "stdin",
    "stdin-json",
    "api",
    "lichess",
    "mainline",
    "uci",
    "xboard",
    "c",
    "python",
    "python-many",
];

/// The doors that this program cannot ask.
const ELSEWHERE: [&str; 2] = ["python", "python-many"];

/// What one door says of one position: aspects and texts.
pub(super) type Answer = Vec<(&'static str, String)>;

/// What doors say of one position: a text for each aspect (its number) and door (its number).
type Block = BTreeMap<(usize, usize), String>;

/// What doors say of the positions of a game, in the order of the corpus.
#[derive(Default)]
pub(super) struct Answers {
    blocks: Vec<(String, Block)>,
}

/// The number of a name.
fn number(names: &[&str], name: &str) -> usize {
    names.iter().position(|&known| known == name).unwrap_or_else(|| panic!("`{name}` is not in {names:?}"))
}

impl Answers {
    /// Begins with positions, of which nothing is said yet.
    pub(super) fn new(headings: impl Iterator<Item = String>) -> Self {
        Answers { blocks: headings.map(|heading| (heading, Block::new())).collect() }
    }

    /// Adds what a door says of a position, by its place in the corpus.
    pub(super) fn add(&mut self, at: usize, door: &str, answer: Answer) {
        let door = number(&DOORS, door);
        for (aspect, text) in answer {
            let text = text.trim().replace(|c: char| c.is_control(), " ");
            let before = self.blocks[at].1.insert((number(&ASPECTS, aspect), door), text);
            assert_eq!(before, None, "{aspect} of {} twice", self.blocks[at].0);
        }
    }

    /// Reads a snapshot.
    fn parse(text: &str) -> Self {
        let mut answers = Answers::default();
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if let Some(heading) = line.strip_prefix("== ") {
                answers.blocks.push((heading.to_owned(), Block::new()));
                continue;
            }
            let parsed = line.split_once("): ").and_then(|(head, text)| Some((head.split_once(" (")?, text)));
            let ((aspect, doors), text) = parsed.unwrap_or_else(|| panic!("not a line of answers: {line}"));
            let (_, block) = answers.blocks.last_mut().expect("a heading stands above it");
            for door in doors.split(' ') {
                block.insert((number(&ASPECTS, aspect), number(&DOORS, door)), text.to_owned());
            }
        }
        answers
    }

    /// The text of a snapshot, with this first line.
    fn text(&self, title: &str) -> String {
        let mut text = format!("# {title}\n");
        for (heading, block) in &self.blocks {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "\n== {heading}");
            text += &lines(block).join("\n");
            text.push('\n');
        }
        text
    }

    /// Compares the answers with those of a file, or writes them there with `INSTA_UPDATE=always`; the
    /// differences.
    pub(super) fn compare(mut self, path: &Path, title: &str) -> Vec<String> {
        let old = Answers::parse(&fs::read_to_string(path).unwrap_or_default());
        let mut old: BTreeMap<String, Block> = old.blocks.into_iter().collect();
        let elsewhere = ELSEWHERE.map(|door| number(&DOORS, door));
        for (heading, block) in &mut self.blocks {
            let old = old.get(heading).into_iter().flatten();
            let kept = old.filter(|((_, door), _)| elsewhere.contains(door));
            block.extend(kept.map(|(&key, text)| (key, text.clone())));
        }
        if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
            fs::write(path, self.text(title)).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            return Vec::new();
        }
        let mut differences = Vec::new();
        for (heading, block) in &self.blocks {
            let Some(before) = old.remove(heading) else {
                differences.push(format!("== {heading}\nis not in the snapshot"));
                continue;
            };
            let (before, now) = (lines(&before), lines(block));
            if before != now {
                let gone = before.iter().filter(|line| !now.contains(line)).map(|line| format!("\n- {line}"));
                let new = now.iter().filter(|line| !before.contains(line)).map(|line| format!("\n+ {line}"));
                differences.push(format!("== {heading}{}", gone.chain(new).collect::<String>()));
            }
        }
        differences.extend(old.keys().map(|heading| format!("== {heading}\nis in the snapshot only")));
        differences
    }
}

/// The lines of a block: for each aspect the doors that agree.
fn lines(block: &Block) -> Vec<String> {
    let mut lines: Vec<(usize, &str, String)> = Vec::new();
    for (&(aspect, door), text) in block {
        match lines.iter_mut().find(|(other, known, _)| *other == aspect && known == text) {
            Some((_, _, doors)) => *doors += &format!(" {}", DOORS[door]),
            None => lines.push((aspect, text, DOORS[door].to_owned())),
        }
    }
    lines.into_iter().map(|(aspect, text, doors)| format!("{} ({doors}): {text}", ASPECTS[aspect])).collect()
}

/// Groups neighbours of one value: `W9 h1d5; W13 h1c6 h1h4`.
pub(super) fn grouped(moves: impl IntoIterator<Item = (String, String)>) -> String {
    let (mut text, mut last) = (String::new(), None);
    for (value, uci) in moves {
        if last.as_ref() != Some(&value) {
            text += &format!("{}{value}", if last.is_some() { "; " } else { "" });
        }
        text += &format!(" {uci}");
        last = Some(value);
    }
    text
}
