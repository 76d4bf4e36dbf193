//! What each stage does: lists of positions, one after the other, and values made right between them.

use othello_book::Edge;
use othello_book::edax::EdaxHeader;
use othello_book::egaroucid::BookLeaf;
use othello_book::ops::{self, ReduceLimits};
use othello_book::store::{GrowingBook, PositionLookup as _, PositionStore as _};
use othello_core::{Board, Game, Move};

use crate::edax::{Marks, collect_gaps, collect_missing_leaves, expand_leaf, level_of, register};
use crate::error::Result;
use crate::item::{BookLevel, SearchItem};
use crate::learn::new_leaf;
use crate::links::{after_pass, links, open_leaf, searched};
use crate::recipe::{BookStage, Fill, GrowthLimit, LeafRecalculation, Learn, Prune, Store};
use crate::run::{Flow, Run, level_of_stage};
use crate::starts::{Starts, boards, game, random_walk, register_way, text_of};
use crate::state::Position;
use crate::tasks::{Answers, Changes, task};
use crate::todo::TodoRow;

/// Returns early when the run ends.
macro_rules! done {
    ($part:expr) => {
        match $part? {
            Flow::Done => {}
            stop => return Ok(stop),
        }
    };
}

/// The marks of each list of a round, and the fewest empty squares; `None` after the last one.
type MarksOf<'a> = dyn FnMut(&Run<'_, '_>, u32) -> Option<(Marks, u32)> + 'a;

impl<'t> Run<'_, 't> {
    pub(crate) fn stage(&mut self, stage: &'t BookStage) -> Result<Flow> {
        match stage {
            BookStage::Learn(learn) => self.learn(learn),
            BookStage::Leaves(leaves) => self.leaves(leaves),
            BookStage::Store(store) => self.store(store),
            BookStage::Deviate(stage) => {
                let root = Self::root(&stage.start)?;
                let deviation = stage.relative.min(128) as i32;
                let empties = stage.empties;
                self.grow(root, stage.level, stage.loops, &mut |run, phase| {
                    let absolute = stage.absolute.min(128) as i32;
                    let value = run.position.value;
                    let deviations = if phase == 0 {
                        [deviation, 0]
                    } else {
                        [0, deviation]
                    };
                    let window = [value - absolute, value + absolute];
                    (phase < 2)
                        .then(|| (Marks::Deviate { deviations, window }, run.empties(empties)))
                })
            }
            BookStage::Enhance(stage) => {
                let root = Self::root(&stage.start)?;
                let header = EdaxHeader {
                    midgame_error: stage.midgame_error.min(127) as i32,
                    endcut_error: stage.endcut_error.min(127) as i32,
                    ..self.header()
                };
                // Bounds are those of these errors from now on.
                self.book.set_header(Some(header));
                let empties = stage.empties;
                self.grow(root, stage.level, stage.loops, &mut |run, phase| {
                    (phase < 1).then(|| (Marks::Enhance { header }, run.empties(empties)))
                })
            }
            BookStage::Play(stage) => {
                let empties = stage.empties;
                self.grow(Board::START, stage.level, stage.loops, &mut |run, phase| {
                    (phase < 1).then(|| (Marks::Play, run.empties(empties)))
                })
            }
            BookStage::Fill(fill) => self.fill(fill),
            BookStage::Fix(fix) => {
                self.settle(None);
                if fix.remove_isolated {
                    ops::remove_isolated(&mut self.book, Board::START);
                }
                Ok(Flow::Done)
            }
            BookStage::Prune(prune) => {
                self.prune(prune);
                Ok(Flow::Done)
            }
        }
    }

    /// The board that a text says, after a forced pass.
    fn root(start: &str) -> Result<Board> {
        Ok(after_pass(game(start)?.position().board()))
    }

    fn empties(&self, asked: Option<u32>) -> u32 {
        asked.unwrap_or_else(|| self.header().n_empties.clamp(0, 60) as u32)
    }

    fn prune(&mut self, prune: &Prune) {
        let limits = ReduceLimits {
            depth: prune.depth.plies(),
            error: prune.error.discs(),
            sum: prune.sum.discs(),
        };
        ops::reduce(&mut self.book, Board::START, limits);
    }

    // Learning as Egaroucid does it.

    fn learn(&mut self, learn: &'t Learn) -> Result<Flow> {
        let mut starts = Starts::open(learn.starts.clone(), learn.games.as_deref())?;
        let (mut given, bad) = (0, self.bad_lines);
        while let Some(game) = starts.next(&*self.job.progress)? {
            self.bad_lines = bad + starts.bad();
            given += 1;
            if given > self.position.start {
                done!(self.learn_from(learn, &game));
                self.next_start();
            }
        }
        self.bad_lines = bad + starts.bad();
        if let Some(rule) = learn.random {
            while self.position.start < given + rule.count {
                // The book has changed since, if this is resumed.
                let text = match self.position.game.take() {
                    Some(text) => text,
                    None => text_of(&random_walk(
                        &self.book,
                        rule,
                        self.task.seed,
                        self.position.start - given,
                    )),
                };
                self.position.game = Some(text.clone());
                done!(self.learn_from(learn, &game(&text)?));
                self.next_start();
            }
        } else if given == 0 && learn.games.is_none() && self.position.start == 0 {
            done!(self.learn_from(learn, &Game::default()));
        }
        self.settle(None);
        Ok(Flow::Done)
    }

    fn learn_from(&mut self, learn: &'t Learn, game: &Game) -> Result<Flow> {
        let way = boards(game);
        let root = after_pass(game.position().board());
        if root.is_over() {
            return Ok(Flow::Done);
        }
        register_way(&mut self.book, &way);
        let leaf_level = learn.level.for_leaves();
        let leaves = LeafRecalculation {
            level: leaf_level,
            depth: GrowthLimit(Some(learn.depth.plies().saturating_sub(1))),
            error: learn.error,
            sum: learn.sum,
            only_illegal: true,
            start: String::new(),
        };
        loop {
            let level = learn.level;
            let new_root = task(move |book, row: TodoRow, answers| {
                let mut changes = Changes::default();
                if book.find(row.board).is_none() {
                    let answer = answers.of_board(row.board, level)?;
                    changes.put(
                        row.board,
                        searched(answer.score, level.number(), book.header().is_some()),
                    );
                }
                Ok(changes)
            });
            done!(
                self.list(0, "the start", None, &new_root, &mut |book, _, todo| {
                    if book.find(root).is_none() {
                        todo.put(TodoRow {
                            board: root.canonical().board,
                            rest: 0,
                        })?;
                    }
                    Ok(())
                })
            );
            let find_leaf = task(move |book, row: TodoRow, answers| {
                new_leaf(book, row.board, leaf_level, answers)
            });
            done!(
                self.list(1, "leaves", None, &find_leaf, &mut |book, job, todo| leaves
                    .collect(book, root, job, todo))
            );
            let expand = task(|book, row, answers| learn.expand(book, row, answers));
            done!(self.list(
                2,
                "learning",
                Some(learn.schedule),
                &expand,
                &mut |book, job, todo| { learn.collect(book, root, job, todo) }
            ));
            self.settle(Some((root, &way)));
            self.tell_round();
            if self.end_round(learn.loops) {
                return Ok(Flow::Done);
            }
        }
    }

    fn tell_round(&self) {
        let Position {
            round,
            added_in_round,
            ..
        } = self.position;
        let positions = self.book.count();
        let at = Some(("round", (round + 1) as f64));
        let progress = &self.job.progress;
        progress.figure("added", at, added_in_round as f64);
        progress.figure("book", at, positions as f64);
        progress.note(&format!(
            "round {}: {added_in_round} positions added, {positions} in the book",
            round + 1
        ));
    }

    fn leaves(&mut self, leaves: &LeafRecalculation) -> Result<Flow> {
        let root = Self::root(&leaves.start)?;
        let level = leaves.level;
        let find_leaf =
            task(move |book, row: TodoRow, answers| new_leaf(book, row.board, level, answers));
        done!(
            self.list(0, "leaves", None, &find_leaf, &mut |book, job, todo| leaves
                .collect(book, root, job, todo))
        );
        self.settle(None);
        Ok(Flow::Done)
    }

    /// Finds leaves where Edax needs some, anywhere in the book.
    pub(crate) fn complete_leaves(&mut self) -> Result<Flow> {
        let level = self
            .task
            .stages
            .iter()
            .find_map(level_of_stage)
            .unwrap_or_default();
        self.own_leaves(0, level)
    }

    /// Finds missing leaves, each at the level of its position.
    fn own_leaves(&mut self, phase: u32, otherwise: BookLevel) -> Result<Flow> {
        let find_leaf = task(move |book: &GrowingBook, row: TodoRow, answers| {
            let level = book
                .look_up(row.board)
                .map_or(otherwise, |known| level_of(&known, otherwise));
            new_leaf(book, row.board, level, answers)
        });
        self.list(phase, "leaves", None, &find_leaf, &mut |book, job, todo| {
            collect_missing_leaves(book, job, &mut |row| todo.put(row))
        })
    }

    fn store(&mut self, store: &Store) -> Result<Flow> {
        let mut starts = Starts::open(store.starts.clone(), store.games.as_deref())?;
        let (mut given, bad) = (0, self.bad_lines);
        while let Some(game) = starts.next(&*self.job.progress)? {
            self.bad_lines = bad + starts.bad();
            given += 1;
            if given > self.position.start {
                done!(self.store_game(store, &game));
                self.next_start();
            }
        }
        self.bad_lines = bad + starts.bad();
        self.settle(None);
        Ok(Flow::Done)
    }

    fn store_game(&mut self, store: &Store, game: &Game) -> Result<Flow> {
        let level = store.level;
        let most = store.depth.plies().saturating_add(4);
        let put =
            task(move |book, row: TodoRow, answers| put_searched(book, row.board, level, answers));
        done!(self.list(0, "storing", None, &put, &mut |_, _, todo| {
            for (board, _) in boards(game)
                .into_iter()
                .filter(|(board, _)| board.discs() <= most)
            {
                todo.put(TodoRow {
                    board: board.canonical().board,
                    rest: 0,
                })?;
            }
            Ok(())
        }));
        done!(self.list(1, "storing", None, &put, &mut |book, _, todo| {
            for (board, _) in boards(game)
                .into_iter()
                .filter(|(board, _)| board.discs() < most && store.best_moves)
            {
                let canonical = board.canonical().board;
                let known = book.look_up(canonical).map(|known| known.leaf);
                if let Some(best) =
                    known.and_then(|leaf| open_leaf(canonical, &links(book, canonical), leaf))
                {
                    let child = after_pass(canonical.play_unchecked(best));
                    todo.put(TodoRow {
                        board: child.canonical().board,
                        rest: 0,
                    })?;
                }
            }
            Ok(())
        }));
        let root = after_pass(game.start().board());
        self.settle(Some((root, &[])));
        Ok(Flow::Done)
    }

    // Growing as Edax does it.

    /// Expands what is marked, in rounds of lists, until a round adds nothing.
    fn grow(
        &mut self,
        root: Board,
        level: BookLevel,
        most: GrowthLimit,
        marks: &mut MarksOf<'_>,
    ) -> Result<Flow> {
        loop {
            if self.position.phase == 0 && self.list.is_none() {
                let header = self.header();
                ops::negamax_edax(&mut self.book, root, &header);
                self.position.value = self
                    .book
                    .look_up(root)
                    .map_or(0, |known| i32::from(known.value));
            }
            let mut phase = 0;
            while let Some((marked, empties)) = marks(self, phase) {
                let expand = task(move |book, row: TodoRow, answers| {
                    expand_leaf(book, row.board, level, answers)
                });
                done!(
                    self.list(phase, "expanding", None, &expand, &mut |book, job, todo| {
                        marked.collect(book, root, empties, job, todo)
                    })
                );
                phase += 1;
            }
            done!(self.own_leaves(phase, level));
            let header = self.header();
            ops::negamax_edax(&mut self.book, root, &header);
            self.tell_round();
            if self.end_round(most) {
                self.settle(None);
                return Ok(Flow::Done);
            }
        }
    }

    fn fill(&mut self, fill: &Fill) -> Result<Flow> {
        let (level, empties) = (fill.level, self.empties(fill.empties));
        loop {
            let put = task(move |book: &GrowingBook, row: TodoRow, answers| {
                register(book, row.board, level, book.header().is_some(), answers)
            });
            done!(self.list(0, "filling", None, &put, &mut |book, job, todo| {
                let mut rows = Vec::new();
                collect_gaps(book, fill.depth, empties, job, &mut |row| {
                    rows.push(row);
                    Ok(())
                })?;
                // Those with more discs first: they are links of the others.
                rows.sort_unstable_by_key(|row| (std::cmp::Reverse(row.board.discs()), row.board));
                rows.into_iter().try_for_each(|row| todo.put(row))
            }));
            done!(self.own_leaves(1, level));
            self.settle(None);
            self.tell_round();
            if self.end_round(GrowthLimit(None)) {
                return Ok(Flow::Done);
            }
        }
    }
}

/// A position of a line that is stored: searched, unless the book knows it as well.
fn put_searched(
    book: &GrowingBook,
    board: Board,
    level: BookLevel,
    answers: &Answers<'_>,
) -> std::result::Result<Changes, SearchItem> {
    let mut changes = Changes::default();
    let old = book.look_up(board);
    if old.is_some_and(|old| old.level >= level.number()) {
        return Ok(changes);
    }
    let answer = answers.of_board(board, level)?;
    let mut data = old.unwrap_or_else(|| searched(0, 0, book.header().is_some()));
    (data.value, data.level) = (answer.score, level.number());
    if let Some(&best) = answer.line.first() {
        data.leaf = BookLeaf {
            edge: Edge::new(answer.score, Move::Place(best)),
            level: level.number(),
        };
    }
    changes.put(board, data);
    Ok(changes)
}
