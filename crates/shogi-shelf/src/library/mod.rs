//! The library of records: a folder with files of all formats, an index of it in memory, and searches over all of them.

mod change;
mod entry;
mod fold;
mod folder;
mod import;
mod index;
mod keys;
mod query;
mod reading;
mod search;
mod service;
mod store;
mod unknown;
mod writing;

pub use service::ShogiLibrary;
