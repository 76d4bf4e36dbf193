//! The edits of a book, with undo and redo, in a journal beside it: `BOOK.edits`.
//!
//! Each unit of the journal is one action in the order of time, so that a server that is killed goes on where it was. The
//! journal belongs to one state of the book. While there are edits the book is claimed: no other program of this workspace
//! writes it. Edits of a file in memory have no journal: they go with the program, as the file does.

use std::path::{Path, PathBuf};

use yane_io::{Claim, Error, Flush, Journal, MemoryFiles, Overwrite, Result, RunIdentity, beside};

use crate::stamp::FileStamp;

/// Edits that are kept at most.
const MOST: usize = 100_000;

/// An edit that a journal can keep.
pub trait LoggedEdit: Clone {
    /// What begins the identity of the journal: the kind of edits, and the version of their bytes.
    const IDENTITY: &'static str;

    /// The edit as bytes.
    fn to_bytes(&self) -> Vec<u8>;

    /// The edit of these bytes, if they are one.
    fn of_bytes(bytes: &[u8]) -> Option<Self>;
}

/// Something that is done to the edits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditAction<E> {
    /// One more edit.
    Edit(E),
    /// Takes back the last edit that counts.
    Undo,
    /// Does the last edit again that was taken back.
    Redo,
}

impl<E: LoggedEdit> EditAction<E> {
    fn to_bytes(&self) -> Vec<u8> {
        match self {
            Self::Edit(edit) => [&b"E"[..], &edit.to_bytes()].concat(),
            Self::Undo => b"U".to_vec(),
            Self::Redo => b"R".to_vec(),
        }
    }

    fn of_bytes(bytes: &[u8]) -> Option<Self> {
        match bytes {
            b"U" => Some(Self::Undo),
            b"R" => Some(Self::Redo),
            [b'E', edit @ ..] => Some(Self::Edit(E::of_bytes(edit)?)),
            _ => None,
        }
    }
}

/// Why an action is not done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LogError {
    /// There is no edit that counts.
    #[error("there is no edit to be undone")]
    NothingToUndo,
    /// No edit was taken back.
    #[error("there is no edit to be redone")]
    NothingToRedo,
    /// There are as many edits as are kept.
    #[error("{MOST} edits are not saved: save them first")]
    Full,
    /// The journal or the claim cannot be had.
    #[error(transparent)]
    File(#[from] Error),
}

/// The edits of a book.
#[derive(Debug)]
pub struct EditLog<E> {
    book: PathBuf,
    edits: Vec<E>,
    /// Edits that count; those behind them were undone.
    done: usize,
    kept: Option<Kept>,
}

/// The journal and the claim, from the first edit on.
#[derive(Debug)]
struct Kept {
    journal: Journal,
    next: u64,
    _claim: Claim,
}

impl Kept {
    fn open(book: &Path, path: &Path, identity: &RunIdentity) -> Result<Self> {
        let claim = Overwrite::Allow.claim(book, &[book])?;
        let opened = Journal::open(path, identity, Flush::Always)?;
        // What was damaged is kept beside it; the other edits count.
        let (journal, _report) = opened.into_parts();
        let next = journal.numbers().last().map_or(0, |number| number + 1);
        Ok(Self {
            journal,
            next,
            _claim: claim,
        })
    }
}

impl<E: LoggedEdit> EditLog<E> {
    /// The edits of a book that were not saved.
    ///
    /// # Errors
    ///
    /// A journal of another state of the book, or one that cannot be read or is in use.
    pub fn open(book: &Path, stamp: &FileStamp) -> Result<Self> {
        let mut log = Self::empty(book);
        if log.path().exists() {
            log.keep(stamp)?;
            log.replay()?;
        }
        Ok(log)
    }

    /// No edits of a book.
    pub fn empty(book: &Path) -> Self {
        Self {
            book: book.to_owned(),
            edits: Vec::new(),
            done: 0,
            kept: None,
        }
    }

    /// The file of the journal.
    pub fn path(&self) -> PathBuf {
        beside(&self.book, ".edits")
    }

    /// The edits that count, oldest first.
    pub fn edits(&self) -> &[E] {
        &self.edits[..self.done]
    }

    /// The number of edits that can be redone.
    pub fn redos(&self) -> usize {
        self.edits.len() - self.done
    }

    /// The journal; `None` of a book in memory.
    fn keep(&mut self, stamp: &FileStamp) -> Result<Option<&mut Kept>> {
        if MemoryFiles::has(&self.book) {
            return Ok(None);
        }
        let kept = match self.kept.take() {
            Some(kept) => kept,
            None => Kept::open(&self.book, &self.path(), &stamp.identity(E::IDENTITY))?,
        };
        Ok(Some(self.kept.insert(kept)))
    }

    fn replay(&mut self) -> Result<()> {
        let Some(mut kept) = self.kept.take() else {
            return Ok(());
        };
        let numbers: Vec<_> = kept.journal.numbers().collect();
        for number in numbers {
            let bytes = kept.journal.get(number)?.unwrap_or_default();
            let done = EditAction::of_bytes(&bytes).map(|action| self.apply(action));
            if !matches!(done, Some(Ok(()))) {
                let reason = format!("unit {number} is no edit");
                return Err(Error::file(self.path(), reason));
            }
        }
        self.kept = Some(kept);
        Ok(())
    }

    /// Does something, and keeps it.
    ///
    /// # Errors
    ///
    /// What cannot be done, or cannot be kept; then nothing changes.
    pub fn act(
        &mut self,
        action: EditAction<E>,
        stamp: &FileStamp,
    ) -> std::result::Result<(), LogError> {
        self.check(&action)?;
        if let Some(kept) = self.keep(stamp)? {
            kept.journal.put(kept.next, &action.to_bytes())?;
            kept.next += 1;
        }
        self.apply(action)
    }

    fn check(&self, action: &EditAction<E>) -> std::result::Result<(), LogError> {
        match action {
            EditAction::Edit(_) if self.done >= MOST => Err(LogError::Full),
            EditAction::Undo if self.done == 0 => Err(LogError::NothingToUndo),
            EditAction::Redo if self.redos() == 0 => Err(LogError::NothingToRedo),
            _ => Ok(()),
        }
    }

    fn apply(&mut self, action: EditAction<E>) -> std::result::Result<(), LogError> {
        self.check(&action)?;
        match action {
            EditAction::Edit(edit) => {
                self.edits.truncate(self.done);
                self.edits.push(edit);
                self.done += 1;
            }
            EditAction::Undo => self.done -= 1,
            EditAction::Redo => self.done += 1,
        }
        Ok(())
    }

    /// The right to write the book, until this is dropped or the edits are cleared.
    ///
    /// # Errors
    ///
    /// Somebody else has it.
    pub fn claim(&mut self, stamp: &FileStamp) -> Result<()> {
        self.keep(stamp).map(|_| ())
    }

    /// Forgets all edits, whatever state of the book they are of.
    ///
    /// # Errors
    ///
    /// The file of the journal cannot be removed.
    pub fn clear(&mut self, stamp: &FileStamp) -> Result<()> {
        let path = self.path();
        let journal = match self.kept.take() {
            Some(kept) => Some(kept.journal),
            None if path.exists() => Some(Journal::begin(
                &path,
                &stamp.identity(E::IDENTITY),
                Flush::Never,
            )?),
            None => None,
        };
        (self.edits, self.done) = (Vec::new(), 0);
        journal.map_or(Ok(()), Journal::remove)
    }

    /// Leaves edits for the next time; no file stays if there are none.
    ///
    /// # Errors
    ///
    /// The file of the journal cannot be removed.
    pub fn close(&mut self, stamp: &FileStamp) -> Result<()> {
        if self.done > 0 || self.kept.is_none() {
            self.kept = None;
            return Ok(());
        }
        self.clear(stamp)
    }
}
