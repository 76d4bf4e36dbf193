//! The solvers: [`Solver`] for whole problems, [`LeafSolver`] for use inside another search.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use shogi_core::{Diagram, Move, Position};

use crate::api::{
    Answer, Exactness, FirstMove, Length, MateLimits, MateLine, MateObserver, MateScore, Reason,
    Role, Solution, SolverOptions,
};
use crate::control::{Control, Signals, parallel_search};
use crate::dfpn::{
    ANY_LENGTH, NO_REPETITION, Outcome, Poll, Searcher, Tables, View, defender_starts_in_check,
};
use crate::pv::{Defence, mating_line};

/// The least size of the table.
const LEAST_BYTES: usize = 64 << 10;

/// Solves mate problems. Keeps its table from one problem to the next, so that a solve has no fixed cost.
#[derive(Debug)]
pub struct Solver {
    options: SolverOptions,
    tables: Arc<Tables>,
    searcher: Searcher,
    /// The searchers of the other threads.
    helpers: Vec<Searcher>,
}

impl Solver {
    /// A solver with these settings. Reserves the memory of the table.
    pub fn new(options: SolverOptions) -> Self {
        let bytes = options.hash_bytes.max(LEAST_BYTES);
        let tables = Arc::new(Tables::new(bytes, options.threads > 1));
        let helper = |id| Searcher::new(Arc::clone(&tables)).of_thread(id);
        Self {
            options,
            searcher: Searcher::new(Arc::clone(&tables)),
            helpers: (1..options.threads as u64).map(helper).collect(),
            tables,
        }
    }

    /// The settings.
    pub const fn options(&self) -> &SolverOptions {
        &self.options
    }

    /// Changes the settings; reserves a new table when its size or the number of threads changes.
    pub fn set_options(&mut self, options: SolverOptions) {
        let same = |a: &SolverOptions, b: &SolverOptions| {
            a.hash_bytes == b.hash_bytes && a.threads == b.threads
        };
        if same(&options, &self.options) {
            self.options = options;
        } else {
            *self = Self::new(options);
        }
    }

    /// Decides whether the attacker mates. Ends within milliseconds after `stop` becomes true or a limit
    /// is reached.
    pub fn solve(
        &mut self,
        position: &Position,
        limits: &MateLimits,
        stop: &AtomicBool,
        observer: &mut dyn MateObserver,
    ) -> Solution {
        let role = Role::of(position, self.options.checked_root);
        self.solve_as(role, position, limits, stop, observer)
    }

    /// The same for a problem that may start with the defender in check although the attacker is to move. It then
    /// has to give check with its first move all the same, and cannot take the king.
    pub fn solve_diagram(
        &mut self,
        diagram: &Diagram,
        limits: &MateLimits,
        stop: &AtomicBool,
        observer: &mut dyn MateObserver,
    ) -> Solution {
        let role = Role::of_diagram(diagram, self.options.checked_root);
        self.solve_as(role, diagram.pieces(), limits, stop, observer)
    }

    fn solve_as(
        &mut self,
        role: Role,
        position: &Position,
        limits: &MateLimits,
        stop: &AtomicBool,
        observer: &mut dyn MateObserver,
    ) -> Solution {
        let side = position.side_to_move();
        let attacker = role.attacker(side);
        let starts_in_check = defender_starts_in_check(position);
        self.tables.clear();
        self.searcher.set_up(position, attacker, starts_in_check);
        let signals = Signals::default();
        let table = &self.tables.table;
        let control = Control::new(limits, &self.options, stop, &signals, table, observer);
        let mut solve = Solve {
            options: &self.options,
            searcher: &mut self.searcher,
            helpers: &mut self.helpers,
            control: &control,
            signals: &signals,
        };
        let answer = if is_hopeless(position, role) {
            Answer::NoMate
        } else {
            solve.answer(ANY_LENGTH)
        };
        let others = match (&answer, role) {
            (Answer::Mate(line), Role::Attacker) if self.options.multi_pv > 1 => {
                let first = line.moves.first().copied();
                solve.other_first_moves(first)
            }
            _ => Vec::new(),
        };
        Solution {
            role,
            answer,
            others,
            nodes: control.all_nodes(self.searcher.nodes()),
            elapsed: control.elapsed(),
            hashfull: self.tables.table.hashfull(),
        }
    }
}

/// Returns whether there is no king to mate, or the defender is stalemated.
fn is_hopeless(position: &Position, role: Role) -> bool {
    let attacker = role.attacker(position.side_to_move());
    position.king(attacker.flip()).is_none()
        || role == Role::Defender && !position.in_check() && position.has_no_legal_move()
}

/// State of one solve.
struct Solve<'s, 'c> {
    options: &'s SolverOptions,
    searcher: &'s mut Searcher,
    helpers: &'s mut [Searcher],
    control: &'s Control<'c>,
    signals: &'s Signals,
}

impl Solve<'_, '_> {
    /// The answer for the searcher's position, for mates within `budget` plies.
    fn answer(&mut self, budget: u16) -> Answer {
        let outcome = self.search(budget);
        if outcome.pn == 0 {
            return self.mate(outcome.length);
        }
        let answer = self.no_mate(&outcome);
        if answer == Answer::NoMate {
            self.report(MateScore::NoMate, &[]);
        }
        answer
    }

    fn search(&mut self, budget: u16) -> Outcome {
        parallel_search(
            self.searcher,
            self.helpers,
            budget,
            self.control,
            self.signals,
        )
    }

    fn no_mate(&self, outcome: &Outcome) -> Answer {
        if outcome.dn != 0 {
            Answer::Unknown(self.control.reason())
        } else if outcome.repetition == NO_REPETITION {
            Answer::NoMate
        } else {
            Answer::Unknown(Reason::Memory)
        }
    }

    /// The answer when a mate within `length` plies is proven: its line, or that of a shorter mate if the options ask
    /// for it.
    fn mate(&mut self, length: u16) -> Answer {
        self.control.begin_grace();
        self.searcher.resume();
        let moves = mating_line(self.searcher, length, Defence::Known, self.control);
        self.control.end_grace();
        let Some(moves) = moves else {
            return Answer::Unknown(self.control.reason());
        };
        let mut line = MateLine {
            moves,
            length: Length::UpperBound(u32::from(length)),
        };
        self.report(MateScore::Mate(line.length), &line.moves);
        if self.options.exact == Exactness::Off && length > 2 {
            return Answer::Mate(line);
        }
        self.control.set_shortening(true);
        self.shorten(&mut line, length);
        self.control.set_shortening(false);
        Answer::Mate(line)
    }

    /// Searches for shorter and shorter mates.
    fn shorten(&mut self, line: &mut MateLine, mut length: u16) {
        loop {
            let upper = self.options.exact == Exactness::Upper;
            if upper && line.moves.len() >= usize::from(length) {
                return;
            }
            let budget = match length.checked_sub(2) {
                Some(budget) if budget > 0 => budget,
                _ => {
                    self.finish(line, length);
                    return;
                }
            };
            let outcome = self.search(budget);
            if outcome.pn == 0 {
                length = outcome.length;
                if let Some(moves) =
                    mating_line(self.searcher, length, Defence::Known, self.control)
                {
                    line.moves = moves;
                    line.length = Length::UpperBound(u32::from(length));
                    self.report(MateScore::Mate(line.length), &line.moves);
                }
            } else if outcome.dn == 0 && outcome.repetition == NO_REPETITION {
                self.finish(line, length);
                return;
            } else {
                return;
            }
        }
    }

    /// There is no mate shorter than `length`.
    fn finish(&mut self, line: &mut MateLine, length: u16) {
        let moves = mating_line(self.searcher, length, Defence::Best, self.control);
        if let Some(moves) = moves.filter(|moves| moves.len() == usize::from(length)) {
            line.moves = moves;
            line.length = Length::Exact(u32::from(length));
            self.report(MateScore::Mate(line.length), &line.moves);
        }
    }

    /// Answers for first moves other than `best`.
    fn other_first_moves(&mut self, best: Option<Move>) -> Vec<FirstMove> {
        let moves = self.searcher.checks();
        let mut others = Vec::new();
        let mut mates = 1;
        for &first in moves.iter().filter(|&&m| Some(m) != best) {
            if mates >= self.options.multi_pv {
                break;
            }
            self.control.set_multipv(mates + 1);
            let undo = self.searcher.advance(first);
            let mut answer = self.answer(ANY_LENGTH);
            self.searcher.retreat(first, &undo);
            match &mut answer {
                Answer::NoMate => continue,
                Answer::Mate(line) => {
                    mates += 1;
                    line.moves.insert(0, first);
                    line.length = match line.length {
                        Length::Exact(plies) => Length::Exact(plies + 1),
                        Length::UpperBound(plies) => Length::UpperBound(plies + 1),
                    };
                }
                Answer::Unknown(_) => {}
            }
            others.push(FirstMove { first, answer });
        }
        others.sort_by_key(|other| match &other.answer {
            Answer::Mate(line) => line.length.plies(),
            _ => u32::MAX,
        });
        others
    }

    fn report(&self, score: MateScore, pv: &[Move]) {
        let (nodes, seldepth) = (self.searcher.nodes(), self.searcher.seldepth());
        self.control.report(nodes, seldepth, score, pv);
    }
}

// A small solver for use inside another search.

/// The answer of [`LeafSolver::solve`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeafAnswer {
    /// The side to move mates by force.
    Mate {
        /// The first move.
        first: Move,
        /// The mate takes at most this many plies (odd).
        plies: u32,
    },
    /// An unbroken series of checks does not mate (proven).
    NoMate,
    /// Not decided within the limit.
    Unknown,
}

/// Solves with few nodes and a small fixed table: for the root and near the leaves of another search.
///
/// After the first calls it allocates nothing.
#[derive(Debug)]
pub struct LeafSolver {
    tables: Arc<Tables>,
    searcher: Searcher,
}

/// Stops at a number of nodes.
struct NodeLimit(u64);

impl Poll for NodeLimit {
    fn poll(&self, view: &View<'_>) -> Option<u64> {
        (view.nodes < self.0).then_some(self.0)
    }
}

impl LeafSolver {
    /// A solver with a table of about `bytes` bytes.
    pub fn new(bytes: usize) -> Self {
        let tables = Arc::new(Tables::new(bytes, false));
        Self {
            searcher: Searcher::new(Arc::clone(&tables)),
            tables,
        }
    }

    /// Searches for a mate by the side to move with at most about `max_nodes` moves made.
    pub fn solve(&mut self, position: &Position, max_nodes: u64) -> LeafAnswer {
        let attacker = position.side_to_move();
        if position.king(attacker.flip()).is_none() {
            return LeafAnswer::NoMate;
        }
        if let Some(first) = position.mate_in_one() {
            return LeafAnswer::Mate { first, plies: 1 };
        }
        self.tables.clear();
        self.searcher.set_up(position, attacker, false);
        let outcome = self.searcher.search_anew(ANY_LENGTH, &NodeLimit(max_nodes));
        if outcome.pn == 0 {
            return self
                .searcher
                .first_move(outcome.length)
                .map_or(LeafAnswer::Unknown, |first| LeafAnswer::Mate {
                    first,
                    plies: u32::from(outcome.length),
                });
        }
        if outcome.dn == 0 && outcome.repetition == NO_REPETITION {
            LeafAnswer::NoMate
        } else {
            LeafAnswer::Unknown
        }
    }
}
