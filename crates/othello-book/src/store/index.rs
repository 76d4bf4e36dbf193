//! An Edax book in its file, and where in it each position is.
//!
//! 5.6 bytes of memory a position beyond the file: little more than half a byte for a minimal perfect hash of the
//! boards, five for the place in the file, which also count how many of the position's moves were taken
//! ([`Index::take`]).

use hashbrown::HashMap;
use hashbrown::hash_map::Entry;
use othello_core::Board;
use yane_io::{Error, Job, Map, Result, Unit};
use yane_mem::prefetch;

use super::flags::Slots;
use super::perfect::{Building, NONE, Perfect, TOGETHER};
use crate::Fault;
use crate::edax::{Book, Header, RecordRef};

/// How a book is indexed.
#[derive(Clone, Copy, Debug, Default)]
pub struct IndexOptions {
    /// What to do about a record that is damaged.
    pub damage: Damage,
}

/// What to do about a record that is damaged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Damage {
    /// Stop with an error that names its byte.
    #[default]
    Stop,
    /// Leave it out and count it. Behind one that the end of the file cuts off, nothing is left.
    Skip,
}

/// The number of a position of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Slot(u64);

impl Slot {
    /// Below how many positions there are.
    #[inline]
    pub const fn number(self) -> u64 {
        self.0
    }
}

/// A position that was found.
#[derive(Clone, Copy, Debug)]
pub struct Found<'a> {
    /// Its number.
    pub slot: Slot,
    /// Its record.
    pub record: RecordRef<'a>,
}

/// See the module.
#[derive(Debug)]
pub struct Index<'a> {
    bytes: &'a [u8],
    header: Header,
    pub(super) perfect: Perfect,
    pub(super) slots: Slots,
    /// Boards that the hash has no number for: those that occur more than once.
    others: HashMap<Board, u64>,
    damaged: Vec<Fault>,
    damaged_count: u64,
    repeated: u64,
}

impl<'a> Index<'a> {
    /// How many faults are kept for the report.
    pub const FAULTS_KEPT: usize = 100;

    /// The largest file that it is for, in bytes: 32 GiB.
    pub const MAX_FILE: u64 = Slots::MAX_FILE;

    /// Indexes a book. Of records of one board the first counts, as in Edax.
    ///
    /// # Errors
    ///
    /// A damaged record, unless those are to be left out; a file larger than 32 GiB; [`Error::Cancelled`].
    pub fn new(map: &'a Map, options: IndexOptions, job: &Job) -> Result<Self> {
        let len = map.len() as u64;
        if len > Self::MAX_FILE {
            let reason = "more than 32 GiB, which is too large for an index";
            return Err(Error::file(map.path(), reason));
        }
        // Positions will be looked at here and there, each in another page.
        map.want_large_pages();
        let book = Book::new(map).map_err(|fault| fault.of(map))?;
        let mut faults = Faults::default();
        // The hash is begun while records are checked and counted.
        let mut building = Building::new(estimated_count(&book, len));
        let (mut count, mut batch) = (0u64, Batch::new());
        job.progress.stage("reading", Some(len), Unit::Bytes);
        for_each(map, &book, job, &mut faults.of(options.damage), |record| {
            count += 1;
            if batch.add(&record) {
                building.add(batch.take());
            }
        })?;
        building.add(batch.take());
        job.progress.stage("indexing", Some(len), Unit::Bytes);
        let mut sifting = building.sifting();
        for_each(map, &book, job, &mut |_| Ok(()), |record| {
            if batch.add(&record) {
                sifting.add(batch.take());
            }
        })?;
        sifting.add(batch.take());
        let mut index = Self {
            bytes: map,
            header: book.header,
            slots: Slots::new(count, len),
            others: HashMap::new(),
            perfect: sifting.finish(),
            damaged_count: faults.count,
            damaged: faults.kept,
            repeated: 0,
        };
        job.progress.stage("placing", Some(len), Unit::Bytes);
        for_each(map, &book, job, &mut |_| Ok(()), |record| {
            if batch.add(&record) {
                index.place(&mut batch);
            }
        })?;
        index.place(&mut batch);
        Ok(index)
    }

    /// Places the positions of a batch.
    fn place(&mut self, batch: &mut Batch) {
        let mut numbers = [NONE; TOGETHER];
        let hashes = batch.take();
        self.perfect.find_together(hashes, &mut numbers);
        for &number in &numbers {
            self.slots.prefetch(number);
        }
        let count = hashes.len();
        let places = batch.hashes.into_iter().zip(batch.offsets).zip(numbers);
        for ((hash, offset), number) in places.take(count) {
            if number == NONE {
                self.place_other(hash, offset);
            } else {
                self.slots.put(number, offset, hash);
            }
        }
    }

    /// Places a position that the hash has no number for.
    fn place_other(&mut self, hash: u64, offset: u64) {
        let Some(record) = self.record_at(offset) else {
            return;
        };
        let next = self.len();
        match self.others.entry(record.board()) {
            Entry::Occupied(_) => self.repeated += 1,
            Entry::Vacant(entry) => {
                entry.insert(next);
                self.slots.put(next, offset, hash);
            }
        }
    }

    /// The header of the book.
    pub const fn header(&self) -> &Header {
        &self.header
    }

    /// How many different positions there are.
    pub fn len(&self) -> u64 {
        self.perfect.len() + self.others.len() as u64
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many records were left out because an earlier one has the same board.
    pub const fn repeated(&self) -> u64 {
        self.repeated
    }

    /// How many damaged records were left out.
    pub const fn damaged(&self) -> u64 {
        self.damaged_count
    }

    /// The first of the damaged records.
    pub fn faults(&self) -> &[Fault] {
        &self.damaged
    }

    /// The bytes of memory that it takes beyond the file.
    pub fn memory(&self) -> usize {
        self.perfect.bytes() + self.slots.bytes() + self.others.capacity() * 25
    }

    /// Asks for a record, most of which end in the line behind the one that they begin in.
    #[inline(always)]
    pub(super) fn prefetch(&self, offset: usize) {
        for at in [offset, offset + RecordRef::MIN_LEN] {
            if let Some(byte) = self.bytes.get(at) {
                prefetch(byte);
            }
        }
    }

    /// The position with exactly this board, which is canonical in a sound book.
    #[inline]
    pub fn find(&self, board: Board) -> Option<Found<'a>> {
        let hash = hash(board);
        let slot = self.perfect.find(hash);
        if slot != NONE
            && let Some(found) = self.at(slot, hash, board)
        {
            return Some(found);
        }
        self.find_other(board)
    }

    /// Whether there are positions that the perfect hash has no number for.
    #[inline]
    pub(super) fn has_others(&self) -> bool {
        !self.others.is_empty()
    }

    /// A position that the perfect hash has no number for.
    #[inline]
    pub(super) fn find_other(&self, board: Board) -> Option<Found<'a>> {
        let slot = *self.others.get(&board)?;
        self.at(slot, hash(board), board)
    }

    #[inline]
    fn at(&self, slot: u64, hash: u64, board: Board) -> Option<Found<'a>> {
        let offset = self.slots.offset(slot, hash)? as usize;
        self.record_of(slot, offset, board)
    }

    /// The record at an offset, if it has the board.
    #[inline]
    pub(super) fn record_of(&self, slot: u64, offset: usize, board: Board) -> Option<Found<'a>> {
        let record = RecordRef::framed(self.bytes.get(offset..)?, offset).ok()?;
        (record.board() == board).then_some(Found {
            slot: Slot(slot),
            record,
        })
    }

    /// The record of a position by [its number](Slot::number).
    pub fn record(&self, number: u64) -> Option<RecordRef<'a>> {
        if number >= self.len() {
            return None;
        }
        self.record_at(self.slots.place(number))
    }

    /// The record at an offset where one begins.
    #[inline]
    pub(crate) fn record_at(&self, offset: u64) -> Option<RecordRef<'a>> {
        RecordRef::framed(self.bytes.get(offset as usize..)?, offset as usize).ok()
    }

    /// How many moves of a position were taken: links in their order, then the leaf.
    #[inline]
    pub fn taken(&self, slot: Slot) -> usize {
        self.slots.taken(slot.0)
    }

    /// Takes the next move of a position.
    #[inline]
    pub fn take(&mut self, slot: Slot) {
        self.slots.take(slot.0);
    }
}

/// Records that are taken in together.
struct Batch {
    hashes: [u64; TOGETHER],
    offsets: [u64; TOGETHER],
    len: usize,
}

impl Batch {
    const fn new() -> Self {
        Self {
            hashes: [0; TOGETHER],
            offsets: [0; TOGETHER],
            len: 0,
        }
    }

    /// Takes a record in, and tells whether there is no room for another.
    fn add(&mut self, record: &RecordRef<'_>) -> bool {
        self.hashes[self.len] = hash(record.board());
        self.offsets[self.len] = record.offset();
        self.len += 1;
        self.len == TOGETHER
    }

    /// The hashes, which make room for others.
    fn take(&mut self) -> &[u64] {
        let len = std::mem::take(&mut self.len);
        &self.hashes[..len]
    }
}

/// No file that is indexed has more records than the hash has numbers.
const _: () = assert!(Index::MAX_FILE / RecordRef::MIN_LEN as u64 <= Perfect::MAX);

/// About how many records a book has, from the size of the first ones.
fn estimated_count(book: &Book<'_>, len: u64) -> u64 {
    const FIRST: u64 = 1 << 16;
    let mut records = book.records();
    let begin = records.offset();
    let read = records.by_ref().take(FIRST as usize).count() as u64;
    let bytes = records.offset() - begin;
    // At least one byte, so that an empty book has a count too.
    (len - begin) * read / bytes.max(1)
}

/// Damage that was come across.
#[derive(Default)]
struct Faults {
    kept: Vec<Fault>,
    count: u64,
}

impl Faults {
    /// What is done about each.
    fn of(&mut self, damage: Damage) -> impl FnMut(Fault) -> std::result::Result<(), Fault> {
        move |fault| match damage {
            Damage::Stop => Err(fault),
            Damage::Skip => {
                self.count += 1;
                if self.kept.len() < Index::FAULTS_KEPT {
                    self.kept.push(fault);
                }
                Ok(())
            }
        }
    }
}

/// Goes through the good records of a book, telling how far it has come.
fn for_each<'a>(
    map: &'a Map,
    book: &Book<'a>,
    job: &Job,
    on_fault: &mut dyn FnMut(Fault) -> std::result::Result<(), Fault>,
    mut each: impl FnMut(RecordRef<'a>),
) -> Result<()> {
    const STEP: u64 = 1 << 24;
    let mut records = book.records();
    let mut told = 0;
    while let Some(record) = records.next() {
        match record {
            Ok(record) => each(record),
            Err(fault) => on_fault(fault).map_err(|fault| fault.of(map))?,
        }
        if records.offset() - told >= STEP {
            job.progress.advance(records.offset() - told);
            told = records.offset();
            job.check()?;
        }
    }
    job.progress.advance(records.offset() - told);
    Ok(())
}

/// 64 bits of a board.
#[inline(always)]
pub(super) fn hash(board: Board) -> u64 {
    let mover = u128::from(board.mover() ^ 0xa076_1d64_78bd_642f);
    let opponent = u128::from(board.opponent() ^ 0xe703_7ed1_a0b4_28db);
    let product = mover * opponent;
    (product ^ product >> 64) as u64
}
