//! Labelled positions and their files.
//!
//! A file begins with the 8 bytes `YANEOLP1`. Each position has 20 bytes, little-endian:
//!
//! | bytes | what |
//! | --- | --- |
//! | 8, 8 | the discs of the player to move and of the opponent, a1 = bit 0 |
//! | 2 | its value for the player to move, in 128ths of a disc, −8192 to 8192 |
//! | 1 | where the value comes from: 1 a search, 2 solved |
//! | 1 | 1 for the first position of a game, else 0 |

use std::path::{Path, PathBuf};

use othello_core::{Board, BoardError};
use othello_eval::UNITS_PER_DISC;
use yane_io::{AtomicFile, Checksum, Error, Hasher, Map, Result};

/// The beginning of a file.
const MAGIC: &[u8; 8] = b"YANEOLP1";

/// Bytes of a position.
pub(crate) const RECORD: usize = 20;

/// The largest value: 64 discs.
pub(crate) const MOST: i32 = 64 * UNITS_PER_DISC;

/// Why bytes are no labelled position.
#[derive(Debug, thiserror::Error)]
enum RowError {
    #[error(transparent)]
    Board(#[from] BoardError),
    #[error("expected 4 discs or more, found {0}")]
    Discs(u32),
    #[error("expected a value within ±{MOST}, found {0}")]
    Value(i32),
    #[error("expected a kind of 1 or 2, found {0}")]
    Kind(u8),
    #[error("expected 0 or 1, found {0}")]
    Begin(u8),
}

/// Where the value of a position comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LabelKind {
    /// A search of a few plies.
    Search = 1,
    /// Perfect play to the end.
    Exact,
}

/// A position with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LabelledPosition {
    /// The board from the view of the player to move.
    pub board: Board,
    /// The value for the player to move, in [`UNITS_PER_DISC`]ths of a disc, within ±64 discs.
    pub value: i32,
    /// Where it comes from.
    pub kind: LabelKind,
    /// The first of its game: positions of a game are held out together.
    pub begins_game: bool,
}

impl LabelledPosition {
    /// Moves made since the start position: discs on the board less 4.
    pub fn ply(&self) -> usize {
        (self.board.discs() as usize).saturating_sub(4)
    }

    pub(crate) fn to_bytes(self) -> [u8; RECORD] {
        let mut bytes = [0; RECORD];
        bytes[..8].copy_from_slice(&self.board.mover().to_le_bytes());
        bytes[8..16].copy_from_slice(&self.board.opponent().to_le_bytes());
        let value = self.value.clamp(-MOST, MOST) as i16;
        bytes[16..18].copy_from_slice(&value.to_le_bytes());
        bytes[18] = self.kind as u8;
        bytes[19] = u8::from(self.begins_game);
        bytes
    }

    /// Reads a position; the reason if it is none.
    fn from_bytes(bytes: &[u8; RECORD]) -> std::result::Result<Self, RowError> {
        let number = |at: usize| {
            let mut number = [0; 8];
            number.copy_from_slice(&bytes[at..at + 8]);
            u64::from_le_bytes(number)
        };
        let board = Board::new(number(0), number(8))?;
        if board.discs() < 4 {
            return Err(RowError::Discs(board.discs()));
        }
        let value = i32::from(i16::from_le_bytes([bytes[16], bytes[17]]));
        if value.abs() > MOST {
            return Err(RowError::Value(value));
        }
        let kind = match bytes[18] {
            1 => LabelKind::Search,
            2 => LabelKind::Exact,
            other => return Err(RowError::Kind(other)),
        };
        if bytes[19] > 1 {
            return Err(RowError::Begin(bytes[19]));
        }
        Ok(Self {
            board,
            value,
            kind,
            begins_game: bytes[19] == 1,
        })
    }
}

/// Writes a file of positions that are bytes already.
pub(crate) fn write<B: AsRef<[u8]>>(
    target: &Path,
    parts: impl Iterator<Item = Result<B>>,
) -> Result<u64> {
    let mut file = AtomicFile::create(target)?;
    file.put(MAGIC)?;
    let mut positions = 0;
    for part in parts {
        let part = part?;
        file.put(part.as_ref())?;
        positions += (part.as_ref().len() / RECORD) as u64;
    }
    file.commit()?;
    Ok(positions)
}

/// A file of labelled positions to train with.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainingFile {
    /// The file.
    pub path: PathBuf,
    /// The share of its games that are used, above 0 and at most 1; the seed of the training decides which.
    pub share: f64,
    /// Only positions whose value comes from there are used; `None`: all.
    pub labels: Option<LabelKind>,
}

impl TrainingFile {
    /// A file of which all positions are used.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            share: 1.0,
            labels: None,
        }
    }

    /// A file of which the solved positions are used.
    pub fn solved(path: impl Into<PathBuf>) -> Self {
        Self {
            labels: Some(LabelKind::Exact),
            ..Self::new(path)
        }
    }

    /// Returns whether the share is one: above 0 and at most 1.
    pub fn has_valid_share(&self) -> bool {
        self.share > 0.0 && self.share <= 1.0
    }

    /// Opens all files of a training.
    pub(crate) fn open_all(files: &[Self]) -> Result<LabelledFiles> {
        if let Some(file) = files.iter().find(|file| !file.has_valid_share()) {
            let reason = format!(
                "expected a share above 0 and at most 1, found {}",
                file.share
            );
            return Err(Error::file(&file.path, reason));
        }
        LabelledFiles::open(&Self::paths(files))
    }

    pub(crate) fn paths(files: &[Self]) -> Vec<PathBuf> {
        files.iter().map(|file| file.path.clone()).collect()
    }

    /// What of the files is used, as words of the identity of a training.
    pub(crate) fn shares(files: &[Self]) -> String {
        let shares = files.iter().map(|file| (file.share, file.labels));
        format!("{:?}", shares.collect::<Vec<_>>())
    }
}

/// Files of labelled positions, mapped into memory; their positions are numbered from 0 through all files.
#[derive(Debug)]
pub struct LabelledFiles {
    maps: Vec<Map>,
    /// The number of positions before each file.
    before: Vec<usize>,
    len: usize,
}

impl LabelledFiles {
    /// Opens files and checks every position.
    ///
    /// # Errors
    /// A file that cannot be read, is something else or damaged, with the byte; no position at all.
    pub fn open(paths: &[PathBuf]) -> Result<Self> {
        let (mut maps, mut before, mut len) = (Vec::new(), Vec::new(), 0);
        for path in paths {
            let map = Map::open(path)?;
            let positions = records(&map)?;
            for (n, record) in positions.iter().enumerate() {
                let offset = (MAGIC.len() + n * RECORD) as u64;
                LabelledPosition::from_bytes(record)
                    .map_err(|error| map.error(offset, error.to_string()))?;
            }
            before.push(len);
            len += positions.len();
            maps.push(map);
        }
        if len == 0 {
            let name = paths.first().cloned().unwrap_or_default();
            return Err(Error::file(name, "there are no positions to train with"));
        }
        Ok(Self { maps, before, len })
    }

    /// The number of positions.
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there are no positions; there is always one.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The position with a number.
    ///
    /// # Panics
    /// When the number is not below [`len`](Self::len).
    pub fn get(&self, number: usize) -> LabelledPosition {
        let file = self.file_of(number);
        let at = MAGIC.len() + (number - self.before[file]) * RECORD;
        let mut bytes = [0; RECORD];
        bytes.copy_from_slice(&self.maps[file][at..at + RECORD]);
        // Checked when the file was opened; whoever changes a file meanwhile gets a wrong table and no panic.
        LabelledPosition::from_bytes(&bytes).unwrap_or(LabelledPosition {
            board: Board::START,
            value: 0,
            kind: LabelKind::Search,
            begins_game: false,
        })
    }

    /// The file of a position, counted from 0.
    pub(crate) fn file_of(&self, number: usize) -> usize {
        self.before.partition_point(|&before| before <= number) - 1
    }

    /// All positions in order.
    pub fn iter(&self) -> impl Iterator<Item = LabelledPosition> {
        (0..self.len).map(|number| self.get(number))
    }

    /// The checksum of all files.
    pub(crate) fn checksum(&self) -> Checksum {
        let mut all = Hasher::default();
        for map in &self.maps {
            all.add(Checksum::of_bytes(map));
        }
        all.finish()
    }
}

/// The positions of a file as bytes.
fn records(map: &Map) -> Result<&[[u8; RECORD]]> {
    let Some(body) = map.strip_prefix(MAGIC) else {
        return Err(map.error(0, "expected labelled positions (YANEOLP1)"));
    };
    let (records, rest) = body.as_chunks::<RECORD>();
    if rest.is_empty() {
        Ok(records)
    } else {
        let at = (map.len() - rest.len()) as u64;
        let reason = format!(
            "expected {RECORD} bytes of a position, the file ends after {}",
            rest.len()
        );
        Err(map.error(at, reason))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_read_as_they_were_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.olp");
        let positions = [
            (Board::START, 0, LabelKind::Search, true),
            (Board::START.passed(), -MOST, LabelKind::Exact, false),
            (Board::START, 77, LabelKind::Search, false),
        ]
        .map(|(board, value, kind, begins_game)| LabelledPosition {
            board,
            value,
            kind,
            begins_game,
        });
        let bytes: Vec<_> = positions.iter().map(|p| Ok(p.to_bytes())).collect();
        assert_eq!(write(&path, bytes.into_iter()).unwrap(), 3);
        let files = LabelledFiles::open(&[path.clone(), path.clone()]).unwrap();
        let read: Vec<_> = files.iter().collect();
        assert_eq!(read, [positions, positions].concat());

        let good = std::fs::read(&path).unwrap();
        let error = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            LabelledFiles::open(std::slice::from_ref(&path))
                .unwrap_err()
                .to_string()
        };
        assert!(error(&good[..good.len() - 1]).contains("byte 48: expected 20 bytes"));
        assert!(error(b"something").contains("byte 0: expected labelled"));
        assert!(error(&good[..8]).contains("no positions"));
        for (at, byte, reason) in [
            (8 + 36, 0x20, "both players"),
            (8 + 38, 3, "kind"),
            (8 + 39, 2, "0 or 1"),
            (8 + 17, 0x7f, "within"),
        ] {
            let mut bad = good.clone();
            bad[at] = byte;
            if reason == "both players" {
                bad.copy_within(8..16, 16);
            }
            assert!(error(&bad).contains(reason), "{reason}: {}", error(&bad));
        }
    }
}
