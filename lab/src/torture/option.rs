//! Reads the arguments of `cargo xtask lab torture`.

use super::disk::Room;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// The usage of the command.
const USAGE: &str = "torture takes --seconds N, --rounds N, --first N, --seed N, --dir DIR, --short, \
                     --disk tmpfs and --disk ulimit";

/// The seconds of a run that is not limited otherwise.
const SECONDS: u64 = 600;

/// How long, and what.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// The time of the attacks; what is attacked is made before.
    pub seconds: Option<u64>,
    /// The number of rounds.
    pub rounds: Option<u64>,
    /// The number of the first round.
    pub first: u64,
    /// What the rounds depend on.
    pub seed: u64,
    /// Where; what was found is kept there.
    pub folder: Option<PathBuf>,
    /// The way to a full disk, if not the best that there is.
    pub room: Option<Room>,
    /// Few games, metrics and formats.
    pub is_short: bool,
}

impl Options {
    /// Reads the arguments.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn parse(args: &[OsString]) -> Result<Self, String> {
        let mut options = Options {
            seconds: None,
            rounds: None,
            first: 0,
            seed: 1,
            folder: None,
            room: None,
            is_short: false,
        };
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let name = arg.to_str().unwrap_or_default();
            if name == "--short" {
                options.is_short = true;
                continue;
            }
            if !["--seconds", "--rounds", "--first", "--seed", "--dir", "--disk"].contains(&name) {
                return Err(format!("{}: {USAGE}", arg.display()));
            }
            let value = args.next().ok_or_else(|| format!("{name} needs a value: {USAGE}"))?;
            let number = || {
                let number = value.to_str().and_then(|text| text.parse::<u64>().ok());
                number.ok_or_else(|| format!("{name} needs a number, not `{}`", value.display()))
            };
            match name {
                "--seconds" => options.seconds = Some(number()?),
                "--rounds" => options.rounds = Some(number()?),
                "--first" => options.first = number()?,
                "--seed" => options.seed = number()?,
                "--dir" => options.folder = Some(value.into()),
                _ => {
                    options.room = Some(match value.to_str() {
                        Some("tmpfs") => Room::Mounted,
                        Some("ulimit") => Room::Limited,
                        _ => return Err(format!("--disk {}: {USAGE}", value.display())),
                    });
                }
            }
        }
        if options.rounds.is_none() {
            options.seconds = options.seconds.or(Some(SECONDS));
        }
        Ok(options)
    }

    /// Whether this round is not to be begun any more.
    pub(super) fn is_over(&self, round: u64, time: Duration) -> bool {
        let is_late = self.seconds.is_some_and(|seconds| time >= Duration::from_secs(seconds));
        is_late || self.rounds.is_some_and(|rounds| round - self.first >= rounds)
    }
}

#[cfg(test)]
mod tests {
    use super::{Options, Room};

    #[test]
    fn arguments_are_read() {
        let parse = |args: &[&str]| Options::parse(&args.iter().map(Into::into).collect::<Vec<_>>());
        assert_eq!(parse(&[]).unwrap().seconds, Some(600));
        let options =
            parse(&["--rounds", "3", "--first", "7", "--seed", "9", "--dir", "x", "--short"]).unwrap();
        assert_eq!((options.seconds, options.rounds, options.first, options.seed), (None, Some(3), 7, 9));
        assert!(options.is_short && options.folder == Some("x".into()) && options.room.is_none());
        assert!(!options.is_over(9, std::time::Duration::MAX) && options.is_over(10, Default::default()));
        assert_eq!(parse(&["--disk", "ulimit"]).unwrap().room, Some(Room::Limited));
        assert!(
            parse(&["--disk", "floppy"]).unwrap_err().contains("--disk floppy: torture takes --seconds N")
        );
        assert!(parse(&["--seed", "x"]).unwrap_err().contains("--seed needs a number, not `x`"));
        assert!(parse(&["--seed"]).unwrap_err().contains("--seed needs a value"));
        assert!(parse(&["--force"]).unwrap_err().contains("--force: torture takes"));
    }
}
