//! The first reading: the keys of all positions, and which entries are which nodes, for reading the book again.

use std::cell::Cell;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use shogi_core::{Color, KeyBuilder, PlayerKey};
use yane_io::OrderedParallelMap;

use super::keys::{KeyTable, Prefer};
use super::{GraphSource, Identity, Keys, NodeId, Registered, SourceRecord, View};
use crate::db::{BadLines, LineProblem};
use crate::{BookError, BookMove, Job, Result, Unit};

/// The positions of a book by their keys.
#[derive(Debug)]
pub struct Index {
    pub(super) identity: Identity,
    pub(super) bad_lines: BadLines,
    pub(super) table: KeyTable,
    /// Number of entries that are no positions.
    pub(super) bad: u64,
    pub(super) layout: Arc<Layout>,
}

impl Identity {
    /// Returns how the table sees a position: as the side that has just moved leaves it.
    const fn as_child(self) -> View {
        match self {
            Self::UpToFlip => View::WhiteToMove,
            _ => View::AsWritten,
        }
    }

    /// Returns how the moves of a position are generated.
    pub(super) const fn as_parent(self) -> View {
        match self {
            Self::UpToFlip => View::BlackToMove,
            _ => View::AsWritten,
        }
    }

    /// The key in the table.
    fn key_of(self, keys: &Keys) -> u128 {
        keys.position ^ self.of_ply(keys.ply)
    }

    /// Returns what a second line about a move does to the first.
    pub(super) fn repeat(self, first: &mut BookMove, second: &BookMove) {
        // As the programs do whose results these graphs reproduce.
        if self != Self::UpToFlip {
            first.absorb(second);
        }
    }

    /// Returns what the ply adds to a key.
    #[inline(always)]
    pub(super) const fn of_ply(self, ply: u32) -> u128 {
        match self {
            // An odd factor keeps different plies different; both halves get their share.
            Self::PositionAndPly => {
                (ply as u128 + 1).wrapping_mul(0x9e3779b97f4a7c15_f39cc0605cedc835)
            }
            _ => 0,
        }
    }
}

impl Index {
    /// Reads all positions of `source`.
    ///
    /// # Errors
    /// When reading fails, a position is wrong ([`BadLines::Fail`]), there are more than 4294967294
    /// positions, or the job is cancelled.
    pub fn build<S: GraphSource>(
        job: &Job,
        source: &S,
        identity: Identity,
        bad_lines: BadLines,
    ) -> Result<Self> {
        job.progress
            .stage("read positions", Some(source.size()), Unit::Bytes);
        let mut table = KeyTable::new(source.expected_len());
        let mut bad = Vec::new();
        let mut firsts = vec![0];
        for chunk in read_keys(job, source, identity, bad_lines)? {
            let chunk = chunk?;
            job.check()?;
            bad.extend(chunk.bad.iter().map(|at| NodeId(table.len() as u32 + at)));
            for &(key, mover) in &chunk.keys {
                table.push(key, mover);
            }
            if u32::try_from(table.len() + 1).is_err() {
                return Err(too_many(source));
            }
            firsts.push(table.len() as u32);
            job.progress.advance(chunk.len);
        }
        let prefer = match identity {
            Identity::UpToFlip => Prefer::Last,
            _ => Prefer::First,
        };
        let others = table.finish(prefer, &bad);
        let mut index = Self {
            identity,
            bad_lines,
            table,
            bad: bad.len() as u64,
            layout: Arc::default(),
        };
        let mut layout = Layout {
            firsts,
            absent: bad,
            added: HashMap::new(),
        };
        if prefer == Prefer::First && !others.is_empty() {
            layout.added = index.read_added(job, source, &others)?;
            layout.absent.extend(others);
            layout.absent.sort_unstable();
        }
        index.layout = Arc::new(layout);
        Ok(index)
    }

    /// Number of entries of the book: one more than the last [`NodeId`].
    pub fn len(&self) -> usize {
        self.table.len()
    }

    /// Returns whether the book has no entries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The numbering of the entries, for reading the book again; the index itself, which takes some 30
    /// bytes a position, can be dropped once the moves are linked.
    pub fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    /// Entries that are no nodes ([`Layout::absent`]).
    pub fn absent(&self) -> &[NodeId] {
        self.layout.absent()
    }

    /// The node that is `position`.
    pub fn find(&self, position: &shogi_core::Position) -> Option<NodeId> {
        let key = if self.identity.as_child().flips(position.side_to_move()) {
            position.flip().key128()
        } else {
            position.key128()
        };
        self.table.get(key ^ self.identity.of_ply(position.ply()))
    }

    /// Reads the moves of the entries `others`, which are later ones of positions that were there
    /// before.
    fn read_added<S: GraphSource>(
        &self,
        job: &Job,
        source: &S,
        others: &[NodeId],
    ) -> Result<Added> {
        let mut others = others.iter().peekable();
        let mut added = Added::new();
        let mut number = 0;
        let mut read = source.open()?;
        while let Some(chunk) = read()? {
            job.check()?;
            for record in source.records(&chunk) {
                if others.next_if(|id| id.0 == number).is_some()
                    && let Ok(keys) = record.keys(self.identity.as_child())
                    && let Some(node) = self.table.get(self.identity.key_of(&keys))
                {
                    let moves = added.entry(node).or_default();
                    read_moves(source, &record, self.bad_lines, moves)?;
                }
                number += 1;
            }
        }
        Ok(added)
    }
}

type Added = HashMap<NodeId, Vec<Registered>>;

/// Appends the registered moves of `record`. Lines that are wrong are errors or counted; `none` is
/// no move.
#[inline]
pub(super) fn read_moves<S: GraphSource>(
    source: &S,
    record: &impl SourceRecord,
    bad_lines: BadLines,
    moves: &mut Vec<Registered>,
) -> Result<u64> {
    let mut bad = 0;
    record.moves(|place, line| {
        match line {
            Ok(book_move) if book_move.mv.is_some() => {
                moves.push(Registered { book_move, place });
            }
            Ok(_) => {}
            Err(problem) if bad_lines == BadLines::Fail => return Err(source.error(place, problem)),
            Err(_) => bad += 1,
        }
        Ok(())
    })?;
    Ok(bad)
}

/// Keys of the positions of a piece, and of what their sides to move have.
struct ChunkKeys {
    keys: Vec<(u128, PlayerKey)>,
    /// Indices of entries that are no positions.
    bad: Vec<u32>,
    len: u64,
}

fn read_keys<S: GraphSource>(
    job: &Job,
    source: &S,
    identity: Identity,
    bad_lines: BadLines,
) -> Result<OrderedParallelMap<ChunkKeys, BookError>> {
    let read = source.open()?;
    let source = source.clone();
    Ok(OrderedParallelMap::new(job.threads, read, move |chunk| {
        let mut out = ChunkKeys {
            keys: Vec::new(),
            bad: Vec::new(),
            len: S::chunk_size(&chunk),
        };
        for record in source.records(&chunk) {
            match record.keys(identity.as_child()) {
                Ok(keys) => out.keys.push((identity.key_of(&keys), keys.mover)),
                Err(problem) if bad_lines == BadLines::Fail => {
                    return Err(source.error(record.place(), problem));
                }
                Err(_) => {
                    out.bad.push(out.keys.len() as u32);
                    let nobody = KeyBuilder::default().player_key(Color::Black);
                    out.keys.push((0, nobody));
                }
            }
        }
        Ok(out)
    }))
}

#[cold]
fn too_many<S: GraphSource>(source: &S) -> BookError {
    let problem = crate::db::LineProblem::Expected {
        expected: "at most 4294967294 positions",
        found: "more".to_owned(),
    };
    source.error(source.size(), problem)
}

// Map from the nodes to the entries of a book, for reading the book again.

/// The numbering of the entries of a book: which of them are no nodes of their own.
#[derive(Debug, Default)]
pub struct Layout {
    /// Number of the first entry of every piece, and the number of entries at the end.
    pub(super) firsts: Vec<u32>,
    /// Entries that are no nodes, rising.
    pub(super) absent: Vec<NodeId>,
    /// Moves of later entries, by the node they belong to.
    pub(super) added: HashMap<NodeId, Vec<Registered>>,
}

impl Layout {
    /// Entries that are no nodes, rising: those that are no positions, and those whose moves were
    /// added to an earlier entry's.
    pub fn absent(&self) -> &[NodeId] {
        &self.absent
    }

    /// Moves that later entries add to those of the node.
    pub fn added(&self, id: NodeId) -> &[Registered] {
        self.added.get(&id).map_or(&[], Vec::as_slice)
    }

    /// Reads the book again. `work` gets the pieces with the numbers of their entries, on several
    /// threads, and must read all of each; what it makes of them comes in the order of the book.
    ///
    /// # Errors
    /// When the book cannot be opened. The iterator yields errors of reading, of `work`, and when
    /// the book has changed.
    pub fn read_again<S: GraphSource, T: Send + 'static>(
        self: &Arc<Self>,
        job: &Job,
        source: &S,
        work: impl Fn(NumberedChunk<'_, S>) -> Result<T> + Send + Sync + 'static,
    ) -> Result<OrderedParallelMap<T, BookError>> {
        let mut read = source.open()?;
        let mut numbers = 0..;
        let numbered = move || Ok(read()?.zip(numbers.next()));
        let (layout, source) = (self.clone(), source.clone());
        Ok(OrderedParallelMap::new(
            job.threads,
            numbered,
            move |(chunk, number)| {
                let number: usize = number;
                let Some(&[first, end]) = layout.firsts.get(number..number + 2) else {
                    return Err(changed(&source));
                };
                let passed = Cell::new(0);
                let result = work(NumberedChunk {
                    layout: &layout,
                    source: &source,
                    chunk: &chunk,
                    ids: first..end,
                    passed: &passed,
                });
                if result.is_ok() && passed.get() != end - first {
                    return Err(changed(&source));
                }
                result
            },
        ))
    }
}

/// A piece of a book that is read again.
#[derive(Debug)]
pub struct NumberedChunk<'a, S: GraphSource> {
    /// The whole numbering.
    pub layout: &'a Layout,
    /// The book.
    pub source: &'a S,
    /// The piece.
    pub chunk: &'a S::Chunk,
    /// Numbers of its entries.
    pub ids: Range<u32>,
    /// Number of entries that were passed while reading it.
    passed: &'a Cell<u32>,
}

impl<'a, S: GraphSource> NumberedChunk<'a, S> {
    /// The entries with their numbers; `None` for those that are no nodes. All must be read, once: that
    /// is how a book that has changed is found out.
    pub fn records(&self) -> impl Iterator<Item = (NodeId, Option<S::Record<'a>>)> {
        let mut absent = self.layout.absent[self
            .layout
            .absent
            .partition_point(|id| id.0 < self.ids.start)..]
            .iter()
            .peekable();
        let numbers = self.ids.clone().map(NodeId);
        let passed = self.passed;
        // Records first, so that one too many is counted.
        self.source
            .records(self.chunk)
            .inspect(|_| passed.set(passed.get() + 1))
            .zip(numbers)
            .map(move |(record, id)| {
                let node = absent.next_if_eq(&&id).is_none();
                (id, node.then_some(record))
            })
    }

    /// Bytes of the piece.
    pub fn size(&self) -> u64 {
        S::chunk_size(self.chunk)
    }
}

#[cold]
fn changed<S: GraphSource>(source: &S) -> BookError {
    let problem = LineProblem::Expected {
        expected: "the book that was read before",
        found: "another number of positions".to_owned(),
    };
    source.error(source.size(), problem)
}
