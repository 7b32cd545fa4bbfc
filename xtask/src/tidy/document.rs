//! Checks Markdown files: every link and every name of a source file leads to a file of the source tree, and
//! nothing is left for later.

use super::complaint::Complain;
use std::path::{Component, Path, PathBuf};

/// Words that say that something is missing.
const UNFINISHED: &[&str] = &["TODO", "FIXME", "TBD", "XXX"];

/// Pages with a date: they may name files that are gone by now.
const RECORDS: &[&str] = &["docs/decisions", "docs/benchmarks"];

/// Checks a page; `files` are those of the source tree.
pub(super) fn check(files: &[PathBuf], path: &Path, text: &str, complain: &mut Complain<'_>) {
    let is_record = RECORDS.iter().any(|folder| path.starts_with(folder));
    for (number, line) in text.lines().enumerate() {
        let words = line.split(|c: char| !c.is_alphanumeric());
        for word in words.filter(|word| UNFINISHED.contains(word)) {
            complain(number + 1, format!("`{word}` is left over; write what is missing"));
        }
        for target in links(line) {
            let Some(file) = inside(path, target) else {
                complain(number + 1, format!("the link `{target}` leads out of the source tree"));
                continue;
            };
            if !files.iter().any(|known| known.starts_with(&file)) {
                complain(number + 1, format!("the link `{target}` leads to nothing"));
            }
        }
        for name in sources(line).filter(|_| !is_record) {
            if !files.iter().any(|known| known.ancestors().any(|part| part.ends_with(name))) {
                complain(number + 1, format!("there is no `{name}`; name the file or folder that is meant"));
            }
        }
    }
}

/// The targets of a line's links `[text](target)` that are no web addresses, without what follows `#`.
fn links(line: &str) -> impl Iterator<Item = &str> {
    line.split("](").skip(1).filter_map(|rest| {
        let target = rest.split([')', '#', ' ']).next()?;
        (!target.is_empty() && !target.contains("://") && !target.starts_with("mailto:")).then_some(target)
    })
}

/// The names of source files and folders in a line, such as `kernel/src/word.rs`, `word.rs` or `kernel/src`.
fn sources(line: &str) -> impl Iterator<Item = &str> {
    let spans = line.split('`').skip(1).step_by(2);
    spans.filter(|span| span.ends_with(".rs") || span.ends_with(".py") || span.contains("/src"))
}

/// The file that a link of `path` leads to, from the root; none if it leaves the source tree.
pub(super) fn inside(path: &Path, target: &str) -> Option<PathBuf> {
    let mut file = path.parent().unwrap_or(Path::new("")).to_path_buf();
    for part in Path::new(target).components() {
        match part {
            Component::ParentDir => {
                if !file.pop() {
                    return None;
                }
            }
            Component::CurDir => {}
            Component::Normal(name) => file.push(name),
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(file)
}
