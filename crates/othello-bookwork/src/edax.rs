//! Growing a book as Edax does: positions are marked, and the leaf of each becomes a position with a leaf of its own.

use othello_book::Edge;
use othello_book::edax::EdaxHeader;
use othello_book::egaroucid::BookLeaf;
use othello_book::ops::edax_leaf_bounds;
use othello_book::store::{
    Bounds, GrowingBook, PositionData, PositionLookup as _, PositionStore as _,
};
use othello_core::{Board, Move, Squares};
use yane_io::{Job, Result};

use crate::item::{BookLevel, SearchAnswer, SearchItem};
use crate::links::{after_pass, is_leaf_valid, links, open_leaf, open_moves, searched};
use crate::tasks::{Answers, Changes};
use crate::todo::{At, NextPly, TodoRow, TodoWriter, front_of, walk_plies};

/// Which positions a walk marks, and where it goes on.
pub(crate) enum Marks {
    /// Leaves and links that are at most so many discs worse than their position's value, by player (the one of the root
    /// first), and in the window for that player.
    Deviate {
        deviations: [i32; 2],
        window: [i32; 2],
    },
    /// What may change the bounds.
    Enhance { header: EdaxHeader },
    /// Positions without links.
    Play,
}

impl Marks {
    /// Collects marked positions of at least so many empty squares, from `root` on.
    pub(crate) fn collect(
        &self,
        book: &GrowingBook,
        root: Board,
        empties: u32,
        job: &Job,
        todo: &mut TodoWriter<'_>,
    ) -> Result<()> {
        let Some(number) = book.find(after_pass(root)) else {
            return Ok(());
        };
        walk_plies(book, front_of(number), job, &mut |at, next| {
            if at.board.empty().len() >= empties
                && !at.board.is_over()
                && self.mark(book, &at, next)
            {
                todo.put(TodoRow {
                    board: at.board,
                    rest: 0,
                })?;
            }
            Ok(())
        })
    }

    /// Returns whether a position is marked, and goes on behind it.
    fn mark(&self, book: &GrowingBook, at: &At<'_>, next: &mut NextPly) -> bool {
        let leaf = open_leaf(at.board, at.links, at.known.leaf)
            .map(|_| i32::from(at.known.leaf.edge.score));
        let value = i32::from(at.known.value);
        match self {
            Self::Deviate { deviations, window } => {
                let [deviation, [lower, upper]] = if at.is_first {
                    [[deviations[0]; 2], *window]
                } else {
                    [[deviations[1]; 2], [-window[1], -window[0]]]
                };
                let is_within = |score: i32| (lower..=upper).contains(&score);
                if !is_within(value) {
                    return false;
                }
                let is_good = |score: i32| value - score <= deviation[0] && is_within(score);
                for link in at.links.iter().filter(|link| is_good(link.value)) {
                    next.follow(at, link, 0);
                }
                leaf.is_some_and(is_good)
            }
            Self::Enhance { header } => {
                let Bounds { lower, upper } = at.known.bounds;
                for link in at.links {
                    let Some(child) = link.number else { continue };
                    let child = book.known(child).bounds;
                    let [least, most] = if link.is_after_pass {
                        [child.lower, child.upper]
                    } else {
                        [-child.upper, -child.lower]
                    };
                    if least >= lower || most >= upper {
                        next.follow(at, link, 0);
                    }
                }
                leaf.is_some_and(|leaf| {
                    let [least, most] =
                        edax_leaf_bounds(leaf, at.known.level, at.board.empty().len(), header);
                    least >= i32::from(lower) || most >= i32::from(upper)
                })
            }
            Self::Play => {
                at.links.iter().for_each(|link| next.follow(at, link, 0));
                at.links.is_empty() && leaf.is_some()
            }
        }
    }
}

/// The level of a position, or that of the stage where it has none.
pub(crate) fn level_of(known: &PositionData, otherwise: BookLevel) -> BookLevel {
    match u32::try_from(known.level) {
        Ok(level @ 1..=60) if known.is_of_edax => BookLevel::Edax(level),
        Ok(level @ 1..=60) => otherwise.with_number(level as i8),
        _ => otherwise,
    }
}

/// Turns the leaf of a position into a position, with a leaf of its own, and finds the next leaf of the position.
pub(crate) fn expand_leaf(
    book: &GrowingBook,
    board: Board,
    otherwise: BookLevel,
    answers: &Answers<'_>,
) -> std::result::Result<Changes, SearchItem> {
    let mut changes = Changes::default();
    let Some(mut known) = book.look_up(board) else {
        return Ok(changes);
    };
    let own_links = links(book, board);
    let Some(leaf) = open_leaf(board, &own_links, known.leaf) else {
        return Ok(changes);
    };
    let level = level_of(&known, otherwise);
    let child = after_pass(board.play_unchecked(leaf));
    put_new(book, child, level, known.is_of_edax, answers, &mut changes)?;
    let open = Squares(open_moves(board, &own_links).0 & !leaf.bit());
    known.leaf = match SearchItem::of_moves(board, open, level) {
        Some(item) => leaf_of(&answers.of(item)?, level),
        None => no_leaf(level),
    };
    changes.put(board, known);
    Ok(changes)
}

/// A new position with its value and leaf.
pub(crate) fn register(
    book: &GrowingBook,
    board: Board,
    level: BookLevel,
    is_of_edax: bool,
    answers: &Answers<'_>,
) -> std::result::Result<Changes, SearchItem> {
    let mut changes = Changes::default();
    put_new(book, board, level, is_of_edax, answers, &mut changes)?;
    Ok(changes)
}

fn put_new(
    book: &GrowingBook,
    board: Board,
    level: BookLevel,
    is_of_edax: bool,
    answers: &Answers<'_>,
    changes: &mut Changes,
) -> std::result::Result<(), SearchItem> {
    if book.find(board).is_some() {
        return Ok(());
    }
    let links = links(book, board);
    let open = open_moves(board, &links);
    let mut value = links.iter().map(|link| link.value).max();
    let mut leaf = no_leaf(level);
    if let Some(item) = SearchItem::of_moves(board, open, level) {
        let answer = answers.of(item)?;
        value = value.max(Some(i32::from(answer.score)));
        leaf = leaf_of(&answer, level);
    }
    let value = value.unwrap_or_else(|| board.score()).clamp(-64, 64) as i8;
    let mut data = searched(value, level.number(), is_of_edax);
    data.leaf = leaf;
    changes.put(board, data);
    Ok(())
}

fn leaf_of(answer: &SearchAnswer, level: BookLevel) -> BookLeaf {
    let edge = answer
        .line
        .first()
        .map(|&best| Edge::new(answer.score, Move::Place(best)));
    edge.map_or(no_leaf(level), |edge| BookLeaf {
        edge,
        level: level.number(),
    })
}

/// The leaf of a position whose moves all lead to positions of the book.
fn no_leaf(level: BookLevel) -> BookLeaf {
    BookLeaf {
        edge: Edge {
            score: BookLeaf::UNDEFINED.edge.score,
            number: Edge::NONE,
        },
        level: level.number(),
    }
}

/// Collects positions whose leaf is missing or wrong, wherever they are in the book.
pub(crate) fn collect_missing_leaves(
    book: &GrowingBook,
    job: &Job,
    rows: &mut dyn FnMut(TodoRow) -> Result<()>,
) -> Result<()> {
    for (n, number) in book.in_order().enumerate() {
        if n % 4096 == 0 {
            job.check()?;
        }
        let Some(board) = book
            .board(number)
            .filter(|board| !board.legal_moves().is_empty())
        else {
            continue;
        };
        if !is_leaf_valid(board, &links(book, board), book.known(number).leaf) {
            rows(TodoRow { board, rest: 0 })?;
        }
    }
    Ok(())
}

/// Collects boards that are not in the book and lie on lines of at most `depth` moves between two positions of it, the
/// first with at least so many empty squares.
pub(crate) fn collect_gaps(
    book: &GrowingBook,
    depth: u32,
    empties: u32,
    job: &Job,
    rows: &mut dyn FnMut(TodoRow) -> Result<()>,
) -> Result<()> {
    for (n, number) in book.in_order().enumerate() {
        if n % 1024 == 0 {
            job.check()?;
        }
        let Some(board) = book
            .board(number)
            .filter(|board| board.empty().len() >= empties)
        else {
            continue;
        };
        for square in after_pass(board).legal_moves() {
            fill(
                book,
                after_pass(board).play_unchecked(square),
                depth.saturating_sub(1),
                rows,
            )?;
        }
    }
    Ok(())
}

/// Returns whether `depth` more moves or fewer lead to a position of the book.
fn fill(
    book: &GrowingBook,
    board: Board,
    depth: u32,
    rows: &mut dyn FnMut(TodoRow) -> Result<()>,
) -> Result<bool> {
    let board = after_pass(board);
    if book.find(board).is_some() {
        return Ok(true);
    }
    let mut is_between = false;
    if depth > 0 {
        for square in board.legal_moves() {
            is_between |= fill(book, board.play_unchecked(square), depth - 1, rows)?;
        }
    }
    if is_between {
        rows(TodoRow {
            board: board.canonical().board,
            rest: 0,
        })?;
    }
    Ok(is_between)
}
