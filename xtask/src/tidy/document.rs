//! Checks Markdown files: every link leads to a file of the source tree, and nothing is left for later.

use super::complaint::Complain;
use std::path::{Component, Path, PathBuf};

/// Words that say that something is missing.
const UNFINISHED: &[&str] = &["TODO", "FIXME", "TBD", "XXX"];

pub(super) fn check(root: &Path, path: &Path, text: &str, complain: &mut Complain<'_>) {
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
            if !root.join(file).exists() {
                complain(number + 1, format!("the link `{target}` leads to nothing"));
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
