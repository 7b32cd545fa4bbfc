//! Writes the elements of an SVG picture.

use std::fmt::Write;

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

    /// The same without a background: what is behind it shows.
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

/// A text that somebody else has written.
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
