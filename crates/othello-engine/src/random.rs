//! Random positions by play that is not too bad, as Egaroucid makes them.

use std::ops::RangeInclusive;

use othello_core::{Game, Move, Side, Square, State};
use othello_search::{Control, PlayLevel};
use yane_base::random::SplitMix64;

use crate::book::unit;
use crate::session::Session;

/// The rule by which random moves are chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RandomRule {
    /// That of Egaroucid's manual: each move is any of those that lose at most as many discs as a normally distributed number
    /// of standard deviation 4 says (4 discs or fewer in 68 % of the moves, 8 in 95 %). Values are those of the book or of a
    /// search of 2 plies.
    Manual,
    /// That of Egaroucid 7.9: the same with a standard deviation of 6, and searches of a low level; then two moves after
    /// which the value for black is in a range.
    InRange(RangeInclusive<i32>),
}

/// Games that are tried until one has the value that is wanted.
const TRIES: u32 = 40;

/// The highest level of searches before the last two moves.
const LIGHT: u32 = 5;

impl Session {
    /// A game of so many random moves from the start of the session's game; `None` if the search was stopped or no such game
    /// was found.
    pub fn random_game(&self, moves: u32, rule: &RandomRule, control: &Control) -> Option<Game> {
        // What the table knows of other searches would change values.
        self.clear();
        let mut random = self.random();
        (0..TRIES).find_map(|_| {
            let mut game = Game::new(self.game().start());
            for left in (0..moves).rev() {
                if control.is_stopped() {
                    return None;
                }
                if game.position().board().state() == State::Pass {
                    game.play_unchecked(Move::Pass);
                }
                let square = self.random_move(&game, rule, left, &mut random, control)?;
                game.play_unchecked(Move::Place(square));
            }
            (game.position().board().state() == State::Moves).then_some(game)
        })
    }

    /// A move before which `left` more are to follow; `None` if there is none that will do.
    fn random_move(
        &self,
        game: &Game,
        rule: &RandomRule,
        left: u32,
        random: &mut SplitMix64,
        control: &Control,
    ) -> Option<Square> {
        let position = game.position();
        let sign = if position.side() == Side::Black {
            1
        } else {
            -1
        };
        let choices: Vec<Square> = match rule {
            RandomRule::InRange(range) if left < 2 => {
                let values = self.move_values(game, self.level, control);
                let fits = values
                    .into_iter()
                    .filter(|&(_, score)| range.contains(&(sign * score)));
                fits.map(|(square, _)| square).collect()
            }
            RandomRule::InRange(_) => {
                let light = self.level.with_number(self.level.number().min(LIGHT));
                within(self.move_values(game, light, control), 6.0, random)
            }
            RandomRule::Manual => {
                // Two plies are what level 2 searches, but for the end of the game.
                within(
                    self.move_values(game, PlayLevel::Egaroucid(2), control),
                    4.0,
                    random,
                )
            }
        };
        (!choices.is_empty()).then(|| *random.choose(&choices))
    }

    /// The values of all moves: of the book, or of a search of a level.
    fn move_values(&self, game: &Game, level: PlayLevel, control: &Control) -> Vec<(Square, i32)> {
        let mut session = self.clone();
        session.go_on_with(game.clone());
        (session.level, session.move_time) = (level, None);
        session.set_clock(Side::Black, None);
        session.set_clock(Side::White, None);
        let hints = session.hints(usize::MAX, control, &mut ());
        let values = hints.moves.iter().filter_map(|hint| match hint.mv {
            Move::Place(square) => Some((square, hint.score)),
            Move::Pass => None,
        });
        values.collect()
    }
}

/// The moves that lose at most as much as a normally distributed number says.
fn within(values: Vec<(Square, i32)>, deviation: f64, random: &mut SplitMix64) -> Vec<Square> {
    let loss = (normal(random) * deviation).round().abs() as i32;
    let best = values.iter().map(|&(_, score)| score).max();
    let good = values
        .into_iter()
        .filter(|&(_, score)| best.is_some_and(|best| score >= best - loss));
    good.map(|(square, _)| square).collect()
}

/// A normally distributed number of mean 0 and standard deviation 1, after Box and Muller.
fn normal(random: &mut SplitMix64) -> f64 {
    let radius = (-2.0 * (1.0 - unit(random)).ln()).sqrt();
    radius * (std::f64::consts::TAU * unit(random)).cos()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_normally_distributed() {
        let mut random = SplitMix64::new(7);
        let numbers: Vec<f64> = (0..20_000).map(|_| normal(&mut random) * 4.0).collect();
        let share = |most: f64| {
            let within = numbers.iter().filter(|number| number.abs() <= most).count();
            within as f64 / numbers.len() as f64
        };
        assert!((share(4.0) - 0.683).abs() < 0.02, "{}", share(4.0));
        assert!((share(8.0) - 0.954).abs() < 0.01, "{}", share(8.0));
    }
}
