//! Reads an input ahead, by a thread of its own, so that whoever takes its lines sees whether there are more.
//!
//! A pipe gives 64 KiB at a time, and a program cannot ask it whether there is more without waiting. The
//! thread can wait: what comes while a batch is answered is there when the next one is gathered.

use crate::console::Input;
use std::io::{self, BufRead, Read};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

/// How much is read at a time.
const PIECE_BYTES: usize = 1 << 16;

/// How many such pieces are read ahead: some thirty thousand positions.
const MAX_AHEAD: usize = 16;

/// An input that a thread reads. The thread starts when the first byte is asked for, and ends with the input
/// or with the process.
pub(crate) struct ReadAhead<R> {
    /// The input, until the thread has it.
    source: Option<R>,
    pieces: Option<Receiver<io::Result<Vec<u8>>>>,
    /// What has been received and not taken.
    buffer: Vec<u8>,
    /// How many bytes of the buffer have been taken.
    n_taken: usize,
    /// No line ends between those and this one.
    n_searched: usize,
    /// What was received behind the bytes of the buffer.
    failed: Option<io::Error>,
}

impl<R: Read + Send + 'static> ReadAhead<R> {
    /// Reads this input as soon as somebody wants to have something of it.
    pub(crate) fn new(source: R) -> Self {
        let (source, buffer) = (Some(source), Vec::new());
        ReadAhead { source, pieces: None, buffer, n_taken: 0, n_searched: 0, failed: None }
    }

    fn start(&mut self) -> io::Result<()> {
        let Some(mut source) = self.source.take() else { return Ok(()) };
        let (sender, receiver) = sync_channel(MAX_AHEAD);
        self.pieces = Some(receiver);
        let read_all = move || {
            loop {
                let mut piece = vec![0; PIECE_BYTES];
                let read = match source.read(&mut piece) {
                    Ok(0) => return,
                    Ok(n_bytes) => {
                        piece.truncate(n_bytes);
                        Ok(piece)
                    }
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    Err(error) => Err(error),
                };
                let is_last = read.is_err();
                // Nobody takes it any more, or nothing can follow.
                if sender.send(read).is_err() || is_last {
                    return;
                }
            }
        };
        thread::Builder::new().name("input".into()).spawn(read_all).map(drop)
    }

    /// Puts a piece behind what is there.
    fn receive(&mut self, piece: io::Result<Vec<u8>>) {
        match piece {
            Ok(piece) => {
                self.buffer.drain(..self.n_taken);
                self.n_searched = self.n_searched.saturating_sub(self.n_taken);
                self.n_taken = 0;
                self.buffer.extend(piece);
            }
            Err(error) => self.failed = Some(error),
        }
    }
}

impl<R: Read + Send + 'static> Input for ReadAhead<R> {
    #[cfg(feature = "play")]
    fn taken(&mut self) -> Box<dyn BufRead + Send> {
        let (pieces, failed, buffer) = (None, None, Vec::new());
        let nothing = ReadAhead { source: None, pieces, buffer, n_taken: 0, n_searched: 0, failed };
        Box::new(std::mem::replace(self, nothing))
    }

    fn has_line(&mut self) -> bool {
        loop {
            let from = self.n_searched.max(self.n_taken);
            if let Some(at) = self.buffer[from..].iter().position(|&byte| byte == b'\n') {
                self.n_searched = from + at;
                return true;
            }
            self.n_searched = self.buffer.len();
            let Some(Ok(piece)) = self.pieces.as_ref().map(Receiver::try_recv) else { return false };
            self.receive(piece);
        }
    }
}

impl<R: Read + Send + 'static> BufRead for ReadAhead<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.start()?;
        if self.n_taken == self.buffer.len() {
            if let Some(error) = self.failed.take() {
                return Err(error);
            }
            // The thread that has ended sends nothing: that is the end of the input.
            if let Some(Ok(piece)) = self.pieces.as_ref().map(Receiver::recv) {
                self.receive(piece);
            }
            if let Some(error) = self.failed.take() {
                return Err(error);
            }
        }
        Ok(&self.buffer[self.n_taken..])
    }

    fn consume(&mut self, n_bytes: usize) {
        self.n_taken = self.buffer.len().min(self.n_taken + n_bytes);
    }
}

impl<R: Read + Send + 'static> Read for ReadAhead<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let there = self.fill_buf()?;
        let n_bytes = there.len().min(bytes.len());
        bytes[..n_bytes].copy_from_slice(&there[..n_bytes]);
        self.consume(n_bytes);
        Ok(n_bytes)
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
