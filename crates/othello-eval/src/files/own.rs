//! Our own format of weights.
//!
//! | bytes | what |
//! | --- | --- |
//! | 8 | `YANEOEV4` |
//! | 2 + n | length and text of a note about the origin |
//! | … | the evaluation |
//! | 4 | CRC-32 of everything before |
//!
//! The evaluation is: the number of patterns (1 byte); for each its number of squares and the squares (a1 = 0), one byte
//! each, the most significant digit first; the parts of a disc in a weight (1 byte); the number of the phase of each
//! ply from 0 to 60 (1 byte each); what is added to the values of each ply (2 bytes each, in 128ths of a disc; files that begin with
//! `YANEOEV3` lack them); then for each phase the weights of all patterns, those that symmetry makes equal once, in the
//! order of their smallest ternary number (0 mover, 1 opponent, 2 empty), and 65 weights by number of the mover's discs.
//!
//! Weights are [variable-length numbers](super::numbers); runs of zeros do not go beyond a phase. Numbers of more than one byte are
//! little-endian.

use super::numbers::{byte, check_sum, note, numbers, write_note, write_numbers};
use super::{Bytes, Weights, WeightsError, WeightsFormat};
use crate::evaluation::Evaluator;
use crate::evaluator::{PatternEvaluator, UNITS_PER_DISC};
use crate::layout::{Pattern, PatternIndices, PatternLayout};
use crate::tables::{DISC_COUNTS, PLIES, PhaseTables, PlyOffsets, PlyPhases};
use othello_core::Square;

const MAGIC: &[u8; 8] = b"YANEOEV4";

/// The beginning of files without constants for each ply.
const OLDER: &[u8; 8] = b"YANEOEV3";

pub(super) fn is_own(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC) || bytes.starts_with(OLDER)
}

pub(super) fn read(bytes: &[u8]) -> Result<Weights, WeightsError> {
    let Some((body, crc)) = bytes.split_last_chunk::<4>() else {
        return Err(WeightsError::at(bytes.len(), "the file ends too early"));
    };
    let mut reader = Bytes::new(body);
    let has_offsets = reader.take(MAGIC.len(), "the beginning")? == MAGIC;
    let note = note(&mut reader)?;
    let main = evaluation(&mut reader, has_offsets)?;
    reader.end()?;
    // Last, so that damage with a place is told with it.
    check_sum(body, *crc)?;
    let mut weights = Weights::new(Evaluator::Patterns(main), WeightsFormat::Yaneura);
    weights.note = note;
    Ok(weights)
}

fn evaluation<const C: usize>(
    reader: &mut Bytes<'_>,
    has_offsets: bool,
) -> Result<PatternEvaluator<C>, WeightsError> {
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
    let mut offsets = PlyOffsets::default();
    if has_offsets {
        offsets
            .0
            .copy_from_slice(&reader.i16s(PLIES, "the constants of the plies")?);
    }
    let indices: Vec<_> = layout.patterns().iter().map(Pattern::indices).collect();
    let tables = (0..phases.count()).map(|_| phase(reader, &indices));
    let tables = tables.collect::<Result<Vec<_>, _>>()?;
    Ok(PatternEvaluator::new(layout, phases, &tables, units, 64).with_offsets(offsets))
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

pub(super) fn write(evaluator: &PatternEvaluator<4>, note: &str) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    write_note(note, &mut bytes);
    write_evaluation(evaluator, &mut bytes);
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
    let offsets = evaluator.offsets().0.iter();
    bytes.extend(offsets.flat_map(|offset| offset.to_le_bytes()));
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
