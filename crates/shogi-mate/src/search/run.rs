//! The loop of the search: down to the best child, and up with what was found.

use super::frame::{Frame, NONE, Outcome, Totals};
use super::{Poll, Searcher, View};
use crate::num::{ANY, MAX_DEPTH, MAX_FINITE, less};
use crate::repetition::path_key;

impl Searcher {
    /// The same without asking the table about the position itself, so that its moves are there afterwards.
    pub(crate) fn search_anew(&mut self, budget: u16, poll: &dyn Poll) -> Outcome {
        let (key, hand) = (self.position.board_key(), self.hand());
        self.extra = 0;
        // Repetitions are remembered with the depth at which they start, so the depth of the root counts.
        let root = u64::from(hand.bits()) | u64::from(self.base) << 32;
        let seed = key ^ root.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let root = Frame {
            came: None,
            or: self.is_or(),
            depth: self.base,
            key,
            hand,
            path: seed,
            budget,
            first: true,
            probed: false,
            start: 0,
            pn_limit: MAX_FINITE + 1,
            dn_limit: MAX_FINITE + 1,
            extra: 0,
            least_depth: self.base,
            sum_mask: u64::MAX,
            amount: 1,
            decided: None,
            totals: Totals::default(),
        };
        self.enter(root);
        self.run(poll)
    }

    fn run(&mut self, poll: &dyn Poll) -> Outcome {
        loop {
            if self.nodes >= self.next_poll && !self.stopped {
                self.ask(poll);
            }
            let frame = self.top();
            if self.stopped || frame.is_done(self.extra) {
                let outcome = self.leave();
                if self.frames.is_empty() {
                    return outcome;
                }
                self.hand_back(outcome);
            } else {
                self.descend();
            }
        }
    }

    /// The bit of this thread among those that search a position.
    pub(super) const fn bit(&self) -> u64 {
        1 << (self.thread % 64)
    }

    pub(super) fn top(&self) -> &Frame {
        self.frames.last().expect("the root is on the stack")
    }

    #[cold]
    fn ask(&mut self, poll: &dyn Poll) {
        let root = &self.frames[0].totals;
        let view = View {
            nodes: self.nodes,
            seldepth: self.seldepth,
            pn: root.pn,
            dn: root.dn,
            frames: &self.frames,
        };
        match poll.poll(&view) {
            Some(next) => self.next_poll = next,
            None => self.stopped = true,
        }
    }

    /// Plays the best move and enters the position after it.
    fn descend(&mut self) {
        let frame = self.top();
        let best = frame.start + frame.totals.best as usize;
        let child = &self.children[best];
        let (pn_limit, dn_limit) = frame.child_limits(child, self.extra);
        if frame.depth - self.base >= MAX_DEPTH {
            self.children[best].known = Outcome::repetition(child.hand, ANY, -1);
            self.after_change(best);
            return;
        }
        let next = Frame {
            came: None,
            or: !frame.or,
            depth: frame.depth + 1,
            key: child.key,
            hand: child.hand,
            path: path_key(frame.path, child.m),
            budget: less(frame.budget),
            first: child.first,
            probed: child.probed,
            start: self.children.len(),
            pn_limit,
            dn_limit,
            extra: self.extra,
            least_depth: frame.depth + 1,
            sum_mask: child.sum_mask,
            amount: 1,
            decided: None,
            totals: Totals::default(),
        };
        let m = child.m;
        if child.first {
            self.extra = self.extra.saturating_sub(1);
        }
        let undo = self.play(m, next.depth);
        self.nodes += 1;
        self.seldepth = self.seldepth.max(next.depth);
        self.enter(Frame {
            came: Some((m, undo)),
            ..next
        });
    }

    /// Puts a position on the stack and looks at its moves.
    fn enter(&mut self, frame: Frame) {
        self.path.push(frame.key, frame.hand);
        if !frame.first {
            self.table().mark(frame.key, frame.hand, self.bit(), true);
        }
        self.frames.push(frame);
        self.expand();
    }

    /// Takes the top position off the stack and remembers what is known of it.
    fn leave(&mut self) -> Outcome {
        let outcome = self.conclude();
        let frame = self.frames.pop().expect("the root is on the stack");
        let parent = self.frames.last();
        self.save(
            &frame,
            &outcome,
            parent.map(|parent| (parent.key, parent.hand)),
        );
        if !frame.first {
            self.table().mark(frame.key, frame.hand, self.bit(), false);
        }
        self.path.pop();
        self.children.truncate(frame.start);
        self.extra = self.extra.min(frame.extra);
        if let Some((m, undo)) = &frame.came {
            self.position.undo_move(*m, undo);
        }
        if let Some(parent) = self.frames.last_mut() {
            parent.amount = parent.amount.saturating_add(frame.amount);
            let child = &mut self.children[parent.start + parent.totals.best as usize];
            child.amount = child.amount.saturating_add(frame.amount);
        }
        outcome
    }

    /// Gives the best child of the top position its new numbers.
    fn hand_back(&mut self, outcome: Outcome) {
        let frame = self.top();
        let best = frame.start + frame.totals.best as usize;
        let child = &mut self.children[best];
        child.known = outcome;
        child.first = false;
        child.old = false;
        child.penalty = 0;
        self.after_change(best);
    }

    /// Follows up a change of a child of the top position.
    fn after_change(&mut self, child: usize) {
        self.wake_successors(child);
        self.add_up();
    }

    pub(super) fn add_up(&mut self) {
        let frame = self.frames.last_mut().expect("the root is on the stack");
        frame.add_up(&self.children[frame.start..]);
    }

    /// While the child at `index` fails its player, makes the move that waits for it active.
    pub(super) fn wake_successors(&mut self, index: usize) {
        let (start, or) = (self.top().start, self.top().or);
        let mut index = index;
        loop {
            let child = &self.children[index];
            let failed = if or {
                child.known.dn == 0
            } else {
                child.known.pn == 0
            };
            if !failed || child.next == NONE {
                return;
            }
            index = start + child.next as usize;
            if self.children[index].active {
                return;
            }
            self.children[index].active = true;
            self.evaluate(index, true);
        }
    }
}
