//! Verification of lines: legal, all checks, mate at the end, shortest length.

use shogi_core::{Diagram, Move, MoveText, Position};
use thiserror::Error;

use crate::{Answer, Length, Reason, Role};

/// An error in a line. Plies count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MateLineError {
    /// A move is not legal.
    #[error("move {ply} ({text}) is not legal")]
    Illegal {
        /// The number of the move.
        ply: usize,
        /// The move.
        text: MoveText,
    },
    /// The attacker plays a move that gives no check.
    #[error("move {ply} ({text}) gives no check")]
    NoCheck {
        /// The number of the move.
        ply: usize,
        /// The move.
        text: MoveText,
    },
    /// The king is not mated at the end.
    #[error("the king is not mated after the last move")]
    NotMate,
}

/// Replays a line of the attacker's checks and the defender's answers.
///
/// `role` is the part of the side to move of `start`; when the defender is in check there already, the attacker's
/// first move has to give another check. Returns the moves when all are legal, all of the attacker's give check
/// and the defender is mated after the last.
///
/// # Errors
/// The first [`MateLineError`].
pub fn replay(start: &Diagram, role: Role, line: &[MoveText]) -> Result<Vec<Move>, MateLineError> {
    let (moves, end) = replay_moves(start, role, line)?;
    let attacker = role.attacker(start.pieces().side_to_move());
    if end.side_to_move() != attacker && end.is_mated() {
        Ok(moves)
    } else {
        Err(MateLineError::NotMate)
    }
}

/// [`replay`] without the check for mate at the end: returns the moves and the last position.
///
/// # Errors
/// The first [`MateLineError`], but never [`MateLineError::NotMate`].
pub fn replay_moves(
    start: &Diagram,
    role: Role,
    line: &[MoveText],
) -> Result<(Vec<Move>, Position), MateLineError> {
    let attacker = role.attacker(start.pieces().side_to_move());
    let mut position = start.pieces().clone();
    let mut moves = Vec::with_capacity(line.len());
    for (i, &text) in line.iter().enumerate() {
        let ply = i + 1;
        let played = if i == 0 {
            start.play(text)
        } else {
            position.move_from_text(text).map(|m| {
                let mut after = position.clone();
                let _undo = after.do_move_unchecked(m);
                (m, after)
            })
        };
        let (m, after) = played.ok_or(MateLineError::Illegal { ply, text })?;
        if m.color() == attacker && !position.gives_check(m, &position.check_squares()) {
            return Err(MateLineError::NoCheck { ply, text });
        }
        position = after;
        moves.push(m);
    }
    Ok((moves, position))
}

/// The length of a line compared with the shortest mate against the best defence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LengthVerdict {
    /// The line has the proven length of the problem.
    Shortest,
    /// There is a shorter mate, of this many plies.
    TooLong(u32),
    /// The best defence lasts longer, this many plies.
    WeakDefence(u32),
    /// There is no mate at all: the line depends on bad defence.
    NoMate,
    /// The length could not be proven.
    Unknown {
        /// The reason; `None` when the solver was not asked to prove it.
        reason: Option<Reason>,
        /// There is a mate in at most this many plies, if one is known.
        bound: Option<u32>,
    },
}

/// Compares a line of `plies` moves with the answer of a solver.
pub fn judge_length(plies: u32, answer: &Answer) -> LengthVerdict {
    match *answer {
        Answer::Mate(ref mate) => match mate.length {
            Length::Exact(shortest) if shortest == plies => LengthVerdict::Shortest,
            Length::Exact(shortest) if shortest < plies => LengthVerdict::TooLong(shortest),
            Length::Exact(shortest) => LengthVerdict::WeakDefence(shortest),
            Length::UpperBound(bound) if bound < plies => LengthVerdict::TooLong(bound),
            Length::UpperBound(bound) => LengthVerdict::Unknown {
                reason: None,
                bound: Some(bound),
            },
        },
        Answer::NoMate => LengthVerdict::NoMate,
        Answer::Unknown(reason) => LengthVerdict::Unknown {
            reason: Some(reason),
            bound: None,
        },
    }
}
