//! Errors of an engine process.

use std::io;
use std::time::Duration;

use thiserror::Error;

/// An error of an engine process.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The program could not be started.
    #[error("cannot start {program}: {source}")]
    Spawn {
        /// The program.
        program: String,
        /// What the system says.
        source: io::Error,
    },
    /// A command could not be written: the engine has ended or closed its input.
    #[error("cannot write {command:?} to {engine}: {source}")]
    Write {
        /// The engine.
        engine: String,
        /// The command.
        command: String,
        /// What the system says.
        source: io::Error,
    },
    /// The answer did not come in time. The engine still runs.
    #[error("{engine} did not answer with {expected} within {} ms", .after.as_millis())]
    Timeout {
        /// The engine.
        engine: String,
        /// The expected answer.
        expected: &'static str,
        /// The time limit.
        after: Duration,
    },
    /// The engine closed its output before the answer.
    #[error("{engine} ended before {expected}; the end of its standard error: {stderr:?}")]
    Closed {
        /// The engine.
        engine: String,
        /// The expected answer.
        expected: &'static str,
        /// The last text on its standard error.
        stderr: String,
    },
    /// A `bestmove` line that names no move.
    #[error("{engine} answered {line:?}, which is no move")]
    BadMove {
        /// The engine.
        engine: String,
        /// The line.
        line: String,
    },
    /// The process could not be waited for or killed.
    #[error("cannot end {engine}: {source}")]
    End {
        /// The engine.
        engine: String,
        /// What the system says.
        source: io::Error,
    },
}
