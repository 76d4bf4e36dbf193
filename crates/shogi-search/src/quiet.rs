//! Quiescence by itself, for tools that want quiet positions.

use shogi_core::{Game, Move};
use shogi_eval::Evaluator;

use crate::state::SharedState;
use crate::stop::Stopper;
use crate::team::Team;
use crate::worker::{INFINITE, Worker};
use crate::{Control, Limits, SearchOptions, Value};

/// Follows captures and promotions (in check: answers to it) from the current position of `game` to a quiet
/// one. The value for the side to move, and the moves that lead there: none when it is quiet already or the
/// game ends there.
///
/// Forgets the transposition table of `shared`, which should be small, so that the answer depends on the
/// position and the evaluation alone.
pub fn quiescence<E: Evaluator + ?Sized>(
    game: &Game,
    options: &SearchOptions,
    evaluator: &mut E,
    shared: &mut SharedState,
) -> (Value, Vec<Move>) {
    let SharedState {
        tt,
        threads,
        params,
        ..
    } = shared;
    tt.clear(1);
    tt.new_search();
    let control = Control::new(false);
    let team = Team::new(1);
    let stopper = Stopper::new(&control, &Limits::default(), &team, 0);
    let thread = &mut threads[0];
    let mut worker = Worker::new(game, evaluator, tt, thread, params, options, stopper);
    let value = worker.qsearch::<true>(-INFINITE, INFINITE, 0);
    (Value(value), worker.pv.line(0).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use shogi_core::Position;
    use shogi_eval::MaterialEvaluator;

    fn quiet(sfen: &str) -> (Value, Vec<String>) {
        let game = Game::new(Position::from_sfen(sfen).unwrap());
        let mut shared = SharedState::new(1);
        let (value, line) = quiescence(
            &game,
            &SearchOptions::default(),
            &mut MaterialEvaluator::new(),
            &mut shared,
        );
        (value, line.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn hanging_pieces_are_taken() {
        let start = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
        assert_eq!(quiet(start), (Value(0), vec![]));
        // A rook that nothing guards: twice its value changes sides.
        let (value, line) = quiet("4k4/9/9/9/4r4/4P4/9/9/4K4 b - 1");
        assert_eq!(line, ["5f5e"]);
        assert!(value.0 > 1000, "{value:?}");
    }
}
