//! Holds the streams of a command, so that tests can stand in for a terminal, and shows control characters
//! on their way to a terminal instead of letting them act there: file names and texts of others may have
//! anything in them.

use crate::user_folder::TABLES;
use crate::{Input, Outcome, Report, fold};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use variant::visible;

/// How the program is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Program {
    /// What a person types before the command's name.
    pub name: &'static str,
    /// What follows the help text.
    pub more_help: &'static str,
    /// The file that starts it, if it is not the executable of this process; under Python it is a script.
    pub path: Option<&'static Path>,
}

impl Program {
    /// The file that other processes start, such as jobs of a cluster.
    pub(crate) fn file(&self) -> Option<PathBuf> {
        self.path.map(Path::to_path_buf).or_else(|| std::env::current_exe().ok())
    }
}

/// The installed binary.
pub const TABLESMITH: Program = Program { name: "tablesmith", more_help: "", path: None };

/// Where a command prints.
pub(crate) type Out<'a> = &'a mut (dyn Write + Send);

/// The streams of a command and how its program is called.
pub(crate) struct Console<'a> {
    pub(crate) program: Program,
    pub(crate) input: &'a mut Input,
    pub(crate) out: Out<'a>,
    pub(crate) err: Out<'a>,
    /// Whether a person watches standard error, so that bars can move there.
    pub(crate) is_watched: bool,
    /// Where measurements of this machine are kept; none if nothing is kept.
    pub(crate) cache: Option<PathBuf>,
    /// Where the tables of games are, if no argument says so: a folder for each.
    pub(crate) tables: PathBuf,
    /// How wide the terminal is that output goes to; none if it goes elsewhere.
    pub(crate) out_width: Option<usize>,
    /// How wide the terminal is that errors go to; none if they go elsewhere.
    pub(crate) err_width: Option<usize>,
}

impl<'a> Console<'a> {
    /// Streams that no person watches and no terminal reads; measurements are not kept.
    pub(crate) fn new(program: Program, input: &'a mut Input, out: Out<'a>, err: Out<'a>) -> Self {
        let (is_watched, cache, tables) = (false, None, TABLES.into());
        Console { program, input, out, err, is_watched, cache, tables, out_width: None, err_width: None }
    }

    /// Prints a line beside the output, folded where a terminal is too narrow for it.
    pub(crate) fn tell(&mut self, line: &str) -> Outcome<()> {
        let line = fold(&visible(line), self.err_width);
        Ok(writeln!(self.err, "{line}")?)
    }

    /// Says, once a run, that positions had rights that cannot be, if any had.
    pub(crate) fn tell_denied(&mut self, any_denied: bool) -> Outcome<()> {
        let what = "rights to castle or to capture en passant that the men of a position deny were left out";
        if any_denied { self.tell(what) } else { Ok(()) }
    }

    /// Prints a text, folded where the terminal of the output is too narrow for it.
    pub(crate) fn print_folded(&mut self, text: &str) -> Outcome<()> {
        Ok(write!(self.out, "{}", fold(text, self.out_width))?)
    }

    /// Prints a report as a table in Markdown, as CSV, or else as text.
    pub(crate) fn print(&mut self, report: &Report, as_csv: bool, as_markdown: bool) -> Outcome<()> {
        let text = match (as_csv, as_markdown) {
            (true, _) => report.csv(),
            (_, true) => report.markdown(),
            _ => report.text(self.out_width),
        };
        Ok(write!(self.out, "{text}")?)
    }

    /// Prints a value as JSON.
    pub(crate) fn print_json(&mut self, value: &impl serde::Serialize) -> Outcome<()> {
        let text = serde_json::to_string_pretty(value)?;
        Ok(writeln!(self.out, "{text}")?)
    }
}

/// A terminal that sees no control character but the end of a line, the return and the tabulator.
pub(crate) struct MaskedTerminal<W> {
    out: W,
    /// The first byte of a character of two, of which some are control characters, that waits for the other.
    waiting: Option<u8>,
}

/// The byte that begins the control characters beyond ASCII, U+0080 to U+009F, in UTF-8.
const C1_LEAD: u8 = 0xc2;

impl<W: Write> MaskedTerminal<W> {
    pub(crate) fn new(out: W) -> Self {
        MaskedTerminal { out, waiting: None }
    }
}

impl<W: Write> Write for MaskedTerminal<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut shown = Vec::with_capacity(bytes.len());
        for &byte in bytes {
            match (self.waiting.take(), byte) {
                (Some(_), 0x80..=0x9f) => shown.extend_from_slice(format!("\\u{{{byte:x}}}").as_bytes()),
                (lead, C1_LEAD) => {
                    shown.extend(lead);
                    self.waiting = Some(C1_LEAD);
                }
                (lead, _) => {
                    shown.extend(lead);
                    match byte {
                        b'\n' | b'\r' | b'\t' => shown.push(byte),
                        0..0x20 | 0x7f => shown.extend_from_slice(format!("\\u{{{byte:x}}}").as_bytes()),
                        _ => shown.push(byte),
                    }
                }
            }
        }
        self.out.write_all(&shown)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::MaskedTerminal;
    use std::io::Write;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        // In pieces of every length, so that characters come in parts, too.
        for n_bytes in 1..=text.len() {
            let mut out = Vec::new();
            let mut terminal = MaskedTerminal::new(&mut out);
            text.as_bytes().chunks(n_bytes).for_each(|part| terminal.write_all(part).expect("room"));
            assert_eq!(String::from_utf8(out).expect("text"), expected, "{n_bytes} bytes at a time");
        }
    }

    #[test]
    fn control_characters_are_shown() {
        check("K\u{1b}[31mQ.tsm: ok\n", "K\\u{1b}[31mQ.tsm: ok\n");
        check("a\u{9b}31mb\u{7f}\u{7}", "a\\u{9b}31mb\\u{7f}\\u{7}");
        check("\tJosé × ½, ♔ und Ångström\r\n", "\tJosé × ½, ♔ und Ångström\r\n");
    }
}
