//! Draws the faults of a variant file for people: the lines of the file, marks below them, and the help
//! texts.

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use variant::{Fault, Report};

/// Draws all faults of a report; in colours for a terminal.
///
/// Without colours the text depends on the file and its name only, not on where it is printed.
pub(crate) fn draw(report: &Report, colours: bool) -> String {
    let renderer = if colours { Renderer::styled() } else { Renderer::plain() };
    let renderer = renderer.decor_style(DecorStyle::Unicode);
    let mut out = String::new();
    for fault in report.faults() {
        let drawn = renderer.render(&[group(report, fault)]);
        for line in drawn.lines() {
            out += line.trim_end();
            out.push('\n');
        }
        out.push('\n');
    }
    out + &report.summary() + "\n"
}

/// A fault as the renderer reads it.
fn group<'a>(report: &'a Report, fault: &'a Fault) -> Group<'a> {
    let mark = AnnotationKind::Primary.span(fault.span.clone());
    let mark = if fault.key.is_empty() { mark } else { mark.label(&fault.key) };
    let lines = Snippet::source(report.text()).path(report.source_name()).annotation(mark);
    Group::with_title(Level::ERROR.primary_title(&fault.message))
        .element(lines)
        .element(Level::HELP.message(&fault.help))
}
