//! Positions that follow one another.

use std::collections::VecDeque;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use shogi_core::{Game, Move};
use yane_io::OrderedParallelMap;

use crate::games::{FileGame, InvalidGame, read};
use crate::pack::Ply;
use crate::record::{InvalidRecord, TeacherRecord as _};
use crate::units::{UnitBatch, each};
use crate::{
    Hcpe, Hcpe3Game, InvalidData, Psv, Sample, TeacherError, TeacherFormat, TeacherScore, hcpe3,
    pack,
};

/// Some positions that follow one another, at most [`Self::MOST`]: records, or plies of one game.
#[derive(Clone, Debug)]
pub struct PositionRun {
    first: u64,
    format: TeacherFormat,
    /// The records, or the game.
    bytes: Arc<[u8]>,
    /// The plies of the game, or all records.
    range: Range<usize>,
    place: RunPlace,
}

/// Where the bytes of a run are from, for errors.
#[derive(Clone, Debug)]
struct RunPlace {
    path: PathBuf,
    offset: u64,
    before: u64,
}

impl PositionRun {
    /// Most positions of a run.
    pub const MOST: usize = 16;

    /// The number of the first position, from 0.
    pub const fn first(&self) -> u64 {
        self.first
    }

    /// The number of positions, at least 1.
    #[expect(clippy::len_without_is_empty, reason = "a run is never empty")]
    pub const fn len(&self) -> usize {
        self.range.end - self.range.start
    }

    /// Calls `visit` with each position, its score and its move. The game ends with the position; it has the moves before
    /// it where the format has games.
    ///
    /// # Errors
    /// The first error of `visit`; [`TeacherError::Invalid`] for bytes that are damaged, which a survey would have found.
    pub fn visit<E: From<TeacherError>>(
        &self,
        mut visit: impl FnMut(&Game, TeacherScore, Option<Move>) -> Result<(), E>,
    ) -> Result<(), E> {
        match self.format {
            TeacherFormat::Pack => {
                let game = self.game::<pack::Game>()?;
                self.visit_game(game.start(), game.plies(), visit)
            }
            TeacherFormat::Hcpe3 => {
                let game = self.game::<Hcpe3Game>()?;
                self.visit_game(game.start(), game.plies(), visit)
            }
            _ => {
                for index in self.range.clone() {
                    let sample = self.sample(index)?;
                    visit(&Game::new(sample.position), sample.score, sample.mv)?;
                }
                Ok(())
            }
        }
    }

    fn visit_game<E>(
        &self,
        start: &shogi_core::Position,
        plies: &[Ply],
        mut visit: impl FnMut(&Game, TeacherScore, Option<Move>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut game = Game::new(start.clone());
        let last = self.range.end.min(plies.len());
        for (number, ply) in plies[..last].iter().enumerate() {
            if number >= self.range.start {
                visit(&game, ply.score, Some(ply.mv))?;
            }
            game.play_unchecked(ply.mv);
        }
        Ok(())
    }

    /// The game.
    fn game<G: FileGame>(&self) -> Result<G, TeacherError> {
        let game = read::<G>(&self.bytes, &mut G::Replayer::default());
        game.map(|(game, _)| game).map_err(|problem| {
            self.damaged(InvalidData::from(InvalidGame {
                game: 1,
                offset: 0,
                problem,
            }))
        })
    }

    /// The record with this index.
    fn sample(&self, index: usize) -> Result<Sample, TeacherError> {
        let sample = match self.format {
            TeacherFormat::Psv => Psv::from_bytes(&self.bytes[index * Psv::LEN..])
                .and_then(|psv| Sample::from_psv(&psv))
                .map_err(|problem| InvalidRecord::of::<Psv>(index, problem)),
            _ => Hcpe::from_bytes(&self.bytes[index * Hcpe::LEN..])
                .and_then(|hcpe| Sample::from_hcpe(&hcpe))
                .map_err(|problem| InvalidRecord::of::<Hcpe>(index, problem)),
        };
        sample.map_err(|invalid| self.damaged(invalid.into()))
    }

    fn damaged(&self, invalid: InvalidData) -> TeacherError {
        let RunPlace {
            path,
            offset,
            before,
        } = &self.place;
        TeacherError::invalid(path, invalid.moved(*offset, *before))
    }
}

/// The runs of files, in order.
pub struct PositionRuns {
    batches: OrderedParallelMap<UnitBatch, TeacherError>,
    format: TeacherFormat,
    /// The first position that is wanted.
    from: u64,
    /// The number of the next position.
    next: u64,
    ready: VecDeque<PositionRun>,
}

impl PositionRuns {
    pub(super) const fn new(
        batches: OrderedParallelMap<UnitBatch, TeacherError>,
        format: TeacherFormat,
        from: u64,
    ) -> Self {
        Self {
            batches,
            format,
            from,
            next: 0,
            ready: VecDeque::new(),
        }
    }

    /// Cuts a batch into runs.
    fn cut(&mut self, batch: UnitBatch) {
        let mut place = RunPlace {
            path: batch.input.path().to_owned(),
            offset: batch.offset,
            before: batch.before,
        };
        if let Some(len) = self.format.record_len() {
            for records in batch.bytes.chunks(PositionRun::MOST * len) {
                let count = records.len() / len;
                self.push(records, count, &place);
                place.offset += records.len() as u64;
                place.before += count as u64;
            }
        } else {
            for game in each(self.format, &batch.bytes) {
                self.push(game, plies(self.format, game), &place);
                place.offset += game.len() as u64;
                place.before += 1;
            }
        }
        batch.recycle();
    }

    /// Adds the runs of `count` positions that `bytes` hold.
    fn push(&mut self, bytes: &[u8], count: usize, place: &RunPlace) {
        let end = self.next + count as u64;
        if end <= self.from {
            self.next = end;
            return;
        }
        let bytes: Arc<[u8]> = bytes.into();
        for start in (0..count).step_by(PositionRun::MOST) {
            let range = start..count.min(start + PositionRun::MOST);
            let first = self.next;
            self.next += range.len() as u64;
            if first >= self.from {
                self.ready.push_back(PositionRun {
                    first,
                    format: self.format,
                    bytes: Arc::clone(&bytes),
                    range,
                    place: place.clone(),
                });
            }
        }
    }
}

/// The plies of a whole game.
fn plies(format: TeacherFormat, game: &[u8]) -> usize {
    match format {
        TeacherFormat::Pack => pack::frame(game).map_or(0, |frame| frame.plies.len()),
        _ => hcpe3::frame(game).map_or(0, |frame| frame.ply_count.into()),
    }
}

impl Iterator for PositionRuns {
    type Item = Result<PositionRun, TeacherError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(run) = self.ready.pop_front() {
                return Some(Ok(run));
            }
            match self.batches.next()? {
                Ok(batch) => self.cut(batch),
                Err(error) => return Some(Err(error)),
            }
        }
    }
}
