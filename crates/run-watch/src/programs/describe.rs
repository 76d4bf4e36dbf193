//! What programs say of themselves, and whether they like a command line.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use serve::jobs::ProgramDescription;
use thiserror::Error;

/// The time that a program has to describe itself.
const PATIENCE: Duration = Duration::from_secs(20);

/// Bytes that a program may say of itself.
const MOST_BYTES: u64 = 8 << 20;

/// Why a program cannot be a job.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(crate) enum ProgramError {
    /// It is not there.
    #[error("the program {0} is not beside this one")]
    Missing(String),
    /// The system does not run it.
    #[error("{program} cannot be started: {reason}")]
    Start {
        /// The program.
        program: String,
        /// What the system says.
        reason: String,
    },
    /// It does not end.
    #[error("{0} does not answer")]
    Silent(String),
    /// It does not describe itself.
    #[error("{0} is of another version, which cannot be a job")]
    Version(String),
    /// It has no such command.
    #[error("{program} has no command {command}")]
    Command {
        /// The program.
        program: String,
        /// The command.
        command: String,
    },
    /// A command that nobody can follow.
    #[error("{program} {command} tells no events")]
    Events {
        /// The program.
        program: String,
        /// The command.
        command: String,
    },
    /// What the program says of a command line.
    #[error("{0}")]
    Usage(String),
}

/// The programs in a folder, and what they say of themselves.
#[derive(Debug)]
pub(crate) struct ProgramFolder {
    folder: PathBuf,
    known: Mutex<BTreeMap<String, Result<ProgramDescription, ProgramError>>>,
}

impl ProgramFolder {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self {
            folder,
            known: Mutex::default(),
        }
    }

    /// The path of a program.
    pub(crate) fn path_of(&self, program: &str) -> PathBuf {
        let name = format!("{program}{}", std::env::consts::EXE_SUFFIX);
        self.folder.join(name)
    }

    /// What a program says of itself; or why it cannot be used.
    pub(crate) fn description(&self, program: &str) -> Result<ProgramDescription, ProgramError> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(told) = known.get(program).filter(|told| told.is_ok()) {
            return told.clone();
        }
        // One that was not there may have come.
        let told = describe(&self.path_of(program), program);
        known.insert(program.to_owned(), told.clone());
        told
    }

    /// Asks a program whether some words are a command line of it; what it says if not.
    pub(crate) fn check_usage(&self, program: &str, words: &[String]) -> Result<(), ProgramError> {
        let words = words.iter().map(|word| yane_io::path_of_text(word));
        let mut command = Command::new(self.path_of(program));
        command.arg("--check-usage").args(words);
        let told = run(command, program)?;
        if told.is_success {
            return Ok(());
        }
        let text = told.errors.trim();
        let own = format!("{program}: ");
        let text = text.strip_prefix(&own).unwrap_or(text);
        Err(ProgramError::Usage(text.to_owned()))
    }
}

fn describe(path: &Path, program: &str) -> Result<ProgramDescription, ProgramError> {
    if !path.is_file() {
        return Err(ProgramError::Missing(program.to_owned()));
    }
    let mut command = Command::new(path);
    command.arg("--describe");
    let told = run(command, program)?;
    let described = serde_json::from_str(&told.output);
    described.map_err(|_| ProgramError::Version(program.to_owned()))
}

/// What a program said.
struct Said {
    is_success: bool,
    output: String,
    errors: String,
}

/// Runs a command that ends soon.
fn run(mut command: Command, program: &str) -> Result<Said, ProgramError> {
    let failed = |error: std::io::Error| ProgramError::Start {
        program: program.to_owned(),
        reason: error.to_string(),
    };
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().map_err(failed)?;
    let outputs = (child.stdout.take(), child.stderr.take());
    let read = |source: Option<Box<dyn std::io::Read + Send>>| {
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let mut source = source?.take(MOST_BYTES);
            source.read_to_end(&mut bytes).ok()?;
            Some(String::from_utf8_lossy(&bytes).into_owned())
        })
    };
    let output = read(outputs.0.map(|out| Box::new(out) as _));
    let errors = read(outputs.1.map(|out| Box::new(out) as _));
    let begun = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().map_err(failed)? {
            break status;
        }
        if begun.elapsed() > PATIENCE {
            child.kill().map_err(failed)?;
            child.wait().map_err(failed)?;
            return Err(ProgramError::Silent(program.to_owned()));
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let text = |thread: std::thread::JoinHandle<Option<String>>| {
        thread.join().ok().flatten().unwrap_or_default()
    };
    Ok(Said {
        is_success: status.success(),
        output: text(output),
        errors: text(errors),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_that_are_not_there_are_not_available() {
        let folder = test_support::TestFolder::new();
        let programs = ProgramFolder::new(folder.path(""));
        let told = programs.description("gensfen").unwrap_err();
        assert_eq!(told, ProgramError::Missing("gensfen".to_owned()));
        programs.check_usage("gensfen", &[]).unwrap_err();
    }

    #[cfg(unix)]
    #[test]
    fn programs_that_do_not_describe_themselves_are_of_another_version() {
        use std::os::unix::fs::PermissionsExt as _;

        let folder = test_support::TestFolder::new();
        folder.write("old", "#!/bin/sh\necho usage; exit 2\n");
        let path = folder.path("old");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        let programs = ProgramFolder::new(folder.path(""));
        let told = programs.description("old").unwrap_err();
        assert_eq!(told, ProgramError::Version("old".to_owned()));
    }
}
