//! Commands that look at books.

mod checking;
mod comparing;
mod describing;
mod laws;
mod picking;
mod util;
