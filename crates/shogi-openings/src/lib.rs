//! Names of shogi openings (戦型) and castles (囲い), and which of them a game has.
//!
//! # What is here
//!
//! * [`OPENINGS`]: the names, in Japanese and English, some of them kinds of others ([`OpeningName::parent`]).
//! * [`opening_of`]: the most exact name that fits a game, and the move that made it; [`openings_along`] the name after each move;
//!   [`OpeningObserver`] the same for a game that goes on.
//! * [`castle`]: the castle of a player on a board; [`castles_of`] those of a game.
//!
//! Openings are recognised by rules over what the moves did: the file of the rook and when it went there, who exchanged bishops and
//! when, where silvers, golds and kings have stood, and by a few exact lines. Handicap games have the handicap's name. A game may start
//! from any position. The list is our own, written for this crate.
//!
//! # What is not
//!
//! Records, books, search. Nothing here says whether an opening is good.

#![forbid(unsafe_code)]

mod castles;
mod facts;
mod names;
mod observe;
mod rules;

pub use castles::{CastleName, Castles, FoundCastle, castle, castle_names};
pub use names::{OPENINGS, OpeningName};
pub use observe::{FoundOpening, OpeningObserver, castles_of, opening_of, openings_along};

/// The examples of README.md, compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
