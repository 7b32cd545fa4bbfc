//! Draws how many positions are decided at each ply as bars, in panels one below the other.
//!
//! The background is transparent and the writing grey, so that the picture stands on a light and on a dark
//! page.

use crate::chart::Series;
use crate::chart::axis::{grouped, ticks};
use crate::chart::svg::{Anchor, Svg};

/// A chart of several panels with the same plies.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bars {
    /// The panels, from top to bottom.
    pub panels: Vec<Panel>,
    /// Whether the axes of positions are logarithmic.
    pub is_logarithmic: bool,
    /// How wide it is, letters being as large in each width: at least [`Bars::LEAST_WIDTH`].
    pub width: u16,
}

/// A panel of bars.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Panel {
    /// What stands above it.
    pub title: String,
    /// What is counted, each in a colour of its own; at one ply later bars hide earlier ones. One without
    /// points is not named.
    pub series: Vec<Series>,
}

const HEIGHT: f64 = 320.0;
/// From the corner of a panel.
const LEFT: f64 = 100.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 42.0;
const PLOT_HEIGHT: f64 = 224.0;

const GREY: &str = "#808080";
/// Of lines behind the bars: grey that lets the page through.
const FAINT: &str = "#80808040";

/// Green, red, and colours that go with them.
const COLOURS: [&str; 4] = ["#2e8b57", "#c8463c", "#4682b4", "#b8860b"];

/// A bar of one position is seen on a logarithmic axis too.
const LOG_FLOOR: f64 = 0.5;

impl Bars {
    /// In which the writing has room.
    pub const LEAST_WIDTH: u16 = 320;

    /// The chart as SVG.
    #[must_use]
    pub fn svg(&self) -> String {
        let all = || self.panels.iter().flat_map(|panel| &panel.series).flat_map(|series| &series.points);
        let plies = all().map(|at| at.0).max().unwrap_or(1).max(1).into();
        let titles: Vec<&str> = self.panels.iter().map(|panel| panel.title.as_str()).collect();
        let mut svg =
            Svg::transparent(self.width.into(), HEIGHT * self.panels.len().max(1) as f64, &titles.join("; "));
        for (number, panel) in self.panels.iter().enumerate() {
            self.draw(&mut svg, panel, HEIGHT * number as f64, plies);
        }
        svg.finish()
    }

    fn draw(&self, svg: &mut Svg, panel: &Panel, corner: f64, plies: u64) {
        let (top, bottom) = (corner + TOP, corner + TOP + PLOT_HEIGHT);
        let width = f64::from(self.width);
        let plot_width = width - LEFT - RIGHT;
        let most = panel.series.iter().flat_map(|series| &series.points).map(|at| at.1).max();
        let most = most.unwrap_or(1).max(1);
        let share = |count: f64| match self.is_logarithmic {
            true => (count / LOG_FLOOR).ln() / (most as f64 * 1.3 / LOG_FLOOR).ln(),
            false => count / (most as f64 * 1.06),
        };
        let y = |count: u64| bottom - PLOT_HEIGHT * share(count as f64).max(0.0);
        // A bar is nearly as wide as a ply, and the first and last stand clear of the edges.
        let ply_width = plot_width / (plies + 2) as f64;
        let x = |ply: u64| LEFT + ply_width * (ply + 1) as f64;
        svg.text((width / 2.0, corner + 14.0), Anchor::Middle, GREY, &panel.title);
        let rows: Vec<u64> = match self.is_logarithmic {
            true => (0..20).map(|decade| 10u64.pow(decade)).take_while(|&count| count <= most).collect(),
            false => ticks(most),
        };
        for count in rows {
            svg.line((LEFT, y(count)), (LEFT + plot_width, y(count)), FAINT);
            svg.text((LEFT - 6.0, y(count) + 4.0), Anchor::End, GREY, &grouped(count));
        }
        let coloured = panel.series.iter().zip(COLOURS.into_iter().cycle());
        let coloured = coloured.filter(|(series, _)| !series.points.is_empty());
        for (number, (series, colour)) in coloured.enumerate() {
            for &(ply, count) in &series.points {
                let (left, height) = (x(ply.into()) - 0.45 * ply_width, bottom - y(count));
                svg.rectangle((left, y(count)), (0.9 * ply_width, height), colour);
            }
            let row = top + 6.0 + 18.0 * number as f64;
            svg.rectangle((LEFT + plot_width - 74.0, row), (10.0, 10.0), colour);
            svg.text((LEFT + plot_width - 58.0, row + 9.0), Anchor::Start, GREY, &series.name);
        }
        svg.line((LEFT, bottom), (LEFT + plot_width, bottom), GREY);
        svg.line((LEFT, top), (LEFT, bottom), GREY);
        for ply in ticks(plies) {
            svg.text((x(ply), bottom + 16.0), Anchor::Middle, GREY, &ply.to_string());
        }
        svg.text((LEFT + plot_width / 2.0, bottom + 34.0), Anchor::Middle, GREY, "plies");
        svg.text((LEFT, top - 10.0), Anchor::Middle, GREY, "positions modulo symmetry");
    }
}
