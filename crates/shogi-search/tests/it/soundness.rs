//! The search is sound: whatever the position, lines can be played and announced mates exist.
//!
//! Random positions are searched to small depth with debug assertions on; mates are proved by a solver of
//! its own, which knows nothing but the rules. `cargo xtask soundness` runs the same with many more.

use shogi_core::movegen::{Captures, LegalAll};
use shogi_core::{EnteringKingRule, Game, Position};
use shogi_search::{Control, Limits, SearchOptions};
use test_support::SplitMix64;

use crate::common::{fixture_sfens_in, game, think_with, to_depth};

/// A number from the environment, so that `cargo xtask soundness` can ask for more.
fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name)
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(default)
}

/// The counts of announced mates, by what the solver found.
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
    let thought = think_with(game, limits, options, &Control::new());
    let Some(found) = thought.result else {
        assert!(position.has_no_legal_move(), "{sfen}");
        return;
    };
    assert!(position.is_legal(found.best), "{} in {sfen}", found.best);
    if let Some(reply) = found.ponder {
        let mut next = position.clone();
        let _ = next.do_move_unchecked(found.best);
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

// Random positions, of three kinds: out of random games, out of handicap games, and pieces thrown on
// the board.

/// Random numbers that depend on a seed and a number.
pub(crate) fn random_numbers(seed: u64, number: u64) -> SplitMix64 {
    let mut random = SplitMix64::new(seed.wrapping_mul(0xd134_2543_de82_ef95) ^ number);
    random.next_u64();
    random
}

/// The starts of games: even, handicaps, and nearly empty boards.
const STARTS: [&str; 5] = [
    Position::STARTPOS_SFEN,
    "lnsgkgsn1/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "2sgkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "4k4/9/9/9/9/9/9/9/4K4 b RBGSNLPrbgsnlp 1",
];

/// A position of any kind.
pub(crate) fn random_position(random: &mut SplitMix64) -> Position {
    if random.below(3) == 0 {
        thrown(random)
    } else {
        played(random)
    }
}

/// The end of a game of random moves, more captures than chance alone would make.
fn played(random: &mut SplitMix64) -> Position {
    let start = random.choose(&STARTS);
    let mut position = Position::from_sfen(start).expect("a valid SFEN");
    for _ in 0..random.below(160) {
        let captures = position.moves::<Captures>();
        let captures: Vec<_> = captures
            .into_iter()
            .filter(|&m| position.is_legal(m))
            .collect();
        let moves = position.moves::<LegalAll>();
        if moves.is_empty() {
            break;
        }
        let m = if !captures.is_empty() && random.below(3) == 0 {
            *random.choose(&captures)
        } else {
            *random.choose(&moves)
        };
        let _ = position.do_move_unchecked(m);
    }
    position
}

/// Two kings and random pieces anywhere, the others in the hands.
fn thrown(random: &mut SplitMix64) -> Position {
    loop {
        if let Ok(position) = Position::from_sfen(&thrown_sfen(random)) {
            return position;
        }
    }
}

/// An SFEN that may break rules: the parser decides.
fn thrown_sfen(random: &mut SplitMix64) -> String {
    let mut board = vec![String::new(); 81];
    for king in ["K", "k"] {
        let square = free_square(&board, random);
        board[square].push_str(king);
    }
    let mut hands = String::new();
    for (kind, count) in [
        ('R', 2),
        ('B', 2),
        ('G', 4),
        ('S', 4),
        ('N', 4),
        ('L', 4),
        ('P', 18),
    ] {
        for _ in 0..count {
            let piece = if random.below(2) == 0 {
                kind
            } else {
                kind.to_ascii_lowercase()
            };
            match random.below(3) {
                0 => {
                    let promoted = kind != 'G' && random.below(4) == 0;
                    let square = free_square(&board, random);
                    let prefix = if promoted { "+" } else { "" };
                    board[square] = format!("{prefix}{piece}");
                }
                1 => hands.push(piece),
                // Left in the box.
                _ => {}
            }
        }
    }
    let ranks: Vec<String> = board.chunks(9).map(rank_text).collect();
    let hands = if hands.is_empty() { "-" } else { &hands };
    let side = random.choose(&["b", "w"]);
    format!("{} {side} {hands} 1", ranks.join("/"))
}

fn free_square(board: &[String], random: &mut SplitMix64) -> usize {
    loop {
        let square = random.below(81) as usize;
        if board[square].is_empty() {
            return square;
        }
    }
}

fn rank_text(squares: &[String]) -> String {
    let mut text = String::new();
    let mut empty = 0;
    for square in squares {
        if square.is_empty() {
            empty += 1;
            continue;
        }
        if empty > 0 {
            text += &empty.to_string();
            empty = 0;
        }
        text += square;
    }
    if empty > 0 {
        text += &empty.to_string();
    }
    text
}

#[test]
fn positions_are_of_all_kinds() {
    let position = |number| random_position(&mut random_numbers(7, number));
    let sfens: Vec<String> = (0..60).map(|number| position(number).to_sfen()).collect();
    assert_eq!(sfens[9], position(9).to_sfen());
    let count = |holds: fn(&Position) -> bool| (0..60).filter(|&n| holds(&position(n))).count();
    assert!(count(Position::in_check) > 0);
    assert!(count(|position| position.occupied().len() < 20) > 5);
    assert!(count(|position| position.occupied().len() > 30) > 5);
}

// Proves mates by trying everything. Slow, simple, and independent of the search: it uses legal moves
// and nothing else.

/// The result of the proof of an announced mate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Proof {
    /// The mate exists.
    Proved,
    /// All moves were tried: the mate does not exist.
    Refuted,
    /// The mate is too long to try all moves, and checks alone do not prove it.
    Open,
}

/// Longest mate for which every move of the attacker is tried, in plies.
const FULL_WIDTH: u32 = 4;

/// Longest mate that is tried with checks alone, in plies.
const CHECKS_ONLY: u32 = 9;

/// Positions after which the solver gives up.
const PATIENCE: u64 = 3_000_000;

/// The moves that the attacker tries.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Width {
    Checks,
    All,
}

struct Solver {
    width: Width,
    left: u64,
}

/// Returns whether the side to move mates within `plies`, or is mated within `-plies` when that is not positive.
pub(crate) fn prove(position: &Position, plies: i32) -> Proof {
    let mates = plies > 0;
    let length = plies.unsigned_abs();
    assert_eq!(mates, length % 2 == 1, "a mate in {plies} plies");
    let attempt = |width| {
        let mut solver = Solver {
            width,
            left: PATIENCE,
        };
        let mut position = position.clone();
        let found = if mates {
            solver.mates(&mut position, length)
        } else {
            solver.is_mated(&mut position, length)
        };
        (found, solver.left > 0)
    };
    if length <= CHECKS_ONLY && attempt(Width::Checks).0 {
        return Proof::Proved;
    }
    if length > FULL_WIDTH {
        return Proof::Open;
    }
    match attempt(Width::All) {
        (true, _) => Proof::Proved,
        (false, true) => Proof::Refuted,
        (false, false) => Proof::Open,
    }
}

impl Solver {
    /// Returns whether the side to move mates within `plies`, an odd number.
    fn mates(&mut self, position: &mut Position, plies: u32) -> bool {
        let mut moves = position.moves::<LegalAll>().to_vec();
        let checks = position.check_squares();
        moves.sort_by_key(|&m| !position.gives_check(m, &checks));
        for m in moves {
            if self.width == Width::Checks && !position.gives_check(m, &checks) {
                return false;
            }
            let undo = position.do_move_unchecked(m);
            let mated = self.is_mated(position, plies - 1);
            position.undo_move(m, &undo);
            if mated {
                return true;
            }
        }
        false
    }

    /// Returns whether the side to move is mated within `plies`, an even number, whatever it does.
    fn is_mated(&mut self, position: &mut Position, plies: u32) -> bool {
        if self.left == 0 {
            return false;
        }
        self.left -= 1;
        if plies == 0 {
            return position.has_no_legal_move();
        }
        for m in position.moves::<LegalAll>() {
            let undo = position.do_move_unchecked(m);
            let mated = self.mates(position, plies - 1);
            position.undo_move(m, &undo);
            if !mated {
                return false;
            }
        }
        true
    }
}

#[test]
fn known_mates_are_proved_and_others_refuted() {
    let prove = |sfen: &str, plies| prove(&Position::from_sfen(sfen).expect(sfen), plies);
    let gold = "4k4/9/4P4/9/9/9/9/9/4K4 b G 1";
    assert_eq!(prove(gold, 1), Proof::Proved);
    assert_eq!(prove(gold, 3), Proof::Proved);
    let without = "4k4/9/9/9/9/9/9/9/4K4 b G 1";
    assert_eq!(prove(without, 1), Proof::Refuted);
    assert_eq!(prove(without, 3), Proof::Refuted);
    assert_eq!(prove(without, 11), Proof::Open);
    // White is to move, in check, and mated after its only moves.
    let mated = "4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1";
    assert_eq!(prove(mated, 0), Proof::Proved);
    assert_eq!(prove(Position::STARTPOS_SFEN, 0), Proof::Refuted);
    assert_eq!(prove(Position::STARTPOS_SFEN, -2), Proof::Refuted);
    // A threat without a check: the rook goes to where it mates next, whatever white does.
    assert_eq!(prove("8k/9/8P/9/9/9/9/9/K8 b 2G 1", 3), Proof::Proved);
}
