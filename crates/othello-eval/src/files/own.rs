//! Our own format of weights.
//!
//! | bytes | what |
//! | --- | --- |
//! | 8 | `YANEOEV3` |
//! | 2 + n | length and text of a note about the origin |
//! | … | the evaluation |
//! | 4 | CRC-32 of everything before |
//!
//! The evaluation is: the number of patterns (1 byte); for each its number of squares and the squares (a1 = 0), one byte
//! each, the most significant digit first; the parts of a disc in a weight (1 byte); the number of the phase of each
//! ply from 0 to 60 (1 byte each); then for each phase the weights of all patterns, those that symmetry makes equal once, in the
//! order of their smallest ternary number (0 mover, 1 opponent, 2 empty), and 65 weights by number of the mover's discs.
//!
//! Weights are variable-length numbers, 7 bits a byte, the lowest first, with the high bit set in all but the last byte: a
//! weight w ≠ 0 is 2w for w > 0 and −2w − 1 for w < 0; 0 stands for zeros, and the next number is how many, less 1. Runs of
//! zeros do not go beyond a phase. Numbers of more than one byte are little-endian.

use super::{Bytes, Weights, WeightsError, WeightsFormat};
use crate::evaluator::{PatternEvaluator, UNITS_PER_DISC};
use crate::layout::{Pattern, PatternIndices, PatternLayout};
use crate::tables::{DISC_COUNTS, PLIES, PhaseTables, PlyPhases};
use othello_core::Square;

const MAGIC: &[u8; 8] = b"YANEOEV3";

pub(super) fn is_own(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

pub(super) fn read(bytes: &[u8]) -> Result<Weights, WeightsError> {
    let Some((body, crc)) = bytes.split_last_chunk::<4>() else {
        return Err(WeightsError::at(bytes.len(), "the file ends too early"));
    };
    let mut reader = Bytes::new(body);
    reader.take(MAGIC.len(), "the beginning")?;
    let note = note(&mut reader)?;
    let main = evaluation(&mut reader)?;
    reader.end()?;
    // Last, so that damage with a place is told with it.
    if crc32fast::hash(body) != u32::from_le_bytes(*crc) {
        let reason = "the checksum is another one: some bytes of the file are wrong";
        return Err(WeightsError::at(body.len(), reason));
    }
    let mut weights = Weights::new(main, WeightsFormat::Yaneura);
    weights.note = note;
    Ok(weights)
}

fn note(reader: &mut Bytes<'_>) -> Result<String, WeightsError> {
    let len = reader.take(2, "the note")?;
    let len = usize::from(u16::from_le_bytes([len[0], len[1]]));
    let at = reader.at;
    let text = reader.take(len, "the note")?.to_vec();
    String::from_utf8(text).map_err(|_| WeightsError::at(at, "expected a note in UTF-8"))
}

fn byte(reader: &mut Bytes<'_>, what: &str) -> Result<u8, WeightsError> {
    Ok(reader.take(1, what)?[0])
}

fn evaluation<const C: usize>(reader: &mut Bytes<'_>) -> Result<PatternEvaluator<C>, WeightsError> {
    let layout = layout(reader, C * 16)?;
    let at = reader.at;
    let units = i32::from(byte(reader, "the unit of the weights")?);
    if units == 0 || UNITS_PER_DISC % units != 0 {
        let reason = format!("expected 1, 2, 4 … 128 parts of a disc, found {units}");
        return Err(WeightsError::at(at, reason));
    }
    let at = reader.at;
    let mut of_ply = [0; PLIES];
    of_ply.copy_from_slice(reader.take(PLIES, "the phases")?);
    let phases = PlyPhases::new(of_ply).ok_or_else(|| {
        let reason =
            "expected the phases of 61 plies, numbered from 0 in the order in which they begin";
        WeightsError::at(at, reason)
    })?;
    let indices: Vec<_> = layout.patterns().iter().map(Pattern::indices).collect();
    let tables = (0..phases.count()).map(|_| phase(reader, &indices));
    let tables = tables.collect::<Result<Vec<_>, _>>()?;
    Ok(PatternEvaluator::new(layout, phases, &tables, units, 64))
}

fn layout(reader: &mut Bytes<'_>, most: usize) -> Result<PatternLayout, WeightsError> {
    let begin = reader.at;
    let count = byte(reader, "the patterns")?;
    let mut patterns = Vec::new();
    for _ in 0..count {
        let at = reader.at;
        let len = byte(reader, "the patterns")?;
        let numbers = reader.take(usize::from(len), "the patterns")?;
        let squares: Option<Vec<_>> = numbers.iter().map(|&n| Square::new(n)).collect();
        let squares =
            squares.ok_or_else(|| WeightsError::at(at, "expected squares from 0 to 63"))?;
        let pattern = Pattern::new(&squares);
        patterns.push(pattern.map_err(|error| WeightsError::at(at, error.to_string()))?);
    }
    PatternLayout::new(patterns, most).map_err(|error| WeightsError::at(begin, error.to_string()))
}

fn phase(reader: &mut Bytes<'_>, indices: &[PatternIndices]) -> Result<PhaseTables, WeightsError> {
    let packed: usize = indices.iter().map(|indices| indices.packed_len).sum();
    let weights = numbers(reader, packed + DISC_COUNTS)?;
    let mut rest = &weights[..];
    let patterns = indices.iter().map(|indices| {
        let (own, behind) = rest.split_at(indices.packed_len);
        rest = behind;
        indices
            .packed
            .iter()
            .map(|&n| own[usize::from(n)])
            .collect()
    });
    let patterns = patterns.collect();
    let discs = rest.to_vec();
    Ok(PhaseTables { patterns, discs })
}

/// Reads `len` weights.
fn numbers(reader: &mut Bytes<'_>, len: usize) -> Result<Vec<i16>, WeightsError> {
    let mut weights = Vec::with_capacity(len);
    while weights.len() < len {
        let at = reader.at;
        let number = number(reader)?;
        if number == 0 {
            let zeros = self::number(reader)? as usize + 1;
            if zeros > len - weights.len() {
                return Err(WeightsError::at(
                    at,
                    "expected fewer zeros to the end of a phase",
                ));
            }
            weights.resize(weights.len() + zeros, 0);
        } else {
            let half = i64::from(number.div_ceil(2));
            let weight = if number % 2 == 0 { half } else { -half };
            let weight = i16::try_from(weight);
            weights.push(weight.map_err(|_| WeightsError::at(at, "a weight has 16 bits at most"))?);
        }
    }
    Ok(weights)
}

/// Reads a variable-length number.
fn number(reader: &mut Bytes<'_>) -> Result<u32, WeightsError> {
    let at = reader.at;
    let mut number = 0u32;
    for shift in [0, 7, 14, 21] {
        let byte = byte(reader, "the weights")?;
        number |= u32::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Ok(number);
        }
    }
    Err(WeightsError::at(at, "a number has four bytes at most"))
}

pub(super) fn write(weights: &Weights, note: &str) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    let longest = (0..=note.len().min(usize::from(u16::MAX))).rev();
    let mut longest = longest.filter(|&len| note.is_char_boundary(len));
    let note = &note[..longest.next().unwrap_or(0)];
    bytes.extend((note.len() as u16).to_le_bytes());
    bytes.extend(note.as_bytes());
    write_evaluation(&weights.main, &mut bytes);
    let crc = crc32fast::hash(&bytes);
    bytes.extend(crc.to_le_bytes());
    bytes
}

fn write_evaluation<const C: usize>(evaluator: &PatternEvaluator<C>, bytes: &mut Vec<u8>) {
    let patterns = evaluator.layout().patterns();
    bytes.push(patterns.len() as u8);
    for pattern in patterns {
        bytes.push(pattern.squares().len() as u8);
        bytes.extend(pattern.squares().iter().map(|square| square.number()));
    }
    bytes.push(evaluator.units() as u8);
    let phases = evaluator.phases();
    bytes.extend(phases.of_plies());
    let indices: Vec<_> = patterns.iter().map(Pattern::indices).collect();
    for phase in 0..phases.count() {
        let tables = evaluator.phase_tables(phase);
        let mut weights = Vec::new();
        for (indices, table) in indices.iter().zip(&tables.patterns) {
            let canonical = indices.canonical.iter().enumerate();
            let own = canonical.filter(|&(number, &least)| number == usize::from(least));
            weights.extend(own.map(|(number, _)| table[number]));
        }
        weights.extend(tables.discs);
        write_numbers(&weights, bytes);
    }
}

fn write_numbers(weights: &[i16], bytes: &mut Vec<u8>) {
    for run in weights.chunk_by(|a, b| *a == 0 && *b == 0) {
        match run[0] {
            0 => {
                write_number(0, bytes);
                write_number(run.len() as u32 - 1, bytes);
            }
            weight => {
                let weight = i32::from(weight);
                let number = if weight > 0 {
                    2 * weight
                } else {
                    -2 * weight - 1
                };
                write_number(number as u32, bytes);
            }
        }
    }
}

fn write_number(mut number: u32, bytes: &mut Vec<u8>) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}
