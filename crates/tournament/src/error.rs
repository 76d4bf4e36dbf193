//! Errors: why matches cannot be played or read, and texts that are not what they should be.

use farm::FarmError;
use shogi_core::PositionLineError;
use shogi_usi::client::EngineError;
use thiserror::Error;

/// The result of work on matches.
pub type Result<T, E = TournamentError> = std::result::Result<T, E>;

/// The reason why matches cannot be played or read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TournamentError {
    /// A file cannot be read or written, or is not what it should be.
    #[error("{0}")]
    File(#[from] yane_io::Error),
    /// The queue, or the workers.
    #[error(transparent)]
    Farm(#[from] FarmError),
    /// An engine cannot be started, or has not what it needs.
    #[error("engine {name}: {reason}")]
    Engine {
        /// Its name.
        name: String,
        /// What is wrong.
        reason: String,
    },
    /// Settings make no sense.
    #[error("{0}")]
    Settings(String),
}

/// A text of a command line or a file that is not what it should be.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum TextError {
    /// Something else was expected.
    #[error("{found}: expected {expected}")]
    Unexpected {
        /// The text.
        found: String,
        /// The form that it should have.
        expected: &'static str,
    },
    /// It is none of what it can be.
    #[error("expected {0}")]
    Missing(&'static str),
}

impl TextError {
    pub(crate) fn unexpected(found: impl Into<String>, expected: &'static str) -> Self {
        Self::Unexpected {
            found: found.into(),
            expected,
        }
    }
}

/// A line that is no opening, in the words of the game that it should be of.
#[derive(Debug, Error)]
#[error(transparent)]
pub struct OpeningLineError(Box<dyn std::error::Error + Send + Sync>);

impl OpeningLineError {
    /// An error of the rules of a game.
    pub fn new(error: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self(Box::new(error))
    }
}

/// A parameter that cannot be tuned.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum ParameterError {
    /// The line has another form.
    #[error("{0:?}: expected NAME, int, VALUE, MIN, MAX, STEP, RATE")]
    Form(String),
    /// The kind is unknown.
    #[error("{name}: {kind:?} is neither int nor float")]
    Kind {
        /// Name of the parameter.
        name: String,
        /// What stands there.
        kind: String,
    },
    /// A field is no number.
    #[error("{name}: {text:?} is no number")]
    Number {
        /// Name of the parameter.
        name: String,
        /// What stands there.
        text: String,
    },
    /// There are too few or too many numbers.
    #[error("{name}: expected VALUE, MIN, MAX, STEP, RATE, found {found} numbers")]
    Numbers {
        /// Name of the parameter.
        name: String,
        /// How many there are.
        found: usize,
    },
    /// The value is outside of the range.
    #[error("{name}: {value} lies outside of {min} to {max}")]
    Outside {
        /// Name of the parameter.
        name: String,
        /// The value.
        value: f64,
        /// The least value.
        min: f64,
        /// The greatest value.
        max: f64,
    },
    /// Step or rate are not above 0.
    #[error("{0}: step and rate must be positive")]
    NotPositive(String),
    /// No option can have this name.
    #[error("{0:?} is no name of an option")]
    Name(String),
    /// The engine has no such option.
    #[error("there is no option {0}")]
    NoOption(String),
    /// The option is of another kind.
    #[error("the option {0} is no number (spin)")]
    NoSpin(String),
    /// The option is given a value that is no number.
    #[error("{name}={value} is no number")]
    Given {
        /// Name of the option.
        name: String,
        /// What it is given.
        value: String,
    },
    /// The range is wider than that of the engine.
    #[error("{name}: the engine takes {min} to {max} only")]
    Range {
        /// Name of the option.
        name: String,
        /// The least value that the engine takes.
        min: i64,
        /// The greatest value that it takes.
        max: i64,
    },
}

/// The reason why an engine cannot play as a player of a match.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PlayerError {
    /// Its process failed.
    #[error(transparent)]
    Process(#[from] EngineError),
    /// It says of an error while it gets ready.
    #[error("{0} (--allow-engine-errors lets it play all the same)")]
    Reported(EngineError),
    /// It answered a command with an error, in these words.
    #[error("{0}")]
    Answered(String),
    /// It answered an option with an error.
    #[error("{command}: {answer}")]
    Option {
        /// The command that sets the option.
        command: String,
        /// Its words.
        answer: String,
    },
    /// It has no such option.
    #[error("{engine} has no option {option}")]
    NoOption {
        /// The name that it gives itself.
        engine: String,
        /// Name of the option.
        option: String,
    },
    /// It is to speak what engines of the game do not speak.
    #[error("engines for {game} speak {protocols}")]
    OtherGame {
        /// The game.
        game: &'static str,
        /// What its engines speak.
        protocols: &'static str,
    },
    /// It cannot be told such a limit.
    #[error("{0}")]
    Limit(&'static str),
}

/// The reason why a game of a match cannot be written as a game record.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum MatchRecordError {
    /// It is of another game.
    #[error("records are written of games of shogi")]
    OtherGame,
    /// Its line is none.
    #[error(transparent)]
    Line(#[from] PositionLineError),
    /// A move cannot be played.
    #[error("{0} follows an illegal move")]
    IllegalMove(String),
}
