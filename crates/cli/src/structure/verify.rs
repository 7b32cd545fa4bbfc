//! `verify FILE.tss`: derives every value of a structure from its successors.

use super::open;
use crate::args::VerifyArgs;
use crate::console::Console;
use crate::game::{DEFAULT_VARIANT, Game};
use crate::pool::pool;
use crate::{Answer, Failure, Outcome};
use ::structure::{SolvedStructure, verify as verify_structure};
use library::figure::{count, seconds};
use std::sync::Arc;
use std::time::Instant;

/// Of larger structures one stretch of placements in so many is checked.
const MAX_VALUES_IN_FULL: u64 = 50_000_000;

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
    for (fen, stored, derived) in &report.differences {
        writeln!(console.out, "{fen}: stored {stored:?}, its moves lead to {derived:?}")?;
    }
    let verdict = match report.is_clean() {
        true => "all right".into(),
        false => format!("{} wrong", count(report.n_differences)),
    };
    writeln!(
        console.out,
        "{}: {} values, {} positions: {verdict} ({})",
        args.path.display(),
        count(report.n_values),
        count(report.n_positions),
        seconds(begun.elapsed())
    )?;
    Ok(if report.is_clean() { Answer::Yes } else { Answer::No })
}
