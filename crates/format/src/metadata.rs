//! Metadata: how a table was made, as text in the file.

use crate::Checksum;
use serde::{Deserialize, Serialize};

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
}

/// A table that another one was computed from.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Dependency {
    /// The name of its material.
    pub material: String,
    /// Which values it held.
    pub content: Checksum,
}

impl Metadata {
    /// The metadata as the file has them.
    pub(crate) fn to_text(&self) -> Result<String, serde_json::Error> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }
}
