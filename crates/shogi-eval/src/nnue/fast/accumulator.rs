//! The accumulators along the line of moves from the root, updated lazily, and the cache from which they are refreshed.

use shogi_core::{Color, Delta, PieceKind, Position, Square};

use super::features::{
    AllFeatures, Contents, Differences, NOTHING, Seen, SeenByBoth, missing_pieces, own_king,
};
use super::prepared::PreparedNetwork;
use super::progress_line::ProgressLine;
use super::transformer;
use super::transformer::AccumulatorSink;
use crate::nnue::aligned::Aligned;
use crate::nnue::fast::sizes::Sizes;
use crate::nnue::features::{BoardFeatures, FeatureDeltas, FeatureSet};
use crate::nnue::network::GameProgress;
use crate::nnue::simd::{Isa, LINE, Line};
use crate::seen_by;

/// Positions that there is room for from the beginning.
const ROOM: usize = 256;

/// One position of the line. Arrays by perspective have black's first.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
struct AccumulatorEntry {
    /// The feature deltas of the move to it. If a perspective needs a refresh, its accumulator cannot be updated from
    /// that of the position before.
    deltas: FeatureDeltas,
    /// True if the accumulators are computed, by perspective.
    computed: [bool; 2],
    /// The square of each perspective's own king, as it sees it.
    own_kings: [Square; 2],
    /// Null moves since: they change nothing.
    passes: u32,
    /// The features of pieces on the board from there.
    views: [BoardFeatures; 2],
}

impl AccumulatorEntry {
    /// The root of a line, with nothing computed.
    fn root(features: FeatureSet) -> Self {
        let view = |perspective| BoardFeatures::new(features, perspective, Square::S5I);
        Self {
            deltas: FeatureDeltas::default(),
            computed: [false; 2],
            own_kings: [Square::S5I; 2],
            passes: 0,
            views: Color::ALL.map(view),
        }
    }

    /// Makes it the entry of `position`.
    #[inline]
    fn set_root(&mut self, features: FeatureSet, position: &Position) {
        for perspective in Color::ALL {
            self.set_own_king(features, perspective, own_king(position, perspective));
            self.deltas.refresh_if(perspective, true);
        }
        self.computed = [false; 2];
        self.passes = 0;
    }

    /// Sets the own king of `perspective` to `square`, as it sees it.
    #[inline]
    fn set_own_king(&mut self, features: FeatureSet, perspective: Color, square: Square) {
        self.own_kings[perspective.index()] = square;
        self.views[perspective.index()] = BoardFeatures::new(features, perspective, square);
    }
}

/// The accumulators of the line from the root, computed as far as they have been needed.
#[derive(Debug)]
pub(super) struct AccumulatorStack {
    features: FeatureSet,
    /// Entries from `len` on are stale; they stay, so that a move writes little.
    entries: Vec<AccumulatorEntry>,
    /// 0 before the first position.
    len: usize,
    /// By entry, then by perspective.
    accumulators: Aligned<i16>,
    /// The progress at each entry, if the network goes by it.
    progress: Option<ProgressLine>,
    /// Pieces of a set that are not in the game, kings aside.
    missing: u8,
}

impl AccumulatorStack {
    pub(super) fn new(network: &PreparedNetwork) -> Self {
        let features = network.architecture().features();
        Self {
            features,
            entries: vec![AccumulatorEntry::root(features); ROOM],
            len: 0,
            accumulators: Aligned::zeros(ROOM * 2 * network.lines() * LINE),
            progress: network.progress().map(|_| ProgressLine::default()),
            missing: 0,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Starts a new line at `position`.
    pub(super) fn reset(&mut self, position: &Position) {
        self.entries[0].set_root(self.features, position);
        self.len = 1;
        if let Some(progress) = &mut self.progress {
            progress.reset();
        }
        self.missing = missing_pieces(position);
    }

    /// Pushes a move, or a null move.
    #[inline]
    pub(super) fn push(&mut self, network: &PreparedNetwork, delta: Option<&Delta>) {
        let [.., last, next] = &mut self.entries[..=self.len] else {
            return;
        };
        let Some(delta) = delta else {
            last.passes += 1;
            return;
        };
        next.computed = [false; 2];
        next.own_kings = last.own_kings;
        next.views = last.views;
        let king_move = match delta.moved.after {
            Some((piece, to)) if piece.kind() == PieceKind::King => Some((piece.color(), to)),
            _ => None,
        };
        if let Some((color, to)) = king_move {
            next.set_own_king(self.features, color, seen_by(color, to));
        }
        let [black, white] = &next.views;
        BoardFeatures::deltas([black, white], self.features, delta, &mut next.deltas);
        let deltas = Color::ALL.map(|perspective| next.deltas.of(perspective));
        network.feature_weights().prefetch(deltas);
        next.passes = 0;
        if let Some(progress) = &mut self.progress {
            progress.push(delta);
        }
        self.len += 1;
        if self.len == self.entries.len() {
            self.grow();
        }
    }

    #[cold]
    fn grow(&mut self) {
        let unused = AccumulatorEntry::root(self.features);
        self.entries.resize(2 * self.entries.len(), unused);
        let mut accumulators = Aligned::zeros(2 * self.accumulators.len());
        accumulators[..self.accumulators.len()].copy_from_slice(&self.accumulators);
        self.accumulators = accumulators;
    }

    /// Pops the last move or null move.
    #[inline]
    pub(super) fn pop(&mut self) {
        if self.len == 0 {
            return;
        }
        match &mut self.entries[self.len - 1].passes {
            0 => {
                self.len -= 1;
                if let Some(progress) = &mut self.progress {
                    progress.pop();
                }
            }
            passes => *passes -= 1,
        }
    }

    /// The square of `color`'s king in the last position, as it sees it.
    #[inline(always)]
    pub(super) fn own_king(&self, color: Color) -> Square {
        self.entries[self.len - 1].own_kings[color.index()]
    }

    /// The progress in the last position, which is `position`; 0 if the network does not go by it.
    #[inline(always)]
    pub(super) fn progress(&mut self, network: &PreparedNetwork, position: &Position) -> u8 {
        match (network.progress(), &mut self.progress) {
            (Some(progress), Some(line)) => GameProgress::at(line.sum(progress, position)),
            _ => 0,
        }
    }

    /// The last position's accumulator of one perspective.
    #[inline(always)]
    pub(super) fn accumulator(&self, sizes: Sizes, perspective: Color) -> &[Line] {
        let place = 2 * (self.len - 1) + perspective.index();
        &self.accumulators.as_chunks().0[place * sizes.lines..][..sizes.lines]
    }

    /// Updates the accumulators of the last position from those of the one before, if these are computed, as nearly always
    /// in searches, and activates them while they are in registers. Returns whether that was so.
    #[inline(always)]
    pub(super) fn update_and_activate<I: Isa>(
        &mut self,
        isa: I,
        network: &PreparedNetwork,
        sizes: Sizes,
        [black, white]: [&mut impl AccumulatorSink; 2],
    ) -> bool {
        let last = self.len - 1;
        if !self.is_next(last) {
            return false;
        }
        let (rows, deltas) = (network.feature_weights(), &self.entries[last].deltas);
        if rows.may_have_outliers(isa, deltas.all()) {
            return false;
        }
        let lines = sizes.lines;
        let accumulators =
            &mut self.accumulators.as_chunks_mut().0[2 * (last - 1) * lines..][..4 * lines];
        let (from, to) = accumulators.split_at_mut(2 * lines);
        let (from_black, from_white) = from.split_at(lines);
        let (to_black, to_white) = to.split_at_mut(lines);
        let [of_black, of_white] = Color::ALL.map(|perspective| deltas.of(perspective));
        transformer::update_into(isa, from_black, to_black, rows, of_black, black);
        transformer::update_into(isa, from_white, to_white, rows, of_white, white);
        self.entries[last].computed = [true; 2];
        true
    }

    /// Updates the accumulators of the last position, which is `position`, or refreshes them from the cache.
    #[inline(always)]
    pub(super) fn update_accumulator<I: Isa>(
        &mut self,
        isa: I,
        network: &PreparedNetwork,
        sizes: Sizes,
        cache: &mut RefreshCache,
        position: &Position,
    ) {
        for perspective in Color::ALL {
            if let Some(start) = self.last_computed(perspective) {
                for entry in start + 1..self.len {
                    self.update_entry(isa, network, sizes, entry, perspective);
                }
            } else {
                let (seen, accumulators) = self.begin_refresh(sizes, position, perspective);
                cache.set_position(position);
                cache.refresh(isa, network, seen, accumulators);
            }
        }
    }

    /// Returns whether both accumulators of `entry` are to be computed and can be updated from the entry before.
    #[inline(always)]
    fn is_next(&self, entry: usize) -> bool {
        if entry == 0 {
            return false;
        }
        let [before, entry] = [&self.entries[entry - 1], &self.entries[entry]];
        before.computed == [true; 2]
            && entry.computed == [false; 2]
            && !entry.deltas.refreshes_any()
    }

    /// Refreshes the accumulators of the last position, which is `position`, from all of its features, which are left in `all`.
    #[inline(always)]
    pub(super) fn refresh_accumulator<I: Isa>(
        &mut self,
        isa: I,
        network: &PreparedNetwork,
        sizes: Sizes,
        all: &mut AllFeatures,
        position: &Position,
    ) {
        let [black, white] = &self.entries[self.len - 1].views;
        let seen = SeenByBoth {
            position,
            missing: self.missing,
            set: self.features,
            views: [black, white],
        };
        all.list(isa, seen);
        let rows = network.feature_weights();
        let biases = &network.biases().as_chunks().0[..sizes.lines];
        for perspective in Color::ALL {
            let added = all.of(perspective);
            rows.prefetch_all(added);
            let (_, accumulators) = self.begin_refresh(sizes, position, perspective);
            transformer::update(isa, biases, accumulators, rows, &[], added);
        }
    }

    /// Marks the accumulator of the last position, which is `position`, as computed. Returns what it depends on and where
    /// it is to be written.
    #[inline(always)]
    fn begin_refresh<'a>(
        &mut self,
        sizes: Sizes,
        position: &'a Position,
        perspective: Color,
    ) -> (Seen<'a>, &mut [Line]) {
        let last = self.len - 1;
        let entry = &mut self.entries[last];
        entry.computed[perspective.index()] = true;
        let seen = Seen {
            position,
            missing: self.missing,
            set: self.features,
            perspective,
            own_king: entry.own_kings[perspective.index()],
        };
        let place = (2 * last + perspective.index()) * sizes.lines;
        let accumulators = self.accumulators.as_chunks_mut().0;
        (seen, &mut accumulators[place..][..sizes.lines])
    }

    /// The last entry whose accumulator is computed, if no entry after it needs a refresh.
    #[inline(always)]
    fn last_computed(&self, perspective: Color) -> Option<usize> {
        for (number, entry) in self.entries[..self.len].iter().enumerate().rev() {
            if entry.computed[perspective.index()] {
                return Some(number);
            }
            if entry.deltas.refresh(perspective) {
                return None;
            }
        }
        None
    }

    /// Updates the accumulator of `entry` from that of the entry before.
    #[inline(always)]
    fn update_entry<I: Isa>(
        &mut self,
        isa: I,
        network: &PreparedNetwork,
        sizes: Sizes,
        entry: usize,
        perspective: Color,
    ) {
        let lines = sizes.lines;
        let accumulators = self.accumulators.as_chunks_mut().0;
        let accumulators = &mut accumulators[2 * (entry - 1) * lines..][..4 * lines];
        let (before, after) = accumulators.split_at_mut(2 * lines);
        let from = &before[perspective.index() * lines..][..lines];
        let to = &mut after[perspective.index() * lines..][..lines];
        let next = &mut self.entries[entry];
        next.computed[perspective.index()] = true;
        let deltas = &next.deltas;
        transformer::apply_deltas(
            isa,
            from,
            to,
            network.feature_weights(),
            deltas.of(perspective),
            deltas.all(),
        );
    }
}

/// The refresh cache ("Finny table"): by perspective and own king's square, the accumulator of the last position with the king
/// there, so that a king move costs the pieces that changed since, not all pieces.
#[derive(Debug)]
pub(super) struct RefreshCache {
    entries: Vec<Contents>,
    accumulators: Aligned<i16>,
    /// The contents of the position to refresh.
    contents: Contents,
    differences: Differences,
}

impl RefreshCache {
    /// Accumulators of the empty board.
    pub(super) fn new(network: &PreparedNetwork) -> Self {
        let size = network.lines() * LINE;
        let count = Color::ALL.len() * Square::COUNT;
        let mut accumulators = Aligned::zeros(count * size);
        for entry in accumulators.chunks_exact_mut(size) {
            entry.copy_from_slice(network.biases());
        }
        Self {
            entries: vec![Contents::EMPTY; count],
            accumulators,
            contents: Contents::EMPTY,
            differences: Differences::NONE,
        }
    }

    /// Sets the position to refresh.
    #[inline(always)]
    pub(super) fn set_position(&mut self, position: &Position) {
        self.contents.set_board(position);
    }

    /// Refreshes the accumulator of one perspective of that position.
    #[inline(always)]
    pub(super) fn refresh<I: Isa>(
        &mut self,
        isa: I,
        network: &PreparedNetwork,
        seen: Seen<'_>,
        accumulators: &mut [Line],
    ) {
        let place = seen.perspective.index() * Square::COUNT + seen.own_king.index();
        let entry = &mut self.entries[place];
        self.contents.set_view(seen);
        entry.compare(isa, &self.contents, seen, &mut self.differences);
        entry.clone_from(&self.contents);
        let cached = self.accumulators.as_chunks_mut().0;
        let cached = &mut cached[place * accumulators.len()..][..accumulators.len()];
        let Differences { removed, added } = &self.differences;
        let mut from = &*cached;
        if removed.as_slice().len() + added.as_slice().len() > seen.set.active_count() {
            // Not much is left of what stood there when the king was there last.
            NOTHING.compare(isa, &self.contents, seen, &mut self.differences);
            from = &network.biases().as_chunks().0[..accumulators.len()];
        }
        let Differences { removed, added } = &self.differences;
        let (removed, added) = (removed.as_slice(), added.as_slice());
        transformer::update(
            isa,
            from,
            accumulators,
            network.feature_weights(),
            removed,
            added,
        );
        cached.copy_from_slice(accumulators);
    }
}
