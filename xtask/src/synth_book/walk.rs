//! Games from the initial position, played with [`MovePreferences`]; their positions make the book.

use anyhow::{Result, bail};
use shogi_core::movegen::{Legal, MoveList};
use shogi_core::{Move, PieceKind, Position, Square};
use shogi_packed::PackedSfen;
use yane_base::random::SplitMix64;

use super::entry::MovePreferences;
use super::{Args, Collection, entry};
use crate::hash;

/// Games in a row that may bring nothing new before the search for positions is given up.
const MAX_FRUITLESS: usize = 50_000;

/// Plays games until there are enough positions.
///
/// # Errors
///
/// If games up to the move number asked for do not reach that many positions.
pub(super) fn collect(args: &Args) -> Result<Collection> {
    let mut walker = Walker {
        args,
        found: Collection::default(),
        preferences: MovePreferences::default(),
    };
    let mut fruitless = 0;
    let mut game = 0;
    while !walker.done() {
        let before = walker.found.len();
        walker.play(SplitMix64::new(hash::combine(args.seed, game)));
        game += 1;
        fruitless = if walker.found.len() > before {
            0
        } else {
            fruitless + 1
        };
        if fruitless > MAX_FRUITLESS {
            bail!(
                "only {} positions were found up to move number {}: ask for fewer with \
                 --positions or for longer games with --max-ply",
                walker.found.len(),
                args.max_ply
            );
        }
    }
    walker.found.freeze();
    Ok(walker.found)
}

struct Walker<'a> {
    args: &'a Args,
    found: Collection,
    preferences: MovePreferences,
}

impl Walker<'_> {
    fn done(&self) -> bool {
        self.found.len() >= self.args.positions as usize
    }

    /// Notes `position` unless there are enough already or its game is over. The number of the
    /// position.
    fn note(&mut self, position: &Position) -> u64 {
        let packed = PackedSfen::encode(position).expect("a game keeps all pieces of the set");
        let hash = hash::of_position(&packed);
        if !self.done() && !position.has_no_legal_move() {
            self.found.add(position, packed);
        }
        hash
    }

    /// One game, and sometimes a second one that goes round in circles.
    fn play(&mut self, mut random: SplitMix64) {
        let cyclic = random.index(100) < usize::from(self.args.cyclic);
        self.straight(&mut random, u32::from(self.args.max_ply));
        if cyclic {
            self.circling(&mut random);
        }
    }

    /// A game up to move number `last_ply`. Its last position.
    fn straight(&mut self, random: &mut SplitMix64, last_ply: u32) -> Position {
        let mut position = Position::startpos();
        loop {
            let hash = self.note(&position);
            if position.ply() >= last_ply {
                return position;
            }
            let Some(m) = self.choose(&position, hash, random) else {
                return position;
            };
            let _ = position.do_move_unchecked(m);
        }
    }

    /// One of the moves that the book will register here, the most liked most often; now and then
    /// any move at all, as opponents leave the book.
    fn choose(&mut self, position: &Position, hash: u64, random: &mut SplitMix64) -> Option<Move> {
        if random.index(16) == 0 {
            let mut moves = position.moves::<Legal>();
            // The order in which moves are generated must not matter.
            moves.sort_unstable_by_key(|&m| hash::of_move(m));
            return (!moves.is_empty()).then(|| moves[random.index(moves.len())]);
        }
        let count = entry::registered_count(hash, self.args.moves_per_position);
        let pick = random.index(count).min(random.index(count));
        let favourites = self.preferences.favourites(position, hash, count);
        favourites.get(pick).or(favourites.last()).copied()
    }

    /// A game in which both sides walk back and forth from some position on, with the perpetual
    /// checks that were possible on the way.
    fn circling(&mut self, random: &mut SplitMix64) {
        let max_ply = u32::from(self.args.max_ply);
        let Some(latest) = max_ply.checked_sub(MAX_PLIES) else {
            return;
        };
        let turn = 1 + random.index(latest.max(1) as usize) as u32;
        let from = self.straight(random, turn);
        for position in back_and_forth(&from, random) {
            self.note(&position);
        }
        // Most positions offer no perpetual check, so every later one of the game is asked.
        let mut position = from;
        while position.ply() < latest {
            for checked in perpetual_check(&position) {
                self.note(&checked);
            }
            let hash = self.note(&position);
            let Some(m) = self.choose(&position, hash, random) else {
                return;
            };
            let _ = position.do_move_unchecked(m);
        }
    }
}

// Ways to come back to a position: both sides walk away and return, or one side checks forever.

/// No circle here ends further than this many plies from where it starts.
pub(super) const MAX_PLIES: u32 = 6;

/// Tries to find a circle from one position before giving up.
const ATTEMPTS: usize = 16;

/// The positions of a circle in which both sides move a piece away and bring it back, directly
/// (4 plies) or over a third square (6 plies). Empty if none was found.
pub(super) fn back_and_forth(from: &Position, random: &mut SplitMix64) -> Vec<Position> {
    for _ in 0..ATTEMPTS {
        let legs = 2 + random.index(2);
        if let Some(circle) = try_circle(from, legs, random) {
            return circle;
        }
    }
    Vec::new()
}

/// A circle in which both sides make `legs` moves, with moves drawn at random.
fn try_circle(from: &Position, legs: usize, random: &mut SplitMix64) -> Option<Vec<Position>> {
    let mut position = from.clone();
    let mut homes = [None; 2];
    let mut squares = [None; 2];
    let mut circle = Vec::with_capacity(2 * legs);
    for leg in 0..legs {
        for side in 0..2 {
            let last = leg + 1 == legs;
            let moves: MoveList = quiet_board_moves(&position)
                .filter(|m| squares[side].is_none() || m.from() == squares[side])
                .filter(|m| (Some(m.to()) == homes[side]) == last)
                .collect();
            if moves.is_empty() {
                return None;
            }
            let m = moves[random.index(moves.len())];
            if leg == 0 {
                homes[side] = m.from();
            }
            squares[side] = Some(m.to());
            position = after(&position, m);
            circle.push(position.clone());
        }
    }
    Some(circle)
}

/// The positions of a perpetual check that the side to move can give: a piece checks from two
/// squares in turn, the king steps to and fro. Empty if there is none.
pub(super) fn perpetual_check(from: &Position) -> Vec<Position> {
    if from.in_check() {
        return Vec::new();
    }
    let squares = from.check_squares();
    in_fixed_order(from)
        .into_iter()
        .filter(|&m| from.gives_check(m, &squares))
        .find_map(|first| repeat_check(&after(from, first), first.to()))
        .unwrap_or_default()
}

/// The circle of four plies that starts at `checked`, where the checking piece stands on `square`.
fn repeat_check(checked: &Position, square: Square) -> Option<Vec<Position>> {
    let king = checked.king(checked.side_to_move())?;
    for step in quiet_board_moves(checked).filter(|m| m.from() == Some(king)) {
        let fled = after(checked, step);
        for second in quiet_checks(&fled) {
            if second.from() != Some(square) {
                continue;
            }
            let chased = after(&fled, second);
            let Some(back) = between(&chased, step.to(), king) else {
                continue;
            };
            let returned = after(&chased, back);
            // The check that closes the circle leads to `checked` itself.
            if between(&returned, second.to(), square).is_some() {
                return Some(vec![checked.clone(), fled, chased, returned]);
            }
        }
    }
    None
}

fn after(position: &Position, m: Move) -> Position {
    let mut after = position.clone();
    let _ = after.do_move_unchecked(m);
    after
}

/// The move from one square to another that captures nothing and promotes nothing, if legal.
fn between(position: &Position, from: Square, to: Square) -> Option<Move> {
    quiet_board_moves(position).find(|m| m.from() == Some(from) && m.to() == to)
}

/// The moves of [`quiet_board_moves`] that give check.
fn quiet_checks(position: &Position) -> Vec<Move> {
    let squares = position.check_squares();
    quiet_board_moves(position)
        .filter(|&m| position.gives_check(m, &squares))
        .collect()
}

/// The legal moves that could be taken back: on the board, without capture and promotion, not by a
/// pawn, lance or knight.
fn quiet_board_moves(position: &Position) -> impl Iterator<Item = Move> {
    in_fixed_order(position).into_iter().filter(|m| {
        !m.is_drop()
            && !m.is_promotion()
            && position.piece_on(m.to()).is_none()
            && !matches!(
                m.kind_after(),
                PieceKind::Pawn | PieceKind::Lance | PieceKind::Knight
            )
    })
}

/// The legal moves in an order that does not depend on how they are generated.
fn in_fixed_order(position: &Position) -> MoveList {
    let mut moves = position.moves::<Legal>();
    moves.sort_unstable_by_key(|&m| hash::of_move(m));
    moves
}
