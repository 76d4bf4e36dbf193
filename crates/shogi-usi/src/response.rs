//! Responses: what an engine says to a GUI.

use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

use shogi_core::MoveText;

use crate::{Info, OptionSpec};

/// The decision of an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BestMove {
    /// Play `best`.
    Move {
        /// The move.
        best: MoveText,
        /// The reply it would like to think about on the opponent's time.
        ponder: Option<MoveText>,
    },
    /// Give up.
    Resign,
    /// Declare the win (入玉宣言).
    Win,
}

impl fmt::Display for BestMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Move { best, ponder: None } => write!(f, "{best}"),
            Self::Move {
                best,
                ponder: Some(ponder),
            } => write!(f, "{best} ponder {ponder}"),
            Self::Resign => f.write_str("resign"),
            Self::Win => f.write_str("win"),
        }
    }
}

impl BestMove {
    /// Reads what follows the word `bestmove`; `None` when the first word is no move. A ponder move
    /// that cannot be read is left out.
    pub fn parse(text: &str) -> Option<Self> {
        let mut words = text.split_ascii_whitespace();
        match words.next()? {
            "resign" => Some(Self::Resign),
            "win" => Some(Self::Win),
            word => {
                let best = MoveText::from_usi(word)?;
                let ponder = words
                    .next()
                    .filter(|word| *word == "ponder")
                    .and_then(|_| words.next())
                    .and_then(MoveText::from_usi);
                Some(Self::Move { best, ponder })
            }
        }
    }
}

/// The answer to `go mate`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckMate {
    /// A mating line.
    Mate(Vec<MoveText>),
    /// There is no mate.
    NoMate,
    /// Not found in time.
    Timeout,
    /// The engine does not look for mates.
    NotImplemented,
}

impl CheckMate {
    fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "nomate" => Self::NoMate,
            "timeout" => Self::Timeout,
            "notimplemented" => Self::NotImplemented,
            _ => {
                let moves: Option<Vec<_>> = text
                    .split_ascii_whitespace()
                    .map(MoveText::from_usi)
                    .collect();
                Self::Mate(moves.filter(|moves| !moves.is_empty())?)
            }
        })
    }
}

impl fmt::Display for CheckMate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mate(moves) => {
                for (index, m) in moves.iter().enumerate() {
                    write!(f, "{}{m}", if index == 0 { "" } else { " " })?;
                }
                Ok(())
            }
            Self::NoMate => f.write_str("nomate"),
            Self::Timeout => f.write_str("timeout"),
            Self::NotImplemented => f.write_str("notimplemented"),
        }
    }
}

/// A line of an engine's output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Response {
    /// The engine's name.
    IdName(String),
    /// The authors of the engine.
    IdAuthor(String),
    /// An option that the engine has.
    Option(OptionSpec),
    /// The answer to `usi` is complete.
    UsiOk,
    /// The engine is ready for a game.
    ReadyOk,
    /// About the search, or a message.
    Info(Box<Info>),
    /// The decision of a search.
    BestMove(BestMove),
    /// The answer of a mate search.
    CheckMate(CheckMate),
    /// A line outside of the protocol, which GUIs ignore.
    Other(String),
}

impl FromStr for Response {
    type Err = Infallible;

    /// Never fails: lines that cannot be read are [`Response::Other`].
    fn from_str(line: &str) -> Result<Self, Self::Err> {
        let line = line.trim_ascii();
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let parsed = match word {
            "id" => match rest.split_once(' ') {
                Some(("name", name)) => Some(Self::IdName(name.to_owned())),
                Some(("author", author)) => Some(Self::IdAuthor(author.to_owned())),
                _ => None,
            },
            "option" => rest.parse().ok().map(Self::Option),
            "usiok" if rest.is_empty() => Some(Self::UsiOk),
            "readyok" if rest.is_empty() => Some(Self::ReadyOk),
            "info" => Some(Self::Info(Box::new(Info::parse(rest)))),
            "bestmove" => BestMove::parse(rest).map(Self::BestMove),
            "checkmate" => CheckMate::parse(rest).map(Self::CheckMate),
            _ => None,
        };
        Ok(parsed.unwrap_or_else(|| Self::Other(line.to_owned())))
    }
}

impl fmt::Display for Response {
    /// The line without its end.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::IdName(name) => write!(f, "id name {name}"),
            Self::IdAuthor(author) => write!(f, "id author {author}"),
            Self::Option(option) => write!(f, "option {option}"),
            Self::UsiOk => f.write_str("usiok"),
            Self::ReadyOk => f.write_str("readyok"),
            Self::Info(info) => write!(f, "{info}"),
            Self::BestMove(best) => write!(f, "bestmove {best}"),
            Self::CheckMate(mate) => write!(f, "checkmate {mate}"),
            Self::Other(line) => f.write_str(line),
        }
    }
}
