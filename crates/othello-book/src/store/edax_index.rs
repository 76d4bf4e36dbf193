//! An index of an Edax book in its file, and batched lookups.
//!
//! 5.6 bytes of memory a position beyond the file: little more than half a byte for a minimal perfect hash of the
//! boards, five for the offset in the file and the number of edges that the miner has taken ([`EdaxIndex::take`]).

use hashbrown::HashMap;
use hashbrown::hash_map::Entry;
use othello_core::Board;
use yane_base::memory::prefetch;
use yane_io::{Error, Job, Map, Result, Unit};

use super::arrays::Slots;
use crate::FormatError;
use crate::edax::{EdaxBook, EdaxHeader, EdaxRecordRef};
use crate::store::perfect_hash::{HashBuilder, HashPlaces, NONE, PerfectHash, TOGETHER};

/// The treatment of damaged records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnDamage {
    /// Stop with an error that names its byte.
    #[default]
    Stop,
    /// Skip and count it. Nothing is left behind one that the end of the file cuts off.
    Skip,
}

/// The number of a position in an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Slot(u64);

impl Slot {
    /// The number, below the number of positions.
    #[inline]
    pub const fn number(self) -> u64 {
        self.0
    }
}

/// A position that was found.
#[derive(Clone, Copy, Debug)]
pub struct IndexHit<'a> {
    /// The number of the position.
    pub slot: Slot,
    /// The record of the position.
    pub record: EdaxRecordRef<'a>,
}

/// An index of an Edax book (see the module).
#[derive(Debug)]
pub struct EdaxIndex<'a> {
    bytes: &'a [u8],
    header: EdaxHeader,
    pub(super) perfect: PerfectHash,
    pub(super) slots: Slots,
    /// Boards without a number of the hash: duplicates.
    others: HashMap<Board, u64>,
    damaged: Vec<FormatError>,
    damaged_count: u64,
    repeated: u64,
}

impl<'a> EdaxIndex<'a> {
    /// The number of errors that are kept for a report.
    pub(crate) const ERRORS_KEPT: usize = 100;

    /// The size of the largest file: 32 GiB.
    pub(crate) const MAX_FILE: u64 = Slots::MAX_FILE;

    /// Indexes a book. Of duplicates the first counts, as in Edax.
    ///
    /// # Errors
    ///
    /// A damaged record, with [`OnDamage::Stop`]; a file larger than 32 GiB; [`Error::Cancelled`].
    pub fn new(map: &'a Map, on_damage: OnDamage, job: &Job) -> Result<Self> {
        let len = map.len() as u64;
        if len > Self::MAX_FILE {
            let reason = "more than 32 GiB, which is too large for an index";
            return Err(Error::file(map.path(), reason));
        }
        // Accesses will be random, each to another page.
        map.want_large_pages();
        let book = EdaxBook::new(map).map_err(|error| error.in_file(map))?;
        let mut errors = DamageLog::default();
        // The first step of the hash is done while records are checked and counted.
        let mut building = HashBuilder::new(estimated_count(&book, len));
        let (mut count, mut batch) = (0u64, RecordBatch::new());
        job.progress.stage("reading", Some(len), Unit::Bytes);
        for_each(map, &book, job, &mut errors.of(on_damage), |record| {
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
            damaged_count: errors.count,
            damaged: errors.kept,
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
    fn place(&mut self, batch: &mut RecordBatch) {
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

    /// Places a position without a number of the hash.
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

    /// The index without the bytes of its file, for [`find_in`](Self::find_in) and [`record_in`](Self::record_in).
    pub(crate) fn detached(self) -> EdaxIndex<'static> {
        EdaxIndex { bytes: &[], ..self }
    }

    /// [`find`](Self::find) in the bytes that were indexed.
    pub(crate) fn find_in<'b>(&self, bytes: &'b [u8], board: Board) -> Option<IndexHit<'b>> {
        let hash = hash(board);
        let at = |slot: u64| {
            let offset = self.slots.offset(slot, hash)? as usize;
            record_of(bytes, slot, offset, board)
        };
        let slot = self.perfect.find(hash);
        let found = (slot != NONE).then(|| at(slot)).flatten();
        found.or_else(|| at(*self.others.get(&board)?))
    }

    /// [`record`](Self::record) in the bytes that were indexed.
    pub(crate) fn record_in<'b>(&self, bytes: &'b [u8], number: u64) -> Option<EdaxRecordRef<'b>> {
        let is_one = number < self.len();
        let offset = is_one.then(|| self.slots.place(number))? as usize;
        EdaxRecordRef::framed(bytes.get(offset..)?, offset).ok()
    }

    /// The header of the book.
    pub const fn header(&self) -> &EdaxHeader {
        &self.header
    }

    /// The number of distinct positions.
    pub fn len(&self) -> u64 {
        self.perfect.len() + self.others.len() as u64
    }

    /// Returns whether there are no positions.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of duplicate records.
    pub const fn repeated(&self) -> u64 {
        self.repeated
    }

    /// The number of damaged records.
    pub const fn damaged(&self) -> u64 {
        self.damaged_count
    }

    /// The errors of the first damaged records.
    pub fn errors(&self) -> &[FormatError] {
        &self.damaged
    }

    /// The memory in bytes beyond the file.
    pub fn memory(&self) -> usize {
        self.perfect.bytes() + self.slots.bytes() + self.others.capacity() * 25
    }

    /// Prefetches a record; most end in the cache line after their first.
    #[inline(always)]
    pub(super) fn prefetch(&self, offset: usize) {
        for at in [offset, offset + EdaxRecordRef::MIN_LEN] {
            if let Some(byte) = self.bytes.get(at) {
                prefetch(byte);
            }
        }
    }

    /// The position with exactly this board, which is canonical in a sound book.
    #[inline]
    pub fn find(&self, board: Board) -> Option<IndexHit<'a>> {
        let hash = hash(board);
        let slot = self.perfect.find(hash);
        if slot != NONE
            && let Some(found) = self.at(slot, hash, board)
        {
            return Some(found);
        }
        self.find_other(board)
    }

    /// Returns whether there are positions without a number of the hash.
    #[inline]
    pub(super) fn has_others(&self) -> bool {
        !self.others.is_empty()
    }

    /// Finds a position without a number of the hash.
    #[inline]
    pub(super) fn find_other(&self, board: Board) -> Option<IndexHit<'a>> {
        let slot = *self.others.get(&board)?;
        self.at(slot, hash(board), board)
    }

    #[inline]
    fn at(&self, slot: u64, hash: u64, board: Board) -> Option<IndexHit<'a>> {
        let offset = self.slots.offset(slot, hash)? as usize;
        self.record_of(slot, offset, board)
    }

    /// The record at an offset, if it has the board.
    #[inline]
    pub(super) fn record_of(&self, slot: u64, offset: usize, board: Board) -> Option<IndexHit<'a>> {
        record_of(self.bytes, slot, offset, board)
    }

    /// The record of a position by [number](Slot::number).
    pub fn record(&self, number: u64) -> Option<EdaxRecordRef<'a>> {
        if number >= self.len() {
            return None;
        }
        self.record_at(self.slots.place(number))
    }

    /// The record at the offset of one.
    #[inline]
    pub(crate) fn record_at(&self, offset: u64) -> Option<EdaxRecordRef<'a>> {
        EdaxRecordRef::framed(self.bytes.get(offset as usize..)?, offset as usize).ok()
    }

    /// The number of taken edges of a position: links in their order, then the leaf.
    #[inline]
    pub fn taken(&self, slot: Slot) -> usize {
        self.slots.taken(slot.0)
    }

    /// Takes the next edge of a position.
    #[inline]
    pub fn take(&mut self, slot: Slot) {
        self.slots.take(slot.0);
    }
}

/// The record at an offset of a book, if it has the board.
#[inline]
fn record_of(bytes: &[u8], slot: u64, offset: usize, board: Board) -> Option<IndexHit<'_>> {
    let record = EdaxRecordRef::framed(bytes.get(offset..)?, offset).ok()?;
    (record.board() == board).then_some(IndexHit {
        slot: Slot(slot),
        record,
    })
}

/// A batch of records to index.
struct RecordBatch {
    hashes: [u64; TOGETHER],
    offsets: [u64; TOGETHER],
    len: usize,
}

impl RecordBatch {
    const fn new() -> Self {
        Self {
            hashes: [0; TOGETHER],
            offsets: [0; TOGETHER],
            len: 0,
        }
    }

    /// Adds a record and returns whether the batch is full.
    fn add(&mut self, record: &EdaxRecordRef<'_>) -> bool {
        self.hashes[self.len] = hash(record.board());
        self.offsets[self.len] = record.offset();
        self.len += 1;
        self.len == TOGETHER
    }

    /// Takes the hashes and empties the batch.
    fn take(&mut self) -> &[u64] {
        let len = std::mem::take(&mut self.len);
        &self.hashes[..len]
    }
}

/// The hash has enough numbers for the largest file.
const _: () = assert!(EdaxIndex::MAX_FILE / EdaxRecordRef::MIN_LEN as u64 <= PerfectHash::MAX);

/// Estimates the number of records by the size of the first ones.
fn estimated_count(book: &EdaxBook<'_>, len: u64) -> u64 {
    const FIRST: u64 = 1 << 16;
    let mut records = book.records();
    let begin = records.offset();
    let read = records.by_ref().take(FIRST as usize).count() as u64;
    let bytes = records.offset() - begin;
    // At least one byte, as a book may be empty.
    (len - begin) * read / bytes.max(1)
}

/// The damaged records so far.
#[derive(Default)]
struct DamageLog {
    kept: Vec<FormatError>,
    count: u64,
}

impl DamageLog {
    /// The handler of each damaged record.
    fn of(
        &mut self,
        damage: OnDamage,
    ) -> impl FnMut(FormatError) -> std::result::Result<(), FormatError> {
        move |error| match damage {
            OnDamage::Stop => Err(error),
            OnDamage::Skip => {
                self.count += 1;
                if self.kept.len() < EdaxIndex::ERRORS_KEPT {
                    self.kept.push(error);
                }
                Ok(())
            }
        }
    }
}

/// Calls `each` with the valid records of a book and reports progress.
fn for_each<'a>(
    map: &'a Map,
    book: &EdaxBook<'a>,
    job: &Job,
    on_error: &mut dyn FnMut(FormatError) -> std::result::Result<(), FormatError>,
    mut each: impl FnMut(EdaxRecordRef<'a>),
) -> Result<()> {
    const STEP: u64 = 1 << 24;
    let mut records = book.records();
    let mut reported = 0;
    while let Some(record) = records.next() {
        match record {
            Ok(record) => each(record),
            Err(error) => on_error(error).map_err(|error| error.in_file(map))?,
        }
        if records.offset() - reported >= STEP {
            job.progress.advance(records.offset() - reported);
            reported = records.offset();
            job.check()?;
        }
    }
    job.progress.advance(records.offset() - reported);
    Ok(())
}

/// The 64-bit hash of a board.
#[inline(always)]
pub(crate) fn hash(board: Board) -> u64 {
    let mover = u128::from(board.mover() ^ 0xa076_1d64_78bd_642f);
    let opponent = u128::from(board.opponent() ^ 0xe703_7ed1_a0b4_28db);
    let product = mover * opponent;
    (product ^ product >> 64) as u64
}

// Batched lookups in an index.
//
// A lookup waits for memory three times: for a cache line of the hash, which gives a slot, for the slot, which gives
// the offset of the record, and for the record. Each step is done for all boards before the next, with prefetching, so
// that the waits overlap. Lines of the hash are prefetched when a board is pushed, as making boards takes longer than
// their arrival.

/// A batch of boards to look up, and their results.
#[derive(Debug, Default)]
pub struct BatchLookup<'a> {
    queries: Vec<Query>,
    candidates: Vec<LookupCandidate>,
    found: Vec<Option<IndexHit<'a>>>,
}

#[derive(Clone, Copy, Debug)]
struct Query {
    board: Board,
    hash: u64,
    places: HashPlaces,
    slot: u64,
}

/// A query with a possible record.
#[derive(Clone, Copy, Debug)]
struct LookupCandidate {
    queries: usize,
    offset: usize,
}

impl<'a> BatchLookup<'a> {
    /// Adds a board, in the orientation of the book: canonical, if that is sound.
    #[inline]
    pub fn push(&mut self, index: &EdaxIndex<'a>, board: Board) {
        let hash = hash(board);
        self.queries.push(Query {
            board,
            hash,
            places: index.perfect.prefetch(hash),
            slot: NONE,
        });
    }

    /// Resolves all boards, in the order in which they were pushed, and empties the batch.
    pub fn resolve(&mut self, index: &EdaxIndex<'a>) -> &[Option<IndexHit<'a>>] {
        for queries in &mut self.queries {
            queries.slot = index.perfect.number(queries.hash, queries.places);
        }
        for queries in &self.queries {
            index.slots.prefetch(queries.slot);
        }
        for (n, &Query { hash, slot, .. }) in self.queries.iter().enumerate() {
            let offset = match slot {
                NONE => None,
                slot => index.slots.offset(slot, hash),
            };
            // Pushed and popped again without an unpredictable branch.
            self.candidates.push(LookupCandidate {
                queries: n,
                offset: offset.unwrap_or(0) as usize,
            });
            let count = self.candidates.len() - usize::from(offset.is_none());
            self.candidates.truncate(count);
        }
        for candidate in &self.candidates {
            index.prefetch(candidate.offset);
        }
        self.found.clear();
        self.found.resize(self.queries.len(), None);
        for &LookupCandidate { queries: n, offset } in &self.candidates {
            let queries = &self.queries[n];
            self.found[n] = index.record_of(queries.slot, offset, queries.board);
        }
        if index.has_others() {
            for (found, queries) in self.found.iter_mut().zip(&self.queries) {
                *found = found.or_else(|| index.find_other(queries.board));
            }
        }
        self.queries.clear();
        self.candidates.clear();
        &self.found
    }
}
