//! Checks the rules of the house that no other tool checks.
//!
//! Each rule looks at one kind of file and says where it is broken and what to do. A rule stands here if a
//! review would otherwise have to look for it every time.

mod comment;
mod complaint;
mod document;
mod edge;
pub mod house;
mod module;
mod source;
mod token;
mod tree;
pub(crate) mod walk;

pub use complaint::Complaint;

use anyhow::Result;
use std::path::Path;
use tree::{files, read};

/// Everything in the source tree that breaks a rule, in the order of the files.
///
/// # Errors
/// A file or folder that cannot be read.
pub fn check(root: &Path) -> Result<Vec<Complaint>> {
    let mut complaints = Vec::new();
    let files = files(root)?;
    for path in &files {
        let mut complain =
            |line, message: String| complaints.push(Complaint { path: path.clone(), line, message });
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("rs") => source::check(path, &read(root, path)?, &mut complain),
            Some("md") => document::check(&files, path, &read(root, path)?, &mut complain),
            Some("toml") => {
                let text = read(root, path)?;
                comment::check_toml(&text, &mut complain);
                if path.file_name().is_some_and(|name| name == "Cargo.toml") {
                    edge::check(path, &text, &mut complain);
                } else if path.starts_with("variants") {
                    let parsed = variant::Variant::parse(&text, &path.display().to_string());
                    parsed.err().into_iter().for_each(|report| complain(0, report.to_string()));
                }
            }
            _ => {}
        }
    }
    complaints.extend(module::check(root, &files)?);
    complaints.extend(edge::unexplained(root)?);
    complaints.extend(house::check(root)?);
    complaints.sort();
    Ok(complaints)
}

#[cfg(test)]
mod tests;
