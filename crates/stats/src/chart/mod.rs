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

mod axis;
mod bars;
mod heat_map;
mod lines;
#[cfg(feature = "png")]
mod png;
mod svg;

pub use bars::{Bars, Panel};
pub use heat_map::HeatMap;
pub use lines::{Lines, Series};
#[cfg(feature = "png")]
pub use png::png;

#[cfg(test)]
mod tests;
