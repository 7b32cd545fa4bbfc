//! Runs a dialogue: reads commands line by line, hands each to a protocol, and has positions thought about
//! beside that.
//!
//! ```text
//!   input ── reader ────┐
//!                       ├─ events ─► speaker (player, protocol, output)
//!   thinker ── Thought ─┘                │
//!      ▲──────────── Question ───────────┘
//! ```
//!
//! A table that has to be solved takes seconds, and meanwhile programs ask whether the engine is alive, want
//! its move now, or quit. So each question has a thread of its own, and whoever reads is never the one who
//! thinks. Commands are obeyed in the order of their lines. While a question is open they wait for its
//! answer, but for those that a protocol calls urgent. The player and the output belong to one thread, the
//! speaker.

use crate::player::{Player, Question, Thought};
use std::collections::VecDeque;
use std::io::{self, BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{self, Scope};

/// A line of a protocol: `setboard 8/8/…`.
pub(crate) struct Command<'a> {
    /// The whole line, without its end.
    pub(crate) line: &'a str,
    /// Its first word: what to do.
    pub(crate) word: &'a str,
    /// What stands behind that.
    pub(crate) rest: &'a str,
}

/// When a command is obeyed that comes while a question is open.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Urgency {
    /// After the answer.
    InTurn,
    /// Before the answer, which it has nothing to do with.
    AtOnce,
    /// The answer is wanted now, and the command is obeyed after it.
    Stops,
    /// The answer is not wanted any more.
    Drops,
}

/// How an engine is spoken to.
pub(crate) trait Protocol: Send {
    /// When a command of this word is obeyed.
    fn urgency(word: &str) -> Urgency;

    /// Obeys a command; the position to think about, if it asks for a move.
    ///
    /// # Errors
    /// Nobody reads the output.
    fn obey(
        &mut self,
        player: &mut Player,
        command: &Command<'_>,
        out: &mut dyn Write,
    ) -> io::Result<Option<Question>>;

    /// Answers with what the last question has led to.
    ///
    /// # Errors
    /// Nobody reads the output.
    fn answer(&mut self, player: &mut Player, thought: Thought, out: &mut dyn Write) -> io::Result<()>;
}

enum Event {
    Line(String),
    /// The input has ended.
    End,
    Thought(thread::Result<Thought>),
}

impl<'a> Command<'a> {
    fn new(line: &'a str) -> Self {
        let line = line.trim();
        let (word, rest) =
            line.split_once(char::is_whitespace).map_or((line, ""), |(word, rest)| (word, rest.trim()));
        Command { line, word, rest }
    }

    /// Whether the dialogue is over; both protocols have this word for it.
    fn is_last(&self) -> bool {
        self.word == "quit"
    }
}

/// Obeys each command until `quit` or the end of the input. What was written is sent off after each.
///
/// # Errors
/// The input cannot be read, or nobody reads the output.
pub(crate) fn converse<P: Protocol>(
    player: &mut Player,
    protocol: P,
    input: &mut dyn BufRead,
    out: &mut (dyn Write + Send),
) -> io::Result<()> {
    let (sender, events) = mpsc::channel();
    thread::scope(|scope| {
        let thoughts = sender.clone();
        let speaker = scope.spawn(move || {
            let done = Speaker { player: &mut *player, protocol, thoughts, scope }.run(&events, out);
            player.stop(true);
            done
        });
        let read = read(input, &sender);
        let spoken = speaker.join().unwrap_or_else(|panic| resume_unwind(panic));
        read.and(spoken)
    })
}

/// Sends the lines of the input until the last command or the end of the input.
fn read(input: &mut dyn BufRead, events: &Sender<Event>) -> io::Result<()> {
    let mut bytes = Vec::new();
    let read = loop {
        bytes.clear();
        match input.read_until(b'\n', &mut bytes) {
            Ok(0) => break Ok(()),
            Ok(_) => {}
            Err(error) => break Err(error),
        }
        // The path of a folder may have any bytes; what is no UTF-8 is no command, and no end either.
        let line = String::from_utf8_lossy(&bytes).into_owned();
        let is_last = Command::new(&line).is_last();
        if events.send(Event::Line(line)).is_err() || is_last {
            return Ok(());
        }
    };
    // A speaker that has gone needs no end.
    drop(events.send(Event::End));
    read
}

struct Speaker<'scope, 'env, 'player, P> {
    player: &'player mut Player,
    protocol: P,
    thoughts: Sender<Event>,
    scope: &'scope Scope<'scope, 'env>,
}

impl<P: Protocol> Speaker<'_, '_, '_, P> {
    fn run(mut self, events: &Receiver<Event>, out: &mut dyn Write) -> io::Result<()> {
        let mut waiting: VecDeque<String> = VecDeque::new();
        let (mut is_thinking, mut is_wanted, mut is_quitting, mut has_ended) = (false, true, false, false);
        loop {
            if !is_thinking && let Some(line) = waiting.pop_front() {
                let command = Command::new(&line);
                if command.is_last() {
                    return Ok(());
                }
                if let Some(question) = self.protocol.obey(self.player, &command, out)? {
                    self.player.stop(is_quitting);
                    self.think(question);
                    (is_thinking, is_wanted) = (true, true);
                }
                out.flush()?;
                continue;
            }
            if !is_thinking && has_ended {
                return Ok(());
            }
            // Whoever sends has a sender, and this thread has one too.
            let Ok(event) = events.recv() else { return Ok(()) };
            match event {
                Event::Line(line) => {
                    let command = Command::new(&line);
                    is_quitting |= command.is_last();
                    let urgency = if is_quitting { Urgency::Stops } else { P::urgency(command.word) };
                    match urgency {
                        Urgency::AtOnce => {
                            self.protocol.obey(self.player, &command, out)?;
                            out.flush()?;
                            continue;
                        }
                        Urgency::InTurn => {}
                        Urgency::Stops | Urgency::Drops => {
                            self.player.stop(true);
                            is_wanted &= urgency == Urgency::Stops;
                        }
                    }
                    waiting.push_back(line);
                }
                Event::End => has_ended = true,
                Event::Thought(thought) => {
                    is_thinking = false;
                    let thought = thought.unwrap_or_else(|panic| resume_unwind(panic));
                    if is_wanted {
                        self.protocol.answer(self.player, thought, out)?;
                        out.flush()?;
                    }
                }
            }
        }
    }

    /// Has a thread of its own think about a question.
    fn think(&self, question: Question) {
        let thoughts = self.thoughts.clone();
        self.scope.spawn(move || {
            let thought = catch_unwind(AssertUnwindSafe(|| question.think()));
            // A speaker that has gone needs no answer.
            drop(thoughts.send(Event::Thought(thought)));
        });
    }
}
