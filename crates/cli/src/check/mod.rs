//! `check`: prints the faults of a variant file or of a structure file, or what it means in words and what
//! is likely a mistake.

mod ending;
mod meaning;
mod paragraph;
mod refusal;
mod squares;
mod structure;

use crate::args::CheckArgs;
use crate::console::Console;
use crate::fold::fold;
use crate::{Answer, Failure, Outcome};
use library::figure::plural;
use refusal::{CheckJson, refuse};
use variant::Variant;

pub(crate) fn run(console: &mut Console<'_>, args: &CheckArgs) -> Outcome {
    if structure::is_meant(&args.file) {
        return structure::run(console, args);
    }
    if args.variant.is_some() {
        let file = args.file.display();
        return Err(Failure::new(format!("{file} is no structure file; --variant is for these")));
    }
    match Variant::load(&args.file) {
        Ok(variant) => {
            let warnings = variant.warnings();
            if args.json {
                console.print_json(&CheckJson { ok: true, faults: &[], warnings: &warnings })?;
                return Ok(Answer::Yes);
            }
            let folded =
                |text: String| console.out_width.map_or_else(|| text.clone(), |width| fold(&text, width));
            let brief = folded(format!("{}: ok: {}", args.file.display(), in_brief(&variant)));
            let meaning =
                if args.brief { String::new() } else { folded(format!("\n{}", meaning::text(&variant))) };
            write!(console.out, "{brief}\n{meaning}")?;
            for (i, warning) in warnings.iter().enumerate() {
                let gap = if i == 0 && !args.brief { "\n" } else { "" };
                writeln!(console.out, "{gap}warning: {warning}")?;
            }
            Ok(Answer::Yes)
        }
        Err(error) => refuse(console, error, args.json),
    }
}

/// The game in half a line.
fn in_brief(variant: &Variant) -> String {
    let board = &variant.board;
    let pieces = plural(variant.pieces.len() as u64, "piece");
    format!("{}, {} × {} squares, {pieces}", variant.name, board.files(), board.ranks())
}
