//! What engines lost, and telling it.

use std::fmt;

use super::Verdict;

/// Centipawns that make a winning chance of 73 %: the field's usual scale.
const SCALE: f64 = 600.0;

/// The losses so far, in per cent of winning chances.
#[derive(Debug, Default)]
pub(super) struct Table {
    /// Of A and B, by position.
    losses: Vec<[f64; 2]>,
    decided: usize,
    /// Positions in which one move was better than the other.
    different: usize,
}

impl Table {
    pub(super) fn add(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Decided => self.decided += 1,
            Verdict::Judged { best, moves } => {
                let loss = |score| 100.0 * (chance(best) - chance(score));
                self.losses.push(moves.map(loss));
                self.different += usize::from(moves[0] != moves[1]);
            }
        }
    }

    /// Positions so far.
    pub(super) fn seen(&self) -> usize {
        self.losses.len() + self.decided
    }
}

/// The winning chance that a score in centipawns stands for.
fn chance(cp: i64) -> f64 {
    1.0 / (1.0 + (-cp as f64 / SCALE).exp())
}

/// The mean of `values` and its standard error; zeros without values.
fn mean(values: impl ExactSizeIterator<Item = f64> + Clone) -> (f64, f64) {
    if values.len() == 0 {
        return (0.0, 0.0);
    }
    let count = values.len() as f64;
    let mean = values.clone().sum::<f64>() / count;
    let variance = values.map(|value| (value - mean).powi(2)).sum::<f64>() / count;
    (mean, (variance / count).sqrt())
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let losses = self.losses.iter();
        let (a, _) = mean(losses.clone().map(|[a, _]| *a));
        let (b, _) = mean(losses.clone().map(|[_, b]| *b));
        let (difference, error) = mean(losses.map(|[a, b]| a - b));
        write!(
            f,
            "A loses {a:.3} % a move, B {b:.3} %, difference {difference:+.3} ± {error:.3}; {} positions, of which {} tell \
             them apart; {} were decided",
            self.losses.len(),
            self.different,
            self.decided
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_are_of_winning_chances() {
        let mut table = Table::default();
        assert!(table.to_string().starts_with("A loses 0.000 %"), "{table}");
        let judged = |best, a, b| Verdict::Judged {
            best,
            moves: [a, b],
        };
        table.add(judged(0, 0, -600));
        table.add(judged(0, 0, 0));
        table.add(Verdict::Decided);
        assert_eq!(table.seen(), 3);
        // 50 - 26.894 once in two positions.
        let expected = "A loses 0.000 % a move, B 11.553 %, difference -11.553 ± 8.169; 2 positions, of which 1 tell them \
                        apart; 1 were decided";
        assert_eq!(table.to_string(), expected);
    }
}
