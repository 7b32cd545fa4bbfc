//! Says in a sentence what is wrong and what to type about it.

use crate::Failure;
use library::figure::{bytes, plural};
use library::{LibraryError, MemoryLimit, exchange_files, table_files};
use std::path::Path;
use variant::Metric;

impl From<LibraryError> for Failure {
    fn from(error: LibraryError) -> Self {
        Failure::new(sentence(&error))
    }
}

/// What is wrong and which arguments mend it.
fn sentence(error: &LibraryError) -> String {
    match error {
        LibraryError::NotAFolder { path } => {
            format!("{} is a file, and --out wants a folder", path.display())
        }
        LibraryError::FolderBusy { .. } => {
            format!("{error}; wait for it, or choose another folder with --out DIR")
        }
        LibraryError::DiskFull { .. } => {
            format!("{error}; make room, or choose another folder with --out DIR")
        }
        LibraryError::OtherMetric { .. } => {
            format!("{error}; move it away, name another folder with --out DIR, or give --force")
        }
        LibraryError::Contradicted { .. } => format!("{error}; run verify, and solve it again"),
        LibraryError::MemoryShort { material, needed_bytes, limit, n_threads, fitting_threads } => {
            memory(material, *needed_bytes, *limit, *n_threads, *fitting_threads)
        }
        error => error.to_string(),
    }
}

fn memory(
    material: &str,
    needed_bytes: u64,
    limit: MemoryLimit,
    n_threads: usize,
    fitting_threads: Option<usize>,
) -> String {
    let limit = match limit.is_asked {
        true => format!("the limit of --memory is {}", bytes(limit.bytes)),
        false => format!("the machine has {} to spare", bytes(limit.bytes)),
    };
    let fewer = fitting_threads.map_or(String::new(), |n| format!(", or --threads {n}"));
    // Rounded up, so that what is typed is enough.
    let enough = needed_bytes.div_ceil(1_000_000);
    format!(
        "{material} needs about {} of memory with {}, and {limit}; give it --memory {enough}M{fewer}, or choose \
         smaller tables with --men or --table",
        bytes(needed_bytes),
        plural(n_threads as u64, "thread"),
    )
}

/// Whether a folder has tables that other programs read, and none of ours: nothing is to be built into it.
pub(crate) fn is_foreign(folder: &Path) -> bool {
    let has_own = table_files(folder).is_ok_and(|files| !files.is_empty());
    !has_own && exchange_files(folder).is_ok_and(|files| !files.is_empty())
}

/// What to do about tables that a folder does not have: the command that builds them, into the folder if it
/// is one of ours.
pub(crate) fn solve_for(
    program: &str,
    rules: &Path,
    table: Option<&str>,
    metrics: &[Metric],
    folder: &Path,
) -> String {
    if !is_foreign(folder) {
        return format!("run {}", solve_command(program, rules, table, metrics, Some(folder)));
    }
    let command = solve_command(program, rules, table, metrics, None);
    format!(
        "{} has flat or Syzygy files only; run {command}, and name the folder that it fills",
        folder.display()
    )
}

/// The command that builds a table, or all, in backquotes.
pub(crate) fn solve_command(
    program: &str,
    rules: &Path,
    table: Option<&str>,
    metrics: &[Metric],
    out: Option<&Path>,
) -> String {
    let metrics: Vec<&str> = metrics.iter().map(|metric| metric.name()).collect();
    let metric = if metrics.is_empty() { String::new() } else { format!(" --metric {}", metrics.join(",")) };
    let table = table.map_or_else(String::new, |name| format!(" --table {name}"));
    let out = out.map_or_else(String::new, |folder| format!(" --out {}", folder.display()));
    format!("`{program} solve {}{table}{metric}{out}`", rules.display())
}

#[cfg(test)]
mod tests {
    use crate::Failure;
    use ::plan::{Plan, Request};
    use library::{BuildFootprint, Edition, FileOptions, MemoryLimit, check_memory};
    use variant::{Material, Variant};

    #[track_caller]
    fn check_refused(limit: MemoryLimit, n_threads: usize, expected: Option<&str>) {
        let variant = Variant::chess();
        let material = Material::parse(&variant, "KPPvK").expect("a material");
        let plan = Plan::new(&variant, &Request::Table(material)).expect("a plan");
        let edition = Edition::new(&variant, variant.default_metric);
        let files = FileOptions::new(false, false);
        let footprint = BuildFootprint { edition: &edition, files, n_threads };
        match (check_memory(limit, plan.jobs(), &footprint).map_err(Failure::from), expected) {
            (Ok(()), None) => {}
            (Err(Failure::Message(message)), Some(expected)) => {
                assert!(message.contains(expected), "{message}");
            }
            (got, _) => panic!("{got:?}"),
        }
    }

    #[test]
    fn what_does_not_fit_is_refused_with_a_remedy() {
        let asked = |bytes| MemoryLimit { bytes, is_asked: true };
        check_refused(asked(1 << 30), 2, None);
        check_refused(asked(1 << 20), 2, Some("the limit of --memory is 1.0 MB; give it --memory "));
        check_refused(asked(1 << 20), 2, Some("KPPvK needs about "));
        check_refused(MemoryLimit { bytes: 1, is_asked: false }, 2, Some("the machine has 1 B to spare"));
        check_refused(asked(200_000_000), 100_000, Some("M, or --threads "));
    }
}
