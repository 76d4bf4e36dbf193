//! The values of all positions: first of those from which every line leaves the book, then of those from which a line can go on
//! for ever.

use book_graph::Predecessors;
use shogi_core::Move16;

use super::arena::{Arena, Marks, Target};
use super::{ENDLESS, EVADES, MATE, PERPETUAL, PetaShockOptions, PetaShockReport, PetaValue};
use crate::graph::NodeId;
use crate::{Job, Result, Unit};

/// The moves of a position that are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeptMoves {
    /// All.
    All,
    /// Those as good as the best.
    Best,
}

impl From<PetaShockOptions> for KeptMoves {
    fn from(options: PetaShockOptions) -> Self {
        if options.shrink {
            Self::Best
        } else {
            Self::All
        }
    }
}

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
    /// that looks at values alone takes the best. Only the moves that
    /// are to be kept are left.
    pub fn moves(&self, node: NodeId, kept: KeptMoves, out: &mut Vec<(Move16, PetaValue)>) {
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
        if kept == KeptMoves::Best {
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
    let mut stack: Vec<DfsFrame> = Vec::new();
    for root in arena.nodes() {
        if root.0 % (1 << 16) == 0 {
            job.check()?;
            job.progress.advance(1 << 16);
        }
        if seen.has(root) {
            continue;
        }
        seen.set(root);
        stack.push(DfsFrame::new(root));
        while let Some(frame) = stack.last_mut() {
            match arena.target_at(frame.node, frame.next) {
                Some(Target::Leaf(value)) => {
                    frame.best = frame.best.or_better(PetaValue::leaf(value));
                    frame.next += 1;
                }
                Some(Target::Node(child)) if seen.has(child) => {
                    // Nodes on the stack are not marked constant yet.
                    frame.constant &= constant.has(child);
                    frame.best = frame.best.or_better(outcomes[child.index()]);
                    frame.next += 1;
                }
                Some(Target::Node(child)) => {
                    seen.set(child);
                    stack.push(DfsFrame::new(child));
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
struct DfsFrame {
    node: NodeId,
    /// Place of the move to look at next.
    next: u32,
    best: PetaValue,
    constant: bool,
}

impl DfsFrame {
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

// Steps 3 and 4: positions from which a line can go on for ever.

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
    let mut walk = LoopWalk::new(arena, loops);
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
struct LoopWalk<'a> {
    arena: &'a Arena,
    loops: &'a Loops,
    on_path: Marks,
    path: Vec<LoopStep>,
}

struct LoopStep {
    node: NodeId,
    next: u32,
    best: PetaValue,
}

impl LoopStep {
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

impl<'a> LoopWalk<'a> {
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
        self.path.push(LoopStep::new(start));
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
                    self.path.push(LoopStep::new(child));
                }
                _ => step.best = step.best.or_better(of_target(outcomes, target)),
            }
        }
        result
    }
}
