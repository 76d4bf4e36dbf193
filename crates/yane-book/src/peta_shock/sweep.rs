//! Steps 3 and 4: positions from which a line can go on for ever.

use book_graph::Predecessors;

use super::arena::{Arena, Marks, Target};
use super::solve::Loops;
use super::value::{ENDLESS, EVADES, MATE, PERPETUAL, PetaValue};
use crate::graph::NodeId;
use crate::{Job, Result, Unit};

/// More sweeps than this are not made. Values settle long before in books that people make.
const MAX_SWEEPS: u64 = 356;
/// Lines longer than this count as endless.
const LONGEST: u16 = 256;
/// A walk around a loop that takes more steps than this is given up: the number of ways through a
/// tangle of loops grows without bounds.
const MAX_STEPS: u32 = 1 << 20;

/// Finds the outcomes of all positions that are not constant.
pub(super) fn solve_cycles(
    arena: &Arena,
    constant: &Marks,
    loops: &Loops,
    outcomes: &mut [PetaValue],
    job: &Job,
) -> Result<()> {
    let mut changeable = Vec::new();
    for node in arena.nodes().filter(|&node| !constant.has(node)) {
        outcomes[node.index()] = match (loops.all.has(node), arena.is_in_check(node)) {
            (false, _) => PetaValue::leaf(0).endless(),
            (true, true) => PetaValue::leaf(-MATE).endless(),
            (true, false) => PetaValue::leaf(MATE).endless(),
        };
        if !loops.all.has(node) {
            changeable.push(node);
        }
    }
    let parents = arena.parents(|| changeable.iter().copied());
    let mut dirty = Marks::new(arena.len());
    for &node in &changeable {
        dirty.set(node);
    }
    let looping: Vec<NodeId> = loops.all.iter().collect();
    let mut walk = Walk::new(arena, loops);
    job.progress
        .stage("settle cycles", Some(MAX_SWEEPS), Unit::Positions);
    for _ in 0..MAX_SWEEPS {
        job.check()?;
        job.progress.advance(1);
        let mut changed = false;
        // A position whose parents come later in the book is seen by them in the same sweep: marks
        // set behind this one are found, those before it wait for the next sweep.
        let mut from = 0;
        while let Some(node) = dirty.next(from) {
            from = node.0 + 1;
            dirty.clear(node);
            let mut new = best_move(arena, outcomes, node).for_parent();
            if new.depth > LONGEST {
                new.depth = ENDLESS;
            }
            if new != outcomes[node.index()] {
                outcomes[node.index()] = new;
                changed = true;
                mark(&parents, node, &mut dirty);
            }
        }
        for &node in &looping {
            let new = walk.around(node, outcomes);
            if new != outcomes[node.index()] {
                outcomes[node.index()] = new;
                mark(&parents, node, &mut dirty);
            }
        }
        if !changed {
            break;
        }
    }
    Ok(())
}

impl PetaValue {
    /// The same value, never reached.
    const fn endless(self) -> Self {
        Self {
            value: self.value,
            depth: ENDLESS,
        }
    }
}

/// The outcome of a move.
#[inline(always)]
pub(super) fn of_target(outcomes: &[PetaValue], target: Target) -> PetaValue {
    match target {
        Target::Leaf(value) => PetaValue::leaf(value),
        Target::Node(child) => outcomes[child.index()],
    }
}

/// The outcome of the best move of a position.
#[inline]
pub(super) fn best_move(arena: &Arena, outcomes: &[PetaValue], node: NodeId) -> PetaValue {
    arena
        .targets(node)
        .map(|target| of_target(outcomes, target))
        .fold(PetaValue::WORST, PetaValue::or_better)
}

/// Marks the parents of a position.
#[inline]
fn mark(parents: &Predecessors, node: NodeId, dirty: &mut Marks) {
    for &parent in parents.of(node.0) {
        dirty.set(NodeId(parent));
    }
}

/// Walks around perpetual check loops.
struct Walk<'a> {
    arena: &'a Arena,
    loops: &'a Loops,
    on_path: Marks,
    path: Vec<Step>,
}

struct Step {
    node: NodeId,
    next: u32,
    best: PetaValue,
}

impl Step {
    const fn new(node: NodeId) -> Self {
        Self {
            node,
            next: 0,
            best: PetaValue {
                value: -32767,
                depth: 0,
            },
        }
    }
}

impl<'a> Walk<'a> {
    fn new(arena: &'a Arena, loops: &'a Loops) -> Self {
        Self {
            arena,
            loops,
            on_path: Marks::new(arena.len()),
            path: Vec::new(),
        }
    }

    /// Returns what a loop position is worth to the side that moves into it: all ways around the loop are
    /// walked; coming back to a position of the way is lost for the side that gives check, and moves
    /// out of the loop are worth what they are.
    fn around(&mut self, start: NodeId, outcomes: &[PetaValue]) -> PetaValue {
        self.path.push(Step::new(start));
        self.on_path.set(start);
        let mut steps = 0;
        let mut result = PetaValue::WORST;
        while let Some(step) = self.path.last_mut() {
            steps += 1;
            let Some(target) = self.arena.target_at(step.node, step.next) else {
                result = step.best.for_parent();
                self.on_path.clear(step.node);
                self.path.pop();
                if let Some(parent) = self.path.last_mut() {
                    parent.best = parent.best.or_better(result);
                }
                continue;
            };
            step.next += 1;
            match target {
                Target::Node(child) if self.on_path.has(child) => {
                    let back = if self.arena.is_in_check(child) {
                        PetaValue {
                            value: -MATE,
                            depth: PERPETUAL,
                        }
                    } else {
                        PetaValue {
                            value: MATE,
                            depth: EVADES,
                        }
                    };
                    step.best = step.best.or_better(back);
                }
                Target::Node(child) if self.loops.all.has(child) && steps < MAX_STEPS => {
                    self.on_path.set(child);
                    self.path.push(Step::new(child));
                }
                _ => step.best = step.best.or_better(of_target(outcomes, target)),
            }
        }
        result
    }
}
