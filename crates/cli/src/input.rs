//! Reads the input ahead, by a thread of its own, so that a command that takes its lines sees whether there
//! are more.
//!
//! A pipe gives 64 KiB at a time, and a program cannot ask it whether there is more without waiting. The
//! thread can wait: what comes while a batch is answered is there when the next one is gathered.

use crate::{Failure, Outcome};
use std::io::{self, BufRead, BufReader, Read};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

/// How much is read at a time.
const PIECE_BYTES: usize = 1 << 16;

/// How many lines are read ahead.
const MAX_AHEAD: usize = 1 << 15;

/// An input that a thread reads. The thread starts when the first line is asked for, and ends with the input
/// or with the process.
pub(crate) struct Input {
    /// The input, until the thread has it.
    source: Option<Box<dyn Read + Send>>,
    /// Whole lines; also what was read before the end or before an error.
    lines: Option<Receiver<io::Result<Vec<u8>>>>,
    /// What was looked at and not taken.
    next: Option<io::Result<Vec<u8>>>,
}

impl Input {
    /// Reads this input as soon as something of it is wanted.
    pub(crate) fn new(source: impl Read + Send + 'static) -> Self {
        Input { source: Some(Box::new(source)), lines: None, next: None }
    }

    /// The next line with its end, or what stands behind the last end of a line; none if the input is over.
    pub(crate) fn line(&mut self) -> Outcome<Option<Vec<u8>>> {
        let failed = |error| Failure::new(format!("cannot read the input: {error}"));
        if let Some(source) = self.source.take() {
            self.lines = Some(start(source).map_err(failed)?);
        }
        // The thread that has ended sends nothing: that is the end of the input.
        let next = self.next.take().or_else(|| self.lines.as_ref()?.recv().ok());
        next.transpose().map_err(failed)
    }

    /// Whether a whole line is there without waiting.
    pub(crate) fn has_line(&mut self) -> bool {
        self.next = self.next.take().or_else(|| self.lines.as_ref()?.try_recv().ok());
        matches!(&self.next, Some(Ok(line)) if line.ends_with(b"\n"))
    }

    /// The input of which no line was read, for a thread that reads it to the end.
    #[cfg(feature = "play")]
    pub(crate) fn taken(&mut self) -> Box<dyn BufRead + Send> {
        Box::new(BufReader::new(self.source.take().unwrap_or_else(|| Box::new(io::empty()))))
    }
}

/// Starts the thread.
fn start(source: Box<dyn Read + Send>) -> io::Result<Receiver<io::Result<Vec<u8>>>> {
    let (sender, receiver) = sync_channel(MAX_AHEAD);
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
    thread::Builder::new().name("input".into()).spawn(read_all)?;
    Ok(receiver)
}

#[cfg(test)]
mod tests {
    use super::Input;
    use std::io::{self, Read};
    use std::sync::mpsc::{Receiver, Sender, channel};
    use std::time::{Duration, Instant};

    /// An input that gives what a test sends, and waits until it does.
    struct Sent(Receiver<io::Result<&'static str>>);

    impl Read for Sent {
        fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
            let Ok(sent) = self.0.recv() else { return Ok(0) };
            let text = sent?;
            bytes[..text.len()].copy_from_slice(text.as_bytes());
            Ok(text.len())
        }
    }

    fn input() -> (Sender<io::Result<&'static str>>, Input) {
        let (sender, receiver) = channel();
        (sender, Input::new(Sent(receiver)))
    }

    #[track_caller]
    fn check_line(input: &mut Input, expected: Option<&str>) {
        assert_eq!(input.line(), Ok(expected.map(|line| line.as_bytes().to_vec())));
    }

    /// Waits until a line is there, but not for ever.
    fn has_line_soon(input: &mut Input) -> bool {
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
        check_line(&mut input, Some("one\n"));
        assert!(!input.has_line());
        // What comes later is there without being waited for.
        sender.send(Ok("o\nthree")).unwrap();
        assert!(has_line_soon(&mut input) && input.has_line());
        check_line(&mut input, Some("two\n"));
        assert!(!input.has_line());
        drop(sender);
        check_line(&mut input, Some("three"));
        check_line(&mut input, None);
    }

    #[test]
    fn an_error_comes_behind_what_was_read_before() {
        let (sender, mut input) = input();
        sender.send(Ok("one\n")).unwrap();
        sender.send(Err(io::ErrorKind::TimedOut.into())).unwrap();
        check_line(&mut input, Some("one\n"));
        assert!(!input.has_line());
        assert!(
            input.line().is_err_and(|error| error.to_string().starts_with("error: cannot read the input: "))
        );
    }

    #[test]
    fn many_pieces_are_one_text() {
        let text: String = (0..100_000).map(|number| format!("{number}\n")).collect();
        let bytes: &'static [u8] = text.clone().into_bytes().leak();
        let mut input = Input::new(bytes);
        let read: Vec<u8> = std::iter::from_fn(|| input.line().unwrap()).flatten().collect();
        assert_eq!(read, text.as_bytes());
    }
}
