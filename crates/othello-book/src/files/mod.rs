//! Whole books: reading those of any format, putting them together, writing them in another.
//!
//! [`convert`] takes one book or several and writes one. It sorts outside of memory ([`yane_io::external`]), so books
//! may be larger than it; only where links must be made for a book of Edax it keeps an [index](crate::store::Index) of
//! 5.5 bytes a position. [`rows`] makes a book one that can be worked on, of any size; [`load`] reads one into memory, 55
//! bytes a position, and [`load_some`] only what is asked for. [`ask`] finds a few positions in the file itself where it
//! can. [`save`] writes what was worked on. [`info`] only counts.
//!
//! # Side-cars
//!
//! Neither program's format has room for all that the other's tells: Egaroucid's lacks counts of games, bounds, values
//! of links and passes; Edax's has one level a position, and must have leaves. A book that is written in the other
//! program's format gets a *side-car*: a file beside it with the positions as they were. `book.egbk3` has
//! `book.egbk3.side.dat`, `book.dat` has `book.dat.side.egbk3`. When the book is read again, a position that is still what
//! was made of the one in the side-car is that one again; of all others, and of books without a side-car, the book alone
//! counts. A side-car that was made for another book than the one that it lies beside is passed over, and none is ever
//! taken for a book.

mod asked;
mod convert;
mod load;
mod outcome;
mod read;
mod rows;
mod save;
mod side;
mod sink;
mod temporary;
mod text_book;
mod told;

pub use asked::{Asked, ask};
pub use convert::{ForEdax, Report, convert};
pub use load::{Loaded, info, load, load_some};
pub use read::{Input, Reading};
pub use rows::{Opened, rows};
pub use save::{Saved, save, save_changed};
pub(crate) use side::SIDE_CAR_MAGIC;
pub use side::{book_of_side_car, side_car_of};

use crate::Format;
use crate::convert::Leaves;

/// How a book is written.
#[derive(Clone, Copy, Debug)]
pub struct Writing {
    /// The format.
    pub format: Format,
    /// The level of all positions; `None` for that of each. Books of Edax have levels from 1 to 60.
    pub level: Option<u8>,
    /// Leaves of books for Edax that come from elsewhere.
    pub leaves: Leaves,
    /// Whether it gets a side-car if something has no room in it.
    pub side_car: bool,
}

impl Writing {
    /// As Edax and Egaroucid like it best: each position with its level, complete leaves, and a side-car.
    pub const fn new(format: Format) -> Self {
        Self {
            format,
            level: None,
            leaves: Leaves::Complete,
            side_car: true,
        }
    }
}
