//! The search over layers.

use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::{Duration, Instant};

use shogi_core::movegen::LegalAll;
use shogi_core::{Color, Diagram, Move, Position};

use super::expand::{Expansion, Watch};
use super::layer::{Chunk, Layer, pack};
use super::seen::Seen;
use super::trail::Trail;
use crate::odd::{first_checks, is_odd};
use crate::{Answer, Length, Limits, MateLine, Observer, Progress, Reason, Role, Score, Solution};

/// Chunks that a thread takes before results are put together.
const CHUNKS_A_THREAD: usize = 2;

/// Settings of a [`HelpMateSolver`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HelpMateOptions {
    /// Memory that a solve may take, in bytes; it takes no more than it needs.
    pub memory_bytes: usize,
    /// Searching threads, at least 1. The result is the same for any number.
    pub threads: usize,
    /// When both sides have a king and the side to move is in check: whether it is the one to be mated.
    pub root_is_and_node_if_checked: bool,
    /// Time between two reports; `None` for none but the last.
    pub report_interval: Option<Duration>,
}

impl Default for HelpMateOptions {
    fn default() -> Self {
        Self {
            memory_bytes: 256 << 20,
            threads: 1,
            root_is_and_node_if_checked: true,
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
/// use shogi_mate::{Answer, Limits, Silent};
///
/// let position = Position::from_sfen("9/9/4k4/9/9/9/9/9/9 b GP 1")?;
/// let solver = HelpMateSolver::new(HelpMateOptions::default());
/// let stop = AtomicBool::new(false);
/// let solution = solver.solve(&position, &Limits::default(), &stop, &mut Silent);
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

    /// Looks for the shortest help mate. A mate has the exact length; [`Answer::NoMate`] means that no
    /// sequence of moves mates, [`Answer::Unknown`] that a limit was reached first. Ends soon after `stop`
    /// becomes true.
    pub fn solve(
        &self,
        position: &Position,
        limits: &Limits,
        stop: &AtomicBool,
        observer: &mut dyn Observer,
    ) -> Solution {
        let role = Role::of(position, self.options.root_is_and_node_if_checked);
        self.solve_as(role, position, limits, stop, observer)
    }

    /// The same for a problem that may start with the defender in check although the attacker is to move, by the rules
    /// of [`crate::Solver::solve_diagram`].
    pub fn solve_diagram(
        &self,
        diagram: &Diagram,
        limits: &Limits,
        stop: &AtomicBool,
        observer: &mut dyn Observer,
    ) -> Solution {
        let role = Role::of_diagram(diagram, self.options.root_is_and_node_if_checked);
        self.solve_as(role, diagram.pieces(), limits, stop, observer)
    }

    fn solve_as(
        &self,
        role: Role,
        position: &Position,
        limits: &Limits,
        stop: &AtomicBool,
        observer: &mut dyn Observer,
    ) -> Solution {
        let start = Instant::now();
        let mut search = Search {
            options: &self.options,
            attacker: role.attacker(position.side_to_move()),
            watch: Watch {
                stop,
                deadline: limits.time.and_then(|time| start.checked_add(time)),
            },
            max_nodes: limits.nodes.unwrap_or(u64::MAX),
            start,
            reported: start,
            seen: Seen::new(),
            trail: Trail::default(),
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

/// One solve.
struct Search<'a> {
    options: &'a HelpMateOptions,
    attacker: Color,
    watch: Watch<'a>,
    max_nodes: u64,
    start: Instant,
    reported: Instant,
    seen: Seen,
    trail: Trail,
    nodes: u64,
    /// Plies from the problem to the positions of the layer.
    plies: u32,
}

impl Search<'_> {
    /// The moves of a shortest mate; `None` when there is none.
    fn run(
        &mut self,
        position: &Position,
        role: Role,
        observer: &mut dyn Observer,
    ) -> Result<Option<Vec<Move>>, Reason> {
        let first = match role {
            Role::Attacker if is_odd(position) => self.layer_after_check(position)?,
            Role::Attacker => self.first_layer(position)?,
            Role::Defender if position.is_mated() => Next::Mate(Vec::new()),
            Role::Defender => self.replies_layer(position)?,
        };
        let mut layer = match first {
            Next::Mate(line) => return Ok(Some(line)),
            Next::Layer(layer) => layer,
        };
        while !layer.is_empty() {
            self.watch.check()?;
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
        self.start_at(position, Way::default(), &mut layer)?;
        Ok(Next::Layer(layer))
    }

    /// What the defender's first moves lead to.
    fn replies_layer(&mut self, position: &Position) -> Result<Next, Reason> {
        let mut layer = Layer::default();
        self.replies(&mut position.clone(), Way::default(), &mut layer)?;
        self.plies = 1;
        Ok(Next::Layer(layer))
    }

    /// What the first two plies lead to when the defender is in check already: pieces that are no position of a game
    /// are in no layer.
    fn layer_after_check(&mut self, pieces: &Position) -> Result<Next, Reason> {
        self.watch.check()?;
        let mut layer = Layer::default();
        let root = self.trail.push(None, None, None);
        for check in first_checks(pieces) {
            let mut position = pieces.clone();
            let _undo = position.do_move_from_diagram(check);
            self.nodes += 1;
            if position.is_mated() {
                return Ok(Next::Mate(vec![check]));
            }
            let way = Way {
                parent: root,
                check: Some(check),
                reply: None,
            };
            self.replies(&mut position, way, &mut layer)?;
        }
        self.plies = 2;
        Ok(Next::Layer(layer))
    }

    /// Adds what the defender's moves in `position` lead to.
    fn replies(
        &mut self,
        position: &mut Position,
        way: Way,
        layer: &mut Layer,
    ) -> Result<(), Reason> {
        for reply in position.moves::<LegalAll>() {
            let undo = position.do_move(reply);
            self.nodes += 1;
            let way = Way {
                reply: Some(reply),
                ..way
            };
            self.start_at(position, way, layer)?;
            position.undo_move(reply, &undo);
        }
        Ok(())
    }

    fn start_at(&mut self, position: &Position, way: Way, layer: &mut Layer) -> Result<(), Reason> {
        let mut packed = Vec::new();
        pack(position, &mut packed);
        let limit = self.options.memory_bytes;
        if self
            .seen
            .insert(position.key128(), limit)
            .map_err(|_| Reason::Memory)?
        {
            let number = self.trail.push(way.parent, way.check, way.reply);
            let number = number.ok_or(Reason::Memory)?;
            layer.push(number, &packed);
        }
        Ok(())
    }

    /// The positions two plies further on, or a mate in the next ply.
    fn next_layer(&mut self, layer: &Layer, observer: &mut dyn Observer) -> Result<Next, Reason> {
        let mut next = Layer::default();
        let old_bytes = layer.bytes();
        let threads = self.options.threads.max(1);
        for batch in layer.chunks.chunks(threads * CHUNKS_A_THREAD) {
            let expansions = expand(batch, self.attacker, &self.seen, &self.watch, threads);
            for expansion in expansions {
                let expansion = expansion?;
                self.nodes += expansion.nodes;
                if let Some((number, check)) = expansion.mate {
                    let mut line = self.trail.line_to(number);
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

    /// Adds what is new to the next layer.
    fn merge(
        &mut self,
        expansion: &Expansion,
        next: &mut Layer,
        layer_bytes: usize,
    ) -> Result<(), Reason> {
        let others = layer_bytes + next.bytes() + expansion.bytes.len() + self.trail.bytes();
        let limit = self.options.memory_bytes.saturating_sub(others);
        let mut begin = 0;
        for child in &expansion.children {
            let packed = &expansion.bytes[begin..child.end];
            begin = child.end;
            if !self
                .seen
                .insert(child.key, limit)
                .map_err(|_| Reason::Memory)?
            {
                continue;
            }
            let (check, reply) = (Some(child.check), Some(child.reply));
            let number = self.trail.push(Some(child.parent), check, reply);
            next.push(number.ok_or(Reason::Memory)?, packed);
        }
        // The other parts may have grown over the limit, not by more than a chunk's children.
        if others + self.seen.bytes() > self.options.memory_bytes {
            return Err(Reason::Memory);
        }
        Ok(())
    }

    /// Use of the memory, per mille, when the layers take this much of it.
    fn hashfull(&self, layer_bytes: usize) -> u32 {
        let used = layer_bytes + self.seen.bytes() + self.trail.bytes();
        let share = used as f64 / self.options.memory_bytes.max(1) as f64;
        (share * 1000.0).min(1000.0) as u32
    }

    fn report(&mut self, layer_bytes: usize, observer: &mut dyn Observer) {
        let due = |interval| self.reported.elapsed() >= interval;
        if self.options.report_interval.is_some_and(due) {
            self.reported = Instant::now();
            let score = Score::Unproven { pn: 1, dn: 1 };
            observer.progress(&self.progress(self.hashfull(layer_bytes), score, &[]));
        }
    }

    fn report_end(&self, answer: &Answer, observer: &mut dyn Observer) {
        let (score, pv) = match answer {
            Answer::Mate(line) => (Score::Mate(line.length), line.moves.as_slice()),
            Answer::NoMate => (Score::NoMate, [].as_slice()),
            Answer::Unknown(_) => return,
        };
        observer.progress(&self.progress(self.hashfull(0), score, pv));
    }

    fn progress<'a>(&self, hashfull: u32, score: Score, pv: &'a [Move]) -> Progress<'a> {
        Progress {
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

/// How a position of the first layer is reached.
#[derive(Clone, Copy, Default)]
struct Way {
    parent: Option<u32>,
    check: Option<Move>,
    reply: Option<Move>,
}

/// What follows a layer.
enum Next {
    Mate(Vec<Move>),
    Layer(Layer),
}

/// Expands chunks, on several threads if there are several chunks; results in order.
fn expand(
    chunks: &[Chunk],
    attacker: Color,
    seen: &Seen,
    watch: &Watch<'_>,
    threads: usize,
) -> Vec<Result<Expansion, Reason>> {
    let expand_all = |part: &[Chunk]| {
        let expansions = part.iter();
        let expansions = expansions.map(|chunk| Expansion::of(chunk, attacker, seen, watch));
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
