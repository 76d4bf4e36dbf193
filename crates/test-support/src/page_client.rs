//! A tab without a browser: the WebSocket of a page's server, and requests over it.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tungstenite::client::IntoClientRequest as _;
use tungstenite::stream::MaybeTlsStream;
use tungstenite::{Message, WebSocket};

/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(120);

/// Why a server refused a request, in its words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageRefusal(pub String);

/// A tab of a page's server.
#[derive(Debug)]
pub struct PageClient {
    socket: WebSocket<MaybeTlsStream<TcpStream>>,
    id: u64,
    /// What nobody asked for and nobody waited for yet.
    broadcasts: Vec<Value>,
}

impl PageClient {
    /// Visits a server by the address that it shows, and connects.
    ///
    /// # Panics
    ///
    /// Nobody is let in.
    #[track_caller]
    pub fn connect(url: &str) -> Self {
        let (origin, path) = url.split_once("/?").expect("an address with a token");
        let host = origin.strip_prefix("http://").expect("an address");
        let mut stream = TcpStream::connect(host).expect("the server listens");
        write!(
            stream,
            "GET /?{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
        )
        .expect("a request");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        let mut lines = answer.lines().filter_map(|line| line.split_once(": "));
        let cookie = lines.find(|(name, _)| name.eq_ignore_ascii_case("set-cookie"));
        let (_, cookie) = cookie.expect("a cookie");
        let cookie = cookie.split(';').next().unwrap_or_default();
        let address = format!("ws://{host}/api/ws");
        let mut request = address.into_client_request().expect("an address");
        let headers = request.headers_mut();
        headers.insert("cookie", cookie.parse().expect("a cookie"));
        headers.insert("origin", origin.parse().expect("an origin"));
        let (socket, _) = tungstenite::connect(request).expect("the server lets the page in");
        if let MaybeTlsStream::Plain(stream) = socket.get_ref() {
            let limited = stream.set_read_timeout(Some(PATIENCE));
            limited.expect("a time limit");
        }
        Self {
            socket,
            id: 0,
            broadcasts: Vec::new(),
        }
    }

    #[track_caller]
    fn next(&mut self) -> Value {
        let start = Instant::now();
        loop {
            if let Message::Text(text) = self.socket.read().expect("a message") {
                return serde_json::from_str(&text).expect("JSON");
            }
            // Signs of life are no messages.
            assert!(start.elapsed() < PATIENCE, "the server says nothing");
        }
    }

    /// Asks, and returns the last event of the answer.
    ///
    /// # Errors
    ///
    /// The text of the failure.
    #[track_caller]
    pub fn ask(&mut self, op: &str, fields: Value) -> Result<Value, PageRefusal> {
        self.id += 1;
        let mut request = fields;
        request["id"] = self.id.into();
        request["op"] = op.into();
        let message = Message::text(request.to_string());
        self.socket.send(message).expect("the server listens");
        let mut answer = json!({});
        loop {
            let event = self.next();
            if event.get("id").is_none() {
                self.broadcasts.push(event);
            } else if event["id"] == self.id && event["ev"] != "done" {
                answer = event;
            } else if event["id"] == self.id && event["why"] == "error" {
                return Err(PageRefusal(
                    event["text"].as_str().unwrap_or_default().to_owned(),
                ));
            } else if event["id"] == self.id {
                return Ok(answer);
            }
        }
    }

    /// Waits for a broadcast, of those before too, unless they were waited for already.
    ///
    /// # Panics
    ///
    /// It does not come.
    #[track_caller]
    pub fn wait_for(&mut self, what: &str, mut is_it: impl FnMut(&Value) -> bool) -> Value {
        let start = Instant::now();
        loop {
            if let Some(at) = self.broadcasts.iter().position(&mut is_it) {
                return self
                    .broadcasts
                    .drain(..=at)
                    .next_back()
                    .expect("it is there");
            }
            self.broadcasts.clear();
            let waited = start.elapsed();
            assert!(waited < PATIENCE, "waited for {what}");
            let event = self.next();
            if event.get("id").is_none() {
                self.broadcasts.push(event);
            }
        }
    }
}
