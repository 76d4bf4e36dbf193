//! Tests of books as a user of the crate sees them.
//!
//! * [`golden`]: books that Edax and Egaroucid made, and what other programs read out of them.
//! * [`damage`]: bytes that are no books.

mod damage;
mod fixtures;
mod golden;
