//! Taking over a book of `ShogiGUI`.

use super::batch::{Batch, ConvertRules, PositionItem};
use super::collect::{Collector, CommentsByPosition, Output};
use crate::Result;
use crate::db::{CommentCounts, Comments};
use crate::sbk::SbkBook;

/// Comments of a book, for an output that can hold them.
#[derive(Debug, Default)]
pub(super) struct SbkComments {
    about: Vec<String>,
    positions: CommentsByPosition,
}

impl SbkComments {
    /// Lets the output write them. Returns how many it does, and how many it cannot.
    pub(super) fn give_to(self, output: &mut Output) -> Result<CommentCounts> {
        let of_positions = self.positions.values().map(Comments::len);
        let all = self.about.len() as u64 + of_positions.sum::<u64>();
        let is_written = output.comment(&self.about, self.positions)?;
        let (kept, left_out) = if is_written { (all, 0) } else { (0, all) };
        Ok(CommentCounts { kept, left_out })
    }
}

/// Reads the whole book.
pub(super) fn read(rules: &ConvertRules, collector: &mut Collector) -> Result<SbkComments> {
    let job = collector.job.clone();
    let book = SbkBook::read(&rules.input.path)?;
    job.check()?;
    let pool = collector.pool.clone();
    let mut batch = Batch::new(rules, &pool, 0);
    for (offset, error) in book.bad_positions {
        batch.bad_position(offset, error.into())?;
    }
    let mut comments = SbkComments {
        about: book.about,
        ..SbkComments::default()
    };
    let mut item = PositionItem::default();
    for entry in book.entries {
        item.begin(entry.offset);
        for known in entry.moves {
            batch.add_move(&mut item, &entry.position, known, entry.offset)?;
        }
        batch.add(&entry.position, &item)?;
        if !entry.comments.is_empty() {
            let sfen = entry.position.to_sfen_without_ply().into_bytes();
            comments.positions.insert(sfen, entry.comments);
        }
    }
    collector.unreached = book.unreached;
    collector.take(batch.done(0))?;
    Ok(comments)
}
