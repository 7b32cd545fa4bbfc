//! Reads the header and the metadata of a file, and no block.

use crate::checksum::{Checksum, short};
use crate::head::header::{HEADER_BYTES, Header};
use crate::regular_file::open_regular;
use crate::shared_file::SharedFile;
use crate::{FormatError, Metadata};
use std::io::{ErrorKind, Read};
use std::path::Path;
use variant::Side;

/// The header and the metadata of a file.
#[derive(Clone, PartialEq, Debug)]
pub struct Summary {
    /// The name of the material.
    pub material: String,
    /// The metric.
    pub metric: String,
    /// The hash of the rules that the table was computed under.
    pub rules_hash: Checksum,
    /// Which values the file holds.
    pub content: Checksum,
    /// How many placements the numbering has.
    pub placements: u64,
    /// Bytes of a code with White and with Black to move; 0 if that side is not kept.
    pub code_widths: [u8; 2],
    /// The size of the file.
    pub size_bytes: u64,
    /// Whether the file is packed to be small, and not quickly.
    pub is_small: bool,
    /// How the table was made.
    pub metadata: Metadata,
}

impl Summary {
    /// Which values the table has, those of a side to move that the file does not keep too.
    #[must_use]
    pub fn table_content(&self) -> Checksum {
        self.metadata.table.unwrap_or(self.content)
    }

    /// The side to move that has been left out, if one has. Of a table that is symmetric under its rules,
    /// which the header does not say, Black to move is not kept and not left out either.
    #[must_use]
    pub fn left_out(&self, is_symmetric: bool) -> Option<Side> {
        Side::BOTH.into_iter().find(|side| !is_symmetric && self.code_widths[side.index()] == 0)
    }

    /// Reads the header and the metadata of a file, checks them, and that the file is as long as it says.
    ///
    /// # Errors
    /// Whatever is wrong so far; the blocks are not looked at.
    pub fn read(path: &Path) -> Result<Summary, FormatError> {
        let (header, source) = open(path)?;
        let text = section(path, &source, "metadata", Header::METADATA_OFFSET, header.metadata_bytes, {
            header.metadata_checksum
        })?;
        let metadata = match header.has_packed_metadata() {
            true => Metadata::from_packed(&text),
            false => serde_json::from_slice(&text).ok(),
        };
        let metadata = metadata
            .ok_or_else(|| FormatError::SectionDamaged { path: path.to_path_buf(), section: "metadata" })?;
        let is_small = header.has_methods() || metadata.is_small;
        Ok(Summary {
            size_bytes: header.file_bytes(),
            material: header.material,
            metric: header.metric,
            rules_hash: header.rules_hash,
            content: header.content,
            placements: header.placements,
            code_widths: header.widths,
            is_small,
            metadata,
        })
    }
}

/// Opens a file and reads its header.
pub(crate) fn open(path: &Path) -> Result<(Header, SharedFile), FormatError> {
    let mut file = open_regular(path).map_err(FormatError::io(path, "open"))?;
    let file_bytes = file.metadata().map_err(FormatError::io(path, "read the size of"))?.len();
    let mut head = Vec::with_capacity(HEADER_BYTES);
    let reading = file.by_ref().take(HEADER_BYTES as u64).read_to_end(&mut head);
    reading.map_err(FormatError::io(path, "read"))?;
    let header = Header::decode(path, &head, file_bytes)?;
    Ok((header, SharedFile::new(file)))
}

/// Reads a section and compares its checksum.
pub(crate) fn section(
    path: &Path,
    source: &SharedFile,
    section: &'static str,
    offset: u64,
    n_bytes: u64,
    checksum: [u8; 16],
) -> Result<Vec<u8>, FormatError> {
    // The header's sums have been compared with the size of the file, so this is no more than there is.
    let mut bytes = vec![0; n_bytes as usize];
    source.read_exact_at(&mut bytes, offset).map_err(|error| match error.kind() {
        ErrorKind::UnexpectedEof => FormatError::SectionDamaged { path: path.to_path_buf(), section },
        _ => FormatError::io(path, "read")(error),
    })?;
    if short(&bytes) == checksum {
        Ok(bytes)
    } else {
        Err(FormatError::SectionDamaged { path: path.to_path_buf(), section })
    }
}
