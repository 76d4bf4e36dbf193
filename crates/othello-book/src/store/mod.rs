//! Books that can be asked for a position.

mod bits;
mod finding;
mod flags;
mod index;
mod perfect;
mod positions;
mod rows;
mod table;
mod zeros;

pub(crate) use bits::Bits;
pub use finding::Finding;
pub use index::{Damage, Found, Index, IndexOptions, Slot};
pub use positions::{Find, Positions};
pub use rows::Rows;
pub(crate) use rows::RowsWriter;
pub(crate) use table::turned;
pub use table::{Bounds, Games, Known, Table};
