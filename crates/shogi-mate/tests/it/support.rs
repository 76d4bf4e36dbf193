//! Problems from files, small random positions, checks of answers, and a plain search as the oracle.

use std::collections::{HashSet, VecDeque};
use std::sync::atomic::AtomicBool;

use serde::Deserialize;
use shogi_core::movegen::LegalAll;
use shogi_core::{
    ByColor, Color, Diagram, Hand, HandKind, Move, Piece, PieceKind, Position, Setup, Square,
};
use shogi_mate::{
    Answer, CheckedRoot, Exactness, MateLimits, MateLine, Role, SilentMateObserver, Solution,
    Solver, SolverOptions,
};
use test_support::SplitMix64;

#[derive(Deserialize)]
pub(crate) struct Problem {
    pub(crate) id: String,
    pub(crate) sfen: String,
    pub(crate) mate: Option<bool>,
    pub(crate) len: Option<u32>,
    #[serde(default)]
    pub(crate) len_exact: bool,
    pub(crate) pv: Option<String>,
}

/// Every `step`-th problem of a file under `fixtures/mate/`.
pub(crate) fn problems(file: &str, step: usize) -> Vec<Problem> {
    let rows = test_support::fixture_rows(&format!("mate/{file}"));
    let problems: Vec<Problem> = rows.into_iter().step_by(step).collect();
    assert!(!problems.is_empty(), "{file}");
    problems
}

/// A solver for problems whose side to move attacks.
pub(crate) fn solver(hash_bytes: usize, exact: Exactness) -> Solver {
    solver_of(hash_bytes, exact, 1)
}

/// The same with several threads.
pub(crate) fn solver_of(hash_bytes: usize, exact: Exactness, threads: usize) -> Solver {
    Solver::new(SolverOptions {
        hash_bytes,
        threads,
        exact,
        checked_root: CheckedRoot::Attacks,
        report_interval: None,
        ..SolverOptions::default()
    })
}

pub(crate) fn solve(solver: &mut Solver, position: &Position, nodes: Option<u64>) -> Solution {
    let limits = MateLimits { time: None, nodes };
    let stop = AtomicBool::new(false);
    let solution = solver.solve(position, &limits, &stop, &mut SilentMateObserver);
    if let Answer::Mate(line) = &solution.answer {
        check_line(position, solution.role, line);
    }
    solution
}

/// Plays a line: every move legal, every move of the attacker a check, mate at the end.
pub(crate) fn check_line(position: &Position, role: Role, line: &MateLine) {
    let attacker = role.attacker(position.side_to_move());
    let mut now = position.clone();
    for m in &line.moves {
        assert!(now.is_legal(*m), "{position} {m}");
        let attacks = now.side_to_move() == attacker;
        let _ = now.do_move_unchecked(*m);
        assert!(!attacks || now.in_check(), "{position} {m}");
    }
    assert!(now.is_mated(), "{position} {:?}", line.moves);
    if line.length.is_exact() {
        assert_eq!(line.length.plies() as usize, line.moves.len());
    }
}

/// `count` positions, black to move, most without a black king, with white's king near the edge.
pub(crate) fn small_problems(seed: u64, count: usize) -> impl Iterator<Item = Position> {
    let placements = small_placements(seed, usize::MAX);
    placements
        .filter_map(|start| start.position().cloned())
        .take(count)
}

/// The same, and placements with white in check already.
pub(crate) fn small_placements(seed: u64, count: usize) -> impl Iterator<Item = Diagram> {
    let mut numbers = SplitMix64::new(seed);
    std::iter::from_fn(move || {
        loop {
            if let Some(start) = small_placement(&mut numbers) {
                return Some(start);
            }
        }
    })
    .take(count)
}

fn small_placement(numbers: &mut SplitMix64) -> Option<Diagram> {
    let mut setup = Setup::default();
    // Mates are rare in the middle of the board.
    let file = numbers.index(9);
    let rank = numbers.index(3);
    let king = Square::from_index(file * 9 + rank)?;
    setup.board[king.index()] = Some(Piece::new(Color::White, PieceKind::King));
    for (color, most) in [(Color::Black, 4), (Color::White, 3)] {
        for _ in 0..numbers.index(most) + usize::from(color == Color::Black) {
            let near = |numbers: &mut SplitMix64| numbers.index(5) as i8 - 2;
            let square = king.offset(near(numbers), near(numbers))?;
            let piece = Piece::new(color, KINDS[numbers.index(KINDS.len())]);
            setup.board[square.index()].get_or_insert(piece);
        }
    }
    if numbers.index(4) == 0 {
        let square = Square::from_index(numbers.index(81))?;
        setup.board[square.index()].get_or_insert(Piece::new(Color::Black, PieceKind::King));
    }
    let hand = |numbers: &mut SplitMix64, most: usize| {
        (0..numbers.index(most)).fold(Hand::EMPTY, |hand, _| {
            let kind = HandKind::ALL[numbers.index(7)];
            hand.with_count(kind, hand.count(kind) + 1).unwrap_or(hand)
        })
    };
    setup.hands = ByColor([hand(numbers, 4), hand(numbers, 3)]);
    Diagram::from_setup(&setup).ok()
}

const KINDS: [PieceKind; 12] = [
    PieceKind::Pawn,
    PieceKind::Lance,
    PieceKind::Knight,
    PieceKind::Silver,
    PieceKind::Silver,
    PieceKind::Gold,
    PieceKind::Gold,
    PieceKind::Bishop,
    PieceKind::Rook,
    PieceKind::ProPawn,
    PieceKind::Horse,
    PieceKind::Dragon,
];

// Plain searches to judge by: no table, no proof numbers, nothing left out; and a search for a way in which the
// defender can go on for ever.

/// Returns whether the side to move mates within `plies` plies (odd) by checks alone. `None` when that took more
/// than `work` positions.
pub(crate) fn mates_within(position: &mut Position, plies: u32, work: &mut u32) -> Option<bool> {
    for m in position.moves::<LegalAll>() {
        *work = work.checked_sub(1)?;
        let undo = position.do_move_unchecked(m);
        let mated = position.in_check() && is_mated_within(position, plies - 1, work)?;
        position.undo_move(m, &undo);
        if mated {
            return Some(true);
        }
    }
    Some(false)
}

fn is_mated_within(position: &mut Position, plies: u32, work: &mut u32) -> Option<bool> {
    let moves = position.moves::<LegalAll>();
    if moves.is_empty() {
        return Some(true);
    }
    if plies == 0 {
        return Some(false);
    }
    for m in moves {
        *work = work.checked_sub(1)?;
        let undo = position.do_move_unchecked(m);
        let mates = mates_within(position, plies - 1, work)?;
        position.undo_move(m, &undo);
        if !mates {
            return Some(false);
        }
    }
    Some(true)
}

/// The result of [`shortest`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shortest {
    /// The shortest mate takes this many plies.
    Mate(u32),
    /// There is none of so few plies.
    None,
}

/// The shortest mate of at most `plies` plies; `None` for too much work.
pub(crate) fn shortest(position: &Position, plies: u32, mut work: u32) -> Option<Shortest> {
    for length in (1..=plies).step_by(2) {
        // A search that gives up leaves the moves it played on the board.
        if mates_within(&mut position.clone(), length, &mut work)? {
            return Some(Shortest::Mate(length));
        }
    }
    Some(Shortest::None)
}

/// The truth about a position with the attacker to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Truth {
    /// Mate, at best in this many plies.
    Mate(u32),
    /// A mate that takes more plies than were tried.
    LongMate,
    /// No mate can be forced.
    NoMate,
}

/// Moves that may be made to find the truth.
const MOST_MOVES: u32 = 12_000;
/// Positions in which the defender may be followed.
const MOST_POSITIONS: usize = 500;
/// Plies that are tried.
pub(crate) const TRIED: u32 = 5;

/// The truth about `position`, the attacker to move; `None` when it takes too long to find.
pub(crate) fn truth(position: &Position) -> Option<Truth> {
    let attacker = position.side_to_move();
    let mut position = position.clone();
    let mut left = MOST_MOVES;
    for plies in (1..=TRIED).step_by(2) {
        if attacker_mates_within(&mut position, attacker, plies, &mut left) {
            return Some(Truth::Mate(plies));
        }
        if left == 0 {
            return None;
        }
    }
    follow(&position)
}

/// Returns whether the attacker mates in at most `plies`, by trying all checks and all answers. Means nothing when no
/// moves are `left`.
fn attacker_mates_within(
    position: &mut Position,
    attacker: Color,
    plies: u32,
    left: &mut u32,
) -> bool {
    let attacks = position.side_to_move() == attacker;
    if !attacks && position.is_mated() {
        return true;
    }
    if plies == 0 || *left == 0 {
        return false;
    }
    let mut decided = false;
    for m in moves(position) {
        *left = left.saturating_sub(1);
        let undo = position.do_move_unchecked(m);
        if !attacks || position.in_check() {
            decided = attacker_mates_within(position, attacker, plies - 1, left) == attacks;
        }
        position.undo_move(m, &undo);
        if decided {
            break;
        }
    }
    decided == attacks
}

fn moves(position: &Position) -> Vec<Move> {
    position.moves::<LegalAll>().into_iter().collect()
}

/// Looks for a set of positions, with `start` in it, in which the defender has an answer to every check that
/// leads back into the set: there is no mate. Positions that cannot be in such a set are mates; with each that
/// is found the set is built anew.
fn follow(start: &Position) -> Option<Truth> {
    let mut mates = HashSet::new();
    let mut work = 0;
    loop {
        let before = mates.len();
        let mut set = HashSet::from([start.key128()]);
        let mut queue = VecDeque::from([start.clone()]);
        while let Some(position) = queue.pop_front() {
            work += 1;
            if work > MOST_POSITIONS {
                return None;
            }
            match answers(&position, &mates) {
                None => {
                    mates.insert(position.key128());
                }
                Some(next) => {
                    let new = next.into_iter().filter(|next| set.insert(next.key128()));
                    queue.extend(new.collect::<Vec<_>>());
                }
            }
        }
        if mates.contains(&start.key128()) {
            return Some(Truth::LongMate);
        }
        if mates.len() == before {
            return Some(Truth::NoMate);
        }
    }
}

/// For each check a position after an answer that is not known to be a mate; `None` when a check has none.
fn answers(position: &Position, mates: &HashSet<u128>) -> Option<Vec<Position>> {
    let mut position = position.clone();
    let mut found = Vec::new();
    for check in moves(&position) {
        let undo = position.do_move_unchecked(check);
        if position.in_check() {
            let after = moves(&position).into_iter().map(|answer| {
                let mut after = position.clone();
                let _undo = after.do_move_unchecked(answer);
                after
            });
            found.push(
                after
                    .into_iter()
                    .find(|after| !mates.contains(&after.key128()))?,
            );
        }
        position.undo_move(check, &undo);
    }
    Some(found)
}

#[test]
fn known_positions_are_judged_right() {
    let of = |sfen| truth(&Position::from_sfen(sfen).unwrap());
    assert_eq!(of("4k4/9/4P4/9/9/9/9/9/9 b G 1"), Some(Truth::Mate(1)));
    assert_eq!(of("4k4/9/4P4/9/9/9/9/9/9 b P 1"), Some(Truth::NoMate));
    assert_eq!(of("4k4/9/9/9/9/9/9/9/9 b G 1"), Some(Truth::NoMate));
    let three = "+P7B/9/8k/9/5G3/7+R1/9/9/9 b Prb3g4s4n4l16p 1";
    assert_eq!(of(three), Some(Truth::Mate(3)));
}
