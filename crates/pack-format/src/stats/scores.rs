//! Distribution of scores and how well they predict the result.

use super::Outcomes;
use crate::{MoverOutcome, TeacherScore};

/// Centipawns from which a score stands for a mate. Writers put mates near ±32000 and clamp other
/// scores at ±30000 or far below.
pub const MATE: i16 = 30_000;
/// Centipawns up to which scores are counted in bins.
pub const BINNED: i16 = 3_000;
/// Centipawns of the finest bins.
const FINE: i16 = 20;
const FINE_BINS: usize = (2 * BINNED / FINE) as usize;

/// Bins before the fine ones: mates, then the tail.
const LEADING: usize = 2;
const BINS: usize = FINE_BINS + 2 * LEADING;

/// Statistics of all scores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScoreStats {
    bins: Vec<Counted>,
    /// Sum of the squares of the scores that are no mates.
    squares: u128,
    /// Scores of exactly 0.
    pub zeros: u64,
    /// The smallest and the largest score.
    pub range: Option<(TeacherScore, TeacherScore)>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counted {
    outcomes: Outcomes,
    sum: i64,
}

/// Scores in a range, and how their games ended for the players to move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScoreBin {
    /// The smallest score that belongs here.
    pub from: i16,
    /// The largest score that belongs here.
    pub to: i16,
    /// The outcomes.
    pub outcomes: Outcomes,
    /// The mean score; `None` when there are none.
    pub mean: Option<f64>,
}

impl ScoreBin {
    /// Returns true if the scores are neither mates nor in the tails.
    pub(crate) const fn is_evaluation(&self) -> bool {
        -BINNED <= self.from && self.to < BINNED
    }

    /// Returns the range in words, such as `-200 to -1`, `below -3000` or `mate`.
    pub fn name(&self) -> String {
        match (self.from, self.to) {
            (i16::MIN, _) => "mated".to_owned(),
            (_, i16::MAX) => "mate".to_owned(),
            (_, to) if to < -BINNED => format!("below {}", -BINNED),
            (from, _) if from >= BINNED => format!("{BINNED} and above"),
            (from, to) => format!("{from} to {to}"),
        }
    }
}

/// The logistic curve that best predicts outcomes from scores: a player to move whose score is `s`
/// centipawns is expected to get 1 / (1 + e^(−s / scale)) of a game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fit {
    /// Centipawns at which the expectation is 73.1 %. By custom 600 ("Ponanza constant").
    pub scale: f64,
    /// Positions that it was fitted to.
    pub positions: u64,
}

impl Fit {
    /// The expected share of the game for the player to move: 0 to 1.
    pub fn expectation(&self, score: f64) -> f64 {
        1.0 / (1.0 + (-score / self.scale).exp())
    }
}

impl Default for ScoreStats {
    fn default() -> Self {
        Self {
            bins: vec![Counted::default(); BINS],
            squares: 0,
            zeros: 0,
            range: None,
        }
    }
}

/// The bin of a score.
#[inline]
const fn bin_of(score: i16) -> usize {
    if score < -BINNED {
        (score > -MATE) as usize
    } else if score < BINNED {
        LEADING + ((score + BINNED) / FINE) as usize
    } else {
        LEADING + FINE_BINS + (score >= MATE) as usize
    }
}

/// The first and the last score of a bin.
const fn range_of(bin: usize) -> (i16, i16) {
    const ABOVE: usize = LEADING + FINE_BINS;
    match bin {
        0 => (i16::MIN, -MATE),
        1 => (-MATE + 1, -BINNED - 1),
        ABOVE => (BINNED, MATE - 1),
        fine if fine < ABOVE => {
            let from = -BINNED + (fine - LEADING) as i16 * FINE;
            (from, from + FINE - 1)
        }
        _ => (MATE, i16::MAX),
    }
}

impl ScoreStats {
    /// Counts the score of a position and the outcome of its game for the player to move.
    #[inline]
    pub fn add(&mut self, score: TeacherScore, outcome: MoverOutcome) {
        let bin = bin_of(score.0);
        let counted = &mut self.bins[bin];
        counted.outcomes.add(outcome);
        counted.sum += i64::from(score.0);
        if bin != 0 && bin != BINS - 1 {
            self.squares += u128::from(u32::from(score.0.unsigned_abs()).pow(2));
        }
        self.zeros += u64::from(score.0 == 0);
        self.extend(score, score);
    }

    #[inline]
    fn extend(&mut self, min: TeacherScore, max: TeacherScore) {
        let (least, most) = self.range.unwrap_or((min, max));
        self.range = Some((least.min(min), most.max(max)));
    }

    /// Adds the counts of `other`.
    pub fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.bins.iter_mut().zip(&other.bins) {
            mine.outcomes.merge(&theirs.outcomes);
            mine.sum += theirs.sum;
        }
        self.squares += other.squares;
        self.zeros += other.zeros;
        if let Some((min, max)) = other.range {
            self.extend(min, max);
        }
    }

    /// Positions with a mate score (at least [`MATE`] either way) and their outcomes: the player to
    /// move is mated, the player to move mates.
    pub fn mates(&self) -> [Outcomes; 2] {
        [self.bins[0].outcomes, self.bins[BINS - 1].outcomes]
    }

    /// Positions whose score is no mate.
    pub fn without_mates(&self) -> u64 {
        self.plain().map(|bin| bin.outcomes.total()).sum()
    }

    fn plain(&self) -> impl Iterator<Item = &Counted> {
        self.bins[1..BINS - 1].iter()
    }

    /// The mean of the scores that are no mates.
    pub fn mean(&self) -> Option<f64> {
        let count = self.without_mates();
        let sum: i128 = self.plain().map(|bin| i128::from(bin.sum)).sum();
        (count > 0).then(|| sum as f64 / count as f64)
    }

    /// The standard deviation of the scores that are no mates.
    pub fn deviation(&self) -> Option<f64> {
        let mean = self.mean()?;
        let squares = self.squares as f64 / self.without_mates() as f64;
        Some((squares - mean * mean).max(0.0).sqrt())
    }

    /// All scores, ascending: mates, the tail down to −[`BINNED`], bins of `fine` × 20 centipawns
    /// (where `fine` divides 300, else one bin is left over at the end), the tail above
    /// [`BINNED`], mates.
    pub fn bins(&self, fine: usize) -> Vec<ScoreBin> {
        let inner = LEADING..LEADING + FINE_BINS;
        let groups = inner.clone().step_by(fine.max(1)).map(|first| {
            let last = (first + fine.max(1)).min(inner.end);
            first..last
        });
        let lower = (0..LEADING).map(|bin| bin..bin + 1);
        let upper = (inner.end..BINS).map(|bin| bin..bin + 1);
        lower
            .chain(groups)
            .chain(upper)
            .map(|group| self.group(group))
            .collect()
    }

    fn group(&self, group: std::ops::Range<usize>) -> ScoreBin {
        let mut outcomes = Outcomes::default();
        let mut sum = 0;
        for bin in &self.bins[group.clone()] {
            outcomes.merge(&bin.outcomes);
            sum += bin.sum;
        }
        let total = outcomes.total();
        ScoreBin {
            from: range_of(group.start).0,
            to: range_of(group.end - 1).1,
            outcomes,
            mean: (total > 0).then(|| sum as f64 / total as f64),
        }
    }

    /// The curve that fits best, by maximum likelihood, draws as half a win and half a loss, to the
    /// positions with scores within ±[`BINNED`] (beyond, scores say nothing about the slope, and
    /// mates are no evaluations). Scores enter as the means of bins 20 centipawns wide. `None` when
    /// no scale fits best: without positions, when scores do not predict results, or when they never
    /// fail to.
    pub fn fit(&self) -> Option<Fit> {
        self.fit_to(|outcomes| *outcomes)
    }

    /// The same without the positions of drawn games. The more draws there are, the more the two
    /// differ.
    pub(crate) fn fit_without_draws(&self) -> Option<Fit> {
        self.fit_to(|outcomes| Outcomes {
            draw: 0,
            ..*outcomes
        })
    }

    fn fit_to(&self, part: impl Fn(&Outcomes) -> Outcomes) -> Option<Fit> {
        let bins: Vec<_> = self.bins(1)[LEADING..LEADING + FINE_BINS]
            .iter()
            .filter_map(|bin| {
                let outcomes = part(&bin.outcomes);
                let total = outcomes.total() as f64;
                Some((bin.mean?, total, outcomes.expectation()? * total))
            })
            .collect();
        // The slope of the log-likelihood by 1 / scale; it only falls, so its zero is the maximum.
        let slope = |steepness: f64| -> f64 {
            bins.iter()
                .map(|&(score, total, won)| {
                    score * (won - total / (1.0 + (-score * steepness).exp()))
                })
                .sum()
        };
        let (mut low, mut high) = (1e-6, 1.0);
        if slope(low) <= 0.0 || slope(high) >= 0.0 {
            return None;
        }
        // Halving the ratio: 60 steps leave nothing of the 20 bits between them.
        for _ in 0..60 {
            let middle = f64::sqrt(low * high);
            if slope(middle) > 0.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        Some(Fit {
            scale: 1.0 / low,
            positions: bins.iter().map(|bin| bin.1 as u64).sum(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_score_is_in_the_bin_that_says_so() {
        for score in i16::MIN..=i16::MAX {
            let (from, to) = range_of(bin_of(score));
            assert!(from <= score && score <= to, "{score}: {from} to {to}");
        }
        let stats = ScoreStats::default();
        for fine in [1, 5, 10, 25] {
            let bins = stats.bins(fine);
            assert_eq!(bins.len(), 300 / fine + 4);
            assert_eq!(
                (bins[0].from, bins[bins.len() - 1].to),
                (i16::MIN, i16::MAX)
            );
            let joined = bins.windows(2).all(|pair| pair[0].to + 1 == pair[1].from);
            assert!(joined, "{bins:?}");
        }
    }

    #[test]
    fn mean_and_deviation_leave_mates_out() {
        let mut stats = ScoreStats::default();
        for score in [100, -300, 5000, 0, 31_990, -32_000] {
            stats.add(TeacherScore(score), MoverOutcome::Draw);
        }
        assert_eq!(stats.mean(), Some(1200.0));
        let squares: f64 = [-1100.0f64, -1500.0, 3800.0, -1200.0]
            .map(|off| off * off)
            .iter()
            .sum();
        let deviation = stats.deviation().unwrap();
        assert!((deviation - (squares / 4.0).sqrt()).abs() < 1e-9);
        assert_eq!(stats.mates().map(|mates| mates.total()), [1, 1]);
        assert_eq!(stats.zeros, 1);
        assert_eq!(
            stats.range,
            Some((TeacherScore(-32_000), TeacherScore(31_990)))
        );
    }

    #[test]
    fn the_fit_finds_the_curve_that_made_the_data() {
        for scale in [200.0, 600.0, 1234.5] {
            let mut stats = ScoreStats::default();
            for score in (-2990..3000).step_by(10) {
                let won = 10_000.0 / (1.0 + f64::exp(-f64::from(score) / scale));
                for game in 0..10_000 {
                    let outcome = if f64::from(game) + 0.5 < won {
                        MoverOutcome::Win
                    } else {
                        MoverOutcome::Loss
                    };
                    stats.add(TeacherScore(score), outcome);
                }
            }
            let fit = stats.fit().unwrap();
            assert!(
                (fit.scale / scale - 1.0).abs() < 0.001,
                "{fit:?} for {scale}"
            );
            assert!((fit.expectation(scale) - 0.7311).abs() < 0.001);
            assert_eq!(fit.positions, 599 * 10_000);
        }
    }

    #[test]
    fn there_is_no_fit_where_scores_say_nothing_or_everything() {
        let fit = |outcomes: [MoverOutcome; 2]| {
            let mut stats = ScoreStats::default();
            stats.add(TeacherScore(-500), outcomes[0]);
            stats.add(TeacherScore(500), outcomes[1]);
            stats.fit()
        };
        assert_eq!(fit([MoverOutcome::Win, MoverOutcome::Loss]), None);
        assert_eq!(fit([MoverOutcome::Draw, MoverOutcome::Draw]), None);
        assert_eq!(fit([MoverOutcome::Loss, MoverOutcome::Win]), None);
        assert!(fit([MoverOutcome::Draw, MoverOutcome::Win]).is_some());
    }

    #[test]
    fn draws_flatten_the_curve_unless_they_are_left_out() {
        let mut stats = ScoreStats::default();
        let outcomes = [
            (MoverOutcome::Win, MoverOutcome::Loss, 3),
            (MoverOutcome::Loss, MoverOutcome::Win, 1),
            (MoverOutcome::Draw, MoverOutcome::Draw, 4),
        ];
        for (ahead, behind, count) in outcomes {
            for _ in 0..count {
                stats.add(TeacherScore(500), ahead);
                stats.add(TeacherScore(-500), behind);
            }
        }
        // With draws 5 of 8, without 3 of 4.
        let (with, without) = (stats.fit().unwrap(), stats.fit_without_draws().unwrap());
        assert!((with.expectation(500.0) - 0.625).abs() < 1e-9);
        assert!((without.expectation(500.0) - 0.75).abs() < 1e-9);
        assert_eq!((with.positions, without.positions), (16, 8));
    }

    #[test]
    fn nothing_has_no_fit() {
        assert_eq!(ScoreStats::default().fit(), None);
    }
}
