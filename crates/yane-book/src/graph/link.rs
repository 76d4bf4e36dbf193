//! The second reading: where the moves lead.

use std::sync::Arc;

use shogi_core::movegen::{LegalAll, MoveList};
use shogi_core::{Move16, Position};

use super::index::read_moves;
use super::{Index, NodeId, OnFault, Registered, Source, SourceRecord, rotate_move};
use crate::db::Fault;
use crate::io::Ordered;
use crate::{BookError, BookMove, Job, Result, Unit};

/// A move of a position that the book registers, or that leads to a position of the book, or both.
#[derive(Clone, Copy, Debug)]
pub struct Child {
    /// The move, as the position is written.
    pub mv: Move16,
    /// Its place in [`Node::legal`].
    pub place: u16,
    /// The position it leads to, if that is in the book.
    pub node: Option<NodeId>,
    /// What the book says about it, if that is registered.
    pub registered: Option<BookMove>,
}

/// A position with its moves.
#[derive(Debug)]
pub struct Node<'a> {
    /// Its number.
    pub id: NodeId,
    /// The position: with black to move if positions are the same up to flip, else as written.
    pub position: &'a Position,
    /// Whether `position` is turned against what is written.
    pub turned: bool,
    /// All legal moves of `position`, pointless non-promotions included.
    pub legal: &'a MoveList,
    /// The moves that matter, in the order of `legal`.
    pub children: &'a [Child],
}

/// Keeps what it needs of the nodes.
pub trait Collect: Send + Sync + 'static {
    /// What is kept of a piece of the book.
    type Rows: Default + Send + 'static;

    /// Keeps what it needs of a node. Called with rising numbers within a piece.
    ///
    /// # Errors
    /// An error ends the linking.
    fn add(&self, rows: &mut Self::Rows, node: &Node<'_>) -> Result<()>;

    /// Called in place of [`Self::add`] for entries that are no nodes ([`Index::absent`], and with
    /// [`OnFault::Skip`] those that break the rules).
    fn add_absent(&self, rows: &mut Self::Rows, id: NodeId);
}

/// What was found while linking.
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
    /// Entries left out because they are no positions ([`OnFault::Skip`]).
    pub bad_positions: u64,
    /// Moves left out because they are illegal or no moves ([`OnFault::Skip`]).
    pub bad_moves: u64,
    /// Entries whose moves were added to those of an earlier one.
    pub repeated: u64,
}

impl LinkReport {
    fn add(&mut self, other: &Self) {
        self.nodes += other.nodes;
        self.registered += other.registered;
        self.linked += other.linked;
        self.joined += other.joined;
        self.bad_positions += other.bad_positions;
        self.bad_moves += other.bad_moves;
    }
}

/// The result of a piece.
struct Linked<R> {
    rows: R,
    report: LinkReport,
    len: u64,
}

impl Index {
    /// Reads `source` again, which must not have changed, and gives every node to `collect`. The
    /// rows of the pieces come to `append` in the order of the book.
    ///
    /// # Errors
    /// When reading fails, a position or move is wrong ([`OnFault::Stop`]), or the job is cancelled.
    pub fn link<S: Source, C: Collect>(
        self: &Arc<Self>,
        job: &Job,
        source: &S,
        collect: C,
        mut append: impl FnMut(C::Rows) -> Result<()>,
    ) -> Result<LinkReport> {
        job.progress
            .stage("link moves", Some(source.size()), Unit::Bytes);
        let mut report = LinkReport {
            repeated: self.absent.len() as u64 - self.bad,
            ..LinkReport::default()
        };
        for linked in self.link_chunks(job, source, collect)? {
            let linked = linked?;
            job.check()?;
            report.add(&linked.report);
            append(linked.rows)?;
            job.progress.advance(linked.len);
        }
        report.bad_positions += self.bad;
        Ok(report)
    }

    fn link_chunks<S: Source, C: Collect>(
        self: &Arc<Self>,
        job: &Job,
        source: &S,
        collect: C,
    ) -> Result<Ordered<Linked<C::Rows>>> {
        let mut read = source.open()?;
        let mut pieces = 0..;
        let numbered = move || Ok(read()?.zip(pieces.next()));
        let (index, source) = (self.clone(), source.clone());
        Ok(Ordered::new(
            job.threads,
            numbered,
            move |(chunk, piece)| index.link_chunk(&source, &collect, piece, &chunk),
        ))
    }

    fn link_chunk<S: Source, C: Collect>(
        &self,
        source: &S,
        collect: &C,
        piece: usize,
        chunk: &S::Chunk,
    ) -> Result<Linked<C::Rows>> {
        let Some(&[first, end]) = self.firsts.get(piece..piece + 2) else {
            return Err(changed(source));
        };
        let mut linked = Linked {
            rows: C::Rows::default(),
            report: LinkReport::default(),
            len: S::chunk_size(chunk),
        };
        let from = self.absent.partition_point(|id| id.0 < first);
        let mut absent = self.absent[from..].iter().peekable();
        let mut linker = Linker::default();
        let mut next = first;
        for record in source.records(chunk) {
            let id = NodeId(next);
            next += 1;
            if absent.next_if_eq(&&id).is_some()
                || !linker.read(self, source, &record, id, &mut linked.report)?
            {
                collect.add_absent(&mut linked.rows, id);
                continue;
            }
            collect.add(&mut linked.rows, &linker.node(id))?;
        }
        if next == end {
            Ok(linked)
        } else {
            Err(changed(source))
        }
    }
}

#[cold]
fn changed<S: Source>(source: &S) -> BookError {
    let fault = Fault::Expected {
        expected: "the book that was read before",
        found: "another number of positions".to_owned(),
    };
    source.error(source.size(), fault)
}

/// Buffers for linking one position after the other.
struct Linker {
    position: Position,
    turned: bool,
    legal: MoveList,
    registered: Vec<Registered>,
    children: Vec<Child>,
    /// Keys of the positions after the legal moves.
    keys: Vec<u128>,
    /// Which of them may be in the book.
    candidates: Vec<u16>,
}

impl Default for Linker {
    fn default() -> Self {
        Self {
            position: Position::startpos(),
            turned: false,
            legal: MoveList::new(),
            registered: Vec::new(),
            children: Vec::new(),
            keys: Vec::new(),
            candidates: Vec::new(),
        }
    }
}

impl Linker {
    fn node(&self, id: NodeId) -> Node<'_> {
        Node {
            id,
            position: &self.position,
            turned: self.turned,
            legal: &self.legal,
            children: &self.children,
        }
    }

    /// Reads and links a position; false when it is none.
    #[inline]
    fn read<S: Source>(
        &mut self,
        index: &Index,
        source: &S,
        record: &impl SourceRecord,
        id: NodeId,
        report: &mut LinkReport,
    ) -> Result<bool> {
        match record.position(index.identity.as_parent()) {
            Ok((position, turned)) => (self.position, self.turned) = (position, turned),
            Err(fault) if index.on_fault == OnFault::Stop => {
                return Err(source.error(record.place(), fault));
            }
            Err(_) => {
                report.bad_positions += 1;
                return Ok(false);
            }
        }
        self.registered.clear();
        report.bad_moves += read_moves(source, record, index.on_fault, &mut self.registered)?;
        if let Some(added) = index.added.get(&id) {
            self.registered.extend_from_slice(added);
        }
        self.children.clear();
        self.find_children(index);
        self.add_registered(index, source, report)?;
        report.nodes += 1;
        Ok(true)
    }

    /// All moves that lead to positions of the book.
    #[inline]
    fn find_children(&mut self, index: &Index) {
        let table = &index.table;
        let of_ply = index.identity.of_ply(self.position.ply().wrapping_add(1));
        self.legal.clear();
        self.keys.clear();
        let (legal, keys) = (&mut self.legal, &mut self.keys);
        self.position.generate_with_keys::<LegalAll>(|m, key| {
            legal.push(m);
            keys.push(key ^ of_ply);
        });
        table.sieve(&self.keys, &mut self.candidates);
        for &place in &self.candidates {
            if let Some(node) = table.get(self.keys[place as usize]) {
                let mv = Move16(self.legal[place as usize].bits() as u16);
                self.children.push(Child {
                    mv: if self.turned { rotate_move(mv) } else { mv },
                    place,
                    node: Some(node),
                    registered: None,
                });
            }
        }
    }

    /// Gives registered moves their place among the children.
    #[inline]
    fn add_registered<S: Source>(
        &mut self,
        index: &Index,
        source: &S,
        report: &mut LinkReport,
    ) -> Result<()> {
        let found = self.children.len();
        for registered in &self.registered {
            let Some(mv) = registered.book_move.mv else {
                continue;
            };
            let as_generated = if self.turned { rotate_move(mv) } else { mv };
            let Some(place) = place_of(&self.legal, as_generated) else {
                if index.on_fault == OnFault::Stop {
                    let text = mv
                        .decode()
                        .map_or_else(String::new, |text| text.to_string());
                    return Err(source.error(registered.place, Fault::Illegal(text)));
                }
                report.bad_moves += 1;
                continue;
            };
            match self.children.iter_mut().find(|child| child.place == place) {
                Some(Child {
                    registered: Some(known),
                    ..
                }) => known.absorb(&registered.book_move),
                Some(child) => child.registered = Some(registered.book_move),
                None => self.children.push(Child {
                    mv,
                    place,
                    node: None,
                    registered: Some(registered.book_move),
                }),
            }
        }
        if self.children.len() > found {
            self.children.sort_unstable_by_key(|child| child.place);
        }
        for child in &self.children {
            report.registered += u64::from(child.registered.is_some());
            report.linked += u64::from(child.registered.is_some() && child.node.is_some());
            report.joined += u64::from(child.registered.is_none());
        }
        Ok(())
    }
}

/// Place of a move among the legal ones.
#[inline]
fn place_of(legal: &MoveList, mv: Move16) -> Option<u16> {
    let place = legal.iter().position(|m| m.bits() as u16 == mv.0)?;
    Some(place as u16)
}
