//! A fixed workload: the same positions to the same depth visit the same number of positions on
//! every machine, until the search changes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use shogi_core::{Game, Position};
use shogi_eval::{Evaluator, PositionalEvaluator};

use crate::{Control, Limits, Observer, SearchInfo, SearchOptions, SharedState, search};

/// Openings, middle games, attacks, endings and entering kings from games of this engine against
/// itself.
pub const BENCH_POSITIONS: [&str; 12] = [
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
    "ln1g1ksnl/r1s6/pppppgpp1/4bp2p/4B2P1/2P3P1P/PP1PPP3/2S2G1R1/LN1GK1SNL b - 23",
    "l2g2k1l/3s1gsb1/n1ppppppn/p6rp/1P4RP1/P1P2PP2/N1BPP3P/2S1G1S2/L4GKNL w P 46",
    "ln3gk1l/1r2g2b1/2pp1p1sn/pp1s2ppp/5R3/PPPPS1P2/2N2P3/1B1S1G3/L3KG1NL w 3Pp 46",
    "l5k1l/3sgg1b1/n1pppppsn/pr7/2P2RPPp/P3PP3/NPBP1GN1P/2S3S2/L4G1KL b Pp 69",
    "3gkg1n1/l2s1s2l/p2ppp1pp/2p3p2/P8/2+bL1P2P/NP2P1PP1/1p3S1R1/3GKG1NL w RBNPsp 46",
    "l5k1l/3sgg1b1/2p1pppsn/3p4r/PnP3PPp/LB1RPP3/1S1P1GN1P/6S2/5G1KL w 2Pn2p 92",
    "3k3l1/g2sgsr2/n1p1pp1p1/1Bn6/3P3n1/L1PpP2SL/PP3PP1P/2K6/1S1R3G1 w BL5Pgn 92",
    "1R2n1k1l/3sgg3/2p1ppb1n/3n4s/l1P4Pp/LB2PP3/SP1P1GN1P/6S2/+r4G1KL b 3P4p 115",
    "1+N3g3/3sk3+B/1p1pp2+Lp/2p2sp2/9/6N1P/+p+b1LP1PP1/3PKR3/1+rPs1G1NL b GN3Pgsl2p 115",
    "ln1g4p/r1s2s3/pp1pp2+P+P/2p4p1/5k1g1/3N5/PP1PPP1+l+l/2S2G+p2/LNKG1R3 b SP2bn2p 115",
    "7l1/1+B2ksr2/2p1pp1p1/2PN5/2lP2p2/2LKP2SL/PP1B+sP2P/4g4/3g3+n1 w 2GS6Pr2n 138",
];

/// Depth at which `bench` takes a second or two.
pub const BENCH_DEPTH: u32 = 12;

struct SilentObserver;

impl Observer for SilentObserver {
    fn info(&mut self, _: &SearchInfo) {}
}

/// Searches [`BENCH_POSITIONS`] to `depth` with the positional evaluation and a fresh table of 16 MiB
/// each. Returns the number of positions visited and the time taken.
///
/// # Panics
/// Never: the positions are valid and have legal moves.
pub fn bench(depth: u32) -> (u64, Duration) {
    bench_with(
        depth,
        &mut PositionalEvaluator::new(),
        &Arc::new(AtomicBool::new(false)),
    )
}

/// [`bench()`] with another evaluation. Ends early when `stop` is raised.
///
/// # Panics
/// Never: the positions are valid and have legal moves.
pub fn bench_with<E: Evaluator + ?Sized>(
    depth: u32,
    evaluator: &mut E,
    stop: &Arc<AtomicBool>,
) -> (u64, Duration) {
    let limits = Limits {
        depth: Some(depth),
        ..Limits::default()
    };
    let options = SearchOptions::default();
    let mut shared = SharedState::new(16);
    let (mut nodes, mut time) = (0, Duration::ZERO);
    for sfen in BENCH_POSITIONS {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let game = Game::new(Position::from_sfen(sfen).expect("bench positions are valid"));
        shared.new_game();
        let control = Control::with_stop(Arc::clone(stop));
        let result = search(
            &game,
            &limits,
            &options,
            evaluator,
            &mut shared,
            &control,
            &mut SilentObserver,
        );
        nodes += result.map_or(0, |result| result.nodes);
        time += control.elapsed();
    }
    (nodes, time)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Not a matter of right or wrong: a change that is meant to change the search changes the number here
    /// too. Any other change that does is a mistake.
    #[test]
    fn the_workload_is_the_same_everywhere() {
        assert_eq!(bench(8).0, 84_506);
        assert_eq!(bench(8).0, 84_506, "the second time");
    }

    #[test]
    fn the_positions_differ_and_can_be_played() {
        for (index, sfen) in BENCH_POSITIONS.iter().enumerate() {
            assert!(!BENCH_POSITIONS[..index].contains(sfen));
            assert!(
                !Position::from_sfen(sfen).unwrap().has_no_legal_move(),
                "{sfen}"
            );
        }
    }
}
