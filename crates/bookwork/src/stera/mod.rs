//! Growing a book along its best play ("super tera shock").
//!
//! A book in which every position has a value for each of its legal moves is a game tree that was searched as
//! far as the book goes. The next position to search is where the best play leaves it; its values change the best
//! play. `search_delta` adds leaves around the best play, `search_delta_on_kif` those around it that occur in
//! given games.
//!
//! * `graph`: positions, moves and values, kept up to date as the book grows; the choice of a leaf.
//! * `search`: the search of a position; `choice`: the backlog that hands out leaves to many engines, none twice.
//! * [`run`](fn@run): all of it, with a journal, so that only the positions in progress are ever lost.
//! * [`serve`]: the same with other machines, which [`work`] and do not have the book.
//!
//! Reference: `makebook stera` of YaneuraOu V7.61 and its documentation; nothing is searched twice there
//! either, but for positions that end the best play by repetition, which here have a value of their own.

mod books;
mod choice;
mod graph;
mod journal;
mod options;
mod search;
mod store;
mod write;

use farm::RunControl;
use farm::queue::{Queue, RefusedResult, Server};
use shogi_farm::{Engine, EnginePool, EngineWorkers, SharedContents, WorkerContext};
use yane_book::Job;

use crate::Result;
#[cfg(doc)]
use crate::report::BookReport;
use crate::report::{BookObserver, BookRunEvent, BookSummary};
use crate::search::{PositionItem, SearchWork, Searched, work_for_queue};
use crate::think::search::NO_ENTRY;
use crate::think::{engine_kinds, fingerprint};

pub use crate::report::SteraStep;
use books::Start;
pub use options::{SteraOptions, SteraSummary};
use search::SteraSearch;

/// Grows a book until `options.think_limit` positions are searched, no leaf is left, or `control` ends the run. The
/// same call resumes a run that was interrupted: all that was searched is in the journal beside the output. `job`
/// is for reading books.
///
/// # Errors
/// When a file cannot be read or written, or no engine is left. What was searched is safe.
pub fn run(
    options: &SteraOptions,
    pool: &EnginePool,
    control: &RunControl,
    job: &Job,
    observer: &BookObserver<'_>,
) -> Result<SteraSummary> {
    let start = Start::read(options, job)?;
    start.record(
        options,
        pool.workers(),
        control,
        observer,
        |choice, recorder| {
            let search = SteraSearch::new(options);
            // The result is known before the engine gets its next position, so that one engine alone always does the
            // same.
            let work = SearchWork(|item: &PositionItem, context: &mut WorkerContext<'_>| {
                let searched = search.search(item.position(), context)?;
                // It has every legal move, and no other engine had the position.
                let mut choice = choice.lock();
                choice.learn(item, Some(&searched.moves)).ok();
                choice.unsaved.insert(item.key());
                Ok(searched)
            });
            let workers = EngineWorkers::new(pool, &work);
            farm::run(&workers, choice, control, options.policy, recorder)
        },
    )
}

/// The queue at the server `url` by which machines share such a run. They have in common how to search, the options
/// of their engines, the roots, and the name of the book that is written.
///
/// # Errors
/// When the roots cannot be read.
pub fn queue(options: &SteraOptions, engines: &[Engine], url: &str) -> Result<Queue> {
    let roots = books::roots(options.roots.as_deref())?;
    let description = format!(
        "s_tera 2 {:?} roots {:016x} nodes {} declaration {:?} forget {} engines {:?}",
        options.write_book.file_name(),
        fingerprint(&roots),
        options.nodes_limit,
        options.entering_king,
        options.forget,
        engine_kinds(engines),
    );
    Ok(Queue::new(url, &description))
}

/// Grows a book like [`run`](fn@run) by the searches of the workers of `queue` ([`work`]), of which `ahead` are in
/// progress at a time: about as many as there are workers on all machines. With one the book is that of `run` with
/// one worker.
///
/// # Errors
/// When a file cannot be read or written, or the address of the queue is invalid. What was searched is safe.
pub fn serve(
    options: &SteraOptions,
    queue: &Queue,
    ahead: usize,
    control: &RunControl,
    job: &Job,
    observer: &BookObserver<'_>,
) -> Result<SteraSummary> {
    let server = Server::new(queue, control);
    let on_error = |reason: &str| observer(&BookRunEvent::TransientError { reason });
    // Before books are read, which may take long.
    server.open(on_error)?;
    let start = Start::read(options, job)?;
    start.record(options, 0, control, observer, |choice, recorder| {
        let shared = SharedContents::new(&options.contents);
        let decode = |item: &PositionItem, message: &[u8]| {
            shared.read(message, RefusedResult::new, |bytes| {
                journal::decode_result(bytes, item).ok_or_else(|| RefusedResult::new(NO_ENTRY))
            })
        };
        if server.round(ahead, choice, decode, recorder)? {
            // The journal has everything: a process that is restarted has nothing to hand out.
            server.close(on_error)?;
        }
        Ok(())
    })
}

/// Searches as `options` say for the process that [`serve`]s `queue`, until nothing is left or `control` ends the
/// run. Files are neither read nor written.
///
/// # Errors
/// When no engine is left, or the address of the queue is invalid.
pub fn work(
    options: &SteraOptions,
    pool: &EnginePool,
    queue: &Queue,
    control: &RunControl,
    observer: &BookObserver<'_>,
) -> Result<BookSummary> {
    let search = SteraSearch::new(options);
    let search = |item: &PositionItem, context: &mut WorkerContext<'_>| {
        search.search(item.position(), context)
    };
    let encode = |item: &PositionItem, searched: &Searched| journal::encode_result(item, searched);
    work_for_queue(
        pool,
        options.policy,
        queue,
        control,
        observer,
        search,
        encode,
    )
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn other_searches_have_another_queue() {
        let options = SteraOptions::default();
        let id = |options: &SteraOptions, hash: &str| {
            let mut engine = Engine::program("engines/a");
            let hash = ("USI_Hash".to_owned(), hash.to_owned());
            engine.options.extend([hash]);
            let queue = queue(options, &[engine], "nats://a").unwrap();
            queue.id().to_owned()
        };
        let usual = id(&options, "1");
        let elsewhere = SteraOptions {
            write_book: "other/folder/write_book.db".into(),
            read_book: "other.db".into(),
            think_limit: 7,
            ..options.clone()
        };
        assert_eq!(id(&elsewhere, "1"), usual);
        let longer = SteraOptions {
            nodes_limit: 7,
            ..options.clone()
        };
        let named = SteraOptions {
            write_book: "book/other.db".into(),
            ..options.clone()
        };
        let others = BTreeSet::from([id(&longer, "1"), id(&named, "1"), id(&options, "2"), usual]);
        assert_eq!(others.len(), 4);
    }
}
