//! Files of three-piece tables.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use yane_io::{Error, Job, Unit};

use super::InspectError;
use crate::BonaPiece;
use crate::kppt::{KpptError, KpptLayout, KpptTable, Width};

/// Files of three-piece tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableFiles {
    /// The folder, or the one file.
    pub path: PathBuf,
    /// The kinds that the files may be: one for a folder; a single file may belong to several.
    pub kinds: Vec<KpptLayout>,
    /// The files, in the order of [`KpptTable::ALL`].
    pub files: Vec<TableFile>,
}

/// One table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableFile {
    /// Path of the file.
    pub path: PathBuf,
    /// The table.
    pub table: KpptTable,
    /// Its size.
    pub bytes: u64,
    /// The SHA-256 of the whole file: 64 hexadecimal digits.
    pub sha256: String,
    /// Smallest and largest value for the board, in 1/32 of the internal unit.
    pub board: RangeInclusive<i32>,
    /// The same for the turn, if the table has such values.
    pub turn: Option<RangeInclusive<i32>>,
    /// Oddities of the file.
    pub note: Option<TableNote>,
}

/// Something the user should know about a table that can be read nonetheless.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TableNote {
    /// The value of a king and two pieces depends on which piece comes first. Programs that bring
    /// values up to date move by move will disagree with those that compute them from scratch.
    Asymmetric {
        /// The first such entry.
        offset: u64,
        /// The entry of the same pieces the other way round.
        mirror: u64,
    },
}

/// The kinds whose file of `table` has `len` bytes. All of them have the same entries there.
pub(super) fn kinds_by_size(table: KpptTable, len: u64) -> impl Iterator<Item = KpptLayout> {
    let fits = move |layout: &KpptLayout| layout.file_len(table) == len;
    KpptLayout::ALL.into_iter().filter(fits)
}

impl TableFiles {
    pub(super) fn of_folder(folder: &Path, job: &Job) -> Result<Self, InspectError> {
        let layout = KpptLayout::of(folder)?;
        let files =
            KpptTable::ALL.map(|table| TableFile::scan(&table.path(folder), table, layout, job));
        Ok(Self {
            path: folder.to_owned(),
            kinds: vec![layout],
            files: files.into_iter().collect::<Result<_, _>>()?,
        })
    }

    pub(super) fn of_file(path: &Path, table: KpptTable, job: &Job) -> Result<Self, InspectError> {
        let found = std::fs::metadata(path).map_err(Error::io(path))?.len();
        let kinds: Vec<_> = kinds_by_size(table, found).collect();
        let Some(&layout) = kinds.first() else {
            return Err(wrong_size(path, table, found, &KpptLayout::ALL).into());
        };
        Ok(Self {
            path: path.to_owned(),
            files: vec![TableFile::scan(path, table, layout, job)?],
            kinds,
        })
    }
}

fn wrong_size(path: &Path, table: KpptTable, found: u64, kinds: &[KpptLayout]) -> KpptError {
    KpptError::Size {
        path: path.to_owned(),
        found,
        expected: crate::kppt::expected(table, kinds),
    }
}

/// Blocks in each table: one for each square of its first king.
const BLOCKS: u64 = 81;

impl TableFile {
    fn scan(
        path: &Path,
        table: KpptTable,
        layout: KpptLayout,
        job: &Job,
    ) -> Result<Self, InspectError> {
        let mut file = File::open(path).map_err(Error::io(path))?;
        let bytes = layout.file_len(table);
        job.progress
            .stage(table.file_name(), Some(bytes), Unit::Bytes);
        let mut block = vec![0; (bytes / BLOCKS) as usize];
        let (width, values) = (layout.width(table), layout.values(table));
        let mut hash = Sha256::new();
        let mut extremes = Extremes::default();
        let mut note = None;
        for number in 0..BLOCKS {
            job.check()?;
            let offset = number * block.len() as u64;
            file.read_exact(&mut block).map_err(|error| {
                if error.kind() == ErrorKind::UnexpectedEof {
                    // Cut off since its size was looked at.
                    let found = std::fs::metadata(path).map_or(offset, |data| data.len());
                    wrong_size(path, table, found, &[layout]).into()
                } else {
                    InspectError::from(Error::io(path)(error))
                }
            })?;
            hash.update(&block);
            extremes.widen(&block, width, values);
            if table == KpptTable::Kpp && note.is_none() {
                let places = asymmetry(&block, width.bytes() * values);
                note = places.map(|[at, mirror]| TableNote::Asymmetric {
                    offset: offset + at as u64,
                    mirror: offset + mirror as u64,
                });
            }
            job.progress.advance(block.len() as u64);
        }
        let [board, turn] = extremes.0.map(|(low, high)| low..=high);
        Ok(Self {
            path: path.to_owned(),
            table,
            bytes,
            sha256: yane_io::hexadecimal(hash.finalize()),
            board,
            turn: (values == 2).then_some(turn),
            note,
        })
    }
}

/// The smallest and the largest value for the board and for the turn so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Extremes([(i32, i32); 2]);

impl Default for Extremes {
    /// Of nothing.
    fn default() -> Self {
        Self([(i32::MAX, i32::MIN); 2])
    }
}

impl Extremes {
    fn widen(&mut self, block: &[u8], width: Width, values: usize) {
        let short = |low, high| i32::from(i16::from_le_bytes([low, high]));
        match (width, values) {
            (Width::I16, 1) => self.of(block, |[a, b]| [short(a, b), 0]),
            (Width::I16, _) => self.of(block, |[a, b, c, d]| [short(a, b), short(c, d)]),
            (Width::I32, _) => self.of(block, |[a, b, c, d, e, f, g, h]| {
                [[a, b, c, d], [e, f, g, h]].map(i32::from_le_bytes)
            }),
        }
    }

    fn of<const N: usize>(&mut self, block: &[u8], values: impl Fn([u8; N]) -> [i32; 2]) {
        let (entries, _) = block.as_chunks::<N>();
        let [mut board, mut turn] = self.0;
        for &entry in entries {
            let [b, t] = values(entry);
            board = (board.0.min(b), board.1.max(b));
            turn = (turn.0.min(t), turn.1.max(t));
        }
        self.0 = [board, turn];
    }
}

/// Two places of a king's pairs of pieces that should be the same and are not: offsets in `block`, the
/// smaller first.
fn asymmetry(block: &[u8], entry: usize) -> Option<[usize; 2]> {
    match entry {
        2 => asymmetric_entries::<2>(block),
        _ => asymmetric_entries::<4>(block),
    }
}

fn asymmetric_entries<const N: usize>(block: &[u8]) -> Option<[usize; 2]> {
    const PIECES: usize = BonaPiece::PIECE_END;
    /// Rows and columns of a square that stays in the cache with its mirror image.
    const TILE: usize = 64;
    let (entries, _) = block.as_chunks::<N>();
    let end = |start: usize| PIECES.min(start + TILE);
    let mut first: Option<[usize; 2]> = None;
    for row_tile in (0..PIECES).step_by(TILE) {
        for column_tile in (row_tile..PIECES).step_by(TILE) {
            for row in row_tile..end(row_tile) {
                for column in column_tile.max(row + 1)..end(column_tile) {
                    let places = [row * PIECES + column, column * PIECES + row];
                    if entries[places[0]] != entries[places[1]] {
                        let places = places.map(|place| place * N);
                        first = Some(first.map_or(places, |known| known.min(places)));
                    }
                }
            }
        }
        // Later tiles have later rows.
        if first.is_some() {
            break;
        }
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_asymmetry_is_found() {
        const PIECES: usize = BonaPiece::PIECE_END;
        let mut block = vec![0_u8; 2 * PIECES * PIECES];
        let place = |row: usize, column: usize| 2 * (row * PIECES + column);
        // The diagonal is its own mirror image.
        block[place(70, 70)] = 1;
        assert_eq!(asymmetry(&block, 2), None);
        for (row, column) in [(1500, 3), (3, 1547), (2, 1547), (1547, 1546)] {
            block[place(row, column)] ^= 3;
            block[place(column, row)] ^= 3;
        }
        assert_eq!(asymmetry(&block, 2), None);
        for (row, column) in [(1547, 1546), (1500, 3), (3, 65), (1400, 2)] {
            block[place(row, column)] ^= 1;
            let (row, column) = (row.min(column), row.max(column));
            let expected = [place(row, column), place(column, row)];
            assert_eq!(asymmetry(&block, 2), Some(expected));
        }
    }
}
