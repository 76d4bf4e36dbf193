//! Books that can be asked for a position.

mod bits;
mod flags;
mod index;
mod perfect;
mod table;
mod zeros;

pub use index::{Damage, Found, Index, IndexOptions, Slot};
pub(crate) use table::turned;
pub use table::{Bounds, Games, Known, Table};
