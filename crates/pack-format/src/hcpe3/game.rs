//! A whole game in memory.

use shogi_core::{AperyMove16, Move, Position};
use shogi_packed::Hcp;
use thiserror::Error;

use super::{Hcpe3Frame, Hcpe3Problem, Hcpe3Replayer, MAX_CANDIDATES, MAX_PLIES};
use crate::TeacherScore;
#[cfg(test)]
use crate::hcpe3::ending::Flags;
use crate::hcpe3::ending::{Ending, Hcpe3Candidate};
use crate::pack::Ply;

/// A game, every move and candidate legal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hcpe3Game {
    start: Position,
    plies: Vec<Ply>,
    /// Candidates of all plies, one after the other.
    candidates: Vec<Hcpe3Candidate>,
    /// End of each ply's part of `candidates`.
    ends: Vec<u32>,
    ending: Ending,
    opponent: u8,
}

/// Error of building a game.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Hcpe3Error {
    /// A king is missing at the start; 32 bytes cannot hold such a position.
    #[error("the start position has no king for one side")]
    MissingKing,
    /// A move or candidate is not legal.
    #[error("{0} is not legal here")]
    IllegalMove(Move),
    /// There are [`MAX_PLIES`] plies already.
    #[error("a game has {MAX_PLIES} plies at most")]
    TooLong,
    /// There are more candidates than any position has moves.
    #[error("{0} candidates, {MAX_CANDIDATES} at most are possible")]
    TooManyCandidates(usize),
}

impl Hcpe3Game {
    /// Reads the game of a frame.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn from_frame(
        frame: &Hcpe3Frame<'_>,
        replayer: &mut Hcpe3Replayer,
    ) -> Result<Self, Hcpe3Problem> {
        let mut plies = Vec::with_capacity(frame.ply_count.into());
        let mut ends = Vec::with_capacity(frame.ply_count.into());
        let mut candidates = Vec::new();
        let mut start = None;
        let ending = replayer.replay(frame, |position, ply, of_ply, _| {
            start.get_or_insert_with(|| position.clone());
            plies.push(ply);
            candidates.extend_from_slice(of_ply);
            ends.push(candidates.len() as u32);
        })?;
        Ok(Self {
            // Without plies the replayer is still where it started.
            start: start.unwrap_or_else(|| replayer.position().clone()),
            plies,
            candidates,
            ends,
            ending,
            opponent: frame.opponent,
        })
    }

    /// The position it starts from, at ply 1.
    pub const fn start(&self) -> &Position {
        &self.start
    }

    /// The plies.
    pub fn plies(&self) -> &[Ply] {
        &self.plies
    }

    /// The candidates of a ply, counted from 0.
    ///
    /// # Panics
    /// When there is no such ply.
    pub fn candidates(&self, ply: usize) -> &[Hcpe3Candidate] {
        let begin = ply.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.candidates[begin as usize..self.ends[ply] as usize]
    }

    /// Returns the ending of the game.
    pub const fn ending(&self) -> Ending {
        self.ending
    }

    /// Returns the opponent of the engine that wrote the game; 0 for itself.
    pub const fn opponent(&self) -> u8 {
        self.opponent
    }

    /// Each position with the ply played there and its candidates.
    pub fn positions(&self) -> impl Iterator<Item = (Position, Ply, &[Hcpe3Candidate])> {
        let mut position = self.start.clone();
        self.plies.iter().enumerate().map(move |(index, &ply)| {
            let before = position.clone();
            let _ = position.do_move_unchecked(ply.mv);
            (before, ply, self.candidates(index))
        })
    }

    /// Appends the game's bytes, the start in canonical order.
    ///
    /// # Panics
    /// Never: both ways to make a game see to it that its start has both kings.
    pub fn write_to(&self, bytes: &mut Vec<u8>) {
        let hcp = Hcp::encode(&self.start).expect("the start of a game has both kings");
        bytes.extend_from_slice(&hcp.0);
        bytes.extend_from_slice(&(self.plies.len() as u16).to_le_bytes());
        bytes.extend_from_slice(&[self.ending.bits(), self.opponent]);
        for (index, ply) in self.plies.iter().enumerate() {
            let candidates = self.candidates(index);
            bytes.extend_from_slice(&AperyMove16::from(ply.mv).0.to_le_bytes());
            bytes.extend_from_slice(&ply.score.0.to_le_bytes());
            bytes.extend_from_slice(&(candidates.len() as u16).to_le_bytes());
            for candidate in candidates {
                bytes.extend_from_slice(&AperyMove16::from(candidate.mv).0.to_le_bytes());
                bytes.extend_from_slice(&candidate.visits.to_le_bytes());
            }
        }
    }
}

/// A game being played.
#[derive(Clone, Debug)]
pub struct Hcpe3Builder {
    start: Position,
    position: Position,
    plies: Vec<Ply>,
    candidates: Vec<Hcpe3Candidate>,
    ends: Vec<u32>,
}

impl Hcpe3Builder {
    /// A game from `start`, whose ply number becomes 1: the format has none.
    ///
    /// # Errors
    /// [`Hcpe3Error::MissingKing`].
    pub fn new(start: Position) -> Result<Self, Hcpe3Error> {
        let start = start.with_ply(1);
        if Hcp::encode(&start).is_err() {
            return Err(Hcpe3Error::MissingKing);
        }
        Ok(Self {
            position: start.clone(),
            start,
            plies: Vec::new(),
            candidates: Vec::new(),
            ends: Vec::new(),
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

    /// Plays a move; `score` is the evaluation of the position before it, `candidates` the moves that
    /// were searched there.
    ///
    /// # Errors
    /// All but [`Hcpe3Error::MissingKing`]; the game stays as it was.
    pub fn play(
        &mut self,
        mv: Move,
        score: TeacherScore,
        candidates: &[Hcpe3Candidate],
    ) -> Result<(), Hcpe3Error> {
        if self.plies.len() >= MAX_PLIES {
            return Err(Hcpe3Error::TooLong);
        }
        if candidates.len() > MAX_CANDIDATES {
            return Err(Hcpe3Error::TooManyCandidates(candidates.len()));
        }
        let mut moves = std::iter::once(mv).chain(candidates.iter().map(|it| it.mv));
        if let Some(illegal) = moves.find(|&mv| !self.position.is_legal(mv)) {
            return Err(Hcpe3Error::IllegalMove(illegal));
        }
        self.plies.push(Ply { mv, score });
        self.candidates.extend_from_slice(candidates);
        self.ends.push(self.candidates.len() as u32);
        let _ = self.position.do_move_unchecked(mv);
        Ok(())
    }

    /// Ends the game. `opponent` is who played against the engine that writes it; 0 for itself.
    pub fn finish(self, ending: Ending, opponent: u8) -> Hcpe3Game {
        Hcpe3Game {
            start: self.start,
            plies: self.plies,
            candidates: self.candidates,
            ends: self.ends,
            ending,
            opponent,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_endings_or_not() {
        for bits in 0..=u8::MAX {
            let ending = Ending::from_bits(bits);
            assert_eq!(ending.is_some(), bits & 3 != 3 && bits < 32, "{bits}");
            if let Some(ending) = ending {
                assert_eq!(ending.bits(), bits);
            }
        }
    }

    #[test]
    fn flags_have_names() {
        let flags = Flags::REPETITION | Flags::MAX_MOVES;
        assert_eq!(flags.to_string(), "repetition, max moves");
        assert_eq!(Flags::NONE.to_string(), "none");
        assert!(flags.contains(Flags::MAX_MOVES) && !flags.contains(Flags::DECLARATION));
    }
}
