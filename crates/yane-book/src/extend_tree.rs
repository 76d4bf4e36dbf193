//! The lines by which a book can grow (`makebook extend_tree`).
//!
//! From each root the moves of the book are followed as long as they are good enough for the side
//! that plays them. Where such a move leaves the book, the line of moves up to there is written: one
//! more position to think about.
//!
//! Moves that the book does not know are followed too if they lead back into it. A position is
//! visited once, however many lines lead to it; positions at different move numbers are different
//! unless the book was read without them. Never written: repetitions, positions after `max_game_ply`,
//! mates, and positions won by declaration.
//!
//! The field's tool also leaves out a position that it reaches by a move unknown to the book before
//! it reaches it by one of the book's moves. That is kept, since the lists are compared, but
//! [`ExtendTree::all_leaves`] gives them all.

use std::path::Path;

use hashbrown::HashSet;
use shogi_core::movegen::LegalAll;
use shogi_core::{
    ByColor, EnteringKingRule, Game, Move, Move16, MoveText, PieceKind, Position, Repetition,
};
use yane_io::{AtomicFile, Overwrite};

use crate::db::LineEnd;
use crate::extract::key_at_ply;
use crate::memory::{Book, Moves, ReadOptions};
use crate::records::{Root, read_roots};
use crate::{BookError, Job, Result, Unit};

/// Options: lines to follow and to write.
#[derive(Clone, Debug)]
pub struct ExtendTree {
    /// Moves of the book with a lower value (for the side that plays them) are not followed; by the
    /// colour of that side.
    pub eval_limit: ByColor<i32>,
    /// Write a line only if its last move has a value within these bounds (both included).
    pub extend_range: Option<(i32, i32)>,
    /// Positions with a greater move number are not visited.
    pub max_game_ply: u32,
    /// Take positions of the book at whatever move number (`IgnoreBookPly`), and visit each once at
    /// whatever move number it is reached.
    pub ignore_book_ply: bool,
    /// Write also positions that the walk first reaches by a move unknown to the book.
    pub all_leaves: bool,
    /// The rule for winning by declaration.
    pub entering_king: EnteringKingRule,
    /// Line ends.
    pub line_end: LineEnd,
    /// Overwriting: whether the output may be one of the inputs.
    pub overwrite: Overwrite,
}

impl Default for ExtendTree {
    fn default() -> Self {
        Self {
            eval_limit: ByColor([-50, -150]),
            extend_range: None,
            max_game_ply: 320,
            ignore_book_ply: false,
            all_leaves: false,
            entering_king: EnteringKingRule::default(),
            line_end: LineEnd::Lf,
            overwrite: Overwrite::default(),
        }
    }
}

/// Summary of the listed lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExtendTreeReport {
    /// Roots.
    pub roots: u64,
    /// Positions of the book that were visited.
    pub visited: u64,
    /// Lines written.
    pub lines: u64,
}

/// Writes to `output` the lines by which the book `book` can grow from the roots in the record file
/// `roots`. Memory: the book, and some 20 bytes for every position visited or written.
///
/// # Errors
/// When a file cannot be read or written, a line of the book or of the roots is wrong, or `output`
/// is one of the inputs. The output is untouched then.
pub fn extend_tree(
    book: &Path,
    roots: &Path,
    output: &Path,
    options: &ExtendTree,
    job: &Job,
) -> Result<ExtendTreeReport> {
    let _claim = options.overwrite.claim(output, &[book, roots])?;
    let names = (book, roots);
    let roots = read_roots(roots)?;
    let read = ReadOptions {
        ignore_ply: options.ignore_book_ply,
    };
    let book = Book::read(book, read, job)?;
    let mut file = AtomicFile::create(output)?;
    let report = extension_lines(&book, &roots, options, job, |line| {
        file.put(line.as_bytes())?;
        Ok(file.put(options.line_end.bytes())?)
    })?;
    if report.lines == 0 {
        let (name, roots) = (names.0.display(), names.1.display());
        let reason = match (report.roots, book.is_empty()) {
            (0, _) => format!("no game or position is in {roots}"),
            (_, true) => format!("no position is in {name}, and no root is without a book"),
            _ => format!("no line within the limits leaves {name}"),
        };
        return Err(BookError::nothing(output, reason));
    }
    file.commit()?;
    Ok(report)
}

/// Calls `put` with the lines by which `book` can grow from `roots`.
///
/// # Errors
/// Those of `put`, and [`yane_io::Error::Cancelled`].
pub fn extension_lines(
    book: &Book,
    roots: &[Root],
    options: &ExtendTree,
    job: &Job,
    mut put: impl FnMut(&str) -> Result<()>,
) -> Result<ExtendTreeReport> {
    let mut walk = TreeWalk {
        book,
        options,
        job,
        done: HashSet::new(),
        leaves: Leaves::All(HashSet::new()),
        report: ExtendTreeReport::default(),
    };
    if !options.all_leaves {
        walk.roots(roots, &mut |_| Ok(()))?;
        walk.leaves = Leaves::Unmet(walk.leaves.into_keys());
        walk.done.clear();
        walk.report = ExtendTreeReport::default();
    }
    walk.roots(roots, &mut put)?;
    Ok(walk.report)
}

/// A depth-first walk over a book; books are deep, so the path is kept in [`TreeFrame`]s.
struct TreeWalk<'a> {
    book: &'a Book,
    options: &'a ExtendTree,
    job: &'a Job,
    /// Keys of the positions of the book that were visited.
    done: HashSet<u128>,
    leaves: Leaves,
    report: ExtendTreeReport,
}

/// Selection of leaves to write.
enum Leaves {
    /// All leaves; these were written.
    All(HashSet<u128>),
    /// Leaves that the walk meets first by a move of the book. They are known from a walk that
    /// wrote all: to store everything met by other moves would take far more memory.
    Unmet(HashSet<u128>),
}

impl Leaves {
    fn into_keys(self) -> HashSet<u128> {
        let (Self::All(keys) | Self::Unmet(keys)) = self;
        keys
    }

    /// Returns whether a move that is not in the book matters because it leads to `key`.
    fn minds(&self, key: u128) -> bool {
        match self {
            Self::All(_) => false,
            Self::Unmet(keys) => keys.contains(&key),
        }
    }

    /// The walk meets a position outside the book; whether to write it, if it is `wanted` as it is
    /// reached now.
    fn meet(&mut self, key: u128, wanted: bool) -> bool {
        match self {
            Self::All(keys) => wanted && keys.insert(key),
            Self::Unmet(keys) => keys.remove(&key) && wanted,
        }
    }
}

/// A position on the path, with the moves that are still to be followed in reverse order.
struct TreeFrame(Vec<TreeStep>);

/// A move to follow, with its value if the book knows the move.
#[derive(Clone, Copy)]
struct TreeStep {
    m: Move,
    eval: Option<i32>,
}

/// Hears of the lines.
type Put<'a> = &'a mut dyn FnMut(&str) -> Result<()>;

impl TreeWalk<'_> {
    fn roots(&mut self, roots: &[Root], put: Put<'_>) -> Result<()> {
        self.job.progress.stage("walking", None, Unit::Positions);
        for root in roots {
            self.report.roots += 1;
            self.root(root, put)?;
        }
        Ok(())
    }

    fn root(&mut self, root: &Root, put: Put<'_>) -> Result<()> {
        let mut game = root.game().clone();
        let mut path = Vec::new();
        // A root counts as reached by a move of the book of value 0.
        path.extend(self.visit(root, &game, Some(0), put)?);
        while let Some(TreeFrame(steps)) = path.last_mut() {
            let Some(step) = steps.pop() else {
                path.pop();
                if !path.is_empty() {
                    game.undo();
                }
                continue;
            };
            game.play_unchecked(step.m);
            if let Some(frame) = self.visit(root, &game, step.eval, put)? {
                path.push(frame);
                if self.report.visited.is_multiple_of(1 << 12) {
                    self.job.check()?;
                    self.job.progress.advance(1 << 12);
                }
            } else {
                game.undo();
            }
        }
        Ok(())
    }

    /// Visits the last position of `game`, reached by a move with the value `arrival` if the book
    /// knows that move: a frame for a position of the book, a line written for a leaf.
    fn visit(
        &mut self,
        root: &Root,
        game: &Game,
        arrival: Option<i32>,
        put: Put<'_>,
    ) -> Result<Option<TreeFrame>> {
        let position = game.position();
        let ended = game.repetition().kind == Repetition::Draw
            || position.ply() > self.options.max_game_ply
            || position.is_mated()
            || position.declaration(self.options.entering_king).is_some();
        let key = self.key(position.key128(), position.ply());
        if ended || self.done.contains(&key) {
            return Ok(None);
        }
        if let Some(moves) = self.book.get(position).filter(|moves| !moves.is_empty()) {
            self.done.insert(key);
            self.report.visited += 1;
            return Ok(Some(TreeFrame(self.steps(position, moves))));
        }
        let in_range = |eval| {
            let range = self.options.extend_range;
            range.is_none_or(|(low, high)| low <= eval && eval <= high)
        };
        if self.leaves.meet(key, arrival.is_some_and(in_range)) {
            self.report.lines += 1;
            put(&root.line(game.moves().skip(root.game().len())))?;
        }
        Ok(None)
    }

    /// Returns the key by which positions are distinguished.
    const fn key(&self, key: u128, ply: u32) -> u128 {
        if self.options.ignore_book_ply {
            key
        } else {
            key_at_ply(key, ply)
        }
    }

    /// The moves to follow from `position`, the first one last. Most moves unknown to the book lead
    /// nowhere and are left out at once.
    fn steps(&self, position: &Position, moves: Moves<'_>) -> Vec<TreeStep> {
        let limit = self.options.eval_limit[position.side_to_move()];
        let mut steps = Vec::new();
        position.generate_with_keys::<LegalAll>(|m, key, _| {
            let known = moves.find(Move16::encode(MoveText::from(m)));
            let eval = known.map(|known| known.eval);
            let follow = eval.map_or_else(
                || {
                    let back = self.book.index_of_key(key).is_some();
                    back || self.leaves.minds(self.key(key, position.ply() + 1))
                },
                |eval| eval >= limit,
            );
            if follow {
                steps.push(TreeStep { m, eval });
            }
        });
        // Kings last, as in the field's tools: which of several lines to a position is met first, and
        // so which one is written, depends on the order.
        steps.sort_by_key(|step| step.m.kind_after() == PieceKind::King);
        steps.reverse();
        steps
    }
}
