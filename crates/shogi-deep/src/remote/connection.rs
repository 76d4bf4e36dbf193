//! A connection of the client: requests out, answers in.

use std::collections::{HashMap, VecDeque};
use std::io::{self, ErrorKind, Write as _};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

use yane_io::escaped;

use super::frames::{FrameReader, is_timeout};
use super::protocol::{
    RemoteAnswer, RemoteReply, RemoteRequest, SERVER_BYTES, encoded, request_frame,
};
use super::seal::Seal;
use crate::{InputFormat, PositionQuery, ServerProblem};

/// Silence after which the client asks whether the server is there; after twice that it is not.
const PING_AFTER: Duration = Duration::from_secs(20);

/// Most positions of a message that has those of several threads; so small that batches of the server are filled well.
const PACK: usize = 64;

type Answered = Result<Vec<RemoteAnswer>, ServerProblem>;

/// A thread that waits for the answers to so many positions.
struct Waiting {
    count: usize,
    sender: SyncSender<Answered>,
}

/// What threads have to say, until one of them says it for all.
#[derive(Default)]
struct Outbox {
    /// Positions as bytes, and who waits for them.
    pending: VecDeque<(Vec<u8>, Waiting)>,
    /// A thread is writing, and will take what is there.
    is_writing: bool,
}

impl Outbox {
    /// The positions of the next message: those of one thread at least.
    fn take(&mut self) -> (Vec<Vec<u8>>, Vec<Waiting>) {
        let (mut parts, mut waiting) = (Vec::new(), Vec::new());
        let mut count = 0;
        while let Some((_, next)) = self.pending.front() {
            if count > 0 && count + next.count > PACK {
                break;
            }
            count += next.count;
            if let Some((bytes, who)) = self.pending.pop_front() {
                parts.push(bytes);
                waiting.push(who);
            }
        }
        (parts, waiting)
    }
}

/// A connection whose server has said hello.
pub(super) struct Connection {
    stream: TcpStream,
    /// The seal of what is written; whoever writes has it.
    writing: Mutex<Seal>,
    waiting: Mutex<HashMap<u32, Vec<Waiting>>>,
    outbox: Mutex<Outbox>,
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
            outbox: Mutex::default(),
            next_id: AtomicU32::new(0),
            reason: OnceLock::new(),
        }
    }

    /// Returns whether it has ended.
    pub(super) fn is_over(&self) -> bool {
        self.reason.get().is_some()
    }

    /// Sends positions, at most as many as a message may have; their answers come through the channel. What several threads send at a time goes
    /// into one message.
    pub(super) fn send(
        &self,
        positions: &[PositionQuery],
        format: InputFormat,
    ) -> Result<Receiver<Answered>, ServerProblem> {
        let (sender, receiver) = mpsc::sync_channel(1);
        let waiting = Waiting {
            count: positions.len(),
            sender,
        };
        let bytes = encoded(positions, format);
        let mut outbox = lock(&self.outbox);
        outbox.pending.push_back((bytes, waiting));
        if std::mem::replace(&mut outbox.is_writing, true) {
            return Ok(receiver);
        }
        drop(outbox);
        // Threads that have something to say too may say it first.
        thread::yield_now();
        loop {
            let mut outbox = lock(&self.outbox);
            let (parts, waiting) = outbox.take();
            if waiting.is_empty() {
                outbox.is_writing = false;
                return Ok(receiver);
            }
            drop(outbox);
            self.write_request(&parts, waiting)?;
        }
    }

    fn write_request(&self, parts: &[Vec<u8>], waiting: Vec<Waiting>) -> Result<(), ServerProblem> {
        let id = self.next_id.fetch_add(1, Relaxed);
        let count = waiting.iter().map(|waiting| waiting.count).sum();
        lock(&self.waiting).insert(id, waiting);
        if let Err(error) = self.write(request_frame(id, count, parts)) {
            let problem = ServerProblem::from(error);
            self.end(problem.clone());
            return Err(problem);
        }
        if let Some(reason) = self.reason.get() {
            // It may have ended before the request was among those that wait.
            self.end(reason.clone());
        }
        Ok(())
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
            let waiting = lock(&self.waiting).remove(&id).unwrap_or_default();
            let mut answers = answers.into_iter();
            for Waiting { count, sender } in waiting {
                sender.send(Ok(answers.by_ref().take(count).collect())).ok();
            }
        }
    }

    /// Ends it: all who wait get the reason, which is that of the first end. Gives that.
    pub(super) fn end(&self, reason: ServerProblem) -> &ServerProblem {
        let reason = self.reason.get_or_init(|| reason);
        self.stream.shutdown(Shutdown::Both).ok();
        let mut outbox = lock(&self.outbox);
        outbox.is_writing = false;
        let pending: Vec<_> = outbox.pending.drain(..).collect();
        drop(outbox);
        let sent: Vec<_> = lock(&self.waiting).drain().collect();
        let pending = pending.into_iter().map(|(_, waiting)| waiting);
        for waiting in sent.into_iter().flat_map(|(_, all)| all).chain(pending) {
            waiting.sender.send(Err(reason.clone())).ok();
        }
        reason
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
