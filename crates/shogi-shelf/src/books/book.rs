//! One opened book.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use page_messages::{PageFailure, PageFile};
use page_shelf::{
    EditAction, EditLog, FileStamp, OpenFile, changed_by_others, file_failure, stale,
};
use yane_book::edit::{BookBase, BookOrder, OverlaidBook, SMALL_BOOK, check_order};
use yane_book::{BookError, Format};
use yane_io::{Job, MemoryFiles};

use super::change::BookEdit;
use super::info::{BookInfo, EngineUse, OrderState};
use super::memory::OrderMemory;
use crate::fields::{book_failure, edit_failure};

/// An opened book.
#[derive(Debug)]
pub(super) struct OpenBook {
    pub(super) path: PathBuf,
    pub(super) file: PageFile,
    /// What readers see; it is replaced as a whole.
    shown: RwLock<Shown>,
    editor: Mutex<Editor>,
    /// Stops the check of the order in the background.
    pub(super) closed: Arc<AtomicBool>,
}

#[derive(Debug)]
struct Shown {
    view: Arc<OverlaidBook>,
    info: BookInfo,
}

/// What only one at a time changes.
#[derive(Debug)]
struct Editor {
    log: EditLog<BookEdit>,
    stamp: FileStamp,
    order: OrderState,
    /// Why the edits beside the book are left out, or cannot be kept.
    trouble: Option<String>,
}

/// A file as it was opened.
struct OpenedFile {
    base: BookBase,
    stamp: FileStamp,
    order: OrderState,
}

impl OpenedFile {
    /// Opens a file. The order of a small one, and of one in memory, is checked at once.
    fn open(path: &Path, memory: &OrderMemory, job: &Job) -> Result<Self, BookError> {
        // Before it is read: a change meanwhile is seen later.
        let stamp = FileStamp::of(path)?;
        let mut base = BookBase::open(path, job)?;
        let remembered = memory.find(path, &stamp);
        let order = match remembered {
            Some(order) => OrderState::Known(order),
            None if stamp.bytes() <= SMALL_BOOK || MemoryFiles::has(path) => {
                OrderState::Known(check_order(path, job)?)
            }
            None => OrderState::Checking,
        };
        let is_unsorted = matches!(&order, OrderState::Known(order) if !order.is_sorted);
        if is_unsorted && base.format() == Format::Db && stamp.bytes() <= SMALL_BOOK {
            base = base.indexed()?;
        }
        Ok(Self { base, stamp, order })
    }
}

/// A base with edits above it.
fn edited(base: Arc<BookBase>, edits: &[BookEdit]) -> Result<OverlaidBook, PageFailure> {
    let mut view = OverlaidBook::new(base);
    for edit in edits {
        edit.apply(&mut view)
            .map_err(|error| PageFailure::of(&error))?;
    }
    Ok(view)
}

/// Does something to the edits, and keeps it.
fn log(editor: &mut Editor, action: EditAction<BookEdit>) -> Result<(), PageFailure> {
    let Editor { log, stamp, .. } = editor;
    log.act(action, stamp)
        .map_err(|error| PageFailure::of(&error))
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
        memory: &OrderMemory,
        job: &Job,
    ) -> Result<Self, PageFailure> {
        let opened = OpenedFile::open(&path, memory, job);
        let OpenedFile { base, stamp, order } =
            opened.map_err(|error| book_failure(&error, &file))?;
        let base = Arc::new(base);
        let left_out = |error: &dyn std::fmt::Display| {
            format!("edits that were not saved are left out: {error}")
        };
        let (mut log, mut trouble) = match EditLog::open(&path, &stamp) {
            Ok(log) => (log, None),
            Err(error) => (EditLog::empty(&path), Some(left_out(&error))),
        };
        let view = edited(Arc::clone(&base), log.edits()).unwrap_or_else(|failure| {
            trouble = Some(left_out(&failure));
            log = EditLog::empty(&path);
            OverlaidBook::new(Arc::clone(&base))
        });
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let info = BookInfo::new(id, name.into_owned(), file.clone(), &base);
        let editor = Editor {
            log,
            stamp,
            order,
            trouble,
        };
        let shown = Shown {
            view: Arc::new(view),
            info,
        };
        let book = Self {
            path,
            file,
            shown: RwLock::new(shown),
            editor: Mutex::new(editor),
            closed: Arc::default(),
        };
        book.tell(&book.editor());
        Ok(book)
    }

    /// The book as it is now.
    pub(super) fn view(&self) -> Arc<OverlaidBook> {
        let shown = self.shown.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&shown.view)
    }

    /// What pages are told of it.
    pub(super) fn info(&self) -> BookInfo {
        let shown = self.shown.read().unwrap_or_else(PoisonError::into_inner);
        shown.info.clone()
    }

    /// Says whether the engine plays from it.
    pub(super) fn set_use(&self, by_engine: EngineUse) {
        let mut shown = self.shown.write().unwrap_or_else(PoisonError::into_inner);
        shown.info.engine = by_engine == EngineUse::Plays;
    }

    fn editor(&self) -> MutexGuard<'_, Editor> {
        self.editor.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Why the book cannot be edited; `None` if it can.
    fn note(&self, editor: &Editor, base: &BookBase) -> Option<String> {
        if let Err(error) = base.check_writable() {
            return Some(error.to_string());
        }
        if editor.trouble.is_some() {
            return editor.trouble.clone();
        }
        match &editor.order {
            OrderState::Checking => {
                return Some("the order of the file is being checked".to_owned());
            }
            OrderState::Failed(reason) => return Some(reason.clone()),
            OrderState::Known(_) if editor.order.is_sorted() || base.is_indexed() => {}
            OrderState::Known(_) => {
                let text = "the file is not sorted, so that positions may be missed: sort it first";
                return Some(text.to_owned());
            }
        }
        let data = std::fs::metadata(&self.path);
        let is_read_only = data.is_ok_and(|data| data.permissions().readonly());
        is_read_only.then(|| "the file is read-only".to_owned())
    }

    /// Brings what pages are told up to date.
    fn tell(&self, editor: &Editor) {
        let mut shown = self.shown.write().unwrap_or_else(PoisonError::into_inner);
        let view = Arc::clone(&shown.view);
        let info = &mut shown.info;
        info.set_file(
            editor.stamp.bytes(),
            view.base(),
            &editor.order,
            view.more(),
        );
        (info.edits, info.redos) = (editor.log.edits().len(), editor.log.redos());
        info.note = self.note(editor, view.base());
        info.can_edit = info.note.is_none();
    }

    /// Shows another state of the book.
    fn show(&self, view: OverlaidBook, editor: &Editor) {
        {
            let mut shown = self.shown.write().unwrap_or_else(PoisonError::into_inner);
            shown.view = Arc::new(view);
            shown.info.rev += 1;
        }
        self.tell(editor);
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
        let stamp = FileStamp::of(&self.path).map_err(|error| file_failure(&error, &self.file))?;
        if stamp == editor.stamp {
            return Ok(());
        }
        Err(changed_by_others(&self.file))
    }

    /// Changes entries: `edit` says how, and gets the book as it is.
    pub(super) fn edit(
        &self,
        rev: u64,
        edit: impl FnOnce(&OverlaidBook) -> Result<BookEdit, PageFailure>,
    ) -> Result<(), PageFailure> {
        let editor = &mut *self.editor_at(rev)?;
        self.check_file(editor)?;
        let mut view = OverlaidBook::clone(&self.view());
        let edit = edit(&view)?;
        edit.apply(&mut view)
            .map_err(|error| edit_failure(&error, &self.file))?;
        log(editor, EditAction::Edit(edit))?;
        self.show(view, editor);
        Ok(())
    }

    /// Undoes the last edit.
    pub(super) fn undo(&self, rev: u64) -> Result<(), PageFailure> {
        self.act(rev, EditAction::Undo)
    }

    /// Redoes the last undone edit.
    pub(super) fn redo(&self, rev: u64) -> Result<(), PageFailure> {
        self.act(rev, EditAction::Redo)
    }

    fn act(&self, rev: u64, action: EditAction<BookEdit>) -> Result<(), PageFailure> {
        let editor = &mut *self.editor_at(rev)?;
        self.check_file(editor)?;
        log(editor, action)?;
        let view = edited(Arc::clone(self.view().base()), editor.log.edits())?;
        self.show(view, editor);
        Ok(())
    }

    /// Writes the book with its edits, which then are its own.
    pub(super) fn save(
        &self,
        rev: u64,
        memory: &OrderMemory,
        job: &Job,
    ) -> Result<(), PageFailure> {
        let editor = &mut *self.editor_at(rev)?;
        if editor.log.edits().is_empty() {
            return Err(PageFailure::new("there is no edit to be saved"));
        }
        self.check_file(editor)?;
        let failed = |error| file_failure(&error, &self.file);
        let Editor { log, stamp, .. } = &mut *editor;
        log.claim(stamp).map_err(failed)?;
        let view = self.view();
        view.save(job)
            .map_err(|error| edit_failure(&error, &self.file))?;
        // What was in order before is in order now.
        if let OrderState::Known(order) = &editor.order
            && order.is_sorted
        {
            let order = BookOrder {
                positions: order.positions.saturating_add_signed(view.more()),
                ..*order
            };
            let stamp = FileStamp::of(&self.path).map_err(failed)?;
            memory.put(&self.path, &stamp, order);
        }
        self.reopen(editor, memory, job)
    }

    /// Forgets the edits, and takes the file as it is now.
    pub(super) fn discard(
        &self,
        rev: u64,
        memory: &OrderMemory,
        job: &Job,
    ) -> Result<(), PageFailure> {
        self.reopen(&mut *self.editor_at(rev)?, memory, job)
    }

    /// Takes the file as it is now, without edits.
    fn reopen(
        &self,
        editor: &mut Editor,
        memory: &OrderMemory,
        job: &Job,
    ) -> Result<(), PageFailure> {
        let failed = |error| file_failure(&error, &self.file);
        let stamp = editor.stamp.clone();
        let cleared = editor.log.clear(&stamp);
        let now = FileStamp::of(&self.path).map_err(failed)?;
        let base = if now == stamp {
            Arc::clone(self.view().base())
        } else {
            let opened = OpenedFile::open(&self.path, memory, job);
            let opened = opened.map_err(|error| book_failure(&error, &self.file))?;
            (editor.stamp, editor.order) = (opened.stamp, opened.order);
            Arc::new(opened.base)
        };
        editor.trouble = cleared.as_ref().err().map(ToString::to_string);
        self.show(OverlaidBook::new(base), editor);
        cleared.map_err(failed)
    }

    /// Takes the file as it is now, which another part of the program wrote. Edits that were not saved are of no use then.
    pub(super) fn replaced(&self, memory: &OrderMemory, job: &Job) -> Result<(), PageFailure> {
        self.reopen(&mut self.editor(), memory, job)
    }

    /// The same for a book without edits; returns whether it is one.
    pub(super) fn replaced_without_edits(
        &self,
        memory: &OrderMemory,
        job: &Job,
    ) -> Result<bool, PageFailure> {
        let mut editor = self.editor();
        if self.info().edits > 0 {
            return Ok(false);
        }
        self.reopen(&mut editor, memory, job)?;
        Ok(true)
    }

    /// The state of the file whose order has to be checked in the background; `None` if it is known.
    pub(super) fn unchecked(&self) -> Option<FileStamp> {
        let editor = self.editor();
        (editor.order == OrderState::Checking).then(|| editor.stamp.clone())
    }

    /// Takes over the order of the file in a state; returns whether it is still in that one.
    pub(super) fn checked(&self, stamp: &FileStamp, order: OrderState) -> bool {
        let mut editor = self.editor();
        if editor.stamp != *stamp {
            return false;
        }
        editor.order = order;
        self.tell(&editor);
        true
    }

    /// Leaves the edits that were not saved beside the book.
    pub(super) fn close(&self) -> Result<(), PageFailure> {
        self.closed.store(true, Ordering::Release);
        let editor = &mut *self.editor();
        let closed = editor.log.close(&editor.stamp);
        closed.map_err(|error| file_failure(&error, &self.file))
    }
}

impl Drop for OpenBook {
    fn drop(&mut self) {
        self.closed.store(true, Ordering::Release);
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
