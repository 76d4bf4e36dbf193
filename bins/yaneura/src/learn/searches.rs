//! The searches that learning asks for: leaves of quiescence searches, and moves of the network that is learnt.

use std::sync::{Arc, Mutex, PoisonError};

use shogi_core::{Game, Move, Position};
use shogi_engine::{Searcher, Session};
use shogi_eval::loader::Evaluation;
use shogi_eval::nnue::{Network, PreparedNetwork};
use shogi_learn::{LeafSearch, MoveSearch};
use shogi_search::{Control, Limits, Observer, SearchInfo, SearchOptions, SharedState, search};

/// Mebibytes of a searcher's table: it is emptied for every position.
const HASH_MIB: usize = 1;

/// The quiescence search of an engine with these options, for `threads` threads.
pub(super) fn leaf_search(options: &[(&str, &str)], threads: usize) -> anyhow::Result<LeafSearch> {
    let mut session = Session::new();
    for (name, value) in options {
        session.set_option(name, Some(value))?;
    }
    session.load_evaluation(|_| {});
    if let Some(problem) = session.eval_problem() {
        anyhow::bail!("{problem}");
    }
    if session.is_deep() {
        anyhow::bail!("EvalDir has a policy and value network, which has no quiescence search");
    }
    let searchers: Vec<_> = (0..threads.max(1))
        .map(|_| Mutex::new(session.searcher(HASH_MIB)))
        .collect();
    Ok(Arc::new(move |position: &Position| {
        let free = searchers
            .iter()
            .find_map(|searcher| searcher.try_lock().ok());
        let first = || searchers[0].lock().unwrap_or_else(PoisonError::into_inner);
        let mut searcher = free.unwrap_or_else(first);
        let mut game = Game::new(position.clone());
        let line = searcher.quiet_line(&game).1;
        let after = |mv: Move| {
            game.play_unchecked(mv);
            game.position().clone()
        };
        Some(line.into_iter().map(after).collect())
    }))
}

/// A search to depth 1 with the network that is learnt.
pub(super) fn move_search() -> MoveSearch {
    MoveSearch(Arc::new(|network, positions| {
        let find = || first_moves(network, positions);
        std::thread::scope(|scope| {
            // A search needs more stack than threads have by themselves.
            let thread = std::thread::Builder::new().stack_size(Searcher::STACK_BYTES);
            let started = thread.spawn_scoped(scope, find);
            let moves = started.ok().and_then(|thread| thread.join().ok());
            moves.unwrap_or_default()
        })
    }))
}

fn first_moves(network: Network, positions: &[Position]) -> Vec<Option<Move>> {
    struct Silent;
    impl Observer for Silent {
        fn info(&mut self, _: &SearchInfo) {}
    }
    let evaluation = Evaluation::network(Arc::new(PreparedNetwork::new(network)));
    let mut evaluator = evaluation.evaluator(None);
    let (options, mut shared) = (SearchOptions::default(), SharedState::new(HASH_MIB));
    let limits = Limits {
        depth: Some(1),
        ..Limits::default()
    };
    let mut first_move = |position: &Position| {
        let (game, control) = (Game::new(position.clone()), Control::new());
        let found = search(
            &game,
            &limits,
            &options,
            &mut evaluator,
            &mut shared,
            &control,
            &mut Silent,
        );
        found.map(|found| found.best)
    };
    positions.iter().map(&mut first_move).collect()
}
