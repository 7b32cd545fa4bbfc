//! Reads the names of table files.

use format::parse_file_name;
use std::path::Path;
use variant::{Metric, UnknownMetric};

/// The material and the metric of a file's name.
pub(super) fn named(file: &Path, default: Metric) -> (&str, Result<Metric, UnknownMetric>) {
    let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    parse_file_name(name, default).unwrap_or(("", Ok(default)))
}
