//! `probe --stdin`: answers each line of the input with a line.
//!
//! ```text
//!   fen ⇥ wdl ⇥ plies ⇥ best moves        wdl: 1, 0, −1 for the side to move; a draw has `-` for plies,
//!                                         unless the n-move rule alone makes it one
//!   fen ⇥ error ⇥ message                 and the next line goes on
//! ```
//!
//! Lines that are there without waiting are answered together, on all threads; whenever the input pauses all
//! answers are flushed. So a file is answered at full speed, and a program that asks one question at a time
//! is not kept waiting.
//!
//! Positions of a batch whose values are in the same block are answered one after the other, so that the
//! block is decompressed once however small the cache is, and a file is read from its begin to its end.
//! Answers have the order of the lines.

use super::remedy::Remedy;
use crate::args::ProbeArgs;
use crate::console::Console;
use crate::pool::pool;
use crate::{Answer, Failure, Outcome};
use ::probe::{BlockAddress, ProbeError, Tablebase};
use library::{AskedTables, Finding, FindingJson, Refusal, RefusalJson};
use position::Position;
use rayon::ThreadPool;
use rayon::prelude::*;
use std::fmt::Write as _;
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
    tables: &'a Tablebase,
    remedy: &'a Remedy<'a>,
    asked: Option<&'a AskedTables>,
}

/// A line of input, read.
struct Question {
    fen: String,
    position: Result<Position, Refusal>,
    /// The block that has the value.
    block: Option<BlockAddress>,
}

/// A line of output, and whether it has a value.
type Reply = (String, bool);

pub(super) fn run(
    console: &mut Console<'_>,
    args: &ProbeArgs,
    tables: &Tablebase,
    remedy: &Remedy<'_>,
    asked: Option<&AskedTables>,
) -> Outcome {
    let pool = pool(args.threads)?;
    let responder = Responder { args, tables, remedy, asked };
    let mut all_well = true;
    let mut batch: Vec<Vec<u8>> = Vec::new();
    loop {
        let is_more = next_line(console, &mut batch)?;
        if is_more && batch.len() < MAX_BATCH && console.input.has_line() {
            continue;
        }
        for (line, is_well) in responder.replies(&pool, &batch) {
            console.out.write_all(line.as_bytes())?;
            all_well &= is_well;
        }
        batch.clear();
        if !is_more {
            tell_solved(console, asked)?;
            return Ok(if all_well { Answer::Yes } else { Answer::No });
        }
        if !console.input.has_line() {
            console.out.flush()?;
        }
    }
}

impl Responder<'_> {
    /// The replies to these lines, in their order.
    fn replies(&self, pool: &ThreadPool, lines: &[Vec<u8>]) -> Vec<Reply> {
        if lines.len() < MIN_PARALLEL {
            return lines.iter().map(|line| self.reply(&self.question(line, false))).collect();
        }
        pool.install(|| {
            let questions: Vec<Question> = lines.par_iter().map(|line| self.question(line, true)).collect();
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
            replies
        })
    }

    /// Reads a line, and locates its value if somebody wants to know where it is.
    fn question(&self, line: &[u8], is_located: bool) -> Question {
        let fen = String::from_utf8_lossy(line).into_owned();
        let position = self.tables.position(&fen).map_err(Refusal::from);
        let located = position.as_ref().ok().filter(|_| is_located);
        let block = located.and_then(|position| self.tables.block_of(position));
        Question { fen, position, block }
    }

    /// The line of output for a line of input, and whether it has a value.
    fn reply(&self, question: &Question) -> Reply {
        let Responder { args, tables, remedy, asked } = self;
        let Question { fen, position, .. } = question;
        let written = |tables: &Tablebase, position: &Position| -> Result<String, Refusal> {
            let finding = match args.value_only {
                true => Finding::of_value(tables, position.clone()),
                false => Finding::of_best(tables, position.clone(), args.json),
            }?;
            Ok(match args.json {
                true => json_line(&FindingJson::new(tables, &finding)),
                false => tab_line(tables, fen, &finding, args.value_only),
            })
        };
        let mut found = match position {
            Ok(position) => written(tables, position),
            Err(refusal) => Err(refusal.clone()),
        };
        if let (Err(Refusal::NotBuilt(_)), Ok(position), Some(asked)) = (&found, position, asked) {
            let answered = asked.ask(position, Some(tables.scale().metric()), |tables| {
                match written(tables, position) {
                    Err(Refusal::NotBuilt(missing)) => Err(ProbeError::Missing(missing)),
                    written => Ok((written, None)),
                }
            });
            match answered {
                Ok(answered) => found = answered.answer,
                Err(error @ ProbeError::Missing(_)) => found = Err(error.into()),
                Err(_) => {}
            }
        }
        match found {
            Ok(text) => (text, true),
            Err(refusal) => (error_line(args, fen, &refusal, &remedy.message(&refusal)), false),
        }
    }
}

/// Says which tables were solved because somebody asked.
fn tell_solved(console: &mut Console<'_>, asked: Option<&AskedTables>) -> Result<(), Failure> {
    let names: Vec<String> =
        asked.map_or_else(Vec::new, AskedTables::solved_names).into_iter().map(|(_, name)| name).collect();
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
