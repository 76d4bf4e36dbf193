//! Packs into records, the conversion that is done most: no game is built in memory.

use shogi_core::Position;

use super::Smoothing;
use super::drive::Part;
use super::plies::FromPly;
use crate::pack::{Fault, Frame, GameFault, Ply, Replayer, frame};
use crate::{Damage, Score};

/// Converts the games of `bytes` to records of type `T`, which are appended to `part.output`.
pub(super) fn to_records<T: FromPly>(
    bytes: &[u8],
    replayer: &mut Replayer,
    smoothing: Option<&Smoothing>,
    part: &mut Part,
) -> Option<Damage> {
    let mut at = 0;
    let mut scores = Scores::default();
    while at < bytes.len() {
        let written = part.output.len();
        let rest = &bytes[at..];
        match convert_game::<T>(rest, replayer, smoothing, &mut scores, &mut part.output) {
            Ok(frame) => {
                part.games += 1;
                part.positions += frame.plies.len() as u64;
                let result = frame.result().ok();
                part.contradictions +=
                    u64::from(result.is_some_and(|result| !frame.reason.allows(result)));
                at += frame.len;
                part.good = at;
            }
            Err(error) => {
                part.output.truncate(written);
                let (game, offset) = (part.games + 1, at as u64);
                return Some(error.at(game, offset));
            }
        }
    }
    None
}

/// Why a game could not be converted.
enum GameError {
    Fault(Fault),
    Unsayable(String),
}

impl GameError {
    fn at(self, game: u64, offset: u64) -> Damage {
        match self {
            Self::Fault(fault) => Damage::Game(GameFault {
                game,
                offset,
                fault,
            }),
            Self::Unsayable(reason) => Damage::Unsayable { offset, reason },
        }
    }
}

/// Scores of a game, before and after smoothing.
#[derive(Default)]
struct Scores {
    raw: Vec<Score>,
    smoothed: Vec<Score>,
}

impl Scores {
    /// The smoothed scores of a game.
    fn smooth(&mut self, smoothing: &Smoothing, frame: &Frame<'_>) -> &[Score] {
        self.raw.clear();
        self.smoothed.clear();
        let score = |&[_, _, low, high]: &[u8; 4]| Score(i16::from_le_bytes([low, high]));
        self.raw.extend(frame.plies.iter().map(score));
        smoothing.apply(&self.raw, &mut self.smoothed);
        &self.smoothed
    }
}

fn convert_game<'a, T: FromPly>(
    bytes: &'a [u8],
    replayer: &mut Replayer,
    smoothing: Option<&Smoothing>,
    scores: &mut Scores,
    output: &mut Vec<u8>,
) -> Result<Frame<'a>, GameError> {
    let frame =
        frame(bytes).map_err(|fault| GameError::Fault(replayer.first_fault(bytes, fault)))?;
    let mut unsayable = None;
    let mut emit = |position: &Position, ply: Ply, result| match T::from_ply(
        position,
        position.ply(),
        ply,
        result,
    ) {
        Ok(record) => record.write_to(output),
        Err(reason) => {
            unsayable.get_or_insert(reason);
        }
    };
    let replayed = match smoothing {
        None => replayer.replay(&frame, emit),
        Some(smoothing) => {
            let mut scores = scores.smooth(smoothing, &frame).iter();
            replayer.replay(&frame, |position, mut ply, result| {
                ply.score = *scores.next().expect("one score a ply");
                emit(position, ply, result);
            })
        }
    };
    replayed.map_err(GameError::Fault)?;
    match unsayable {
        None => Ok(frame),
        Some(reason) => Err(GameError::Unsayable(reason)),
    }
}
