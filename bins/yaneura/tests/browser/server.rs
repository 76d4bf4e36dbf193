//! `yaneura serve` as a process.

use std::process::{Command, Stdio};

use serde_json::Value;
use test_support::{Process, TestFolder};

/// The variable that names a folder with the files of the page, to try changes without building the program again.
const UI: &str = "SHOGI_PAGE_UI";

/// A server; it is killed when this is dropped.
pub(crate) struct PageServer {
    _folder: TestFolder,
    _process: Process,
    /// The address with the token.
    pub(crate) url: String,
}

impl PageServer {
    /// Starts a server at any port in a folder, which is the only one that it shows, with settings of the page and arguments.
    pub(crate) fn start(folder: TestFolder, settings: &Value, args: &[&str]) -> Self {
        folder.write("web.json", settings.to_string());
        let mut command = Command::new(env!("CARGO_BIN_EXE_yaneura"));
        command
            .args(["serve", "--port", "0", "--threads", "1", "--root", "."])
            .args(["--option", "USI_Hash=16"])
            .args(args)
            .env("YANEURA_PAGE_FOLDER", folder.path(""))
            .current_dir(folder.path(""))
            .stderr(Stdio::inherit());
        if let Some(ui) = std::env::var_os(UI) {
            command.arg("--ui").arg(ui);
        }
        let (process, url) = Process::spawn_and_read_line(&mut command);
        Self {
            _folder: folder,
            _process: process,
            url,
        }
    }
}
