//! Positions that a worker has read and checked.

use shogi_core::Position;
use yane_io::Pool;
use yane_io::external::RunBuilder;

use super::input::Input;
use super::target::Target;
use super::{BadInput, LostPosition, body};
use crate::db::Fault;
use crate::{BookMove, Result};

/// Faults remembered for the report.
pub(super) const REMEMBERED: usize = 100;

/// What every worker knows.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    pub(super) input: Input,
    pub(super) target: Target,
    pub(super) bad_input: BadInput,
}

/// What was left out.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) without_moves: u64,
    pub(super) bad_positions: u64,
    pub(super) bad_moves: u64,
    pub(super) collisions: u64,
    pub(super) collided: Vec<LostPosition>,
    pub(super) faults: Vec<(u64, Fault)>,
}

/// A position with its moves on its way to the sorter.
#[derive(Debug, Default)]
pub(super) struct Item {
    /// Where it begins in the input, in bytes.
    pub(super) at: u64,
    pub(super) moves: Vec<BookMove>,
    /// Whether a move was left out.
    lost_moves: bool,
}

/// The work of one call of a worker.
#[derive(Debug)]
pub(super) struct Batch<'a> {
    rules: &'a Rules,
    pool: &'a Pool,
    run: RunBuilder,
    tally: Tally,
    key: Vec<u8>,
}

/// A batch that is done.
#[derive(Debug)]
pub(super) struct Done {
    /// Sorted records.
    pub(super) run: Vec<u8>,
    /// Number of records.
    pub(super) positions: u64,
    pub(super) tally: Tally,
    /// For the progress, in the unit of the stage.
    pub(super) amount: u64,
}

impl Item {
    /// Empties it for the next position, which begins at byte `at`.
    pub(super) fn begin(&mut self, at: u64) {
        self.at = at;
        self.moves.clear();
        self.lost_moves = false;
    }
}

impl<'a> Batch<'a> {
    /// An empty one, in a buffer of `pool` with room for `bytes` of records.
    pub(super) fn new(rules: &'a Rules, pool: &'a Pool, bytes: usize) -> Self {
        Self {
            rules,
            pool,
            run: RunBuilder::in_buffer(pool.take(bytes)),
            tally: Tally::default(),
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
        item: &mut Item,
        position: &Position,
        mut book_move: BookMove,
        at: u64,
    ) -> Result<()> {
        let legal = book_move.mv.is_none_or(|mv| {
            let complete = position.move_from_16(mv);
            complete.is_some_and(|m| position.is_legal(m))
        });
        let fault = if legal {
            self.rules.target.fit_move(&mut book_move).err()
        } else {
            Some(illegal(&book_move))
        };
        match fault {
            None => {
                self.rules.target.join(&mut item.moves, book_move);
                Ok(())
            }
            Some(fault) => self.bad_move(item, at, fault),
        }
    }

    /// Reports a bad move of `item`, or leaves it out.
    #[cold]
    pub(super) fn bad_move(&mut self, item: &mut Item, at: u64, fault: Fault) -> Result<()> {
        self.bad(at, fault)?;
        item.lost_moves = true;
        self.tally.bad_moves += 1;
        Ok(())
    }

    /// Reports a bad position, or leaves it out.
    #[cold]
    pub(super) fn bad_position(&mut self, at: u64, fault: Fault) -> Result<()> {
        self.bad(at, fault)?;
        self.tally.bad_positions += 1;
        Ok(())
    }

    /// Counts a position one of whose moves is illegal because another has the same key.
    pub(super) fn collision(&mut self, lost: impl FnOnce() -> LostPosition) {
        self.tally.collisions += 1;
        if self.tally.collided.len() < REMEMBERED {
            self.tally.collided.push(lost());
        }
    }

    fn bad(&mut self, at: u64, fault: Fault) -> Result<()> {
        if self.rules.bad_input == BadInput::Refuse {
            return Err(self.rules.input.error(at, fault));
        }
        if self.tally.faults.len() < REMEMBERED {
            self.tally.faults.push((at, fault));
        }
        Ok(())
    }

    /// Adds the position with the moves in `item`.
    pub(super) fn add(&mut self, position: &Position, item: &Item) -> Result<()> {
        if item.moves.is_empty() {
            self.tally.without_moves += u64::from(!item.lost_moves);
            return Ok(());
        }
        let target = self.rules.target;
        let mut ply = position.ply();
        let fitted = target
            .fit_ply(&mut ply)
            .and_then(|()| target.key(position, &mut self.key));
        if let Err(fault) = fitted {
            return self.bad_position(item.at, fault);
        }
        let push_body = |out: &mut Vec<u8>| body::push(out, item.at, ply, &item.moves);
        self.run.push_with(&self.key, push_body);
        Ok(())
    }
}

fn illegal(book_move: &BookMove) -> Fault {
    let text = book_move.mv.map(|mv| match mv.decode() {
        Some(text) => text.to_string(),
        None => format!("{:#06x}", mv.0),
    });
    Fault::Illegal(text.unwrap_or_default())
}
