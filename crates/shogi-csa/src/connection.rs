//! The socket: lines in on a thread of their own, lines out.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Shutdown, TcpStream, ToSocketAddrs as _};
use std::thread;
use std::time::Duration;

/// Time to connect to one address of the server.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(20);
/// Time for the system to take a line.
const WRITE_TIMEOUT: Duration = Duration::from_secs(30);
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

/// Passes on lines until the end. Bytes that are no UTF-8 are replaced: nothing that matters has any.
fn read_lines(mut reader: BufReader<TcpStream>, mut on_event: impl FnMut(Incoming)) {
    let mut bytes = Vec::new();
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
