//! Counting a batch.

use std::path::Path;

use shogi_core::{Move, Position};

use super::{Stats, StatsOptions, games};
use crate::record::{FaultyRecord, Record, RecordFault, records};
use crate::stream::Batch;
use crate::{Damage, Format, GameResult, Hcpe, Psv, Result, Score, TeacherError};

/// Refuses what cannot be counted.
pub(super) fn accept(format: Format, options: StatsOptions) -> Result<()> {
    match format {
        Format::Pack | Format::Hcpe3 if options.skip_bad => Err(TeacherError::Option(format!(
            "only records can be skipped, not games of {format} files; repair them first"
        ))),
        Format::Hcpe | Format::Psv | Format::Pack | Format::Hcpe3 => Ok(()),
        other => Err(TeacherError::Option(format!(
            "{other} cannot be counted; convert it first"
        ))),
    }
}

/// What is in a batch, and the first damage that may not be left out.
pub(super) fn batch(
    batch: &Batch,
    format: Format,
    options: StatsOptions,
    path: &Path,
) -> (Box<Stats>, Option<Damage>) {
    let mut stats = Box::new(Stats::new(format));
    let damage = match format {
        Format::Psv => read_records::<Psv>(batch, options, path, &mut stats),
        Format::Hcpe => read_records::<Hcpe>(batch, options, path, &mut stats),
        Format::Hcpe3 => games::read_hcpe3(&batch.bytes, &mut stats).map(Damage::Hcpe3),
        _ => games::read_pack(&batch.bytes, &mut stats).map(Damage::Game),
    };
    (stats, damage)
}

impl Stats {
    /// Counts a position, the move played there, its score and the result of its game.
    #[inline]
    pub(super) fn add(
        &mut self,
        position: &Position,
        mv: Move,
        score: Score,
        result: GameResult,
        ply: Option<u32>,
    ) {
        let outcome = self.positions.add(position, mv, result, ply);
        self.scores.add(score, outcome);
        self.distinct.add(position.key128());
    }
}

/// A record that can be counted.
trait Counted: Record {
    /// The result of its game, where `position` is its position.
    fn result(&self, position: &Position) -> GameResult;
    fn score(&self) -> Score;
    fn ply(&self) -> Option<u32>;
}

impl Counted for Hcpe {
    fn result(&self, _: &Position) -> GameResult {
        self.result
    }

    fn score(&self) -> Score {
        self.score
    }

    fn ply(&self) -> Option<u32> {
        None
    }
}

impl Counted for Psv {
    fn result(&self, position: &Position) -> GameResult {
        self.outcome.of(position.side_to_move())
    }

    fn score(&self) -> Score {
        self.score
    }

    fn ply(&self) -> Option<u32> {
        (self.ply > 0).then(|| self.ply.into())
    }
}

fn read_records<T: Counted>(
    batch: &Batch,
    options: StatsOptions,
    path: &Path,
    stats: &mut Stats,
) -> Option<Damage> {
    for (index, record) in records::<T>(&batch.bytes).enumerate() {
        let opened = record.and_then(|record| {
            let (position, mv) = record.open().map_err(|fault| place::<T>(index, fault))?;
            Ok((record, position, mv))
        });
        match opened {
            Ok((record, position, mv)) => {
                let result = record.result(&position);
                stats.add(&position, mv, record.score(), result, record.ply());
            }
            Err(fault) if options.skip_bad => {
                let damage = Damage::Record(fault).moved(batch.offset, batch.before);
                stats.skipped.add(path, damage);
            }
            Err(fault) => return Some(Damage::Record(fault)),
        }
    }
    None
}

fn place<T: Record>(index: usize, fault: RecordFault) -> FaultyRecord {
    FaultyRecord {
        record: index as u64 + 1,
        offset: (index * T::LEN) as u64,
        fault,
    }
}
