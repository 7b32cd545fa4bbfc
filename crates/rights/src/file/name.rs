//! Writes and reads the names of files: `KRvK.tsr`, and `KRvK.dtz50.tsr` of another metric than the game's.

use variant::{Metric, UnknownMetric};

/// How the names of files end.
pub const EXTENSION: &str = "tsr";

/// The name of the file for a material under a metric, `default` being the game's own.
#[must_use]
pub fn rights_file_name(material: &str, metric: Metric, default: Metric) -> String {
    if metric == default {
        format!("{material}.{EXTENSION}")
    } else {
        format!("{material}.{metric}.{EXTENSION}")
    }
}

/// The material and the metric that a file's name says, `default` being the metric of a name without one;
/// none if the name has another ending. Whether there is such a material is not checked.
#[must_use]
pub fn parse_rights_file_name(name: &str, default: Metric) -> Option<(&str, Result<Metric, UnknownMetric>)> {
    let stem = name.strip_suffix(EXTENSION)?.strip_suffix('.')?;
    Some(match stem.split_once('.') {
        None => (stem, Ok(default)),
        Some((material, metric)) => (material, metric.parse()),
    })
}
