//! Positions that a network evaluates in a second: `eval_speed FILE GAMES MODE SECONDS [LEVEL [FOLDER]]`.
//!
//! `FILE` is an `nn.bin`, `GAMES` a file with lines such as `startpos moves 7g7f …` or
//! `sfen … moves …`. The modes are
//! * `scratch`: every position of every game, each from nothing;
//! * `incremental`: along every game, one move after the other;
//! * `tree`: as `incremental`, and after every legal move of every position, as searches do.
//!
//! `LEVEL` names instructions, `best` those that are used without it. With `FOLDER` the network lies in
//! a file there that processes share, else in private memory.
//!
//! Of many runs through the games the fastest counts. The time of playing moves is measured by itself and subtracted.
//! The checksum is the sum of all values of one run through the games.

use std::sync::Arc;
use std::time::{Duration, Instant};

use shogi_core::movegen::Legal;
use shogi_core::{Delta, Move, MoveText, Position};
use shogi_eval::Evaluator;
use shogi_eval::nnue::file::NetworkReadOptions;
use shogi_eval::nnue::shared::SharedNetworks;
use shogi_eval::nnue::{FvScale, Level, Network, NnueEvaluator, PreparedNetwork};

struct Game {
    start: Position,
    moves: Vec<Move>,
}

fn read_game(line: &str) -> Option<Game> {
    let (start, moves) = line.split_once("moves").unwrap_or((line, ""));
    let start = match start.trim() {
        "startpos" => Position::startpos(),
        sfen => Position::from_sfen(sfen.strip_prefix("sfen ").unwrap_or(sfen)).ok()?,
    };
    let mut position = start.clone();
    let mut played = Vec::new();
    for text in moves.split_ascii_whitespace() {
        let text = MoveText::from_usi(text)?;
        let m = position.move_from_text(text)?;
        let _ = position.do_move_unchecked(m);
        played.push(m);
    }
    Some(Game {
        start,
        moves: played,
    })
}

/// The work done in each position.
type Look<'a> = &'a mut dyn FnMut(&mut NnueEvaluator, &Position);

/// Runs through the games once. Returns the number of positions measured.
fn run(games: &[Game], mode: &str, evaluator: &mut NnueEvaluator, look: Look<'_>) -> u64 {
    let (tree, pushes) = (mode == "tree", mode != "scratch");
    let mut count = 0;
    for game in games {
        let mut position = game.start.clone();
        evaluator.reset(&position);
        look(evaluator, &position);
        count += 1;
        for &m in &game.moves {
            if tree {
                for m in position.moves::<Legal>() {
                    let undo = position.do_move_unchecked(m);
                    evaluator.push(Some(&Delta::new(&position, m, &undo)));
                    look(evaluator, &position);
                    count += 1;
                    evaluator.pop();
                    position.undo_move(m, &undo);
                }
            }
            let undo = position.do_move_unchecked(m);
            if pushes {
                evaluator.push(Some(&Delta::new(&position, m, &undo)));
            }
            look(evaluator, &position);
            count += 1;
        }
    }
    count
}

/// The same moves without an evaluator.
fn only_move(games: &[Game], tree: bool) {
    for game in games {
        let mut position = game.start.clone();
        for &m in &game.moves {
            if tree {
                for m in position.moves::<Legal>() {
                    let undo = position.do_move_unchecked(m);
                    std::hint::black_box(Delta::new(&position, m, &undo));
                    position.undo_move(m, &undo);
                }
            }
            let undo = position.do_move_unchecked(m);
            std::hint::black_box(Delta::new(&position, m, &undo));
        }
    }
}

/// The time of the fastest run, which other work on the machine has disturbed least.
fn best_time(limit: Duration, mut run: impl FnMut()) -> Duration {
    let begin = Instant::now();
    let mut best = Duration::MAX;
    while begin.elapsed() < limit {
        let before = Instant::now();
        run();
        best = best.min(before.elapsed());
    }
    best
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [file, games, mode, seconds, rest @ ..] = &args[..] else {
        return Err("usage: eval_speed FILE GAMES MODE SECONDS [LEVEL [FOLDER]]".into());
    };
    let level = match rest.first().map(String::as_str) {
        None | Some("best") => Level::best(),
        Some(name) => Level::available()
            .find(|level| level.name() == name)
            .ok_or("no such instructions")?,
    };
    let options = NetworkReadOptions::default();
    let network = match rest.get(1) {
        None => PreparedNetwork::new(Network::open(file.as_ref(), &options)?.network),
        Some(folder) => {
            let opened = SharedNetworks::new(folder.into()).open(file.as_ref(), &options)?;
            eprintln!("{:?}", opened.sharing);
            opened.network
        }
    };
    let network = Arc::new(network);
    let mut evaluator = NnueEvaluator::with_level(network, FvScale::DEFAULT, level);
    let text = std::fs::read_to_string(games)?;
    let games: Vec<Game> = text.lines().filter_map(read_game).collect();
    let limit = Duration::from_secs_f64(seconds.parse::<f64>()? / 2.0);
    let (tree, scratch) = (mode == "tree", mode == "scratch");

    let mut checksum = 0;
    let mut look = |evaluator: &mut NnueEvaluator, position: &Position| {
        let value = if scratch {
            evaluator.evaluate_from_scratch(position)
        } else {
            evaluator.evaluate(position)
        };
        checksum += i64::from(value);
    };
    let count = run(&games, mode, &mut evaluator, &mut look);
    let first = checksum;
    let mut look = |evaluator: &mut NnueEvaluator, position: &Position| {
        std::hint::black_box(if scratch {
            evaluator.evaluate_from_scratch(position)
        } else {
            evaluator.evaluate(position)
        });
    };
    let all = best_time(limit, || {
        run(&games, mode, &mut evaluator, &mut look);
    });
    let moving = best_time(limit / 8, || {
        only_move(&games, tree);
    });
    let nanos = |time: Duration| time.as_nanos() as f64 / count as f64;
    let net = nanos(all) - nanos(moving);
    println!(
        "{level:?} {mode}: {count} evaluations, checksum {first}; {:.1} ns with moving, {:.1} ns of it \
         moving, {net:.1} ns each, {:.3} M a second",
        nanos(all),
        nanos(moving),
        1000.0 / net,
    );
    Ok(())
}
