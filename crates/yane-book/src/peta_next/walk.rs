//! Breadth-first walk over the best lines of a book.

use hashbrown::HashSet;
use shogi_core::{Color, Move, Position};

use super::PetaNext;
use crate::memory::{Book, Moves};
use crate::records::{Root, legal_move};
use crate::startsfens::key_of_both_sides;
use crate::{BookMove, Job, Result, Unit};

/// A position to search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// The moves that lead there, as a line of a record file.
    pub line: String,
    /// The position.
    pub sfen: String,
}

/// What [`next_positions`] found.
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
    let mut walk = Walk {
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

struct Walk<'a> {
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

impl<'a> Walk<'a> {
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
            let _ = position.do_move(m);
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
