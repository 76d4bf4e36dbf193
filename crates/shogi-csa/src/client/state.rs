//! What a client knows: its connection, its game, and its search.

use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, SyncSender};
use std::time::Instant;

use crate::client::{ClientEvent, ClientOutcome, ClientSettings};

use crate::connection::{Connection, Incoming};
use crate::game::RecordNotes;
use crate::game::{CsaGame, GameOver};
use crate::player::{CsaPlayer, ThinkEvent};
use crate::records::RecordFiles;
use crate::session::{CsaSession, SessionError};
use shogi_core::{Move, MoveText};
use shogi_usi::{BestMove, Info};

/// Called with every event, on the thread of the client.
pub(super) type ClientObserver<'o> = dyn FnMut(&ClientEvent<'_>) + 'o;

/// Events that wait for the loop; what comes beyond them waits in the socket.
pub(super) const EVENTS_AHEAD: usize = 1 << 14;

/// An event of the loop.
pub(super) enum LoopEvent {
    /// Of the connection with this number.
    Server(u64, Incoming),
    Think(ThinkEvent),
}

/// The client between and during connections.
pub(super) struct Client<'a, 'o> {
    pub(super) settings: &'a ClientSettings,
    pub(super) observer: &'a mut ClientObserver<'o>,
    pub(super) interrupted: &'a AtomicBool,
    pub(super) sender: SyncSender<LoopEvent>,
    pub(super) events: Receiver<LoopEvent>,
    pub(super) player: Box<dyn CsaPlayer>,
    pub(super) outcome: ClientOutcome,
    /// Number of connections so far.
    pub(super) links: u64,
    /// Number of searches so far.
    pub(super) searches: u64,
    /// A game that was broken off and may go on.
    pub(super) suspended: Option<SuspendedGame>,
}

/// A connection with its session.
pub(super) struct Link {
    pub(super) number: u64,
    pub(super) connection: Connection,
    pub(super) session: CsaSession,
    pub(super) opened: Instant,
    pub(super) last_sent: Instant,
    pub(super) last_received: Instant,
    /// The server answers empty lines.
    pub(super) echoes: bool,
    /// Set when the client leaves: until then the server may answer.
    pub(super) leaving: Option<Instant>,
    /// After a game: the client logs in anew then, unless the next one is offered before.
    pub(super) renews: Option<Instant>,
    /// The login asked for the game that was broken off.
    pub(super) asks_for_game: bool,
    /// The game that is played.
    pub(super) playing: Playing,
}

/// The reason why a connection ended.
pub(super) enum LinkEnd {
    /// The client has left.
    Left,
    /// The server refused the login.
    Refused,
    /// It was lost.
    Lost(String),
}

impl From<SessionError> for LinkEnd {
    fn from(error: SessionError) -> Self {
        Self::Lost(error.to_string())
    }
}

/// The game that is played, beside what the session knows of it.
#[derive(Default)]
pub(super) struct Playing {
    pub(super) thinking: Thinking,
    /// The beginning of the own turn.
    pub(super) turn: Option<Instant>,
    /// The comment on the own move that was sent, and the reply that is expected.
    pub(super) sent: (Option<String>, Option<MoveText>),
    /// The player has been started again in this game.
    pub(super) restarted: bool,
    pub(super) notes: RecordNotes,
    pub(super) files: Option<RecordFiles>,
    /// The user knows that the interruption was seen.
    pub(super) told_of_interrupt: bool,
}

/// What the player does.
#[derive(Default)]
pub(super) enum Thinking {
    #[default]
    Nothing,
    /// About the own move.
    Search(Search),
    /// About the answer to the move that the opponent is expected to make.
    Ponder {
        search: Search,
        expected: Move,
        /// A decision that came too early.
        early: Option<BestMove>,
    },
}

pub(super) struct Search {
    pub(super) number: u64,
    /// The last line with a score.
    pub(super) info: Option<Box<Info>>,
}

impl Search {
    pub(super) fn take(&mut self, info: Box<Info>) {
        let is_best = info.multi_pv.is_none_or(|number| number == 1);
        // A bound says little, but more than nothing.
        if is_best && info.score.is_some() && (info.bound.is_none() || self.info.is_none()) {
            self.info = Some(info);
        }
    }
}

/// A game that was broken off.
pub(super) struct SuspendedGame {
    pub(super) game: CsaGame,
    pub(super) playing: Playing,
    /// Its end if it does not go on.
    pub(super) over: GameOver,
    /// Until then it may.
    pub(super) until: Instant,
}
