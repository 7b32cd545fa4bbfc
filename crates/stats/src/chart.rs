//! Draws charts as SVG: how many positions are decided at each ply, and what a board's squares are worth.
//!
//! ```
//! use stats::chart::{Lines, Series};
//!
//! let series = Series { name: "KQvK, White wins".into(), points: vec![(1, 306), (3, 629), (5, 1135)] };
//! let svg = Lines { title: "wins by ply".into(), series: vec![series], is_logarithmic: true }.svg();
//! assert!(svg.starts_with("<svg ") && svg.contains("<polyline "));
//! ```
//!
//! A chart is plain data and its text the same bytes everywhere, so that it can be compared with a snapshot:
//! no font is measured, no clock read, and coordinates are rounded to tenths. It knows no table.
//! With the feature `png` the text is drawn in pixels, with the fonts that the system has.

use geometry::{Board, Square};
#[cfg(feature = "png")]
use resvg::tiny_skia::{Pixmap, Transform};
#[cfg(feature = "png")]
use resvg::usvg::{Options, Tree};
use std::fmt::Write;

/// A chart of several panels with the same plies.
///
/// The background is transparent and the writing grey, so that the picture stands on a light and on a dark
/// page.
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
const BARS_LEFT: f64 = 100.0;
const RIGHT: f64 = 14.0;
const BARS_TOP: f64 = 42.0;
const PLOT_HEIGHT: f64 = 224.0;

/// Read as well on white as on black.
const GREY: &str = "#767676";
/// Of lines behind the bars: grey that lets the page through.
const FAINT: &str = "#76767640";

/// Green, red, and colours that go with them.
const BAR_COLOURS: [&str; 4] = ["#2e8b57", "#c8463c", "#4682b4", "#b8860b"];

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
        let (top, bottom) = (corner + BARS_TOP, corner + BARS_TOP + PLOT_HEIGHT);
        let width = f64::from(self.width);
        let plot_width = width - BARS_LEFT - RIGHT;
        let most = panel.series.iter().flat_map(|series| &series.points).map(|at| at.1).max();
        let most = most.unwrap_or(1).max(1);
        let share = |count: f64| match self.is_logarithmic {
            true => (count / LOG_FLOOR).ln() / (most as f64 * 1.3 / LOG_FLOOR).ln(),
            false => count / (most as f64 * 1.06),
        };
        let y = |count: u64| bottom - PLOT_HEIGHT * share(count as f64).max(0.0);
        // A bar is nearly as wide as a ply, and the first and last stand clear of the edges.
        let ply_width = plot_width / (plies + 2) as f64;
        let x = |ply: u64| BARS_LEFT + ply_width * (ply + 1) as f64;
        svg.text((width / 2.0, corner + 14.0), Anchor::Middle, GREY, &panel.title);
        let rows: Vec<u64> = match self.is_logarithmic {
            true => (0..20).map(|decade| 10u64.pow(decade)).take_while(|&count| count <= most).collect(),
            false => ticks(most),
        };
        for count in rows {
            svg.line((BARS_LEFT, y(count)), (BARS_LEFT + plot_width, y(count)), FAINT);
            svg.text((BARS_LEFT - 6.0, y(count) + 4.0), Anchor::End, GREY, &grouped(count));
        }
        let coloured = panel.series.iter().zip(BAR_COLOURS.into_iter().cycle());
        let coloured = coloured.filter(|(series, _)| !series.points.is_empty());
        for (number, (series, colour)) in coloured.enumerate() {
            for &(ply, count) in &series.points {
                let (left, height) = (x(ply.into()) - 0.45 * ply_width, bottom - y(count));
                svg.rectangle((left, y(count)), (0.9 * ply_width, height), colour);
            }
            let row = top + 6.0 + 18.0 * number as f64;
            svg.rectangle((BARS_LEFT + plot_width - 74.0, row), (10.0, 10.0), colour);
            svg.text((BARS_LEFT + plot_width - 58.0, row + 9.0), Anchor::Start, GREY, &series.name);
        }
        svg.line((BARS_LEFT, bottom), (BARS_LEFT + plot_width, bottom), GREY);
        svg.line((BARS_LEFT, top), (BARS_LEFT, bottom), GREY);
        for ply in ticks(plies) {
            svg.text((x(ply), bottom + 16.0), Anchor::Middle, GREY, &ply.to_string());
        }
        svg.text((BARS_LEFT + plot_width / 2.0, bottom + 34.0), Anchor::Middle, GREY, "plies");
        svg.text((BARS_LEFT, top - 10.0), Anchor::Middle, GREY, "positions modulo symmetry");
    }
}

/// A line of a chart.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Series {
    /// What is counted.
    pub name: String,
    /// Plies and how many positions take this many, in ascending order; none of them 0.
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
const LINES_LEFT: f64 = 80.0;
const LINES_TOP: f64 = 40.0;
const LEGEND_LINE: f64 = 18.0;

/// Colours that people with any eyes can tell apart (Okabe and Ito 2008), and darker ones of them.
const LINE_COLOURS: [&str; 10] = [
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
        let height = LINES_TOP + PLOT.1 + 60.0 + LEGEND_LINE * self.series.len() as f64;
        let mut svg = Svg::new(WIDTH, height, &self.title);
        svg.text((WIDTH / 2.0, 24.0), Anchor::Middle, INK, &self.title);
        let x = |ply: u64| LINES_LEFT + PLOT.0 * ply as f64 / plies as f64;
        let top_decade = (counts as f64).log10().ceil().max(1.0);
        let y = |count: u64| {
            let share = match self.is_logarithmic {
                true => (count as f64).log10() / top_decade,
                false => count as f64 / nice_top(counts) as f64,
            };
            LINES_TOP + PLOT.1 * (1.0 - share)
        };
        for ply in ticks(plies) {
            svg.line((x(ply), LINES_TOP), (x(ply), LINES_TOP + PLOT.1), "#e0e0e0");
            svg.text((x(ply), LINES_TOP + PLOT.1 + 16.0), Anchor::Middle, INK, &ply.to_string());
        }
        let rows: Vec<u64> = match self.is_logarithmic {
            true => (0..=top_decade as u32).map(|decade| 10u64.pow(decade)).collect(),
            false => ticks(nice_top(counts)),
        };
        for count in rows {
            svg.line((LINES_LEFT, y(count)), (LINES_LEFT + PLOT.0, y(count)), "#e0e0e0");
            svg.text((LINES_LEFT - 6.0, y(count) + 4.0), Anchor::End, INK, &grouped(count));
        }
        svg.text((LINES_LEFT + PLOT.0 / 2.0, LINES_TOP + PLOT.1 + 34.0), Anchor::Middle, INK, "plies");
        svg.text((LINES_LEFT - 6.0, LINES_TOP - 12.0), Anchor::End, INK, "positions");
        for (number, series) in self.series.iter().enumerate() {
            let colour = LINE_COLOURS[number % LINE_COLOURS.len()];
            let points: Vec<(f64, f64)> =
                series.points.iter().map(|&(ply, n)| (x(ply.into()), y(n.max(1)))).collect();
            match points[..] {
                // A line of one point is none.
                [(x, y)] => svg.rectangle((x - 2.0, y - 2.0), (4.0, 4.0), colour),
                _ => svg.polyline(&points, colour),
            }
            let row = LINES_TOP + PLOT.1 + 54.0 + LEGEND_LINE * number as f64;
            svg.rectangle((LINES_LEFT, row - 6.0), (24.0, 3.0), colour);
            svg.text((LINES_LEFT + 32.0, row), Anchor::Start, INK, &series.name);
        }
        svg.finish()
    }
}

/// A board with a number on each square.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HeatMap {
    /// What stands above it.
    pub title: String,
    /// What stands below it.
    pub caption: String,
    /// The board.
    pub board: Board,
    /// By square, in tenths; none where there is nothing to say.
    pub tenths: Vec<Option<u64>>,
}

const CELL: f64 = 56.0;
const BOARD_LEFT: f64 = 40.0;
const BOARD_TOP: f64 = 44.0;

/// From the least to the greatest number, dark to light; equally bright steps (after `viridis`).
const HEAT: [[u64; 3]; 5] = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];

impl HeatMap {
    /// The map as SVG.
    ///
    /// # Panics
    /// If there is not one number for each square.
    #[must_use]
    pub fn svg(&self) -> String {
        assert_eq!(self.tenths.len(), self.board.n_squares(), "a number for each square");
        let (files, ranks) = (self.board.files(), self.board.ranks());
        let width = (2.0 * BOARD_LEFT + CELL * files as f64).max(420.0);
        let height = BOARD_TOP + CELL * ranks as f64 + 60.0;
        let mut svg = Svg::new(width, height, &self.title);
        svg.text((width / 2.0, 24.0), Anchor::Middle, INK, &self.title);
        let known = || self.tenths.iter().flatten().copied();
        let (least, most) = (known().min().unwrap_or(0), known().max().unwrap_or(0));
        for square in self.board.squares() {
            let (at, tenths) = (self.corner(square), self.tenths[square.index()]);
            let (colour, ink) = match tenths {
                Some(tenths) => colours(tenths - least, most - least),
                None => ("#ffffff".to_owned(), INK),
            };
            svg.rectangle(at, (CELL, CELL), &colour);
            let text = tenths.map_or_else(|| "–".to_owned(), |t| format!("{}.{}", t / 10, t % 10));
            svg.text((at.0 + CELL / 2.0, at.1 + CELL / 2.0 + 4.0), Anchor::Middle, ink, &text);
        }
        for file in 0..files {
            let x = BOARD_LEFT + CELL * (file as f64 + 0.5);
            let letter = ((b'a' + file as u8) as char).to_string();
            svg.text((x, BOARD_TOP + CELL * ranks as f64 + 18.0), Anchor::Middle, INK, &letter);
        }
        for rank in 0..ranks {
            let y = BOARD_TOP + CELL * ((ranks - rank) as f64 - 0.5) + 4.0;
            svg.text((BOARD_LEFT - 12.0, y), Anchor::End, INK, &(rank + 1).to_string());
        }
        svg.text((width / 2.0, height - 14.0), Anchor::Middle, INK, &self.caption);
        svg.finish()
    }

    fn corner(&self, square: Square) -> (f64, f64) {
        let (file, rank) = (self.board.file_of(square), self.board.rank_of(square));
        (BOARD_LEFT + CELL * file as f64, BOARD_TOP + CELL * (self.board.ranks() - 1 - rank) as f64)
    }
}

/// The colour of a number on the scale, and an ink that can be read on it.
fn colours(part: u64, whole: u64) -> (String, &'static str) {
    let n_steps = HEAT.len() as u64 - 1;
    // In thousandths of the scale, in integers, so that it is the same everywhere.
    let place = (part * 1000).checked_div(whole).unwrap_or(500);
    let step = (place * n_steps / 1000).min(n_steps - 1);
    let within = place * n_steps - step * 1000;
    let (low, high) = (HEAT[step as usize], HEAT[step as usize + 1]);
    let [r, g, b]: [u64; 3] =
        std::array::from_fn(|i| (low[i] * (1000 - within) + high[i] * within + 500) / 1000);
    (format!("#{r:02x}{g:02x}{b:02x}"), if place < 550 { "#ffffff" } else { INK })
}

/// A round number that is no smaller.
pub(crate) fn nice_top(most: u64) -> u64 {
    let step = step(most);
    most.div_ceil(step) * step
}

/// A round step that makes at most some ten ticks.
fn step(most: u64) -> u64 {
    let mut unit = 1u64;
    loop {
        for factor in [1, 2, 5] {
            if most / (unit * factor) <= 10 {
                return unit * factor;
            }
        }
        unit = unit.saturating_mul(10);
    }
}

/// Round numbers from 0 up to a number.
pub(crate) fn ticks(most: u64) -> Vec<u64> {
    (0..=most / step(most)).map(|n| n * step(most)).collect()
}

/// A number with spaces between thousands.
pub(crate) fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// A picture in the making.
pub(crate) struct Svg {
    text: String,
}

/// Where a text stands with regard to its point.
#[derive(Clone, Copy)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// The ink of lines and letters.
pub(crate) const INK: &str = "#222222";

impl Svg {
    /// An empty white picture, with a title for readers of screens.
    pub(crate) fn new(width: f64, height: f64, title: &str) -> Self {
        let mut svg = Svg::transparent(width, height, title);
        let (w, h) = (number(width), number(height));
        let _ = writeln!(svg.text, "<rect width=\"{w}\" height=\"{h}\" fill=\"#ffffff\"/>");
        svg
    }

    /// A picture without a background: what is behind it shows.
    pub(crate) fn transparent(width: f64, height: f64, title: &str) -> Self {
        let (w, h, title) = (number(width), number(height), escaped(title));
        let text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {w} {h}\" width=\"{w}\" height=\"{h}\" \
             font-family=\"DejaVu Sans, Helvetica, Arial, sans-serif\" font-size=\"12\">\n<title>{title}</title>\n"
        );
        Svg { text }
    }

    pub(crate) fn finish(self) -> String {
        self.text + "</svg>\n"
    }

    pub(crate) fn line(&mut self, from: (f64, f64), to: (f64, f64), colour: &str) {
        let [x1, y1, x2, y2] = [from.0, from.1, to.0, to.1].map(number);
        let _ = writeln!(
            self.text,
            "<line x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\" stroke=\"{colour}\"/>"
        );
    }

    pub(crate) fn polyline(&mut self, points: &[(f64, f64)], colour: &str) {
        let points: Vec<String> =
            points.iter().map(|&(x, y)| format!("{},{}", number(x), number(y))).collect();
        let points = points.join(" ");
        let _ = writeln!(
            self.text,
            "<polyline points=\"{points}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\"/>"
        );
    }

    pub(crate) fn rectangle(&mut self, at: (f64, f64), size: (f64, f64), colour: &str) {
        let [x, y, w, h] = [at.0, at.1, size.0, size.1].map(number);
        let _ =
            writeln!(self.text, "<rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" fill=\"{colour}\"/>");
    }

    pub(crate) fn text(&mut self, at: (f64, f64), anchor: Anchor, colour: &str, text: &str) {
        let [x, y] = [at.0, at.1].map(number);
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let text = escaped(text);
        let _ = writeln!(
            self.text,
            "<text x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\" fill=\"{colour}\">{text}</text>"
        );
    }
}

/// A coordinate in tenths, without a zero that says nothing.
fn number(coordinate: f64) -> String {
    let text = format!("{coordinate:.1}");
    text.strip_suffix(".0").map_or_else(|| text.clone(), str::to_owned)
}

/// A text that another program has written.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars().filter(|c| !c.is_control()) {
        match c {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            c => escaped.push(c),
        }
    }
    escaped
}

/// How many pixels a unit of the drawing has.
#[cfg(feature = "png")]
const PNG_SCALE: f32 = 2.0;

/// The picture of an SVG text as PNG. Letters are drawn with the fonts of the system, so the bytes are not
/// the same everywhere.
///
/// # Errors
/// The text is no SVG, or the picture is too large; in words.
#[cfg(feature = "png")]
pub fn png(svg: &str) -> Result<Vec<u8>, String> {
    let mut options = Options::default();
    options.fontdb_mut().load_system_fonts();
    let tree =
        Tree::from_str(svg, &options).map_err(|error| format!("the drawing cannot be read: {error}"))?;
    let size = tree.size().to_int_size();
    let pixels = |length: u32| (length as f32 * PNG_SCALE).ceil() as u32;
    let (width, height) = (pixels(size.width()), pixels(size.height()));
    let mut pixmap = Pixmap::new(width, height)
        .ok_or_else(|| format!("a picture of {width} × {height} pixels is too large"))?;
    resvg::render(&tree, Transform::from_scale(PNG_SCALE, PNG_SCALE), &mut pixmap.as_mut());
    pixmap.encode_png().map_err(|error| format!("the picture cannot be packed: {error}"))
}

#[cfg(test)]
mod tests;
