//! Finds the rules of the game that a command is about, and plans its tables.

use crate::args::Wanted;
use crate::import;
use crate::{Console, Failure, Outcome, Planning};
use ::plan::{Plan, Request};
use ::probe::ExchangeFile;
use build::FolderLock;
use format::folder_of;
use library::{Edition, file_in_variants, having, names_in, rules_beside, rules_file, variant_names_in};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::iter;
use std::path::{Path, PathBuf};
use variant::ini::Conversion;
use variant::{Material, Metric, Variant, game, visible};
use wildmatch::WildMatch;

/// The variant that is meant if neither the user nor a file names one.
pub(crate) const DEFAULT_VARIANT: &str = "fide";

/// The folders in which games are looked for: these, or else `tables` if it is there.
#[cfg(any(feature = "serve", feature = "play"))]
pub(crate) fn folders_of_games(console: &Console<'_>, given: &[PathBuf]) -> Outcome<Vec<PathBuf>> {
    given.iter().try_for_each(|folder| Failure::of_absent(folder))?;
    let is_default = given.is_empty() && console.tables.is_dir();
    Ok(if is_default { vec![console.tables.clone()] } else { given.to_vec() })
}

/// The file that a person means by a path, or by the name of a game that has a file here.
pub(crate) fn file_meant(given: &Path) -> PathBuf {
    let name = given.to_str().filter(|_| !given.is_file());
    name.and_then(file_here).unwrap_or_else(|| given.into())
}

/// The file of a game: in the current folder, or else in its folder `variants`.
fn file_here(game: &str) -> Option<PathBuf> {
    let file = game::is_plain(game).then(|| Path::new(game).with_extension("toml"));
    file.filter(|file| file.is_file()).or_else(|| file_in_variants(game))
}

/// A game and where its rules come from, as a person would type it: a file, or the name of a game that is
/// built in.
pub(crate) struct Game {
    pub(crate) variant: Variant,
    pub(crate) path: PathBuf,
    /// The text of its rules, if no file has it as it is: of a game that is built in, or in an `.ini`.
    pub(crate) text: Option<Cow<'static, str>>,
}

impl Game {
    /// The game as tables of these metrics see it.
    ///
    /// # Errors
    /// The metrics do not see the game alike: `help` and another.
    pub(crate) fn for_metrics(self, metrics: &[Metric]) -> Outcome<Self> {
        if let Some(metric) = metrics.iter().find(|&&metric| !self.variant.has_metric(metric)) {
            return Err(Failure::new(format!(
                "{} counts checks, and its tables hold no {metric}: take dtm or another metric",
                self.variant.name
            )));
        }
        match metrics.contains(&Metric::Help) {
            true if metrics.iter().any(|&metric| metric != Metric::Help) => Err(Failure::new(
                "tables of help are of one colour's mates, KRvKQ beside KQvKR, so they take a run of their \
                 own: leave out the other metrics",
            )),
            true => Ok(Game { variant: self.variant.for_metric(Metric::Help).into_owned(), ..self }),
            false => Ok(self),
        }
    }

    /// Whether it is known by its name alone, without a file.
    pub(crate) fn is_named(&self) -> bool {
        self.text.is_some() && import::game_in(&self.path).is_none()
    }

    /// The material of this name as people type it, with the colours as tables have them.
    pub(crate) fn material(&self, name: &str) -> Outcome<Material> {
        Material::from_typed(&self.variant, name).map_err(Failure::new)
    }

    /// Says which tables are meant where their names are others than what was typed.
    pub(crate) fn tell_tables<'n>(
        &self,
        console: &mut Console<'_>,
        typed: impl IntoIterator<Item = &'n String>,
    ) -> Outcome<()> {
        for typed in typed.into_iter().filter(|typed| !is_pattern(typed)) {
            let name = self.material(typed)?.name(&self.variant);
            if name != *typed {
                console.tell(&format!("{typed} is the table {name}"))?;
            }
        }
        Ok(())
    }

    /// The rules in this file; all faults if there are any.
    pub(crate) fn load(path: &Path) -> Outcome<Self> {
        if let Some((file, name)) = import::game_in(path) {
            let Conversion { variant, text, .. } = import::game(file, name)?;
            return Ok(Game { variant, path: path.into(), text: Some(text.into()) });
        }
        let variant = Variant::load(path).map_err(Failure::of_file)?;
        Ok(Game { variant, path: path.into(), text: None })
    }

    /// The rules that a person means by the path of a file or the name of a game.
    pub(crate) fn open(given: &Path) -> Outcome<Self> {
        match given.to_str().filter(|name| game::is_plain(name) && !given.is_file()) {
            Some(name) => Game::named(name, &[]),
            None => Game::load(given),
        }
    }

    /// The rules that are given; otherwise those of the game of this name, which may lie beside the tables in
    /// one of these folders.
    pub(crate) fn find(given: Option<&Path>, name: &str, folders: &[PathBuf]) -> Outcome<Self> {
        given.map_or_else(|| Game::named(name, folders), Game::open)
    }

    /// The game of this name, whose rules are in a file here, beside its tables or built in.
    fn named(name: &str, folders: &[PathBuf]) -> Outcome<Self> {
        // A game of one's own may have a name that other programs have for one that is built in.
        let built_in = game::named(name);
        let own_name = built_in.map(|(own_name, _)| own_name).filter(|own_name| *own_name != name);
        for name in iter::once(name).chain(own_name) {
            if let Some(file) = file_here(name) {
                return Game::load(&file);
            }
            if let Some(path) = rules_beside(name, folders)? {
                match Game::load(&path) {
                    // The rules of another version of the program may have keys that this one does not know.
                    Err(_) if built_in.is_some() => {}
                    game => return game,
                }
            }
        }
        if let Some((own_name, text)) = built_in {
            let variant = Variant::parse(text, own_name).map_err(Failure::new)?;
            return Ok(Game { variant, path: own_name.into(), text: Some(text.into()) });
        }
        let name = visible(name);
        Err(Failure::new(format!(
            "there is no file and no game `{name}`: give the rules in a file, or one of the games that are built \
             in; the command `variants` lists them"
        )))
    }

    /// The command that builds a table of the game, or all, into a folder.
    pub(crate) fn solve_words(
        &self,
        program: &str,
        table: Option<&str>,
        metrics: &[Metric],
        out: Option<&Path>,
    ) -> String {
        let metrics: Vec<&str> = metrics.iter().map(|metric| metric.name()).collect();
        let options = [
            table.map(|name| format!(" --table {name}")),
            (!metrics.is_empty()).then(|| format!(" --metric {}", metrics.join(","))),
            out.map(|folder| format!(" --out {}", folder.display())),
        ];
        let options: String = options.into_iter().flatten().collect();
        format!("{program} solve {}{options}", self.path.display())
    }

    /// The game whose tables these folders have, as far as they are there, and the folders; where none is
    /// named, chess and the folder of its tables.
    pub(crate) fn asked(
        console: &Console<'_>,
        given: Option<&Path>,
        folders: &[PathBuf],
    ) -> Outcome<(Self, Vec<PathBuf>)> {
        let there: Vec<PathBuf> = folders.iter().filter(|folder| folder.is_dir()).cloned().collect();
        let game = Game::of_folders(given, &there)?;
        let folders = if folders.is_empty() { vec![game.tables(console, None)] } else { folders.to_vec() };
        Ok((game, folders))
    }

    /// The game whose tables folders have; chess where there are none.
    pub(crate) fn of_folders(given: Option<&Path>, folders: &[PathBuf]) -> Outcome<Self> {
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
        Game::find(given, name, folders)
    }

    /// The game of a flat or Syzygy file: that of the rules beside it which has such a file, or the one that
    /// its ending says; chess if nothing does.
    pub(crate) fn of_exchange(given: Option<&Path>, file: &Path) -> Outcome<Self> {
        let folders = [folder_of(file).to_path_buf()];
        let names = if given.is_some() { BTreeSet::new() } else { names_in(&folders)? };
        let has_file = |game: &Game| ExchangeFile::new(file, &game.variant).is_ok();
        let games = names.iter().filter_map(|name| Game::find(None, name, &folders).ok());
        if let Some(game) = games.into_iter().find(has_file) {
            return Ok(game);
        }
        Game::find(given, ExchangeFile::game_of(file).unwrap_or(DEFAULT_VARIANT), &folders)
    }

    /// Puts the rules beside the tables that are made by them, so that the folder explains itself wherever
    /// it goes.
    pub(crate) fn leave_rules(&self, folder: &FolderLock) -> Outcome<()> {
        let there = folder.folder().join(rules_file(&self.variant.name));
        let own = self.text.as_ref().map(|text| text.as_bytes().to_vec());
        let text = own.or_else(|| std::fs::read(&self.path).ok());
        // A folder that cannot be written to has its tables or gets none.
        let text =
            text.filter(|text| folder.is_writable() && !std::fs::read(&there).is_ok_and(|old| old == *text));
        text.map_or(Ok(()), |text| format::write_atomically(&there, &[&text]).map_err(Failure::new))
    }

    /// Where the tables of the game are, unless an argument says so.
    pub(crate) fn tables(&self, console: &Console<'_>, given: Option<&Path>) -> PathBuf {
        given.map_or_else(|| console.tables.join(&self.variant.name), Path::to_path_buf)
    }

    /// Says which rules were taken, if they were named and not given as a file, and where what is `written`
    /// goes, if something is and no argument says so.
    pub(crate) fn tell_choices(
        &self,
        console: &mut Console<'_>,
        rules: Option<&Path>,
        folder: Option<&Path>,
        written: Option<&str>,
    ) -> Outcome<()> {
        let (name, path) = (&self.variant.name, self.path.display());
        let whose = if self.is_named() { "that are built in".into() } else { format!("of {path}") };
        let is_named = !rules.is_some_and(Path::is_file);
        let taken = is_named.then(|| format!("{name} has the rules {whose}"));
        let goes = written.filter(|_| folder.is_none());
        let goes = goes.map(|what| format!("{what} go to {}", self.tables(console, None).display()));
        let told: Vec<String> = taken.into_iter().chain(goes).collect();
        if told.is_empty() { Ok(()) } else { console.tell(&told.join("; ")) }
    }

    /// The tables that are wanted.
    pub(crate) fn request(&self, wanted: &Wanted) -> Outcome<Request> {
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
    pub(crate) fn plan(&self, request: &Request, planning: &mut Planning) -> Outcome<Plan> {
        let plan = Plan::watched(&self.variant, request, &mut |n_done, n_known| {
            planning.step(n_done, n_known);
        });
        plan.map_err(Failure::new)
    }
}

/// Whether a text is a pattern and not a name.
pub(crate) fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?'])
}

/// Whether a name fits a pattern: `*` stands for any letters, `?` for one.
fn fits(pattern: &str, name: &str) -> bool {
    WildMatch::new(pattern).matches(name)
}

/// The materials among these that patterns and names ask for; a pattern may name the colours either way.
pub(crate) fn chosen(
    variant: &Variant,
    asked: &[String],
    known: &BTreeSet<Material>,
) -> Outcome<BTreeSet<Material>> {
    let mut found = BTreeSet::new();
    for text in asked {
        if !is_pattern(text) {
            let typed = Material::from_typed(variant, text)?;
            // Who asks for helpmates asks for those of either side.
            found.extend(variant.rules.helped.then(|| typed.swapped()));
            found.insert(typed);
            continue;
        }
        let is_meant = |material: &&Material| {
            [(*material).clone(), material.swapped()].iter().any(|m| fits(text, &m.name(variant)))
        };
        let mut meant = known.iter().filter(is_meant).cloned().peekable();
        if meant.peek().is_none() {
            let why = format!("no table fits `{text}`; `*` stands for any letters, `?` for one");
            return Err(Failure::new(why));
        }
        found.extend(meant);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[track_caller]
    fn check_fits(pattern: &str, name: &str, expected: bool) {
        assert_eq!(fits(pattern, name), expected, "{pattern} and {name}");
    }

    #[test]
    fn patterns_stand_for_letters() {
        check_fits("KR*vK*", "KRvK", true);
        check_fits("KR*vK*", "KRPvKR", true);
        check_fits("KR*vK*", "KQvKR", false);
        check_fits("K?vK", "KQvK", true);
        check_fits("K?vK", "KQRvK", false);
        check_fits("*", "KQvK", true);
        check_fits("**P", "KQvKP", true);
        check_fits("", "KQvK", false);
        check_fits("KQvK", "KQvKR", false);
    }
}
