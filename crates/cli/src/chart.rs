//! `chart`: draws tables.

use crate::thing::MeantColumn;
use crate::{Console, Failure, Outcome, WholeTable, pool};
use ::stats::SquareFigures;
use ::stats::chart::{HeatMap, Lines, Series};
use library::TableFigures;
use std::path::PathBuf;
use variant::{Man, Metric, Side};

/// Draw how many positions of tables are decided at each ply, or a heat map of the board, as SVG
#[derive(clap::Args, Debug)]
pub(crate) struct ChartArgs {
    /// The tables, such as tables/fide/KBNvK.tsm; several go into one picture
    #[arg(required = true)]
    pub(crate) file: Vec<PathBuf>,
    /// Which column of the tables' files [default: the metric of the rules, or the only one that counts
    /// plies]
    #[arg(long, value_name = "METRIC")]
    pub(crate) metric: Option<Metric>,
    /// Where the picture goes [default: standard output]; with the feature `png` a name that ends in .png
    /// makes pixels of it
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// A heat map instead: how many plies it takes on average with this man, by its letter in a FEN, there
    #[arg(long, value_name = "MAN")]
    pub(crate) square_of: Option<char>,
    /// Only positions with this side to move [default: both; of a heat map Black]
    #[arg(long, value_parser = crate::args::side())]
    pub(crate) to_move: Option<Side>,
    /// Only wins, or only losses, of the side to move [default: both]
    #[arg(long, value_enum, conflicts_with = "square_of")]
    pub(crate) result: Option<ResultArg>,
    /// A linear axis of positions [default: logarithmic]
    #[arg(long, conflicts_with = "square_of")]
    pub(crate) linear: bool,
    /// The rules of the game [default: those of the game of the tables, from variants/, beside the tables,
    /// or built in]
    #[arg(long, value_name = "FILE")]
    pub(crate) variant: Option<PathBuf>,
}

/// A result as people type it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum ResultArg {
    Win,
    Loss,
}

pub(crate) fn run(console: &mut Console<'_>, args: &ChartArgs) -> Outcome<()> {
    let svg = match args.square_of {
        Some(letter) => heat_map(console, args, letter)?,
        None => lines(args)?,
    };
    let Some(out) = &args.out else {
        return Ok(write!(console.out, "{svg}")?);
    };
    let is_png = out.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("png"));
    let bytes = if is_png { pixels(&svg)? } else { svg.into_bytes() };
    format::write_atomically(out, &[&bytes])?;
    console.tell(&format!("{}: written", out.display()))
}

/// A picture in pixels, twice as large as the drawing.
#[cfg(feature = "png")]
fn pixels(svg: &str) -> Outcome<Vec<u8>> {
    ::stats::chart::png(svg).map_err(Failure::new)
}

#[cfg(not(feature = "png"))]
fn pixels(_: &str) -> Outcome<Vec<u8>> {
    Err(Failure::new(
        "this program was built without PNG; name a file that ends in .svg, or build it with the feature `png` \
         (cargo run --release -p tablesmith-cli --features png -- chart …)",
    ))
}

/// How many positions are decided at each ply.
fn lines(args: &ChartArgs) -> Outcome<String> {
    let mut series = Vec::new();
    let mut names = Vec::new();
    for file in &args.file {
        let meant = MeantColumn::of(file, args.variant.as_deref(), args.metric)?;
        let TableFigures { statistics, .. } = TableFigures::new(file, meant.summary)?;
        if statistics.metric == Metric::Wdl.name() {
            return Err(Failure::new(format!("{} holds who wins, and no plies to draw", file.display())));
        }
        let name = format!("{} {}", statistics.material, statistics.metric);
        for stm in Side::BOTH.into_iter().filter(|&stm| args.to_move.is_none_or(|own| own == stm)) {
            let own = statistics.side(stm);
            let wins = (ResultArg::Win, "wins", &own.wins_by_ply);
            for (result, verb, plies) in [wins, (ResultArg::Loss, "loses", &own.losses_by_ply)] {
                let plies = plies.iter().filter(|at| !at.count.is_zero());
                let points: Vec<(u16, u64)> = plies.map(|at| (at.ply, at.count.orbits)).collect();
                if args.result.is_none_or(|own| own == result) && !points.is_empty() {
                    series.push(Series { name: format!("{name}: {stm} to move {verb}"), points });
                }
            }
        }
        names.push(name);
    }
    let title = format!("{}: positions by ply, modulo symmetry", names.join(", "));
    Ok(Lines { title, series, is_logarithmic: !args.linear }.svg())
}

/// How long it takes with a man on each square.
fn heat_map(console: &mut Console<'_>, args: &ChartArgs, letter: char) -> Outcome<String> {
    let [file] = &args.file[..] else {
        return Err(Failure::new("a heat map is of one table; name one"));
    };
    let pool = pool(None)?;
    let WholeTable { game, metric, table } =
        &WholeTable::read(console, &pool, file, args.variant.as_deref(), args.metric)?;
    if *metric == Metric::Wdl {
        return Err(Failure::new(format!("{} holds who wins, and no plies", file.display())));
    }
    let variant = &game.variant;
    let piece = variant.piece_lettered(letter.to_ascii_uppercase());
    let own = if letter.is_ascii_uppercase() { Side::White } else { Side::Black };
    let man = piece.map(|piece| Man { side: own, piece });
    let stm = args.to_move.unwrap_or(Side::Black);
    let figures = man.and_then(|man| pool.install(|| SquareFigures::collect(table, man, stm)));
    let name = table.layout().name();
    let figures = figures.ok_or_else(|| {
        let men: String = table.layout().men().iter().map(|&man| variant.fen_letter(man)).collect();
        Failure::new(format!("{name} has no man `{letter}`; it has {men}"))
    })?;
    let (decided, drawn) = figures.iter().fold((0, 0), |(a, b), at| (a + at.decided, b + at.drawn));
    let percent = ::stats::Mean::percent(drawn, decided + drawn);
    let percent = percent.map_or_else(|| "0".into(), |percent| percent.to_string());
    let map = HeatMap {
        title: format!("{name}: mean plies, {stm} to move, by the square of {letter}"),
        caption: format!("{metric} of decided positions; {percent} % are drawn"),
        board: variant.board,
        tenths: figures.iter().map(SquareFigures::mean_tenths).collect(),
    };
    Ok(map.svg())
}
