//! The sums of the game progress along the line of moves from the root, computed where they are asked for.

use shogi_core::{Color, Delta, PieceKind, Position};

use super::features::own_king;
use crate::Changes;
use crate::nnue::network::GameProgress;

/// The sums of one position of the line.
#[derive(Clone, Copy, Debug)]
struct ProgressEntry {
    /// The changes of the move to it; `None` at the root.
    delta: Option<Delta>,
    /// The sum over the pieces of each perspective, black's first, where it is computed.
    sums: [Option<i64>; 2],
}

impl ProgressEntry {
    /// The entry after the move with these changes, with nothing computed.
    const fn new(delta: Option<Delta>) -> Self {
        Self {
            delta,
            sums: [None; 2],
        }
    }

    /// Returns whether the king of `perspective` made the move, by which all weights of its sum are others.
    fn moved_king(&self, perspective: Color) -> bool {
        let piece = self.delta.and_then(|delta| delta.moved.after);
        piece.is_some_and(|(piece, _)| {
            piece.kind() == PieceKind::King && piece.color() == perspective
        })
    }
}

/// The sums along a line. A null move is no entry, as it changes nothing.
#[derive(Debug, Default)]
pub(super) struct ProgressLine {
    entries: Vec<ProgressEntry>,
}

impl ProgressLine {
    /// Starts a new line.
    pub(super) fn reset(&mut self) {
        self.entries.clear();
        self.entries.push(ProgressEntry::new(None));
    }

    /// Pushes a move.
    #[inline]
    pub(super) fn push(&mut self, delta: &Delta) {
        self.entries.push(ProgressEntry::new(Some(*delta)));
    }

    /// Pops the last move.
    #[inline]
    pub(super) fn pop(&mut self) {
        self.entries.pop();
    }

    /// The sum over the pieces of both views in the last position, which is `position`, with the bias.
    pub(super) fn sum(&mut self, progress: &GameProgress, position: &Position) -> i64 {
        let views = Color::ALL.map(|perspective| self.view_sum(progress, position, perspective));
        i64::from(progress.bias()) + views.into_iter().sum::<i64>()
    }

    /// From the last sum before, if the perspective's own king has not moved since; otherwise from all pieces.
    fn view_sum(
        &mut self,
        progress: &GameProgress,
        position: &Position,
        perspective: Color,
    ) -> i64 {
        let view = perspective.index();
        let own_king = own_king(position, perspective);
        let Some((computed, mut sum)) = self.last_computed(perspective) else {
            let sum = progress.position_sum(position, perspective, own_king);
            if let Some(last) = self.entries.last_mut() {
                last.sums[view] = Some(sum);
            }
            return sum;
        };
        for entry in &mut self.entries[computed + 1..] {
            if let Some(delta) = &entry.delta {
                for change in Changes::new(delta).pieces() {
                    let [before, after] = [change.before, change.after]
                        .map(|piece| progress.weight(own_king, piece[perspective]));
                    sum += i64::from(after) - i64::from(before);
                }
            }
            entry.sums[view] = Some(sum);
        }
        sum
    }

    /// The last entry whose sum is computed, and the sum, if no king's move after it makes it useless.
    fn last_computed(&self, perspective: Color) -> Option<(usize, i64)> {
        for (number, entry) in self.entries.iter().enumerate().rev() {
            if let Some(sum) = entry.sums[perspective.index()] {
                return Some((number, sum));
            }
            if entry.moved_king(perspective) {
                return None;
            }
        }
        None
    }
}
