//! Commands: what a GUI says to an engine.

use std::fmt;
use std::str::FromStr;

use shogi_core::PositionLineError;
use thiserror::Error;

use crate::{ClockTimes, GoCommand, GoError, PositionCommand};

/// Why a line is not a USI command.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CommandError {
    /// The line has no words.
    #[error("empty line")]
    Empty,
    /// The first word is none of the protocol's.
    #[error("unknown command {0:?}")]
    Unknown(String),
    /// A command that stands alone is followed by something.
    #[error("{command}: unexpected {found:?}")]
    UnexpectedText {
        /// The command.
        command: &'static str,
        /// What follows.
        found: String,
    },
    /// The word `name` does not follow `setoption`.
    #[error("setoption: expected \"name\", found {0:?}")]
    ExpectedName(String),
    /// No name follows `setoption name`.
    #[error("setoption: no name given")]
    MissingName,
    /// `position` with something that is no position.
    #[error("position: {0}")]
    Position(#[from] PositionLineError),
    /// `go` with something that is no limit.
    #[error("go: {0}")]
    Go(GoError),
    /// `ponderhit` with something that is no time.
    #[error("ponderhit: {0}")]
    PonderHit(GoError),
    /// `gameover` without `win`, `lose` or `draw`.
    #[error("gameover: expected win, lose or draw, found {0:?}")]
    GameOver(String),
}

/// How a game ended for the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameResult {
    /// The engine won.
    Win,
    /// The engine lost.
    Lose,
    /// Nobody won.
    Draw,
}

impl GameResult {
    const fn name(self) -> &'static str {
        match self {
            Self::Win => "win",
            Self::Lose => "lose",
            Self::Draw => "draw",
        }
    }
}

/// A command of the USI protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Asks for name, author and options, to be ended with `usiok`.
    Usi,
    /// Asks to get ready for a game, to be answered `readyok`.
    IsReady,
    /// Sets an option, or presses a button.
    SetOption {
        /// Name of the option.
        name: String,
        /// Value, exactly as written between the blanks; `None` without the word `value`.
        value: Option<String>,
    },
    /// A new game begins.
    UsiNewGame,
    /// The position of the next search.
    Position(Box<PositionCommand>),
    /// Starts a search.
    Go(Box<GoCommand>),
    /// Ends the search at once.
    Stop,
    /// The opponent played the expected move; "early ponder" sends the times only now.
    PonderHit(ClockTimes),
    /// The game is over.
    GameOver(GameResult),
    /// Ends the engine.
    Quit,
}

impl FromStr for Command {
    type Err = CommandError;

    fn from_str(line: &str) -> Result<Self, Self::Err> {
        let line = line.trim_ascii();
        let (word, rest) = split_word(line);
        let alone = |command: &'static str, value: Self| {
            if rest.is_empty() {
                Ok(value)
            } else {
                Err(CommandError::UnexpectedText {
                    command,
                    found: rest.to_owned(),
                })
            }
        };
        match word {
            "" => Err(CommandError::Empty),
            "usi" => alone("usi", Self::Usi),
            "isready" => alone("isready", Self::IsReady),
            "setoption" => set_option(rest),
            "usinewgame" => alone("usinewgame", Self::UsiNewGame),
            "position" => Ok(Self::Position(Box::new(rest.parse()?))),
            "go" => rest
                .parse()
                .map(|go| Self::Go(Box::new(go)))
                .map_err(CommandError::Go),
            "stop" => alone("stop", Self::Stop),
            "ponderhit" => rest
                .parse()
                .map(Self::PonderHit)
                .map_err(CommandError::PonderHit),
            "gameover" => game_over(rest),
            "quit" => alone("quit", Self::Quit),
            _ => Err(CommandError::Unknown(word.to_owned())),
        }
    }
}

/// The first word and the rest without surrounding blanks.
fn split_word(text: &str) -> (&str, &str) {
    let text = text.trim_ascii();
    match text.find(|c: char| c.is_ascii_whitespace()) {
        Some(end) => (&text[..end], text[end..].trim_ascii()),
        None => (text, ""),
    }
}

fn set_option(rest: &str) -> Result<Command, CommandError> {
    let (word, rest) = split_word(rest);
    if word != "name" {
        return Err(CommandError::ExpectedName(word.to_owned()));
    }
    // The name may have blanks (other engines' do); it ends at the word `value`.
    let mut name = Vec::new();
    let mut remaining = rest;
    let mut value = None;
    while !remaining.is_empty() {
        let (word, after) = split_word(remaining);
        if word == "value" && !name.is_empty() {
            value = Some(after.to_owned());
            break;
        }
        name.push(word);
        remaining = after;
    }
    if name.is_empty() {
        return Err(CommandError::MissingName);
    }
    Ok(Command::SetOption {
        name: name.join(" "),
        value,
    })
}

fn game_over(rest: &str) -> Result<Command, CommandError> {
    [GameResult::Win, GameResult::Lose, GameResult::Draw]
        .into_iter()
        .find(|result| result.name() == rest)
        .map(Command::GameOver)
        .ok_or_else(|| CommandError::GameOver(rest.to_owned()))
}

impl fmt::Display for Command {
    /// The line without its end.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usi => f.write_str("usi"),
            Self::IsReady => f.write_str("isready"),
            Self::SetOption { name, value: None } => write!(f, "setoption name {name}"),
            Self::SetOption {
                name,
                value: Some(value),
            } => {
                write!(f, "setoption name {name} value {value}")
            }
            Self::UsiNewGame => f.write_str("usinewgame"),
            Self::Position(position) => write!(f, "position {position}"),
            Self::Go(go) => write!(f, "{go}"),
            Self::Stop => f.write_str("stop"),
            Self::PonderHit(clock) => write!(f, "ponderhit{clock}"),
            Self::GameOver(result) => write!(f, "gameover {}", result.name()),
            Self::Quit => f.write_str("quit"),
        }
    }
}
