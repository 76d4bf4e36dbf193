//! Which entries of a book are which nodes, for reading the book again.

use std::cell::Cell;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use yane_io::OrderedParallelMap;

use super::{GraphSource, NodeId, Registered};
use crate::db::LineProblem;
use crate::{BookError, Job, Result};

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

    /// Returns whether the entry is a node.
    pub fn is_node(&self, id: NodeId) -> bool {
        self.absent.binary_search(&id).is_err()
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
