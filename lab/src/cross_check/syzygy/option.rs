//! Reads the arguments of `cross-check syzygy`.

use super::game::{GAMES, Game};
use std::ffi::OsString;
use std::path::PathBuf;

/// The number of random positions that are compared by default.
pub(super) const N_POSITIONS: usize = 1_000_000;

/// The games and positions that this check compares.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in super::super) struct Options {
    pub(super) games: Vec<Game>,
    /// Tables by name; those of the game if none are named.
    pub(super) tables: Vec<String>,
    /// Random positions of all tables of up to so many men, instead of those of the game.
    pub(super) n_men: Option<usize>,
    /// A set that is there already: neither solved nor exported.
    pub(super) set: Option<Set>,
    pub(super) n_positions: usize,
    pub(super) rounded: bool,
}

/// Syzygy files, and the tables of the metrics `wdl` and `dtz50` that say what must stand in them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Set {
    /// The folder of the Syzygy files.
    pub(super) files: PathBuf,
    /// The folder of the tables.
    pub(super) tables: PathBuf,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            games: GAMES.to_vec(),
            tables: Vec::new(),
            n_men: None,
            set: None,
            n_positions: N_POSITIONS,
            rounded: false,
        }
    }
}

impl Options {
    /// Reads `[--game NAME]… [--table MATERIAL]… [--men N] [--positions N] [--rounded]
    /// [--files DIR --values DIR]`.
    ///
    /// # Errors
    /// What is wrong with them.
    pub(in super::super) fn parse(args: &[OsString]) -> Result<Self, String> {
        let mut options = Options::default();
        let mut games = Vec::new();
        let (mut files, mut tables) = (None, None);
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let mut value = || {
                args.next().and_then(|value| value.to_str()).ok_or(format!("{} wants a value", arg.display()))
            };
            match arg.to_str() {
                Some("--game") => games.push(Game::named(value()?)?),
                Some("--table") => options.tables.push(value()?.to_owned()),
                Some("--positions") => {
                    let text = value()?;
                    options.n_positions =
                        text.parse().map_err(|_| format!("{text} is no number of positions"))?;
                }
                Some("--men") => {
                    let text = value()?;
                    let n_men = text.parse().map_err(|_| format!("{text} is no number of men"))?;
                    options.n_men = Some(n_men);
                }
                Some("--rounded") => options.rounded = true,
                Some("--files") => files = Some(PathBuf::from(value()?)),
                Some("--values") => tables = Some(PathBuf::from(value()?)),
                _ => {
                    return Err(format!(
                        "{}: cross-check syzygy takes --game NAME and --table MATERIAL (several times), \
                         --men N, --positions N, --rounded, and --files DIR with --values DIR",
                        arg.display()
                    ));
                }
            }
        }
        if !games.is_empty() {
            options.games = games;
        }
        options.set = match (files, tables) {
            (Some(files), Some(tables)) => Some(Set { files, tables }),
            (None, None) => None,
            _ => return Err("--files DIR and --values DIR belong together".into()),
        };
        let is_of_one_game = !options.tables.is_empty() || options.n_men.is_some() || options.set.is_some();
        if options.games.len() > 1 && is_of_one_game {
            return Err("--table, --men and --files need the game that has them: --game fide, say".into());
        }
        Ok(options)
    }
}

#[cfg(test)]
mod tests {
    use super::{Options, Set};
    use std::ffi::OsString;

    #[track_caller]
    fn check_options(args: &[&str], expected: Result<(&[&str], usize, bool), &str>) {
        let args: Vec<OsString> = args.iter().map(OsString::from).collect();
        match (Options::parse(&args), expected) {
            (Ok(options), Ok((tables, n_positions, rounded))) => {
                let tables: Vec<String> = tables.iter().map(|&table| table.to_owned()).collect();
                assert_eq!(
                    (options.tables, options.n_positions, options.rounded),
                    (tables, n_positions, rounded)
                );
            }
            (Err(error), Err(expected)) => assert!(error.contains(expected), "{error}"),
            (got, _) => panic!("{got:?}"),
        }
    }

    #[test]
    fn arguments_are_read() {
        check_options(&[], Ok((&[], 1_000_000, false)));
        check_options(&["--rounded", "--positions", "10"], Ok((&[], 10, true)));
        let named = ["--game", "fide", "--table", "KBBvKN", "--table", "KQRvKQ"];
        check_options(&named, Ok((&["KBBvKN", "KQRvKQ"], 1_000_000, false)));
        check_options(&["--table", "KBBvKN"], Err("need the game that has them"));
        check_options(
            &["--game", "checkers"],
            Err("there is no game checkers to compare; there are fide, atomic"),
        );
        check_options(&["--game", "fide", "--men", "many"], Err("many is no number of men"));
        check_options(&["--men", "5"], Err("need the game that has them"));
        check_options(&["--game", "fide", "--files", "here"], Err("--files DIR and --values DIR belong"));
        check_options(&["--files", "here", "--values", "there"], Err("need the game that has them"));
        check_options(&["--table"], Err("--table wants a value"));
        check_options(&["--positions", "many"], Err("many is no number of positions"));
        check_options(&["--fast"], Err("--fast: cross-check syzygy takes"));
    }
    #[test]
    fn a_set_that_is_there_is_named() {
        let args =
            ["--game", "fide", "--men", "5", "--files", "here", "--values", "there"].map(OsString::from);
        let options = Options::parse(&args).unwrap();
        assert_eq!(options.n_men, Some(5));
        assert_eq!(options.set, Some(Set { files: "here".into(), tables: "there".into() }));
    }
}
