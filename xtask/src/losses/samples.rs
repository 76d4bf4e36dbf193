//! Positions from the games of a match.

use std::path::Path;

use anyhow::Result;
use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use rand::seq::SliceRandom;

use crate::matches::log;

/// Which positions.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct Sampling {
    /// Most positions, chosen by chance.
    #[arg(long, default_value_t = 500)]
    positions: usize,
    /// Plies from one position of a game to the next.
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..))]
    every: u32,
    /// Plies at the beginning of a game that are left out.
    #[arg(long, default_value_t = 20)]
    from: usize,
    /// Plies at the end of a game that are left out.
    #[arg(long, default_value_t = 14)]
    tail: usize,
    /// Seed of the choice.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

impl Sampling {
    /// The positions that are wanted of the games in the log at `path`, as USI position lines without the first word.
    pub(super) fn positions(&self, path: &Path) -> Result<Vec<String>> {
        let mut positions: Vec<_> = log::games(path)?
            .iter()
            .flat_map(|entry| self.of_game(&entry.played.position))
            .collect();
        positions.shuffle(&mut Xoshiro256PlusPlus::seed_from_u64(self.seed));
        positions.truncate(self.positions);
        Ok(positions)
    }

    fn of_game(&self, game: &str) -> Vec<String> {
        let Some((start, moves)) = game.split_once(" moves ") else {
            return Vec::new();
        };
        let moves: Vec<_> = moves.split(' ').collect();
        let end = (moves.len() + 1).saturating_sub(self.tail);
        (self.from.max(1)..end)
            .step_by(self.every as usize)
            .map(|plies| format!("{start} moves {}", moves[..plies].join(" ")))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_from_the_middle_of_games() {
        let sampling = Sampling {
            positions: 10,
            every: 2,
            from: 1,
            tail: 1,
            seed: 1,
        };
        let game = "startpos moves 7g7f 3c3d 2g2f 8c8d 2f2e";
        let expected = ["startpos moves 7g7f", "startpos moves 7g7f 3c3d 2g2f"];
        assert_eq!(sampling.of_game(game), expected);
        let late = Sampling {
            from: 5,
            ..sampling.clone()
        };
        assert_eq!(late.of_game(game), [""; 0]);
        assert_eq!(Sampling { tail: 0, ..late }.of_game(game), [game]);
        assert_eq!(sampling.of_game("startpos"), [""; 0]);
    }
}
