//! `chart`: draws tables.

use crate::structure::for_each_known;
use crate::thing::MeantColumn;
use crate::{Console, Failure, Outcome, Thing, WholeTable, count, pool};
use ::stats::chart::{HeatMap, Lines, Series};
use ::stats::{DecidedByPly, PlyCount, SquareFigures};
use library::{TableFigures, open_structure};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use variant::{Man, Metric, Side, visible};

/// Draw how many positions of tables are decided at each ply, or a heat map of the board, as SVG
#[derive(clap::Args, Debug)]
pub(crate) struct ChartArgs {
    /// The tables, such as tables/fide/KBNvK.tsm, or structures (.tss); several go into one picture
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
    #[arg(long, value_parser = [WIN, LOSS], conflicts_with = "square_of")]
    pub(crate) result: Option<String>,
    /// A linear axis of positions [default: logarithmic]
    #[arg(long, conflicts_with = "square_of")]
    pub(crate) linear: bool,
    /// The rules of the game [default: those of the game of the tables, from variants/, beside the tables,
    /// or built in]
    #[arg(long, value_name = "FILE")]
    pub(crate) variant: Option<PathBuf>,
}

/// Results as people type them.
const WIN: &str = "win";
const LOSS: &str = "loss";

pub(crate) fn run(console: &mut Console<'_>, args: &ChartArgs) -> Outcome<()> {
    let svg = match args.square_of {
        Some(letter) => heat_map(console, args, letter)?,
        None => lines(console, args)?,
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
fn lines(console: &mut Console<'_>, args: &ChartArgs) -> Outcome<String> {
    let mut series = Vec::new();
    let mut names = Vec::new();
    for file in &args.file {
        if Thing::at(file) == Thing::Structure {
            names.push(lines_of_structure(console, args, file, &mut series)?);
            continue;
        }
        let meant = MeantColumn::of(file, args.variant.as_deref(), args.metric, false)?;
        let TableFigures { statistics, .. } = TableFigures::new(file, meant.summary)?;
        if statistics.metric == Metric::Wdl.name() {
            return Err(Failure::new(format!("{} holds who wins, and no plies to draw", file.display())));
        }
        let name = format!("{} {}", statistics.material, statistics.metric);
        let points = |plies: &[PlyCount]| {
            let plies = plies.iter().filter(|at| !at.count.is_zero());
            plies.map(|at| (at.ply, at.count.orbits)).collect()
        };
        for stm in Side::BOTH {
            let own = statistics.side(stm);
            add_series(
                &mut series,
                args,
                &name,
                stm,
                [&own.wins_by_ply, &own.losses_by_ply].map(|own| points(own)),
            );
        }
        names.push(name);
    }
    let title = format!("{}: positions by ply, modulo symmetry", names.join(", "));
    Ok(Lines { title, series, is_logarithmic: !args.linear }.svg())
}

/// Adds the lines of a side to move that are asked for: its wins, and its losses.
fn add_series(
    series: &mut Vec<Series>,
    args: &ChartArgs,
    name: &str,
    stm: Side,
    [wins, losses]: [Vec<(u16, u64)>; 2],
) {
    let is_asked = |result| args.result.as_ref().is_none_or(|own| own == result);
    for (result, verb, points) in [(WIN, "wins", wins), (LOSS, "loses", losses)] {
        if is_asked(result) && args.to_move.is_none_or(|own| own == stm) && !points.is_empty() {
            series.push(Series { name: format!("{name}: {stm} to move {verb}"), points });
        }
    }
}

/// Adds the lines of a structure: of all its slices together, without what is open. Answers its name.
fn lines_of_structure(
    console: &mut Console<'_>,
    args: &ChartArgs,
    file: &Path,
    series: &mut Vec<Series>,
) -> Outcome<String> {
    let game = Thing::Structure.game(file, args.variant.as_deref())?;
    let structure = open_structure(file, &game.variant, &[])?;
    let (metric, shown) = (structure.metric(), file.display());
    if args.metric.is_some_and(|own| own != metric) {
        return Err(Failure::new(format!("{shown} has {metric}: leave --metric out")));
    }
    if metric == Metric::Wdl {
        return Err(Failure::new(format!("{shown} holds who wins, and no plies to draw")));
    }
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let name = visible(&format!("{stem} {metric}"));
    let (mut sides, mut n_open) = ([DecidedByPly::default(), DecidedByPly::default()], 0);
    for_each_known(
        console,
        &pool(None)?,
        &[Arc::new(structure)],
        |_| true,
        |_, known, _, _| {
            n_open += known.n_open;
            for (sum, stm) in sides.iter_mut().zip(Side::BOTH) {
                sum.add(DecidedByPly::of(&known.table, stm));
            }
            Ok(ControlFlow::Continue(()))
        },
    )?;
    for (own, stm) in sides.into_iter().zip(Side::BOTH) {
        add_series(series, args, &name, stm, [own.wins, own.losses].map(|plies| plies.into_iter().collect()));
    }
    if n_open > 0 {
        let open = count(n_open);
        console
            .tell(&format!("{shown}: {open} open placements are left out: only a bound of them is known"))?;
    }
    Ok(name)
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
