//! Searches for win, loss or draw.

use std::sync::Arc;

use othello_core::{Board, Move, State};
use othello_eval::Weights;
use othello_search::{Control, Goal, Limits, SearchLine, SearchSettings, Searcher, Selectivity};

use crate::endgame::problems;

/// The line of a search of two plies whose move is decided by a search for win, loss or draw.
fn decided(searcher: &mut Searcher, board: Board) -> SearchLine {
    let goal = Goal {
        wld: Some(Selectivity::Exact),
        ..Goal::new(2, Selectivity::Exact, 1)
    };
    let control = Control::default();
    let result = searcher.search(board, goal, Limits::default(), &control, &mut ());
    result.lines[0].clone()
}

#[test]
fn the_move_that_is_decided_wins_where_one_does() {
    let settings = SearchSettings {
        hash_bytes: 4 << 20,
        threads: 1,
    };
    let mut searcher = Searcher::new(settings, Arc::new(Weights::untrained()));
    let mut outcomes = [0; 3];
    for problem in problems("endgame/selfplay180.jsonl") {
        let empties = problem.board.empty().len();
        if !(3..=17).contains(&empties) || problem.board.state() != State::Moves {
            continue;
        }
        searcher.clear();
        let line = decided(&mut searcher, problem.board);
        assert_eq!(line.score.signum(), problem.score.signum(), "{empties}");
        assert_eq!(line.tenths.signum(), problem.score.signum(), "{empties}");
        let Move::Place(best) = line.best else {
            panic!("a pass where there are moves");
        };
        // Worth as much as the best one, as far as who wins.
        assert_eq!(
            problem.moves[&best.to_string()].signum(),
            problem.score.signum()
        );
        assert_eq!(line.is_exact, problem.score == 0);
        assert_eq!(line.pv[0], line.best);
        outcomes[(1 - problem.score.signum()) as usize] += 1;
    }
    assert!(outcomes[0] > 10 && outcomes[2] > 10, "{outcomes:?}");
}
