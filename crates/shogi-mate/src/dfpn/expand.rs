//! The expansion of a node: its moves, delayed moves, table lookups, initial proof and disproof numbers.

use shogi_core::movegen::{All, Checks, LegalAll, MoveList};
use shogi_core::{Bitboard, Color, HandKind, Move, PieceKind, Position, Square};

use super::node::{Child, NONE, Outcome};
use super::repetition::path_key;
use super::{ANY_LENGTH, NO_REPETITION, Searcher, UNIT, less, proof_hand};

impl Searcher {
    /// Generates the moves of the top position and evaluates them.
    pub(super) fn expand(&mut self) {
        let node = self.top();
        let (is_or, start, first, budget) = (node.is_or, node.start, node.first, node.budget);
        let starts_in_check = self.starts_in_check_at(node.depth);
        if is_or && (first && !node.probed || budget == 1) {
            let outcome = if starts_in_check {
                self.probe_start_in_check(budget)
            } else {
                self.probe_leaf(budget)
            };
            if let Some(outcome) = outcome {
                self.decide(outcome);
                return;
            }
        }
        self.list_moves(is_or, starts_in_check);
        let end = self.children.len();
        for index in start..end {
            self.tables.table.prefetch(self.children[index].key);
        }
        for index in start..end {
            if self.children[index].active {
                self.evaluate(index, first);
            }
        }
        for index in start..end {
            if self.children[index].active {
                self.activate_delayed(index);
            }
        }
        let is_old = |child: &Child| child.active && child.old && !child.result.is_final();
        if self.children[start..].iter().any(is_old) {
            self.inc_flag += 1;
        }
        self.update_numbers();
        self.eliminate_double_count();
    }

    /// Decides the top position without its moves.
    fn decide(&mut self, outcome: Outcome) {
        let node = self.stack.last_mut().expect("the root is on the stack");
        node.decided = Some(outcome);
        node.numbers.pn = outcome.pn;
        node.numbers.dn = outcome.dn;
    }

    fn list_moves(&mut self, is_or: bool, starts_in_check: bool) {
        let attacker = self.attacker;
        self.moves.clear();
        if starts_in_check {
            *self.moves = self.checks();
        } else if is_or {
            self.position.generate::<All<Checks>>(&mut *self.moves);
        } else {
            self.position.generate::<LegalAll>(&mut *self.moves);
        }
        let position = &self.position;
        let king = position.king(attacker.flip());
        let hand = position.hand(attacker);
        let start = self.children.len();
        for &m in self.moves.iter() {
            self.children.push(Child {
                m,
                key: position.board_key_after(m),
                hand: if is_or { position.hand_after(m) } else { hand },
                result: Outcome::undecided(UNIT, UNIT),
                virtual_loss: 0,
                amount: 0,
                order: move_order(m, king),
                next_delayed: NONE,
                active: true,
                first: true,
                probed: false,
                old: false,
                sum_mask: u64::MAX,
                parent: None,
            });
        }
        if !is_or {
            self.delay_drops(start);
        }
        self.delay_non_promotions(start, is_or);
    }

    /// Evaluates the position after a move of the top position from path and tables; with `probe`, for moves never
    /// examined before, also by a search for a mate in one.
    pub(super) fn evaluate(&mut self, index: usize, probe: bool) {
        let node = self.top();
        let (is_or, depth, budget, path) =
            (node.is_or, node.depth + 1, less(node.budget), node.path);
        let child = self.children[index];
        if let Some(step) = self.path.find(child.key, child.hand) {
            let start = (self.base as usize + step) as i32;
            self.children[index].result = Outcome::repetition(child.hand, ANY_LENGTH, start);
            return;
        }
        let found = self
            .tables
            .table
            .look_up(child.key, child.hand, budget, depth);
        let bit = self.bit();
        let child = &mut self.children[index];
        if let Some(decided) = found.decided {
            child.result = decided.outcome();
            child.amount = decided.amount;
            return;
        }
        let (mut pn, mut dn) = (found.pn, found.dn);
        child.old = found.old;
        if let Some(entry) = &found.exact {
            if entry.repetition
                && let Some((start, length)) = self
                    .tables
                    .repetitions
                    .look_up(path_key(path, child.m), budget)
            {
                child.result = Outcome::repetition(child.hand, length, start);
                return;
            }
            child.amount = entry.amount;
            child.first = entry.pn == 0;
            child.old |= entry.pn != 0 && u32::from(entry.depth) < depth;
            child.sum_mask = entry.sum_mask;
            child.parent = entry.parent();
            pn = pn.max(entry.pn);
            dn = dn.max(entry.dn);
            if entry.busy & !bit != 0 {
                // Others that are nearly as good come first. The less this is, the deeper in the tree threads part.
                child.virtual_loss = if is_or { pn } else { dn } / 16 + 1;
            }
        }
        child.result = Outcome::undecided(pn, dn);
        if child.first {
            self.evaluate_first(index, probe && !is_or, budget);
        }
    }

    /// The part of [`Self::evaluate`] for positions never searched.
    fn evaluate_first(&mut self, index: usize, probe: bool, budget: u16) {
        let child = self.children[index];
        if probe && let Some(outcome) = self.probe(child.m, budget) {
            self.save_leaf(&child, &outcome);
            self.children[index].result = outcome;
            return;
        }
        let estimate = if self.top().is_or {
            estimate_after_check(&self.position, child.m)
        } else {
            estimate_after_evasion(&self.position, child.m)
        };
        let (pn, dn) = (estimate.pn, estimate.dn);
        let child = &mut self.children[index];
        child.probed = probe;
        child.result = Outcome::undecided(child.result.pn.max(pn), child.result.dn.max(dn));
    }

    /// Plays the defender's move `m` and probes the position after it.
    fn probe(&mut self, m: Move, budget: u16) -> Option<Outcome> {
        let undo = self.position.do_move_unchecked(m);
        self.nodes += 1;
        let outcome = self.probe_leaf(budget);
        self.position.undo_move(m, &undo);
        outcome
    }

    /// The outcome if the attacker, who is to move, mates in one or has no check.
    fn probe_leaf(&mut self, budget: u16) -> Option<Outcome> {
        if let Some(m) = self.position.mate_in_one() {
            let undo = self.position.do_move_unchecked(m);
            let needed = proof_hand::interposition_monopoly(&self.position);
            self.position.undo_move(m, &undo);
            let hand = proof_hand::hand_before(&self.position, m, needed);
            return Some(Outcome::mate(hand, 1));
        }
        if budget == 1 {
            return Some(Outcome::no_mate(self.hand(), 1));
        }
        if self.position.count_moves::<All<Checks>>() == 0 {
            let hand = proof_hand::without_unsearched_checks(
                &self.position,
                proof_hand::total(&self.position),
            );
            return Some(Outcome::no_mate(hand, ANY_LENGTH));
        }
        None
    }

    /// The same at the start of a problem with the defender in check already.
    fn probe_start_in_check(&self, budget: u16) -> Option<Outcome> {
        if self.mate_in_one().is_some() {
            return Some(Outcome::mate(self.hand(), 1));
        }
        (budget == 1).then(|| Outcome::no_mate(self.hand(), 1))
    }

    fn save_leaf(&self, child: &Child, outcome: &Outcome) {
        debug_assert_eq!(outcome.repetition, NO_REPETITION);
        let table = &self.tables.table;
        if outcome.pn == 0 {
            table.save_proof(child.key, outcome.hand, outcome.length, 1);
        } else {
            table.save_disproof(child.key, outcome.hand, outcome.length, 1);
        }
    }
}

impl Searcher {
    /// Delays the defender's drops: behind drops of lesser pieces on the same square, and, where the square is not
    /// protected, behind drops on other such squares.
    pub(super) fn delay_drops(&mut self, start: usize) {
        let position = &self.position;
        let checks = position
            .king(self.attacker)
            .map(|_| position.check_squares());
        let mut last_floating = NONE;
        let (mut seen, mut guarded) = (Bitboard::EMPTY, Bitboard::EMPTY);
        for index in start..self.children.len() {
            let m = self.children[index].m;
            if !m.is_drop() {
                continue;
            }
            if !seen.contains(m.to()) {
                seen |= m.to().into();
                if position.is_attacked_by(self.attacker.flip(), m.to()) {
                    guarded |= m.to().into();
                }
            }
            let gives_check = checks.as_ref().is_some_and(|c| position.gives_check(m, c));
            let floating = !guarded.contains(m.to()) && !gives_check;
            let before = if floating && last_floating != NONE {
                Some(start + last_floating as usize)
            } else {
                let is_last =
                    |c: &Child| c.m.is_drop() && c.m.to() == m.to() && c.next_delayed == NONE;
                (start..index).rev().find(|&i| is_last(&self.children[i]))
            };
            if floating {
                last_floating = (index - start) as u16;
            }
            if let Some(before) = before {
                self.children[before].next_delayed = (index - start) as u16;
                self.children[index].active = false;
            }
        }
    }

    /// Delays the defender's non-promotions behind the promotions. The attacker's are only excluded from the sum: a
    /// delay would hide the key of problems in which not promoting is the point.
    pub(super) fn delay_non_promotions(&mut self, start: usize, is_or: bool) {
        for index in start..self.children.len() {
            let m = self.children[index].m;
            if m.is_drop() || !self.position.is_pointless_non_promotion(m) {
                continue;
            }
            let promoted = |other: Move| {
                other.is_promotion() && other.from() == m.from() && other.to() == m.to()
            };
            let found = (start..self.children.len()).find(|&i| promoted(self.children[i].m));
            let Some(better) = found else { continue };
            let this = (index - start) as u16;
            if is_or {
                let node = self.stack.last_mut().expect("the root is on the stack");
                node.exclude(this);
            } else {
                self.children[better].next_delayed = this;
                self.children[index].active = false;
            }
        }
    }
}

/// Proof and disproof number of a position not yet searched.
#[derive(Clone, Copy, Debug)]
struct Estimate {
    pn: u32,
    dn: u32,
}

/// The estimate after the attacker's check `m` in `position`.
///
/// Checks on squares that the attacker controls are near to mate; a checking piece that can be taken by
/// several pieces is far from it.
fn estimate_after_check(position: &Position, m: Move) -> Estimate {
    let attacker = position.side_to_move();
    let (support, guards) = balance(position, attacker, m);
    let mut pn = UNIT;
    let mut dn = UNIT;
    if guards >= 2 {
        pn += UNIT;
    }
    if support + u32::from(m.is_drop()) > guards || captures_gold_or_silver(position, m) {
        dn += UNIT;
    } else {
        pn += UNIT;
    }
    Estimate { pn, dn }
}

/// The estimate after the defender's evasion `m` in `position`.
fn estimate_after_evasion(position: &Position, m: Move) -> Estimate {
    if !m.is_drop() && position.piece_on(m.to()).is_some() {
        return Estimate {
            pn: 2 * UNIT,
            dn: UNIT,
        };
    }
    if m.kind_after() == PieceKind::King {
        return Estimate { pn: UNIT, dn: UNIT };
    }
    let attacker = position.side_to_move().flip();
    let (attackers, guards) = balance(position, attacker, m);
    if attackers < guards + u32::from(m.is_drop()) {
        Estimate {
            pn: 2 * UNIT,
            dn: UNIT,
        }
    } else {
        Estimate {
            pn: UNIT,
            dn: 2 * UNIT,
        }
    }
}

/// The numbers of attackers and defenders of the destination.
fn balance(position: &Position, attacker: Color, m: Move) -> (u32, u32) {
    let all = position.attackers_to(m.to(), position.occupied());
    let attackers = (all & position.color(attacker)).len();
    (attackers, all.len() - attackers)
}

fn captures_gold_or_silver(position: &Position, m: Move) -> bool {
    !m.is_drop()
        && position
            .piece_on(m.to())
            .is_some_and(|piece| matches!(piece.kind(), PieceKind::Gold | PieceKind::Silver))
}

/// The order of moves with equal numbers: the smaller, the sooner.
fn move_order(m: Move, king: Option<Square>) -> i16 {
    let kind = m.kind_after();
    let mut value = -piece_value(kind);
    if let Some(king) = king {
        let files = (m.to() as i16 / 9 - king as i16 / 9).abs();
        let ranks = (m.to() as i16 % 9 - king as i16 % 9).abs();
        value += 10 * files.max(ranks);
    }
    if is_pointless_stay(m) {
        value += 1000;
    }
    value
}

/// Returns whether a pawn, bishop or rook could promote and does not.
fn is_pointless_stay(m: Move) -> bool {
    let Some(from) = m.from() else { return false };
    let color = m.color();
    !m.is_promotion()
        && matches!(
            m.kind_after(),
            PieceKind::Pawn | PieceKind::Bishop | PieceKind::Rook
        )
        && (from.is_promotion_zone(color) || m.to().is_promotion_zone(color))
}

const fn piece_value(kind: PieceKind) -> i16 {
    match kind {
        PieceKind::Pawn => 10,
        PieceKind::Lance | PieceKind::Knight => 20,
        PieceKind::Silver => 30,
        PieceKind::King | PieceKind::Horse | PieceKind::Dragon => 80,
        _ => 50,
    }
}

/// Returns whether the side not to move in `pieces` is in check.
pub(crate) fn defender_starts_in_check(pieces: &Position) -> bool {
    let side = pieces.side_to_move();
    let checked = |king| pieces.is_attacked_by(side, king);
    pieces.king(side.flip()).is_some_and(checked)
}

/// The attacker's first moves of such a problem: each gives a check of its own.
pub(crate) fn first_checks(pieces: &Position) -> MoveList {
    let mut moves = pieces.moves::<All<Checks>>();
    moves.retain(|m| !is_pawn_mate(pieces, *m));
    moves
}

/// Returns whether `m` drops a pawn that mates together with a check that stands already.
fn is_pawn_mate(pieces: &Position, m: Move) -> bool {
    let mut after = pieces.clone();
    m.dropped() == Some(HandKind::Pawn) && {
        let _undo = after.do_move_from_diagram_unchecked(m);
        after.is_mated()
    }
}
