//! `survey`: solves king and pieces against king for a list of pieces, a line each.

mod args;

use crate::console::Console;
use crate::grid::{Align, Grid};
use crate::pool::pool;
use crate::progress::Watch;
use crate::{Answer, Failure, Outcome};
use ::piece::CATALOGUE;
use ::stats::{Mean, SideStatistics, Statistics};
pub(crate) use args::SurveyArgs;
use library::figure::{plural, seconds};
use library::{Ending, Mating};
use serde::Serialize;
use std::time::Instant;
use variant::{Metric, visible};

pub(crate) fn run(console: &mut Console<'_>, args: &SurveyArgs) -> Outcome {
    if args.metric == Metric::Wdl {
        return Err(Failure::new("a survey counts plies; wdl has none"));
    }
    let pieces = notations(&args.pieces);
    if pieces.iter().any(String::is_empty) {
        return Err(Failure::new(
            "--pieces has an empty name; write pieces with commas between them, as in N,NN",
        ));
    }
    let endings = Ending::all(&pieces, &notations(&args.against), args.pairs);
    let pool = pool(args.threads)?;
    let begin = Instant::now();
    let watch = Watch::new(console.is_watched, &mut *console.err);
    watch.start(endings.len(), endings.len() as u64);
    let mut rows = Vec::new();
    for ending in &endings {
        let watching = watch.begin(&ending.text(), 1);
        let statistics = pool.install(|| ending.solve(&args.board, args.metric)).map_err(Failure::new)?;
        watching.finish_silently();
        rows.push(Row::new(ending, &statistics));
    }
    watch.close();
    if args.json {
        console.print_json(&rows)?;
    } else {
        write!(console.out, "{}", text(args, &rows, console.out_width))?;
    }
    let (files, ranks) = (args.board.files(), args.board.ranks());
    let (all, time) = (plural(rows.len() as u64, "ending"), seconds(begin.elapsed()));
    console.tell(&format!("{all} on {files} × {ranks} squares ({time})"))?;
    Ok(Answer::Yes)
}

/// The notation of each piece: names are those of the catalogue, and `all` is all of it.
fn notations(pieces: &[String]) -> Vec<String> {
    let mut notations = Vec::new();
    for piece in pieces.iter().map(|piece| piece.trim()) {
        match ::piece::named(&piece.to_lowercase()) {
            _ if piece == "all" => notations.extend(CATALOGUE.iter().map(|named| named.betza.to_owned())),
            Some(named) => notations.push(named.betza.to_owned()),
            None => notations.push(piece.to_owned()),
        }
    }
    let mut known = Vec::new();
    notations.retain(|notation| {
        let is_new = !known.contains(notation);
        known.push(notation.clone());
        is_new
    });
    notations
}

/// What pieces can do.
#[derive(Serialize)]
struct Row {
    pieces: String,
    names: String,
    mate: &'static str,
    /// White to move, of all positions on the whole board.
    wins_percent: String,
    draws_percent: String,
    losses_percent: String,
    longest_win_plies: Option<u16>,
    mean_win_plies: Option<String>,
    /// Black to move.
    saved_percent: String,
    longest_position: Option<String>,
}

impl Row {
    fn new(ending: &Ending, statistics: &Statistics) -> Self {
        let side = &statistics.white_to_move;
        let percent = |side: &SideStatistics, part: u64| {
            Mean::percent(part, side.legal().unreduced).map_or_else(String::new, |mean| mean.to_string())
        };
        let (all, wins, losses) = (side.legal().unreduced, side.wins.unreduced, side.losses.unreduced);
        let black = &statistics.black_to_move;
        let names = |piece: &String| {
            let own = CATALOGUE.iter().filter(|named| named.betza == piece).map(|named| named.name);
            Some(own.collect::<Vec<_>>().join(" / ")).filter(|names| !names.is_empty())
        };
        let names: Vec<String> = ending.white.iter().filter_map(names).collect();
        Row {
            pieces: ending.text(),
            names: names.join(" + "),
            mate: Mating::of(statistics).text(),
            wins_percent: percent(side, wins),
            draws_percent: percent(side, all - wins - losses),
            losses_percent: percent(side, losses),
            longest_win_plies: side.longest_win.as_ref().map(|longest| longest.ply),
            mean_win_plies: side.mean_win().map(|mean| mean.to_string()),
            saved_percent: percent(black, black.legal().unreduced - black.losses.unreduced),
            longest_position: side.longest_win.as_ref().map(|longest| longest.fen.clone()),
        }
    }

    fn cells(&self) -> [String; 8] {
        let number = |n: Option<u16>| n.map_or_else(String::new, |n| n.to_string());
        [
            visible(&self.pieces),
            self.names.clone(),
            self.mate.to_owned(),
            self.wins_percent.clone(),
            self.losses_percent.clone(),
            self.saved_percent.clone(),
            number(self.longest_win_plies),
            self.mean_win_plies.clone().unwrap_or_default(),
        ]
    }
}

fn text(args: &SurveyArgs, rows: &[Row], width: Option<usize>) -> String {
    let columns = [
        ("pieces", Align::Left),
        ("names", Align::Left),
        ("mate", Align::Left),
        ("wtm: win %", Align::Right),
        ("loss %", Align::Right),
        ("btm: saved %", Align::Right),
        ("longest win, plies", Align::Right),
        ("mean", Align::Right),
    ];
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    if args.markdown {
        let head = line(columns.iter().map(|(name, _)| (*name).to_owned()).collect());
        let rule = |&(_, align): &(&str, Align)| if align == Align::Left { "---" } else { "---:" }.to_owned();
        let rule = line(columns.iter().map(rule).collect());
        let code = |row: &Row| {
            let mut cells = row.cells().to_vec();
            cells[0] = format!("`{}`", cells[0]);
            line(cells)
        };
        return head + &rule + &rows.iter().map(code).collect::<String>();
    }
    if args.csv {
        let head = columns.iter().map(|(name, _)| name.replace(", ", " in "));
        let mut text = head.collect::<Vec<_>>().join(",") + "\n";
        rows.iter().for_each(|row| text += &(row.cells().join(",") + "\n"));
        return text;
    }
    let mut grid = Grid::new(&columns);
    rows.iter().for_each(|row| grid.push(row.cells().to_vec()));
    grid.text(width)
}
