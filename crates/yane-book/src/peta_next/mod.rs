//! Positions to search next, from a book after peta shock (`peta_next`).
//!
//! In a book after peta shock the value of a move is that of the best play behind it. For the side
//! whose book it is to be, only its best moves matter (all that tie); of the other side's moves those
//! that are worth at least what the root is worth, less a margin. The first positions outside the
//! book on such lines are what the book needs next.

mod shock;

use std::fs;
use std::path::{Path, PathBuf};

use hashbrown::HashSet;
use shogi_core::{Color, Move, Position};
use yane_io::{AtomicFile, Error, Overwrite, RunLock};

use crate::memory::{Book, Moves, ReadOptions};
use crate::records::{Root, legal_move, read_roots};
use crate::startsfens::key_of_both_sides;
use crate::{BookError, BookMove, Job, Result, Unit};

pub use shock::{
    PetaShockNext, PetaShockNext2, ShockNextReport, ShockOutput, peta_shock_next, peta_shock_next2,
};

/// Options: lines to follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PetaNext {
    /// Largest loss of the other side's moves against the root's best value, in the book's unit.
    /// The value of the root counts however deep the line is.
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

/// Summary of the listed positions.
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
    // The first one stands for all of them.
    fs::create_dir_all(folder).map_err(Error::write(folder, 0))?;
    let _claim = RunLock::file(&folder.join(names[0]))?;
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

// Breadth-first walk over the best lines of a book.

/// A position to search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// The moves that lead there, as a line of a record file.
    pub line: String,
    /// The position.
    pub sfen: String,
}

/// Result of [`next_positions`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NextPositions {
    /// The positions, those nearer to a root first.
    pub leaves: Vec<Leaf>,
    /// Moves of the book that could not be played.
    pub illegal_moves: u64,
}

/// The positions that the book of `side` needs next, from `roots`. `book` is one that was read with
/// [`crate::memory::ReadOptions::ignore_ply`]. A position and the same one seen from the other side
/// of the board are one.
///
/// # Errors
/// [`yane_io::Error::Cancelled`].
pub fn next_positions(
    book: &Book,
    roots: &[Root],
    side: Color,
    options: &PetaNext,
    job: &Job,
) -> Result<NextPositions> {
    job.progress.stage("walking", None, Unit::Positions);
    let mut walk = LineWalk {
        book,
        roots,
        side,
        options,
        steps: Vec::new(),
        known: HashSet::new(),
        root_lines: HashSet::new(),
        found: NextPositions::default(),
    };
    let mut layer = walk.first_layer();
    while !layer.is_empty() {
        let mut next = Vec::new();
        for (done, node) in layer.into_iter().enumerate() {
            walk.expand(&node, &mut next);
            if done % (1 << 10) == 0 {
                job.check()?;
                job.progress.advance(1 << 10);
            }
        }
        layer = next;
    }
    Ok(walk.found)
}

struct LineWalk<'a> {
    book: &'a Book,
    roots: &'a [Root],
    side: Color,
    options: &'a PetaNext,
    /// The moves that were followed, each with what came before it.
    steps: Vec<(Origin, Move)>,
    /// Keys of the positions that are or were in a layer.
    known: HashSet<u128>,
    /// Lines of the roots that are outside the book.
    root_lines: HashSet<String>,
    found: NextPositions,
}

/// The origin of a line.
#[derive(Clone, Copy)]
enum Origin {
    /// The root with this number.
    Root(u32),
    /// The step with this number.
    Step(u32),
}

/// A position of a layer.
struct WalkNode {
    position: Position,
    origin: Origin,
    /// The best value at the root, for the side to move here.
    root_best: i32,
}

impl<'a> LineWalk<'a> {
    /// The roots that are in the book; the others are leaves.
    fn first_layer(&mut self) -> Vec<WalkNode> {
        let mut layer = Vec::new();
        let roots = self.roots;
        for (number, root) in roots.iter().enumerate() {
            let position = root.game().position();
            let found = self.lookup(position);
            let legal = found.map(|(moves, flipped)| legal_moves(position, moves, flipped));
            let best = legal.iter().flatten().map(|&(_, eval)| eval).max();
            if let Some(root_best) = best {
                let node = WalkNode {
                    position: position.clone(),
                    origin: Origin::Root(number as u32),
                    root_best,
                };
                layer.extend(self.admit(node));
            } else if self.root_lines.insert(root.line([])) {
                self.add_leaf(root.line([]), position);
            }
        }
        layer
    }

    /// The node, if it was not met before and is not too far.
    fn admit(&mut self, node: WalkNode) -> Option<WalkNode> {
        let near = node.position.ply() <= self.options.max_ply;
        (near && self.known.insert(key_of_both_sides(&node.position))).then_some(node)
    }

    /// The moves of a position, and whether they are those of the same position seen from the other
    /// side.
    fn lookup(&self, position: &Position) -> Option<(Moves<'a>, bool)> {
        let there = || Some((self.book.get(&position.flip())?, true));
        let here = self.book.get(position).map(|moves| (moves, false));
        here.or_else(there)
    }

    /// Adds what follows from `node` to the next layer, or `node` to the leaves.
    fn expand(&mut self, node: &WalkNode, next: &mut Vec<WalkNode>) {
        let Some((moves, flipped)) = self.lookup(&node.position) else {
            let line = self.line(node.origin);
            if !self.root_lines.contains(&line) {
                self.add_leaf(line, &node.position);
            }
            return;
        };
        let legal = legal_moves(&node.position, moves, flipped);
        let named = moves.iter().filter(|known| known.mv.is_some()).count();
        self.found.illegal_moves += (named - legal.len()) as u64;
        let lowest = if node.position.side_to_move() == self.side {
            legal.iter().map(|&(_, eval)| eval).max()
        } else {
            Some(node.root_best.saturating_sub(self.options.eval_diff))
        };
        for (m, _) in legal.into_iter().filter(|&(_, eval)| Some(eval) >= lowest) {
            let mut position = node.position.clone();
            let _ = position.do_move_unchecked(m);
            let child = WalkNode {
                position,
                origin: Origin::Step(self.steps.len() as u32),
                root_best: node.root_best.saturating_neg(),
            };
            if let Some(child) = self.admit(child) {
                self.steps.push((node.origin, m));
                next.push(child);
            }
        }
    }

    fn add_leaf(&mut self, line: String, position: &Position) {
        let sfen = position.to_sfen();
        self.found.leaves.push(Leaf { line, sfen });
    }

    /// The line that leads along `origin`.
    fn line(&self, mut origin: Origin) -> String {
        let mut moves = Vec::new();
        loop {
            match origin {
                Origin::Root(number) => {
                    moves.reverse();
                    return self.roots[number as usize].line(moves);
                }
                Origin::Step(number) => {
                    let (before, m) = self.steps[number as usize];
                    moves.push(m);
                    origin = before;
                }
            }
        }
    }
}

/// The moves that can be played in `position`, with their values. `flipped`: they are written as
/// seen from the other side of the board.
fn legal_moves(position: &Position, moves: Moves<'_>, flipped: bool) -> Vec<(Move, i32)> {
    let seen = if flipped {
        position.flip()
    } else {
        position.clone()
    };
    let legal = |known: BookMove| {
        let m = legal_move(&seen, known.mv?)?;
        Some((if flipped { m.rotate() } else { m }, known.eval))
    };
    moves.iter().filter_map(legal).collect()
}
