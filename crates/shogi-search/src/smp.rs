//! Searching on several threads (Lazy SMP): each searches the whole tree by itself, and they help each other
//! through the transposition table. In the end they vote.
//!
//! The first thread is the caller's. It alone watches the limits and reports; the others go on until
//! it is done. Nothing is shared but atomic numbers. [`ThreadPlacement`] says on which processors threads run.

use std::sync::atomic::Ordering::Relaxed;

use shogi_core::{Game, Move};
use shogi_eval::Evaluator;
use yane_clock::thread::{Builder, scope};

#[cfg(test)]
use crate::placement::ThreadPlacement;
#[cfg(test)]
use crate::placement::allowed;
use crate::root::{Root, ThreadResult};
use crate::score::{INFINITE, MATE_IN_MAX_PLY, Score};
use crate::shared_threads::SharedThreads;
use crate::state::ThreadState;
use crate::stop::Stopper;
use crate::worker::Worker;
use crate::{
    Control, Limits, Observer, SearchInfo, SearchOptions, SearchResult, SharedState, Value,
};

/// Stack of a helping thread: the search recurses once for each ply and keeps lists of moves.
const STACK_BYTES: usize = 32 << 20;

/// Says that the first thread is done when it is dropped, be it by a panic.
struct DoneOnDrop<'a>(&'a SharedThreads);

impl Drop for DoneOnDrop<'_> {
    fn drop(&mut self) {
        self.0.done.store(true, Relaxed);
    }
}

/// The observer of a helper thread, which reports nothing.
struct NoObserver;

impl Observer for NoObserver {
    fn info(&mut self, _: &SearchInfo) {}
}

/// Searches the current position of `game` until a limit is reached or `control` says stop, and
/// reports every finished iteration to `observer` (on this thread). `None` when the position has no
/// legal move, or none of those asked for.
///
/// The same position, limits without time, options and state give the same result.
pub fn search<E: Evaluator + ?Sized>(
    game: &Game,
    limits: &Limits,
    options: &SearchOptions,
    evaluator: &mut E,
    shared: &mut SharedState,
    control: &Control,
    observer: &mut dyn Observer,
) -> Option<SearchResult> {
    let none: &mut [shogi_eval::MaterialEvaluator] = &mut [];
    search_with_helpers(
        game, limits, options, evaluator, none, shared, control, observer,
    )
}

/// [`search`] with one more thread for each evaluator of `helpers`, which should evaluate as `evaluator`
/// does.
///
/// With helpers, results depend on how the threads happen to run; node limits may be exceeded by a few
/// hundred positions for each thread. Where the system starts no more threads, there are fewer.
#[allow(clippy::too_many_arguments)]
pub fn search_with_helpers<E: Evaluator + ?Sized, H: Evaluator + Send>(
    game: &Game,
    limits: &Limits,
    options: &SearchOptions,
    evaluator: &mut E,
    helpers: &mut [H],
    shared: &mut SharedState,
    control: &Control,
    observer: &mut dyn Observer,
) -> Option<SearchResult> {
    let moves = root_moves(game, limits, options);
    if moves.is_empty() {
        return None;
    }
    shared.begin(1 + helpers.len());
    let shared_threads = SharedThreads::new(1 + helpers.len());
    let SharedState {
        tt,
        threads,
        time_manager,
        params,
        unit,
        placement,
        ..
    } = shared;
    let (own, others) = threads.split_first_mut()?;
    let (tt, params, unit, placement) = (&*tt, &*params, *unit, &*placement);
    let (shared_threads, moves) = (&shared_threads, &moves[..]);
    let helper_limits = Limits {
        search_moves: limits.search_moves.clone(),
        ..Limits::default()
    };
    let help = |thread: usize, evaluator: &mut H, own: &mut ThreadState| {
        placement.enter(thread);
        let stopper = Stopper::new(control, &helper_limits, params, shared_threads, thread);
        let worker = Worker::new(game, evaluator, tt, own, params, options, stopper).in_unit(unit);
        let mut no_observer = NoObserver;
        let mut root = Root::new(worker, moves, options.multi_pv, &mut no_observer);
        root.iterate(&helper_limits);
        root.found()
    };
    let help = &help;
    scope(|scope| {
        let end = DoneOnDrop(shared_threads);
        let mut handles = Vec::with_capacity(helpers.len());
        for (index, (evaluator, own)) in helpers.iter_mut().zip(others).enumerate() {
            let builder = Builder::new()
                .name("search helper".to_owned())
                .stack_size(STACK_BYTES);
            let thread = builder.spawn_scoped(scope, move || help(index + 1, evaluator, own));
            handles.extend(thread);
        }
        placement.enter(0);
        let stopper = Stopper::new(control, limits, params, shared_threads, 0)
            .after(time_manager, game.position().ply());
        let worker = Worker::new(game, evaluator, tt, own, params, options, stopper).in_unit(unit);
        let mut root = Root::new(worker, moves, options.multi_pv, observer);
        root.iterate(limits);
        drop(end);
        // A helper that failed has nothing to say.
        let mut found: Vec<ThreadResult> = handles
            .into_iter()
            .filter_map(|handle| handle.join().ok())
            .collect();
        found.insert(0, root.found());
        let winner = if options.multi_pv == 1 {
            vote(&found, params.vote_offset)
        } else {
            0
        };
        let is_own = winner == 0;
        let winner = found.swap_remove(winner);
        root.worker.stopper.wait_for_permission(limits.infinite);
        *time_manager = root.worker.stopper.memory();
        Some(root.result(&winner, is_own))
    })
}

/// The moves to be searched at the root.
fn root_moves(game: &Game, limits: &Limits, options: &SearchOptions) -> Vec<Move> {
    use shogi_core::movegen::{Legal, LegalAll};
    let position = game.position();
    if limits.search_moves.is_empty() {
        return if options.generate_all_legal_moves {
            position.moves::<LegalAll>().to_vec()
        } else {
            position.moves::<Legal>().to_vec()
        };
    }
    // Any legal move may be asked for, pointless or not.
    let mut moves = limits.search_moves.clone();
    moves.retain(|&m| position.is_legal(m));
    moves.sort_unstable();
    moves.dedup();
    moves
}

/// The vote for the move to play: that of the thread that found the shortest mate; else that for which the most
/// threads speak, the louder the deeper they searched and the better they think it is.
fn vote(found: &[ThreadResult], offset: i32) -> usize {
    let known = |found: &ThreadResult| found.score > -INFINITE && found.depth > 0;
    if !known(&found[0]) || found.len() == 1 {
        return 0;
    }
    let worst = found
        .iter()
        .filter(|found| known(found))
        .map(|found| found.score)
        .min()
        .unwrap_or(Score::ZERO);
    let voice =
        |found: &ThreadResult| i64::from(found.score - worst + offset) * i64::from(found.depth);
    let votes = |m: Move| -> i64 {
        found
            .iter()
            .filter(|found| known(found) && found.best == m)
            .map(voice)
            .sum()
    };
    let mut winner = 0;
    for (index, candidate) in found.iter().enumerate().skip(1) {
        let best = &found[winner];
        if !known(candidate) {
            continue;
        }
        let better = if best.score.abs() >= MATE_IN_MAX_PLY {
            // A shorter mate, or a longer resistance.
            candidate.score > best.score
        } else if candidate.score.abs() >= MATE_IN_MAX_PLY {
            candidate.score > Score::ZERO
        } else {
            let key = |found: &ThreadResult| (votes(found.best), voice(found));
            key(candidate) > key(best)
        };
        if better {
            winner = index;
        }
    }
    winner
}

impl ThreadResult {
    /// The line as it is reported, with its score in the evaluator's unit.
    pub(crate) fn info(
        &self,
        score: Value,
        nodes: u64,
        hash_full: u32,
        elapsed: std::time::Duration,
    ) -> SearchInfo {
        SearchInfo {
            depth: self.depth,
            sel_depth: self.sel_depth as u32,
            multi_pv: 1,
            score,
            bound: self.bound,
            nodes,
            hash_full,
            elapsed,
            pv: self.pv.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use shogi_core::{Piece, Square};

    use super::*;
    use crate::Bound;

    fn vote_of(found: &[ThreadResult]) -> usize {
        vote(found, crate::Params::default().vote_offset)
    }

    fn found(to: Square, score: i32, depth: u32) -> ThreadResult {
        let best = Move::normal(Square::S7G, to, Piece::BlackPawn);
        ThreadResult {
            best,
            score: Score::new(score),
            bound: Bound::Exact,
            depth,
            sel_depth: 0,
            pv: vec![best],
        }
    }

    #[test]
    fn votes_count_by_depth_and_score() {
        let (a, b) = (Square::S7F, Square::S7E);
        assert_eq!(vote_of(&[found(a, 10, 9)]), 0);
        // Two against one.
        assert_eq!(
            vote_of(&[found(a, 10, 9), found(b, 9, 9), found(b, 10, 9)]),
            2
        );
        // One that is much deeper and better against one.
        assert_eq!(vote_of(&[found(a, 10, 9), found(b, 60, 12)]), 1);
        assert_eq!(vote_of(&[found(a, 10, 9), found(b, -60, 12)]), 0);
        // Mates are not voted on.
        assert_eq!(
            vote_of(&[found(a, 10, 9), found(a, 10, 9), found(b, 31_990, 7)]),
            2
        );
        assert_eq!(vote_of(&[found(a, 31_980, 9), found(b, 31_990, 7)]), 1);
        assert_eq!(vote_of(&[found(a, 31_990, 9), found(b, 500, 7)]), 0);
        // A thread that has not finished an iteration has no vote.
        assert_eq!(vote_of(&[found(a, 10, 9), found(b, -INFINITE.get(), 0)]), 0);
    }

    fn places(sizes: &[usize], threads: usize) -> Vec<usize> {
        let nodes = sizes.iter().map(|&size| (0..size).collect()).collect();
        let placement = ThreadPlacement::on_nodes(nodes);
        (0..threads)
            .map(|thread| placement.node_of(thread).unwrap())
            .collect()
    }

    #[test]
    fn nodes_fill_evenly() {
        assert_eq!(places(&[4, 4], 5), [0, 1, 0, 1, 0]);
        // Twice as many processors, twice as many threads.
        assert_eq!(places(&[2, 4], 6), [1, 0, 1, 1, 0, 1]);
        assert_eq!(places(&[3], 4), [0; 4]);
        // More threads than processors.
        assert_eq!(places(&[1, 1], 5), [0, 1, 0, 1, 0]);
    }

    #[test]
    fn empty_nodes_take_no_thread() {
        assert_eq!(places(&[0, 2, 0, 2], 4), [0, 1, 0, 1]);
        assert_eq!(
            ThreadPlacement::on_nodes(vec![vec![]]),
            ThreadPlacement::anywhere()
        );
        assert_eq!(ThreadPlacement::anywhere().node_of(3), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_thread_stays_where_it_is_put() {
        let everywhere = allowed();
        let last = *everywhere.last().unwrap();
        std::thread::spawn(move || {
            let placement = ThreadPlacement::on_processors();
            assert_eq!(placement.nodes().len(), everywhere.len());
            placement.enter(everywhere.len() * 2 - 1);
            assert_eq!(allowed(), [last]);
            // A process that is started now stays there too.
            let list = std::process::Command::new("cat")
                .arg("/proc/self/status")
                .output()
                .unwrap();
            let text = String::from_utf8(list.stdout).unwrap();
            assert!(text.contains(&format!("Cpus_allowed_list:\t{last}\n")));
        })
        .join()
        .unwrap();
    }
}
