//! Checks what a table was made from and a sample of its values, for deliveries and audits.

use ::plan::Job;
use format::Summary;
use library::{LibraryError, TableFiles, Verifier};
use proof::{Report, Sample};
use rayon::ThreadPool;
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

/// Derives a sample of a table's values again: what was found, and what is wrong with it in words.
pub(super) fn derive_again(
    verifier: &Verifier,
    pool: &ThreadPool,
    job: &Job,
    n_sample: u64,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<(Report, Option<String>), LibraryError> {
    let report = pool.install(|| verifier.verify(job, Sample::Placements(n_sample), progress))?;
    let first = report.differences.first();
    let fault =
        first.map(|first| format!("{} of its values are wrong, the first at {first}", report.n_differences));
    Ok((report, fault))
}
