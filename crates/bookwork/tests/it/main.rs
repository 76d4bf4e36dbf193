//! Growing books, with engines that answer from tables.

mod endless;
mod mine;
mod stera;
