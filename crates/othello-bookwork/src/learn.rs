//! Learning as Egaroucid does it: the leaves that are nearly as good as the moves of the book become positions, and the
//! lines behind them, as far as depth and errors allow.

use othello_book::Edge;
use othello_book::egaroucid::BookLeaf;
use othello_book::store::{GrowingBook, PositionLookup as _};
use othello_core::{Board, Move, State};
use yane_io::{Job, Result};

use crate::item::{BookLevel, SearchItem};
use crate::links::{after_pass, has, is_leaf_valid, links, open_leaf, open_moves, searched};
use crate::recipe::{LeafRecalculation, Learn};
use crate::tasks::{Answers, Changes};
use crate::todo::{ENDLESS, Reached, Restricted, TodoRow, TodoWriter, WalkLimits, walk};

/// The level of values that need no search: those of finished games.
const EXACT_LEVEL: i8 = 60;

impl Learn {
    pub(crate) fn limits(&self) -> WalkLimits {
        WalkLimits {
            depth: self.depth.plies(),
            error: self.error.discs(),
            sum: self.sum.discs(),
        }
    }

    /// Collects the positions whose leaves become positions: those that are reached when one player makes only best moves
    /// and the other any within the errors, for both players.
    pub(crate) fn collect(
        &self,
        book: &GrowingBook,
        root: Board,
        job: &Job,
        todo: &mut TodoWriter<'_>,
    ) -> Result<()> {
        let limits = self.limits();
        let leaf_error = self.leaf_error.discs();
        walk(
            book,
            root,
            limits,
            Restricted::OnePlayer,
            job,
            &mut |reached: Reached<'_>| {
                let known = book.known(reached.number);
                let leaf = open_leaf(reached.board, reached.links, known.leaf);
                let score = i32::from(known.leaf.edge.score);
                let is_best =
                    !reached.is_bound || reached.links.iter().all(|link| link.value <= score);
                let is_good = i32::from(known.value) - score <= leaf_error;
                let is_deep = reached.board.discs() >= limits.depth.saturating_add(4);
                if leaf.is_some() && is_best && is_good && !is_deep {
                    todo.put(TodoRow {
                        board: reached.board,
                        rest: reached.rest.min(ENDLESS) as i16,
                    })?;
                }
                Ok(())
            },
        )
    }

    /// Turns the leaf of a position into a position of the book, and goes on with best moves while they lose no more than
    /// the errors allow.
    pub(crate) fn expand(
        &self,
        book: &GrowingBook,
        row: TodoRow,
        answers: &Answers<'_>,
    ) -> std::result::Result<Changes, SearchItem> {
        let mut changes = Changes::default();
        let Some(known) = book.look_up(row.board) else {
            return Ok(changes);
        };
        let Some(leaf) = open_leaf(row.board, &links(book, row.board), known.leaf) else {
            return Ok(changes);
        };
        let limits = self.limits();
        let most_discs = limits.depth.saturating_add(4);
        let is_of_edax = known.is_of_edax;
        let mut next = row.board.play_unchecked(leaf);
        // For the player who has just moved.
        let mut value = i32::from(known.leaf.edge.score);
        let mut rest = i32::from(row.rest);
        let mut answer = None;
        loop {
            if next.is_over() {
                if !has(book, next) {
                    changes.put(next, searched(next.score() as i8, EXACT_LEVEL, is_of_edax));
                }
                break;
            }
            let board = after_pass(next);
            let is_after_pass = board != next;
            if book.find(board).is_some() || board.discs() > most_discs || rest < 0 {
                break;
            }
            let found = match answer.take() {
                Some(answer) => answer,
                None => answers.of_board(board, self.level)?,
            };
            let expected = if is_after_pass { value } else { -value };
            value = i32::from(found.score);
            let error = expected - value;
            let Some(&best) = found.line.first() else {
                break;
            };
            let mut data = searched(found.score, self.level.number(), is_of_edax);
            if board.discs() < most_discs && error <= limits.error && error <= rest {
                changes.put(board, data);
                rest -= error.max(0);
                next = board.play_unchecked(best);
                answer = found.of_child(next);
            } else {
                data.leaf = BookLeaf {
                    edge: Edge::new(found.score, Move::Place(best)),
                    level: self.level.number(),
                };
                changes.put(board, data);
                break;
            }
        }
        if !changes.is_empty() {
            // The leaf is a link now.
            let mut data = known;
            data.leaf = BookLeaf::UNDEFINED;
            changes.put(row.board, data);
        }
        Ok(changes)
    }
}

impl LeafRecalculation {
    /// Collects the positions whose leaves are recalculated.
    pub(crate) fn collect(
        &self,
        book: &GrowingBook,
        root: Board,
        job: &Job,
        todo: &mut TodoWriter<'_>,
    ) -> Result<()> {
        let limits = WalkLimits {
            depth: self.depth.plies(),
            error: self.error.discs(),
            sum: self.sum.discs(),
        };
        walk(
            book,
            root,
            limits,
            Restricted::Nobody,
            job,
            &mut |reached: Reached<'_>| {
                let leaf = book.known(reached.number).leaf;
                let is_low = !self.only_illegal && leaf.level < self.level.number();
                if is_low || !is_leaf_valid(reached.board, reached.links, leaf) {
                    todo.put(TodoRow {
                        board: reached.board,
                        rest: 0,
                    })?;
                }
                Ok(())
            },
        )
    }
}

/// The best move of a position that leads out of the book becomes its leaf.
pub(crate) fn new_leaf(
    book: &GrowingBook,
    board: Board,
    level: BookLevel,
    answers: &Answers<'_>,
) -> std::result::Result<Changes, SearchItem> {
    let mut changes = Changes::default();
    let Some(mut known) = book
        .look_up(board)
        .filter(|_| board.state() == State::Moves)
    else {
        return Ok(changes);
    };
    let open = open_moves(board, &links(book, board));
    known.leaf = BookLeaf {
        edge: Edge {
            score: BookLeaf::UNDEFINED.edge.score,
            number: Edge::NONE,
        },
        level: level.number(),
    };
    if let Some(item) = SearchItem::of_moves(board, open, level) {
        let answer = answers.of(item)?;
        if let Some(&best) = answer.line.first() {
            known.leaf.edge = Edge::new(answer.score, Move::Place(best));
        }
    }
    changes.put(board, known);
    Ok(changes)
}
