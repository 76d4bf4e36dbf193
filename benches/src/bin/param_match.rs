//! Plays games of the search against itself with other settings, to measure the strength gained by
//! a change.
//!
//! ```text
//! selfplay GAMES NODES THREADS [name=value ...] [eval=material]
//! ```
//!
//! The second player has the given parameters (and evaluation); the first the defaults. Games come
//! in pairs with colours exchanged, from openings of random moves. Both players get `NODES`
//! positions a move. Prints the second player's result.

use farm::{FarmError, RetryPolicy, RunControl, Stop, map_in_order, threads};
use shogi_core::movegen::Legal;
use shogi_core::{Color, Game, Position, Repetition};
use shogi_eval::{Evaluator, MaterialEvaluator, PositionalEvaluator};
use shogi_search::{Control, Limits, Observer, SearchInfo, SearchOptions, SharedState, search};
use yane_base::random::SplitMix64;

struct Silent;

impl Observer for Silent {
    fn info(&mut self, _: &SearchInfo) {}
}

struct Player {
    shared: SharedState,
    evaluator: Box<dyn Evaluator>,
}

impl Player {
    fn new(settings: &[(String, String)]) -> Self {
        let mut shared = SharedState::new(16);
        let mut evaluator: Box<dyn Evaluator> = Box::new(PositionalEvaluator::new());
        for (name, value) in settings {
            if name == "eval" {
                evaluator = Box::new(MaterialEvaluator::new());
            } else {
                let value = value.parse().expect("a number");
                assert!(shared.params.set(name, value), "no parameter {name}");
            }
        }
        Self { shared, evaluator }
    }
}

fn opening(seed: u64) -> Game {
    let mut random = SplitMix64::new(seed);
    loop {
        let mut game = Game::new(Position::startpos());
        for _ in 0..10 {
            let moves = game.position().moves::<Legal>();
            if moves.is_empty() {
                break;
            }
            game.play_unchecked(moves[random.remainder(moves.len())]);
        }
        if game.position().material().abs() < 100 && !game.position().in_check() {
            return game;
        }
    }
}

/// The winner, `None` for a draw.
fn play(players: &mut [Player; 2], first: usize, seed: u64, nodes: u64) -> Option<usize> {
    let mut game = opening(seed);
    let options = SearchOptions {
        max_moves_to_draw: 320,
        ..SearchOptions::default()
    };
    for player in players.iter_mut() {
        player.shared.new_game();
    }
    let limits = Limits {
        nodes: Some(nodes),
        ..Limits::default()
    };
    loop {
        let position = game.position();
        let mover = if position.side_to_move() == Color::Black {
            first
        } else {
            1 - first
        };
        if position.declaration(options.entering_king_rule).is_some() {
            return Some(mover);
        }
        let state = game.repetition();
        if state.times >= 3 {
            match state.kind {
                Repetition::Win => return Some(mover),
                Repetition::Lose => return Some(1 - mover),
                _ => return None,
            }
        }
        if position.ply() > options.max_moves_to_draw {
            return None;
        }
        let Player { shared, evaluator } = &mut players[mover];
        let control = Control::new();
        let found = search(
            &game,
            &limits,
            &options,
            evaluator.as_mut(),
            shared,
            &control,
            &mut Silent,
        );
        let Some(found) = found else {
            return Some(1 - mover);
        };
        assert!(
            game.position().is_legal(found.best),
            "illegal {} ",
            found.best
        );
        game.play_unchecked(found.best);
    }
}

#[allow(clippy::cast_precision_loss)]
fn main() -> Result<(), FarmError> {
    let mut args = std::env::args().skip(1);
    let mut number = |default| {
        args.next()
            .map_or(default, |arg| arg.parse().expect("a number"))
    };
    let (games, nodes, count) = (number(100), number(10_000), number(1));
    let settings: Vec<(String, String)> = args
        .map(|arg| {
            let (name, value) = arg.split_once('=').expect("name=value");
            (name.to_owned(), value.to_owned())
        })
        .collect();
    let players = |_| [Player::new(&[]), Player::new(&settings)];
    let work = |players: &mut [Player; 2], &index: &u64, _: &Stop| {
        Ok(play(players, (index % 2) as usize, index / 2, nodes).into())
    };
    let workers = threads(count as usize, players, work).named("games");
    let mut counts = [0_u32; 3];
    map_in_order(
        &workers,
        (0..games).map(Ok),
        &RunControl::default(),
        RetryPolicy::default(),
        &|text| eprintln!("{text}"),
        |winner| {
            counts[winner.map_or(1, |player| if player == 1 { 0 } else { 2 })] += 1;
            Ok::<_, FarmError>(())
        },
    )?;
    let [wins, draws, losses] = counts.map(f64::from);
    let total = (wins + draws + losses).max(1.0);
    let score = (wins + draws / 2.0) / total;
    let deviation = ((wins + draws / 4.0) / total - score * score)
        .max(0.0)
        .sqrt()
        / total.sqrt();
    let elo = |score: f64| -400.0 * (1.0 / score.clamp(0.001, 0.999) - 1.0).log10();
    println!(
        "+{wins} ={draws} -{losses}: {:.1} % ({:+.0} Elo, {:+.0} to {:+.0})",
        score * 100.0,
        elo(score),
        elo(score - 2.0 * deviation),
        elo(score + 2.0 * deviation),
    );
    Ok(())
}
