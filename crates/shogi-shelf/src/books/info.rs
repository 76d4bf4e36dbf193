//! What pages are told of a book.

use page_messages::PageFile;
use serde::Serialize;
use yane_book::Format;
use yane_book::edit::{BookBase, BookOrder};

/// What is known of the order of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum OrderState {
    /// It is being checked.
    Checking,
    /// The whole file was looked at.
    Known(BookOrder),
    /// It cannot be told.
    Failed(String),
}

impl OrderState {
    /// Returns whether the file is sorted, as far as that is known.
    pub(super) const fn is_sorted(&self) -> bool {
        matches!(self, Self::Known(order) if order.is_sorted)
    }
}

/// What pages are told of a book.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct BookInfo {
    /// By which requests name it.
    pub(super) book: String,
    name: String,
    pub(super) file: PageFile,
    format: &'static str,
    bytes: String,
    positions: Option<String>,
    pub(super) rev: u64,
    pub(super) edits: usize,
    pub(super) redos: usize,
    pub(super) can_edit: bool,
    /// Why it cannot be edited.
    pub(super) note: Option<String>,
    order: Option<&'static str>,
    unsorted_line: Option<u64>,
    complete: bool,
    columns: Vec<&'static str>,
    /// Whether the engine plays from it.
    pub(super) engine: bool,
}

impl BookInfo {
    /// A book that was just opened.
    pub(super) fn new(book: String, name: String, file: PageFile, base: &BookBase) -> Self {
        Self {
            book,
            name,
            file,
            format: match base.format() {
                Format::Db => "db",
                Format::Ybb => "ybb",
                Format::Apery => "apery",
                Format::Sbk => "sbk",
            },
            bytes: String::new(),
            positions: None,
            rev: 1,
            edits: 0,
            redos: 0,
            can_edit: true,
            note: None,
            order: None,
            unsorted_line: None,
            complete: true,
            columns: base.columns().names(),
            engine: true,
        }
    }

    /// Takes over what is known of the file; `more`: positions of edits.
    pub(super) fn set_file(&mut self, bytes: u64, base: &BookBase, order: &OrderState, more: i64) {
        self.bytes = bytes.to_string();
        (self.order, self.unsorted_line) = match order {
            OrderState::Checking => (Some("checking"), None),
            OrderState::Known(order) if order.is_sorted => (Some("sorted"), None),
            OrderState::Known(order) => (Some("unsorted"), order.unsorted_line),
            OrderState::Failed(_) => (None, None),
        };
        let counted = match order {
            OrderState::Known(order) => Some(order.positions),
            OrderState::Checking | OrderState::Failed(_) => base.positions(),
        };
        let positions = counted.map(|counted| counted.saturating_add_signed(more));
        self.positions = positions.map(|positions| positions.to_string());
        let is_unsorted = matches!(order, OrderState::Known(order) if !order.is_sorted);
        self.complete = base.is_indexed() || !is_unsorted;
        self.columns = base.columns().names();
    }
}
