//! One opened book.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use othello_book::egaroucid::EgaroucidVersion;
use othello_book::files::{
    self, BookInput, BookOutputMode, BookReadOptions, BookWriteOptions, OwnedLookup,
};
use othello_book::store::{EditedBook, GrowingBook, PositionEdit, PositionLookup as _};
use othello_book::{BookFormat, ops};
use othello_core::{Board, Position};
use page_messages::{FailurePlace, PageFailure, PageFile};
use serde::Serialize;
use yane_io::{Job, TempFolder, folder_of};

use super::log::{Action, EditLog};
use super::stamp::FileStamp;
use crate::fields::file_failure;

/// A book as readers see it, with its edits.
pub(super) type BookView = EditedBook<OwnedLookup>;

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
    edits: usize,
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
    log: EditLog,
    stamp: FileStamp,
}

/// The format of a book as it is told and saved.
fn format_of(input: &BookInput) -> BookFormat {
    if input.file.is_text() {
        BookFormat::EdaxText
    } else {
        input.file.format
    }
}

const fn format_name(format: BookFormat) -> &'static str {
    match format {
        BookFormat::Edax => "edax",
        BookFormat::EdaxText => "text",
        BookFormat::Egaroucid(EgaroucidVersion::Egbk) => "egbk",
        BookFormat::Egaroucid(EgaroucidVersion::Egbk2) => "egbk2",
        BookFormat::Egaroucid(EgaroucidVersion::Egbk3) => "egbk3",
    }
}

/// Opens the file of a book, in place where that can be.
fn open_base(path: &Path, job: &Job) -> yane_io::Result<(Arc<OwnedLookup>, FileStamp)> {
    // Before it is read: a change meanwhile is seen later.
    let stamp = FileStamp::of(path)?;
    let input = BookInput::open(path)?;
    let folder = job.temp_dir.clone().unwrap_or_else(std::env::temp_dir);
    let folder = TempFolder::from(&folder);
    let base = files::open_owned(input, BookReadOptions::default(), folder, job)?;
    Ok((Arc::new(base), stamp))
}

/// A base with edits above it.
fn edited(base: Arc<OwnedLookup>, edits: &[PositionEdit]) -> BookView {
    let mut view = EditedBook::new(base);
    for edit in edits {
        view.edit(edit);
    }
    view
}

/// Writes a book anew with its edits: what `othello book set` does for each of them, in one pass.
fn merge(view: &BookView, path: &Path, job: &Job) -> yane_io::Result<()> {
    let input = BookInput::open(path)?;
    let folder = job.temp_dir.clone().unwrap_or_else(|| folder_of(path));
    let folder = TempFolder::new(folder, path);
    let opened = files::open(&input, BookReadOptions::default(), folder, job)?;
    let mut book = GrowingBook::new(opened.book);
    view.write_to(&mut book);
    if book.find(Board::START).is_some() {
        ops::count_lines(&mut book, Board::START);
    }
    let writing = BookWriteOptions::new(format_of(&input));
    files::save(&book, path, BookOutputMode::Write, writing)?;
    Ok(())
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
        let is_read_only = std::fs::metadata(&path).is_ok_and(|data| data.permissions().readonly());
        let (log, note) = match EditLog::open(&path, &stamp) {
            Ok(log) if is_read_only => (log, Some("the file is read-only".to_owned())),
            Ok(log) => (log, None),
            Err(error) => (
                EditLog::empty(&path),
                Some(format!("edits that were not saved are left out: {error}")),
            ),
        };
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let format = format_name(format_of(base.input()));
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

    /// What pages are told of it.
    pub(super) fn info(&self) -> BookInfo {
        let shown = self.shown.read().unwrap_or_else(PoisonError::into_inner);
        shown.1.clone()
    }

    fn show(&self, view: BookView, log: &EditLog, note: Option<String>) {
        let mut shown = self.shown.write().unwrap_or_else(PoisonError::into_inner);
        let info = &mut shown.1;
        info.positions = positions(&view);
        info.format = format_name(format_of(view.base().input()));
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
        let place = FailurePlace {
            rev: Some(now),
            ..FailurePlace::default()
        };
        let text = "the book was changed meanwhile: look at it again";
        Err(PageFailure::new(text).at(place))
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
        let name = &self.file.path;
        let text = format!(
            "{name}: another program changed the file; nothing was written. Discard the edits to see it as it is now"
        );
        Err(PageFailure::new(text))
    }

    fn act(&self, editor: &mut Editor, action: Action) -> Result<(), PageFailure> {
        self.check_file(editor)?;
        let Editor { log, stamp } = editor;
        log.act(action, stamp)
            .map_err(|error| PageFailure::of(&error))?;
        let before = self.view();
        let view = match action {
            Action::Edit(edit) => {
                let mut view = BookView::clone(&before);
                view.edit(&edit);
                view
            }
            Action::Undo | Action::Redo => edited(Arc::clone(before.base()), log.edits()),
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
        self.act(&mut editor, Action::Edit(edit))
    }

    /// Undoes the last edit.
    pub(super) fn undo(&self, rev: u64) -> Result<(), PageFailure> {
        self.act(&mut *self.editor_at(rev)?, Action::Undo)
    }

    /// Redoes the last undone edit.
    pub(super) fn redo(&self, rev: u64) -> Result<(), PageFailure> {
        self.act(&mut *self.editor_at(rev)?, Action::Redo)
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
        self.show(EditedBook::new(base), &editor.log, note);
        cleared.map_err(|error| self.failure(&error))
    }

    /// Takes the file as it is now, which another part of the program wrote. Edits that were not saved are of no use then.
    pub(super) fn replaced(&self, job: &Job) -> Result<(), PageFailure> {
        self.reopen(&mut self.editor(), job)
    }

    /// Leaves the edits that were not saved beside the book.
    pub(super) fn close(&self) -> Result<(), PageFailure> {
        let editor = &mut *self.editor();
        let closed = editor.log.close(&editor.stamp);
        closed.map_err(|error| self.failure(&error))
    }
}

/// The number of positions.
fn positions(view: &BookView) -> String {
    view.base()
        .count()
        .saturating_add_signed(view.more())
        .to_string()
}
