//! Holds the streams of a command, so that tests can stand in for a terminal.

use crate::Failure;
use crate::fold::fold;
use crate::program::Program;
use std::io::{BufRead, Write};
use std::path::PathBuf;
use variant::visible;

/// Standard input that can tell whether a line is there, so that output is flushed when input pauses.
pub(crate) trait Input: BufRead {
    /// Whether a whole line is there without waiting.
    fn has_line(&mut self) -> bool;

    /// What is left of the input, for a thread that reads it to the end.
    #[cfg(feature = "play")]
    fn taken(&mut self) -> Box<dyn BufRead + Send>;
}

#[cfg(test)]
impl<R: std::io::Read> Input for std::io::BufReader<R> {
    fn has_line(&mut self) -> bool {
        self.buffer().contains(&b'\n')
    }

    #[cfg(feature = "play")]
    fn taken(&mut self) -> Box<dyn BufRead + Send> {
        let mut rest = Vec::new();
        std::io::Read::read_to_end(self, &mut rest).expect("a stream in memory");
        Box::new(std::io::Cursor::new(rest))
    }
}

/// The streams of a command and how its program is called.
pub(crate) struct Console<'a> {
    pub(crate) program: Program,
    pub(crate) input: &'a mut dyn Input,
    pub(crate) out: &'a mut (dyn Write + Send),
    pub(crate) err: &'a mut (dyn Write + Send),
    /// Whether a person watches standard error, so that bars can move there.
    pub(crate) is_watched: bool,
    /// Where measurements of this machine are kept; none if nothing is kept.
    pub(crate) cache: Option<PathBuf>,
    /// How wide the terminal is that output goes to; none if it goes elsewhere.
    pub(crate) out_width: Option<usize>,
    /// How wide the terminal is that errors go to; none if they go elsewhere.
    pub(crate) err_width: Option<usize>,
}

impl<'a> Console<'a> {
    /// Streams that nobody watches and no terminal reads; measurements are not kept.
    pub(crate) fn new(
        program: Program,
        input: &'a mut dyn Input,
        out: &'a mut (dyn Write + Send),
        err: &'a mut (dyn Write + Send),
    ) -> Self {
        Console { program, input, out, err, is_watched: false, cache: None, out_width: None, err_width: None }
    }

    /// Prints a line beside the output, folded where a terminal is too narrow for it.
    pub(crate) fn tell(&mut self, line: &str) -> Result<(), Failure> {
        let line = self.folded(&visible(line));
        Ok(writeln!(self.err, "{line}")?)
    }

    /// Says, once a run, that positions had rights that cannot be.
    pub(crate) fn tell_denied(&mut self) -> Result<(), Failure> {
        self.tell("rights to castle or to capture en passant that the men of a position deny were left out")
    }

    /// Folds a text where the terminal of errors is too narrow for it.
    pub(crate) fn folded(&self, text: &str) -> String {
        self.err_width.map_or_else(|| text.to_owned(), |width| fold(text, width))
    }

    /// Prints a value as JSON.
    pub(crate) fn print_json(&mut self, value: &impl serde::Serialize) -> Result<(), Failure> {
        let text = serde_json::to_string_pretty(value).map_err(Failure::new)?;
        Ok(writeln!(self.out, "{text}")?)
    }
}
