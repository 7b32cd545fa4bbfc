//! `probe --stdin`: answers each line of the input with a line.
//!
//! ```text
//!   fen ⇥ wdl ⇥ plies ⇥ best moves        wdl: 1, 0, −1 for the side to move; a draw has `-` for plies,
//!                                         unless the n-move rule alone makes it one
//!   fen ⇥ bounds ⇥ at least draws         where a structure leaves it open
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

use super::remedy::Remedy;
use super::source::{Source, Sources, is_short, lacks_table};
use crate::args::ProbeArgs;
use crate::console::Console;
use crate::pool::pool;
use crate::structure::Bounded;
use crate::{Answer, Failure, Outcome};
use ::probe::{BlockAddress, ProbeError, Tablebase};
use library::{AskedTables, Finding, FindingJson, Refusal, RefusalJson, position_line, read_position};
use position::Position;
use rayon::ThreadPool;
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};
use variant::Metric;

/// The most lines that are answered together.
const MAX_BATCH: usize = 1 << 14;

/// The most positions of a block that one thread answers together.
const MAX_GROUP: usize = 64;

/// Fewer lines than this are not worth waking other threads.
const MIN_PARALLEL: usize = 16;

/// Answers positions.
struct Responder<'a> {
    args: &'a ProbeArgs,
    sources: &'a Sources<'a>,
    remedy: &'a Remedy<'a>,
    asked: &'a AskedTables,
    /// The metrics whose tables have answered, beside the one that is asked for.
    others: Mutex<BTreeSet<Metric>>,
}

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

pub(super) fn run(
    console: &mut Console<'_>,
    args: &ProbeArgs,
    sources: &Sources<'_>,
    remedy: &Remedy<'_>,
    asked: &AskedTables,
) -> Outcome {
    let pool = pool(args.threads)?;
    let responder = Responder { args, sources, remedy, asked, others: Mutex::default() };
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
            responder.tell_others(console)?;
            tell_solved(console, asked)?;
            return Ok(if all_well { Answer::Yes } else { Answer::No });
        }
        if !console.input.has_line() {
            console.out.flush()?;
        }
    }
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
        let own = self.sources.own();
        let (position, is_denied) = match read_position(own.book(), &fen) {
            Ok((position, is_denied)) => (Ok(position), is_denied),
            Err(error) => (Err(Refusal::from(error)), false),
        };
        let located = position.as_ref().ok().filter(|_| is_located);
        let block = located.and_then(|position| own.block_of(position));
        Some(Question { fen, position, is_denied, block })
    }

    /// The line of output for a line of input, and whether it has a value.
    fn reply(&self, question: &Question) -> Reply {
        let Question { fen, position, .. } = question;
        let answered =
            position.as_ref().map_err(Clone::clone).and_then(|position| self.answer(fen, position));
        match answered {
            Ok(text) => (text, true),
            Err(refusal) => (error_line(self.args, fen, &refusal, &self.remedy.message(&refusal)), false),
        }
    }

    /// The line of a position: by the tables that are asked for, by what else the folder has, by tables that
    /// are solved for it.
    fn answer(&self, fen: &str, position: &Position) -> Result<String, Refusal> {
        let own = self.sources.own();
        let found = self.found(own, position);
        let other = match lacks_table(&found) {
            true => self.sources.other(position, found.is_ok())?,
            false => None,
        };
        match other {
            None => self.answer_by(own, fen, position, found),
            Some(Source::Tables(tables)) => {
                let mut others = self.others.lock().unwrap_or_else(PoisonError::into_inner);
                others.insert(tables.scale().metric());
                drop(others);
                self.answer_by(tables, fen, position, self.found(tables, position))
            }
            Some(Source::File(tables)) => {
                self.answer_by(&tables, fen, position, self.found(&tables, position))
            }
            Some(Source::Bounds(structures)) => {
                let bounded = Bounded::new(&structures, position)?;
                Ok(bounded.map_or_else(String::new, |bounded| match self.args.json {
                    true => json_line(&bounded.json()),
                    false => format!("{}\t{}\n", one_field(fen), bounded.fields(self.args.value_only)),
                }))
            }
        }
    }

    fn found(&self, tables: &Tablebase, position: &Position) -> Result<Finding, Refusal> {
        match self.args.value_only {
            true => Finding::of_value(tables, position.clone()),
            false => Finding::of_best(tables, position.clone(), self.args.json),
        }
    }

    /// The line of what these tables have found, or of what is solved now if one of them is missing.
    fn answer_by(
        &self,
        tables: &Tablebase,
        fen: &str,
        position: &Position,
        found: Result<Finding, Refusal>,
    ) -> Result<String, Refusal> {
        let line = |tables: &Tablebase, finding: &Finding| match self.args.json {
            true => json_line(&FindingJson::new(tables, finding)),
            false => tab_line(tables, fen, finding, self.args.value_only),
        };
        if is_short(&found) && self.asked.solves() {
            let metric = Some(tables.scale().metric());
            let answered = self.asked.ask(position, metric, |tables| match self.found(tables, position) {
                Err(Refusal::NotBuilt(missing)) => Err(ProbeError::Missing(missing)),
                found => Ok((found.map(|finding| line(tables, &finding)), None)),
            });
            match answered {
                Ok(answered) => return answered.answer,
                // It says why the table is not solved.
                Err(error @ ProbeError::Missing(_)) if found.is_err() => return Err(error.into()),
                Err(_) => {}
            }
        }
        found.map(|finding| line(tables, &finding))
    }

    /// Says of which other metrics plies are.
    fn tell_others(&self, console: &mut Console<'_>) -> Result<(), Failure> {
        let others = self.others.lock().unwrap_or_else(PoisonError::into_inner);
        if others.is_empty() {
            return Ok(());
        }
        let own = self.sources.own().scale().metric();
        let others: Vec<&str> = others.iter().map(|metric| metric.name()).collect();
        console.tell(&format!(
            "some plies are those of {}, where the folder has no table of {own}; --metric takes one alone",
            others.join(", ")
        ))
    }
}

/// Says which tables were solved because somebody asked.
fn tell_solved(console: &mut Console<'_>, asked: &AskedTables) -> Result<(), Failure> {
    let names: Vec<String> = asked.solved_names().into_iter().map(|(_, name)| name).collect();
    if names.is_empty() {
        return Ok(());
    }
    console.tell(&format!("not built, so solved in memory: {}", names.join(", ")))
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

fn tab_line(tables: &Tablebase, fen: &str, finding: &Finding, value_only: bool) -> String {
    let mut text = one_field(fen);
    // Writing to a string cannot fail.
    let ply = finding.value.ply().filter(|_| tables.scale().metric() != Metric::Wdl);
    let _ = match (finding.wdl_now(), ply) {
        (Some(wdl), Some(ply)) => write!(text, "\t{wdl}\t{}", ply.0),
        (wdl, _) => write!(text, "\t{}\t-", wdl.unwrap_or(0)),
    };
    if !value_only {
        let mut separator = '\t';
        for best in finding.best_moves() {
            text.push(separator);
            text += &best.uci;
            separator = ' ';
        }
        if separator == '\t' {
            text += "\t-";
        }
    }
    text.push('\n');
    text
}

fn error_line(args: &ProbeArgs, fen: &str, refusal: &Refusal, message: &str) -> String {
    if args.json {
        return json_line(&RefusalJson::new(fen, refusal, message));
    }
    format!("{}\terror\t{}\n", one_field(fen), one_field(message))
}

fn json_line(value: &impl serde::Serialize) -> String {
    // Plain data with text as keys always has a JSON form.
    serde_json::to_string(value).unwrap_or_default() + "\n"
}

/// A text that does not break a line into more fields or lines.
fn one_field(text: &str) -> String {
    text.replace(|c: char| c.is_control(), " ")
}
