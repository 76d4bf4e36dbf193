//! Packs into records, the conversion that is done most: no game is built in memory.

use shogi_core::{AperyMove16, Move16, Position};
use shogi_packed::{Hcp, PackedSfen};

use super::drive::Part;
use super::unrepresentable::Unrepresentable;
use crate::convert::options::Smoothing;
use crate::games::{GameRefusal, walk};
use crate::pack::{Game, PackFrame, PackProblem, PackReplayer, Ply};
use crate::record::TeacherRecord;
use crate::{Hcpe, InvalidData, Psv, Result, TeacherResult, TeacherScore};

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
) -> Result<TeacherResult, GameRefusal<PackProblem>> {
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
    unsayable.map_or(Ok(result), |reason| {
        Err(GameRefusal::unrepresentable(reason))
    })
}

// Records made of the plies of games.

/// A record that can be made of a ply of a game.
pub(super) trait FromPly: TeacherRecord {
    /// The record, or what it cannot say. `number` is the ply number.
    fn from_ply(
        position: &Position,
        number: u32,
        ply: Ply,
        result: TeacherResult,
    ) -> Result<Self, Unrepresentable>;
}

impl FromPly for Hcpe {
    #[inline]
    fn from_ply(
        position: &Position,
        _: u32,
        ply: Ply,
        result: TeacherResult,
    ) -> Result<Self, Unrepresentable> {
        Ok(Self {
            position: Hcp::encode(position)?,
            score: ply.score,
            mv: AperyMove16::from(ply.mv),
            result,
        })
    }
}

impl FromPly for Psv {
    #[inline]
    fn from_ply(
        position: &Position,
        number: u32,
        ply: Ply,
        result: TeacherResult,
    ) -> Result<Self, Unrepresentable> {
        Ok(Self {
            position: PackedSfen::encode(position)?,
            score: ply.score,
            mv: Move16::from(ply.mv),
            ply: u16::try_from(number).map_err(|_| Unrepresentable::Ply(number))?,
            outcome: result.seen_by(position.side_to_move()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn smooth(plies: u32, discount: f64, scores: &[i16]) -> Vec<i16> {
        let scores: Vec<_> = scores.iter().copied().map(TeacherScore).collect();
        let mut smoothed = Vec::new();
        let smoothing = Smoothing::new(plies, discount).unwrap();
        smoothing.apply(&scores, &mut smoothed);
        smoothed.into_iter().map(|score| score.0).collect()
    }

    #[test]
    fn means_are_from_the_movers_side_and_cut_towards_zero() {
        assert_eq!(smooth(1, 0.9, &[5, -7]), [5, -7]);
        assert_eq!(smooth(2, 1.0, &[100, -200, 301]), [150, -250, 301]);
        assert_eq!(smooth(3, 0.5, &[-10, 0, -3]), [-6, 1, -3]);
        assert_eq!(smooth(2, 1.0, &[-32768, 32767]), [-32767, 32767]);
        assert_eq!(smooth(8, 0.5, &[]), [0i16; 0]);
    }

    #[test]
    fn senseless_settings_are_errors() {
        for (plies, discount) in [(0, 1.0), (1001, 1.0), (2, 0.0), (2, -1.0), (2, f64::NAN)] {
            assert!(
                Smoothing::new(plies, discount).is_err(),
                "{plies} {discount}"
            );
        }
    }
}
