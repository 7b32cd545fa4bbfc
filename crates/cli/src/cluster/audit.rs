//! `cluster audit`: compares every checksum of a set, and what its tables say that they were made from.

use super::args::FolderArgs;
use super::request::Request;
use crate::console::Console;
use crate::{Answer, Failure, Outcome};
use format::{Checksum, Summary};
use library::TableFiles;
use library::figure::plural;
use std::collections::BTreeMap;
use variant::visible;

pub(super) fn run(console: &mut Console<'_>, args: &FolderArgs) -> Outcome {
    let request = Request::kept(console, &args.tables)?;
    let files = TableFiles::new(request.edition.clone(), &args.tables);
    let pool = crate::pool::pool(None)?;
    let mut faults = Vec::new();
    let mut contents: BTreeMap<(String, String), Checksum> = BTreeMap::new();
    let mut n_files = 0;
    // What a table needs comes before it.
    for table in &request.set.tables {
        for &metric in request.edition.metrics() {
            let path = files.path(&table.name, metric);
            let summary = match Summary::read(&path) {
                Ok(summary) => summary,
                Err(error) => {
                    faults.push(error.to_string());
                    continue;
                }
            };
            let file = files.open(&table.name, metric);
            let checked = file.and_then(|file| pool.install(|| file.verify_checksums()));
            faults.extend(checked.err().map(|error| error.to_string()));
            for dependency in &summary.metadata.dependencies {
                let key = (dependency.material.clone(), metric.name().to_owned());
                if contents.get(&key).is_some_and(|content| *content != dependency.content) {
                    faults.push(format!(
                        "{} was made from another {} than the one that is there; solve it again",
                        path.display(),
                        dependency.material
                    ));
                }
            }
            let content = summary.table_content();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let recorded = request.state.record(&table.name).map_err(Failure::new)?;
            if recorded
                .and_then(|record| record.contents.get(&name).cloned())
                .is_some_and(|recorded| recorded != content.to_string())
            {
                faults.push(format!("{} is not what its job has recorded; solve it again", path.display()));
            }
            contents.insert((table.name.clone(), metric.name().to_owned()), content);
            n_files += 1;
        }
    }
    for fault in &faults {
        writeln!(console.out, "{}", visible(fault))?;
    }
    let n_faults = plural(faults.len() as u64, "fault");
    writeln!(console.out, "{} compared, {n_faults}", plural(n_files, "file"))?;
    Ok(if faults.is_empty() { Answer::Yes } else { Answer::No })
}
