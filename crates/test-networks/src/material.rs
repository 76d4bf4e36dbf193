//! Networks that know nothing but what pieces are worth: their evaluations are the material balance.
//!
//! Both of two programs can play with such a file, so matches and measurements with it say something
//! about search and speed of a real network without anybody's weights.
//!
//! Every unit of the feature transformer adds up the same sum, a multiple of the material as its perspective
//! sees it, and begins to grow where the one before it ends: what the units show together is the sum
//! within a wide range, in units of the clipped activation. The affine layers only add that up.

use std::io::{self, Write};

use shogi_core::{Color, HandKind, Piece, PieceKind, Square};
use shogi_eval::BonaPiece;
use shogi_eval::nnue::arch::{Architecture, Classic, Sfnn, TransformerKind};
use shogi_eval::nnue::features::{FeatureIndexer, FeatureSet};
use shogi_eval::nnue::file::write_network;
use shogi_eval::nnue::{AffineLayers, FeatureWeights, FvScale};
use thiserror::Error;

/// The largest activation, and how much of the sum one unit shows.
const FULL: usize = 127;
/// Units of a classic network that show different parts of the sum, and what a unit of material adds
/// to it: sums of up to 4,127 times that fit 16 bits.
const CLASSIC_PARTS: usize = 256;
const CLASSIC_STEP: usize = 4;
/// As above for SFNN networks, whose sums are doubled, up to a material of 8,255.
const SFNN_PARTS: usize = 128;

/// No network of this shape counts material.
#[derive(Debug, Error)]
#[error(
    "a network of the shape {0} has no place for counting material: it needs pieces as features; \
     classic shapes as a rule a width that is 4, 8, 16 ... times the first hidden layer, and a second \
     hidden layer that is 1, 2, 4 ... times as large as the first; SFNN shapes a shortcut, a width that is a multiple of 256, \
     and neither shards nor progress"
)]
pub struct CannotCount(Architecture);

/// A network whose evaluation, with [`FvScale::DEFAULT`], is the material balance for the side to
/// move: exactly 0 when that is 0, else, for the usual shapes, within 8 units or a hundredth of it.
/// Classic networks saturate at 4,064 (with fewer than 256 units for each indexer at as much less),
/// SFNN networks at 8,064; sums wrap soon after that, so programs should not be kept playing games that
/// are won by more.
#[derive(Debug)]
pub struct MaterialNetwork {
    architecture: Architecture,
    biases: Vec<i16>,
    /// Units that show the sum; the others have weights of 0.
    counting: usize,
    /// The increase of the sum by a unit of material.
    step: i16,
    /// By feature.
    worths: Vec<i16>,
    layers: AffineLayers,
}

impl MaterialNetwork {
    /// The network of this shape.
    ///
    /// # Errors
    /// The shape has no place for it.
    pub fn new(architecture: Architecture) -> Result<Self, CannotCount> {
        match architecture {
            _ if !architecture.features().has_pieces() => None,
            Architecture::Classic(classic) => Self::classic(classic),
            Architecture::Sfnn(sfnn) => Self::sfnn(sfnn),
        }
        .ok_or(CannotCount(architecture))
    }

    /// Hidden unit j shows the j-th part of the sum of the side to move, in a [`FULL`]-th of it; the
    /// second hidden layer repeats the first.
    fn classic(classic: Classic) -> Option<Self> {
        let [first, second] = classic.hidden();
        let inputs = (classic.width() / first).min(64);
        let counting = first * inputs;
        let copies = counting.div_ceil(CLASSIC_PARTS);
        // Number of times the second layer repeats the first, and the worth of one of its outputs.
        let repeats = second / first;
        let worth = FvScale::DEFAULT.get() as usize * inputs / (copies * CLASSIC_STEP);
        let fits = classic.width().is_multiple_of(first)
            && inputs.is_power_of_two()
            && inputs.is_multiple_of(copies * CLASSIC_STEP)
            && repeats > 0
            && worth.is_multiple_of(repeats);
        if !fits {
            return None;
        }
        let weight = i8::try_from(worth / repeats).ok()?;
        let mut biases = staggered(counting, copies);
        biases.resize(classic.width(), 0);

        let architecture = Architecture::Classic(classic);
        let mut layers = AffineLayers::zeros(architecture, None);
        let [hidden1, hidden2, output] = layers.layers_mut();
        for unit in 0..first {
            // All inputs of a unit at their largest make its output the largest: a shift by 6 follows.
            let own = unit * inputs..(unit + 1) * inputs;
            hidden1.set_weights(0, unit, own, (64 / inputs) as i8);
        }
        for unit in 0..repeats * first {
            hidden2.set_weights(0, unit, unit % first..unit % first + 1, 64);
        }
        output.set_weights(0, 0, 0..repeats * first, weight);
        // Level when half of the units are full.
        output.stack_mut(0).0[0] = -((worth * first * FULL / 2) as i32);
        Some(Self {
            architecture,
            biases,
            counting,
            step: CLASSIC_STEP as i16,
            worths: worths(classic.features()),
            layers,
        })
    }

    /// Products of the first half of the units, which shows the sum, and the second, which is always
    /// full; the shortcut takes the difference of both perspectives.
    fn sfnn(sfnn: Sfnn) -> Option<Self> {
        let half = sfnn.width() / 2;
        let fits = sfnn.has_shortcut()
            && sfnn.transformer_kind() == TransformerKind::Full
            && half.is_multiple_of(SFNN_PARTS);
        let architecture = Architecture::Sfnn(sfnn);
        if !fits || architecture.has_progress() {
            return None;
        }
        let copies = half / SFNN_PARTS;
        let mut biases = staggered(half, copies);
        biases.resize(2 * half, FULL as i16);

        // Both perspectives show the material, with opposite signs, in every copy.
        let worth = FvScale::DEFAULT.get() as usize / 2;
        let mut layers = AffineLayers::zeros(architecture, None);
        let shortcut = sfnn.hidden()[0];
        let hidden1 = &mut layers.layers_mut()[0];
        for stack in 0..architecture.stack_count() {
            for unit in 0..half {
                let copy = unit % copies;
                let weight = (worth / copies + usize::from(copy < worth % copies)) as i8;
                hidden1.set_weights(stack, shortcut, unit..unit + 1, weight);
                hidden1.set_weights(stack, shortcut, half + unit..half + unit + 1, -weight);
            }
        }
        Some(Self {
            architecture,
            biases,
            counting: half,
            step: 1,
            worths: worths(sfnn.features()),
            layers,
        })
    }

    /// Writes the network's file without having it in memory.
    ///
    /// # Errors
    /// `out` cannot be written.
    pub fn write(&self, out: impl Write) -> io::Result<()> {
        let description = self.architecture.description();
        write_network(description.as_bytes(), self, &self.layers, out)
    }
}

impl FeatureWeights for MaterialNetwork {
    fn biases(&self) -> &[i16] {
        &self.biases
    }

    fn read_weights(&self, feature: usize, row: &mut [i16]) {
        row.fill(0);
        row[..self.counting].fill(self.step * self.worths[feature]);
    }
}

/// Biases of `units` units, of which every `copies` in a row show the same part of the sum; the parts
/// are the whole range of the sum, with 0 in the middle.
fn staggered(units: usize, copies: usize) -> Vec<i16> {
    let middle = (units / copies / 2) as i32;
    (0..units)
        .map(|unit| (FULL as i32 * (middle - (unit / copies) as i32)) as i16)
        .collect()
}

/// The value of each feature of `set` to the player who sees it. Kings and missing pieces are worth nothing.
pub(crate) fn worths(set: FeatureSet) -> Vec<i16> {
    let mut worths = vec![0; set.dimensions()];
    for king in Square::ALL {
        let indexer = FeatureIndexer::new(set, king);
        let mut note = |piece: BonaPiece, kind: PieceKind, owner: Color| {
            let value = kind.exchange_value() as i16;
            indexer.for_each(piece, |feature| {
                // In sets that distinguish attacks on a piece, its worth is the same under all.
                let stride = match set.attack_stride() {
                    0 => set.dimensions(),
                    stride => stride as usize,
                };
                for feature in (feature as usize..set.dimensions()).step_by(stride) {
                    worths[feature] = if owner == PERSPECTIVE { value } else { -value };
                }
            });
        };
        for owner in Color::ALL {
            for kind in PieceKind::ALL
                .into_iter()
                .filter(|&kind| kind != PieceKind::King)
            {
                for square in Square::ALL {
                    let piece = Piece::new(owner, kind);
                    note(BonaPiece::on_board(piece, square, PERSPECTIVE), kind, owner);
                }
            }
            for kind in HandKind::ALL {
                let kind_on_board = kind.piece_kind();
                for nth in 1..=kind_on_board.set_count() {
                    note(
                        BonaPiece::in_hand(kind, owner, nth, PERSPECTIVE),
                        kind_on_board,
                        owner,
                    );
                }
            }
        }
    }
    worths
}

/// Features are numbered alike for both players.
const PERSPECTIVE: Color = Color::Black;

#[cfg(test)]
pub(crate) mod tests {
    use shogi_core::Position;
    use shogi_eval::nnue::reference;

    use super::*;

    /// Level ones and others, handicaps among them.
    pub(crate) const SFENS: [&str; 5] = [
        Position::STARTPOS_SFEN,
        "lnsgkgsnl/1r5b1/p1ppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w P 4",
        "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
        "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
        "8l/1l+R2P3/p2pBG1pp/kps1p4/Nn1P2G2/P1P1P2PP/1PS6/1KSG3+r1/LN2+p3L b Sbgn3p 124",
    ];

    /// The material balance for the side to move.
    pub(crate) fn balance(position: &Position) -> i32 {
        match position.side_to_move() {
            Color::Black => position.material(),
            Color::White => -position.material(),
        }
    }

    #[test]
    fn evaluations_are_the_material() {
        for name in [
            "halfkp_256x2-32-32",
            "halfkpe9_256x2-32-32",
            "kp_256x2-32-32",
            "halfkpvm_512x2-16-32",
            "halfkp_1024x2-8-64",
            "SFNN_halfka1_256_7_8_k3k3",
            "SFNN_halfkahm2_1536_15_32_k3k3",
            "SFNN_ka2_512_15_32_hand4",
        ] {
            let network = MaterialNetwork::new(name.parse().unwrap()).unwrap();
            for sfen in SFENS {
                let position = Position::from_sfen(sfen).unwrap();
                let output = reference::output(&network, &network.layers, &position);
                let (value, expected) = (FvScale::DEFAULT.apply(output), balance(&position));
                let tolerance = if expected == 0 {
                    0
                } else {
                    8.max(expected.abs() / 100)
                };
                assert!(
                    (value - expected).abs() <= tolerance,
                    "{name} {sfen}: {value} instead of {expected}"
                );
            }
        }
    }

    #[test]
    fn shapes_without_a_place_for_it_are_refused() {
        for name in [
            "k_256x2-32-32",
            "SFNN_k_256_7_8",
            "halfkp_100x2-7-32",
            "SFNN_halfka2_256_8_32",
            "halfkp_256x2-32-16",
        ] {
            let error = MaterialNetwork::new(name.parse().unwrap()).unwrap_err();
            assert!(error.to_string().contains(name), "{error}");
        }
    }
}
