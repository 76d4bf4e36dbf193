//! Commands that look at books.

mod checking;
mod comparing;
mod describing;
mod picking;
mod util;
