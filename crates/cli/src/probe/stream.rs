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

use super::remedy::Remedy;
use crate::args::ProbeArgs;
use crate::console::Console;
use crate::{Answer, Failure, Outcome};
use ::probe::{ProbeError, Tablebase};
use library::{AskedTables, Finding, FindingJson, Refusal, RefusalJson};
use position::Position;
use rayon::prelude::*;
use std::fmt::Write as _;
use variant::Metric;

/// The most lines that are answered together.
const MAX_BATCH: usize = 1 << 13;

/// Fewer lines than this are not worth waking other threads.
const MIN_PARALLEL: usize = 16;

pub(super) fn run(
    console: &mut Console<'_>,
    args: &ProbeArgs,
    tables: &Tablebase,
    remedy: &Remedy<'_>,
    asked: Option<&AskedTables>,
) -> Outcome {
    let mut all_well = true;
    let mut batch: Vec<Vec<u8>> = Vec::new();
    loop {
        let is_more = next_line(console, &mut batch)?;
        if is_more && batch.len() < MAX_BATCH && console.input.has_line() {
            continue;
        }
        let answer = |line: &Vec<u8>| answer(args, tables, remedy, asked, line);
        let answers: Vec<(String, bool)> = if batch.len() < MIN_PARALLEL {
            batch.iter().map(answer).collect()
        } else {
            batch.par_iter().map(answer).collect()
        };
        for (line, is_well) in answers {
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

/// The line of output for a line of input, and whether it has a value.
fn answer(
    args: &ProbeArgs,
    tables: &Tablebase,
    remedy: &Remedy<'_>,
    asked: Option<&AskedTables>,
    line: &[u8],
) -> (String, bool) {
    let fen = String::from_utf8_lossy(line);
    let position = tables.position(&fen).map_err(Refusal::from);
    let written = |tables: &Tablebase, position: Position| -> Result<String, Refusal> {
        let finding = match args.value_only {
            true => Finding::of_value(tables, position),
            false => Finding::of_best(tables, position, args.json),
        }?;
        Ok(match args.json {
            true => json_line(&FindingJson::new(tables, &finding)),
            false => tab_line(tables, &fen, &finding, args.value_only),
        })
    };
    let mut found = match &position {
        Ok(position) => written(tables, position.clone()),
        Err(refusal) => Err(refusal.clone()),
    };
    if let (Err(Refusal::NotBuilt(_)), Ok(position), Some(asked)) = (&found, &position, asked) {
        let answered = asked.ask(position, Some(tables.scale().metric()), |tables| {
            match written(tables, position.clone()) {
                Err(Refusal::NotBuilt(missing)) => Err(ProbeError::Missing(missing)),
                written => Ok((written, None)),
            }
        });
        if let Ok(answered) = answered {
            found = answered.answer;
        }
    }
    match found {
        Ok(text) => (text, true),
        Err(refusal) => (error_line(args, &fen, &refusal, &remedy.message(&refusal)), false),
    }
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
