//! Choosing what to search next, for many engines at once.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use farm::Source;
use hashbrown::HashSet;
use shogi_core::Position;

use super::store::{Refused, Store};
use super::unit::{Leaf, MATES, Outcome};

/// How long a seat without a position waits before it looks again.
const WAIT: Duration = Duration::from_millis(100);

/// How leaves are chosen for a root, in turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// The nearest to the best play: the end of the principal variation, if it is free.
    Nearest,
    /// The first within this distance of the best play.
    Within(i32),
    /// The first within this distance that the game records know.
    OnRecord(i32),
}

/// What is chosen from.
pub(super) struct Choice {
    pub(super) store: Store,
    /// Where play begins, with the keys of the positions.
    pub(super) roots: Vec<(u128, Position)>,
    /// Keys of the positions of game records.
    pub(super) records: HashSet<u128>,
    pub(super) rules: Vec<Rule>,
    /// Units that are finished or handed out; whose turn it is among roots and rules.
    pub(super) turn: u64,
    /// How many units may be handed out in all.
    pub(super) limit: u64,
    /// Positions that are roots, or were, and cannot be searched.
    pub(super) ended: HashSet<u128>,
    /// Keys of the positions that are in the store and not yet in the journal. No book may be ahead of the
    /// journal: a run that is killed then goes on as if they had been there before it began, one turn behind.
    pub(super) unsaved: HashSet<u128>,
    /// Keys of the positions that are handed out.
    out: HashSet<u128>,
    /// Those that failed.
    again: Vec<Leaf>,
}

impl Choice {
    pub(super) fn new(store: Store, roots: Vec<Position>, rules: Vec<Rule>) -> Self {
        let key = |root: Position| (root.key128(), root);
        Self {
            store,
            roots: roots.into_iter().map(key).collect(),
            records: HashSet::new(),
            rules,
            turn: 0,
            limit: u64::MAX,
            ended: HashSet::new(),
            unsaved: HashSet::new(),
            out: HashSet::new(),
            again: Vec::new(),
        }
    }

    /// Takes what came of a position. Says why it does not become part of the book, if so.
    pub(super) fn learn(&mut self, leaf: &Leaf, outcome: &Outcome) -> Result<(), Refused> {
        let net = &mut self.store.net;
        match outcome {
            Outcome::Moves(moves) => self.store.add(leaf.position(), moves, false),
            Outcome::Mated => {
                net.end(leaf.key(), Some(MATES));
                self.ended.insert(leaf.key());
                Ok(())
            }
            Outcome::GivenUp => {
                net.end(leaf.key(), None);
                self.ended.insert(leaf.key());
                Ok(())
            }
        }
    }

    /// The next position to be searched.
    fn next(&mut self) -> Option<Leaf> {
        let roots = self.roots.len() as u64;
        let turns = roots * self.rules.len() as u64;
        let leaf = (self.turn..self.turn + turns).find_map(|turn| {
            let root = (turn % roots) as usize;
            let rule = self.rules[(turn / roots) as usize % self.rules.len()];
            self.of_root(root, rule)
        })?;
        self.turn += 1;
        self.out.insert(leaf.key());
        self.store.net.take(leaf.key());
        Some(leaf)
    }

    /// A position that failed, or else the next one.
    fn turn(&mut self) -> Turn {
        if let Some(leaf) = self.again.pop() {
            self.out.insert(leaf.key());
            return Turn::Leaf(Box::new(leaf));
        }
        if self.turn < self.limit
            && let Some(leaf) = self.next()
        {
            return Turn::Leaf(Box::new(leaf));
        }
        if self.out.is_empty() {
            Turn::End
        } else {
            Turn::Later
        }
    }

    fn of_root(&self, root: usize, rule: Rule) -> Option<Leaf> {
        let (key, position) = &self.roots[root];
        let net = &self.store.net;
        let Some(node) = net.find(*key) else {
            let is_free = !self.out.contains(key) && !self.ended.contains(key);
            return is_free.then(|| Leaf::new(position.clone()));
        };
        let edge = match rule {
            Rule::Nearest => None,
            Rule::Within(most) => net.leaf_within(node, most, |_| true),
            Rule::OnRecord(most) => net.leaf_within(node, most, |key| self.records.contains(&key)),
        };
        let edge = edge.or_else(|| net.nearest_leaf(node))?;
        Some(Leaf::new(self.store.behind(edge)))
    }
}

/// What there is to be searched just now.
pub(super) enum Turn {
    /// A position.
    Leaf(Box<Leaf>),
    /// None before one comes back.
    Later,
    /// None any more.
    End,
}

/// Hands out positions, each to one engine.
pub(super) struct Chooser {
    choice: Mutex<Choice>,
    changed: Condvar,
}

impl Chooser {
    pub(super) fn new(choice: Choice) -> Self {
        Self {
            choice: Mutex::new(choice),
            changed: Condvar::new(),
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Choice> {
        self.choice.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What there is to be searched just now, for those who do not wait.
    pub(super) fn turn(&self) -> Turn {
        self.lock().turn()
    }

    fn come_back(&self, leaf: &Leaf) -> MutexGuard<'_, Choice> {
        self.changed.notify_all();
        let mut choice = self.lock();
        choice.out.remove(&leaf.key());
        choice
    }
}

impl Source for Chooser {
    type Unit = Leaf;

    fn next(&self, quits: &dyn Fn() -> bool) -> Option<Leaf> {
        let mut choice = self.lock();
        loop {
            if quits() {
                return None;
            }
            match choice.turn() {
                Turn::Leaf(leaf) => return Some(*leaf),
                Turn::End => return None,
                Turn::Later => {}
            }
            let waited = self.changed.wait_timeout(choice, WAIT);
            choice = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn done(&self, leaf: &Leaf) {
        drop(self.come_back(leaf));
    }

    fn again(&self, leaf: &Leaf) {
        // It stays taken.
        self.come_back(leaf).again.push(leaf.clone());
    }
}

#[cfg(test)]
mod tests {
    use shogi_core::movegen::LegalAll;
    use yane_book::BookMove;

    use super::*;

    /// Values that depend on the position alone.
    fn searched(position: &Position) -> Outcome {
        let mut moves = Vec::new();
        position.generate_with_keys::<LegalAll>(|m, key, _| {
            let eval = (key % 201) as i32 - 100;
            let known = BookMove {
                eval,
                ..BookMove::new(Some(m.into()))
            };
            moves.push(known);
        });
        Outcome::Moves(moves)
    }

    fn chooser(rules: Vec<Rule>, limit: u64) -> Chooser {
        let mut choice = Choice::new(Store::new(50), vec![Position::startpos()], rules);
        choice.limit = limit;
        Chooser::new(choice)
    }

    #[test]
    fn nobody_gets_a_position_that_another_has_or_had() {
        let chooser = chooser(vec![Rule::Nearest, Rule::Within(60)], 3000);
        let handed = Mutex::new(HashSet::new());
        let together = std::sync::atomic::AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for seat in 0..8 {
                let (chooser, handed, together) = (&chooser, &handed, &together);
                scope.spawn(move || {
                    let mut count = 0;
                    while let Some(leaf) = chooser.next(&|| false) {
                        let is_new = handed.lock().unwrap().insert(leaf.key());
                        count += 1;
                        if count % 7 == seat % 7 && is_new {
                            // It fails, and comes again: to anybody, and once.
                            handed.lock().unwrap().remove(&leaf.key());
                            chooser.again(&leaf);
                            continue;
                        }
                        assert!(is_new, "{:?}", leaf.position());
                        let out = chooser.lock().out.len();
                        together.fetch_max(out, std::sync::atomic::Ordering::Relaxed);
                        let outcome = searched(leaf.position());
                        chooser.lock().learn(&leaf, &outcome).unwrap();
                        chooser.done(&leaf);
                    }
                });
            }
        });
        assert_eq!(handed.lock().unwrap().len(), 3000);
        assert_eq!(chooser.lock().store.net.len(), 3000);
        assert!(together.into_inner() > 1);
    }

    #[test]
    fn roots_and_rules_take_turns() {
        let after = |moves: &str| {
            let line = format!("startpos moves {moves}");
            shogi_core::parse_position_line(&line)
                .unwrap()
                .position()
                .clone()
        };
        let roots = vec![after("7g7f"), after("2g2f")];
        let mut choice = Choice::new(Store::new(0), roots.clone(), vec![Rule::Nearest]);
        let mut turns = Vec::new();
        for _ in 0..4 {
            let leaf = choice.next().unwrap();
            let outcome = searched(leaf.position());
            choice.learn(&leaf, &outcome).unwrap();
            choice.out.clear();
            turns.push(leaf.position().ply());
        }
        assert_eq!(turns, [2, 2, 3, 3]);
        // A root that is decided leaves its turns to the others.
        let mut choice = Choice::new(Store::new(0), roots, vec![Rule::Nearest]);
        for _ in 0..2 {
            let leaf = choice.next().unwrap();
            choice.out.clear();
            let outcome = if choice.turn == 1 {
                Outcome::GivenUp
            } else {
                searched(leaf.position())
            };
            choice.learn(&leaf, &outcome).unwrap();
        }
        for _ in 0..3 {
            let leaf = choice.next().unwrap();
            assert!(leaf.position().ply() == 3);
        }
    }

    #[test]
    fn records_lead_to_their_positions() {
        let record = |moves: &str| {
            let line = format!("startpos moves {moves}");
            shogi_core::parse_position_line(&line)
                .unwrap()
                .position()
                .key128()
        };
        let mut choice = Choice::new(
            Store::new(0),
            vec![Position::startpos()],
            vec![Rule::OnRecord(1000)],
        );
        let line = ["9g9f", "9g9f 1c1d", "9g9f 1c1d 5i5h"];
        choice.records.extend(line.map(record));
        let mut found = Vec::new();
        for _ in 0..5 {
            let leaf = choice.next().unwrap();
            choice.learn(&leaf, &searched(leaf.position())).unwrap();
            found.push(leaf.key());
        }
        assert_eq!(found[1..4], line.map(record));
        // Then the best play goes on.
        assert!(!choice.records.contains(&found[4]));
    }
}
