//! Standard output: one thread writes, everybody else hands it lines.
//!
//! A GUI that reads slowly therefore never holds up the search or the command loop.

use std::io::{self, Write};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Duration;

use shogi_usi::{Info, Response};

enum Message {
    Line(String),
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
    let mut next = receiver.recv().ok();
    while let Some(Message::Line(line)) = next {
        // One write a line, so that a reader never sees half of one.
        out.write_all(format!("{line}\n").as_bytes())?;
        next = receiver.try_recv().ok();
        if next.is_none() {
            out.flush()?;
            next = receiver.recv().ok();
        }
    }
    out.flush()
}

impl OutputHandle {
    /// Writes a line.
    pub(crate) fn line(&self, text: impl Into<String>) {
        // Fails only after the end, when nothing is to be written.
        self.0.send(Message::Line(text.into())).ok();
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
