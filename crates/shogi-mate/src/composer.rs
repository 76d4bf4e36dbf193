//! The length of a mate as composers count it: without futile interpositions (無駄合い).
//!
//! The solver counts every legal move. In composed problems a drop between the king and a checking
//! slider that changes nothing but the number of moves is not played. There is no rule that all composers
//! would sign; this one is exact, depends on nothing but the position, and gives the published length of
//! the examples in the tests:
//!
//! > A drop between the king and the only checking piece is *futile* when that piece can take it at once
//! > with check and, **the piece that was taken given back to the defender**, the mate then takes no more
//! > plies than it would have taken against the other defences. The other defences are all moves but drops
//! > on the same square and on squares farther from the king.
//!
//! So the squares are examined from the king outwards: whether a distant drop is futile depends on the value of nearer
//! drops, because they remain possible after it was taken. Moves of pieces to between are
//! never futile: they change the board for good. The length of a position is then
//!
//! * for the attacker: 1 + the shortest length after a check;
//! * for the defender: 0 when every defence is futile or there is none, else 1 + the longest length after a
//!   defence that is not futile.
//!
//! It is at most the plain length. Finding it takes a search through all checks and all defences, far more
//! than finding a mate, so it is a separate search after the solver's, for problems of up to some twenty plies; at its
//! limits it returns a lower bound.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};

use shogi_core::attacks::{between, king_attacks};
use shogi_core::movegen::{All, Checks, LegalAll};
use shogi_core::{Diagram, Move, Position, Square};
use yane_clock::Instant;

use crate::{Length, MateLimits, MateLine, Reason, Role};

/// Longest length that is searched: the search recurses a few times for each ply.
pub const MAX_PLIES: u32 = 99;
/// Moves between two checks of the clock.
const CLOCK_INTERVAL: u64 = 256;

/// The length without futile interpositions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ComposerLength {
    /// The length, which is exact, and a line without futile interpositions. Its last position is mate but
    /// for futile drops.
    Known(MateLine),
    /// A limit was reached.
    Unknown {
        /// The length is more than this many plies.
        more_than: u32,
        /// The limit.
        reason: Reason,
    },
}

/// Finds the length of a mate without futile interpositions.
///
/// `role` is the part of the side to move, which is known to mate (or to be mated) within `bound` plies when
/// every interposition counts. The defender may be in check already although the attacker is to move.
pub fn composer_length(
    start: &Diagram,
    role: Role,
    bound: u32,
    limits: &MateLimits,
    stop: &AtomicBool,
) -> ComposerLength {
    let mut search = ComposerSearch {
        known: HashMap::new(),
        nodes: 0,
        max_nodes: limits.nodes.unwrap_or(u64::MAX),
        deadline: limits
            .time
            .and_then(|time| Instant::now().checked_add(time)),
        stop,
        stopped_by: None,
    };
    let mut position = start.pieces().clone();
    let defender_starts_in_check = start.position().is_none();
    let mut more_than = 0;
    let first = u32::from(role == Role::Attacker);
    for plies in (first..=bound.min(MAX_PLIES)).step_by(2) {
        if defender_starts_in_check && let Some(moves) = search.line_from_check(start, plies) {
            return search.answer(moves, plies, more_than);
        }
        let found = match role {
            _ if defender_starts_in_check => None,
            Role::Attacker => search.attack(&mut position, plies),
            Role::Defender => search.defend(&mut position, plies),
        };
        if let Some(reason) = search.stopped_by {
            return ComposerLength::Unknown { more_than, reason };
        }
        if let Some(length) = found {
            let moves = search.line(&mut position, role, length);
            return search.answer(moves, length, more_than);
        }
        more_than = plies;
    }
    ComposerLength::Unknown {
        more_than,
        reason: Reason::Memory,
    }
}

/// The known length of a position, or a lower bound.
#[derive(Clone, Copy, Debug)]
enum KnownLength {
    Exactly(u32),
    MoreThan(u32),
}

/// The table has no answer.
struct NotKnown;

struct ComposerSearch<'a> {
    known: HashMap<u128, KnownLength>,
    nodes: u64,
    max_nodes: u64,
    deadline: Option<Instant>,
    stop: &'a AtomicBool,
    /// Set when a limit was reached: results from then on are invalid.
    stopped_by: Option<Reason>,
}

impl ComposerSearch<'_> {
    /// Counts a move; returns false when a limit is reached.
    fn count_move(&mut self) -> bool {
        self.nodes += 1;
        if self.stopped_by.is_some() {
            return false;
        }
        if self.nodes > self.max_nodes {
            self.stopped_by = Some(Reason::Nodes);
        } else if self.nodes.is_multiple_of(CLOCK_INTERVAL) {
            if self.stop.load(Ordering::Relaxed) {
                self.stopped_by = Some(Reason::Stopped);
            } else if self.deadline.is_some_and(|end| Instant::now() >= end) {
                self.stopped_by = Some(Reason::Time);
            }
        }
        self.stopped_by.is_none()
    }

    /// Looks up the length, if it is at most `plies`.
    fn look_up(&self, position: &Position, plies: u32) -> Result<Option<u32>, NotKnown> {
        match self.known.get(&position.key128()) {
            Some(&KnownLength::Exactly(length)) => Ok((length <= plies).then_some(length)),
            Some(&KnownLength::MoreThan(length)) if length >= plies => Ok(None),
            _ => Err(NotKnown),
        }
    }

    fn store(&mut self, position: &Position, plies: u32, length: Option<u32>) {
        if self.stopped_by.is_none() {
            let known = length.map_or(KnownLength::MoreThan(plies), KnownLength::Exactly);
            self.known.insert(position.key128(), known);
        }
    }

    /// The length with the attacker to move, if it is at most `plies`.
    fn attack(&mut self, position: &mut Position, plies: u32) -> Option<u32> {
        if plies == 0 {
            return None;
        }
        if let Ok(known) = self.look_up(position, plies) {
            return known;
        }
        let checks: Vec<Move> = position.moves::<All<Checks>>().into_iter().collect();
        let mut best = None;
        let mut bound = plies;
        for check in checks {
            if !self.count_move() {
                return None;
            }
            let undo = position.do_move_unchecked(check);
            let after = self.defend(position, bound - 1);
            position.undo_move(check, &undo);
            if let Some(after) = after {
                best = Some(after + 1);
                if after < 2 {
                    break;
                }
                bound = after - 1;
            }
        }
        self.store(position, plies, best);
        best
    }

    /// The length with the defender to move, if it is at most `plies`.
    fn defend(&mut self, position: &mut Position, plies: u32) -> Option<u32> {
        if let Ok(known) = self.look_up(position, plies) {
            return known;
        }
        let length = self.longest(position, plies).map(|(length, _)| length);
        self.store(position, plies, length);
        length
    }

    /// The length with the defender to move, if it is at most `plies`, and a defence that takes as long;
    /// without one, every defence is futile.
    fn longest(&mut self, position: &mut Position, plies: u32) -> Option<(u32, Option<Move>)> {
        let (drops, moves): (Vec<Move>, Vec<Move>) = position
            .moves::<LegalAll>()
            .into_iter()
            .partition(|m| m.is_drop());
        let mut longest = (0, None);
        for m in moves {
            self.defence(position, m, plies, &mut longest)?;
        }
        for square in squares_outwards(position, &drops) {
            if self.is_futile(position, square, &drops, longest.0) {
                continue;
            }
            for &m in drops.iter().filter(|m| m.to() == square) {
                self.defence(position, m, plies, &mut longest)?;
            }
        }
        Some(longest)
    }

    /// Takes a defence into account; `None` if it lasts longer than `plies`.
    fn defence(
        &mut self,
        position: &mut Position,
        m: Move,
        plies: u32,
        longest: &mut (u32, Option<Move>),
    ) -> Option<()> {
        if plies == 0 || !self.count_move() {
            return None;
        }
        let undo = position.do_move_unchecked(m);
        let after = self.attack(position, plies - 1);
        position.undo_move(m, &undo);
        let length = after? + 1;
        if length > longest.0 {
            *longest = (length, Some(m));
        }
        Some(())
    }

    /// Returns whether drops on `square` are futile when the other defences last `plies`.
    fn is_futile(
        &mut self,
        position: &mut Position,
        square: Square,
        drops: &[Move],
        plies: u32,
    ) -> bool {
        let checkers = position.checkers();
        let (Some(checker), false) = (checkers.first(), checkers.has_several()) else {
            return false;
        };
        let Some(&drop) = drops.iter().find(|m| m.to() == square) else {
            return false;
        };
        // The kind of the dropped piece makes no difference: it is given back.
        taken_back(position, drop, checker)
            .into_iter()
            .any(|mut after| self.count_move() && self.defend(&mut after, plies).is_some())
    }

    /// A line of `plies` moves from a start at which the defender is in check already.
    fn line_from_check(&mut self, start: &Diagram, plies: u32) -> Option<Vec<Move>> {
        let checks = start.pieces().moves::<All<Checks>>();
        checks.into_iter().find_map(|check| {
            let (check, mut after) = start.play(check.into())?;
            self.defend(&mut after, plies - 1)?;
            let mut moves = vec![check];
            moves.extend(self.line(&mut after, Role::Defender, plies - 1));
            Some(moves)
        })
    }

    /// The answer, unless a limit was reached.
    fn answer(&self, moves: Vec<Move>, length: u32, more_than: u32) -> ComposerLength {
        match self.stopped_by {
            Some(reason) => ComposerLength::Unknown { more_than, reason },
            None => ComposerLength::Known(MateLine {
                moves,
                length: Length::Exact(length),
            }),
        }
    }

    /// A line of `length` plies.
    fn line(&mut self, position: &mut Position, role: Role, length: u32) -> Vec<Move> {
        let mut line = Vec::new();
        let mut attacks = role == Role::Attacker;
        let mut left = length;
        while left > 0 {
            let next = if attacks {
                self.best_check(position, left)
            } else {
                self.longest(position, left).and_then(|(_, m)| m)
            };
            let Some(m) = next else { break };
            let _undo = position.do_move_unchecked(m);
            line.push(m);
            attacks = !attacks;
            left -= 1;
        }
        line
    }

    /// A check after which the mate takes `plies - 1` more.
    fn best_check(&mut self, position: &mut Position, plies: u32) -> Option<Move> {
        position.moves::<All<Checks>>().into_iter().find(|&check| {
            let undo = position.do_move_unchecked(check);
            let after = self.defend(position, plies - 1);
            position.undo_move(check, &undo);
            after.is_some()
        })
    }
}

/// The squares of drops that answer a check, the nearest to the king first; without a check none, so that
/// no drop is futile.
fn squares_outwards(position: &Position, drops: &[Move]) -> Vec<Square> {
    let mut squares: Vec<Square> = drops.iter().map(|m| m.to()).collect();
    let king = position.king(position.side_to_move());
    let distance = |square: &Square| {
        king.map_or(0, |king| {
            between(king, *square).len() + u32::from(!king_attacks(king).contains(*square))
        })
    };
    squares.sort_by_key(|square| (distance(square), square.index()));
    squares.dedup();
    squares
}

/// The positions after `drop` when the checking piece takes it with check and gives it back, promoting or
/// not. The defender is to move.
fn taken_back(position: &mut Position, drop: Move, checker: Square) -> Vec<Position> {
    let Some(kind) = drop.dropped() else {
        return Vec::new();
    };
    let undo = position.do_move_unchecked(drop);
    let attacker = position.side_to_move();
    let captures: Vec<Move> = position
        .moves::<All<Checks>>()
        .into_iter()
        .filter(|m| m.from() == Some(checker) && m.to() == drop.to())
        .collect();
    let mut after = Vec::new();
    for capture in captures {
        let undo = position.do_move_unchecked(capture);
        let mut setup = position.to_setup();
        position.undo_move(capture, &undo);
        setup.hands[attacker] = setup.hands[attacker].without(kind);
        setup.hands[attacker.flip()] = setup.hands[attacker.flip()].with(kind);
        after.extend(Position::from_setup(&setup));
    }
    position.undo_move(drop, &undo);
    after
}
