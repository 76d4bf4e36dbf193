//! From the positions of a layer to those of the next.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use shogi_core::movegen::{All, Checks, LegalAll, MoveList};
use shogi_core::{Color, Move, Position};

use super::layer::{Chunk, pack};
use super::seen::Seen;
use crate::Reason;

/// When to give up.
#[derive(Debug)]
pub(super) struct Watch<'a> {
    pub(super) stop: &'a AtomicBool,
    pub(super) deadline: Option<Instant>,
}

/// Looks at the clock after this many positions.
const CLOCK_INTERVAL: usize = 32;

impl Watch<'_> {
    /// Whether to give up now.
    pub(super) fn check(&self) -> Result<(), Reason> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(Reason::Stopped);
        }
        if self
            .deadline
            .is_some_and(|deadline| Instant::now() >= deadline)
        {
            return Err(Reason::Time);
        }
        Ok(())
    }
}

/// A position found: how to get there, and its packed form's end in [`Expansion::bytes`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Child {
    pub(super) key: u128,
    pub(super) parent: u32,
    pub(super) check: Move,
    pub(super) reply: Move,
    pub(super) end: usize,
}

/// What came out of a chunk.
#[derive(Debug, Default)]
pub(super) struct Expansion {
    /// The position and the move that mates, if any.
    pub(super) mate: Option<(u32, Move)>,
    /// Positions that were not known yet. Some may be there twice.
    pub(super) children: Vec<Child>,
    /// Their packed forms.
    pub(super) bytes: Vec<u8>,
    /// Moves made.
    pub(super) nodes: u64,
}

impl Expansion {
    /// Plays every check and every reply in the positions of `chunk`; ends at the first mate.
    pub(super) fn of(
        chunk: &Chunk,
        attacker: Color,
        seen: &Seen,
        watch: &Watch<'_>,
    ) -> Result<Self, Reason> {
        let mut expansion = Self::default();
        for (i, (number, mut position)) in chunk.positions(attacker).enumerate() {
            if i.is_multiple_of(CLOCK_INTERVAL) {
                watch.check()?;
            }
            if expansion.position(number, &mut position, seen) {
                break;
            }
        }
        Ok(expansion)
    }

    /// Whether one of the checks mates.
    fn position(&mut self, number: u32, position: &mut Position, seen: &Seen) -> bool {
        let checks: MoveList = position.moves::<All<Checks>>();
        for check in checks {
            let undo = position.do_move(check);
            self.nodes += 1;
            let replies = position.moves::<LegalAll>();
            if replies.is_empty() {
                self.mate = Some((number, check));
                return true;
            }
            for reply in replies {
                self.reply(number, position, check, reply, seen);
            }
            position.undo_move(check, &undo);
        }
        false
    }

    fn reply(
        &mut self,
        parent: u32,
        position: &mut Position,
        check: Move,
        reply: Move,
        seen: &Seen,
    ) {
        let undo = position.do_move(reply);
        self.nodes += 1;
        let key = position.key128();
        if !seen.contains(key) {
            pack(position, &mut self.bytes);
            self.children.push(Child {
                key,
                parent,
                check,
                reply,
                end: self.bytes.len(),
            });
        }
        position.undo_move(reply, &undo);
    }
}
