//! CSV: a row a position, for spreadsheets.
//!
//! ```csv
//! game,ply,sfen,move,score,result,reason
//! 0,1,lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1,7g7f,100,black,resign
//! ,,lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1,7g7f,30,draw,
//! ```
//!
//! `game`, `ply` and `reason` are empty where the source has none. Games are numbered from 0; results
//! are `draw`, `black` or `white`; scores those of the player to move; reasons have the names of
//! [`EndReason`](crate::EndReason), reserved ones are numbers. Nothing needs quotes.
//!
//! # Reading
//!
//! Columns are found by the names in the header, in any order; further columns are ignored. `sfen`,
//! `move`, `score` and `result` must be there. Results and reasons may be numbers, fields quoted.
//!
//! Rows with a game and a reason are parts of a game of a pack file: they follow each other, and each
//! position is that after the move of the row before. All other rows are positions by themselves;
//! without a ply, that of their SFEN does not count either. The header may come again, as it does in
//! files put together of several.

mod games;
mod parse;
mod reader;
mod write;

pub use reader::CsvReader;
pub use write::{HEADER, write_frame, write_game, write_hcpe3, write_hcpe3_frame, write_sample};
