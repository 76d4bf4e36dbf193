//! The server: a thread that accepts connections, and for each of them one that reads and one that writes.

use std::collections::HashMap;
use std::io::{self, ErrorKind, Write as _};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::{self, JoinHandle, Scope};
use std::time::{Duration, Instant};

use yane_io::secret::{MacKey, Trust, random_bytes};

use super::budget::{Budget, Charge, ClientShare};
use super::connection::lock;
use super::frames::{FrameReader, is_timeout};
use super::protocol::{
    CLIENT_BYTES, HELLO_BYTES, PROOF_BYTES, RemoteReply, RemoteRequest, ServerHello, answer_frame,
};
use super::seal::{self, Handshake, Seal};
use super::window::Window;
use crate::{
    EvaluationError, EvaluationQueue, InputFormat, PolicyLabel, PolicyValue, PositionBatch,
    PositionQuery, QueueCounts,
};

/// Time for waking the thread that accepts connections.
const WAKE: Duration = Duration::from_secs(20);
/// Silence after which a client is given up; clients ping before.
const SILENCE: Duration = Duration::from_secs(90);
/// Positions of a connection that are not answered yet, at least; no more are read until some are. It is two batches where those are larger.
const UNANSWERED: usize = 512;
/// The age at which a connection that has not said hello makes room for a new one.
const YOUNG: Duration = Duration::from_millis(500);
/// The silence after which a client without requests makes room for a new one.
const IDLE: Duration = Duration::from_secs(30);
/// Pause after an error of accepting connections, such as too many open files.
const ACCEPT_PAUSE: Duration = Duration::from_millis(200);

/// What happens at a server.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ServerEvent {
    /// A client has said hello.
    Connected(SocketAddr),
    /// A client has gone.
    Left(SocketAddr),
    /// A connection was ended with an error.
    Refused {
        /// The other side.
        peer: SocketAddr,
        /// What was wrong.
        reason: String,
    },
}

/// Who may use a server, and how much of the machine.
#[derive(Clone, Debug)]
pub struct ServerSettings {
    /// Most connections at a time.
    pub connections: usize,
    /// Bytes of the requests and answers of all clients. What comes in beside them is half a mebibyte of each connection.
    pub memory: usize,
    /// Time for the hello, for the rest of a message that has begun, and for the client to take an answer.
    pub patience: Duration,
    /// Who is believed. Without a secret: clients on this machine.
    pub trust: Trust,
}

impl Default for ServerSettings {
    fn default() -> Self {
        Self {
            connections: 256,
            memory: 1 << 30,
            patience: Duration::from_secs(20),
            trust: Trust::default(),
        }
    }
}

/// What a server has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ServerCounts {
    /// Connections that there are.
    pub connections: usize,
    /// Clients that said hello so far.
    pub clients: u64,
    /// Connections that were ended with an error.
    pub refused: u64,
    /// Bytes that requests and answers take.
    pub memory: usize,
    /// What was evaluated.
    pub queue: QueueCounts,
}

/// A server that evaluates positions for clients. It ends when it is dropped.
pub struct EvalServer {
    address: SocketAddr,
    state: Arc<ServerState>,
    acceptor: Option<JoinHandle<()>>,
}

struct ServerState {
    queue: Arc<EvaluationQueue>,
    format: InputFormat,
    /// The hello as a frame.
    hello: Vec<u8>,
    settings: ServerSettings,
    /// The key of the secret that clients have to know.
    key: Option<MacKey>,
    budget: Arc<Budget>,
    on_event: Box<dyn Fn(&ServerEvent) + Send + Sync>,
    is_ending: AtomicBool,
    /// The connections by number, so that they can be ended.
    peers: Mutex<HashMap<u64, Peer>>,
    clients: AtomicU64,
    refused: AtomicU64,
}

/// A connection, as all threads know it.
struct Peer {
    stream: TcpStream,
    activity: Arc<Activity>,
}

/// What a connection does.
struct Activity {
    begun: Instant,
    /// When the last request came; `None` before the hello.
    last: Mutex<Option<Instant>>,
    /// Requests without an answer.
    unanswered: AtomicUsize,
    /// It was ended to make room.
    is_removed: AtomicBool,
}

impl Activity {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            begun: Instant::now(),
            last: Mutex::new(None),
            unanswered: AtomicUsize::new(0),
            is_removed: AtomicBool::new(false),
        })
    }

    fn touch(&self) {
        *lock(&self.last) = Some(Instant::now());
    }

    /// How long it has been of no use, if that is long enough for it to make room: those without a hello first.
    fn uselessness(&self) -> Option<(bool, Duration)> {
        if self.is_removed.load(Relaxed) {
            return None;
        }
        match *lock(&self.last) {
            None => Some((true, self.begun.elapsed())).filter(|&(_, age)| age >= YOUNG),
            Some(_) if self.unanswered.load(Relaxed) > 0 => None,
            Some(last) => Some((false, last.elapsed())).filter(|&(_, silence)| silence >= IDLE),
        }
    }
}

impl EvalServer {
    /// Serves those who connect to `listener` with a network that `hello` describes and `queue` evaluates. `on_event` is called on the threads of the
    /// connections.
    ///
    /// # Errors
    /// When the system gives no thread, or does not tell the address; or others than this machine can reach it, and there is no secret.
    pub fn start(
        listener: TcpListener,
        queue: Arc<EvaluationQueue>,
        hello: ServerHello,
        settings: ServerSettings,
        on_event: impl Fn(&ServerEvent) + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let address = listener.local_addr()?;
        if !settings.trust.allows(&address.ip().to_string()) {
            return Err(io::Error::new(
                ErrorKind::PermissionDenied,
                format!(
                    "others than this machine reach {address}, and there is no secret: --secret-file FILE or the variable \
                     YANE_SECRET here and at all clients, or --trust-network"
                ),
            ));
        }
        let key = match &settings.trust {
            Trust::Secret(secret) => Some(seal::key(secret)),
            _ => None,
        };
        let state = Arc::new(ServerState {
            queue,
            format: hello.format,
            hello: RemoteReply::Hello(hello).to_frame(),
            budget: Budget::new(settings.memory),
            settings,
            key,
            on_event: Box::new(on_event),
            is_ending: AtomicBool::new(false),
            peers: Mutex::default(),
            clients: AtomicU64::new(0),
            refused: AtomicU64::new(0),
        });
        let accepting = Arc::clone(&state);
        let builder = thread::Builder::new().name("accept".to_owned());
        let acceptor = builder.spawn(move || accepting.accept(&listener))?;
        Ok(Self {
            address,
            state,
            acceptor: Some(acceptor),
        })
    }

    /// The address that it listens on.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// What it has done so far.
    pub fn counts(&self) -> ServerCounts {
        ServerCounts {
            connections: self.state.peers().len(),
            clients: self.state.clients.load(Relaxed),
            refused: self.state.refused.load(Relaxed),
            memory: self.state.budget.used(),
            queue: self.state.queue.counts(),
        }
    }
}

impl Drop for EvalServer {
    fn drop(&mut self) {
        self.state.is_ending.store(true, Relaxed);
        // The thread that accepts is woken by a connection.
        let mut own = self.address;
        match own.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => own.set_ip(Ipv4Addr::LOCALHOST.into()),
            IpAddr::V6(ip) if ip.is_unspecified() => own.set_ip(Ipv6Addr::LOCALHOST.into()),
            _ => {}
        }
        let is_woken = TcpStream::connect_timeout(&own, WAKE).is_ok();
        self.state.end_all();
        // A thread that cannot be woken is left behind, rather than waited for.
        if let Some(acceptor) = self.acceptor.take()
            && is_woken
        {
            acceptor.join().ok();
        }
    }
}

impl ServerState {
    fn peers(&self) -> MutexGuard<'_, HashMap<u64, Peer>> {
        lock(&self.peers)
    }

    fn end_all(&self) {
        for peer in self.peers().values() {
            peer.stream.shutdown(Shutdown::Both).ok();
        }
    }

    /// Ends the connection that has been of no use longest, if there is one; whether there was.
    fn make_room(peers: &HashMap<u64, Peer>) -> bool {
        let useless = peers
            .values()
            .filter_map(|peer| Some((peer.activity.uselessness()?, peer)));
        let Some((_, peer)) = useless.max_by_key(|(uselessness, _)| *uselessness) else {
            return false;
        };
        peer.activity.is_removed.store(true, Relaxed);
        peer.stream.shutdown(Shutdown::Both).ok();
        true
    }

    fn is_ending(&self) -> bool {
        self.is_ending.load(Relaxed)
    }

    /// The work of the thread that accepts connections.
    fn accept(&self, listener: &TcpListener) {
        thread::scope(|scope| {
            let mut number = 0;
            while !self.is_ending() {
                match listener.accept() {
                    Ok(_) if self.is_ending() => {}
                    Ok((stream, peer)) => {
                        number += 1;
                        self.begin(scope, stream, peer, number);
                    }
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Err(_) => thread::sleep(ACCEPT_PAUSE),
                }
            }
            // Those that came while the server began to end.
            self.end_all();
        });
    }

    /// Begins a connection on threads of its own.
    fn begin<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        stream: TcpStream,
        peer: SocketAddr,
        number: u64,
    ) {
        let Ok(kept) = stream.try_clone() else {
            return;
        };
        let activity = Activity::new();
        let mut peers = self.peers();
        let staying = peers
            .values()
            .filter(|peer| !peer.activity.is_removed.load(Relaxed));
        let is_full = staying.count() >= self.settings.connections && !Self::make_room(&peers);
        let kept = Peer {
            stream: kept,
            activity: Arc::clone(&activity),
        };
        peers.insert(number, kept);
        drop(peers);
        let builder = thread::Builder::new().name("client".to_owned());
        let spawned = builder.spawn_scoped(scope, move || {
            let outgoing = Mutex::default();
            let connection = Connection {
                state: self,
                stream: &stream,
                number,
                activity: &activity,
                frames: FrameReader::default(),
                incoming: Seal::default(),
                outgoing: &outgoing,
            };
            let ended = if is_full {
                Err(Parting::Refused("too many connections".to_owned()))
            } else {
                connection.serve(peer)
            };
            if let Err(Parting::Refused(reason)) = ended {
                self.refuse(&stream, peer, reason, &outgoing);
            }
            stream.shutdown(Shutdown::Both).ok();
            self.peers().remove(&number);
        });
        if spawned.is_err() {
            self.peers().remove(&number);
        }
    }

    /// Tells the other side what is wrong, once.
    fn refuse(&self, stream: &TcpStream, peer: SocketAddr, reason: String, seal: &Mutex<Seal>) {
        self.refused.fetch_add(1, Relaxed);
        let frame = RemoteReply::Error(reason.clone()).to_frame();
        let frame = lock(seal).seal(frame);
        write_within(stream, &frame, self.settings.patience).ok();
        (self.on_event)(&ServerEvent::Refused { peer, reason });
    }
}

/// Why a connection ends.
enum Parting {
    /// The client has gone, or the server ends.
    Gone,
    /// The client did what it may not.
    Refused(String),
}

impl<E: std::error::Error> From<E> for Parting {
    fn from(error: E) -> Self {
        Self::Refused(error.to_string())
    }
}

/// A connection, as the thread that reads has it.
struct Connection<'a> {
    state: &'a ServerState,
    stream: &'a TcpStream,
    number: u64,
    activity: &'a Arc<Activity>,
    frames: FrameReader,
    /// The seal of what comes in.
    incoming: Seal,
    /// The seal of what goes out.
    outgoing: &'a Mutex<Seal>,
}

/// An answer as a frame, the memory of its request, and its positions (one for a pong).
type Answer = (Vec<u8>, Option<Charge>, usize);

impl Connection<'_> {
    /// Says hello, and answers requests until the client goes.
    fn serve(mut self, peer: SocketAddr) -> Result<(), Parting> {
        self.stream.set_nodelay(true).ok();
        self.greet()?;
        let hello = lock(self.outgoing).seal(self.state.hello.clone());
        self.write(&hello)?;
        self.activity.touch();
        self.state.clients.fetch_add(1, Relaxed);
        (self.state.on_event)(&ServerEvent::Connected(peer));
        let ended = self.answer_all();
        if matches!(ended, Err(Parting::Gone)) {
            (self.state.on_event)(&ServerEvent::Left(peer));
        }
        ended
    }

    /// Reads the client's hello; with a secret each side proves that it knows it.
    fn greet(&mut self) -> Result<(), Parting> {
        let format = self.state.format;
        let patience = self.state.settings.patience;
        let refused = |reason: &str| Err(Parting::Refused(reason.to_owned()));
        let hello = self.frame(HELLO_BYTES, patience)?;
        match (RemoteRequest::from_body(&hello, format)?, &self.state.key) {
            (RemoteRequest::Hello, None) => Ok(()),
            (RemoteRequest::Hello, Some(_)) => refused("this server wants a secret"),
            (RemoteRequest::SecretHello(_), None) => refused("this server has no secret"),
            (RemoteRequest::SecretHello(client), Some(key)) => {
                let server = random_bytes()?;
                let handshake = Handshake {
                    key,
                    client,
                    server,
                };
                let challenge = RemoteReply::Challenge {
                    nonce: server,
                    proof: handshake.proof_of_server(),
                };
                self.write(&challenge.to_frame())?;
                let proof = self.frame(PROOF_BYTES, patience)?;
                match RemoteRequest::from_body(&proof, format)? {
                    RemoteRequest::Proof(proof) if handshake.is_client(&proof) => {}
                    _ => return refused("another secret"),
                }
                self.incoming = handshake.to_server();
                *lock(self.outgoing) = handshake.to_client();
                Ok(())
            }
            _ => refused("the hello comes first"),
        }
    }

    fn write(&self, frame: &[u8]) -> Result<(), Parting> {
        let patience = self.state.settings.patience;
        write_within(self.stream, frame, patience).map_err(|_| Parting::Gone)
    }

    /// Reads requests as long as there are some; another thread writes the answers.
    fn answer_all(&mut self) -> Result<(), Parting> {
        // The window bounds what is in the channel.
        let (answers, written) = mpsc::channel();
        let writer = AnswerWriter {
            stream: self.stream,
            seal: self.outgoing,
            patience: self.state.settings.patience,
            activity: self.activity,
            window: Window::new((2 * self.state.queue.largest()).max(UNANSWERED)),
        };
        let stream = self.stream;
        thread::scope(|scope| {
            let builder = thread::Builder::new().name("answers".to_owned());
            let writing = &writer;
            let spawned = builder.spawn_scoped(scope, move || writing.write(&written));
            spawned.map_err(|error| Parting::Refused(error.to_string()))?;
            let ended = self.read_requests(&answers, &writer.window);
            // The writer ends when the requests that are left have their answers too.
            drop(answers);
            if matches!(ended, Err(Parting::Gone)) {
                // What is left to be written has nobody to read it.
                stream.shutdown(Shutdown::Both).ok();
            }
            ended
        })
    }

    fn read_requests(&mut self, answers: &Sender<Answer>, window: &Window) -> Result<(), Parting> {
        let share = ClientShare::default();
        loop {
            let body = self.frame(CLIENT_BYTES, SILENCE)?;
            let body = self.incoming.open(body)?;
            let message = RemoteRequest::from_body(&body, self.state.format)?;
            drop(body);
            let count = match &message {
                RemoteRequest::Evaluate { positions, .. } => positions.len(),
                _ => 1,
            };
            if !window.enter(count, || self.state.is_ending()) {
                return Err(Parting::Gone);
            }
            match message {
                RemoteRequest::Hello | RemoteRequest::SecretHello(_) | RemoteRequest::Proof(_) => {
                    return Err(Parting::Refused("a second hello".to_owned()));
                }
                RemoteRequest::Ping => {
                    let pong = RemoteReply::Pong.to_frame();
                    answers.send((pong, None, 1)).map_err(|_| Parting::Gone)?;
                }
                RemoteRequest::Evaluate { id, positions } => {
                    self.activity.touch();
                    let is_over = || window.is_over() || self.state.is_ending();
                    let bytes = positions.iter().map(memory_of).sum();
                    let charge = self.state.budget.take(&share, bytes, is_over);
                    let charge = charge.ok_or(Parting::Gone)?;
                    self.activity.unanswered.fetch_add(1, Relaxed);
                    self.submit(id, positions, answers.clone(), charge);
                }
            }
        }
    }

    /// Has positions evaluated; the answer goes to the writer.
    fn submit(
        &self,
        id: u32,
        positions: Vec<PositionQuery>,
        answers: Sender<Answer>,
        charge: Charge,
    ) {
        let batch = PositionBatch::of(positions);
        let done = move |batch: PositionBatch, result| {
            let frame = match result {
                Ok(()) => answer_frame(id, batch.positions(), batch.results()),
                Err(error) => {
                    let error: EvaluationError = error;
                    let reason = error.to_string();
                    RemoteReply::Failed { id, reason }.to_frame()
                }
            };
            // Without a writer there is no client any more.
            let count = batch.count();
            answers.send((frame, Some(charge), count)).ok();
        };
        self.state.queue.submit_for(self.number, batch, done);
    }

    /// The next frame. `silence` is how long the client may wait before it begins one.
    fn frame(&mut self, most: usize, silence: Duration) -> Result<Vec<u8>, Parting> {
        let mut since = Instant::now();
        let mut was_within = self.frames.is_within_frame();
        loop {
            if let Some(frame) = self.frames.take(most)? {
                return Ok(frame);
            }
            let is_within = self.frames.is_within_frame();
            if is_within && !was_within {
                since = Instant::now();
            }
            was_within = is_within;
            let whole = self.state.settings.patience;
            let patience = if is_within { whole } else { silence };
            let left = patience.saturating_sub(since.elapsed());
            if left.is_zero() {
                return Err(Parting::Refused("nothing more came in time".to_owned()));
            }
            self.stream.set_read_timeout(Some(left)).ok();
            match self.frames.read_from(&mut &*self.stream) {
                Ok(0) if self.activity.is_removed.load(Relaxed) => {
                    let reason = "silent while others wanted to come in";
                    return Err(Parting::Refused(reason.to_owned()));
                }
                Ok(0) if is_within && !self.state.is_ending() => {
                    return Err(Parting::Refused("a message without its end".to_owned()));
                }
                Ok(0) => return Err(Parting::Gone),
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::Interrupted || is_timeout(&error) => {}
                Err(_) => return Err(Parting::Gone),
            }
        }
    }
}

/// The bytes that a position takes until it is answered: what was read, what is evaluated, and the answer.
fn memory_of(position: &PositionQuery) -> usize {
    let result = size_of::<PolicyValue>() + PolicyLabel::COUNT * size_of::<f32>();
    let labels = position.labels.len();
    size_of::<PositionQuery>() + result + labels * (size_of::<u16>() + size_of::<f32>())
}

/// The thread of a connection that writes.
struct AnswerWriter<'a> {
    stream: &'a TcpStream,
    seal: &'a Mutex<Seal>,
    patience: Duration,
    activity: &'a Activity,
    window: Window,
}

impl AnswerWriter<'_> {
    /// Writes answers until all who could send one have ended, or the client takes none.
    fn write(&self, answers: &Receiver<Answer>) {
        for (answer, charge, count) in answers {
            let frame = lock(self.seal).seal(answer);
            if write_within(self.stream, &frame, self.patience).is_err() {
                // The thread that reads ends too.
                self.window.end();
                self.stream.shutdown(Shutdown::Both).ok();
                return;
            }
            if charge.is_some() {
                self.activity.unanswered.fetch_sub(1, Relaxed);
            }
            self.window.leave(count);
        }
    }
}

/// Writes bytes, all of them within `patience`.
fn write_within(mut stream: &TcpStream, bytes: &[u8], patience: Duration) -> io::Result<()> {
    let begin = Instant::now();
    let mut rest = bytes;
    while !rest.is_empty() {
        let left = patience.saturating_sub(begin.elapsed());
        if left.is_zero() {
            return Err(ErrorKind::TimedOut.into());
        }
        stream.set_write_timeout(Some(left))?;
        match stream.write(rest) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(count) => rest = &rest[count..],
            Err(error) if error.kind() == ErrorKind::Interrupted || is_timeout(&error) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
