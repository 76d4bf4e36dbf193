//! Lists of positions to be worked on, and the walk through a book that collects them.
//!
//! A walk goes ply by ply, as every move adds a disc. Where several lines meet, what is left of the sum of errors is that
//! of the best line, so that the order of lines does not matter.

use othello_book::ops::{Accuracies, Grade};
use othello_book::store::{GrowingBook, PositionData, PositionLookup, PositionStore};
use othello_core::Board;
use yane_io::{Job, Result, Scratch, ScratchWriter, TempFolder};

use crate::links::{Link, after_pass, links, open_leaf};

/// No limit of errors.
pub(crate) const ENDLESS: i32 = 20_000;

/// Limits of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WalkLimits {
    /// The greatest number of discs less 4 of a position.
    pub(crate) depth: u32,
    /// The greatest error of a move, in discs.
    pub(crate) error: i32,
    /// The greatest sum of errors of a line, in discs.
    pub(crate) sum: i32,
}

/// A position that a walk has reached.
pub(crate) struct Reached<'a> {
    pub(crate) board: Board,
    pub(crate) number: u32,
    /// What is left of the sum of errors.
    pub(crate) rest: i32,
    /// True if the player to move makes only best moves.
    pub(crate) is_bound: bool,
    pub(crate) links: &'a [Link],
}

/// Whom a walk binds to best moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Restricted {
    /// Nobody.
    Nobody,
    /// In one walk the player who moves at the root, in another one beside it the other player.
    OnePlayer,
}

/// A position of a frontier and what is left of the sum of errors. Bit 0 of the key: the player of the root moves; bit 1:
/// that player is not the bound one; then the number.
type Front = (u64, i16);

const FIRST: u64 = 1;
const OTHER_IS_BOUND: u64 = 2;

/// Walks from `root` through the book; `visit` is called once for each position, player and walk, ply by ply.
pub(crate) fn walk(
    book: &GrowingBook,
    root: Board,
    limits: WalkLimits,
    restricted: Restricted,
    job: &Job,
    visit: &mut dyn FnMut(Reached<'_>) -> Result<()>,
) -> Result<()> {
    let root = after_pass(root);
    let Some(number) = book.find(root) else {
        return Ok(());
    };
    let sum = limits.sum.min(ENDLESS) as i16;
    let first = u64::from(number) << 2 | FIRST;
    let front = match restricted {
        Restricted::Nobody => vec![(first, sum)],
        Restricted::OnePlayer => vec![(first, sum), (first | OTHER_IS_BOUND, sum)],
    };
    walk_plies(book, front, job, &mut |at, next| {
        if at.board.discs() > limits.depth.saturating_add(4) {
            return Ok(());
        }
        let is_bound =
            restricted == Restricted::OnePlayer && at.is_first == (at.key & OTHER_IS_BOUND == 0);
        let best = at.links.iter().map(|link| link.value).max();
        let leaf = open_leaf(at.board, at.links, at.known.leaf);
        let best = best.max(leaf.map(|_| i32::from(at.known.leaf.edge.score)));
        visit(Reached {
            board: at.board,
            number: at.number,
            rest: at.rest,
            is_bound,
            links: at.links,
        })?;
        for link in at.links {
            let error = i32::from(at.known.value) - link.value;
            let is_good = error <= limits.error && error <= at.rest;
            let is_wanted = !is_bound || Some(link.value) == best;
            if is_good && is_wanted {
                next.follow(&at, link, at.rest - error.max(0));
            }
        }
        Ok(())
    })
}

/// A position of a frontier.
pub(crate) struct At<'a> {
    key: u64,
    pub(crate) board: Board,
    pub(crate) number: u32,
    pub(crate) known: PositionData,
    pub(crate) links: &'a [Link],
    /// What is left of the sum of errors.
    pub(crate) rest: i32,
    /// True if the player of the root moves.
    pub(crate) is_first: bool,
}

/// The frontier of the next ply.
pub(crate) struct NextPly(Vec<Front>);

impl NextPly {
    /// Goes on behind a link.
    pub(crate) fn follow(&mut self, at: &At<'_>, link: &Link, rest: i32) {
        let Some(child) = link.number else { return };
        let side = if at.is_first == link.is_after_pass {
            FIRST
        } else {
            0
        };
        let key = u64::from(child) << 2 | at.key & OTHER_IS_BOUND | side;
        if self.0.len() >= 1 << 20 && self.0.len() == self.0.capacity() {
            best_of_each(&mut self.0);
        }
        self.0.push((key, rest as i16));
    }
}

/// The frontier of a walk from the position with a number.
pub(crate) fn front_of(number: u32) -> Vec<Front> {
    vec![(u64::from(number) << 2 | FIRST, 0)]
}

/// Walks ply by ply wherever `each` goes on.
pub(crate) fn walk_plies(
    book: &GrowingBook,
    mut front: Vec<Front>,
    job: &Job,
    each: &mut dyn FnMut(At<'_>, &mut NextPly) -> Result<()>,
) -> Result<()> {
    while !front.is_empty() {
        let mut next = NextPly(Vec::new());
        for (n, &(key, rest)) in front.iter().enumerate() {
            if n % 4096 == 0 {
                job.check()?;
            }
            let number = (key >> 2) as u32;
            let Some(board) = book.board(number) else {
                continue;
            };
            let links = links(book, board);
            let at = At {
                key,
                board,
                number,
                known: book.known(number),
                links: &links,
                rest: i32::from(rest),
                is_first: key & FIRST != 0,
            };
            each(at, &mut next)?;
        }
        best_of_each(&mut next.0);
        front = next.0;
    }
    Ok(())
}

/// Keeps of each position what leaves most of the sum.
fn best_of_each(front: &mut Vec<Front>) {
    front.sort_unstable_by_key(|&(key, rest)| (key, -rest));
    front.dedup_by_key(|front| front.0);
}

/// A position to be worked on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TodoRow {
    /// The canonical board.
    pub(crate) board: Board,
    /// What is left of the sum of errors.
    pub(crate) rest: i16,
}

impl TodoRow {
    pub(crate) const LEN: usize = 18;

    pub(crate) fn to_bytes(self) -> [u8; Self::LEN] {
        let mut bytes = [0; Self::LEN];
        bytes[..8].copy_from_slice(&self.board.mover().to_le_bytes());
        bytes[8..16].copy_from_slice(&self.board.opponent().to_le_bytes());
        bytes[16..].copy_from_slice(&self.rest.to_le_bytes());
        bytes
    }

    /// The row of bytes; `None` if both players have a disc on a square.
    pub(crate) fn of_bytes(bytes: &[u8; Self::LEN]) -> Option<Self> {
        let word = |n: usize| {
            bytes[n..n + 8]
                .try_into()
                .map(u64::from_le_bytes)
                .unwrap_or_default()
        };
        Some(Self {
            board: Board::new(word(0), word(8)).ok()?,
            rest: i16::from_le_bytes([bytes[16], bytes[17]]),
        })
    }
}

/// A list of positions in their order, in memory while they are few, else in a temporary file.
#[derive(Debug)]
pub(crate) struct TodoList {
    bytes: Scratch,
}

impl TodoList {
    /// The list of rows in their order; up to `memory` bytes stay in memory.
    pub(crate) fn of_rows(
        rows: impl Iterator<Item = TodoRow>,
        folder: &TempFolder,
        memory: u64,
    ) -> Result<Self> {
        let mut writer = ScratchWriter::new(folder, memory);
        for row in rows {
            writer.put(&row.to_bytes())?;
        }
        Ok(Self {
            bytes: writer.finish()?,
        })
    }

    /// The number of positions.
    pub(crate) fn len(&self) -> u64 {
        (self.bytes.len() / TodoRow::LEN) as u64
    }

    /// A position.
    pub(crate) fn get(&self, n: u64) -> Option<TodoRow> {
        let at = usize::try_from(n).ok()?.checked_mul(TodoRow::LEN)?;
        TodoRow::of_bytes(self.bytes.get(at..)?.first_chunk()?)
    }
}

/// Collects a list: plies in turn, positions of a ply in the order of their boards; or the least reliable first.
pub(crate) struct TodoWriter<'a> {
    ply: Vec<TodoRow>,
    discs: u32,
    /// One list, or one a grade, the worst first.
    lists: Vec<ScratchWriter>,
    accuracies: Option<Accuracies<'a, GrowingBook>>,
}

impl<'a> TodoWriter<'a> {
    /// An empty list; up to `memory` bytes of it stay in memory.
    pub(crate) fn new(
        folder: &TempFolder,
        memory: u64,
        by_accuracy: Option<&'a GrowingBook>,
    ) -> Self {
        let lists = if by_accuracy.is_some() {
            GRADES.len()
        } else {
            1
        };
        let writer = || ScratchWriter::new(folder, memory / lists as u64);
        Self {
            ply: Vec::new(),
            discs: 0,
            lists: std::iter::repeat_with(writer).take(lists).collect(),
            accuracies: by_accuracy.map(Accuracies::new),
        }
    }

    /// Adds a position. Positions of fewer discs come first; of those with the same board the one counts that leaves most
    /// of the sum.
    pub(crate) fn put(&mut self, row: TodoRow) -> Result<()> {
        let discs = row.board.discs();
        if discs != self.discs {
            self.end_ply()?;
            self.discs = discs;
        }
        self.ply.push(row);
        Ok(())
    }

    fn end_ply(&mut self) -> Result<()> {
        self.ply.sort_unstable_by_key(|row| (row.board, -row.rest));
        self.ply.dedup_by_key(|row| row.board);
        for row in self.ply.drain(..) {
            let grade = self
                .accuracies
                .as_mut()
                .and_then(|grades| grades.of(row.board));
            let list = grade.and_then(|grade| GRADES.iter().position(|&one| one == grade.grade));
            self.lists[list.unwrap_or(0)].put(&row.to_bytes())?;
        }
        Ok(())
    }

    pub(crate) fn finish(mut self) -> Result<TodoList> {
        self.end_ply()?;
        let mut lists = self.lists.into_iter();
        let Some(mut all) = lists.next() else {
            unreachable!("there is a list");
        };
        for list in lists {
            all.put(&list.finish()?)?;
        }
        Ok(TodoList {
            bytes: all.finish()?,
        })
    }
}

/// The grades from the least reliable to the most.
const GRADES: [Grade; 6] = [Grade::F, Grade::E, Grade::D, Grade::C, Grade::B, Grade::A];
