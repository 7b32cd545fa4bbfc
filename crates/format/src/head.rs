//! Reads and writes what a table file says of itself: what its codes are and how they stand, and how it was
//! made.

use crate::code::{Method, Payload};
use crate::container::{PageEntry, PageKey, SealedFile, peek};
use crate::error::FormatError;
#[cfg(feature = "parallel")]
use crate::name::rule_plies;
use crate::name::{Checksum, Column, column_rules, file_name};
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
#[cfg(feature = "parallel")]
use variant::{Material, Variant};
use variant::{Metric, Side};

/// What the container of a table is of.
pub(crate) const KIND: [u8; 4] = *b"TSM\0";

/// The most bytes of an index, unpacked: some dozens for each block.
const MOST_INDEX_BYTES: u64 = 1 << 32;

impl Column {
    /// The table of the container that has the column's blocks.
    pub(crate) fn blocks(self) -> u32 {
        2 * self.number()
    }

    /// The table of the container that has what the column's models begin with.
    pub(crate) fn learned(self) -> u32 {
        2 * self.number() + 1
    }

    /// The table of the container that has what changes with the clock. No column of one side's wins has a
    /// clock, so that the next numbers are free.
    pub(crate) fn steps(self) -> u32 {
        self.learned() + 1
    }

    /// The tables of the container that the column has.
    pub(crate) fn tables(self) -> RangeInclusive<u32> {
        let has_clock = self.metric == Metric::Dtm50 && self.winner.is_none();
        self.blocks()..=if has_clock { self.steps() } else { self.learned() }
    }

    /// A page of steps, by its number among those of all slices.
    pub(crate) fn step_page(self, stm: Side, page: usize) -> PageKey {
        PageKey { table: self.steps(), stm, unit: 0, page: page as u32 }
    }

    /// The page of a block of a tile, both by number.
    pub(crate) fn block_page(self, stm: Side, tile: u64, block: u64) -> PageKey {
        PageKey { table: self.blocks(), stm, unit: tile as u32, page: block as u32 }
    }

    /// The page of a choice of rights to castle, by number.
    #[must_use]
    pub fn choice_page(self, choice: usize) -> PageKey {
        self.block_page(Side::White, 0, choice as u64)
    }

    /// The page of what the models of a side begin with.
    pub(crate) fn learned_page(self, stm: Side) -> PageKey {
        PageKey { table: self.learned(), stm, unit: 0, page: 0 }
    }
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
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct About {
    /// The columns in their order.
    pub(crate) columns: Vec<AboutColumn>,
}

/// What a file says of one of its columns.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct AboutColumn {
    pub(crate) table: Header,
    pub(crate) made: Metadata,
}

impl AboutColumn {
    /// Which column it is.
    pub(crate) fn column(&self) -> Column {
        let has_rights = self.table.castling.is_some();
        Column { has_rights, metric: self.table.metric, winner: self.made.winner }
    }

    /// The hash of the rules of this column, given that of the file.
    pub(crate) fn rules(&self, file: &SealedFile) -> Checksum {
        let (identity, castling) = (Checksum(file.identity()), self.table.castling.as_deref());
        column_rules(identity, self.table.rule_plies, self.made.winner, castling)
    }
}

/// What the codes of a column are, and how they stand.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Header {
    pub(crate) metric: Metric,
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
    /// The plies of the n-move rule, of the metric that asks for it; 0 if there is no such rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) rule_plies: Option<u16>,
    /// By side to move that is kept: which steps it has, if values change with the clock.
    #[serde(default, skip_serializing_if = "no_steps")]
    pub(crate) steps: [Option<Checksum>; 2],
    /// The rule of castling, of a column with rights to castle, whose codes are in no blocks or tiles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) castling: Option<String>,
    /// The names of the choices of men and rights of such a column, a page each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) choices: Vec<String>,
    pub(crate) content: Checksum,
}

impl Header {
    /// That of a column of a material in which no codes stand yet.
    #[cfg(feature = "parallel")]
    pub(crate) fn new(variant: &Variant, material: &Material, metric: Metric) -> Self {
        Header {
            metric,
            material: material.name(variant),
            n_men: material.n_men() as u8,
            placements: 0,
            block_codes: 0,
            tile_codes: 0,
            widths: [0; 2],
            orders: [0; 2],
            rule_plies: rule_plies(variant, metric),
            steps: [None, None],
            castling: None,
            choices: Vec::new(),
            content: Checksum([0; 32]),
        }
    }

    /// Sets which sides to move the column keeps, each with the bytes of a code and the order of the codes.
    #[cfg(feature = "parallel")]
    pub(crate) fn set_sides(&mut self, sides: impl Iterator<Item = (Side, u8, u16)>) {
        (self.widths, self.orders) = ([0; 2], [0; 2]);
        for (side, width, order) in sides {
            self.widths[side.index()] = width;
            self.orders[side.index()] = order;
        }
    }

    /// What the codes of a table stand for; none if no file holds that, or not in codes of this width.
    pub(crate) fn payload(&self) -> Option<Payload> {
        let payload = Payload::of(self.metric);
        // Codes of `wdl` have no two bytes.
        let are_widths_right = payload != Payload::Wdl || self.widths.iter().all(|&width| width < 2);
        (are_widths_right && self.castling.is_none()).then_some(payload)
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

    /// The page of a block of a column, given its number among those of its side.
    fn page(&self, column: Column, stm: Side, block: u64) -> PageKey {
        let per_tile = self.blocks_per_tile();
        column.block_page(stm, block / per_tile, block % per_tile)
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
        for (name, n_bytes) in [(self.metric.name(), 8), (&self.material, 32)] {
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
        for side in self.sides() {
            if let Some(steps) = self.steps[side.index()] {
                hasher.update(&steps.0);
            }
        }
        Checksum(*hasher.finalize().as_bytes())
    }

    /// Whether the numbers fit together and the pages of the column are those that follow from them.
    fn check(&self, path: &Path, file: &SealedFile, column: Column) -> Result<(), FormatError> {
        let check = |what, is_right, got, expected| FormatError::check(path, what, is_right, got, expected);
        if column.has_rights {
            let pages = file.pages_of(column.tables()).map(|page| page.key);
            let (n_pages, n_choices) = (pages.len() as u64, self.choices.len() as u64);
            let is_right = pages.eq((0..self.choices.len()).map(|choice| column.choice_page(choice)));
            return check("the number of choices of castling rights", is_right, n_pages, n_choices);
        }
        let [white, black] = self.widths.map(u64::from);
        check("the bytes of a code with White to move", white <= 2, white, 1)?;
        check("the bytes of a code with Black to move", black <= 2 && white + black > 0, black, 1)?;
        let (codes, most) = (u64::from(self.block_codes), u64::from(MAX_BLOCK_CODES));
        check("the codes of a block", (1..=most).contains(&codes), codes, most)?;
        let (codes, most) = (u64::from(self.tile_codes), u64::from(MAX_TILE_CODES));
        check("the codes of a tile", (1..=most).contains(&codes), codes, most)?;
        let expected = self.blocks_per_side();
        for side in self.sides() {
            let n_blocks = file.n_pages(column.blocks(), side) as u64;
            check("the number of blocks", n_blocks == expected, n_blocks, expected)?;
        }
        let damaged = || FormatError::index_damaged(path);
        let mut modelled = [false; 2];
        let mut pages = file.pages_of(column.tables());
        for side in self.sides() {
            for block in 0..expected {
                let page = pages
                    .next()
                    .filter(|page| page.key == self.page(column, side, block))
                    .ok_or_else(damaged)?;
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
                is_of_model && page.key == column.learned_page(side)
            };
            pages.next().filter(learned).ok_or_else(damaged)?;
        }
        for side in self.sides().filter(|side| self.steps[side.index()].is_some()) {
            for (page, number) in pages.by_ref().take(file.n_pages(column.steps(), side)).zip(0..) {
                if page.key != column.step_page(side, number) {
                    return Err(damaged());
                }
            }
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

fn no_steps(steps: &[Option<Checksum>; 2]) -> bool {
    *steps == [None, None]
}

/// How a table was made; no value is found with it.
///
/// No clock, host or path is in it: the same table has the same metadata everywhere.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
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
    /// Whether the column is packed to be small.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_small: bool,
    /// What the column becomes when it is trimmed, if both sides to move are kept only until the tables that
    /// read them are there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trims_to: Option<Trimmed>,
    /// The side whose wins alone the column has, if it has not those of both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub winner: Option<Side>,
}

/// What is left of a column when its larger side to move is left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Trimmed {
    /// The side to move that is left.
    pub side: Side,
    /// Which values the file holds then, so that nothing needs to be decompressed to name them.
    pub content: Checksum,
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

/// What a file says of one of its columns.
#[derive(Clone, PartialEq, Debug)]
pub struct Summary {
    /// The name of the material.
    pub material: String,
    /// Which column of its file it is.
    pub column: Column,
    /// The hash of the rules that the column was computed under.
    pub rules_hash: Checksum,
    /// Which values the column holds.
    pub content: Checksum,
    /// How many placements the numbering has.
    pub placements: u64,
    /// Bytes of a code with White and with Black to move; 0 if that side is not kept.
    pub code_widths: [u8; 2],
    /// The size of the column with its share of the file's index.
    pub size_bytes: u64,
    /// Whether the column is packed to be small, and not quickly.
    pub is_small: bool,
    /// The names of the choices of men and rights, of a column with rights to castle.
    pub choices: Vec<String>,
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

    /// Reads what a file says of a column, and checks that it is as long as it says.
    ///
    /// # Errors
    /// Whatever is wrong so far, or there is no such column; the blocks are not looked at.
    pub fn read(path: &Path, column: impl Into<Column>) -> Result<Summary, FormatError> {
        let (own, file) = open_column(path, column.into())?;
        Ok(Summary::new(own, &file))
    }

    /// Reads what a file says of each of its columns, in their order.
    ///
    /// # Errors
    /// As [`Summary::read`].
    pub fn all(path: &Path) -> Result<Vec<Summary>, FormatError> {
        let (about, file) = open(path)?;
        about.columns.iter().try_for_each(|own| own.table.check(path, &file, own.column()))?;
        Ok(about.columns.into_iter().map(|own| Summary::new(own, &file)).collect())
    }

    pub(crate) fn new(own: AboutColumn, file: &SealedFile) -> Summary {
        let column = own.column();
        Summary {
            column,
            size_bytes: column_bytes(column, file.pages(), file.size_bytes()),
            rules_hash: own.rules(file),
            material: own.table.material,
            content: own.table.content,
            placements: own.table.placements,
            code_widths: own.table.widths,
            is_small: own.made.is_small,
            choices: own.table.choices,
            metadata: own.made,
        }
    }
}

/// The size of a column of a file of this size: the bytes of its pages and its share, by their number, of
/// what the file has beside pages.
pub(crate) fn column_bytes<'p>(
    column: Column,
    pages: impl Iterator<Item = &'p PageEntry>,
    size_bytes: u64,
) -> u64 {
    let (mut n_own, mut n_all, mut own_bytes, mut all_bytes) = (0, 0, 0, 0);
    for page in pages {
        let is_own = column.tables().contains(&page.key.table);
        (n_all, all_bytes) = (n_all + 1, all_bytes + u64::from(page.n_bytes));
        if is_own {
            (n_own, own_bytes) = (n_own + 1, own_bytes + u64::from(page.n_bytes));
        }
    }
    own_bytes + (size_bytes - all_bytes) * n_own / n_all.max(1)
}

/// Opens a file and reads what it says of itself: its columns stand in order, and each page is of one.
pub(crate) fn open(path: &Path) -> Result<(About, SealedFile), FormatError> {
    let file = SealedFile::open(path, KIND, MOST_INDEX_BYTES)?;
    let damaged = || FormatError::index_damaged(path);
    let about: About = file.about().map_err(|_| damaged())?;
    let columns = about.columns.iter().map(AboutColumn::column);
    let n_pages: usize = columns.clone().map(|column| file.pages_of(column.tables()).len()).sum();
    let is_in_order = !about.columns.is_empty() && columns.is_sorted_by(|a, b| a < b);
    let is_of_one = about.columns.windows(2).all(|two| two[0].table.material == two[1].table.material);
    let is_right = is_in_order && is_of_one && n_pages == file.n_all_pages();
    if is_right { Ok((about, file)) } else { Err(damaged()) }
}

/// Opens a file and reads what it says of a column.
pub(crate) fn open_column(path: &Path, column: Column) -> Result<(AboutColumn, SealedFile), FormatError> {
    let (about, file) = open(path)?;
    let has = about.columns.iter().map(AboutColumn::column).collect();
    let own = about.columns.into_iter().find(|own| own.column() == column);
    let own = own.ok_or_else(|| FormatError::NoColumn { path: path.to_path_buf(), column, has })?;
    own.table.check(path, &file, column)?;
    Ok((own, file))
}

/// Whether a file has a column, as far as it can be read: one that is damaged may have it.
#[must_use]
pub fn has_column(path: &Path, column: impl Into<Column>) -> bool {
    !open_column(path, column.into()).is_err_and(|error| error.is_not_found())
}

/// Names the file of a table among some folders that has this column: that of the first folder whose file
/// has it, or cannot be read and may have it; or else that of the first of all.
#[must_use]
pub fn column_path(folders: &[PathBuf], material: &str, column: impl Into<Column>) -> PathBuf {
    let (column, name) = (column.into(), file_name(material));
    let is_there = |folder: &&PathBuf| folders.len() > 1 && has_column(&folder.join(&name), column);
    let folder = folders.iter().find(is_there).or(folders.first());
    folder.map_or_else(|| name.clone().into(), |folder| folder.join(&name))
}

/// The columns that the index of a file says it has. Little of the file is read, and no checksum is compared:
/// this is for lists.
///
/// # Errors
/// The file is not there, cannot be read, or is no table.
pub fn columns_of(path: &Path) -> Result<Vec<Column>, FormatError> {
    let about: About = peek(path, KIND)?;
    let columns: Vec<Column> = about.columns.iter().map(AboutColumn::column).collect();
    if columns.is_empty() { Err(FormatError::index_damaged(path)) } else { Ok(columns) }
}
