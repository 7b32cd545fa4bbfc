//! Writes and reads the names of table files: `.tsm`, and `.tsw` for one side's wins alone. A name has the
//! material, the winner if there is one, and the metric unless it is the variant's own.
//!
//! `KQvKR.tsm` holds KQvKR under the metric that the variant declares, `KQvKR.dtz50.tsm` under another.

use std::path::PathBuf;
use variant::{Metric, Side, UnknownMetric};

/// The ending of a table file's name.
pub const EXTENSION: &str = "tsm";

/// The ending of the name of a file that has one side's wins only.
pub const WINNER_EXTENSION: &str = "tsw";

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

/// Where the file of a name is among some folders: in the first that has it, or else in the first of all.
///
/// # Panics
/// There is no folder.
#[must_use]
pub fn path_in(folders: &[PathBuf], name: &str) -> PathBuf {
    let is_there = |folder: &&PathBuf| folders.len() > 1 && folder.join(name).exists();
    folders.iter().find(is_there).unwrap_or(&folders[0]).join(name)
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

/// A side in the name of a file: `white` or `black`.
#[must_use]
pub const fn winner_name(winner: Side) -> &'static str {
    match winner {
        Side::White => "white",
        Side::Black => "black",
    }
}

/// The name of the file that has one side's wins only, such as `KRBvKNN.white.dtc.tsw`.
#[must_use]
pub fn winner_file_name(material: &str, winner: Side, metric: Metric, default: Metric) -> String {
    let winner = winner_name(winner);
    match metric == default {
        true => format!("{material}.{winner}.{WINNER_EXTENSION}"),
        false => format!("{material}.{winner}.{metric}.{WINNER_EXTENSION}"),
    }
}

/// The material, the winner and the metric that such a name says; none if it is not one. Whether there is
/// such a material is not checked.
#[must_use]
pub fn parse_winner_file_name(name: &str, default: Metric) -> Option<(&str, Side, Metric)> {
    let stem = name.strip_suffix(WINNER_EXTENSION)?.strip_suffix('.')?;
    let (material, rest) = stem.split_once('.')?;
    let (winner, metric) =
        rest.split_once('.').map_or((rest, None), |(winner, metric)| (winner, Some(metric)));
    let winner = Side::BOTH.into_iter().find(|&side| winner_name(side) == winner)?;
    let metric = metric.map_or(Some(default), |metric| metric.parse().ok())?;
    Some((material, winner, metric))
}

/// The side whose wins alone a file of this name has.
pub(crate) fn winner_of(name: &str) -> Option<Side> {
    parse_winner_file_name(name, Metric::Wdl).map(|(_, winner, _)| winner)
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
        for (winner, metric) in [(Side::White, Metric::Dtm), (Side::Black, Metric::Wdl)] {
            let name = winner_file_name("KQvKR", winner, metric, Metric::Dtm);
            assert_eq!(parse_winner_file_name(&name, Metric::Dtm), Some(("KQvKR", winner, metric)), "{name}");
            assert_eq!((winner_of(&name), material_of(&name)), (Some(winner), "KQvKR"));
            assert_eq!(parse_file_name(&name, Metric::Dtm), None);
        }
        assert_eq!(winner_file_name("KQvKR", Side::White, Metric::Dtm, Metric::Dtm), "KQvKR.white.tsw");
        for other in ["KQvKR.tsm", "KQvKR.tsw", "KQvKR.red.tsw", "KQvKR.white.dtx.tsw", "KQvKR.white.dtc.tsm"]
        {
            assert_eq!(
                (parse_winner_file_name(other, Metric::Dtm), winner_of(other)),
                (None, None),
                "{other}"
            );
        }
        let unknown = parse_file_name("KQvKR.dtx.tsm", Metric::Dtm);
        assert!(matches!(unknown, Some(("KQvKR", Err(_)))), "{unknown:?}");
        for other in ["KQvKR", "KQvKR.tbl", "KQvKRtsm", "KQvKR.tsm.tmp-4711-0"] {
            assert_eq!(parse_file_name(other, Metric::Dtm), None, "{other}");
        }
    }
}
