//! Reads fuzzed inputs with the reader of each file format, and with that of FENs.

use super::repair;
use export::flat::FlatFile;
use format::{BlockCache, Summary, TableFile};
use geometry::Square;
use position::{Position, RuleBook};
use proof::Dice;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use syzygy::{Family, FileMaterial, SyzygyFile};
use variant::{Metric, Side, Variant};
use xtask::root;

/// Something that reads bytes from outside.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Target {
    /// Our own tables, of every version.
    Tsm,
    /// Flat files of distances.
    Tbl,
    /// Flat files of results.
    Tbc,
    /// Flat files packed for transport.
    Gz,
    /// Syzygy files of wdl, of every game.
    Rtbw,
    /// Syzygy files of distances, of every game.
    Rtbz,
    /// Positions as text.
    Fen,
}

impl Target {
    /// The name, which is the ending of the files; of Syzygy files, that of chess.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Target::Tsm => "tsm",
            Target::Tbl => "tbl",
            Target::Tbc => "tbc",
            Target::Gz => "gz",
            Target::Rtbw => "rtbw",
            Target::Rtbz => "rtbz",
            Target::Fen => "fen",
        }
    }

    const fn is_syzygy(self) -> bool {
        matches!(self, Target::Rtbw | Target::Rtbz)
    }
}

/// A valid input, under the name that it is read by.
#[derive(Clone, Debug)]
pub(super) struct Seed {
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
}

/// The valid inputs of a target: small files, and FENs line by line.
pub(super) fn corpus(target: Target) -> Result<Vec<Seed>, String> {
    let cases = root().join("tests/cases");
    let mut folders = vec![cases.join("fuzz")];
    if target == Target::Tsm {
        folders.extend(["quick", "one_side", "metrics", "small"].map(|kind| cases.join("files").join(kind)));
    }
    let mut seeds = Vec::new();
    for folder in folders {
        let fail = |error| format!("cannot read {}: {error}", folder.display());
        let mut paths: Vec<PathBuf> = Vec::new();
        for entry in std::fs::read_dir(&folder).map_err(fail)? {
            paths.push(entry.map_err(fail)?.path());
        }
        paths.sort();
        let is_wanted = |path: &&PathBuf| {
            let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
            // Syzygy files of other games have other first letters.
            let is_alike = ending.len() == target.name().len() && ending.get(2..) == target.name().get(2..);
            ending == target.name() || (target.is_syzygy() && is_alike)
        };
        for path in paths.iter().filter(is_wanted) {
            let bytes = std::fs::read(path).map_err(fail)?;
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
            match target {
                Target::Fen => seeds.extend(
                    bytes
                        .split(|&byte| byte == b'\n')
                        .filter(|line| !line.is_empty())
                        .map(|line| Seed { name: name.clone(), bytes: line.to_vec() }),
                ),
                _ => seeds.push(Seed { name, bytes }),
            }
        }
    }
    match seeds.is_empty() {
        true => {
            Err(format!("there is nothing to begin with: no .{} file in tests/cases/fuzz", target.name()))
        }
        false => Ok(seeds),
    }
}

/// A target with what its readers need.
pub(super) struct Reader {
    target: Target,
    /// Chess, and for FENs other boards too; for Syzygy files the games that have some, in the order of
    /// [`Family::ALL`].
    games: Vec<(Variant, RuleBook)>,
    folder: PathBuf,
}

impl Reader {
    pub(super) fn new(target: Target, folder: &Path) -> Result<Self, String> {
        let names: &[&str] = match target {
            Target::Fen => &["fide", "capablanca", "cylinder"],
            Target::Rtbw | Target::Rtbz => &["fide", "atomic", "antichess", "suicide", "king-of-the-hill"],
            _ => &["fide"],
        };
        let game = |name: &&str| {
            let path = root().join("variants").join(name).with_extension("toml");
            let variant = Variant::load(path).map_err(|error| error.to_string())?;
            let book = RuleBook::new(&variant);
            Ok::<_, String>((variant, book))
        };
        let games = names.iter().map(game).collect::<Result<_, _>>()?;
        Ok(Reader { target, games, folder: folder.to_path_buf() })
    }

    /// Sets checksums right, where the format has any.
    pub(super) fn repair(&self, bytes: &mut [u8]) {
        match self.target {
            Target::Tsm => repair::tsm(bytes),
            Target::Tbl | Target::Tbc => repair::flat(bytes),
            Target::Gz | Target::Rtbw | Target::Rtbz | Target::Fen => {}
        }
    }

    /// Reads an input in every way that there is; whether it was taken for a valid one.
    pub(super) fn read(&self, name: &str, bytes: &[u8], dice: &mut Dice) -> Result<bool, String> {
        if self.target == Target::Fen {
            return Ok(self.fen(&String::from_utf8_lossy(bytes)));
        }
        let path = self.folder.join(name);
        if !self.target.is_syzygy() {
            // A new file each time: the last one may still be mapped.
            let _ = std::fs::remove_file(&path);
            std::fs::write(&path, bytes)
                .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        }
        Ok(match self.target {
            Target::Tsm => self.tsm(&path, dice),
            Target::Tbl | Target::Tbc | Target::Gz => self.flat(&path, dice),
            Target::Rtbw | Target::Rtbz => self.syzygy(&path, bytes, dice),
            Target::Fen => false,
        })
    }

    fn tsm(&self, path: &Path, dice: &mut Dice) -> bool {
        let variant = &self.games[0].0;
        let named = path.file_stem().and_then(|stem| stem.to_str()).and_then(|stem| stem.split_once('.'));
        let metric = named.map_or(Some(Metric::Dtm), |(_, metric)| metric.parse().ok());
        let has_summary = Summary::read(path).is_ok();
        let cache = Arc::new(BlockCache::new(1 << 20));
        let Ok(file) = TableFile::open_of(path, variant, metric.unwrap_or(Metric::Dtm), cache) else {
            return false;
        };
        for _ in 0..16 {
            let index = dice.below(file.layout().len());
            for stm in Side::BOTH.into_iter().filter(|&stm| file.keeps(stm)) {
                match file.holds_distances() {
                    true => drop(file.distance(stm, index)),
                    false => drop(file.value(stm, index)),
                }
            }
        }
        if dice.below(8) == 0 && !file.holds_distances() {
            drop(file.read_table());
        }
        file.verify_checksums().is_ok() || has_summary
    }

    fn flat(&self, path: &Path, dice: &mut Dice) -> bool {
        let metric = if path.to_string_lossy().contains(".tbc") { Metric::Wdl } else { Metric::Dtm };
        let Ok(file) = FlatFile::open(path, &self.games[0].0, metric) else { return false };
        let n_mobile = file.name().material().n_men() - file.name().pawns().len();
        for _ in 0..64 {
            let squares: Vec<Square> = (0..n_mobile).map(|_| Square::from_index(dice.below(64))).collect();
            let _ = Side::BOTH.map(|stm| file.value(stm, &squares).is_ok());
        }
        file.dependencies().is_some() | file.verify_checksums().is_ok()
    }

    fn syzygy(&self, path: &Path, bytes: &[u8], dice: &mut Dice) -> bool {
        let Ok(mut file) = SyzygyFile::from_bytes(path, bytes.to_vec()) else { return false };
        let game = Family::ALL.iter().position(|&family| family == file.family()).unwrap_or_default();
        let (variant, book) = &self.games[game];
        let name = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        let Ok(material) = variant::Material::parse(variant, name) else { return false };
        let Ok(of_file) = FileMaterial::new(variant, &material) else { return false };
        for _ in 0..32 {
            let men = material.men().map(|man| (man, Square::from_index(dice.below(64))));
            let position = Position::from_men(men.collect::<Vec<_>>(), Side::BOTH[dice.below(2)]);
            if let Some(position) = position.filter(|position| position.is_legal(book)) {
                let _ = file.stored(&of_file, &position);
            }
        }
        dice.below(8) != 0 || file.unpack().is_ok()
    }

    /// Reads a text under the rules of each game; whether one of them takes it.
    fn fen(&self, text: &str) -> bool {
        let mut is_read = false;
        for (_, book) in &self.games {
            let position = match Position::from_fen_with_castling(book, text) {
                Ok(position) => position,
                Err(error) => {
                    drop(error.to_string());
                    continue;
                }
            };
            is_read = true;
            let again = position.to_fen(book);
            let read = Position::from_fen_with_castling(book, &again);
            assert!(read.as_ref() == Ok(&position), "{text:?} is written as {again:?}, and read as {read:?}");
            // What tables hold is read as well if nobody may castle, and not otherwise.
            let plain = Position::from_fen(book, &again);
            let is_plain = position.castling().is_empty();
            assert!(plain.is_ok() == is_plain, "{text:?} with {again:?} is read as {plain:?}");
            if position.is_legal(book) {
                let moves = position.legal_moves(book);
                moves.iter().for_each(|&mv| drop((position.san(book, mv), position.play(mv))));
            }
        }
        is_read
    }
}
