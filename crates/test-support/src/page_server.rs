//! The server of a page as a process.

use std::process::{Command, Stdio};

use serde_json::Value;

use crate::{BrowserPage, Process, TestFolder, wait_until};

/// A program that serves a page.
#[derive(Clone, Copy, Debug)]
pub struct PageProgram {
    /// The game of the page: `shogi` or `othello`.
    pub game: &'static str,
    /// The path of the executable.
    pub path: &'static str,
    /// Its arguments in each test, without those for the port.
    pub args: &'static [&'static str],
    /// The variable of the environment that says where its settings are, and the file in the folder of the test.
    pub settings: (&'static str, &'static str),
    /// The variable that names a folder with the files of the page, to try changes without building the program again.
    pub ui: &'static str,
    /// What is true on a page that is ready for a person.
    pub ready: &'static [&'static str],
}

/// A server; it is killed when this is dropped.
#[derive(Debug)]
pub struct PageServer {
    program: PageProgram,
    folder: TestFolder,
    process: Process,
    /// Arguments that only this one has.
    args: Vec<String>,
    /// The address with the token.
    pub url: String,
}

impl PageServer {
    /// Starts a server at any port in a folder, with settings of the page and arguments.
    #[track_caller]
    pub fn start(
        program: PageProgram,
        folder: TestFolder,
        settings: &Value,
        args: &[&str],
    ) -> Self {
        folder.write("web.json", settings.to_string());
        let args: Vec<_> = args.iter().map(|&arg| arg.to_owned()).collect();
        let (process, url) = run(program, &folder, "0", &args);
        Self {
            program,
            folder,
            process,
            args,
            url,
        }
    }

    /// The address without the token.
    pub fn origin(&self) -> &str {
        self.url.split("/?").next().unwrap_or(&self.url)
    }

    /// The folder of the test.
    pub const fn folder(&self) -> &TestFolder {
        &self.folder
    }

    /// The memory that it has, in KiB.
    #[cfg(target_os = "linux")]
    pub fn memory(&self) -> u64 {
        self.memory_in("VmRSS:")
    }

    /// The memory that it has for itself, without the pages of files, in KiB.
    #[cfg(target_os = "linux")]
    pub fn own_memory(&self) -> u64 {
        self.memory_in("RssAnon:")
    }

    #[cfg(target_os = "linux")]
    fn memory_in(&self, name: &str) -> u64 {
        let status = format!("/proc/{}/status", self.process.id());
        let status = std::fs::read_to_string(status).expect("the server runs");
        let line = status.lines().find(|line| line.starts_with(name));
        let number = line.and_then(|line| line.split_whitespace().nth(1));
        let number = number.and_then(|number| number.parse().ok());
        number.expect("a number of kB")
    }

    /// Ends it as a crash does.
    pub fn kill(&mut self) {
        self.process.kill();
    }

    /// Starts it again, at the same port.
    #[track_caller]
    pub fn start_again(&mut self) {
        let port = self.origin().rsplit(':').next().unwrap_or("0").to_owned();
        (self.process, self.url) = run(self.program, &self.folder, &port, &self.args);
    }
}

/// Waits until no request is unfinished; `page` is one that is let in.
#[track_caller]
pub fn wait_for_rest(page: &BrowserPage) {
    let is_quiet = || {
        let counts = page.eval("fetch('/api/stats').then((answer) => answer.json())");
        counts["requests"] == 0
    };
    wait_until(is_quiet, "requests end");
}

#[track_caller]
fn run(
    program: PageProgram,
    folder: &TestFolder,
    port: &str,
    args: &[String],
) -> (Process, String) {
    let (variable, settings) = program.settings;
    let mut command = Command::new(program.path);
    command
        .args(["serve", "--port", port])
        .args(program.args)
        .args(args)
        .env(variable, folder.path(settings))
        .current_dir(folder.path(""))
        .stderr(Stdio::inherit());
    if let Some(ui) = std::env::var_os(program.ui) {
        command.arg("--ui").arg(ui);
    }
    Process::spawn_and_read_line(&mut command)
}
