//! Shogi game records: KIF, KI2, CSA (2.2 and 3.0), JKF, USI lines and BOD boards.
//!
//! # What is here
//!
//! * [`GameRecord`]: one model for all formats, a tree of moves with headers, comments, times and endings.
//! * [`KifuFormat`]: recognises a format by content, reads and writes it. Reading is tolerant, writing canonical, and
//!   reading what was written gives the same record but for the [`Losses`] that writing reports.
//! * [`RecordFilter`], [`RecordStats`]: selecting and counting games.
//! * [`GameNode::evaluations`], [`GameRecord::search_visits`]: evaluations in comments, of every program that writes them.
//! * [`GameRecord::fouls`]: moves against the rules, and the rule that each breaks.
//! * [`GameRecord::server_summary`]: what a server says of a game.
//! * [`GameRecord::opening`], [`GameRecord::castles`]: their names.
//! * [`GameRecord::add_line`]: variations for a record that is there.
//! * [`BoardSvg`]: a board as a picture.
//! * [`MoveNotation`]: names of moves for people; [`read_typed_moves`]: moves as people type them.
//! * [`read_archives`]: files with any number of games, read in pieces on many threads; [`read_games`] the same in memory;
//!   [`KifuFormats`]: the formats for [`yane_io::archive`].
//!
//! # What is not
//!
//! Evaluation, search, terminals.
//!
//! ```
//! use shogi_kifu::{CsaVersion, KifuFormat, read_games};
//!
//! let (format, mut games) = read_games("手合割：平手\n▲７六歩△３四歩▲２二角成\n".as_bytes())?;
//! assert_eq!(format, KifuFormat::Ki2);
//! let record = games.remove(0)?.record;
//! let (csa, losses) = KifuFormat::Csa.write(&record, CsaVersion::V22);
//! assert!(csa.ends_with("+7776FU\n-3334FU\n+8822UM\n") && losses.is_empty());
//! # Ok::<(), shogi_kifu::KifuError>(())
//! ```

#![forbid(unsafe_code)]

mod archive;
mod borders;
mod csa;
mod csa_write;
mod ending;
mod error;
mod evals;
mod format;
mod foul;
mod grow;
mod jkf;
mod kif;
mod kif_time;
mod kif_write;
mod names;
mod openings;
mod picture;
mod record;
mod select;
mod start;
mod summary;
mod text;
mod typed;
mod usi;
mod words;

pub use archive::{
    ArchiveGame, GamePiece, KifuFormats, detect_file, open_archive, read_archives, read_games,
    record_files,
};
pub use csa::{CsaVersion, csa_move, move_from_csa, read_csa};
pub use csa_write::write_csa;
pub use ending::{GameEnding, GameOutcome};
pub use error::{KifuError, KifuProblem, LossKind, Losses, StartProblem};
pub use evals::{CommentEval, CommentScore, CommentWriter, SearchVisits};
pub use format::{KifuFormat, UnknownKifuFormat};
pub use foul::Foul;
pub use jkf::{read_jkf, write_jkf};
pub use kif::read_kif;
pub use kif_write::{write_ki2, write_kif};
pub use names::MoveNotation;
pub use picture::{BoardLabels, BoardSvg};
pub use record::{GameNode, GameNodeId, GameRecord, Headers, RecordBuilder, Step};
pub use select::{NamedOpeningCount, RecordFilter, RecordStats, parse_date};
pub use start::{Handicap, write_bod};
pub use summary::ServerSummary;
pub use text::{Charset, LineEnds, decode_record, encode_record};
pub use typed::read_typed_moves;
pub use usi::{read_usi, write_usi};

/// The examples of README.md, compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
