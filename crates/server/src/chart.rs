//! Draws how many positions are won and lost after how many plies, as SVG.
//!
//! Two panels, one for each side to move. The background is transparent and the writing grey, so that the
//! picture stands on a light and on a dark page.

use plotters::coord::Shift;
use plotters::coord::ranged1d::ValueFormatter;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use stats::{PlyCount, SideStatistics, Statistics};
use variant::Side;

/// Shape: width and height in pixels.
const SIZE: (u32, u32) = (900, 640);

const WINS: RGBColor = RGBColor(46, 139, 87);
const LOSSES: RGBColor = RGBColor(200, 70, 60);
const GREY: RGBColor = RGBColor(128, 128, 128);

/// The chart of a table, or a sentence that says why there is none.
pub(crate) fn by_ply(statistics: &Statistics, is_log: bool) -> Result<String, String> {
    let sides = [Side::White, Side::Black];
    let longest = sides.iter().flat_map(|&side| plies(statistics.side(side))).map(|at| at.ply).max();
    let Some(longest) = longest else {
        return Err(format!(
            "nobody wins in {} ({}), or no distances are counted",
            statistics.material, statistics.metric
        ));
    };
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        let panels = area.split_evenly((2, 1));
        for (panel, side) in panels.iter().zip(sides) {
            let title = format!("{} {}: {side} to move", statistics.material, statistics.metric);
            draw(panel, &title, statistics.side(side), longest, is_log)
                .map_err(|error| format!("the chart cannot be drawn: {error}"))?;
        }
        area.present().map_err(|error| format!("the chart cannot be drawn: {error}"))?;
    }
    Ok(svg)
}

fn plies(side: &SideStatistics) -> impl Iterator<Item = &PlyCount> {
    side.wins_by_ply.iter().chain(&side.losses_by_ply)
}

fn draw<B: DrawingBackend>(
    panel: &DrawingArea<B, Shift>,
    title: &str,
    side: &SideStatistics,
    longest: u16,
    is_log: bool,
) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
    let most = plies(side).map(|at| at.count.orbits).max().unwrap_or(1).max(1);
    let mut builder = ChartBuilder::on(panel);
    builder
        .caption(title, ("sans-serif", 18).into_font().color(&GREY))
        .margin(12)
        .x_label_area_size(36)
        .y_label_area_size(86);
    let x = -1.0..f64::from(longest) + 1.0;
    // A bar of one position is seen on a logarithmic scale too.
    if is_log {
        let chart = builder.build_cartesian_2d(x, (0.5..most as f64 * 1.3).log_scale())?;
        fill(chart, side, 0.5)
    } else {
        let chart = builder.build_cartesian_2d(x, 0.0..most as f64 * 1.06)?;
        fill(chart, side, 0.0)
    }
}

fn fill<'a, B, Y>(
    mut chart: ChartContext<'a, B, Cartesian2d<RangedCoordf64, Y>>,
    side: &SideStatistics,
    floor: f64,
) -> Result<(), DrawingAreaErrorKind<B::ErrorType>>
where
    B: DrawingBackend + 'a,
    Y: Ranged<ValueType = f64> + ValueFormatter<f64>,
{
    chart
        .configure_mesh()
        .disable_x_mesh()
        .bold_line_style(GREY.mix(0.25))
        .light_line_style(TRANSPARENT)
        .axis_style(GREY)
        .label_style(("sans-serif", 13).into_font().color(&GREY))
        .x_desc("plies")
        .y_desc("positions modulo symmetry")
        .x_label_formatter(&|ply| format!("{ply:.0}"))
        .y_label_formatter(&|&count| library::figure::count(count.max(0.0).round() as u64))
        .draw()?;
    for (name, counts, colour) in [("wins", &side.wins_by_ply, WINS), ("losses", &side.losses_by_ply, LOSSES)]
    {
        let bars = counts.iter().filter(|at| at.count.orbits > 0).map(|at| {
            let (ply, count) = (f64::from(at.ply), at.count.orbits as f64);
            Rectangle::new([(ply - 0.45, floor), (ply + 0.45, count)], colour.filled())
        });
        let series = chart.draw_series(bars)?;
        if !counts.is_empty() {
            series
                .label(name)
                .legend(move |(x, y)| Rectangle::new([(x, y - 5), (x + 10, y + 5)], colour.filled()));
        }
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperRight)
        .label_font(("sans-serif", 13).into_font().color(&GREY))
        .draw()
}
