//! A book of any size that can be changed, on disk.
//!
//! 40 bytes a position in the order of the boards, in memory while they are few, then in a temporary file that the
//! system caches. Beyond that, 5.6 bytes of memory a position: a minimal perfect hash, and for each of its numbers the
//! row, with a byte of the board's own hash that saves accesses to rows for boards that are not there.

use hashbrown::HashMap;
use othello_core::Board;
use yane_base::memory::prefetch;
use yane_io::{Job, Result, Scratch, ScratchWriter, Unit};

use crate::Edge;
use crate::bytes::{TooManyPositions, u32_at, u64_at};
use crate::edax::EdaxHeader;
use crate::egaroucid::BookLeaf;
use crate::store::arrays::{BitSet, ZeroedBytes};
use crate::store::edax_index::hash;
use crate::store::perfect_hash::{HashBuilder, NONE, PerfectHash, TOGETHER};
use crate::store::{Bounds, GameCounts, PositionData, PositionLookup, PositionStore};

/// The length of a row: board, small fields, lines and games.
const WIDTH: usize = PositionData::ROW;

/// The length of a place: the number of a row, and a byte of a hash.
const PLACE: usize = 5;

/// A book on disk (see the module).
#[derive(Debug)]
pub struct DiskBook {
    /// The header, if a book of Edax was read.
    pub header: Option<EdaxHeader>,
    bytes: Scratch,
    perfect: PerfectHash,
    /// The row of each number of the hash.
    places: ZeroedBytes,
    /// The rows of boards without a number of the hash.
    others: HashMap<Board, u32>,
    removed: BitSet,
    removed_count: u64,
    count: u32,
}

/// A writer of positions in the order of their boards.
#[derive(Debug)]
pub struct DiskBookWriter {
    bytes: ScratchWriter,
    count: u64,
}

impl DiskBookWriter {
    /// Creates a writer. Up to `memory` bytes stay in memory, more go to a temporary file.
    pub fn new(folder: &yane_io::TempFolder, memory: u64) -> Self {
        Self {
            bytes: ScratchWriter::new(folder, memory),
            count: 0,
        }
    }

    /// Appends a position: a canonical board beyond the last one, and a leaf on it.
    ///
    /// # Errors
    ///
    /// A temporary file that cannot be written.
    pub fn put(&mut self, board: Board, known: &PositionData) -> Result<()> {
        self.count += 1;
        self.bytes.put(&known.to_row(board))
    }

    /// Builds the index of the rows. The inner error is too many positions.
    ///
    /// # Errors
    ///
    /// Temporary files, and [`yane_io::Error::Cancelled`].
    pub fn finish(
        self,
        header: Option<EdaxHeader>,
        job: &Job,
    ) -> Result<std::result::Result<DiskBook, TooManyPositions>> {
        let count = Some(self.count).filter(|&count| count <= PerfectHash::MAX);
        let Some(Ok(count)) = count.map(u32::try_from) else {
            return Ok(Err(TooManyPositions::Index(self.count)));
        };
        let mut rows = DiskBook {
            header,
            bytes: self.bytes.finish()?,
            perfect: PerfectHash::default(),
            // A place is read as eight bytes.
            places: ZeroedBytes::new(PLACE * count as usize + 8 - PLACE),
            others: HashMap::new(),
            removed: BitSet::new(count.into()),
            removed_count: 0,
            count,
        };
        rows.index(job)?;
        Ok(Ok(rows))
    }
}

impl PositionData {
    /// The bytes of a row.
    pub const ROW: usize = 40;

    /// A position as bytes: the board, then every field of the data.
    pub fn to_row(&self, board: Board) -> [u8; Self::ROW] {
        let mut row = [0; WIDTH];
        row[..8].copy_from_slice(&board.mover().to_le_bytes());
        row[8..16].copy_from_slice(&board.opponent().to_le_bytes());
        row[16..].copy_from_slice(&encode(self));
        row
    }

    /// The position of a row; `None` if both players have a disc on a square.
    pub fn of_row(row: &[u8; Self::ROW]) -> Option<(Board, Self)> {
        let board = Board::new(u64_at(row, 0), u64_at(row, 8)).ok()?;
        Some((board, decode(&row[16..])))
    }
}

/// Encodes the data of a position.
fn encode(known: &PositionData) -> [u8; WIDTH - 16] {
    let mut row = [0; WIDTH - 16];
    let small = [
        known.value,
        known.level,
        known.leaf.edge.score,
        known.leaf.edge.number as i8,
        known.leaf.level,
        known.bounds.lower,
        known.bounds.upper,
        i8::from(known.is_of_edax),
    ];
    row[..8].copy_from_slice(&small.map(|number| number as u8));
    let GameCounts {
        wins,
        draws,
        losses,
    } = known.games;
    let large = [known.lines, wins, draws, losses];
    for (place, number) in row[8..].chunks_exact_mut(4).zip(large) {
        place.copy_from_slice(&number.to_le_bytes());
    }
    row
}

/// The data of a position from the bytes of [`encode`].
fn decode(row: &[u8]) -> PositionData {
    let small = |n: usize| row[n] as i8;
    PositionData {
        value: small(0),
        level: small(1),
        lines: u32_at(row, 8),
        leaf: BookLeaf {
            edge: Edge {
                score: small(2),
                number: row[3],
            },
            level: small(4),
        },
        games: GameCounts {
            wins: u32_at(row, 12),
            draws: u32_at(row, 16),
            losses: u32_at(row, 20),
        },
        bounds: Bounds {
            lower: small(5),
            upper: small(6),
        },
        is_of_edax: row[7] != 0,
    }
}

impl DiskBook {
    fn index(&mut self, job: &Job) -> Result<()> {
        let count = self.count;
        let stage = |name| {
            let total = Some(count.into());
            job.progress.stage(name, total, Unit::Positions);
        };
        stage("counting");
        let mut building = HashBuilder::new(count.into());
        self.each(job, |_, hashes, _| building.add(hashes))?;
        stage("indexing");
        let mut sifting = building.sifting();
        self.each(job, |_, hashes, _| sifting.add(hashes))?;
        self.perfect = sifting.finish();
        stage("placing");
        let mut places = std::mem::replace(&mut self.places, ZeroedBytes::new(0));
        let mut others = HashMap::new();
        self.each(job, |rows, hashes, first| {
            let mut numbers = [NONE; TOGETHER];
            rows.perfect.find_together(hashes, &mut numbers);
            for ((row, &hash), number) in (first..).zip(hashes).zip(numbers) {
                if number == NONE {
                    others.insert(rows.board_of(row), row);
                } else {
                    let at = PLACE * number as usize;
                    places[at..at + 4].copy_from_slice(&row.to_le_bytes());
                    places[at + 4] = tag(hash);
                }
            }
        })?;
        (self.places, self.others) = (places, others);
        Ok(())
    }

    /// Calls `each` with the hashes of all rows in groups, and the number of the first.
    fn each(&self, job: &Job, mut each: impl FnMut(&Self, &[u64], u32)) -> Result<()> {
        const STEP: u32 = 1 << 16;
        let mut first = 0;
        while first < self.count {
            let end = self.count.min(first.saturating_add(TOGETHER as u32));
            let mut hashes = [0; TOGETHER];
            for (hash, row) in hashes.iter_mut().zip(first..end) {
                *hash = self::hash(self.board_of(row));
            }
            each(self, &hashes[..(end - first) as usize], first);
            if end % STEP == 0 {
                job.progress.advance(STEP.into());
                job.check()?;
            }
            first = end;
        }
        Ok(())
    }

    /// The board of a row, removed or not.
    #[inline]
    fn board_of(&self, row: u32) -> Board {
        let at = row as usize * WIDTH;
        let (mover, opponent) = (u64_at(&self.bytes, at), u64_at(&self.bytes, at + 8));
        // They were written from boards.
        Board::new(mover, opponent & !mover).unwrap_or_default()
    }

    /// The row that may have a board, by its number of the hash.
    #[inline(always)]
    fn place(&self, number: u64, hash: u64) -> Option<u32> {
        let at = (number as usize).wrapping_mul(PLACE);
        let place = u64_at(&self.places, at);
        let row = place as u32;
        let may_be = number != NONE && (place >> 32) as u8 == tag(hash) && row < self.count;
        may_be.then_some(row)
    }

    /// The row of a canonical board, if the candidate or the others have it.
    #[inline]
    fn with(&self, row: Option<u32>, board: Board) -> Option<u32> {
        let has = |row: &u32| self.board_of(*row) == board;
        let row = row.filter(has).or_else(|| {
            let others = (!self.others.is_empty()).then_some(&self.others)?;
            others.get(&board).copied()
        });
        row.filter(|&row| !self.removed.has(row.into()))
    }

    /// The memory in bytes beyond the rows.
    pub fn memory(&self) -> usize {
        self.perfect.bytes() + self.places.len() + self.count as usize / 8
    }
}

/// The byte of a hash that a place stores.
#[inline(always)]
const fn tag(hash: u64) -> u8 {
    hash as u8
}

impl PositionLookup for DiskBook {
    fn find(&self, board: Board) -> Option<u32> {
        let board = board.canonical().board;
        let hash = hash(board);
        let row = self.place(self.perfect.find(hash), hash);
        self.with(row, board)
    }

    fn find_many(&self, boards: &[Board], found: &mut Vec<Option<u32>>) {
        for boards in boards.chunks(TOGETHER) {
            let mut canonical = [Board::START; TOGETHER];
            let mut hashes = [0; TOGETHER];
            for (n, board) in boards.iter().enumerate() {
                canonical[n] = board.canonical().board;
                hashes[n] = hash(canonical[n]);
            }
            let count = boards.len();
            let mut numbers = [NONE; TOGETHER];
            self.perfect.find_together(&hashes[..count], &mut numbers);
            for &number in &numbers {
                let at = (number as usize).wrapping_mul(PLACE);
                if let Some(byte) = self.places.get(at) {
                    prefetch(byte);
                }
            }
            let mut rows = [None; TOGETHER];
            for (n, row) in rows[..count].iter_mut().enumerate() {
                *row = self.place(numbers[n], hashes[n]);
                let byte = row.and_then(|row| self.bytes.get(row as usize * WIDTH));
                if let Some(byte) = byte {
                    prefetch(byte);
                }
            }
            let each = rows.into_iter().zip(canonical).take(count);
            found.extend(each.map(|(row, board)| self.with(row, board)));
        }
    }

    fn bound(&self) -> u32 {
        self.count
    }

    fn known(&self, number: u32) -> PositionData {
        let at = number as usize * WIDTH + 16;
        let Some(row) = self.bytes.get(at..at + WIDTH - 16) else {
            return PositionData::default();
        };
        decode(row)
    }
}

impl PositionStore for DiskBook {
    fn header(&self) -> Option<EdaxHeader> {
        self.header
    }

    fn count(&self) -> u64 {
        u64::from(self.count) - self.removed_count
    }

    fn board(&self, number: u32) -> Option<Board> {
        (number < self.count && !self.removed.has(number.into())).then(|| self.board_of(number))
    }

    fn set(&mut self, number: u32, known: &PositionData) {
        let at = number as usize * WIDTH + 16;
        if let Some(row) = self.bytes.get_mut(at..at + WIDTH - 16) {
            row.copy_from_slice(&encode(known));
        }
    }

    fn keep(&mut self, keep: &mut dyn FnMut(u32, Board) -> bool) -> u64 {
        let before = self.removed_count;
        for number in 0..self.count {
            if let Some(board) = self.board(number)
                && !keep(number, board)
            {
                self.removed.set(number.into());
                self.removed_count += 1;
            }
        }
        self.removed_count - before
    }

    fn in_order(&self) -> Box<dyn Iterator<Item = u32> + '_> {
        Box::new((0..self.count).filter(|&number| !self.removed.has(number.into())))
    }
}
