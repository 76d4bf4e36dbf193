//! `book from_games`: a book of the positions of game records.

use std::sync::Arc;
use std::time::Duration;

use othello_book::files::{self, BookOutputMode};
use othello_book::ops::{GameEnd, GamePositions, LeafValues, negamax};
use othello_book::store::{MemoryBook, PositionLookup as _, PositionStore as _};
use othello_bookwork::{end_threads, search_ends};
use othello_core::{Board, State};
use othello_eval::Weights;
use othello_record::{ArchivedRecord, GameVariant, OthelloOutcome};
use yane_cli::{Settings, UsageError};
use yane_io::{Checksum, Error, Flush, Job, Journal, RunIdentity};

use super::writing;
use crate::args::{FromGames, Levels};
use crate::print::print_counts;
use crate::protocol::threads;
use crate::settings::hash_bytes;

/// Bytes of the transposition table unless `--hash` says otherwise.
const HASH: u64 = 16 << 20;

pub(super) fn from_games(
    args: &FromGames,
    settings: &Settings,
) -> anyhow::Result<std::process::ExitCode> {
    let levels = levels(args)?;
    let paths = args.inputs.paths()?;
    let writing = writing(&args.output, &args.reading)?;
    let _claim = settings.overwrite().claim(&args.output, &paths)?;
    let job = settings.job()?;
    let mut positions = GamePositions::new(args.plies);
    let work = |read: ArchivedRecord| {
        // Who has won an anti game would have lost a usual one.
        let is_usual = read.record.info.variant == GameVariant::Standard;
        let result = read.record.result().filter(|_| is_usual);
        let end = match result.map(|result| result.outcome) {
            Some(OthelloOutcome::Score(score)) => GameEnd::Score(score),
            Some(OthelloOutcome::Win(side)) => GameEnd::Win(side),
            None => GameEnd::Unknown,
        };
        (read.record.game(), end)
    };
    let tally = args.inputs.for_each(&paths, &job, work, |_, (game, end)| {
        positions.add(&game, end);
        Ok(())
    })?;
    if positions.games() == 0 {
        anyhow::bail!("no game could be read ({} bad)", tally.bad);
    }
    let games = positions.games();
    let mut book = positions.into_book(args.min_games);
    let mut searched = 0;
    let mut journal = None;
    if args.engine.level.is_some() {
        let ends = ends(&book);
        searched = ends.len() as u64;
        journal = Some(search(args, levels, &mut book, &ends, settings, &job)?);
    }
    let saved = files::save(&book, &args.output, BookOutputMode::Write, writing)?;
    if let Some(journal) = journal {
        journal.remove()?;
    }
    drop(job);
    let counts = [
        ("games", games),
        ("bad", tally.bad),
        ("positions", saved.positions),
        ("searched", searched),
    ];
    print_counts(&counts, settings.json)?;
    Ok(tally.code())
}

/// The positions without a child in the book, in the order of their boards.
fn ends(book: &MemoryBook) -> Vec<Board> {
    let has_child = |board: Board| {
        board.legal_moves().iter().any(|square| {
            let child = board.play_unchecked(square);
            let next = if child.state() == State::Pass {
                child.passed()
            } else {
                child
            };
            book.find(next).is_some()
        })
    };
    let boards = book.in_order().filter_map(|number| book.board(number));
    boards.filter(|&board| !has_child(board)).collect()
}

/// Searches the ends of all lines at a level, and recomputes the values of the other positions from them. What was searched lies
/// in a journal, from which the same command goes on.
fn search(
    args: &FromGames,
    levels: Levels,
    book: &mut MemoryBook,
    ends: &[Board],
    settings: &Settings,
    job: &Job,
) -> anyhow::Result<Journal> {
    let number = args.engine.level.unwrap_or_default();
    let weights = match &args.engine.search.weights {
        Some(path) => Weights::load(path)?,
        None => Weights::built_in(),
    };
    let identity = identity(number, levels, &weights, ends);
    let path = Journal::path_of(&args.output);
    let mut journal = Journal::open(&path, &identity, Flush::Every(Duration::from_secs(10)))
        .map_err(|error| match error {
            Error::OtherRun { .. } => anyhow::anyhow!("{error}; remove it to begin anew"),
            _ => error.into(),
        })?
        .tell(|note| job.progress.note(note));
    let count = settings.threads.map_or(Ok(1), |_| threads(settings))?;
    // A small table for each: it is emptied for each position.
    let hash = hash_bytes(args.engine.search.hash.map_or(HASH, yane_cli::Size::bytes))?;
    let workers = end_threads(count, hash, levels.level(number), &Arc::new(weights));
    let values = search_ends(&workers, ends, &mut journal, job)?;
    for (&board, value) in ends.iter().zip(values) {
        if let Some(known) = book.get_mut(board) {
            known.value = value;
        }
    }
    let numbers: Vec<u32> = book.in_order().collect();
    for number_of_position in numbers {
        let mut known = book.known(number_of_position);
        known.level = number.clamp(1, 60) as i8;
        book.set(number_of_position, &known);
    }
    if let Some(header) = &mut book.header {
        header.level = number.clamp(1, 60) as i32;
    }
    negamax(book, Board::START, LeafValues::Ignore);
    Ok(journal)
}

/// The program whose level the book is to hold: other programs know nothing of our own levels.
fn levels(args: &FromGames) -> Result<Levels, UsageError> {
    match args.engine.levels {
        None => Ok(Levels::Egaroucid),
        Some(Levels::Own) => {
            let text = "--levels own: a book holds a level of egaroucid or edax";
            Err(UsageError(text.to_owned()))
        }
        Some(levels) => Ok(levels),
    }
}

/// All that the values of the ends depend on.
fn identity(level: u32, levels: Levels, weights: &Weights, ends: &[Board]) -> RunIdentity {
    let boards = ends
        .iter()
        .flat_map(|board| [board.mover(), board.opponent()]);
    let boards: Vec<u8> = boards.flat_map(u64::to_le_bytes).collect();
    RunIdentity::new("othello book from_games 2")
        .with("level", level)
        .with("levels", format!("{levels:?}"))
        .with("weights", Checksum::of_bytes(&weights.to_bytes("")))
        .with("ends of lines", Checksum::of_bytes(&boards))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_weights_and_other_games_are_another_run() {
        let [ours, others] = [Weights::built_in(), Weights::untrained()];
        let run = |weights, ends: &[Board]| identity(4, Levels::Egaroucid, weights, ends);
        let begun = run(&ours, &[Board::START]);
        let told = |now: RunIdentity| now.difference(&begun).map(|it| it.to_string());
        assert_eq!(told(run(&ours, &[Board::START])), None);
        let weights = told(run(&others, &[Board::START])).unwrap();
        assert!(
            weights.starts_with("weights differ (expected "),
            "{weights}"
        );
        let ends = told(run(&ours, &[])).unwrap();
        assert!(ends.starts_with("ends of lines differ "), "{ends}");
    }
}
