//! Positions as work items, the outputs of their search, and the values of scores in text books.

use std::hash::{Hash, Hasher};

use farm::queue::{Queue, RemoteItem};
use farm::{Finished, Recorder, RetryPolicy, RunCompletion, RunControl, RunLog, WorkError};
use shogi_core::{Move, Position};
use shogi_farm::{EnginePool, EngineWorkers, SentContents, Work, WorkerContext};
use shogi_usi::Score;
use xxhash_rust::xxh3::xxh3_64;
use yane_book::BookMove;

use crate::report::{BookObserver, BookReport, BookRun, BookRunEvent, BookSummary};
use crate::{BookworkError, Result};

/// A position to be searched.
#[derive(Clone, Debug)]
pub(crate) struct PositionItem {
    key: u128,
    position: Position,
    /// Moves that are to be searched whether they are good or not.
    moves: Vec<Move>,
}

impl PositionItem {
    pub(crate) fn new(position: Position) -> Self {
        Self {
            key: position.key128(),
            position,
            moves: Vec::new(),
        }
    }

    /// The position with moves, all legal, that are to be searched whether they are good or not.
    pub(crate) fn with_moves(position: Position, moves: Vec<Move>) -> Self {
        Self {
            moves,
            ..Self::new(position)
        }
    }

    /// Moves that are to be searched whether they are good or not.
    pub(crate) fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// The key of the position.
    pub(crate) const fn key(&self) -> u128 {
        self.key
    }

    /// The position.
    pub(crate) const fn position(&self) -> &Position {
        &self.position
    }
}

impl PartialEq for PositionItem {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl Eq for PositionItem {}

impl Hash for PositionItem {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key.hash(state);
    }
}

impl RemoteItem for PositionItem {
    /// The number of the position in a journal, too, whatever its ply.
    fn number(&self) -> u64 {
        position_number(&self.position.to_sfen_without_ply())
    }

    /// The SFEN, and each move on a line of its own.
    fn payload(&self) -> Vec<u8> {
        let mut text = self.position.to_sfen();
        for m in &self.moves {
            text.push('\n');
            text.push_str(&m.to_string());
        }
        text.into_bytes()
    }

    fn from_message(_: u64, payload: &[u8]) -> Option<Self> {
        let mut lines = std::str::from_utf8(payload).ok()?.lines();
        let position = Position::from_sfen(lines.next()?).ok()?;
        let legal = |text| {
            position
                .move_from_usi(text)
                .ok()
                .filter(|&m| position.is_legal(m))
        };
        let moves = lines.map(legal).collect::<Option<_>>()?;
        Some(Self::with_moves(position, moves))
    }
}

/// The number of a position by its SFEN without ply.
pub(crate) fn position_number(sfen: &str) -> u64 {
    xxh3_64(sfen.as_bytes())
}

/// A position that was searched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Searched {
    /// Its moves, best first; none when there is no legal move.
    pub(crate) moves: Vec<BookMove>,
    /// Depth of the best line that was reached.
    pub(crate) depth: u32,
    /// Nodes searched.
    pub(crate) nodes: u64,
}

/// The work of searching positions with a function.
pub(crate) struct SearchWork<F>(pub(crate) F);

impl<F> Work for SearchWork<F>
where
    F: Fn(&PositionItem, &mut WorkerContext<'_>) -> std::result::Result<Searched, WorkError> + Sync,
{
    type Item = PositionItem;
    type Output = Searched;

    fn work(
        &self,
        item: &PositionItem,
        context: &mut WorkerContext<'_>,
    ) -> std::result::Result<Finished<Searched>, WorkError> {
        Ok((self.0)(item, context)?.into())
    }
}

/// Counts and reports a position that was searched.
pub(crate) fn log_searched(
    log: &mut RunLog<'_, BookRun>,
    worker: Option<usize>,
    position: &Position,
    searched: &Searched,
) {
    log.count();
    log.summary.totals.moves += searched.moves.len() as u64;
    log.summary.totals.nodes += searched.nodes;
    if !searched.moves.is_empty() {
        log.report(BookReport::Searched {
            worker,
            position,
            moves: &searched.moves,
            depth: searched.depth,
            nodes: searched.nodes,
        });
    }
}

/// Counts and reports a position that was given up.
pub(crate) fn log_given_up(log: &mut RunLog<'_, BookRun>, position: &Position) {
    log.summary.given_up += 1;
    log.report(BookReport::GivenUp { position });
}

/// Searches the positions of `queue` with `search` until nothing is left or `control` ends the run, and sends what
/// `encode` makes of the outputs. Files are neither read nor written.
///
/// # Errors
/// When no engine is left, or the address of the queue is invalid.
pub(crate) fn work_for_queue<F>(
    pool: &EnginePool,
    policy: RetryPolicy,
    queue: &Queue,
    control: &RunControl,
    observer: &BookObserver<'_>,
    search: F,
    encode: impl Fn(&PositionItem, &Searched) -> Vec<u8>,
) -> Result<BookSummary>
where
    F: Fn(&PositionItem, &mut WorkerContext<'_>) -> std::result::Result<Searched, WorkError> + Sync,
{
    let mut recorder = LogOnly(RunLog::new(observer));
    let work = SearchWork(search);
    let workers = EngineWorkers::new(pool, &work);
    let contents = SentContents::of_pool(pool)?;
    let encode = |item: &PositionItem, searched: &Searched| contents.seal(&encode(item, searched));
    farm::queue::work(queue, &workers, encode, control, policy, &mut recorder)?;
    Ok(recorder.0.finish(RunCompletion::of_control(control)))
}

/// The recorder of a process that keeps no book.
struct LogOnly<'o>(RunLog<'o, BookRun>);

impl Recorder for LogOnly<'_> {
    type Kind = BookRun;
    type Item = PositionItem;
    type Output = Searched;
    type Error = BookworkError;

    fn record(
        &mut self,
        worker: Option<usize>,
        item: &PositionItem,
        searched: Searched,
    ) -> Result<()> {
        log_searched(&mut self.0, worker, item.position(), &searched);
        Ok(())
    }

    fn give_up(&mut self, item: &PositionItem) -> Result<()> {
        log_given_up(&mut self.0, item.position());
        Ok(())
    }

    fn on_event(&mut self, event: &BookRunEvent<'_>) {
        self.0.on_event(event);
    }
}

// Values as text books have them.
//
// The programs that made the field's books wrote their own unit: a pawn is 90, and not 100 as in USI. Books
// that are to be merged with theirs, and limits such as `black_eval_limit -50`, need the same.

/// The value of a pawn in a book; it is 100 in USI.
const PAWN: i64 = 90;
/// A mate on the spot.
const MATE: i64 = 32_000;
/// Mates are longer than so many plies never.
const LONGEST_MATE: i64 = 246;
/// The greatest value that is no mate.
const MOST: i64 = MATE - LONGEST_MATE - 1;

/// A score as a book has it. A mate in n plies is 32,000 − n, being mated the negative of that; a mate of unknown
/// length is the longest (31,754). Everything else lies between.
///
/// Scores of this program's engine get back exactly the value that they had inside the engine.
pub(crate) fn book_eval(score: Score) -> i32 {
    let eval = match score {
        Score::Cp(cp) => {
            let cp = i64::from(cp);
            // Away from zero: centipawns were rounded towards it.
            let eval = (cp.abs() * PAWN + 99) / 100 * cp.signum();
            eval.clamp(-MOST, MOST)
        }
        Score::Mate(plies) => {
            let plies = i64::from(plies.get());
            (MATE - plies.abs().min(LONGEST_MATE)) * plies.signum()
        }
        Score::MateUnknown => MATE - LONGEST_MATE,
        Score::MatedUnknown => LONGEST_MATE - MATE,
    };
    eval as i32
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroI32;

    use shogi_engine::usi_score;
    use shogi_search::Value;

    use super::*;

    #[test]
    fn messages_of_positions_round_trip() {
        let item = PositionItem::new(Position::startpos().with_ply(7));
        let back = PositionItem::from_message(item.number(), &item.payload()).unwrap();
        assert_eq!(back.position().to_sfen(), item.position().to_sfen());
        assert_eq!(PositionItem::from_message(1, b"no position"), None);
        let start = Position::startpos();
        let moves = vec![start.move_from_usi("7g7f").unwrap()];
        let item = PositionItem::with_moves(start, moves.clone());
        let back = PositionItem::from_message(item.number(), &item.payload()).unwrap();
        assert_eq!(back.moves(), moves);
        let illegal = format!("{}\n3c3d", Position::STARTPOS_SFEN);
        assert_eq!(PositionItem::from_message(1, illegal.as_bytes()), None);
    }

    #[test]
    fn values_of_the_engine_come_back() {
        for value in -3000..=3000 {
            assert_eq!(book_eval(usi_score(Value(value))), value);
        }
    }

    #[test]
    fn mates_are_near_the_ends() {
        let mate = |plies| book_eval(Score::Mate(NonZeroI32::new(plies).unwrap()));
        assert_eq!((mate(1), mate(7), mate(-2)), (31_999, 31_993, -31_998));
        assert_eq!((mate(400), mate(-400)), (31_754, -31_754));
        assert_eq!(book_eval(Score::MateUnknown), 31_754);
        assert_eq!(book_eval(Score::MatedUnknown), -31_754);
        assert_eq!(book_eval(Score::Cp(99_999)), 31_753);
        assert_eq!(book_eval(Score::Cp(i32::MIN)), -31_753);
        assert_eq!(book_eval(Score::Cp(0)), 0);
    }
}
