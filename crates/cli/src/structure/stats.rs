//! `stats FILE.tss`: counts who wins with the pawns where they stand, and lists the mutual zugzwangs; with
//! two men that are no pawns also the squares that correspond.

use super::open_file;
use crate::stats::StatsArgs;
use crate::{Console, Failure, Outcome, Report, count, pool};
use ::structure::{Counts, SolvedStructure, Survey, Zugzwang, survey};
use format::folder_of;
use library::{open_structure, structure_files};
use position::Position;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;
use variant::Side;

/// How many zugzwangs are listed without `--limit`.
const MOST_LISTED: u64 = 20;

/// What going through all placements has shown.
#[derive(Serialize)]
struct Surveyed<'a> {
    fen: String,
    files: Vec<String>,
    white_to_move: Counts,
    black_to_move: Counts,
    zugzwangs: &'a [Zugzwang],
}

pub(crate) fn stats(console: &mut Console<'_>, args: &StatsArgs) -> Outcome<()> {
    let first = open_file(&args.file, args.variant.as_deref(), &args.using)?;
    let Some(root) = first.roots().first().cloned() else {
        return Err(Failure::new(format!("{} has no position", args.file.display())));
    };
    // The bounds of the same position in other files say more together.
    let mut files = structure_files(folder_of(&args.file));
    files.retain(|path| !first.is_exact() && path.file_name() != args.file.file_name());
    let others = files.iter().flat_map(|path| open_structure(path, first.book().variant(), &args.using));
    let others: Vec<_> =
        others.filter(|other| other.roots() == first.roots() && other.metric() == first.metric()).collect();
    let structures: Vec<_> = std::iter::once(first).chain(others).map(Arc::new).collect();
    let found = pool(None)?.install(|| survey(&structures, &root))?.ok_or_else(|| {
        Failure::new("the position has too many men beside pawns to go through all placements")
    })?;
    let book = structures[0].book();
    if args.json {
        let file = |structure: &Arc<SolvedStructure>| structure.path().display().to_string();
        return console.print_json(&Surveyed {
            fen: root.to_fen(book),
            files: structures.iter().map(file).collect(),
            white_to_move: found.counts[Side::White.index()],
            black_to_move: found.counts[Side::Black.index()],
            zugzwangs: &found.zugzwangs,
        });
    }
    writeln!(console.out, "{} by {}", root.to_fen(book), structures[0].metric())?;
    for structure in &structures {
        writeln!(console.out, "(from {}, solved {})", structure.path().display(), structure.limit())?;
    }
    let mut report = Report::new("to move | >wins | >draws | >losses | >open");
    for side in Side::BOTH {
        let counts = found.counts[side.index()];
        let row = [counts.won, counts.drawn, counts.lost, counts.open].map(count);
        report.row([side.to_string()].into_iter().chain(row));
    }
    write!(console.out, "\n{}", report.text(console.out_width))?;
    if args.squares {
        return print_squares(console, &root, &structures[0], &found);
    }
    let n = found.zugzwangs.len();
    writeln!(console.out, "\nmutual zugzwangs: {}", count(n as u64))?;
    let limit = args.limit.unwrap_or(if args.epd { u64::MAX } else { MOST_LISTED });
    for zugzwang in found.zugzwangs.iter().take(usize::try_from(limit).unwrap_or(usize::MAX)) {
        let told = match zugzwang.is_full {
            true => "whoever is to move loses".into(),
            false => format!("{} wins if the other side is to move", zugzwang.attacker),
        };
        writeln!(console.out, "{}  {told}", zugzwang.fen)?;
    }
    if n as u64 > limit {
        writeln!(console.out, "… and {} more", count(n as u64 - limit))?;
    }
    Ok(())
}

/// Prints for each square of the attacker's man the squares of the defender's that answer it.
fn print_squares(
    console: &mut Console<'_>,
    root: &Position,
    structure: &SolvedStructure,
    found: &Survey,
) -> Outcome<()> {
    let variant = structure.book().variant();
    let is_mobile = |side| root.men_of(side).filter(|(man, _)| !variant.is_pawn(*man)).count() == 1;
    if !Side::BOTH.into_iter().all(is_mobile) {
        return Err(Failure::new("--squares is for positions with one man a side beside the pawns"));
    }
    for attacker in Side::BOTH {
        let mut answers: BTreeMap<_, Vec<String>> = BTreeMap::new();
        for zugzwang in found.zugzwangs.iter().filter(|zugzwang| zugzwang.attacker == attacker) {
            let square = |side| {
                let mut men = zugzwang.position.men_of(side);
                men.find(|(man, _)| !variant.is_pawn(*man)).map(|(_, square)| square)
            };
            if let (Some(own), Some(other)) = (square(attacker), square(!attacker)) {
                answers.entry(own).or_default().push(variant.board.name(other));
            }
        }
        if answers.is_empty() {
            continue;
        }
        let mut report = Report::new(&format!("{attacker} comes to | {} has to come to", !attacker));
        for (own, others) in answers {
            report.row([variant.board.name(own), others.join(" ")]);
        }
        write!(console.out, "\n{}", report.text(console.out_width))?;
    }
    if found.zugzwangs.is_empty() {
        writeln!(console.out, "\nno squares correspond: there is no mutual zugzwang")?;
    }
    Ok(())
}
