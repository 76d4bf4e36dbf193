//! Books that can be asked for a position.

mod flags;
mod index;
mod perfect;

pub use index::{Damage, Found, Index, IndexOptions, Slot};
