//! Every kind of move generation and every question about one move, against the oracle and against
//! each other.

use std::collections::BTreeSet;

use proptest::prelude::*;
use shogi_core::movegen::{
    All, Captures, CapturesAndPromotions, Checks, Evasions, GenKind, Legal, LegalAll,
    QuietsWithoutPromotions,
};
use shogi_core::{Bitboard, Color, HandKind, Move, MoveText, Origin, Piece, Position, Square};

use crate::oracle::Board;
use crate::positions::{choices, config, setup, square, start};

type Set = BTreeSet<Move>;

/// The moves of kind `G`: none twice, and as many as counting says.
fn set<G: GenKind>(position: &Position) -> Set {
    let list = position.moves::<G>();
    let set: Set = list.iter().copied().collect();
    assert_eq!(set.len(), list.len(), "a move twice: {position}");
    assert_eq!(position.count_moves::<G>(), list.len(), "{position}");
    set
}

fn usi(moves: impl IntoIterator<Item = impl ToString>) -> BTreeSet<String> {
    moves.into_iter().map(|m| m.to_string()).collect()
}

fn filtered(moves: &Set, keep: impl Fn(Move) -> bool) -> Set {
    moves.iter().copied().filter(|&m| keep(m)).collect()
}

/// The parts of `G`'s moves (`G` being [`Legal`] or a variant of it) are the right ones. `$variant`
/// makes a kind of its own out of each.
macro_rules! check_parts {
    ($position:expr, $($variant:ident)?) => {{
        let position: &Position = $position;
        let whole = set::<check_parts!(@ Legal $(, $variant)?)>(position);
        let is_capture = |m: Move| position.piece_on(m.to()).is_some();
        let checks = position.check_squares();
        let parts = [
            (set::<check_parts!(@ Evasions $(, $variant)?)>(position), whole.clone()),
            (set::<check_parts!(@ Captures $(, $variant)?)>(position), filtered(&whole, is_capture)),
            (
                set::<check_parts!(@ CapturesAndPromotions $(, $variant)?)>(position),
                filtered(&whole, |m| is_capture(m) || m.is_promotion()),
            ),
            (
                set::<check_parts!(@ QuietsWithoutPromotions $(, $variant)?)>(position),
                filtered(&whole, |m| !is_capture(m) && !m.is_promotion()),
            ),
            (
                set::<check_parts!(@ Checks $(, $variant)?)>(position),
                filtered(&whole, |m| position.gives_check(m, &checks)),
            ),
        ];
        for (number, (found, expected)) in parts.iter().enumerate() {
            assert_eq!(found, expected, "part {number} of {position}");
        }
        whole
    }};
    (@ $kind:ident) => { $kind };
    (@ $kind:ident, $variant:ident) => { $variant<$kind> };
}

/// Leaving out pointless non-promotions is a filter on the largest set.
fn check_generation(position: &Position, board: &Board) {
    let all = check_parts!(position, All);
    let expected: BTreeSet<String> = usi(board.legal_moves());
    assert_eq!(usi(&all), expected, "legal moves of {position}");
    assert_eq!(position.in_check(), board.in_check(), "{position}");
    assert_eq!(position.has_no_legal_move(), all.is_empty(), "{position}");
    assert_eq!(position.is_mated(), board.is_mated(), "{position}");

    let useful = check_parts!(position,);
    let is_useful = |m: Move| !position.is_pointless_non_promotion(m);
    assert_eq!(useful, filtered(&all, is_useful), "{position}");

    check_single_moves(position, board, &all);
}

/// All moves that text can name: from any square to any other with and without promotion, and every
/// drop.
fn all_texts() -> impl Iterator<Item = MoveText> {
    let board = Square::ALL.into_iter().map(Origin::Board);
    board
        .chain(HandKind::ALL.into_iter().map(Origin::Hand))
        .flat_map(|origin| {
            let promotions: &[bool] = if matches!(origin, Origin::Board(_)) {
                &[false, true]
            } else {
                &[false]
            };
            promotions.iter().flat_map(move |&promote| {
                Square::ALL.into_iter().map(move |to| MoveText {
                    origin,
                    to,
                    promote,
                })
            })
        })
}

/// The pseudo-legal moves, found by asking about every move.
fn pseudo_legal_moves(position: &Position) -> Set {
    all_texts()
        .filter_map(|text| position.complete(text))
        .filter(|&m| position.is_pseudo_legal(m))
        .collect()
}

/// Asking about one move gives the generated sets.
fn check_single_moves(position: &Position, board: &Board, legal: &Set) {
    let mut found_legal = Set::new();
    for text in all_texts() {
        let Some(m) = position.complete(text) else {
            continue;
        };
        assert_eq!(MoveText::from(m), text, "{position}");
        if position.is_legal(m) {
            found_legal.insert(m);
            assert_eq!(
                position.move_from_usi(&text.to_string()),
                Ok(m),
                "{position}"
            );
        }
    }
    assert_eq!(&found_legal, legal, "legal moves of {position}");
    let pseudo_legal = pseudo_legal_moves(position);
    let checks = position.check_squares();
    let may_mate =
        |m: Move| m.dropped() == Some(HandKind::Pawn) && position.gives_check(m, &checks);
    assert_eq!(
        usi(filtered(&pseudo_legal, |m| !may_mate(m))),
        usi(board.pseudo_legal_moves()),
        "pseudo-legal moves of {position}"
    );
    let safe = filtered(&pseudo_legal, |m| position.is_legal_if_pseudo_legal(m));
    assert_eq!(&safe, legal, "{position}");
}

/// Checks and mates are those that the board shows after the move.
fn check_checks_and_mates(position: &Position, board: &Board) {
    let mut checks = BTreeSet::new();
    let mut mates = BTreeSet::new();
    for step in board.legal_moves() {
        let next = board.after(step);
        if next.in_check() {
            checks.insert(step.to_string());
            if next.is_mated() {
                mates.insert(step.to_string());
            }
        }
    }
    assert_eq!(
        usi(position.moves::<All<Checks>>()),
        checks,
        "checks of {position}"
    );
    assert_eq!(usi(position.mating_moves()), mates, "mates of {position}");
    let found = position.mate_in_one().map(|m| m.to_string());
    assert_eq!(found.is_some(), !mates.is_empty(), "{found:?} {position}");
    assert!(found.is_none_or(|m| mates.contains(&m)), "{position}");
}

/// Attacks, checkers and pieces in the way of sliders are those that the board shows.
fn check_attacks(position: &Position, board: &Board) {
    let mut attackers = [[Bitboard::EMPTY; 81]; 2];
    for from in Square::ALL {
        let cell = ((from.index() / 9) as i8, (from.index() % 9) as i8);
        let attacked: Bitboard = board.attacks(cell).into_iter().map(square).collect();
        assert_eq!(
            position.attacks_from(from),
            attacked,
            "from {from} in {position}"
        );
        if let Some(piece) = position.piece_on(from) {
            for to in attacked {
                attackers[piece.color().index()][to.index()] |= from.into();
            }
        }
    }
    for color in Color::ALL {
        for to in Square::ALL {
            let found = position.attackers_of(color, to, position.occupied());
            assert_eq!(
                found,
                attackers[color.index()][to.index()],
                "on {to} in {position}"
            );
            assert_eq!(position.is_attacked_by(color, to), found.any());
        }
    }
    let us = position.side_to_move();
    let checkers = position.king(us).map_or(Bitboard::EMPTY, |king| {
        attackers[us.flip().index()][king.index()]
    });
    assert_eq!(position.checkers(), checkers, "{position}");
    let blockers: Bitboard = board.blockers().into_iter().map(square).collect();
    assert_eq!(position.blockers(), blockers, "{position}");
    assert_eq!(
        position.pinned(),
        blockers & position.color(us),
        "{position}"
    );
}

/// Turning the board turns the moves.
fn check_flip(position: &Position) {
    let turned = position.flip();
    assert_eq!(&turned.flip(), position);
    assert_eq!(turned.ply(), position.ply());
    let rotated: Set = set::<LegalAll>(position)
        .into_iter()
        .map(Move::rotate)
        .collect();
    assert_eq!(set::<LegalAll>(&turned), rotated, "{position}");
    for m in position.moves::<LegalAll>() {
        assert_eq!(m.rotate().rotate(), m);
    }
}

fn check_position(position: &Position) {
    let board = Board::from_sfen(&position.to_sfen());
    check_generation(position, &board);
    check_checks_and_mates(position, &board);
    check_attacks(position, &board);
    check_flip(position);
}

/// Moves to a set of squares are the moves filtered by destination.
fn check_targets<G: GenKind>(position: &Position, targets: Bitboard) {
    let mut list = shogi_core::movegen::MoveList::new();
    position.generate_to::<G>(targets, &mut list);
    let found: Set = list.iter().copied().collect();
    assert_eq!(found.len(), list.len(), "a move twice: {position}");
    let expected = filtered(&set::<G>(position), |m| targets.contains(m.to()));
    assert_eq!(found, expected, "to {targets:?} in {position}");
    let mut counter = shogi_core::movegen::MoveCounter::default();
    position.generate_to::<G>(targets, &mut counter);
    assert_eq!(counter.0, list.len(), "{position}");
}

proptest! {
    #![proptest_config(config(200))]

    #[test]
    fn playouts_agree_with_the_oracle(start in start(), choices in choices(150)) {
        let mut position = start;
        check_position(&position);
        for choice in choices {
            let Some(m) = choice.of(&position) else { break };
            let _ = position.do_move_unchecked(m);
            check_position(&position);
        }
    }
}

proptest! {
    #![proptest_config(config(4000))]

    #[test]
    fn setups_agree_with_the_oracle(position in setup()) {
        check_position(&position);
    }

    #[test]
    fn moves_to_some_squares_are_a_filter(position in setup(), words in any::<[u64; 2]>()) {
        let targets = Bitboard::from_words(words) & Bitboard::ALL;
        check_targets::<Legal>(&position, targets);
        check_targets::<LegalAll>(&position, targets);
        check_targets::<All<Checks>>(&position, targets);
        check_targets::<CapturesAndPromotions>(&position, targets);
        check_targets::<QuietsWithoutPromotions>(&position, targets);
        for to in targets.into_iter().take(4) {
            check_targets::<Legal>(&position, to.into());
        }
    }

    /// A hash table may hand out a move of any other position.
    #[test]
    fn moves_of_other_positions_are_judged(position in setup(), other in setup()) {
        let pseudo_legal = pseudo_legal_moves(&position);
        let legal = set::<LegalAll>(&position);
        for m in pseudo_legal_moves(&other) {
            prop_assert_eq!(position.is_pseudo_legal(m), pseudo_legal.contains(&m), "{} {}", m, position);
            prop_assert_eq!(position.is_legal(m), legal.contains(&m), "{} {}", m, position);
        }
    }

    /// So may a key collision hand out a move that fits no position at all.
    #[test]
    fn impossible_moves_are_refused(
        position in setup(),
        from in 0usize..81,
        to in 0usize..81,
        piece in prop::sample::select(Piece::ALL.as_slice()),
    ) {
        let (from, to) = (Square::ALL[from], Square::ALL[to]);
        let legal = set::<LegalAll>(&position);
        let moves = [Some(Move::normal(from, to, piece)), Move::promoting(from, to, piece)];
        for m in moves.into_iter().flatten() {
            prop_assert_eq!(position.is_legal(m), legal.contains(&m), "{:?} {}", m, position);
        }
    }
}
