//! Names a table: its file, and by BLAKE3 checksums the rules that it was made under and what it holds.
//!
//! `KQvKR.tsm` holds what has been computed of KQvKR, a column for each metric.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use variant::{Material, Metric, Side, Variant};

/// The ending of a table file's name.
pub const EXTENSION: &str = "tsm";

/// A column of a table's file: a metric, with the wins of both sides or of one, or of the positions with
/// rights to castle.
///
/// The columns of a file stand in their order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Column {
    /// Whether it has the positions in which a side may castle, and not those in which none may.
    pub has_rights: bool,
    /// What the values count.
    pub metric: Metric,
    /// The side whose wins alone the column has, if it has not those of both.
    pub winner: Option<Side>,
}

impl Column {
    /// The column of the positions with rights to castle.
    #[must_use]
    pub fn with_rights(metric: Metric) -> Self {
        Column { has_rights: true, ..metric.into() }
    }

    /// Whether it is of a table's positions, and has the wins of both sides.
    #[must_use]
    pub fn is_whole_table(self) -> bool {
        self.winner.is_none() && !self.has_rights
    }

    /// The number of the column among all that there can be.
    pub(crate) fn number(self) -> u32 {
        let metric = match self.metric {
            Metric::Wdl => 0,
            Metric::Dtc => 1,
            Metric::Dtz => 2,
            Metric::Dtz50 => 3,
            Metric::Dtm => 4,
            Metric::Help => 5,
            Metric::Dtm50 => 6,
        };
        let winner = self.winner.map_or(0, |winner| 1 + winner.index() as u32);
        21 * u32::from(self.has_rights) + 3 * metric + winner
    }
}

impl From<Metric> for Column {
    fn from(metric: Metric) -> Self {
        Column { metric, winner: None, has_rights: false }
    }
}

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.winner {
            Some(winner) => write!(f, "{} with {winner}'s wins alone", self.metric),
            None if self.has_rights => write!(f, "{} with castling rights", self.metric),
            None => self.metric.fmt(f),
        }
    }
}

/// The name of the file for a material, such as `KQvKR.tsm`.
#[must_use]
pub fn file_name(material: &str) -> String {
    format!("{material}.{EXTENSION}")
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

/// The material that a file's name says; none if the name is not that of a table's file. Whether there is
/// such a material is not checked.
#[must_use]
pub fn parse_file_name(name: &str) -> Option<&str> {
    let material = name.strip_suffix(EXTENSION)?.strip_suffix('.')?;
    (!material.contains('.')).then_some(material)
}

/// The name of a side whose wins alone are meant: `white` or `black`.
#[must_use]
pub const fn winner_name(winner: Side) -> &'static str {
    match winner {
        Side::White => "white",
        Side::Black => "black",
    }
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

/// The hash of the rules that a column of a table is computed under.
///
/// It is that of the variant's rules for the material; only `dtz50` asks for the length of the n-move
/// rule, and so has it hashed along. Of a column that has one side's wins alone the winner is hashed
/// along, and of one with rights to castle the rule of castling.
#[must_use]
pub fn rules_hash(variant: &Variant, material: &Material, column: impl Into<Column>) -> Checksum {
    let column = column.into();
    let castling = variant.castling_line().filter(|_| column.has_rights);
    let of_file = Checksum(variant.rules_hash(material));
    column_rules(of_file, rule_plies(variant, column.metric), column.winner, castling.as_deref())
}

/// The plies of the n-move rule, of a metric that asks for it; 0 if there is no such rule.
pub(crate) fn rule_plies(variant: &Variant, metric: Metric) -> Option<u16> {
    matches!(metric, Metric::Dtz50 | Metric::Dtm50).then(|| variant.rules.rule_plies().unwrap_or(0))
}

/// The hash of the rules of a column, given that of its material's.
pub(crate) fn column_rules(
    rules: Checksum,
    rule_plies: Option<u16>,
    winner: Option<Side>,
    castling: Option<&str>,
) -> Checksum {
    let with = |rules: Checksum, bytes: &[u8]| {
        Checksum(*blake3::Hasher::new().update(&rules.0).update(bytes).finalize().as_bytes())
    };
    let rules = rule_plies.map_or(rules, |plies| with(rules, &plies.to_le_bytes()));
    let rules = winner.map_or(rules, |winner| with(rules, winner_name(winner).as_bytes()));
    castling.map_or(rules, |castling| with(rules, castling.as_bytes()))
}

#[cfg(test)]
mod tests {
    use crate::name::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        assert_eq!(parse_file_name(&file_name("KQvKR")), Some("KQvKR"));
        assert_eq!(material_of("KQvKR.dtz50.tsm"), "KQvKR");
        for other in ["KQvKR", "KQvKR.tbl", "KQvKRtsm", "KQvKR.dtz50.tsm", "KQvKR.tsm.tmp-4711-0"] {
            assert_eq!(parse_file_name(other), None, "{other}");
        }
    }

    #[test]
    fn columns_have_numbers_in_their_order() {
        let winners = [None, Some(Side::White), Some(Side::Black)];
        let of_table = |metric| winners.map(|winner| Column { winner, ..Column::from(metric) });
        let mut all: Vec<Column> = Metric::ALL.into_iter().flat_map(of_table).collect();
        assert!(all.iter().map(|column| column.number()).eq(0..21));
        all.extend(Metric::ALL.map(Column::with_rights));
        assert!(all[21..].iter().map(|column| column.number()).eq((21..42).step_by(3)));
        assert!(all.is_sorted());
    }
}
