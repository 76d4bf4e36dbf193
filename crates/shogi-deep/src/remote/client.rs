//! The client: a connection that all threads of a search share, and a network of this machine that stands in for the server.

use std::collections::HashMap;
use std::fmt;
use std::io::{self, ErrorKind, Write as _};
use std::net::{Shutdown, TcpStream, ToSocketAddrs as _};
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use shogi_core::movegen::LegalAll;
use shogi_core::{PieceKind, Position};

use super::protocol::{
    ClientMessage, FrameReader, MOST_POSITIONS, ModelFingerprint, RemoteAnswer, RemotePosition,
    SERVER_BYTES, ServerHello, ServerMessage, evaluate_frame,
};
use super::server::is_timeout;
use crate::evaluator::expect_evaluated;
use crate::{
    DeepModel, EvaluationError, InputFormat, InputPlanes, PolicyLabel, PolicyValue,
    PolicyValueEvaluator,
};

/// Silence after which the client asks whether the server is there; after twice that it is not.
const PING_AFTER: Duration = Duration::from_secs(20);
/// Waits before the connection is tried again: the first one, and the longest.
const RETRY: [Duration; 2] = [Duration::from_millis(500), Duration::from_secs(15)];
/// Timeouts for which a search without a network of its own waits for the server.
const TIMEOUTS: u32 = 5;

/// A network on a server.
pub(crate) struct RemoteModel {
    link: Arc<Link>,
    /// The same network here.
    local: Option<DeepModel>,
    format: InputFormat,
    fingerprint: ModelFingerprint,
    thread: Option<JoinHandle<()>>,
}

/// What the threads of a search and the thread of the connection share.
struct Link {
    address: String,
    timeout: Duration,
    /// The network that the server has to have: that of this machine, or that which it had first.
    expected: OnceLock<(InputFormat, ModelFingerprint)>,
    has_local: bool,
    state: Mutex<LinkState>,
    changed: Condvar,
}

#[derive(Default)]
struct LinkState {
    connection: Option<Arc<Connection>>,
    /// Why there is none; `None` before the first attempt has ended.
    reason: Option<String>,
    /// The server was left for a network of the machine, and that was told.
    is_away: bool,
    is_closed: bool,
    notices: Vec<String>,
}

type Waiting = SyncSender<Result<Vec<RemoteAnswer>, String>>;

/// A connection whose server has said hello.
struct Connection {
    stream: TcpStream,
    writing: Mutex<()>,
    waiting: Mutex<HashMap<u32, Waiting>>,
    next_id: AtomicU32,
    /// Why it has ended, once it has.
    reason: OnceLock<String>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl RemoteModel {
    /// Connects to the server at `address` (`HOST:PORT`), which has to answer within `timeout`. With `local`, the network that it has to have with its
    /// fingerprint, a server that is away is no error: it is tried again.
    ///
    /// # Errors
    /// In words, when the server has another network, or is away and there is none here.
    pub(crate) fn connect(
        address: &str,
        timeout: Duration,
        local: Option<(DeepModel, ModelFingerprint)>,
    ) -> Result<Self, String> {
        let link = Arc::new(Link {
            address: address.to_owned(),
            timeout,
            expected: OnceLock::new(),
            has_local: local.is_some(),
            state: Mutex::default(),
            changed: Condvar::new(),
        });
        if let Some((model, fingerprint)) = &local {
            link.expected.set((model.format(), *fingerprint)).ok();
        }
        // The first attempt is made here, so that its error is the caller's.
        let first = link.open();
        match &first {
            Err(Refusal::Away(_)) if link.has_local => {}
            Err(refusal) => return Err(format!("{address}: {refusal}")),
            Ok(_) => {}
        }
        let Some(&(format, fingerprint)) = link.expected.get() else {
            return Err(format!("{address}: no hello"));
        };
        let mut model = Self {
            format,
            fingerprint,
            local: local.map(|(model, _)| model),
            link: Arc::clone(&link),
            thread: None,
        };
        let builder = thread::Builder::new().name("server".to_owned());
        let thread = builder.spawn(move || link.keep(first));
        model.thread = Some(thread.map_err(|error| error.to_string())?);
        Ok(model)
    }

    /// The planes that the network wants.
    pub(crate) const fn format(&self) -> InputFormat {
        self.format
    }

    /// Where it is.
    pub(crate) fn address(&self) -> &str {
        &self.link.address
    }

    /// The fingerprint of its file.
    pub(crate) const fn fingerprint(&self) -> ModelFingerprint {
        self.fingerprint
    }

    /// The same network here.
    pub(crate) const fn local(&self) -> Option<&DeepModel> {
        self.local.as_ref()
    }

    /// Takes what has happened to the connection since the last time.
    pub(crate) fn take_notices(&self) -> Vec<String> {
        std::mem::take(&mut lock(&self.link.state).notices)
    }
}

impl Drop for RemoteModel {
    fn drop(&mut self) {
        let mut state = lock(&self.link.state);
        state.is_closed = true;
        let connection = state.connection.take();
        drop(state);
        if let Some(connection) = connection {
            connection.end("the connection was closed");
        }
        self.link.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            thread.join().ok();
        }
    }
}

/// Why there is no connection.
enum Refusal {
    /// The server is away, or does not take it.
    Away(String),
    /// It has another network.
    Other(String),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Away(reason) | Self::Other(reason) => f.write_str(reason),
        }
    }
}

impl<E: std::error::Error> From<E> for Refusal {
    fn from(error: E) -> Self {
        Self::Away(error.to_string())
    }
}

impl Link {
    /// Makes a connection.
    fn open(&self) -> Result<(Connection, FrameReader), Refusal> {
        let stream = self.connect()?;
        stream.set_nodelay(true)?;
        stream.set_write_timeout(Some(self.timeout))?;
        let mut frames = FrameReader::default();
        (&stream).write_all(&ClientMessage::Hello.to_frame(InputFormat::Wcsc28))?;
        let deadline = Instant::now() + self.timeout;
        let body = loop {
            if let Some(body) = frames.take(SERVER_BYTES)? {
                break body;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(Refusal::Away("no hello in time".to_owned()));
            }
            stream.set_read_timeout(Some(left))?;
            match frames.read_from(&mut &stream) {
                Ok(0) => return Err(Refusal::Away("closed before the hello".to_owned())),
                Err(error) if is_timeout(&error) || error.kind() == ErrorKind::Interrupted => {}
                read => drop(read?),
            }
        };
        match ServerMessage::from_body(&body)? {
            ServerMessage::Hello(hello) => self.check(&hello)?,
            ServerMessage::Error(reason) => return Err(Refusal::Away(reason)),
            _ => return Err(Refusal::Away("the hello comes first".to_owned())),
        }
        let connection = Connection {
            stream,
            writing: Mutex::new(()),
            waiting: Mutex::default(),
            next_id: AtomicU32::new(0),
            reason: OnceLock::new(),
        };
        Ok((connection, frames))
    }

    fn connect(&self) -> Result<TcpStream, Refusal> {
        let mut last = None;
        for address in self.address.to_socket_addrs()? {
            match TcpStream::connect_timeout(&address, self.timeout) {
                Ok(stream) => return Ok(stream),
                Err(error) => last = Some(error),
            }
        }
        Err(last.map_or_else(|| Refusal::Away("no such host".to_owned()), Refusal::from))
    }

    /// Checks that the server has the network that is expected.
    fn check(&self, hello: &ServerHello) -> Result<(), Refusal> {
        let found = (hello.format, hello.fingerprint);
        let &(format, fingerprint) = self.expected.get_or_init(|| found);
        let whose = if self.has_local { "here" } else { "before" };
        if format != hello.format {
            return Err(Refusal::Other(format!(
                "the server's network is of {}, {whose} it is of {}",
                hello.format.name(),
                format.name()
            )));
        }
        if fingerprint != hello.fingerprint {
            return Err(Refusal::Other(format!(
                "the server has another network ({}, fingerprint {}; {whose} {fingerprint})",
                hello.name, hello.fingerprint
            )));
        }
        Ok(())
    }

    /// The work of the thread of the connection: reads answers, and makes the connection again when it is lost.
    fn keep(&self, first: Result<(Connection, FrameReader), Refusal>) {
        let mut opened = first;
        let mut pause = RETRY[0];
        loop {
            let mut is_other = false;
            let reason = match opened {
                Ok((connection, frames)) => {
                    let connection = Arc::new(connection);
                    if !self.begin(&connection) {
                        return;
                    }
                    let begin = Instant::now();
                    let reason = connection.read(frames);
                    let reason = connection.end(&reason).to_owned();
                    // One that is lost again and again is made less and less often.
                    if begin.elapsed() > RETRY[1] {
                        pause = RETRY[0];
                    }
                    reason
                }
                Err(refusal) => {
                    is_other = matches!(refusal, Refusal::Other(_));
                    refusal.to_string()
                }
            };
            let mut state = lock(&self.state);
            self.leave(&mut state, reason, is_other);
            let waited = self
                .changed
                .wait_timeout_while(state, pause, |state| !state.is_closed);
            if waited.unwrap_or_else(PoisonError::into_inner).0.is_closed {
                return;
            }
            pause = (pause * 2).min(RETRY[1]);
            opened = self.open();
        }
    }

    /// There is a connection; false when it is not wanted any more.
    fn begin(&self, connection: &Arc<Connection>) -> bool {
        let mut state = lock(&self.state);
        if state.is_closed {
            connection.end("the connection was closed");
            return false;
        }
        state.connection = Some(Arc::clone(connection));
        state.reason = None;
        if std::mem::take(&mut state.is_away) {
            let text = format!("DNN_Server {}: connected again", self.address);
            state.notices.push(text);
        }
        drop(state);
        self.changed.notify_all();
        true
    }

    /// There is no connection, which is told once; and once that the server has another network by now.
    fn leave(&self, state: &mut LinkState, reason: String, is_other: bool) {
        let is_known = state.reason.as_ref() == Some(&reason);
        let is_news = !state.is_away || is_other && !is_known;
        state.connection = None;
        state.is_away = true;
        if is_news && !state.is_closed {
            let then = if self.has_local {
                "the network of this machine is evaluated here until it is back"
            } else {
                "waiting for it"
            };
            let text = format!("DNN_Server {}: {reason} : {then}", self.address);
            state.notices.push(text);
        }
        state.reason = Some(reason);
        self.changed.notify_all();
    }

    /// The connection, waiting for one until `deadline`.
    fn connection(&self, deadline: Instant) -> Result<Arc<Connection>, String> {
        let mut state = lock(&self.state);
        loop {
            if let Some(connection) = &state.connection {
                if connection.reason.get().is_none() {
                    return Ok(Arc::clone(connection));
                }
            } else if self.has_local && state.reason.is_some() {
                return Err(state.reason.clone().unwrap_or_default());
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() || state.is_closed {
                let reason = state.reason.clone();
                return Err(reason.unwrap_or_else(|| "no connection".to_owned()));
            }
            let waited = self.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Has positions evaluated by the server, in requests that are on their way at the same time.
    fn ask(
        &self,
        positions: &[RemotePosition],
        format: InputFormat,
    ) -> Result<Vec<RemoteAnswer>, String> {
        let deadline = Instant::now() + self.timeout;
        let connection = self.connection(deadline)?;
        let mut answers = Vec::with_capacity(positions.len());
        let parts = positions.chunks(MOST_POSITIONS);
        let sent = parts.map(|part| (part, connection.send(part, format)));
        // All are sent before the first is waited for.
        let sent: Vec<_> = sent.collect();
        for (part, receiver) in sent {
            let left = deadline.saturating_duration_since(Instant::now());
            let found = receiver?.recv_timeout(left).map_err(|_| {
                let reason = format!("no answer within {} ms", self.timeout.as_millis());
                connection.end(&reason);
                reason
            })??;
            let counts = part.iter().map(|position| position.labels.len());
            let fits = found.iter().map(|answer| answer.logits.len()).eq(counts);
            if !fits {
                let reason = "an answer to another question";
                connection.end(reason);
                return Err(reason.to_owned());
            }
            answers.extend(found);
        }
        Ok(answers)
    }

    /// [`Self::ask`]; without a network of this machine again and again for a while.
    fn ask_patiently(
        &self,
        positions: &[RemotePosition],
        format: InputFormat,
    ) -> Result<Vec<RemoteAnswer>, String> {
        let end = Instant::now() + self.timeout * TIMEOUTS;
        loop {
            match self.ask(positions, format) {
                Err(_) if !self.has_local && Instant::now() < end => {
                    thread::sleep(Duration::from_millis(20));
                }
                result => return result,
            }
        }
    }
}

impl Connection {
    /// Sends a request; its answer comes through the channel.
    fn send(
        &self,
        positions: &[RemotePosition],
        format: InputFormat,
    ) -> Result<Receiver<Result<Vec<RemoteAnswer>, String>>, String> {
        let id = self.next_id.fetch_add(1, Relaxed);
        let (sender, receiver) = mpsc::sync_channel(1);
        lock(&self.waiting).insert(id, sender);
        let sent = self.write(&evaluate_frame(id, positions, format));
        if let Err(error) = sent {
            let reason = error.to_string();
            self.end(&reason);
            return Err(reason);
        }
        if let Some(reason) = self.reason.get() {
            // It may have ended before the request was among those that wait.
            self.end(reason);
        }
        Ok(receiver)
    }

    fn write(&self, frame: &[u8]) -> io::Result<()> {
        let _writing = lock(&self.writing);
        (&self.stream).write_all(frame)
    }

    /// Reads answers until the connection ends; says why it did.
    fn read(&self, mut frames: FrameReader) -> String {
        let mut is_asked = false;
        self.stream.set_read_timeout(Some(PING_AFTER)).ok();
        loop {
            let body = match frames.take(SERVER_BYTES) {
                Ok(Some(body)) => body,
                Err(error) => return error.to_string(),
                Ok(None) => match frames.read_from(&mut &self.stream) {
                    Ok(0) => return "the server has closed the connection".to_owned(),
                    Ok(_) => {
                        is_asked = false;
                        continue;
                    }
                    Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                    Err(error) if is_timeout(&error) && !is_asked => {
                        is_asked = true;
                        let ping = ClientMessage::Ping.to_frame(InputFormat::Wcsc28);
                        match self.write(&ping) {
                            Ok(()) => continue,
                            Err(error) => return error.to_string(),
                        }
                    }
                    Err(error) if is_timeout(&error) => return "the server is silent".to_owned(),
                    Err(error) => return error.to_string(),
                },
            };
            let (id, answers) = match ServerMessage::from_body(&body) {
                Ok(ServerMessage::Pong) => continue,
                Ok(ServerMessage::Answer { id, answers }) => (id, answers),
                Ok(ServerMessage::Failed { reason, .. }) => {
                    return format!("the server's evaluation failed: {reason}");
                }
                Ok(ServerMessage::Error(reason)) => return reason,
                Ok(ServerMessage::Hello(_)) => return "a second hello".to_owned(),
                Err(error) => return error.to_string(),
            };
            if let Some(waiting) = lock(&self.waiting).remove(&id) {
                waiting.send(Ok(answers)).ok();
            }
        }
    }

    /// Ends it: all who wait get the reason, which is that of the first end. Gives that.
    fn end(&self, reason: &str) -> &str {
        let reason = self.reason.get_or_init(|| reason.to_owned());
        self.stream.shutdown(Shutdown::Both).ok();
        for (_, waiting) in lock(&self.waiting).drain() {
            waiting.send(Err(reason.clone())).ok();
        }
        reason
    }
}

/// One thread's access to a network on a server.
pub(crate) struct RemoteEvaluator {
    model: Arc<RemoteModel>,
    positions: Vec<RemotePosition>,
    /// The positions themselves, where a network of this machine may have to evaluate them.
    originals: Vec<Position>,
    results: Vec<PolicyValue>,
    local: Option<Box<dyn PolicyValueEvaluator>>,
    /// The last results are those of [`Self::local`].
    is_local: bool,
}

impl RemoteEvaluator {
    /// An evaluator with so many places (at least one).
    pub(crate) fn new(model: Arc<RemoteModel>, places: usize) -> Self {
        let places = places.max(1);
        let start = Position::startpos();
        let empty = RemotePosition {
            planes: InputPlanes::new(&start),
            labels: Vec::new(),
        };
        let has_local = model.local.is_some();
        Self {
            model,
            positions: vec![empty; places],
            originals: vec![start; if has_local { places } else { 0 }],
            results: vec![PolicyValue::default(); places],
            local: None,
            is_local: false,
        }
    }

    /// Evaluates the first places here.
    fn evaluate_here(&mut self, count: usize, here: &DeepModel) -> Result<(), EvaluationError> {
        let places = self.results.len();
        let local = self.local.get_or_insert_with(|| here.evaluator(places, 0));
        for (place, position) in self.originals.iter().take(count).enumerate() {
            local.put(place, position);
        }
        self.is_local = true;
        local.try_evaluate(count)
    }
}

impl PolicyValueEvaluator for RemoteEvaluator {
    fn max_batch(&self) -> usize {
        self.results.len()
    }

    fn put(&mut self, place: usize, position: &Position) {
        self.positions[place] = RemotePosition {
            planes: InputPlanes::new(position),
            labels: labels(position),
        };
        if let Some(original) = self.originals.get_mut(place) {
            original.clone_from(position);
        }
    }

    fn evaluate(&mut self, count: usize) {
        expect_evaluated(self.try_evaluate(count));
    }

    fn try_evaluate(&mut self, count: usize) -> Result<(), EvaluationError> {
        if count == 0 {
            return Ok(());
        }
        let model = Arc::clone(&self.model);
        let positions = &self.positions[..count];
        match (
            model.link.ask_patiently(positions, model.format),
            &model.local,
        ) {
            (Err(_), Some(here)) => return self.evaluate_here(count, here),
            (Err(reason), None) => {
                let text = format!("DNN_Server {}: {reason}", model.link.address);
                return Err(EvaluationError::Failed(text));
            }
            (Ok(answers), _) => {
                let places = self.positions.iter().zip(&mut self.results);
                for (answer, (position, result)) in answers.into_iter().zip(places) {
                    result.value = answer.value;
                    for (&label, logit) in position.labels.iter().zip(answer.logits) {
                        result.logits[usize::from(label)] = logit;
                    }
                }
            }
        }
        self.is_local = false;
        Ok(())
    }

    fn output(&self, place: usize) -> &PolicyValue {
        match &self.local {
            Some(local) if self.is_local => local.output(place),
            _ => &self.results[place],
        }
    }
}

/// The labels of all legal moves, ascending. There are none where the side to move could take the king: such pieces are only looked at.
fn labels(position: &Position) -> Vec<u16> {
    let us = position.side_to_move();
    let kings = position.pieces(us.flip(), PieceKind::King);
    if kings
        .into_iter()
        .any(|king| position.is_attacked_by(us, king))
    {
        return Vec::new();
    }
    let moves = position.moves::<LegalAll>();
    let labels = moves.iter().map(|&m| PolicyLabel::new(m).index() as u16);
    let mut labels: Vec<u16> = labels.collect();
    labels.sort_unstable();
    labels.dedup();
    labels
}
