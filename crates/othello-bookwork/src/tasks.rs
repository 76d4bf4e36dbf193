//! Tasks: positions to be worked on in an order, each with searches that may depend on one another.
//!
//! A task is a function of the book and of answers, and is tried again when an answer comes. Many tasks are tried ahead, so
//! that all workers have something to search; but only the first of all that are left changes the book, when it has been
//! tried once more with the book as the tasks before it left it. So the book does not depend on the order of answers.

use std::collections::VecDeque;
use std::sync::Arc;

use farm::Next;
use farm::queue::RemoteItem as _;
use hashbrown::HashMap;
use othello_book::store::{GrowingBook, PositionData};
use othello_core::Board;
use yane_io::{Error, Journal, Result};

use crate::item::{BookLevel, FoundAnswer, SearchAnswer, SearchItem};
use crate::todo::{TodoList, TodoRow};

/// The most answers that are kept for tasks to come.
const MOST_KEPT: usize = 1 << 16;

/// Positions that a task inserts or replaces.
#[derive(Debug, Default)]
pub(crate) struct Changes(Vec<(Board, PositionData)>);

impl Changes {
    pub(crate) fn put(&mut self, board: Board, data: PositionData) {
        self.0.push((board, data));
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The answers that are known.
pub(crate) struct Answers<'a>(&'a HashMap<SearchItem, Option<SearchAnswer>>);

impl Answers<'_> {
    /// The answer of an item, or the item if it has to be searched first.
    pub(crate) fn of(&self, item: SearchItem) -> std::result::Result<SearchAnswer, SearchItem> {
        let answer = self.0.get(&item).and_then(Option::as_ref);
        answer.cloned().ok_or(item)
    }

    /// The answer for all moves of a board; one without a move if there is none.
    pub(crate) fn of_board(
        &self,
        board: Board,
        level: BookLevel,
    ) -> std::result::Result<SearchAnswer, SearchItem> {
        match SearchItem::new(board, level) {
            Some(item) => self.of(item),
            None => Ok(SearchAnswer {
                score: board.score() as i8,
                line: Vec::new(),
                is_exact: board.is_over(),
            }),
        }
    }
}

/// What is done with each position of a list: changes of the book, or the item that has to be searched first.
pub(crate) type TaskFn<'a> = dyn Fn(&GrowingBook, TodoRow, &Answers<'_>) -> std::result::Result<Changes, SearchItem>
    + Send
    + Sync
    + 'a;

/// A task that may be shared.
pub(crate) fn task<'a>(
    task: impl Fn(&GrowingBook, TodoRow, &Answers<'_>) -> std::result::Result<Changes, SearchItem>
    + Send
    + Sync
    + 'a,
) -> Arc<TaskFn<'a>> {
    Arc::new(task)
}

/// What changes while tasks are done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TaskCounts {
    /// Tasks that are done.
    pub(crate) done: u64,
    /// Positions that are new in the book.
    pub(crate) added: u64,
    /// Searches that were answered, now or by an earlier run.
    pub(crate) searches: u64,
    /// Boards that were visited in this run.
    pub(crate) nodes: u64,
}

/// A task that is tried ahead.
struct Active {
    row: TodoRow,
    /// The item that it waits for; none when it only waits for its turn.
    waits_for: Option<SearchItem>,
}

/// The tasks of a list, with the book that they change and the journal of answers.
pub(crate) struct Tasks<'a> {
    list: TodoList,
    task: Arc<TaskFn<'a>>,
    pub(crate) book: GrowingBook,
    pub(crate) journal: Journal,
    /// Tasks that are tried at a time.
    ahead: usize,
    active: VecDeque<Active>,
    /// The number of the first of them in the list.
    first: u64,
    /// Answers, and items in progress.
    known: HashMap<SearchItem, Option<SearchAnswer>>,
    /// The tasks that wait for an item.
    waiting: HashMap<SearchItem, Vec<u64>>,
    /// Items that no worker has.
    ready: VecDeque<SearchItem>,
    pub(crate) counts: TaskCounts,
    /// No more than so many positions are added.
    most: Option<u64>,
}

impl<'a> Tasks<'a> {
    pub(crate) fn new(
        list: TodoList,
        task: Arc<TaskFn<'a>>,
        book: GrowingBook,
        journal: Journal,
        ahead: usize,
    ) -> Self {
        Self {
            list,
            task,
            book,
            journal,
            ahead,
            active: VecDeque::new(),
            first: 0,
            known: HashMap::new(),
            waiting: HashMap::new(),
            ready: VecDeque::new(),
            counts: TaskCounts::default(),
            most: None,
        }
    }

    /// Ends when so many positions were added.
    pub(crate) fn stop_after(&mut self, positions: Option<u64>) {
        self.most = positions;
    }

    /// Returns whether nothing is left to do, or enough was done.
    pub(crate) fn is_over(&self) -> bool {
        self.has_enough() || (self.active.is_empty() && self.first >= self.list.len())
    }

    /// Returns whether enough positions were added.
    pub(crate) fn has_enough(&self) -> bool {
        self.most.is_some_and(|most| self.counts.added >= most)
    }

    /// The book.
    pub(crate) const fn book(&self) -> &GrowingBook {
        &self.book
    }

    /// The answers that later tasks may need, as a journal has them.
    pub(crate) fn kept(&self) -> impl Iterator<Item = (SearchItem, &SearchAnswer)> {
        self.known
            .iter()
            .filter_map(|(item, answer)| Some((*item, answer.as_ref()?)))
    }

    /// The next item to search.
    pub(crate) fn next(&mut self) -> Result<Next<SearchItem>> {
        loop {
            if self.has_enough() {
                return Ok(Next::End);
            }
            if let Some(item) = self.ready.pop_front() {
                return Ok(Next::Item(item));
            }
            let number = self.first + self.active.len() as u64;
            let is_full = self.active.len() >= self.ahead;
            let Some(row) = self.list.get(number).filter(|_| !is_full) else {
                return Ok(if self.is_over() {
                    Next::End
                } else {
                    Next::Later
                });
            };
            self.active.push_back(Active {
                row,
                waits_for: None,
            });
            self.advance(number)?;
            self.settle()?;
        }
    }

    /// True if [`Self::next`] may have an item now.
    pub(crate) fn may_have_item(&self) -> bool {
        let begun = self.active.len();
        let has_more = self.first + (begun as u64) < self.list.len();
        !self.ready.is_empty() || (has_more && begun < self.ahead)
    }

    /// Keeps the answer of an item.
    pub(crate) fn answered(&mut self, item: &SearchItem, found: FoundAnswer) -> Result<()> {
        let FoundAnswer { answer, nodes } = found;
        self.counts.nodes += nodes;
        if self.known.get(item).is_some_and(Option::is_some) {
            return Ok(());
        }
        let text = format!("{item}\n{answer}");
        self.journal.put(item.number(), text.as_bytes())?;
        self.keep(*item, answer);
        for number in self.waiting.remove(item).unwrap_or_default() {
            if number >= self.first {
                self.advance(number)?;
            }
        }
        self.settle()
    }

    fn keep(&mut self, item: SearchItem, answer: SearchAnswer) {
        self.counts.searches += 1;
        self.known.insert(item, Some(answer));
    }

    /// Hands an item out again that nobody answered.
    pub(crate) fn again(&mut self, item: SearchItem) {
        self.ready.push_back(item);
    }

    /// Tries a task until it waits for an item or for its turn.
    fn advance(&mut self, number: u64) -> Result<()> {
        let at = (number - self.first) as usize;
        loop {
            let Some(active) = self.active.get_mut(at) else {
                return Ok(());
            };
            match (self.task)(&self.book, active.row, &Answers(&self.known)) {
                Ok(_) => {
                    active.waits_for = None;
                    return Ok(());
                }
                Err(item) => {
                    active.waits_for = Some(item);
                    if self.wants(item)? {
                        continue;
                    }
                    self.waiting.entry(item).or_default().push(number);
                    return Ok(());
                }
            }
        }
    }

    /// Asks for an item, unless it is in progress; returns true if the journal answers at once.
    fn wants(&mut self, item: SearchItem) -> Result<bool> {
        match self.known.get(&item) {
            Some(answer) => return Ok(answer.is_some()),
            None => {
                if let Some(answer) = answer_of(&mut self.journal, &item)? {
                    self.keep(item, answer);
                    return Ok(true);
                }
            }
        }
        self.known.insert(item, None);
        self.ready.push_back(item);
        Ok(false)
    }

    /// Does the first tasks that wait only for their turn.
    fn settle(&mut self) -> Result<()> {
        while let Some(active) = self.active.front() {
            if active.waits_for.is_some() || self.has_enough() {
                break;
            }
            // Once more: tasks before it have changed the book.
            match (self.task)(&self.book, active.row, &Answers(&self.known)) {
                Ok(changes) => {
                    for (board, data) in changes.0 {
                        self.counts.added += u64::from(self.book.put(board, data));
                    }
                    self.counts.done += 1;
                    self.active.pop_front();
                    self.first += 1;
                }
                Err(_) => self.advance(self.first)?,
            }
        }
        if self.known.len() > MOST_KEPT {
            let waiting = &self.waiting;
            self.known
                .retain(|item, answer| answer.is_none() || waiting.contains_key(item));
        }
        Ok(())
    }

    /// The tasks that are not done, in their order.
    pub(crate) fn rest(&self) -> impl Iterator<Item = TodoRow> + '_ {
        (self.first..self.list.len()).filter_map(|n| self.list.get(n))
    }
}

/// The answer that a journal has of an item.
fn answer_of(journal: &mut Journal, item: &SearchItem) -> Result<Option<SearchAnswer>> {
    let Some(bytes) = journal.get(item.number())? else {
        return Ok(None);
    };
    let text = String::from_utf8_lossy(&bytes);
    let answer = text.split_once('\n').and_then(|(asked, answer)| {
        // Another item may have the same number.
        (asked == item.to_string()).then(|| answer.parse::<SearchAnswer>().ok())?
    });
    Ok(answer.filter(|answer| answer.fits(item)))
}

/// Puts answers into a journal.
pub(crate) fn put_all(
    journal: &mut Journal,
    answers: impl Iterator<Item = (SearchItem, SearchAnswer)>,
) -> std::result::Result<(), Error> {
    for (item, answer) in answers {
        journal.put(item.number(), format!("{item}\n{answer}").as_bytes())?;
    }
    Ok(())
}
