//! What is analysed, and what is done with it.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use farm::queue::Queue;
use shogi_core::Color;
use shogi_farm::{Engine, with_contents};
use yane_book::BookMove;
use yane_book::db::BadLines;
use yane_io::{Overwrite, RunIdentity};

use crate::think;
use crate::think::Think;

/// Choice what becomes of good moves that the book does not have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OtherMoves {
    /// The best moves are looked for, and added to the book.
    #[default]
    Add,
    /// Only the moves of the book are searched.
    Ignore,
}

/// Choice of the positions that are searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AnalyzeScope {
    /// Those that are not known well enough.
    #[default]
    Unknown,
    /// All, once more.
    All,
}

/// Options: which book, how its positions are searched, and what is written.
#[derive(Clone, Debug)]
pub struct BookAnalysis {
    /// The `.db` or `.ybb` book.
    pub source: PathBuf,
    /// How positions are searched: the options of [`Think`] but for records, shard and intervals. Its book is the output, a
    /// `.db` book, which may be `source`; its number of lines is how many best moves are looked for.
    pub think: Think,
    /// Good moves that the book does not have.
    pub others: OtherMoves,
    /// The count of moves that are added.
    pub count_of_new: u64,
    /// The positions to search.
    pub scope: AnalyzeScope,
    /// Only positions with these plies.
    pub plies: Option<RangeInclusive<u32>>,
    /// Only positions with this side to move.
    pub side: Option<Color>,
    /// Overwriting: whether the output may be the input.
    pub overwrite: Overwrite,
    /// Policy for bad lines of the book.
    pub bad_lines: BadLines,
}

impl BookAnalysis {
    /// Analyzes the book `source` in place with the limits of [`Think::new`] and three best moves.
    pub fn new(source: impl Into<PathBuf>) -> Self {
        let source = source.into();
        Self {
            think: Think {
                lines: 3,
                ..Think::new(Vec::new(), &source)
            },
            source,
            others: OtherMoves::default(),
            count_of_new: 0,
            scope: AnalyzeScope::default(),
            plies: None,
            side: None,
            overwrite: Overwrite::Allow,
            bad_lines: BadLines::default(),
        }
    }

    /// All that results depend on besides positions.
    pub(super) fn description(&self, engines: &[Engine]) -> String {
        let how = think::search_description(&self.think, engines);
        format!("{how} others {:?}", self.others)
    }

    /// The same with the contents of engines, for the journal.
    pub(super) fn identity(&self, engines: &[Engine]) -> RunIdentity {
        let description = format!("makebook analyze: {}", self.description(engines));
        with_contents(RunIdentity::new(description), &self.think.contents)
    }

    /// The moves of a position with what was searched about it.
    pub(super) fn join(&self, moves: &mut Vec<BookMove>, searched: &[BookMove]) {
        for known in moves.iter_mut() {
            if let Some(found) = searched.iter().find(|found| found.mv == known.mv) {
                *known = BookMove {
                    ponder: found.ponder.or(known.ponder),
                    count: known.count,
                    ..*found
                };
            }
        }
        if self.others == OtherMoves::Ignore {
            return;
        }
        for found in searched {
            if moves.iter().all(|known| known.mv != found.mv) {
                moves.push(BookMove {
                    count: self.count_of_new,
                    ..*found
                });
            }
        }
    }
}

/// The same for positions of this fingerprint.
pub(super) fn queue_of(
    options: &BookAnalysis,
    engines: &[Engine],
    fingerprint: u64,
    url: &str,
) -> Queue {
    let how = options.description(engines);
    Queue::new(
        url,
        &format!("analyze 2 positions {fingerprint:016x} {how}"),
    )
}
