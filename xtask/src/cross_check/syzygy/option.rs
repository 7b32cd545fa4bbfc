//! Reads the arguments of `cross-check syzygy`.

use super::game::{GAMES, Game};
use std::ffi::OsString;

/// The number of random positions that are compared by default.
pub(super) const N_POSITIONS: usize = 1_000_000;

/// The games and positions that this check compares.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in super::super) struct Options {
    pub(super) games: Vec<Game>,
    /// Tables by name; those of the game if none are named.
    pub(super) tables: Vec<String>,
    pub(super) n_positions: usize,
    pub(super) rounded: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { games: GAMES.to_vec(), tables: Vec::new(), n_positions: N_POSITIONS, rounded: false }
    }
}

impl Options {
    /// Reads `[--game NAME]… [--table MATERIAL]… [--positions N] [--rounded]`.
    ///
    /// # Errors
    /// What is wrong with them.
    pub(in super::super) fn parse(args: &[OsString]) -> Result<Self, String> {
        let mut options = Options::default();
        let mut games = Vec::new();
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
                Some("--rounded") => options.rounded = true,
                _ => {
                    return Err(format!(
                        "{}: cross-check syzygy takes --game NAME and --table MATERIAL (several times), --positions N and \
                         --rounded",
                        arg.display()
                    ));
                }
            }
        }
        if !games.is_empty() {
            options.games = games;
        }
        match options.games.len() > 1 && !options.tables.is_empty() {
            true => Err("--table needs the game that has it: --game fide, say".into()),
            false => Ok(options),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Options;
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
        check_options(&["--table", "KBBvKN"], Err("--table needs the game"));
        check_options(
            &["--game", "checkers"],
            Err("there is no game checkers to compare; there are fide, atomic"),
        );
        check_options(&["--table"], Err("--table wants a value"));
        check_options(&["--positions", "many"], Err("many is no number of positions"));
        check_options(&["--fast"], Err("--fast: cross-check syzygy takes"));
    }
}
