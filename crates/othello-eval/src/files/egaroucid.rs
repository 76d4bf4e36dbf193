//! `eval.egev2` of Egaroucid: the number of 16-bit values, then the values; 4096 + n stands for n zeros.

use super::{Bytes, WeightsError};
use crate::evaluator::PatternEvaluator;
use crate::layout::{Pattern, PatternLayout};
use crate::tables::{DISC_COUNTS, PhaseTables, PlyPhases};

/// A phase for each ply; the last holds for full boards too.
const PHASES: usize = 60;

/// From this value on, a value stands for zeros.
const ZEROS: i16 = 4096;

/// Weights of patterns beyond this are cut to it, as Egaroucid's vector code does.
const MOST: i16 = 4092;

/// Parts of a disc in a weight.
const UNITS: i32 = 32;

/// Returns whether the first four bytes can be the number of values that the file has.
pub(super) fn is_egaroucid(bytes: &[u8]) -> bool {
    let Some((&count, values)) = bytes.split_first_chunk::<4>() else {
        return false;
    };
    // A file that was cut off, or has bytes too many, is still one of them: it gets an error with its byte.
    let count = u64::from(u32::from_le_bytes(count));
    let most = (PHASES * (PatternLayout::egaroucid().weights() + DISC_COUNTS)) as u64;
    count > 0 && count <= most && values.len() as u64 <= count * 2 + 2
}

pub(super) fn read(bytes: &[u8]) -> Result<PatternEvaluator<4>, WeightsError> {
    let layout = PatternLayout::egaroucid();
    let per_phase = layout.weights() + DISC_COUNTS;
    let values = unpacked(bytes, PHASES * per_phase)?;
    let phases: Vec<_> = values
        .chunks_exact(per_phase)
        .map(|phase| {
            let (patterns, discs) = phase.split_at(per_phase - DISC_COUNTS);
            PhaseTables {
                patterns: tables(&layout, patterns, MOST),
                discs: discs.to_vec(),
            }
        })
        .collect();
    let plies: Vec<u8> = (0..PHASES as u8).collect();
    let plies = PlyPhases::from_first(&plies);
    Ok(PatternEvaluator::new(layout, plies, &phases, UNITS, 64))
}

/// All values, zeros written out.
fn unpacked(bytes: &[u8], expected: usize) -> Result<Vec<i16>, WeightsError> {
    let mut bytes = Bytes::new(bytes);
    let count = bytes.take(4, "the number of values")?;
    let count = u32::from_le_bytes([count[0], count[1], count[2], count[3]]) as usize;
    let mut values = Vec::with_capacity(expected);
    for _ in 0..count {
        let at = bytes.at;
        let value = bytes.i16s(1, "its values")?[0];
        if value < ZEROS {
            values.push(value);
        } else {
            values.resize(values.len() + usize::from((value - ZEROS) as u16), 0);
        }
        if values.len() > expected {
            let reason = format!("expected {expected} values in all, found more");
            return Err(WeightsError::at(at, reason));
        }
    }
    if values.len() < expected {
        let reason = format!("expected {expected} values in all, found {}", values.len());
        return Err(WeightsError::at(bytes.at, reason));
    }
    bytes.end()?;
    Ok(values)
}

/// The tables of the patterns, one behind the other, cut to ±`most`.
fn tables(layout: &PatternLayout, mut values: &[i16], most: i16) -> Vec<Vec<i16>> {
    let table = |pattern: &Pattern| {
        let (own, rest) = values.split_at(pattern.states());
        values = rest;
        own.iter().map(|&value| value.clamp(-most, most)).collect()
    };
    layout.patterns().iter().map(table).collect()
}
