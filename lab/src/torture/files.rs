//! Reads the files of a folder and compares them with those of another.

use anyhow::Result;
use fs_err as fs;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::SystemTime;

/// The file that a writer holds locked; it belongs to no table.
const LOCK: &str = ".lock";

/// A file.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Content {
    bytes: Vec<u8>,
    modified: Option<SystemTime>,
}

/// The files of a folder by their names, without its lock.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Files {
    files: BTreeMap<String, Content>,
}

impl Files {
    /// Those of a folder; none if there is no folder.
    pub(super) fn of(folder: &Path) -> Result<Self> {
        let mut files = BTreeMap::new();
        if !folder.exists() {
            return Ok(Files { files });
        }
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            // A writer that is at work may take its temporary file away.
            let Some(bytes) = fs::read(&path).ok().filter(|_| name != LOCK) else { continue };
            let modified = fs::metadata(&path).and_then(|data| data.modified()).ok();
            files.insert(name, Content { bytes, modified });
        }
        Ok(Files { files })
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.files.iter().map(|(name, content)| (name.as_str(), &content.bytes[..]))
    }

    /// Writes them into another folder.
    pub(super) fn write_to(&self, folder: &Path) -> Result<()> {
        fs::create_dir_all(folder)?;
        Ok(self.iter().try_for_each(|(name, bytes)| fs::write(folder.join(name), bytes))?)
    }

    /// How many bytes each of them has.
    pub(super) fn sizes_bytes(&self) -> impl Iterator<Item = u64> {
        self.files.values().map(|content| content.bytes.len() as u64)
    }

    /// How many are the rest of a write that was cut off.
    pub(super) fn n_rests(&self) -> u64 {
        self.names().filter(|name| format::is_temporary(name)).count() as u64
    }

    /// Those of them that a run goes on with, which is not done.
    pub(super) fn scratch(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.iter().filter(|(name, bytes)| is_scratch(name) && !bytes.is_empty())
    }

    /// How many files of a folder in which a run is at work are the rest of a write.
    pub(super) fn n_rests_in(folder: &Path) -> u64 {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        entries.filter(|entry| format::is_temporary(&entry.file_name().to_string_lossy())).count() as u64
    }

    fn has_same(&self, name: &str, content: &Content) -> bool {
        self.files.get(name).is_some_and(|own| own.bytes == content.bytes)
    }

    /// Those that the other folder has not in this form, rests, scratch and leases left out.
    pub(super) fn others_than<'a>(&'a self, whole: &'a Files) -> impl Iterator<Item = &'a str> {
        let is_other = |(name, content): &(&'a String, &'a Content)| {
            !format::is_temporary(name)
                && !is_scratch(name)
                && !is_lease(name)
                && !whole.has_same(name, content)
        };
        self.files.iter().filter(is_other).map(|(name, _)| name.as_str())
    }

    /// Those that were done in `before`, as the other folder has them, and have been written again since or
    /// are gone. A table is done when all of its files are there.
    pub(super) fn not_kept<'a>(
        &'a self,
        before: &'a Files,
        whole: &'a Files,
    ) -> impl Iterator<Item = &'a str> {
        let is_there = |(name, content): (&String, &Content)| before.has_same(name, content);
        let is_done = move |name: &str| {
            let mut all = whole.files.iter().filter(|(other, _)| table_of(other) == table_of(name));
            all.all(is_there)
        };
        let is_kept = |name: &str, old: &Content| self.files.get(name).is_some_and(|now| now == old);
        let done =
            before.files.iter().filter(move |(name, _)| whole.files.contains_key(*name) && is_done(name));
        done.filter(move |(name, old)| !is_kept(name, old)).map(|(name, _)| name.as_str())
    }

    /// What is missing, left over or other than in the other folder.
    pub(super) fn differences(&self, whole: &Files) -> Vec<String> {
        let missing = whole.names().filter(|name| !self.files.contains_key(*name));
        let others = self.files.iter().filter(|(name, content)| !whole.has_same(name, content));
        let other = |(name, _): (&String, &Content)| match whole.files.contains_key(name) {
            true => format!("{name} has other bytes"),
            false => format!("{name} is left over"),
        };
        missing.map(|name| format!("{name} is missing")).chain(others.map(other)).collect()
    }
}

/// Whether a file is a log or has slices of a table that is being solved.
fn is_scratch(name: &str) -> bool {
    matches!(name.rsplit_once('.'), Some((_, "tslog" | "tsslices")))
}

/// Whether a file is the lease of a table, which the next run takes over.
fn is_lease(name: &str) -> bool {
    name.starts_with('.') && [".lease", ".draft-", ".gone-"].iter().any(|part| name.contains(part))
}

/// The table that a file belongs to, by their names.
fn table_of(name: &str) -> &str {
    name.split('.').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{Content, Files};

    fn files(files: &[(&str, &str)]) -> Files {
        let content = |bytes: &str| Content { bytes: bytes.as_bytes().to_vec(), modified: None };
        Files { files: files.iter().map(|&(name, bytes)| (name.into(), content(bytes))).collect() }
    }

    #[test]
    fn what_is_other_and_what_is_not_kept() {
        let whole = files(&[("a.tsm", "1"), ("a.tsq", "2"), ("b.tsm", "3")]);
        let half = files(&[("a.tsm", "1"), ("b.tsm", "x"), ("b.tsm.tmp-1-0", "")]);
        assert_eq!(half.others_than(&whole).collect::<Vec<_>>(), ["b.tsm"]);
        assert_eq!(half.n_rests(), 1);
        let expected = ["a.tsq is missing", "b.tsm has other bytes", "b.tsm.tmp-1-0 is left over"];
        assert_eq!(half.differences(&whole), expected);
        // Of the table `a` a file was missing, so that it was not done.
        assert_eq!(files(&[]).not_kept(&half, &whole).count(), 0);
        assert_eq!(half.not_kept(&whole, &whole).collect::<Vec<_>>(), ["a.tsq", "b.tsm"]);
        assert_eq!(whole.not_kept(&whole, &whole).count(), 0);
    }
}
