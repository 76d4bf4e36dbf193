//! Books that people look into and change: what a book says of a position, entry by entry, with edits above the file.
//!
//! * [`BookBase`]: the file, looked up in place whatever its size. Nothing is loaded but a small `.db` that is not sorted, and `.sbk`.
//! * [`EditableEntry`], [`EditableMove`]: an entry as it stands; what a book does not say is `None` and not a default.
//! * [`EntryEdit`], [`EntryChange`]: an edit. [`OverlaidBook`] is the base with edits above it, cheap to clone.
//! * [`OverlaidBook::save`] writes the file anew in one pass; what was not changed keeps its bytes.
//! * [`check_order`]: whether the whole file is sorted. [`search`], [`search_behind`]: its positions by their values.
//!
//! ```
//! use shogi_core::{Move16, MoveText, Position};
//! use yane_book::edit::{BookBase, OverlaidBook, EntryChange, Field, EntryMatching, MoveEdit};
//! use yane_book::Job;
//! # let folder = std::env::temp_dir().join(format!("yane-book-edit-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder).unwrap();
//! # let path = folder.join("a.db");
//! # std::fs::write(&path, "#YANEURAOU-DB2016 1.00\r\n").unwrap();
//!
//! let mut book = OverlaidBook::new(BookBase::open(&path, &Job::default())?.into());
//! let start = Position::startpos();
//! let mv = Move16::encode(MoveText::from_usi("7g7f").unwrap());
//! let change = EntryChange::Set(MoveEdit { score: Field::Is(34), ..MoveEdit::new(mv) });
//! let edit = book.edit_of(&start, EntryMatching::default(), &[change])?;
//! book.edit(&edit)?;
//! book.save(&Job::default())?;
//! assert!(std::fs::read_to_string(&path)?.ends_with("- 1\r\n7g7f none 34\r\n"));
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod base;
mod change;
mod db;
mod entry;
mod error;
mod index;
mod order;
mod overlay;
mod patch;
mod save;
mod sbk;
mod search;
mod sliced;
mod text;
mod walk;

pub use base::BookBase;
pub use change::{EntryChange, EntryEdit, Field, MoveEdit};
pub use entry::{BookColumns, EditableEntry, EditableMove};
pub use error::EditError;
pub use index::SMALL_BOOK;
pub use order::{BookOrder, check_order};
pub use overlay::{EntryMatching, FoundEntry, OverlaidBook};
pub use search::{EntryFilter, FoundPosition, search};
pub use walk::search_behind;
