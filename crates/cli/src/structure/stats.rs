//! `stats FILE.tss`: counts who wins with the pawns where they stand, and lists the mutual zugzwangs; with
//! two men that are no pawns also the squares that correspond.

use super::answer::structures_in;
use super::open;
use crate::args::StatsArgs;
use crate::console::Console;
use crate::game::{DEFAULT_VARIANT, Game};
use crate::grid::{Align, Grid};
use crate::pool::pool;
use crate::{Answer, Failure, Outcome};
use ::structure::{SolvedStructure, Survey, survey};
use library::figure::count;
use position::Position;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use variant::Side;

/// So many zugzwangs are listed where nobody says how many.
const MOST_LISTED: u64 = 20;

#[derive(Serialize)]
struct SurveyJson {
    fen: String,
    files: Vec<String>,
    white_to_move: CountsJson,
    black_to_move: CountsJson,
    zugzwangs: Vec<ZugzwangJson>,
}

#[derive(Serialize)]
struct CountsJson {
    won: u64,
    drawn: u64,
    lost: u64,
    open: u64,
}

#[derive(Serialize)]
struct ZugzwangJson {
    fen: String,
    attacker: String,
    full: bool,
}

pub(crate) fn stats(console: &mut Console<'_>, args: &StatsArgs) -> Outcome {
    let name = SolvedStructure::variant_of(&args.file).map_err(Failure::new)?;
    let folder = args.file.parent().unwrap_or(Path::new(""));
    let name = if name.is_empty() { DEFAULT_VARIANT } else { &name };
    let game = Game::find_beside(args.variant.as_deref(), name, folder)?;
    let first = open(&args.file, &game.variant, &args.using)?;
    let Some(root) = first.roots().first().cloned() else {
        return Err(Failure::new(format!("{} has no position", args.file.display())));
    };
    // The bounds of the same position in other files say more together.
    let mut structures = vec![Arc::new(first)];
    for path in structures_in(folder).into_iter().filter(|path| *path != args.file) {
        let Ok(other) = open(&path, &game.variant, &args.using) else { continue };
        let first = &structures[0];
        if !first.is_exact() && other.roots() == first.roots() && other.metric() == first.metric() {
            structures.push(Arc::new(other));
        }
    }
    let found = pool(None)?.install(|| survey(&structures, &root)).map_err(Failure::new)?;
    let Some(found) = found else {
        return Err(Failure::new("the position has too many men beside pawns to go through all placements"));
    };
    if args.json {
        return print_json(console, &structures, &root, &found);
    }
    let book = structures[0].book();
    writeln!(console.out, "{} by {}", root.to_fen(book), structures[0].metric())?;
    for structure in &structures {
        writeln!(console.out, "(from {}, solved {})", structure.path().display(), structure.limit())?;
    }
    let mut grid = Grid::new(&[
        ("to move", Align::Left),
        ("wins", Align::Right),
        ("draws", Align::Right),
        ("losses", Align::Right),
        ("open", Align::Right),
    ]);
    for side in Side::BOTH {
        let counts = found.counts[side.index()];
        let row = [counts.won, counts.drawn, counts.lost, counts.open].map(count);
        grid.push([side.to_string()].into_iter().chain(row).collect());
    }
    write!(console.out, "\n{}", grid.text(console.out_width))?;
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
        writeln!(console.out, "{}  {told}", zugzwang.position.to_fen(book))?;
    }
    if n as u64 > limit {
        writeln!(console.out, "… and {} more", count(n as u64 - limit))?;
    }
    Ok(Answer::Yes)
}

/// Prints for each square of the attacker's man the squares of the defender's that answer it.
fn print_squares(
    console: &mut Console<'_>,
    root: &Position,
    structure: &SolvedStructure,
    found: &Survey,
) -> Outcome {
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
        let titles = [format!("{attacker} comes to"), format!("{} has to come to", !attacker)];
        let mut grid = Grid::new(&[(titles[0].as_str(), Align::Left), (titles[1].as_str(), Align::Left)]);
        for (own, others) in answers {
            grid.push(vec![variant.board.name(own), others.join(" ")]);
        }
        write!(console.out, "\n{}", grid.text(console.out_width))?;
    }
    if found.zugzwangs.is_empty() {
        writeln!(console.out, "\nno squares correspond: there is no mutual zugzwang")?;
    }
    Ok(Answer::Yes)
}

fn print_json(
    console: &mut Console<'_>,
    structures: &[Arc<SolvedStructure>],
    root: &Position,
    found: &Survey,
) -> Outcome {
    let book = structures[0].book();
    let counts = |side: Side| {
        let counts = found.counts[side.index()];
        CountsJson { won: counts.won, drawn: counts.drawn, lost: counts.lost, open: counts.open }
    };
    let zugzwangs = found.zugzwangs.iter().map(|zugzwang| ZugzwangJson {
        fen: zugzwang.position.to_fen(book),
        attacker: zugzwang.attacker.to_string(),
        full: zugzwang.is_full,
    });
    console.print_json(&SurveyJson {
        fen: root.to_fen(book),
        files: structures.iter().map(|structure| structure.path().display().to_string()).collect(),
        white_to_move: counts(Side::White),
        black_to_move: counts(Side::Black),
        zugzwangs: zugzwangs.collect(),
    })?;
    Ok(Answer::Yes)
}
