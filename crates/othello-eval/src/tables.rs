//! The tables of an evaluator, and the indices of a position into them.

use othello_core::{Board, Squares};

use crate::layout::{Pattern, PatternLayout};

/// Plies of a game, and so the most phases: one for each number of discs from 4 to 64.
pub(crate) const PLIES: usize = 61;

/// Weights for each number of the mover's discs, 0 to 64.
pub(crate) const DISC_COUNTS: usize = 65;

/// Sixteen numbers of a vector register.
pub(crate) type Lanes = [i16; 16];

/// The indices of all patterns of a board from the view of the player to move, in `C` registers of 16.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(32))]
pub struct Features<const C: usize>(pub(crate) [Lanes; C]);

impl<const C: usize> Features<C> {
    /// The indices from the other player's view: those after a pass.
    #[inline]
    pub fn passed(&self) -> Self {
        Self(self.0.map(|lanes| lanes.map(i16::wrapping_neg)))
    }
}

/// The phase of each ply: discs on the board less 4, from 0 to 60.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlyPhases {
    pub(super) of_ply: [u8; PLIES],
    pub(super) count: usize,
}

impl PlyPhases {
    /// The phases with these numbers, one for each ply. `None` unless the phases are all numbers from 0 to their largest and
    /// begin in this order.
    pub fn new(of_ply: [u8; PLIES]) -> Option<Self> {
        let mut count = 0;
        for &phase in &of_ply {
            if usize::from(phase) > count {
                return None;
            }
            count = count.max(usize::from(phase) + 1);
        }
        Some(Self { of_ply, count })
    }

    /// Phases that begin at these plies.
    ///
    /// # Panics
    /// When they are not in order from 0 to at most 60.
    pub fn from_first(plies: &[u8]) -> Self {
        assert!(plies.first() == Some(&0) && plies.is_sorted_by(|a, b| a < b));
        assert!(plies.iter().all(|&ply| usize::from(ply) < PLIES));
        let begun = |ply: usize| {
            let begun = plies.iter().filter(|&&first| usize::from(first) <= ply);
            begun.count()
        };
        Self {
            of_ply: std::array::from_fn(|ply| (begun(ply) - 1) as u8),
            count: plies.len(),
        }
    }

    /// Phases of `plies` plies, at least 1, one after the other; from the ply `parity` on two for every `2 * plies` plies, of
    /// even ones and of odd ones, as it matters more and more who moves last. Full boards have the last even phase.
    pub fn with_parity(plies: u8, parity: u8) -> Self {
        let (plies, parity) = (usize::from(plies.max(1)), usize::from(parity));
        let mut numbers: Vec<(usize, usize)> = Vec::new();
        let of_ply = std::array::from_fn(|ply| {
            let ply = ply.min(PLIES - 3 + ply % 2);
            let key = if ply < parity {
                (ply / plies, 0)
            } else {
                (PLIES + (ply - parity) / (2 * plies), ply % 2)
            };
            let known = numbers.iter().position(|&other| other == key);
            known.unwrap_or_else(|| {
                numbers.push(key);
                numbers.len() - 1
            }) as u8
        });
        Self {
            of_ply,
            count: numbers.len(),
        }
    }

    /// The number of phases.
    pub const fn count(&self) -> usize {
        self.count
    }

    /// The phase of each ply.
    pub const fn of_plies(&self) -> &[u8; PLIES] {
        &self.of_ply
    }

    /// The plies of a phase, in order.
    pub fn plies(&self, phase: usize) -> impl Iterator<Item = usize> + '_ {
        (0..PLIES).filter(move |&ply| usize::from(self.of_ply[ply]) == phase)
    }
}

/// The ply of a board with this number of discs: discs less 4, from 0 to 60.
#[inline(always)]
pub(crate) fn ply_of(discs: u32) -> usize {
    (discs as usize).saturating_sub(4).min(PLIES - 1)
}

/// What is added to the values of each ply, in [`UNITS_PER_DISC`](crate::UNITS_PER_DISC)ths of a disc.
///
/// Who moves last has an advantage that games from random positions show less than well-played ones: constants teach it to weights
/// that were fitted to the former.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlyOffsets(pub [i16; PLIES]);

impl Default for PlyOffsets {
    fn default() -> Self {
        Self([0; PLIES])
    }
}

/// The tables of one phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PhaseTables {
    /// For each pattern of the layout its weights by ternary number.
    pub patterns: Vec<Vec<i16>>,
    /// Weights by the number of the mover's discs, 0 to 64.
    pub discs: Vec<i16>,
}

/// Where the places of a layout are: what indices are made of, and which entries of tables they mean.
#[derive(Clone, Debug)]
pub(crate) struct Places<const C: usize> {
    /// Places on the board.
    pub(crate) count: usize,
    /// Registers with places.
    pub(crate) registers: usize,
    /// The entry of index 0 of each place in tables that lie one behind the other; where there is no place, behind all.
    pub(crate) offsets: [[i32; 16]; C],
    /// The largest index of each place, (3^n − 1) / 2; 0 where there is no place.
    pub(crate) halves: [Lanes; C],
    /// For each square what a disc of the mover adds to each index.
    pub(crate) steps: Box<[[Lanes; C]; 64]>,
}

impl<const C: usize> Places<C> {
    /// The places of a layout, of which there are at most 16 `C`.
    pub(super) fn new(layout: &PatternLayout) -> Self {
        let mut offsets = [[layout.weights() as i32; 16]; C];
        let mut halves = [[0; 16]; C];
        let mut steps = Box::new([[[0; 16]; C]; 64]);
        let (mut place, mut start) = (0, 0);
        for pattern in layout.patterns() {
            let half = (pattern.states() - 1) / 2;
            for squares in pattern.places() {
                let (register, lane) = (place / 16, place % 16);
                offsets[register][lane] = (start + half) as i32;
                halves[register][lane] = half as i16;
                let mut step = 1i16;
                for square in squares.iter().rev() {
                    steps[square.index()][register][lane] = step;
                    step = step.wrapping_mul(3);
                }
                place += 1;
            }
            start += pattern.states();
        }
        Self {
            count: place,
            registers: place.div_ceil(16),
            offsets,
            halves,
            steps,
        }
    }

    /// The indices of a board's patterns.
    pub(crate) fn features(&self, board: Board) -> Features<C> {
        let mut features = Features([[0; 16]; C]);
        let mut add = |squares: u64, sign: i16| {
            for square in Squares(squares) {
                let steps = &self.steps[square.index()];
                for (lanes, steps) in features.0.iter_mut().zip(steps) {
                    for (lane, step) in lanes.iter_mut().zip(steps) {
                        *lane = lane.wrapping_add(sign * step);
                    }
                }
            }
        };
        add(board.mover(), 1);
        add(board.opponent(), -1);
        features
    }
}

/// What the kernels read.
///
/// For every place and every phase `offset - half ..= offset + half` lies within the phase's stretch of `weights`, behind
/// which there is at least one more weight. [`Tables::new`] alone makes them, and nothing changes them.
#[derive(Clone, Debug)]
pub(crate) struct Tables<const C: usize> {
    pub(crate) places: Places<C>,
    /// The weights of all phases, by balanced number.
    pub(super) weights: Vec<i16>,
    /// Weights of a phase.
    pub(super) stride: usize,
}

impl<const C: usize> Tables<C> {
    pub(super) fn new(layout: &PatternLayout, phases: &[PhaseTables]) -> Self {
        // Places that are not there read the last weight of a phase, which is 0, as does whoever reads four bytes of the last.
        let stride = layout.weights() + 1;
        let mut weights = Vec::with_capacity(phases.len() * stride + 1);
        let indices: Vec<_> = layout.patterns().iter().map(Pattern::indices).collect();
        for phase in phases {
            let begin = weights.len();
            weights.resize(begin + stride, 0);
            let mut rest = &mut weights[begin..];
            for (indices, table) in indices.iter().zip(&phase.patterns) {
                let (own, behind) = rest.split_at_mut(indices.balanced.len());
                for (&balanced, &weight) in indices.balanced.iter().zip(table) {
                    own[usize::from(balanced)] = weight;
                }
                rest = behind;
            }
        }
        weights.push(0);
        Self {
            places: Places::new(layout),
            weights,
            stride,
        }
    }

    /// The weights of a phase, and one more.
    #[inline(always)]
    pub(crate) fn phase(&self, phase: usize) -> &[i16] {
        &self.weights[phase * self.stride..][..=self.stride]
    }
}
