//! Finding good games again after damage, where that can be proved.
//!
//! Nothing marks the beginning of a game. Bytes are taken for one only when
//!
//! * they start from an hcp that is exactly as a writer would spell it, or from the initial position
//!   right behind the end (result and a reason that goes with it) of a game, and
//! * they and the games that follow them without a gap are flawless, with so many legal moves and
//!   start positions that random bytes would pass with a probability below 2⁻⁸⁰, or there are no
//!   bytes behind them and that probability is below 2⁻⁴⁰.
//!
//! A move counts as 6 bits (no position has more than 593 legal moves, of 65,536 numbers), an end as
//! 14 (three results of 65,536), a start position as 40 (most of its 256 bits are determined by the
//! others: 40 pieces, two kings, nothing left over).

use rayon::prelude::*;
use shogi_packed::Hcp;

use super::{
    Contradictions, END_LEN, Game, InvalidPackGame, PackFrame, PackReplayer, PackStart, START_HCP,
    START_INITIAL, frame,
};
use crate::{EndReason, TeacherResult};

/// Bits of evidence that are enough in the middle of a file.
const ENOUGH: u32 = 80;
/// Bits of evidence that are enough when everything up to the end of the file is flawless.
const ENOUGH_AT_END: u32 = 40;
const MOVE_BITS: u32 = 6;
const HCP_BITS: u32 = 40;
const END_BITS: u32 = 14;

/// Place at which good games resume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resynced {
    /// Offset of the first good game behind the damage.
    pub at: usize,
    /// Bits of evidence that were found for it.
    pub evidence: u32,
}

/// The first place behind `damaged` (the offset of a game with a problem) where provably good games
/// begin. `bytes` are the whole file.
pub fn resync(bytes: &[u8], damaged: usize, replayer: &mut PackReplayer) -> Option<Resynced> {
    (damaged + 1..bytes.len()).find_map(|at| {
        let evidence = evidence(bytes, at, replayer)?;
        Some(Resynced { at, evidence })
    })
}

/// Evidence that games begin at `at`; `None` when it is not enough.
fn evidence(bytes: &[u8], at: usize, replayer: &mut PackReplayer) -> Option<u32> {
    let kind = bytes[at];
    if kind != START_HCP && !(kind == START_INITIAL && follows_an_end(bytes, at)) {
        return None;
    }
    let (mut found, mut next) = (0, at);
    if kind == START_INITIAL {
        found += END_BITS;
    }
    while found < ENOUGH {
        if next == bytes.len() {
            return (found >= ENOUGH_AT_END).then_some(found);
        }
        let game = frame(&bytes[next..]).ok()?;
        found += game_evidence(&game, replayer)?;
        next += game.len;
    }
    Some(found)
}

/// Returns true if the bytes before `at` can be the end of a game.
fn follows_an_end(bytes: &[u8], at: usize) -> bool {
    let Some(&[low, high, reason]) = bytes[..at].last_chunk::<END_LEN>() else {
        return false;
    };
    let bits = u16::from_le_bytes([low, high]);
    TeacherResult::ALL
        .into_iter()
        .any(|result| super::terminator(result) == bits && EndReason(reason).allows(result))
}

fn game_evidence(game: &PackFrame<'_>, replayer: &mut PackReplayer) -> Option<u32> {
    let start = match game.start {
        PackStart::Initial => 8,
        PackStart::Hcp { hcp, .. } => {
            // A position spelled otherwise than by writers is not evidence.
            let position = hcp.decode().ok()?;
            (Hcp::encode(&position) == Ok(hcp)).then_some(HCP_BITS)?
        }
    };
    replayer.replay(game, |_, _, _| ()).ok()?;
    Some(start + END_BITS + MOVE_BITS * (game.plies.len() as u32).min(1000))
}

// All games of bytes in memory, on all cores.

/// The games of `bytes`, decoded by the threads of the current rayon pool: where games begin is found
/// first, by a scan that costs about as much as copying the bytes.
///
/// This holds all games in memory, about ten times the bytes; [`crate::stream::process`] does not.
///
/// # Errors
/// The first problem, with all games before it.
pub fn decode(
    bytes: &[u8],
    contradictions: Contradictions,
) -> Result<Vec<Game>, (Vec<Game>, InvalidPackGame)> {
    let (frames, offsets, len) = scan(bytes);
    let mut decoded: Vec<_> = frames
        .par_iter()
        .map_init(
            || PackReplayer::new(contradictions),
            |replayer, frame| Game::from_frame(frame, replayer),
        )
        .collect();
    let bad = decoded.iter().position(Result::is_err);
    let problem = if let Some(bad) = bad {
        decoded.drain(bad..).next().and_then(Result::err)
    } else {
        let rest = &bytes[len..];
        let problem = frame(rest).err().filter(|_| !rest.is_empty());
        problem.map(|problem| PackReplayer::new(contradictions).first_problem(rest, problem))
    };
    let games: Vec<_> = decoded.into_iter().flatten().collect();
    let Some(problem) = problem else {
        return Ok(games);
    };
    let problem = InvalidPackGame {
        game: games.len() as u64 + 1,
        offset: offsets.get(games.len()).copied().unwrap_or(len) as u64,
        problem,
    };
    Err((games, problem))
}

/// The frames of `bytes`, where each begins, and the bytes they take together.
fn scan(bytes: &[u8]) -> (Vec<PackFrame<'_>>, Vec<usize>, usize) {
    let (mut frames, mut offsets, mut len) = (Vec::new(), Vec::new(), 0);
    while let Ok(frame) = frame(&bytes[len..]) {
        offsets.push(len);
        len += frame.len;
        frames.push(frame);
    }
    (frames, offsets, len)
}
