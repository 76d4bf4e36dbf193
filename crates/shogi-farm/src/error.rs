//! The reasons why an engine cannot be set up.

use std::path::PathBuf;

use thiserror::Error;

/// The reason why an engine cannot be set up.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum EngineSetupError {
    /// The engine in this process refused an option.
    #[error("engine {name}: {reason}")]
    Option {
        /// Name in the settings.
        name: String,
        /// The expected and the found data.
        reason: String,
    },
    /// The evaluation that was asked of the engine in this process cannot be used.
    #[error("engine {name}: {reason}")]
    Evaluation {
        /// Name in the settings.
        name: String,
        /// The file, and the problem with it.
        reason: String,
    },
    /// The program of an engine cannot be started.
    #[error("engine {name}: {reason}")]
    Program {
        /// Name in the settings.
        name: String,
        /// The program, and the problem with it.
        reason: ProgramProblem,
    },
}

/// The problem with a program.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ProgramProblem {
    /// It is a folder.
    #[error("{0} is a folder, expected a program")]
    Folder(String),
    /// The file is not there.
    #[error("{path}: there is no such file (relative to {})", here.display())]
    NoFile {
        /// The program as it is written.
        path: String,
        /// The current folder.
        here: PathBuf,
    },
    /// Neither the file is there, nor a program of this name where the system looks for programs.
    #[error("{path}: there is no such file, and no program {word} in PATH")]
    NotFound {
        /// The program as it is written.
        path: String,
        /// Its first word.
        word: String,
    },
    /// The file may not be executed.
    #[error("{} is not executable (chmod +x {} makes it so)", .0.display(), .0.display())]
    NotExecutable(PathBuf),
}

/// An error in settings.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// No JSON5.
    #[error("{0}")]
    Syntax(String),
    /// More brackets inside each other than any settings need.
    #[error("more than {0} brackets inside each other")]
    TooDeep(u32),
    /// Something else where an object should be.
    #[error("{place}expected an object {{ … }}")]
    NoObject {
        /// The place, ready to stand before other words.
        place: String,
    },
    /// A key that nobody knows.
    #[error("{place}unknown key {key:?}; {hint}")]
    UnknownKey {
        /// The place, ready to stand before other words.
        place: String,
        /// The key.
        key: String,
        /// The key that may be meant, or all known ones.
        hint: String,
    },
    /// An option of an engine has a value that is none.
    #[error("options.{name}: expected a text, a number, true or false, found {value}")]
    OptionValue {
        /// The option.
        name: String,
        /// The value.
        value: String,
    },
    /// A list of engines without any.
    #[error("{key}: expected at least one engine")]
    NoEngines {
        /// The key of the list.
        key: String,
    },
    /// A list of engines that is none, or in which an engine is wrong.
    #[error("{key}: {reason}")]
    Engines {
        /// The key of the list.
        key: String,
        /// The expected and the found data.
        reason: String,
    },
}
