//! `verify FILE.tss`: derives every value of a structure from its successors.

use super::{bound_in_words, open};
use crate::args::VerifyArgs;
use crate::console::Console;
use crate::game::{DEFAULT_VARIANT, Game};
use crate::pool::pool;
use crate::{Answer, Failure, Outcome};
use ::structure::{Bound, Report, SolvedStructure, verify as verify_structure};
use library::figure::{count, seconds};
use serde::Serialize;
use std::sync::Arc;
use std::time::Instant;

/// Of larger structures one stretch of placements in so many is checked.
const MAX_VALUES_IN_FULL: u64 = 50_000_000;

#[derive(Serialize)]
struct ReportJson {
    file: String,
    metric: String,
    limit: String,
    bounds: Vec<Bound>,
    values: u64,
    positions: u64,
    wrong: u64,
    first_wrong: Vec<WrongJson>,
}

#[derive(Serialize)]
struct WrongJson {
    fen: String,
    stored: String,
    derived: String,
}

pub(crate) fn verify(console: &mut Console<'_>, args: &VerifyArgs) -> Outcome {
    let name = SolvedStructure::variant_of(&args.path).map_err(Failure::new)?;
    let folder = args.path.parent().unwrap_or(std::path::Path::new(""));
    let name = if name.is_empty() { DEFAULT_VARIANT } else { &name };
    let game = Game::find_beside(args.variant.as_deref(), name, folder)?;
    let structure = Arc::new(open(&args.path, &game.variant, &args.using)?);
    let n_values = structure.n_values();
    let most = args.sample.unwrap_or(if args.all { u64::MAX } else { MAX_VALUES_IN_FULL });
    let one_in = n_values.div_ceil(most.max(1)).max(1) as usize;
    let begun = Instant::now();
    let report =
        pool(args.threads)?.install(|| verify_structure(&structure, one_in)).map_err(Failure::new)?;
    let answer = if report.is_clean() { Answer::Yes } else { Answer::No };
    if args.json {
        console.print_json(&report_json(&structure, &report))?;
        return Ok(answer);
    }
    for (fen, stored, derived) in &report.differences {
        writeln!(console.out, "{fen}: stored {stored:?}, its moves lead to {derived:?}")?;
    }
    let verdict = match report.is_clean() {
        true => "all right".into(),
        false => format!("{} wrong", count(report.n_differences)),
    };
    writeln!(
        console.out,
        "{} ({}, {}, solved {}): {} values, {} positions: {verdict} ({})",
        args.path.display(),
        structure.metric(),
        bound_in_words(structure.bounds()),
        structure.limit(),
        count(report.n_values),
        count(report.n_positions),
        seconds(begun.elapsed())
    )?;
    Ok(answer)
}

fn report_json(structure: &SolvedStructure, report: &Report) -> ReportJson {
    let wrong = report.differences.iter().map(|(fen, stored, derived)| WrongJson {
        fen: fen.clone(),
        stored: format!("{stored:?}"),
        derived: format!("{derived:?}"),
    });
    ReportJson {
        file: structure.path().display().to_string(),
        metric: structure.metric().to_string(),
        limit: structure.limit().to_string(),
        bounds: structure.bounds().to_vec(),
        values: report.n_values,
        positions: report.n_positions,
        wrong: report.n_differences,
        first_wrong: wrong.collect(),
    }
}
