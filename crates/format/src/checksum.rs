//! Checksums: BLAKE3, whole where values are named by it, short where damage is found by it.

use std::fmt;
use std::str::FromStr;

/// A BLAKE3 hash; as text 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Checksum(pub [u8; 32]);

/// The first half of a BLAKE3 hash.
pub(crate) type Short = [u8; 16];

/// The short checksum of some bytes.
pub(crate) fn short(bytes: &[u8]) -> Short {
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
