//! Writes and reads the names of `.tsm` files: the material, and the metric unless it is the variant's own.
//!
//! `KQvKR.tsm` holds KQvKR under the metric that the variant declares, `KQvKR.dtz50.tsm` under another.

use variant::{Metric, UnknownMetric};

/// The ending of a table file's name.
pub const EXTENSION: &str = "tsm";

/// The name of the file for a material under the variant's own metric, such as `KQvKR.tsm`.
#[must_use]
pub fn file_name(material: &str) -> String {
    format!("{material}.{EXTENSION}")
}

/// The name of the file for a material under any metric of a variant, such as `KQvKR.dtz50.tsm`; without the
/// metric's name if it is the variant's own.
#[must_use]
pub fn file_name_of(material: &str, metric: Metric, default: Metric) -> String {
    if metric == default { file_name(material) } else { format!("{material}.{metric}.{EXTENSION}") }
}

/// The material and the metric that a file's name says, `default` being the metric of a name without one;
/// none if the name has not the ending of a table file. Whether there is such a material is not checked.
#[must_use]
pub fn parse_file_name(name: &str, default: Metric) -> Option<(&str, Result<Metric, UnknownMetric>)> {
    let stem = name.strip_suffix(EXTENSION)?.strip_suffix('.')?;
    Some(match stem.split_once('.') {
        None => (stem, Ok(default)),
        Some((material, metric)) => (material, metric.parse()),
    })
}

/// The material that a file's name says, whatever the name ends in.
pub(crate) fn material_of(name: &str) -> &str {
    name.split('.').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for default in Metric::ALL {
            for metric in Metric::ALL {
                let name = file_name_of("KQvKR", metric, default);
                assert_eq!(parse_file_name(&name, default), Some(("KQvKR", Ok(metric))), "{name}");
                assert_eq!(material_of(&name), "KQvKR");
            }
            assert_eq!(file_name_of("KvK", default, default), file_name("KvK"));
        }
        assert_eq!(file_name_of("KQvKR", Metric::Dtz50, Metric::Dtm), "KQvKR.dtz50.tsm");
        let unknown = parse_file_name("KQvKR.dtx.tsm", Metric::Dtm);
        assert!(matches!(unknown, Some(("KQvKR", Err(_)))), "{unknown:?}");
        for other in ["KQvKR", "KQvKR.tbl", "KQvKRtsm", "KQvKR.tsm.tmp-4711-0"] {
            assert_eq!(parse_file_name(other, Metric::Dtm), None, "{other}");
        }
    }
}
