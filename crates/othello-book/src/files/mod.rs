//! Whole books: reading any format, merging, converting, writing.
//!
//! [`convert`] merges one book or several and writes one. It uses external sorting ([`yane_io::external`]), so books
//! may be larger than memory; only links for a book of Edax need an [index](crate::store::EdaxIndex) of 5.5 bytes a
//! position. [`open`] opens a book of any size for changes; [`load`] loads one into memory, 55 bytes a position, and
//! [`load_some`] a part. [`open_for_lookup`] and [`open_owned`] find a few
//! positions in the file itself where they can. [`save`] writes a
//! changed book. [`info`] only counts.
//!
//! # Side-cars
//!
//! Neither program's format can hold all data of the other's: Egaroucid's lacks game counts, bounds, values of links
//! and passes; Edax's has one level a position, and must have leaves. A book that is written in the other program's
//! format gets a *side-car*: a file beside it with the original positions. `book.egbk3` has `book.egbk3.side.dat`,
//! `book.dat` has `book.dat.side.egbk3`. When the book is read again, positions that still are what was made of the
//! original ones are restored; for all others, and without a side-car, the book alone counts. A side-car of another
//! book is skipped, and none is ever taken for a book.

mod book_file;
mod convert;
mod input;
mod load;
mod lookup;
mod merge;
mod options;
mod output;
mod position;
mod report;
mod save;
mod side_car;
mod sink;
mod sliced;
mod temp_book;

pub use book_file::BookFile;
pub use convert::convert;
pub use input::BookInput;
pub use load::{LoadedBook, OpenedBook, info, load, load_some, open};
pub use lookup::{BookLookup, OwnedLookup, open_for_lookup, open_owned};
pub use options::BookOutputMode;
pub use options::BookReadOptions;
pub use options::BookWriteOptions;
pub use report::{BookMergeReport, EdaxLeafReport};
pub use save::{SaveReport, save, save_changed};
pub(crate) use side_car::SIDE_CAR_MAGIC;
pub use side_car::{book_of_side_car, side_car_of};
pub use sliced::is_for_slices;
