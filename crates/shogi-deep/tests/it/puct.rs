//! The tree search against YaneuraOu's deep edition, and against a network that needs no file.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use float_lanes::VectorLimit;
use serde::Deserialize;
use shogi_core::{Game, Position};
use shogi_deep::{
    NativeNetwork, NetworkModel, PolicyValue, PolicyValueEvaluator, PuctParams, PuctSearch,
    RootMove, RootProof, centipawns_of_win_rate,
};
use test_support::{fixture_bytes, fixture_rows};

/// The settings of the golden searches.
fn params(cfg: &str, max_moves: u32) -> PuctParams {
    let default = PuctParams {
        max_moves_to_draw: (max_moves > 0).then_some(max_moves),
        leaf_mate_nodes: if cfg == "leaf40" { 40 } else { 0 },
        ..PuctParams::default()
    };
    match cfg {
        "default" => PuctParams {
            softmax_temperature: 1.0,
            ..default
        },
        "alt" => PuctParams {
            c_init: 2.0,
            c_base: 10000.0,
            c_fpu_reduction: 0.5,
            c_init_root: 0.8,
            c_base_root: 10000.0,
            c_fpu_reduction_root: 0.3,
            draw_value_black: 0.7,
            draw_value_white: 0.2,
            ..default
        },
        _ => default,
    }
}

fn visited(search: &PuctSearch) -> BTreeMap<String, RootMove> {
    let moves = search.root_moves().into_iter();
    moves
        .filter(|root| root.visits > 0)
        .map(|root| (root.m.to_string(), root))
        .collect()
}

/// Values and logits from a hash of the position, or all the same.
struct Mock {
    is_flat: bool,
    outputs: Vec<PolicyValue>,
}

impl Mock {
    fn new(is_flat: bool, places: usize) -> Self {
        Self {
            is_flat,
            outputs: vec![PolicyValue::default(); places],
        }
    }
}

impl PolicyValueEvaluator for Mock {
    fn max_batch(&self) -> usize {
        self.outputs.len()
    }

    fn put(&mut self, place: usize, position: &Position) {
        if self.is_flat {
            return;
        }
        // FNV-1a.
        let text = position.to_sfen_without_ply();
        let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
        });
        let output = &mut self.outputs[place];
        output.value = (52 + (hash >> 32) % 921) as f32 / 1024.0;
        for (label, logit) in output.logits.iter_mut().enumerate() {
            let mixed = hash ^ (label as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let mixed = mixed.wrapping_mul(0xD6E8_FEB8_6659_FD93) >> 40;
            *logit = (mixed as i64 - (1 << 23)) as f32 / (1 << 22) as f32;
        }
    }

    fn evaluate(&mut self, _count: usize) {}

    fn output(&self, place: usize) -> &PolicyValue {
        &self.outputs[place]
    }
}

#[derive(Deserialize)]
struct MockRow {
    id: u32,
    sfen: String,
    mode: String,
    cfg: String,
    maxmoves: u32,
    playouts: u32,
    root_w: f32,
    visits: Vec<(String, u32, f32)>,
    flags: BTreeMap<String, u8>,
}

#[test]
fn searches_with_a_mock_network_are_the_same() {
    let rows: Vec<MockRow> = fixture_rows("deep/puct_mock.jsonl");
    assert_eq!(rows.len(), 91);
    for row in rows {
        let name = format!("{} {} {} {}", row.id, row.mode, row.cfg, row.playouts);
        let mut mock = Mock::new(row.mode == "flat", 1);
        // In one of them the side to move could take the king: that is no position here.
        let Ok(position) = Position::from_sfen(&row.sfen) else {
            assert_eq!(row.id, 903);
            continue;
        };
        let game = Game::new(position);
        let mut search = PuctSearch::new(game, params(&row.cfg, row.maxmoves), &mut mock);
        // In two parts: nothing is lost between them.
        search.run(&mut mock, row.playouts / 2);
        search.run(&mut mock, row.playouts - row.playouts / 2);
        let found = visited(&search);
        let visits: Vec<(String, u32)> = found
            .iter()
            .map(|(name, root)| (name.clone(), root.visits))
            .collect();
        let expected: Vec<(String, u32)> = row
            .visits
            .iter()
            .map(|(m, visits, _)| (m.clone(), *visits))
            .collect();
        assert_eq!(visits, expected, "{name}");
        for (m, _, wins) in &row.visits {
            assert!((found[m].wins - wins).abs() < 2e-3, "{name} {m}");
        }
        assert!((search.root_wins() - row.root_w).abs() < 2e-3, "{name}");
        assert_eq!(search.visits(), row.playouts);
        for root in search.root_moves() {
            let proof = match row.flags.get(&root.m.to_string()) {
                None => RootProof::Open,
                Some(1) => RootProof::Loses,
                Some(2) => RootProof::Wins,
                Some(_) => RootProof::Draws,
            };
            assert_eq!(root.proof, proof, "{name} {}", root.m);
        }
    }
}

#[test]
fn batches_leave_no_virtual_loss_behind() {
    for places in [1, 3, 8, 32] {
        for sfen in [
            Position::STARTPOS_SFEN,
            "4k4/9/4P4/9/9/9/9/9/4K4 b G 1",
            "l4S2l/4g1gs1/5p1p1/pr2N1pkp/4Gn3/PP3PPPP/2GPP4/1K7/L3r+s2L w BS2N5Pb 1",
        ] {
            let mut mock = Mock::new(false, places);
            let game = Game::new(Position::from_sfen(sfen).unwrap());
            let mut search = PuctSearch::new(game, PuctParams::default(), &mut mock);
            search.run(&mut mock, 777);
            let sum: u32 = search.root_moves().iter().map(|root| root.visits).sum();
            assert_eq!((search.visits(), sum), (777, 777), "{places} {sfen}");
        }
    }
}

#[test]
fn threads_leave_no_virtual_loss_behind() {
    for (threads, places) in [(2, 1), (2, 8), (8, 1), (8, 8)] {
        for sfen in [
            Position::STARTPOS_SFEN,
            "4k4/9/4P4/9/9/9/9/9/4K4 b G 1",
            "l4S2l/4g1gs1/5p1p1/pr2N1pkp/4Gn3/PP3PPPP/2GPP4/1K7/L3r+s2L w BS2N5Pb 1",
        ] {
            let mut mocks: Vec<Mock> = (0..threads).map(|_| Mock::new(false, places)).collect();
            let game = Game::new(Position::from_sfen(sfen).unwrap());
            let mut search = PuctSearch::new(game, PuctParams::default(), &mut mocks[0]);
            search.run_threads(&mut mocks, 1000, &AtomicBool::new(false));
            let sum: u32 = search.root_moves().iter().map(|root| root.visits).sum();
            assert_eq!(
                (search.visits(), sum),
                (1000, 1000),
                "{threads} {places} {sfen}"
            );
            // Stopped before it began.
            search.run_threads(&mut mocks, 1000, &AtomicBool::new(true));
            assert_eq!(search.visits(), 1000);
        }
    }
}

#[test]
fn a_lost_position_has_no_playouts() {
    let mut mock = Mock::new(true, 1);
    let mated = Position::from_sfen("4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1").unwrap();
    let mut search = PuctSearch::new(Game::new(mated), PuctParams::default(), &mut mock);
    search.run(&mut mock, 10);
    assert_eq!((search.visits(), search.root_moves()), (0, vec![]));
}

#[derive(Deserialize)]
struct PeerRow {
    sfen: String,
    cfg: String,
    maxmoves: u32,
    playouts: u32,
    score: (String, i32),
    visits: Vec<(String, u32, i32)>,
    pv: Vec<String>,
}

/// Mates at new positions depend on the solver's order of moves, so that only most of the choices are the same.
#[test]
fn searches_with_mates_at_their_leaves_choose_as_the_peer() {
    let model = NetworkModel::from_bytes(&fixture_bytes("deep/mtiny.onnx")).unwrap();
    let mut network = NativeNetwork::new(Arc::new(model), 1, VectorLimit::Best);
    let rows: Vec<PeerRow> = fixture_rows("deep/puct.jsonl");
    let (mut searches, mut same) = (0, 0);
    for row in rows {
        if row.cfg != "leaf40" || row.score.0 != "cp" || row.playouts > 1000 {
            continue;
        }
        let game = Game::new(Position::from_sfen(&row.sfen).unwrap());
        let mut search = PuctSearch::new(game, params(&row.cfg, row.maxmoves), &mut network);
        search.run(&mut network, row.playouts);
        let moves = search.root_moves();
        searches += 1;
        same += u32::from(moves[0].m.to_string() == row.visits[0].0);
    }
    assert!(
        searches > 20 && same * 10 >= searches * 8,
        "{same} of {searches}"
    );
}

#[test]
fn mates_are_seen_before_they_are_played() {
    // The king has two squares, and a gold mates it on either.
    let sfen = "4k4/9/4G4/9/9/9/9/9/4K4 w G 1";
    let known = [0, 40].map(|leaf_mate_nodes| {
        let params = PuctParams {
            leaf_mate_nodes,
            ..PuctParams::default()
        };
        let mut mock = Mock::new(true, 1);
        let game = Game::new(Position::from_sfen(sfen).unwrap());
        let mut search = PuctSearch::new(game, params, &mut mock);
        search.run(&mut mock, 2);
        let moves = search.root_moves();
        let loses = moves.iter().filter(|root| root.proof == RootProof::Loses);
        loses.count()
    });
    assert_eq!(known, [0, 2]);
}

#[test]
fn searches_with_a_network_are_those_of_the_peer() {
    let model = NetworkModel::from_bytes(&fixture_bytes("deep/mtiny.onnx")).unwrap();
    let mut network = NativeNetwork::new(Arc::new(model), 1, VectorLimit::Best);
    let rows: Vec<PeerRow> = fixture_rows("deep/puct.jsonl");
    let is_slow = std::env::var_os("SHOGI_SLOW_TESTS").is_some();
    let (mut searches, mut identical) = (0, 0);
    for row in rows {
        let is_long = row.playouts > 200 && !is_slow;
        if row.cfg == "leaf40" || row.score.0 != "cp" || is_long {
            continue;
        }
        let game = Game::new(Position::from_sfen(&row.sfen).unwrap());
        let mut search = PuctSearch::new(game, params(&row.cfg, row.maxmoves), &mut network);
        search.run(&mut network, row.playouts);
        let found = visited(&search);
        searches += 1;
        let same = |(m, visits, _): &(String, u32, i32)| {
            found.get(m).is_some_and(|root| root.visits == *visits)
        };
        if found.len() == row.visits.len() && row.visits.iter().all(same) {
            identical += 1;
            let best = search.root_moves()[0];
            let line: Vec<String> = search
                .line(best.m)
                .iter()
                .map(ToString::to_string)
                .collect();
            assert_eq!(line, row.pv, "{} {}", row.sfen, row.playouts);
            for (m, _, cp) in &row.visits {
                let ours = centipawns_of_win_rate(found[m].win_rate(), 285.0);
                assert!((ours - cp).abs() <= 1, "{} {m}: {ours} {cp}", row.sfen);
            }
        }
    }
    assert!(searches > if is_slow { 150 } else { 50 }, "{searches}");
    assert!(
        identical * 100 >= searches * 98,
        "{identical} of {searches}"
    );
}
