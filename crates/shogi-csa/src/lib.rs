//! A client of the CSA server protocol (<http://www2.computer-shogi.org/protocol/tcp_ip_server_121.html>), by which shogi
//! programs play each other over TCP: on floodgate, in championships, or on a server of one's own.
//!
//! * [`CsaSession`]: the protocol as data. Lines of the server become [`SessionEvent`]s, decisions of the client lines to send.
//!   It knows no sockets and no time, and takes any text without a panic.
//! * [`CsaSummary`], [`CsaGame`], [`CsaClocks`]: the offered game, the game that is played, its clocks and its record.
//! * [`CsaPlayer`]: whoever finds the moves; [`UsiPlayer`] is any USI engine.
//! * [`run_client`]: the client itself: connects, plays, keeps records, and connects again.
//!
//! Increments are added before a move, as shogi-server does it: with 10 seconds of increment and none left on the clock a move
//! may take 10 seconds.
#![forbid(unsafe_code)]

mod client;
mod clocks;
mod connection;
mod game;
mod message;
mod player;
mod records;
mod session;
mod summary;
mod summary_lines;

pub use client::{
    ClientEvent, ClientOutcome, ClientSettings, CsaClientError, OnInterrupt, PlayedCsaGame,
    run_client,
};
pub use clocks::CsaClocks;
pub use game::{CsaGame, GameOver, RecordNotes};
pub use message::{EndCause, GameVerdict, MATE_SCORE, ServerMessage, floodgate_comment};
pub use player::{CsaPlayer, PlayerProblem, ThinkEvent, ThinkSink, UsiCommandLine, UsiPlayer};
pub use records::RecordFormats;
pub use session::{CsaSession, SessionError, SessionEvent};
pub use summary::{CsaSummary, CsaTime, EarlierMove, SummaryError};

/// The examples of README.md, compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
