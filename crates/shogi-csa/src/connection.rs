//! The socket: lines in on a thread of their own, lines out.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Shutdown, TcpStream, ToSocketAddrs as _};
use std::thread;
use std::time::{Duration, Instant};

/// Time to connect to one address of the server.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(20);
/// Time for the system to take a line.
const WRITE_TIMEOUT: Duration = Duration::from_secs(30);
/// The most that a server may send within [`FLOOD_TIME`], in bytes and lines: a game is some hundred bytes a move.
const FLOOD_BYTES: usize = 1 << 20;
const FLOOD_LINES: usize = 20_000;
const FLOOD_TIME: Duration = Duration::from_secs(10);
/// Longest line that is read, in bytes; servers send a few hundred.
const LONGEST_LINE: u64 = 1 << 16;

/// What comes from the server.
#[derive(Debug)]
pub(crate) enum Incoming {
    /// A line, without its end.
    Line(String),
    /// The connection has ended, for this reason.
    Closed(String),
}

/// A connection to the server. It ends when dropped.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: TcpStream,
}

impl Connection {
    /// Connects to the first address of `host` that answers; `on_event` gets what comes in, on another thread.
    pub(crate) fn open(
        host: &str,
        port: u16,
        on_event: impl FnMut(Incoming) + Send + 'static,
    ) -> io::Result<Self> {
        let stream = connect(host, port)?;
        // Each line is a message of its own, and counts on a clock.
        stream.set_nodelay(true)?;
        stream.set_write_timeout(Some(WRITE_TIMEOUT))?;
        let reader = BufReader::new(stream.try_clone()?);
        thread::Builder::new()
            .name("server".to_owned())
            .spawn(move || read_lines(reader, on_event))?;
        Ok(Self { stream })
    }

    /// Sends a line.
    pub(crate) fn send(&mut self, line: &str) -> io::Result<()> {
        // One write a line.
        self.stream.write_all(format!("{line}\n").as_bytes())
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // Fails only when the connection has ended.
        self.stream.shutdown(Shutdown::Both).ok();
    }
}

fn connect(host: &str, port: u16) -> io::Result<TcpStream> {
    let mut failed = None;
    for address in (host, port).to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, CONNECT_TIMEOUT) {
            Ok(stream) => return Ok(stream),
            Err(error) => failed = Some(error),
        }
    }
    Err(failed.unwrap_or_else(|| {
        io::Error::new(io::ErrorKind::NotFound, format!("{host} has no address"))
    }))
}

/// What has come since some time.
struct Flow {
    since: Instant,
    bytes: usize,
    lines: usize,
}

impl Flow {
    fn new() -> Self {
        Self {
            since: Instant::now(),
            bytes: 0,
            lines: 0,
        }
    }

    /// Counts a line; returns true if the server sends too much.
    fn is_flood(&mut self, bytes: usize) -> bool {
        if self.since.elapsed() > FLOOD_TIME {
            *self = Self::new();
        }
        self.bytes += bytes;
        self.lines += 1;
        self.bytes > FLOOD_BYTES || self.lines > FLOOD_LINES
    }
}

/// Passes on lines until the end, or until the server sends far more than any game has. Bytes that are no UTF-8 are replaced: nothing that matters has any.
fn read_lines(mut reader: BufReader<TcpStream>, mut on_event: impl FnMut(Incoming)) {
    let mut bytes = Vec::new();
    let mut flow = Flow::new();
    loop {
        bytes.clear();
        let reason = match reader
            .by_ref()
            .take(LONGEST_LINE)
            .read_until(b'\n', &mut bytes)
        {
            Ok(0) => "the server closed the connection".to_owned(),
            Ok(_) if bytes.last() != Some(&b'\n') && bytes.len() as u64 == LONGEST_LINE => {
                format!("the server sent a line of more than {LONGEST_LINE} bytes")
            }
            Ok(read) if flow.is_flood(read) => {
                let seconds = FLOOD_TIME.as_secs();
                format!(
                    "the server floods: more than {FLOOD_BYTES} bytes or {FLOOD_LINES} lines in {seconds} s"
                )
            }
            Ok(_) => {
                let text = String::from_utf8_lossy(&bytes);
                on_event(Incoming::Line(
                    text.trim_end_matches(['\r', '\n']).to_owned(),
                ));
                continue;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => error.to_string(),
        };
        return on_event(Incoming::Closed(reason));
    }
}
