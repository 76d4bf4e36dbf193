//! Making and taking back moves: the position after a move is the one that the board shows, taking it
//! back restores every bit, and [`Delta`] tells the difference.

use std::collections::HashMap;

use proptest::prelude::*;
use shogi_core::movegen::LegalAll;
use shogi_core::{ByColor, Color, Delta, HandKind, KeyBuilder, Move, Piece, Position, Square};

use crate::oracle::{Board, Step};
use crate::positions::{choices, config, setup, start};

/// Keys, checkers, blockers and sets are what they would be had the position been set up afresh.
fn check_from_scratch(position: &Position) {
    let fresh = Position::from_setup(&position.to_setup());
    assert_eq!(fresh.as_ref(), Ok(position), "state kept while playing");
    assert_eq!(position.key128() as u64, position.key(), "{position}");
    for color in Color::ALL {
        for square in position.color(color) {
            assert_eq!(
                position.piece_on(square).map(Piece::color),
                Some(color),
                "{position}"
            );
        }
    }
}

/// An evaluator's knowledge of a position: how often each piece stands on each square, and what
/// is in hand.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Features {
    board: HashMap<(Piece, Square), i32>,
    hands: [HashMap<HandKind, u8>; 2],
}

impl Features {
    fn new(position: &Position) -> Self {
        let board = position.occupied().into_iter();
        let board = board.filter_map(|at| position.piece_on(at).map(|piece| ((piece, at), 1)));
        let hands = Color::ALL.map(|color| position.hand(color).iter().collect());
        Self {
            board: board.collect(),
            hands,
        }
    }

    fn apply(&mut self, mover: Color, delta: &Delta) {
        for change in [Some(delta.moved), delta.captured].into_iter().flatten() {
            if let Some(gone) = change.before {
                *self.board.entry(gone).or_default() -= 1;
            }
            if let Some(new) = change.after {
                *self.board.entry(new).or_default() += 1;
            }
        }
        if let Some((kind, count)) = delta.hand {
            self.hands[mover.index()].insert(kind, count);
        }
        self.board.retain(|_, count| *count != 0);
        self.hands[mover.index()].retain(|_, count| *count != 0);
    }
}

/// The keys that generation foretells are those of the positions after the moves.
fn check_child_keys(position: &Position) {
    let them = position.side_to_move().flip();
    let theirs = position.player_key(them);
    let mut foretold = Vec::new();
    position.generate_with_keys::<LegalAll>(|m, key, captured| {
        assert_eq!(position.key_after(m), key as u64, "{position} {m:?}");
        let theirs = captured.map_or(theirs, |piece| theirs.without(piece, m.to()));
        foretold.push((m, key, captured, theirs));
    });
    let played = position.moves::<LegalAll>().into_iter().map(|m| {
        let mut child = position.clone();
        let captured = child.do_move_unchecked(m).captured();
        (m, child.key128(), captured, child.player_key(them))
    });
    assert_eq!(foretold, played.collect::<Vec<_>>(), "{position}");
}

/// The keys put together from the pieces are the keys of the position.
fn check_built_key(position: &Position) {
    let mut key = KeyBuilder::default();
    for square in position.occupied() {
        key.put(position.piece_on(square).expect("occupied"), square);
    }
    key.set_hands(ByColor(Color::ALL.map(|color| position.hand(color))));
    let whole = key.position_key(position.side_to_move());
    assert_eq!(whole, position.key128(), "{position}");
    for color in Color::ALL {
        assert_eq!(
            key.player_key(color),
            position.player_key(color),
            "{position}"
        );
    }
}

/// Plays `m` and takes it back; `board_after` is the SFEN that must come out.
fn check_move(position: &mut Position, m: Move, board_after: &str) {
    let before = position.clone();
    let mover = before.side_to_move();
    let gives_check = before.gives_check(m, &before.check_squares());
    let mut features = Features::new(&before);
    let hand_after = before.hand_after(m);

    let undo = position.do_move_unchecked(m);
    assert_eq!(
        position.to_sfen_without_ply(),
        board_after,
        "{m} in {before}"
    );
    assert_eq!(position.ply(), before.ply().wrapping_add(1));
    assert_eq!(position.in_check(), gives_check, "{m} in {before}");
    assert_eq!(undo.captured(), before.piece_on(m.to()), "{m} in {before}");
    assert_eq!(position.hand(mover), hand_after, "{m} in {before}");
    check_from_scratch(position);
    features.apply(mover, &Delta::new(position, m, &undo));
    assert_eq!(features, Features::new(position), "{m} in {before}");

    position.undo_move(m, &undo);
    assert_eq!(*position, before, "{m} taken back");
}

/// All legal moves of a position, and the pass.
fn check_all_moves(position: &mut Position) {
    check_child_keys(position);
    check_built_key(position);
    let board = Board::from_sfen(&position.to_sfen());
    let steps: HashMap<String, Step> = board
        .legal_moves()
        .into_iter()
        .map(|step| (step.to_string(), step))
        .collect();
    for m in position.moves::<LegalAll>() {
        let step = steps[&m.to_string()];
        check_move(position, m, &board.after(step).to_sfen());
    }
    if position.in_check() {
        return;
    }
    let before = position.clone();
    let undo = position.do_null_move();
    assert_eq!(position.side_to_move(), before.side_to_move().flip());
    assert_eq!(position.to_setup().board, before.to_setup().board);
    assert_ne!(position.key(), before.key());
    check_from_scratch(position);
    for m in position.moves::<LegalAll>() {
        let undo = position.do_move_unchecked(m);
        check_from_scratch(position);
        position.undo_move(m, &undo);
    }
    position.undo_null_move(&undo);
    assert_eq!(*position, before, "a pass taken back");
}

proptest! {
    #![proptest_config(config(100))]

    #[test]
    fn playouts_make_and_take_back(start in start(), choices in choices(150)) {
        let mut position = start.clone();
        let mut played = Vec::new();
        for choice in choices {
            check_all_moves(&mut position);
            let Some(m) = choice.of(&position) else { break };
            played.push((m, position.do_move_unchecked(m)));
        }
        while let Some((m, undo)) = played.pop() {
            position.undo_move(m, &undo);
        }
        prop_assert_eq!(position, start);
    }
}

proptest! {
    #![proptest_config(config(1000))]

    #[test]
    fn setups_make_and_take_back(position in setup()) {
        check_all_moves(&mut position.clone());
    }
}

/// Positions seen, by key; two of them with one key are a collision.
#[derive(Default)]
struct Keys {
    whole: HashMap<u64, String>,
    /// By the high half of the 128-bit key, which has to tell positions apart by itself.
    high: HashMap<u64, String>,
    boards: HashMap<u64, String>,
}

impl Keys {
    /// Returns whether the position is new.
    fn insert(&mut self, position: &Position) -> bool {
        let sfen = position.to_sfen_without_ply();
        let board = sfen.rsplit_once(' ').expect("three fields").0.to_owned();
        let seen = self
            .boards
            .entry(position.board_key())
            .or_insert_with(|| board.clone());
        assert_eq!(*seen, board, "one board key");
        let seen = self
            .high
            .entry((position.key128() >> 64) as u64)
            .or_insert_with(|| sfen.clone());
        assert_eq!(*seen, sfen, "one high half");
        let before = self.whole.len();
        let seen = self
            .whole
            .entry(position.key())
            .or_insert_with(|| sfen.clone());
        assert_eq!(*seen, sfen, "one 64-bit key");
        self.whole.len() > before
    }
}

/// Visits everything within `depth` plies; equal positions must have equal keys, which the number of
/// distinct ones shows.
fn visit(position: &mut Position, depth: u32, keys: &mut Keys) {
    keys.insert(position);
    if depth == 0 {
        return;
    }
    for m in position.moves::<LegalAll>() {
        let undo = position.do_move_unchecked(m);
        visit(position, depth - 1, keys);
        position.undo_move(m, &undo);
    }
}

#[test]
fn keys_tell_positions_apart() {
    let mut keys = Keys::default();
    visit(&mut Position::startpos(), 3, &mut keys);
    let matsuri = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1";
    visit(&mut crate::golden::position(matsuri), 2, &mut keys);
    let distinct: std::collections::HashSet<&String> = keys.whole.values().collect();
    assert_eq!(
        distinct.len(),
        keys.whole.len(),
        "one position has two keys"
    );
    assert!(keys.whole.len() > 40_000, "{}", keys.whole.len());
    assert!(keys.boards.len() > 20_000, "{}", keys.boards.len());
}
