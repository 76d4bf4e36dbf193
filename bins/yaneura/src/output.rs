//! Standard output: one thread writes, everybody else hands it lines.
//!
//! A GUI that reads slowly therefore never holds up the search or the command loop.
//!
//! The same thread keeps the log of what was read (`> `) and written (`< `), so that its lines are in
//! order.

use std::fs::File;
use std::io::{self, Write};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Duration;

use shogi_usi::{Info, Response};

enum Message {
    Line(String),
    /// A line that was read.
    Heard(String),
    /// Where to log from now on, if anywhere.
    Log(Option<File>),
    End,
}

/// How long to wait at the end for a reader who does not take what is left.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// The writer.
pub(crate) struct Output {
    handle: OutputHandle,
    ended: Receiver<()>,
}

/// Hands lines to the writer.
#[derive(Clone)]
pub(crate) struct OutputHandle(Sender<Message>);

impl Output {
    /// Starts the writer's thread.
    pub(crate) fn start() -> Self {
        let (sender, receiver) = mpsc::channel();
        let (end, ended) = mpsc::channel();
        thread::spawn(move || {
            // A closed pipe means that nobody listens any more; the input will end too.
            write_lines(&receiver, &mut io::stdout().lock()).ok();
            end.send(()).ok();
        });
        Self {
            handle: OutputHandle(sender),
            ended,
        }
    }

    /// For handing over lines.
    pub(crate) fn handle(&self) -> OutputHandle {
        self.handle.clone()
    }

    /// Waits until everything handed over so far is written. Nothing is written afterwards.
    pub(crate) fn finish(self) {
        self.handle.0.send(Message::End).ok();
        self.ended.recv_timeout(LAST_WORDS).ok();
    }
}

fn write_lines(receiver: &Receiver<Message>, out: &mut impl Write) -> io::Result<()> {
    let mut log = Log(None);
    let mut next = receiver.recv().ok();
    while let Some(message) = next {
        match message {
            Message::Line(line) => {
                log.write("< ", &line);
                // One write a line, so that a reader never sees half of one.
                out.write_all(format!("{line}\n").as_bytes())?;
            }
            Message::Heard(line) => log.write("> ", &line),
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

/// A copy of everything, for finding out what went wrong between an engine and a GUI.
struct Log(Option<File>);

impl Log {
    fn write(&mut self, mark: &str, line: &str) {
        let written = self.0.as_mut().map_or(Ok(()), |file| {
            // Not buffered: the last lines before a crash are those that matter.
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

    /// Notes a line that was read, for the log.
    pub(crate) fn heard(&self, line: &str) {
        self.0.send(Message::Heard(line.to_owned())).ok();
    }

    /// Logs to `file` from now on, or no more.
    pub(crate) fn log_to(&self, file: Option<File>) {
        self.0.send(Message::Log(file)).ok();
    }

    /// Writes a response of the protocol.
    pub(crate) fn respond(&self, response: &Response) {
        self.line(response.to_string());
    }

    /// Writes `info string text`. Names and texts of files may have characters that end lines.
    pub(crate) fn say(&self, text: &str) {
        let plain = text.replace(char::is_control, "?");
        self.respond(&Response::Info(Box::new(Info::text(plain))));
    }

    /// Writes `info string Error! text`.
    pub(crate) fn error(&self, text: &str) {
        self.say(&format!("Error! {text}"));
    }
}

/// Errors of the program are reported on standard output: nobody reads the standard error.
pub(crate) fn report_panics_to(output: &Output) {
    let handle = output.handle();
    std::panic::set_hook(Box::new(move |panic| handle.error(&panic.to_string())));
}
