//! Shows control characters on their way to a terminal instead of letting them act there.
//!
//! File names and texts of others may have anything in them. Output to a file or a pipe stays as it is.

use std::io::{self, Write};

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
