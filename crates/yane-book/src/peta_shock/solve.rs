//! All steps, and what comes out.

use shogi_core::Move16;

use super::PetaShockReport;
use super::arena::{Arena, Marks, Target};
use super::sweep::{of_target, solve_cycles};
use super::value::{PERPETUAL, PetaValue};
use crate::graph::NodeId;
use crate::{Job, Result, Unit};

/// A book with the outcome of every position.
#[derive(Debug)]
pub struct Solved {
    arena: Arena,
    outcomes: Vec<PetaValue>,
    loops: Loops,
    constant: u64,
}

/// Finds the outcomes of all positions.
///
/// # Errors
/// When the job is cancelled.
pub fn solve(arena: Arena, job: &Job) -> Result<Solved> {
    let positions = arena.len() as u64;
    job.progress
        .stage("solve", Some(positions), Unit::Positions);
    let mut outcomes = vec![PetaValue::WORST; arena.len()];
    let constant = solve_constant(&arena, &mut outcomes, job)?;
    let loops = find_loops(&arena, &constant);
    let constants = constant.count();
    if constants < positions {
        solve_cycles(&arena, &constant, &loops, &mut outcomes, job)?;
    }
    Ok(Solved {
        arena,
        outcomes,
        loops,
        constant: constants,
    })
}

impl Solved {
    /// The graph.
    pub const fn arena(&self) -> &Arena {
        &self.arena
    }

    /// Returns what a position is worth to the side that moves into it.
    #[inline]
    pub fn outcome(&self, node: NodeId) -> PetaValue {
        self.outcomes[node.index()]
    }

    /// Counts of the kinds of positions.
    pub(super) fn report(&self) -> PetaShockReport {
        PetaShockReport {
            constant: self.constant,
            in_check: self.arena.in_check().count(),
            loops_in_check: self.loops.in_check.count(),
            loops: self.loops.all.count(),
            ..PetaShockReport::default()
        }
    }

    /// The moves of a position, the best first, as they are written: of the moves that are worth as
    /// much as the best but take another number of plies the value is one less, so that a program
    /// that looks at values alone takes the best. With `shrink` only moves as good as the best are
    /// left.
    pub fn moves(&self, node: NodeId, shrink: bool, out: &mut Vec<(Move16, PetaValue)>) {
        out.clear();
        out.extend(self.arena.moves(node).map(|(mv, target)| {
            let mut outcome = of_target(&self.outcomes, target);
            if let super::Target::Node(child) = target
                && self.loops.all.has(child)
                && self.arena.is_in_check(child)
            {
                outcome.depth = PERPETUAL;
            }
            (mv, outcome)
        }));
        out.sort_by(|(_, a), (_, b)| b.is_better_than(*a).cmp(&a.is_better_than(*b)));
        let Some(&(_, best)) = out.first() else {
            return;
        };
        if shrink {
            out.retain(|(_, outcome)| outcome.value == best.value);
        }
        for (_, outcome) in out {
            if outcome.value == best.value && outcome.depth != best.depth {
                outcome.value -= 1;
            }
        }
    }
}

/// Finds the constant positions and puts what they are worth to the side that moves into them into
/// `outcomes`.
///
/// A depth-first walk with a stack of its own: a position is constant if all its moves leave the book
/// or lead to constant positions; a move to a position that the walk is just coming from closes a
/// cycle.
pub(super) fn solve_constant(
    arena: &Arena,
    outcomes: &mut [PetaValue],
    job: &Job,
) -> Result<Marks> {
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
                    frame.best = frame.best.or_better(PetaValue::leaf(value));
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
    best: PetaValue,
    constant: bool,
}

impl Frame {
    const fn new(node: NodeId) -> Self {
        Self {
            node,
            next: 0,
            best: PetaValue::WORST,
            constant: true,
        }
    }
}

/// Positions on perpetual check loops.
#[derive(Debug)]
pub(super) struct Loops {
    /// Those in check.
    pub(super) in_check: Marks,
    /// These and the positions between two of them.
    pub(super) all: Marks,
}

/// Finds the perpetual check loops among the positions that are not constant.
///
/// Of the positions in check those are taken away, again and again, from which no two plies lead to
/// one that is left. What remains goes on for ever.
pub(super) fn find_loops(arena: &Arena, constant: &Marks) -> Loops {
    let mut left = Marks::new(arena.len());
    for node in arena.in_check().iter() {
        if !constant.has(node) {
            left.set(node);
        }
    }
    loop {
        let mut changed = false;
        let mut from = 0;
        while let Some(node) = left.next(from) {
            from = node.0 + 1;
            let goes_on = arena
                .children(node)
                .any(|child| arena.children(child).any(|next| left.has(next)));
            if !goes_on {
                left.clear(node);
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    let mut all = left.clone();
    for node in left.iter() {
        for child in arena.children(node) {
            if arena.children(child).any(|next| left.has(next)) {
                all.set(child);
            }
        }
    }
    Loops {
        in_check: left,
        all,
    }
}
