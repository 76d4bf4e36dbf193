//! Game records and board texts of othello, in every spelling of the field.
//!
//! * [`parse`]: one game or position from a text in any format, with the [`RecordKind`] that was recognised;
//!   [`parse_all`]: one or many; [`parse_lines`]: one a line; [`parse_wthor`]: the bytes of a WTHOR file.
//! * [`parse_transcript`]: moves in any spelling from a given position.
//! * [`Problem`], [`problems`]: end-game problems (`.obf`). [`diagram`]: a board drawn for people.
//! * [`read_argument`], [`read_one`], [`read_file`]: the same from command-line arguments and files of any encoding.
//!
//! ```
//! use othello_record::{RecordKind, parse};
//!
//! for text in [
//!     "f5d6c3d3c4",
//!     "1. F5 D6 2. C3 D3 3. C4",
//!     "Ｆ５－Ｄ６－Ｃ３－Ｄ３－Ｃ４",
//!     "------------------XO------XXX------OXX-----O-------------------- O",
//!     "0x0000100010100000\t0x000020380c000000",
//! ] {
//!     let record = parse(text)?;
//!     assert_eq!(record.position().to_bitboards(), "0x0000100010100000\t0x000020380c000000");
//! }
//! assert_eq!(parse("f5-d6")?.kind, RecordKind::Transcript);
//! # Ok::<(), othello_record::Error>(())
//! ```
//!
//! # Ambiguous texts
//!
//! * Two numbers are the bitboards of the player to move and of the opponent, h8 = bit 0, as Egaroucid copies them. If no
//!   game leads to that board, but one does with the numbers exchanged, they are exchanged. Words override this: `black …
//!   white …`, `a1 = bit 0`.
//! * A board without a side to move is that of the side that would move if nobody has passed.
//!
//! [`ParsedRecord::positions`] has the other interpretations behind the likeliest, and [`ParsedRecord::note`] says which
//! one was taken.

#![forbid(unsafe_code)]

mod archive;
mod base81;
mod base81_read;
mod bitboards;
mod boards;
mod diagram;
mod edx;
mod egaroucid;
mod egaroucid_table;
mod files;
mod format;
mod ggf;
mod input;
mod json;
mod losses;
mod opening;
mod opening_list;
mod openings;
mod parse;
mod pgn;
mod properties;
mod quest;
mod raw_json;
mod record;
mod result;
mod select;
mod several;
mod sgf;
mod side;
mod transcript;
mod tree;
mod write;
mod writing;
mod wthor;
mod wthor_names;

pub use archive::{ArchiveError, ArchivedRecord, RecordPlace, SynchroBoard};
pub use base81::base81;
pub use bitboards::BitOrder;
pub use diagram::{diagram, diagram_of_moves};
pub use egaroucid_table::EgaroucidRow;
pub use files::{
    OthelloFileKind, OthelloFormats, RECORD_EXTENSIONS, othello_record_files, read_archives,
    read_records,
};
pub use format::OthelloFormat;
pub use input::{ArgumentError, LineMode, argument_text, read_argument, read_file, read_one};
pub use losses::{RecordLoss, RecordLosses};
pub use opening::{NamedOpening, OpeningError, OpeningLanguage, OpeningProblem};
pub use openings::OpeningNames;
pub use parse::parse;
pub use record::{Error, ParsedRecord, Problem, ProblemError, RecordItem, RecordKind, problems};
pub use result::{OthelloEnd, OthelloOutcome, OthelloResult};
pub use select::{GameWinner, OthelloFilter, OthelloStats, PlayerGames, canonical_moves};
pub use several::{parse_all, parse_lines};
pub use transcript::parse_transcript;
pub use tree::{
    DiscValue, GameVariant, MoveNote, OthelloInfo, OthelloNode, OthelloNodeId, OthelloPlayer,
    OthelloRecord, RecordExtra, parse_date,
};
pub use wthor::{
    WthorError, WthorFile, WthorFiles, WthorKind, WthorNames, WthorWriter, parse_wthor,
};
pub use wthor_names::WthorNameFiles;

/// The examples of README.md, compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
