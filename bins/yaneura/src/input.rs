//! The events of the command loop: standard input and signals, each read on a thread of its own so that
//! commands are seen while searching.

use std::io::{self, BufRead, Read};
use std::sync::mpsc::Sender;
use std::thread;

/// An event of the command loop.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// A line, without its end. Bytes that are no UTF-8 are replaced.
    Line(String),
    /// A line of more than [`LONGEST_LINE`] bytes, of which only the first words are kept.
    TooLong(String),
    /// The input has ended.
    End,
    /// A search has made its decision.
    SearchDone,
    /// A background job has ended.
    JobDone,
    /// The system asks the program to end.
    #[cfg_attr(not(unix), allow(dead_code, reason = "no other system sends it"))]
    Terminated,
}

/// Longest line that is read, in bytes: a game of 200,000 moves.
pub(crate) const LONGEST_LINE: usize = 1 << 20;

/// How much is kept of a line that is too long, in bytes.
const KEPT: usize = 1000;

/// Reads standard input to its end.
pub(crate) fn read_stdin(events: Sender<Event>) {
    thread::spawn(move || {
        read_lines(&mut io::stdin().lock(), &events);
        events.send(Event::End).ok();
    });
}

/// Sends every line; an error counts as the end. A byte order mark before the first is skipped, as
/// shells of Windows write one.
fn read_lines(reader: &mut impl BufRead, events: &Sender<Event>) {
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        let limit = LONGEST_LINE as u64 + 1;
        match reader.by_ref().take(limit).read_until(b'\n', &mut bytes) {
            Ok(1..) => {}
            _ => return,
        }
        let event = if bytes.len() > LONGEST_LINE && bytes.last() != Some(&b'\n') {
            if reader.skip_until(b'\n').is_err() {
                return;
            }
            Event::TooLong(first_words(&bytes))
        } else {
            let text = String::from_utf8_lossy(&bytes);
            let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
            Event::Line(text.trim_ascii().to_owned())
        };
        if events.send(event).is_err() {
            return;
        }
    }
}

/// The whole words among the first [`KEPT`] bytes.
fn first_words(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(&line[..line.len().min(KEPT)]);
    let end = text.rfind(|c: char| c.is_ascii_whitespace());
    text[..end.unwrap_or(0)].trim_ascii().to_owned()
}

/// Sends [`Event::Terminated`] when the process is told to end (SIGTERM, SIGINT, SIGHUP). The second time it
/// ends at once, in case the loop is busy with something long. Where signals cannot be caught, and elsewhere
/// than on Unix, they do what they always do.
pub(crate) fn watch_signals(events: Sender<Event>) {
    #[cfg(unix)]
    {
        use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
        use signal_hook::iterator::Signals;

        if let Ok(mut signals) = Signals::new([SIGTERM, SIGINT, SIGHUP]) {
            std::thread::spawn(move || {
                for (number, signal) in signals.forever().enumerate() {
                    if number > 0 || events.send(Event::Terminated).is_err() {
                        signal_hook::low_level::emulate_default_handler(signal).ok();
                    }
                }
            });
        }
    }
    #[cfg(not(unix))]
    drop(events);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn lines_of_all_kinds() {
        let mut text = "\u{feff}usi\r\n\n".as_bytes().to_vec();
        text.extend(b"  go \xff\ngo  depth 5 ");
        text.extend(std::iter::repeat_n(b'x', LONGEST_LINE + 5));
        text.extend(b"\nquit");
        let (sender, receiver) = mpsc::channel();
        read_lines(&mut text.as_slice(), &sender);
        drop(sender);
        let line = |text: &str| Event::Line(text.to_owned());
        let expected = [
            line("usi"),
            line(""),
            line("go \u{fffd}"),
            Event::TooLong("go  depth 5".to_owned()),
            line("quit"),
        ];
        assert_eq!(receiver.iter().collect::<Vec<_>>(), expected);
    }
}
