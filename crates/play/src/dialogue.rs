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
//! its move now, or quit. So each question has a thread of its own, and the input another. Commands are
//! obeyed in the order of their lines. While a question is open they wait for its answer, but for those that
//! a protocol calls urgent. The player and the output belong to the calling thread, the speaker. Where that
//! fails the dialogue is over at once; the reader is left behind, though it may wait for a line.

use crate::player::{Player, Question, Thought};
use std::collections::VecDeque;
use std::io::{self, BufRead, Read, Write};
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{self, Scope};

/// The longest line that is read; a longer one is refused.
///
/// Units: bytes.
const MAX_LINE_BYTES: u64 = 1 << 20;

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
pub(crate) trait Protocol {
    /// When a command of this word is obeyed.
    fn urgency(word: &str) -> Urgency;

    /// Obeys a command; the position to think about, if it asks for a move.
    ///
    /// # Errors
    /// The output has no reader.
    fn obey(
        &mut self,
        player: &mut Player,
        command: &Command<'_>,
        out: &mut dyn Write,
    ) -> io::Result<Option<Question>>;

    /// Reports a line that is not obeyed.
    ///
    /// # Errors
    /// The output is closed.
    fn refuse(&mut self, why: &str, out: &mut dyn Write) -> io::Result<()>;

    /// Answers with what the last question has led to.
    ///
    /// # Errors
    /// The output has no reader.
    fn answer(&mut self, player: &mut Player, thought: Thought, out: &mut dyn Write) -> io::Result<()>;
}

enum Event {
    Line(String),
    /// A line that is too long has been skipped.
    LongLine,
    /// The input has ended, or cannot be read.
    End(io::Result<()>),
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
/// The input cannot be read, or the output has no reader.
pub(crate) fn converse<P: Protocol>(
    player: &mut Player,
    protocol: P,
    mut input: Box<dyn BufRead + Send>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (thoughts, events) = mpsc::channel();
    let sender = thoughts.clone();
    thread::Builder::new().name("commands".into()).spawn(move || read(&mut *input, &sender))?;
    thread::scope(|scope| {
        let speaker = Speaker { player: &mut *player, protocol, thoughts, scope };
        let spoken = catch_unwind(AssertUnwindSafe(|| speaker.run(&events, out)));
        // The scope waits for the question that is open.
        player.stop(true);
        spoken.unwrap_or_else(|panic| resume_unwind(panic))
    })
}

/// Sends the lines of the input until the last command or the end of the input.
fn read(input: &mut dyn BufRead, events: &Sender<Event>) {
    let (mut bytes, mut is_inside) = (Vec::new(), false);
    let end = loop {
        bytes.clear();
        match (&mut *input).take(MAX_LINE_BYTES).read_until(b'\n', &mut bytes) {
            Ok(0) => break Ok(()),
            Ok(_) => {}
            Err(error) => break Err(error),
        }
        let goes_on = bytes.len() as u64 == MAX_LINE_BYTES && !bytes.ends_with(b"\n");
        let event = match (mem::replace(&mut is_inside, goes_on), goes_on) {
            (true, _) => continue,
            (false, true) => Event::LongLine,
            // The path of a folder may have any bytes; what is no UTF-8 is no command, and no end either.
            (false, false) => Event::Line(String::from_utf8_lossy(&bytes).into_owned()),
        };
        let is_last = matches!(&event, Event::Line(line) if Command::new(line).is_last());
        if events.send(event).is_err() || is_last {
            return;
        }
    };
    // A speaker that has gone needs no end.
    drop(events.send(Event::End(end)));
}

/// When a command is obeyed; after the last one no answer is worth waiting for.
fn urgency<P: Protocol>(command: &Command<'_>) -> Urgency {
    if command.is_last() { Urgency::Stops } else { P::urgency(command.word) }
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
        let (mut is_thinking, mut is_wanted, mut end) = (false, true, None);
        loop {
            if !is_thinking && let Some(line) = waiting.pop_front() {
                let command = Command::new(&line);
                if command.is_last() {
                    return Ok(());
                }
                if let Some(question) = self.protocol.obey(self.player, &command, out)? {
                    // Commands that have come before the question begins are as urgent as later ones.
                    let urgencies = || waiting.iter().map(|line| urgency::<P>(&Command::new(line)));
                    is_wanted = urgencies().all(|urgency| urgency != Urgency::Drops);
                    self.player.stop(!is_wanted || urgencies().any(|urgency| urgency == Urgency::Stops));
                    self.think(question);
                    is_thinking = true;
                }
                out.flush()?;
                continue;
            }
            if !is_thinking && let Some(end) = end {
                return end;
            }
            // This thread has a sender itself.
            let Ok(event) = events.recv() else { return Ok(()) };
            match event {
                Event::Line(line) => {
                    let command = Command::new(&line);
                    let urgency = urgency::<P>(&command);
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
                Event::LongLine => {
                    let why = format!("a line has more than {MAX_LINE_BYTES} bytes and is skipped");
                    self.protocol.refuse(&why, out)?;
                    out.flush()?;
                }
                Event::End(read) => end = Some(read),
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
