//! Speaks UCI: reads commands line by line, and answers.
//!
//! Source: the description of the universal chess interface by R. Huber and S. Meyer-Kahlen, April 2006;
//! `UCI_Variant` as Fairy-Stockfish has it.

use crate::choice::{Basis, Choice};
use crate::dialogue::{Command, converse};
use crate::move_rating::Rated;
use crate::player::{PlayError, Player};
use crate::{NAME, describe};
use std::io::{self, BufRead, Write};
use std::path::PathBuf;
use variant::Metric;

/// The most lines that somebody may ask for; no position has more moves.
const MAX_LINES: usize = 256;

/// The score of a win whose distance to mate is not known; the plies that are known are taken from it.
const WIN_CENTIPAWNS: i32 = 20_000;

/// Plays until `quit` or the end of the input.
///
/// # Errors
/// The input cannot be read, or nobody reads the output.
pub fn uci(player: &mut Player, input: &mut dyn BufRead, out: &mut dyn Write) -> io::Result<()> {
    let mut state = State { n_lines: 1, ..State::default() };
    converse(input, out, |line, out| command(player, &mut state, line, out))
}

#[derive(Default)]
struct State {
    /// How many lines to show.
    n_lines: usize,
    /// The answer to `go infinite` or `go ponder`, which waits for `stop`.
    held: Option<String>,
    /// Why the last position was refused, if it was: then nobody knows which position to move in.
    refused: Option<String>,
    /// The folders of `TablePath` and of `SyzygyPath`; the first one that is set holds.
    folders: [Option<PathBuf>; 2],
}

fn command(
    player: &mut Player,
    state: &mut State,
    line: &Command<'_>,
    out: &mut dyn Write,
) -> io::Result<bool> {
    let Command { word, rest, .. } = *line;
    match word {
        "uci" => {
            writeln!(out, "id name {NAME}\nid author the authors of Tablesmith")?;
            write!(out, "option name UCI_Variant type combo default {}", player.game())?;
            for name in player.names() {
                write!(out, " var {name}")?;
            }
            writeln!(out)?;
            // Nothing is computed ahead; programs send `go ponder` only to engines that know the word.
            writeln!(out, "option name Ponder type check default false")?;
            writeln!(out, "option name MultiPV type spin default 1 min 1 max {MAX_LINES}")?;
            writeln!(out, "option name TablePath type string default <empty>")?;
            writeln!(out, "option name SyzygyPath type string default <empty>")?;
            writeln!(out, "option name Solve type check default {}", player.tables().solves())?;
            writeln!(out, "uciok")?;
        }
        "isready" => writeln!(out, "readyok")?,
        "setoption" => tell(set_option(player, state, rest), out)?,
        "position" => {
            state.held = None;
            let done = set_position(player, rest);
            state.refused = done.as_ref().err().map(|error| one_line(&error.to_string()));
            tell(done, out)?;
        }
        "go" => {
            let answer = go(player, state, rest, out)?;
            let waits = rest.split_whitespace().any(|word| matches!(word, "infinite" | "ponder"));
            if waits {
                state.held = Some(answer);
            } else {
                writeln!(out, "{answer}")?;
            }
        }
        "stop" | "ponderhit" => {
            if let Some(answer) = state.held.take() {
                writeln!(out, "{answer}")?;
            }
        }
        "quit" => return Ok(false),
        "d" => writeln!(out, "info string {}", player.position().to_fen(player.tables().book()))?,
        // `ucinewgame`, `debug`, `register` and what nobody knows change nothing.
        _ => {}
    }
    Ok(true)
}

/// Reports what went wrong, which the protocol has no other place for.
fn tell(done: Result<(), PlayError>, out: &mut dyn Write) -> io::Result<()> {
    match done {
        Ok(()) => Ok(()),
        Err(error) => writeln!(out, "info string error: {}", one_line(&error.to_string())),
    }
}

fn one_line(text: &str) -> String {
    text.replace(|c: char| c.is_control(), " ")
}

fn set_option(player: &mut Player, state: &mut State, rest: &str) -> Result<(), PlayError> {
    let rest = rest.strip_prefix("name").unwrap_or(rest).trim();
    let (name, value) =
        rest.split_once(" value").map_or((rest, ""), |(name, value)| (name.trim(), value.trim()));
    match name.to_ascii_lowercase().as_str() {
        "uci_variant" => player.set_game(value),
        "multipv" => {
            state.n_lines = value.parse().unwrap_or(1).clamp(1, MAX_LINES);
            Ok(())
        }
        "tablepath" => set_folder(player, state, 0, value),
        "syzygypath" => set_folder(player, state, 1, value),
        "solve" => player.set_solving(value == "true"),
        _ => Ok(()),
    }
}

/// Takes over a folder of tables; an empty one is that of the other option, or that of the start.
fn set_folder(player: &mut Player, state: &mut State, place: usize, value: &str) -> Result<(), PlayError> {
    let mut folders = state.folders.clone();
    folders[place] = Some(PathBuf::from(value)).filter(|_| !value.is_empty() && value != "<empty>");
    if folders == state.folders {
        return Ok(());
    }
    player.set_folder(folders.iter().flatten().next().map(PathBuf::as_path))?;
    state.folders = folders;
    Ok(())
}

fn set_position(player: &mut Player, rest: &str) -> Result<(), PlayError> {
    let (place, moves) = rest.split_once("moves").unwrap_or((rest, ""));
    match place.trim().strip_prefix("fen") {
        Some(fen) => player.set_fen(fen.trim())?,
        None => player.set_start()?,
    }
    moves.split_whitespace().try_for_each(|uci| player.play(uci))
}

/// Shows the best lines; the answer.
fn go(player: &Player, state: &State, rest: &str, out: &mut dyn Write) -> io::Result<String> {
    let wanted: Vec<&str> = match rest.split_once("searchmoves") {
        Some((_, moves)) => moves.split_whitespace().collect(),
        None => Vec::new(),
    };
    if let Some(refused) = &state.refused {
        writeln!(out, "info string error: there is no position to move in: {refused}")?;
        return Ok("bestmove 0000".into());
    }
    let mut choice = player.choose();
    if let Some(fault) = &choice.fault {
        writeln!(out, "info string error: {}", one_line(fault))?;
    }
    if choice.moves.iter().any(|rated| wanted.contains(&rated.uci.as_str())) {
        choice.moves.retain(|rated| wanted.contains(&rated.uci.as_str()));
    }
    writeln!(out, "info string {}", describe(&choice))?;
    for (i, rated) in choice.moves.iter().take(state.n_lines).enumerate() {
        let score = score(&choice, rated);
        let line = [vec![rated.uci.clone()], line_from(player, &choice, rated)].concat();
        writeln!(
            out,
            "info depth {} multipv {} score {score} nodes {} pv {}",
            line.len(),
            i + 1,
            choice.moves.len(),
            line.join(" ")
        )?;
    }
    let best = choice.moves.first().map_or("0000", |rated| &rated.uci);
    Ok(format!("bestmove {best}"))
}

/// How the game goes on behind a move.
pub(crate) fn line_from(player: &Player, choice: &Choice, rated: &Rated) -> Vec<String> {
    let (Basis::Tables(metrics, _) | Basis::Partly(metrics, _)) = &choice.basis else { return Vec::new() };
    let for_mate = metrics.iter().copied().find(|&metric| choice.for_mate && metric == Metric::Dtm);
    let metric = for_mate.or(metrics.first().copied());
    let answered = player.tables().ask(&rated.next, metric, |tables| {
        let line = tables.main_line(&rated.next)?;
        Ok((line.moves, None))
    });
    let moves = answered.map(|answered| answered.answer).unwrap_or_default();
    moves.into_iter().map(|rated| rated.uci).collect()
}

fn score(choice: &Choice, rated: &Rated) -> String {
    // A mate that comes after the n-move rule is not the one that is played for.
    match (rated.class, rated.plies_to_end.filter(|_| choice.for_mate)) {
        (None, _) | (Some(0), _) => "cp 0".into(),
        (Some(2), Some(plies)) => format!("mate {}", plies.div_ceil(2)),
        (Some(-2), Some(plies)) => format!("mate -{}", plies / 2),
        (Some(class), _) => {
            let plies = i32::from(rated.plies_to_stop.unwrap_or(0)).min(WIN_CENTIPAWNS / 2);
            // A win that the n-move rule spoils is next to a draw.
            let size = if class.abs() == 2 { WIN_CENTIPAWNS - plies } else { 1 };
            let size = if choice.basis == Basis::ResultsOnly { WIN_CENTIPAWNS / 2 } else { size };
            format!("cp {}", size * i32::from(class.signum()))
        }
    }
}
