//! Finds the beginning and end of a game without playing it.

use shogi_core::{AperyMove16, Position};
use shogi_packed::Hcp;

use super::{
    CANDIDATE_LEN, ENDING_AT, Ending, HEADER_LEN, Hcpe3Candidate, Hcpe3Part, Hcpe3Problem,
    MAX_CANDIDATES, PLY_LEN,
};
use crate::games::legal_move;
use crate::pack::Ply;
use crate::{TeacherResult, TeacherScore};

/// The bytes of one game, whose moves have not been looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hcpe3Frame<'a> {
    /// The position it starts from, not decoded yet.
    pub start: Hcp,
    /// Number of plies.
    pub ply_count: u16,
    /// The byte that tells how it ended ([`Self::ending`]).
    pub ending: u8,
    /// Opponent of the engine that wrote the game: 0 for itself, other numbers as the writer likes.
    pub opponent: u8,
    /// Bytes of the whole game.
    pub len: usize,
    plies: &'a [u8],
}

impl<'a> Hcpe3Frame<'a> {
    /// Returns the ending of the game.
    ///
    /// # Errors
    /// [`Hcpe3Problem::Ending`] when the byte is no ending.
    pub fn ending(&self) -> Result<Ending, Hcpe3Problem> {
        Ending::from_bits(self.ending).ok_or(Hcpe3Problem::Ending { bits: self.ending })
    }

    /// The plies.
    pub const fn plies(&self) -> Plies<'a> {
        Plies {
            bytes: self.plies,
            at: HEADER_LEN,
        }
    }
}

/// A ply's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawPly<'a> {
    /// Offset of the ply from the start of the game.
    pub at: usize,
    /// The move played.
    pub mv: AperyMove16,
    /// The evaluation of the position before it, from its player's side.
    pub score: TeacherScore,
    /// The candidates: move and visits.
    pub candidates: &'a [[u8; CANDIDATE_LEN]],
}

/// The plies of a [`Hcpe3Frame`].
#[derive(Clone, Debug)]
pub struct Plies<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Iterator for Plies<'a> {
    type Item = RawPly<'a>;

    /// The next ply; `None` too where the bytes end inside one, which those of a frame do not.
    #[inline]
    fn next(&mut self) -> Option<RawPly<'a>> {
        let (ply, rest) = self.bytes.split_first_chunk::<PLY_LEN>()?;
        let count = u16::from_le_bytes([ply[4], ply[5]]) as usize;
        let candidates = rest.get(..count * CANDIDATE_LEN)?;
        let at = self.at;
        self.at += PLY_LEN + candidates.len();
        self.bytes = &rest[candidates.len()..];
        Some(RawPly {
            at,
            mv: AperyMove16(u16::from_le_bytes([ply[0], ply[1]])),
            score: TeacherScore(i16::from_le_bytes([ply[2], ply[3]])),
            candidates: candidates.as_chunks().0,
        })
    }
}

/// The game that begins with the first of `bytes`.
///
/// This reads one number a ply: it costs far less than copying the bytes.
///
/// # Errors
/// [`Hcpe3Problem::Truncated`] and [`Hcpe3Problem::TooManyCandidates`]; nothing else is looked at
/// ([`Hcpe3Replayer::first_problem`](super::Hcpe3Replayer::first_problem) looks).
pub fn frame(bytes: &[u8]) -> Result<Hcpe3Frame<'_>, Hcpe3Problem> {
    let Some((&start, rest)) = bytes.split_first_chunk::<32>() else {
        return Err(truncated(bytes, 0, Hcpe3Part::Hcp, 32));
    };
    let Some(&[low, high, ending, opponent]) = rest.first_chunk::<4>() else {
        return Err(truncated(bytes, 32, Hcpe3Part::Header, 4));
    };
    let ply_count = u16::from_le_bytes([low, high]);
    let mut at = HEADER_LEN;
    for index in 0..u32::from(ply_count) {
        let ply = bytes[at..].first_chunk::<PLY_LEN>();
        let ply = ply.ok_or_else(|| truncated(bytes, at, Hcpe3Part::Ply, PLY_LEN))?;
        let count = u16::from_le_bytes([ply[4], ply[5]]);
        if count as usize > MAX_CANDIDATES {
            return Err(Hcpe3Problem::TooManyCandidates {
                at: at + 4,
                ply: index + 1,
                count,
            });
        }
        at += PLY_LEN;
        let needed = count as usize * CANDIDATE_LEN;
        if bytes.len() - at < needed {
            return Err(truncated(bytes, at, Hcpe3Part::Candidates, needed));
        }
        at += needed;
    }
    Ok(Hcpe3Frame {
        start: Hcp(start),
        ply_count,
        ending,
        opponent,
        len: at,
        plies: &bytes[HEADER_LEN..at],
    })
}

/// The game at the start of `bytes` up to where `problem` says that it is damaged; `None` when that is
/// before its plies.
pub(super) fn damaged_frame<'a>(bytes: &'a [u8], problem: &Hcpe3Problem) -> Option<Hcpe3Frame<'a>> {
    let header = bytes.first_chunk::<HEADER_LEN>()?;
    let end = problem.at().clamp(HEADER_LEN, bytes.len());
    Some(Hcpe3Frame {
        start: Hcp(*header.first_chunk()?),
        ply_count: u16::from_le_bytes([header[32], header[33]]),
        ending: header[ENDING_AT],
        opponent: header[ENDING_AT + 1],
        len: end,
        plies: &bytes[HEADER_LEN..end],
    })
}

fn truncated(bytes: &[u8], at: usize, part: Hcpe3Part, needed: usize) -> Hcpe3Problem {
    Hcpe3Problem::Truncated {
        at,
        part,
        needed,
        left: bytes.len() - at,
    }
}

// Playing a game's bytes, with every rule checked.

/// Replays games. Keeping one for many games saves its memory from being asked for again.
#[derive(Clone, Debug)]
pub struct Hcpe3Replayer {
    position: Position,
    candidates: Vec<Hcpe3Candidate>,
}

impl Default for Hcpe3Replayer {
    fn default() -> Self {
        Self {
            position: Position::startpos(),
            candidates: Vec::new(),
        }
    }
}

impl Hcpe3Replayer {
    /// Replays a game, calling `visit` with each position, the ply played there, its candidates and
    /// the game's result; gives the ending. `visit` may have been called for the plies before one
    /// that is at problem.
    ///
    /// # Errors
    /// The first thing that is wrong with the game, in the order of its bytes.
    #[inline]
    pub fn replay(
        &mut self,
        frame: &Hcpe3Frame<'_>,
        mut visit: impl FnMut(&Position, Ply, &[Hcpe3Candidate], TeacherResult),
    ) -> Result<Ending, Hcpe3Problem> {
        self.position = frame.start.decode()?;
        let ending = frame.ending()?;
        for (index, raw) in frame.plies().enumerate() {
            let number = index as u32 + 1;
            let mv = legal_move(&self.position, raw.mv).ok_or(Hcpe3Problem::IllegalMove {
                at: raw.at,
                ply: number,
                code: raw.mv,
            })?;
            self.read_candidates(&raw, number)?;
            let score = raw.score;
            visit(
                &self.position,
                Ply { mv, score },
                &self.candidates,
                ending.result,
            );
            let _ = self.position.do_move_unchecked(mv);
        }
        Ok(ending)
    }

    fn read_candidates(&mut self, raw: &RawPly<'_>, ply: u32) -> Result<(), Hcpe3Problem> {
        self.candidates.clear();
        for (index, &[a, b, c, d]) in raw.candidates.iter().enumerate() {
            let code = AperyMove16(u16::from_le_bytes([a, b]));
            let mv = legal_move(&self.position, code).ok_or(Hcpe3Problem::IllegalCandidate {
                at: raw.at + PLY_LEN + index * CANDIDATE_LEN,
                ply,
                code,
            })?;
            let visits = u16::from_le_bytes([c, d]);
            self.candidates.push(Hcpe3Candidate { mv, visits });
        }
        Ok(())
    }

    /// Returns the first problem of the game at the start of `bytes`, for which
    /// [`frame`](super::frame) gave `problem`: another one may lie before the place where it ends.
    pub fn first_problem(&mut self, bytes: &[u8], problem: Hcpe3Problem) -> Hcpe3Problem {
        if let Some(&start) = bytes.first_chunk()
            && let Err(error) = Hcp(start).decode()
        {
            return error.into();
        }
        damaged_frame(bytes, &problem)
            .and_then(|frame| self.replay(&frame, |_, _, _, _| ()).err())
            .unwrap_or(problem)
    }

    /// The position after the last ply that was replayed.
    pub const fn position(&self) -> &Position {
        &self.position
    }
}
