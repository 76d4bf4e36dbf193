//! Multi-ProbCut: how far the result of a shallow search is from that of a deep one (Buro 1997), and fitting it.

/// The standard deviation, in discs, of the difference between a deep and a shallow search of the same board:
/// exp(a + b e + c d + p s), where e is the number of empty squares, d the depth and s that of the shallow search.
///
/// It belongs to an evaluation; `othello probcut` fits it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProbCut {
    /// The parameters a, b, c and p.
    pub parameters: [f64; 4],
}

/// A difference between searches of one board.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProbCutSample {
    /// Empty squares of the board.
    pub empties: u32,
    /// Depth of the deep search.
    pub depth: u32,
    /// Depth of the shallow search; 0 is the evaluation alone.
    pub probe: u32,
    /// The deep score less the shallow one, in discs.
    pub difference: f64,
}

impl Default for ProbCut {
    /// Those of the weights built in, by `othello probcut --depth 7 --positions 1000` (12,000 samples). The untrained
    /// evaluation errs more, and selective searches with it are less sure than they say.
    fn default() -> Self {
        Self {
            parameters: [1.6352, -0.0182, 0.0843, -0.1679],
        }
    }
}

impl ProbCut {
    /// The standard deviation in discs.
    pub fn deviation(&self, empties: u32, depth: u32, probe: u32) -> f64 {
        let numbers = features(empties, depth, probe);
        let terms = self.parameters.iter().zip(numbers);
        terms.map(|(a, b)| a * b).sum::<f64>().exp()
    }

    /// Fits the logarithm of the deviation to samples by least squares. `None` when samples are too few or too alike.
    pub fn fit(samples: &[ProbCutSample]) -> Option<Self> {
        // Normal equations, with the right side as the last column.
        let mut rows = [[0.0; 5]; 4];
        for sample in samples {
            let x = features(sample.empties, sample.depth, sample.probe);
            // Scores are whole discs: half a disc is the least difference. The logarithm of the absolute value of a normal
            // variable is on average (ln 2 + Euler's constant) / 2 = 0.635 below that of its deviation.
            let log = sample.difference.abs().max(0.5).ln() + 0.635;
            for (row, a) in rows.iter_mut().zip(x) {
                for (cell, b) in row.iter_mut().zip(x.into_iter().chain([log])) {
                    *cell += a * b;
                }
            }
        }
        Some(Self {
            parameters: solve(rows)?,
        })
    }
}

const fn features(empties: u32, depth: u32, probe: u32) -> [f64; 4] {
    [1.0, empties as f64, depth as f64, probe as f64]
}

/// The solution of linear equations by Gauss's elimination with pivots.
fn solve(mut rows: [[f64; 5]; 4]) -> Option<[f64; 4]> {
    for n in 0..4 {
        let pivot = (n..4).max_by(|&a, &b| rows[a][n].abs().total_cmp(&rows[b][n].abs()))?;
        rows.swap(n, pivot);
        if rows[n][n].abs() < 1e-9 {
            return None;
        }
        let own = rows[n];
        for row in rows.iter_mut().skip(n + 1) {
            let factor = row[n] / own[n];
            for (cell, own) in row.iter_mut().zip(own) {
                *cell -= factor * own;
            }
        }
    }
    let mut solution = [0.0; 4];
    for n in (0..4).rev() {
        let known: f64 = (n + 1..4).map(|k| rows[n][k] * solution[k]).sum();
        solution[n] = (rows[n][4] - known) / rows[n][n];
    }
    Some(solution)
}

/// The depth of the shallow search for a depth; `None` where a search is too shallow to be cut.
pub(crate) const fn probe_depth(depth: u32) -> Option<u32> {
    if depth < 3 {
        return None;
    }
    // Half as deep, with the same parity, as odd depths favour the player to move.
    let probe = depth / 4 * 2 + depth % 2;
    Some(if probe == 0 { depth - 2 } else { probe })
}

#[cfg(test)]
mod tests {
    use test_support::SplitMix64;

    use super::*;

    #[test]
    fn a_fit_finds_the_deviation_of_samples() {
        let truth = ProbCut {
            parameters: [2.0, -0.01, 0.05, -0.1],
        };
        let mut random = SplitMix64::new(1);
        let mut normal = || {
            let sum: f64 = (0..12)
                .map(|_| (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64)
                .sum();
            sum - 6.0
        };
        let mut samples = Vec::new();
        for n in 0..40_000 {
            let (empties, depth, probe) = (12 + n % 40, 4 + n % 9, n % 4);
            let difference = normal() * truth.deviation(empties, depth, probe);
            samples.push(ProbCutSample {
                empties,
                depth,
                probe,
                difference,
            });
        }
        let fitted = ProbCut::fit(&samples).unwrap();
        for (empties, depth, probe) in [(20, 8, 4), (40, 12, 2), (30, 6, 0)] {
            let (found, expected) = (
                fitted.deviation(empties, depth, probe),
                truth.deviation(empties, depth, probe),
            );
            assert!((found / expected - 1.0).abs() < 0.1, "{found} {expected}");
        }
        assert_eq!(ProbCut::fit(&samples[..1]), None);
    }

    #[test]
    fn probes_are_shallower_and_of_the_same_parity() {
        assert_eq!(probe_depth(2), None);
        for depth in 3..=60 {
            let probe = probe_depth(depth).unwrap();
            assert!(probe < depth && (depth - probe).is_multiple_of(2) && probe > 0);
        }
    }
}
