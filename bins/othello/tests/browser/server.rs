//! `othello serve` as a process.

use std::process::{Command, Stdio};

use serde_json::Value;
use test_support::{BrowserPage, Process, TestFolder};

/// The variable that names a folder with the files of the page, to try changes without building the program again.
const UI: &str = "OTHELLO_PAGE_UI";

/// A server; it is killed when this is dropped.
pub(crate) struct PageServer {
    folder: TestFolder,
    process: Process,
    /// Arguments that only this one has.
    args: Vec<String>,
    /// The address with the token.
    pub(crate) url: String,
}

impl PageServer {
    /// Starts a server at any port in a folder, which is the only one that it shows, with settings of the page and arguments.
    pub(crate) fn start(folder: TestFolder, settings: &Value, args: &[&str]) -> Self {
        folder.write("web.json", settings.to_string());
        let args: Vec<_> = args.iter().map(|&arg| arg.to_owned()).collect();
        let (process, url) = run(&folder, "0", &args);
        Self {
            folder,
            process,
            args,
            url,
        }
    }

    /// The address without the token.
    pub(crate) fn origin(&self) -> &str {
        self.url.split("/?").next().unwrap()
    }

    /// A folder of the test.
    pub(crate) fn folder(&self) -> &TestFolder {
        &self.folder
    }

    /// The memory that it has, in KiB.
    #[cfg(target_os = "linux")]
    pub(crate) fn memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process.id()));
        let status = status.unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS:"));
        let number = line.and_then(|line| line.split_whitespace().nth(1));
        number.unwrap().parse().unwrap()
    }

    /// Ends it as a crash does.
    pub(crate) fn kill(&mut self) {
        self.process.kill();
    }

    /// Starts it again, at the same port.
    pub(crate) fn start_again(&mut self) {
        let port = self.origin().rsplit(':').next().unwrap().to_owned();
        (self.process, self.url) = run(&self.folder, &port, &self.args);
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

fn run(folder: &TestFolder, port: &str, args: &[String]) -> (Process, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_othello"));
    command
        .args(["serve", "--port", port, "--hash", "16M", "--threads", "1"])
        .args(["--level", "10", "--library", "games", "--root", "."])
        .args(args)
        .env("OTHELLO_SETTINGS", folder.path("othello.json5"))
        .current_dir(folder.path(""))
        .stderr(Stdio::inherit());
    if let Some(ui) = std::env::var_os(UI) {
        command.arg("--ui").arg(ui);
    }
    Process::spawn_and_read_line(&mut command)
}
