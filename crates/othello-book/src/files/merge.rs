//! Merging of the records of one board.

use othello_core::Board;
use yane_io::Result;
use yane_io::external::Sorted;

use crate::convert::record_of;
use crate::edax::EdaxRecord;
use crate::egaroucid::EgaroucidRecord;
use crate::files::position::BookPosition;
use crate::files::side_car::SideCarPosition;
use crate::store::PositionData;

/// The merged data of a position, with the records that it comes from.
#[derive(Clone, Debug)]
pub(crate) struct MergedPosition {
    pub(crate) board: Board,
    pub(crate) known: PositionData,
    /// The record of Edax.
    pub(crate) record: Option<EdaxRecord>,
    /// The record of Egaroucid.
    pub(crate) entry: Option<EgaroucidRecord>,
    /// True if the record has the merged data unchanged.
    unchanged: bool,
}

impl MergedPosition {
    fn of(position: BookPosition) -> Self {
        let (board, known) = (position.board(), position.known());
        let (record, entry) = match position {
            BookPosition::Edax(record) => (Some(record), None),
            BookPosition::Egaroucid(entry) => (None, Some(entry)),
        };
        Self {
            board,
            known,
            unchanged: record.is_some(),
            record,
            entry,
        }
    }

    /// Returns whether a book of Edax has the position.
    pub(crate) const fn is_of_edax(&self) -> bool {
        self.record.is_some()
    }

    /// Restores the position of the side-car, of which this was made. A record of the book itself stays.
    fn restore(&mut self, position: BookPosition) {
        let known = position.restored(self.known);
        let restored = Self::of(position);
        self.known = known;
        self.unchanged = true;
        self.record = restored.record.or(self.record.take());
        self.entry = restored.entry;
    }

    /// Merges the position of a newer book. Without a change, the records stay.
    fn merge(&mut self, newer: Self) {
        let before = self.known;
        let takes = self.known.merge(&newer.known);
        if self.known == before {
            return;
        }
        self.unchanged = newer.unchanged && self.known == newer.known;
        if takes {
            self.record = newer.record.or(self.record.take());
            self.entry = newer.entry;
        }
    }

    /// Returns whether the record of Edax can be written unchanged.
    pub(crate) const fn is_unchanged(&self) -> bool {
        self.unchanged && self.record.is_some()
    }

    /// The record for a book of Edax, with its old links.
    pub(crate) fn to_record(&self, level: Option<u8>) -> EdaxRecord {
        let made = || record_of(self.board, &self.known, level);
        let Some(record) = &self.record else {
            return made();
        };
        let mut record = record.clone();
        if !self.unchanged {
            let links = std::mem::take(&mut record.links);
            record = EdaxRecord { links, ..made() };
        }
        record.level = level.unwrap_or(record.level);
        record
    }

    /// The record for a book of Egaroucid.
    pub(crate) fn to_entry(&self, level: Option<u8>) -> EgaroucidRecord {
        let mut entry = self.known.entry(self.board);
        if let Some(old) = &self.entry {
            entry.links.clone_from(&old.links);
        }
        if let Some(level) = level {
            entry.level = level as i8;
            entry.leaf.level = level as i8;
        }
        entry
    }
}

/// The position of one source, with its side-car.
#[derive(Debug, Default)]
struct SourceState {
    number: u16,
    merged: Option<MergedPosition>,
    /// The record of the book itself, if it is the only one.
    single: Option<BookPosition>,
}

impl SourceState {
    /// Restores the position of the side-car; returns whether it did. A position that the book lacks was deleted,
    /// unless the book never had room for it.
    fn restore(&mut self, original: SideCarPosition) -> bool {
        let single = self.single.take();
        match &mut self.merged {
            None if original.comes_back => {
                self.merged = Some(MergedPosition::of(original.position));
            }
            Some(merged) if single.is_some_and(|single| single.is_derived_from(&original)) => {
                merged.restore(original.position);
            }
            _ => return false,
        }
        true
    }
}

/// The counts of a merge.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MergeCounts {
    /// Positions that the first book lacks.
    pub(crate) new: u64,
    /// Positions of the first book that others change.
    pub(crate) changed: u64,
    /// Duplicate records of the same book.
    pub(crate) repeated: u64,
    /// Positions restored from side-cars.
    pub(crate) restored: u64,
}

/// Flags: a position of a side-car; it comes back; it was omitted; it has a check sum.
const SIDE_CAR_FLAGS: [u8; 4] = [1, 2, 4, 8];

/// Encodes a position of a book or side-car for sorting: returns the key, and fills the body.
pub(crate) fn encode(
    source: u16,
    original: Option<&SideCarPosition>,
    position: &BookPosition,
    body: &mut Vec<u8>,
) -> [u8; 16] {
    body.clear();
    body.extend(source.to_le_bytes());
    let flags = original.map_or([false; 4], |original| {
        [
            true,
            original.comes_back,
            original.left_out,
            original.check.is_some(),
        ]
    });
    let flags = flags.into_iter().zip(SIDE_CAR_FLAGS);
    body.push(flags.map(|(is, bit)| u8::from(is) * bit).sum());
    if let Some(check) = original.and_then(|original| original.check) {
        body.extend(check.to_le_bytes());
    }
    position.encode(body);
    let board = position.board();
    let mut key = [0; 16];
    key[..8].copy_from_slice(&board.mover().to_be_bytes());
    key[8..].copy_from_slice(&board.opponent().to_be_bytes());
    key
}

/// A position of a book, or of its side-car.
enum MergeInput {
    Book(BookPosition),
    SideCar(SideCarPosition),
}

fn decode(body: &[u8]) -> Option<(u16, MergeInput)> {
    let ([low, high, flags], position) = body.split_first_chunk()?;
    let source = u16::from_le_bytes([*low, *high]);
    let [is_side_car, comes_back, left_out, has_check] = SIDE_CAR_FLAGS.map(|bit| flags & bit != 0);
    if !is_side_car {
        return Some((source, MergeInput::Book(BookPosition::decode(position)?)));
    }
    let (check, position) = if has_check {
        let (check, position) = position.split_first_chunk()?;
        (Some(u32::from_le_bytes(*check)), position)
    } else {
        (None, position)
    };
    let original = SideCarPosition {
        position: BookPosition::decode(position)?,
        left_out,
        check,
        comes_back,
    };
    Some((source, MergeInput::SideCar(original)))
}

/// Calls `each` with the merged positions in the order of their boards.
pub(crate) fn for_each_merged(
    mut sorted: Sorted,
    each: &mut dyn FnMut(MergedPosition) -> Result<()>,
) -> Result<MergeCounts> {
    let mut counts = MergeCounts::default();
    let mut group = BoardGroup::default();
    let mut key = Vec::new();
    while let Some((_, next, body)) = sorted.current() {
        if next != key {
            group.finish(&mut counts, each)?;
            key.clear();
            key.extend_from_slice(next);
        }
        // `encode` wrote these bytes.
        if let Some((source, read)) = decode(body) {
            group.add(source, read, &mut counts);
        }
        sorted.advance()?;
    }
    group.finish(&mut counts, each)?;
    Ok(counts)
}

/// The records of one board so far.
#[derive(Debug, Default)]
struct BoardGroup {
    /// The data of the first book.
    first: Option<PositionData>,
    total: Option<MergedPosition>,
    source: SourceState,
}

impl BoardGroup {
    fn add(&mut self, number: u16, read: MergeInput, counts: &mut MergeCounts) {
        if self.source.number != number {
            self.end_source();
            self.source.number = number;
        }
        let source = &mut self.source;
        let position = match read {
            MergeInput::Book(position) => position,
            MergeInput::SideCar(original) => {
                counts.restored += u64::from(source.restore(original));
                return;
            }
        };
        match (&mut source.merged, position) {
            (None, position) => {
                source.single = Some(position.clone());
                source.merged = Some(MergedPosition::of(position));
            }
            // The first one counts, as in Edax.
            (Some(_), BookPosition::Edax(_)) => counts.repeated += 1,
            (Some(merged), position) => {
                counts.repeated += 1;
                merged.merge(MergedPosition::of(position));
                source.single = None;
            }
        }
    }

    fn end_source(&mut self) {
        let SourceState { number, merged, .. } = std::mem::take(&mut self.source);
        let Some(merged) = merged else { return };
        if number == 0 {
            self.first = Some(merged.known);
        }
        match &mut self.total {
            None => self.total = Some(merged),
            Some(total) => total.merge(merged),
        }
    }

    fn finish(
        &mut self,
        counts: &mut MergeCounts,
        each: &mut dyn FnMut(MergedPosition) -> Result<()>,
    ) -> Result<()> {
        self.end_source();
        let Self { first, total, .. } = std::mem::take(self);
        let Some(total) = total else { return Ok(()) };
        match first {
            None => counts.new += 1,
            Some(first) => counts.changed += u64::from(first != total.known),
        }
        each(total)
    }
}
