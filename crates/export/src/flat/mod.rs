//! Writes and reads flat files, `.tbl` and `.tbc`: arrays of values that the squares of the men index, and
//! nothing else.
//!
//! The design is Brent Baccala's: a program that wants a value computes an address and reads it, without a
//! numbering, a symmetry or a decompressor. Pawns cannot move sideways of their own, so each way in which
//! the pawns can stand has a file of its own, which its mirror image shares where the game has one. The
//! array is over the squares of the other men, the *mobile* ones, in the order of the name:
//!
//! ```text
//!   wKQd6-bKQ.tbl    [White's king][White's queen][Black's king][Black's queen][side to move]    pawn on d6
//!
//!   header 256 bytes ─ array: 2 bytes a value (4 for long distances; 2 bits in .tbc) ─ dependencies, text
//! ```
//!
//! On request all of these are one file, in which each pawn is a dimension too:
//!
//! ```text
//!   wKQP-bKQ.tbl     [White's pawn][White's king][White's queen][Black's king][Black's queen][side to move]
//! ```
//!
//! A file is mapped into memory, so that opening it costs nothing and the operating system keeps what is
//! asked for. The price is room: every symmetric image has its place, and every placement that is no
//! position. Files ending in `.gz` are the same compressed for transport; they are unpacked when they are
//! opened.
//!
//! The format is specified in docs/other-formats.md.

mod header;
mod reader;
#[cfg(feature = "parallel")]
mod writer;

use format::FormatError;
use geometry::{Square, Symmetry};
use index::symmetry_group;
pub use reader::{FlatFile, FlatTablebase};
use std::io;
use std::path::{Path, PathBuf};
use variant::{Man, Material, Metric, PieceId, Side, Variant};

#[cfg(feature = "parallel")]
pub use writer::{FlatOptions, FlatWritten, write};

/// What is appended to a file's name if it is compressed for transport.
pub const PACKED_EXTENSION: &str = "gz";

/// What a file holds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Form {
    /// `.tbl`: who wins, and in how many plies.
    Distances,
    /// `.tbc`: who wins, without the n-move rule or, of `dtz50`, under it.
    Wdl,
}

impl Form {
    /// Both.
    pub const BOTH: [Form; 2] = [Form::Distances, Form::Wdl];

    /// What files are asked for the values of a metric: of `wdl` `.tbc`, of all others `.tbl`.
    #[must_use]
    pub fn of_values(metric: Metric) -> Form {
        if metric == Metric::Wdl { Form::Wdl } else { Form::Distances }
    }

    /// The ending of a file's name.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            Form::Distances => "tbl",
            Form::Wdl => "tbc",
        }
    }

    /// How a file begins; the version follows.
    const fn magic(self) -> &'static [u8; 3] {
        match self {
            Form::Distances => b"TBL",
            Form::Wdl => b"TBC",
        }
    }

    /// Fails with the reason if the files cannot hold this metric of this game.
    ///
    /// # Errors
    /// `.tbl` counts, and `wdl` does not; `.tbc` has three results: who wins, or who wins under the n-move
    /// rule. A name has the pawns' squares, and no checks that were given.
    pub fn check(self, variant: &Variant, metric: Metric) -> Result<(), FlatError> {
        let what = match (self, metric) {
            _ if variant.rules.check_counting.is_some() => {
                "its name has no place for the checks that are left, and each number of them has values of its \
                 own"
            }
            (_, Metric::Help) => {
                "no other program reads helpmates; --format bits holds whether a side can mate"
            }
            (_, Metric::Dtm50) => {
                "no other program reads values that change with the clock; dtm and dtz50 have files"
            }
            (Form::Distances, Metric::Wdl) => "wdl counts nothing; a .tbc holds it in an eighth of the room",
            (Form::Wdl, Metric::Dtm | Metric::Dtc | Metric::Dtz) => {
                "two bits have no room for a distance; a .tbc holds wdl, or the results under dtz50"
            }
            _ => return Ok(()),
        };
        Err(FlatError::Metric { form: self.extension(), metric, what })
    }

    /// The name of a file, given that of the placement of its pawns: the metric's name is in it unless it is
    /// the game's own or, of `.tbc`, who wins without the n-move rule.
    #[must_use]
    pub fn file_name(self, name: &str, metric: Metric, default: Metric) -> String {
        let extension = self.extension();
        let silent = if self == Form::Wdl { Metric::Wdl } else { default };
        match metric == silent {
            true => format!("{name}.{extension}"),
            false => format!("{name}.{metric}.{extension}"),
        }
    }
}

/// Reads the name of a file, packed or not: the placement of the pawns, the metric, and what the file holds
/// of it. None if no file of the game has this name.
#[must_use]
pub fn parse_file_name(variant: &Variant, file: &str) -> Option<(FlatName, Metric, Form)> {
    let packed = file.strip_suffix(PACKED_EXTENSION).and_then(|rest| rest.strip_suffix('.'));
    let mut parts = packed.unwrap_or(file).split('.');
    let name = FlatName::parse(variant, parts.next()?)?;
    let (metric, form) = match (parts.next()?, parts.next(), parts.next()) {
        ("tbl", None, None) => (variant.default_metric, Form::Distances),
        ("tbc", None, None) => (Metric::Wdl, Form::Wdl),
        ("dtz50", Some("tbc"), None) => (Metric::Dtz50, Form::Wdl),
        (metric, Some("tbl"), None) => (metric.parse().ok()?, Form::Distances),
        _ => return None,
    };
    Some((name, metric, form))
}

/// A canonical material with its pawns on certain squares, or on all of them.
///
/// `wKQe6-bKQ`: White's men in declared order, then Black's. A pawn is written as its square; where a game
/// has several kinds of pawns, those but the first have their letter before it. Like pawns stand in
/// ascending order. In the name of a file that has the pawns on all of their squares each pawn is its
/// letter: `wKQP-bKQ`.
///
/// Where the rules are the same to the left and to the right, pawns and their mirror image have one file:
/// the one whose pawns come first in that order, from the first pawn on. Of KPvK these are the files a to d.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct FlatName {
    material: Material,
    /// Of the pawns, in the order of the men; none if it has all squares of them.
    pawns: Option<Vec<Square>>,
}

impl FlatName {
    /// The name of these men, of which the pawns stand here; none if the material is not canonical or the
    /// pawns cannot stand so.
    #[must_use]
    pub fn new(variant: &Variant, material: &Material, pawns: &[Square]) -> Option<Self> {
        let men: Vec<Man> = material.men().filter(|&man| variant.is_pawn(man)).collect();
        if men.len() != pawns.len() || !material.is_canonical(variant) {
            return None;
        }
        let mut pawns = pawns.to_vec();
        let mut start = 0;
        for like in men.chunk_by(|a, b| a == b) {
            pawns[start..start + like.len()].sort_unstable();
            start += like.len();
        }
        let stands = |(i, (man, square)): (usize, (&Man, &Square))| {
            variant.zone(*man).contains(*square) && !pawns[..i].contains(square)
        };
        let can_stand = men.iter().zip(&pawns).enumerate().all(stands);
        can_stand.then(|| FlatName { material: material.clone(), pawns: Some(pawns) })
    }

    /// The name of the one file that has a canonical material with its pawns on all squares. Without pawns
    /// it is that of the only file that there is.
    #[must_use]
    pub fn of_all_squares(variant: &Variant, material: &Material) -> Self {
        let has_pawns = material.men().any(|man| variant.is_pawn(man));
        FlatName { material: material.clone(), pawns: (!has_pawns).then(Vec::new) }
    }

    /// Whether the pawns, of which there are some, stand on all of their squares.
    #[must_use]
    pub fn has_all_squares(&self) -> bool {
        self.pawns.is_none()
    }

    /// The name of the file that has these men, in either colours; none if they cannot stand so.
    #[must_use]
    pub fn of(variant: &Variant, men: impl IntoIterator<Item = (Man, Square)>) -> Option<Self> {
        FlatName::seen(variant, &men.into_iter().collect::<Vec<_>>()).map(|(name, _, _)| name)
    }

    /// The name, with the squares of the mobile men in the order of the name, and whether the colours are
    /// exchanged.
    fn seen(variant: &Variant, men: &[(Man, Square)]) -> Option<(Self, Vec<Square>, bool)> {
        let material = Material::from_men(men.iter().map(|&(man, _)| man));
        let is_swapped = !material.is_canonical(variant);
        let seen = |&(man, square): &(Man, Square)| match is_swapped {
            true => (Man { side: !man.side, ..man }, variant.swap_colours(square)),
            false => (man, square),
        };
        let mut men: Vec<(Man, Square)> = men.iter().map(seen).collect();
        men.sort_by_key(|&(man, square)| (man.side.index(), man.piece, square));
        let squares = |pawns: bool| -> Vec<Square> {
            let wanted = men.iter().filter(|(man, _)| variant.is_pawn(*man) == pawns);
            wanted.map(|&(_, square)| square).collect()
        };
        let name = FlatName::new(variant, &material.canonical(variant), &squares(true))?;
        Some((name, squares(false), is_swapped))
    }

    /// Every way in which the pawns of a canonical material can stand, in ascending order; one without
    /// pawns.
    #[must_use]
    pub fn all(variant: &Variant, material: &Material) -> Vec<Self> {
        let men: Vec<Man> = material.men().filter(|&man| variant.is_pawn(man)).collect();
        let mut choices: Vec<Vec<Square>> = vec![Vec::new()];
        for (i, &man) in men.iter().enumerate() {
            let zone = variant.zone(man);
            let is_like = i > 0 && men[i - 1] == man;
            let longer = |choice: Vec<Square>| {
                let fits: Vec<Square> = zone
                    .iter()
                    .filter(|s| {
                        !choice.contains(s) && (!is_like || choice.last().is_none_or(|last| last < s))
                    })
                    .collect();
                fits.into_iter().map(move |s| [&choice[..], &[s]].concat())
            };
            choices = choices.into_iter().flat_map(longer).collect();
        }
        let name = |pawns| FlatName { material: material.clone(), pawns: Some(pawns) };
        choices.into_iter().map(name).collect()
    }

    /// The names of the files that a table is written to: as [`FlatName::all`], but of two that are mirror
    /// images the first, where the rules make no difference between them.
    #[must_use]
    pub fn folded(variant: &Variant, material: &Material) -> Vec<Self> {
        let mut names = FlatName::all(variant, material);
        if has_mirror(variant, material) {
            names.retain(|name| *name <= name.mirrored(variant));
        }
        names
    }

    /// The name of the file that a table is written to: this one, or that of its mirror image.
    #[must_use]
    pub fn written(self, variant: &Variant) -> Self {
        let has_image = !self.has_all_squares() && has_mirror(variant, &self.material);
        let image = has_image.then(|| self.mirrored(variant));
        image.filter(|image| *image < self).unwrap_or(self)
    }

    /// The name with the pawns where a mirror between the middle files shows them.
    fn mirrored(&self, variant: &Variant) -> Self {
        let image = |&square: &Square| Symmetry::MIRROR_FILES.square(&variant.board, square);
        let pawns: Vec<Square> = self.pawns().iter().map(image).collect();
        FlatName::new(variant, &self.material, &pawns).expect("the image of a name is one")
    }

    /// Reads a name; none if it is that of nothing, or written in another way than it should be.
    #[must_use]
    pub fn parse(variant: &Variant, text: &str) -> Option<Self> {
        let (white, black) = text.strip_prefix('w')?.split_once("-b")?;
        let (mut men, mut pawns, mut has_all_squares) = (Vec::new(), Vec::new(), false);
        for (side, mut rest) in [(Side::White, white), (Side::Black, black)] {
            while let Some(first) = rest.chars().next() {
                let lettered = first.is_ascii_uppercase().then(|| variant.piece_lettered(first));
                let piece = match lettered {
                    Some(piece) => piece?,
                    None => first_pawn(variant)?,
                };
                rest = if lettered.is_some() { &rest[1..] } else { rest };
                men.push(Man { side, piece });
                if !variant.is_pawn(Man { side, piece }) {
                    continue;
                }
                if lettered.is_some() && !rest.starts_with(|c: char| c.is_ascii_lowercase()) {
                    has_all_squares = true;
                } else {
                    let after = rest.char_indices().skip(1).find(|(_, c)| !c.is_ascii_digit());
                    let (square, others) = rest.split_at(after.map_or(rest.len(), |(at, _)| at));
                    pawns.push(variant.board.square_named(square)?);
                    rest = others;
                }
            }
        }
        // The game says which men may be there, its royal ones above all.
        let material = Material::parse(variant, &Material::from_men(men).name(variant)).ok()?;
        let name = match has_all_squares {
            true if material.is_canonical(variant) => FlatName::of_all_squares(variant, &material),
            true => return None,
            false => FlatName::new(variant, &material, &pawns)?,
        };
        (name.text(variant) == text).then_some(name)
    }

    /// The name.
    #[must_use]
    pub fn text(&self, variant: &Variant) -> String {
        let Some(pawns) = &self.pawns else {
            let letter = |&piece: &PieceId| variant.piece(piece).letter;
            let side = |side: Side| self.material.side(side).iter().map(letter).collect::<String>();
            return format!("w{}-b{}", side(Side::White), side(Side::Black));
        };
        name_of_slice(variant, &self.material, pawns)
    }

    /// The material.
    #[must_use]
    pub fn material(&self) -> &Material {
        &self.material
    }

    /// The squares of the pawns, in the order of the men; none if it has all of them.
    #[must_use]
    pub fn pawns(&self) -> &[Square] {
        self.pawns.as_deref().unwrap_or_default()
    }
}

/// The name of men in their own colours, of which the pawns stand on these squares, in the order of the men
/// and like pawns in ascending order.
#[must_use]
pub fn name_of_slice(variant: &Variant, material: &Material, pawns: &[Square]) -> String {
    let mut pawns = pawns.iter();
    let mut side = |side: Side| -> String {
        let man = |&piece: &PieceId| {
            let letter = variant.piece(piece).letter.to_string();
            if !variant.is_pawn(Man { side, piece }) {
                return letter;
            }
            let square = pawns.next().map_or_else(String::new, |&square| variant.board.name(square));
            if first_pawn(variant) == Some(piece) { square } else { letter + &square }
        };
        material.side(side).iter().map(man).collect()
    };
    format!("w{}-b{}", side(Side::White), side(Side::Black))
}

/// Whether the mirror between the middle files leaves pawns where pawns can be, and changes no rule.
fn has_mirror(variant: &Variant, material: &Material) -> bool {
    material.men().any(|man| variant.is_pawn(man))
        && symmetry_group(variant, material).contains(&Symmetry::MIRROR_FILES)
}

/// The kind of pawn that has no letter in names.
fn first_pawn(variant: &Variant) -> Option<PieceId> {
    variant.piece_ids().find(|&piece| variant.is_pawn(Man { side: Side::White, piece }))
}

/// Why a flat file cannot be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FlatError {
    /// The format has no room for what the metric says.
    #[error("a .{form} cannot hold {metric}: {what}")]
    Metric {
        /// The ending of the files.
        form: &'static str,
        /// The metric.
        metric: Metric,
        /// Why not.
        what: &'static str,
    },
    /// A distance has no room in two bytes.
    #[error(
        "{name} has a distance of {plies} plies, and two bytes have room for {most}; write four bytes a value"
    )]
    TooDeep {
        /// The file's name.
        name: String,
        /// The distance.
        plies: u32,
        /// The most that there is room for.
        most: u32,
    },
    /// A name does not fit into the header.
    #[error("{name} is too long for the header of a flat file, which has room for {most} bytes")]
    TooLong {
        /// The name.
        name: String,
        /// How many bytes there are.
        most: usize,
    },
    /// No file has the placement.
    #[error("{file} is not there; export it, or name the folder that has it", file = .file.display())]
    NotThere {
        /// The file.
        file: PathBuf,
    },
    /// The file's name is that of no placement of pawns.
    #[error("{path} has the name of no flat file of {variant}, such as {example}", path = .path.display())]
    Name {
        /// The file.
        path: PathBuf,
        /// The variant's name.
        variant: String,
        /// A name that would do.
        example: String,
    },
    /// The file is of another version.
    #[error(
        "{path} has version {got} of its format, this program reads versions up to {newest}; export it again",
        path = .path.display()
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        got: u8,
        /// The newest version that is read.
        newest: u8,
    },
    /// The file was computed under other rules.
    #[error(
        "{path} holds a table under other rules than the variant {variant} has now; export it again, or use the variant \
         file it was made with",
        path = .path.display()
    )]
    OtherRules {
        /// The file.
        path: PathBuf,
        /// The variant's name.
        variant: String,
    },
    /// The file holds another metric.
    #[error("{path} holds the metric {got}, expected {expected}", path = .path.display())]
    OtherMetric {
        /// The file.
        path: PathBuf,
        /// What it holds.
        got: String,
        /// What it should hold.
        expected: Metric,
    },
    /// The file is shorter or longer than its header says.
    #[error(
        "{path} is {kind}: it has {got} bytes, expected {expected}; export it again",
        path = .path.display(),
        kind = if .got < .expected { "cut short" } else { "too long" }
    )]
    Length {
        /// The file.
        path: PathBuf,
        /// How many bytes it has, unpacked.
        got: u64,
        /// How many it should have.
        expected: u64,
    },
    /// The file is damaged.
    #[error("{path} cannot be read: {what}; export it again", path = .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: &'static str,
    },
    /// It cannot be read or written, whatever it holds.
    #[error(transparent)]
    File(#[from] FormatError),
}

impl FlatError {
    /// A file that is not as it should be.
    fn damaged(path: &Path, what: &'static str) -> Self {
        FlatError::Damaged { path: path.to_path_buf(), what }
    }

    /// The error of a file that could not be opened.
    fn opening(path: &Path) -> impl FnOnce(io::Error) -> FlatError {
        move |source| match source.kind() {
            io::ErrorKind::NotFound => FlatError::NotThere { file: path.to_path_buf() },
            _ => FormatError::io(path, "open")(source).into(),
        }
    }
}

#[cfg(all(test, feature = "parallel"))]
mod tests;
