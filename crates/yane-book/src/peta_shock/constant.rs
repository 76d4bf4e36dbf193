//! Step 1: positions from which every line leaves the book.

use super::arena::{Arena, Marks, Target};
use super::outcome::Outcome;
use crate::graph::NodeId;
use crate::{Job, Result};

/// Finds the constant positions and puts what they are worth to the side that moves into them into
/// `outcomes`.
///
/// A depth-first walk with a stack of its own: a position is constant if all its moves leave the book
/// or lead to constant positions; a move to a position that the walk is just coming from closes a
/// cycle.
pub(super) fn solve_constant(arena: &Arena, outcomes: &mut [Outcome], job: &Job) -> Result<Marks> {
    let mut constant = Marks::new(arena.len());
    let mut seen = Marks::new(arena.len());
    let mut stack: Vec<Frame> = Vec::new();
    for root in arena.nodes() {
        if root.0 % (1 << 16) == 0 {
            job.check()?;
            job.progress.advance(1 << 16);
        }
        if seen.has(root) {
            continue;
        }
        seen.set(root);
        stack.push(Frame::new(root));
        while let Some(frame) = stack.last_mut() {
            match arena.target_at(frame.node, frame.next) {
                Some(Target::Leaf(value)) => {
                    frame.best = frame.best.or_better(Outcome::leaf(value));
                    frame.next += 1;
                }
                Some(Target::Node(child)) if seen.has(child) => {
                    // What is under way is not marked constant yet.
                    frame.constant &= constant.has(child);
                    frame.best = frame.best.or_better(outcomes[child.index()]);
                    frame.next += 1;
                }
                Some(Target::Node(child)) => {
                    seen.set(child);
                    stack.push(Frame::new(child));
                }
                None => {
                    if frame.constant {
                        constant.set(frame.node);
                        outcomes[frame.node.index()] = frame.best.for_parent();
                    }
                    stack.pop();
                }
            }
        }
    }
    Ok(constant)
}

/// A position on the way of the walk.
struct Frame {
    node: NodeId,
    /// Place of the move to look at next.
    next: u32,
    best: Outcome,
    constant: bool,
}

impl Frame {
    const fn new(node: NodeId) -> Self {
        Self {
            node,
            next: 0,
            best: Outcome::WORST,
            constant: true,
        }
    }
}
