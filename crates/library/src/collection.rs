//! Finds the games whose tables lie in a folder or in the folders below it, with their rules.

use crate::folder::files_in;
use crate::{LibraryError, exchange_files, structure_files, variant_names_in, winner_files};
use format::Summary;
use index::Layout;
use position::{Position, RuleBook};
use probe::{ExchangeFile, ExchangeKind};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use structure::SolvedStructure;
use variant::game::is_named;
use variant::{LoadError, Man, Material, PieceId, Side, Variant};

/// A game and the folder of its tables.
#[derive(Clone, Debug)]
pub struct Holding {
    /// The rules.
    pub variant: Variant,
    /// Where its tables are; none if nobody has built any.
    pub folder: Option<PathBuf>,
}

/// The games whose tables lie in `folder` or in a folder right below it, by name, each with the first
/// folder that has tables of it; then the games of `given` that have none. The second list has a sentence
/// for each game whose rules were not found.
///
/// The rules of a game are those of `given` with its name, or else `variants/NAME.toml`, `NAME.rules.toml`
/// beside the tables, or those that are built in.
///
/// # Errors
/// A folder cannot be read.
pub fn holdings(
    folder: Option<&Path>,
    given: &[Variant],
) -> Result<(Vec<Holding>, Vec<String>), LibraryError> {
    let (mut found, mut without_rules): (Vec<Holding>, Vec<String>) = Default::default();
    for folder in folder.map(folders).transpose()?.into_iter().flatten() {
        for name in names_in(&folder)? {
            if found.iter().any(|holding| holding.variant.name == name) {
                continue;
            }
            match rules(&name, &folder, given) {
                Some(variant) => found.push(Holding { variant, folder: Some(folder.clone()) }),
                None => without_rules.push(format!(
                    "{} has tables of {name}, whose rules are not here: name their file with --variant",
                    folder.display()
                )),
            }
        }
    }
    // Flat files do not name their game: it is the first given one that has tables of these names, or
    // chess.
    for folder in folder.map(folders).transpose()?.into_iter().flatten() {
        let files = exchange_files(&folder)?;
        let is_flat = |file: &&PathBuf| ExchangeFile::kind_of(file) == Some(ExchangeKind::Flat);
        let Some(file) = files.iter().find(is_flat) else { continue };
        if found.iter().any(|holding| holding.folder.as_deref() == Some(&*folder)) {
            continue;
        }
        let mut candidates = given.iter().cloned().chain([Variant::chess()]);
        let is_its = |variant: &Variant| {
            ExchangeFile::new(file, variant).is_ok()
                && !found.iter().any(|other| other.variant.name == variant.name)
        };
        if let Some(variant) = candidates.find(is_its) {
            found.push(Holding { variant, folder: Some(folder) });
        }
    }
    for variant in given {
        if !found.iter().any(|holding| holding.variant.name == variant.name) {
            found.push(Holding { variant: variant.clone(), folder: None });
        }
    }
    found.sort_by(|a, b| a.variant.name.cmp(&b.variant.name));
    Ok((found, without_rules))
}

/// Why a folder does not tell which game is meant.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HoldingError {
    /// A folder cannot be read.
    #[error(transparent)]
    Library(#[from] LibraryError),
    /// There are tables of other games only.
    #[error("{folder} has no tables of {name}, which is no file either; it has tables of {found}",
        folder = .folder.display(), found = listed(.found))]
    OtherGames {
        /// The folder.
        folder: PathBuf,
        /// The game that was asked for.
        name: String,
        /// The games that are there.
        found: Vec<String>,
    },
    /// There are tables of several games, and none was named.
    #[error("{folder} has tables of several games ({found}): say which is meant",
        folder = .folder.display(), found = listed(.found))]
    SeveralGames {
        /// The folder.
        folder: PathBuf,
        /// The games that are there.
        found: Vec<String>,
    },
    /// The rules of the games that are there were not found.
    #[error("{}", .sentences.join("; "))]
    WithoutRules {
        /// A sentence for each game.
        sentences: Vec<String>,
    },
}

fn listed(names: &[String]) -> String {
    if names.is_empty() { "no game".into() } else { names.join(", ") }
}

/// The game that is meant by a folder: the one whose rules are given or that is named, and otherwise the
/// only one that has tables there; chess where nothing is.
///
/// # Errors
/// The folder cannot be read, or does not tell.
pub fn holding(folder: &Path, given: Option<&Variant>, name: Option<&str>) -> Result<Holding, HoldingError> {
    let rules: Vec<Variant> = given.into_iter().cloned().collect();
    let (mut holdings, sentences) = holdings(Some(folder), &rules)?;
    let found = || holdings.iter().map(|holding| holding.variant.name.clone()).collect();
    let at = match given.map(|given| &*given.name).or(name) {
        Some(name) => {
            holdings.iter().position(|holding| is_named(&holding.variant.name, name)).ok_or_else(|| {
                let (folder, name, found) = (folder.to_path_buf(), name.to_owned(), found());
                HoldingError::OtherGames { folder, name, found }
            })?
        }
        None if holdings.len() > 1 => {
            return Err(HoldingError::SeveralGames { folder: folder.into(), found: found() });
        }
        None if holdings.is_empty() && !sentences.is_empty() => {
            return Err(HoldingError::WithoutRules { sentences });
        }
        None if holdings.is_empty() => {
            holdings.push(Holding { variant: Variant::chess(), folder: None });
            0
        }
        None => 0,
    };
    let Holding { variant, folder: own } = holdings.swap_remove(at);
    // Whose tables are nowhere yet have their place here.
    Ok(Holding { variant, folder: own.or_else(|| Some(folder.into())) })
}

/// The rules that are meant by the path of a file, or by the name of a game that is built in (`chess` is
/// `fide`) if there is no such file.
///
/// # Errors
/// There is no such file, or its rules have faults.
pub fn rules_of(name_or_path: &Path) -> Result<Variant, LoadError> {
    let name = name_or_path.to_str().filter(|_| !name_or_path.is_file());
    let built_in = name.and_then(Variant::built_in);
    built_in.map_or_else(|| Variant::load(name_or_path), Ok)
}

/// A folder and those right below it, by name.
fn folders(folder: &Path) -> Result<Vec<PathBuf>, LibraryError> {
    let mut below = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(LibraryError::io("read", folder))? {
        let path = entry.map_err(LibraryError::io("read", folder))?.path();
        if path.is_dir() {
            below.push(path);
        }
    }
    below.sort();
    below.insert(0, folder.into());
    Ok(below)
}

/// The names of the games of which a folder has tables. Files of other formats are of the games whose rules
/// lie beside them, as far as these have such files, and otherwise of the games that their endings say.
///
/// # Errors
/// The folder cannot be read.
pub fn names_in(folder: &Path) -> Result<BTreeSet<String>, LibraryError> {
    let mut names = variant_names_in(folder)?;
    names.extend(structure_files(folder).iter().filter_map(|file| SolvedStructure::variant_of(file).ok()));
    let winners = winner_files(folder)?.into_iter().flat_map(|file| Summary::read(&file));
    names.extend(winners.map(|summary| summary.metadata.variant));
    let mut files = exchange_files(folder)?;
    if files.is_empty() {
        return Ok(names);
    }
    let rules = files_in(folder, |file| file.to_str().is_some_and(|name| name.ends_with(RULES_ENDING)))?;
    for variant in rules.iter().filter_map(|path| Variant::load(path).ok()) {
        let n_before = files.len();
        files.retain(|file| ExchangeFile::new(file, &variant).is_err());
        if files.len() < n_before {
            names.insert(variant.name);
        }
    }
    names.extend(files.iter().filter_map(|file| ExchangeFile::game_of(file)).map(str::to_owned));
    Ok(names)
}

/// How the files end that have the rules of a game beside its tables.
const RULES_ENDING: &str = ".rules.toml";

/// The name of the file with the rules of a game beside its tables.
#[must_use]
pub fn rules_file(game: &str) -> String {
    format!("{game}{RULES_ENDING}")
}

/// The rules of the game of this name, if they are anywhere.
fn rules(name: &str, folder: &Path, given: &[Variant]) -> Option<Variant> {
    if let Some(variant) = given.iter().find(|variant| variant.name == name) {
        return Some(variant.clone());
    }
    let load = |path: PathBuf| Variant::load(&path).ok().filter(|variant| variant.name == name);
    // A name from a file leads to no other folder.
    let is_plain = name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    let file = is_plain.then(|| Path::new("variants").join(name).with_extension("toml"));
    let beside = || is_plain.then(|| folder.join(rules_file(name))).and_then(load);
    file.and_then(load).or_else(beside).or_else(|| Variant::built_in(name))
}

/// How many placements are tried.
const N_TRIES: usize = 100_000;

/// A legal position in which a game begins to be interesting: the royal men, and White's first other man
/// that is no pawn; where nobody is royal, a man of each side.
#[must_use]
pub fn first_fen(book: &RuleBook) -> Option<String> {
    let variant = book.variant();
    let mut pieces = variant.piece_ids().filter(|&id| !variant.piece(id).royal);
    let first = pieces.next()?;
    let men = |side: Side, pieces: &[PieceId]| -> Vec<Man> {
        pieces.iter().map(|&piece| Man { side, piece }).collect()
    };
    let material = match variant.royal() {
        Some(royal) => [men(Side::White, &[royal, first]), men(Side::Black, &[royal])].concat(),
        None => [men(Side::White, &[first]), men(Side::Black, &[first])].concat(),
    };
    some_position(book, variant, &Material::from_men(material)).map(|position| position.to_fen(book))
}

/// The middle one of the legal positions of a material with White to move, as far as some tries find one.
fn some_position(book: &RuleBook, variant: &Variant, material: &Material) -> Option<Position> {
    let layout = Layout::new(variant, material);
    let indices = (layout.len() / 2..layout.len()).chain(0..layout.len() / 2).take(N_TRIES);
    let position = |index| {
        let squares = layout.decode(index);
        Position::from_men(layout.men().iter().copied().zip(squares.iter().copied()), Side::White)
    };
    let is_open = |position: &Position| position.is_legal(book) && position.has_legal_move(book);
    indices.filter_map(position).find(is_open)
}

#[cfg(test)]
mod tests {
    use crate::collection::{HoldingError, holding, holdings, names_in, rules_of};
    use std::fs;
    use variant::{Variant, game};

    /// The games that are found and the names of their folders.
    fn found(folder: &std::path::Path, given: &[Variant]) -> (Vec<String>, usize) {
        let (found, without_rules) = holdings(Some(folder), given).expect("the folder can be read");
        let text = |holding: &crate::collection::Holding| {
            let folder = holding.folder.as_deref().and_then(|folder| folder.file_name());
            format!(
                "{} {}",
                holding.variant.name,
                folder.map_or("-".into(), |name| name.to_string_lossy().into_owned())
            )
        };
        (found.iter().map(text).collect(), without_rules.len())
    }

    #[test]
    fn the_game_of_a_folder_is_told() {
        let folder = tempfile::tempdir().expect("a folder");
        let below = |name: &str| folder.path().join(name);
        for (name, file) in [("a", "KQvK.atbw"), ("b", "KQvK.rtbw")] {
            fs::create_dir(below(name)).expect("a folder");
            fs::write(below(name).join(file), b"").expect("a file");
        }
        let name = |found: crate::collection::Holding| (found.variant.name, found.folder);
        let one = |path: &std::path::Path, named| holding(path, None, named).map(name);
        assert!(
            matches!(one(&below("a"), None), Ok((game, Some(path))) if game == "atomic" && path == below("a"))
        );
        let several = one(folder.path(), None);
        assert!(
            matches!(several, Err(HoldingError::SeveralGames { found, .. }) if found == ["atomic", "fide"])
        );
        assert!(
            matches!(one(folder.path(), Some("fide")), Ok((game, Some(path))) if game == "fide" && path == below("b"))
        );
        let other = one(folder.path(), Some("makruk")).expect_err("there is none").to_string();
        assert!(
            other.ends_with("no tables of makruk, which is no file either; it has tables of atomic, fide"),
            "{other}"
        );
        // Whoever brings the rules may begin in an empty folder, and chess needs none.
        let antichess = rules_of("antichess".as_ref()).expect("built in");
        let begun = holding(&below("a"), Some(&antichess), None).map(name);
        assert!(matches!(begun, Ok((game, Some(path))) if game == "antichess" && path == below("a")));
        let empty = tempfile::tempdir().expect("a folder");
        assert!(matches!(one(empty.path(), None), Ok((game, _)) if game == "fide"));
        assert!(holding(&below("c"), None, None).is_err());
        assert!(rules_of("chess".as_ref()).is_ok_and(|chess| chess.name == "fide"));
        assert!(rules_of("makruk".as_ref()).is_ok_and(|makruk| makruk.name == "makruk"));
        assert!(rules_of("my-game".as_ref()).is_err());
    }

    #[test]
    fn games_are_found_by_their_files() {
        let folder = tempfile::tempdir().expect("a folder");
        let below = |name: &str| folder.path().join(name);
        for (name, file) in [("a", "KQvK.atbw"), ("b", "wKQ-bK.tbl"), ("c", "notes.txt")] {
            fs::create_dir(below(name)).expect("a folder");
            fs::write(below(name).join(file), b"").expect("a file");
        }
        let antichess = Variant::parse(game::ANTICHESS, "built in").expect("rules");
        assert_eq!(found(folder.path(), &[]), (vec!["atomic a".to_owned(), "fide b".to_owned()], 0));
        // Rules beside the files say whose they are, and those of Syzygy files may be another game's.
        let racing = fs::read("../../variants/racing-kings.toml").expect("rules");
        for name in ["d", "e"] {
            fs::create_dir(below(name)).expect("a folder");
            fs::write(below(name).join("racing-kings.rules.toml"), &racing).expect("rules");
        }
        fs::write(below("d").join("wKQ-bK.tbl"), b"").expect("a file");
        fs::write(below("e").join("KQvK.rtbw"), b"").expect("a file");
        assert_eq!(names_in(&below("d")).expect("names"), ["racing-kings".to_owned()].into());
        assert_eq!(names_in(&below("e")).expect("names"), ["fide".to_owned()].into());
        assert_eq!(found(&below("d"), &[]), (vec!["racing-kings d".to_owned()], 0));
        for name in ["d", "e"] {
            fs::remove_dir_all(below(name)).expect("removed");
        }
        // The flat file may be of any game: the one that is given comes first.
        let all = ["antichess b".to_owned(), "atomic a".to_owned()].to_vec();
        assert_eq!(found(folder.path(), &[antichess]), (all, 0));
        assert_eq!(found(&below("c"), &[]), (Vec::new(), 0));
        assert_eq!(found(&below("c"), &[Variant::chess()]), (vec!["fide -".to_owned()], 0));
        assert!(holdings(Some(&below("d")), &[]).is_err());
    }
}
