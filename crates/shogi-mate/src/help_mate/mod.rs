//! Help mates (協力詰め, ばか詰め): both sides work together to mate the defender in as few plies as
//! possible. The attacker only gives checks, the defender may answer with any legal move.
//!
//! # Algorithm
//!
//! Breadth first, layer by layer, over the positions with the attacker to move. As both sides
//! cooperate, a position has to be expanded only once, when it is first reached; the first mate is a shortest one, and
//! when a layer is empty there is none. The work
//! is linear in the number of positions whatever the length: a problem of 49,909 plies in which nearly all
//! replies are forced takes as many steps, where deepening two plies at a time would walk its first half a
//! few hundred million times. Nothing recurses, so no length can exhaust a stack.
//!
//! Memory, not time, is the limit: some 35 bytes a position (a key of 16 bytes in a table with empty places, 12
//! bytes for the way back), and the positions of the newest layer. When the memory that is allowed
//! is used up the answer is unknown; it never becomes "no mate".

mod layer;
mod visited;

use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::Duration;

use shogi_core::movegen::LegalAll;
use shogi_core::{Color, Diagram, Move, Position};
use yane_clock::Instant;

use crate::dfpn::{defender_starts_in_check, first_checks};
use crate::{
    Answer, CheckedRoot, Length, MateLimits, MateLine, MateObserver, MateProgress, MateScore,
    Reason, Role, Solution,
};
use layer::{Chunk, Expansion, Layer, StopCheck, pack};
use visited::{Predecessors, VisitedSet};

/// Chunks that a thread takes before results are put together.
const CHUNKS_A_THREAD: usize = 2;

/// Settings of a [`HelpMateSolver`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HelpMateOptions {
    /// Memory that a solve may take, in bytes; it takes no more than it needs.
    pub memory_bytes: usize,
    /// Searching threads, at least 1. The result is the same for any number.
    pub threads: usize,
    /// What the side to move does when it is in check and both sides have a king; who defends is the one to be mated.
    pub checked_root: CheckedRoot,
    /// Time between two reports; `None` for none but the last.
    pub report_interval: Option<Duration>,
}

impl Default for HelpMateOptions {
    fn default() -> Self {
        Self {
            memory_bytes: 256 << 20,
            threads: 1,
            checked_root: CheckedRoot::Defends,
            report_interval: Some(Duration::from_secs(1)),
        }
    }
}

/// Solves help mates: the shortest way to mate when the defender helps.
///
/// ```
/// use std::sync::atomic::AtomicBool;
/// use shogi_core::Position;
/// use shogi_mate::help_mate::{HelpMateOptions, HelpMateSolver};
/// use shogi_mate::{Answer, MateLimits, SilentMateObserver};
///
/// let position = Position::from_sfen("9/9/4k4/9/9/9/9/9/9 b GP 1")?;
/// let solver = HelpMateSolver::new(HelpMateOptions::default());
/// let stop = AtomicBool::new(false);
/// let solution = solver.solve(&position, &MateLimits::default(), &stop, &mut SilentMateObserver);
/// assert!(matches!(solution.answer, Answer::Mate(_)), "{solution:?}");
/// # Ok::<(), shogi_core::SfenError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct HelpMateSolver {
    options: HelpMateOptions,
}

impl HelpMateSolver {
    /// A solver with these settings. Takes no memory before it solves.
    pub const fn new(options: HelpMateOptions) -> Self {
        Self { options }
    }

    /// The settings.
    pub const fn options(&self) -> &HelpMateOptions {
        &self.options
    }

    /// Searches for the shortest help mate. A mate has the exact length; [`Answer::NoMate`] means that no
    /// sequence of moves mates, [`Answer::Unknown`] that a limit was reached first. Ends soon after `stop`
    /// becomes true.
    pub fn solve(
        &self,
        position: &Position,
        limits: &MateLimits,
        stop: &AtomicBool,
        observer: &mut dyn MateObserver,
    ) -> Solution {
        let role = Role::of(position, self.options.checked_root);
        self.solve_as(role, position, limits, stop, observer)
    }

    /// The same for a problem that may start with the defender in check although the attacker is to move, by the rules
    /// of [`crate::Solver::solve_diagram`].
    pub fn solve_diagram(
        &self,
        diagram: &Diagram,
        limits: &MateLimits,
        stop: &AtomicBool,
        observer: &mut dyn MateObserver,
    ) -> Solution {
        let role = Role::of_diagram(diagram, self.options.checked_root);
        self.solve_as(role, diagram.pieces(), limits, stop, observer)
    }

    fn solve_as(
        &self,
        role: Role,
        position: &Position,
        limits: &MateLimits,
        stop: &AtomicBool,
        observer: &mut dyn MateObserver,
    ) -> Solution {
        let start = Instant::now();
        let mut search = HelpMateSearch {
            options: &self.options,
            attacker: role.attacker(position.side_to_move()),
            stop_check: StopCheck {
                stop,
                deadline: limits.time.and_then(|time| start.checked_add(time)),
            },
            max_nodes: limits.nodes.unwrap_or(u64::MAX),
            start,
            reported: start,
            visited: VisitedSet::new(),
            predecessors: Predecessors::default(),
            nodes: 0,
            plies: 0,
        };
        let answer = match search.run(position, role, observer) {
            Ok(Some(moves)) => Answer::Mate(MateLine {
                length: Length::Exact(moves.len() as u32),
                moves,
            }),
            Ok(None) => Answer::NoMate,
            Err(reason) => Answer::Unknown(reason),
        };
        search.report_end(&answer, observer);
        Solution {
            role,
            answer,
            others: Vec::new(),
            nodes: search.nodes,
            elapsed: start.elapsed(),
            hashfull: search.hashfull(0),
        }
    }
}

/// State of one solve.
struct HelpMateSearch<'a> {
    options: &'a HelpMateOptions,
    attacker: Color,
    stop_check: StopCheck<'a>,
    max_nodes: u64,
    start: Instant,
    reported: Instant,
    visited: VisitedSet,
    predecessors: Predecessors,
    nodes: u64,
    /// Plies from the problem to the positions of the layer.
    plies: u32,
}

impl HelpMateSearch<'_> {
    /// The moves of a shortest mate; `None` when there is none.
    fn run(
        &mut self,
        position: &Position,
        role: Role,
        observer: &mut dyn MateObserver,
    ) -> Result<Option<Vec<Move>>, Reason> {
        let first = match role {
            Role::Attacker if defender_starts_in_check(position) => {
                self.layer_after_check(position)?
            }
            Role::Attacker => self.first_layer(position)?,
            Role::Defender if position.is_mated() => Next::Mate(Vec::new()),
            Role::Defender => self.replies_layer(position)?,
        };
        let mut layer = match first {
            Next::Mate(line) => return Ok(Some(line)),
            Next::Layer(layer) => layer,
        };
        while !layer.is_empty() {
            self.stop_check.check()?;
            let next = self.next_layer(&layer, observer)?;
            match next {
                Next::Mate(line) => return Ok(Some(line)),
                Next::Layer(next) => layer = next,
            }
            self.plies += 2;
        }
        Ok(None)
    }

    /// The problem itself.
    fn first_layer(&mut self, position: &Position) -> Result<Next, Reason> {
        let mut layer = Layer::default();
        self.start_at(position, Origin::default(), &mut layer)?;
        Ok(Next::Layer(layer))
    }

    /// The positions after the defender's first moves.
    fn replies_layer(&mut self, position: &Position) -> Result<Next, Reason> {
        let mut layer = Layer::default();
        self.replies(&mut position.clone(), Origin::default(), &mut layer)?;
        self.plies = 1;
        Ok(Next::Layer(layer))
    }

    /// The layer after the first two plies when the defender is in check already: pieces that are no position of a game
    /// are in no layer.
    fn layer_after_check(&mut self, pieces: &Position) -> Result<Next, Reason> {
        self.stop_check.check()?;
        let mut layer = Layer::default();
        let root = self.predecessors.push(None, None, None);
        for check in first_checks(pieces) {
            let mut position = pieces.clone();
            let _undo = position.do_move_from_diagram_unchecked(check);
            self.nodes += 1;
            if position.is_mated() {
                return Ok(Next::Mate(vec![check]));
            }
            let origin = Origin {
                parent: root,
                check: Some(check),
                reply: None,
            };
            self.replies(&mut position, origin, &mut layer)?;
        }
        self.plies = 2;
        Ok(Next::Layer(layer))
    }

    /// Adds the positions after the defender's moves in `position`.
    fn replies(
        &mut self,
        position: &mut Position,
        origin: Origin,
        layer: &mut Layer,
    ) -> Result<(), Reason> {
        for reply in position.moves::<LegalAll>() {
            let undo = position.do_move_unchecked(reply);
            self.nodes += 1;
            let origin = Origin {
                reply: Some(reply),
                ..origin
            };
            self.start_at(position, origin, layer)?;
            position.undo_move(reply, &undo);
        }
        Ok(())
    }

    fn start_at(
        &mut self,
        position: &Position,
        origin: Origin,
        layer: &mut Layer,
    ) -> Result<(), Reason> {
        let mut packed = Vec::new();
        pack(position, &mut packed);
        let limit = self.options.memory_bytes;
        if self
            .visited
            .insert(position.key128(), limit)
            .map_err(|_| Reason::Memory)?
        {
            let number = self
                .predecessors
                .push(origin.parent, origin.check, origin.reply);
            let number = number.ok_or(Reason::Memory)?;
            layer.push(number, &packed);
        }
        Ok(())
    }

    /// The positions two plies further on, or a mate in the next ply.
    fn next_layer(
        &mut self,
        layer: &Layer,
        observer: &mut dyn MateObserver,
    ) -> Result<Next, Reason> {
        let mut next = Layer::default();
        let old_bytes = layer.bytes();
        let threads = self.options.threads.max(1);
        for batch in layer.chunks.chunks(threads * CHUNKS_A_THREAD) {
            let expansions = expand(
                batch,
                self.attacker,
                &self.visited,
                &self.stop_check,
                threads,
            );
            for expansion in expansions {
                let expansion = expansion?;
                self.nodes += expansion.nodes;
                if let Some((number, check)) = expansion.mate {
                    let mut line = self.predecessors.line_to(number);
                    line.push(check);
                    return Ok(Next::Mate(line));
                }
                self.merge(&expansion, &mut next, old_bytes)?;
            }
            if self.nodes >= self.max_nodes {
                return Err(Reason::Nodes);
            }
            self.report(old_bytes + next.bytes(), observer);
        }
        Ok(Next::Layer(next))
    }

    /// Adds the new positions to the next layer.
    fn merge(
        &mut self,
        expansion: &Expansion,
        next: &mut Layer,
        layer_bytes: usize,
    ) -> Result<(), Reason> {
        let others = layer_bytes + next.bytes() + expansion.bytes.len() + self.predecessors.bytes();
        let limit = self.options.memory_bytes.saturating_sub(others);
        let mut begin = 0;
        for child in &expansion.children {
            let packed = &expansion.bytes[begin..child.end];
            begin = child.end;
            if !self
                .visited
                .insert(child.key, limit)
                .map_err(|_| Reason::Memory)?
            {
                continue;
            }
            let (check, reply) = (Some(child.check), Some(child.reply));
            let number = self.predecessors.push(Some(child.parent), check, reply);
            next.push(number.ok_or(Reason::Memory)?, packed);
        }
        // The other parts may have grown over the limit, not by more than a chunk's children.
        if others + self.visited.bytes() > self.options.memory_bytes {
            return Err(Reason::Memory);
        }
        Ok(())
    }

    /// Use of the memory, per mille, when the layers take this much of it.
    fn hashfull(&self, layer_bytes: usize) -> u32 {
        let used = layer_bytes + self.visited.bytes() + self.predecessors.bytes();
        let share = used as f64 / self.options.memory_bytes.max(1) as f64;
        (share * 1000.0).min(1000.0) as u32
    }

    fn report(&mut self, layer_bytes: usize, observer: &mut dyn MateObserver) {
        let due = |interval| self.reported.elapsed() >= interval;
        if self.options.report_interval.is_some_and(due) {
            self.reported = Instant::now();
            let score = MateScore::Unproven { pn: 1, dn: 1 };
            observer.progress(&self.progress(self.hashfull(layer_bytes), score, &[]));
        }
    }

    fn report_end(&self, answer: &Answer, observer: &mut dyn MateObserver) {
        let (score, pv) = match answer {
            Answer::Mate(line) => (MateScore::Mate(line.length), line.moves.as_slice()),
            Answer::NoMate => (MateScore::NoMate, [].as_slice()),
            Answer::Unknown(_) => return,
        };
        observer.progress(&self.progress(self.hashfull(0), score, pv));
    }

    fn progress<'a>(&self, hashfull: u32, score: MateScore, pv: &'a [Move]) -> MateProgress<'a> {
        MateProgress {
            elapsed: self.start.elapsed(),
            nodes: self.nodes,
            hashfull,
            depth: self.plies + 1,
            seldepth: self.plies + 1,
            score,
            multipv: 1,
            pv,
        }
    }
}

/// The predecessor of a position of the first layer, and the moves from there.
#[derive(Clone, Copy, Default)]
struct Origin {
    parent: Option<u32>,
    check: Option<Move>,
    reply: Option<Move>,
}

/// The result of expanding a layer.
enum Next {
    Mate(Vec<Move>),
    Layer(Layer),
}

/// Expands chunks, on several threads if there are several chunks; results in order.
fn expand(
    chunks: &[Chunk],
    attacker: Color,
    visited: &VisitedSet,
    stop_check: &StopCheck<'_>,
    threads: usize,
) -> Vec<Result<Expansion, Reason>> {
    let expand_all = |part: &[Chunk]| {
        let expansions = part.iter();
        let expansions =
            expansions.map(|chunk| Expansion::of(chunk, attacker, visited, stop_check));
        expansions.collect::<Vec<_>>()
    };
    if threads == 1 || chunks.len() == 1 {
        return expand_all(chunks);
    }
    let share = chunks.len().div_ceil(threads);
    thread::scope(|scope| {
        let parts: Vec<_> = chunks
            .chunks(share)
            .map(|part| scope.spawn(move || expand_all(part)))
            .collect();
        let join = |part: thread::ScopedJoinHandle<'_, Vec<_>>| {
            part.join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        parts.into_iter().flat_map(join).collect()
    })
}
