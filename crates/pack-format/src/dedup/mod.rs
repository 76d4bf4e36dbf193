//! Dropping duplicates from files larger than memory.
//!
//! Positions are compared in canonical form, since tools differ in the order in which they write the
//! pieces in hand. The comparison is exact. What is kept stays in the order of the inputs.
//!
//! The inputs are read twice. The first time the keys (what is compared) and the numbers of their
//! records go to 256 buckets by a hash of the key, in memory or in a temporary file; duplicates meet
//! in the same bucket, where a table finds them. Their numbers are marked in a bitmap (one bit a
//! record), by which the second reading copies what is kept.

mod mark;
mod options;
mod table;

use std::path::Path;
use std::sync::Arc;

use sha2::{Digest, Sha256};
use shogi_packed::{Hcp, PackedSfen, Placement, UnpackError};
use yane_io::{Job, Unit};

use crate::buckets::{Buckets, Filled};
use crate::record::InvalidRecord;
use crate::stream::{Input, StreamOutput};
use crate::units::{Source, UnitBatch, UnitReader, begin_reading, claim_output, each};
use crate::{InvalidData, Result, TeacherError, TeacherFormat, kind};

use mark::{DroppedNumbers, Marker};
pub use options::{DedupBy, DedupOptions, DedupReport, Keep};
use table::{hash, number_to_bytes};

/// Writes everything in `inputs` to `output` but for duplicates.
///
/// Memory is about `job.memory`, at least 2 MiB for each thread, and one bit a record. Temporary
/// space is about the size of the inputs.
///
/// # Errors
/// When a file cannot be read or written, one does not end where a record or game ends or changes
/// while it is read, a position is none (its place is named), positions shall be compared in a format
/// whose records are not positions, there is no input, or the output is an input.
pub fn dedup(
    inputs: &[Input],
    output: &Path,
    options: &DedupOptions,
    job: &Job,
) -> Result<DedupReport> {
    let _claim = claim_output(inputs, output, options.overwrite)?;
    let keys = Keys::new(options.format, options.by)?;
    let folder = job.temp_dir_for(output);
    let sources = Source::again(inputs, &folder, job)?;
    let mut out = StreamOutput::create(output)?;

    begin_reading(&sources, job);
    let (filled, records, without_move) = collect(&sources, keys, &folder, job)?;
    if records == 0 {
        return Err(kind::nothing(inputs, options.format));
    }

    let dropped = Arc::new(DroppedNumbers::new(records));
    let memory = job.memory.saturating_sub(filled.in_memory + records / 8);
    let name = "looking for duplicates";
    job.progress.stage(name, Some(records), Unit::Records);
    let marker = Marker::new(job, &folder, memory, keys.len(), options.keep, &dropped);
    let spilled = filled.spilled + marker.mark_all(filled.buckets)?;

    begin_reading(&sources, job);
    let kept = copy(sources, &dropped, &mut out, options.format, job)?;
    out.commit()?;
    Ok(DedupReport {
        records,
        without_move,
        kept,
        dropped: records - kept,
        averaged: 0,
        spilled,
    })
}

/// Puts the keys of all records with their numbers into buckets; says how many records there are, and how
/// many of them have no move.
fn collect(sources: &[Source], keys: Keys, folder: &Path, job: &Job) -> Result<(Filled, u64, u64)> {
    let mut buckets = Buckets::new(job.memory, folder);
    let mut records = 0;
    let reader = UnitReader::new(Source::reopened(sources)?, keys.format(), job);
    let batches = reader.process(job.threads, move |batch: UnitBatch| {
        let keys = keys.of(&batch)?;
        let without_move = batch.without_move;
        batch.recycle();
        Ok((keys, without_move))
    });
    let mut entry = Vec::new();
    let mut without_move = 0;
    for batch in batches {
        let (bytes, moveless) = batch?;
        without_move += moveless;
        for key in bytes.chunks_exact(keys.len()) {
            entry.clear();
            entry.extend_from_slice(key);
            entry.extend_from_slice(&number_to_bytes(records));
            buckets.push((hash(key) >> 56) as u8, &entry)?;
            records += 1;
        }
    }
    Ok((buckets.finish()?, records, without_move))
}

/// Copies what is not dropped and says how many that are.
fn copy(
    sources: Vec<Source>,
    dropped: &DroppedNumbers,
    out: &mut StreamOutput,
    format: TeacherFormat,
    job: &Job,
) -> Result<u64> {
    let last = sources.last().map(|source| source.input().clone());
    let (mut records, mut kept) = (0, 0);
    for batch in UnitReader::new(sources, format, job).batches() {
        let batch = batch?;
        if let Some(header) = &batch.header {
            out.put(header)?;
        }
        records = batch.before_all + batch.units;
        if records > dropped.len() {
            return Err(changed(&batch.input));
        }
        let (mut begin, mut at) = (0, 0);
        for (number, unit) in (batch.before_all..).zip(each(format, &batch.bytes)) {
            if dropped.contains(number) {
                out.put(&batch.bytes[begin..at])?;
                begin = at + unit.len();
            } else {
                kept += 1;
            }
            at += unit.len();
        }
        out.put(&batch.bytes[begin..])?;
        batch.recycle();
    }
    match last {
        Some(input) if records != dropped.len() => Err(changed(&input)),
        _ => Ok(kept),
    }
}

fn changed(input: &Input) -> TeacherError {
    yane_io::Error::file(input.path(), "changed while it was read").into()
}

// Keys for comparing records.

/// Bytes of a packed position.
const POSITION: usize = 32;
/// Byte range of the move in a record: after position and score.
const MOVE: std::ops::Range<usize> = 34..36;

/// Maker of the keys of records.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Keys {
    format: TeacherFormat,
    by: DedupBy,
}

impl Keys {
    /// # Errors
    /// When positions shall be compared in a format whose records are not positions.
    pub(crate) fn new(format: TeacherFormat, by: DedupBy) -> Result<Self> {
        if by != DedupBy::WholeRecord && format.record_len().is_none() {
            return Err(TeacherError::Option(format!(
                "{format} files can be searched for equal games or lines only, not for equal positions"
            )));
        }
        Ok(Self { format, by })
    }

    /// Format of the records.
    pub(crate) const fn format(self) -> TeacherFormat {
        self.format
    }

    /// Bytes of a key.
    pub(crate) fn len(self) -> usize {
        match self.by {
            DedupBy::Position => POSITION,
            DedupBy::PositionAndMove => POSITION + MOVE.len(),
            DedupBy::WholeRecord => self.format.record_len().unwrap_or(POSITION),
        }
    }

    /// The keys of a batch, one after the other.
    ///
    /// # Errors
    /// When a position is none.
    pub(crate) fn of(self, batch: &UnitBatch) -> Result<Vec<u8>> {
        let canonical = match self.format {
            TeacherFormat::Hcpe => canonical_hcp,
            TeacherFormat::Psv => canonical_psfen,
            TeacherFormat::Jsonl | TeacherFormat::Csv => {
                return Ok(digests(self.format, batch, trimmed));
            }
            TeacherFormat::Pack | TeacherFormat::Hcpe3 => {
                return Ok(digests(self.format, batch, |game| game));
            }
        };
        let mut keys = Vec::with_capacity(batch.units as usize * self.len());
        for (index, record) in each(self.format, &batch.bytes).enumerate() {
            let (position, rest) = record.split_first_chunk().expect("a whole record");
            let position = canonical(position).map_err(|problem| {
                batch.damaged(InvalidData::from(InvalidRecord {
                    record: index as u64 + 1,
                    offset: (index * record.len()) as u64,
                    problem: problem.into(),
                }))
            })?;
            keys.extend_from_slice(&position);
            match self.by {
                DedupBy::Position => {}
                DedupBy::PositionAndMove => keys.extend_from_slice(&record[MOVE]),
                DedupBy::WholeRecord => {
                    // All but the last byte, which means nothing.
                    keys.extend_from_slice(&rest[..rest.len() - 1]);
                    keys.push(0);
                }
            }
        }
        Ok(keys)
    }
}

fn digests(format: TeacherFormat, batch: &UnitBatch, part: fn(&[u8]) -> &[u8]) -> Vec<u8> {
    let digest = |unit| Sha256::digest(part(unit));
    each(format, &batch.bytes).flat_map(digest).collect()
}

/// A line without its end, which is written in two ways.
fn trimmed(line: &[u8]) -> &[u8] {
    line.trim_ascii_end()
}

/// The canonical form of a position. One without a king may have none; then its bytes must do.
fn canonical_hcp(bytes: &[u8; POSITION]) -> std::result::Result<[u8; POSITION], UnpackError> {
    let placement = Placement::from_hcp(&Hcp(*bytes))?;
    Ok(placement.to_hcp().map_or(*bytes, |hcp| hcp.0))
}

/// See [`canonical_hcp`].
fn canonical_psfen(bytes: &[u8; POSITION]) -> std::result::Result<[u8; POSITION], UnpackError> {
    let placement = Placement::from_packed_sfen(&PackedSfen(*bytes))?;
    Ok(placement.to_packed_sfen().map_or(*bytes, |packed| packed.0))
}
