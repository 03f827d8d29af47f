//! A child's standard output, cut off where it stops being MCP: an endless line, or line after line of something else.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, ReadBuf};

/// Some servers print a banner; one that prints more than this is not speaking MCP.
const FOREIGN_BYTES_MAX: usize = 256 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CutOff {
    MessageTooLarge,
    NotMcp,
}

/// Why the output was cut off, if it was; readable after the connection has ended.
#[derive(Debug, Clone, Default)]
pub(super) struct CutOffFlag(Arc<AtomicU8>);

impl CutOffFlag {
    pub(super) fn get(&self) -> Option<CutOff> {
        match self.0.load(Ordering::Acquire) {
            1 => Some(CutOff::MessageTooLarge),
            2 => Some(CutOff::NotMcp),
            _ => None,
        }
    }

    fn set(&self, why: CutOff) {
        let code = match why {
            CutOff::MessageTooLarge => 1,
            CutOff::NotMcp => 2,
        };
        self.0.store(code, Ordering::Release);
    }
}

pub(super) struct GuardedOutput<R> {
    inner: R,
    line_bytes_max: usize,
    line_bytes: usize,
    line_is_foreign: bool,
    foreign_bytes: usize,
    cut_off: CutOffFlag,
}

impl<R> GuardedOutput<R> {
    pub(super) fn new(inner: R, line_bytes_max: usize, cut_off: CutOffFlag) -> Self {
        Self { inner, line_bytes_max, line_bytes: 0, line_is_foreign: false, foreign_bytes: 0, cut_off }
    }

    fn judge(&mut self, bytes: &[u8]) -> Option<CutOff> {
        for &byte in bytes {
            if byte == b'\n' {
                (self.line_bytes, self.line_is_foreign) = (0, false);
                continue;
            }
            if self.line_bytes == 0 {
                // Every MCP message is one JSON object on one line.
                self.line_is_foreign = byte != b'{' && byte != b'\r';
            }
            self.line_bytes += 1;
            self.foreign_bytes += usize::from(self.line_is_foreign);
            if self.foreign_bytes > FOREIGN_BYTES_MAX {
                return Some(CutOff::NotMcp);
            }
            if self.line_bytes > self.line_bytes_max {
                return Some(CutOff::MessageTooLarge);
            }
        }
        None
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for GuardedOutput<R> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<std::io::Result<()>> {
        if self.cut_off.get().is_some() {
            return Poll::Ready(Ok(()));
        }
        let filled_before = buffer.filled().len();
        let polled = Pin::new(&mut self.inner).poll_read(cx, buffer);
        if let Poll::Ready(Ok(())) = &polled
            && let Some(why) = self.judge(&buffer.filled()[filled_before..])
        {
            self.cut_off.set(why);
            // Reading nothing is how the end of a stream looks.
            buffer.set_filled(filled_before);
        }
        polled
    }
}
