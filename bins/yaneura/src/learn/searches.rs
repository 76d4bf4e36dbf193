//! The searches that learning asks for: leaves of quiescence searches, and moves of the network that is learnt.

use std::sync::Arc;

use farm::{
    FarmError, OnDemand, RetryPolicy, RunControl, Stop, Worker, Workers, map_in_order, threads,
};
use shogi_core::{Game, Move, Position};
use shogi_engine::{Searcher, Session};
use shogi_eval::loader::Evaluation;
use shogi_eval::nnue::PreparedNetwork;
use shogi_learn::{LeafSearch, LearnError, MoveSearch, SharpFilter};
use shogi_search::{Control, Limits, Observer, SearchInfo, SearchOptions, SharedState, search};
use yane_io::Checksum;

/// Mebibytes of a searcher's table: it is emptied for every position.
const HASH_MIB: usize = 1;

/// Hears in sentences of searches that panic, and are made again.
pub(super) type SearchNotes = Arc<dyn Fn(&str) + Send + Sync>;

/// The quiescence search of an engine with these options, on `threads` threads of its own.
pub(super) fn leaf_search(
    options: &[(&str, &str)],
    threads: usize,
    notes: &SearchNotes,
) -> anyhow::Result<LeafSearch> {
    let mut session = session(options)?;
    let searchers = searchers(session.searcher(HASH_MIB), threads, line_to_leaf);
    asked(searchers, RetryPolicy::default(), notes)
}

/// A filter of positions whose static evaluation by an engine with these options is farther than `limit` from the searched score.
pub(super) fn sharp_filter(limit: u16, options: &[(&str, &str)]) -> anyhow::Result<SharpFilter> {
    let mut session = session(options)?;
    let mut name = session.evaluation_name();
    for file in session.evaluation_files() {
        name = format!("{name} {}", Checksum::of_file(&file)?);
    }
    Ok(SharpFilter {
        limit,
        evaluator: session.evaluator(),
        name,
    })
}

/// An engine with these options, whose evaluation is loaded.
fn session(options: &[(&str, &str)]) -> anyhow::Result<Session> {
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
    Ok(session)
}

/// The positions to the leaf of one.
type Line = Vec<Position>;

/// The positions from `position` to its quiet leaf; none when it is quiet itself.
fn line_to_leaf(searcher: &mut Searcher, position: &Position) -> Line {
    let mut game = Game::new(position.clone());
    let line = searcher.quiet_line(&game).1;
    let after = |mv: Move| {
        game.play_unchecked(mv);
        game.position().clone()
    };
    line.into_iter().map(after).collect()
}

/// `first` and siblings of it as workers, `count` in all, that find the lines of positions by `find`.
fn searchers(
    first: Searcher,
    count: usize,
    find: impl Fn(&mut Searcher, &Position) -> Line + Send + Sync,
) -> impl Workers<Worker: Worker<Item = Vec<Position>, Output = Vec<Line>>> + Send {
    let work = move |searcher: &mut Searcher, positions: &Vec<Position>, _: &Stop| {
        let lines = positions.iter().map(|position| find(searcher, position));
        Ok(lines.collect::<Vec<_>>().into())
    };
    shogi_farm::searchers(first, count, "leaves", work)
}

/// A search for leaves that asks `workers`.
fn asked<W>(workers: W, policy: RetryPolicy, notes: &SearchNotes) -> anyhow::Result<LeafSearch>
where
    W: Workers<Worker: Worker<Item = Vec<Position>, Output = Vec<Line>>> + Send + 'static,
{
    let notes = Arc::clone(notes);
    let workers = OnDemand::start(workers, policy, move |text| notes(text))?;
    Ok(Arc::new(move |positions| {
        let lines = workers.ask(positions);
        let lines = lines.map_err(|error| LearnError::Search(error.to_string()))?;
        Ok(lines.into_iter().map(Some).collect())
    }))
}

/// A search to depth 1 with the network that is learnt.
pub(super) fn move_search(notes: &SearchNotes) -> MoveSearch {
    let notes = Arc::clone(notes);
    MoveSearch(Arc::new(move |network, positions| {
        let evaluation = Evaluation::network(Arc::new(PreparedNetwork::new(network)));
        let find = |positions: &[Position]| first_moves(&evaluation, positions);
        moves_of(positions, find, RetryPolicy::default(), &notes)
    }))
}

/// What `find` finds in `positions`. They are one item, as each search begins with what those before it have left in the tables: the moves are
/// those of one searcher that has them in order.
fn moves_of(
    positions: &[Position],
    find: impl Fn(&[Position]) -> Vec<Option<Move>> + Send + Sync,
    policy: RetryPolicy,
    notes: &SearchNotes,
) -> Result<Vec<Option<Move>>, LearnError> {
    let work = |(): &mut (), positions: &Vec<Position>, _: &Stop| Ok(find(positions).into());
    let searcher = threads(1, |_| (), work);
    let searcher = searcher.named("moves").with_stack(Searcher::STACK_BYTES);
    let jobs = std::iter::once(Ok(positions.to_vec()));
    let mut moves = Vec::new();
    let control = RunControl::default();
    let found = map_in_order(&searcher, jobs, &control, policy, &**notes, |found| {
        moves = found;
        Ok::<_, FarmError>(())
    });
    found.map_err(|error| LearnError::Search(error.to_string()))?;
    Ok(moves)
}

fn first_moves(evaluation: &Evaluation, positions: &[Position]) -> Vec<Option<Move>> {
    struct Silent;
    impl Observer for Silent {
        fn info(&mut self, _: &SearchInfo) {}
    }
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

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use farm::Backoff;
    use test_support::Faults;

    use super::*;

    const POLICY: RetryPolicy = RetryPolicy {
        time_limit: std::time::Duration::MAX,
        tries: 3,
        failures: 6,
        violations: 3,
        panics: 3,
        backoff: Backoff::NONE,
    };

    /// Notes, and what was noted.
    fn notes() -> (SearchNotes, Arc<Mutex<String>>) {
        let told = Arc::new(Mutex::new(String::new()));
        let own = Arc::clone(&told);
        let note = move |text: &str| *own.lock().unwrap() += text;
        (Arc::new(note), told)
    }

    #[track_caller]
    fn assert_panics(told: &Mutex<String>, times: u32) {
        let told = told.lock().unwrap();
        assert_eq!(
            told.matches("panicked: in a search").count(),
            times as usize
        );
    }

    fn searcher() -> Searcher {
        let mut session = Session::new();
        session.set_option("Evaluation", Some("material")).unwrap();
        session.searcher(HASH_MIB)
    }

    /// The start, and a position in which Black takes a rook.
    fn positions() -> Vec<Position> {
        let noisy = Position::from_sfen("4k4/9/9/9/4r4/4P4/9/9/4K4 b - 1").unwrap();
        vec![Position::startpos(), noisy]
    }

    #[test]
    fn leaves_are_searched_again_after_a_panic() {
        for (panics, is_found) in [(0, true), (2, true), (3, false)] {
            let (notes, told) = notes();
            let faults = Faults::new(panics);
            let find = move |searcher: &mut Searcher, position: &Position| {
                assert!(!faults.come(), "in a search");
                line_to_leaf(searcher, position)
            };
            let leaves = asked(searchers(searcher(), 2, find), POLICY, &notes).unwrap();
            let lines = leaves(positions());
            if is_found {
                let lines = lines.unwrap();
                assert_eq!(lines[0], Some(Vec::new()));
                let taken = lines[1].as_ref().unwrap().last().unwrap();
                assert!(taken.to_sfen().starts_with("4k4/9/9/9/4P4/9/9/9/4K4 w R"));
            } else {
                let error = lines.unwrap_err();
                assert!(matches!(error, LearnError::Search(_)), "{error}");
                assert!(error.to_string().ends_with("panicked: in a search"));
            }
            assert_panics(&told, panics);
        }
    }

    #[test]
    fn moves_are_searched_again_after_a_panic() {
        let evaluation = searcher().evaluation().clone();
        for (panics, is_found) in [(0, true), (2, true), (3, false)] {
            let (notes, told) = notes();
            let faults = Faults::new(panics);
            let find = |positions: &[Position]| {
                assert!(!faults.come(), "in a search");
                first_moves(&evaluation, positions)
            };
            let moves = moves_of(&positions(), find, POLICY, &notes);
            if is_found {
                let taking = moves.unwrap()[1].unwrap();
                assert_eq!(taking.to_string(), "5f5e");
            } else {
                let error = moves.unwrap_err().to_string();
                assert!(error.ends_with("panicked: in a search"), "{error}");
            }
            assert_panics(&told, panics);
        }
    }
}
