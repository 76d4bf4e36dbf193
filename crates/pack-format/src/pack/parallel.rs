//! All games of bytes in memory, on all cores.

use rayon::prelude::*;

use super::{Contradictions, Game, InvalidPackGame, PackFrame, PackReplayer, frame};

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
