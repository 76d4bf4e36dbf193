//! The threads that read an engine's output and standard error.

use std::io::{BufRead, BufReader, Read};
use std::process::{ChildStderr, ChildStdout};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Instant;

/// A line of output and when it was read.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) text: String,
    pub(super) at: Instant,
}

/// Reads lines until the end of the output. Bytes that are no UTF-8 are replaced.
pub(super) fn read_lines(stdout: ChildStdout) -> Receiver<Line> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut reader = BufReader::new(stdout);
        let mut bytes = Vec::new();
        while reader
            .read_until(b'\n', &mut bytes)
            .is_ok_and(|read| read > 0)
        {
            let text = String::from_utf8_lossy(&bytes).trim_ascii().to_owned();
            if sender
                .send(Line {
                    text,
                    at: Instant::now(),
                })
                .is_err()
            {
                break;
            }
            bytes.clear();
        }
    });
    receiver
}

/// The last part of what an engine wrote to its standard error.
#[derive(Clone, Debug, Default)]
pub(super) struct StderrTail(Arc<Mutex<Vec<u8>>>);

/// How much of the standard error is kept.
const TAIL_BYTES: usize = 4096;

impl StderrTail {
    /// Reads until the end, keeping the tail.
    pub(super) fn drain(mut stderr: ChildStderr) -> Self {
        let tail = Self::default();
        let kept = tail.clone();
        thread::spawn(move || {
            let mut chunk = [0; 1024];
            while let Ok(read @ 1..) = stderr.read(&mut chunk) {
                let mut bytes = kept.0.lock().unwrap_or_else(PoisonError::into_inner);
                bytes.extend_from_slice(&chunk[..read]);
                let surplus = bytes.len().saturating_sub(TAIL_BYTES);
                bytes.drain(..surplus);
            }
        });
        tail
    }

    /// What has been read so far, at most 4 KiB.
    pub(super) fn text(&self) -> String {
        let bytes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&bytes).into_owned()
    }
}
