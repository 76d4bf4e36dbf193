//! The tree search against YaneuraOu's deep edition, and against a network that needs no file.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde::Deserialize;
use shogi_core::{Game, Move, Position};
use shogi_deep::{
    NativeNetwork, NetworkModel, PolicyLabel, PolicyValue, PolicyValueEvaluator, PuctParams,
    PuctRun, PuctSearch, PvMateSolver, RootMove, RootProof, centipawns_of_win_rate,
};
use test_support::{fixture_bytes, fixture_rows};
use yane_base::lanes::VectorLimit;

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
pub(crate) struct Mock {
    is_flat: bool,
    outputs: Vec<PolicyValue>,
}

impl Mock {
    pub(crate) fn new(is_flat: bool, places: usize) -> Self {
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

/// A game after moves, all of the even start.
fn game_after(moves: &[Move]) -> Game {
    let mut game = Game::new(Position::startpos());
    for &m in moves {
        game.play_unchecked(m);
    }
    game
}

#[test]
fn a_tree_goes_on_with_the_game() {
    let mut mock = Mock::new(false, 1);
    let mut search = PuctSearch::new(game_after(&[]), PuctParams::default(), &mut mock);
    search.run(&mut mock, 2000);
    let line = search.line(search.root_moves()[0].m);
    let (first, second) = (line[0], line[1]);
    let before = search.root_moves()[0];
    // One move on: its playouts but the one that made it.
    search.set_game(game_after(&[first]), &[], &mut mock);
    assert_eq!(search.visits(), before.visits - 1);
    let after = search.root_moves();
    assert_eq!(
        after.iter().map(|m| m.visits).sum::<u32>(),
        before.visits - 1
    );
    assert_eq!(after[0].m, second);
    let reply = after[0];
    search.set_game(game_after(&[first, second]), &[], &mut mock);
    assert_eq!(search.visits(), reply.visits - 1);
    // The same position again: nothing is lost, and exactly so many more are made.
    let visits = search.visits();
    search.set_game(game_after(&[first, second]), &[], &mut mock);
    search.run(&mut mock, 100);
    assert_eq!(search.visits(), visits + 100);
    // A move taken back, another game, other numbers: all is new.
    search.set_game(game_after(&[first]), &[], &mut mock);
    assert_eq!(search.visits(), 0);
    search.run(&mut mock, 50);
    search.set_params(
        PuctParams {
            c_init: 1.0,
            ..PuctParams::default()
        },
        &mut mock,
    );
    assert_eq!(search.visits(), 0);
    search.run(&mut mock, 50);
    search.set_params(
        PuctParams {
            c_init: 1.0,
            ..PuctParams::default()
        },
        &mut mock,
    );
    assert_eq!(search.visits(), 50);
    search.forget(&mut mock);
    assert_eq!((search.visits(), search.root_moves().len()), (0, 30));
}

#[test]
fn a_tree_that_goes_on_is_as_if_it_had_not_been_moved() {
    // Two searches of the same root with the same playouts: one had its memory from released nodes.
    let mut mock = Mock::new(false, 1);
    let mut search = PuctSearch::new(game_after(&[]), PuctParams::default(), &mut mock);
    let mut line: Vec<Move> = Vec::new();
    for _ in 0..6 {
        search.run(&mut mock, 300);
        line.push(search.root_moves()[0].m);
        search.set_game(game_after(&line), &[], &mut mock);
    }
    search.forget(&mut mock);
    search.run(&mut mock, 500);
    let mut fresh = PuctSearch::new(game_after(&line), PuctParams::default(), &mut mock);
    fresh.run(&mut mock, 500);
    assert_eq!(search.root_moves(), fresh.root_moves());
}

#[test]
fn many_games_take_the_memory_of_one() {
    let mut mock = Mock::new(false, 4);
    let mut search = PuctSearch::new(game_after(&[]), PuctParams::default(), &mut mock);
    let mut bytes = 0;
    for number in 0..40 {
        search.set_game(game_after(&[]), &[], &mut mock);
        let mut line: Vec<Move> = Vec::new();
        for _ in 0..8 {
            search.run(&mut mock, 400);
            let moves = search.root_moves();
            line.push(moves[number % 3].m);
            search.set_game(game_after(&line), &[], &mut mock);
        }
        if number == 10 {
            bytes = search.bytes();
        }
    }
    assert_eq!(search.bytes(), bytes);
}

#[test]
fn a_position_takes_little_memory() {
    // 80 moves and more, and more than a step is known of most.
    let sfen = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1";
    let mut mock = Mock::new(false, 1);
    let game = Game::new(Position::from_sfen(sfen).unwrap());
    let mut search = PuctSearch::new(game, PuctParams::default(), &mut mock);
    search.run(&mut mock, 100);
    let before = search.bytes();
    search.run(&mut mock, 60_000);
    let each = (search.bytes() - before) / 60_000;
    assert!(each <= 1200, "{each}");
}

#[test]
fn only_named_moves_are_looked_at() {
    let mut mock = Mock::new(false, 1);
    let mut search = PuctSearch::new(game_after(&[]), PuctParams::default(), &mut mock);
    search.run(&mut mock, 100);
    let named = ["1g1f", "9g9f"].map(|m| Position::startpos().move_from_usi(m).unwrap());
    search.set_game(game_after(&[]), &named, &mut mock);
    let before = search.root_moves().iter().map(|m| m.visits).sum::<u32>();
    search.run(&mut mock, 200);
    let moves = search.root_moves();
    assert_eq!(moves.len(), 2);
    assert_eq!(moves.iter().map(|m| m.visits).sum::<u32>(), before + 200);
    // A pawn that does not promote is no move of the tree unless it is asked for.
    let sfen = "4k4/9/9/1P7/9/9/9/9/4K4 b - 1";
    let position = Position::from_sfen(sfen).unwrap();
    let quiet = position.move_from_usi("8d8c").unwrap();
    let game = Game::new(position);
    search.set_game(game.clone(), &[], &mut mock);
    assert!(search.root_moves().iter().all(|root| root.m != quiet));
    search.set_game(game, &[quiet], &mut mock);
    search.run(&mut mock, 20);
    let moves = search.root_moves();
    assert_eq!((moves.len(), moves[0].m, moves[0].visits), (1, quiet, 20));
}

#[test]
fn mates_of_the_best_line_are_found_beside_the_playouts() {
    let rows: Vec<MockRow> = fixture_rows("deep/puct_mock.jsonl");
    let mate = rows.iter().find(|row| row.id == 900).unwrap();
    let game = Game::new(Position::from_sfen(&mate.sfen).unwrap());
    let params = PuctParams {
        leaf_mate_nodes: 0,
        ..PuctParams::default()
    };
    let mut mock = Mock::new(true, 1);
    let search = PuctSearch::new(game.clone(), params, &mut mock);
    let stop = AtomicBool::new(false);
    let run = PuctRun::new(u64::MAX, &stop);
    let mut solvers = [PvMateSolver::new(10_000)];
    search.run_watched(std::slice::from_mut(&mut mock), &mut solvers, &run, || {
        if run.root_mate().is_some() {
            stop.store(true, std::sync::atomic::Ordering::Relaxed);
        }
    });
    let line = run.root_mate().unwrap();
    let mut after = game;
    for &m in line {
        after.play_unchecked(m);
    }
    assert!(after.position().in_check() && after.position().has_no_legal_move());
    let best = search.root_moves()[0];
    assert_eq!((best.m, best.proof), (line[0], RootProof::Wins));
}

/// A network that says the same of every position: half, with one label that the policy prefers.
struct OneMove {
    output: PolicyValue,
}

impl OneMove {
    /// A policy that gives the move of this label `share` of the probability, and the `others` other moves of a position the rest in equal parts.
    fn new(label: usize, share: f32, others: u32) -> Self {
        let mut output = PolicyValue::default();
        output.logits[label] = (share / (1.0 - share) * others as f32).ln();
        Self { output }
    }
}

impl PolicyValueEvaluator for OneMove {
    fn max_batch(&self) -> usize {
        1
    }

    fn put(&mut self, _place: usize, _position: &Position) {}

    fn evaluate(&mut self, _count: usize) {}

    fn output(&self, _place: usize) -> &PolicyValue {
        &self.output
    }
}

#[test]
fn visits_follow_the_policy() {
    let position = Position::startpos();
    let preferred = position.move_from_usi("7g7f").unwrap();
    let mut network = OneMove::new(PolicyLabel::new(preferred).index(), 0.9, 29);
    let params = PuctParams {
        softmax_temperature: 1.0,
        leaf_mate_nodes: 0,
        ..PuctParams::default()
    };
    let mut search = PuctSearch::new(Game::new(position), params, &mut network);
    let prior = search.root_moves()[0].prior;
    assert!((prior - 0.9).abs() < 1e-5, "{prior}");
    // The rule at the root, worked out beside the search: all results are one half.
    let (mut one, mut others) = (0.0_f64, [0.0_f64; 29]);
    for n in 0..400 {
        search.run(&mut network, 1);
        let n = f64::from(n);
        let c = ((n + 25617.0 + 1.0) / 25617.0).ln() + 1.16;
        let bound = |visits: f64, prior: f64| {
            let value = if n > 0.0 { 0.5 } else { 0.0 };
            value + c * prior * n.sqrt().max(if n == 0.0 { 1.0 } else { 0.0 }) / (1.0 + visits)
        };
        let other = (0..29).max_by(|&a, &b| others[b].total_cmp(&others[a]).then(b.cmp(&a)));
        let other = &mut others[other.unwrap()];
        if bound(one, 0.9) >= bound(*other, 0.1 / 29.0) {
            one += 1.0;
        } else {
            *other += 1.0;
        }
        let visits = f64::from(search.root_moves()[0].visits);
        assert!((visits - one).abs() <= 1.0, "{n}: {visits} {one}");
    }
    assert!((300.0..399.0).contains(&one), "{one}");
}

#[test]
fn what_is_proved_is_proved_two_moves_before() {
    let proofs = |sfen: &str, params: PuctParams| {
        let mut mock = Mock::new(true, 1);
        let game = Game::new(Position::from_sfen(sfen).unwrap());
        let mut search = PuctSearch::new(game, params, &mut mock);
        search.run(&mut mock, 8000);
        search.root_moves()
    };
    let params = PuctParams {
        leaf_mate_nodes: 0,
        ..PuctParams::default()
    };
    // Whatever the king does, a gold mates it.
    let moves = proofs("4k4/9/4G4/9/9/9/9/9/4K4 w G 1", params.clone());
    assert!(!moves.is_empty() && moves.iter().all(|root| root.proof == RootProof::Loses));
    // Two moves from here the game is a draw, which black likes.
    let params = PuctParams {
        max_moves_to_draw: Some(2),
        draw_value_black: 0.7,
        draw_value_white: 0.1,
        ..params
    };
    for (sfen, value) in [
        ("4k4/9/9/9/9/9/9/9/4K4 b - 1", 0.7),
        ("4k4/9/9/9/9/9/9/9/4K4 w - 1", 0.1),
    ] {
        let moves = proofs(sfen, params.clone());
        assert_eq!(moves.len(), 5);
        for root in moves {
            assert_eq!(root.proof, RootProof::Draws, "{sfen} {}", root.m);
            // The first playout of each was the network's half.
            assert!((root.win_rate() - value).abs() < 0.02, "{sfen} {root:?}");
        }
    }
}
