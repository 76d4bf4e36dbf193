//! What a client is told to do, and what it tells.

use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;
use thiserror::Error;

use crate::game::CsaGame;
use crate::message::{EndCause, GameVerdict};
use crate::player::PlayerProblem;
use crate::records::RecordFormats;
use crate::summary::CsaSummary;

/// What happens to a running game when the user interrupts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnInterrupt {
    /// It is played to its end.
    Finish,
    /// It is resigned as soon as it is the own turn.
    Resign,
}

/// The settings of a client.
#[derive(Clone, Debug)]
pub struct ClientSettings {
    /// The server's name or address.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// The login name.
    pub name: String,
    /// The password as the server wants it, on floodgate-style servers with a kind of game before it:
    /// `floodgate-300-10F,secret`.
    pub password: String,
    /// Number of games; `None`: until interrupted.
    pub games: Option<u64>,
    /// Think on the opponent's time.
    pub ponders: bool,
    /// Send scores and lines with the moves, as floodgate has them.
    pub sends_comments: bool,
    /// An empty line is sent after this much silence of the client; `None`: never.
    pub keep_alive: Option<Duration>,
    /// Time of each move that the engine is not told about.
    pub margin: Duration,
    /// The folder of the records and their formats; `None`: none are kept.
    pub records: Option<(PathBuf, RecordFormats)>,
    /// Opponents whose games are rejected.
    pub rejected: Vec<String>,
    /// The time after a connection that was lost in a game in which the server may offer that game again; until then the game
    /// is not over. `None`: it is lost with its connection.
    pub reconnect: Option<Duration>,
    /// Connections that may fail one after the other; with one more the client gives up.
    pub retries: u32,
    /// What an interruption does to a running game.
    pub on_interrupt: OnInterrupt,
}

/// A game that was played, or lost with the connection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlayedCsaGame {
    /// The name that the server gave it.
    pub game_id: String,
    /// The player of black.
    pub black: String,
    /// The player of white.
    pub white: String,
    /// The colour of the client: `black` or `white`.
    pub color: &'static str,
    /// The result for the client.
    pub verdict: GameVerdict,
    /// The reason for the end, where the server told one.
    pub cause: Option<EndCause>,
    /// Number of moves.
    pub moves: usize,
    /// The files of its record.
    pub files: Vec<PathBuf>,
}

impl PlayedCsaGame {
    /// The name of the opponent.
    pub fn opponent(&self) -> &str {
        if self.color == "black" {
            &self.white
        } else {
            &self.black
        }
    }
}

/// What happens to a client.
#[derive(Debug)]
#[non_exhaustive]
pub enum ClientEvent<'a> {
    /// The connection stands.
    Connected,
    /// The login succeeded; games may be offered.
    LoggedIn,
    /// A line was sent. Of the login the password is left out.
    Sent(&'a str),
    /// A line was received.
    Received(&'a str),
    /// A game is offered.
    Offered(&'a CsaSummary),
    /// A game has begun.
    Started(&'a CsaGame),
    /// A game goes on that was broken off by a lost connection.
    Resumed(&'a CsaGame),
    /// The game after another move.
    Moved(&'a CsaGame),
    /// A game is over.
    Ended(&'a PlayedCsaGame),
    /// The connection failed; it is tried again after a while.
    Retrying {
        /// The reason.
        reason: &'a str,
        /// The time until then.
        after: Duration,
    },
    /// Anything else that the user should know.
    Note(&'a str),
}

/// What a client has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ClientOutcome {
    /// Number of games.
    pub games: u64,
    /// Games won.
    pub wins: u64,
    /// Games lost.
    pub losses: u64,
    /// Games drawn.
    pub draws: u64,
    /// Times that a record could not be written when its game was over.
    pub unsaved: u64,
    /// The user interrupted before all games were played.
    pub interrupted: bool,
}

/// The reason why a client gave up.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CsaClientError {
    /// The server refused the login.
    #[error(
        "{host} refuses the login of {name}: wrong name or password, or the name is logged in already"
    )]
    Login {
        /// The server.
        host: String,
        /// The name.
        name: String,
    },
    /// The connection failed again and again.
    #[error("{host}:{port}: {reason} (gave up after {attempts} attempts)")]
    Connection {
        /// The server.
        host: String,
        /// Its port.
        port: u16,
        /// The last reason.
        reason: String,
        /// Number of attempts, one after the other.
        attempts: u32,
    },
    /// The engine does not play.
    #[error("the engine cannot play: {0}")]
    Player(PlayerProblem),
    /// The settings cannot be sent.
    #[error("{0}")]
    Settings(String),
}

impl From<PlayerProblem> for CsaClientError {
    fn from(error: PlayerProblem) -> Self {
        Self::Player(error)
    }
}
