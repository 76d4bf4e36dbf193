//! The choice of the next leaf to search, for many engines at once.

use farm::{Backlog, Next};
use hashbrown::HashSet;
use shogi_core::Position;
use yane_book::BookMove;

use super::store::{Refused, Store};
use crate::search::PositionItem;

/// The value of a move that mates.
pub(super) const MATES: i16 = 31_999;

/// A rule by which leaves are chosen for a root. The rules take turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// The nearest to the best play: the end of the principal variation, if it is free.
    Nearest,
    /// The first within this distance of the best play.
    Within(i32),
    /// The first within this distance that occurs in the game records.
    OnRecord(i32),
}

/// The backlog: everything that leaves are chosen from.
pub(super) struct Choice {
    pub(super) store: Store,
    /// Root positions, with their keys.
    pub(super) roots: Vec<(u128, Position)>,
    /// Keys of the positions of game records.
    pub(super) records: HashSet<u128>,
    pub(super) rules: Vec<Rule>,
    /// Number of positions handed out, which decides the next root and rule.
    pub(super) turn: u64,
    /// Largest number of positions to hand out.
    pub(super) limit: u64,
    /// Positions that are roots, or were, and cannot be searched.
    pub(super) ended: HashSet<u128>,
    /// Keys of the positions that are in the store and not yet in the journal. No book may be ahead of the
    /// journal: a run that is killed then would resume as if they had been there before it started, one turn behind.
    pub(super) unsaved: HashSet<u128>,
    /// Keys of the positions in progress.
    in_progress: HashSet<u128>,
    /// Positions that failed.
    failed: Vec<PositionItem>,
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
            in_progress: HashSet::new(),
            failed: Vec::new(),
        }
    }

    /// Takes the moves of a position: all legal ones, none when it is mate, or `None` when it was given up.
    ///
    /// # Errors
    /// Why it does not become part of the book.
    pub(super) fn learn(
        &mut self,
        item: &PositionItem,
        moves: Option<&[BookMove]>,
    ) -> Result<(), Refused> {
        let value = match moves {
            Some(moves) if !moves.is_empty() => {
                return self.store.add(item.position(), moves, false);
            }
            Some(_) => Some(MATES),
            None => None,
        };
        self.store.graph.end(item.key(), value);
        self.ended.insert(item.key());
        Ok(())
    }

    /// Removes and returns the next leaf.
    fn take(&mut self) -> Option<PositionItem> {
        let roots = self.roots.len() as u64;
        let turns = roots * self.rules.len() as u64;
        let item = (self.turn..self.turn + turns).find_map(|turn| {
            let root = (turn % roots) as usize;
            let rule = self.rules[(turn / roots) as usize % self.rules.len()];
            self.of_root(root, rule)
        })?;
        self.turn += 1;
        self.in_progress.insert(item.key());
        self.store.graph.take(item.key());
        Some(item)
    }

    /// The next leaf of a root by a rule.
    fn of_root(&self, root: usize, rule: Rule) -> Option<PositionItem> {
        let (key, position) = &self.roots[root];
        let graph = &self.store.graph;
        let Some(node) = graph.find(*key) else {
            let is_free = !self.in_progress.contains(key) && !self.ended.contains(key);
            return is_free.then(|| PositionItem::new(position.clone()));
        };
        let edge = match rule {
            Rule::Nearest => None,
            Rule::Within(most) => graph.leaf_within(node, most, |_| true),
            Rule::OnRecord(most) => {
                graph.leaf_within(node, most, |key| self.records.contains(&key))
            }
        };
        let edge = edge.or_else(|| graph.nearest_leaf(node))?;
        Some(PositionItem::new(self.store.position_after(edge)))
    }
}

impl Backlog for Choice {
    type Item = PositionItem;

    /// Hands out a position that failed, or else the next leaf.
    fn next(&mut self) -> Next<PositionItem> {
        if let Some(item) = self.failed.pop() {
            self.in_progress.insert(item.key());
            return Next::Item(item);
        }
        if self.turn < self.limit
            && let Some(item) = self.take()
        {
            return Next::Item(item);
        }
        if self.in_progress.is_empty() {
            Next::End
        } else {
            Next::Later
        }
    }

    fn ack(&mut self, item: &PositionItem) {
        self.in_progress.remove(&item.key());
    }

    fn nack(&mut self, item: &PositionItem) {
        // It stays taken in the graph.
        self.in_progress.remove(&item.key());
        self.failed.push(item.clone());
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use farm::{SharedBacklog, Source as _};
    use shogi_core::movegen::LegalAll;

    use super::*;

    /// Values that depend on the position alone.
    fn searched(position: &Position) -> Vec<BookMove> {
        let mut moves = Vec::new();
        position.generate_with_keys::<LegalAll>(|m, key, _| {
            let eval = (key % 201) as i32 - 100;
            let known = BookMove {
                eval,
                ..BookMove::new(Some(m.into()))
            };
            moves.push(known);
        });
        moves
    }

    fn shared(rules: Vec<Rule>, limit: u64) -> SharedBacklog<Choice> {
        let mut choice = Choice::new(Store::new(50), vec![Position::startpos()], rules);
        choice.limit = limit;
        SharedBacklog::new(choice)
    }

    #[test]
    fn no_position_is_handed_out_twice() {
        let choice = shared(vec![Rule::Nearest, Rule::Within(60)], 3000);
        let handed = Mutex::new(HashSet::new());
        let together = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for worker in 0..8 {
                let (choice, handed, together) = (&choice, &handed, &together);
                scope.spawn(move || {
                    let mut count = 0;
                    while let Some(item) = choice.next(&|| false) {
                        let is_new = handed.lock().unwrap().insert(item.key());
                        count += 1;
                        if count % 7 == worker % 7 && is_new {
                            // It fails, and is handed out once more.
                            handed.lock().unwrap().remove(&item.key());
                            choice.nack(&item);
                            continue;
                        }
                        assert!(is_new, "{:?}", item.position());
                        let in_progress = choice.lock().in_progress.len();
                        together.fetch_max(in_progress, Ordering::Relaxed);
                        let moves = searched(item.position());
                        choice.lock().learn(&item, Some(&moves)).unwrap();
                        choice.ack(&item);
                    }
                });
            }
        });
        assert_eq!(handed.lock().unwrap().len(), 3000);
        assert_eq!(choice.lock().store.graph.len(), 3000);
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
            let item = choice.take().unwrap();
            let moves = searched(item.position());
            choice.learn(&item, Some(&moves)).unwrap();
            choice.in_progress.clear();
            turns.push(item.position().ply());
        }
        assert_eq!(turns, [2, 2, 3, 3]);
        // The turns of a decided root go to the others.
        let mut choice = Choice::new(Store::new(0), roots, vec![Rule::Nearest]);
        for _ in 0..2 {
            let item = choice.take().unwrap();
            choice.in_progress.clear();
            let moves = (choice.turn > 1).then(|| searched(item.position()));
            choice.learn(&item, moves.as_deref()).unwrap();
        }
        for _ in 0..3 {
            let item = choice.take().unwrap();
            assert!(item.position().ply() == 3);
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
            let item = choice.take().unwrap();
            let moves = searched(item.position());
            choice.learn(&item, Some(&moves)).unwrap();
            found.push(item.key());
        }
        assert_eq!(found[1..4], line.map(record));
        // Then the best play is followed.
        assert!(!choice.records.contains(&found[4]));
    }
}
