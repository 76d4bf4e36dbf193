//! The choice of a move at a node.

use super::PuctParams;
use super::tree::{Edge, Flags, NodeCounts};

/// What a look at the moves of a node tells about the move that led to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chosen {
    /// The number of the edge.
    pub(super) number: usize,
    pub(super) edge: Edge,
    /// What is now proved about the move that led here.
    pub(super) proves: Option<Flags>,
}

/// The edge with the largest upper bound; the first one that is known to win. Edges come with their numbers.
///
/// Q + c √N P / (1 + n), with Q the mean result of the edge's n playouts, N those of the node, P the prior, and c = ln((N + `c_base` + 1) / `c_base`) + `c_init`.
/// A move without a visit has Q = W/N − `c_fpu_reduction` √(priors chosen so far).
/// `None` without edges.
pub(super) fn select(
    node: NodeCounts,
    edges: impl Iterator<Item = (usize, Edge)>,
    params: &PuctParams,
    is_root: bool,
) -> Option<Chosen> {
    let (c_init, c_base, c_fpu) = if is_root {
        (
            params.c_init_root,
            params.c_base_root,
            params.c_fpu_reduction_root,
        )
    } else {
        (params.c_init, params.c_base, params.c_fpu_reduction)
    };
    let visits = node.visits as f32;
    let root = visits.sqrt();
    let c = ln((visits + c_base + 1.0) / c_base) + c_init;
    let first_value = if node.wins > 0.0 {
        (node.wins / visits - c_fpu * node.prior_sum.sqrt()).max(0.0)
    } else {
        0.0
    };
    let first_bound = if node.visits == 0 { 1.0 } else { root };
    let (mut best, mut most) = (None, f32::NEG_INFINITY);
    // What all moves that do not lose have in common.
    let mut common = Flags::ALL;
    for (number, edge) in edges {
        // Where all moves lose, the first one is taken.
        best = best.or(Some((number, edge)));
        if edge.flags.has(Flags::WIN) {
            continue;
        }
        if edge.flags.has(Flags::LOSE) {
            let proves = Some(Flags::WIN);
            return Some(Chosen {
                number,
                edge,
                proves,
            });
        }
        common = common.and(edge.flags);
        let (value, bound) = if edge.visits == 0 {
            (first_value, first_bound)
        } else {
            let count = edge.visits as f32;
            (edge.wins / count, root / (1.0 + count))
        };
        let score = value + c * bound * edge.prior;
        if score > most {
            most = score;
            best = Some((number, edge));
        }
    }
    let proves = if common.has(Flags::WIN) {
        Some(Flags::LOSE)
    } else if common.has(Flags::DRAW) {
        Some(Flags::DRAW)
    } else {
        None
    };
    best.map(|(number, edge)| Chosen {
        number,
        edge,
        proves,
    })
}

/// The natural logarithm of a normal positive number, to three digits: the exponent and a parabola for the mantissa, as the engines compute it
/// whose choices these are.
fn ln(x: f32) -> f32 {
    let bits = x.to_bits();
    let exponent = (bits >> 23) as i32 - 127;
    let mantissa = f32::from_bits(bits & 0x007f_ffff | 127 << 23) - 1.0;
    let log2 = mantissa * (1.346_555_2 - 0.346_555_23 * mantissa) + exponent as f32;
    std::f32::consts::LN_2 * log2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_near() {
        for x in [1.0_f32, 1.00004, 1.5, 2.0, 3.7, 100.0] {
            assert!((ln(x) - x.ln()).abs() < 0.01, "{x}");
        }
    }
}
