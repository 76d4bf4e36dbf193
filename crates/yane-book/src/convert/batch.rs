//! Positions that a worker has read and checked: rules of the input, and conditions of the output format.

use std::path::{Path, PathBuf};

use shogi_core::Position;
use shogi_packed::PackedSfen;
use yane_io::Pool;
use yane_io::external::RunBuilder;

use super::{LostPosition, OutOfRange};
use crate::db::{BadLines, LineProblem, line_error, lines_at};
use crate::entries::pack_entry;
use crate::ybb::MoveDepths;
use crate::{BookError, BookMove, Format, Result, add_move, apery};

/// Problems remembered for the report.
pub(super) const REMEMBERED: usize = 100;

/// Rules of the conversion that all workers share.
#[derive(Clone, Debug)]
pub(super) struct ConvertRules {
    pub(super) input: Input,
    pub(super) target: OutputRules,
    pub(super) bad_lines: BadLines,
}

/// Summary of the entries left out.
#[derive(Debug, Default)]
pub(super) struct LeftOut {
    pub(super) without_moves: u64,
    pub(super) bad_positions: u64,
    pub(super) bad_moves: u64,
    pub(super) collisions: u64,
    pub(super) collided: Vec<LostPosition>,
    /// Comments of a text book, which no other format has.
    pub(super) comments: u64,
    pub(super) problems: Vec<(u64, LineProblem)>,
}

/// A position with its moves on its way to the sorter.
#[derive(Debug, Default)]
pub(super) struct PositionItem {
    /// Offset where it begins in the input, in bytes.
    pub(super) at: u64,
    pub(super) moves: Vec<BookMove>,
    /// True if a move was left out.
    lost_moves: bool,
}

/// The work of one call of a worker.
#[derive(Debug)]
pub(super) struct Batch<'a> {
    rules: &'a ConvertRules,
    pool: &'a Pool,
    run: RunBuilder,
    tally: LeftOut,
    key: Vec<u8>,
}

/// A batch that is done.
#[derive(Debug)]
pub(super) struct Done {
    /// Sorted records.
    pub(super) run: Vec<u8>,
    /// Number of records.
    pub(super) positions: u64,
    pub(super) tally: LeftOut,
    /// Amount for the progress, in the unit of the stage.
    pub(super) amount: u64,
}

impl PositionItem {
    /// Empties it for the next position, which begins at byte `at`.
    pub(super) fn begin(&mut self, at: u64) {
        self.at = at;
        self.moves.clear();
        self.lost_moves = false;
    }
}

impl<'a> Batch<'a> {
    /// An empty one, in a buffer of `pool` with room for `bytes` of records.
    pub(super) fn new(rules: &'a ConvertRules, pool: &'a Pool, bytes: usize) -> Self {
        Self {
            rules,
            pool,
            run: RunBuilder::in_buffer(pool.take(bytes)),
            tally: LeftOut::default(),
            key: Vec::new(),
        }
    }

    pub(super) fn done(self, amount: u64) -> Done {
        Done {
            positions: self.run.len() as u64,
            run: self.run.into_run_with(self.pool),
            tally: self.tally,
            amount,
        }
    }

    /// Adds a move that stands at byte `at` to `item`, if it is legal in `position` and fits.
    #[inline]
    pub(super) fn add_move(
        &mut self,
        item: &mut PositionItem,
        position: &Position,
        mut book_move: BookMove,
        at: u64,
    ) -> Result<()> {
        let legal = book_move.mv.is_none_or(|mv| {
            let complete = position.move_from_16(mv);
            complete.is_some_and(|m| position.is_legal(m))
        });
        let problem = if legal {
            self.rules.target.fit_move(&mut book_move).err()
        } else {
            Some(illegal(&book_move))
        };
        match problem {
            None => {
                self.rules.target.join(&mut item.moves, book_move);
                Ok(())
            }
            Some(problem) => self.bad_move(item, at, problem),
        }
    }

    /// Reports a bad move of `item`, or leaves it out.
    #[cold]
    pub(super) fn bad_move(
        &mut self,
        item: &mut PositionItem,
        at: u64,
        problem: LineProblem,
    ) -> Result<()> {
        self.bad(at, problem)?;
        item.lost_moves = true;
        self.tally.bad_moves += 1;
        Ok(())
    }

    /// Reports a bad position, or leaves it out.
    #[cold]
    pub(super) fn bad_position(&mut self, at: u64, problem: LineProblem) -> Result<()> {
        self.bad(at, problem)?;
        self.tally.bad_positions += 1;
        Ok(())
    }

    /// Counts comments, which are left out.
    pub(super) const fn leave_out_comments(&mut self, count: u64) {
        self.tally.comments += count;
    }

    /// Counts a position one of whose moves is illegal because another has the same key.
    pub(super) fn collision(&mut self, lost: impl FnOnce() -> LostPosition) {
        self.tally.collisions += 1;
        if self.tally.collided.len() < REMEMBERED {
            self.tally.collided.push(lost());
        }
    }

    fn bad(&mut self, at: u64, problem: LineProblem) -> Result<()> {
        if self.rules.bad_lines == BadLines::Fail {
            return Err(self.rules.input.error(at, problem));
        }
        if self.tally.problems.len() < REMEMBERED {
            self.tally.problems.push((at, problem));
        }
        Ok(())
    }

    /// Adds the position with the moves in `item`.
    pub(super) fn add(&mut self, position: &Position, item: &PositionItem) -> Result<()> {
        if item.moves.is_empty() {
            self.tally.without_moves += u64::from(!item.lost_moves);
            return Ok(());
        }
        let target = self.rules.target;
        let mut ply = position.ply();
        let fitted = target
            .fit_ply(&mut ply)
            .and_then(|()| target.key(position, &mut self.key));
        if let Err(problem) = fitted {
            return self.bad_position(item.at, problem);
        }
        self.run.push_with(&self.key, |out| {
            out.extend_from_slice(&item.at.to_le_bytes());
            pack_entry(out, ply, &item.moves);
        });
        Ok(())
    }
}

fn illegal(book_move: &BookMove) -> LineProblem {
    let text = book_move.mv.map(|mv| match mv.decode() {
        Some(text) => text.to_string(),
        None => format!("{:#06x}", mv.0),
    });
    LineProblem::Illegal(text.unwrap_or_default())
}

/// The format to be written.
#[derive(Clone, Copy, Debug)]
pub(super) struct OutputRules {
    pub(super) format: Format,
    pub(super) depths: MoveDepths,
    pub(super) out_of_range: OutOfRange,
}

/// Bytes of Apery's key at the start of a sorting key.
pub(super) const APERY_KEY: usize = 8;

impl OutputRules {
    /// Puts the bytes by which the position is sorted into `key`. They tell positions apart whatever
    /// the ply.
    pub(super) fn key(
        self,
        position: &Position,
        key: &mut Vec<u8>,
    ) -> std::result::Result<(), LineProblem> {
        key.clear();
        match self.format {
            // Never written.
            Format::Sbk => {}
            Format::Db => key.extend_from_slice(position.to_sfen_without_ply().as_bytes()),
            Format::Ybb => {
                let packed = PackedSfen::encode(position).map_err(|_| LineProblem::Expected {
                    expected: "a position with both kings",
                    found: position.to_sfen(),
                })?;
                key.extend_from_slice(&packed.0);
            }
            Format::Apery => {
                key.extend_from_slice(&apery::key(position).to_be_bytes());
                key.extend_from_slice(&position.key128().to_be_bytes());
            }
        }
        Ok(())
    }

    /// Adds a move to those of its position. Only Apery's format has counts that add up; `.db` and
    /// `.ybb` books keep each line about a move as they do in the field's tools.
    pub(super) fn join(self, moves: &mut Vec<BookMove>, new: BookMove) {
        match self.format {
            Format::Apery => add_move(moves, new),
            Format::Db | Format::Ybb | Format::Sbk => moves.push(new),
        }
    }

    /// Makes the ply fit the output format.
    pub(super) fn fit_ply(self, ply: &mut u32) -> std::result::Result<(), LineProblem> {
        if self.format != Format::Ybb || u16::try_from(*ply).is_ok() {
            return Ok(());
        }
        if self.out_of_range == OutOfRange::Refuse {
            return Err(LineProblem::Expected {
                expected: "a ply of 0 to 65535",
                found: ply.to_string(),
            });
        }
        *ply = u16::MAX.into();
        Ok(())
    }

    /// Makes the numbers of a move fit the output format.
    pub(super) fn fit_move(self, book_move: &mut BookMove) -> std::result::Result<(), LineProblem> {
        if self.format != Format::Ybb {
            return Ok(());
        }
        let eval = book_move.eval.clamp(i16::MIN.into(), i16::MAX.into());
        let depth = match self.depths {
            MoveDepths::Stored => book_move.depth.clamp(0, u16::MAX.into()),
            MoveDepths::Omitted => 0,
        };
        if self.out_of_range == OutOfRange::Refuse {
            if eval != book_move.eval {
                return Err(LineProblem::Expected {
                    expected: "a value of -32768 to 32767",
                    found: book_move.eval.to_string(),
                });
            }
            if depth != book_move.depth && self.depths == MoveDepths::Stored {
                return Err(LineProblem::Expected {
                    expected: "a depth of 0 to 65535",
                    found: book_move.depth.to_string(),
                });
            }
        }
        (book_move.eval, book_move.depth) = (eval, depth);
        Ok(())
    }
}

/// The file that is read.
#[derive(Clone, Debug)]
pub(super) struct Input {
    pub(super) path: PathBuf,
    pub(super) format: Format,
}

impl Input {
    pub(super) fn new(path: &Path, format: Format) -> Self {
        Self {
            path: path.to_owned(),
            format,
        }
    }

    /// Creates the error for a problem at byte `offset`, with the line number in a text file.
    pub(super) fn error(&self, offset: u64, problem: LineProblem) -> BookError {
        match self.format {
            Format::Db => line_error(&self.path, offset, problem),
            Format::Ybb | Format::Apery | Format::Sbk => {
                BookError::byte(&self.path, offset, problem.to_string())
            }
        }
    }

    /// As [`Self::error`] for several problems, reading a text file once.
    pub(super) fn errors(&self, mut problems: Vec<(u64, LineProblem)>) -> Result<Vec<BookError>> {
        problems.sort_by_key(|&(offset, _)| offset);
        if self.format != Format::Db {
            let error = |(offset, problem)| self.error(offset, problem);
            return Ok(problems.into_iter().map(error).collect());
        }
        let offsets: Vec<_> = problems.iter().map(|&(offset, _)| offset).collect();
        let lines = lines_at(&self.path, &offsets)?;
        let error = |(line, (_, problem))| BookError::Line {
            path: self.path.clone(),
            line,
            problem,
        };
        Ok(lines.into_iter().zip(problems).map(error).collect())
    }
}
