//! `chart`: draws tables.

mod args;

use crate::console::Console;
use crate::filed::FiledTable;
use crate::pool::pool;
use crate::{Answer, Failure, Outcome};
use ::stats::{PlyCount, SquareFigures};
pub(crate) use args::ChartArgs;
use args::{ResultArg, SideArg};
use library::TableFigures;
use stats::chart::{HeatMap, Lines, Series};
use variant::{Man, Metric, Side};

pub(crate) fn run(console: &mut Console<'_>, args: &ChartArgs) -> Outcome {
    let svg = match args.square_of {
        Some(letter) => heat_map(console, args, letter)?,
        None => lines(args)?,
    };
    let Some(out) = &args.out else {
        write!(console.out, "{svg}")?;
        return Ok(Answer::Yes);
    };
    let is_png = out.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("png"));
    let bytes = if is_png { pixels(&svg)? } else { svg.into_bytes() };
    format::write_atomically(out, &[&bytes]).map_err(Failure::new)?;
    console.tell(&format!("{}: written", out.display()))?;
    Ok(Answer::Yes)
}

/// A picture in pixels, twice as large as the drawing.
#[cfg(feature = "png")]
fn pixels(svg: &str) -> Result<Vec<u8>, Failure> {
    stats::chart::png(svg).map_err(Failure::new)
}

#[cfg(not(feature = "png"))]
fn pixels(_: &str) -> Result<Vec<u8>, Failure> {
    Err(Failure::new(
        "this program was built without PNG; name a file that ends in .svg, or build it with the feature `png` \
         (cargo run --release -p tablesmith-cli --features png -- chart …)",
    ))
}

fn side(side: SideArg) -> Side {
    match side {
        SideArg::White => Side::White,
        SideArg::Black => Side::Black,
    }
}

/// How many positions are decided at each ply.
fn lines(args: &ChartArgs) -> Result<String, Failure> {
    let mut series = Vec::new();
    let mut names = Vec::new();
    for file in &args.file {
        let TableFigures { statistics, .. } = TableFigures::read(file)?;
        if statistics.metric == Metric::Wdl.name() {
            return Err(Failure::new(format!("{} holds who wins, and no plies to draw", file.display())));
        }
        let name = format!("{} {}", statistics.material, statistics.metric);
        for stm in Side::BOTH.into_iter().filter(|&stm| args.to_move.is_none_or(|own| side(own) == stm)) {
            let own = statistics.side(stm);
            let results =
                [(ResultArg::Win, "wins", &own.wins_by_ply), (ResultArg::Loss, "loses", &own.losses_by_ply)];
            for (result, verb, plies) in results {
                let is_meant = args.result.is_none_or(|own| own == result);
                let point = |at: &PlyCount| (at.ply, at.count.orbits);
                let points: Vec<(u16, u64)> =
                    plies.iter().filter(|at| !at.count.is_zero()).map(point).collect();
                if is_meant && !points.is_empty() {
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
fn heat_map(console: &mut Console<'_>, args: &ChartArgs, letter: char) -> Result<String, Failure> {
    let [file] = &args.file[..] else {
        return Err(Failure::new("a heat map is of one table; name one"));
    };
    let filed = FiledTable::open(file, args.variant.as_deref())?;
    if filed.metric == Metric::Wdl {
        return Err(Failure::new(format!("{} holds who wins, and no plies", file.display())));
    }
    let pool = pool(None)?;
    let (variant, table) = (&filed.game.variant, &filed.read(console, &pool)?);
    let piece = variant.piece_lettered(letter.to_ascii_uppercase());
    let own = if letter.is_ascii_uppercase() { Side::White } else { Side::Black };
    let man = piece.map(|piece| Man { side: own, piece });
    let stm = args.to_move.map_or(Side::Black, side);
    let figures = man.and_then(|man| pool.install(|| SquareFigures::collect(table, man, stm)));
    let name = table.layout().name();
    let figures = figures.ok_or_else(|| {
        let men: String = table.layout().men().iter().map(|&man| variant.fen_letter(man)).collect();
        Failure::new(format!("{name} has no man `{letter}`; it has {men}"))
    })?;
    let (decided, drawn) = figures.iter().fold((0, 0), |(a, b), at| (a + at.decided, b + at.drawn));
    let percent =
        ::stats::Mean::percent(drawn, decided + drawn).map_or_else(|| "0".into(), |p| p.to_string());
    let map = HeatMap {
        title: format!("{name}: mean plies, {stm} to move, by the square of {letter}"),
        caption: format!("{} of decided positions; {percent} % are drawn", filed.metric),
        board: variant.board,
        tenths: figures.iter().map(SquareFigures::mean_tenths).collect(),
    };
    Ok(map.svg())
}
