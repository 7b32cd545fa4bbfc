//! Draws an SVG text in pixels.

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};

/// How many pixels a unit of the drawing has.
const SCALE: f32 = 2.0;

/// The picture of an SVG text as PNG. Letters are drawn with the fonts of the system, so the bytes are not
/// the same everywhere.
///
/// # Errors
/// The text is no SVG, or the picture is too large; in words.
pub fn png(svg: &str) -> Result<Vec<u8>, String> {
    let mut options = Options::default();
    options.fontdb_mut().load_system_fonts();
    let tree =
        Tree::from_str(svg, &options).map_err(|error| format!("the drawing cannot be read: {error}"))?;
    let size = tree.size().to_int_size();
    let pixels = |length: u32| (length as f32 * SCALE).ceil() as u32;
    let (width, height) = (pixels(size.width()), pixels(size.height()));
    let mut pixmap = Pixmap::new(width, height)
        .ok_or_else(|| format!("a picture of {width} × {height} pixels is too large"))?;
    resvg::render(&tree, Transform::from_scale(SCALE, SCALE), &mut pixmap.as_mut());
    pixmap.encode_png().map_err(|error| format!("the picture cannot be packed: {error}"))
}
