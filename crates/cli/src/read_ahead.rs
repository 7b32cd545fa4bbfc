//! Reads an input ahead, by a thread of its own, so that a command that takes its lines sees whether there
//! are more.
//!
//! A pipe gives 64 KiB at a time, and a program cannot ask it whether there is more without waiting. The
//! thread can wait: what comes while a batch is answered is there when the next one is gathered.

use crate::console::Input;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

/// How much is read at a time.
const PIECE_BYTES: usize = 1 << 16;

/// How many lines are read ahead.
const MAX_AHEAD: usize = 1 << 15;

/// An input that a thread reads. The thread starts when the first byte is asked for, and ends with the input
/// or with the process.
pub(crate) struct ReadAhead<R> {
    /// The input, until the thread has it.
    source: Option<R>,
    /// Whole lines; also what was read before the end or before an error.
    lines: Option<Receiver<io::Result<Vec<u8>>>>,
    /// The line that is being taken.
    line: Cursor<Vec<u8>>,
    /// What was received behind the line.
    failed: Option<io::Error>,
}

impl<R: Read + Send + 'static> ReadAhead<R> {
    /// Reads this input as soon as something of it is wanted.
    pub(crate) fn new(source: R) -> Self {
        ReadAhead { source: Some(source), lines: None, line: Cursor::default(), failed: None }
    }

    fn start(&mut self) -> io::Result<()> {
        let Some(source) = self.source.take() else { return Ok(()) };
        let (sender, receiver) = sync_channel(MAX_AHEAD);
        self.lines = Some(receiver);
        let read_all = move || {
            let mut source = BufReader::with_capacity(PIECE_BYTES, source);
            loop {
                let mut line = Vec::new();
                let read = source.read_until(b'\n', &mut line);
                // The thread ends where nothing is taken any more, or nothing can follow.
                if !line.is_empty() && sender.send(Ok(line)).is_err() {
                    return;
                }
                match read {
                    Ok(0) => return,
                    Ok(_) => {}
                    Err(error) => return drop(sender.send(Err(error))),
                }
            }
        };
        thread::Builder::new().name("input".into()).spawn(read_all).map(drop)
    }

    /// Whether nothing is left of the line.
    fn is_taken(&self) -> bool {
        self.line.position() as usize >= self.line.get_ref().len()
    }

    fn receive(&mut self, line: io::Result<Vec<u8>>) {
        match line {
            Ok(line) => self.line = Cursor::new(line),
            Err(error) => self.failed = Some(error),
        }
    }
}

impl<R: Read + Send + 'static> Input for ReadAhead<R> {
    #[cfg(feature = "play")]
    fn taken(&mut self) -> Box<dyn BufRead + Send> {
        let nothing = ReadAhead { source: None, lines: None, line: Cursor::default(), failed: None };
        Box::new(std::mem::replace(self, nothing))
    }

    fn has_line(&mut self) -> bool {
        if self.is_taken()
            && let Some(Ok(line)) = self.lines.as_ref().map(Receiver::try_recv)
        {
            self.receive(line);
        }
        !self.is_taken() && self.line.get_ref().ends_with(b"\n")
    }
}

impl<R: Read + Send + 'static> BufRead for ReadAhead<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.start()?;
        if self.is_taken() && self.failed.is_none() {
            // The thread that has ended sends nothing: that is the end of the input.
            if let Some(Ok(line)) = self.lines.as_ref().map(Receiver::recv) {
                self.receive(line);
            }
        }
        match self.failed.take() {
            Some(error) => Err(error),
            None => self.line.fill_buf(),
        }
    }

    fn consume(&mut self, n_bytes: usize) {
        self.line.consume(n_bytes);
    }
}

impl<R: Read + Send + 'static> Read for ReadAhead<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.fill_buf()?;
        self.line.read(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::ReadAhead;
    use crate::console::Input;
    use std::io::{self, BufRead, Read};
    use std::sync::mpsc::{Receiver, Sender, channel};
    use std::time::{Duration, Instant};

    /// An input that gives what somebody sends, and waits until somebody does.
    struct Sent(Receiver<io::Result<&'static str>>);

    impl Read for Sent {
        fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
            let Ok(sent) = self.0.recv() else { return Ok(0) };
            let text = sent?;
            bytes[..text.len()].copy_from_slice(text.as_bytes());
            Ok(text.len())
        }
    }

    fn input() -> (Sender<io::Result<&'static str>>, ReadAhead<Sent>) {
        let (sender, receiver) = channel();
        (sender, ReadAhead::new(Sent(receiver)))
    }

    fn line(input: &mut ReadAhead<Sent>) -> io::Result<String> {
        let mut line = String::new();
        input.read_line(&mut line).map(|_| line)
    }

    /// Waits until a line is there, but not for ever.
    fn has_line_soon(input: &mut ReadAhead<Sent>) -> bool {
        let begin = Instant::now();
        while begin.elapsed() < Duration::from_secs(60) {
            if input.has_line() {
                return true;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        false
    }

    #[test]
    fn a_line_is_there_when_all_of_it_is() {
        let (sender, mut input) = input();
        sender.send(Ok("one\ntw")).unwrap();
        assert_eq!(line(&mut input).unwrap(), "one\n");
        assert!(!input.has_line());
        // What comes later is there without being waited for.
        sender.send(Ok("o\nthree")).unwrap();
        assert!(has_line_soon(&mut input) && input.has_line());
        assert_eq!(line(&mut input).unwrap(), "two\n");
        assert!(!input.has_line());
        drop(sender);
        assert_eq!(line(&mut input).unwrap(), "three");
        assert_eq!(line(&mut input).unwrap(), "");
    }

    #[test]
    fn an_error_comes_behind_what_was_read_before() {
        let (sender, mut input) = input();
        sender.send(Ok("one\n")).unwrap();
        sender.send(Err(io::ErrorKind::TimedOut.into())).unwrap();
        assert_eq!(line(&mut input).unwrap(), "one\n");
        assert!(!input.has_line());
        assert_eq!(line(&mut input).unwrap_err().kind(), io::ErrorKind::TimedOut);
    }

    #[test]
    fn many_pieces_are_one_text() {
        let text: String = (0..100_000).map(|number| format!("{number}\n")).collect();
        let bytes: &'static [u8] = text.clone().into_bytes().leak();
        let mut read = String::new();
        ReadAhead::new(bytes).read_to_string(&mut read).unwrap();
        assert_eq!(read, text);
    }
}
