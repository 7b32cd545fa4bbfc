//! Reads flat files: one file mapped into memory, and all of those in a folder.

use crate::flat::header::{HEADER_BYTES, Header, PawnDimension, Sum, mirrored, sum};
use crate::flat::{FlatError, FlatName, Form, PACKED_EXTENSION, header};
use flate2::bufread::GzDecoder;
use format::{FormatError, open_regular, rules_hash};
use geometry::{Square, Symmetry};
use memmap2::Mmap;
use parking_lot::RwLock;
use std::collections::{BTreeMap, VecDeque};
use std::io::{BufReader, Read};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use table::Value;
use variant::{Man, Material, Metric, Piece, Side, Variant};

/// A `.tbl` or `.tbc` file, for any number of threads.
///
/// Opening it checks its header, its length, and that it holds what its name says under these rules; the sum
/// of the array is compared by [`FlatFile::verify_checksums`] alone, because that reads all of it. Until
/// then a damaged file may give wrong values, and never anything worse.
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
        let (text, extension, is_packed) = name_of(path);
        let name = FlatName::parse(variant, text).ok_or_else(|| FlatError::Name {
            path: path.to_path_buf(),
            variant: variant.name.clone(),
            example: example(variant),
        })?;
        let bytes = if is_packed { Bytes::unpack(path) } else { Bytes::map(path) }?;
        let header = Header::decode(path, &bytes)?;
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
        if extension != header.form.extension() {
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

    /// How many values it has a place for.
    #[must_use]
    pub fn n_entries(&self) -> u64 {
        self.header.n_entries().unwrap_or_default()
    }

    /// The tables that captures and promotions lead to, each with its sum, if its files were there when this
    /// one was made; none if what stands there is no such list.
    #[must_use]
    pub fn dependencies(&self) -> Option<Vec<(String, Option<[u8; 16]>)>> {
        let start = HEADER_BYTES + usize::try_from(self.header.array_bytes).ok()?;
        let text = std::str::from_utf8(self.bytes.get(start..)?).ok()?;
        header::decode(text)
    }

    /// The value with the men on these squares: the mobile ones in the order of the name and, if the file
    /// has all squares of the pawns, before them the pawns. A `.tbc` does not tell stalemate from a draw,
    /// and gives every win one ply and every loss none.
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

/// The name of a file without its endings, the ending that says what it holds, and whether it is packed.
fn name_of(path: &Path) -> (&str, &str, bool) {
    let file = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let unpacked = file.strip_suffix(PACKED_EXTENSION).and_then(|rest| rest.strip_suffix('.'));
    let extension = unpacked.unwrap_or(file).rsplit_once('.').map_or("", |(_, extension)| extension);
    (file.split('.').next().unwrap_or_default(), extension, unpacked.is_some())
}

/// A name that would do.
fn example(variant: &Variant) -> String {
    let letter = |piece: Option<&Piece>| piece.map_or_else(String::new, |piece| piece.letter.to_string());
    let royal = letter(variant.pieces.iter().find(|piece| piece.royal));
    let other = letter(variant.pieces.iter().find(|piece| !piece.royal && piece.pawn.is_none()));
    let [white, black] = Side::BOTH.map(|side| royal.repeat(variant.n_royals(side)));
    let black = if black.is_empty() { &other } else { &black };
    format!("w{white}{other}-b{black}.tbl")
}

/// How many files are open at most: a material with three pawns has thousands.
const MAX_OPEN: usize = 1 << 10;

/// A folder of files of one metric, for any number of threads.
///
/// A table with pawns may have one file for all of their squares, which is asked first unless the caller
/// wishes otherwise, or a file for each placement of them, which its mirror image shares. A file is opened
/// when the first position of it is asked for; when many are open, the one that was opened first is closed.
#[derive(Debug)]
pub struct FlatTablebase {
    folder: PathBuf,
    variant: Variant,
    metric: Metric,
    form: Form,
    /// Whether files of one placement of the pawns are asked before those of all squares.
    asks_placements_first: bool,
    open: RwLock<Open>,
}

#[derive(Default, Debug)]
struct Open {
    /// By the names that were asked for.
    files: BTreeMap<FlatName, Arc<FlatFile>>,
    /// In the order in which they were opened.
    order: VecDeque<FlatName>,
    /// The files that have all squares of the pawns.
    of_all_squares: BTreeMap<Material, Arc<FlatFile>>,
}

impl FlatTablebase {
    /// Opens a folder for the values of a metric of a game: files of `wdl` are `.tbc`, all others `.tbl`.
    /// Names leave out the game's default metric.
    #[must_use]
    pub fn open(folder: &Path, variant: &Variant, metric: Metric) -> Self {
        FlatTablebase::open_form(folder, variant, metric, Form::of_values(metric))
    }

    /// Opens a folder for one form of the files of a metric: a `.tbc` of `dtz50` has the results under the
    /// n-move rule.
    #[must_use]
    pub fn open_form(folder: &Path, variant: &Variant, metric: Metric, form: Form) -> Self {
        let (folder, variant) = (folder.to_path_buf(), variant.clone());
        let open = RwLock::default();
        FlatTablebase { folder, variant, metric, form, asks_placements_first: false, open }
    }

    /// This folder; where a table has files of both kinds, those of its placements are asked.
    #[must_use]
    pub fn asking_placements_first(self) -> Self {
        FlatTablebase { asks_placements_first: true, ..self }
    }

    /// The metric of the files.
    #[must_use]
    pub fn metric(&self) -> Metric {
        self.metric
    }

    /// What the files of the metric hold.
    #[must_use]
    pub fn form(&self) -> Form {
        self.form
    }

    /// The value of a position without rights, and the file that has it. It is none if no file can have it:
    /// two men of a square, a pawn where none can stand.
    ///
    /// # Errors
    /// The file is not there, or cannot be read.
    pub fn value(
        &self,
        men: &[(Man, Square)],
        stm: Side,
    ) -> Result<Option<(Value, Arc<FlatFile>)>, FlatError> {
        let Some((name, mobile, is_swapped)) = FlatName::seen(&self.variant, men) else { return Ok(None) };
        let file = self.file(&name)?;
        let has_all_squares = file.name().has_all_squares();
        let pawns = if has_all_squares { name.pawns() } else { &[] };
        let is_mirrored = !has_all_squares && *file.name() != name;
        let image = |&square: &Square| match is_mirrored {
            true => Symmetry::MIRROR_FILES.square(&self.variant.board, square),
            false => square,
        };
        let squares: Vec<Square> = pawns.iter().chain(&mobile).map(image).collect();
        let value = file.value(if is_swapped { !stm } else { stm }, &squares)?;
        Ok(Some((value, file)))
    }

    /// The file that has the positions of a name, packed or not, if it is there.
    #[must_use]
    pub fn path_there(&self, name: &FlatName) -> Option<PathBuf> {
        if let Some(file) = self.open.read().get(name) {
            return Some(file.path().to_path_buf());
        }
        let paths = self.names(name).into_iter().map(|name| self.path_of(&name));
        paths.flat_map(|path| [path.clone(), packed(&path)]).find(|path| path.exists())
    }

    /// The path that the file of a name has or would have: that of the name or of its mirror image.
    #[must_use]
    pub fn path(&self, name: &FlatName) -> PathBuf {
        self.path_of(&name.clone().written(&self.variant))
    }

    /// The names of the files that may have the positions of a name, in the order in which they are asked:
    /// the one with all squares of the pawns, if there are any, and that of the placement.
    fn names(&self, name: &FlatName) -> Vec<FlatName> {
        let mut names = vec![name.clone().written(&self.variant)];
        if !name.pawns().is_empty() {
            let at = if self.asks_placements_first { names.len() } else { 0 };
            names.insert(at, FlatName::of_all_squares(&self.variant, name.material()));
        }
        names
    }

    fn path_of(&self, name: &FlatName) -> PathBuf {
        let name = name.text(&self.variant);
        self.folder.join(self.form().file_name(&name, self.metric, self.variant.default_metric))
    }

    /// Compares the sums of all files of a canonical material that are asked: of the one for all squares of
    /// its pawns, or of those of their placements.
    ///
    /// # Errors
    /// The first file that is not there, or is damaged.
    pub fn verify_checksums(&self, material: &Material) -> Result<(), FlatError> {
        let whole = FlatName::of_all_squares(&self.variant, material);
        if !self.asks_placements_first
            && let Some(file) = self.opened_itself(&whole)?
        {
            return file.verify_checksums();
        }
        let missing = |name: &FlatName| FlatError::NotThere { file: self.path_of(name) };
        FlatName::folded(&self.variant, material)
            .iter()
            .try_for_each(|name| self.opened_itself(name)?.ok_or_else(|| missing(name))?.verify_checksums())
    }

    /// Whether all files that [`crate::flat::write`] makes of a canonical material are there and complete:
    /// the one with all squares of its pawns, or those of their placements.
    #[must_use]
    pub fn is_there(&self, material: &Material, one_file: bool) -> bool {
        self.sum_of(material, one_file).is_some()
    }

    /// The sum by which tables that depend on this one name it; none if not all of its files are there.
    ///
    /// Of a single file it is that of the file; of files of placements of pawns that of the sums of all
    /// files that are written, in the order of their squares.
    #[must_use]
    pub fn sum(&self, material: &Material) -> Option<[u8; 16]> {
        let first = self.sum_of(material, !self.asks_placements_first);
        first.or_else(|| self.sum_of(material, self.asks_placements_first))
    }

    fn sum_of(&self, material: &Material, one_file: bool) -> Option<Sum> {
        let own = |name: &FlatName| Some(self.opened_itself(name).ok()??.header.rest);
        let whole = FlatName::of_all_squares(&self.variant, material);
        if one_file || !whole.has_all_squares() {
            return own(&whole);
        }
        let names = FlatName::folded(&self.variant, material);
        let sums: Vec<Sum> = names.iter().map(own).collect::<Option<_>>()?;
        Some(sum(&sums.concat()))
    }

    /// The file that has the positions of a name, kept open.
    fn file(&self, name: &FlatName) -> Result<Arc<FlatFile>, FlatError> {
        if let Some(file) = self.open.read().get(name) {
            return Ok(file);
        }
        let file = Arc::new(self.opened(name)?);
        let mut open = self.open.write();
        if let Some(first) = open.get(name) {
            // Two threads have opened the same file; the first one's stays.
            return Ok(first);
        }
        // Where placements are asked first, it stands for this one alone: others may have files of their
        // own.
        if file.name().has_all_squares() && !self.asks_placements_first {
            open.of_all_squares.insert(name.material().clone(), file.clone());
            return Ok(file);
        }
        if open.order.len() >= MAX_OPEN
            && let Some(oldest) = open.order.pop_front()
        {
            open.files.remove(&oldest);
        }
        open.order.push_back(name.clone());
        open.files.insert(name.clone(), file.clone());
        Ok(file)
    }

    /// Opens the file that has the positions of a name, in the order in which the kinds are asked. If none
    /// is there, that of the placement is named as missing.
    fn opened(&self, name: &FlatName) -> Result<FlatFile, FlatError> {
        for own in self.names(name) {
            if let Some(file) = self.opened_itself(&own)? {
                return Ok(file);
            }
        }
        Err(FlatError::NotThere { file: self.path(name) })
    }

    /// Opens a file, or the packed one if there is no other; none if neither is there.
    fn opened_itself(&self, name: &FlatName) -> Result<Option<FlatFile>, FlatError> {
        let path = self.path_of(name);
        for path in [&path, &packed(&path)] {
            match FlatFile::open(path, &self.variant, self.metric) {
                Err(FlatError::NotThere { .. }) => {}
                opened => return opened.map(Some),
            }
        }
        Ok(None)
    }
}

impl Open {
    /// The open file that has the positions of a name.
    fn get(&self, name: &FlatName) -> Option<Arc<FlatFile>> {
        self.files.get(name).or_else(|| self.of_all_squares.get(name.material())).cloned()
    }
}

/// The packed file beside one that is not packed.
fn packed(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push(format!(".{PACKED_EXTENSION}"));
    name.into()
}

/// The bytes of a file.
///
/// It lifts the ban on `unsafe`: a mapping is a view of a file that others can change.
#[derive(Debug)]
enum Bytes {
    /// As the operating system has them.
    Mapped(Mmap),
    /// Unpacked.
    Owned(Vec<u8>),
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Bytes::Mapped(map) => map,
            Bytes::Owned(bytes) => bytes,
        }
    }
}

impl Bytes {
    /// Maps a file.
    fn map(path: &Path) -> Result<Self, FlatError> {
        let file = open_regular(path).map_err(FlatError::opening(path))?;
        #[expect(unsafe_code, reason = "others can change the file under a mapping")]
        // SAFETY: the bytes are only ever read as bytes, and every value of a byte is one, so a file that
        // another program changes while it is mapped gives other numbers and breaks nothing. One that is cut
        // short while it is mapped ends the process with a signal; the documentation of the format says so.
        let map = unsafe { Mmap::map(&file) };
        Ok(Bytes::Mapped(map.map_err(FormatError::io(path, "map"))?))
    }

    /// Unpacks a file: no more bytes than its header says, whatever follows.
    fn unpack(path: &Path) -> Result<Self, FlatError> {
        let file = open_regular(path).map_err(FlatError::opening(path))?;
        let damaged = |_| FlatError::damaged(path, "it cannot be unpacked");
        let mut unpacked = GzDecoder::new(BufReader::new(file));
        let mut bytes = Vec::new();
        unpacked.by_ref().take(HEADER_BYTES as u64).read_to_end(&mut bytes).map_err(damaged)?;
        let expected = Header::decode(path, &bytes)?.file_bytes();
        let rest = expected.saturating_sub(bytes.len() as u64);
        // One more than there should be, so that a file that goes on is noticed.
        unpacked.by_ref().take(rest + 1).read_to_end(&mut bytes).map_err(damaged)?;
        if bytes.len() as u64 != expected {
            return Err(FlatError::Length { path: path.to_path_buf(), got: bytes.len() as u64, expected });
        }
        let mut behind = [0];
        match unpacked.into_inner().read(&mut behind) {
            Ok(0) => Ok(Bytes::Owned(bytes)),
            _ => Err(FlatError::damaged(path, "something follows what was packed")),
        }
    }
}
