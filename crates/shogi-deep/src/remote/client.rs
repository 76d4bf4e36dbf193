//! The client: a connection that all threads of a search share, and a network of this machine that stands in for the server.

use std::io::{ErrorKind, Write as _};
use std::net::{TcpStream, ToSocketAddrs as _};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use yane_io::escaped;
use yane_io::secret::{MacKey, Secret, random_bytes};

use super::connection::{Connection, lock};
use super::frames::{FrameReader, is_timeout};
use super::problem::OtherNetwork;
use super::protocol::{
    MOST_POSITIONS, ModelFingerprint, RemoteAnswer, RemoteReply, RemoteRequest, SERVER_BYTES,
    ServerHello,
};
use super::seal::{self, Handshake, Seal};
use crate::{InputFormat, PolicyValueEvaluator, PositionQuery, RuntimeError, ServerProblem};

/// Waits before the connection is tried again: the first one, and the longest.
const RETRY: [Duration; 2] = [Duration::from_millis(500), Duration::from_secs(15)];
/// Timeouts for which a search without a network of its own waits for the server.
const TIMEOUTS: u32 = 5;

/// A network of this machine, which evaluates while the server that has it too is away.
pub(crate) struct LocalNetwork {
    /// The planes that it wants.
    pub(crate) format: InputFormat,
    /// The fingerprint of its file.
    pub(crate) fingerprint: ModelFingerprint,
    /// What it is, for people.
    pub(crate) description: String,
    /// Makes an evaluator with so many places.
    pub(crate) evaluator: Box<dyn Fn(usize) -> Box<dyn PolicyValueEvaluator> + Send + Sync>,
}

/// A network on a server.
pub(crate) struct RemoteModel {
    link: Arc<Link>,
    /// The same network here.
    local: Option<LocalNetwork>,
    format: InputFormat,
    fingerprint: ModelFingerprint,
}

/// What the threads of a search and the thread of the connection share.
struct Link {
    address: String,
    timeout: Duration,
    /// The key of the secret that the server has to know too.
    key: Option<MacKey>,
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
    reason: Option<ServerProblem>,
    /// The server was left for a network of the machine, and that was told.
    is_away: bool,
    is_closed: bool,
    notices: Vec<String>,
}

impl RemoteModel {
    /// Connects to the server at `address` (`HOST:PORT`), which has to answer within `timeout`, and to know `secret` if there is one. With `local`, the network that it has to
    /// have, a server that is away is no error: it is tried again.
    ///
    /// # Errors
    /// When the server has another network, or is away and there is none here.
    pub(crate) fn connect(
        address: &str,
        timeout: Duration,
        secret: Option<&Secret>,
        local: Option<LocalNetwork>,
    ) -> Result<Self, RuntimeError> {
        let link = Arc::new(Link {
            address: address.to_owned(),
            timeout,
            key: secret.map(seal::key),
            expected: OnceLock::new(),
            has_local: local.is_some(),
            state: Mutex::default(),
            changed: Condvar::new(),
        });
        if let Some(local) = &local {
            link.expected.set((local.format, local.fingerprint)).ok();
        }
        // The first attempt is made here, so that its error is the caller's.
        let first = link.open();
        let refused = |problem: &ServerProblem| RuntimeError::Server {
            address: address.to_owned(),
            problem: problem.clone(),
        };
        match &first {
            Err(problem) if link.has_local && !problem.is_other_network() => {}
            Err(problem) => return Err(refused(problem)),
            Ok(_) => {}
        }
        let Some(&(format, fingerprint)) = link.expected.get() else {
            return Err(refused(&ServerProblem::NoHello));
        };
        let model = Self {
            format,
            fingerprint,
            local,
            link: Arc::clone(&link),
        };
        let builder = thread::Builder::new().name("server".to_owned());
        let spawned = builder.spawn(move || link.keep(first));
        spawned.map_err(RuntimeError::Thread)?;
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
    pub(crate) const fn local(&self) -> Option<&LocalNetwork> {
        self.local.as_ref()
    }

    /// Has positions evaluated by the server; without a network here it waits for the server for a while.
    pub(super) fn ask(
        &self,
        positions: &[PositionQuery],
    ) -> Result<Vec<RemoteAnswer>, ServerProblem> {
        self.link.ask_patiently(positions, self.format)
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
            connection.end(ServerProblem::ClosedHere);
        }
        // The thread of the connection ends by itself: nobody waits for it, as it may be waiting for a server.
        self.link.changed.notify_all();
    }
}

/// A connection whose server has said hello.
struct Opened {
    connection: Connection,
    frames: FrameReader,
    /// The seal of what the server sends.
    incoming: Seal,
}

/// The beginning of a connection.
struct Greeting<'a> {
    stream: &'a TcpStream,
    frames: FrameReader,
    deadline: Instant,
}

impl Greeting<'_> {
    fn say(&mut self, request: &RemoteRequest) -> Result<(), ServerProblem> {
        let frame = request.to_frame(InputFormat::Wcsc28);
        self.stream.write_all(&frame)?;
        Ok(())
    }

    /// The next message.
    fn body(&mut self) -> Result<Vec<u8>, ServerProblem> {
        loop {
            if let Some(body) = self.frames.take(SERVER_BYTES)? {
                return Ok(body);
            }
            let left = self.deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(ServerProblem::NoHelloInTime);
            }
            self.stream.set_read_timeout(Some(left))?;
            match self.frames.read_from(&mut self.stream) {
                Ok(0) => return Err(ServerProblem::ClosedBeforeHello),
                Err(error) if is_timeout(&error) || error.kind() == ErrorKind::Interrupted => {}
                read => drop(read?),
            }
        }
    }

    /// Proves that this side knows the secret, and has the server prove it; the seals of what is written and read.
    fn prove(&mut self, key: &MacKey) -> Result<(Seal, Seal), ServerProblem> {
        let client = random_bytes()?;
        self.say(&RemoteRequest::SecretHello(client))?;
        let (server, proof) = match RemoteReply::from_body(&self.body()?)? {
            RemoteReply::Challenge { nonce, proof } => (nonce, proof),
            RemoteReply::Error(reason) => return Err(ServerProblem::Reported(escaped(&reason))),
            _ => return Err(ServerProblem::NoSecret),
        };
        let handshake = Handshake {
            key,
            client,
            server,
        };
        if !handshake.is_server(&proof) {
            return Err(ServerProblem::OtherSecret);
        }
        self.say(&RemoteRequest::Proof(handshake.proof_of_client()))?;
        Ok((handshake.to_server(), handshake.to_client()))
    }
}

impl Link {
    /// Makes a connection.
    fn open(&self) -> Result<Opened, ServerProblem> {
        let stream = self.connect()?;
        stream.set_nodelay(true)?;
        stream.set_write_timeout(Some(self.timeout))?;
        let mut greeting = Greeting {
            stream: &stream,
            frames: FrameReader::default(),
            deadline: Instant::now() + self.timeout,
        };
        let (outgoing, mut incoming) = if let Some(key) = &self.key {
            greeting.prove(key)?
        } else {
            greeting.say(&RemoteRequest::Hello)?;
            (Seal::default(), Seal::default())
        };
        let body = incoming.open(greeting.body()?)?;
        match RemoteReply::from_body(&body)? {
            RemoteReply::Hello(hello) => self.check(&hello)?,
            RemoteReply::Error(reason) => return Err(ServerProblem::Reported(escaped(&reason))),
            _ => return Err(ServerProblem::HelloFirst),
        }
        let frames = greeting.frames;
        Ok(Opened {
            connection: Connection::new(stream, outgoing),
            frames,
            incoming,
        })
    }

    fn connect(&self) -> Result<TcpStream, ServerProblem> {
        let mut last = None;
        for address in self.address.to_socket_addrs()? {
            match TcpStream::connect_timeout(&address, self.timeout) {
                Ok(stream) => return Ok(stream),
                Err(error) => last = Some(error),
            }
        }
        Err(last.map_or(ServerProblem::NoHost, ServerProblem::from))
    }

    /// Checks that the server has the network that is expected.
    fn check(&self, hello: &ServerHello) -> Result<(), ServerProblem> {
        let found = (hello.format, hello.fingerprint);
        let &(format, fingerprint) = self.expected.get_or_init(|| found);
        let whose = if self.has_local { "here" } else { "before" };
        if format != hello.format {
            return Err(ServerProblem::OtherFormat {
                found: hello.format,
                expected: format,
                whose,
            });
        }
        if fingerprint != hello.fingerprint {
            let other = OtherNetwork {
                name: escaped(&hello.name),
                found: hello.fingerprint,
                expected: fingerprint,
                whose,
            };
            return Err(ServerProblem::OtherNetwork(Box::new(other)));
        }
        Ok(())
    }

    /// The work of the thread of the connection: reads answers, and makes the connection again when it is lost.
    fn keep(&self, first: Result<Opened, ServerProblem>) {
        let mut opened = first;
        let mut pause = RETRY[0];
        loop {
            let reason = match opened {
                Ok(Opened {
                    connection,
                    frames,
                    incoming,
                }) => {
                    let connection = Arc::new(connection);
                    if !self.begin(&connection) {
                        return;
                    }
                    let begin = Instant::now();
                    let reason = connection.read(frames, incoming);
                    let reason = connection.end(reason).clone();
                    // One that is lost again and again is made less and less often.
                    if begin.elapsed() > RETRY[1] {
                        pause = RETRY[0];
                    }
                    reason
                }
                Err(problem) => problem,
            };
            let mut state = lock(&self.state);
            self.leave(&mut state, reason);
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
            connection.end(ServerProblem::ClosedHere);
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
    fn leave(&self, state: &mut LinkState, reason: ServerProblem) {
        let text = reason.to_string();
        let known = state.reason.as_ref().map(ToString::to_string);
        let is_known = known.as_ref() == Some(&text);
        let is_news = !state.is_away || reason.is_other_network() && !is_known;
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
    fn connection(&self, deadline: Instant) -> Result<Arc<Connection>, ServerProblem> {
        let mut state = lock(&self.state);
        loop {
            if let Some(connection) = &state.connection {
                if !connection.is_over() {
                    return Ok(Arc::clone(connection));
                }
            } else if let Some(reason) = state.reason.as_ref().filter(|_| self.has_local) {
                return Err(reason.clone());
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() || state.is_closed {
                let reason = state.reason.clone();
                return Err(reason.unwrap_or(ServerProblem::NoConnection));
            }
            let waited = self.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Has positions evaluated by the server, in requests that are on their way at the same time.
    fn ask(
        &self,
        positions: &[PositionQuery],
        format: InputFormat,
    ) -> Result<Vec<RemoteAnswer>, ServerProblem> {
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
                let problem = ServerProblem::NoAnswer(self.timeout.as_millis());
                connection.end(problem.clone());
                problem
            })??;
            let counts = part.iter().map(|position| position.labels.len());
            let fits = found.iter().map(|answer| answer.logits.len()).eq(counts);
            if !fits {
                connection.end(ServerProblem::OtherAnswer);
                return Err(ServerProblem::OtherAnswer);
            }
            answers.extend(found);
        }
        Ok(answers)
    }

    /// [`Self::ask`]; without a network of this machine again and again for a while.
    fn ask_patiently(
        &self,
        positions: &[PositionQuery],
        format: InputFormat,
    ) -> Result<Vec<RemoteAnswer>, ServerProblem> {
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
