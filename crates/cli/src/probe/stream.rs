//! `probe --stdin`: answers each line of the input with a line.
//!
//! ```text
//!   fen ⇥ wdl ⇥ plies ⇥ best moves        wdl: 1, 0, −1 for the side to move; a draw has `-` for plies,
//!                                         unless the n-move rule alone makes it one
//!   fen ⇥ 0..1 ⇥ -..27 ⇥ moves            from what to what they may be, where it is not known exactly
//!   fen ⇥ 1 ⇥ 9 ⇥ ?                       the table of a move is not there that may be the best
//!   fen ⇥ error ⇥ message                 and the next line goes on
//! ```
//!
//! A line is a FEN or EPD; blank lines and those that begin with `#` have no answer.
//!
//! Lines that are there without waiting are answered together, on all threads; whenever the input pauses all
//! answers are flushed. So a file is answered at full speed, and a program that asks one question at a time
//! is not kept waiting.
//!
//! Positions of a batch are answered in the order of the files ([`answer_many`]); answers have the order of
//! the lines.

use super::prober::{Prober, one_field};
use crate::{Answer, Console, Outcome, pool};
use ::probe::{By, MissingTable};
use library::{Refusal, answer_many, position_line, read_position};
use position::Position;
use rayon::ThreadPool;
use rayon::prelude::*;
use variant::Metric;

/// The most lines that are answered together.
const MAX_BATCH: usize = 1 << 14;

/// Fewer lines than this are not worth waking other threads.
const MIN_PARALLEL: usize = 16;

/// A line of input, read.
struct Question {
    fen: String,
    position: Result<Position, Refusal>,
    /// Whether it has rights that cannot be.
    is_denied: bool,
}

/// A line of output.
struct Reply {
    line: String,
    /// Whether it has a value.
    is_well: bool,
    /// The table without which the best moves are not known.
    missing: Option<MissingTable>,
}

pub(super) fn run(console: &mut Console<'_>, prober: &Prober<'_>) -> Outcome {
    let pool = pool(prober.args.threads)?;
    let (mut all_well, mut any_denied, mut missing) = (true, false, None);
    let mut batch: Vec<Vec<u8>> = Vec::new();
    loop {
        let line = console.input.line()?;
        let is_more = line.is_some();
        batch.extend(line);
        if is_more && batch.len() < MAX_BATCH && console.input.has_line() {
            continue;
        }
        let (replies, is_denied) = prober.replies(&pool, &batch);
        any_denied |= is_denied;
        for reply in replies {
            console.out.write_all(reply.line.as_bytes())?;
            all_well &= reply.is_well;
            missing = missing.or(reply.missing);
        }
        batch.clear();
        if !is_more {
            console.tell_denied(any_denied)?;
            prober.tell_sources(console, missing)?;
            return Ok(if all_well { Answer::Yes } else { Answer::No });
        }
        if !console.input.has_line() {
            console.out.flush()?;
        }
    }
}

impl Prober<'_> {
    /// The replies to these lines, in their order, and whether a position has rights that cannot be.
    fn replies(&self, pool: &ThreadPool, lines: &[Vec<u8>]) -> (Vec<Reply>, bool) {
        let question = |line: &Vec<u8>| self.question(line);
        if lines.len() < MIN_PARALLEL {
            return self.answered(&lines.iter().filter_map(question).collect::<Vec<_>>());
        }
        pool.install(|| self.answered(&lines.par_iter().filter_map(question).collect::<Vec<_>>()))
    }

    fn answered(&self, questions: &[Question]) -> (Vec<Reply>, bool) {
        let metric = self.args.metric;
        let block = |at: usize| self.tables.block_of(questions[at].position.as_ref().ok()?, metric);
        let replies = answer_many(questions.len(), block, |at| self.reply(&questions[at]));
        (replies, questions.iter().any(|question| question.is_denied))
    }

    /// Reads a line; none if nothing is asked.
    fn question(&self, line: &[u8]) -> Option<Question> {
        let line = String::from_utf8_lossy(line);
        let fen = position_line(&line)?.to_owned();
        let (position, is_denied) = match read_position(self.tables.book(), &fen) {
            Ok((position, is_denied)) => (Ok(position), is_denied),
            Err(error) => (Err(Refusal::from(error)), false),
        };
        Some(Question { fen, position, is_denied })
    }

    /// The line of output for a line of input.
    fn reply(&self, question: &Question) -> Reply {
        let Question { fen, position, .. } = question;
        let mut missing = None;
        let answered = position.as_ref().map_err(Clone::clone);
        let answered = answered.and_then(|position| self.answer(position));
        let mut is_well = answered.is_ok();
        let text = match answered {
            Ok(told) => {
                for answer in told.answers() {
                    let metric = answer.scale.metric();
                    if metric != self.own_metric() && answer.by != By::Rules {
                        self.others.lock().insert(metric);
                    }
                    let own = answer.missing.clone().filter(|_| answer.best_moves().next().is_none());
                    missing = missing.or(own);
                }
                if missing.is_some() {
                    is_well = self.args.json || self.args.value_only;
                }
                self.text(&told)
            }
            Err(refusal) => self.refused(fen, &refusal),
        };
        let line = if self.args.json { text } else { format!("{}\t{text}", one_field(fen)) };
        Reply { line, is_well, missing }
    }

    /// The metric that is asked for, else the game's own.
    fn own_metric(&self) -> Metric {
        self.args.metric.unwrap_or(self.tables.variant().default_metric)
    }

    /// Says of which other metrics plies are, and which tables were solved because a line asked for them.
    fn tell_sources(&self, console: &mut Console<'_>, missing: Option<MissingTable>) -> Outcome<()> {
        let others: Vec<&str> = self.others.lock().iter().map(|metric| metric.name()).collect();
        if !others.is_empty() {
            console.tell(&format!(
                "some plies are those of {}, where the folder has no table of {}; --metric takes one alone",
                others.join(", "),
                self.own_metric()
            ))?;
        }
        if let Some(missing) = missing {
            let why = self.remedy.message(&Refusal::NotBuilt(missing));
            console.tell(&format!("some best moves are not known (?): {why}"))?;
        }
        let names = self.tables.solved_names().into_iter().map(|(_, name)| name);
        let names = names.collect::<Vec<String>>().join(", ");
        if names.is_empty() {
            Ok(())
        } else {
            console.tell(&format!("not built, so solved in memory: {names}"))
        }
    }
}
