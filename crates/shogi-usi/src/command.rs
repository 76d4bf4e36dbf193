//! Commands from a GUI to an engine, and the `position` command.

use std::fmt;
use std::str::FromStr;

use shogi_core::{Game, Move, Position, PositionLineError, parse_position_line};
use thiserror::Error;

use crate::{ClockTimes, GoCommand, GoError};

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
        /// The text after it.
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
    Position(PositionLineError),
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

impl From<PositionLineError> for CommandError {
    fn from(error: PositionLineError) -> Self {
        Self::Position(error)
    }
}

/// The result of a game for the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameResult {
    /// The engine won.
    Win,
    /// The engine lost.
    Lose,
    /// A draw.
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
    /// Request for name, author and options, to be ended with `usiok`.
    Usi,
    /// Request to get ready for a game, to be answered `readyok`.
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
    /// The game is over; not every GUI says how it ended.
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

    /// Reads a line leniently, so that a GUI that waits for an answer gets one: the command, and errors about what was
    /// left out or corrected. [`str::parse`] fails with the first of these.
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
    /// When there is no command: an unknown word, an invalid position, `setoption` without a name.
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

/// `command`, which stands alone, with an error about what follows it.
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

/// The words before the first wanted one, and what follows it. The name of an option may have blanks (other engines'
/// do), and be the wanted word itself.
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
    let is_unknown = result.is_none() && !rest.is_empty();
    (
        result,
        is_unknown.then(|| CommandError::GameOver(rest.to_owned())),
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

// The `position` command: the start of a game and the moves played since.

/// A starting position and the legal moves that follow.
///
/// Text form (without the word `position`): `startpos [moves ...]` or `[sfen] SFEN [moves ...]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PositionCommand {
    start: Position,
    moves: Vec<Move>,
}

impl PositionCommand {
    /// The position and history of `game`. Passes cannot be written in USI: a game that contains
    /// one starts after its last pass.
    pub fn from_game(game: &Game) -> Self {
        let mut start = game.clone();
        let mut moves = Vec::new();
        while let Some(m) = start.undo() {
            moves.push(m);
        }
        moves.reverse();
        // `undo` also stops at a pass, after having taken it back.
        if !start.is_empty() {
            start.play_null();
        }
        Self {
            start: start.position().clone(),
            moves,
        }
    }

    /// The start of the game.
    pub const fn start(&self) -> &Position {
        &self.start
    }

    /// The moves played since.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// The final position with its history.
    pub fn to_game(&self) -> Game {
        let mut game = Game::new(self.start.clone());
        self.moves.iter().for_each(|&m| game.play_unchecked(m));
        game
    }
}

impl FromStr for PositionCommand {
    type Err = PositionLineError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse_position_line(text).map(|game| Self::from_game(&game))
    }
}

impl fmt::Display for PositionCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.start == Position::startpos() {
            write!(f, "startpos")?;
        } else {
            write!(f, "sfen {}", self.start.to_sfen())?;
        }
        if !self.moves.is_empty() {
            write!(f, " moves")?;
        }
        self.moves.iter().try_for_each(|m| write!(f, " {m}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_comes_back() {
        for text in [
            "startpos",
            "startpos moves 7g7f 3c3d 8h2b+ 3a2b B*4e",
            "sfen 4k4/9/4P4/9/9/9/9/9/9 b G 1 moves G*5b",
        ] {
            assert_eq!(text.parse::<PositionCommand>().unwrap().to_string(), text);
        }
        let short: PositionCommand = "4k4/9/4P4/9/9/9/9/9/9 b G".parse().unwrap();
        assert_eq!(short.to_string(), "sfen 4k4/9/4P4/9/9/9/9/9/9 b G 1");
    }

    #[test]
    fn a_pass_starts_a_new_game() {
        let mut game = Game::new(Position::startpos());
        game.play_unchecked(game.position().move_from_usi("7g7f").unwrap());
        game.play_null();
        game.play_unchecked(game.position().move_from_usi("2g2f").unwrap());
        let command = PositionCommand::from_game(&game);
        assert_eq!(command.moves().len(), 1);
        assert_eq!(command.to_game().position(), game.position());
    }
}
