//! Draws the faults of a variant file for people: the lines of the file, marks below them, and the help
//! texts.

use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource, SourceCode};
use std::fmt;
use variant::{Fault, Report};

/// The width at which the drawing breaks its lines.
const WIDTH: usize = 100;

/// Draws all faults of a report; in colours for a terminal.
///
/// Without colours the text depends on the file and its name only, not on where it is printed.
pub(crate) fn draw(report: &Report, colours: bool) -> String {
    let theme = if colours { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    let handler = GraphicalReportHandler::new_themed(theme)
        .with_width(WIDTH)
        .with_links(false)
        .without_syntax_highlighting();
    let source = NamedSource::new(report.source_name(), report.text().to_owned());
    let mut out = String::new();
    for fault in report.faults() {
        // Writing to a string cannot fail, and miette fails only on spans outside the text.
        if handler.render_report(&mut out, &Drawn { fault, source: &source }).is_err() {
            out += &format!("{}:{fault}\n", report.source_name());
        }
        out.push('\n');
    }
    let lines = out.lines().map(|line| line.trim_end().to_owned() + "\n");
    lines.collect::<String>() + &report.summary() + "\n"
}

/// A fault as miette reads it.
struct Drawn<'a> {
    fault: &'a Fault,
    source: &'a NamedSource<String>,
}

impl fmt::Debug for Drawn<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fault.fmt(f)
    }
}

impl fmt::Display for Drawn<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.fault.message)
    }
}

impl std::error::Error for Drawn<'_> {}

impl Diagnostic for Drawn<'_> {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(&self.fault.help))
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(self.source)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let label = (!self.fault.key.is_empty()).then(|| self.fault.key.clone());
        Some(Box::new(std::iter::once(LabeledSpan::new_with_span(label, self.fault.span.clone()))))
    }
}
