//! Opening books of othello.
//!
//! # What is here
//!
//! * Formats: Edax's `book.dat` ([`edax`]), Egaroucid's `.egbk3`, `.egbk2` and `.egbk` ([`egaroucid`]), text
//!   ([`text`]), and JSON: [`edax::Record`], [`edax::Header`] and [`egaroucid::Entry`] are serde types.
//! * [`Format`]: which of them a file is.
//! * [`store`]: a book that is asked for positions in its file, or changed in memory.
//! * [`files`]: whole books, of any size: put together, converted, loaded, saved.
//! * [`convert`]: from one program's positions to the other's.
//! * [`ops`]: values, counts, and leaving out, without a search.
//! * [`miner`]: places where values disagree.
//!
//! Books are read in place: a file is [mapped](yane_io::Map), and its records are looked at where they lie. Damage
//! is a [`Fault`] with its byte; nothing is allocated because a count in a file says so.
//!
//! # What is not
//!
//! Search and evaluation: what needs them is not done here. Nothing here prints.
//!
//! ```no_run
//! use othello_book::edax::Book;
//! use yane_io::Map;
//!
//! let file = Map::open("book.dat".as_ref())?;
//! let book = Book::new(&file).map_err(|fault| fault.of(&file))?;
//! for record in book.records() {
//!     let record = record.map_err(|fault| fault.of(&file))?;
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
mod fault;
pub mod files;
mod fingerprint;
mod format;
mod hex;
mod levels;
pub mod miner;
pub mod ops;
pub mod store;
pub mod text;

pub use edge::Edge;
pub use fault::Fault;
pub use format::Format;
