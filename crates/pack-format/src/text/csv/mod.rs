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
//! [`EndReason`], reserved ones are numbers. Nothing needs quotes.
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

mod parse;
mod reader;

use std::fmt;

use shogi_core::Position;

use crate::pack::{Game, Ply};
use crate::{EndReason, Hcpe3Game, Sample, TeacherResult, hcpe3, pack};

pub use reader::CsvReader;

// Rows from games and positions.

/// The first line of a file.
pub const HEADER: &str = "game,ply,sfen,move,score,result,reason\n";

/// Appends a row for each ply of a game of a pack file, the game's number being `game`. Gives the
/// number of rows: a game without moves has none.
///
/// # Errors
/// What is wrong with the game; nothing is appended then.
pub fn write_frame(
    rows: &mut Vec<u8>,
    game: u64,
    frame: &pack::PackFrame<'_>,
    replayer: &mut pack::PackReplayer,
) -> Result<usize, pack::PackProblem> {
    let before = rows.len();
    let reason = ReasonField(Some(frame.reason));
    replayer
        .replay(frame, |position, ply, result| {
            put_ply(rows, game, position, ply, result, &reason);
        })
        .inspect_err(|_| rows.truncate(before))?;
    Ok(frame.plies.len())
}

/// As [`write_frame`].
pub fn write_game(rows: &mut Vec<u8>, game: u64, played: &Game) -> usize {
    let reason = ReasonField(Some(played.reason()));
    let mut position = played.start().clone();
    for &ply in played.plies() {
        put_ply(rows, game, &position, ply, played.result(), &reason);
        let _ = position.do_move_unchecked(ply.mv);
    }
    played.plies().len()
}

/// Appends a row for each ply of a game of an hcpe3 file, the game's number being `game`; plies count
/// from 1. Gives the number of rows: a game without moves has none. The candidates are left out.
///
/// # Errors
/// What is wrong with the game; nothing is appended then.
pub fn write_hcpe3_frame(
    rows: &mut Vec<u8>,
    game: u64,
    frame: &hcpe3::Hcpe3Frame<'_>,
    replayer: &mut hcpe3::Hcpe3Replayer,
) -> Result<usize, hcpe3::Hcpe3Problem> {
    let before = rows.len();
    replayer
        .replay(frame, |position, ply, _, result| {
            put_ply(rows, game, position, ply, result, &ReasonField(None));
        })
        .inspect_err(|_| rows.truncate(before))?;
    Ok(frame.ply_count.into())
}

/// As [`write_hcpe3_frame`].
pub fn write_hcpe3(rows: &mut Vec<u8>, game: u64, played: &Hcpe3Game) -> usize {
    let result = played.ending().result;
    let mut position = played.start().clone();
    for &ply in played.plies() {
        put_ply(rows, game, &position, ply, result, &ReasonField(None));
        let _ = position.do_move_unchecked(ply.mv);
    }
    played.plies().len()
}

/// Appends the row of a position.
pub fn write_sample(rows: &mut Vec<u8>, sample: &Sample) {
    rows.push(b',');
    if let Some(ply) = sample.ply {
        put!(rows, "{ply}");
    }
    put!(
        rows,
        ",{},{},{},{},",
        sample.position,
        sample.move_text(),
        sample.score,
        sample.result.name()
    );
    rows.push(b'\n');
}

fn put_ply(
    rows: &mut Vec<u8>,
    game: u64,
    position: &Position,
    ply: Ply,
    result: TeacherResult,
    reason: &ReasonField,
) {
    put!(
        rows,
        "{game},{},{position},{},{},{},{reason}",
        position.ply(),
        ply.mv,
        ply.score,
        result.name()
    );
    rows.push(b'\n');
}

/// A reason's name, a reserved one's number, or nothing.
struct ReasonField(Option<EndReason>);

impl fmt::Display for ReasonField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            None => Ok(()),
            Some(reason) => match reason.name() {
                Some(name) => f.write_str(name),
                None => reason.0.fmt(f),
            },
        }
    }
}
