//! Draws how many positions are decided at each ply: a line for each series.

use crate::chart::axis::{grouped, nice_top, ticks};
use crate::chart::svg::{Anchor, INK, Svg};

/// A line of a chart.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Series {
    /// What is counted.
    pub name: String,
    /// Plies and how many positions take so many, in ascending order; none of them 0.
    pub points: Vec<(u16, u64)>,
}

/// A chart of several series.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lines {
    /// What stands above it.
    pub title: String,
    /// The series; from the eleventh on colours come again.
    pub series: Vec<Series>,
    /// Whether the axis of positions is logarithmic.
    pub is_logarithmic: bool,
}

const WIDTH: f64 = 960.0;
const PLOT: (f64, f64) = (860.0, 420.0);
const LEFT: f64 = 80.0;
const TOP: f64 = 40.0;
const LEGEND_LINE: f64 = 18.0;

/// Colours that people with any eyes can tell apart (Okabe and Ito 2008), and darker ones of them.
const COLOURS: [&str; 10] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#7f4f00", "#5f3f7f",
    "#7f7f7f",
];

impl Lines {
    /// The chart as SVG.
    #[must_use]
    pub fn svg(&self) -> String {
        let most = |of: fn(&(u16, u64)) -> u64| {
            self.series.iter().flat_map(|series| series.points.iter().map(of)).max().unwrap_or(1).max(1)
        };
        let (plies, counts) = (most(|at| at.0.into()), most(|at| at.1));
        let height = TOP + PLOT.1 + 60.0 + LEGEND_LINE * self.series.len() as f64;
        let mut svg = Svg::new(WIDTH, height, &self.title);
        svg.text((WIDTH / 2.0, 24.0), Anchor::Middle, INK, &self.title);
        let x = |ply: u64| LEFT + PLOT.0 * ply as f64 / plies as f64;
        let top_decade = (counts as f64).log10().ceil().max(1.0);
        let y = |count: u64| {
            let share = match self.is_logarithmic {
                true => (count as f64).log10() / top_decade,
                false => count as f64 / nice_top(counts) as f64,
            };
            TOP + PLOT.1 * (1.0 - share)
        };
        for ply in ticks(plies) {
            svg.line((x(ply), TOP), (x(ply), TOP + PLOT.1), "#e0e0e0");
            svg.text((x(ply), TOP + PLOT.1 + 16.0), Anchor::Middle, INK, &ply.to_string());
        }
        let rows: Vec<u64> = match self.is_logarithmic {
            true => (0..=top_decade as u32).map(|decade| 10u64.pow(decade)).collect(),
            false => ticks(nice_top(counts)),
        };
        for count in rows {
            svg.line((LEFT, y(count)), (LEFT + PLOT.0, y(count)), "#e0e0e0");
            svg.text((LEFT - 6.0, y(count) + 4.0), Anchor::End, INK, &grouped(count));
        }
        svg.text((LEFT + PLOT.0 / 2.0, TOP + PLOT.1 + 34.0), Anchor::Middle, INK, "plies");
        svg.text((LEFT - 6.0, TOP - 12.0), Anchor::End, INK, "positions");
        for (number, series) in self.series.iter().enumerate() {
            let colour = COLOURS[number % COLOURS.len()];
            let points: Vec<(f64, f64)> =
                series.points.iter().map(|&(ply, n)| (x(ply.into()), y(n.max(1)))).collect();
            match points[..] {
                // A line of one point is none.
                [(x, y)] => svg.rectangle((x - 2.0, y - 2.0), (4.0, 4.0), colour),
                _ => svg.polyline(&points, colour),
            }
            let row = TOP + PLOT.1 + 54.0 + LEGEND_LINE * number as f64;
            svg.rectangle((LEFT, row - 6.0), (24.0, 3.0), colour);
            svg.text((LEFT + 32.0, row), Anchor::Start, INK, &series.name);
        }
        svg.finish()
    }
}
