//! Reads and writes what a table file says of itself: what its codes are and how they stand, and how it was
//! made.

use crate::code::{Method, Payload};
use crate::container::{PageEntry, PageKey, SealedFile};
use crate::error::FormatError;
use crate::name::Checksum;
use serde::{Deserialize, Serialize};
use std::path::Path;
use variant::Side;

/// What the container of a table is of.
pub(crate) const KIND: [u8; 4] = *b"TSM\0";

/// The most bytes of an index, unpacked: some dozens for each block.
const MOST_INDEX_BYTES: u64 = 1 << 32;

/// The table of the container that has the blocks, and the one of what their models begin with.
pub(crate) const BLOCKS: u32 = 0;
pub(crate) const LEARNED: u32 = 1;

/// The page of a block of a tile, both by number.
pub(crate) fn block_page(stm: Side, tile: u64, block: u64) -> PageKey {
    PageKey { table: BLOCKS, stm, unit: tile as u32, page: block as u32 }
}

/// The page of what the models of a side begin with.
pub(crate) fn learned_page(stm: Side) -> PageKey {
    PageKey { table: LEARNED, stm, unit: 0, page: 0 }
}

/// Codes in a block of values: one probe decompresses as many.
#[cfg(feature = "parallel")]
pub(crate) const BLOCK_CODES: usize = 1 << 15;

/// Codes of a block that a model packs: a probe decodes the whole block, which takes time.
pub(crate) const SMALL_BLOCK_CODES: usize = 1 << 14;

/// The most codes a block may have: a bound on what a reader must be ready to hold.
const MAX_BLOCK_CODES: u32 = 1 << 24;

/// The most codes a tile may have, likewise.
const MAX_TILE_CODES: u32 = 1 << 24;

/// All that a file says of itself.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct About {
    pub(crate) table: Header,
    pub(crate) made: Metadata,
}

/// What the codes of a file are, and how they stand.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Header {
    pub(crate) metric: String,
    pub(crate) material: String,
    pub(crate) n_men: u8,
    pub(crate) placements: u64,
    pub(crate) block_codes: u32,
    /// Codes in a tile.
    pub(crate) tile_codes: u32,
    /// Bytes of a code for each side to move; 0 for a side that is not kept. At least one is.
    pub(crate) widths: [u8; 2],
    /// The order of the codes in a tile for each side to move; 0 for a side that is not kept.
    pub(crate) orders: [u16; 2],
    pub(crate) content: Checksum,
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

    /// What the codes stand for; none if no file holds that, or not in codes of this width.
    pub(crate) fn payload(&self) -> Option<Payload> {
        let payload = Payload::of(self.metric.parse().ok()?);
        // Codes of `wdl` have no two bytes.
        let are_widths_right = payload != Payload::Wdl || self.widths.iter().all(|&width| width < 2);
        are_widths_right.then_some(payload)
    }

    /// The sides to move that are kept.
    pub(crate) fn sides(&self) -> impl Iterator<Item = Side> + use<> {
        let widths = self.widths;
        Side::BOTH.into_iter().filter(move |side| widths[side.index()] != 0)
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

    /// The page of a block, given its number among those of its side.
    fn page(&self, stm: Side, block: u64) -> PageKey {
        let per_tile = self.blocks_per_tile();
        block_page(stm, block / per_tile, block % per_tile)
    }

    /// The content checksum under these rules, given the hash of every block before compression.
    #[cfg(feature = "parallel")]
    pub(crate) fn content_of<'a>(
        &self,
        rules: Checksum,
        block_hashes: impl IntoIterator<Item = &'a [u8; 32]>,
    ) -> Checksum {
        let mut bytes = [self.widths[0], self.widths[1], self.n_men].to_vec();
        bytes.extend(self.block_codes.to_le_bytes());
        bytes.extend(self.placements.to_le_bytes());
        for (name, n_bytes) in [(&self.metric, 8), (&self.material, 32)] {
            bytes.extend(name.bytes().chain(std::iter::repeat(0)).take(n_bytes));
        }
        bytes.extend(rules.0);
        bytes.extend(self.tile_codes.to_le_bytes());
        self.orders.iter().for_each(|order| bytes.extend(order.to_le_bytes()));
        let mut hasher = blake3::Hasher::new();
        hasher.update(&bytes);
        for hash in block_hashes {
            hasher.update(hash);
        }
        Checksum(*hasher.finalize().as_bytes())
    }

    /// Whether the numbers fit together and the pages of the file are those that follow from them.
    fn check(&self, path: &Path, file: &SealedFile) -> Result<(), FormatError> {
        let check = |what: &'static str, is_right: bool, got: u64, expected: u64| {
            let path = path.to_path_buf();
            if is_right { Ok(()) } else { Err(FormatError::Inconsistent { path, what, got, expected }) }
        };
        let [white, black] = self.widths.map(u64::from);
        check("the bytes of a code with White to move", white <= 2, white, 1)?;
        check("the bytes of a code with Black to move", black <= 2 && white + black > 0, black, 1)?;
        let (codes, most) = (u64::from(self.block_codes), u64::from(MAX_BLOCK_CODES));
        check("the codes of a block", (1..=most).contains(&codes), codes, most)?;
        let (codes, most) = (u64::from(self.tile_codes), u64::from(MAX_TILE_CODES));
        check("the codes of a tile", (1..=most).contains(&codes), codes, most)?;
        let expected = self.blocks_per_side();
        for side in self.sides() {
            let n_blocks = file.n_pages(BLOCKS, side) as u64;
            check("the number of blocks", n_blocks == expected, n_blocks, expected)?;
        }
        let damaged = || FormatError::SectionDamaged { path: path.to_path_buf(), section: "index" };
        let mut modelled = [false; 2];
        let mut pages = file.pages();
        for side in self.sides() {
            for block in 0..expected {
                let page =
                    pages.next().filter(|page| page.key == self.page(side, block)).ok_or_else(damaged)?;
                let method = Method::of_page(page.coding).filter(|_| page.n_codes == self.codes_of(block));
                match method.ok_or_else(damaged)? {
                    Method::Zstandard => {}
                    Method::Modelled => modelled[side.index()] = true,
                }
            }
        }
        // A model is cleared before each block; of few codes that takes longer than to decode them.
        let codes = self.block_codes as usize;
        let is_right = codes == SMALL_BLOCK_CODES && self.payload() == Some(Payload::Values);
        let what = "the codes of a block that a model has packed";
        let is_modelled = modelled.contains(&true);
        check(what, is_right || !is_modelled, codes as u64, SMALL_BLOCK_CODES as u64)?;
        for side in Side::BOTH.into_iter().filter(|side| modelled[side.index()]) {
            let learned = |page: &&PageEntry| {
                let is_of_model = page.coding == Method::Modelled.coding() && page.n_codes == 0;
                is_of_model && page.key == learned_page(side)
            };
            pages.next().filter(learned).ok_or_else(damaged)?;
        }
        if pages.next().is_none() { Ok(()) } else { Err(damaged()) }
    }

    /// How many codes a block of a side has, given its number among those of its side.
    fn codes_of(&self, block: u64) -> u32 {
        let (tile, in_tile) = (block / self.blocks_per_tile(), block % self.blocks_per_tile());
        let of_tile = (self.placements - tile * u64::from(self.tile_codes)).min(self.tile_codes.into());
        (of_tile - in_tile * u64::from(self.block_codes)).min(self.block_codes.into()) as u32
    }
}

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
    /// Whether the file is packed to be small.
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
}

/// What a file says of itself.
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
    /// which the file does not say, Black to move is not kept and not left out either.
    #[must_use]
    pub fn left_out(&self, is_symmetric: bool) -> Option<Side> {
        Side::BOTH.into_iter().find(|side| !is_symmetric && self.code_widths[side.index()] == 0)
    }

    /// Reads what a file says of itself, and checks that it is as long as it says.
    ///
    /// # Errors
    /// Whatever is wrong so far; the blocks are not looked at.
    pub fn read(path: &Path) -> Result<Summary, FormatError> {
        let (About { table, made }, file) = open(path)?;
        Ok(Summary {
            size_bytes: file.size_bytes(),
            material: table.material,
            metric: table.metric,
            rules_hash: Checksum(file.identity()),
            content: table.content,
            placements: table.placements,
            code_widths: table.widths,
            is_small: made.is_small,
            metadata: made,
        })
    }
}

/// Opens a file and reads what it says of itself.
pub(crate) fn open(path: &Path) -> Result<(About, SealedFile), FormatError> {
    let file = SealedFile::open(path, KIND, MOST_INDEX_BYTES)?;
    let about: About = file
        .about()
        .map_err(|_| FormatError::SectionDamaged { path: path.to_path_buf(), section: "index" })?;
    about.table.check(path, &file)?;
    Ok((about, file))
}
