//! How each position was reached, for the line of the solution.

use shogi_core::Move;

/// Steps that are allocated at once.
const CHUNK: usize = 1 << 12;

/// A position with the attacker to move: the moves that led to it from an earlier one.
#[derive(Clone, Copy, Debug)]
struct Step {
    parent: u32,
    /// `None` at a start that has no move before its reply.
    check: Option<Move>,
    /// `None` at the position of the problem.
    reply: Option<Move>,
}

/// All positions by number, in the order in which they were found.
#[derive(Debug, Default)]
pub(super) struct Trail {
    chunks: Vec<Vec<Step>>,
    len: u32,
}

impl Trail {
    /// Adds a position reached from `parent` (from itself, if it is a start) and returns its number;
    /// `None` when there are no more numbers.
    pub(super) fn push(
        &mut self,
        parent: Option<u32>,
        check: Option<Move>,
        reply: Option<Move>,
    ) -> Option<u32> {
        let number = self.len;
        self.len = number.checked_add(1)?;
        if self.chunks.last().is_none_or(|chunk| chunk.len() == CHUNK) {
            self.chunks.push(Vec::with_capacity(CHUNK));
        }
        let parent = parent.unwrap_or(number);
        if let Some(chunk) = self.chunks.last_mut() {
            chunk.push(Step {
                parent,
                check,
                reply,
            });
        }
        Some(number)
    }

    /// Memory it takes.
    pub(super) const fn bytes(&self) -> usize {
        self.chunks.len() * CHUNK * size_of::<Step>()
    }

    /// The moves from the start to the position with this number.
    pub(super) fn line_to(&self, number: u32) -> Vec<Move> {
        let mut backwards = Vec::new();
        let mut number = number;
        loop {
            let step = &self.chunks[number as usize / CHUNK][number as usize % CHUNK];
            backwards.extend(step.reply);
            backwards.extend(step.check);
            if step.parent == number {
                break;
            }
            number = step.parent;
        }
        backwards.reverse();
        backwards
    }
}
