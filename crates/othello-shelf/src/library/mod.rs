//! The library of games: a folder of Egaroucid's, files of several games as they stand, and searches over all of them.

mod archive;
mod change;
mod folder;
mod game_file;
mod import;
mod index;
mod line;
mod row;
mod search;
mod service;
mod store;

pub use service::OthelloLibrary;
