//! `check`: the faults of a variant file.

use crate::args::CheckArgs;
use crate::console::Console;
use crate::figure::plural;
use crate::{Answer, Failure, Outcome};
use serde::Serialize;
use std::io::IsTerminal;
use variant::{Fault, LoadError, Variant};

#[derive(Serialize)]
struct CheckJson<'a> {
    ok: bool,
    faults: &'a [Fault],
}

pub(crate) fn run(console: &mut Console<'_>, args: &CheckArgs) -> Outcome {
    match Variant::load(&args.variant) {
        Ok(_) if args.json => {
            console.print_json(&CheckJson { ok: true, faults: &[] })?;
            Ok(Answer::Yes)
        }
        Ok(variant) => {
            let board = &variant.board;
            let pieces = plural(variant.pieces.len() as u64, "piece");
            writeln!(
                console.out,
                "{}: ok: {}, {} × {} squares, {pieces}",
                args.variant.display(),
                variant.name,
                board.files(),
                board.ranks(),
            )?;
            Ok(Answer::Yes)
        }
        Err(LoadError::Faults(report)) => {
            if args.json {
                console.print_json(&CheckJson { ok: false, faults: report.faults() })?;
            } else {
                write!(console.out, "{}", report.render(std::io::stdout().is_terminal()))?;
            }
            Ok(Answer::No)
        }
        Err(error) => Err(Failure::new(error)),
    }
}
