//! The score of a match and what it says about the difference in strength.
//!
//! Two games of a pair start from the same opening with colours exchanged, so that their results depend on each other: pairs are
//! what is counted, by their five results (pentanomial). Before the first game each of the five has a weight already, together
//! that of one game ([`PRIOR_PAIRS`]; a Dirichlet prior). With many games it does not show; with few, or with games that are all alike, it keeps the
//! difference finite and its interval from being empty.

use std::fmt;

use serde::Serialize;

/// Wins, draws and losses of engine A, and the results of its pairs of games.
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
    /// Losses, draws and wins of A in games whose partner in the pair is not finished.
    pub singles: [u32; 3],
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

/// A difference of Elo ratings with the bounds of its 95 % interval. All are finite, and the bounds differ.
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

/// Weight of each result of a pair before the first game, in pairs: all five together are worth one game.
pub(crate) const PRIOR_PAIRS: f64 = 0.1;

/// The weight of the prior in games.
pub(crate) const PRIOR_GAMES: f64 = 1.0;

/// Logistic units per Elo point.
pub(crate) const UNITS_PER_ELO: f64 = std::f64::consts::LN_10 / 400.0;

impl MatchScore {
    /// Counts a game.
    pub fn add_game(&mut self, result: GamePoints) {
        match result {
            GamePoints::Loss => self.losses += 1,
            GamePoints::Draw => self.draws += 1,
            GamePoints::Win => self.wins += 1,
        }
        self.singles[result as usize] += 1;
    }

    /// Counts the two games of a pair, each of which was counted as a game before.
    pub(crate) fn add_pair(&mut self, results: [GamePoints; 2]) {
        self.pairs[results[0] as usize + results[1] as usize] += 1;
        for result in results {
            let singles = &mut self.singles[result as usize];
            *singles = singles.saturating_sub(1);
        }
    }

    /// The same score from the other engine's point of view.
    #[must_use]
    pub fn reversed(&self) -> Self {
        let (mut pairs, mut singles) = (self.pairs, self.singles);
        pairs.reverse();
        singles.reverse();
        Self {
            wins: self.losses,
            draws: self.draws,
            losses: self.wins,
            pairs,
            singles,
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

    /// A's rating minus B's; `None` before the first game. The prior draws it a little towards 0: by less than an Elo point from a few
    /// hundred games on.
    pub fn elo(&self) -> Option<EloInterval> {
        let Estimate { mean, error } = self.estimate()?;
        let difference = elo_of(mean);
        let margin = Z_95 * error / (UNITS_PER_ELO * mean * (1.0 - mean));
        Some(EloInterval {
            difference,
            low: difference - margin,
            high: difference + margin,
        })
    }

    /// Probability that A is the stronger one (likelihood of superiority), as far as these games
    /// can tell; `None` before the first game.
    pub fn superiority(&self) -> Option<f64> {
        let Estimate { mean, error } = self.estimate()?;
        Some(normal_below((mean - 0.5) / error))
    }

    /// The points of a game that A is expected to have.
    fn estimate(&self) -> Option<Estimate> {
        if self.games() == 0 {
            return None;
        }
        let pairs = self.pairs.iter().zip(POINTS_OF_PAIRS);
        // A pair has twice the weight of a game.
        let pairs = pairs.map(|(&count, points)| (2.0, f64::from(count) + PRIOR_PAIRS, points));
        let singles = self.singles.iter().zip([0.0, 0.5, 1.0]);
        let singles = singles.map(|(&count, points)| (1.0, f64::from(count), points));
        let results: Vec<_> = pairs.chain(singles).collect();
        let games: f64 = results
            .iter()
            .map(|(weight, count, _)| weight * count)
            .sum();
        let points = results
            .iter()
            .map(|(weight, count, points)| weight * count * points);
        let mean = points.sum::<f64>() / games;
        let squares = results
            .iter()
            .map(|(weight, count, points)| count * (weight * (points - mean)).powi(2));
        Some(Estimate {
            mean,
            error: squares.sum::<f64>().sqrt() / games,
        })
    }
}

/// The points of a game that are expected: never 0 or 1, and never certain.
struct Estimate {
    mean: f64,
    /// Its standard error.
    error: f64,
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

/// The rating difference at which `score` points per game, more than 0 and less than 1, are expected.
pub(crate) fn elo_of(score: f64) -> f64 {
    (score / (1.0 - score)).ln() / UNITS_PER_ELO
}

/// The value; 0 if it would be shown as a negative zero.
fn without_sign(value: f64) -> f64 {
    if value.abs() < 0.05 { 0.0 } else { value }
}

impl fmt::Display for EloInterval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:+.1} [{:+.1}, {:+.1}]",
            without_sign(self.difference),
            without_sign(self.low),
            without_sign(self.high)
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

    /// A score of games that are no pairs.
    fn score(wins: u32, draws: u32, losses: u32) -> MatchScore {
        MatchScore {
            wins,
            draws,
            losses,
            pairs: [0; 5],
            singles: [losses, draws, wins],
        }
    }

    /// A score of pairs of games without draws.
    fn pairs(lost: u32, even: u32, won: u32) -> MatchScore {
        MatchScore {
            wins: even + 2 * won,
            draws: 0,
            losses: even + 2 * lost,
            pairs: [lost, 0, even, 0, won],
            singles: [0; 3],
        }
    }

    fn assert_close(actual: f64, expected: f64, tolerance: f64) {
        assert!(
            (actual - expected).abs() < tolerance,
            "{actual} instead of {expected}"
        );
    }

    #[test]
    fn an_even_score_is_zero_elo() {
        let elo = score(40, 20, 40).elo().expect("games");
        assert_close(elo.difference, 0.0, 1e-9);
        assert_close(elo.low, -elo.high, 1e-9);
        assert!(elo.to_string().starts_with("+0.0 [-"), "{elo}");
        let pairs = pairs(0, 2, 0).elo().expect("games");
        assert!(pairs.to_string().starts_with("+0.0 [-"), "{pairs}");
    }

    #[test]
    fn three_quarters_are_191_elo() {
        // 400 log10(3) = 190.85. Without draws the variance of a game is 3/16, so the standard error is
        // sqrt(0.1875 / 10,000) = 0.00433, and at three quarters a point of a game is worth 926.5 Elo.
        let elo = score(7500, 0, 2500).elo().expect("games");
        assert_close(elo.difference, 190.85, 0.05);
        assert_close(elo.high - elo.difference, 1.96 * 0.00433 * 926.5, 0.02);
        assert_close(elo.difference - elo.low, elo.high - elo.difference, 1e-9);
        // The prior shows with few games.
        let few = score(75, 0, 25).elo().expect("games");
        assert_close(few.difference, 188.6, 0.1);
    }

    #[test]
    fn superiority_is_the_normal_distribution_at_the_score() {
        // 55 : 45 without draws is one standard error (0.0497) above an even score.
        let known = [
            (score(5050, 0, 4950), 0.8413),
            (score(4950, 0, 5050), 0.1587),
            (score(40, 20, 40), 0.5),
            // Draws leave less to chance: 100 wins more than losses in 10,000 games, 4,000 of them draws.
            (score(3050, 4000, 2950), 0.9016),
        ];
        for (score, expected) in known {
            let found = score.superiority().expect("games");
            assert_close(found, expected, 0.0005);
        }
        assert_close(score(0, 5, 0).superiority().expect("games"), 0.5, 1e-7);
        assert_eq!(MatchScore::default().superiority(), None);
        for (z, expected) in [(1.959_964, 0.975), (-1.644_854, 0.05), (3.0, 0.998_650)] {
            assert_close(normal_below(z), expected, 1e-6);
        }
    }

    #[test]
    fn no_games_no_elo() {
        assert_eq!(MatchScore::default().elo(), None);
    }

    #[test]
    fn whatever_the_games_the_interval_is_finite_and_not_empty() {
        for games in [1, 2, 3, 10, 1000, 1_000_000] {
            for score in [
                score(games, 0, 0),
                score(0, games, 0),
                score(0, 0, games),
                score(games, 0, games),
                pairs(games, 0, 0),
                pairs(0, games, 0),
                pairs(0, 0, games),
            ] {
                let elo = score.elo().expect("games");
                assert!(elo.low.is_finite() && elo.high.is_finite(), "{score:?}");
                assert!(elo.low < elo.difference && elo.difference < elo.high);
                assert!(elo.high - elo.low > 1e-4, "{score:?}: {elo:?}");
                let superiority = score.superiority().expect("games");
                assert!((0.0..=1.0).contains(&superiority), "{score:?}");
            }
        }
    }

    #[test]
    fn more_games_say_more() {
        let width = |score: MatchScore| {
            let elo = score.elo().expect("games");
            elo.high - elo.low
        };
        let mut last = f64::INFINITY;
        for games in [1, 2, 5, 20, 300] {
            let width = width(pairs(0, games, 0));
            assert!(width < last, "{games}: {width}");
            last = width;
        }
        // Ten pairs that evened out: the prior alone leaves 32 Elo of doubt.
        assert_close(width(pairs(0, 10, 0)), 2.0 * 32.4, 0.2);
        // A sweep is the clearer the longer it is.
        let low = |games| pairs(0, 0, games).elo().expect("games").low;
        assert!(low(1) < 0.0 && low(10) > 0.0 && low(100) > low(10));
    }

    #[test]
    fn a_better_score_is_never_a_smaller_difference() {
        let mut last = f64::NEG_INFINITY;
        for wins in 0..=30 {
            let elo = pairs(30 - wins, 0, wins).elo().expect("games");
            assert!(elo.difference > last, "{wins}");
            last = elo.difference;
        }
    }

    #[test]
    fn games_without_a_partner_count_until_it_comes() {
        let mut score = MatchScore::default();
        score.add_game(GamePoints::Win);
        assert_eq!(score.singles, [0, 0, 1]);
        score.add_game(GamePoints::Draw);
        score.add_pair([GamePoints::Win, GamePoints::Draw]);
        assert_eq!((score.singles, score.pairs), ([0; 3], [0, 0, 0, 1, 0]));
        score.add_game(GamePoints::Loss);
        let reversed = score.reversed();
        assert_eq!((reversed.wins, reversed.singles), (1, [0, 0, 1]));
        assert_eq!(reversed.pairs, [0, 1, 0, 0, 0]);
        let (elo, other) = (score.elo().unwrap(), reversed.elo().unwrap());
        assert_close(elo.low, -other.high, 1e-9);
    }

    #[test]
    fn independent_pairs_give_the_error_of_single_games() {
        // Wins and losses at even odds: pairs at 0, 1 and 2 points as 1 : 2 : 1.
        let paired = pairs(50, 100, 50).elo().expect("games");
        let single = score(200, 0, 200).elo().expect("games");
        assert_close(paired.high, single.high, 0.05);
    }
}
