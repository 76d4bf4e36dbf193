//! The sums of the first layer along the line of moves from the root.

use shogi_core::{ByColor, Color, Delta, Position, Square};

use super::cache::RefreshCache;
use super::features::Contents;
use super::prepared::{PreparedNetwork, RowsOf};
use super::rows;
use crate::nnue::aligned::Aligned;
use crate::nnue::features::Update;
use crate::nnue::simd::{Isa, LINE, Line};
use crate::{Changes, seen_by};

/// Positions that there is room for from the beginning.
const ROOM: usize = 256;

/// What is known of one position of the line.
#[derive(Debug)]
struct Slot {
    /// What the move to it changed; `None` at the root.
    changes: Option<Changes>,
    kings: ByColor<Square>,
    /// Whether the sums are there, by viewer.
    ready: ByColor<bool>,
    /// Passes since: they change nothing.
    passes: u32,
}

/// The line from the root, with sums as far as they have been needed.
#[derive(Debug)]
pub(super) struct Stack {
    /// Empty before the first position.
    slots: Vec<Slot>,
    /// By slot, then by viewer.
    sums: Aligned<i16>,
    lines: usize,
}

impl Stack {
    pub(super) fn new(network: &PreparedNetwork) -> Self {
        let lines = network.lines();
        Self {
            slots: Vec::with_capacity(ROOM),
            sums: Aligned::zeros(ROOM * 2 * lines * LINE),
            lines,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Begins anew.
    pub(super) fn reset(&mut self, position: &Position) {
        let king = |color| position.king(color).unwrap_or(seen_by(color, Square::S5I));
        self.slots.clear();
        self.slots.push(Slot {
            changes: None,
            kings: ByColor(Color::ALL.map(king)),
            ready: ByColor([false; 2]),
            passes: 0,
        });
    }

    /// A move was made.
    #[inline]
    pub(super) fn push(&mut self, delta: Option<&Delta>) {
        let Some(last) = self.slots.last_mut() else {
            return;
        };
        let Some(delta) = delta else {
            last.passes += 1;
            return;
        };
        let changes = Changes::new(delta);
        let mut kings = last.kings;
        if let (Some(color), Some((_, to))) = (changes.king_moved(), delta.moved.after) {
            kings[color] = to;
        }
        self.slots.push(Slot {
            changes: Some(changes),
            kings,
            ready: ByColor([false; 2]),
            passes: 0,
        });
        self.make_room();
    }

    #[inline(always)]
    fn make_room(&mut self) {
        let size = 2 * self.lines * LINE;
        if self.slots.len() * size > self.sums.len() {
            let mut sums = Aligned::zeros(2 * self.sums.len());
            sums[..self.sums.len()].copy_from_slice(&self.sums);
            self.sums = sums;
        }
    }

    /// The last move was taken back.
    #[inline]
    pub(super) fn pop(&mut self) {
        match self.slots.last_mut() {
            Some(last) if last.passes > 0 => last.passes -= 1,
            _ => drop(self.slots.pop()),
        }
    }

    /// The last position's sums in both views, the side to move's first.
    #[inline(always)]
    pub(super) fn views(&self, side_to_move: Color) -> [&[Line]; 2] {
        let last = self.slots.len() - 1;
        [side_to_move, side_to_move.flip()].map(|viewer| {
            let at = (2 * last + viewer.index()) * self.lines * LINE;
            self.sums[at..][..self.lines * LINE].as_chunks().0
        })
    }

    /// Computes the sums of the last position, which is `position`.
    #[inline(always)]
    pub(super) fn bring_up<I: Isa>(
        &mut self,
        isa: I,
        rows: RowsOf<'_>,
        cache: &mut RefreshCache,
        position: &Position,
    ) {
        for viewer in Color::ALL {
            let last = self.slots.len() - 1;
            if let Some(start) = self.start(rows, viewer) {
                for slot in start + 1..=last {
                    self.step(isa, rows, slot, viewer);
                }
                continue;
            }
            let slot = &mut self.slots[last];
            slot.ready[viewer] = true;
            let king = seen_by(viewer, slot.kings[viewer]);
            let at = (2 * last + viewer.index()) * self.lines * LINE;
            let sums = &mut self.sums[at..][..self.lines * LINE];
            let sums = sums.as_chunks_mut().0;
            cache.refresh(isa, rows, position, viewer, king, sums);
        }
    }

    /// Computes the sums of the last position, which is `position`, from nothing.
    #[inline(always)]
    pub(super) fn compute_afresh<I: Isa>(
        &mut self,
        isa: I,
        network: &PreparedNetwork,
        position: &Position,
    ) {
        let (rows, size) = (network.rows(), self.lines * LINE);
        let set = rows.features;
        let last = self.slots.len() - 1;
        let slot = &mut self.slots[last];
        for viewer in Color::ALL {
            slot.ready[viewer] = true;
            let king = seen_by(viewer, slot.kings[viewer]);
            let contents = Contents::new(position, set, viewer);
            let [removed, added] = Contents::EMPTY.changes(&contents, set, viewer, king);
            let sums = &mut self.sums[(2 * last + viewer.index()) * size..][..size];
            let (from, to) = (network.biases().as_chunks().0, sums.as_chunks_mut().0);
            rows::update(isa, from, to, |feature| rows.row(feature), &removed, &added);
        }
    }

    /// The last slot whose sums are there, if those of the last one can be computed from them.
    #[inline(always)]
    fn start(&self, rows: RowsOf<'_>, viewer: Color) -> Option<usize> {
        let set = rows.features;
        for (number, slot) in self.slots.iter().enumerate().rev() {
            if slot.ready[viewer] {
                return Some(number);
            }
            let changes = slot.changes.as_ref()?;
            let king_moved = changes.king_moved() == Some(viewer);
            if set.depends_on_attacks() || (set.is_king_relative() && king_moved) {
                return None;
            }
        }
        None
    }

    /// Computes the sums of `slot` from those of the one before.
    #[inline(always)]
    fn step<I: Isa>(&mut self, isa: I, rows: RowsOf<'_>, slot: usize, viewer: Color) {
        let this = &mut self.slots[slot];
        this.ready[viewer] = true;
        let king = seen_by(viewer, this.kings[viewer]);
        let Some(changes) = &this.changes else {
            return;
        };
        let size = self.lines * LINE;
        let (before, after) = self.sums.split_at_mut(2 * slot * size);
        let from = &before[(2 * (slot - 1) + viewer.index()) * size..][..size];
        let to = &mut after[viewer.index() * size..][..size];
        let (from, to) = (from.as_chunks().0, to.as_chunks_mut().0);
        if let Update::Changed { removed, added } = rows.features.update(changes, viewer, king) {
            rows::prefetch(isa, |feature| rows.row(feature), &removed);
            rows::prefetch(isa, |feature| rows.row(feature), &added);
            rows::update(isa, from, to, |feature| rows.row(feature), &removed, &added);
        }
    }
}
