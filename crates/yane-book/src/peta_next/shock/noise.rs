//! A book with random numbers added to its values.

use std::f64::consts::TAU;

use shogi_core::Position;
use splitmix::SplitMix64;

use crate::db::LineProblem;
use crate::graph::{GraphSource, Keys, SourceRecord, View};
use crate::{BookError, BookMove, Result};

/// A source whose values differ from those of another: the same number is added to all moves of a
/// position, so that the best stays the best there.
#[derive(Clone)]
pub(super) struct Noisy<S> {
    inner: S,
    deviation: f64,
    seed: u64,
}

impl<S> Noisy<S> {
    /// `inner` with normally distributed numbers of this standard deviation.
    pub(super) const fn new(inner: S, deviation: f64, seed: u64) -> Self {
        Self {
            inner,
            deviation,
            seed,
        }
    }

    /// The number for the position at `place`.
    fn noise(&self, place: u64) -> i32 {
        if self.deviation == 0.0 {
            return 0;
        }
        let next = |seed| SplitMix64::new(seed).next_u64();
        let bits = next(self.seed ^ next(place));
        let unit = |bits: u64| (bits >> 11) as f64 / (1u64 << 53) as f64;
        let radius = (-2.0 * (1.0 - unit(bits)).ln()).sqrt();
        let normal = radius * (TAU * unit(next(bits))).cos();
        (normal * self.deviation).round() as i32
    }
}

/// A position with the number to add.
pub(super) struct NoisyRecord<R> {
    inner: R,
    noise: i32,
}

impl<S: GraphSource> GraphSource for Noisy<S> {
    type Chunk = S::Chunk;
    type Record<'a> = NoisyRecord<S::Record<'a>>;

    fn open(&self) -> Result<impl FnMut() -> Result<Option<S::Chunk>> + Send + 'static> {
        self.inner.open()
    }

    fn size(&self) -> u64 {
        self.inner.size()
    }

    fn expected_len(&self) -> usize {
        self.inner.expected_len()
    }

    fn chunk_size(chunk: &S::Chunk) -> u64 {
        S::chunk_size(chunk)
    }

    fn records<'a>(&'a self, chunk: &'a S::Chunk) -> impl Iterator<Item = Self::Record<'a>> {
        self.inner.records(chunk).map(|inner| NoisyRecord {
            noise: self.noise(inner.place()),
            inner,
        })
    }

    fn error(&self, place: u64, problem: LineProblem) -> BookError {
        self.inner.error(place, problem)
    }
}

impl<R: SourceRecord> SourceRecord for NoisyRecord<R> {
    fn keys(&self, view: View) -> std::result::Result<Keys, LineProblem> {
        self.inner.keys(view)
    }

    fn position(&self, view: View) -> std::result::Result<(Position, bool), LineProblem> {
        self.inner.position(view)
    }

    fn place(&self) -> u64 {
        self.inner.place()
    }

    fn moves(
        &self,
        mut visit: impl FnMut(u64, std::result::Result<BookMove, LineProblem>) -> Result<()>,
    ) -> Result<()> {
        self.inner.moves(|place, line| {
            let noisy = line.map(|known| BookMove {
                eval: known.eval.saturating_add(self.noise),
                ..known
            });
            visit(place, noisy)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_normal_and_repeatable() {
        let noisy = Noisy::new((), 100.0, 1);
        let all: Vec<_> = (0..10_000).map(|place| noisy.noise(place * 50)).collect();
        let mean = all.iter().sum::<i32>() as f64 / 10_000.0;
        let square = |noise: &i32| f64::from(*noise).powi(2);
        let deviation = (all.iter().map(square).sum::<f64>() / 10_000.0).sqrt();
        assert!(mean.abs() < 4.0, "{mean}");
        assert!((deviation - 100.0).abs() < 4.0, "{deviation}");
        assert_eq!(all[7], noisy.noise(350));
        assert_ne!(all[7], Noisy::new((), 100.0, 2).noise(350));
        assert_eq!(Noisy::new((), 0.0, 1).noise(350), 0);
    }
}
