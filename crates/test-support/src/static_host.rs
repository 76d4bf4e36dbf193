//! A host of static files, such as many that people have: it knows types of files, and may set the headers that isolate pages.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// A host that runs until the test ends.
#[derive(Debug)]
pub struct StaticHost {
    address: String,
    is_off: Arc<AtomicBool>,
}

/// The headers that isolate pages from others.
const ISOLATION: &str =
    "cross-origin-opener-policy: same-origin\r\ncross-origin-embedder-policy: require-corp\r\n";

impl StaticHost {
    /// The folder of the pages whose engines run in the tab: what `YANEURA_BROWSER` names, or where `cargo xtask browser` puts them; `None`,
    /// and a line that says so, where it is not there.
    pub fn pages() -> Option<PathBuf> {
        let named = std::env::var_os("YANEURA_BROWSER").map(PathBuf::from);
        let usual = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/browser");
        let folder = named.unwrap_or(usual);
        let is_there = folder.join("sw.js").is_file();
        if !is_there {
            let folder = folder.display();
            println!("skipped: no pages in {folder} (cargo xtask browser)");
        }
        is_there.then_some(folder)
    }

    /// Serves a folder below `/sub/`.
    pub fn start(folder: &Path) -> Self {
        Self::with_headers(folder, "")
    }

    /// Serves a folder with the headers that isolate its pages from others, so that they may share memory.
    pub fn isolated(folder: &Path) -> Self {
        Self::with_headers(folder, ISOLATION)
    }

    fn with_headers(folder: &Path, headers: &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let at = listener.local_addr().expect("an address");
        let address = format!("http://{at}/sub/");
        let is_off = Arc::new(AtomicBool::new(false));
        let (off, folder) = (Arc::clone(&is_off), folder.to_owned());
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if off.load(Ordering::Relaxed) {
                    continue;
                }
                let folder = folder.clone();
                // A browser that closes its connection is no problem of the host's.
                thread::spawn(move || serve(stream, &folder, headers).ok());
            }
        });
        Self { address, is_off }
    }

    /// The address of a file.
    pub fn url(&self, name: &str) -> String {
        format!("{}{name}", self.address)
    }

    /// From now on nobody gets anything.
    pub fn turn_off(&self) {
        self.is_off.store(true, Ordering::Relaxed);
    }
}

fn serve(stream: TcpStream, folder: &Path, headers: &str) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let mut header = String::new();
    while reader.read_line(&mut header)? > 2 {
        header.clear();
    }
    let path = line.split(' ').nth(1).unwrap_or_default();
    let name = path.split(['?', '#']).next().unwrap_or_default();
    let name = name.strip_prefix("/sub/").unwrap_or("missing");
    let name = match name {
        "" => "index.html".to_owned(),
        name if name.ends_with('/') => format!("{name}index.html"),
        name => name.to_owned(),
    };
    let mut stream = stream;
    match fs::read(folder.join(PathBuf::from(&name))) {
        Ok(bytes) => {
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: {}\r\ncontent-length: {}\r\n{headers}connection: close\r\n\r\n",
                media_type(&name),
                bytes.len()
            );
            stream.write_all(head.as_bytes())?;
            stream.write_all(&bytes)
        }
        Err(_) => stream
            .write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"),
    }
}

fn media_type(name: &str) -> &'static str {
    match name.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "webmanifest" => "application/json",
        "svg" => "image/svg+xml",
        "wasm" => "application/wasm",
        _ => "application/octet-stream",
    }
}
