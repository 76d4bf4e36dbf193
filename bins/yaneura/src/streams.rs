//! Standard input, signals and standard output, each on a thread of its own.
//!
//! So commands are read while a search runs, and a GUI that reads slowly holds up neither the search nor the command
//! loop. The thread of the output also keeps the log of what was read (`> `) and written (`< `), so that its lines are
//! in order.

use std::fs::File;
use std::io::{BufRead, Read, Write};
use std::sync::mpsc;
use std::sync::mpsc::{Receiver, Sender};
use std::time::Duration;
use std::{io, thread};

use shogi_usi::{Info, Response};

/// An event of the command loop.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// A line, without its end. Bytes that are no UTF-8 are carried in it ([`yane_io::text_of_bytes`]).
    Line(String),
    /// A line of more than [`LONGEST_LINE`] bytes, of which only the first words are kept.
    TooLong(String),
    /// The input has ended.
    End,
    /// A search has made its decision.
    SearchDone,
    /// A background job has ended.
    JobDone,
    /// A signal to end the program.
    #[cfg_attr(not(unix), allow(dead_code, reason = "signals are of Unix"))]
    Terminated,
}

/// Longest line that is read, in bytes: a game of 200,000 moves.
pub(crate) const LONGEST_LINE: usize = 1 << 20;

/// Number of bytes that are kept of a line that is too long.
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
            let text = yane_io::text_of_bytes(&bytes);
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

/// Sends [`Event::Terminated`] at a signal to end (SIGTERM, SIGINT, SIGHUP). The second time it
/// ends at once, in case the loop is busy. Where signals cannot be caught, and on
/// other systems, they have their default effect.
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

// Standard output: one thread writes, all others send it lines.
//
// A GUI that reads slowly therefore never holds up the search or the command loop.
//
// The same thread keeps the log of what was read (`> `) and written (`< `), so that its lines are in
// order.

enum Message {
    Line(String),
    /// A line that was read, for the log.
    Input(String),
    /// The file for the log from now on, if any.
    Log(Option<File>),
    End,
}

/// Longest wait at the end for a reader of the remaining lines.
const END_TIMEOUT: Duration = Duration::from_secs(2);

/// The writer.
pub(crate) struct Output {
    handle: OutputHandle,
    ended: Receiver<()>,
}

/// Sends lines to the writer.
#[derive(Clone)]
pub(crate) struct OutputHandle(Sender<Message>);

impl Output {
    /// Starts the writer's thread.
    pub(crate) fn start() -> Self {
        let (sender, receiver) = mpsc::channel();
        let (end, ended) = mpsc::channel();
        thread::spawn(move || {
            // Fails when the pipe is closed; then the input ends too.
            write_lines(&receiver, &mut io::stdout().lock()).ok();
            end.send(()).ok();
        });
        Self {
            handle: OutputHandle(sender),
            ended,
        }
    }

    /// A handle for sending lines.
    pub(crate) fn handle(&self) -> OutputHandle {
        self.handle.clone()
    }

    /// Waits until everything sent so far is written. Nothing is written afterwards.
    pub(crate) fn finish(self) {
        self.handle.0.send(Message::End).ok();
        self.ended.recv_timeout(END_TIMEOUT).ok();
    }
}

fn write_lines(receiver: &Receiver<Message>, out: &mut impl Write) -> io::Result<()> {
    let mut log = Log(None);
    let mut next = receiver.recv().ok();
    while let Some(message) = next {
        match message {
            Message::Line(line) => {
                let line = yane_io::shown_text(&line);
                log.write("< ", &line);
                // One write a line, so that a reader never sees half of one.
                out.write_all(format!("{line}\n").as_bytes())?;
            }
            Message::Input(line) => log.write("> ", &yane_io::shown_text(&line)),
            Message::Log(file) => log = Log(file),
            Message::End => break,
        }
        next = receiver.try_recv().ok();
        if next.is_none() {
            out.flush()?;
            next = receiver.recv().ok();
        }
    }
    out.flush()
}

/// The log of input and output, for debugging the communication with a GUI.
struct Log(Option<File>);

impl Log {
    fn write(&mut self, mark: &str, line: &str) {
        let written = self.0.as_mut().map_or(Ok(()), |file| {
            // Not buffered: the last lines before a crash matter most.
            file.write_all(format!("{mark}{line}\n").as_bytes())
        });
        if written.is_err() {
            self.0 = None;
        }
    }
}

impl OutputHandle {
    /// Writes a line.
    pub(crate) fn line(&self, text: impl Into<String>) {
        // Fails only after the end, when nothing is to be written.
        self.0.send(Message::Line(text.into())).ok();
    }

    /// Logs a line that was read.
    pub(crate) fn log_input(&self, line: &str) {
        self.0.send(Message::Input(line.to_owned())).ok();
    }

    /// Sets the file of the log; `None` ends it.
    pub(crate) fn log_to(&self, file: Option<File>) {
        self.0.send(Message::Log(file)).ok();
    }

    /// Writes a response of the protocol.
    pub(crate) fn respond(&self, response: &Response) {
        self.line(response.to_string());
    }

    /// Writes `info string text`. Control characters are replaced: names and texts of files may have line feeds.
    pub(crate) fn say(&self, text: &str) {
        let plain = text.replace(char::is_control, "?");
        self.respond(&Response::Info(Box::new(Info::text(plain))));
    }

    /// Writes `info string Error! text`.
    pub(crate) fn error(&self, text: &str) {
        self.say(&format!("Error! {text}"));
    }
}

/// Reports panics on standard output: GUIs do not read the standard error.
pub(crate) fn report_panics_to(output: &Output) {
    let handle = output.handle();
    std::panic::set_hook(Box::new(move |panic| handle.error(&panic.to_string())));
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
            line(if cfg!(unix) {
                "go \u{f7ff}"
            } else {
                "go \u{fffd}"
            }),
            Event::TooLong("go  depth 5".to_owned()),
            line("quit"),
        ];
        assert_eq!(receiver.iter().collect::<Vec<_>>(), expected);
    }
}
