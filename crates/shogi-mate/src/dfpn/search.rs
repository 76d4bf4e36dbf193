//! The loop of the search: descends to the most promising child and returns its proof and disproof numbers, which are
//! stored in the table.

use shogi_core::Hand;

use super::node::{Child, NONE, Node, NodeNumbers, Outcome};
use super::repetition::path_key;
use super::{
    ANY_LENGTH, MAX_DEPTH, MAX_FINITE, NO_REPETITION, Poll, Searcher, UNIT, View, less, more,
    proof_hand,
};

/// Most steps along recorded parents in the search for double counting.
const STEPS: usize = 20;

/// Largest growth of proof and disproof number from a position to a parent that depends on it.
const GROWTH: u32 = 3 * UNIT;

impl Searcher {
    /// [`Self::search`] without looking the position itself up, so that its moves are in the table afterwards.
    pub(crate) fn search_anew(&mut self, budget: u16, poll: &dyn Poll) -> Outcome {
        let (key, hand) = (self.position.board_key(), self.hand());
        self.inc_flag = 0;
        // Repetitions are remembered with the depth at which they start, so the depth of the root counts.
        let root = u64::from(hand.bits()) | u64::from(self.base) << 32;
        let seed = key ^ root.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let root = Node {
            last_move: None,
            is_or: self.is_or_node(),
            depth: self.base,
            key,
            hand,
            path: seed,
            budget,
            first: true,
            probed: false,
            start: 0,
            pn_threshold: MAX_FINITE + 1,
            dn_threshold: MAX_FINITE + 1,
            inc_flag: 0,
            least_depth: self.base,
            sum_mask: u64::MAX,
            amount: 1,
            decided: None,
            numbers: NodeNumbers::default(),
        };
        self.enter(root);
        self.run(poll)
    }

    fn run(&mut self, poll: &dyn Poll) -> Outcome {
        loop {
            if self.nodes >= self.next_poll && !self.stopped {
                self.ask(poll);
            }
            let node = self.top();
            if self.stopped || node.is_done(self.inc_flag) {
                let outcome = self.leave();
                if self.stack.is_empty() {
                    return outcome;
                }
                self.update_best_child(outcome);
            } else {
                self.descend();
            }
        }
    }

    /// The bit of this thread among those that search a position.
    pub(super) const fn bit(&self) -> u64 {
        1 << (self.thread % 64)
    }

    pub(super) fn top(&self) -> &Node {
        self.stack.last().expect("the root is on the stack")
    }

    #[cold]
    fn ask(&mut self, poll: &dyn Poll) {
        let root = &self.stack[0].numbers;
        let view = View {
            nodes: self.nodes,
            seldepth: self.seldepth,
            pn: root.pn,
            dn: root.dn,
            stack: &self.stack,
        };
        match poll.poll(&view) {
            Some(next) => self.next_poll = next,
            None => self.stopped = true,
        }
    }

    /// Plays the best move and enters the position after it.
    fn descend(&mut self) {
        let node = self.top();
        let best = node.start + node.numbers.best as usize;
        let child = &self.children[best];
        let (pn_threshold, dn_threshold) = node.child_thresholds(child, self.inc_flag);
        if node.depth - self.base >= MAX_DEPTH {
            self.children[best].result = Outcome::repetition(child.hand, ANY_LENGTH, -1);
            self.after_change(best);
            return;
        }
        let next = Node {
            last_move: None,
            is_or: !node.is_or,
            depth: node.depth + 1,
            key: child.key,
            hand: child.hand,
            path: path_key(node.path, child.m),
            budget: less(node.budget),
            first: child.first,
            probed: child.probed,
            start: self.children.len(),
            pn_threshold,
            dn_threshold,
            inc_flag: self.inc_flag,
            least_depth: node.depth + 1,
            sum_mask: child.sum_mask,
            amount: 1,
            decided: None,
            numbers: NodeNumbers::default(),
        };
        let m = child.m;
        if child.first {
            self.inc_flag = self.inc_flag.saturating_sub(1);
        }
        let undo = self.play(m, next.depth);
        self.nodes += 1;
        self.seldepth = self.seldepth.max(next.depth);
        self.enter(Node {
            last_move: Some((m, undo)),
            ..next
        });
    }

    /// Puts a position on the stack and expands it.
    fn enter(&mut self, node: Node) {
        self.path.push(node.key, node.hand);
        if !node.first {
            self.table().mark(node.key, node.hand, self.bit(), true);
        }
        self.stack.push(node);
        self.expand();
    }

    /// Takes the top position off the stack and stores its result.
    fn leave(&mut self) -> Outcome {
        let outcome = self.conclude();
        let node = self.stack.pop().expect("the root is on the stack");
        let parent = self.stack.last();
        self.save(
            &node,
            &outcome,
            parent.map(|parent| (parent.key, parent.hand)),
        );
        if !node.first {
            self.table().mark(node.key, node.hand, self.bit(), false);
        }
        self.path.pop();
        self.children.truncate(node.start);
        self.inc_flag = self.inc_flag.min(node.inc_flag);
        if let Some((m, undo)) = &node.last_move {
            self.position.undo_move(*m, undo);
        }
        if let Some(parent) = self.stack.last_mut() {
            parent.amount = parent.amount.saturating_add(node.amount);
            let child = &mut self.children[parent.start + parent.numbers.best as usize];
            child.amount = child.amount.saturating_add(node.amount);
        }
        outcome
    }

    /// Stores the new numbers of the best child of the top position.
    fn update_best_child(&mut self, outcome: Outcome) {
        let node = self.top();
        let best = node.start + node.numbers.best as usize;
        let child = &mut self.children[best];
        child.result = outcome;
        child.first = false;
        child.old = false;
        child.virtual_loss = 0;
        self.after_change(best);
    }

    /// Updates the top position after a change of one of its children.
    fn after_change(&mut self, child: usize) {
        self.activate_delayed(child);
        self.update_numbers();
    }

    pub(super) fn update_numbers(&mut self) {
        let node = self.stack.last_mut().expect("the root is on the stack");
        node.update_numbers(&self.children[node.start..]);
    }

    /// Activates the move that was delayed for the child at `index` when the child has failed its player; and so on.
    pub(super) fn activate_delayed(&mut self, index: usize) {
        let (start, is_or) = (self.top().start, self.top().is_or);
        let mut index = index;
        loop {
            let child = &self.children[index];
            let failed = if is_or {
                child.result.dn == 0
            } else {
                child.result.pn == 0
            };
            if !failed || child.next_delayed == NONE {
                return;
            }
            index = start + child.next_delayed as usize;
            if self.children[index].active {
                return;
            }
            self.children[index].active = true;
            self.evaluate(index, true);
        }
    }
}

impl Searcher {
    /// The outcome of the top position from its children.
    pub(super) fn conclude(&self) -> Outcome {
        let node = self.top();
        if let Some(outcome) = node.decided {
            return outcome;
        }
        let children = &self.children[node.start..];
        let outcome = match (node.numbers.pn, node.numbers.dn) {
            (0, _) if node.is_or => self.proven_or_node(children),
            (0, _) => self.proven_and_node(children),
            (_, 0) if node.is_or => self.disproven_or_node(children),
            (_, 0) => self.disproven_and_node(children),
            (pn, dn) => Outcome::undecided(pn, dn),
        };
        // The loop lies wholly below this position: the disproof holds on every path.
        if outcome.repetition >= node.depth as i32 {
            return Outcome {
                repetition: NO_REPETITION,
                ..outcome
            };
        }
        outcome
    }

    fn proven_or_node(&self, children: &[Child]) -> Outcome {
        let mates = children.iter().filter(|child| child.result.pn == 0);
        let Some(best) = mates.min_by_key(|child| child.result.length) else {
            unreachable!("a proof number of 0 comes from a child's");
        };
        let hand = proof_hand::hand_before(&self.position, best.m, best.result.hand);
        Outcome::mate(hand, more(best.result.length))
    }

    fn proven_and_node(&self, children: &[Child]) -> Outcome {
        let mut hand = proof_hand::interposition_monopoly(&self.position);
        let mut length = 0;
        for child in children {
            hand = proof_hand::max(hand, child.result.hand);
            length = length.max(more(child.result.length));
        }
        Outcome::mate(hand, length)
    }

    fn disproven_and_node(&self, children: &[Child]) -> Outcome {
        let escapes = children.iter().filter(|child| child.result.dn == 0);
        let Some(best) = escapes.max_by_key(|child| (child.result.repetition, child.result.length))
        else {
            unreachable!("a disproof number of 0 comes from a child's");
        };
        let result = &best.result;
        let hand = if result.repetition == NO_REPETITION {
            proof_hand::min(result.hand, proof_hand::total(&self.position))
        } else {
            self.hand()
        };
        Outcome::repetition(hand, more(result.length), result.repetition)
    }

    fn disproven_or_node(&self, children: &[Child]) -> Outcome {
        let mut hand = proof_hand::total(&self.position);
        let mut length = ANY_LENGTH;
        let mut repetition = NO_REPETITION;
        for child in children {
            let result = &child.result;
            length = length.min(more(result.length));
            repetition = repetition.min(result.repetition);
            let before = proof_hand::hand_before(&self.position, child.m, result.hand);
            hand = proof_hand::min(hand, before);
        }
        let hand = if repetition == NO_REPETITION {
            proof_hand::without_unsearched_checks(&self.position, hand)
        } else {
            self.hand()
        };
        Outcome::repetition(hand, length, repetition)
    }

    /// Stores the outcome of the position of `node`, which was searched from `parent`.
    pub(super) fn save(&self, node: &Node, outcome: &Outcome, parent: Option<(u64, Hand)>) {
        let table = &self.tables.table;
        if outcome.pn == 0 {
            table.save_proof(node.key, outcome.hand, outcome.length, node.amount);
            return;
        }
        if outcome.dn == 0 && outcome.repetition == NO_REPETITION {
            table.save_disproof(node.key, outcome.hand, outcome.length, node.amount);
            return;
        }
        let repetition = outcome.dn == 0;
        if repetition {
            self.tables
                .repetitions
                .save(node.path, outcome.repetition, outcome.length);
        }
        let (pn, dn) = if repetition {
            (UNIT, UNIT)
        } else {
            (outcome.pn, outcome.dn)
        };
        table.save_undecided(node.key, node.hand, |entry| {
            (entry.pn, entry.dn) = (pn, dn);
            entry.repetition |= repetition;
            entry.depth = entry.depth.min(node.least_depth as u16);
            entry.amount = entry.amount.saturating_add(node.amount);
            entry.sum_mask = node.sum_mask;
            if let Some((key, hand)) = parent {
                entry.parent_key = key;
                entry.parent_hand = hand.bits();
            }
        });
    }
}

// Double counting in the graph of positions: a sum over moves counts a position twice that can be reached through two
// of them. Where the position to be searched next was searched from elsewhere before, the recorded parents are followed
// back from there. If they meet the current line, the two paths branch at that position: the move of the current line
// there is no longer part of the sum, but counts as the largest of the excluded moves.

impl Searcher {
    /// Finds out whether the best child of the top position is counted twice further up.
    pub(super) fn eliminate_double_count(&mut self) {
        let node = self.top();
        let numbers = &node.numbers;
        if numbers.best == NONE || numbers.pn == 0 || numbers.dn == 0 || self.stack.len() == 1 {
            return;
        }
        let best = &self.children[node.start + numbers.best as usize];
        let Some((mut key, mut hand)) = best.parent else {
            return;
        };
        if (key, hand) == (node.key, node.hand) {
            return;
        }
        let (mut pn, mut dn) = (best.result.pn, best.result.dn);
        for _ in 0..STEPS {
            if let Some(step) = self.path.find_same(key, hand) {
                self.exclude_from_sum(step);
                return;
            }
            let found = self.tables.table.look_up(key, hand, 0, u32::MAX);
            let Some(entry) = found.exact else { return };
            let Some(parent) = entry.parent() else { return };
            if entry.pn > pn.saturating_add(GROWTH) || entry.dn > dn.saturating_add(GROWTH) {
                return;
            }
            (pn, dn) = (entry.pn, entry.dn);
            (key, hand) = parent;
        }
    }

    /// Excludes the current line's move at this step from the sum there.
    fn exclude_from_sum(&mut self, step: usize) {
        if step + 1 < self.stack.len() {
            let node = &mut self.stack[step];
            node.exclude(node.numbers.best);
        }
    }
}

impl crate::table::Entry {
    /// The position it was last searched from.
    pub(super) fn parent(&self) -> Option<(u64, Hand)> {
        let undecided = self.pn != 0 && self.parent_key != 0;
        let hand = Hand::try_from_bits(self.parent_hand)?;
        undecided.then_some((self.parent_key, hand))
    }
}
