//! Counting a batch.

use std::path::Path;

use shogi_core::{Move, Position};
use shogi_packed::Hcp;

use super::{Stats, StatsOptions};
use crate::games::walk;
use crate::pack::PackStart;
use crate::record::{InvalidRecord, TeacherRecord, TeacherRecordProblem, records};
use crate::stream::Batch;
use crate::{
    Hcpe3Game, InvalidData, Result, Sample, TeacherError, TeacherFormat, TeacherResult,
    TeacherScore, hcpe3, pack,
};

/// Refuses what cannot be counted.
pub(super) fn accept(format: TeacherFormat, options: StatsOptions) -> Result<()> {
    match format {
        TeacherFormat::Pack | TeacherFormat::Hcpe3 if options.skip_bad => {
            Err(TeacherError::Option(format!(
                "only records can be skipped, not games of {format} files; repair them first"
            )))
        }
        TeacherFormat::Hcpe | TeacherFormat::Psv | TeacherFormat::Pack | TeacherFormat::Hcpe3 => {
            Ok(())
        }
        other => Err(TeacherError::Option(format!(
            "{other} cannot be counted; convert it first"
        ))),
    }
}

/// Counts the contents of a batch, and returns the first damage that may not be left out.
pub(super) fn batch(
    batch: &Batch,
    format: TeacherFormat,
    options: StatsOptions,
    path: &Path,
) -> (Box<Stats>, Option<InvalidData>) {
    let mut stats = Box::new(Stats::new(format));
    let invalid = match format {
        TeacherFormat::Psv => read_records(batch, Sample::from_psv, options, path, &mut stats),
        TeacherFormat::Hcpe => read_records(batch, Sample::from_hcpe, options, path, &mut stats),
        TeacherFormat::Hcpe3 => read_hcpe3(&batch.bytes, &mut stats),
        _ => read_pack(&batch.bytes, &mut stats),
    };
    (stats, invalid)
}

impl Stats {
    /// Counts a position, the move played there, its score and the result of its game.
    #[inline]
    pub(super) fn add(
        &mut self,
        position: &Position,
        mv: Option<Move>,
        score: TeacherScore,
        result: TeacherResult,
        ply: Option<u32>,
    ) {
        let outcome = self.positions.add(position, mv, result, ply);
        self.scores.add(score, outcome);
        self.distinct.add(position.key128());
    }
}

fn read_records<T: TeacherRecord>(
    batch: &Batch,
    sample: impl Fn(&T) -> std::result::Result<Sample, TeacherRecordProblem>,
    options: StatsOptions,
    path: &Path,
    stats: &mut Stats,
) -> Option<InvalidData> {
    for (index, record) in records::<T>(&batch.bytes).enumerate() {
        let sample = record.and_then(|record| {
            sample(&record).map_err(|problem| InvalidRecord::of::<T>(index, problem))
        });
        match sample {
            Ok(Sample {
                position,
                mv,
                score,
                result,
                ply,
            }) => stats.add(&position, mv, score, result, ply),
            Err(problem) if options.skip_bad => {
                let invalid = InvalidData::from(problem).moved(batch.offset, batch.before);
                stats.skipped.add(path, invalid);
            }
            Err(problem) => return Some(InvalidData::from(problem)),
        }
    }
    None
}

// Counting games.

/// Counts the games of a pack file up to the first damage.
pub(super) fn read_pack(bytes: &[u8], stats: &mut Stats) -> Option<InvalidData> {
    let initial = initial();
    let replayer = &mut pack::PackReplayer::default();
    walk::<pack::Game>(bytes, replayer, |replayer, frame, _| {
        Ok(pack_game(frame, initial, replayer, stats)?)
    })
}

/// The initial position, which is packed in one way only: its hands and box are empty.
fn initial() -> Option<Hcp> {
    Hcp::encode(&Position::startpos()).ok()
}

/// Counts a game.
fn pack_game(
    frame: &pack::PackFrame<'_>,
    initial: Option<Hcp>,
    replayer: &mut pack::PackReplayer,
    stats: &mut Stats,
) -> Result<(), pack::PackProblem> {
    let mut start = None;
    let result = replayer.replay(frame, |position, ply, result| {
        start.get_or_insert_with(|| position.key128());
        stats.add(
            position,
            Some(ply.mv),
            ply.score,
            result,
            Some(position.ply()),
        );
    })?;
    let (is_initial, ply) = match frame.start {
        PackStart::Initial => (true, 1),
        PackStart::Hcp { hcp, ply } => (Some(hcp) == initial, ply),
    };
    // Without plies the replayer is still where it started.
    let start = start.unwrap_or_else(|| replayer.position().key128());
    stats.add_game(result, frame.reason.0, frame.plies.len(), start, is_initial);
    stats.games.start_plies.add(ply.into());
    stats.games.contradictions += u64::from(!frame.reason.allows(result));
    Ok(())
}

/// Counts the games of an hcpe3 file up to the first damage.
pub(super) fn read_hcpe3(bytes: &[u8], stats: &mut Stats) -> Option<InvalidData> {
    let initial = initial();
    let replayer = &mut hcpe3::Hcpe3Replayer::default();
    walk::<Hcpe3Game>(bytes, replayer, |replayer, frame, _| {
        Ok(hcpe3_game(frame, initial, replayer, stats)?)
    })
}

/// Counts a game.
fn hcpe3_game(
    frame: &hcpe3::Hcpe3Frame<'_>,
    initial: Option<Hcp>,
    replayer: &mut hcpe3::Hcpe3Replayer,
    stats: &mut Stats,
) -> Result<(), hcpe3::Hcpe3Problem> {
    let mut start = None;
    let ending = replayer.replay(frame, |position, ply, _, result| {
        start.get_or_insert_with(|| position.key128());
        // The format has no ply numbers.
        stats.add(position, Some(ply.mv), ply.score, result, None);
    })?;
    let is_initial = Some(frame.start) == initial;
    // Without plies the replayer is still where it started.
    let start = start.unwrap_or_else(|| replayer.position().key128());
    let plies = frame.ply_count.into();
    stats.add_game(ending.result, ending.flags.bits(), plies, start, is_initial);
    Ok(())
}

impl Stats {
    /// Counts a game, but for its positions.
    fn add_game(
        &mut self,
        result: TeacherResult,
        reason: u8,
        plies: usize,
        start: u128,
        from_initial: bool,
    ) {
        let games = &mut self.games;
        games.results.add(result);
        games.reasons.entry(reason).or_default().add(result);
        games.lengths.add(plies as u32);
        games.starts.add(start);
        games.from_initial += u64::from(from_initial);
    }
}
