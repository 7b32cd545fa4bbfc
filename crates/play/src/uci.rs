//! Speaks UCI: reads commands line by line, and answers.
//!
//! Source: the description of the universal chess interface by R. Huber and S. Meyer-Kahlen, April 2006;
//! `UCI_Variant` as Fairy-Stockfish has it; the end of a game as Stockfish has it.

use crate::choice::{Basis, Choice};
use crate::describe;
use crate::dialogue::{Command, Protocol, Urgency, converse};
use crate::move_rating::Rated;
use crate::player::{PlayError, Player, Question, Thought};
use library::{PROGRAM, end_sentence, split_folders};
use position::Ending;
use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};
use variant::Side;

/// The most lines that a program may ask for; no position has more moves.
const MAX_LINES: usize = 256;

/// The score of a win whose distance to mate is not known; the plies that are known are taken from it.
const WIN_CENTIPAWNS: i32 = 20_000;

/// The answer where there is no move to make. Stockfish has these words for mate and for stalemate; others
/// have `0000`, which some programs take for a pass.
const NO_MOVE: &str = "bestmove (none)";

/// Plays until `quit` or the end of the input.
///
/// # Errors
/// The input cannot be read, or the output has no reader.
pub fn uci(player: &mut Player, input: Box<dyn BufRead + Send>, out: &mut dyn Write) -> io::Result<()> {
    let state = State { n_lines: 1, ..State::default() };
    converse(player, state, input, out)
}

#[derive(Default)]
struct State {
    /// How many lines to show.
    n_lines: usize,
    /// Whether the answer to the last `go` waits for `stop`.
    waits: bool,
    /// The answer to `go infinite` or `go ponder`, which waits for `stop`.
    held: Option<String>,
    /// The values of `TablePath` and of `SyzygyPath`; the first one that is set holds.
    paths: [String; 2],
    /// The folders that were last taken over from them; none are those of the start.
    folders: Vec<PathBuf>,
}

impl Protocol for State {
    fn urgency(word: &str) -> Urgency {
        match word {
            "isready" => Urgency::AtOnce,
            "stop" => Urgency::Stops,
            _ => Urgency::InTurn,
        }
    }

    fn obey(
        &mut self,
        player: &mut Player,
        command: &Command<'_>,
        out: &mut dyn Write,
    ) -> io::Result<Option<Question>> {
        let Command { word, rest, .. } = *command;
        match word {
            "uci" => {
                writeln!(out, "id name {PROGRAM}\nid author the authors of Tablesmith")?;
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
                writeln!(out, "option name UCI_Chess960 type check default {}", player.is_chess960())?;
                writeln!(out, "option name Solve type check default {}", player.tables().solves())?;
                writeln!(out, "uciok")?;
            }
            "isready" => writeln!(out, "readyok")?,
            "setoption" => set_option(player, self, rest, out)?,
            "position" => {
                self.held = None;
                tell(set_position(player, rest), out)?;
            }
            "go" => {
                self.held = None;
                self.waits = rest.split_whitespace().any(|word| matches!(word, "infinite" | "ponder"));
                if let Some(answer) = known_answer(player, out)? {
                    self.give(answer, out)?;
                    return Ok(None);
                }
                let wanted = rest.split_once("searchmoves").map_or("", |(_, moves)| moves);
                let only = wanted.split_whitespace().map(str::to_owned).collect();
                return Ok(Some(player.question(self.n_lines, only)));
            }
            "stop" | "ponderhit" => {
                if let Some(answer) = self.held.take() {
                    writeln!(out, "{answer}")?;
                }
            }
            "d" => writeln!(out, "info string {}", player.position().to_fen(player.tables().book()))?,
            // `ucinewgame`, `debug`, `register` and unknown commands change nothing.
            _ => {}
        }
        Ok(None)
    }

    fn refuse(&mut self, why: &str, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "info string error: {why}")
    }

    fn answer(&mut self, _: &mut Player, thought: Thought, out: &mut dyn Write) -> io::Result<()> {
        // The best lines, then the answer.
        let Thought { choice, lines } = &thought;
        if let Some(fault) = &choice.fault {
            writeln!(out, "info string error: {}", one_line(fault))?;
        }
        writeln!(out, "info string {}", describe(choice))?;
        for (i, (rated, line)) in choice.moves.iter().zip(lines).enumerate() {
            let (score, n_moves) = (score(choice, rated), choice.moves.len());
            writeln!(
                out,
                "info depth {} multipv {} score {score} nodes {n_moves} pv {}",
                line.len(),
                i + 1,
                line.join(" ")
            )?;
        }
        let best = choice.moves.first();
        let answer = best.map_or_else(|| NO_MOVE.into(), |rated| format!("bestmove {}", rated.uci));
        self.give(answer, out)
    }
}

impl State {
    /// Gives the answer to `go`, or holds it back until `stop`.
    fn give(&mut self, answer: String, out: &mut dyn Write) -> io::Result<()> {
        if self.waits {
            self.held = Some(answer);
            return Ok(());
        }
        writeln!(out, "{answer}")
    }
}

/// The answer where there is nothing to think about: no position, or a game that is over.
fn known_answer(player: &Player, out: &mut dyn Write) -> io::Result<Option<String>> {
    if let Err(refused) = player.check_position() {
        tell(Err(refused), out)?;
        return Ok(Some(NO_MOVE.into()));
    }
    let stm = player.position().stm();
    let Some(ending) = player.position().ending(player.tables().book()) else { return Ok(None) };
    writeln!(out, "info string {}", end_sentence(ending, stm))?;
    writeln!(out, "info depth 0 score {}", end_score(ending, stm))?;
    Ok(Some(NO_MOVE.into()))
}

/// The score of a game that is over. Programs read a mate in no move as one's own, so a side that has won
/// without a move to make has a win whose distance is not known.
fn end_score(ending: Ending, stm: Side) -> String {
    match ending.winner {
        None => "cp 0".into(),
        Some(winner) if winner == stm => format!("cp {WIN_CENTIPAWNS}"),
        Some(_) => "mate 0".into(),
    }
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

fn set_option(player: &mut Player, state: &mut State, rest: &str, out: &mut dyn Write) -> io::Result<()> {
    let rest = rest.strip_prefix("name").unwrap_or(rest).trim();
    let (name, value) =
        rest.split_once(" value").map_or((rest, ""), |(name, value)| (name.trim(), value.trim()));
    let done = match name.to_ascii_lowercase().as_str() {
        "uci_variant" => player.set_game(value),
        "uci_chess960" => player.set_chess960(value == "true"),
        "multipv" => {
            state.n_lines = value.parse().unwrap_or(1).clamp(1, MAX_LINES);
            Ok(())
        }
        "tablepath" => return set_path(player, state, 0, value, out),
        "syzygypath" => return set_path(player, state, 1, value, out),
        "solve" => player.set_solving(value == "true"),
        _ => Ok(()),
    };
    tell(done, out)
}

/// Takes over the folders of an option; where it names none, those of the other option or of the start. A
/// folder of the option that is not there is reported, and the others are used.
fn set_path(
    player: &mut Player,
    state: &mut State,
    place: usize,
    value: &str,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut paths = state.paths.clone();
    paths[place] = Some(value).filter(|&value| value != "<empty>").unwrap_or_default().into();
    if paths == state.paths {
        return Ok(());
    }
    let (named, absent) = folders_of(&paths[place]);
    for folder in &absent {
        writeln!(out, "info string error: {}", one_line(&no_folder(folder)))?;
    }
    if named.is_empty() && !absent.is_empty() {
        return Ok(());
    }
    let (folders, _) = folders_of(paths.iter().find(|path| !path.is_empty()).map_or("", |path| path));
    let done = if folders == state.folders { Ok(()) } else { player.set_folders(&folders) };
    if done.is_ok() {
        (state.paths, state.folders) = (paths, folders);
    }
    tell(done, out)
}

/// That a folder is not there, and what to do.
pub(crate) fn no_folder(folder: &Path) -> String {
    format!(
        "there is no folder {}; give a folder of tables, as `tablesmith solve` makes them",
        folder.display()
    )
}

/// The folders of a path that are there, and those that are not.
pub(crate) fn folders_of(path: &str) -> (Vec<PathBuf>, Vec<PathBuf>) {
    split_folders(path).into_iter().partition(|folder| folder.is_dir())
}

fn set_position(player: &mut Player, rest: &str) -> Result<(), PlayError> {
    let (place, moves) = rest.split_once("moves").unwrap_or((rest, ""));
    player.set_line(place.trim().strip_prefix("fen").map(str::trim), moves.split_whitespace())
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
