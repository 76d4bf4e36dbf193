//! The server: a thread that accepts connections, and for each of them one that reads and one that writes.

use std::collections::HashMap;
use std::io::{self, ErrorKind, Write as _};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::{self, JoinHandle, Scope};
use std::time::Duration;

use super::connection::lock;
use super::frames::{FrameReader, is_timeout};
use super::protocol::{
    CLIENT_BYTES, HELLO_BYTES, RemoteReply, RemoteRequest, ServerHello, answer_frame,
};
use crate::{EvaluationQueue, InputFormat, PositionBatch, QueueCounts};

/// Time for the hello, for the rest of a message that has begun, and for the client to take an answer.
const PATIENCE: Duration = Duration::from_secs(20);
/// Silence after which a client is given up; clients ping before.
const SILENCE: Duration = Duration::from_secs(90);
/// Messages of a connection that are not answered yet; no more are read until one is.
const MOST_UNANSWERED: usize = 32;
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

/// What a server has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ServerCounts {
    /// Connections that there are.
    pub connections: usize,
    /// Clients that said hello so far.
    pub clients: u64,
    /// Connections that were ended with an error.
    pub refused: u64,
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
    most_connections: usize,
    on_event: Box<dyn Fn(&ServerEvent) + Send + Sync>,
    is_ending: AtomicBool,
    /// The connections by number, so that they can be ended.
    streams: Mutex<HashMap<u64, TcpStream>>,
    clients: AtomicU64,
    refused: AtomicU64,
}

impl EvalServer {
    /// Serves those who connect to `listener`, at most `most_connections` at a time, with a network that `hello` describes and `queue` evaluates.
    /// `on_event` is called on the threads of the connections.
    ///
    /// # Errors
    /// When the system gives no thread, or does not tell the address.
    pub fn start(
        listener: TcpListener,
        queue: Arc<EvaluationQueue>,
        hello: ServerHello,
        most_connections: usize,
        on_event: impl Fn(&ServerEvent) + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let address = listener.local_addr()?;
        let state = Arc::new(ServerState {
            queue,
            format: hello.format,
            hello: RemoteReply::Hello(hello).to_frame(),
            most_connections,
            on_event: Box::new(on_event),
            is_ending: AtomicBool::new(false),
            streams: Mutex::default(),
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
            connections: self.state.streams().len(),
            clients: self.state.clients.load(Relaxed),
            refused: self.state.refused.load(Relaxed),
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
        let is_woken = TcpStream::connect_timeout(&own, PATIENCE).is_ok();
        for stream in self.state.streams().values() {
            stream.shutdown(Shutdown::Both).ok();
        }
        // A thread that cannot be woken is left behind, rather than waited for.
        if let Some(acceptor) = self.acceptor.take()
            && is_woken
        {
            acceptor.join().ok();
        }
    }
}

impl ServerState {
    fn streams(&self) -> MutexGuard<'_, HashMap<u64, TcpStream>> {
        lock(&self.streams)
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
            for stream in self.streams().values() {
                stream.shutdown(Shutdown::Both).ok();
            }
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
        let mut streams = self.streams();
        streams.insert(number, kept);
        let is_full = streams.len() > self.most_connections;
        drop(streams);
        let builder = thread::Builder::new().name("client".to_owned());
        let spawned = builder.spawn_scoped(scope, move || {
            let connection = Connection {
                state: self,
                stream: &stream,
                frames: FrameReader::default(),
            };
            let ended = if is_full {
                Err(Parting::Refused("too many connections".to_owned()))
            } else {
                connection.serve(peer)
            };
            if let Err(Parting::Refused(reason)) = ended {
                self.refuse(&stream, peer, reason);
            }
            stream.shutdown(Shutdown::Both).ok();
            self.streams().remove(&number);
        });
        if spawned.is_err() {
            self.streams().remove(&number);
        }
    }

    /// Tells the other side what is wrong, once.
    fn refuse(&self, mut stream: &TcpStream, peer: SocketAddr, reason: String) {
        self.refused.fetch_add(1, Relaxed);
        let frame = RemoteReply::Error(reason.clone()).to_frame();
        stream.write_all(&frame).ok();
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
    frames: FrameReader,
}

impl Connection<'_> {
    /// Says hello, and answers requests until the client goes.
    fn serve(mut self, peer: SocketAddr) -> Result<(), Parting> {
        self.stream.set_nodelay(true).ok();
        self.stream.set_write_timeout(Some(PATIENCE)).ok();
        let format = self.state.format;
        let hello = self.frame(HELLO_BYTES, PATIENCE)?;
        if RemoteRequest::from_body(&hello, format)? != RemoteRequest::Hello {
            return Err(Parting::Refused("the hello comes first".to_owned()));
        }
        let mut stream = self.stream;
        stream
            .write_all(&self.state.hello)
            .map_err(|_| Parting::Gone)?;
        self.state.clients.fetch_add(1, Relaxed);
        (self.state.on_event)(&ServerEvent::Connected(peer));
        let ended = self.answer_all();
        if matches!(ended, Err(Parting::Gone)) {
            (self.state.on_event)(&ServerEvent::Left(peer));
        }
        ended
    }

    /// Reads requests as long as there are some; another thread writes the answers.
    fn answer_all(&mut self) -> Result<(), Parting> {
        let (answers, written) = mpsc::channel();
        // A place for each message that is to be answered.
        let (places, free) = mpsc::sync_channel(MOST_UNANSWERED);
        let stream = self.stream;
        thread::scope(|scope| {
            let builder = thread::Builder::new().name("answers".to_owned());
            let writer = builder.spawn_scoped(scope, move || {
                write_answers(stream, &written, &free);
            });
            writer.map_err(|error| Parting::Refused(error.to_string()))?;
            let ended = self.read_requests(&answers, &places);
            // The writer ends when the requests that are left have their answers too.
            drop(answers);
            if matches!(ended, Err(Parting::Gone)) {
                // What is left to be written has nobody to read it.
                stream.shutdown(Shutdown::Both).ok();
            }
            ended
        })
    }

    fn read_requests(
        &mut self,
        answers: &Sender<Vec<u8>>,
        places: &SyncSender<()>,
    ) -> Result<(), Parting> {
        loop {
            let body = self.frame(CLIENT_BYTES, SILENCE)?;
            let message = RemoteRequest::from_body(&body, self.state.format)?;
            // The writer has ended when nobody takes the place.
            places.send(()).map_err(|_| Parting::Gone)?;
            match message {
                RemoteRequest::Hello => {
                    return Err(Parting::Refused("a second hello".to_owned()));
                }
                RemoteRequest::Ping => {
                    let pong = RemoteReply::Pong.to_frame();
                    answers.send(pong).map_err(|_| Parting::Gone)?;
                }
                RemoteRequest::Evaluate { id, positions } => {
                    let answers = answers.clone();
                    let (planes, labels): (Vec<_>, Vec<_>) = positions
                        .into_iter()
                        .map(|position| (position.planes, position.labels))
                        .unzip();
                    let batch = PositionBatch::of(planes);
                    self.state.queue.submit(batch, move |batch, result| {
                        let frame = match result {
                            Ok(()) => answer_frame(id, &labels, batch.results()),
                            Err(error) => {
                                let reason = error.to_string();
                                RemoteReply::Failed { id, reason }.to_frame()
                            }
                        };
                        // Without a writer there is no client any more.
                        answers.send(frame).ok();
                    });
                }
            }
        }
    }

    /// The next frame. `silence` is how long the client may wait before it begins one.
    fn frame(&mut self, most: usize, silence: Duration) -> Result<Vec<u8>, Parting> {
        loop {
            if let Some(frame) = self.frames.take(most)? {
                return Ok(frame);
            }
            let is_within = self.frames.is_within_frame();
            let patience = if is_within { PATIENCE } else { silence };
            self.stream.set_read_timeout(Some(patience)).ok();
            match self.frames.read_from(&mut &*self.stream) {
                Ok(0) if is_within && !self.state.is_ending() => {
                    return Err(Parting::Refused("a message without its end".to_owned()));
                }
                Ok(0) => return Err(Parting::Gone),
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if is_timeout(&error) => {
                    return Err(Parting::Refused("nothing more came in time".to_owned()));
                }
                Err(_) => return Err(Parting::Gone),
            }
        }
    }
}

/// The work of the thread that writes: answers until all who could send one have ended.
fn write_answers(mut stream: &TcpStream, answers: &Receiver<Vec<u8>>, places: &Receiver<()>) {
    for answer in answers {
        if stream.write_all(&answer).is_err() {
            // The thread that reads ends too.
            stream.shutdown(Shutdown::Both).ok();
            return;
        }
        places.try_recv().ok();
    }
}
