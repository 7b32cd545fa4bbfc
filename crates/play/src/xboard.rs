//! Speaks CECP, the protocol of XBoard: reads commands line by line, and moves when it is its turn.
//!
//! Source: the description of the chess engine communication protocol, version 2, by T. Mann and
//! H. G. Muller.

use crate::choice::Choice;
use crate::describe;
use crate::dialogue::{Command, Protocol, Urgency, converse};
use crate::move_rating::Rated;
use crate::player::{CHESS, PlayError, Player, Question, Thought};
use crate::setup::{self, FISCHERANDOM};
use crate::uci::{folders_of, no_folder};
use library::{PROGRAM, end_sentence};
use position::Move;
use std::io::{self, BufRead, Write};
use variant::{Side, Wing};

/// Scores of mates begin here: 100,000 and the number of moves.
const MATE: i32 = 100_000;

/// Plays until `quit` or the end of the input.
///
/// # Errors
/// The input cannot be read, or the output has no reader.
pub fn xboard(player: &mut Player, input: Box<dyn BufRead + Send>, out: &mut dyn Write) -> io::Result<()> {
    let state = State { plays: Some(Side::Black), is_posting: false, shown_fault: None };
    converse(player, state, input, out)
}

struct State {
    /// The side that the engine plays; none after `force`.
    plays: Option<Side>,
    /// Whether to show what a move relies on.
    is_posting: bool,
    /// The last fault of a table that was shown; each is shown once.
    shown_fault: Option<String>,
}

impl Protocol for State {
    fn urgency(word: &str) -> Urgency {
        match word {
            "ping" => Urgency::AtOnce,
            "?" => Urgency::Stops,
            // A move would come too late.
            "force" | "new" | "result" => Urgency::Drops,
            _ => Urgency::InTurn,
        }
    }

    fn obey(
        &mut self,
        player: &mut Player,
        command: &Command<'_>,
        out: &mut dyn Write,
    ) -> io::Result<Option<Question>> {
        let Command { line, word, rest } = *command;
        match word {
            "protover" => {
                let mut names: Vec<&str> = player.names().map(setup::xboard_name).collect();
                if !names.contains(&FISCHERANDOM) {
                    names.push(FISCHERANDOM);
                }
                writeln!(
                    out,
                    "feature myname=\"{PROGRAM}\" ping=1 setboard=1 usermove=1 playother=1 colors=0 \
                     sigint=0 sigterm=0 san=0 analyze=0 reuse=1 variants=\"{}\"",
                    names.join(",")
                )?;
                writeln!(out, "feature option=\"TablePath -path \"\nfeature done=1")?;
            }
            "new" => {
                tell(set_game(player, CHESS), line, out)?;
                self.plays = Some(Side::Black);
            }
            "variant" => match set_game(player, rest) {
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
                    let (folders, absent) = folders_of(path.trim());
                    for folder in &absent {
                        writeln!(out, "tellusererror {}", plain(&no_folder(folder)))?;
                    }
                    if absent.is_empty() || !folders.is_empty() {
                        tell(player.set_folders(&folders), line, out)?;
                    }
                }
            }
            "force" => self.plays = None,
            "go" => {
                self.plays = Some(player.position().stm());
                if let Err(error) = player.check_position() {
                    tell(Err(error), line, out)?;
                } else {
                    return question(player, self, out);
                }
            }
            "playother" => self.plays = Some(!player.position().stm()),
            "usermove" => match player.play(&coordinates(player, rest)) {
                Ok(()) => return question(player, self, out),
                Err(error) => writeln!(out, "Illegal move ({}): {rest}", short(&error))?,
            },
            "undo" => player.take_back(),
            "remove" => {
                player.take_back();
                player.take_back();
            }
            "ping" => writeln!(out, "pong {rest}")?,
            "post" => self.is_posting = true,
            "nopost" => self.is_posting = false,
            "result" => self.plays = None,
            "?" => {}
            "xboard" | "accepted" | "rejected" | "random" | "hard" | "easy" | "computer" | "level" | "st"
            | "sd" | "time" | "otim" | "name" | "rating" | "ics" | "draw" | "memory" | "cores"
            | "egtpath" | "hint" | "bk" | "" => {}
            _ => writeln!(out, "Error (unknown command): {line}")?,
        }
        Ok(None)
    }

    fn refuse(&mut self, why: &str, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "tellusererror {why}")
    }

    fn answer(&mut self, player: &mut Player, thought: Thought, out: &mut dyn Write) -> io::Result<()> {
        let Thought { choice, lines } = &thought;
        if let Some(fault) = choice.fault.as_ref().filter(|&fault| self.shown_fault.as_ref() != Some(fault)) {
            // A game has to go on; the rules still say which moves there are.
            writeln!(out, "tellusererror {}", plain(fault))?;
            self.shown_fault = Some(fault.clone());
        }
        let Some(best) = choice.moves.first() else { return Ok(()) };
        if let [line, ..] = &lines[..] {
            writeln!(out, "# {}", describe(choice))?;
            writeln!(
                out,
                "{} {} 0 {} {}",
                line.len(),
                score(choice, best),
                choice.moves.len(),
                line.join(" ")
            )?;
        }
        let text = text(player, best);
        match player.play(&best.uci) {
            Ok(()) => writeln!(out, "move {text}")?,
            Err(error) => return writeln!(out, "tellusererror {}", short(&error)),
        }
        tell_end(player, out).map(drop)
    }
}

/// Plays a game by the name that XBoard has for it, from where it begins.
fn set_game(player: &mut Player, name: &str) -> Result<(), PlayError> {
    let is_chess960 = name == FISCHERANDOM;
    player.set_chess960(is_chess960)?;
    player.set_game(if is_chess960 { CHESS } else { name })
}

/// The coordinates of a move, which may be written as castling.
fn coordinates(player: &Player, text: &str) -> String {
    let wing = match text {
        "O-O" | "0-0" => Wing::Kingside,
        "O-O-O" | "0-0-0" => Wing::Queenside,
        _ => return text.into(),
    };
    let book = player.tables().book();
    let is_meant = |mv: &Move| mv.castling.is_some_and(|rook| rook.wing == wing);
    let castling = player.position().legal_moves(book).into_iter().find(is_meant);
    castling.map_or_else(|| text.into(), |mv| mv.uci(book))
}

/// A move as XBoard reads it: in coordinates, and castling in words where these do not tell how far the king
/// goes.
fn text(player: &Player, rated: &Rated) -> String {
    match rated.mv.castling.filter(|_| player.is_chess960()).map(|rook| rook.wing) {
        Some(Wing::Kingside) => "O-O".into(),
        Some(Wing::Queenside) => "O-O-O".into(),
        None => rated.uci.clone(),
    }
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

pub(crate) fn plain(text: &str) -> String {
    text.replace(|c: char| c.is_control() || c == '(' || c == ')', " ")
}

/// What to think about, if it is the engine's turn; the result, if the game is over.
fn question(player: &Player, state: &State, out: &mut dyn Write) -> io::Result<Option<Question>> {
    if tell_end(player, out)? || state.plays != Some(player.position().stm()) {
        return Ok(None);
    }
    Ok(Some(player.question(usize::from(state.is_posting), Vec::new())))
}

/// Says how the game has ended, if it has; whether it has.
fn tell_end(player: &Player, out: &mut dyn Write) -> io::Result<bool> {
    let position = player.position();
    let Some(ending) = position.ending(player.tables().book()) else { return Ok(false) };
    let result = match ending.winner {
        Some(Side::White) => "1-0",
        Some(Side::Black) => "0-1",
        None => "1/2-1/2",
    };
    writeln!(out, "{result} {{{}}}", end_sentence(ending, position.stm()))?;
    Ok(true)
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
