//! Standard input, read on a thread of its own so that commands are seen while searching.

use std::io::{self, BufRead, Read};
use std::sync::mpsc::Sender;
use std::thread;

/// What the command loop waits for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// A line, without its end. Bytes that are no UTF-8 are replaced.
    Line(String),
    /// A line of more than [`LONGEST_LINE`] bytes, which was dropped.
    TooLong,
    /// The input has ended.
    End,
    /// A search has made its decision.
    SearchDone,
    /// The system asks the program to end.
    #[cfg_attr(not(unix), allow(dead_code, reason = "no other system sends it"))]
    Terminated,
}

/// Longest line that is read, in bytes: a game of 200,000 moves.
pub(crate) const LONGEST_LINE: usize = 1 << 20;

/// Reads standard input to its end.
pub(crate) fn read_stdin(events: Sender<Event>) {
    thread::spawn(move || {
        read_lines(&mut io::stdin().lock(), &events);
        events.send(Event::End).ok();
    });
}

/// Sends every line; an error counts as the end.
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
            Event::TooLong
        } else {
            Event::Line(String::from_utf8_lossy(&bytes).trim_ascii().to_owned())
        };
        if events.send(event).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn lines_of_all_kinds() {
        let mut text = b"usi\r\n\n  go \xff\n".to_vec();
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
            Event::TooLong,
            line("quit"),
        ];
        assert_eq!(receiver.iter().collect::<Vec<_>>(), expected);
    }
}
