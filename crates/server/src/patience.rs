//! Bounds the time in which a client may read an answer.
//!
//! A time for each write is not enough: a client that reads a byte now and then keeps its answer in memory
//! for hours. Here the time begins with the first byte of an answer and ends with the next request.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

/// A stream on which an answer may be written for so long, and no longer.
#[derive(Debug)]
pub(crate) struct Patience<S> {
    stream: S,
    write_time: Duration,
    /// When the answer that is being written is to be read.
    end: Option<Instant>,
    /// Wakes whoever waits for the client then.
    alarm: Option<Pin<Box<Sleep>>>,
}

impl<S> Patience<S> {
    pub(crate) fn new(stream: S, write_time: Duration) -> Self {
        Patience { stream, write_time, end: None, alarm: None }
    }

    /// What a write has come to, or that the time is over.
    fn in_time<T>(&mut self, cx: &mut Context<'_>, done: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        let now = Instant::now();
        let end = *self.end.get_or_insert(now + self.write_time);
        if now < end && done.is_ready() {
            return done;
        }
        let alarm = self.alarm.get_or_insert_with(|| Box::pin(sleep_until(end)));
        ready!(alarm.as_mut().poll(cx));
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the answer was not read in time")))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Patience<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let n_before = bytes.filled().len();
        let done = Pin::new(&mut this.stream).poll_read(cx, bytes);
        if bytes.filled().len() > n_before {
            // Another request.
            (this.end, this.alarm) = (None, None);
        }
        done
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Patience<S> {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let done = Pin::new(&mut this.stream).poll_write(cx, bytes);
        this.in_time(cx, done)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let done = Pin::new(&mut this.stream).poll_write_vectored(cx, bytes);
        this.in_time(cx, done)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::Patience;
    use std::io::ErrorKind;
    use std::time::Duration;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    /// Writes an answer to a client that reads a byte a millisecond; with requests before that.
    async fn written(n_bytes: usize, write_time: Duration) -> std::io::Result<()> {
        let (own, mut client) = duplex(16);
        let mut own = Patience::new(own, write_time);
        tokio::spawn(async move {
            client.write_all(b"two requests").await.expect("a request");
            let mut byte = [0];
            while client.read(&mut byte).await.is_ok_and(|n| n > 0) {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        });
        for n in [3, 9] {
            own.read_exact(&mut vec![0; n]).await?;
            own.write_all(&vec![0; n_bytes]).await?;
        }
        own.flush().await
    }

    #[test]
    fn answers_that_are_read_byte_by_byte_come_to_an_end() {
        let runtime = crate::tests::runtime();
        runtime.block_on(async {
            // Each answer has a time of its own.
            written(20, Duration::from_secs(60)).await.expect("the answers are read in time");
            let error = written(1 << 20, Duration::from_millis(60)).await.expect_err("it takes minutes");
            assert_eq!(error.kind(), ErrorKind::TimedOut);
        });
    }
}
