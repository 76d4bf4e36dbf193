//! Linking a handful of positions together.
//!
//! A look-up in a large table waits for memory, and what it finds decides what is done next, so one
//! look-up after the other would wait each time. Here the look-ups of several positions go through
//! the same step together, and their waiting overlaps.

use shogi_core::movegen::{LegalAll, MoveList};
use shogi_core::{Move16, Position};

use super::index::read_moves;
use super::link::{Child, Collect, LinkReport, Linked, Node};
use super::table::{FilterLine, Guess, KeyTable};
use super::{GraphSource, Index, NodeId, Registered, SourceRecord};
use crate::Result;
use crate::book_move::flip_move;
use crate::db::BadLines;
use crate::db::LineProblem;

/// Number of positions in a group: about 80 look-ups get past the filter, and all fits the caches.
pub(super) const GROUP: usize = 32;

/// A group of positions, and its buffers.
#[derive(Default)]
pub(super) struct Group {
    /// Positions; only the first `len` belong to this group.
    items: Vec<Item>,
    len: usize,
    captures: Vec<Capture>,
    /// The filter's lines for all items, then for the captures.
    lines: Vec<FilterLine>,
    lookups: Vec<Lookup>,
    guesses: Vec<Guess>,
    right: Vec<bool>,
}

/// A position that is being linked.
struct Item {
    id: NodeId,
    /// True if it is a node at all.
    present: bool,
    flipped: bool,
    position: Position,
    legal: MoveList,
    /// Keys of the positions after the legal moves.
    keys: Vec<u128>,
    /// Number of the filter's line for the positions after moves that capture nothing.
    quiet: usize,
    registered: Vec<Registered>,
    children: Vec<Child>,
}

/// A capture, with the number of the filter's line for the position after it.
#[derive(Clone, Copy)]
struct Capture {
    item: u16,
    place: u16,
    line: usize,
}

/// A move that may lead to a position of the book.
#[derive(Clone, Copy, Default)]
struct Lookup {
    /// Key of the position after it.
    key: u128,
    /// Which item of the group.
    item: u16,
    /// Place among its legal moves.
    place: u16,
}

impl Group {
    /// Adds the entry `id`; `record` is `None` when it is known to be no node.
    #[inline]
    pub(super) fn add<S: GraphSource>(
        &mut self,
        index: &Index,
        source: &S,
        record: Option<&impl SourceRecord>,
        id: NodeId,
        report: &mut LinkReport,
    ) -> Result<()> {
        if self.len == self.items.len() {
            self.items.push(Item::new());
        }
        let item = &mut self.items[self.len];
        item.id = id;
        item.present = match record {
            Some(record) => item.read(index, source, record, report)?,
            None => false,
        };
        if item.present {
            self.look_up_later(index);
        }
        self.len += 1;
        Ok(())
    }

    /// Generates the moves of the newest item and keeps those that get past the coarse filter.
    #[inline]
    fn look_up_later(&mut self, index: &Index) {
        let number = self.len as u16;
        let item = &mut self.items[self.len];
        let position = &item.position;
        let of_ply = index.identity.of_ply(position.ply().wrapping_add(1));
        let them = position.side_to_move().flip();
        let theirs = position.player_key(them);
        item.quiet = index.table.filter_place(theirs);
        item.legal.clear();
        item.keys.clear();
        let (legal, keys, captures) = (&mut item.legal, &mut item.keys, &mut self.captures);
        position.generate_with_keys::<LegalAll>(|m, key, captured| {
            if let Some(piece) = captured {
                captures.push(Capture {
                    item: number,
                    place: legal.len() as u16,
                    line: index.table.filter_place(theirs.without(piece, m.to())),
                });
            }
            legal.push(m);
            keys.push(key ^ of_ply);
        });
    }

    /// Links the group, gives it to `collect` and empties it.
    #[inline]
    pub(super) fn finish<S: GraphSource, C: Collect>(
        &mut self,
        index: &Index,
        source: &S,
        collect: &C,
        linked: &mut Linked<C::Columns>,
    ) -> Result<()> {
        self.look_up(index);
        for item in &mut self.items[..self.len] {
            if !item.present {
                collect.add_absent(&mut linked.columns, item.id);
                continue;
            }
            item.add_registered(index, source, &mut linked.report)?;
            linked.report.count(&item.children);
            collect.add(&mut linked.columns, &item.node())?;
        }
        self.len = 0;
        Ok(())
    }

    /// Makes lookups of the moves that get past the filter.
    #[inline]
    fn sieve(&mut self, table: &KeyTable) {
        let items = &self.items[..self.len];
        let places = items.iter().map(|item| item.quiet);
        let places = places.chain(self.captures.iter().map(|capture| capture.line));
        self.lines.clear();
        self.lines
            .extend(places.map(|place| table.filter_line(place)));
        let (quiet, captures) = self.lines.split_at(items.len());
        for (number, (item, line)) in items.iter().zip(quiet).enumerate() {
            if item.present {
                push_quiet(&mut self.lookups, number as u16, item, line);
            }
        }
        for (capture, line) in self.captures.drain(..).zip(captures) {
            let key = items[usize::from(capture.item)].keys[usize::from(capture.place)];
            if line.passes(key) {
                self.lookups.push(Lookup {
                    key,
                    item: capture.item,
                    place: capture.place,
                });
            }
        }
    }

    /// Finds the nodes that the lookups lead to.
    #[inline]
    fn look_up(&mut self, index: &Index) {
        let table = &index.table;
        self.sieve(table);
        self.guesses.clear();
        let guesses = self
            .lookups
            .iter()
            .map(|look_up_later| table.guess(look_up_later.key));
        self.guesses.extend(guesses);
        self.right.clear();
        let right = self.lookups.iter().zip(&self.guesses);
        self.right
            .extend(right.map(|(look_up_later, &guess)| table.is_right(look_up_later.key, guess)));
        for (at, look_up_later) in self.lookups.iter().enumerate() {
            let node = table.conclude(look_up_later.key, self.guesses[at], self.right[at]);
            if let Some(node) = node {
                self.items[usize::from(look_up_later.item)].add_child(look_up_later.place, node);
            }
        }
        self.lookups.clear();
    }
}

/// Appends the moves that get past the filter's line for moves that capture nothing. Captures may
/// be among them: finding a position twice does no harm.
#[inline]
fn push_quiet(lookups: &mut Vec<Lookup>, number: u16, item: &Item, line: &FilterLine) {
    let mut kept = lookups.len();
    lookups.resize(kept + item.keys.len(), Lookup::default());
    for (place, &key) in item.keys.iter().enumerate() {
        lookups[kept] = Lookup {
            key,
            item: number,
            place: place as u16,
        };
        // No branch: which moves pass, no processor foresees.
        kept += usize::from(line.passes(key));
    }
    lookups.truncate(kept);
}

impl Item {
    fn new() -> Self {
        Self {
            id: NodeId(0),
            present: false,
            flipped: false,
            position: Position::startpos(),
            legal: MoveList::new(),
            keys: Vec::new(),
            quiet: 0,
            registered: Vec::new(),
            children: Vec::new(),
        }
    }

    fn node(&self) -> Node<'_> {
        Node {
            id: self.id,
            position: &self.position,
            flipped: self.flipped,
            legal: &self.legal,
            children: &self.children,
        }
    }

    /// Reads a position and its registered moves; false when it is no position.
    #[inline]
    fn read<S: GraphSource>(
        &mut self,
        index: &Index,
        source: &S,
        record: &impl SourceRecord,
        report: &mut LinkReport,
    ) -> Result<bool> {
        match record.position(index.identity.as_parent()) {
            Ok((position, flipped)) => (self.position, self.flipped) = (position, flipped),
            Err(problem) if index.bad_lines == BadLines::Fail => {
                return Err(source.error(record.place(), problem));
            }
            Err(_) => {
                report.bad_positions += 1;
                return Ok(false);
            }
        }
        self.children.clear();
        self.registered.clear();
        report.bad_moves += read_moves(source, record, index.bad_lines, &mut self.registered)?;
        self.registered
            .extend_from_slice(index.layout.added(self.id));
        Ok(true)
    }

    fn add_child(&mut self, place: u16, node: NodeId) {
        if self.children.iter().any(|child| child.place == place) {
            return;
        }
        let mv = Move16(self.legal[usize::from(place)].bits() as u16);
        self.children.push(Child {
            mv: if self.flipped { flip_move(mv) } else { mv },
            place,
            node: Some(node),
            registered: None,
            line: u16::MAX,
        });
    }

    /// Gives registered moves their place among the children.
    #[inline]
    fn add_registered<S: GraphSource>(
        &mut self,
        index: &Index,
        source: &S,
        report: &mut LinkReport,
    ) -> Result<()> {
        for (line, registered) in (0u16..).zip(&self.registered) {
            let Some(mv) = registered.book_move.mv else {
                continue;
            };
            let as_generated = if self.flipped { flip_move(mv) } else { mv };
            let Some(place) = place_of(&self.legal, as_generated) else {
                if index.bad_lines == BadLines::Fail {
                    let text = mv
                        .decode()
                        .map_or_else(String::new, |text| text.to_string());
                    return Err(source.error(registered.place, LineProblem::Illegal(text)));
                }
                report.bad_moves += 1;
                continue;
            };
            match self.children.iter_mut().find(|child| child.place == place) {
                Some(Child {
                    registered: Some(known),
                    ..
                }) => index.identity.repeat(known, &registered.book_move),
                Some(child) => {
                    child.registered = Some(registered.book_move);
                    child.line = line;
                }
                None => self.children.push(Child {
                    mv,
                    place,
                    node: None,
                    registered: Some(registered.book_move),
                    line,
                }),
            }
        }
        self.children.sort_unstable_by_key(|child| child.place);
        Ok(())
    }
}

/// Place of a move among the legal ones.
#[inline]
fn place_of(legal: &MoveList, mv: Move16) -> Option<u16> {
    let place = legal.iter().position(|m| m.bits() as u16 == mv.0)?;
    Some(place as u16)
}
