//! What is wrong with a variant file: every fault with its place, its key, and what to write instead.

use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource, SourceCode};
use std::fmt;
use std::ops::Range;
use std::path::PathBuf;

/// The width at which reports break their lines.
const WIDTH: usize = 100;

/// One fault of a variant file.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub struct Fault {
    /// The line, from 1.
    pub line: usize,
    /// The character in the line, from 1.
    pub column: usize,
    /// The bytes of the file that are at fault.
    pub span: Range<usize>,
    /// The key, with the tables that it is in: `board.files`, `piece[3].pawn.start-rank`; empty for the whole
    /// file.
    pub key: String,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub help: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: ", self.line, self.column)?;
        if !self.key.is_empty() {
            write!(f, "{}: ", self.key)?;
        }
        write!(f, "{}; {}", self.message, self.help)
    }
}

/// A variant file that cannot be used: all its faults, in the order of the file; never none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    source_name: String,
    text: String,
    faults: Vec<Fault>,
}

impl Report {
    /// The report of these faults; none if there are none.
    pub(crate) fn new(source_name: &str, text: &str, mut faults: Vec<Fault>) -> Option<Self> {
        faults.sort_by(|a, b| {
            (a.span.start, a.span.end, &a.message).cmp(&(b.span.start, b.span.end, &b.message))
        });
        faults.dedup();
        (!faults.is_empty()).then(|| Report { source_name: source_name.into(), text: text.into(), faults })
    }

    /// The faults, in the order of the file.
    #[must_use]
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }

    /// The name of the file, as given.
    #[must_use]
    pub fn source_name(&self) -> &str {
        &self.source_name
    }

    /// The report as people read it, with the lines of the file; in colours for a terminal.
    ///
    /// Without colours the text depends on the file and its name only, not on where it is printed.
    #[must_use]
    pub fn render(&self, colours: bool) -> String {
        let theme = if colours { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
        let handler = GraphicalReportHandler::new_themed(theme)
            .with_width(WIDTH)
            .with_links(false)
            .without_syntax_highlighting();
        let source = NamedSource::new(&self.source_name, self.text.clone());
        let mut out = String::new();
        for fault in &self.faults {
            // Writing to a string cannot fail, and miette fails only on spans outside the text.
            if handler.render_report(&mut out, &Shown { fault, source: &source }).is_err() {
                out += &format!("{}:{fault}\n", self.source_name);
            }
            out.push('\n');
        }
        let lines = out.lines().map(|line| line.trim_end().to_owned() + "\n");
        lines.collect::<String>() + &self.summary() + "\n"
    }

    fn summary(&self) -> String {
        let n = self.faults.len();
        format!("{}: {n} {}, nothing was read", self.source_name, if n == 1 { "fault" } else { "faults" })
    }
}

impl fmt::Display for Report {
    /// One line for the file and one for each fault.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.summary())?;
        self.faults.iter().try_for_each(|fault| write!(f, "\n{}:{fault}", self.source_name))
    }
}

impl std::error::Error for Report {}

/// A variant that could not be loaded from a file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The file could not be read.
    #[error("cannot read the variant file {}: {source}; give the path of a file such as variants/fide.toml", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The file is no text in UTF-8.
    #[error("{} is not UTF-8 (byte {byte}); save it as UTF-8", path.display())]
    NotUtf8 {
        /// The file.
        path: PathBuf,
        /// The first byte that is wrong, from 1.
        byte: usize,
    },
    /// The file was read and has faults.
    #[error(transparent)]
    Faults(#[from] Report),
}

/// A fault as miette wants to see it.
struct Shown<'a> {
    fault: &'a Fault,
    source: &'a NamedSource<String>,
}

impl fmt::Debug for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fault.fmt(f)
    }
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.fault.message)
    }
}

impl std::error::Error for Shown<'_> {}

impl Diagnostic for Shown<'_> {
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

/// The line and column, both from 1, of a byte in a text.
pub(crate) fn line_and_column(text: &str, byte: usize) -> (usize, usize) {
    let before = &text.as_bytes()[..byte.min(text.len())];
    let line_start = before.iter().rposition(|&b| b == b'\n').map_or(0, |at| at + 1);
    let line = before.iter().filter(|&&b| b == b'\n').count() + 1;
    (line, String::from_utf8_lossy(&before[line_start..]).chars().count() + 1)
}
