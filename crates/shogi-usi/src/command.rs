//! Commands from a GUI to an engine.

use std::fmt;
use std::str::FromStr;

use shogi_core::PositionLineError;
use thiserror::Error;

use crate::{ClockTimes, GoCommand, GoError, PositionCommand};

/// An error of reading a USI command.
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
    /// `gameover` with something other than `win`, `lose` or `draw`.
    #[error("gameover: expected win, lose or draw, found {0:?}")]
    GameOver(String),
}

/// The result of a game for the engine.
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
    /// The game is over; not every GUI tells how it ended.
    GameOver(Option<GameResult>),
    /// Ends the engine.
    Quit,
}

impl Command {
    /// The first words of all commands.
    pub const NAMES: [&str; 10] = [
        "usi",
        "isready",
        "setoption",
        "usinewgame",
        "position",
        "go",
        "stop",
        "ponderhit",
        "gameover",
        "quit",
    ];

    /// The command that a line begins with, whatever its case, and what follows it; `None` when the
    /// first word is none of the protocol's.
    pub fn split(line: &str) -> Option<(&'static str, &str)> {
        let (word, rest) = split_word(line);
        let name = Self::NAMES
            .into_iter()
            .find(|name| name.eq_ignore_ascii_case(word))?;
        Some((name, rest))
    }

    /// Reads a line as far as it means something, so that whoever waits for an answer gets one: the
    /// command, and what was left out or read in another way. [`str::parse`] makes an error of that.
    ///
    /// Positions are read strictly here; see [`LenientPosition`](shogi_core::LenientPosition).
    ///
    /// ```
    /// use shogi_usi::Command;
    /// let (command, errors) = Command::parse_leniently("stop it")?;
    /// assert_eq!(command, Command::Stop);
    /// assert_eq!(errors[0].to_string(), "stop: unexpected \"it\"");
    /// # Ok::<(), shogi_usi::CommandError>(())
    /// ```
    ///
    /// # Errors
    /// When there is nothing to carry out: an unknown word, a position that is none, `setoption` without
    /// a name.
    pub fn parse_leniently(line: &str) -> Result<(Self, Vec<CommandError>), CommandError> {
        let Some((name, rest)) = Self::split(line) else {
            return Err(match split_word(line).0 {
                "" => CommandError::Empty,
                word => CommandError::Unknown(word.to_owned()),
            });
        };
        let command = match name {
            "setoption" => set_option(rest)?,
            "position" => Self::Position(Box::new(rest.parse()?)),
            "go" => {
                let (go, errors) = GoCommand::parse_leniently(rest);
                let errors = errors.into_iter().map(CommandError::Go).collect();
                return Ok((Self::Go(Box::new(go)), errors));
            }
            "ponderhit" => {
                let (clock, errors) = ClockTimes::parse_leniently(rest);
                let errors = errors.into_iter().map(CommandError::PonderHit).collect();
                return Ok((Self::PonderHit(clock), errors));
            }
            "gameover" => {
                let (result, error) = game_over(rest);
                return Ok((Self::GameOver(result), error.into_iter().collect()));
            }
            "usi" => return Ok(alone(Self::Usi, name, rest)),
            "isready" => return Ok(alone(Self::IsReady, name, rest)),
            "usinewgame" => return Ok(alone(Self::UsiNewGame, name, rest)),
            "stop" => return Ok(alone(Self::Stop, name, rest)),
            "quit" => return Ok(alone(Self::Quit, name, rest)),
            _ => unreachable!("{name} is in the list of names"),
        };
        Ok((command, Vec::new()))
    }
}

impl FromStr for Command {
    type Err = CommandError;

    fn from_str(line: &str) -> Result<Self, Self::Err> {
        let (command, errors) = Self::parse_leniently(line)?;
        errors.into_iter().next().map_or(Ok(command), Err)
    }
}

/// `command`, which stands alone; an error about what follows it all the same.
fn alone(command: Command, name: &'static str, rest: &str) -> (Command, Vec<CommandError>) {
    let unexpected = (!rest.is_empty()).then(|| CommandError::UnexpectedText {
        command: name,
        found: rest.to_owned(),
    });
    (command, unexpected.into_iter().collect())
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
    if !word.eq_ignore_ascii_case("name") {
        return Err(CommandError::ExpectedName(word.to_owned()));
    }
    let is_value = |word: &str| word == "value";
    let (name, value) = match split_at_word(rest, is_value) {
        (_, None) => split_at_word(rest, |word| word.eq_ignore_ascii_case("value")),
        found => found,
    };
    if name.is_empty() {
        return Err(CommandError::MissingName);
    }
    Ok(Command::SetOption { name, value })
}

/// The words before the first that is wanted, and what follows it. A name of an option may have blanks
/// (other engines' do), and be the word itself.
fn split_at_word(text: &str, is_wanted: impl Fn(&str) -> bool) -> (String, Option<String>) {
    let mut before = Vec::new();
    let mut remaining = text;
    while !remaining.is_empty() {
        let (word, after) = split_word(remaining);
        if is_wanted(word) && !before.is_empty() {
            return (before.join(" "), Some(after.to_owned()));
        }
        before.push(word);
        remaining = after;
    }
    (before.join(" "), None)
}

fn game_over(rest: &str) -> (Option<GameResult>, Option<CommandError>) {
    let result = [GameResult::Win, GameResult::Lose, GameResult::Draw]
        .into_iter()
        .find(|result| result.name().eq_ignore_ascii_case(rest));
    let is_strange = result.is_none() && !rest.is_empty();
    (
        result,
        is_strange.then(|| CommandError::GameOver(rest.to_owned())),
    )
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
            Self::GameOver(None) => f.write_str("gameover"),
            Self::GameOver(Some(result)) => write!(f, "gameover {}", result.name()),
            Self::Quit => f.write_str("quit"),
        }
    }
}
