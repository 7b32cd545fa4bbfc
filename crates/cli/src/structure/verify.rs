//! `verify FILE.tss`: derives every value of a structure from its successors.

use super::{bound_in_words, open_file};
use crate::console::Console;
use crate::pool::pool;
use crate::verify::VerifyArgs;
use crate::{Answer, Failure, Outcome};
use ::structure::{Bound, Report, verify as verify_structure};
use library::figure::{count, seconds};
use serde::Serialize;
use std::sync::Arc;
use std::time::Instant;

/// Of larger structures one stretch of placements in so many is checked.
const MAX_VALUES_IN_FULL: u64 = 50_000_000;

/// What verifying a structure has shown.
#[derive(Serialize)]
struct Verified<'a> {
    file: String,
    metric: String,
    limit: String,
    bounds: &'a [Bound],
    #[serde(flatten)]
    report: &'a Report,
}

pub(crate) fn verify(console: &mut Console<'_>, args: &VerifyArgs) -> Outcome {
    let structure = Arc::new(open_file(&args.path, args.variant.as_deref(), &args.using)?);
    let n_values = structure.n_values();
    let most = args.sample.unwrap_or(if args.all { u64::MAX } else { MAX_VALUES_IN_FULL });
    let one_in = n_values.div_ceil(most.max(1)).max(1) as usize;
    let begun = Instant::now();
    let report =
        pool(args.threads)?.install(|| verify_structure(&structure, one_in)).map_err(Failure::new)?;
    let answer = if report.is_clean() { Answer::Yes } else { Answer::No };
    if args.json {
        console.print_json(&Verified {
            file: structure.path().display().to_string(),
            metric: structure.metric().to_string(),
            limit: structure.limit().to_string(),
            bounds: structure.bounds(),
            report: &report,
        })?;
        return Ok(answer);
    }
    report.differences.iter().try_for_each(|wrong| writeln!(console.out, "{wrong}"))?;
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
