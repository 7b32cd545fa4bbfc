//! Opens a file and reads the values that it has, before captures are looked at.

use super::side_decoder::Unpacked;
use crate::checksum::{CHECKSUM_BYTES, ChecksumKind};
use crate::error::SyzygyError;
use crate::material;
use crate::material::{
    ALIGNMENT, BLACK, BLACK_TO_MOVE, Family, FileKind, FileMaterial, LOSS_PLIES, MAPPED, MAX_MEN, PAWN,
    PieceCode, RULES_BYTES, WIDE, WIN_PLIES, codes_of_name, has_pawns_on_both_sides, kind, leading_pawn,
};
use crate::numbering::leading_group::file_of_leader;
use crate::numbering::{Arrangement, NO_ORDER};
use crate::reading::side_decoder::Bytes;
use format::{Checksum, FormatError, rules_hash};
use position::Position;
use std::ops::Range;
use std::path::{Path, PathBuf};
use variant::{Material, Metric, Side, Variant};

/// Why blocks cannot be read.
const WRONG_BLOCKS: &str = "its blocks are not as its header says";

/// Above every WDL value.
const WDL_LIMIT: u16 = 5;

/// Above every leaf.
const LEAF_LIMIT: u16 = 1 << 12;

/// A `.rtbw` or `.rtbz` file, or one of another game, in memory. It is checked as a whole by its checksum,
/// ours or the generator's; one without a checksum in everything but its blocks.
#[derive(Debug)]
pub struct SyzygyFile {
    path: PathBuf,
    family: Family,
    /// The hash of the rules, of a game of its own.
    rules: Option<Checksum>,
    kind: FileKind,
    checksum: ChecksumKind,
    bytes: Vec<u8>,
    men: Vec<PieceCode>,
    is_symmetric: bool,
    /// The sides of each sub-table, by file of the leading pawn, if there are pawns.
    sub_tables: Vec<Vec<SubTableSide>>,
}

#[derive(Debug)]
struct SubTableSide {
    arrangement: Arrangement,
    values: Unpacked,
    /// The distances of each class, by leaf; of a file without a map the leaves are the distances.
    map: Option<[Vec<u16>; 4]>,
    /// All values, if they have been unpacked.
    all: Option<Vec<u16>>,
}

/// The men of a position by their codes, in the colours of the file.
struct Placed {
    men: [(PieceCode, u8); MAX_MEN],
    n_men: usize,
    is_black_to_move: bool,
}

impl Placed {
    fn men(&self) -> &[(PieceCode, u8)] {
        &self.men[..self.n_men]
    }
}

/// What the file says is no value.
pub(crate) struct Unreadable;

impl SyzygyFile {
    /// Reads a file; its name must be that of its material, with one of the endings of a game.
    ///
    /// # Errors
    /// The file cannot be read, or is not what its name says.
    pub fn open(path: &Path) -> Result<Self, SyzygyError> {
        let bytes = format::read_regular(path).map_err(|source| match source.kind() {
            std::io::ErrorKind::NotFound => {
                SyzygyError::NotThere { file: path.to_path_buf(), material: material_of(path).to_owned() }
            }
            _ => FormatError::io(path, "read")(source).into(),
        })?;
        SyzygyFile::from_bytes(path, bytes)
    }

    /// Opens bytes that were read, or never written; `path` names kind and material.
    ///
    /// # Errors
    /// The bytes are not what the name says.
    pub fn from_bytes(path: &Path, bytes: Vec<u8>) -> Result<Self, SyzygyError> {
        parse(path, bytes).map_err(|what| SyzygyError::damaged(path, what))
    }

    /// Unpacks all values, so that each is found at once. A file of four men takes some megabytes then.
    ///
    /// # Errors
    /// The blocks are damaged.
    pub fn unpack(&mut self) -> Result<(), SyzygyError> {
        for side in self.sub_tables.iter_mut().flatten() {
            let all = side.values.all(&self.bytes, side.arrangement.size());
            side.all = Some(all.ok_or_else(|| SyzygyError::damaged(&self.path, WRONG_BLOCKS))?);
        }
        Ok(())
    }

    /// Decodes every block, a block in memory at a time; how many values the file has.
    ///
    /// # Errors
    /// The blocks are damaged.
    pub fn verify_blocks(&self) -> Result<u64, SyzygyError> {
        let mut n_values = 0;
        for side in self.sub_tables.iter().flatten() {
            let own = side.arrangement.size();
            let is_right = side.values.for_each_block(&self.bytes, own, |_| {}).is_some();
            if !is_right {
                return Err(SyzygyError::damaged(&self.path, WRONG_BLOCKS));
            }
            n_values += own;
        }
        Ok(n_values)
    }

    /// Fails if the file has the rules of another game of its own.
    ///
    /// # Errors
    /// That it has.
    pub fn check_rules(&self, variant: &Variant) -> Result<(), SyzygyError> {
        let Some(rules) = self.rules else { return Ok(()) };
        let material = Material::parse(variant, material_of(&self.path)).ok();
        let expected = material.map(|material| rules_hash(variant, &material, Metric::Dtz50));
        match expected == Some(rules) {
            true => Ok(()),
            false => Err(SyzygyError::OtherRules { path: self.path.clone(), variant: variant.name.clone() }),
        }
    }

    /// Whose checksum the file has; that it is the right one was checked as the file was opened.
    #[must_use]
    pub fn checksum(&self) -> ChecksumKind {
        self.checksum
    }

    /// What the file holds.
    #[must_use]
    pub fn kind(&self) -> FileKind {
        self.kind
    }

    /// Whose rules the file has.
    #[must_use]
    pub fn family(&self) -> Family {
        self.family
    }

    /// How many men it is about.
    pub(crate) fn n_men(&self) -> usize {
        self.men.len()
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether distances are counted in plies, and not rounded to moves.
    #[must_use]
    pub fn counts_plies(&self) -> bool {
        let both = WIN_PLIES | LOSS_PLIES;
        self.sub_tables.iter().flatten().all(|side| side.values.flags & both == both)
    }

    /// What the file has for a position of its material, captures not looked at: a WDL value from 0 to 4, or
    /// plies within the class of a win. None if it has nothing there, or the other side to move.
    #[must_use]
    pub fn stored(&self, material: &FileMaterial, position: &Position) -> Option<u32> {
        match self.kind {
            FileKind::Wdl => self.wdl(material, position).map(u32::from).ok(),
            FileKind::Dtz => self.dtz(material, position, 4).ok().flatten(),
        }
    }

    /// The stored WDL value of a position of the file's material, 0 to 4.
    pub(crate) fn wdl(&self, material: &FileMaterial, position: &Position) -> Result<u8, Unreadable> {
        let placed = self.placed(material, position)?;
        let sub_table = self.sub_table(placed.men())?;
        let side = if self.is_symmetric || !placed.is_black_to_move { 0 } else { 1 };
        let value = self.value(sub_table.get(side).ok_or(Unreadable)?, placed.men())?;
        u8::try_from(value).ok().filter(|&value| u16::from(value) < WDL_LIMIT).ok_or(Unreadable)
    }

    /// The stored distance of a position of the file's material whose WDL value is known: plies, at least 1,
    /// within the class of that. None if the distance is that of the other side to move.
    pub(crate) fn dtz(
        &self,
        material: &FileMaterial,
        position: &Position,
        wdl: u8,
    ) -> Result<Option<u32>, Unreadable> {
        let placed = self.placed(material, position)?;
        let is_black = placed.is_black_to_move;
        let sub_table = self.sub_table(placed.men())?;
        let both = sub_table.len() > 1;
        let side = sub_table.get(usize::from(both && is_black)).ok_or(Unreadable)?;
        let flags = side.values.flags;
        if !self.is_symmetric && is_black != (flags & BLACK_TO_MOVE != 0) {
            return Ok(None);
        }
        let leaf = self.value(side, placed.men())?;
        // Classes stand in the order win, loss, cursed win, blessed loss.
        let (class, plies) = match wdl {
            4 => (0, flags & WIN_PLIES != 0),
            0 => (1, flags & LOSS_PLIES != 0),
            3 => (2, false),
            1 => (3, false),
            _ => return Err(Unreadable),
        };
        let number = match &side.map {
            _ if side.values.is_single() => u16::from(self.family.must_capture()),
            Some(map) => *map[class].get(usize::from(leaf)).ok_or(Unreadable)?,
            None => leaf,
        };
        Ok(Some(1 + if plies { u32::from(number) } else { 2 * u32::from(number) }))
    }

    /// The men as the file has them.
    fn placed(&self, material: &FileMaterial, position: &Position) -> Result<Placed, Unreadable> {
        if material.family() != self.family {
            return Err(Unreadable);
        }
        let is_black = position.stm() == Side::Black;
        let turns = material.is_swapped() || (self.is_symmetric && is_black);
        let (mut men, mut n_men) = ([(0, 0); MAX_MEN], 0);
        for (man, square) in position.men() {
            let code = material.code(man).ok_or(Unreadable)?;
            let square = square.index() as u8;
            if square > 63 || (kind(code) == PAWN && !(8..56).contains(&square)) {
                return Err(Unreadable);
            }
            let placed = if turns { (code ^ BLACK, square ^ 56) } else { (code, square) };
            *men.get_mut(n_men).ok_or(Unreadable)? = placed;
            n_men += 1;
        }
        let is_whole = n_men == self.men.len();
        is_whole.then_some(Placed { men, n_men, is_black_to_move: is_black != turns }).ok_or(Unreadable)
    }

    /// The sub-table of these men.
    fn sub_table(&self, men: &[(PieceCode, u8)]) -> Result<&Vec<SubTableSide>, Unreadable> {
        let pawn = leading_pawn(&self.men);
        let squares = men.iter().filter(|(code, _)| Some(*code) == pawn).map(|&(_, square)| square);
        self.sub_tables.get(file_of_leader(squares)).ok_or(Unreadable)
    }

    /// The value of a side of a sub-table for these men.
    fn value(&self, side: &SubTableSide, placed: &[(PieceCode, u8)]) -> Result<u16, Unreadable> {
        let mut squares = [0; MAX_MEN];
        let mut is_used = [false; MAX_MEN];
        let men = side.arrangement.men();
        for (slot, &man) in squares.iter_mut().zip(men) {
            let found = placed.iter().enumerate().find(|(i, (own, _))| *own == man && !is_used[*i]);
            let (place, &(_, square)) = found.ok_or(Unreadable)?;
            is_used[place] = true;
            *slot = square;
        }
        let number = side.arrangement.encode(&mut squares[..men.len()]).ok_or(Unreadable)?;
        match &side.all {
            Some(all) => usize::try_from(number).ok().and_then(|at| all.get(at)).copied().ok_or(Unreadable),
            None => side.values.value(&self.bytes, number).ok_or(Unreadable),
        }
    }
}

/// The name of the material that a file's name has.
fn material_of(path: &Path) -> &str {
    path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default()
}

fn parse(path: &Path, bytes: Vec<u8>) -> Result<SyzygyFile, &'static str> {
    let stem = material_of(path);
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let (family, kind) = Family::of_extension(extension)
        .ok_or("its name does not end in .rtbw or .rtbz, nor as those of other games do")?;
    if bytes.len() % ALIGNMENT != CHECKSUM_BYTES {
        return Err("it is cut short or too long");
    }
    let (content, sum) = bytes.split_at(bytes.len() - CHECKSUM_BYTES);
    let checksum = ChecksumKind::of(content, sum).ok_or("its checksum is that of other bytes")?;
    let (content, rules) = match family {
        Family::Other if content.len() < RULES_BYTES => return Err("it is cut short"),
        Family::Other => content.split_at(content.len() - RULES_BYTES),
        _ => (content, &[][..]),
    };
    let rules = rules.first_chunk().copied().map(Checksum);
    let men = match family {
        Family::Other => material::codes_of_file(stem, content),
        _ => codes_of_name(stem, family),
    };
    let men = men.ok_or("its name is no material such as KQvKR")?;
    let mut reader = Bytes::new(content);
    let magic = [reader.u8()?, reader.u8()?, reader.u8()?, reader.u8()?];
    if magic != family.magic(kind) {
        return Err("it does not begin as such a file does");
    }
    let has_pawns = leading_pawn(&men).is_some();
    let count = |black: bool| men.iter().filter(move |&&man| (man & BLACK != 0) == black).map(|man| man & 7);
    let is_symmetric = count(false).eq(count(true));
    let expected = u8::from(!is_symmetric) | u8::from(has_pawns) << 1;
    if reader.u8()? & 3 != expected {
        return Err("it holds other men than its name says");
    }
    let has_both = kind == FileKind::Wdl || !family.looks_at_moves();
    let n_sides = if has_both && !is_symmetric { 2 } else { 1 };
    let n_files = if has_pawns { 4 } else { 1 };
    let arrangements = (0..n_files)
        .map(|file| arrangements(&mut reader, (family, &men), n_sides, file))
        .collect::<Result<Vec<Vec<Arrangement>>, _>>()?;
    reader.align(2);
    let leaf_limit = if kind == FileKind::Wdl { WDL_LIMIT } else { LEAF_LIMIT };
    let mut side = |arrangement| {
        let values = Unpacked::read(&mut reader, leaf_limit)?;
        Ok(SubTableSide { arrangement, values, map: None, all: None })
    };
    let sub_tables = arrangements.into_iter().map(|own| own.into_iter().map(&mut side).collect());
    let mut sub_tables: Vec<Vec<SubTableSide>> = sub_tables.collect::<Result<_, &'static str>>()?;
    if kind == FileKind::Dtz {
        for side in sub_tables.iter_mut().flatten() {
            side.map = map(&mut reader, side.values.flags)?;
        }
        reader.align(2);
    }
    let sides = sub_tables.iter_mut().flatten();
    Unpacked::find_blocks(sides.map(|side| (&mut side.values, side.arrangement.size())), &mut reader)?;
    reader.align(ALIGNMENT);
    if reader.at() != content.len() {
        return Err("it is longer than its header says");
    }
    Ok(SyzygyFile {
        path: path.to_path_buf(),
        family,
        rules,
        kind,
        checksum,
        bytes,
        men,
        is_symmetric,
        sub_tables,
    })
}

/// The arrangements of a sub-table, one for each side.
fn arrangements(
    reader: &mut Bytes<'_>,
    (family, men): (Family, &[PieceCode]),
    n_sides: usize,
    file: usize,
) -> Result<Vec<Arrangement>, &'static str> {
    let n_orders = 1 + usize::from(has_pawns_on_both_sides(men));
    let take =
        |n: Range<usize>, reader: &mut Bytes<'_>| n.map(|_| reader.u8()).collect::<Result<Vec<u8>, _>>();
    let orders = take(0..n_orders, reader)?;
    let pieces = take(0..men.len(), reader)?;
    let side = |side: usize| {
        let half = |byte: u8| if side == 0 { byte & 15 } else { byte >> 4 };
        let own: Vec<PieceCode> = pieces.iter().map(|&byte| half(byte)).collect();
        let sorted = |men: &[PieceCode]| {
            let mut men = men.to_vec();
            men.sort_unstable();
            men
        };
        if sorted(&own) != sorted(men) {
            return Err("it holds other men than its name says");
        }
        let second = orders.get(1).map_or(NO_ORDER, |&order| half(order));
        Arrangement::new(family, &own, [half(orders[0]), second], file)
            .ok_or("its men stand in an order that cannot be")
    };
    (0..n_sides).map(side).collect()
}

/// The map of a sub-table, if it has one.
fn map(reader: &mut Bytes<'_>, flags: u8) -> Result<Option<[Vec<u16>; 4]>, &'static str> {
    if flags & MAPPED == 0 {
        return Ok(None);
    }
    let wide = flags & WIDE != 0;
    if wide {
        reader.align(2);
    }
    let mut map: [Vec<u16>; 4] = Default::default();
    for class in &mut map {
        let number = |reader: &mut Bytes<'_>| if wide { reader.u16() } else { reader.u8().map(u16::from) };
        let n = number(reader)?;
        *class = (0..n).map(|_| number(reader)).collect::<Result<_, _>>()?;
    }
    Ok(Some(map))
}
