//! The progress of the game, by which some networks choose their stacks: fitted to the plies of the data.
//!
//! A position's progress is the share of the data's positions with smaller plies, so that the stacks get about as many positions each.
//! It is predicted from the pieces in relation to both kings by logistic regression; afterwards the weights stay as they are, as the
//! choice of a stack has no gradient.

use shogi_eval::nnue::{Aligned, GameProgress};
use shogi_eval::{BonaPiece, PieceList};

use crate::data::{Mixed, Reading, Record, chosen, draw};
use crate::loss::sigmoid;
use crate::options::LearnOptions;
use crate::samples::Sampler;
use crate::{LearnError, Result};
use shogi_core::Color;

/// Positions that it is fitted to.
const POSITIONS: usize = 200_000;

/// Rates of the passes over them.
const RATES: [f64; 4] = [0.02, 0.02, 0.01, 0.005];

/// Weights of a file are in units of 2⁻¹⁶.
const UNIT: f64 = 65_536.0;

/// Fits the progress to data of `reading`, which `sampler` opens.
pub(crate) fn fit(
    options: &LearnOptions,
    reading: &Reading,
    sampler: &Sampler,
) -> Result<GameProgress> {
    // Leaves are a few plies away, and take long to be found.
    let mut reading = reading.clone();
    reading.filter.leaf = None;
    let capacity = options.shuffle.min(POSITIONS);
    let seed = (options.seed, u32::MAX);
    let mut mixed = Mixed::new(&reading, chosen(options), capacity, seed)?;
    let mut records = draw(&mut mixed, POSITIONS)?;
    records.retain(|record| record.ply > 0);
    let labels = Labels::new(&records);
    if labels.is_one_ply() {
        let text = "stacks are chosen by the progress of the game, which is fitted to plies, and the data have none: \
                    learn from pack, hcpe3 or psv files, or begin with a network that knows the progress (--init)";
        return Err(LearnError::Option(text.to_owned()));
    }
    let mut regression = Regression::new();
    for rate in RATES {
        for record in &records {
            let list = PieceList::new(&sampler.open(record)?);
            regression.step(&list, labels.of(record.ply), rate);
        }
    }
    Ok(regression.quantised())
}

/// The progress of each ply.
struct Labels {
    plies: Vec<u16>,
}

impl Labels {
    fn new(records: &[Record]) -> Self {
        let mut plies: Vec<u16> = records.iter().map(|record| record.ply).collect();
        plies.sort_unstable();
        Self { plies }
    }

    fn is_one_ply(&self) -> bool {
        self.plies.first() == self.plies.last()
    }

    /// The share of positions with smaller plies, half of those with the same.
    fn of(&self, ply: u16) -> f64 {
        let below = self.plies.partition_point(|&other| other < ply);
        let upto = self.plies.partition_point(|&other| other <= ply);
        (below + upto) as f64 / (2 * self.plies.len()) as f64
    }
}

/// The weights in training: those of pieces wherever the king is, and by king.
struct Regression {
    bias: f64,
    pieces: Vec<f64>,
    by_king: Vec<f64>,
}

impl Regression {
    fn new() -> Self {
        Self {
            bias: 0.0,
            pieces: vec![0.0; BonaPiece::PIECE_END],
            by_king: vec![0.0; GameProgress::WEIGHTS],
        }
    }

    /// Takes a step towards a progress.
    fn step(&mut self, list: &PieceList, wanted: f64, rate: f64) {
        let mut sum = self.bias;
        for_each(list, |piece, place| {
            sum += self.pieces[piece] + self.by_king[place];
        });
        let change = rate * (wanted - sigmoid(sum));
        self.bias += change;
        for_each(list, |piece, place| {
            self.pieces[piece] += change;
            self.by_king[place] += change;
        });
    }

    fn quantised(&self) -> GameProgress {
        let whole = |number: f64| (number * UNIT).round() as i32;
        let pieces = self.pieces.iter().cycle();
        let weights: Vec<i32> = self
            .by_king
            .iter()
            .zip(pieces)
            .map(|(by_king, piece)| whole(by_king + piece))
            .collect();
        GameProgress::new(whole(self.bias), Aligned::copy_of(&weights))
    }
}

/// Calls `visit` with each piece of both views, and the place of its weight.
fn for_each(list: &PieceList, mut visit: impl FnMut(usize, usize)) {
    for perspective in Color::ALL {
        let king = list.own_king(perspective).index();
        for piece in list.view(perspective) {
            visit(piece.index(), king * BonaPiece::PIECE_END + piece.index());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use test_support::fixture;

    use super::*;
    use crate::options::LearnSource;
    use crate::shape::Shape;

    #[test]
    fn progress_follows_the_plies() {
        let mut options = LearnOptions::new("kp_32x2-8-8".parse().unwrap(), "out");
        options.sources = vec![LearnSource::new(fixture("learning/valid5k.psv"))];
        let reading = Reading::new(&options);
        let shape = Shape::new(options.architecture, false);
        let [sampler, _] = Sampler::both(shape, &Arc::new(options.clone()), 600.0);
        let progress = fit(&options, &reading, &sampler).unwrap();
        let mut mixed = Mixed::new(&reading, chosen(&options), 1, (1, 0)).unwrap();
        let records = draw(&mut mixed, 2000).unwrap();
        let labels = Labels::new(&records);
        let (mut error, mut buckets) = (0.0, [0; 8]);
        for record in &records {
            let list = PieceList::new(&sampler.open(record).unwrap());
            let found = GameProgress::at(progress.sum(&list));
            error += (f64::from(found) / 256.0 - labels.of(record.ply)).abs();
            buckets[usize::from(found) / 32] += 1;
        }
        // Without a prediction it would be 0.25.
        let error = error / records.len() as f64;
        assert!(error < 0.15, "{error}");
        assert!(buckets.iter().all(|&count| count > 40), "{buckets:?}");
    }

    #[test]
    #[expect(clippy::float_cmp, reason = "the results are exact")]
    fn labels_are_shares() {
        let labels = Labels {
            plies: vec![1, 2, 2, 5],
        };
        assert_eq!([1, 2, 5].map(|ply| labels.of(ply)), [0.125, 0.5, 0.875]);
        assert!(!labels.is_one_ply() && Labels { plies: vec![] }.is_one_ply());
    }
}
