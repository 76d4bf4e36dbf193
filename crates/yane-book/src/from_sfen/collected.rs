//! What was read so far: positions, the smallest move number of each, the moves played there.
//!
//! Flat arrays and one list of texts: some 110 bytes a position and 12 a move.

use hashbrown::HashTable;
use shogi_core::Position;
use yane_io::external::Sorter;

use super::entry::Entry;
use super::occurrence::Occurrence;
use crate::Result;

/// End of a chain of moves.
const NONE: u32 = u32::MAX;

/// Positions with their moves.
#[derive(Default)]
pub(super) struct Collected {
    numbers: HashTable<u32>,
    keys: Vec<u128>,
    nodes: Vec<Node>,
    moves: Vec<Cell>,
    /// SFENs without move numbers, one after the other.
    texts: Vec<u8>,
}

#[derive(Clone, Copy)]
struct Node {
    /// Where the text begins.
    text: u32,
    ply: u32,
    /// First and last of the chain of moves.
    first: u32,
    last: u32,
}

/// A move in the chain of its position.
#[derive(Clone, Copy)]
struct Cell {
    occurrence: Occurrence,
    next: u32,
}

impl Collected {
    /// Notes that a move was played in `position`.
    pub(super) fn add(&mut self, position: &Position, played: Occurrence) {
        let text = |out: &mut Vec<u8>| {
            out.extend_from_slice(position.to_sfen_without_ply().as_bytes());
        };
        self.insert(position.key128(), position.ply(), text, played);
    }

    /// Takes over what was read after all that is here.
    pub(super) fn absorb(&mut self, later: &Self) {
        for (number, node) in later.nodes.iter().enumerate() {
            for occurrence in later.chain(node) {
                let text = |out: &mut Vec<u8>| out.extend_from_slice(later.text(number));
                self.insert(later.keys[number], node.ply, text, occurrence);
            }
        }
    }

    /// Whether there is no position.
    pub(super) const fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Whether memory of so many bytes is used up when this is sorted and written.
    pub(super) fn is_full(&self, memory: u64) -> bool {
        // Of the hash table, half of whose slots may be empty.
        const SLOT: usize = 10;
        let node = size_of::<u128>() + size_of::<Node>() + SLOT;
        let used = self.nodes.len() * node + self.moves.len() * size_of::<Cell>();
        // Offsets and numbers have 32 bits, and one more piece must fit in.
        let limit = memory.min(u64::from(u32::MAX) - (1 << 28));
        (used + self.texts.len()) as u64 > limit
    }

    fn insert(&mut self, key: u128, ply: u32, text: impl FnOnce(&mut Vec<u8>), played: Occurrence) {
        let keys = &self.keys;
        let same = |&number: &u32| keys[number as usize] == key;
        let number = if let Some(&number) = self.numbers.find(key as u64, same) {
            number as usize
        } else {
            let number = self.nodes.len();
            self.numbers
                .insert_unique(key as u64, number as u32, |&number| {
                    self.keys[number as usize] as u64
                });
            self.keys.push(key);
            self.nodes.push(Node {
                text: self.texts.len() as u32,
                ply,
                first: NONE,
                last: NONE,
            });
            text(&mut self.texts);
            number
        };
        let node = &mut self.nodes[number];
        if ply < node.ply {
            (node.ply, node.first, node.last) = (ply, NONE, NONE);
        }
        if ply == node.ply {
            self.add_move(number, played);
        }
    }

    fn add_move(&mut self, number: usize, played: Occurrence) {
        let node = &mut self.nodes[number];
        let mut at = node.first;
        while at != NONE {
            let cell = &mut self.moves[at as usize];
            if cell.occurrence.mv == played.mv {
                cell.occurrence.absorb(played);
                return;
            }
            at = cell.next;
        }
        let new = self.moves.len() as u32;
        self.moves.push(Cell {
            occurrence: played,
            next: NONE,
        });
        match self.moves.get_mut(node.last as usize) {
            Some(last) => last.next = new,
            None => node.first = new,
        }
        node.last = new;
    }

    fn text(&self, number: usize) -> &[u8] {
        let start = self.nodes[number].text as usize;
        let end = self.nodes.get(number + 1);
        &self.texts[start..end.map_or(self.texts.len(), |node| node.text as usize)]
    }

    fn chain(&self, node: &Node) -> impl Iterator<Item = Occurrence> {
        let mut at = node.first;
        std::iter::from_fn(move || {
            let cell = self.moves.get(at as usize)?;
            at = cell.next;
            Some(cell.occurrence)
        })
    }

    /// Hands everything to a sorter.
    pub(super) fn spill(self, sorter: &mut Sorter) -> Result<()> {
        let mut body = Vec::new();
        for (number, node) in self.nodes.iter().enumerate() {
            let entry = Entry {
                position: self.text(number).to_vec(),
                ply: node.ply,
                moves: self.chain(node).collect(),
            };
            entry.push_body(&mut body);
            sorter.push(&entry.position, &body)?;
            body.clear();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use shogi_core::Move16;

    use super::*;

    #[test]
    fn only_the_smallest_move_number_counts() {
        let at = |ply| Position::startpos().with_ply(ply);
        let mut first = Collected::default();
        let occurrence = |mv, ponder| Occurrence::new(Move16(mv), Move16(ponder));
        first.add(&at(3), occurrence(1, 2));
        first.add(&at(2), occurrence(3, 4));
        first.add(&at(5), occurrence(5, 6));
        first.add(&at(2), occurrence(7, 8));
        let mut all = Collected::default();
        all.absorb(&first);
        all.add(&at(2), occurrence(3, 9));
        all.absorb(&first);
        assert_eq!((all.nodes.len(), all.nodes[0].ply), (1, 2));
        let moves: Vec<_> = all.chain(&all.nodes[0]).collect();
        let counted = |played, count| Occurrence { count, ..played };
        let expected = [counted(occurrence(3, 4), 3), counted(occurrence(7, 8), 2)];
        assert_eq!(moves, expected);
    }
}
