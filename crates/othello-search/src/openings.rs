//! Openings for matches: games of a few plies that a search finds balanced, as the XOT openings of the field are.

use std::collections::HashSet;

use othello_core::{Game, Move};
use yane_base::random::SplitMix64;

use crate::api::{Control, Limits};
use crate::search::{Goal, Searcher};

/// Games that are tried for one opening before the search for openings ends: when there are no more.
const TRIES: u32 = 2000;

/// The openings to find. What is found follows from this, the weights and one thread alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BalancedOpenings {
    /// Number of openings.
    pub count: usize,
    /// Number of plies of each.
    pub plies: u32,
    /// The score may be at most so many discs, for either side.
    pub most: i32,
    /// Depth of the searches, in plies.
    pub depth: u32,
    /// Seed of the random moves.
    pub seed: u64,
}

impl BalancedOpenings {
    /// Finds openings that lead to different positions, symmetric ones being one; fewer than wanted if there are no more.
    /// `found` is called after each. `None` if it was stopped.
    pub fn find(
        &self,
        searcher: &mut Searcher,
        control: &Control,
        mut found: impl FnMut(),
    ) -> Option<Vec<Game>> {
        let mut random = SplitMix64::new(self.seed);
        let mut seen = HashSet::new();
        let mut openings = Vec::new();
        let mut tries = 0;
        while openings.len() < self.count && tries < TRIES {
            if control.is_stopped() {
                return None;
            }
            tries += 1;
            let Some(game) = random_game(&mut random, self.plies) else {
                continue;
            };
            let position = game.position();
            if !seen.insert((position.board().canonical().board, position.side() as u8)) {
                continue;
            }
            if !self.is_balanced(&game, searcher, control)? {
                continue;
            }
            openings.push(game);
            tries = 0;
            found();
        }
        Some(openings)
    }

    /// One game for each position of so many plies, symmetric ones being one, in an order of their own; `None` beyond 9 plies, where
    /// there are too many. Games that end early, or have a pass, are left out.
    pub fn candidates(&self) -> Option<Vec<Game>> {
        if self.plies > 9 {
            return None;
        }
        let mut games = vec![Game::default()];
        for ply in 0..self.plies {
            let mut seen = HashSet::new();
            let mut next = Vec::new();
            for game in &games {
                let moves = game.position().board().legal_moves();
                // All begin with f5, but for symmetry.
                let first = (ply == 0).then(|| "f5".parse().ok()).flatten();
                for square in moves
                    .iter()
                    .filter(|square| first.is_none_or(|first| *square == first))
                {
                    let mut game = game.clone();
                    game.play_unchecked(Move::Place(square));
                    if seen.insert(game.position().board().canonical().board) {
                        next.push(game);
                    }
                }
            }
            games = next;
        }
        games.retain(|game| !game.position().board().legal_moves().is_empty());
        Some(games)
    }

    /// The games among some that are balanced; `done` is called after each. `None` if it was stopped.
    pub fn balanced_of(
        &self,
        games: &[Game],
        searcher: &mut Searcher,
        control: &Control,
        mut done: impl FnMut(),
    ) -> Option<Vec<Game>> {
        let mut openings = Vec::new();
        for game in games {
            if self.is_balanced(game, searcher, control)? {
                openings.push(game.clone());
            }
            done();
        }
        Some(openings)
    }

    /// The score of the last position of a game for the side to move, by a search of the depth that is wanted. `None` if it was
    /// stopped.
    pub fn score(&self, game: &Game, searcher: &mut Searcher, control: &Control) -> Option<i32> {
        let goal = Goal {
            depth: self.depth,
            ..Goal::exact(1)
        };
        let board = game.position().board();
        let result = searcher.search(board, goal, Limits::default(), control, &mut ());
        (!result.is_interrupted).then_some(result.score)
    }

    /// Returns whether nobody is ahead by more than is allowed; first by a shallow search, which sees most of those who are.
    /// `None` if it was stopped.
    fn is_balanced(&self, game: &Game, searcher: &mut Searcher, control: &Control) -> Option<bool> {
        let shallow = (self.depth.min(2), self.most + 8);
        for (depth, most) in [shallow, (self.depth, self.most)] {
            let goal = Goal {
                depth,
                ..Goal::exact(1)
            };
            let board = game.position().board();
            let result = searcher.search(board, goal, Limits::default(), control, &mut ());
            if result.is_interrupted {
                return None;
            }
            if result.score.abs() > most {
                return Some(false);
            }
        }
        Some(true)
    }
}

/// A game of so many random plies that begins with f5, as all do but for symmetry; `None` if it ends too early, or has a pass.
fn random_game(random: &mut SplitMix64, plies: u32) -> Option<Game> {
    let mut game = Game::default();
    for ply in 0..plies {
        let moves: Vec<_> = game.position().board().legal_moves().iter().collect();
        let square = match moves[..] {
            [] => return None,
            _ if ply == 0 => "f5".parse().ok()?,
            _ => *random.choose(&moves),
        };
        game.play_unchecked(Move::Place(square));
    }
    let has_moves = !game.position().board().legal_moves().is_empty();
    has_moves.then_some(game)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use othello_eval::Weights;

    use super::*;
    use crate::search::SearchSettings;

    fn find(wanted: BalancedOpenings) -> Vec<Game> {
        let settings = SearchSettings {
            hash_bytes: 1 << 20,
            threads: 1,
        };
        let mut searcher = Searcher::new(settings, Arc::new(Weights::built_in()));
        wanted
            .find(&mut searcher, &Control::default(), || {})
            .expect("not stopped")
    }

    #[test]
    fn openings_are_different_balanced_and_repeatable() {
        let wanted = BalancedOpenings {
            count: 12,
            plies: 8,
            most: 2,
            depth: 4,
            seed: 1,
        };
        let openings = find(wanted);
        assert_eq!(openings, find(wanted));
        assert_ne!(openings, find(BalancedOpenings { seed: 2, ..wanted }));
        let mut searcher = Searcher::new(SearchSettings::default(), Arc::new(Weights::built_in()));
        let mut seen = HashSet::new();
        for game in &openings {
            assert_eq!(
                (game.moves().len(), game.moves()[0].to_string()),
                (8, "f5".to_owned())
            );
            let board = game.position().board();
            assert!(seen.insert(board.canonical().board));
            let goal = Goal {
                depth: 4,
                ..Goal::exact(1)
            };
            let result =
                searcher.search(board, goal, Limits::default(), &Control::default(), &mut ());
            assert!(result.score.abs() <= 2, "{game}: {}", result.score);
        }
        assert_eq!(openings.len(), 12);
    }

    #[test]
    fn there_are_three_openings_of_two_plies() {
        let all = BalancedOpenings {
            count: 100,
            plies: 2,
            most: 64,
            depth: 1,
            seed: 1,
        };
        assert_eq!(find(all).len(), 3);
    }

    #[test]
    fn a_stop_ends_the_search_for_openings() {
        let control = Control::default();
        control.stop();
        let mut searcher = Searcher::new(SearchSettings::default(), Arc::new(Weights::built_in()));
        let wanted = BalancedOpenings {
            count: 1,
            plies: 8,
            most: 2,
            depth: 4,
            seed: 1,
        };
        assert_eq!(wanted.find(&mut searcher, &control, || {}), None);
    }
}
