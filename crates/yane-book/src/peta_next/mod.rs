//! Which positions to search next, from a book after peta shock (`peta_next`).
//!
//! In a book after peta shock the value of a move is that of the best play behind it. For the side
//! whose book it is to be, only its best moves matter (all that tie); of the other side's moves those
//! that are worth at least what the root is worth, less a margin. The first positions outside the
//! book on such lines are what the book needs next.

mod shock;
mod walk;

use std::fs;
use std::path::{Path, PathBuf};

pub use shock::{
    PetaShockNext, PetaShockNext2, ShockNextReport, ShockOutput, peta_shock_next, peta_shock_next2,
};
use shogi_core::Color;
pub use walk::{Leaf, NextPositions, next_positions};
use yane_io::{AtomicFile, Error, Overwrite};

use crate::memory::{Book, ReadOptions};
use crate::records::{Root, read_roots};
use crate::{BookError, Job, Result};

/// Options: lines to follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PetaNext {
    /// How much less than the root's best value the other side's moves may be worth, in the book's
    /// unit. The value of the root counts however deep the line is.
    pub eval_diff: i32,
    /// Positions with a greater move number are neither followed nor listed.
    pub max_ply: u32,
    /// Only for this side's book; `None`: for both.
    pub side: Option<Color>,
    /// Overwriting: whether an output may be one of the inputs.
    pub overwrite: Overwrite,
}

impl Default for PetaNext {
    fn default() -> Self {
        Self {
            eval_diff: 10,
            max_ply: 200,
            side: None,
            overwrite: Overwrite::default(),
        }
    }
}

/// Summary of what was listed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PetaNextReport {
    /// Positions of the book.
    pub positions: u64,
    /// Roots.
    pub roots: u64,
    /// Positions listed for black's book; `None` when it was not asked for.
    pub black: Option<u64>,
    /// Positions listed for white's book; `None` when it was not asked for.
    pub white: Option<u64>,
    /// Moves of the book that could not be played.
    pub illegal_moves: u64,
    /// The files written.
    pub files: Vec<PathBuf>,
}

/// Reads the book `book` and the record file `roots` (without it, or when it names nothing, the even
/// game) and writes lists into `folder`:
///
/// * `think_sfens-black.txt`, `think_sfens-white.txt`: lines of moves from the roots;
/// * `think_sfens-black-sfen.txt`, `think_sfens-white-sfen.txt`: the same positions as SFEN;
/// * `think_sfens.txt`, `think_sfens-sfen.txt`: both sides' in turn, when both are asked for.
///
/// # Errors
/// When a file cannot be read or written, a line of an input is wrong, or an output is an input. No
/// file is changed then.
pub fn peta_next(
    book: &Path,
    roots: Option<&Path>,
    folder: &Path,
    options: &PetaNext,
    job: &Job,
) -> Result<PetaNextReport> {
    let mut inputs = vec![book];
    inputs.extend(roots);
    let names = list_names(options.side);
    for name in &names {
        options.overwrite.check(&folder.join(name), &inputs)?;
    }
    let mut roots = roots.map_or(Ok(Vec::new()), read_roots)?;
    if roots.is_empty() {
        roots.push(Root::startpos());
    }
    let book = Book::read(book, ReadOptions { ignore_ply: true }, job)?;
    let mut report = PetaNextReport {
        positions: book.len() as u64,
        roots: roots.len() as u64,
        ..PetaNextReport::default()
    };
    let mut side = |side| -> Result<_> {
        let wanted = options.side.is_none_or(|only| only == side);
        if !wanted {
            return Ok(None);
        }
        let next = next_positions(&book, &roots, side, options, job)?;
        report.illegal_moves += next.illegal_moves;
        Ok(Some(next.leaves))
    };
    let (black, white) = (side(Color::Black)?, side(Color::White)?);
    let count = |leaves: &Option<Vec<Leaf>>| leaves.as_ref().map(|leaves| leaves.len() as u64);
    (report.black, report.white) = (count(&black), count(&white));
    if report.black.unwrap_or(0) + report.white.unwrap_or(0) == 0 {
        let reason = "no line of the book leads to a position outside it";
        return Err(BookError::nothing(folder, reason));
    }
    report.files = write_lists(folder, black.as_deref(), white.as_deref())?;
    Ok(report)
}

/// The names of the files that will be written.
fn list_names(side: Option<Color>) -> Vec<&'static str> {
    let black = ["think_sfens-black.txt", "think_sfens-black-sfen.txt"];
    let white = ["think_sfens-white.txt", "think_sfens-white-sfen.txt"];
    let both = ["think_sfens.txt", "think_sfens-sfen.txt"];
    match side {
        Some(Color::Black) => black.to_vec(),
        Some(Color::White) => white.to_vec(),
        None => [black, white, both].concat(),
    }
}

/// Writes the lists of the sides that are there; all are complete before the first appears.
fn write_lists(
    folder: &Path,
    black: Option<&[Leaf]>,
    white: Option<&[Leaf]>,
) -> Result<Vec<PathBuf>> {
    fs::create_dir_all(folder).map_err(Error::write(folder, 0))?;
    let mut lists: Vec<Vec<&Leaf>> = Vec::new();
    let sides = [black, white].into_iter().flatten();
    lists.extend(sides.map(|leaves| leaves.iter().collect()));
    let side = match (black, white) {
        (Some(black), Some(white)) => {
            lists.push(in_turn(black, white));
            None
        }
        (Some(_), None) => Some(Color::Black),
        (None, _) => Some(Color::White),
    };
    let names = list_names(side);
    let mut files = Vec::new();
    for (list, names) in lists.iter().zip(names.chunks(2)) {
        for (name, text) in names.iter().zip([line, sfen]) {
            let mut file = AtomicFile::create(&folder.join(name))?;
            for leaf in list {
                file.put(text(leaf).as_bytes())?;
                file.put(b"\n")?;
            }
            files.push(file);
        }
    }
    let paths = files.iter().map(|file| file.target().to_owned()).collect();
    files.into_iter().try_for_each(AtomicFile::commit)?;
    Ok(paths)
}

fn line(leaf: &Leaf) -> &str {
    &leaf.line
}

fn sfen(leaf: &Leaf) -> &str {
    &leaf.sfen
}

/// One of each in turn, then what is left of the longer list.
fn in_turn<'a>(black: &'a [Leaf], white: &'a [Leaf]) -> Vec<&'a Leaf> {
    (0..black.len().max(white.len()))
        .flat_map(|index| [black.get(index), white.get(index)])
        .flatten()
        .collect()
}
