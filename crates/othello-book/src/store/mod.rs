//! Books that can be asked for a position.

mod flags;
mod index;
mod perfect;
mod table;

pub use index::{Damage, Found, Index, IndexOptions, Slot};
pub use table::{Known, Table};
