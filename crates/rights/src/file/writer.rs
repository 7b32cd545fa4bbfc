//! Writes a file, whole or not at all.

use super::index::{BlockIndex, FileIndex, rules_of};
use super::{FORMAT_VERSION, HEAD_BYTES, MAGIC, checksum_of};
use crate::{RightsError, RightsTable, VERSION};
use format::{Checksum, write_atomically};
use std::io;
use std::path::Path;
use std::sync::Arc;
use variant::{Material, Metric, Variant};

/// How hard blocks are packed: more costs more time than it saves room.
const ZSTD_LEVEL: i32 = 12;

/// Writes all choices of rights of a material; how many bytes the file has.
///
/// # Errors
/// The system refuses it.
pub fn write_rights_file(
    path: &Path,
    variant: &Variant,
    material: &Material,
    metric: Metric,
    tables: &[Arc<RightsTable>],
    program: &str,
) -> Result<u64, RightsError> {
    let failed = || RightsError::io("pack", path);
    let mut blocks = Vec::new();
    let mut packed = Vec::new();
    for table in tables {
        let bytes = zstd::bulk::compress(&planes(table.codes()), ZSTD_LEVEL).map_err(failed())?;
        blocks.push(BlockIndex {
            key: table.key().name(variant),
            n_values: table.codes().len() as u64,
            n_bytes: bytes.len() as u64,
            checksum: Checksum(*blake3::hash(&bytes).as_bytes()),
        });
        packed.push(bytes);
    }
    let index = FileIndex {
        variant: variant.name.clone(),
        rules: rules_of(variant, material, metric),
        solver: VERSION,
        metric: metric.name().to_owned(),
        material: material.name(variant),
        program: program.to_owned(),
        blocks,
    };
    let json = serde_json::to_vec(&index).map_err(io::Error::other).map_err(failed())?;
    let index = zstd::bulk::compress(&json, ZSTD_LEVEL).map_err(failed())?;
    let mut head =
        [MAGIC.as_slice(), &FORMAT_VERSION.to_le_bytes(), &(index.len() as u32).to_le_bytes()].concat();
    head.extend(checksum_of(&head, &index));
    let parts: Vec<&[u8]> =
        [head.as_slice(), &index].into_iter().chain(packed.iter().map(Vec::as_slice)).collect();
    debug_assert_eq!(head.len(), HEAD_BYTES);
    write_atomically(path, &parts)?;
    Ok(parts.iter().map(|part| part.len() as u64).sum())
}

/// The low bytes of codes, then the high ones: most of these are zero.
fn planes(codes: &[u16]) -> Vec<u8> {
    let low = codes.iter().map(|code| code.to_le_bytes()[0]);
    low.chain(codes.iter().map(|code| code.to_le_bytes()[1])).collect()
}
