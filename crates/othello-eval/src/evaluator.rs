//! Pattern tables laid out for evaluation, and the indices of the patterns of a board.
//!
//! The index of a pattern is balanced ternary: the sum of 3^k for each of the mover's discs minus that for each of the
//! opponent's. A move adds to it, changing sides negates it. Sixteen indices are a vector register.

use othello_core::{Board, Square, Squares};

use crate::layout::{Pattern, PatternLayout};
use crate::simd::{self, EvalMethod};
use crate::tables::{DISC_COUNTS, PlyOffsets, Tables, ply_of};
use crate::tables::{Features, PhaseTables, PlyPhases};

/// The unit of values: this many are a disc.
pub const UNITS_PER_DISC: i32 = 128;

/// Tables of a [`PatternLayout`] for each phase, with the value of boards. `C` is the number of registers of [`Features`], each
/// for 16 places.
#[derive(Clone, Debug)]
pub struct PatternEvaluator<const C: usize> {
    pub(crate) tables: Tables<C>,
    layout: PatternLayout,
    unit: i32,
    most_discs: i32,
    phases: PlyPhases,
    discs: Vec<[i16; DISC_COUNTS]>,
    offsets: PlyOffsets,
    method: EvalMethod,
}

impl<const C: usize> PatternEvaluator<C> {
    /// An evaluator of these tables.
    ///
    /// `units` of the weights are a disc. Values in discs are within `most_discs`.
    ///
    /// # Panics
    /// When a table does not have the layout's sizes, the layout more places than there are lanes, there is not a table for each
    /// phase, or `units` does not divide [`UNITS_PER_DISC`]: all mistakes of the caller. Files are checked before.
    pub fn new(
        layout: PatternLayout,
        phases: PlyPhases,
        tables: &[PhaseTables],
        units: i32,
        most_discs: i32,
    ) -> Self {
        assert!(layout.places() <= C * 16, "too many places");
        assert_eq!(tables.len(), phases.count(), "a table for each phase");
        assert!(units > 0 && UNITS_PER_DISC % units == 0);
        for phase in tables {
            let sizes = phase.patterns.iter().map(Vec::len);
            assert!(sizes.eq(layout.patterns().iter().map(Pattern::states)));
            assert_eq!(phase.discs.len(), DISC_COUNTS);
        }
        let discs = tables.iter().map(|phase| {
            let mut all = [0; DISC_COUNTS];
            all.copy_from_slice(&phase.discs);
            all
        });
        Self {
            tables: Tables::new(&layout, tables),
            layout,
            unit: UNITS_PER_DISC / units,
            most_discs,
            phases,
            discs: discs.collect(),
            offsets: PlyOffsets::default(),
            method: EvalMethod::best(),
        }
    }

    /// The same evaluator with other constants for each ply.
    pub const fn with_offsets(mut self, offsets: PlyOffsets) -> Self {
        self.offsets = offsets;
        self
    }

    /// The constants for each ply.
    pub const fn offsets(&self) -> &PlyOffsets {
        &self.offsets
    }

    /// The same evaluator by another method; by the portable one where the processor lacks it. Values are the same.
    pub fn with_method(mut self, method: EvalMethod) -> Self {
        self.method = method.or_portable();
        self
    }

    /// The patterns.
    pub const fn layout(&self) -> &PatternLayout {
        &self.layout
    }

    /// The phases.
    pub const fn phases(&self) -> &PlyPhases {
        &self.phases
    }

    /// The phase of a board with this number of discs.
    #[inline]
    pub fn phase(&self, discs: u32) -> usize {
        usize::from(self.phases.of_ply[ply_of(discs)])
    }

    /// The indices of a board's patterns.
    pub fn features(&self, board: Board) -> Features<C> {
        self.tables.places.features(board)
    }

    /// The indices after a disc of the mover on `square` that flips `flips`, from the view of the next player.
    #[inline]
    pub fn after(&self, features: &Features<C>, square: Square, flips: Squares) -> Features<C> {
        simd::after(self.method, &self.tables.places, features, square, flips)
    }

    /// The value of `board`, whose indices are `features`, in [`UNITS_PER_DISC`]ths of a disc.
    #[inline]
    pub fn value(&self, features: &Features<C>, board: Board) -> i32 {
        let phase = self.phase(board.discs());
        let sum = simd::sum(self.method, &self.tables, features, phase);
        self.scaled(sum, phase, board)
    }

    /// [`value`](Self::value) of the board after a move, from the indices before it.
    #[inline]
    pub fn value_after(
        &self,
        features: &Features<C>,
        square: Square,
        flips: Squares,
        after: Board,
    ) -> i32 {
        let phase = self.phase(after.discs());
        let sum = simd::sum_after(self.method, &self.tables, features, square, flips, phase);
        self.scaled(sum, phase, after)
    }

    /// The value of a board.
    pub fn evaluate(&self, board: Board) -> i32 {
        self.value(&self.features(board), board)
    }

    /// A value in whole discs, rounded, half away from zero, within the bounds of the file's program: 64, or 63 for Edax.
    #[inline]
    pub const fn discs(&self, value: i32) -> i32 {
        discs_within(value, self.most_discs)
    }

    #[inline(always)]
    fn scaled(&self, sum: i32, phase: usize, board: Board) -> i32 {
        let count = board.mover().count_ones() as usize;
        let offset = self.offsets.0[ply_of(board.discs())];
        (sum + i32::from(self.discs[phase][count])) * self.unit + i32::from(offset)
    }

    /// The tables of a phase, as they were given.
    pub fn phase_tables(&self, phase: usize) -> PhaseTables {
        let mut weights = self.tables.phase(phase);
        let patterns = self.layout.patterns().iter().map(|pattern| {
            let (own, rest) = weights.split_at(pattern.states());
            weights = rest;
            let balanced = pattern.indices().balanced;
            balanced.into_iter().map(|n| own[usize::from(n)]).collect()
        });
        PhaseTables {
            patterns: patterns.collect(),
            discs: self.discs[phase].to_vec(),
        }
    }

    /// The units of the weights that are a disc.
    pub const fn units(&self) -> i32 {
        UNITS_PER_DISC / self.unit
    }
}

/// A value in whole discs, rounded, half away from zero, within ±`most`.
#[inline]
pub(crate) const fn discs_within(value: i32, most: i32) -> i32 {
    let half = if value < 0 {
        -UNITS_PER_DISC / 2
    } else {
        UNITS_PER_DISC / 2
    };
    let discs = (value + half) / UNITS_PER_DISC;
    if discs > most {
        most
    } else if discs < -most {
        -most
    } else {
        discs
    }
}
