//! Opens a flat file and reads single values of it.

use super::dependency;
use super::dimension::{PawnDimension, mirrored};
use super::entry::Width;
use super::header::{HEADER_BYTES, Header, sum};
use super::map::Bytes;
use super::{FlatError, FlatName, Form, PACKED_EXTENSION};
use format::rules_hash;
use geometry::Square;
use std::path::{Path, PathBuf};
use table::Value;
use variant::{Man, Metric, Piece, Side, Variant};

/// A `.tbl` or `.tbc` file, for any number of threads.
///
/// Opening it checks its header, its length, and that it holds what its name says under these rules; the sum
/// of the array is compared by [`FlatFile::verify_checksums`] alone, because that reads all of it. Until then
/// a damaged file may give wrong values, and never anything worse.
#[derive(Debug)]
pub struct FlatFile {
    path: PathBuf,
    bytes: Bytes,
    header: Header,
    name: FlatName,
    n_squares: usize,
}

impl FlatFile {
    /// Opens a file; a packed one is unpacked into memory.
    ///
    /// # Errors
    /// The file is not there, or its header or its length are not as they should be.
    pub fn open(path: &Path, variant: &Variant, metric: Metric) -> Result<Self, FlatError> {
        let (text, is_packed) = name_of(path);
        let name = FlatName::parse(variant, text).ok_or_else(|| FlatError::Name {
            path: path.to_path_buf(),
            variant: variant.name.clone(),
            example: example(variant),
        })?;
        let (bytes, header) = match is_packed {
            true => {
                let len = |head: &[u8]| Header::decode(path, head).map(|header| header.file_bytes());
                let bytes = Bytes::unpack(path, HEADER_BYTES, len)?;
                let header = Header::decode(path, &bytes)?;
                (bytes, header)
            }
            false => {
                let bytes = Bytes::map(path)?;
                let header = Header::decode(path, &bytes)?;
                (bytes, header)
            }
        };
        let (got, expected) = (bytes.len() as u64, header.file_bytes());
        if got != expected {
            return Err(FlatError::Length { path: path.to_path_buf(), got, expected });
        }
        header.check_metric(path, metric)?;
        let men: Vec<Man> = name.material().men().collect();
        let n_mobile = men.iter().filter(|&&man| !variant.is_pawn(man)).count();
        let is_named = header.name == text
            && usize::from(header.n_men) == men.len()
            && usize::from(header.n_mobile) == n_mobile
            && header.pawns.is_empty() != name.has_all_squares();
        let extension = path.file_name().and_then(|name| name.to_str()).and_then(|name| {
            let name = if is_packed { name.rsplit_once('.')?.0 } else { name };
            Some(name.rsplit_once('.')?.1)
        });
        if extension != Some(header.form.extension()) {
            return Err(FlatError::damaged(path, "it is of another kind than its name says"));
        }
        if !is_named {
            return Err(FlatError::damaged(path, "it holds other men than its name says"));
        }
        let size = [variant.board.files(), variant.board.ranks()];
        if header.size.map(usize::from) != size
            || header.rules != rules_hash(variant, name.material(), metric).0
        {
            return Err(FlatError::OtherRules { path: path.to_path_buf(), variant: variant.name.clone() });
        }
        if name.has_all_squares() && header.pawns != PawnDimension::all(variant, name.material()) {
            return Err(FlatError::damaged(path, "its pawns stand on other squares than the rules say"));
        }
        Ok(FlatFile { path: path.to_path_buf(), bytes, header, name, n_squares: size[0] * size[1] })
    }

    /// Opens a file and compares its sum.
    ///
    /// # Errors
    /// As [`FlatFile::open`], and if a byte of the file is not as it was written.
    pub fn open_checked(path: &Path, variant: &Variant, metric: Metric) -> Result<Self, FlatError> {
        let file = FlatFile::open(path, variant, metric)?;
        file.verify_checksums()?;
        Ok(file)
    }

    /// Compares the sum of all that follows the header.
    ///
    /// # Errors
    /// It is another one.
    pub fn verify_checksums(&self) -> Result<(), FlatError> {
        match self.bytes.get(HEADER_BYTES..).map(sum) == Some(self.header.rest) {
            true => Ok(()),
            false => {
                Err(FlatError::damaged(&self.path, "its MD5 sum is another one than when it was written"))
            }
        }
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What it holds.
    #[must_use]
    pub fn form(&self) -> Form {
        self.header.form
    }

    /// Which men it is about, and where the pawns stand.
    #[must_use]
    pub fn name(&self) -> &FlatName {
        &self.name
    }

    /// Which program made it.
    #[must_use]
    pub fn built(&self) -> &str {
        &self.header.built
    }

    /// The size of an entry.
    #[must_use]
    pub fn width(&self) -> Width {
        self.header.width
    }

    /// How many values it has a place for.
    #[must_use]
    pub fn n_entries(&self) -> u64 {
        self.header.n_entries().unwrap_or_default()
    }

    /// The sum of all that follows the header, as the header has it.
    pub(super) fn rest(&self) -> [u8; 16] {
        self.header.rest
    }

    /// The tables that captures and promotions lead to, each with its sum, if its files were there when this
    /// one was made; none if what stands there is no such list.
    #[must_use]
    pub fn dependencies(&self) -> Option<Vec<(String, Option<[u8; 16]>)>> {
        let start = HEADER_BYTES + usize::try_from(self.header.array_bytes).ok()?;
        let text = std::str::from_utf8(self.bytes.get(start..)?).ok()?;
        dependency::decode(text)
    }

    /// The value with the men on these squares: the mobile ones in the order of the name and, if the file has
    /// all squares of the pawns, before them the pawns. A `.tbc` does not tell stalemate from a draw, and
    /// gives every win one ply and every loss none.
    ///
    /// Complexity: one address.
    ///
    /// # Errors
    /// What stands there is no entry: the file is damaged.
    ///
    /// # Panics
    /// If there is not one square of the board for each of these men.
    pub fn value(&self, stm: Side, squares: &[Square]) -> Result<Value, FlatError> {
        let n_pawns = self.header.pawns.len();
        assert_eq!(squares.len(), n_pawns + usize::from(self.header.n_mobile), "squares and men");
        let files = usize::from(self.header.size[0]);
        let first = self.header.pawns.first().zip(squares.first());
        let is_mirrored = first.is_some_and(|(pawn, square)| square.index() % files >= pawn.n_files.into());
        let seen = |&square: &Square| {
            assert!(square.index() < self.n_squares, "a square of the board");
            if is_mirrored { mirrored(square, files) } else { square }
        };
        let mut number = 0;
        for (pawn, square) in self.header.pawns.iter().zip(squares) {
            // Where a pawn cannot stand there is no position.
            let Some(own) = pawn.number(seen(square), files) else { return Ok(Value::Illegal) };
            number = number * pawn.len() + own;
        }
        let mobile = squares[n_pawns..].iter().map(seen);
        number = mobile.fold(number, |number, square| number * self.n_squares as u64 + square.index() as u64);
        let array = self.bytes.get(HEADER_BYTES..).unwrap_or_default();
        let entry = self.header.width.read(array, number * 2 + stm.index() as u64);
        let value = entry.and_then(|entry| self.header.width.value(entry));
        value.ok_or_else(|| FlatError::damaged(&self.path, "an entry of its array is none"))
    }
}

/// The name of a file without its endings, and whether it is packed.
fn name_of(path: &Path) -> (&str, bool) {
    let file = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let is_packed = file.strip_suffix(PACKED_EXTENSION).is_some_and(|rest| rest.ends_with('.'));
    (file.split('.').next().unwrap_or_default(), is_packed)
}

/// A name that would do.
fn example(variant: &Variant) -> String {
    let letter = |piece: Option<&Piece>| piece.map_or_else(String::new, |piece| piece.letter.to_string());
    let royal = letter(variant.pieces.iter().find(|piece| piece.royal));
    let other = letter(variant.pieces.iter().find(|piece| !piece.royal && piece.pawn.is_none()));
    let black = if royal.is_empty() { &other } else { &royal };
    format!("w{royal}{other}-b{black}.tbl")
}
