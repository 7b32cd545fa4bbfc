//! `uci` and `xboard`: play from the tables, as an engine of a chess program.

mod args;

pub(crate) use args::PlayArgs;

use crate::console::Console;
use crate::game::Game;
use crate::{Answer, Failure, Outcome};
use ::play::Player;
use std::io::{self, BufRead, Write};
use std::path::PathBuf;

pub(crate) fn uci(console: &mut Console<'_>, args: &PlayArgs) -> Outcome {
    run(console, args, ::play::uci)
}

pub(crate) fn xboard(console: &mut Console<'_>, args: &PlayArgs) -> Outcome {
    run(console, args, ::play::xboard)
}

fn run(
    console: &mut Console<'_>,
    args: &PlayArgs,
    speak: fn(&mut Player, Box<dyn BufRead + Send>, &mut dyn Write) -> io::Result<()>,
) -> Outcome {
    let given = args.variant.iter().map(|path| Game::load(path).map(|game| game.variant));
    let given = given.collect::<Result<Vec<_>, Failure>>()?;
    let folder = match &args.tables {
        Some(folder) => Some(folder.clone()),
        None => Some(PathBuf::from("tables")).filter(|folder| folder.is_dir()),
    };
    let player = Player::new(folder.as_deref(), given, args.asking.cache_bytes(), args.asking.bound());
    let mut player = player.map_err(Failure::new)?;
    speak(&mut player, console.input.taken(), &mut console.out)?;
    Ok(Answer::Yes)
}
