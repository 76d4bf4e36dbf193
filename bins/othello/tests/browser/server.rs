//! `othello serve` as a process.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use test_support::{BrowserPage, TestFolder};

/// A server; it is killed when this is dropped.
pub(crate) struct PageServer {
    folder: TestFolder,
    child: Child,
    /// The address with the token.
    pub(crate) url: String,
}

impl PageServer {
    /// Starts a server at a port; 0: any.
    pub(crate) fn start(port: u16) -> Self {
        let folder = TestFolder::new();
        let (child, url) = run(&folder, port);
        Self { folder, child, url }
    }

    /// The address without the token.
    pub(crate) fn origin(&self) -> String {
        self.url.split("/?").next().unwrap().to_owned()
    }

    /// Ends it as a crash does.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Starts it again, at the same port.
    pub(crate) fn start_again(&mut self) {
        let port = self.origin().rsplit(':').next().unwrap().parse().unwrap();
        (self.child, self.url) = run(&self.folder, port);
    }
}

impl Drop for PageServer {
    fn drop(&mut self) {
        let _gone = self.child.kill();
        let _gone = self.child.wait();
    }
}

/// Waits until no request is unfinished; `page` is one that is let in.
#[track_caller]
pub(crate) fn wait_for_rest(page: &BrowserPage) {
    let is_quiet = || {
        let counts = page.eval("fetch('/api/stats').then((answer) => answer.json())");
        counts["requests"] == 0
    };
    test_support::wait_until(is_quiet, "requests end");
}

fn run(folder: &TestFolder, port: u16) -> (Child, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_othello"))
        .args([
            "serve",
            "--port",
            &port.to_string(),
            "--hash",
            "16M",
            "--threads",
            "1",
        ])
        .args(["--level", "10"])
        .env("OTHELLO_SETTINGS", folder.path("config/othello.json5"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    out.read_line(&mut line).unwrap();
    (child, line.trim().to_owned())
}
