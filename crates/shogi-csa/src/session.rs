//! The client's side of the protocol as data: lines of the server in, events out; lines of the client for what it decides.

use shogi_core::{Color, Move};
use shogi_kifu::{KifuProblem, csa_move};
use thiserror::Error;

use crate::game::{CsaGame, GameOver};
use crate::message::{GameVerdict, ServerMessage};
use crate::summary::{CsaSummary, SummaryError};
use crate::summary_lines::SummaryLines;

/// The lines around the state of a game that goes on, after its summary.
const BEGIN_STATE: &str = "BEGIN Reconnect_State";
const END_STATE: &str = "END Reconnect_State";

/// What a line of the server means.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SessionEvent {
    /// The login succeeded; the server has a game when it likes.
    LoggedIn,
    /// The login was refused.
    LoginRefused,
    /// A game is offered: see [`CsaSession::offer`]. Answer with [`CsaSession::agree`] or [`CsaSession::reject`].
    Offered,
    /// A game is offered that cannot be played. Answer with [`CsaSession::reject`].
    BadOffer(SummaryError),
    /// The offered game does not take place.
    Rejected {
        /// Who rejected it.
        by: String,
    },
    /// The game has begun: see [`CsaSession::game`].
    Started,
    /// A game that was broken off goes on, without an answer to the offer: see [`CsaSession::game`].
    Resumed,
    /// A player has moved.
    Moved {
        /// The move.
        m: Move,
        /// True if the client made it.
        ours: bool,
    },
    /// The game is over. The next one may be offered.
    Ended(Box<(CsaGame, GameOver)>),
    /// The server answered an empty line.
    KeptAlive,
    /// The logout is complete.
    LoggedOut,
    /// A message that needs no reaction.
    Message(String),
}

/// A line of the server that contradicts what came before, so that the connection is of no more use.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SessionError {
    /// A move that does not fit the game.
    #[error("the server sent {line:?} after {moves} moves: {problem}")]
    Move {
        /// The line.
        line: String,
        /// Number of moves before it.
        moves: usize,
        /// The reason.
        problem: KifuProblem,
    },
    /// The game that has begun cannot be played.
    #[error(transparent)]
    Game(#[from] SummaryError),
}

#[derive(Clone, Debug)]
enum State {
    /// Before the answer to the login.
    Login,
    /// Logged in, without a game.
    Waiting,
    Summary(SummaryLines),
    /// Before the own answer.
    Offered(Box<CsaSummary>),
    /// An offer that cannot be played.
    BadOffer(String),
    /// After the own answer.
    Answered(Option<Box<CsaSummary>>),
    /// The state of a game that goes on follows.
    Resuming(Box<CsaSummary>),
    Playing(Box<CsaGame>),
    LoggedOut,
}

/// A connection to a server as data. Any lines may come: none panics, and memory is bounded.
///
/// ```
/// use shogi_csa::{CsaSession, SessionEvent};
/// let mut session = CsaSession::new();
/// assert_eq!(CsaSession::login("me", "floodgate-300-10F,secret"), "LOGIN me floodgate-300-10F,secret");
/// assert_eq!(session.line("LOGIN:me OK"), Ok(Some(SessionEvent::LoggedIn)));
/// for line in ["BEGIN Game_Summary", "Game_ID:g", "Your_Turn:+", "BEGIN Position", "PI", "+", "END Position"] {
///     assert!(session.line(line).is_ok());
/// }
/// assert_eq!(session.line("END Game_Summary"), Ok(Some(SessionEvent::Offered)));
/// assert_eq!(session.agree().as_deref(), Some("AGREE g"));
/// assert_eq!(session.line("START:g"), Ok(Some(SessionEvent::Started)));
/// assert!(session.game().is_some_and(|game| game.is_our_turn()));
/// ```
#[derive(Clone, Debug)]
pub struct CsaSession {
    state: State,
    /// The client has sent its move and waits to have it confirmed.
    sent: bool,
}

impl Default for CsaSession {
    fn default() -> Self {
        Self::new()
    }
}

impl CsaSession {
    /// A connection before the login.
    pub const fn new() -> Self {
        Self {
            state: State::Login,
            sent: false,
        }
    }

    /// The line that logs in. Floodgate-style servers take the name of a kind of game before the password:
    /// `floodgate-300-10F,secret`.
    pub fn login(name: &str, password: &str) -> String {
        format!("LOGIN {name} {password}")
    }

    /// The line that logs in to go on with the game `id`, on servers that have given a token for that
    /// ([`CsaSummary::reconnect_token`]).
    pub fn login_again(name: &str, password: &str, id: &str, token: &str) -> String {
        format!("LOGIN {name} {password} reconnect:{id}+{token}")
    }

    /// Returns whether the login has been answered with success.
    pub(crate) const fn is_logged_in(&self) -> bool {
        !matches!(self.state, State::Login | State::LoggedOut)
    }

    /// Returns whether no game is offered or played.
    pub(crate) const fn is_waiting(&self) -> bool {
        matches!(self.state, State::Waiting)
    }

    /// Returns whether an offer was accepted that has not begun.
    pub(crate) const fn is_agreed(&self) -> bool {
        matches!(self.state, State::Answered(Some(_)))
    }

    /// The game that is offered or agreed on.
    pub fn offer(&self) -> Option<&CsaSummary> {
        match &self.state {
            State::Offered(summary) | State::Answered(Some(summary)) => Some(summary),
            _ => None,
        }
    }

    /// The game that is played.
    pub fn game(&self) -> Option<&CsaGame> {
        match &self.state {
            State::Playing(game) => Some(game),
            _ => None,
        }
    }

    /// The game that is played, for comments and what was known of it before.
    pub fn game_mut(&mut self) -> Option<&mut CsaGame> {
        match &mut self.state {
            State::Playing(game) => Some(game),
            _ => None,
        }
    }

    /// Accepts the offered game; returns the line to send, `None` without an offer.
    pub fn agree(&mut self) -> Option<String> {
        let State::Offered(summary) = &self.state else {
            return None;
        };
        let line = with_game("AGREE", &summary.game_id);
        let State::Offered(summary) = std::mem::replace(&mut self.state, State::Waiting) else {
            return None;
        };
        self.state = State::Answered(Some(summary));
        Some(line)
    }

    /// Rejects the offered game; returns the line to send, `None` without an offer.
    pub fn reject(&mut self) -> Option<String> {
        let line = match &self.state {
            State::Offered(summary) => with_game("REJECT", &summary.game_id),
            State::BadOffer(id) => with_game("REJECT", id),
            _ => return None,
        };
        self.state = State::Answered(None);
        Some(line)
    }

    /// Makes a move, with a comment as [`crate::floodgate_comment`] gives it; returns the line to send. `None` when the client
    /// is not to move, has moved already, or the move is illegal.
    pub fn play(&mut self, m: Move, comment: Option<&str>) -> Option<String> {
        let game = self.may_move()?;
        if !game.game().position().is_legal(m) {
            return None;
        }
        self.sent = true;
        let text = csa_move(m);
        Some(match comment {
            Some(comment) => format!("{text},'* {comment}"),
            None => text,
        })
    }

    /// Resigns; returns the line to send, `None` when the client is not to move.
    pub fn resign(&mut self) -> Option<&'static str> {
        self.may_move()?;
        self.sent = true;
        Some("%TORYO")
    }

    /// Declares the win; returns the line to send, `None` when the client is not to move.
    pub fn declare(&mut self) -> Option<&'static str> {
        self.may_move()?;
        self.sent = true;
        Some("%KACHI")
    }

    /// The game, when the client is to move and has not yet.
    fn may_move(&self) -> Option<&CsaGame> {
        self.game().filter(|game| game.is_our_turn() && !self.sent)
    }

    /// The game that a lost connection breaks off, and its end. A reason that the server has told counts, even without a result.
    pub fn lost(&mut self) -> Option<(CsaGame, GameOver)> {
        match std::mem::replace(&mut self.state, State::LoggedOut) {
            State::Playing(game) => {
                let over = game.over(GameVerdict::Interrupted);
                Some((*game, over))
            }
            _ => None,
        }
    }

    /// Takes a line of the server.
    ///
    /// # Errors
    /// When it contradicts the game that is played.
    pub fn line(&mut self, line: &str) -> Result<Option<SessionEvent>, SessionError> {
        if let State::Summary(lines) = &mut self.state {
            let Some(read) = lines.line(line) else {
                return Ok(None);
            };
            let id = lines.game_id().to_owned();
            return Ok(Some(match read {
                Ok(summary) => {
                    self.state = State::Offered(Box::new(summary));
                    SessionEvent::Offered
                }
                Err(error) => {
                    self.state = State::BadOffer(id);
                    SessionEvent::BadOffer(error)
                }
            }));
        }
        if let State::Resuming(summary) = &mut self.state {
            if line.trim_end() == END_STATE {
                let summary = summary.clone();
                self.sent = false;
                self.state = State::Playing(Box::new(CsaGame::new(*summary)?));
                return Ok(Some(SessionEvent::Resumed));
            }
            summary.time_left(line.trim_end());
            return Ok(None);
        }
        let message = ServerMessage::parse(line);
        match message {
            ServerMessage::Blank => return Ok(Some(SessionEvent::KeptAlive)),
            ServerMessage::LogoutDone => {
                self.state = State::LoggedOut;
                return Ok(Some(SessionEvent::LoggedOut));
            }
            _ => {}
        }
        if matches!(self.state, State::Playing(_)) {
            return self.in_game(message, line);
        }
        self.outside_game(message, line).map(Some)
    }

    fn outside_game(
        &mut self,
        message: ServerMessage<'_>,
        line: &str,
    ) -> Result<SessionEvent, SessionError> {
        Ok(match (message, &mut self.state) {
            (ServerMessage::LoginOk(_), State::Login) => {
                self.state = State::Waiting;
                SessionEvent::LoggedIn
            }
            (ServerMessage::LoginRefused, State::Login) => SessionEvent::LoginRefused,
            (
                ServerMessage::BeginSummary,
                State::Waiting | State::Answered(_) | State::Offered(_) | State::BadOffer(_),
            ) => {
                self.state = State::Summary(SummaryLines::default());
                SessionEvent::Message(line.to_owned())
            }
            (
                ServerMessage::Reject { by, .. },
                State::Answered(_) | State::Offered(_) | State::BadOffer(_),
            ) => {
                self.state = State::Waiting;
                SessionEvent::Rejected { by: by.to_owned() }
            }
            (ServerMessage::Start(_), State::Answered(summary @ Some(_))) => {
                if let Some(summary) = summary.take() {
                    self.sent = false;
                    self.state = State::Playing(Box::new(CsaGame::new(*summary)?));
                }
                SessionEvent::Started
            }
            (
                ServerMessage::Other(BEGIN_STATE),
                State::Offered(summary) | State::Answered(Some(summary)),
            ) => {
                self.state = State::Resuming(summary.clone());
                SessionEvent::Message(line.trim_end().to_owned())
            }
            _ => SessionEvent::Message(line.trim_end().to_owned()),
        })
    }

    fn in_game(
        &mut self,
        message: ServerMessage<'_>,
        line: &str,
    ) -> Result<Option<SessionEvent>, SessionError> {
        let State::Playing(game) = &mut self.state else {
            return Ok(None);
        };
        match message {
            ServerMessage::Move { text, spent } => {
                let moves = game.moves();
                let wrong = |problem| SessionError::Move {
                    line: line.trim_end().to_owned(),
                    moves,
                    problem,
                };
                let m = game.moved(text, spent).map_err(wrong)?;
                let ours = m.color() == game.summary().color;
                self.sent &= !ours;
                Ok(Some(SessionEvent::Moved { m, ours }))
            }
            ServerMessage::Special { word, .. } => {
                game.special(word);
                Ok(Some(SessionEvent::Message(line.trim_end().to_owned())))
            }
            ServerMessage::Cause(cause) => {
                game.caused_by(cause);
                Ok(Some(SessionEvent::Message(line.trim_end().to_owned())))
            }
            ServerMessage::Result(verdict) => {
                let over = game.over(verdict);
                let State::Playing(game) = std::mem::replace(&mut self.state, State::Waiting)
                else {
                    return Ok(None);
                };
                Ok(Some(SessionEvent::Ended(Box::new((*game, over)))))
            }
            _ => Ok(Some(SessionEvent::Message(line.trim_end().to_owned()))),
        }
    }

    /// The colour of the client in the game that is played or offered.
    pub fn color(&self) -> Option<Color> {
        let game = self.game().map(CsaGame::summary);
        game.or_else(|| self.offer()).map(|summary| summary.color)
    }
}

impl PartialEq for CsaGame {
    /// The same offer, moves and clocks.
    fn eq(&self, other: &Self) -> bool {
        self.summary() == other.summary()
            && self.clocks() == other.clocks()
            && self.game().moves().eq(other.game().moves())
    }
}

impl Eq for CsaGame {}

fn with_game(word: &str, id: &str) -> String {
    if id.is_empty() {
        word.to_owned()
    } else {
        format!("{word} {id}")
    }
}
