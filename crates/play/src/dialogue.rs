//! Reads commands line by line and hands each to a protocol, until one of them ends the dialogue.

use std::io::{self, BufRead, Write};

/// A line of a protocol: `setboard 8/8/…`.
pub(crate) struct Command<'a> {
    /// The whole line, without its end.
    pub(crate) line: &'a str,
    /// Its first word: what to do.
    pub(crate) word: &'a str,
    /// What stands behind that.
    pub(crate) rest: &'a str,
}

/// Obeys each command until one answers that the dialogue is over, or the input ends. What was written is
/// sent off after each.
///
/// # Errors
/// The input cannot be read, or nobody reads the output.
pub(crate) fn converse(
    input: &mut dyn BufRead,
    out: &mut dyn Write,
    mut obey: impl FnMut(&Command<'_>, &mut dyn Write) -> io::Result<bool>,
) -> io::Result<()> {
    let mut bytes = Vec::new();
    while input.read_until(b'\n', &mut bytes)? > 0 {
        // The path of a folder may have any bytes; what is no UTF-8 is no command, and no end either.
        let text = String::from_utf8_lossy(&bytes);
        let line = text.trim();
        let (word, rest) =
            line.split_once(char::is_whitespace).map_or((line, ""), |(word, rest)| (word, rest.trim()));
        let is_going_on = obey(&Command { line, word, rest }, out)?;
        out.flush()?;
        if !is_going_on {
            break;
        }
        bytes.clear();
    }
    Ok(())
}
