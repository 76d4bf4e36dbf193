//! A book's entry for a position.

use std::path::Path;

use shogi_core::Position;

use crate::book_move::flip_moves;
use crate::db::BadLines;
use crate::entries::{BookFile, Entry};
use crate::probe::{OpenBook, OpenOptions};
use crate::{BookMove, Format, Job, Result, add_move};

/// The way in which the position was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Match {
    /// The position as it is.
    Exact,
    /// The same position at another ply.
    OtherPly,
    /// Flipped by 180 degrees, at the ply asked for.
    Flipped,
    /// Flipped by 180 degrees, at another ply.
    FlippedOtherPly,
}

/// A book's entry for a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LookupResult {
    /// The way in which the position was found.
    pub matched: Match,
    /// The moves in the order of the book; of a flipped position flipped back, so that they can be
    /// played in the position asked for.
    pub moves: Vec<BookMove>,
}

/// Looks `position` up in the book at `path`: first as it is, then at whatever ply, then flipped by
/// 180 degrees. The first entry with moves is told.
///
/// The book is searched in place, which takes no time; only when nothing is found in a `.db` file
/// (it may not be sorted) it is read from front to back.
///
/// # Errors
/// When the book cannot be read or is broken where it was looked at.
pub fn lookup(path: &Path, position: &Position, job: &Job) -> Result<Option<LookupResult>> {
    let flipped_position = position.flip().with_ply(position.ply());
    let tries = [
        (Match::Exact, position, false),
        (Match::OtherPly, position, true),
        (Match::Flipped, &flipped_position, false),
        (Match::FlippedOtherPly, &flipped_position, true),
    ];
    for (matched, position, ignore_ply) in tries {
        let options = OpenOptions {
            on_the_fly: true,
            ignore_ply,
        };
        let moves = OpenBook::open(path, options, job)?.find(position)?;
        if !moves.is_empty() {
            return Ok(Some(found(matched, moves)));
        }
    }
    match Format::of_path(path)? {
        Format::Db => scan(
            path,
            tries.map(|(matched, position, _)| (matched, position)),
            job,
        ),
        Format::Ybb | Format::Apery | Format::Sbk => Ok(None),
    }
}

fn found(matched: Match, moves: Vec<BookMove>) -> LookupResult {
    let moves = match matched {
        Match::Exact | Match::OtherPly => moves,
        Match::Flipped | Match::FlippedOtherPly => flip_moves(moves),
    };
    LookupResult { matched, moves }
}

/// Reads the whole book.
fn scan(path: &Path, tries: [(Match, &Position); 4], job: &Job) -> Result<Option<LookupResult>> {
    let book = BookFile::open(path, BadLines::Skip)?;
    let wanted = tries.map(|(_, position)| position.to_sfen());
    let positions = tries.map(|(_, position)| position.to_sfen_without_ply());
    let visit = move |hits: &mut [Vec<BookMove>; 4], entry: &Entry<'_>| {
        for (at, hit) in hits.iter_mut().enumerate() {
            let any_ply = at % 2 == 1;
            let matches = if any_ply {
                entry.position() == positions[at]
            } else {
                entry.sfen == wanted[at]
            };
            if matches {
                hit.extend_from_slice(entry.moves);
            }
        }
        Ok(())
    };
    let mut hits = [const { Vec::new() }; 4];
    book.entries("search", job, visit, |piece: [Vec<BookMove>; 4]| {
        for (hit, more) in hits.iter_mut().zip(piece) {
            for known in more {
                add_move(hit, known);
            }
        }
        Ok(())
    })?;
    let first = tries
        .into_iter()
        .zip(hits)
        .find(|(_, moves)| !moves.is_empty());
    Ok(first.map(|((matched, _), moves)| found(matched, moves)))
}
