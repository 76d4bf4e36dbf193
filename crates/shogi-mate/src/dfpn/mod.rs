//! Depth-first proof-number search.
//!
//! The stack is explicit: mates of thousands of plies need memory, not a deep call stack. A position on
//! it is a [`Node`] with its moves ([`Child`]); the search goes on with the best child until the
//! position's numbers reach its thresholds, then returns them to the position it came from.
//!
//! A search has a budget of plies. With [`ANY_LENGTH`] it asks for a mate of any length; with less, for one
//! that is no longer. The same table serves all budgets, as proofs and disproofs carry the length they are
//! about.

mod expand;
mod node;
mod numbers;
mod proof_hand;
mod repetition;
mod search;

use std::sync::Arc;

use shogi_core::movegen::{All, Checks, MoveList};
use shogi_core::{Color, Hand, Move, Position, Undo};

use crate::table::{Decided, Table};
pub(crate) use expand::{defender_starts_in_check, first_checks};
pub(crate) use node::Outcome;
use node::{Child, Node};
pub(crate) use numbers::{ANY_LENGTH, INF, MAX_DEPTH, MAX_FINITE, NO_REPETITION, UNIT, less, more};
use repetition::{Path, RepetitionTable};

/// A check that a search calls from time to time.
pub(crate) trait Poll {
    /// The number of nodes at which to ask again; `None` to stop.
    fn poll(&self, view: &View<'_>) -> Option<u64>;
}

/// The state of a search that a [`Poll`] may read.
pub(crate) struct View<'a> {
    /// Moves made.
    pub(crate) nodes: u64,
    /// Depth of the deepest position so far.
    pub(crate) seldepth: u32,
    /// Numbers of the root.
    pub(crate) pn: u32,
    pub(crate) dn: u32,
    stack: &'a [Node],
}

impl View<'_> {
    /// The moves from the root to the present position.
    pub(crate) fn line(&self) -> Vec<Move> {
        let moves = self.stack.iter().filter_map(|node| node.last_move);
        moves.map(|(m, _)| m).collect()
    }
}

/// The tables of a solver, shared by all threads.
#[derive(Debug)]
pub(crate) struct Tables {
    pub(crate) table: Table,
    pub(crate) repetitions: RepetitionTable,
}

impl Tables {
    /// Tables of about `bytes` bytes together, for several threads if they are to be `concurrent`.
    pub(crate) fn new(bytes: usize, concurrent: bool) -> Self {
        Self {
            table: Table::new(bytes - bytes / 8, concurrent),
            repetitions: RepetitionTable::new(bytes / 8),
        }
    }

    /// Clears the tables at no cost. No other thread may be using them.
    pub(crate) fn clear(&self) {
        self.table.clear();
        self.repetitions.clear();
    }
}

/// A searching thread's state. Kept from one problem to the next, it allocates nothing any more.
#[derive(Debug)]
pub(crate) struct Searcher {
    tables: Arc<Tables>,
    position: Position,
    attacker: Color,
    /// True if the defender is in check at the start of the problem although the attacker is to move.
    starts_in_check: bool,
    /// Depth of the root of the present search.
    base: u32,
    stack: Vec<Node>,
    children: Vec<Child>,
    moves: Box<MoveList>,
    path: Path,
    /// Threshold controlling algorithm (TCA, Kishimoto): old positions that were entered and have children to search
    /// anew.
    inc_flag: u32,
    nodes: u64,
    next_poll: u64,
    seldepth: u32,
    stopped: bool,
    /// The number of this thread, from 0.
    thread: u64,
}

impl Searcher {
    pub(crate) fn new(tables: Arc<Tables>) -> Self {
        Self {
            tables,
            position: Position::startpos(),
            attacker: Color::Black,
            starts_in_check: false,
            base: 0,
            stack: Vec::new(),
            children: Vec::new(),
            moves: Box::default(),
            path: Path::new(),
            inc_flag: 0,
            nodes: 0,
            next_poll: 0,
            seldepth: 0,
            stopped: false,
            thread: 0,
        }
    }

    /// The same as another of the threads.
    pub(crate) fn of_thread(mut self, thread: u64) -> Self {
        self.thread = thread;
        self
    }

    /// Takes over the position of another searcher.
    pub(crate) fn follow(&mut self, other: &Self) {
        self.set_up(&other.position, other.attacker, other.starts_in_check);
        self.base = other.base;
    }

    /// Sets up another problem: `attacker` is to mate in `position`, which `starts_in_check` when the attacker is to
    /// move and the defender in check.
    pub(crate) fn set_up(&mut self, position: &Position, attacker: Color, starts_in_check: bool) {
        debug_assert!(self.path.is_empty());
        self.position.clone_from(position);
        self.attacker = attacker;
        self.starts_in_check = starts_in_check;
        self.base = 0;
        self.nodes = 0;
        self.next_poll = 0;
        self.seldepth = 0;
        self.stopped = false;
    }

    /// Clears a stop, so that the search can go on.
    pub(crate) fn resume(&mut self) {
        self.stopped = false;
        self.next_poll = 0;
    }

    /// Moves made so far.
    pub(crate) const fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Depth of the deepest position so far.
    pub(crate) const fn seldepth(&self) -> u32 {
        self.seldepth
    }

    /// The position searches start from.
    pub(crate) const fn position(&self) -> &Position {
        &self.position
    }

    /// Returns whether the attacker is to move.
    pub(crate) fn is_or_node(&self) -> bool {
        self.position.side_to_move() == self.attacker
    }

    /// Returns the attacker's hand.
    pub(crate) fn hand(&self) -> Hand {
        self.position.hand(self.attacker)
    }

    pub(crate) fn table(&self) -> &Table {
        &self.tables.table
    }

    /// Plays a move; undone by [`Self::retreat`].
    pub(crate) fn advance(&mut self, m: Move) -> Undo {
        self.base += 1;
        self.play(m, self.base)
    }

    /// Plays `m`, which leads to a position at `depth`.
    #[inline(always)]
    fn play(&mut self, m: Move, depth: u32) -> Undo {
        if self.starts_in_check && depth == 1 {
            self.position.do_move_from_diagram_unchecked(m)
        } else {
            self.position.do_move_unchecked(m)
        }
    }

    /// Returns whether the present position, at `depth`, is that of a problem that starts with the defender in check.
    const fn starts_in_check_at(&self, depth: u32) -> bool {
        self.starts_in_check && depth == 0
    }

    /// The attacker's moves in the searcher's position.
    pub(crate) fn checks(&self) -> MoveList {
        if self.starts_in_check_at(self.base) {
            first_checks(&self.position)
        } else {
            self.position.moves::<All<Checks>>()
        }
    }

    /// A move that mates at once.
    pub(crate) fn mate_in_one(&self) -> Option<Move> {
        if !self.starts_in_check_at(self.base) {
            return self.position.mate_in_one();
        }
        self.checks().into_iter().find(|&m| {
            let mut after = self.position.clone();
            let _undo = after.do_move_from_diagram_unchecked(m);
            after.is_mated()
        })
    }

    pub(crate) fn retreat(&mut self, m: Move, undo: &Undo) {
        self.base -= 1;
        self.position.undo_move(m, undo);
    }

    /// Returns what the table knows of the position after `m` about mates within `budget` plies.
    pub(crate) fn known_after(&self, m: Move, budget: u16) -> Option<Decided> {
        let position = &self.position;
        let key = position.board_key_after(m);
        let hand = if self.is_or_node() {
            position.hand_after(m)
        } else {
            self.hand()
        };
        self.table()
            .look_up(key, hand, budget, self.base + 1)
            .decided
    }

    /// A first move of the attacker to a mate within `length` plies, if the table has one.
    pub(crate) fn first_move(&self, length: u16) -> Option<Move> {
        let budget = length.checked_sub(1)?;
        let moves = self.checks();
        let mates = |m: &Move| {
            self.known_after(*m, budget)
                .is_some_and(|result| result.mate)
        };
        moves.into_iter().find(mates)
    }

    /// Searches for a mate within `budget` plies. Undecided only when stopped, or when it got too deep,
    /// which is a disproof by a repetition that starts before the root.
    pub(crate) fn search(&mut self, budget: u16, poll: &dyn Poll) -> Outcome {
        let (key, hand) = (self.position.board_key(), self.hand());
        match self.table().look_up(key, hand, budget, self.base).decided {
            Some(decided) => decided.outcome(),
            None => self.search_anew(budget, poll),
        }
    }
}

impl Decided {
    pub(crate) const fn outcome(&self) -> Outcome {
        if self.mate {
            Outcome::mate(self.hand, self.length)
        } else {
            Outcome::no_mate(self.hand, self.length)
        }
    }
}
