//! Whole games from one format into the other.

use shogi_core::Color;

use crate::hcpe3::{Ending, Flags, Hcpe3Builder, Hcpe3Candidate, Hcpe3Error, Hcpe3Game};
use crate::pack::{Game, GameBuilder, GameError};
use crate::{EndReason, TeacherResult};

/// The game with the moves played as the only candidates, one visit each.
pub(super) fn to_hcpe3(game: &Game) -> Result<Hcpe3Game, Hcpe3Error> {
    to_hcpe3_with(game, &[])
}

/// The game with these candidates of each ply; where there are none, the move played is the only one, with one visit.
pub(super) fn to_hcpe3_with(
    game: &Game,
    candidates: &[Vec<Hcpe3Candidate>],
) -> Result<Hcpe3Game, Hcpe3Error> {
    let mut built = Hcpe3Builder::new(game.start().clone())?;
    for (index, ply) in game.plies().iter().enumerate() {
        let only = [Hcpe3Candidate {
            mv: ply.mv,
            visits: 1,
        }];
        let known = candidates.get(index).filter(|known| !known.is_empty());
        let candidates = known.map_or(&only[..], Vec::as_slice);
        built.play(ply.mv, ply.score, candidates)?;
    }
    let flags = match game.reason() {
        EndReason::REPETITION => Flags::REPETITION,
        EndReason::MAX_MOVES => Flags::MAX_MOVES,
        EndReason::WIN_CSA24
        | EndReason::DRAW_CSA24
        | EndReason::WIN_CSA27
        | EndReason::WIN_TRY => Flags::DECLARATION,
        _ => Flags::NONE,
    };
    let result = game.result();
    Ok(built.finish(Ending { result, flags }, 0))
}

/// The game without its candidates. hcpe3 knows no ply numbers: the start gets the smallest that goes
/// with the side to move.
pub(super) fn to_pack(game: &Hcpe3Game) -> Result<Game, GameError> {
    let ply = match game.start().side_to_move() {
        Color::Black => 1,
        Color::White => 2,
    };
    let start = game.start().clone().with_ply(ply);
    let mut built = GameBuilder::new(start)?;
    for ply in game.plies() {
        built.play(ply.mv, ply.score)?;
    }
    let ending = game.ending();
    built.finish(ending.result, reason_of(ending))
}

/// The end reason that an ending most likely had. Declarations are given the number that gensfen
/// writes for every one of them.
const fn reason_of(ending: Ending) -> EndReason {
    let draw = matches!(ending.result, TeacherResult::Draw);
    if ending.flags.contains(Flags::DECLARATION) {
        if draw {
            EndReason::DRAW_CSA24
        } else {
            EndReason::WIN_CSA24
        }
    } else if ending.flags.contains(Flags::REPETITION) {
        if draw {
            EndReason::REPETITION
        } else {
            EndReason::PERPETUAL_CHECK
        }
    } else if !draw {
        EndReason::RESIGN
    } else if ending.flags.contains(Flags::MAX_MOVES) {
        EndReason::MAX_MOVES
    } else {
        EndReason::INTERRUPT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ending_has_a_reason_that_goes_with_it() {
        for bits in 0..32 {
            if let Some(ending) = Ending::from_bits(bits) {
                assert!(reason_of(ending).allows(ending.result), "{ending:?}");
            }
        }
    }
}
