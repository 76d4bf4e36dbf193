//! Limits are kept, options obeyed, and the rules beyond the board are known.

use std::sync::{Arc, mpsc};
use std::time::Duration;

use shogi_core::movegen::LegalAll;
use shogi_core::{EnteringKingRule, Game, Move, Position};
use shogi_eval::PositionalEvaluator;
use shogi_search::{
    Bound, Control, Limits, Observer, SearchInfo, SearchOptions, SharedState, TimeBudget,
    TimeLimit, Value, search,
};

use crate::common::{
    Recorder, StoppingEvaluator, fixture_sfens, game, think, think_deep, think_in, think_with,
    to_depth,
};

fn startpos() -> Game {
    Game::new(Position::startpos())
}

fn play(game: &mut Game, moves: &[&str]) {
    for text in moves {
        game.play_unchecked(game.position().move_from_usi(text).unwrap());
    }
}

#[test]
fn random_positions_are_searched_without_a_slip() {
    let sfens = fixture_sfens("legal_moves.jsonl");
    for sfen in sfens.iter().take(300) {
        let game = game(sfen);
        let thought = think(&game, &to_depth(4));
        match thought.result {
            Some(found) => {
                assert!(game.position().is_legal(found.best), "{sfen}");
                assert_eq!(found.depth, 4, "{sfen}");
                let last = thought.infos.last().unwrap();
                assert_eq!((last.pv[0], last.score), (found.best, found.score));
            }
            None => assert!(game.position().has_no_legal_move(), "{sfen}"),
        }
    }
}

#[test]
fn node_limits_are_exact() {
    for nodes in [1, 7, 100, 1000, 5003] {
        let limits = Limits {
            nodes: Some(nodes),
            ..Limits::default()
        };
        let thought = think(&startpos(), &limits);
        assert_eq!(thought.found().nodes, nodes);
        assert!(startpos().position().is_legal(thought.found().best));
    }
}

#[test]
fn the_same_limits_give_the_same_result() {
    for limits in [
        to_depth(8),
        Limits {
            nodes: Some(30_000),
            ..Limits::default()
        },
    ] {
        let (first, second) = (think(&startpos(), &limits), think(&startpos(), &limits));
        assert_eq!(first.found().nodes, second.found().nodes);
        assert_eq!(
            first.infos.last().unwrap().pv,
            second.infos.last().unwrap().pv
        );
    }
}

#[test]
fn iterations_are_reported_in_order() {
    let thought = think(&startpos(), &to_depth(6));
    let depths: Vec<_> = thought.infos.iter().map(|info| info.depth).collect();
    assert_eq!(depths, [1, 2, 3, 4, 5, 6]);
    assert!(
        thought
            .infos
            .iter()
            .all(|info| info.bound == Bound::Exact && info.multi_pv == 1)
    );
    assert!(thought.infos.is_sorted_by_key(|info| info.nodes));
    assert!(
        thought
            .infos
            .iter()
            .all(|info| info.sel_depth >= info.depth)
    );
    assert!(thought.found().ponder.is_some());
}

#[test]
fn only_the_asked_moves_are_considered() {
    let game = startpos();
    let asked: Vec<Move> = ["9g9f", "1i1h"]
        .iter()
        .map(|text| game.position().move_from_usi(text).unwrap())
        .collect();
    let limits = Limits {
        search_moves: asked.clone(),
        ..to_depth(6)
    };
    let thought = think(&game, &limits);
    assert!(asked.contains(&thought.found().best));
    assert!(thought.infos.iter().all(|info| asked.contains(&info.pv[0])));
    // A move that is not legal here is no move.
    let white = Position::from_sfen("4k4/9/9/9/9/9/9/9/4K4 w - 1").unwrap();
    let limits = Limits {
        search_moves: vec![white.move_from_usi("5a5b").unwrap()],
        ..to_depth(2)
    };
    assert!(think(&game, &limits).result.is_none());
}

#[test]
fn several_lines_are_distinct_and_sorted() {
    let options = SearchOptions {
        multi_pv: 4,
        ..SearchOptions::default()
    };
    let thought = think_with(&startpos(), &to_depth(6), &options, &Control::new());
    let last: Vec<_> = thought.infos.iter().rev().take(4).rev().collect();
    for (index, info) in last.iter().enumerate() {
        assert_eq!((info.multi_pv, info.depth), (index + 1, 6));
        assert!(last[..index].iter().all(|other| other.pv[0] != info.pv[0]));
        assert!(index == 0 || last[index - 1].score >= info.score);
    }
    assert_eq!(last[0].pv[0], thought.found().best);
    // More lines than moves: one for each move.
    let lonely = game("4k4/9/9/9/9/9/9/9/K8 b 2r 1");
    let options = SearchOptions {
        multi_pv: 600,
        ..SearchOptions::default()
    };
    let thought = think_with(&lonely, &to_depth(3), &options, &Control::new());
    assert_eq!(
        thought.infos.iter().map(|info| info.multi_pv).max(),
        Some(3)
    );
}

#[test]
fn a_stop_ends_an_endless_search_soon() {
    let limits = Limits {
        infinite: true,
        ..Limits::default()
    };
    // In the first iterations, and in the middle of later ones.
    for stop_at in [1, 1000, 30_000, 54_321] {
        let stop = Arc::default();
        let mut evaluator = StoppingEvaluator::new(&stop, stop_at);
        let mut recorder = Recorder {
            game: startpos(),
            infos: Vec::new(),
        };
        let found = search(
            &startpos(),
            &limits,
            &SearchOptions::default(),
            &mut evaluator,
            &mut SharedState::new(4),
            &Control::with_stop(stop),
            &mut recorder,
        );
        assert!(startpos().position().is_legal(found.unwrap().best));
        let late = evaluator.played_after_stop;
        assert!(late <= 1000, "{late} nodes after a stop at {stop_at}");
    }
}

#[test]
fn another_thread_may_stop_an_endless_search() {
    let limits = Limits {
        infinite: true,
        ..Limits::default()
    };
    let (report, reports) = mpsc::channel();
    let control = Control::new();
    std::thread::scope(|scope| {
        let search = scope.spawn(|| depth_of_search(&limits, &control, report));
        assert!(reports.recv().unwrap() >= 1);
        control.stop();
        assert!(search.join().unwrap() >= 1);
    });
}

/// The depth of a search of the start position, which tells of each of its depths on the way.
fn depth_of_search(limits: &Limits, control: &Control, report: mpsc::Sender<u32>) -> u32 {
    let found = search(
        &startpos(),
        limits,
        &SearchOptions::default(),
        &mut PositionalEvaluator::new(),
        &mut SharedState::new(4),
        control,
        &mut Reporter(report),
    );
    found.unwrap().depth
}

/// Sends the depth of every report to another thread.
struct Reporter(mpsc::Sender<u32>);

impl Observer for Reporter {
    fn info(&mut self, info: &SearchInfo) {
        let _ = self.0.send(info.depth);
    }
}

#[test]
fn an_infinite_search_waits_when_it_is_done() {
    let control = Control::new();
    let limits = Limits {
        infinite: true,
        ..to_depth(1)
    };
    let (report, reports) = mpsc::channel();
    std::thread::scope(|scope| {
        let search = scope.spawn(|| depth_of_search(&limits, &control, report));
        assert_eq!(reports.recv().unwrap(), 1);
        std::thread::sleep(Duration::from_millis(50));
        assert!(!search.is_finished());
        control.stop();
        assert_eq!(search.join().unwrap(), 1);
    });
}

#[test]
fn pondering_ends_after_ponder_hit() {
    let control = Control::pondering();
    let limits = Limits {
        time: TimeLimit::Budget(TimeBudget::exactly(30)),
        ..Limits::default()
    };
    std::thread::scope(|scope| {
        let search =
            scope.spawn(|| think_with(&startpos(), &limits, &SearchOptions::default(), &control));
        std::thread::sleep(Duration::from_millis(100));
        assert!(!search.is_finished());
        control.ponder_hit();
        assert!(search.join().unwrap().found().depth >= 1);
    });
}

/// The time that this thread has been ready to run while the processor was at something else; zero where the system does
/// not tell.
fn time_without_processor() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split_whitespace().nth(1);
    Duration::from_nanos(nanoseconds.map_or(0, |number| number.parse().unwrap_or(0)))
}

#[test]
fn fixed_times_are_kept() {
    for ms in [10, 60] {
        let time = Duration::from_millis(ms);
        let limits = Limits {
            time: TimeLimit::MoveTime(time),
            ..Limits::default()
        };
        let mut shared = SharedState::new(1);
        let mut evaluator = PositionalEvaluator::new();
        let mut recorder = Recorder {
            game: startpos(),
            infos: Vec::new(),
        };
        let mut timed_search = || {
            let waited = time_without_processor();
            let control = Control::new();
            let found = search(
                &startpos(),
                &limits,
                &SearchOptions::default(),
                &mut evaluator,
                &mut shared,
                &control,
                &mut recorder,
            );
            let elapsed = control.elapsed();
            assert!(found.is_some_and(|found| found.depth >= 1));
            assert!(elapsed >= time / 2, "{ms} ms took {elapsed:?}");
            elapsed.saturating_sub(time_without_processor().saturating_sub(waited))
        };
        // The time for which other programs had the processor does not count where the system tells it.
        assert!(
            (0..100).any(|_| timed_search() <= time),
            "{ms} ms are never kept"
        );
    }
}

#[test]
fn free_pieces_are_taken_and_forks_seen() {
    // The rook on 5e can be taken by the bishop.
    let thought = think_deep("4k4/9/9/9/4r4/9/9/1B7/4K4 b P 1", 4);
    assert_eq!(thought.found().best.to_string(), "8h5e");
    // A knight dropped on 5f attacks king and rook.
    let thought = think_deep("9/9/4k1r2/9/9/9/9/9/4K4 b NP 1", 6);
    assert!(thought.found().score > Value(500), "{:?}", thought.found());
}

#[test]
fn the_fourth_occurrence_is_a_draw() {
    // Black is a rook up; going back once more would be a draw.
    let mut game = game("lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1");
    for _ in 0..2 {
        play(&mut game, &["2h3h", "6a6b", "3h2h", "6b6a"]);
    }
    play(&mut game, &["2h3h", "6a6b", "3h2h"]);
    // White, a rook down, takes the draw.
    let thought = think(&game, &to_depth(4));
    assert_eq!(thought.found().best.to_string(), "6b6a");
    assert!(thought.found().score.0.abs() < 10);
    // Black avoids it.
    game.undo();
    let thought = think(&game, &to_depth(5));
    assert_ne!(thought.found().best.to_string(), "3h2h");
    assert!(thought.found().score > Value(500));
}

#[test]
fn perpetual_check_loses() {
    let mut game = game("4k4/9/9/9/9/9/9/5R3/K8 b r2b4g4s4n4l18p 1");
    for _ in 0..2 {
        play(&mut game, &["4h5h", "5a4a", "5h4h", "4a5a"]);
    }
    play(&mut game, &["4h5h", "5a4a"]);
    // Once more to 4h and back would be the fourth time, all with checks: white answers 4a5a.
    let check = game.position().move_from_usi("5h4h").unwrap();
    let limits = Limits {
        search_moves: vec![check],
        ..to_depth(4)
    };
    assert_eq!(think(&game, &limits).found().score, Value::mated_in(2));
    assert_ne!(think(&game, &to_depth(4)).found().best, check);
}

#[test]
fn declaring_within_the_tree_counts_as_mate() {
    let sfen = "1+P+P+P+P+P+P+P1/1+P+PK+P+P+P2/9/9/9/9/9/9/8k b 2R2B2G 1";
    let rule = |entering_king_rule| SearchOptions {
        entering_king_rule,
        ..SearchOptions::default()
    };
    let limits = Limits {
        // A quiet move, so that only the declaration can end the game.
        search_moves: vec![game(sfen).position().move_from_usi("8a9a").unwrap()],
        ..to_depth(3)
    };
    let thought = think_with(
        &game(sfen),
        &limits,
        &rule(EnteringKingRule::CsaRule27),
        &Control::new(),
    );
    assert_eq!(thought.found().score, Value::mate_in(3));
}

#[test]
fn the_last_move_of_the_game() {
    let options = SearchOptions {
        max_moves_to_draw: 100,
        ..SearchOptions::default()
    };
    let search = |sfen: &str| {
        think_with(&game(sfen), &to_depth(3), &options, &Control::new())
            .found()
            .score
    };
    // A rook up, but the game is over after this move.
    let score = search("4k4/9/9/9/9/9/9/9/4K4 b R 100");
    assert!(score.0.abs() < 10, "{score:?}");
    assert!(search("4k4/9/9/9/9/9/9/9/4K4 b R 98") > Value(-10));
    assert!(search("4k4/9/9/9/9/9/9/9/4K4 b R 50") > Value(500));
    // Mate on the last move counts.
    assert_eq!(search("4k4/9/4P4/9/9/9/9/9/4K4 b G 100"), Value::mate_in(1));
}

#[test]
fn draws_have_the_value_they_are_given() {
    let sfen = "4k4/9/9/9/9/9/9/9/4K4 b - 100";
    for (black, expected) in [(100, 90), (-200, -180)] {
        let options = SearchOptions {
            max_moves_to_draw: 100,
            draw_value_cp: [black, 7],
            ..SearchOptions::default()
        };
        let thought = think_with(&game(sfen), &to_depth(4), &options, &Control::new());
        let score = thought.found().score.0;
        assert!((score - expected).abs() <= 1, "{score} {expected}");
    }
}

// Mates are found, and mate scores are true.

/// Length of the shortest mate in at most `plies` (odd) plies by trying everything.
fn shortest_mate(position: &Position, plies: u32) -> Option<u32> {
    (1..=plies)
        .step_by(2)
        .find(|&plies| mates_in(position, plies))
}

fn mates_in(position: &Position, plies: u32) -> bool {
    if plies == 1 {
        return position.mate_in_one().is_some();
    }
    let mut next = position.clone();
    position.moves::<LegalAll>().into_iter().any(|m| {
        let undo = next.do_move_unchecked(m);
        let replies = next.moves::<LegalAll>();
        let mated = replies.into_iter().all(|reply| {
            let undo = next.do_move_unchecked(reply);
            let mated = (1..plies - 1)
                .step_by(2)
                .any(|shorter| mates_in(&next, shorter));
            next.undo_move(reply, &undo);
            mated
        });
        next.undo_move(m, &undo);
        mated
    })
}

/// Positions from games without a mate in one.
fn quiet_sfens() -> Vec<String> {
    test_support::fixture_text("mate/mate1_no.sfen")
        .lines()
        .map(str::to_owned)
        .collect()
}

#[test]
fn mates_in_one_are_played_at_once() {
    let mut mates = 0;
    for sfen in fixture_sfens("mate1.jsonl").iter().take(300) {
        let position = Position::from_sfen(sfen).unwrap();
        let mating = position.mating_moves();
        if mating.is_empty() {
            continue;
        }
        let thought = think_deep(sfen, 2);
        let found = thought.found();
        assert_eq!(found.score, Value::mate_in(1), "{sfen}");
        assert!(mating.contains(&found.best), "{sfen} {}", found.best);
        mates += 1;
    }
    assert!(mates > 50);
}

#[test]
fn short_mates_agree_with_trying_everything() {
    let (mut in_three, mut none) = (0, 0);
    for sfen in quiet_sfens().iter().take(150) {
        let position = Position::from_sfen(sfen).unwrap();
        if position.has_no_legal_move() {
            continue;
        }
        let truth = shortest_mate(&position, 3);
        let thought = think_deep(sfen, 9);
        let score = thought.found().score;
        if let Some(plies) = truth {
            assert_eq!(score, Value::mate_in(plies), "{sfen}");
            in_three += u32::from(plies == 3);
        } else {
            assert!(score < Value::mate_in(3), "{sfen}: {score:?}");
            none += 1;
        }
    }
    assert!(in_three > 2 && none > 20, "{in_three} {none}");
}

/// Returns whether every move of the side to move allows a mate in one.
fn is_mated_in_two(position: &Position) -> bool {
    let mut next = position.clone();
    position.moves::<LegalAll>().into_iter().all(|m| {
        let undo = next.do_move_unchecked(m);
        let mates = next.mate_in_one().is_some();
        next.undo_move(m, &undo);
        mates
    })
}

#[test]
fn being_mated_is_seen_and_never_imagined() {
    let mut mated = 0;
    for sfen in fixture_sfens("legal_moves.jsonl").iter().take(150) {
        let position = Position::from_sfen(sfen).unwrap();
        if position.has_no_legal_move() {
            continue;
        }
        let score = think_deep(sfen, 6).found().score;
        if is_mated_in_two(&position) {
            assert_eq!(score, Value::mated_in(2), "{sfen}");
            mated += 1;
        } else {
            assert!(score > Value::mated_in(2), "{sfen}");
        }
    }
    assert!(mated > 1, "{mated}");
}

#[test]
fn announced_mates_can_be_played_out() {
    let mut long_mates = 0;
    for sfen in quiet_sfens().iter().skip(150).take(120) {
        let mut position = Position::from_sfen(sfen).unwrap();
        if position.has_no_legal_move() {
            continue;
        }
        let thought = think_deep(sfen, 9);
        let Some(plies) = thought.found().score.mate_plies() else {
            continue;
        };
        let pv = &thought.infos.last().unwrap().pv;
        for &m in pv {
            let _ = position.do_move_unchecked(m);
        }
        // The line may be cut short where the table knew the rest.
        if pv.len() as u32 >= plies.unsigned_abs() {
            assert_eq!(pv.len() as u32, plies.unsigned_abs(), "{sfen}");
            assert!(position.is_mated(), "{sfen} {pv:?}");
            long_mates += u32::from(plies >= 5);
        }
    }
    assert!(long_mates >= 5, "{long_mates}");
}

/// Mates in 17 plies that a search of so many positions does not see by itself (zukou-081 and -066 of
/// `fixtures/mate/classics.jsonl`).
#[test]
fn long_mates_are_found_beside_the_search() {
    for sfen in [
        "3n5/1lR2g3/2+Bl1G3/3P5/2G1k+b3/1+pLp1Pp2/4S4/9/4R4 b Pg3s3nl12p 1",
        "1p3ls1+P/+B4+P1gg/7P1/6S1g/8n/7n1/4sS3/1r4+r1G/5+p1k1 b BLP2n2l12p 1",
    ] {
        let game = game(sfen);
        let limits = Limits {
            nodes: Some(800_000),
            ..Limits::default()
        };
        let think = |mates: bool| {
            let mut shared = SharedState::new(16);
            if !mates {
                shared.set_mate_probe(None);
            }
            let (options, control) = (SearchOptions::default(), Control::new());
            think_in(&game, &limits, &options, &control, &mut shared)
        };
        let thought = think(true);
        let found = thought.found();
        let plies = found.score.mate_plies().unwrap_or_default();
        assert!((15..=25).contains(&plies), "{sfen}: {:?}", found.score);
        let line = &thought.infos.last().unwrap().pv;
        assert_eq!(line.len() as i32, plies, "{sfen}");
        let mut position = game.position().clone();
        for &m in line {
            let _ = position.do_move_unchecked(m);
        }
        assert!(position.is_mated(), "{sfen} {line:?}");
        assert_eq!(think(false).found().score.mate_plies(), None, "{sfen}");
    }
}

#[test]
fn a_mated_root_has_no_result() {
    let game = crate::common::game("4k4/4G4/4P4/9/9/9/9/9/4K4 w R2B3g4s4n4lr16p 1");
    assert!(game.position().is_mated());
    let thought = think(&game, &Limits::default());
    assert!(thought.result.is_none() && thought.infos.is_empty());
}
