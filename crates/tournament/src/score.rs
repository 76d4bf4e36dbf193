//! The score of a match and what it says about the difference in strength.

use std::fmt;

use serde::Serialize;

/// Wins, draws and losses of engine A, and the results of its pairs of games.
///
/// The two games of a pair start from the same opening with colours exchanged. Their results depend
/// on each other, so the error of the score is taken from the pairs as soon as there are enough of
/// them (10) to show how much they vary.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MatchScore {
    /// Wins of A.
    pub wins: u32,
    /// Draws.
    pub draws: u32,
    /// Losses of A.
    pub losses: u32,
    /// Number of pairs that gave A 0, ½, 1, 1½ and 2 points.
    pub pairs: [u32; 5],
}

/// Result of a game for a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum GamePoints {
    /// No point.
    Loss,
    /// Half a point.
    Draw,
    /// A point.
    Win,
}

/// A difference of Elo ratings with the bounds of its 95 % confidence interval. A bound is infinite
/// where the score leaves it open.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct EloInterval {
    /// A's rating minus B's.
    pub difference: f64,
    /// The lower bound.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
}

/// Two-sided 95 % quantile of the normal distribution.
pub(crate) const Z_95: f64 = 1.959_964;

/// Points of a game for each result of a pair: none, a half, one, one and a half, two of two.
pub(crate) const POINTS_OF_PAIRS: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// With fewer pairs than this, games count as independent.
const ENOUGH_PAIRS: u32 = 10;

impl MatchScore {
    /// Counts a game.
    pub fn add_game(&mut self, result: GamePoints) {
        match result {
            GamePoints::Loss => self.losses += 1,
            GamePoints::Draw => self.draws += 1,
            GamePoints::Win => self.wins += 1,
        }
    }

    /// Counts the two games of a pair, which are counted as games too.
    pub fn add_pair(&mut self, results: [GamePoints; 2]) {
        self.pairs[results[0] as usize + results[1] as usize] += 1;
    }

    /// The same score from the other engine's point of view.
    #[must_use]
    pub fn reversed(&self) -> Self {
        let mut pairs = self.pairs;
        pairs.reverse();
        Self {
            wins: self.losses,
            draws: self.draws,
            losses: self.wins,
            pairs,
        }
    }

    /// Number of games.
    pub fn games(&self) -> u32 {
        self.wins + self.draws + self.losses
    }

    /// A's points per game, between 0 and 1; `None` before the first game.
    pub fn mean(&self) -> Option<f64> {
        let points = f64::from(self.wins) + f64::from(self.draws) / 2.0;
        (self.games() > 0).then(|| points / f64::from(self.games()))
    }

    /// A's rating minus B's; `None` before the first game.
    pub fn elo(&self) -> Option<EloInterval> {
        let mean = self.mean()?;
        let margin = Z_95 * self.standard_error();
        Some(EloInterval {
            difference: elo_of(mean),
            low: elo_of(mean - margin),
            high: elo_of(mean + margin),
        })
    }

    /// Probability that A is the stronger one (likelihood of superiority), as far as these games
    /// can tell; `None` when their results do not vary.
    pub fn superiority(&self) -> Option<f64> {
        let error = self.standard_error();
        (error > 0.0).then_some(normal_below((self.mean()? - 0.5) / error))
    }

    /// Standard error of the mean score of a game.
    fn standard_error(&self) -> f64 {
        if self.pairs.iter().sum::<u32>() >= ENOUGH_PAIRS {
            spread(&self.pairs, &POINTS_OF_PAIRS)
        } else {
            let games = [self.losses, self.draws, self.wins];
            spread(&games, &[0.0, 0.5, 1.0])
        }
    }
}

/// Standard error of the mean of `values`, each of which has come up as often as `counts` says.
fn spread(counts: &[u32], values: &[f64]) -> f64 {
    let weighted = || counts.iter().map(|&count| f64::from(count)).zip(values);
    let total = f64::from(counts.iter().sum::<u32>());
    let mean = weighted().map(|(count, value)| count * value).sum::<f64>() / total;
    let squares: f64 = weighted()
        .map(|(count, value)| count * (value - mean).powi(2))
        .sum();
    squares.sqrt() / total
}

/// Probability that a standard normal variable is below `z`: Abramowitz and Stegun 26.2.17, whose
/// error is below 7.5e-8.
pub(crate) fn normal_below(z: f64) -> f64 {
    const SCALE: f64 = 0.231_641_9;
    const TERMS: [f64; 5] = [
        0.319_381_530,
        -0.356_563_782,
        1.781_477_937,
        -1.821_255_978,
        1.330_274_429,
    ];
    let t = 1.0 / (1.0 + SCALE * z.abs());
    let series = TERMS.iter().rev().fold(0.0, |sum, term| (sum + term) * t);
    let density = (-z * z / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let above = density * series;
    if z < 0.0 { above } else { 1.0 - above }
}

/// The rating difference at which `score` points per game are expected.
pub(crate) fn elo_of(score: f64) -> f64 {
    if score <= 0.0 {
        f64::NEG_INFINITY
    } else if score >= 1.0 {
        f64::INFINITY
    } else {
        400.0 * (score / (1.0 - score)).log10()
    }
}

impl fmt::Display for EloInterval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:+.1} [{:+.1}, {:+.1}]",
            self.difference, self.low, self.high
        )
    }
}

impl fmt::Display for MatchScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "+{} ={} -{}", self.wins, self.draws, self.losses)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(wins: u32, draws: u32, losses: u32) -> MatchScore {
        MatchScore {
            wins,
            draws,
            losses,
            pairs: [0; 5],
        }
    }

    fn assert_close(actual: f64, expected: f64) {
        assert!(
            (actual - expected).abs() < 0.05,
            "{actual} instead of {expected}"
        );
    }

    #[test]
    fn an_even_score_is_zero_elo() {
        let elo = score(40, 20, 40).elo().expect("games");
        assert_close(elo.difference, 0.0);
        assert_close(elo.low, -elo.high);
    }

    #[test]
    fn three_quarters_are_191_elo() {
        // 400 log10(3) = 190.85. Without draws the variance of a game is 3/16, so the standard
        // error is sqrt(0.1875 / 100) = 0.0433 and the bounds are at 0.6651 and 0.8349 points.
        let elo = score(75, 0, 25).elo().expect("games");
        assert_close(elo.difference, 190.85);
        assert_close(elo.low, 119.2);
        assert_close(elo.high, 281.5);
    }

    #[test]
    fn superiority_is_the_normal_distribution_at_the_score() {
        // 55 : 45 without draws is one standard error (0.0497) above an even score.
        let known = [
            (score(55, 0, 45), 0.8427),
            (score(45, 0, 55), 0.1573),
            (score(40, 20, 40), 0.5),
            // Draws leave less to chance: 10 wins more than losses in 100 games, 40 of them draws.
            (score(35, 40, 25), 0.9035),
        ];
        for (score, expected) in known {
            let found = score.superiority().expect("games that vary");
            assert!((found - expected).abs() < 0.0005, "{found} {expected}");
        }
        assert_eq!(score(0, 5, 0).superiority(), None);
        assert_eq!(MatchScore::default().superiority(), None);
        for (z, expected) in [(1.959_964, 0.975), (-1.644_854, 0.05), (3.0, 0.998_650)] {
            assert!((normal_below(z) - expected).abs() < 1e-6, "{z}");
        }
    }

    #[test]
    fn a_clean_sweep_is_open_above() {
        let elo = score(10, 0, 0).elo().expect("games");
        assert!(elo.difference.is_infinite() && elo.difference > 0.0);
    }

    #[test]
    fn no_games_no_elo() {
        assert_eq!(MatchScore::default().elo(), None);
    }

    #[test]
    fn pairs_that_even_out_leave_no_error() {
        let mut score = MatchScore::default();
        for _ in 0..10 {
            score.add_game(GamePoints::Win);
            score.add_game(GamePoints::Loss);
            score.add_pair([GamePoints::Win, GamePoints::Loss]);
        }
        assert_eq!(score.pairs, [0, 0, 10, 0, 0]);
        let elo = score.elo().expect("games");
        assert_close(elo.low, 0.0);
        assert_close(elo.high, 0.0);
    }

    #[test]
    fn independent_pairs_give_the_error_of_single_games() {
        // Wins and losses at even odds: pairs at 0, 1 and 2 points as 1 : 2 : 1.
        let mut paired = score(200, 0, 200);
        paired.pairs = [50, 0, 100, 0, 50];
        let single = score(200, 0, 200).elo().expect("games");
        assert_close(paired.elo().expect("games").high, single.high);
    }
}
