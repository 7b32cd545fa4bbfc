//! Speaks CECP, the protocol of XBoard: reads commands line by line, and moves when it is its turn.
//!
//! Source: the description of the chess engine communication protocol, version 2, by T. Mann and
//! H. G. Muller.

use crate::choice::Choice;
use crate::dialogue::{Command, converse};
use crate::move_rating::Rated;
use crate::player::{CHESS, PlayError, Player};
use crate::setup;
use crate::uci::line_from;
use crate::{NAME, describe};
use std::io::{self, BufRead, Write};
use variant::Side;

/// Scores of mates begin here: 100,000 and the number of moves.
const MATE: i32 = 100_000;

/// Plays until `quit` or the end of the input.
///
/// # Errors
/// The input cannot be read, or nobody reads the output.
pub fn xboard(player: &mut Player, input: &mut dyn BufRead, out: &mut dyn Write) -> io::Result<()> {
    let mut state = State { plays: Some(Side::Black), is_posting: false, shown_fault: None };
    converse(input, out, |line, out| command(player, &mut state, line, out))
}

struct State {
    /// The side that the engine plays; none after `force`.
    plays: Option<Side>,
    /// Whether to show what a move relies on.
    is_posting: bool,
    /// The last fault of a table that was shown; each is shown once.
    shown_fault: Option<String>,
}

fn command(
    player: &mut Player,
    state: &mut State,
    command: &Command<'_>,
    out: &mut dyn Write,
) -> io::Result<bool> {
    let Command { line, word, rest } = *command;
    match word {
        "protover" => {
            let names: Vec<&str> = player.names().map(setup::xboard_name).collect();
            writeln!(
                out,
                "feature myname=\"{NAME}\" ping=1 setboard=1 usermove=1 playother=1 colors=0 sigint=0 sigterm=0 \
                 san=0 analyze=0 reuse=1 variants=\"{}\"",
                names.join(",")
            )?;
            writeln!(out, "feature option=\"TablePath -path \"\nfeature done=1")?;
        }
        "new" => {
            let done = if player.game() == CHESS { player.set_start() } else { player.set_game(CHESS) };
            tell(done, line, out)?;
            state.plays = Some(Side::Black);
        }
        "variant" => match player.set_game(rest) {
            Ok(()) if !setup::is_known(player.game()) => {
                player.set_any();
                let fen = player.position().to_fen(player.tables().book());
                out.write_all(setup::commands(player.tables().variant(), &fen).as_bytes())?;
            }
            done => tell(done, line, out)?,
        },
        "setboard" => tell(player.set_fen(rest), line, out)?,
        "option" => {
            if let Some(path) = rest.strip_prefix("TablePath=") {
                let folder = Some(path.trim()).filter(|path| !path.is_empty()).map(std::path::Path::new);
                tell(player.set_folder(folder), line, out)?;
            }
        }
        "force" => state.plays = None,
        "go" => {
            state.plays = Some(player.position().stm());
            answer(player, state, out)?;
        }
        "playother" => state.plays = Some(!player.position().stm()),
        "usermove" => match player.play(rest) {
            Ok(()) => answer(player, state, out)?,
            Err(error) => writeln!(out, "Illegal move ({}): {rest}", short(&error))?,
        },
        "undo" => player.take_back(),
        "remove" => {
            player.take_back();
            player.take_back();
        }
        "ping" => writeln!(out, "pong {rest}")?,
        "post" => state.is_posting = true,
        "nopost" => state.is_posting = false,
        "result" => state.plays = None,
        "?" => {}
        "quit" => return Ok(false),
        "xboard" | "accepted" | "rejected" | "random" | "hard" | "easy" | "computer" | "level" | "st"
        | "sd" | "time" | "otim" | "name" | "rating" | "ics" | "draw" | "memory" | "cores" | "egtpath"
        | "hint" | "bk" | "" => {}
        _ => writeln!(out, "Error (unknown command): {line}")?,
    }
    Ok(true)
}

fn tell(done: Result<(), PlayError>, line: &str, out: &mut dyn Write) -> io::Result<()> {
    match done {
        Ok(()) => Ok(()),
        Err(error) => writeln!(out, "tellusererror {}\nError ({}): {line}", short(&error), short(&error)),
    }
}

fn short(error: &PlayError) -> String {
    plain(&error.to_string())
}

fn plain(text: &str) -> String {
    text.replace(|c: char| c.is_control() || c == '(' || c == ')', " ")
}

/// Moves, if it is the engine's turn.
fn answer(player: &mut Player, state: &mut State, out: &mut dyn Write) -> io::Result<()> {
    let book = player.tables().book();
    if player.position().ending(book).is_some() {
        return tell_end(player, out);
    }
    if state.plays != Some(player.position().stm()) {
        return Ok(());
    }
    let choice = player.choose();
    if let Some(fault) = choice.fault.as_ref().filter(|&fault| state.shown_fault.as_ref() != Some(fault)) {
        // A game has to go on; the rules still say which moves there are.
        writeln!(out, "tellusererror {}", plain(fault))?;
        state.shown_fault = Some(fault.clone());
    }
    let Some(best) = choice.moves.first() else { return Ok(()) };
    if state.is_posting {
        let line = [vec![best.uci.clone()], line_from(player, &choice, best)].concat();
        writeln!(out, "# {}", describe(&choice))?;
        writeln!(out, "{} {} 0 {} {}", line.len(), score(&choice, best), choice.moves.len(), line.join(" "))?;
    }
    let uci = best.uci.clone();
    match player.play(&uci) {
        Ok(()) => writeln!(out, "move {uci}")?,
        Err(error) => return writeln!(out, "tellusererror {}", short(&error)),
    }
    tell_end(player, out)
}

/// Says how the game has ended, if it has.
fn tell_end(player: &Player, out: &mut dyn Write) -> io::Result<()> {
    match player.position().ending(player.tables().book()).map(|ending| ending.winner) {
        Some(Some(Side::White)) => writeln!(out, "1-0 {{White wins}}"),
        Some(Some(Side::Black)) => writeln!(out, "0-1 {{Black wins}}"),
        Some(None) => writeln!(out, "1/2-1/2 {{Draw}}"),
        None => Ok(()),
    }
}

fn score(choice: &Choice, rated: &Rated) -> i32 {
    match (rated.class, rated.plies_to_end.filter(|_| choice.for_mate)) {
        (None | Some(0), _) => 0,
        (Some(2), Some(plies)) => MATE + i32::from(plies.div_ceil(2)),
        (Some(-2), Some(plies)) => -MATE - i32::from(plies / 2),
        (Some(class), _) if class.abs() == 2 => 20_000 * i32::from(class.signum()),
        (Some(class), _) => i32::from(class),
    }
}
