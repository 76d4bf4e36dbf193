//! Finds the beginning and end of a game without playing it.

use shogi_core::{AperyMove16, Position};
use shogi_packed::Hcp;

use super::{
    END_LEN, HCP_START_LEN, MAX_PLIES, PLY_LEN, PackPart, PackProblem, Ply, START_HCP,
    START_INITIAL, ends_game, terminator,
};
use crate::games::legal_move;
use crate::{EndReason, TeacherResult, TeacherScore};

/// Start position of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PackStart {
    /// The initial position, ply 1.
    Initial,
    /// Another position (or the initial position all the same).
    Hcp {
        /// The position, not decoded yet.
        hcp: Hcp,
        /// Its ply number: 1 for the first move of a game; writers are known to give 0.
        ply: u16,
    },
}

impl PackStart {
    /// Bytes it takes.
    #[expect(clippy::len_without_is_empty, reason = "a start is never empty")]
    pub const fn len(&self) -> usize {
        match self {
            Self::Initial => 1,
            Self::Hcp { .. } => HCP_START_LEN,
        }
    }
}

/// The bytes of one game, whose moves have not been looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackFrame<'a> {
    /// Start position of the game.
    pub start: PackStart,
    /// The plies: move and score.
    pub plies: &'a [[u8; PLY_LEN]],
    /// The bits in the place of a move that end it; any with equal origin and destination.
    pub terminator: u16,
    /// The end reason.
    pub reason: EndReason,
    /// Bytes of the whole game.
    pub len: usize,
}

impl PackFrame<'_> {
    /// The result.
    ///
    /// # Errors
    /// [`PackProblem::Terminator`] when the bits are none of the three.
    pub fn result(&self) -> Result<TeacherResult, PackProblem> {
        TeacherResult::ALL
            .into_iter()
            .find(|&result| terminator(result) == self.terminator)
            .ok_or(PackProblem::Terminator {
                at: self.len - END_LEN,
                bits: self.terminator,
            })
    }
}

/// The game that begins with the first of `bytes`.
///
/// This reads one number a ply: it costs about as much as copying the bytes.
///
/// # Errors
/// [`PackProblem::StartKind`], [`PackProblem::Truncated`] and [`PackProblem::TooLong`]; nothing else is looked at
/// ([`PackReplayer::first_problem`](super::PackReplayer::first_problem) looks).
pub fn frame(bytes: &[u8]) -> Result<PackFrame<'_>, PackProblem> {
    let (start, start_len) = read_start(bytes)?;
    let plies = bytes[start_len..].as_chunks::<PLY_LEN>().0;
    let end = plies[..plies.len().min(MAX_PLIES + 1)]
        .iter()
        .position(|&[low, high, ..]| ends_game(u16::from_le_bytes([low, high])));
    // The last game's end can be shorter than a ply.
    let count = end.unwrap_or(plies.len());
    if count > MAX_PLIES {
        return Err(PackProblem::TooLong);
    }
    let at = start_len + count * PLY_LEN;
    let &[low, high, reason] = bytes[at..]
        .first_chunk::<END_LEN>()
        .ok_or_else(|| cut_off(bytes, at))?;
    let terminator = u16::from_le_bytes([low, high]);
    if !ends_game(terminator) {
        return Err(cut_off(bytes, at));
    }
    Ok(PackFrame {
        start,
        plies: &plies[..count],
        terminator,
        reason: EndReason(reason),
        len: at + END_LEN,
    })
}

pub(super) fn read_start(bytes: &[u8]) -> Result<(PackStart, usize), PackProblem> {
    match bytes.first() {
        Some(&START_INITIAL) => Ok((PackStart::Initial, 1)),
        Some(&START_HCP) => {
            let hcp = bytes[1..].first_chunk::<32>();
            let hcp = hcp.ok_or_else(|| truncated(bytes, 1, PackPart::Hcp, 32))?;
            let ply = bytes[33..].first_chunk::<2>();
            let ply = ply.ok_or_else(|| truncated(bytes, 33, PackPart::StartPly, 2))?;
            let start = PackStart::Hcp {
                hcp: Hcp(*hcp),
                ply: u16::from_le_bytes(*ply),
            };
            Ok((start, HCP_START_LEN))
        }
        Some(&kind) => Err(PackProblem::StartKind { kind }),
        None => Err(truncated(bytes, 0, PackPart::Move, 1)),
    }
}

/// The problem of bytes that end in the ply or end that begins at `at`.
fn cut_off(bytes: &[u8], at: usize) -> PackProblem {
    let Some(&[low, high]) = bytes[at..].first_chunk::<2>() else {
        return truncated(bytes, at, PackPart::Move, 2);
    };
    if ends_game(u16::from_le_bytes([low, high])) {
        truncated(bytes, at + 2, PackPart::Reason, 1)
    } else {
        truncated(bytes, at + 2, PackPart::Score, 2)
    }
}

fn truncated(bytes: &[u8], at: usize, part: PackPart, needed: usize) -> PackProblem {
    PackProblem::Truncated {
        at,
        part,
        needed,
        left: bytes.len() - at,
    }
}

// Playing a game's bytes, with every rule checked.

/// Treatment of a game whose end reason contradicts its result
/// ([`EndReason::allows`](crate::EndReason::allows)).
///
/// Such games are found in files whose moves are all in order, because writers do not agree on the
/// reasons. But a contradiction is also what a zero move leaves behind: written in the middle of a
/// game it looks like a draw, and the score after it like a reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Contradictions {
    /// The game is accepted; callers may count it.
    #[default]
    Accept,
    /// It is a problem.
    Refuse,
}

/// Replays games. Keeping one for many games saves setting up the initial position.
#[derive(Clone, Debug)]
pub struct PackReplayer {
    initial: Position,
    position: Position,
    contradictions: Contradictions,
}

impl Default for PackReplayer {
    fn default() -> Self {
        Self::new(Contradictions::default())
    }
}

impl PackReplayer {
    /// Returns a replayer with this treatment of contradictions.
    pub fn new(contradictions: Contradictions) -> Self {
        let initial = Position::startpos();
        Self {
            position: initial.clone(),
            initial,
            contradictions,
        }
    }

    /// Replays a game, calling `visit` with each position, the ply played there and the game's
    /// result, which it returns. `visit` may have been called for the plies before one that is at
    /// problem.
    ///
    /// # Errors
    /// The first thing that is wrong with the game, in the order of its bytes.
    #[inline]
    pub fn replay(
        &mut self,
        frame: &PackFrame<'_>,
        mut visit: impl FnMut(&Position, Ply, TeacherResult),
    ) -> Result<TeacherResult, PackProblem> {
        match self.check_end(frame) {
            Ok(result) => {
                self.play(frame.start, frame.plies, |position, ply| {
                    visit(position, ply, result);
                })?;
                Ok(result)
            }
            Err(problem) => {
                self.play(frame.start, frame.plies, |_, _| ())?;
                Err(problem)
            }
        }
    }

    /// Returns the first problem of the game at the start of `bytes`, for which
    /// [`frame`](super::frame) gave `problem`: another one may lie before the place where it ends.
    pub fn first_problem(&mut self, bytes: &[u8], problem: PackProblem) -> PackProblem {
        let Ok((start, len)) = read_start(bytes) else {
            return problem;
        };
        let plies = bytes[len..].as_chunks().0;
        let plies = &plies[..plies.len().min(super::MAX_PLIES)];
        self.play(start, plies, |_, _| ()).err().unwrap_or(problem)
    }

    /// Plays from `start`.
    #[inline]
    fn play(
        &mut self,
        start: PackStart,
        plies: &[[u8; PLY_LEN]],
        mut visit: impl FnMut(&Position, Ply),
    ) -> Result<(), PackProblem> {
        match start {
            PackStart::Initial => self.position.clone_from(&self.initial),
            PackStart::Hcp { hcp, ply } => self.position = hcp.decode()?.with_ply(ply.into()),
        }
        for (index, &[a, b, c, d]) in plies.iter().enumerate() {
            let code = AperyMove16(u16::from_le_bytes([a, b]));
            let Some(mv) = legal_move(&self.position, code) else {
                return Err(PackProblem::IllegalMove {
                    at: start.len() + index * PLY_LEN,
                    ply: index as u32 + 1,
                    code,
                });
            };
            let score = TeacherScore(i16::from_le_bytes([c, d]));
            visit(&self.position, Ply { mv, score });
            let _ = self.position.do_move_unchecked(mv);
        }
        Ok(())
    }

    /// The position after the last ply that was replayed.
    pub const fn position(&self) -> &Position {
        &self.position
    }

    fn check_end(&self, frame: &PackFrame<'_>) -> Result<TeacherResult, PackProblem> {
        let result = frame.result()?;
        if self.contradictions == Contradictions::Refuse && !frame.reason.allows(result) {
            return Err(PackProblem::Contradiction {
                at: frame.len - 1,
                result,
                reason: frame.reason,
            });
        }
        Ok(result)
    }
}
