//! The search is sound: whatever the position, lines can be played and announced mates exist.
//!
//! Random positions are searched to small depth with debug assertions on; mates are proved by a solver of
//! its own, which knows nothing but the rules. `cargo xtask soundness` runs the same with many more.

mod positions;
mod solver;

use crate::common::{fixture_sfens_in, game, think_with, to_depth};
use positions::{random_numbers, random_position};
use shogi_core::{EnteringKingRule, Game, Position};
use shogi_search::{Control, Limits, SearchOptions};
use solver::{Proof, prove};
use test_support::SplitMix64;

/// A number from the environment, so that `cargo xtask soundness` can ask for more.
fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name)
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(default)
}

/// What became of the mates that were announced.
#[derive(Debug, Default)]
struct Mates {
    proved: u32,
    /// Too long for the solver, or by moves that it does not try.
    open: u32,
}

impl Mates {
    fn check(&mut self, position: &Position, plies: i32) {
        match prove(position, plies) {
            Proof::Proved => self.proved += 1,
            Proof::Open => self.open += 1,
            Proof::Refuted => panic!(
                "a mate in {plies} was announced that does not exist: {}",
                position.to_sfen()
            ),
        }
    }
}

/// Options that vary with the position. Declarations would count as mates, so there are none.
fn options(random: &mut SplitMix64) -> SearchOptions {
    SearchOptions {
        multi_pv: if random.below(4) == 0 { 3 } else { 1 },
        generate_all_legal_moves: random.below(2) == 0,
        entering_king_rule: EnteringKingRule::NoEnteringKing,
        ..SearchOptions::default()
    }
}

/// Searches and checks the result; the lines are checked as they are told.
fn check_search(game: &Game, limits: &Limits, options: &SearchOptions, mates: &mut Mates) {
    let position = game.position();
    let sfen = position.to_sfen();
    let thought = think_with(game, limits, options, &Control::new(false));
    let Some(found) = thought.result else {
        assert!(position.has_no_legal_move(), "{sfen}");
        return;
    };
    assert!(position.is_legal(found.best), "{} in {sfen}", found.best);
    if let Some(reply) = found.ponder {
        let mut next = position.clone();
        let _ = next.do_move(found.best);
        assert!(next.is_legal(reply), "{} {reply} in {sfen}", found.best);
    }
    if let Some(plies) = found.score.mate_plies() {
        mates.check(position, plies);
    }
}

#[test]
fn random_positions_are_searched_soundly() {
    let (count, seed) = (
        setting("SOUNDNESS_POSITIONS", 300),
        setting("SOUNDNESS_SEED", 1),
    );
    let mut mates = Mates::default();
    for number in 0..count {
        let mut random = random_numbers(seed, number);
        let game = Game::new(random_position(&mut random));
        let limits = to_depth(1 + random.below(5) as u32);
        let options = options(&mut random);
        check_search(&game, &limits, &options, &mut mates);
    }
    println!("{count} positions, announced mates: {mates:?}");
    assert!(u64::from(mates.proved) > count / 20, "{mates:?}");
    assert!(mates.open < mates.proved, "{mates:?}");
}

#[test]
fn mates_announced_in_problems_exist() {
    let mut mates = Mates::default();
    let mut sfens = Vec::new();
    for name in ["mate_composed.jsonl", "mate_selfplay.jsonl"] {
        // Those that are found within the depth, in all tags and lengths.
        sfens.extend(fixture_sfens_in("mate", name).into_iter().step_by(8));
    }
    if let Ok(path) = std::env::var("SOUNDNESS_PROBLEMS") {
        sfens.extend(crate::common::sfens_of(path.as_ref()));
    }
    let options = SearchOptions {
        entering_king_rule: EnteringKingRule::NoEnteringKing,
        ..SearchOptions::default()
    };
    let limits = Limits {
        nodes: Some(setting("SOUNDNESS_NODES", 30_000)),
        ..to_depth(9)
    };
    for sfen in &sfens {
        check_search(&game(sfen), &limits, &options, &mut mates);
    }
    println!("{} problems, announced mates: {mates:?}", sfens.len());
    assert!(mates.proved as usize > sfens.len() / 4, "{mates:?}");
}

#[test]
fn interrupted_searches_are_sound() {
    let count = setting("SOUNDNESS_POSITIONS", 300) / 3;
    let seed = setting("SOUNDNESS_SEED", 1).wrapping_add(1);
    let mut mates = Mates::default();
    for number in 0..count {
        let mut random = random_numbers(seed, number);
        let game = Game::new(random_position(&mut random));
        let limits = Limits {
            nodes: Some(1 + random.below(3000)),
            ..Limits::default()
        };
        let options = options(&mut random);
        check_search(&game, &limits, &options, &mut mates);
    }
    println!("{count} positions, announced mates: {mates:?}");
}

#[test]
fn a_search_that_is_interrupted_does_not_despair() {
    // White threatens to mate and few moves prevent it. Whenever the search ends, those that it has not
    // come to may be among them.
    let game =
        game("1n3ppr1/Pgs1k3P/2p5n/2g2SP2/1NP1P2R1/lp2nP2p/1P1P3P1/2K6/L3b+bs1g b Pgsl3p 136");
    let options = SearchOptions {
        entering_king_rule: EnteringKingRule::NoEnteringKing,
        ..SearchOptions::default()
    };
    for nodes in (1..2000).step_by(5) {
        let limits = Limits {
            nodes: Some(nodes),
            ..Limits::default()
        };
        let mut mates = Mates::default();
        check_search(&game, &limits, &options, &mut mates);
    }
}
