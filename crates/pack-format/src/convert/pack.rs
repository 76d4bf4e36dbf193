//! Packs into records, the conversion that is done most: no game is built in memory.

use shogi_core::Position;

use super::Smoothing;
use super::drive::Part;
use super::plies::FromPly;
use crate::games::{Refused, walk};
use crate::pack::{Game, PackFrame, PackProblem, PackReplayer, Ply};
use crate::{InvalidData, TeacherResult, TeacherScore};

/// Converts the games of `bytes` to records of type `T`, which are appended to `part.output`.
pub(super) fn to_records<T: FromPly>(
    bytes: &[u8],
    replayer: &mut PackReplayer,
    smoothing: Option<&Smoothing>,
    part: &mut Part,
) -> Option<InvalidData> {
    let mut scores = Scores::default();
    walk::<Game>(bytes, replayer, |replayer, frame, at| {
        let written = part.output.len();
        let output = &mut part.output;
        let result = convert_game::<T>(frame, replayer, smoothing, &mut scores, output)
            .inspect_err(|_| part.output.truncate(written))?;
        part.games += 1;
        part.positions += frame.plies.len() as u64;
        part.contradictions += u64::from(!frame.reason.allows(result));
        part.good = at + frame.len;
        Ok(())
    })
}

/// Scores of a game, before and after smoothing.
#[derive(Default)]
struct Scores {
    raw: Vec<TeacherScore>,
    smoothed: Vec<TeacherScore>,
}

impl Scores {
    /// The smoothed scores of a game.
    fn smooth(&mut self, smoothing: &Smoothing, frame: &PackFrame<'_>) -> &[TeacherScore] {
        self.raw.clear();
        self.smoothed.clear();
        let score = |&[_, _, low, high]: &[u8; 4]| TeacherScore(i16::from_le_bytes([low, high]));
        self.raw.extend(frame.plies.iter().map(score));
        smoothing.apply(&self.raw, &mut self.smoothed);
        &self.smoothed
    }
}

fn convert_game<T: FromPly>(
    frame: &PackFrame<'_>,
    replayer: &mut PackReplayer,
    smoothing: Option<&Smoothing>,
    scores: &mut Scores,
    output: &mut Vec<u8>,
) -> Result<TeacherResult, Refused<PackProblem>> {
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
    let result = match smoothing {
        None => replayer.replay(frame, emit)?,
        Some(smoothing) => {
            let mut scores = scores.smooth(smoothing, frame).iter();
            replayer.replay(frame, |position, mut ply, result| {
                ply.score = *scores.next().expect("one score a ply");
                emit(position, ply, result);
            })?
        }
    };
    unsayable.map_or(Ok(result), |reason| Err(Refused::Unrepresentable(reason)))
}
