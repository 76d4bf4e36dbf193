//! Opening books of othello.
//!
//! # What is here
//!
//! * Formats: Edax's `book.dat` ([`edax`]), Egaroucid's `.egbk3`, `.egbk2` and `.egbk` ([`egaroucid`]), text
//!   ([`text`]), and JSON: the record types are serde types. [`BookFormat`] recognises them.
//! * [`files`]: whole books of any size: merge, convert, load, save, side-cars.
//! * [`store`]: an index of a file, and books to be changed, on disk or in memory.
//! * [`convert`]: records of one program as those of the other.
//! * [`ops`]: negamax, line counts, pruning, accuracy, move losses, checks; without a search.
//! * [`miner`]: mismatches, positions whose values contradict each other.
//!
//! Books are read in place from a [memory map](yane_io::Map). Damage is a [`FormatError`] with its byte; no count in a
//! file is trusted for an allocation.
//!
//! # What is not
//!
//! Search and evaluation. Nothing here prints.
//!
//! ```no_run
//! use othello_book::edax::EdaxBook;
//! use yane_io::Map;
//!
//! let file = Map::open("book.dat".as_ref())?;
//! let book = EdaxBook::new(&file).map_err(|error| error.in_file(&file))?;
//! for record in book.records() {
//!     let record = record.map_err(|error| error.in_file(&file))?;
//!     println!("{:?} {}", record.board(), record.value());
//! }
//! # Ok::<(), yane_io::Error>(())
//! ```

#![forbid(unsafe_code)]

mod bytes;
pub mod convert;
pub mod edax;
mod edge;
pub mod egaroucid;
pub mod files;
mod format;
pub mod miner;
pub mod ops;
mod recognise;
pub mod store;
pub mod text;

pub use bytes::{FormatError, TooManyPositions};
pub use edge::Edge;
pub use format::BookFormat;
pub use text::EdaxLineError;
