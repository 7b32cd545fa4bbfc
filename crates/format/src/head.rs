//! Reads and writes what stands before the blocks of a file: its header and its metadata.

use crate::code::Payload;
use crate::disk::{SharedFile, open_regular};
use crate::error::FormatError;
use crate::name::{Checksum, Short, short};
use serde::{Deserialize, Serialize};
use std::io::{ErrorKind, Read};
use std::path::Path;
use variant::Side;

/// The latest format version.
///
/// Files of the metric `dtm` are of version 2, or of version 3 without one of the two sides to move, or,
/// where they are to be small, of version 7; those of other metrics are of version 4.
pub const VERSION: u32 = 7;

/// The version of files of `dtm` whose blocks begin with their method.
pub(crate) const VERSION_OF_SMALL: u32 = 7;

/// The version of files of other metrics.
pub(crate) const VERSION_OF_METRICS: u32 = 4;

/// The version of files of `dtm` that have left out a side to move.
pub(crate) const VERSION_OF_ONE_SIDE: u32 = 3;

/// The version of files that keep all the sides to move that their material needs.
pub(crate) const VERSION_OF_WHOLE: u32 = 2;

/// How many bytes the header has.
pub const HEADER_BYTES: usize = 256;

/// As in PNG: the first byte keeps the file from being taken for text, and the line ends show a careless
/// transfer.
const MAGIC: [u8; 8] = *b"\x89TSM\r\n\x1a\n";

/// The bytes of one entry of the index.
pub(crate) const ENTRY_BYTES: usize = 28;

/// Codes in a block of values: one probe decompresses as many.
#[cfg(feature = "parallel")]
pub(crate) const BLOCK_CODES: usize = 1 << 15;

/// Codes of a block that a model packs: a probe decodes the whole block, which takes time.
pub(crate) const SMALL_BLOCK_CODES: usize = 1 << 14;

/// The most codes a block may have: a bound on what a reader must be ready to hold.
pub(crate) const MAX_BLOCK_CODES: u32 = 1 << 24;

/// The most codes a tile may have, likewise.
const MAX_TILE_CODES: u32 = 1 << 24;

/// The header's fields; those that follow from others are not here.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Header {
    pub(crate) version: u32,
    /// Bytes of a code for each side to move; 0 for a side that is not kept. At least one is.
    pub(crate) widths: [u8; 2],
    pub(crate) n_men: u8,
    pub(crate) block_codes: u32,
    /// Codes in a tile.
    pub(crate) tile_codes: u32,
    /// The order of the codes in a tile for each side to move; 0 for a side that is not kept.
    pub(crate) orders: [u16; 2],
    pub(crate) placements: u64,
    pub(crate) n_blocks: u64,
    /// What models begin with, behind the entries of the index.
    pub(crate) learned_bytes: u64,
    pub(crate) metadata_bytes: u64,
    pub(crate) blocks_bytes: u64,
    pub(crate) metric: String,
    pub(crate) material: String,
    pub(crate) rules_hash: Checksum,
    pub(crate) content: Checksum,
    pub(crate) metadata_checksum: Short,
    pub(crate) index_checksum: Short,
}

impl Header {
    /// Sets which sides to move the file keeps, each with the bytes of a code and the order of the codes.
    #[cfg(feature = "parallel")]
    pub(crate) fn set_sides(&mut self, sides: impl Iterator<Item = (Side, u8, u16)>) {
        (self.widths, self.orders) = ([0; 2], [0; 2]);
        for (side, width, order) in sides {
            self.widths[side.index()] = width;
            self.orders[side.index()] = order;
        }
    }

    /// Whether one of two sides to move may have been left out.
    pub(crate) fn may_lack_side(&self) -> bool {
        self.version > VERSION_OF_WHOLE
    }

    /// What the codes stand for; none if no file of this version holds that, or not in codes of this width.
    pub(crate) fn payload(&self) -> Option<Payload> {
        let payload = Payload::of(self.metric.parse().ok()?);
        let is_of_version = (payload == Payload::Values) == (self.version != VERSION_OF_METRICS);
        // Codes of `wdl` have no two bytes.
        let are_widths_right = payload != Payload::Wdl || self.widths.iter().all(|&width| width < 2);
        (is_of_version && are_widths_right).then_some(payload)
    }

    /// Whether the metadata are compressed.
    pub(crate) fn has_packed_metadata(&self) -> bool {
        self.version == VERSION_OF_METRICS
    }

    /// Whether each block begins with the byte of its method.
    pub(crate) fn has_methods(&self) -> bool {
        self.version == VERSION_OF_SMALL
    }

    /// How many sides to move are kept.
    fn n_sides(&self) -> u64 {
        self.widths.iter().filter(|&&width| width != 0).count() as u64
    }

    /// Where the metadata begin.
    pub(crate) const METADATA_OFFSET: u64 = HEADER_BYTES as u64;

    pub(crate) fn index_offset(&self) -> u64 {
        Self::METADATA_OFFSET + self.metadata_bytes
    }

    pub(crate) fn entries_bytes(&self) -> u64 {
        self.n_blocks * ENTRY_BYTES as u64
    }

    pub(crate) fn index_bytes(&self) -> u64 {
        self.entries_bytes() + self.learned_bytes
    }

    pub(crate) fn blocks_offset(&self) -> u64 {
        self.index_offset() + self.index_bytes()
    }

    pub(crate) fn file_bytes(&self) -> u64 {
        self.blocks_offset() + self.blocks_bytes
    }

    /// How many blocks a tile has; the last of a side may have fewer.
    pub(crate) fn blocks_per_tile(&self) -> u64 {
        u64::from(self.tile_codes.div_ceil(self.block_codes))
    }

    /// How many blocks each side kept has.
    pub(crate) fn blocks_per_side(&self) -> u64 {
        let (tile, block) = (u64::from(self.tile_codes), u64::from(self.block_codes));
        (self.placements / tile * self.blocks_per_tile())
            .saturating_add((self.placements % tile).div_ceil(block))
    }

    /// The content checksum, given the hash of every block before compression.
    #[cfg(feature = "parallel")]
    pub(crate) fn content_of<'a>(&self, block_hashes: impl IntoIterator<Item = &'a [u8; 32]>) -> Checksum {
        let bytes = self.encode();
        let mut hasher = blake3::Hasher::new();
        hasher.update(&bytes[17..32]).update(&bytes[96..168]).update(&bytes[232..240]);
        for hash in block_hashes {
            hasher.update(hash);
        }
        Checksum(*hasher.finalize().as_bytes())
    }

    pub(crate) fn encode(&self) -> [u8; HEADER_BYTES] {
        let mut bytes = [0; HEADER_BYTES];
        let mut put =
            |offset: usize, field: &[u8]| bytes[offset..offset + field.len()].copy_from_slice(field);
        put(0, &MAGIC);
        put(8, &self.version.to_le_bytes());
        put(12, &(HEADER_BYTES as u32).to_le_bytes());
        put(16, &[1, self.widths[0], self.widths[1], self.n_men]);
        put(20, &self.block_codes.to_le_bytes());
        let numbers = [
            self.placements,
            self.n_blocks,
            self.file_bytes(),
            Self::METADATA_OFFSET,
            self.metadata_bytes,
            self.index_offset(),
            self.index_bytes(),
            self.blocks_offset(),
            self.blocks_bytes,
        ];
        for (i, number) in numbers.into_iter().enumerate() {
            put(24 + 8 * i, &number.to_le_bytes());
        }
        put(96, self.metric.as_bytes());
        put(104, self.material.as_bytes());
        put(136, &self.rules_hash.0);
        put(168, &self.content.0);
        put(200, &self.metadata_checksum);
        put(216, &self.index_checksum);
        put(232, &self.tile_codes.to_le_bytes());
        put(236, &self.orders[0].to_le_bytes());
        put(238, &self.orders[1].to_le_bytes());
        let checksum = short(&bytes[..240]);
        bytes[240..].copy_from_slice(&checksum);
        bytes
    }

    /// Reads a header and checks all that can be checked without the variant.
    pub(crate) fn decode(path: &Path, bytes: &[u8], file_bytes: u64) -> Result<Header, FormatError> {
        let path_buf = || path.to_path_buf();
        let n_magic = bytes.len().min(MAGIC.len());
        if bytes[..n_magic] != MAGIC[..n_magic] {
            return Err(FormatError::NotATable { path: path_buf() });
        }
        let Ok(bytes) = <&[u8; HEADER_BYTES]>::try_from(bytes) else {
            let expected = HEADER_BYTES as u64;
            return Err(FormatError::Truncated { path: path_buf(), got: file_bytes, expected });
        };
        let version = u32::from_le_bytes(field(bytes, 8));
        let versions = [VERSION_OF_WHOLE, VERSION_OF_ONE_SIDE, VERSION_OF_METRICS, VERSION_OF_SMALL];
        if !versions.contains(&version) {
            return Err(FormatError::Version { path: path_buf(), got: version, expected: VERSION });
        }
        let damaged = || FormatError::SectionDamaged { path: path.to_path_buf(), section: "header" };
        if short(&bytes[..240]) != field::<16>(bytes, 240) {
            return Err(damaged());
        }
        if bytes[16] != 1 {
            return Err(FormatError::Incomplete { path: path_buf() });
        }
        let number = |offset| u64::from_le_bytes(field(bytes, offset));
        let text = |offset: usize, len: usize| {
            let filled = &bytes[offset..offset + len];
            let text = &filled[..filled.iter().position(|&b| b == 0).unwrap_or(len)];
            String::from_utf8(text.to_vec()).map_err(|_| damaged())
        };
        let (block_codes, tile_codes) =
            (u32::from_le_bytes(field(bytes, 20)), u32::from_le_bytes(field(bytes, 232)));
        let mut header = Header {
            version,
            widths: [bytes[17], bytes[18]],
            n_men: bytes[19],
            block_codes,
            tile_codes,
            orders: [236, 238].map(|offset| u16::from_le_bytes(field(bytes, offset))),
            placements: number(24),
            n_blocks: number(32),
            learned_bytes: 0,
            metadata_bytes: number(56),
            blocks_bytes: number(88),
            metric: text(96, 8)?,
            material: text(104, 32)?,
            rules_hash: Checksum(field(bytes, 136)),
            content: Checksum(field(bytes, 168)),
            metadata_checksum: field(bytes, 200),
            index_checksum: field(bytes, 216),
        };
        if header.has_methods() {
            let entries = header.n_blocks.saturating_mul(ENTRY_BYTES as u64);
            header.learned_bytes = number(72).saturating_sub(entries);
        }
        header.check(path, number(40))?;
        if file_bytes != number(40) {
            return Err(FormatError::Truncated { path: path_buf(), got: file_bytes, expected: number(40) });
        }
        // Every field that follows from others must be as it follows, and what is reserved must be zero.
        if header.encode() == *bytes { Ok(header) } else { Err(damaged()) }
    }

    /// Whether the numbers fit together; none of the sums that follow from them overflows afterwards.
    fn check(&self, path: &Path, file_bytes: u64) -> Result<(), FormatError> {
        let check = |what: &'static str, is_right: bool, got: u64, expected: u64| {
            let path = path.to_path_buf();
            if is_right { Ok(()) } else { Err(FormatError::Inconsistent { path, what, got, expected }) }
        };
        let [white, black] = self.widths.map(u64::from);
        let is_white_right = matches!(white, 1 | 2) || white == 0 && self.may_lack_side();
        check("the bytes of a code with White to move", is_white_right, white, 1)?;
        let are_sides_right = match self.version {
            VERSION_OF_ONE_SIDE => (white == 0) != (black == 0),
            _ => white + black > 0,
        };
        let is_black_right = matches!(black, 0..=2) && are_sides_right;
        check("the bytes of a code with Black to move", is_black_right, black, 1)?;
        let codes = u64::from(self.block_codes);
        let most = u64::from(MAX_BLOCK_CODES);
        check("the codes of a block", (1..=most).contains(&codes), codes, most)?;
        // A model is cleared before each block; if it has few codes that takes longer than to decode them.
        let of_small = SMALL_BLOCK_CODES as u64;
        check("the codes of a block", !self.has_methods() || codes == of_small, codes, of_small)?;
        let (codes, most) = (u64::from(self.tile_codes), u64::from(MAX_TILE_CODES));
        check("the codes of a tile", (1..=most).contains(&codes), codes, most)?;
        let n_blocks = self.blocks_per_side().checked_mul(self.n_sides());
        check("the number of blocks", n_blocks == Some(self.n_blocks), self.n_blocks, n_blocks.unwrap_or(0))?;
        let entries = self.n_blocks.checked_mul(ENTRY_BYTES as u64);
        let parts = [self.metadata_bytes, self.learned_bytes, self.blocks_bytes];
        let sum = parts
            .map(Some)
            .into_iter()
            .chain([entries])
            .try_fold(Self::METADATA_OFFSET, |sum, part| sum.checked_add(part?));
        check("the number of bytes of the file", sum == Some(file_bytes), file_bytes, sum.unwrap_or(0))
    }
}

/// The bytes at an offset.
pub(crate) fn field<const N: usize>(bytes: &[u8], offset: usize) -> [u8; N] {
    std::array::from_fn(|i| bytes[offset + i])
}

#[cfg(feature = "parallel")]
use std::io;

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
    /// What the file becomes when it is trimmed, if both sides to move are kept only until the tables that
    /// read them are there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trims_to: Option<Trimmed>,
    /// The side whose wins alone the file has, if it has not those of both.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "side")]
    pub winner: Option<Side>,
}

/// What is left of a file when its larger side to move is left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Trimmed {
    /// The side to move that is left.
    #[serde(with = "side::one")]
    pub side: Side,
    /// Which values the file holds then, so that nothing needs to be decompressed to name them.
    pub content: Checksum,
}

/// A side to move as text: `white` or `black`.
mod side {
    use serde::de::{Error, Unexpected};
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use variant::Side;

    const NAMES: [&str; 2] = ["white", "black"];

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
    #[expect(clippy::ref_option, reason = "serde gives a reference")]
    pub(crate) fn serialize<S: Serializer>(side: &Option<Side>, serializer: S) -> Result<S::Ok, S::Error> {
        side.map(|side| NAMES[side.index()]).serialize(serializer)
    }

    pub(crate) fn deserialize<'d, D: Deserializer<'d>>(deserializer: D) -> Result<Option<Side>, D::Error> {
        let Some(name) = Option::<String>::deserialize(deserializer)? else { return Ok(None) };
        let side = Side::BOTH.into_iter().find(|side| NAMES[side.index()] == name);
        side.map(Some).ok_or_else(|| D::Error::invalid_value(Unexpected::Str(&name), &"white or black"))
    }

    /// A side to move that is always there.
    pub(crate) mod one {
        use serde::de::Error;
        use serde::{Deserializer, Serializer};
        use variant::Side;

        #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
        pub(crate) fn serialize<S: Serializer>(side: &Side, serializer: S) -> Result<S::Ok, S::Error> {
            super::serialize(&Some(*side), serializer)
        }

        pub(crate) fn deserialize<'d, D: Deserializer<'d>>(deserializer: D) -> Result<Side, D::Error> {
            super::deserialize(deserializer)?.ok_or_else(|| D::Error::custom("white or black is missing"))
        }
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
        Metadata { table: Some(table), trims_to: None, ..self.clone() }
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
