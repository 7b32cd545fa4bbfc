//! Keeps how fast this machine builds tables, in the user's folder for what can be made again.

use crate::{Console, Outcome, Planning, count, plural, pool, seconds};
use build::{BuildOptions, FileOptions, values_per_second};
use library::Edition;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use variant::Variant;

/// How long tables are built to measure a rate.
const BUDGET: Duration = Duration::from_secs(3);

/// The file with the rates.
const FILE: &str = "rates.json";

/// How fast tables are built, and where that is kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Rate {
    /// Values a second.
    pub(crate) per_second: u64,
    /// The threads that were at work.
    pub(crate) n_threads: usize,
    /// The file that keeps it, if there is one.
    file: Option<PathBuf>,
}

impl Rate {
    /// The rate that is kept for such a run.
    pub(crate) fn kept(
        cache: Option<&Path>,
        edition: &Edition,
        files: FileOptions,
        n_threads: usize,
    ) -> Option<Self> {
        let file = cache?.join(FILE);
        let per_second = *read(&file).get(&key(edition, files, n_threads))?;
        Some(Rate { per_second, n_threads, file: Some(file) }).filter(|rate| rate.per_second > 0)
    }

    /// Measures the rate of such a run and keeps it; none if the game has no small tables.
    pub(crate) fn measure(
        console: &Console<'_>,
        edition: &Edition,
        files: FileOptions,
        n_threads: usize,
        planning: &mut Planning,
    ) -> Outcome<Option<Self>> {
        planning.phase("measuring how fast this machine is");
        let pool = pool(Some(n_threads.try_into().unwrap_or(u16::MAX)))?;
        let options = BuildOptions { files, ..BuildOptions::default() };
        let Some(per_second) = values_per_second(edition, &pool, options, BUDGET)? else { return Ok(None) };
        let mut rate = Rate { per_second, n_threads, file: None };
        if let Some(folder) = &console.cache {
            let file = folder.join(FILE);
            let mut rates = read(&file);
            rates.insert(key(edition, files, n_threads), per_second);
            let text = serde_json::to_string_pretty(&rates)?;
            // Where nothing can be kept it is measured again.
            if fs::create_dir_all(folder).and_then(|()| fs::write(&file, text + "\n")).is_ok() {
                rate.file = Some(file);
            }
        }
        Ok(Some(rate))
    }

    /// How long `n_values` take.
    pub(crate) fn time(&self, n_values: u64) -> Duration {
        Duration::from_secs_f64(n_values as f64 / self.per_second as f64)
    }

    /// The time for `n_values`, with where it comes from.
    pub(crate) fn text(&self, n_values: u64) -> String {
        let kept = |file: &PathBuf| format!(" and kept in {} (--time measures it again)", file.display());
        let kept = self.file.as_ref().map(kept).unwrap_or_default();
        let (time, rate) = (seconds(self.time(n_values)), count(self.per_second));
        let threads = plural(self.n_threads as u64, "thread");
        format!("about {time} at {rate} placements a second, as measured here with {threads}{kept}\n")
    }
}

/// What is kept; a file that cannot be read keeps nothing.
fn read(file: &Path) -> BTreeMap<String, u64> {
    fs::read_to_string(file).ok().and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
}

/// What a rate depends on.
fn key(edition: &Edition, files: FileOptions, n_threads: usize) -> String {
    let variant: &Variant = edition.variant();
    let version = env!("CARGO_PKG_VERSION");
    format!("{} {edition} {files:?} {n_threads} threads {version}", variant.name)
}

#[cfg(test)]
mod tests {
    use super::{FILE, Rate};
    use build::FileOptions;
    use library::Edition;
    use std::path::Path;
    use variant::{Metric, Variant};

    #[test]
    fn rates_are_kept_by_what_they_depend_on() {
        let folder = tempfile::tempdir().expect("a folder for temporary files");
        let edition = Edition::new(&Variant::chess(), Metric::Dtm);
        let files = FileOptions::new(false, false);
        let kept = |cache: &Path, files, n_threads| {
            Rate::kept(Some(cache), &edition, files, n_threads).map(|rate| rate.per_second)
        };
        assert_eq!(kept(folder.path(), files, 2), None);
        let text = format!("{{\"{}\": 70000000}}", super::key(&edition, files, 2));
        std::fs::write(folder.path().join(FILE), text).expect("a file is written");
        assert_eq!(kept(folder.path(), files, 2), Some(70_000_000));
        assert_eq!(kept(folder.path(), files, 3), None);
        assert_eq!(kept(folder.path(), FileOptions::new(false, true), 2), None);
        std::fs::write(folder.path().join(FILE), "damaged").expect("a file is written");
        assert_eq!(kept(folder.path(), files, 2), None);
        let rate = Rate { per_second: 1_000_000, n_threads: 2, file: None };
        let expected = "about 2:00 min at 1,000,000 placements a second, as measured here with 2 threads\n";
        assert_eq!(rate.text(120_000_000), expected);
    }
}
