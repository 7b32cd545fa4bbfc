//! Encodes the metadata: how a table was made, as text in the file.

use crate::Checksum;
use serde::{Deserialize, Serialize};
#[cfg(feature = "parallel")]
use std::io;
use variant::Side;

/// How hard the compressor tries.
#[cfg(feature = "parallel")]
const LEVEL: i32 = 19;

/// The most bytes that metadata may have before compression: a bound on what a reader must be ready to hold.
const MOST_BYTES: usize = 1 << 26;

/// How a table was made; no value is found with it.
///
/// No clock, host or path is in it: the same table has the same metadata everywhere.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Metadata {
    /// Name and version of the program that wrote the file.
    pub program: String,
    /// The variant's name.
    pub variant: String,
    /// The version of the solver.
    pub solver_version: u32,
    /// The tables that this one was computed from, in a fixed order.
    pub dependencies: Vec<Dependency>,
    /// Statistics, as the caller has them.
    pub statistics: serde_json::Value,
    /// Which values the table has with both sides to move, if the file keeps one of them only or is a small
    /// one; the same however its files are packed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<Checksum>,
    /// Whether the file is packed to be small, where its version does not say.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_small: bool,
    /// The side to move that stays, if both are kept only until the tables that need them are there.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "crate::head::metadata::side")]
    pub stays: Option<Side>,
    /// Which values the file holds when that side alone is left, so that the other one is cut off by copying.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stays_content: Option<Checksum>,
    /// The side whose wins alone the file has, if it has not those of both.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "crate::head::metadata::side")]
    pub winner: Option<Side>,
}

/// A side to move as text: `white` or `black`.
mod side {
    use serde::de::{Error, Unexpected};
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use variant::Side;

    const NAMES: [&str; 2] = ["white", "black"];

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
    #[expect(clippy::ref_option, reason = "serde gives a reference")]
    pub(super) fn serialize<S: Serializer>(side: &Option<Side>, serializer: S) -> Result<S::Ok, S::Error> {
        side.map(|side| NAMES[side.index()]).serialize(serializer)
    }

    pub(super) fn deserialize<'d, D: Deserializer<'d>>(deserializer: D) -> Result<Option<Side>, D::Error> {
        let Some(name) = Option::<String>::deserialize(deserializer)? else { return Ok(None) };
        let side = Side::BOTH.into_iter().find(|side| NAMES[side.index()] == name);
        side.map(Some).ok_or_else(|| D::Error::invalid_value(Unexpected::Str(&name), &"white or black"))
    }
}

/// A table that another one was computed from.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Dependency {
    /// The name of its material.
    pub material: String,
    /// Which values it has, with all sides to move.
    pub content: Checksum,
}

impl Metadata {
    /// The metadata of a file of a table with these values whose own content checksum is another: one that
    /// keeps one side to move, or is small.
    #[cfg(feature = "parallel")]
    pub(crate) fn of_table(&self, table: Checksum) -> Self {
        Metadata { table: Some(table), stays: None, stays_content: None, ..self.clone() }
    }

    /// The metadata as the file has them.
    #[cfg(feature = "parallel")]
    pub(crate) fn to_text(&self) -> Result<String, serde_json::Error> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }

    /// The metadata as a file of version 4 has them.
    #[cfg(feature = "parallel")]
    pub(crate) fn to_packed(&self) -> io::Result<Vec<u8>> {
        zstd::bulk::compress(&serde_json::to_vec(self)?, LEVEL)
    }

    /// The metadata that a file of version 4 has; none if these bytes are none.
    pub(crate) fn from_packed(bytes: &[u8]) -> Option<Self> {
        let n_bytes = zstd::zstd_safe::get_frame_content_size(bytes).ok()??;
        let n_bytes = usize::try_from(n_bytes).ok().filter(|&n| n <= MOST_BYTES)?;
        serde_json::from_slice(&zstd::bulk::decompress(bytes, n_bytes).ok()?).ok()
    }
}
