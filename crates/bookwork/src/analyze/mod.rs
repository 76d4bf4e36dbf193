//! Values for the moves of a book (`makebook analyze`).
//!
//! # What is searched
//!
//! Every position of the book once, whatever its ply, unless it is known well enough: all its moves have a value
//! (`BookMove::has_value`) at the depth that is asked for, and there are as many moves as are wanted. Positions in which the
//! side to move is mated or may declare a win are skipped.
//!
//! First the best moves are looked for (`Think::lines`), then those moves of the book that are not among them
//! (`searchmoves`); an engine that knows no `searchmoves` is asked about the position after each move instead. With
//! [`OtherMoves::Ignore`] only the moves of the book are searched.
//!
//! # What is written
//!
//! The book with its positions in their order and its comments. A move that was searched gets value and depth in the units of
//! [`crate::think`], and its expected reply; its count stays. Best moves that the book does not have are added, with
//! [`BookAnalysis::count_of_new`] as their count. Moves of a position are sorted by count and value.
//!
//! # Crash safety
//!
//! Each position is in the journal beside the output as soon as it has been searched; the book is written when all are. The
//! same command resumes where it was interrupted. Other settings have another journal: the old one must be used up or removed.
//!
//! # Many machines
//!
//! As for [`crate::think`]: one process has the book ([`AnalyzeTask::serve`]), others have a copy of it and search ([`work`]).

mod options;
mod record;
mod search;
mod task;

use farm::RunControl;
use farm::queue::Queue;
use shogi_farm::{Engine, EnginePool, WorkerContext};
use yane_io::Job;

use crate::Result;
use crate::report::{BookObserver, BookSummary};
use crate::search::{PositionItem, Searched, work_for_queue};
use crate::think;

use options::queue_of;
pub use options::{AnalyzeScope, BookAnalysis, OtherMoves};
pub use task::AnalyzeTask;

/// The queue at the server `url` by which machines share the positions of the same book, searched in the same way: see
/// [`fn@crate::think::queue`].
///
/// # Errors
/// When the book cannot be read, or has no position that is asked for.
pub fn queue(options: &BookAnalysis, engines: &[Engine], url: &str, job: &Job) -> Result<Queue> {
    let positions = task::ListedBook::read(options, job)?;
    Ok(queue_of(options, engines, positions.fingerprint(), url))
}

/// Searches as `options` say for the process that [serves](AnalyzeTask::serve) `queue`, until nothing is left or `control`
/// ends the run. Files are neither read nor written.
///
/// # Errors
/// When no engine is left, or the address of the queue is invalid.
pub fn work(
    options: &BookAnalysis,
    pool: &EnginePool,
    queue: &Queue,
    control: &RunControl,
    observer: &BookObserver<'_>,
) -> Result<BookSummary> {
    let search = |item: &PositionItem, context: &mut WorkerContext<'_>| {
        search::search(item, options, context)
    };
    let encode = |_: &PositionItem, searched: &Searched| think::search::encode(searched);
    let policy = options.think.retry_policy();
    work_for_queue(pool, policy, queue, control, observer, search, encode)
}

#[cfg(test)]
mod tests {
    use shogi_core::{Move16, MoveText};
    use yane_book::BookMove;

    use super::*;

    fn line(mv: &str, eval: i32, depth: i32, count: u64) -> BookMove {
        let mv = MoveText::from_usi(mv).map(Move16::encode);
        BookMove {
            eval,
            depth,
            count,
            ..BookMove::new(mv)
        }
    }

    #[test]
    fn counts_stay_and_best_moves_are_added() {
        let mut options = BookAnalysis::new("book.db");
        let known = vec![line("7g7f", 0, 32, 9), line("9g9f", 0, 32, 1)];
        let reply = MoveText::from_usi("3c3d").map(Move16::encode);
        let best = BookMove {
            ponder: reply,
            ..line("2g2f", 40, 24, 1)
        };
        let searched = [best, line("7g7f", 30, 24, 1)];
        let mut moves = known.clone();
        options.join(&mut moves, &searched);
        let expected = [
            line("7g7f", 30, 24, 9),
            line("9g9f", 0, 32, 1),
            BookMove { count: 0, ..best },
        ];
        assert_eq!(moves, expected);
        options.others = OtherMoves::Ignore;
        let mut moves = known;
        options.join(&mut moves, &searched);
        assert_eq!(moves, expected[..2]);
    }

    #[test]
    fn other_settings_have_another_journal() {
        let options = BookAnalysis::new("book.db");
        let engine = [Engine::program("engines/a")];
        let mut other = options.clone();
        other.others = OtherMoves::Ignore;
        let mut moved = options.clone();
        moved.source = "elsewhere.db".into();
        assert_ne!(options.description(&engine), other.description(&engine));
        assert_eq!(options.description(&engine), moved.description(&engine));
    }
}
