//! Finds the rules of the game that a command is about, and plans its tables.

use crate::args::Wanted;
use crate::console::Console;
use crate::glob::{chosen, is_pattern};
use crate::progress::Planning;
use crate::{Failure, fault};
use ::plan::{Plan, Request};
use ::probe::ExchangeFile;
use build::FolderLock;
use format::folder_of;
use library::{Edition, having, names_in, rules_beside, rules_file, variant_names_in};
use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use variant::{LoadError, Material, Metric, Variant};

/// The variant that is meant if neither the user nor a file names one.
pub(crate) const DEFAULT_VARIANT: &str = "fide";

/// The folders in which games are looked for: these, or else `tables` if it is there.
#[cfg(any(feature = "serve", feature = "play"))]
pub(crate) fn folders_of_games(given: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    if let Some(folder) = given.iter().find(|folder| !folder.is_dir()) {
        return Err(Failure::new(format!("there is no folder {}", folder.display())));
    }
    let tables = PathBuf::from("tables");
    Ok(if given.is_empty() && tables.is_dir() { vec![tables] } else { given.to_vec() })
}

/// A game and the file that its rules come from, as a person would type it.
pub(crate) struct Game {
    pub(crate) variant: Variant,
    pub(crate) path: PathBuf,
}

impl Game {
    /// The material of this name as people type it, with the colours as tables have them.
    pub(crate) fn material(&self, name: &str) -> Result<Material, Failure> {
        Material::from_typed(&self.variant, name).map_err(Failure::new)
    }

    /// Says which tables are meant where their names are others than what was typed.
    pub(crate) fn tell_tables<'n>(
        &self,
        console: &mut Console<'_>,
        typed: impl IntoIterator<Item = &'n String>,
    ) -> Result<(), Failure> {
        for typed in typed.into_iter().filter(|typed| !is_pattern(typed)) {
            let name = self.material(typed)?.name(&self.variant);
            if name != *typed {
                console.tell(&format!("{typed} is the table {name}"))?;
            }
        }
        Ok(())
    }

    /// The rules in this file; all faults if there are any.
    pub(crate) fn load(path: &Path) -> Result<Self, Failure> {
        match Variant::load(path) {
            Ok(variant) => Ok(Game { variant, path: path.into() }),
            Err(LoadError::Faults(report)) => {
                Err(Failure::Message(fault::draw(&report, std::io::stderr().is_terminal())))
            }
            Err(error) => Err(Failure::new(error)),
        }
    }

    /// The rules in this file if one is given; otherwise those of the variant of this name: from `variants`,
    /// or built in.
    pub(crate) fn find(given: Option<&Path>, name: &str) -> Result<Self, Failure> {
        if let Some(path) = given {
            return Game::load(path);
        }
        let path = Path::new("variants").join(name).with_extension("toml");
        if path.exists() {
            return Game::load(&path);
        }
        // Chess is built in, for a binary that is installed without its source tree.
        let chess = Variant::chess();
        if chess.name == name {
            return Ok(Game { variant: chess, path });
        }
        let path = path.display();
        Err(Failure::new(format!("there is no {path}; give the rules of `{name}` with --variant FILE")))
    }

    /// Like [`Game::find`], but falls back to the rules that lie beside the tables in one of these folders.
    pub(crate) fn find_beside(
        given: Option<&Path>,
        name: &str,
        folders: &[PathBuf],
    ) -> Result<Self, Failure> {
        match Game::find(given, name) {
            Err(error) if given.is_none() => {
                rules_beside(name, folders)?.map_or(Err(error), |path| Game::load(&path))
            }
            // Chess is built in: its rules may be nowhere but beside the tables.
            Ok(game) if given.is_none() && !game.path.is_file() => {
                let path = rules_beside(name, folders).ok().flatten().unwrap_or(game.path);
                Ok(Game { path, ..game })
            }
            found => found,
        }
    }

    /// The game whose tables these folders have, as far as they are there, and the folders; where none is
    /// named, chess and the folder of its tables.
    pub(crate) fn asked(given: Option<&Path>, folders: &[PathBuf]) -> Result<(Self, Vec<PathBuf>), Failure> {
        let there: Vec<PathBuf> = folders.iter().filter(|folder| folder.is_dir()).cloned().collect();
        let game = match there.is_empty() {
            true => Game::find(given, DEFAULT_VARIANT)?,
            false => Game::of_folders(given, &there)?,
        };
        let folders = if folders.is_empty() { vec![game.tables(None)] } else { folders.to_vec() };
        Ok((game, folders))
    }

    /// The game whose tables folders have; chess where there are none.
    pub(crate) fn of_folders(given: Option<&Path>, folders: &[PathBuf]) -> Result<Self, Failure> {
        let mut names = BTreeSet::new();
        for folder in folders.iter().filter(|_| given.is_none()) {
            names.extend(variant_names_in(folder)?);
        }
        if names.is_empty() && given.is_none() {
            names = names_in(folders)?;
        }
        let name = match names.len() {
            0 => DEFAULT_VARIANT,
            1 => names.first().map_or(DEFAULT_VARIANT, String::as_str),
            _ if names.contains(DEFAULT_VARIANT) => DEFAULT_VARIANT,
            _ => {
                let (having, names) = (having(folders), names.into_iter().collect::<Vec<_>>().join(", "));
                return Err(Failure::new(format!(
                    "{having} tables of several games ({names}); say which is meant with --variant FILE"
                )));
            }
        };
        Game::find_beside(given, name, folders)
    }

    /// The game of a flat or Syzygy file: that of the rules beside it which has such a file, or the one that
    /// its ending says; chess if nothing does.
    pub(crate) fn of_exchange(given: Option<&Path>, file: &Path) -> Result<Self, Failure> {
        let folders = [folder_of(file).to_path_buf()];
        let names = if given.is_some() { BTreeSet::new() } else { names_in(&folders)? };
        let has_file = |game: &Game| ExchangeFile::new(file, &game.variant).is_ok();
        let games = names.iter().filter_map(|name| Game::find_beside(None, name, &folders).ok());
        if let Some(game) = games.into_iter().find(has_file) {
            return Ok(game);
        }
        Game::find_beside(given, ExchangeFile::game_of(file).unwrap_or(DEFAULT_VARIANT), &folders)
    }

    /// Puts the rules beside the tables that are made by them, so that the folder explains itself wherever
    /// it goes.
    pub(crate) fn leave_rules(&self, folder: &FolderLock) -> Result<(), Failure> {
        let there = folder.folder().join(rules_file(&self.variant.name));
        // A folder that cannot be written to has its tables or gets none.
        if !folder.is_writable() {
            return Ok(());
        }
        let Ok(text) = std::fs::read(&self.path) else { return Ok(()) };
        let is_new = std::fs::read(&there).map_or(true, |old| old != text);
        if is_new { format::write_atomically(&there, &[&text]).map_err(Failure::new) } else { Ok(()) }
    }

    /// Where the tables of the game are, unless something else is said.
    pub(crate) fn tables(&self, given: Option<&Path>) -> PathBuf {
        given.map_or_else(|| Path::new("tables").join(&self.variant.name), Path::to_path_buf)
    }

    /// The tables that are wanted.
    pub(crate) fn request(&self, wanted: &Wanted) -> Result<Request, Failure> {
        let Wanted { men, table } = wanted;
        if table.is_empty() {
            return Ok(Request::UpTo(men.unwrap_or(self.variant.men_limit)));
        }
        if let (Some(n_men), Some(name)) = (men, table.iter().find(|name| !is_pattern(name))) {
            return Err(Failure::new(format!(
                "--men {n_men} cannot be used with --table {name}, which has its own"
            )));
        }
        // A pattern of more letters than the limit means tables of as many men.
        let n_letters = |text: &String| text.chars().filter(|c| c.is_uppercase() || *c == '?').count();
        let n_men =
            men.unwrap_or_else(|| table.iter().map(n_letters).max().unwrap_or(0).max(self.variant.men_limit));
        if n_men > index::MAX_MEN {
            return Err(Failure::new(format!("tables have 2 to {} men, not {n_men}", index::MAX_MEN)));
        }
        let known =
            if table.iter().any(|text| is_pattern(text)) { self.materials(n_men) } else { BTreeSet::new() };
        let chosen = chosen(&self.variant, table, &known)?;
        Ok(match chosen.first() {
            Some(only) if chosen.len() == 1 => Request::Table(only.clone()),
            _ => Request::Tables(chosen.into_iter().collect()),
        })
    }

    /// All materials of up to `n_men` that have tables.
    fn materials(&self, n_men: usize) -> BTreeSet<Material> {
        let all = (2..=n_men).flat_map(|n_men| Material::all(&self.variant, n_men));
        all.filter(|material| !self.variant.is_always_drawn(material)).collect()
    }

    /// The editions that have these metrics; the game's own if none is named.
    pub(crate) fn editions(&self, metrics: &[Metric]) -> Vec<Edition> {
        let default = [self.variant.default_metric];
        Edition::of_metrics(&self.variant, if metrics.is_empty() { &default } else { metrics })
    }

    /// The plan of the tables that are wanted; a person who watches sees how far it is.
    pub(crate) fn plan(&self, request: &Request, planning: &mut Planning) -> Result<Plan, Failure> {
        let plan = Plan::watched(&self.variant, request, &mut |n_done, n_known| {
            planning.step(n_done, n_known);
        });
        plan.map_err(Failure::new)
    }
}
