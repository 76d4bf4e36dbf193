//! Searched positions as bytes, in the journal and over a queue; and the recorder of a run, which writes the journal, and the
//! book at checkpoints.
//!
//! | bytes | what |
//! | --- | --- |
//! | 1 | 0: a position with its moves; 1: one without legal moves; 2: one that was given up |
//! | 32 | the position, packed |
//! | 2 | its ply |
//! | then, for each move: 2 | the move |
//! | 2 | the expected reply, or 0 |
//! | 2 | value |
//! | 2 | depth |
//!
//! All numbers are little-endian.
//!
//! The message of a result over a queue is the number of nodes (8 bytes), then the same bytes; it is empty when the
//! position was given up.

use super::write;
use farm::{Recorder, RunCompletion, RunControl, RunLog, SharedBacklog};
use shogi_core::Move16;
use shogi_packed::PackedSfen;
use yane_book::BookMove;
use yane_io::{Journal, beside};

use super::choice::Choice;
use super::{SteraOptions, SteraSummary};
use crate::report::SteraStep;
use crate::report::{BookObserver, BookReport, BookRun, BookRunEvent};
use crate::search::{PositionItem, Searched, log_given_up, log_searched};
use crate::{BookworkError, Result};

/// The bytes of a position with its moves, `None` when it was given up. No bytes for a position that cannot be
/// packed.
pub(super) fn encode(item: &PositionItem, moves: Option<&[BookMove]>) -> Option<Vec<u8>> {
    let packed = PackedSfen::encode(item.position()).ok()?;
    let kind = match moves {
        Some([]) => 1,
        Some(_) => 0,
        None => 2,
    };
    let mut bytes = vec![kind];
    bytes.extend_from_slice(&packed.0);
    let ply = u16::try_from(item.position().ply()).unwrap_or(u16::MAX);
    bytes.extend_from_slice(&ply.to_le_bytes());
    for known in moves.unwrap_or_default() {
        let bits = |mv: Option<Move16>| mv.map_or(0, |mv| mv.0);
        for word in [
            bits(known.mv),
            bits(known.ponder),
            known.eval as i16 as u16,
            known.depth as u16,
        ] {
            bytes.extend_from_slice(&word.to_le_bytes());
        }
    }
    Some(bytes)
}

/// Reads the bytes of [`encode`]; `None` when they are invalid.
pub(super) fn decode(bytes: &[u8]) -> Option<(PositionItem, Option<Vec<BookMove>>)> {
    let (&kind, rest) = bytes.split_first()?;
    let (packed, rest) = rest.split_first_chunk::<32>()?;
    let (ply, rest) = rest.split_first_chunk::<2>()?;
    let position = PackedSfen(*packed).decode().ok()?;
    let item = PositionItem::new(position.with_ply(u16::from_le_bytes(*ply).into()));
    let (moves, []) = rest.as_chunks::<8>() else {
        return None;
    };
    let book_move = |bytes: &[u8; 8]| {
        let [mv, ponder, eval, depth] =
            [0, 2, 4, 6].map(|at| u16::from_le_bytes([bytes[at], bytes[at + 1]]));
        let named = |bits| (bits != 0).then_some(Move16(bits));
        BookMove {
            mv: named(mv),
            ponder: named(ponder),
            eval: i32::from(eval as i16),
            depth: depth.into(),
            count: 1,
        }
    };
    let moves = match kind {
        0 => Some(moves.iter().map(book_move).collect()),
        1 => Some(Vec::new()),
        2 => None,
        _ => return None,
    };
    Some((item, moves))
}

/// The message of a result.
pub(super) fn encode_result(item: &PositionItem, searched: &Searched) -> Vec<u8> {
    // A position that cannot be packed was not handed out.
    let entry = encode(item, Some(&searched.moves)).unwrap_or_default();
    [&searched.nodes.to_le_bytes(), &entry[..]].concat()
}

/// Reads the message of [`encode_result`]. `None` when it was given up, or is about another position.
pub(super) fn decode_result(bytes: &[u8], item: &PositionItem) -> Option<Searched> {
    let (nodes, bytes) = bytes.split_first_chunk()?;
    let (found, moves) = decode(bytes)?;
    let moves = moves.filter(|_| found == *item)?;
    Some(Searched {
        depth: moves.first().map_or(0, |best| best.depth as u32),
        moves,
        nodes: u64::from_le_bytes(*nodes),
    })
}

// The recorder of a run: the journal, and the book at checkpoints.

/// Keeps the journal and the book of a run.
pub(super) struct SteraRecorder<'a> {
    options: &'a SteraOptions,
    choice: &'a SharedBacklog<Choice>,
    journal: Journal,
    log: RunLog<'a, BookRun>,
    /// Positions of the book.
    positions: u64,
    /// Positions that are finished, those of interrupted runs included.
    finished: u64,
    /// The number of the next unit of the journal, of which some may have been lost.
    next_number: u64,
    since_save: u64,
    numbered_saves: u32,
}

impl<'a> SteraRecorder<'a> {
    /// The recorder of a run that starts now.
    pub(super) fn new(
        options: &'a SteraOptions,
        choice: &'a SharedBacklog<Choice>,
        journal: Journal,
        observer: &'a BookObserver<'a>,
    ) -> Self {
        let known = choice.lock();
        Self {
            positions: known.store.graph.len() as u64,
            finished: known.turn,
            next_number: journal
                .numbers()
                .last()
                .map_or(known.turn, |last| known.turn.max(last + 1)),
            options,
            choice,
            journal,
            log: RunLog::new(observer),
            since_save: 0,
            numbered_saves: 0,
        }
    }

    /// Makes a finished position safe; `moves` are none when it was given up.
    fn put(&mut self, item: &PositionItem, moves: Option<&[yane_book::BookMove]>) -> Result<()> {
        if let Some(bytes) = encode(item, moves) {
            self.journal.put(self.next_number, &bytes)?;
        }
        self.next_number += 1;
        self.finished += 1;
        let mut choice = self.choice.lock();
        choice.unsaved.remove(&item.key());
        let graph = &choice.store.graph;
        self.positions = (graph.len() - choice.unsaved.len()) as u64;
        let root = graph.find(choice.roots[0].0);
        let root_value = root.map(|root| graph.value(root));
        drop(choice);
        self.log.report(BookReport::Stera(SteraStep::Grown {
            root_value,
            positions: self.positions,
            finished: self.finished,
        }));
        self.since_save += 1;
        if self.since_save >= self.options.save_interval.max(1) {
            self.save()?;
        }
        Ok(())
    }

    /// Writes a checkpoint: the book.
    fn save(&mut self) -> Result<()> {
        let new = std::mem::take(&mut self.since_save);
        let path = &self.options.write_book;
        // A crash of the machine must not leave a book that is ahead of it.
        self.journal.flush()?;
        self.positions = write::write(self.choice, path, self.options.line_end)?;
        if self.options.numbered_saves {
            let numbered = loop {
                self.numbered_saves += 1;
                let path = beside(path, &format!(".{:06}", self.numbered_saves));
                if !path.exists() {
                    break path;
                }
            };
            write::write(self.choice, &numbered, self.options.line_end)?;
        }
        let saves = self.log.summary.saves + 1;
        self.log.saved(path, new);
        self.log.summary.saves = saves;
        Ok(())
    }

    /// Writes the book for the last time. The journal is not needed any more when the run is complete.
    pub(super) fn finish(
        mut self,
        result: Result<()>,
        control: &RunControl,
    ) -> Result<SteraSummary> {
        // A run that found nothing leaves no book.
        if self.positions > 0 {
            self.save()?;
        } else {
            // It has the positions that were given up.
            self.journal.flush()?;
        }
        if let Err(error) = result {
            if self.journal.is_empty() {
                self.journal.remove()?;
            }
            return Err(error);
        }
        let completion = RunCompletion::of_control(control);
        if completion.is_complete() {
            self.journal.remove()?;
        }
        Ok(SteraSummary {
            positions: self.positions,
            finished: self.finished,
            summary: self.log.finish(completion),
        })
    }
}

impl Recorder for SteraRecorder<'_> {
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
        // Workers of this process have put it into the graph already.
        if worker.is_none() {
            let learned = self.choice.lock().learn(item, Some(&searched.moves));
            if learned.is_err() {
                // It lacks a legal move, which is worth as little as none.
                return self.give_up(item);
            }
        }
        log_searched(&mut self.log, worker, item.position(), &searched);
        self.put(item, Some(&searched.moves))
    }

    fn give_up(&mut self, item: &PositionItem) -> Result<()> {
        self.choice.lock().learn(item, None).ok();
        log_given_up(&mut self.log, item.position());
        self.put(item, None)
    }

    fn on_event(&mut self, event: &BookRunEvent<'_>) {
        self.log.on_event(event);
    }
}

#[cfg(test)]
mod tests {
    use shogi_core::Position;

    use super::*;

    #[test]
    fn entries_round_trip() {
        let mv = |text| shogi_core::MoveText::from_usi(text).map(Move16::encode);
        let item = PositionItem::new(Position::startpos().with_ply(300));
        let moves = vec![
            BookMove {
                ponder: mv("3c3d"),
                eval: -32_000,
                depth: 9,
                ..BookMove::new(mv("7g7f"))
            },
            BookMove {
                eval: 31_999,
                ..BookMove::new(mv("2g2f"))
            },
        ];
        for moves in [Some(moves), Some(Vec::new()), None] {
            let bytes = encode(&item, moves.as_deref()).unwrap();
            let (again, found) = decode(&bytes).unwrap();
            assert_eq!(again.position().to_sfen(), item.position().to_sfen());
            assert_eq!((&again, &found), (&item, &moves));
            for len in 0..bytes.len() {
                let cut = decode(&bytes[..len]);
                assert!(cut.is_none() || len % 8 == 35 % 8, "{len}");
            }
            // The same as the result of a worker.
            let searched = moves.map(|moves| Searched {
                depth: moves.first().map_or(0, |best| best.depth as u32),
                moves,
                nodes: 1 << 40,
            });
            let message = match &searched {
                Some(searched) => encode_result(&item, searched),
                None => [&[0; 8][..], &bytes].concat(),
            };
            assert_eq!(decode_result(&message, &item), searched);
            for bytes in [
                &message[..message.len() - 1],
                &message[..12],
                &message[..5],
                b"",
            ] {
                assert!(decode_result(bytes, &item).is_none());
            }
            let mut after = item.position().clone();
            let _ = after.do_move_unchecked(after.move_from_usi("7g7f").unwrap());
            assert!(decode_result(&message, &PositionItem::new(after)).is_none());
        }
        assert_eq!(decode(&[9; 35]), None);
    }
}
