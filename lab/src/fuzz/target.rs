//! Reads fuzzed inputs with the reader of each file format, and with those of FENs and of rules.

use super::repair;
use crate::placement::random_position;
use anyhow::{Result, ensure};
use clap::ValueEnum;
use export::flat::FlatFile;
use format::{BlockCache, Summary, TableFile, columns_of, open_rights};
use geometry::Square;
use position::{Position, RuleBook};
use proof::Dice;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use syzygy::{Family, FileMaterial, SyzygyFile};
use variant::ini::Games;
use variant::{Metric, Report, Side, Variant};
use xtask::root;

/// Something that reads bytes from outside.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Target {
    /// Our own tables, of every kind.
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
    /// Variant files.
    Toml,
    /// Games as Fairy-Stockfish has them.
    Ini,
}

impl Target {
    /// The name, which is the ending of the files; of Syzygy files, that of chess.
    #[must_use]
    pub fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
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

/// The valid inputs of a target: small files, FENs line by line, and the built-in games of `import`.
pub(super) fn corpus(target: Target) -> Result<Vec<Seed>> {
    let cases = root().join("tests/cases");
    let mut folders = vec![cases.join("fuzz")];
    match target {
        Target::Tsm => {
            folders
                .extend(["quick", "one_side", "metrics", "small"].map(|kind| cases.join("files").join(kind)));
        }
        Target::Toml => folders.push(root().join("variants")),
        Target::Ini => folders.push(root().join("crates/variant/src/ini")),
        _ => {}
    }
    let (mut paths, mut seeds) = (Vec::new(), Vec::new());
    for folder in folders {
        for entry in fs_err::read_dir(folder)? {
            paths.push(entry?.path());
        }
    }
    paths.sort();
    let wanted = target.name();
    for path in paths {
        let ending = path.extension().unwrap_or_default().to_string_lossy();
        // Syzygy files of other games have other first letters.
        let is_alike = ending.len() == wanted.len() && ending.get(2..) == wanted.get(2..);
        if ending == wanted || (target.is_syzygy() && is_alike) {
            let (bytes, name) =
                (fs_err::read(&path)?, path.file_name().unwrap_or_default().to_string_lossy());
            // FENs stand in lines, games in sections.
            let is_end = |&byte: &u8| match target {
                Target::Fen => byte == b'\n',
                Target::Ini => byte == b'[',
                _ => false,
            };
            // The names of built-in games are taken.
            let begin: &[u8] = if target == Target::Ini { b"[my-" } else { b"" };
            let parts = bytes.split(is_end).filter(|part| !part.is_empty());
            let seed = |part: &[u8]| Seed { name: name.clone().into_owned(), bytes: [begin, part].concat() };
            seeds.extend(parts.map(seed));
        }
    }
    ensure!(!seeds.is_empty(), "there is nothing to begin with: no .{wanted} file in tests/cases/fuzz");
    Ok(seeds)
}

/// A target with what its readers need.
pub(super) struct Reader {
    target: Target,
    /// Chess, and for FENs other boards too; for Syzygy files the games that have some, in the order of
    /// [`Family::ALL`].
    games: Vec<RuleBook>,
    folder: PathBuf,
}

impl Reader {
    pub(super) fn new(target: Target, folder: &Path) -> Result<Self> {
        let names: &[&str] = match target {
            Target::Fen => &["fide", "capablanca", "cylinder"],
            Target::Rtbw | Target::Rtbz => &["fide", "atomic", "antichess", "suicide", "king-of-the-hill"],
            _ => &["fide"],
        };
        let game = |name: &&str| {
            let path = root().join("variants").join(name).with_extension("toml");
            Ok(RuleBook::new(&Variant::load(path)?))
        };
        let games = names.iter().map(game).collect::<Result<_>>()?;
        Ok(Reader { target, games, folder: folder.to_path_buf() })
    }

    /// Sets checksums right, where the format has any.
    pub(super) fn repair(&self, bytes: &mut Vec<u8>, dice: &mut Dice) {
        match self.target {
            Target::Tsm => repair::container(bytes, dice),
            Target::Tbl | Target::Tbc => repair::flat(bytes),
            _ => {}
        }
    }

    /// Reads an input in every way that there is; whether it was taken for a valid one.
    pub(super) fn read(&self, name: &str, bytes: &[u8], dice: &mut Dice) -> Result<bool> {
        let path = self.folder.join(name);
        if matches!(self.target, Target::Tsm | Target::Tbl | Target::Tbc | Target::Gz) {
            // A new file each time: the last one may still be mapped.
            drop(fs_err::remove_file(&path));
            fs_err::write(&path, bytes)?;
        }
        Ok(match self.target {
            Target::Tsm => self.tsm(&path, dice),
            Target::Tbl | Target::Tbc | Target::Gz => self.flat(&path, dice),
            Target::Rtbw | Target::Rtbz => self.syzygy(&path, bytes, dice),
            Target::Fen => self.fen(&String::from_utf8_lossy(bytes)),
            Target::Toml => is_taken(Variant::parse(&String::from_utf8_lossy(bytes), name)),
            Target::Ini => games(&String::from_utf8_lossy(bytes)),
        })
    }

    fn tsm(&self, path: &Path, dice: &mut Dice) -> bool {
        let variant = self.games[0].variant();
        let columns = columns_of(path).unwrap_or_default();
        let has_summary = Summary::all(path).is_ok();
        let column = columns.get(dice.below(columns.len().max(1))).copied();
        if let Some(column) = column.filter(|column| column.has_rights) {
            let Ok((summary, pages)) = open_rights(path, variant, column.metric) else { return false };
            let choices = 0..summary.choices.len().min(16);
            choices.for_each(|choice| drop(pages.read(column.choice_page(choice), 1 << 20)));
            return true;
        }
        let cache = Arc::new(BlockCache::new(1 << 20));
        let Ok(file) = TableFile::open_of(path, variant, column.unwrap_or(Metric::Dtm.into()), cache) else {
            return false;
        };
        for _ in 0..16 {
            let index = dice.below(file.layout().len());
            for stm in Side::BOTH.into_iter().filter(|&stm| file.keeps(stm)) {
                let is_distance = file.holds_distances();
                let _ = if is_distance {
                    file.distance(stm, index).is_ok()
                } else {
                    file.value(stm, index).is_ok()
                };
            }
        }
        if dice.below(8) == 0 && !file.holds_distances() {
            drop(file.read_table());
        }
        file.verify_checksums().is_ok() || has_summary
    }

    fn flat(&self, path: &Path, dice: &mut Dice) -> bool {
        let metric = if path.to_string_lossy().contains(".tbc") { Metric::Wdl } else { Metric::Dtm };
        let Ok(file) = FlatFile::open(path, self.games[0].variant(), metric) else { return false };
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
        let book = &self.games[game];
        let name = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        let Ok(material) = variant::Material::parse(book.variant(), name) else { return false };
        let Ok(of_file) = FileMaterial::new(book.variant(), &material) else { return false };
        for _ in 0..32 {
            let position = random_position(book, material.men(), dice);
            let _ = position.map(|position| file.stored(&of_file, &position));
        }
        dice.below(8) != 0 || file.unpack().is_ok()
    }

    /// Reads a text under the rules of each game; whether one of them takes it.
    fn fen(&self, text: &str) -> bool {
        let mut is_read = false;
        for book in &self.games {
            let read =
                Position::from_fen_with_castling(book, text).inspect_err(|error| drop(error.to_string()));
            let Ok(position) = read else { continue };
            is_read = true;
            let again = position.to_fen(book);
            let read = Position::from_fen_with_castling(book, &again);
            assert!(read.as_ref() == Ok(&position), "{text:?} is written as {again:?}, and read as {read:?}");
            // `from_fen` reads it as well if neither side may castle, and not otherwise.
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

/// Whether rules are taken; faults are written down.
fn is_taken(rules: Result<Variant, Report>) -> bool {
    rules.inspect_err(|report| drop(report.to_string())).is_ok()
}

/// Reads a text as games; whether one of them can be taken over.
fn games(text: &str) -> bool {
    let Ok(games) = Games::parse(text).inspect_err(|error| drop(error.to_string())) else { return false };
    let convert = |name: &str| match games.convert(name) {
        Ok(game) => {
            assert!(
                is_taken(Variant::parse(&game.text, name)),
                "what is written is not read:\n{}",
                game.text
            );
            true
        }
        Err(refusals) => {
            refusals.iter().for_each(|refusal| drop(refusal.to_string()));
            false
        }
    };
    // All of them, for each may be the end of the reader.
    games.names().filter(|name| convert(name)).count() > 0
}
