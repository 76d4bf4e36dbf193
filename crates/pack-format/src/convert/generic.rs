//! Conversions one game or position at a time, through what all formats have in common.

use std::io::BufReader;

use shogi_kifu::KifuFormat;
use yane_io::{Job, Unit};

use super::drive::Part;
use super::pack::FromPly;
use super::unrepresentable::Unrepresentable;
use super::{
    DataFormat, Lost, Recover, Smoothing, TeacherConvertOptions, TeacherConvertReport, WithoutMove,
    cross, kifu_record,
};
use crate::games::{GameRefusal, walk};
use crate::hcpe3::{Ending, Hcpe3Builder, Hcpe3Candidate};
use crate::pack::{Game, PackReplayer, Ply};
use crate::record::{TeacherRecord, TeacherRecordProblem};
use crate::stream::{Batch, Input};
use crate::text::{InvalidLine, TextLine, TextProblem, TextReadError, csv, jsonl};
use crate::{
    DataPlace, Hcpe, Hcpe3Game, InvalidData, Psv, Result, Sample, TeacherError, TeacherFormat,
    TeacherResult, TeacherScore, hcpe3, kind, pack,
};

/// Place of a game or position in its file.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Place {
    /// Games or positions before it.
    pub(super) number: u64,
    /// Offset of its bytes, where it has one.
    pub(super) offset: u64,
}

/// Writes games and positions in one format.
#[derive(Clone, Debug)]
pub(crate) struct Scribe {
    /// `None` when nothing is to be written.
    to: Option<DataFormat>,
    smoothing: Option<Smoothing>,
    without_move: WithoutMove,
}

impl Scribe {
    /// Returns a scribe for a conversion.
    pub(super) fn new(options: &TeacherConvertOptions) -> Self {
        Self {
            to: Some(options.to),
            smoothing: options.smoothing.clone(),
            without_move: options.without_move,
        }
    }

    /// Returns a scribe that only counts.
    pub(crate) const fn silent() -> Self {
        Self {
            to: None,
            smoothing: None,
            without_move: WithoutMove::Keep,
        }
    }

    /// Appends a game or position to `part`; what the format cannot say is an error, and nothing is
    /// appended then.
    pub(super) fn write(
        &self,
        line: &TextLine,
        place: Place,
        part: &mut Part,
    ) -> Result<(), Unrepresentable> {
        let to = match self.to {
            Some(DataFormat::Teacher(to)) => to,
            Some(DataFormat::Kifu(to)) => return write_kifu(to, line, part),
            None => {
                count(line, part);
                return Ok(());
            }
        };
        if is_without_move(line) {
            match self.without_move {
                WithoutMove::Refuse => return Err(Unrepresentable::NoMove(to)),
                WithoutMove::Skip => {
                    part.without_move += 1;
                    return Ok(());
                }
                WithoutMove::Keep => {}
            }
        }
        let before = part.output.len();
        let output = &mut part.output;
        let written = match line {
            TextLine::Game(game) => self.write_game(to, game, place, output),
            TextLine::Hcpe3(game) => self.write_hcpe3(to, game, place, output),
            TextLine::Sample(sample) => write_sample(to, sample, output),
        };
        match written {
            Ok(()) => count(line, part),
            Err(_) => part.output.truncate(before),
        }
        written
    }

    fn write_game(
        &self,
        to: TeacherFormat,
        game: &Game,
        place: Place,
        output: &mut Vec<u8>,
    ) -> Result<(), Unrepresentable> {
        match to {
            TeacherFormat::Pack => game.write_to(output),
            TeacherFormat::Hcpe3 => cross::to_hcpe3(game)?.write_to(output),
            TeacherFormat::Jsonl => jsonl::write_game(output, place.number, place.offset, game),
            TeacherFormat::Csv => {
                csv::write_game(output, place.number, game);
            }
            TeacherFormat::Hcpe | TeacherFormat::Psv => {
                let scores = self.scores(game.plies());
                for ((position, mut ply), score) in game.positions().zip(scores) {
                    ply.score = score;
                    let number = position.ply();
                    write_ply(to, &position, number, ply, game.result(), output)?;
                }
            }
        }
        Ok(())
    }

    fn write_hcpe3(
        &self,
        to: TeacherFormat,
        game: &Hcpe3Game,
        place: Place,
        output: &mut Vec<u8>,
    ) -> Result<(), Unrepresentable> {
        match to {
            TeacherFormat::Pack => cross::to_pack(game)?.write_to(output),
            TeacherFormat::Hcpe3 => game.write_to(output),
            TeacherFormat::Jsonl => jsonl::write_hcpe3(output, place.number, place.offset, game),
            TeacherFormat::Csv => {
                csv::write_hcpe3(output, place.number, game);
            }
            TeacherFormat::Hcpe | TeacherFormat::Psv => {
                let scores = self.scores(game.plies());
                let plies = game.positions().zip(scores).zip(0..);
                for (((position, mut ply, _), score), number) in plies {
                    ply.score = score;
                    let result = game.ending().result;
                    write_ply(to, &position, number, ply, result, output)?;
                }
            }
        }
        Ok(())
    }

    /// The scores of a game, smoothed if that is wanted.
    fn scores(&self, plies: &[Ply]) -> Vec<TeacherScore> {
        let scores: Vec<_> = plies.iter().map(|ply| ply.score).collect();
        match &self.smoothing {
            None => scores,
            Some(smoothing) => {
                let mut smoothed = Vec::with_capacity(scores.len());
                smoothing.apply(&scores, &mut smoothed);
                smoothed
            }
        }
    }
}

/// Writes a game as a record.
fn write_kifu(to: KifuFormat, line: &TextLine, part: &mut Part) -> Result<(), Unrepresentable> {
    let losses = match line {
        TextLine::Game(game) => kifu_record::write_record(to, game, &mut part.output),
        TextLine::Hcpe3(game) => {
            kifu_record::write_record(to, &cross::to_pack(game)?, &mut part.output)
        }
        TextLine::Sample(_) => return Err(Unrepresentable::SinglePosition),
    };
    part.losses.absorb(&losses);
    count(line, part);
    Ok(())
}

fn write_sample(
    to: TeacherFormat,
    sample: &Sample,
    output: &mut Vec<u8>,
) -> Result<(), Unrepresentable> {
    match to {
        TeacherFormat::Hcpe => sample.to_hcpe()?.write_to(output),
        TeacherFormat::Psv => sample.to_psv()?.write_to(output),
        TeacherFormat::Jsonl => jsonl::write_sample(output, sample),
        TeacherFormat::Csv => csv::write_sample(output, sample),
        TeacherFormat::Hcpe3 => single_move(sample)?.write_to(output),
        TeacherFormat::Pack => return Err(Unrepresentable::SinglePosition),
    }
    Ok(())
}

fn write_ply(
    to: TeacherFormat,
    position: &shogi_core::Position,
    number: u32,
    ply: Ply,
    result: TeacherResult,
    output: &mut Vec<u8>,
) -> Result<(), Unrepresentable> {
    if to == TeacherFormat::Hcpe {
        Hcpe::from_ply(position, number, ply, result)?.write_to(output);
    } else {
        Psv::from_ply(position, number, ply, result)?.write_to(output);
    }
    Ok(())
}

fn is_without_move(line: &TextLine) -> bool {
    matches!(line, TextLine::Sample(sample) if sample.mv.is_none())
}

/// A game that consists of the position's move, the only candidate.
fn single_move(sample: &Sample) -> Result<Hcpe3Game, Unrepresentable> {
    let mv = sample
        .mv
        .ok_or(Unrepresentable::NoMove(TeacherFormat::Hcpe3))?;
    let only = Hcpe3Candidate { mv, visits: 1 };
    let mut game = Hcpe3Builder::new(sample.position.clone())?;
    game.play(mv, sample.score, &[only])?;
    Ok(game.finish(Ending::from(sample.result), 0))
}

fn count(line: &TextLine, part: &mut Part) {
    match line {
        TextLine::Game(game) => {
            part.games += 1;
            part.positions += game.plies().len() as u64;
            part.contradictions += u64::from(game.contradicts_itself());
        }
        TextLine::Hcpe3(game) => {
            part.games += 1;
            part.positions += game.plies().len() as u64;
        }
        TextLine::Sample(sample) => {
            part.positions += 1;
            part.without_move += u64::from(sample.mv.is_none());
        }
    }
}

/// Converts the games of a pack file.
pub(super) fn from_pack(
    batch: &Batch,
    replayer: &mut PackReplayer,
    scribe: &Scribe,
    part: &mut Part,
) -> Option<InvalidData> {
    walk::<Game>(&batch.bytes, replayer, |replayer, frame, at| {
        let place = place(batch, part, part.games);
        if scribe.to.is_some_and(|to| to.is(TeacherFormat::Jsonl)) {
            write_json(frame, replayer, place, part)?;
        } else {
            let line = TextLine::Game(Game::from_frame(frame, replayer)?);
            let written = scribe.write(&line, place, part);
            written.map_err(GameRefusal::unrepresentable)?;
        }
        part.good = at + frame.len;
        Ok(())
    })
}

/// Writes a game's line; its start is described as the bytes have it.
fn write_json(
    frame: &pack::PackFrame<'_>,
    replayer: &mut PackReplayer,
    place: Place,
    part: &mut Part,
) -> Result<(), pack::PackProblem> {
    jsonl::write_frame(
        &mut part.output,
        place.number,
        place.offset,
        frame,
        replayer,
    )?;
    part.games += 1;
    part.positions += frame.plies.len() as u64;
    let result = frame.result()?;
    part.contradictions += u64::from(!frame.reason.allows(result));
    Ok(())
}

/// Converts the games of an hcpe3 file.
pub(super) fn from_hcpe3(batch: &Batch, scribe: &Scribe, part: &mut Part) -> Option<InvalidData> {
    let replayer = &mut hcpe3::Hcpe3Replayer::default();
    walk::<Hcpe3Game>(&batch.bytes, replayer, |replayer, frame, at| {
        let line = TextLine::Hcpe3(Hcpe3Game::from_frame(frame, replayer)?);
        let place = place(batch, part, part.games);
        let written = scribe.write(&line, place, part);
        written.map_err(GameRefusal::unrepresentable)?;
        part.good = at + frame.len;
        Ok(())
    })
}

/// Converts records of one size. Invalid ones are left out when `skip`, else the first one ends it.
pub(super) fn from_records<T: TeacherRecord>(
    batch: &Batch,
    open: impl Fn(&T) -> Result<Sample, TeacherRecordProblem>,
    skip: bool,
    scribe: &Scribe,
    part: &mut Part,
) -> Option<InvalidData> {
    for (index, record) in crate::record::records::<T>(&batch.bytes).enumerate() {
        let offset = index as u64 * T::LEN as u64;
        let len = (batch.bytes.len() as u64 - offset).min(T::LEN as u64);
        let sample = record.and_then(|record| {
            open(&record).map_err(|problem| crate::record::InvalidRecord {
                record: index as u64 + 1,
                offset,
                problem,
            })
        });
        let invalid = match sample {
            Ok(sample) => {
                let place = place(batch, part, part.positions);
                match scribe.write(&TextLine::Sample(sample), place, part) {
                    Ok(()) => {
                        part.good += len as usize;
                        continue;
                    }
                    Err(reason) => InvalidData::unrepresentable(DataPlace::Offset(offset), reason),
                }
            }
            Err(problem) => InvalidData::from(problem),
        };
        if !skip {
            return Some(invalid);
        }
        part.skipped.push((invalid, len));
    }
    None
}

/// Converts JSON lines. Invalid ones are left out when `skip`, else the first one ends it.
pub(crate) fn from_jsonl(
    batch: &Batch,
    skip: bool,
    scribe: &Scribe,
    part: &mut Part,
) -> Option<InvalidData> {
    let mut offset = 0;
    for (number, bytes) in (1..).zip(batch.bytes.split_inclusive(|&byte| byte == b'\n')) {
        let at = offset;
        offset += bytes.len() as u64;
        if bytes.iter().all(u8::is_ascii_whitespace) {
            part.good += bytes.len();
            continue;
        }
        let invalid = match parse(bytes) {
            Ok(line) => {
                let place = place(batch, part, number - 1);
                match scribe.write(&line, place, part) {
                    Ok(()) => {
                        part.good += bytes.len();
                        continue;
                    }
                    Err(reason) => InvalidData::unrepresentable(DataPlace::Offset(at), reason),
                }
            }
            Err(problem) => InvalidData::from(InvalidLine {
                line: number,
                problem,
            }),
        };
        if !skip {
            return Some(invalid);
        }
        part.skipped.push((invalid, bytes.len() as u64));
    }
    None
}

/// Reads a line; a byte order mark at its start is skipped.
fn parse(bytes: &[u8]) -> Result<TextLine, TextProblem> {
    let line = std::str::from_utf8(bytes)
        .map_err(|error| TextProblem::Encoding(error.valid_up_to() + 1))?;
    jsonl::parse_line(line.trim_start_matches('\u{feff}').trim_ascii())
}

fn place(batch: &Batch, part: &Part, number: u64) -> Place {
    Place {
        number: batch.before + number,
        offset: batch.offset + part.good as u64,
    }
}

// CSV into other formats, on one thread: rows only mean something together.

/// Bytes of output that are collected.
const BLOCK: usize = 1 << 20;

/// Reads `input` and gives what `scribe` makes of it to `output`.
pub(crate) fn from_csv(
    input: &Input,
    recover: Recover,
    scribe: &Scribe,
    job: &Job,
    output: &mut dyn FnMut(&[u8]) -> Result<()>,
    report: &mut TeacherConvertReport,
) -> Result<()> {
    kind::check_file(input, TeacherFormat::Csv)?;
    let (stream, size) = input.open()?;
    job.progress
        .stage(&format!("reading {input}"), None, Unit::Positions);
    let mut rows = csv::CsvReader::new(BufReader::with_capacity(BLOCK, stream));
    let mut part = Part::default();
    let mut place = Place::default();
    while let Some(line) = rows.next() {
        let before = part.positions;
        let reason = match line {
            Ok(line) => scribe.write(&line, place, &mut part).err(),
            Err(TextReadError::Io(error)) => Err(yane_io::Error::io(input.path())(error))?,
            Err(TextReadError::Invalid(problem)) => {
                lose(input, recover, InvalidData::from(problem), report)?;
                None
            }
        };
        if let Some(reason) = reason {
            let line = rows.line();
            lose(
                input,
                recover,
                InvalidData::unrepresentable(DataPlace::Line(line), reason),
                report,
            )?;
        }
        place.number += 1;
        job.progress.advance(part.positions - before);
        if part.output.len() >= BLOCK {
            job.check()?;
            output(&part.output)?;
            report.add(&part);
            part = Part::default();
        }
    }
    output(&part.output)?;
    report.add(&part);
    report.bytes_read += size.unwrap_or(0);
    Ok(())
}

fn lose(
    input: &Input,
    recover: Recover,
    invalid: InvalidData,
    report: &mut TeacherConvertReport,
) -> Result<()> {
    if recover == Recover::No {
        return Err(TeacherError::invalid(input.path(), invalid));
    }
    report.lose(Lost {
        input: input.to_string(),
        invalid,
        from: 0,
        to: None,
    });
    Ok(())
}
