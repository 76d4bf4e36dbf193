//! A whole game in memory.

use shogi_core::{AperyMove16, Move, Position};
use shogi_packed::Hcp;
use thiserror::Error;

use super::{PackFrame, PackProblem, PackReplayer, START_HCP, START_INITIAL, terminator};
use crate::pack::layout::Ply;
use crate::{EndReason, TeacherResult, TeacherScore};

/// A game, every move legal.
///
/// One that was read may have an end reason that cannot go with its result, see
/// [`Contradictions`](super::Contradictions); one that was built may not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Game {
    start: Position,
    plies: Vec<Ply>,
    result: TeacherResult,
    reason: EndReason,
}

/// Error of building a game.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum GameError {
    /// A king is missing at the start; 32 bytes cannot hold such a position.
    #[error("the start position has no king for one side")]
    MissingKing,
    /// The start's ply number does not fit in 16 bits.
    #[error("ply {0} of the start position is above 65535")]
    StartPly(u32),
    /// The move is not legal.
    #[error("{0} is not legal here")]
    IllegalMove(Move),
    /// There are [`super::MAX_PLIES`] plies already.
    #[error("a game has {} plies at most", super::MAX_PLIES)]
    TooLong,
    /// The end reason cannot go with the result.
    #[error("end reason {reason} cannot go with the result {}", .result.name())]
    Contradiction {
        /// The result.
        result: TeacherResult,
        /// The reason.
        reason: EndReason,
    },
}

impl Game {
    /// Reads the game of a frame.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn from_frame(
        frame: &PackFrame<'_>,
        replayer: &mut PackReplayer,
    ) -> Result<Self, PackProblem> {
        let mut plies = Vec::with_capacity(frame.plies.len());
        let mut start = None;
        let result = replayer.replay(frame, |position, ply, _| {
            start.get_or_insert_with(|| position.clone());
            plies.push(ply);
        })?;
        Ok(Self {
            // Without plies the replayer is still where it started.
            start: start.unwrap_or_else(|| replayer.position().clone()),
            plies,
            result,
            reason: frame.reason,
        })
    }

    /// The position it starts from; its ply number is 65,535 at most.
    pub const fn start(&self) -> &Position {
        &self.start
    }

    /// The plies.
    pub fn plies(&self) -> &[Ply] {
        &self.plies
    }

    /// The result.
    pub const fn result(&self) -> TeacherResult {
        self.result
    }

    /// Returns the end reason.
    pub const fn reason(&self) -> EndReason {
        self.reason
    }

    /// Returns true if the end reason contradicts the result.
    pub const fn contradicts_itself(&self) -> bool {
        !self.reason.allows(self.result)
    }

    /// Each position with the ply played there.
    pub fn positions(&self) -> impl Iterator<Item = (Position, Ply)> {
        let mut position = self.start.clone();
        self.plies.iter().map(move |&ply| {
            let before = position.clone();
            let _ = position.do_move_unchecked(ply.mv);
            (before, ply)
        })
    }

    /// Appends the game's bytes. The initial position at ply 1 is written as such, any other start
    /// as an hcp in canonical order.
    ///
    /// # Panics
    /// Never: both ways to make a game see to it that its start has both kings.
    pub fn write_to(&self, bytes: &mut Vec<u8>) {
        if is_initial(&self.start) {
            bytes.push(START_INITIAL);
        } else {
            let hcp = Hcp::encode(&self.start).expect("the start of a game has both kings");
            bytes.push(START_HCP);
            bytes.extend_from_slice(&hcp.0);
            bytes.extend_from_slice(&(self.start.ply() as u16).to_le_bytes());
        }
        for ply in &self.plies {
            bytes.extend_from_slice(&AperyMove16::from(ply.mv).0.to_le_bytes());
            bytes.extend_from_slice(&ply.score.0.to_le_bytes());
        }
        bytes.extend_from_slice(&terminator(self.result).to_le_bytes());
        bytes.push(self.reason.0);
    }
}

/// Returns true if the position is the initial one at ply 1.
pub(crate) fn is_initial(position: &Position) -> bool {
    position.ply() == 1 && *position == Position::startpos()
}

/// A game being played.
#[derive(Clone, Debug)]
pub struct GameBuilder {
    start: Position,
    position: Position,
    plies: Vec<Ply>,
}

impl GameBuilder {
    /// A game from `start`.
    ///
    /// # Errors
    /// [`GameError::MissingKing`] and [`GameError::StartPly`].
    pub fn new(start: Position) -> Result<Self, GameError> {
        if u16::try_from(start.ply()).is_err() {
            return Err(GameError::StartPly(start.ply()));
        }
        if Hcp::encode(&start).is_err() {
            return Err(GameError::MissingKing);
        }
        Ok(Self {
            position: start.clone(),
            start,
            plies: Vec::new(),
        })
    }

    /// The position now.
    pub const fn position(&self) -> &Position {
        &self.position
    }

    /// The plies so far.
    pub fn plies(&self) -> &[Ply] {
        &self.plies
    }

    /// Plays a move; `score` is the evaluation of the position before it.
    ///
    /// # Errors
    /// [`GameError::IllegalMove`] and [`GameError::TooLong`]; the game stays as it was.
    pub fn play(&mut self, mv: Move, score: TeacherScore) -> Result<(), GameError> {
        if !self.position.is_legal(mv) {
            return Err(GameError::IllegalMove(mv));
        }
        if self.plies.len() >= super::MAX_PLIES {
            return Err(GameError::TooLong);
        }
        self.plies.push(Ply { mv, score });
        let _ = self.position.do_move_unchecked(mv);
        Ok(())
    }

    /// Ends the game.
    ///
    /// # Errors
    /// [`GameError::Contradiction`].
    pub fn finish(self, result: TeacherResult, reason: EndReason) -> Result<Game, GameError> {
        if !reason.allows(result) {
            return Err(GameError::Contradiction { result, reason });
        }
        Ok(self.finish_as_read(result, reason))
    }

    /// Ends a game that another form of it says to have ended so, contradiction or not.
    pub(crate) fn finish_as_read(self, result: TeacherResult, reason: EndReason) -> Game {
        Game {
            start: self.start,
            plies: self.plies,
            result,
            reason,
        }
    }
}
