//! What scores are, and that nothing else changes.

use pack_format::pack::Game as PackGame;
use pack_format::record::{TeacherRecord, records};
use pack_format::rescore::PositionRun;
use pack_format::{Hcpe, Hcpe3Game, Psv, Sample, TeacherFormat, TeacherScore, games};
use shogi_core::{AperyMove16, Game, Move, Move16};
use shogi_engine::{Session, ThinkLimits, teacher_score};
use shogi_farm::rescore::RescoreDepth;
use test_support::TestFolder;

use crate::{Run, deep, small_files};

/// A position of a file: the game that ends with it, its score, and its move.
struct Found {
    game: Game,
    score: TeacherScore,
    mv: Option<Move>,
}

/// The positions of a file, those of each game or of all records by themselves.
fn positions(format: TeacherFormat, bytes: &[u8]) -> Vec<Vec<Found>> {
    let of_sample = |sample: Sample| Found {
        game: Game::new(sample.position),
        score: sample.score,
        mv: sample.mv,
    };
    let of_game = |start: &shogi_core::Position, plies: &[pack_format::pack::Ply]| {
        let mut game = Game::new(start.clone());
        let found = plies.iter().map(|ply| {
            let found = Found {
                game: game.clone(),
                score: ply.score,
                mv: Some(ply.mv),
            };
            game.play_unchecked(ply.mv);
            found
        });
        found.collect::<Vec<_>>()
    };
    match format {
        TeacherFormat::Psv => vec![
            records::<Psv>(bytes)
                .map(|psv| of_sample(Sample::from_psv(&psv.unwrap()).unwrap()))
                .collect(),
        ],
        TeacherFormat::Hcpe => vec![
            records::<Hcpe>(bytes)
                .map(|hcpe| of_sample(Sample::from_hcpe(&hcpe.unwrap()).unwrap()))
                .collect(),
        ],
        TeacherFormat::Pack => games::games::<PackGame>(bytes)
            .map(Result::unwrap)
            .map(|game| of_game(game.start(), game.plies()))
            .collect(),
        _ => games::games::<Hcpe3Game>(bytes)
            .map(Result::unwrap)
            .map(|game| of_game(game.start(), game.plies()))
            .collect(),
    }
}

/// What the engine says about each of the positions: its score and best move.
fn thoughts(
    engine: &[(String, String)],
    eval_coef: &str,
    nodes: u64,
    positions: &[Vec<Found>],
) -> Vec<(TeacherScore, Option<Move>)> {
    let mut session = Session::new();
    for (name, value) in engine {
        session.set_option(name, Some(value)).unwrap();
    }
    session.set_option("Eval_Coef", Some(eval_coef)).unwrap();
    session.set_option("ReuseSubtree", Some("false")).unwrap();
    let limits = ThinkLimits {
        nodes: Some(nodes),
        ..ThinkLimits::default()
    };
    let mut thinker = session.thinker(16, 1);
    let think = move || {
        let mut found = Vec::new();
        for run in positions
            .iter()
            .flat_map(|all| all.chunks(PositionRun::MOST))
        {
            thinker.new_game().unwrap();
            for position in run {
                let thought = thinker.think(&position.game, &limits).unwrap();
                let line = &thought.lines[0];
                found.push((teacher_score(line.score), line.pv.first().copied()));
            }
        }
        found
    };
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .stack_size(shogi_engine::Searcher::STACK_BYTES)
            .spawn_scoped(scope, think)
            .unwrap()
            .join()
            .unwrap()
    })
}

/// `bytes` with scores of 0.
fn without_scores(format: TeacherFormat, bytes: &[u8]) -> Vec<u8> {
    let mut blank = Vec::new();
    match format {
        TeacherFormat::Psv | TeacherFormat::Hcpe => {
            blank.extend_from_slice(bytes);
            for record in blank.chunks_mut(format.record_len().unwrap()) {
                record[32..34].fill(0);
            }
        }
        TeacherFormat::Pack => {
            for game in games::games::<PackGame>(bytes).map(Result::unwrap) {
                let mut copy = pack_format::pack::GameBuilder::new(game.start().clone()).unwrap();
                for ply in game.plies() {
                    copy.play(ply.mv, TeacherScore(0)).unwrap();
                }
                let copy = copy.finish(game.result(), game.reason()).unwrap();
                copy.write_to(&mut blank);
            }
        }
        _ => {
            for game in games::games::<Hcpe3Game>(bytes).map(Result::unwrap) {
                let mut copy = pack_format::hcpe3::Hcpe3Builder::new(game.start().clone()).unwrap();
                for (index, ply) in game.plies().iter().enumerate() {
                    let candidates = game.candidates(index);
                    copy.play(ply.mv, TeacherScore(0), candidates).unwrap();
                }
                copy.finish(game.ending(), game.opponent())
                    .write_to(&mut blank);
            }
        }
    }
    blank
}

#[test]
fn scores_are_what_the_engine_says_in_every_format() {
    for (engine, nodes) in [(crate::material(), 60), (deep(), 4)] {
        for (bytes, format) in small_files() {
            let folder = TestFolder::new();
            folder.write("in", &bytes);
            let run = Run {
                engine: engine.clone(),
                ..Run::new(folder.path("in"), folder.path("out"), format, nodes)
            };
            let report = run.run().unwrap();
            let out = folder.read("out");
            let (old, new) = (positions(format, &bytes), positions(format, &out));
            // dlshogi's files have 756, others 600; a pawn is 90.
            let eval_coef = match format {
                TeacherFormat::Hcpe | TeacherFormat::Hcpe3 => "680",
                _ => "540",
            };
            let expected = thoughts(&engine, eval_coef, nodes, &old);
            let [old, new] = [&old, &new].map(|all| all.iter().flatten().collect::<Vec<_>>());
            let scores: Vec<_> = new.iter().map(|found| found.score).collect();
            let wanted: Vec<_> = expected.iter().map(|&(score, _)| score).collect();
            assert_eq!(scores, wanted, "{format}");
            assert!(without_scores(format, &out) == without_scores(format, &bytes));
            let changes = old.iter().zip(&new);
            let changes = changes.map(|(old, new)| u64::from(old.score.0.abs_diff(new.score.0)));
            let changes: Vec<u64> = changes.collect();
            assert_eq!(report.positions, changes.len() as u64);
            let changed = changes.iter().filter(|&&change| change > 0).count();
            assert!(changed > 10, "{format}: {changed} of {}", changes.len());
            assert_eq!(report.changed, changed as u64);
            let mean = changes.iter().sum::<u64>() as f64 / changes.len() as f64;
            assert!((report.mean_change - mean).abs() < 1e-9, "{report:?}");
            assert_eq!((report.resumed, report.moves_changed), (0, 0));
            assert_eq!(report.bytes, bytes.len() as u64);
            assert_eq!(folder.names(), ["in", "out"]);
        }
    }
}

#[test]
fn bare_evaluations_are_those_of_the_session() {
    for engine in [crate::material(), deep()] {
        for (bytes, format) in small_files() {
            let folder = TestFolder::new();
            folder.write("in", &bytes);
            let mut run = Run {
                engine: engine.clone(),
                ..Run::new(folder.path("in"), folder.path("out"), format, 1)
            };
            run.options.depth = RescoreDepth::Evaluation;
            run.run().unwrap();
            let mut session = Session::new();
            for (name, value) in &engine {
                session.set_option(name, Some(value)).unwrap();
            }
            let eval_coef = match format {
                TeacherFormat::Hcpe | TeacherFormat::Hcpe3 => "680",
                _ => "540",
            };
            session.set_option("Eval_Coef", Some(eval_coef)).unwrap();
            let mut evaluator = session.bare_evaluator();
            let old = positions(format, &bytes);
            let wanted = old.iter().flatten();
            let wanted = wanted.map(|found| teacher_score(evaluator.score(&found.game).unwrap()));
            let out = positions(format, &folder.read("out"));
            let scores = out.iter().flatten().map(|found| found.score);
            assert!(scores.eq(wanted), "{format}");
        }
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    for (engine, nodes) in [(crate::material(), 60), (deep(), 2)] {
        for (bytes, format) in small_files() {
            let folder = TestFolder::new();
            folder.write("in", &bytes);
            let outputs = [1, 2, 5].map(|threads| {
                let name = format!("out{threads}");
                let mut run = Run::new(folder.path("in"), folder.path(&name), format, nodes);
                run.engine.clone_from(&engine);
                run.job.threads = threads;
                run.run().unwrap();
                folder.read(&name)
            });
            assert!(outputs[0] != bytes);
            assert!(outputs.iter().all(|output| *output == outputs[0]));
        }
    }
}

#[test]
fn best_moves_may_take_the_place_of_moves() {
    for (mut bytes, format) in small_files() {
        let Some(len) = format.record_len() else {
            continue;
        };
        // A record without a move gets one.
        bytes[34..36].fill(0);
        let folder = TestFolder::new();
        folder.write("in", &bytes);
        let mut run = Run::new(folder.path("in"), folder.path("out"), format, 60);
        run.options.best_move = true;
        let report = run.run().unwrap();
        let out = folder.read("out");
        let old = positions(format, &bytes);
        let expected = thoughts(&run.engine, "285", 60, &old);
        let mut others = 0;
        for ((record, old), (score, best)) in out.chunks(len).zip(&old[0]).zip(expected) {
            let best_or_old = best.or(old.mv);
            let (found, code) = if format == TeacherFormat::Psv {
                let psv = Psv::from_bytes(record).unwrap();
                (psv.score, best_or_old.map(|mv| Move16::from(mv).0))
            } else {
                let hcpe = Hcpe::from_bytes(record).unwrap();
                (hcpe.score, best_or_old.map(|mv| AperyMove16::from(mv).0))
            };
            assert_eq!(found, score);
            let bits = u16::from_le_bytes([record[34], record[35]]);
            assert_eq!(Some(bits), code, "{format}");
            others += u64::from(best.is_some() && best != old.mv);
        }
        assert!(others > 1);
        assert_eq!(report.moves_changed, others);
    }
}
