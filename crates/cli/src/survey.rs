//! `survey`: solves king and pieces against king for a list of pieces, a line each.

use crate::piece::read;
use crate::report::text;
use crate::{Console, Failure, Outcome, Report, Watch, plural, pool, seconds};
use ::piece::CATALOGUE;
use ::stats::{Mean, Statistics};
use geometry::Board;
use library::{Ending, mating_in_a_word};
use serde::Serialize;
use std::collections::BTreeSet;
use std::time::Instant;
use variant::Metric;

/// Solve king and piece against king for a list of pieces, and print a line each: can they mate, how long
#[derive(clap::Args, Debug)]
pub(crate) struct SurveyArgs {
    /// The pieces: Betza notation or names, with commas between them, such as "N,NN,grasshopper"; `all` is
    /// every piece that has a name
    #[arg(long, value_name = "PIECES", value_delimiter = ',', required = true)]
    pub(crate) pieces: Vec<String>,
    /// Every two of the pieces together, two of the same too
    #[arg(long)]
    pub(crate) pairs: bool,
    /// What Black has beside the king: a piece, or several to be tried, with commas between them; an empty
    /// one is a bare king
    #[arg(long, value_name = "PIECES", value_delimiter = ',', default_value = "")]
    pub(crate) against: Vec<String>,
    /// Files and ranks, such as 10x8
    #[arg(long, value_name = "SIZE", default_value = "8x8", value_parser = crate::args::parse_board)]
    pub(crate) board: Board,
    /// What the tables hold: dtm, or dtc, dtz, dtz50
    #[arg(long, value_name = "METRIC", default_value = "dtm")]
    pub(crate) metric: Metric,
    /// Print the table in Markdown
    #[arg(long, conflicts_with_all = ["json", "csv"])]
    pub(crate) markdown: bool,
    /// Print values with commas between them
    #[arg(long, conflicts_with = "json")]
    pub(crate) csv: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// How many threads compute [default: as many as there are cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
}

pub(crate) fn run(console: &mut Console<'_>, args: &SurveyArgs) -> Outcome<()> {
    if matches!(args.metric, Metric::Wdl | Metric::Help) {
        return Err(Failure::new("a survey counts plies of a contest; wdl has none, and help is no contest"));
    }
    let pieces = notations(&args.pieces);
    if pieces.iter().any(String::is_empty) {
        let why = "--pieces has an empty name; write pieces with commas between them, as in N,NN";
        return Err(Failure::new(why));
    }
    let against = notations(&args.against);
    let wrong: Vec<String> = pieces.iter().chain(&against).filter_map(|piece| read(piece).err()).collect();
    if !wrong.is_empty() {
        return Err(Failure::plain(wrong.join("\n")));
    }
    let endings = Ending::all(&pieces, &against, args.pairs);
    let pool = pool(args.threads)?;
    let begin = Instant::now();
    let watch = Watch::new(console.is_watched, &mut *console.err);
    watch.start(endings.len(), endings.len() as u64);
    let row = |ending: &Ending| {
        let watching = watch.begin(&ending.text(), 1);
        let statistics = pool.install(|| ending.solve(&args.board, args.metric))?;
        watching.finish_silently();
        Ok(Row::new(ending, &statistics))
    };
    let rows = watch.during(|| endings.iter().map(row).collect::<Outcome<Vec<Row>>>())?;
    drop(watch);
    if args.json {
        console.print_json(&rows)?;
    } else {
        console.print(&listed(args, &rows), args.csv, args.markdown)?;
    }
    let (files, ranks) = (args.board.files(), args.board.ranks());
    let (all, time) = (plural(rows.len() as u64, "ending"), seconds(begin.elapsed()));
    console.tell(&format!("{all} on {files} × {ranks} squares ({time})"))
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
    let mut known = BTreeSet::new();
    notations.retain(|notation| known.insert(notation.clone()));
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
        let (side, black) = (&statistics.white_to_move, &statistics.black_to_move);
        let [wins_percent, draws_percent, losses_percent] = side.percentages().map(text);
        let saved = black.legal().unreduced - black.losses.unreduced;
        let own = |piece| CATALOGUE.iter().filter(move |named| named.betza == piece).map(|named| named.name);
        let names = ending.white.iter().map(|piece| own(piece).collect::<Vec<_>>().join(" / "));
        let names: Vec<String> = names.filter(|names| !names.is_empty()).collect();
        Row {
            pieces: ending.text(),
            names: names.join(" + "),
            mate: mating_in_a_word(statistics),
            wins_percent,
            draws_percent,
            losses_percent,
            longest_win_plies: side.longest_win.as_ref().map(|longest| longest.ply),
            mean_win_plies: side.mean_win().map(|mean| mean.to_string()),
            saved_percent: text(Mean::percent(saved, black.legal().unreduced)),
            longest_position: side.longest_win.as_ref().map(|longest| longest.fen.clone()),
        }
    }
}

fn listed(args: &SurveyArgs, rows: &[Row]) -> Report {
    let (plies, quote) = (if args.csv { " in" } else { "," }, if args.markdown { "`" } else { "" });
    let mut report = Report::new(&format!(
        "pieces | names | mate | >wtm: win % | >loss % | >btm: saved % | >longest win{plies} plies | >mean"
    ));
    for row in rows {
        report.row([
            &format!("{quote}{}{quote}", row.pieces),
            &row.names,
            row.mate,
            &row.wins_percent,
            &row.losses_percent,
            &row.saved_percent,
            &text(row.longest_win_plies),
            row.mean_win_plies.as_deref().unwrap_or_default(),
        ]);
    }
    report
}
