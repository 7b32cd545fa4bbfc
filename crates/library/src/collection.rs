//! Finds the games whose tables lie in some folders or in the folders below them, with their rules.

use crate::folder::{files_in, files_of};
use crate::{Holding, LibraryError, exchange_files, structure_files, variant_names_in};
use index::{Layout, MAX_MEN};
use position::{Position, RuleBook};
use probe::{ExchangeFile, ExchangeKind};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use structure::SolvedStructure;
use variant::game::{GAMES, is_plain, meant};
use variant::{LoadError, Man, Material, Side, Variant};

/// The games whose tables lie in these folders or in folders right below them, by name; then the games of
/// `given` that have none. A game has of each folder the first place that has tables of it, in the order of
/// the folders. The second list has a sentence for each game whose rules were not found.
///
/// The rules of a game are those of `given` with its name, or else `variants/NAME.toml`, `NAME.rules.toml`
/// beside the tables, in whichever folder, or those that are built in.
///
/// # Errors
/// A folder cannot be read.
pub fn holdings(folders: &[PathBuf], given: &[Variant]) -> Result<(Vec<Holding>, Vec<String>), LibraryError> {
    let places = folders.iter().map(|folder| places_in(folder, given)).collect::<Result<Vec<_>, _>>()?;
    let names: BTreeSet<&String> = places.iter().flat_map(BTreeMap::keys).collect();
    let (mut found, mut without_rules): (Vec<Holding>, Vec<String>) = Default::default();
    for name in names {
        let mut own: Vec<PathBuf> = Vec::new();
        for place in places.iter().filter_map(|places| places.get(name)) {
            if !own.contains(place) {
                own.push(place.clone());
            }
        }
        // A folder without tables of the game may have its rules.
        let beside = folders.iter().zip(&places).map(|(folder, places)| places.get(name).unwrap_or(folder));
        match rules(name, &beside.cloned().collect::<Vec<_>>(), given) {
            Ok(Some(variant)) => found.push(Holding { variant, folders: own }),
            // The other games are answered all the same.
            Err(error @ LibraryError::RulesDiffer { .. }) => without_rules.push(error.to_string()),
            Err(error) => return Err(error),
            Ok(None) => without_rules.push(format!(
                "{} tables of {name}, whose rules are not here: name their file with --variant",
                having(&own)
            )),
        }
    }
    for variant in given {
        if !found.iter().any(|holding| holding.variant.name == variant.name) {
            found.push(Holding { variant: variant.clone(), folders: Vec::new() });
        }
    }
    found.sort_by(|a, b| a.variant.name.cmp(&b.variant.name));
    Ok((found, without_rules))
}

/// These games, and those of the games that are built in which are not among them, without tables.
#[must_use]
pub fn with_built_in(mut games: Vec<Holding>) -> Vec<Holding> {
    let is_there = |name: &str| games.iter().any(|holding| holding.variant.name == name);
    let missing: Vec<&str> = GAMES.iter().map(|(name, _)| *name).filter(|name| !is_there(name)).collect();
    let more = missing.into_iter().filter_map(Variant::built_in);
    games.extend(more.map(|variant| Holding { variant, folders: Vec::new() }));
    games.sort_by(|a, b| a.variant.name.cmp(&b.variant.name));
    games
}

/// Where a folder has tables of games, by name: in itself or right below it, each in the first place.
fn places_in(folder: &Path, given: &[Variant]) -> Result<BTreeMap<String, PathBuf>, LibraryError> {
    let mut places: BTreeMap<String, PathBuf> = BTreeMap::new();
    let all = with_those_below(folder)?;
    for place in &all {
        for name in names_in(std::slice::from_ref(place))? {
            places.entry(name).or_insert_with(|| place.clone());
        }
    }
    // Flat files do not name their game: it is the first given one that has tables of these names, or
    // chess.
    for place in all {
        let files = exchange_files(&place)?;
        let is_flat = |file: &&PathBuf| ExchangeFile::kind_of(file) == Some(ExchangeKind::Flat);
        let Some(file) = files.iter().find(is_flat).filter(|_| !places.values().any(|own| *own == place))
        else {
            continue;
        };
        let mut candidates = given.iter().cloned().chain([Variant::chess()]);
        let is_its =
            |game: &Variant| ExchangeFile::new(file, game).is_ok() && !places.contains_key(&game.name);
        if let Some(game) = candidates.find(is_its) {
            places.insert(game.name, place);
        }
    }
    Ok(places)
}

/// Why folders do not tell which game is meant.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HoldingError {
    /// A folder cannot be read, or its rules are not those of another one.
    #[error(transparent)]
    Library(#[from] LibraryError),
    /// There are tables of other games only.
    #[error("{having} no tables of {name}, which is no file either; there are tables of {found}",
        having = having(.folders), found = listed(.found))]
    OtherGames {
        /// The folders.
        folders: Vec<PathBuf>,
        /// The game that was asked for.
        name: String,
        /// The games that are there.
        found: Vec<String>,
    },
    /// There are tables of several games, and none was named.
    #[error("{having} tables of several games ({found}): say which is meant",
        having = having(.folders), found = listed(.found))]
    SeveralGames {
        /// The folders.
        folders: Vec<PathBuf>,
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

/// Folders with a verb: `a has`, `a, b have`.
#[must_use]
pub fn having(folders: &[PathBuf]) -> String {
    format!("{} {}", shown(folders), if folders.len() == 1 { "has" } else { "have" })
}

/// The folders of a text, which names one or, as the system writes lists of folders, several: with `:`
/// between them, on Windows with `;`.
#[must_use]
pub fn split_folders(path: &str) -> Vec<PathBuf> {
    let whole = PathBuf::from(path);
    if whole.is_dir() {
        return vec![whole];
    }
    std::env::split_paths(path).filter(|folder| !folder.as_os_str().is_empty()).collect()
}

/// The paths of folders as they stand in a sentence.
#[must_use]
pub fn shown(folders: &[PathBuf]) -> String {
    folders.iter().map(|folder| folder.display().to_string()).collect::<Vec<_>>().join(", ")
}

/// The game that is meant by folders: the one whose rules are given or that is named, and otherwise the only
/// one that has tables there; chess where nothing is.
///
/// # Errors
/// A folder cannot be read, or they do not tell.
pub fn holding(
    folders: &[PathBuf],
    given: Option<&Variant>,
    name: Option<&str>,
) -> Result<Holding, HoldingError> {
    let rules: Vec<Variant> = given.into_iter().cloned().collect();
    let (mut holdings, sentences) = holdings(folders, &rules)?;
    let found = || holdings.iter().map(|holding| holding.variant.name.clone()).collect();
    let at = match given.map(|given| &*given.name).or(name) {
        Some(name) => {
            meant(holdings.iter().map(|holding| &*holding.variant.name), name).ok_or_else(|| {
                let (folders, name, found) = (folders.to_vec(), name.to_owned(), found());
                HoldingError::OtherGames { folders, name, found }
            })?
        }
        None if holdings.len() > 1 => {
            return Err(HoldingError::SeveralGames { folders: folders.into(), found: found() });
        }
        None if holdings.is_empty() && !sentences.is_empty() => {
            return Err(HoldingError::WithoutRules { sentences });
        }
        None if holdings.is_empty() => {
            holdings.push(Holding { variant: Variant::chess(), folders: Vec::new() });
            0
        }
        None => 0,
    };
    let Holding { variant, folders: own } = holdings.swap_remove(at);
    let mut places = Vec::new();
    for folder in folders {
        match own.iter().find(|own| *own == folder || own.parent() == Some(folder)) {
            Some(own) => places.push(own.clone()),
            // Where no tables are yet there may be some later.
            None if names_in(std::slice::from_ref(folder))?.is_empty() => places.push(folder.clone()),
            None => {}
        }
    }
    // Whose tables are nowhere yet have their place here.
    Ok(Holding { variant, folders: if places.is_empty() { folders.to_vec() } else { places } })
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
fn with_those_below(folder: &Path) -> Result<Vec<PathBuf>, LibraryError> {
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

/// The names of the games of which folders have tables. Files of other formats are of the games whose rules
/// lie beside them, as far as these have such files, and otherwise of the games that their endings say.
///
/// # Errors
/// A folder cannot be read.
pub fn names_in(folders: &[PathBuf]) -> Result<BTreeSet<String>, LibraryError> {
    let mut names = BTreeSet::new();
    for folder in folders {
        names.extend(variant_names_in(folder)?);
        names
            .extend(structure_files(folder).iter().filter_map(|file| SolvedStructure::variant_of(file).ok()));
    }
    let mut files = files_of(folders, exchange_files)?;
    if files.is_empty() {
        return Ok(names);
    }
    let is_rules = |file: &Path| file.to_str().is_some_and(|name| name.ends_with(RULES_ENDING));
    let rules = files_of(folders, |folder| files_in(folder, is_rules))?;
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

/// The file with the rules of a game beside its tables: in the first of some folders that has one.
///
/// # Errors
/// Another folder has other rules of the game.
pub fn rules_beside(game: &str, folders: &[PathBuf]) -> Result<Option<PathBuf>, LibraryError> {
    let paths = folders.iter().filter(|_| is_plain(game)).map(|folder| folder.join(rules_file(game)));
    let mut paths = paths.filter(|path| path.is_file());
    let Some(first) = paths.next() else { return Ok(None) };
    // A file with faults is reported by those who read it. Texts for people are no rules.
    let rules = |path: &Path| {
        let Variant { board, pieces, rules, default_metric, .. } = Variant::load(path).ok()?;
        Some((board, pieces, rules, default_metric))
    };
    for other in paths {
        if let (Some(own), Some(others)) = (rules(&first), rules(&other))
            && own != others
        {
            return Err(LibraryError::RulesDiffer { game: game.into(), paths: [first, other] });
        }
    }
    Ok(Some(first))
}

/// The file that the folder `variants` has of a game.
#[must_use]
pub fn file_in_variants(game: &str) -> Option<PathBuf> {
    let file = is_plain(game).then(|| Path::new("variants").join(game).with_extension("toml"));
    file.filter(|file| file.is_file())
}

/// The rules of the game of this name, if they are anywhere.
fn rules(name: &str, beside: &[PathBuf], given: &[Variant]) -> Result<Option<Variant>, LibraryError> {
    if let Some(variant) = given.iter().find(|variant| variant.name == name) {
        return Ok(Some(variant.clone()));
    }
    let load = |path: &Path| Variant::load(path).ok().filter(|variant| variant.name == name);
    if let Some(variant) = file_in_variants(name).as_deref().and_then(load) {
        return Ok(Some(variant));
    }
    let beside = rules_beside(name, beside)?.as_deref().and_then(load);
    let built_in = || Variant::built_in(name).filter(|variant| variant.name == name);
    Ok(beside.or_else(built_in))
}

/// How many placements are tried.
const N_TRIES: usize = 100_000;

/// Returns a legal position in which a game begins to be interesting: the royal men, and the first other man
/// that is no pawn, of each side without royal men, and else of White.
#[must_use]
pub fn first_fen(book: &RuleBook) -> Option<String> {
    let variant = book.variant();
    let mut pieces = variant.piece_ids().filter(|&id| !variant.piece(id).royal);
    let first = pieces.next()?;
    let royals_of = |side| {
        let royal = variant.royals().next().map(|piece| Man { side, piece });
        royal.into_iter().flat_map(move |royal| std::iter::repeat_n(royal, variant.n_royals(side)))
    };
    let mut men: Vec<Man> = Side::BOTH.into_iter().flat_map(royals_of).collect();
    let has_first = |side| match variant.has_side_without_royals() {
        true => variant.n_royals(side) == 0,
        false => side == Side::White,
    };
    men.extend(Side::BOTH.into_iter().filter(|&side| has_first(side)).map(|side| Man { side, piece: first }));
    if men.len() > MAX_MEN {
        return None;
    }
    some_position(book, variant, &Material::from_men(men)).map(|position| position.to_fen(book))
}

/// The middle one of the legal positions of a material with White to move, as far as some tries find one.
fn some_position(book: &RuleBook, variant: &Variant, material: &Material) -> Option<Position> {
    let layout = Layout::new(variant, material);
    let indices = (layout.len() / 2..layout.len()).chain(0..layout.len() / 2).take(N_TRIES);
    let position = |index| {
        let squares = layout.decode(index);
        let men = layout.men().iter().copied().zip(squares.iter().copied());
        Position::of_material(material, men, Side::White)
    };
    let is_open = |position: &Position| position.is_legal(book) && position.has_legal_move(book);
    indices.filter_map(position).find(is_open)
}

#[cfg(test)]
mod tests {
    use crate::Holding;
    use crate::collection::{HoldingError, holding, holdings, names_in, rules_beside, rules_file, rules_of};
    use std::fs;
    use std::path::PathBuf;
    use variant::{Variant, game};

    /// The games that are found and the names of their folders.
    fn found(folder: &std::path::Path, given: &[Variant]) -> (Vec<String>, usize) {
        let (found, without_rules) = holdings(&[folder.into()], given).expect("the folder can be read");
        let text = |holding: &Holding| {
            let folder = holding.folders.first().and_then(|folder| folder.file_name());
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
        let name = |found: Holding| (found.variant.name, found.folders);
        let one = |path: &std::path::Path, named| holding(&[path.into()], None, named).map(name);
        assert!(
            matches!(one(&below("a"), None), Ok((game, paths)) if game == "atomic" && paths == [below("a")])
        );
        let several = one(folder.path(), None);
        assert!(
            matches!(several, Err(HoldingError::SeveralGames { found, .. }) if found == ["atomic", "fide"])
        );
        assert!(
            matches!(one(folder.path(), Some("fide")), Ok((game, paths)) if game == "fide" && paths == [below("b")])
        );
        let other = one(folder.path(), Some("makruk")).expect_err("there is none").to_string();
        assert!(
            other.ends_with("no tables of makruk, which is no file either; there are tables of atomic, fide"),
            "{other}"
        );
        // A caller who brings the rules may begin in an empty folder, and chess needs none.
        let antichess = rules_of("antichess".as_ref()).expect("built in");
        let begun = holding(&[below("a")], Some(&antichess), None).map(name);
        assert!(matches!(begun, Ok((game, paths)) if game == "antichess" && paths == [below("a")]));
        let empty = tempfile::tempdir().expect("a folder");
        assert!(matches!(one(empty.path(), None), Ok((game, _)) if game == "fide"));
        assert!(holding(&[below("c")], None, None).is_err());
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
        assert_eq!(names_in(&[below("d")]).expect("names"), ["racing-kings".to_owned()].into());
        assert_eq!(names_in(&[below("e")]).expect("names"), ["fide".to_owned()].into());
        assert_eq!(found(&below("d"), &[]), (vec!["racing-kings d".to_owned()], 0));
        for name in ["d", "e"] {
            fs::remove_dir_all(below(name)).expect("removed");
        }
        // The flat file may be of any game: the one that is given comes first.
        let all = ["antichess b".to_owned(), "atomic a".to_owned()].to_vec();
        assert_eq!(found(folder.path(), &[antichess]), (all, 0));
        assert_eq!(found(&below("c"), &[]), (Vec::new(), 0));
        assert_eq!(found(&below("c"), &[Variant::chess()]), (vec!["fide -".to_owned()], 0));
        assert!(holdings(&[below("d")], &[]).is_err());
    }

    #[test]
    fn games_of_several_folders_are_joined() {
        let folder = tempfile::tempdir().expect("a folder");
        let below = |name: &str| folder.path().join(name);
        for (name, file) in [("a", "KQvK.rtbw"), ("b", "KRvK.rtbw"), ("b", "KQvK.atbw"), ("c", "wKQ-bK.tbl")]
        {
            fs::create_dir_all(below(name)).expect("a folder");
            fs::write(below(name).join(file), b"").expect("a file");
        }
        let [a, b, c] = ["a", "b", "c"].map(below);
        let found = |folders: &[PathBuf]| -> Vec<(String, Vec<PathBuf>)> {
            let (found, without_rules) = holdings(folders, &[]).expect("the folders can be read");
            assert!(without_rules.is_empty());
            found.into_iter().map(|holding| (holding.variant.name, holding.folders)).collect()
        };
        let of =
            |game: &str, folders: &[&PathBuf]| (game.to_owned(), folders.iter().copied().cloned().collect());
        let both = [of("atomic", &[&b]), of("fide", &[&b, &a])];
        assert_eq!(found(&[b.clone(), a.clone(), b.clone()]), both);
        // Of a folder with one for each game a game has the first.
        assert_eq!(found(&[c.clone(), folder.path().into()]), [of("atomic", &[&b]), of("fide", &[&c, &a])]);
        let meant = |folders: &[PathBuf], name| holding(folders, None, name).map(|found| found.folders);
        assert_eq!(meant(&[a.clone(), b.clone()], Some("atomic")).expect("it is there"), vec![b.clone()]);
        // An empty folder may get tables later.
        let empty = tempfile::tempdir().expect("a folder");
        let with_empty = [empty.path().to_path_buf(), a.clone()];
        assert_eq!(meant(&with_empty, None).expect("chess"), with_empty);
        let several = meant(&[a.clone(), b], None).expect_err("two games").to_string();
        assert!(several.ends_with("/b have tables of several games (atomic, fide): say which is meant"));
        let gone = meant(&[a, below("gone")], None).expect_err("no folder").to_string();
        assert!(gone.contains("gone"), "{gone}");
    }

    #[test]
    fn rules_of_any_folder_serve_if_no_other_contradicts_them() {
        let folder = tempfile::tempdir().expect("a folder");
        let racing = fs::read_to_string("../../variants/racing-kings.toml").expect("rules");
        let other = racing.replacen("[board]", "# A comment.\n[board]", 1);
        let changed = racing.replacen("metric = \"dtm\"", "metric = \"wdl\"", 1);
        assert!(racing != other && racing != changed);
        let folders = ["files", "rules", "other"].map(|name| folder.path().join(name));
        for path in &folders {
            fs::create_dir(path).expect("a folder");
        }
        fs::write(folders[0].join("wKQ-bK.tbl"), b"").expect("a file");
        let put = |place: usize, text: &str| {
            fs::write(folders[place].join(rules_file("racing-kings")), text).expect("rules");
        };
        assert_eq!(rules_beside("racing-kings", &folders).expect("no rules"), None);
        put(1, &racing);
        assert_eq!(names_in(&folders).expect("names"), ["racing-kings".to_owned()].into());
        let found = rules_beside("racing-kings", &folders).expect("one");
        assert_eq!(found, Some(folders[1].join(rules_file("racing-kings"))));
        put(2, &other);
        assert_eq!(rules_beside("racing-kings", &folders).expect("two that agree"), found);
        put(2, &changed);
        let error = rules_beside("racing-kings", &folders).expect_err("two that do not").to_string();
        assert!(
            error.contains("have different rules of racing-kings") && error.contains("--variant"),
            "{error}"
        );
        assert!(rules_beside("../racing-kings", &folders).is_ok_and(|found| found.is_none()));
    }
}
