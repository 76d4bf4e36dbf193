//! The moves of a position, and what is known of them before any is searched.

use shogi_core::Move;
use shogi_core::movegen::{All, Checks, LegalAll};

use super::Searcher;
use super::frame::{Child, NONE, Outcome};
use crate::num::{ANY, NO_REPETITION, UNIT, less};
use crate::repetition::path_key;
use crate::{estimate, hands};

impl Searcher {
    /// Writes down the moves of the top position with what is known of them.
    pub(super) fn expand(&mut self) {
        let frame = self.top();
        let (or, start, first, budget) = (frame.or, frame.start, frame.first, frame.budget);
        let odd = self.is_odd_at(frame.depth);
        if or && (first && !frame.probed || budget == 1) {
            let outcome = if odd {
                self.look_at_odd_root(budget)
            } else {
                self.look_at_leaf(budget)
            };
            if let Some(outcome) = outcome {
                self.decide(outcome);
                return;
            }
        }
        self.list_moves(or, odd);
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
                self.wake_successors(index);
            }
        }
        let is_old = |child: &Child| child.active && child.old && !child.known.is_final();
        if self.children[start..].iter().any(is_old) {
            self.extra += 1;
        }
        self.add_up();
        self.stop_counting_twice();
    }

    /// The position is decided without its moves.
    fn decide(&mut self, outcome: Outcome) {
        let frame = self.frames.last_mut().expect("the root is on the stack");
        frame.decided = Some(outcome);
        frame.totals.pn = outcome.pn;
        frame.totals.dn = outcome.dn;
    }

    fn list_moves(&mut self, or: bool, odd: bool) {
        let attacker = self.attacker;
        self.moves.clear();
        if odd {
            *self.moves = self.checks();
        } else if or {
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
                hand: if or { position.hand_after(m) } else { hand },
                known: Outcome::undecided(UNIT, UNIT),
                penalty: 0,
                amount: 0,
                order: estimate::order(m, king),
                next: NONE,
                active: true,
                first: true,
                probed: false,
                old: false,
                sum_mask: u64::MAX,
                parent: None,
            });
        }
        if !or {
            self.link_drops(start);
        }
        self.link_non_promotions(start, or);
    }

    /// Finds out what is known of the position after a move of the top position; with `probe`, which is for
    /// moves never looked at, by looking for a mate in one as well.
    pub(super) fn evaluate(&mut self, index: usize, probe: bool) {
        let frame = self.top();
        let (or, depth, budget, path) = (frame.or, frame.depth + 1, less(frame.budget), frame.path);
        let child = self.children[index];
        if let Some(step) = self.path.find(child.key, child.hand) {
            let start = (self.base as usize + step) as i32;
            self.children[index].known = Outcome::repetition(child.hand, ANY, start);
            return;
        }
        let found = self
            .tables
            .table
            .look_up(child.key, child.hand, budget, depth);
        let bit = self.bit();
        let child = &mut self.children[index];
        if let Some(decided) = found.decided {
            child.known = decided.outcome();
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
                child.known = Outcome::repetition(child.hand, length, start);
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
                child.penalty = if or { pn } else { dn } / 16 + 1;
            }
        }
        child.known = Outcome::undecided(pn, dn);
        if child.first {
            self.evaluate_first(index, probe && !or, budget);
        }
    }

    /// The part of [`Self::evaluate`] for positions never searched.
    fn evaluate_first(&mut self, index: usize, probe: bool, budget: u16) {
        let child = self.children[index];
        if probe && let Some(outcome) = self.probe(child.m, budget) {
            self.save_leaf(&child, &outcome);
            self.children[index].known = outcome;
            return;
        }
        let estimate = if self.top().or {
            estimate::after_check(&self.position, child.m)
        } else {
            estimate::after_evasion(&self.position, child.m)
        };
        let (pn, dn) = (estimate.pn, estimate.dn);
        let child = &mut self.children[index];
        child.probed = probe;
        child.known = Outcome::undecided(child.known.pn.max(pn), child.known.dn.max(dn));
    }

    /// Plays the defender's move `m` and looks whether the position after it is decided at once.
    fn probe(&mut self, m: Move, budget: u16) -> Option<Outcome> {
        let undo = self.position.do_move(m);
        self.nodes += 1;
        let outcome = self.look_at_leaf(budget);
        self.position.undo_move(m, &undo);
        outcome
    }

    /// Whether the attacker, who is to move, mates at once or has no check.
    fn look_at_leaf(&mut self, budget: u16) -> Option<Outcome> {
        if let Some(m) = self.position.mate_in_one() {
            let undo = self.position.do_move(m);
            let needed = hands::monopoly(&self.position);
            self.position.undo_move(m, &undo);
            let hand = hands::proof_before(&self.position, m, needed);
            return Some(Outcome::mate(hand, 1));
        }
        if budget == 1 {
            return Some(Outcome::no_mate(self.hand(), 1));
        }
        if self.position.count_moves::<All<Checks>>() == 0 {
            let hand = hands::without_unseen_checks(&self.position, hands::total(&self.position));
            return Some(Outcome::no_mate(hand, ANY));
        }
        None
    }

    /// The same at the start of a problem with the defender in check already.
    fn look_at_odd_root(&self, budget: u16) -> Option<Outcome> {
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
