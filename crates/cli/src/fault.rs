//! Draws the faults of a variant file for people: the lines of the file, marks below them, and the help
//! texts.

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use variant::{Fault, Report, visible, visible_in_place};

/// Draws all faults of a report; in colours for a terminal.
///
/// Without colours the text depends on the file and its name only, not on where it is printed.
pub(crate) fn draw(report: &Report, colours: bool) -> String {
    let renderer = if colours { Renderer::styled() } else { Renderer::plain() };
    let renderer = renderer.decor_style(DecorStyle::Unicode);
    // What stands in the file is written, and not obeyed.
    let (text, name) = (visible_in_place(report.text()), visible(report.source_name()));
    let mut out = String::new();
    for fault in report.faults() {
        let drawn = renderer.render(&[group(&text, &name, fault)]);
        for line in drawn.lines() {
            out += line.trim_end();
            out.push('\n');
        }
        out.push('\n');
    }
    out + &visible(&report.summary()) + "\n"
}

/// A fault as the renderer reads it.
fn group<'a>(text: &'a str, name: &'a str, fault: &'a Fault) -> Group<'a> {
    let mark = AnnotationKind::Primary.span(fault.span.clone());
    let mark = if fault.key.is_empty() { mark } else { mark.label(&fault.key) };
    let lines = Snippet::source(text).path(name).annotation(mark);
    Group::with_title(Level::ERROR.primary_title(&fault.message))
        .element(lines)
        .element(Level::HELP.message(&fault.help))
}
