//! One opened book.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use othello_book::BookFormat;
use othello_book::files::OwnedLookup;
use othello_book::store::{EditedBook, PositionEdit, PositionLookup as _};
use othello_core::Position;
use page_messages::{PageFailure, PageFile};
use page_shelf::{
    EditAction, EditLog, FileStamp, OpenFile, changed_by_others, file_failure, stale,
};
use serde::Serialize;
use yane_io::Job;

use super::edit::BookEdit;
use super::file::{BookView, format_name, merge, open_base};

/// What pages are told of a book.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct BookInfo {
    /// By which requests name it.
    pub(super) book: String,
    name: String,
    file: PageFile,
    format: &'static str,
    positions: String,
    pub(super) rev: u64,
    pub(super) edits: usize,
    redos: usize,
    can_edit: bool,
    /// Why it cannot be edited.
    note: Option<String>,
}

/// An opened book.
#[derive(Debug)]
pub(super) struct OpenBook {
    pub(super) path: PathBuf,
    file: PageFile,
    /// What readers see; it is replaced as a whole.
    shown: RwLock<(Arc<BookView>, BookInfo)>,
    editor: Mutex<Editor>,
}

/// What only one at a time changes.
#[derive(Debug)]
struct Editor {
    log: EditLog<BookEdit>,
    stamp: FileStamp,
}

/// A base with edits above it.
fn edited(base: Arc<OwnedLookup>, edits: &[BookEdit]) -> BookView {
    let mut view = EditedBook::new(base);
    for edit in edits {
        view.edit(&edit.0);
    }
    view
}

/// Why the file of a book cannot be written anew with edits.
fn why_read_only(path: &Path, base: &OwnedLookup) -> Option<String> {
    let is_read_only = |data: std::fs::Metadata| data.permissions().readonly();
    let why = if std::fs::metadata(path).is_ok_and(is_read_only) {
        "the file is read-only"
    } else if base.is_sliced() {
        "the book is too large to be changed here: it is only looked up"
    } else if base.format() == BookFormat::EdaxText {
        "a text of Edax keeps no values: convert the book first"
    } else {
        return None;
    };
    Some(why.to_owned())
}

impl OpenBook {
    /// Opens a book, with the edits that were not saved.
    ///
    /// # Errors
    ///
    /// A file that cannot be read or is no book. Edits that cannot be had are no error: the book cannot be edited then, and
    /// says why.
    pub(super) fn open(
        id: String,
        path: PathBuf,
        file: PageFile,
        job: &Job,
    ) -> Result<Self, PageFailure> {
        let (base, stamp) = open_base(&path, job).map_err(|error| file_failure(&error, &file))?;
        let (log, note) = match EditLog::open(&path, &stamp) {
            Ok(log) => (log, why_read_only(&path, &base)),
            Err(error) => (
                EditLog::empty(&path),
                Some(format!("edits that were not saved are left out: {error}")),
            ),
        };
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let format = format_name(base.format());
        let view = edited(base, log.edits());
        let info = BookInfo {
            book: id,
            name: name.into_owned(),
            file: file.clone(),
            format,
            positions: positions(&view),
            rev: 1,
            edits: log.edits().len(),
            redos: log.redos(),
            can_edit: note.is_none(),
            note,
        };
        Ok(Self {
            path,
            file,
            shown: RwLock::new((Arc::new(view), info)),
            editor: Mutex::new(Editor { log, stamp }),
        })
    }

    /// The book as it is now.
    pub(super) fn view(&self) -> Arc<BookView> {
        let shown = self.shown.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&shown.0)
    }

    /// Fails if a look-up could not read the file since the last call.
    pub(super) fn check_read(&self) -> Result<(), PageFailure> {
        match self.view().base().take_trouble() {
            Some(error) => Err(self.failure(&error)),
            None => Ok(()),
        }
    }

    /// What pages are told of it.
    pub(super) fn info(&self) -> BookInfo {
        let shown = self.shown.read().unwrap_or_else(PoisonError::into_inner);
        shown.1.clone()
    }

    fn show(&self, view: BookView, log: &EditLog<BookEdit>, note: Option<String>) {
        let mut shown = self.shown.write().unwrap_or_else(PoisonError::into_inner);
        let info = &mut shown.1;
        info.positions = positions(&view);
        info.format = format_name(view.base().format());
        info.rev += 1;
        (info.edits, info.redos) = (log.edits().len(), log.redos());
        (info.can_edit, info.note) = (note.is_none(), note);
        shown.0 = Arc::new(view);
    }

    fn editor(&self) -> MutexGuard<'_, Editor> {
        self.editor.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn failure(&self, error: &yane_io::Error) -> PageFailure {
        file_failure(error, &self.file)
    }

    /// The editor, if the page knows the book as it is.
    fn editor_at(&self, rev: u64) -> Result<MutexGuard<'_, Editor>, PageFailure> {
        let editor = self.editor();
        let now = self.info().rev;
        if rev == now {
            return Ok(editor);
        }
        Err(stale(now))
    }

    /// Refuses a book that cannot be edited, or whose file is not the one that was opened.
    fn check_file(&self, editor: &Editor) -> Result<(), PageFailure> {
        if let Some(note) = self.info().note {
            return Err(PageFailure::new(note));
        }
        let stamp = FileStamp::of(&self.path).map_err(|error| self.failure(&error))?;
        if stamp == editor.stamp {
            return Ok(());
        }
        Err(changed_by_others(&self.file))
    }

    fn act(&self, editor: &mut Editor, action: EditAction<BookEdit>) -> Result<(), PageFailure> {
        self.check_file(editor)?;
        let Editor { log, stamp } = editor;
        log.act(action, stamp)
            .map_err(|error| PageFailure::of(&error))?;
        let before = self.view();
        let view = match action {
            EditAction::Edit(edit) => {
                let mut view = BookView::clone(&before);
                view.edit(&edit.0);
                view
            }
            EditAction::Undo | EditAction::Redo => edited(Arc::clone(before.base()), log.edits()),
        };
        self.show(view, log, None);
        Ok(())
    }

    /// Sets the value of a position, for its side to move, or removes it.
    pub(super) fn edit(
        &self,
        rev: u64,
        position: Position,
        value: Option<(i8, i8)>,
    ) -> Result<(), PageFailure> {
        let mut editor = self.editor_at(rev)?;
        let view = self.view();
        let edit = match value {
            Some((value, level)) => PositionEdit::set(&*view, position, value, level),
            None => PositionEdit::remove(&*view, position),
        };
        if value.is_none() && view.find(edit.board()).is_none() {
            return Err(PageFailure::new("the position is not in the book"));
        }
        self.act(&mut editor, EditAction::Edit(BookEdit(edit)))
    }

    /// Undoes the last edit.
    pub(super) fn undo(&self, rev: u64) -> Result<(), PageFailure> {
        self.act(&mut *self.editor_at(rev)?, EditAction::Undo)
    }

    /// Redoes the last undone edit.
    pub(super) fn redo(&self, rev: u64) -> Result<(), PageFailure> {
        self.act(&mut *self.editor_at(rev)?, EditAction::Redo)
    }

    /// Writes the book with its edits, which then are its own.
    pub(super) fn save(&self, rev: u64, job: &Job) -> Result<(), PageFailure> {
        let mut editor = self.editor_at(rev)?;
        if editor.log.edits().is_empty() {
            return Err(PageFailure::new("there is no edit to be saved"));
        }
        self.check_file(&editor)?;
        let Editor { log, stamp } = &mut *editor;
        log.claim(stamp).map_err(|error| self.failure(&error))?;
        merge(&self.view(), &self.path, job).map_err(|error| self.failure(&error))?;
        self.reopen(&mut editor, job)
    }

    /// Forgets the edits, and takes the file as it is now.
    pub(super) fn discard(&self, rev: u64, job: &Job) -> Result<(), PageFailure> {
        self.reopen(&mut *self.editor_at(rev)?, job)
    }

    /// Takes the file as it is now, without edits.
    fn reopen(&self, editor: &mut Editor, job: &Job) -> Result<(), PageFailure> {
        let stamp = editor.stamp.clone();
        let cleared = editor.log.clear(&stamp);
        let now = FileStamp::of(&self.path).map_err(|error| self.failure(&error))?;
        let base = if now == stamp {
            Arc::clone(self.view().base())
        } else {
            let (base, stamp) = open_base(&self.path, job).map_err(|error| self.failure(&error))?;
            editor.stamp = stamp;
            base
        };
        let note = cleared.as_ref().err().map(ToString::to_string);
        let note = note.or_else(|| why_read_only(&self.path, &base));
        self.show(EditedBook::new(base), &editor.log, note);
        cleared.map_err(|error| self.failure(&error))
    }

    /// Takes the file as it is now, which another part of the program wrote. Edits that were not saved are of no use then.
    pub(super) fn replaced(&self, job: &Job) -> Result<(), PageFailure> {
        self.reopen(&mut self.editor(), job)
    }

    /// The same for a book without edits; returns whether it is one.
    pub(super) fn replaced_without_edits(&self, job: &Job) -> Result<bool, PageFailure> {
        let mut editor = self.editor();
        if self.info().edits > 0 {
            return Ok(false);
        }
        self.reopen(&mut editor, job)?;
        Ok(true)
    }

    /// Leaves the edits that were not saved beside the book.
    pub(super) fn close(&self) -> Result<(), PageFailure> {
        let editor = &mut *self.editor();
        let closed = editor.log.close(&editor.stamp);
        closed.map_err(|error| self.failure(&error))
    }
}

impl OpenFile for OpenBook {
    fn id(&self) -> String {
        self.info().book
    }

    fn path(&self) -> &Path {
        &self.path
    }
}

/// The number of positions.
fn positions(view: &BookView) -> String {
    view.base()
        .count()
        .saturating_add_signed(view.more())
        .to_string()
}
