//! Shogi opening books.
//!
//! # Formats
//!
//! * [`db`]: the text format `.db` of the YaneuraOu family.
//! * [`ybb`]: the binary format `.ybb` of the same family.
//! * [`apery`]: Apery's binary format, `book.bin`.
//! * `.sbk` of `ShogiGUI` is read by conversion only.
//! * [`mod@convert`]: any of these into another.
//!
//! # Looking up
//!
//! * [`memory`]: a book in memory.
//! * [`probe`]: choosing a move from a book during a game, in memory or in the file.
//! * [`mod@edit`]: a book with edits above its file, for people who look into it and change it.
//!
//! # Making books
//!
//! * [`mod@from_sfen`]: from game records ([`records`]).
//! * [`mod@merge`]: merging and sorting books of any size ([`io::external`]).
//! * [`mod@unique`], [`mod@filter`]: books with a part left out.
//! * [`mod@rewrite`]: a book with other moves.
//!
//! # The book as a graph
//!
//! * [`graph`]: positions and the moves between them.
//! * [`mod@build_tree`], [`mod@stera_convert`], [`mod@peta_shock`]: values of best play.
//! * [`mod@extend_tree`], [`mod@peta_next`]: what to search next.
//! * [`extract`], [`positions`], [`startsfens`]: lists of positions.
//!
//! # Questions about books
//!
//! * [`mod@info`]: what a book is like; [`mod@check`]: whether it is as it should be.
//! * [`mod@lookup`]: what it says about a position; [`mod@diff`]: what two books say differently.
//!
//! * [`sniff`]: what a file is that is no book.
//!
//! # Under all of it
//!
//! * [`io`], the crate `yane-io`: files that appear whole or not at all, parallel reading in order, sorting,
//!   and [`Job`]: threads, memory, progress and cancellation of long work.
//!
//! ```no_run
//! use yane_book::merge::{MergeInput, MergeOptions, merge};
//! use yane_book::Job;
//!
//! let job = Job { memory: 512 << 20, ..Job::default() };
//! let inputs = [MergeInput::new("a.db"), MergeInput::new("b.db")];
//! let report = merge(&inputs, "merged.db".as_ref(), MergeOptions::default(), &job)?;
//! println!("{} positions", report.positions);
//! # Ok::<(), yane_book::BookError>(())
//! ```

#![forbid(unsafe_code)]

pub mod apery;
mod book_move;
pub mod build_tree;
pub mod check;
pub mod convert;
pub mod db;
pub mod diff;
pub mod edit;
mod entries;
mod error;
pub mod extend_tree;
pub mod extract;
pub mod filter;
pub mod from_sfen;
pub mod graph;
pub mod info;
pub mod lookup;
pub mod memory;
pub mod merge;
pub mod peta_next;
pub mod peta_shock;
pub mod positions;
pub mod probe;
pub mod records;
pub mod rewrite;
mod sbk;
pub mod sniff;
pub mod startsfens;
pub mod stera_convert;
pub mod unique;
pub mod ybb;

pub use book_move::{BookMove, add_move, lacks_values, sort_moves};
pub use error::{BookError, Result};
pub use sniff::Format;
pub use yane_io as io;
pub use yane_io::{Job, Progress, Silent, Unit};

/// The examples of README.md, compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
