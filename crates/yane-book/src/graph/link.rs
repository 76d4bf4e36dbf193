//! The second reading: where the moves lead.
//!
//! A look-up in a large table waits for memory, and what it finds decides what is done next, so one
//! look-up after the other would wait each time. Here the look-ups of several positions, a [`Group`], go through
//! the same step together, and their waiting overlaps.

use std::sync::Arc;

use shogi_core::movegen::{LegalAll, MoveList};
use shogi_core::{Move16, Position};
use yane_io::OrderedParallelMap;

use super::index::read_moves;
use super::keys::{FilterLine, Guess, KeyTable};
use super::{GraphSource, Index, NodeId, NumberedChunk, Registered, SourceRecord};
use crate::book_move::flip_move;
use crate::db::{BadLines, LineProblem};
use crate::{BookError, BookMove, Job, Result, Unit};

impl Index {
    /// Reads `source` again, which must not have changed, and gives every node to `collect`. The
    /// columns of the pieces come to `append` in the order of the book.
    ///
    /// # Errors
    /// When reading fails, a position or move is wrong ([`crate::db::BadLines::Fail`]), or the job is cancelled.
    pub fn link<S: GraphSource, C: Collect>(
        self: &Arc<Self>,
        job: &Job,
        source: &S,
        collect: C,
        mut append: impl FnMut(C::Columns) -> Result<()>,
    ) -> Result<LinkReport> {
        job.progress
            .stage("link moves", Some(source.size()), Unit::Bytes);
        let mut report = LinkReport {
            repeated: self.layout.absent.len() as u64 - self.bad,
            ..LinkReport::default()
        };
        for linked in self.link_pieces(job, source, collect)? {
            let linked = linked?;
            job.check()?;
            report.add(&linked.report);
            append(linked.columns)?;
            job.progress.advance(linked.size);
        }
        report.bad_positions += self.bad;
        Ok(report)
    }

    fn link_pieces<S: GraphSource, C: Collect>(
        self: &Arc<Self>,
        job: &Job,
        source: &S,
        collect: C,
    ) -> Result<OrderedParallelMap<Linked<C::Columns>, BookError>> {
        let index = self.clone();
        self.layout
            .read_again(job, source, move |piece| index.link_piece(&collect, &piece))
    }

    fn link_piece<S: GraphSource, C: Collect>(
        &self,
        collect: &C,
        piece: &NumberedChunk<'_, S>,
    ) -> Result<Linked<C::Columns>> {
        let mut linked = Linked {
            columns: C::Columns::default(),
            report: LinkReport::default(),
            size: piece.size(),
        };
        let mut group = Group::default();
        let mut records = piece.records().peekable();
        while records.peek().is_some() {
            for (id, record) in records.by_ref().take(GROUP) {
                group.add(self, piece.source, record.as_ref(), id, &mut linked.report)?;
            }
            group.finish(self, piece.source, collect, &mut linked)?;
        }
        Ok(linked)
    }
}

/// A move of a position that the book registers, or that leads to a position of the book, or both.
#[derive(Clone, Copy, Debug)]
pub struct Child {
    /// The move, as the position is written.
    pub mv: Move16,
    /// Index of the move in [`Node::legal`].
    pub place: u16,
    /// The position it leads to, if that is in the book.
    pub node: Option<NodeId>,
    /// The book's entry for the move, if it is registered.
    pub registered: Option<BookMove>,
    /// Number of its line among those of the position, from 0; `u16::MAX` when it is not registered.
    pub line: u16,
}

/// A position with its moves.
#[derive(Debug)]
pub struct Node<'a> {
    /// Number of the node.
    pub id: NodeId,
    /// The position: with black to move if positions are the same up to flip, else as written.
    pub position: &'a Position,
    /// True if `position` is flipped against what is written.
    pub flipped: bool,
    /// All legal moves of `position`, pointless non-promotions included.
    pub legal: &'a MoveList,
    /// The moves that matter, in the order of `legal`.
    pub children: &'a [Child],
}

/// Collects data of the nodes.
pub trait Collect: Send + Sync + 'static {
    /// Data collected from a piece of the book.
    type Columns: Default + Send + 'static;

    /// Collects data of a node. Called with rising numbers within a piece.
    ///
    /// # Errors
    /// An error ends the linking.
    fn add(&self, columns: &mut Self::Columns, node: &Node<'_>) -> Result<()>;

    /// Called in place of [`Self::add`] for entries that are no nodes ([`super::Layout::absent`], and with
    /// [`crate::db::BadLines::Skip`] those that break the rules).
    fn add_absent(&self, columns: &mut Self::Columns, id: NodeId);
}

/// Summary of the linking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkReport {
    /// Entries that are nodes.
    pub nodes: u64,
    /// Moves that are registered, each counted once for a position.
    pub registered: u64,
    /// Registered moves that lead to positions of the book.
    pub linked: u64,
    /// Moves that lead to positions of the book without being registered.
    pub joined: u64,
    /// Entries left out because they are no positions ([`crate::db::BadLines::Skip`]).
    pub bad_positions: u64,
    /// Moves left out because they are illegal or no moves ([`crate::db::BadLines::Skip`]).
    pub bad_moves: u64,
    /// Entries whose moves were added to those of an earlier one.
    pub repeated: u64,
}

impl LinkReport {
    pub(super) fn add(&mut self, other: &Self) {
        self.nodes += other.nodes;
        self.registered += other.registered;
        self.linked += other.linked;
        self.joined += other.joined;
        self.bad_positions += other.bad_positions;
        self.bad_moves += other.bad_moves;
    }

    /// Counts a node with its moves.
    pub(super) fn count(&mut self, children: &[Child]) {
        self.nodes += 1;
        for child in children {
            match (child.registered, child.node) {
                (None, _) => self.joined += 1,
                (Some(_), None) => self.registered += 1,
                (Some(_), Some(_)) => {
                    self.registered += 1;
                    self.linked += 1;
                }
            }
        }
    }
}

/// The result of a piece.
pub(super) struct Linked<C> {
    pub(super) columns: C,
    pub(super) report: LinkReport,
    pub(super) size: u64,
}

// Linking a handful of positions together.

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
    /// Index of the item in the group.
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
