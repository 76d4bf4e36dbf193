//! Engines for tests: shell scripts that speak USI, and other files that can be run.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A USI engine as a shell script.
///
/// It answers `usi`, `isready` and `quit`; a test adds what it tells besides, and what it does for other commands. In the pieces of
/// shell script `$line` is the command.
///
/// ```
/// use test_support::UsiScript;
///
/// let text = UsiScript::new("fake 1.0").go("echo bestmove resign").text();
/// assert!(text.contains("echo \"id name fake 1.0\"") && text.contains("go*) echo bestmove resign ;;"));
/// ```
#[derive(Clone, Debug)]
pub struct UsiScript {
    name: String,
    start: String,
    options: String,
    ready: String,
    cases: String,
}

impl UsiScript {
    /// An engine of this name, which does nothing yet.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            start: String::new(),
            options: String::new(),
            ready: String::new(),
            cases: String::new(),
        }
    }

    /// Shell commands before the first line is read.
    #[must_use]
    pub fn start(mut self, commands: &str) -> Self {
        self.start.extend([commands, "\n"]);
        self
    }

    /// An option: the words behind `option name`.
    #[must_use]
    pub fn option(mut self, words: &str) -> Self {
        self.options
            .extend(["      echo \"option name ", words, "\"\n"]);
        self
    }

    /// Shell commands that come before `readyok`.
    #[must_use]
    pub fn ready(mut self, commands: &str) -> Self {
        self.ready.extend(["      ", commands, "\n"]);
        self
    }

    /// Shell commands for lines that look like a pattern of `case`. Earlier patterns come first.
    #[must_use]
    pub fn on(mut self, pattern: &str, commands: &str) -> Self {
        self.cases
            .extend(["    ", pattern, ") ", commands, " ;;\n"]);
        self
    }

    /// Shell commands for `go`.
    #[must_use]
    pub fn go(self, commands: &str) -> Self {
        self.on("go*", commands)
    }

    /// The script.
    pub fn text(&self) -> String {
        let Self {
            name,
            start,
            options,
            ready,
            cases,
        } = self;
        format!(
            "#!/bin/sh\n{start}while read -r line; do\n  case \"$line\" in\n    usi)\n      echo \"id name {name}\"\n{options}      \
             echo usiok ;;\n    isready)\n{ready}      echo readyok ;;\n{cases}    quit) exit 0 ;;\n  esac\ndone\n"
        )
    }

    /// Writes the script to the file `path`, which can be run.
    #[track_caller]
    pub fn write(&self, path: &Path) -> PathBuf {
        write_program(path, &self.text())
    }
}

/// Writes a file that can be run.
#[track_caller]
pub fn write_program(path: &Path, text: &str) -> PathBuf {
    // Another process may be started while the file is open for writing, which then cannot be run: it is written under
    // another name, by a process of its own, and renamed.
    let mut writer = Command::new("sh")
        .args([
            "-c",
            "cat > \"$0.new\" && chmod 755 \"$0.new\" && mv \"$0.new\" \"$0\"",
        ])
        .arg(path)
        .stdin(Stdio::piped())
        .spawn()
        .expect("a shell");
    let mut stdin = writer.stdin.take().expect("a pipe");
    stdin.write_all(text.as_bytes()).expect("written");
    drop(stdin);
    assert!(writer.wait().expect("it ends").success());
    path.to_owned()
}
