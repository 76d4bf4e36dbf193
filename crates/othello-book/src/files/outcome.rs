//! What several books together say of a position.

use othello_core::Board;
use yane_io::Result;
use yane_io::external::Sorted;

use super::side::Aside;
use super::told::Told;
use crate::convert::record_of;
use crate::edax::Record;
use crate::egaroucid::Entry;
use crate::store::Known;

/// What books say of a position, with the records that say so.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    pub(crate) board: Board,
    pub(crate) known: Known,
    /// As Edax has it.
    pub(crate) record: Option<Record>,
    /// As Egaroucid has it.
    pub(crate) entry: Option<Entry>,
    /// Whether the record says what is known, and needs no change.
    as_it_was: bool,
}

impl Outcome {
    fn of(told: Told) -> Self {
        let (board, known) = (told.board(), told.known());
        let (record, entry) = match told {
            Told::Edax(record) => (Some(record), None),
            Told::Egaroucid(entry) => (None, Some(entry)),
        };
        Self {
            board,
            known,
            as_it_was: record.is_some(),
            record,
            entry,
        }
    }

    /// Whether a book of Edax has the position.
    pub(crate) const fn is_of_edax(&self) -> bool {
        self.record.is_some()
    }

    /// Becomes what the side-car has, of which this was made. A record of the book itself stays.
    fn restore(&mut self, told: Told) {
        let restored = Self::of(told);
        self.known = restored.known;
        self.as_it_was = true;
        self.record = restored.record.or(self.record.take());
        self.entry = restored.entry;
    }

    /// Takes over what a newer book says. If that is nothing new, all stays as it was.
    fn merge(&mut self, newer: Self) {
        let before = self.known;
        let takes = self.known.merge(&newer.known);
        if self.known == before {
            return;
        }
        self.as_it_was = newer.as_it_was && self.known == newer.known;
        if takes {
            self.record = newer.record.or(self.record.take());
            self.entry = newer.entry;
        }
    }

    /// Whether a book for Edax can have its record as a book of Edax had it.
    pub(crate) const fn is_as_it_was(&self) -> bool {
        self.as_it_was && self.record.is_some()
    }

    /// The record for a book of Edax, with the links that a book had.
    pub(crate) fn to_record(&self, level: Option<u8>) -> Record {
        let made = || record_of(self.board, &self.known, level);
        let Some(record) = &self.record else {
            return made();
        };
        let mut record = record.clone();
        if !self.as_it_was {
            let links = std::mem::take(&mut record.links);
            record = Record { links, ..made() };
        }
        record.level = level.unwrap_or(record.level);
        record
    }

    /// The entry for a book of Egaroucid.
    pub(crate) fn to_entry(&self, level: Option<u8>) -> Entry {
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

/// What a source says of one position, and its side-car.
#[derive(Debug, Default)]
struct Source {
    number: u16,
    outcome: Option<Outcome>,
    /// The record or entry of the book itself, if it is the only one.
    single: Option<Told>,
}

impl Source {
    /// Takes over what the side-car has; whether it did. Without a side-car's position, the book's alone counts; without
    /// the book's, it was taken out, unless there never was room for it.
    fn restore(&mut self, aside: Aside) -> bool {
        let single = self.single.take();
        match &mut self.outcome {
            None if aside.comes_back => self.outcome = Some(Outcome::of(aside.told)),
            Some(outcome) if single.is_some_and(|single| single.is_made_of(&aside)) => {
                outcome.restore(aside.told);
            }
            _ => return false,
        }
        true
    }
}

/// Numbers of what happened while books were put together.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    /// Positions that the first book lacks.
    pub(crate) new: u64,
    /// Positions of the first book of which other books say something else that counts.
    pub(crate) changed: u64,
    /// Records of boards that an earlier record of the same book has.
    pub(crate) repeated: u64,
    /// Positions of side-cars that are as they were.
    pub(crate) restored: u64,
}

/// That a position is in a side-car; that it comes back; that it was left out; that it has a check number.
const ASIDE: [u8; 4] = [1, 2, 4, 8];

/// The key and the body under which a position of a book or of its side-car is sorted.
pub(crate) fn encode(
    source: u16,
    aside: Option<&Aside>,
    told: &Told,
    body: &mut Vec<u8>,
) -> [u8; 16] {
    body.clear();
    body.extend(source.to_le_bytes());
    let flags = aside.map_or([false; 4], |aside| {
        [
            true,
            aside.comes_back,
            aside.left_out,
            aside.check.is_some(),
        ]
    });
    let flags = flags.into_iter().zip(ASIDE);
    body.push(flags.map(|(is, bit)| u8::from(is) * bit).sum());
    if let Some(check) = aside.and_then(|aside| aside.check) {
        body.extend(check.to_le_bytes());
    }
    told.encode(body);
    let board = told.board();
    let mut key = [0; 16];
    key[..8].copy_from_slice(&board.mover().to_be_bytes());
    key[8..].copy_from_slice(&board.opponent().to_be_bytes());
    key
}

/// A position of a book, or of its side-car.
enum Read {
    Book(Told),
    Aside(Aside),
}

fn decode(body: &[u8]) -> Option<(u16, Read)> {
    let ([low, high, flags], told) = body.split_first_chunk()?;
    let source = u16::from_le_bytes([*low, *high]);
    let [is_aside, comes_back, left_out, has_check] = ASIDE.map(|bit| flags & bit != 0);
    if !is_aside {
        return Some((source, Read::Book(Told::decode(told)?)));
    }
    let (check, told) = if has_check {
        let (check, told) = told.split_first_chunk()?;
        (Some(u32::from_le_bytes(*check)), told)
    } else {
        (None, told)
    };
    let aside = Aside {
        told: Told::decode(told)?,
        left_out,
        check,
        comes_back,
    };
    Some((source, Read::Aside(aside)))
}

/// Gives what all books together say, in the order of boards.
pub(crate) fn each(
    mut sorted: Sorted,
    each: &mut dyn FnMut(Outcome) -> Result<()>,
) -> Result<Tally> {
    let mut tally = Tally::default();
    let mut group = Group::default();
    let mut key = Vec::new();
    while let Some((_, next, body)) = sorted.current() {
        if next != key {
            group.finish(&mut tally, each)?;
            key.clear();
            key.extend_from_slice(next);
        }
        // They are bytes that `encode` wrote.
        if let Some((source, read)) = decode(body) {
            group.add(source, read, &mut tally);
        }
        sorted.advance()?;
    }
    group.finish(&mut tally, each)?;
    Ok(tally)
}

/// What is known of one board up to here.
#[derive(Debug, Default)]
struct Group {
    /// What the first book says.
    first: Option<Known>,
    total: Option<Outcome>,
    source: Source,
}

impl Group {
    fn add(&mut self, number: u16, read: Read, tally: &mut Tally) {
        if self.source.number != number {
            self.end_source();
            self.source.number = number;
        }
        let source = &mut self.source;
        let told = match read {
            Read::Book(told) => told,
            Read::Aside(aside) => {
                tally.restored += u64::from(source.restore(aside));
                return;
            }
        };
        match (&mut source.outcome, told) {
            (None, told) => {
                source.single = Some(told.clone());
                source.outcome = Some(Outcome::of(told));
            }
            // The first counts, as in Edax.
            (Some(_), Told::Edax(_)) => tally.repeated += 1,
            (Some(outcome), told) => {
                tally.repeated += 1;
                outcome.merge(Outcome::of(told));
                source.single = None;
            }
        }
    }

    fn end_source(&mut self) {
        let Source {
            number, outcome, ..
        } = std::mem::take(&mut self.source);
        let Some(outcome) = outcome else { return };
        if number == 0 {
            self.first = Some(outcome.known);
        }
        match &mut self.total {
            None => self.total = Some(outcome),
            Some(total) => total.merge(outcome),
        }
    }

    fn finish(
        &mut self,
        tally: &mut Tally,
        each: &mut dyn FnMut(Outcome) -> Result<()>,
    ) -> Result<()> {
        self.end_source();
        let Self { first, total, .. } = std::mem::take(self);
        let Some(total) = total else { return Ok(()) };
        match first {
            None => tally.new += 1,
            Some(first) => tally.changed += u64::from(first != total.known),
        }
        each(total)
    }
}
