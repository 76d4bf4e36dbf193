//! Mates along the best line, searched for beside the playouts.

use std::sync::atomic::Ordering::Relaxed;
use std::thread;
use std::time::Duration;

use shogi_core::{Move, Move16, Position};
use shogi_mate::{
    Answer, CheckedRoot, MateLimits, Role, SilentMateObserver, Solver, SolverOptions,
};

use super::PuctSearch;
use super::playout::PuctRun;
use super::tree::{Child, Edge, EdgeId, Flags, NodeId};

/// Bytes of the table for each move that may be made: the solver writes less.
const BYTES_PER_NODE: u64 = 48;
/// Largest table.
const MOST_BYTES: u64 = 1 << 28;
/// Time between two looks at a line all of whose positions were searched.
const REST: Duration = Duration::from_millis(2);

/// A mate solver for positions of the best line.
pub struct PvMateSolver {
    solver: Solver,
    nodes: u64,
}

impl PvMateSolver {
    /// A solver that makes at most about so many moves for each position.
    pub fn new(nodes: u64) -> Self {
        let bytes = nodes.saturating_mul(BYTES_PER_NODE).min(MOST_BYTES);
        Self {
            solver: Solver::new(SolverOptions {
                hash_bytes: bytes as usize,
                checked_root: CheckedRoot::Attacks,
                report_interval: None,
                ..SolverOptions::default()
            }),
            nodes,
        }
    }

    /// Moves it makes at most for each position.
    pub const fn nodes(&self) -> u64 {
        self.nodes
    }
}

/// A position of the best line, and the edge that leads there; none leads to the root.
struct OnLine {
    position: Position,
    node: NodeId,
    edge: Option<EdgeId>,
}

impl PuctSearch {
    /// Searches the positions of the best line for mates, the first one first, until the run is over.
    pub(super) fn search_mates(&self, solver: &mut PvMateSolver, run: &PuctRun<'_>) {
        while !run.is_over.load(Relaxed) {
            let Some(place) = self.next_on_line() else {
                thread::sleep(REST);
                continue;
            };
            let limits = MateLimits {
                time: None,
                nodes: Some(solver.nodes),
            };
            let stop = &run.is_over;
            let observer = &mut SilentMateObserver;
            let solution = solver
                .solver
                .solve(&place.position, &limits, stop, observer);
            match solution.answer {
                Answer::Mate(line) if solution.role == Role::Attacker => {
                    self.prove_mate(&place, line.moves, run);
                }
                Answer::Unknown(_) if run.is_over.load(Relaxed) => {
                    self.tree.set_mate_searched(place.node, false);
                }
                _ => {}
            }
        }
    }

    /// Notes a mate by the side to move at a place of the best line.
    fn prove_mate(&self, place: &OnLine, line: Vec<Move>, run: &PuctRun<'_>) {
        let after = place.position.ply() + line.len() as u32;
        if self
            .params
            .max_moves_to_draw
            .is_some_and(|most| after > most + 1)
        {
            return;
        }
        if let Some(edge) = place.edge {
            self.tree.prove(edge, Flags::WIN);
            return;
        }
        let Some(&first) = line.first() else {
            return;
        };
        if !self.search_moves.is_empty() && !self.search_moves.contains(&Move16::from(first)) {
            return;
        }
        let code = Move16::from(first);
        let number = self
            .tree
            .edges(self.root)
            .position(|edge| edge.code == code);
        if let Some(number) = number.filter(|_| self.tree.make_counts(self.root)) {
            self.tree.prove((self.root, number), Flags::LOSE);
        }
        // Only one of several solvers searches the root.
        let _ = run.root_mate.set(line);
    }

    /// The first position of the best line that has not been searched, which nobody else gets now.
    fn next_on_line(&self) -> Option<OnLine> {
        let mut place = OnLine {
            position: self.game.position().clone(),
            node: self.root,
            edge: None,
        };
        loop {
            if self.tree.begin_mate_search(place.node) {
                return Some(place);
            }
            let node = place.node;
            let named = |(_, edge): &(usize, Edge)| {
                node != self.root
                    || self.search_moves.is_empty()
                    || self.search_moves.contains(&edge.code)
            };
            let edges = self.tree.edges(node).enumerate().filter(named);
            let (number, edge) = edges.min_by(|(_, a), (_, b)| a.better_first(b))?;
            let Child::Node(child) = edge.child else {
                return None;
            };
            let is_open = edge.visits > 0 && !edge.flags.has(Flags::ALL);
            if !is_open || !self.tree.is_evaluated(child) {
                return None;
            }
            let m = place.position.move_from_16(edge.code)?;
            let _ = place.position.do_move_unchecked(m);
            place = OnLine {
                node: child,
                edge: Some((node, number)),
                ..place
            };
        }
    }
}
