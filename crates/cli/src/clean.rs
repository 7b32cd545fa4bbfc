//! `clean`: removes the logs and slices of interrupted runs that no run will use.

use crate::{Console, Failure, Game, Outcome, bytes, plural};
use build::{FolderLock, ScratchUse, scratch_files};
use std::path::PathBuf;

/// Remove what interrupted runs have left behind and no run will use
#[derive(clap::Args, Debug)]
pub(crate) struct CleanArgs {
    /// The rules of the game: a file, or the name of a game that is built in, such as fide
    pub(crate) variant: PathBuf,
    /// Where the tables are [default: where solve writes]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Where logs and slices are [default: beside the tables]
    #[arg(long, value_name = "DIR")]
    pub(crate) scratch: Option<PathBuf>,
    /// Also what a run would go on with
    #[arg(long)]
    pub(crate) all: bool,
}

pub(crate) fn run(console: &mut Console<'_>, args: &CleanArgs) -> Outcome<()> {
    let game = Game::open(&args.variant)?;
    let tables = game.tables(console, args.out.as_deref());
    let folder = args.scratch.as_deref().unwrap_or(&tables);
    Failure::of_absent(&tables)?;
    Failure::of_absent(folder)?;
    // No other process solves meanwhile.
    let lock = FolderLock::new(&tables)?;
    let (mut n_removed, mut freed_bytes) = (0, 0);
    for file in scratch_files(&game.variant, &tables, folder)? {
        let why = match file.usage {
            ScratchUse::Awaited => "the next run goes on with it",
            ScratchUse::Done => "its table is there",
            ScratchUse::Outdated => "it is of other rules, another version or other tables",
            ScratchUse::Unknown => "a table that its table needs is not there to compare it with",
            _ => "nobody knows what it is",
        };
        let (path, size) = (file.path.display(), bytes(file.size_bytes));
        if args.all || file.usage.is_none() {
            file.remove(&lock)?;
            (n_removed, freed_bytes) = (n_removed + 1, freed_bytes + file.size_bytes);
            writeln!(console.out, "removed {path} ({size}): {why}")?;
        } else {
            writeln!(console.out, "kept {path} ({size}): {why}")?;
        }
    }
    Ok(writeln!(console.out, "{} removed, {}", plural(n_removed, "file"), bytes(freed_bytes))?)
}
