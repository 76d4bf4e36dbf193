//! Lines of standard input for programs that wait for a person.

use std::io::{self, BufRead};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use yane_io::{BoundedLines, Error, Result};

/// The time between two looks at the flag of Ctrl-C.
const LOOK: Duration = Duration::from_millis(20);

/// Lines of standard input, read on a thread of their own, so that the wait for one ends at once when the program is asked to
/// end. A line is read at most one ahead.
#[derive(Debug)]
pub struct InputLines {
    lines: Receiver<io::Result<Vec<u8>>>,
}

impl InputLines {
    /// The lines of standard input.
    ///
    /// # Errors
    /// When the system has no thread.
    pub fn stdin() -> Result<Self> {
        Self::of(|| Box::new(io::stdin().lock()))
    }

    fn of(input: impl FnOnce() -> Box<dyn BufRead> + Send + 'static) -> Result<Self> {
        let (sender, lines) = sync_channel(0);
        let read = move || {
            let mut input = BoundedLines::new(input());
            loop {
                let line = match input.next() {
                    Ok(None) => return,
                    Ok(Some(line)) => Ok(line.to_vec()),
                    Err(error) => Err(error.into_io()),
                };
                let is_last = line.is_err();
                // Nobody listens when the program ends.
                if sender.send(line).is_err() || is_last {
                    return;
                }
            }
        };
        let thread = thread::Builder::new().name("input".to_owned());
        thread.spawn(read).map_err(Error::io("standard input"))?;
        Ok(Self { lines })
    }

    /// The next line with its end, bytes that are no text replaced; `None` at the end of the input.
    ///
    /// # Errors
    /// [`Error::Cancelled`] once `stop` is raised while nothing has come, and errors of reading.
    pub fn next(&self, stop: &AtomicBool) -> Result<Option<String>> {
        loop {
            match self.lines.recv_timeout(LOOK) {
                Ok(line) => {
                    let line = line.map_err(Error::io("standard input"))?;
                    return Ok(Some(String::from_utf8_lossy(&line).into_owned()));
                }
                // A terminal that goes away ends both.
                Err(_) if stop.load(Ordering::Relaxed) => return Err(Error::Cancelled),
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Read};
    use std::sync::Arc;
    use std::time::Instant;

    use super::*;

    #[test]
    fn lines_come_with_their_ends() {
        let lines = InputLines::of(|| Box::new(&b"one\r\ntwo\n\xff\nlast"[..])).unwrap();
        let stop = AtomicBool::new(false);
        let mut all = Vec::new();
        while let Some(line) = lines.next(&stop).unwrap() {
            all.push(line);
        }
        assert_eq!(all, ["one\r\n", "two\n", "\u{fffd}\n", "last"]);
    }

    /// Nothing, for ever.
    struct Silence;

    impl Read for Silence {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            loop {
                thread::park();
            }
        }
    }

    #[test]
    fn the_wait_ends_when_it_is_asked_to() {
        let lines = InputLines::of(|| Box::new(BufReader::new(Silence))).unwrap();
        let stop = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stop);
        let begun = Instant::now();
        thread::spawn(move || {
            thread::sleep(Duration::from_millis(60));
            flag.store(true, Ordering::Relaxed);
        });
        assert!(matches!(lines.next(&stop), Err(Error::Cancelled)));
        assert!(begun.elapsed() < Duration::from_secs(10));
    }
}
