//! New scores for the positions of whole files, from whoever gives them.
//!
//! [`RescoreFiles::survey`] checks everything and says how many positions there are, [`RescoreFiles::runs`] gives them in
//! [`PositionRun`]s, and [`RescoreFiles::write`] makes the new file. A new score takes the place of the old one in the
//! bytes, so everything else stays as it is, byte by byte.

mod run;
mod write;

use std::path::Path;

use sha2::{Digest, Sha256};
use shogi_core::{AperyMove16, Move, Move16};
use yane_io::{Job, Unit, hexadecimal};

use crate::games::walk;
use crate::record::{InvalidRecord, TeacherRecordProblem};
use crate::record_problems::problem_of;
use crate::stream::Input;
use crate::units::{Source, UnitBatch, UnitReader, total};
use crate::{
    Hcpe, Hcpe3Game, InvalidData, Psv, Result, TeacherError, TeacherFormat, TeacherScore, hcpe3,
    kind, pack,
};

pub use run::{PositionRun, PositionRuns};

/// Files of one format whose positions get new scores: positions have numbers from 0 on, in the order of the files.
#[derive(Debug)]
pub struct RescoreFiles {
    inputs: Vec<Input>,
    sources: Vec<Source>,
    format: TeacherFormat,
}

/// What is in files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RescoreSurvey {
    /// Games; 0 in formats without.
    pub games: u64,
    /// Positions.
    pub positions: u64,
    /// Bytes.
    pub bytes: u64,
    /// SHA-256 of all bytes, as hexadecimal digits.
    pub digest: String,
}

/// The new score of a position, and its new move if that changes too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewScore {
    score: TeacherScore,
    /// The bits of the move in a record; 0: the old one stays.
    code: u16,
}

impl NewScore {
    /// Bytes of [`Self::to_bytes`].
    pub const LEN: usize = 4;

    /// A score for a file of this format. The move takes the place of the one in a record of hcpe or psv; moves of games
    /// stay.
    pub fn new(format: TeacherFormat, score: TeacherScore, mv: Option<Move>) -> Self {
        let code = match (format, mv) {
            (TeacherFormat::Psv, Some(mv)) => Move16::from(mv).0,
            (TeacherFormat::Hcpe, Some(mv)) => AperyMove16::from(mv).0,
            _ => 0,
        };
        Self { score, code }
    }

    /// The score.
    pub const fn score(self) -> TeacherScore {
        self.score
    }

    /// Size of the difference to an old score, in centipawns.
    pub const fn change(self, old: TeacherScore) -> u16 {
        self.score.0.abs_diff(old.0)
    }

    /// Returns true if the move of a record, made for `format`, becomes another one than `old`.
    pub fn changes_move(self, format: TeacherFormat, old: Option<Move>) -> bool {
        self.code != 0 && self.code != Self::new(format, self.score, old).code
    }

    /// The same as bytes.
    pub const fn to_bytes(self) -> [u8; Self::LEN] {
        let [a, b] = self.score.0.to_le_bytes();
        let [c, d] = self.code.to_le_bytes();
        [a, b, c, d]
    }

    /// [`Self::to_bytes`] turned back.
    pub const fn from_bytes([a, b, c, d]: [u8; Self::LEN]) -> Self {
        Self {
            score: TeacherScore(i16::from_le_bytes([a, b])),
            code: u16::from_le_bytes([c, d]),
        }
    }
}

impl RescoreFiles {
    /// Opens `inputs`. What can be read only once is copied to a temporary file in `folder`.
    ///
    /// # Errors
    /// When there is no input, one cannot be copied, or the format is text, whose scores are not changed.
    pub fn open(inputs: &[Input], format: TeacherFormat, folder: &Path, job: &Job) -> Result<Self> {
        if inputs.is_empty() {
            return Err(TeacherError::Option("no input file".to_owned()));
        }
        if matches!(format, TeacherFormat::Jsonl | TeacherFormat::Csv) {
            let reason = format!("positions of {format} get no new scores; convert it first");
            return Err(TeacherError::Option(reason));
        }
        Ok(Self {
            inputs: inputs.to_vec(),
            sources: Source::again(inputs, folder, job)?,
            format,
        })
    }

    /// The format.
    pub const fn format(&self) -> TeacherFormat {
        self.format
    }

    /// Reads and checks everything.
    ///
    /// # Errors
    /// [`TeacherError::Invalid`] at the first damage; [`TeacherError::File`].
    pub fn survey(&self, job: &Job) -> Result<RescoreSurvey> {
        self.begin("checking", job);
        let format = self.format;
        let checked = move |batch: UnitBatch| {
            let counts = check_batch(format, &batch)?;
            Ok((counts, batch))
        };
        let mut survey = RescoreSurvey {
            games: 0,
            positions: 0,
            bytes: 0,
            digest: String::new(),
        };
        let mut hasher = Sha256::new();
        for done in self.reader(job)?.with_rest().process(job.threads, checked) {
            let (counts, batch) = done?;
            survey.games += counts.games;
            survey.positions += counts.positions;
            survey.bytes += batch.bytes.len() as u64;
            hasher.update(&batch.bytes);
            batch.recycle();
        }
        if survey.bytes == 0 {
            return Err(kind::nothing(&self.inputs, format));
        }
        survey.digest = hexadecimal(hasher.finalize());
        Ok(survey)
    }

    /// The positions from number `from` on, the first of which begins a run.
    ///
    /// # Errors
    /// When a file cannot be opened. Errors in reading come in their place.
    pub fn runs(&self, from: u64, job: &Job) -> Result<PositionRuns> {
        let reader = self.reader(job)?;
        Ok(PositionRuns::new(reader.batches(), self.format, from))
    }

    /// The files from their beginning.
    fn reader(&self, job: &Job) -> Result<UnitReader> {
        let sources = Source::reopened(&self.sources)?;
        Ok(UnitReader::new(sources, self.format, job))
    }

    /// Begins a stage of reading everything.
    fn begin(&self, what: &str, job: &Job) {
        let stage = match &self.inputs[..] {
            [one] => format!("{what} {one}"),
            several => format!("{what} {} files", several.len()),
        };
        job.progress
            .stage(&stage, total(&self.sources), Unit::Bytes);
    }
}

/// Games and positions.
#[derive(Clone, Copy, Default)]
struct Counts {
    games: u64,
    positions: u64,
}

/// Checks everything in a batch.
fn check_batch(format: TeacherFormat, batch: &UnitBatch) -> Result<Counts> {
    let mut counts = Counts::default();
    let bytes = &batch.bytes;
    let invalid = match format {
        TeacherFormat::Pack => {
            let replayer = &mut pack::PackReplayer::default();
            walk::<pack::Game>(bytes, replayer, |replayer, frame, _| {
                replayer.replay(frame, |_, _, _| ())?;
                counts.games += 1;
                counts.positions += frame.plies.len() as u64;
                Ok(())
            })
        }
        TeacherFormat::Hcpe3 => {
            let replayer = &mut hcpe3::Hcpe3Replayer::default();
            walk::<Hcpe3Game>(bytes, replayer, |replayer, frame, _| {
                replayer.replay(frame, |_, _, _, _| ())?;
                counts.games += 1;
                counts.positions += u64::from(frame.ply_count);
                Ok(())
            })
        }
        _ => {
            counts.positions = batch.units;
            let needed = format.record_len().unwrap_or(1);
            let records = bytes.chunks(needed).enumerate();
            let mut problems = records.filter_map(|(index, record)| {
                let left = record.len();
                let problem = if left < needed {
                    TeacherRecordProblem::Truncated { needed, left }
                } else {
                    problem_of(format, record)?
                };
                Some(InvalidData::from(match format {
                    TeacherFormat::Psv => InvalidRecord::of::<Psv>(index, problem),
                    _ => InvalidRecord::of::<Hcpe>(index, problem),
                }))
            });
            problems.next()
        }
    };
    invalid.map_or(Ok(counts), |invalid| Err(batch.damaged(invalid)))
}
