//! The file of a book, looked up in place.

use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use shogi_core::{Move16, Position};
use shogi_packed::PackedSfen;
use yane_io::{FileState, MemoryFiles};

use super::change::FormatRules;
use super::db::DbBase;
use super::entry::{BookColumns, EditableEntry, EditableMove};
use super::error::EditError;
use super::index::SMALL_BOOK;
use super::sbk::SbkBase;
use super::sliced::{BookPart, SlicedBook};
use crate::apery::{self, Apery};
use crate::ybb::{MoveDepths, Ybb, YbbEntry};
use crate::{BookError, Format, Job, Result};

/// The file of a book. Opening takes no time whatever its size, but for `.sbk` and text in UTF-16, which are read as a whole. One of
/// [slices](MemoryFiles::put_sliced) is looked up in them.
#[derive(Debug)]
pub struct BookBase {
    pub(super) kind: BaseKind,
    /// Look-ups so far.
    lookups: AtomicU32,
}

/// Look-ups after which what was looked at is given back to the system: each may leave some hundred kilobytes of the file mapped.
const RELEASE: u32 = 128;

#[derive(Debug)]
pub(super) enum BaseKind {
    Db(DbBase),
    Ybb(Ybb),
    Apery(Apery),
    Sbk(SbkBase),
    Sliced(SlicedBook),
}

impl BookBase {
    /// Opens the file at `path`, whose extension names its format.
    ///
    /// # Errors
    /// When the file cannot be read or is not what its name says, or the job is cancelled.
    pub fn open(path: &Path, job: &Job) -> Result<Self> {
        job.check()?;
        let format = Format::of_path(path)?;
        if let Some(file) = MemoryFiles::sliced(path) {
            return Ok(Self {
                kind: BaseKind::Sliced(SlicedBook::open(path, format, file)?),
                lookups: AtomicU32::new(0),
            });
        }
        let kind = match format {
            Format::Db => BaseKind::Db(DbBase::open(path)?),
            Format::Ybb => {
                let book = Ybb::open(path)?;
                book.map().want_random_access();
                BaseKind::Ybb(book)
            }
            Format::Apery => {
                let book = Apery::open(path)?;
                book.map().want_random_access();
                BaseKind::Apery(book)
            }
            Format::Sbk => BaseKind::Sbk(SbkBase::open(path)?),
        };
        Ok(Self {
            kind,
            lookups: AtomicU32::new(0),
        })
    }

    /// The same book; a text book of at most [`SMALL_BOOK`] bytes is read, so that its positions are found wherever they stand.
    ///
    /// # Errors
    /// A larger text book.
    pub fn indexed(mut self) -> Result<Self> {
        if let BaseKind::Db(book) = &mut self.kind {
            let path = book.path().to_owned();
            let state = FileState::of(&path).map_err(BookError::io(&path))?;
            if state.len > SMALL_BOOK {
                return Err(BookError::file(
                    path,
                    "too large to be read as a whole: sort it",
                ));
            }
            book.index();
        }
        Ok(self)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        match &self.kind {
            BaseKind::Db(book) => book.path(),
            BaseKind::Ybb(book) => book.path(),
            BaseKind::Apery(book) => book.path(),
            BaseKind::Sbk(book) => book.path(),
            BaseKind::Sliced(book) => book.path(),
        }
    }

    /// The format.
    pub const fn format(&self) -> Format {
        match &self.kind {
            BaseKind::Db(_) => Format::Db,
            BaseKind::Ybb(_) => Format::Ybb,
            BaseKind::Apery(_) => Format::Apery,
            BaseKind::Sbk(_) => Format::Sbk,
            BaseKind::Sliced(book) => book.format(),
        }
    }

    pub(super) const fn rules(&self) -> FormatRules {
        let depths = match &self.kind {
            BaseKind::Ybb(book) => book.depths(),
            BaseKind::Sliced(book) => book.depths(),
            _ => MoveDepths::Stored,
        };
        FormatRules::new(self.format(), depths)
    }

    /// What the book can hold of a move.
    pub const fn columns(&self) -> BookColumns {
        self.rules().columns
    }

    /// The number of positions, where it is known without reading the file.
    pub fn positions(&self) -> Option<u64> {
        match &self.kind {
            BaseKind::Db(book) => book.positions(),
            BaseKind::Ybb(book) => Some(book.len()),
            BaseKind::Apery(_) => None,
            BaseKind::Sbk(book) => Some(book.entries.len() as u64),
            BaseKind::Sliced(book) => book.positions(),
        }
    }

    /// Returns whether all positions of a file that is not sorted are found.
    pub const fn is_indexed(&self) -> bool {
        match &self.kind {
            BaseKind::Db(book) => book.is_indexed(),
            BaseKind::Sbk(_) => true,
            BaseKind::Ybb(_) | BaseKind::Apery(_) | BaseKind::Sliced(_) => false,
        }
    }

    /// Checks that a book with edits can be written.
    ///
    /// # Errors
    /// A format, or an encoding, that is only read.
    pub const fn check_writable(&self) -> std::result::Result<(), EditError> {
        match &self.kind {
            BaseKind::Sbk(_) => Err(EditError::ReadOnly(".sbk")),
            BaseKind::Db(book) if book.encoding().is_utf16() => Err(EditError::ReadOnly("UTF-16")),
            BaseKind::Sliced(_) => Err(EditError::Sliced),
            _ => Ok(()),
        }
    }

    /// Counts a look-up, and gives back what many of them looked at.
    fn count_lookup(&self) {
        let before = self.lookups.fetch_add(1, Ordering::Relaxed);
        if !before.wrapping_add(1).is_multiple_of(RELEASE) {
            return;
        }
        match &self.kind {
            BaseKind::Db(book) => book.map().release(),
            BaseKind::Ybb(book) => book.map().release(),
            BaseKind::Apery(book) => book.map().release(),
            BaseKind::Sbk(_) | BaseKind::Sliced(_) => {}
        }
    }

    /// The plies of the entries of a position, without reading their moves.
    pub(super) fn plies(&self, position: &Position) -> Result<Vec<Option<u32>>> {
        self.count_lookup();
        self.kind.plies(position)
    }

    /// The entries of a position by their plies; most books have one of a position at most.
    ///
    /// # Errors
    /// A binary file that is damaged at this position.
    pub fn entries(&self, position: &Position) -> Result<Vec<EditableEntry>> {
        self.count_lookup();
        self.kind.entries(position)
    }
}

impl From<BookPart> for BaseKind {
    fn from(part: BookPart) -> Self {
        match part {
            BookPart::Db(book) => Self::Db(book),
            BookPart::Ybb(book) => Self::Ybb(book),
            BookPart::Apery(book) => Self::Apery(book),
        }
    }
}

impl BaseKind {
    fn plies(&self, position: &Position) -> Result<Vec<Option<u32>>> {
        Ok(match self {
            Self::Db(book) => {
                let plies = book.plies(&position.to_sfen_without_ply());
                plies.into_iter().map(Some).collect()
            }
            Self::Apery(book) => {
                let is_there = book.contains(apery::key(position));
                is_there.then_some(None).into_iter().collect()
            }
            Self::Ybb(_) | Self::Sbk(_) => {
                let entries = self.entries(position)?;
                entries.iter().map(|entry| entry.ply).collect()
            }
            Self::Sliced(book) => match book.part_of(position)? {
                Some(part) => Self::from(part).plies(position)?,
                None => Vec::new(),
            },
        })
    }

    fn entries(&self, position: &Position) -> Result<Vec<EditableEntry>> {
        let name = || position.to_sfen_without_ply();
        Ok(match self {
            Self::Db(book) => book.entries(&name()),
            Self::Ybb(book) => {
                // A position that cannot be packed, for want of a king, is in no such book.
                let found = match PackedSfen::encode(position) {
                    Ok(key) => book.find(&key)?,
                    Err(_) => None,
                };
                found
                    .map(|found| ybb_entry(&found, name(), book.depths()))
                    .into_iter()
                    .collect()
            }
            Self::Apery(book) => {
                let moves: Vec<_> = book.find(apery::key(position)).map(apery_move).collect();
                let entry = EditableEntry {
                    position: name(),
                    moves,
                    ..EditableEntry::default()
                };
                (!entry.moves.is_empty())
                    .then_some(entry)
                    .into_iter()
                    .collect()
            }
            Self::Sbk(book) => book.find(&name()).cloned().into_iter().collect(),
            Self::Sliced(book) => match book.part_of(position)? {
                Some(part) => Self::from(part).entries(position)?,
                None => Vec::new(),
            },
        })
    }
}

pub(super) fn ybb_entry(
    found: &YbbEntry<'_>,
    position: String,
    depths: MoveDepths,
) -> EditableEntry {
    let moves = found.moves().map(|known| EditableMove {
        mv: known.mv,
        score: Some(known.eval),
        depth: (depths == MoveDepths::Stored).then_some(known.depth),
        ..EditableMove::default()
    });
    EditableEntry {
        position,
        ply: Some(found.ply.into()),
        moves: moves.collect(),
        ..EditableEntry::default()
    }
}

fn apery_move(record: apery::AperyRecord) -> EditableMove {
    EditableMove {
        mv: record.mv.decode().map(Move16::encode),
        score: Some(record.score),
        count: Some(record.count.into()),
        ..EditableMove::default()
    }
}
