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
//! Positions of a batch whose values are in the same block are answered one after the other, so that the
//! block is decompressed once however small the cache is, and a file is read from its begin to its end.
//! Answers have the order of the lines.

use super::prober::{Prober, one_field};
use crate::console::Console;
use crate::pool::pool;
use crate::{Answer, Failure, Outcome};
use ::probe::{BlockAddress, By, MissingTable};
use library::{Refusal, position_line, read_position};
use parking_lot::Mutex;
use position::Position;
use rayon::ThreadPool;
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::sync::OnceLock;
use variant::Metric;

/// The most lines that are answered together.
const MAX_BATCH: usize = 1 << 14;

/// The most positions of a block that one thread answers together.
const MAX_GROUP: usize = 64;

/// Fewer lines than this are not worth waking other threads.
const MIN_PARALLEL: usize = 16;

/// A line of input, read.
struct Question {
    fen: String,
    position: Result<Position, Refusal>,
    /// Whether it has rights that cannot be.
    is_denied: bool,
    /// The block that has the value.
    block: Option<BlockAddress>,
}

/// A line of output, and whether it has a value.
type Reply = (String, bool);

pub(super) fn run(console: &mut Console<'_>, prober: &Prober<'_>) -> Outcome {
    let pool = pool(prober.args.threads)?;
    let responder = Responder { prober, others: Mutex::default(), missing: OnceLock::new() };
    let (mut all_well, mut any_denied) = (true, false);
    let mut batch: Vec<Vec<u8>> = Vec::new();
    loop {
        let is_more = next_line(console, &mut batch)?;
        if is_more && batch.len() < MAX_BATCH && console.input.has_line() {
            continue;
        }
        let (replies, is_denied) = responder.replies(&pool, &batch);
        any_denied |= is_denied;
        for (line, is_well) in replies {
            console.out.write_all(line.as_bytes())?;
            all_well &= is_well;
        }
        batch.clear();
        if !is_more {
            if any_denied {
                console.tell_denied()?;
            }
            responder.tell_sources(console)?;
            return Ok(if all_well { Answer::Yes } else { Answer::No });
        }
        if !console.input.has_line() {
            console.out.flush()?;
        }
    }
}

/// Answers lines.
struct Responder<'a> {
    prober: &'a Prober<'a>,
    /// The metrics that have answered beside the one that is asked for.
    others: Mutex<BTreeSet<Metric>>,
    /// The first table without which the best moves of a position are not known.
    missing: OnceLock<MissingTable>,
}

impl Responder<'_> {
    /// The replies to these lines, in their order, and whether a position has rights that cannot be.
    fn replies(&self, pool: &ThreadPool, lines: &[Vec<u8>]) -> (Vec<Reply>, bool) {
        let any_denied = |questions: &[Question]| questions.iter().any(|question| question.is_denied);
        if lines.len() < MIN_PARALLEL {
            let questions: Vec<Question> =
                lines.iter().filter_map(|line| self.question(line, false)).collect();
            return (questions.iter().map(|question| self.reply(question)).collect(), any_denied(&questions));
        }
        pool.install(|| {
            let read = lines.par_iter().filter_map(|line| self.question(line, true));
            let questions: Vec<Question> = read.collect();
            let mut order: Vec<usize> = (0..questions.len()).collect();
            order.par_sort_unstable_by_key(|&at| (questions[at].block, at));
            let is_same_block = |a: &usize, b: &usize| {
                let block = questions[*a].block;
                block.is_some() && block == questions[*b].block
            };
            // A block may have all positions of a batch, and then all threads answer them.
            let groups: Vec<&[usize]> =
                order.chunk_by(is_same_block).flat_map(|group| group.chunks(MAX_GROUP)).collect();
            let answered: Vec<Vec<Reply>> = groups
                .par_iter()
                .map(|group| group.iter().map(|&at| self.reply(&questions[at])).collect())
                .collect();
            let mut replies: Vec<Reply> = questions.iter().map(|_| Reply::default()).collect();
            for (&at, reply) in order.iter().zip(answered.into_iter().flatten()) {
                replies[at] = reply;
            }
            (replies, any_denied(&questions))
        })
    }

    /// Reads a line, and locates its value if somebody wants to know where it is; none if nothing is asked.
    fn question(&self, line: &[u8], is_located: bool) -> Option<Question> {
        let line = String::from_utf8_lossy(line);
        let fen = position_line(&line)?.to_owned();
        let tables = self.prober.tables;
        let (position, is_denied) = match read_position(tables.book(), &fen) {
            Ok((position, is_denied)) => (Ok(position), is_denied),
            Err(error) => (Err(Refusal::from(error)), false),
        };
        let located = position.as_ref().ok().filter(|_| is_located);
        let block = located.and_then(|position| tables.block_of(position, self.prober.args.metric));
        Some(Question { fen, position, is_denied, block })
    }

    /// The line of output for a line of input, and whether it has a value.
    fn reply(&self, question: &Question) -> Reply {
        let Question { fen, position, .. } = question;
        let answered = position.as_ref().map_err(Clone::clone);
        let answered = answered.and_then(|position| self.prober.answer(position));
        let mut is_well = answered.is_ok();
        let text = match answered {
            Ok(answer) => {
                let metric = answer.scale.metric();
                if metric != self.own_metric() && answer.by != By::Rules {
                    self.others.lock().insert(metric);
                }
                if let Some(missing) =
                    answer.missing.as_ref().filter(|_| answer.best_moves().next().is_none())
                {
                    self.missing.get_or_init(|| missing.clone());
                    is_well = self.prober.args.json || self.prober.args.value_only;
                }
                self.prober.text(&answer)
            }
            Err(refusal) => self.prober.refused(fen, &refusal),
        };
        (if self.prober.args.json { text } else { format!("{}\t{text}", one_field(fen)) }, is_well)
    }

    /// The metric that is asked for, else the game's own.
    fn own_metric(&self) -> Metric {
        self.prober.args.metric.unwrap_or(self.prober.tables.variant().default_metric)
    }

    /// Says of which other metrics plies are, and which tables were solved because a line asked for them.
    fn tell_sources(&self, console: &mut Console<'_>) -> Result<(), Failure> {
        let others: Vec<&str> = self.others.lock().iter().map(|metric| metric.name()).collect();
        if !others.is_empty() {
            console.tell(&format!(
                "some plies are those of {}, where the folder has no table of {}; --metric takes one alone",
                others.join(", "),
                self.own_metric()
            ))?;
        }
        if let Some(missing) = self.missing.get() {
            let why = self.prober.remedy.message(&Refusal::NotBuilt(missing.clone()));
            console.tell(&format!("some best moves are not known (?): {why}"))?;
        }
        let names: Vec<String> =
            self.prober.tables.solved_names().into_iter().map(|(_, name)| name).collect();
        if names.is_empty() {
            return Ok(());
        }
        console.tell(&format!("not built, so solved in memory: {}", names.join(", ")))
    }
}

/// Reads a line, without its end; whether there was one.
fn next_line(console: &mut Console<'_>, batch: &mut Vec<Vec<u8>>) -> Result<bool, Failure> {
    let mut line = Vec::with_capacity(64);
    let reading = console.input.read_until(b'\n', &mut line);
    let n_bytes = reading.map_err(|error| Failure::new(format!("cannot read the input: {error}")))?;
    if n_bytes == 0 {
        return Ok(false);
    }
    while line.last().is_some_and(|&byte| byte == b'\n' || byte == b'\r') {
        line.pop();
    }
    batch.push(line);
    Ok(true)
}
