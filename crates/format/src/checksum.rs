//! Computes BLAKE3 checksums: whole ones name values and rules, short ones find damage.

use crate::name::winner_name;
use std::fmt;
use std::str::FromStr;
use variant::{Material, Metric, Side, Variant};

/// A BLAKE3 hash; as text 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Checksum(pub [u8; 32]);

/// The first half of a BLAKE3 hash.
pub(crate) type Short = [u8; 16];

/// The short checksum of some bytes.
#[must_use]
pub fn short(bytes: &[u8]) -> Short {
    let hash = *blake3::hash(bytes).as_bytes();
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

/// The hash of a file's rules. A file that has one side's wins alone hashes the winner along, so that readers
/// that do not know of such files take it for one of other rules.
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
