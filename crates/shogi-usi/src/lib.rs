//! The USI protocol as data, and a client for USI engines.
//!
//! USI (Universal Shogi Interface) is a line protocol: a GUI writes commands to an engine's standard
//! input and reads responses from its standard output.
//!
//! * [`Command`]: from the GUI to the engine; [`Response`]: from the engine to the GUI. Both are read from text
//!   with [`str::parse`] and written with `Display`.
//! * [`Options`]: an engine's options with their kinds, ranges and values, and the `option` lines.
//! * [`client`]: the GUI's side: an engine as a child process, with time limits.
//!
//! This crate does not search, evaluate or play; the engine behind the protocol is another crate.
//!
//! ```
//! use shogi_usi::Command;
//! let command: Command = "go btime 60000 wtime 60000 byoyomi 1000".parse()?;
//! assert_eq!(command.to_string(), "go btime 60000 wtime 60000 byoyomi 1000");
//! # Ok::<(), shogi_usi::CommandError>(())
//! ```
#![forbid(unsafe_code)]

pub mod client;
mod command;
mod go;
mod info;
mod option;
mod options;

pub use command::{Command, CommandError, GameResult, PositionCommand};
pub use go::{ClockTimes, GoCommand, GoError, MateLimit};
pub use info::{BestMove, CheckMate, Info, PvItem, Response, Score, ScoreBound};
pub use option::{
    OptionError, OptionKind, OptionLineError, OptionSpec, OptionValue, UnfitValue, did_you_mean,
};
pub use options::{Options, nearest};

/// The examples of README.md, compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
