//! The rules of the merge, applied to records that are one position but for the ply.
//!
//! Such records come one after the other: their keys differ only in the number at the end. Nearly all
//! groups have one record whose lines are as they must be; it goes to the output as it is.

use std::path::Path;

use yane_io::BulkFile;

use super::source::Meta;
use super::{MergeOptions, MergeReport, Preference};
use crate::db::{
    CommentPolicy, Comments, HEADER, LineEnd, MoveLine, Record, push_number, push_position_line,
};
use crate::{BookMove, Result, add_move, sort_moves};

/// Collects groups and writes each when it is complete.
pub(super) struct Groups<'a> {
    /// The input of each source.
    owners: &'a [usize],
    inputs: usize,
    options: MergeOptions,
    report: &'a mut MergeReport,
    /// Position of the group, without ply.
    position: Vec<u8>,
    /// The records of the group; only the first `len` count, the others keep their buffers.
    items: Vec<GroupItem>,
    len: usize,
    /// Number of records of the group that is being written.
    group_len: usize,
}

#[derive(Default)]
struct GroupItem {
    input: usize,
    meta: Option<Meta>,
    lines: Vec<u8>,
}

impl GroupItem {
    fn ply(&self) -> u32 {
        self.meta.map_or(0, |meta| meta.ply)
    }

    /// The lines as those of a book.
    fn record(&self) -> Record<'_> {
        Record {
            sfen: &[],
            body: &self.lines,
            offset: 0,
            body_offset: 1,
        }
    }
}

impl<'a> Groups<'a> {
    pub(super) fn new(
        owners: &'a [usize],
        inputs: usize,
        options: MergeOptions,
        report: &'a mut MergeReport,
    ) -> Self {
        Self {
            owners,
            inputs,
            options,
            report,
            position: Vec::new(),
            items: Vec::new(),
            len: 0,
            group_len: 0,
        }
    }

    /// Takes the next record; writes the group before it if that is complete.
    #[inline]
    pub(super) fn add(&mut self, source: usize, key: &[u8], body: &[u8], out: &mut MergeOutput) {
        let position = if self.options.ignore_ply {
            key
        } else {
            without_ply(key)
        };
        if self.len > 0 && self.position != position {
            self.write(out);
        }
        if self.len == 0 {
            self.position.clear();
            self.position.extend_from_slice(position);
        }
        if self.len == self.items.len() {
            self.items.push(GroupItem::default());
        }
        let item = &mut self.items[self.len];
        let (meta, lines) = Meta::split(body);
        item.input = self.owners[source];
        item.meta = Some(meta);
        item.lines.clear();
        item.lines.extend_from_slice(lines);
        self.len += 1;
    }

    /// Writes the last group.
    pub(super) fn finish(mut self, out: &mut MergeOutput) {
        if self.len > 0 {
            self.write(out);
        }
    }

    #[inline]
    fn write(&mut self, out: &mut MergeOutput) {
        self.group_len = std::mem::take(&mut self.len);
        if let [item] = &self.items[..self.group_len]
            && let Some(meta) = item.meta
            && meta.clean
            && meta.moves > 0
        {
            self.report.alone[item.input] += 1;
            self.report.positions += 1;
            self.report.moves += u64::from(meta.moves);
            if meta.comments > 0 {
                let (all, kept) = (meta.comments.into(), self.options.keeps_comments());
                self.report.comments.count(all, if kept { all } else { 0 });
            }
            out.position(&self.position, meta.ply);
            out.lines(&item.lines);
            return;
        }
        self.write_chosen(out);
    }

    /// Writes a group of several records, or of one that is not as it must be.
    fn write_chosen(&mut self, out: &mut MergeOutput) {
        let items = &mut self.items[..self.group_len];
        if self.options.ignore_ply {
            // One position from the start; the stable sort keeps the order of books and lines.
            let ply = items.iter().map(GroupItem::ply).min().unwrap_or(1);
            for meta in items.iter_mut().filter_map(|item| item.meta.as_mut()) {
                meta.ply = ply;
            }
        }
        items.sort_by_key(GroupItem::ply);
        let (all_comments, comments) = comments(items, self.options);
        let mut kept_comments = 0;
        let mut written = false;
        for same in items.chunk_by(|a, b| a.ply() == b.ply()) {
            self.report.count(same, self.inputs);
            let chosen = choose(same, self.options.preference);
            let mut moves = chosen.moves;
            if moves.is_empty() {
                self.report.without_moves += 1;
            } else if written {
                self.report.larger_ply += 1;
            } else {
                written = true;
                sort_moves(&mut moves);
                self.report.positions += 1;
                self.report.moves += moves.len() as u64;
                self.report.without_value += u64::from(chosen.passes_over_values);
                kept_comments = out.entry(&self.position, same[0].ply(), &moves, &comments);
            }
        }
        self.report.comments.count(all_comments, kept_comments);
    }
}

impl MergeOptions {
    fn keeps_comments(self) -> bool {
        self.comments == CommentPolicy::Keep
    }
}

/// The number of comments of a group, and those that may be written.
fn comments(items: &[GroupItem], options: MergeOptions) -> (u64, Comments) {
    let count = |item: &GroupItem| item.meta.map_or(0, |meta| u64::from(meta.comments));
    let all = items.iter().map(count).sum();
    let mut comments = Comments::default();
    if all == 0 || !options.keeps_comments() {
        return (all, comments);
    }
    for item in items {
        let read = Comments::read(&item.record(), |_, line| MoveLine::parse(line).map(Some));
        // Normalised lines are moves.
        comments.join(&read.unwrap_or_default());
    }
    (comments.len(), comments)
}

impl MergeReport {
    /// Counts in which inputs the records of one position are.
    fn count(&mut self, same: &[GroupItem], inputs: usize) {
        let first = same[0].input;
        if inputs > 1 && same.iter().any(|item| item.input != first) {
            self.common += 1;
        } else {
            self.alone[first] += 1;
        }
    }
}

/// The moves of one book, chosen for a position.
#[derive(Default)]
struct Chosen {
    /// In the order of its lines.
    moves: Vec<BookMove>,
    /// They have no values, and those of another book have.
    passes_over_values: bool,
}

/// Rules 1 and 2: the moves of the best book. The items are sorted by book.
fn choose(same: &[GroupItem], preference: Preference) -> Chosen {
    let mut best: Vec<BookMove> = Vec::new();
    let mut has_values = false;
    for book in same.chunk_by(|a, b| a.input == b.input) {
        let mut moves = Vec::new();
        for item in book {
            for (_, line) in item.record().lines() {
                // Normalised lines are moves.
                if let Ok(line) = MoveLine::parse(line) {
                    add_move(&mut moves, line.book_move);
                }
            }
        }
        has_values |= has_value(&moves);
        if best.is_empty() || is_better(&moves, &best, preference) {
            best = moves;
        }
    }
    Chosen {
        passes_over_values: has_values && !has_value(&best),
        moves: best,
    }
}

fn has_value(moves: &[BookMove]) -> bool {
    moves.iter().any(BookMove::has_value)
}

/// Returns whether a later book's moves replace an earlier one's: searched deeper, or as deep and more.
fn is_better(later: &[BookMove], earlier: &[BookMove], preference: Preference) -> bool {
    let rank = |moves: &[BookMove]| {
        let first = moves.first()?;
        let valued = preference == Preference::Values && has_value(moves);
        Some((valued, first.depth, moves.len()))
    };
    preference != Preference::Earlier && rank(later) > rank(earlier)
}

/// The key without the ply at its end.
#[inline(always)]
fn without_ply(key: &[u8]) -> &[u8] {
    let digits = key
        .iter()
        .rev()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    &key[..key.len() - digits - 1]
}

/// Bytes collected before they are written: few enough for a core's own cache.
const BLOCK: usize = 256 << 10;

/// Collects the text of a book and writes it in blocks.
pub(super) struct MergeOutput {
    file: BulkFile,
    block: Vec<u8>,
    line_end: LineEnd,
}

impl MergeOutput {
    /// Begins the book with its header and the comments about it.
    pub(super) fn create(path: &Path, comments: &[Vec<u8>], line_end: LineEnd) -> Result<Self> {
        let mut block = Vec::with_capacity(BLOCK + BLOCK / 4);
        block.extend_from_slice(HEADER.as_bytes());
        block.extend_from_slice(line_end.bytes());
        for comment in comments {
            block.extend_from_slice(comment);
            block.extend_from_slice(line_end.bytes());
        }
        Ok(Self {
            file: BulkFile::create(path)?,
            block,
            line_end,
        })
    }

    /// The `sfen` line.
    #[inline]
    pub(super) fn position(&mut self, position: &[u8], ply: u32) {
        push_position_line(&mut self.block, position, ply, self.line_end);
    }

    /// Move lines as they are.
    #[inline]
    pub(super) fn lines(&mut self, lines: &[u8]) {
        self.block.extend_from_slice(lines);
    }

    /// A position with its moves and comments. Returns the number of comments written.
    pub(super) fn entry(
        &mut self,
        position: &[u8],
        ply: u32,
        moves: &[BookMove],
        comments: &Comments,
    ) -> u64 {
        let mut sfen = position.to_vec();
        sfen.push(b' ');
        push_number(&mut sfen, ply.into(), false);
        comments.push_entry(&mut self.block, &sfen, moves, self.line_end)
    }

    /// Returns whether [`Self::write_block`] should be called.
    #[inline]
    pub(super) fn block_is_full(&self) -> bool {
        self.block.len() >= BLOCK
    }

    /// Writes the collected group. Returns the number of its bytes.
    pub(super) fn write_block(&mut self) -> Result<u64> {
        self.file.put(&self.block)?;
        let len = self.block.len() as u64;
        self.block.clear();
        Ok(len)
    }

    /// Replaces the file with the book.
    pub(super) fn commit(mut self) -> Result<()> {
        self.write_block()?;
        Ok(self.file.commit()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moves(text: &str) -> Vec<BookMove> {
        let parse = |line: &str| MoveLine::parse(line.as_bytes()).unwrap().book_move;
        text.lines().map(parse).collect()
    }

    #[test]
    fn the_deeper_then_the_longer_then_the_earlier_wins() {
        let deep = moves("7g7f none 0 9 1");
        let shallow = moves("2g2f none 0 8 1\n7g7f none 0 30 1");
        let two = moves("2g2f none 0 9 1\n7g7f none 0 0 1");
        let is_better = |a: &[_], b: &[_]| is_better(a, b, Preference::Depth);
        assert!(!is_better(&shallow, &deep));
        assert!(is_better(&deep, &shallow));
        assert!(is_better(&two, &deep));
        assert!(!is_better(&deep, &two));
        assert!(!is_better(&deep, &deep));
        assert!(!is_better(&[], &deep));
    }

    #[test]
    fn values_may_be_preferred() {
        let record = moves("7g7f none 0 32 9\n2g2f none 0 32 1");
        let searched = moves("7g7f none 30 8 1");
        assert!(is_better(&record, &searched, Preference::Depth));
        assert!(is_better(&searched, &record, Preference::Values));
        assert!(!is_better(&record, &searched, Preference::Values));
        assert!(!is_better(&searched, &record, Preference::Earlier));
    }
}
