//! Finds the tables that the names of files promise, and the files whose names are those of no table.

use super::Verifier;
use format::{parse_file_name, parse_winner_file_name};
use library::LibraryError;
use library::misnamed;
use plan::{Job, Plan, Request};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use variant::{Material, Metric, UnknownMetric, Variant};

/// A file whose name is that of no table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StrayFile {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with its name.
    pub reason: String,
}

/// The name of the table that a file's name has, and the metric.
pub(super) fn named(file: &Path, default: Metric) -> (&str, Result<Metric, UnknownMetric>) {
    let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    // One with an ending in other letters is a stray file of the game's own metric.
    parse_file_name(name, default).unwrap_or(("", Ok(default)))
}

impl Verifier {
    /// The table and the metric of a file's name; none if it is no file of such an edition.
    fn named<'f>(&self, file: &'f Path) -> Option<(&'f str, Result<Metric, UnknownMetric>)> {
        let edition = self.files().edition();
        let (variant, name) = (edition.variant(), file.file_name()?.to_str()?);
        let Some((material, winner)) = edition.one_winner() else {
            return Some(named(file, variant.default_metric));
        };
        let (own, own_winner, metric) = parse_winner_file_name(name, variant.default_metric)?;
        (own == material.name(variant) && own_winner == winner).then_some((own, Ok(metric)))
    }

    /// The tables of the verifier's edition that these files are and that are asked for, in the order of a
    /// plan, so that tables that are needed again are close to each other; and what is wrong with the names
    /// of other files.
    ///
    /// # Errors
    /// There is no plan for so many men.
    pub fn jobs(
        &self,
        files: &[PathBuf],
        is_asked: &dyn Fn(&Material) -> bool,
    ) -> Result<(Vec<Job>, Vec<StrayFile>), LibraryError> {
        let edition = self.files().edition();
        let variant = edition.variant();
        let (mut materials, mut strays) = (BTreeMap::new(), Vec::new());
        let mut stray = |file: &Path, reason: String| strays.push(StrayFile { path: file.into(), reason });
        for file in files {
            let name = match self.named(file) {
                Some((name, Ok(metric))) if metric == edition.metric() => name,
                None | Some((_, Ok(_))) => continue,
                Some((_, Err(error))) => {
                    stray(file, error.to_string());
                    continue;
                }
            };
            match Material::parse(variant, name) {
                Ok(material) if material.n_men() > index::MAX_MEN => {
                    stray(file, format!("{} men, at most {}", material.n_men(), index::MAX_MEN));
                }
                Ok(material) => drop(materials.insert(material, file)),
                // The other tables are checked all the same.
                Err(error) => stray(file, misspelt(variant, file).unwrap_or_else(|| error.to_string())),
            }
        }
        let n_men = materials.keys().map(Material::n_men).max().unwrap_or(2);
        let plan = Plan::new(variant, &Request::UpTo(n_men))?;
        let mut jobs = Vec::new();
        for job in plan.jobs() {
            if materials.remove(&job.material).is_some() && is_asked(&job.material) {
                jobs.push(job.clone());
            }
        }
        for (_, file) in materials {
            stray(file, "no table has this name".into());
        }
        Ok((jobs, strays))
    }
}

/// What is wrong with a file whose name is that of a table in other letters.
pub(super) fn misspelt(variant: &Variant, file: &Path) -> Option<String> {
    let name = file.file_name()?.to_str()?.split('.').next()?;
    let material = Material::from_typed(variant, name).ok()?.name(variant);
    let proper = misnamed(file, &material)?;
    Some(format!("names of tables are exact; rename it to {proper}"))
}

/// The metrics of the tables that these files are, by their names: the game's own first, whether there are
/// any of it or not.
#[must_use]
pub fn metrics_of(files: &[PathBuf], default: Metric) -> Vec<Metric> {
    let mut metrics: Vec<Metric> = files.iter().filter_map(|file| named(file, default).1.ok()).collect();
    metrics.sort_unstable();
    metrics.dedup();
    metrics.retain(|&metric| metric != default);
    metrics.insert(0, default);
    metrics
}

#[cfg(test)]
mod tests {
    use super::metrics_of;
    use crate::Verifier;
    use library::{Edition, TableFiles};
    use std::path::{Path, PathBuf};
    use variant::{Metric, Variant};

    #[test]
    fn tables_come_in_the_order_of_a_plan_and_other_files_with_what_is_wrong() {
        let chess = Variant::chess();
        let name = |name: &str| PathBuf::from(name);
        let files = ["KRvK.tsm", "KQvKR.tsm", "KQvK.wdl.tsm", "KXvK.tsm", "KvKQ.tsm", "kbvk.tsm", "KNvK.TSM"];
        let files = files.map(name);
        let edition = Edition::new(&chess, Metric::Dtm);
        assert_eq!(edition.file_name("KRvK", Metric::Dtm), "KRvK.tsm");
        let verifier = Verifier::new(TableFiles::new(edition, Path::new("nowhere")), 4);
        let (jobs, strays) = verifier.jobs(&files, &|_| true).expect("a plan");
        let names: Vec<&str> = jobs.iter().map(|job| job.name.as_str()).collect();
        assert_eq!(names, ["KRvK", "KQvKR"]);
        for (path, name) in [(&files[5], "KBvK.tsm"), (&files[6], "KNvK.tsm")] {
            let stray = strays.iter().find(|stray| stray.path == *path).expect("it is a stray file");
            assert_eq!(stray.reason, format!("names of tables are exact; rename it to {name}"));
        }
        let strays: Vec<&Path> = strays.iter().map(|stray| stray.path.as_path()).collect();
        assert_eq!(strays, [&files[3], &files[5], &files[6], &files[4]]);
        let (jobs, _) = verifier.jobs(&files, &|material| material.n_men() == 3).expect("a plan");
        assert_eq!(jobs.len(), 1);
        assert_eq!(metrics_of(&files, Metric::Dtm), [Metric::Dtm, Metric::Wdl]);
        assert_eq!(metrics_of(&[], Metric::Dtc), [Metric::Dtc]);
    }
}
