//! Openings that the engine is to play, however the board is turned.

use std::collections::HashMap;

use othello_core::{Board, Game, Move, Side};
use page_messages::PageFailure;
use serde::Deserialize;

use crate::line::LineFields;

/// An opening that is to be played.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct ForcedOpening {
    moves: Vec<String>,
    /// How often it is taken, beside others.
    #[serde(default = "one")]
    weight: u32,
}

const fn one() -> u32 {
    1
}

/// The move that the openings have after a game, drawn by their weights; `None` if none has a move after it.
pub(super) fn forced_move(
    game: &Game,
    openings: &[ForcedOpening],
    seed: u64,
) -> Result<Option<Move>, PageFailure> {
    let here = game.position();
    let key = |board: Board, side: Side| (board.canonical().board, side == Side::Black);
    let wanted = key(here.board(), here.side());
    let mut weights: HashMap<Move, u64> = HashMap::new();
    let mut moves = Vec::new();
    for opening in openings {
        let line = LineFields {
            board: None,
            moves: opening.moves.clone(),
        };
        let line = line.game()?;
        let known = line.positions().zip(line.moves());
        for (position, &mv) in known {
            if key(position.board(), position.side()) != wanted {
                continue;
            }
            let there = position.board().canonical().symmetry;
            let mv = there.then(here.board().canonical().back()).apply(mv);
            if !weights.contains_key(&mv) {
                moves.push(mv);
            }
            *weights.entry(mv).or_default() += u64::from(opening.weight);
        }
    }
    let sum: u64 = weights.values().sum();
    if sum == 0 {
        return Ok(None);
    }
    // Mixed, so that seeds in a row draw differently.
    let mut point = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(32) % sum;
    for mv in moves {
        let weight = weights[&mv];
        if point < weight {
            return Ok(Some(mv));
        }
        point -= weight;
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn opening(moves: &str, weight: u32) -> ForcedOpening {
        let squares = moves.as_bytes().chunks(2);
        ForcedOpening {
            moves: squares
                .map(|name| String::from_utf8_lossy(name).into_owned())
                .collect(),
            weight,
        }
    }

    fn forced(game: &str, openings: &[ForcedOpening], seed: u64) -> Option<String> {
        let game = game.parse().unwrap();
        let mv = forced_move(&game, openings, seed).unwrap();
        mv.map(|mv| mv.to_string())
    }

    #[test]
    fn an_opening_is_played_in_every_orientation() {
        let tiger = [opening("f5d6c3d3c4", 1)];
        assert_eq!(forced("f5", &tiger, 1).as_deref(), Some("d6"));
        assert_eq!(forced("f5d6c3d3", &tiger, 1).as_deref(), Some("c4"));
        // The same line, mirrored.
        assert_eq!(forced("d3", &tiger, 1).as_deref(), Some("c5"));
        assert_eq!(forced("c4e3", &tiger, 1).as_deref(), Some("f6"));
        assert_eq!(forced("f5f6", &tiger, 1), None, "left");
        assert_eq!(forced("f5d6c3d3c4", &tiger, 1), None, "finished");
        assert_eq!(forced("", &[], 1), None);
    }

    #[test]
    fn openings_are_drawn_by_weight() {
        let drawn = |weights: [u32; 2]| -> HashSet<_> {
            let both = [opening("f5d6", weights[0]), opening("f5f6", weights[1])];
            (0..50)
                .filter_map(|seed| forced("f5", &both, seed))
                .collect()
        };
        assert_eq!(drawn([1, 1]).len(), 2);
        assert_eq!(drawn([1, 0]), HashSet::from(["d6".to_owned()]));
        assert!(drawn([0, 0]).is_empty());
    }

    #[test]
    fn an_opening_that_is_not_legal_is_an_error() {
        let error = forced_move(&Game::default(), &[opening("f5f5", 1)], 1).unwrap_err();
        assert!(error.text.contains("move 2"), "{error}");
    }
}
