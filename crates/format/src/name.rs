//! Names a table: its file, and by BLAKE3 checksums the rules that it was made under and what it holds.
//!
//! `KQvKR.tsm` holds KQvKR under the metric that the variant declares, `KQvKR.dtz50.tsm` under another.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use variant::{Material, Metric, Side, UnknownMetric, Variant};

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

/// The folder that a file is in; that of the program, if the file is named without one.
#[must_use]
pub fn folder_of(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Where the file of a name is among some folders: in the first that has it, or else in the first of all.
#[must_use]
pub fn path_in(folders: &[PathBuf], name: &str) -> PathBuf {
    let is_there = |folder: &&PathBuf| folders.len() > 1 && folder.join(name).exists();
    let folder = folders.iter().find(is_there).or(folders.first());
    folder.map_or_else(|| name.into(), |folder| folder.join(name))
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

/// A BLAKE3 hash; as text 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Checksum(pub [u8; 32]);

/// The first half of a BLAKE3 hash.
pub(crate) type Short = [u8; 16];

/// The short checksum of some bytes.
#[must_use]
pub fn short(bytes: &[u8]) -> Short {
    first_half(blake3::Hasher::new().update(bytes))
}

/// The short checksum of what was hashed.
pub(crate) fn first_half(hasher: &blake3::Hasher) -> Short {
    let hash = *hasher.finalize().as_bytes();
    std::array::from_fn(|i| hash[i])
}

impl fmt::Display for Checksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Checksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A text that is no checksum.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{text}` is no checksum, expected 64 hexadecimal digits")]
pub struct ChecksumError {
    text: String,
}

impl FromStr for Checksum {
    type Err = ChecksumError;
    fn from_str(text: &str) -> Result<Self, ChecksumError> {
        let hash = blake3::Hash::from_hex(text).map_err(|_| ChecksumError { text: text.into() })?;
        Ok(Checksum(*hash.as_bytes()))
    }
}

impl TryFrom<String> for Checksum {
    type Error = ChecksumError;
    fn try_from(text: String) -> Result<Self, ChecksumError> {
        text.parse()
    }
}

impl From<Checksum> for String {
    fn from(checksum: Checksum) -> String {
        checksum.to_string()
    }
}

/// The hash of the rules that a table of this metric is computed under.
///
/// It is that of the variant's rules for the material; only `dtz50` asks for the length of the n-move rule,
/// and so has it hashed along.
#[must_use]
pub fn rules_hash(variant: &Variant, material: &Material, metric: Metric) -> Checksum {
    let rules = variant.rules_hash(material);
    if metric != Metric::Dtz50 {
        return Checksum(rules);
    }
    let plies = variant.rules.rule_plies().unwrap_or(0);
    Checksum(*blake3::Hasher::new().update(&rules).update(&plies.to_le_bytes()).finalize().as_bytes())
}

/// The hash of a file's rules. A file that has one side's wins alone hashes the winner along, so that
/// readers that do not know of such files take it for one of other rules.
#[must_use]
pub fn rules_hash_with_winner(
    variant: &Variant,
    material: &Material,
    metric: Metric,
    winner: Option<Side>,
) -> Checksum {
    let rules = rules_hash(variant, material, metric);
    let Some(winner) = winner else { return rules };
    Checksum(
        *blake3::Hasher::new().update(&rules.0).update(winner_name(winner).as_bytes()).finalize().as_bytes(),
    )
}

#[cfg(test)]
mod tests {
    use crate::name::*;

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
