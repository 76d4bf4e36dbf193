//! A connection of the client: requests out, answers in.

use std::collections::HashMap;
use std::io::{self, ErrorKind, Write as _};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use yane_io::escaped;

use super::frames::{FrameReader, is_timeout};
use super::protocol::{
    RemoteAnswer, RemoteReply, RemoteRequest, SERVER_BYTES, evaluate_frame,
};
use super::seal::Seal;
use crate::{InputFormat, LabelledPosition, ServerProblem};

/// Silence after which the client asks whether the server is there; after twice that it is not.
const PING_AFTER: Duration = Duration::from_secs(20);

type Answered = Result<Vec<RemoteAnswer>, ServerProblem>;
type Waiting = SyncSender<Answered>;

/// A connection whose server has said hello.
pub(super) struct Connection {
    stream: TcpStream,
    /// The seal of what is written; whoever writes has it.
    writing: Mutex<Seal>,
    waiting: Mutex<HashMap<u32, Waiting>>,
    next_id: AtomicU32,
    /// Why it has ended, once it has.
    reason: OnceLock<ServerProblem>,
}

impl Connection {
    /// Over a stream on which the hellos were said; `seal` is that of what is written.
    pub(super) fn new(stream: TcpStream, seal: Seal) -> Self {
        Self {
            stream,
            writing: Mutex::new(seal),
            waiting: Mutex::default(),
            next_id: AtomicU32::new(0),
            reason: OnceLock::new(),
        }
    }

    /// Returns whether it has ended.
    pub(super) fn is_over(&self) -> bool {
        self.reason.get().is_some()
    }

    /// Sends a request; its answer comes through the channel.
    pub(super) fn send(
        &self,
        positions: &[LabelledPosition],
        format: InputFormat,
    ) -> Result<Receiver<Answered>, ServerProblem> {
        let id = self.next_id.fetch_add(1, Relaxed);
        let (sender, receiver) = mpsc::sync_channel(1);
        lock(&self.waiting).insert(id, sender);
        let sent = self.write(evaluate_frame(id, positions, format));
        if let Err(error) = sent {
            let problem = ServerProblem::from(error);
            self.end(problem.clone());
            return Err(problem);
        }
        if let Some(reason) = self.reason.get() {
            // It may have ended before the request was among those that wait.
            self.end(reason.clone());
        }
        Ok(receiver)
    }

    fn write(&self, frame: Vec<u8>) -> io::Result<()> {
        let mut seal = lock(&self.writing);
        (&self.stream).write_all(&seal.seal(frame))
    }

    /// Reads answers until the connection ends; says why it did.
    pub(super) fn read(&self, mut frames: FrameReader, mut seal: Seal) -> ServerProblem {
        let mut is_asked = false;
        self.stream.set_read_timeout(Some(PING_AFTER)).ok();
        loop {
            let body = match frames.take(SERVER_BYTES) {
                Ok(Some(body)) => body,
                Err(error) => return error.into(),
                Ok(None) => match frames.read_from(&mut &self.stream) {
                    Ok(0) => return ServerProblem::ClosedThere,
                    Ok(_) => {
                        is_asked = false;
                        continue;
                    }
                    Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                    Err(error) if is_timeout(&error) && !is_asked => {
                        is_asked = true;
                        let ping = RemoteRequest::Ping.to_frame(InputFormat::Wcsc28);
                        match self.write(ping) {
                            Ok(()) => continue,
                            Err(error) => return error.into(),
                        }
                    }
                    Err(error) if is_timeout(&error) => return ServerProblem::Silent,
                    Err(error) => return error.into(),
                },
            };
            let body = match seal.open(body) {
                Ok(body) => body,
                Err(error) => return error.into(),
            };
            let (id, answers) = match RemoteReply::from_body(&body) {
                Ok(RemoteReply::Pong) => continue,
                Ok(RemoteReply::Answer { id, answers }) => (id, answers),
                Ok(RemoteReply::Failed { reason, .. }) => {
                    return ServerProblem::Failed(escaped(&reason));
                }
                Ok(RemoteReply::Error(reason)) => return ServerProblem::Reported(escaped(&reason)),
                Ok(RemoteReply::Hello(_) | RemoteReply::Challenge { .. }) => {
                    return ServerProblem::SecondHello;
                }
                Err(error) => return error.into(),
            };
            if let Some(waiting) = lock(&self.waiting).remove(&id) {
                waiting.send(Ok(answers)).ok();
            }
        }
    }

    /// Ends it: all who wait get the reason, which is that of the first end. Gives that.
    pub(super) fn end(&self, reason: ServerProblem) -> &ServerProblem {
        let reason = self.reason.get_or_init(|| reason);
        self.stream.shutdown(Shutdown::Both).ok();
        for (_, waiting) in lock(&self.waiting).drain() {
            waiting.send(Err(reason.clone())).ok();
        }
        reason
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
