//! `eval.dat` of Edax: 28 bytes of header, then the weights of 61 plies, what symmetry makes equal written once.

use super::{Bytes, WeightsError};
use crate::evaluator::PatternEvaluator;
use crate::layout::{Pattern, PatternLayout};
use crate::tables::{DISC_COUNTS, PLIES, PhaseTables, PlyPhases};

/// `EDAX` and `EVAL` as 32-bit numbers, little-endian.
const MAGIC: &[u8; 8] = b"XADELAVE";

/// The header: the two names, version, release, build, and a date as a 64-bit float.
const HEADER: usize = 28;

/// Weights of a ply: those of the patterns and a constant.
const PER_PLY: usize = 114_364;

/// Parts of a disc in a weight.
const UNITS: i32 = 128;

/// The largest value; ±64 is left to finished games.
const MOST_DISCS: i32 = 63;

pub(super) fn is_edax(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

pub(super) fn read(bytes: &[u8]) -> Result<PatternEvaluator<4>, WeightsError> {
    let expected = HEADER + PLIES * PER_PLY * 2;
    if bytes.len() > expected {
        let reason = format!("expected the end of the file after {expected} bytes");
        return Err(WeightsError::at(expected, reason));
    }
    let layout = PatternLayout::edax();
    let indices: Vec<_> = layout.patterns().iter().map(Pattern::indices).collect();
    let mut bytes = Bytes::new(bytes);
    bytes.take(HEADER, "the header")?;
    let mut phases = Vec::with_capacity(PLIES);
    for ply in 0..PLIES {
        let what = format!("the weights of ply {ply} of {PLIES}");
        let mut patterns = Vec::new();
        for indices in &indices {
            let packed = bytes.i16s(indices.packed_len, &what)?;
            let all = indices.packed.iter().map(|&n| packed[usize::from(n)]);
            patterns.push(all.collect());
        }
        let constant = bytes.i16s(1, &what)?[0];
        phases.push(PhaseTables {
            patterns,
            discs: vec![constant; DISC_COUNTS],
        });
    }
    bytes.end()?;
    let plies: Vec<u8> = (0..PLIES as u8).collect();
    Ok(PatternEvaluator::new(
        layout,
        PlyPhases::from_first(&plies),
        &phases,
        UNITS,
        MOST_DISCS,
    ))
}
