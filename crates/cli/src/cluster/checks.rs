//! Checks what a table was made from and a sample of its values, for deliveries and audits.

use ::plan::Job;
use build::Verifier;
use format::{Dependency, Summary};
use library::{LibraryError, TableFiles};
use proof::{Report, Sample};
use rayon::ThreadPool;
use std::collections::BTreeSet;
use variant::Metric;

/// The tables that one was made from and that are others here, by name. Tables that are always drawn, and
/// what is not here, are not compared.
pub(super) fn changed_dependencies(files: &TableFiles, metric: Metric, summary: &Summary) -> Vec<String> {
    let is_changed = |material: &str, content| {
        Summary::read(&files.path(material, metric)).is_ok_and(|there| there.table_content() != content)
    };
    let dependencies = summary.metadata.dependencies.iter();
    let changed = dependencies.filter(|dependency| is_changed(&dependency.material, dependency.content));
    changed.map(|dependency| dependency.material.clone()).collect()
}

/// The tables that one has to be made from and that its file does not name, or the other way round.
pub(super) fn wrong_dependencies(named: &[Dependency], needed: &[String]) -> Vec<String> {
    let needed: BTreeSet<&str> = needed.iter().map(String::as_str).collect();
    let named: BTreeSet<&str> = named.iter().map(|dependency| dependency.material.as_str()).collect();
    needed.symmetric_difference(&named).map(|&name| name.to_owned()).collect()
}

/// Derives a sample of a table's values again: what was found, and what is wrong with it in words.
pub(super) fn derive_again(
    verifier: &Verifier,
    pool: &ThreadPool,
    job: &Job,
    sample: Sample,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<(Report, Option<String>), LibraryError> {
    let report = pool.install(|| verifier.verify(job, sample, progress))?;
    let first = report.differences.first();
    let fault =
        first.map(|first| format!("{} of its values are wrong, the first at {first}", report.n_differences));
    Ok((report, fault))
}

#[cfg(test)]
mod tests {
    use super::wrong_dependencies;
    use format::{Checksum, Dependency};

    #[test]
    fn dependencies_are_neither_left_out_nor_made_up() {
        let named = |names: &[&str]| -> Vec<Dependency> {
            let content = Checksum([7; 32]);
            names.iter().map(|&name| Dependency { material: name.into(), content }).collect()
        };
        let needed = ["KQvK".to_owned(), "KRvK".to_owned()];
        for (names, wrong) in [
            (&["KQvK", "KRvK"][..], &[][..]),
            (&["KRvK"], &["KQvK"]),
            (&[], &["KQvK", "KRvK"]),
            (&["KQvK", "KRvK", "KBvK"], &["KBvK"]),
        ] {
            assert_eq!(wrong_dependencies(&named(names), &needed), wrong);
        }
    }
}
