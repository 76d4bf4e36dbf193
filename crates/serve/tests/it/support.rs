//! A server on a thread, a service that answers what tests need, and clients.

use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use page_messages::{Effort, EventSink, PageFailure, PageRequest, PageService, StopFlag};
use serde_json::{Value, json};
use serve::{Assets, BindAddress, LocalServer, PortChoice, ServeOptions, ServerTiming};
use tempfile::TempDir;
use tungstenite::client::IntoClientRequest as _;
use tungstenite::stream::MaybeTlsStream;
use tungstenite::{Message, WebSocket};

/// Answers in the ways that tests need.
#[derive(Default)]
pub(crate) struct TestService {
    /// Searches that run.
    pub(crate) running: AtomicUsize,
    /// Searches that ran at a time at most.
    pub(crate) most: AtomicUsize,
    /// States that searches told.
    pub(crate) told: AtomicUsize,
}

impl PageService for TestService {
    fn capabilities(&self) -> Vec<String> {
        vec!["test".to_owned()]
    }

    fn effort(&self, op: &str) -> Option<Effort> {
        match op {
            "echo" | "fail" | "panic" | "long" | "flood" => Some(Effort::Quick),
            "count" => Some(Effort::Search),
            "watch" => Some(Effort::Watched),
            _ => None,
        }
    }

    fn answer(
        &self,
        request: &PageRequest,
        sink: &dyn EventSink,
        stop: &StopFlag,
    ) -> Result<(), PageFailure> {
        let number = |name: &str| request.fields.get(name).and_then(Value::as_u64);
        match request.op.as_str() {
            "echo" => sink.event("echo", json!({ "text": request.fields.get("text") })),
            "fail" => return Err(PageFailure::new("it fails")),
            "panic" => panic!("on purpose"),
            "long" => sink.event("long", json!({ "text": "x".repeat(2 << 20) })),
            "flood" => {
                for n in 0..number("events").unwrap_or(0) {
                    sink.event("flood", json!({ "n": n, "text": "x".repeat(1_000) }));
                }
            }
            // A search that never ends by itself, unless it has a number of states.
            _ => {
                let running = self.running.fetch_add(1, Ordering::SeqCst) + 1;
                self.most.fetch_max(running, Ordering::SeqCst);
                let mut n = 0;
                while !stop.is_stopped() && number("states").is_none_or(|states| n < states) {
                    n += 1;
                    self.told.fetch_add(1, Ordering::SeqCst);
                    sink.state("count", 0, json!({ "n": n }));
                    std::thread::sleep(Duration::from_micros(200));
                }
                self.running.fetch_sub(1, Ordering::SeqCst);
            }
        }
        Ok(())
    }
}

/// A server that runs until it is dropped.
pub(crate) struct TestServer {
    pub(crate) address: SocketAddr,
    pub(crate) url: String,
    pub(crate) service: Arc<TestService>,
    pub(crate) folder: Arc<TempDir>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl TestServer {
    pub(crate) fn new() -> Self {
        Self::with(|_| {})
    }

    /// A server with other options.
    pub(crate) fn with(change: impl FnOnce(&mut ServeOptions)) -> Self {
        Self::in_folder(Arc::new(tempfile::tempdir().unwrap()), change)
    }

    pub(crate) fn in_folder(folder: Arc<TempDir>, change: impl FnOnce(&mut ServeOptions)) -> Self {
        let service = Arc::new(TestService::default());
        let ui = folder.path().join("ui");
        std::fs::create_dir_all(ui.join("test")).unwrap();
        std::fs::write(ui.join("test/index.html"), "<h1>page</h1>").unwrap();
        std::fs::write(ui.join("test/app.js"), "app()").unwrap();
        let mut options = ServeOptions {
            service: Arc::clone(&service) as Arc<dyn PageService>,
            index: "test/index.html".to_owned(),
            build: "b1".to_owned(),
            seats: 1,
            folder: folder.path().join("state"),
            assets: Assets::Folder(ui),
            address: BindAddress::default(),
            port: PortChoice::Exactly(0),
            timing: ServerTiming::default(),
        };
        change(&mut options);
        let server = LocalServer::bind(options).unwrap();
        let (address, url) = (server.address(), server.url().to_owned());
        let stop = Arc::new(AtomicBool::new(false));
        let raised = Arc::clone(&stop);
        let thread = std::thread::spawn(move || server.run(&raised).unwrap());
        Self {
            address,
            url,
            service,
            folder,
            stop,
            thread: Some(thread),
        }
    }

    /// The address by its number, as pages have it.
    pub(crate) fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Sends a request and returns the whole answer.
    pub(crate) fn http(&self, line: &str, headers: &[(&str, &str)]) -> String {
        let mut stream = TcpStream::connect(self.address).unwrap();
        let mut text = format!("{line} HTTP/1.1\r\nConnection: close\r\n");
        for (name, value) in headers {
            write!(text, "{name}: {value}\r\n").unwrap();
        }
        text.push_str("\r\n");
        stream.write_all(text.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8(answer).unwrap()
    }

    /// The status of a request with the right host.
    pub(crate) fn status(&self, line: &str, headers: &[(&str, &str)]) -> u16 {
        let host = self.address.to_string();
        let mut all = vec![("Host", host.as_str())];
        all.extend(headers);
        status(&self.http(line, &all))
    }

    /// The cookie of a first visit by the address with the token.
    pub(crate) fn cookie(&self) -> String {
        let path = self.url.strip_prefix(&self.origin()).unwrap();
        let host = self.address.to_string();
        let answer = self.http(&format!("GET {path}"), &[("Host", &host)]);
        assert_eq!(status(&answer), 303, "{answer}");
        header(&answer, "set-cookie")
            .unwrap()
            .split(';')
            .next()
            .unwrap()
            .to_owned()
    }

    /// A tab, after `hello`.
    pub(crate) fn tab(&self, cookie: &str) -> TestTab {
        let mut tab = TestTab::connect(self, cookie, Some(&self.origin())).unwrap();
        assert_eq!(tab.next()["ev"], "hello");
        tab
    }

    /// Requests that are not finished, of all tabs.
    pub(crate) fn live(&self, cookie: &str) -> u64 {
        let host = self.address.to_string();
        let answer = self.http("GET /api/stats", &[("Host", &host), ("Cookie", cookie)]);
        let body = answer.split("\r\n\r\n").nth(1).unwrap();
        let counts: Value = serde_json::from_str(body).unwrap();
        counts["requests"].as_u64().unwrap()
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let joined = thread.join();
            assert!(joined.is_ok() || std::thread::panicking());
        }
    }
}

/// The status of an answer.
pub(crate) fn status(answer: &str) -> u16 {
    let status = answer.split(' ').nth(1);
    status.and_then(|status| status.parse().ok()).unwrap_or(0)
}

/// A header of an answer.
pub(crate) fn header(answer: &str, name: &str) -> Option<String> {
    let head = answer.split("\r\n\r\n").next()?;
    head.lines().find_map(|line| {
        let (found, value) = line.split_once(": ")?;
        found.eq_ignore_ascii_case(name).then(|| value.to_owned())
    })
}

/// The socket of a tab.
pub(crate) struct TestTab(pub(crate) WebSocket<MaybeTlsStream<TcpStream>>);

impl TestTab {
    /// Connects; the status where it is refused.
    pub(crate) fn connect(
        server: &TestServer,
        cookie: &str,
        origin: Option<&str>,
    ) -> Result<Self, u16> {
        let mut request = format!("ws://{}/api/ws", server.address)
            .into_client_request()
            .unwrap();
        let headers = request.headers_mut();
        headers.insert("cookie", cookie.parse().unwrap());
        if let Some(origin) = origin {
            headers.insert("origin", origin.parse().unwrap());
        }
        match tungstenite::connect(request) {
            Ok((socket, _)) => {
                if let MaybeTlsStream::Plain(stream) = socket.get_ref() {
                    stream
                        .set_read_timeout(Some(Duration::from_secs(20)))
                        .unwrap();
                    stream.set_nodelay(true).unwrap();
                }
                Ok(Self(socket))
            }
            Err(tungstenite::Error::Http(answer)) => Err(answer.status().as_u16()),
            Err(error) => panic!("{error}"),
        }
    }

    pub(crate) fn send(&mut self, value: &Value) {
        self.0.send(Message::text(value.to_string())).unwrap();
    }

    /// The next message.
    pub(crate) fn next(&mut self) -> Value {
        loop {
            if let Message::Text(text) = self.0.read().unwrap() {
                return serde_json::from_str(&text).unwrap();
            }
        }
    }

    /// The messages of a request up to its end.
    pub(crate) fn until_done(&mut self, id: u64) -> Vec<Value> {
        let mut all = Vec::new();
        loop {
            let message = self.next();
            let is_last = message["ev"] == "done" && message["id"] == id;
            if message["id"] == id {
                all.push(message);
            }
            if is_last {
                return all;
            }
        }
    }
}

/// Waits for something.
#[track_caller]
pub(crate) fn wait_for(what: &str, is_there: impl FnMut() -> bool) {
    test_support::wait_until(is_there, what);
}
