//! Ratings of engines from the results of their games: the model of Bradley and Terry with Elo's scale, in which a player
//! that is `d` stronger has `1 / (1 + 10^(-d / 400))` points a game; a draw is half a win and half a loss.
//!
//! The ratings are the most likely ones, their mean is 0. The two games of a pair start from the same opening, so that
//! their results depend on each other: errors come from how much the points of pairs vary (the sandwich estimator of the
//! covariance, with pairs as its groups) and not from a model of single games. The results have a prior, as those of a match
//! have: for two engines all this is the same as [`MatchScore::elo`](crate::MatchScore::elo).

use std::collections::BTreeMap;

use serde::Serialize;

use crate::error::{Result, TournamentError};
use crate::score::{
    GamePoints, MatchScore, POINTS_OF_PAIRS, PRIOR_GAMES, PRIOR_PAIRS, UNITS_PER_ELO as SCALE,
    Z_95, normal_below,
};
use crate::standings::Standings;

/// Steps of Newton's method after which it has converged or never will.
const STEPS: usize = 500;
/// The longest step of a rating, so that a first step does not overshoot.
const LONGEST_STEP: f64 = 200.0;

/// The results of two engines against each other, for the first of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Encounter {
    /// Number of pairs of games that gave 0, ½, 1, 1½ and 2 points.
    pairs: [u32; 5],
    /// Losses, draws and wins of games without a partner.
    single: [u32; 3],
}

impl Encounter {
    /// Kinds of independent results: number of games, points, and how often it came.
    fn kinds(&self) -> impl Iterator<Item = (f64, f64, f64)> {
        let half = |index: usize| index as f64 / 2.0;
        let pairs = self.pairs.into_iter().enumerate();
        let single = self.single.into_iter().enumerate();
        let pairs = pairs.map(move |(index, count)| (2.0, half(index), f64::from(count)));
        pairs.chain(single.map(move |(index, count)| (1.0, half(index), f64::from(count))))
    }

    fn games(&self) -> f64 {
        self.kinds().map(|(games, _, count)| games * count).sum()
    }

    fn points(&self) -> f64 {
        self.kinds().map(|(_, points, count)| points * count).sum()
    }
}

/// What is known before the games.
enum Prior {
    /// As much as so many games, of every two engines that have met.
    OfEach(f64),
    /// As much as this part of the games of two engines.
    OfGames(f64),
}

impl Prior {
    /// The games that it is worth for two engines.
    fn games(&self, encounter: &Encounter) -> f64 {
        match self {
            Self::OfEach(games) => *games,
            Self::OfGames(part) => part * encounter.games(),
        }
    }
}

/// Results of any number of engines, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResultTable {
    names: Vec<String>,
    encounters: BTreeMap<[usize; 2], Encounter>,
    /// Wins, draws and losses of each engine.
    totals: Vec<[u32; 3]>,
}

impl ResultTable {
    /// The number of an engine, which is new if its name is.
    fn number(&mut self, name: &str) -> usize {
        if let Some(number) = self.names.iter().position(|known| known == name) {
            return number;
        }
        self.names.push(name.to_owned());
        self.totals.push([0; 3]);
        self.names.len() - 1
    }

    /// Adds the results of a match, whose engines have these names.
    pub fn add_standings(&mut self, names: &[String], standings: &Standings) {
        let numbers: Vec<_> = names.iter().map(|name| self.number(name)).collect();
        for (pairing, record) in &standings.pairings {
            self.add_counts(pairing.map(|engine| numbers[engine]), &record.score);
        }
    }

    /// Adds the score of one engine against another, by their numbers.
    fn add_counts(&mut self, engines: [usize; 2], score: &MatchScore) {
        let encounter = self.encounter(engines);
        let (mut pairs, mut single) = (score.pairs, score.singles);
        if engines[0] > engines[1] {
            pairs.reverse();
            single.reverse();
        }
        for (sum, count) in encounter.pairs.iter_mut().zip(pairs) {
            *sum += count;
        }
        for (sum, count) in encounter.single.iter_mut().zip(single) {
            *sum += count;
        }
        let totals = [score.wins, score.draws, score.losses];
        for (index, total) in totals.into_iter().enumerate() {
            self.totals[engines[0]][index] += total;
            self.totals[engines[1]][2 - index] += total;
        }
    }

    /// Adds the score of the first of two engines against the second.
    pub fn add_score(&mut self, names: [&str; 2], score: &MatchScore) {
        let engines = names.map(|name| self.number(name));
        if engines[0] == engines[1] {
            return;
        }
        self.add_counts(engines, score);
    }

    /// Adds a game without a partner: the points of the first of two engines.
    pub fn add_game(&mut self, names: [&str; 2], points: GamePoints) {
        let engines = names.map(|name| self.number(name));
        if engines[0] == engines[1] {
            return;
        }
        let encounter = self.encounter(engines);
        let index = points as usize;
        let is_reversed = engines[0] > engines[1];
        encounter.single[if is_reversed { 2 - index } else { index }] += 1;
        self.totals[engines[0]][2 - index] += 1;
        self.totals[engines[1]][index] += 1;
    }

    fn encounter(&mut self, mut engines: [usize; 2]) -> &mut Encounter {
        engines.sort_unstable();
        self.encounters.entry(engines).or_default()
    }

    /// Rates all engines. `prior` is what is known before the games about every two engines that have met, worth so many games in which
    /// each result of a pair came up alike. `None` stands for as much as a match of two has, one game for each engine but the first,
    /// spread over those who have met by the number of their games. Without any, where an engine has won or lost everything,
    /// there is no most likely rating. `anchor` is an engine and the rating it shall have.
    ///
    /// # Errors
    /// When there are no games, engines have not met even by way of others, or the anchor is unknown.
    pub fn rate(&self, prior: Option<f64>, anchor: Option<(&str, f64)>) -> Result<Ratings> {
        let wrong = |reason: String| Err(TournamentError::Settings(reason));
        let met: Vec<_> = self.played().collect();
        if met.is_empty() {
            return wrong("there are no games to rate".to_owned());
        }
        if let Some([one, other]) = self.strangers() {
            return wrong(format!(
                "{one} and {other} have not met, nor engines that both have met: rate them apart"
            ));
        }
        let is_bounded = self.is_bounded();
        if prior.is_some_and(|prior| prior <= 0.0) && !is_bounded {
            return wrong(
                "an engine has won or lost all its games: without a prior its rating is infinite"
                    .to_owned(),
            );
        }
        let anchor = match anchor {
            None => None,
            Some((name, elo)) => match self.names.iter().position(|known| known == name) {
                Some(number) => Some((number, elo)),
                None => return wrong(format!("the anchor {name} is none of the engines")),
            },
        };
        Ok(self.most_likely(&self.prior(prior), anchor, is_bounded))
    }

    /// The prior in games that is `asked` for, or the usual one.
    fn prior(&self, asked: Option<f64>) -> Prior {
        if let Some(games) = asked {
            return Prior::OfEach(games);
        }
        let games: f64 = self.played().map(|(_, encounter)| encounter.games()).sum();
        let engines = self.names.len().saturating_sub(1) as f64;
        Prior::OfGames(PRIOR_GAMES * engines / games)
    }

    /// The encounters with games.
    fn played(&self) -> impl Iterator<Item = ([usize; 2], &Encounter)> {
        let encounters = self.encounters.iter();
        encounters
            .filter(|(_, encounter)| encounter.games() > 0.0)
            .map(|(&engines, encounter)| (engines, encounter))
    }

    /// The engines that can be reached from the first by steps that `leads` allows.
    fn reached(&self, leads: impl Fn([usize; 2], &Encounter) -> [bool; 2]) -> Vec<bool> {
        let mut reached = vec![false; self.names.len()];
        reached[0] = true;
        // As many rounds as there may be steps.
        for _ in 0..self.names.len() {
            for (engines, encounter) in self.played() {
                let [there, back] = leads(engines, encounter);
                let [one, other] = engines;
                let (from, to) = (reached[one], reached[other]);
                reached[other] |= from && there;
                reached[one] |= to && back;
            }
        }
        reached
    }

    /// Two engines that are not connected by games.
    fn strangers(&self) -> Option<[&str; 2]> {
        let reached = self.reached(|_, _| [true, true]);
        let stranger = reached.iter().position(|&is_reached| !is_reached)?;
        Some([&self.names[0], &self.names[stranger]])
    }

    /// Returns whether ratings are finite: every engine has points against others, by way of which all have.
    fn is_bounded(&self) -> bool {
        let has_points = |_: [usize; 2], encounter: &Encounter| {
            let points = encounter.points();
            [points > 0.0, points < encounter.games()]
        };
        let forth = self.reached(has_points);
        let back = self.reached(|engines, encounter| {
            let [there, back] = has_points(engines, encounter);
            [back, there]
        });
        forth
            .into_iter()
            .zip(back)
            .all(|(forth, back)| forth && back)
    }

    fn most_likely(
        &self,
        prior: &Prior,
        anchor: Option<(usize, f64)>,
        is_bounded: bool,
    ) -> Ratings {
        let count = self.names.len();
        let mut elo = vec![0.0; count];
        let mut bread = vec![vec![0.0; count]; count];
        for _ in 0..STEPS {
            let (gradient, information) = self.slope(&elo, prior);
            bread = inverse(information);
            let mut longest: f64 = 0.0;
            let step: Vec<f64> = bread.iter().map(|row| dot(row, &gradient)).collect();
            for length in &step {
                longest = longest.max(length.abs());
            }
            let factor = (LONGEST_STEP / longest.max(LONGEST_STEP)).min(1.0);
            for (value, length) in elo.iter_mut().zip(&step) {
                *value += factor * length;
            }
            if longest < 1e-9 {
                break;
            }
        }
        let mean = elo.iter().sum::<f64>() / count as f64;
        let shift = anchor.map_or(-mean, |(number, wanted)| wanted - elo[number]);
        for value in &mut elo {
            *value += shift;
        }
        let covariance = product(&product(&bread, &self.variation(&elo, prior)), &bread);
        let priors: Vec<f64> = self.played().map(|(_, it)| prior.games(it)).collect();
        Ratings {
            names: self.names.clone(),
            totals: self.totals.clone(),
            elo,
            covariance,
            anchor: anchor.map(|(number, _)| number),
            is_bounded,
            prior: priors.iter().sum::<f64>() / priors.len().max(1) as f64,
        }
    }

    /// The gradient of the log-likelihood and its information matrix, with the mean of the ratings held.
    fn slope(&self, elo: &[f64], prior: &Prior) -> (Vec<f64>, Vec<Vec<f64>>) {
        let count = elo.len();
        let mut gradient = vec![0.0; count];
        // Held: the likelihood does not depend on the mean.
        let mut information = vec![vec![SCALE * SCALE; count]; count];
        for ([one, other], encounter) in self.played() {
            let expected = expected(elo[one] - elo[other]);
            let prior = prior.games(encounter);
            let games = encounter.games() + prior;
            let excess = encounter.points() + prior / 2.0 - games * expected;
            gradient[one] += SCALE * excess;
            gradient[other] -= SCALE * excess;
            let weight = SCALE * SCALE * games * expected * (1.0 - expected);
            add_difference(&mut information, [one, other], weight);
        }
        (gradient, information)
    }

    /// The sum of the squares of what each pair of games adds to the gradient.
    fn variation(&self, elo: &[f64], prior: &Prior) -> Vec<Vec<f64>> {
        let mut sum = vec![vec![0.0; elo.len()]; elo.len()];
        for ([one, other], encounter) in self.played() {
            let expected = expected(elo[one] - elo[other]);
            let pairs = prior.games(encounter) / PRIOR_GAMES * PRIOR_PAIRS;
            let priors = POINTS_OF_PAIRS.map(|points| (2.0, 2.0 * points, pairs));
            let squares: f64 = encounter
                .kinds()
                .chain(priors)
                .map(|(games, points, count)| count * (points - games * expected).powi(2))
                .sum();
            add_difference(&mut sum, [one, other], SCALE * SCALE * squares);
        }
        sum
    }
}

/// Points a game of a player that is `difference` stronger.
fn expected(difference: f64) -> f64 {
    1.0 / (1.0 + (-SCALE * difference).exp())
}

/// Adds `weight` times the square of the difference of two coordinates to a quadratic form.
fn add_difference(form: &mut [Vec<f64>], [one, other]: [usize; 2], weight: f64) {
    form[one][one] += weight;
    form[other][other] += weight;
    form[one][other] -= weight;
    form[other][one] -= weight;
}

fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

fn product(one: &[Vec<f64>], other: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let row = |left: &Vec<f64>| {
        let mut row = vec![0.0; other.len()];
        for (factor, right) in left.iter().zip(other) {
            for (sum, value) in row.iter_mut().zip(right) {
                *sum += factor * value;
            }
        }
        row
    };
    one.iter().map(row).collect()
}

/// The inverse of a positive definite matrix, by Gauss and Jordan.
fn inverse(mut matrix: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let count = matrix.len();
    for (index, row) in matrix.iter_mut().enumerate() {
        row.extend((0..count).map(|column| f64::from(u8::from(column == index))));
    }
    for column in 0..count {
        let pivot = (column..count)
            .max_by(|&one, &other| {
                matrix[one][column]
                    .abs()
                    .total_cmp(&matrix[other][column].abs())
            })
            .unwrap_or(column);
        matrix.swap(column, pivot);
        let divisor = matrix[column][column];
        for value in &mut matrix[column] {
            *value /= divisor;
        }
        let pivot_row = matrix[column].clone();
        for (index, row) in matrix.iter_mut().enumerate() {
            let factor = row[column];
            if index != column && factor != 0.0 {
                for (value, pivot) in row.iter_mut().zip(&pivot_row) {
                    *value -= factor * pivot;
                }
            }
        }
    }
    matrix
        .into_iter()
        .map(|row| row[count..].to_vec())
        .collect()
}

/// The rating of an engine.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Rating {
    /// Its name.
    pub name: String,
    /// Elo, with a mean of 0 or as the anchor has it.
    pub elo: f64,
    /// Half the width of the 95 % interval, in Elo: from the mean of all, or from the anchor.
    pub error: f64,
    /// Wins.
    pub wins: u32,
    /// Draws.
    pub draws: u32,
    /// Losses.
    pub losses: u32,
    /// Probability that it is stronger than the next engine of the list; `None` for the last, and where results do not
    /// vary and there is no prior.
    pub superiority: Option<f64>,
}

/// The ratings of engines.
#[derive(Clone, Debug, PartialEq)]
pub struct Ratings {
    names: Vec<String>,
    totals: Vec<[u32; 3]>,
    elo: Vec<f64>,
    covariance: Vec<Vec<f64>>,
    anchor: Option<usize>,
    /// False if an engine, or several against all others, has won or lost everything.
    pub is_bounded: bool,
    /// The games that the prior is worth for two engines that have met, on average.
    pub prior: f64,
}

impl Ratings {
    /// The engines, the strongest first.
    pub fn sorted(&self) -> Vec<Rating> {
        let mut order: Vec<usize> = (0..self.names.len()).collect();
        order.sort_by(|&one, &other| self.elo[other].total_cmp(&self.elo[one]));
        let next = order.iter().skip(1).map(Some).chain([None]);
        order
            .iter()
            .zip(next)
            .map(|(&number, next)| Rating {
                name: self.names[number].clone(),
                elo: self.elo[number],
                error: Z_95 * self.error(number),
                wins: self.totals[number][0],
                draws: self.totals[number][1],
                losses: self.totals[number][2],
                superiority: next.and_then(|&next| self.superiority(number, next)),
            })
            .collect()
    }

    /// Standard error of a rating.
    fn error(&self, number: usize) -> f64 {
        match self.anchor {
            Some(anchor) => self.error_of_difference(number, anchor),
            None => self.covariance[number][number].max(0.0).sqrt(),
        }
    }

    fn error_of_difference(&self, one: usize, other: usize) -> f64 {
        let variance = self.covariance[one][one] + self.covariance[other][other]
            - 2.0 * self.covariance[one][other];
        variance.max(0.0).sqrt()
    }

    /// Rating of one engine less that of another, by their names, and half the width of its 95 % interval.
    pub fn difference(&self, one: &str, other: &str) -> Option<(f64, f64)> {
        let number = |name: &str| self.names.iter().position(|known| known == name);
        let (one, other) = (number(one)?, number(other)?);
        let error = Z_95 * self.error_of_difference(one, other);
        Some((self.elo[one] - self.elo[other], error))
    }

    /// Probability that one engine is stronger than another (likelihood of superiority).
    fn superiority(&self, one: usize, other: usize) -> Option<f64> {
        let error = self.error_of_difference(one, other);
        (error > 1e-9).then(|| normal_below((self.elo[one] - self.elo[other]) / error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::MatchScore;

    /// A table of matches: two engines and the pairs of the first.
    fn table(matches: &[(&str, &str, [u32; 5])]) -> ResultTable {
        let mut table = ResultTable::default();
        for &(one, other, pairs) in matches {
            let numbers = [table.number(one), table.number(other)];
            let encounter = table.encounter(numbers);
            encounter.pairs = pairs;
            if numbers[0] > numbers[1] {
                encounter.pairs.reverse();
            }
        }
        table
    }

    fn assert_close(actual: f64, expected: f64, tolerance: f64) {
        assert!(
            (actual - expected).abs() < tolerance,
            "{actual} instead of {expected}"
        );
    }

    #[test]
    fn two_engines_have_the_elo_of_their_match() {
        let pairs = [3, 17, 40, 29, 11];
        let ratings = table(&[("a", "b", pairs)]).rate(None, None).unwrap();
        let (difference, error) = ratings.difference("a", "b").unwrap();
        // 114 of 200 points, and a half of one.
        assert_close(difference, 400.0 * (114.5_f64 / 86.5).log10(), 1e-6);
        let score = MatchScore {
            wins: 90,
            draws: 48,
            losses: 62,
            pairs,
            singles: [0; 3],
        };
        let elo = score.elo().unwrap();
        assert_close(difference, elo.difference, 1e-6);
        assert_close(error, (elo.high - elo.low) / 2.0, 1e-6);
        let superiority = ratings.sorted()[0].superiority.unwrap();
        assert_close(superiority, score.superiority().unwrap(), 0.002);
    }

    #[test]
    fn ratings_that_fit_exactly_are_found() {
        // 3 : 1 is 190.85 Elo, twice: 9 : 1 between the first and the last is 381.7.
        let even = |points: u32, of: u32| [of - points, 0, 0, 0, points];
        let table = table(&[
            ("a", "b", even(30, 40)),
            ("b", "c", even(30, 40)),
            ("a", "c", even(36, 40)),
        ]);
        let ratings = table.rate(Some(0.0), None).unwrap();
        let list = ratings.sorted();
        let names: Vec<_> = list.iter().map(|rating| rating.name.as_str()).collect();
        assert_eq!(names, ["a", "b", "c"]);
        assert_close(list[0].elo, 190.85, 0.01);
        assert_close(list[1].elo, 0.0, 0.01);
        assert_close(list[2].elo, -190.85, 0.01);
        let anchored = table.rate(Some(0.0), Some(("c", 1000.0)));
        let anchored = anchored.unwrap().sorted();
        assert_close(anchored[0].elo, 1381.7, 0.02);
        assert_close(anchored[2].error, 0.0, 1e-6);
        assert!(anchored[0].error > list[0].error);
    }

    #[test]
    fn results_that_do_not_vary_leave_the_doubt_of_the_prior() {
        let even = table(&[("a", "b", [0, 0, 30, 0, 0])]);
        let ratings = even.rate(None, None).unwrap();
        let error = ratings.difference("a", "b").unwrap().1;
        assert!((5.0..20.0).contains(&error), "{error}");
        assert_close(ratings.sorted()[0].superiority.unwrap(), 0.5, 1e-6);
        // In a field too, and whoever won or lost everything has a rating.
        let field = table(&[
            ("a", "b", [0, 0, 0, 0, 5]),
            ("a", "c", [0, 0, 0, 0, 5]),
            ("b", "c", [0, 0, 5, 0, 0]),
        ]);
        for rating in field.rate(None, None).unwrap().sorted() {
            assert!(rating.elo.is_finite() && rating.error > 1.0, "{rating:?}");
        }
        // The prior of a field is small beside its games.
        let many = table(&[
            ("a", "b", [0, 0, 50, 0, 50]),
            ("a", "c", [0, 0, 50, 0, 50]),
            ("b", "c", [0, 0, 100, 0, 0]),
        ]);
        let with = many.rate(None, None).unwrap().difference("a", "b").unwrap();
        let without = many.rate(Some(0.0), None).unwrap();
        let without = without.difference("a", "b").unwrap();
        assert_close(with.0, without.0, 1.0);
        assert_close(with.1, without.1, 1.0);
    }

    #[test]
    fn errors_are_those_of_repeated_matches() {
        // The ratings of many simulated round robins spread as each of them says.
        let mut random = test_support::SplitMix64::new(7);
        let mut uniform = || random.next_u64() as f64 / u64::MAX as f64;
        let strengths = [60.0, 0.0, -60.0];
        let (mut squares, mut claimed) = (0.0, 0.0);
        for _ in 0..300 {
            let mut matches = Vec::new();
            for (one, other) in [(0, 1), (0, 2), (1, 2)] {
                let mut pairs = [0; 5];
                for _ in 0..50 {
                    // Openings favour a side, so that the games of a pair depend on each other.
                    let bias = 400.0 * (uniform() - 0.5);
                    let difference: f64 = strengths[one] - strengths[other];
                    let mut won = |advantage: f64| usize::from(uniform() < expected(advantage));
                    pairs[2 * (won(difference + bias) + won(difference - bias))] += 1;
                }
                matches.push((["a", "b", "c"][one], ["a", "b", "c"][other], pairs));
            }
            let ratings = table(&matches).rate(None, None).unwrap();
            let (difference, error) = ratings.difference("a", "b").unwrap();
            squares += (difference - 60.0).powi(2);
            claimed += (error / Z_95).powi(2);
        }
        let ratio = squares / claimed;
        assert!((0.75..1.33).contains(&ratio), "{ratio}");
    }

    #[test]
    fn sweeps_need_a_prior() {
        let table = table(&[("a", "b", [0, 0, 0, 0, 10]), ("b", "c", [0, 0, 10, 0, 0])]);
        let ratings = table.rate(None, None).unwrap();
        assert!(!ratings.is_bounded && (ratings.prior - 1.0).abs() < 1e-9);
        // 20½ of 21 points.
        let (difference, _) = ratings.difference("a", "b").unwrap();
        assert_close(difference, 400.0 * (20.5_f64 / 0.5).log10(), 0.01);
        assert!(table.rate(Some(0.0), None).is_err());
    }

    #[test]
    fn strangers_are_told() {
        let table = table(&[("a", "b", [1; 5]), ("c", "d", [1; 5])]);
        let error = table.rate(None, None).unwrap_err().to_string();
        assert!(error.contains("have not met"), "{error}");
        assert!(ResultTable::default().rate(None, None).is_err());
        let other = super::tests::table(&[("a", "b", [1; 5])]);
        let error = other.rate(None, Some(("x", 0.0))).unwrap_err().to_string();
        assert!(error.contains("anchor x"), "{error}");
    }

    #[test]
    fn games_are_counted_for_both() {
        let mut table = ResultTable::default();
        table.add_game(["a", "b"], GamePoints::Win);
        table.add_game(["b", "a"], GamePoints::Win);
        table.add_game(["b", "a"], GamePoints::Draw);
        let ratings = table.rate(None, None).unwrap().sorted();
        let first = &ratings[0];
        assert_eq!((first.wins, first.draws, first.losses), (1, 1, 1));
        assert_close(first.elo, 0.0, 1e-6);
    }
}
