//! `uci` and `xboard`: play from the tables, as an engine of a chess program.

use crate::args::Asking;
use crate::game::folders_of_games;
use crate::{Console, Game, Outcome};
use ::play::Player;
use std::io::{self, BufRead, Write};
use std::path::PathBuf;

/// Play as a chess engine, from tables
#[derive(clap::Args, Debug)]
pub(crate) struct PlayArgs {
    /// The folder of tables, of one game or with a folder for each; given several times, from each what
    /// those before have not [default: where solve writes]
    #[arg(long, value_name = "DIR")]
    pub(crate) tables: Vec<PathBuf>,
    /// The rules of a game without tables; the first one given is played unless another is asked for
    #[arg(long, value_name = "FILE")]
    pub(crate) variant: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) asking: Asking,
}

pub(crate) fn uci(console: &mut Console<'_>, args: &PlayArgs) -> Outcome<()> {
    run(console, args, ::play::uci)
}

pub(crate) fn xboard(console: &mut Console<'_>, args: &PlayArgs) -> Outcome<()> {
    run(console, args, ::play::xboard)
}

fn run(
    console: &mut Console<'_>,
    args: &PlayArgs,
    speak: fn(&mut Player, Box<dyn BufRead + Send>, &mut dyn Write) -> io::Result<()>,
) -> Outcome<()> {
    let given = args.variant.iter().map(|path| Game::open(path).map(|game| game.variant));
    let given = given.collect::<Outcome<Vec<_>>>()?;
    let (cache_bytes, bound) = (args.asking.cache_bytes(), args.asking.bound());
    let mut player = Player::new(folders_of_games(console, &args.tables)?, given, cache_bytes, bound)?;
    speak(&mut player, console.input.taken(), &mut console.out)?;
    Ok(())
}
