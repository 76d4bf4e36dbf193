//! What becomes of single positions.

use std::sync::Arc;
use test_support::TestFolder;

use shogi_core::EnteringKingRule;

use super::graph_moves::{Facts, GraphMoves, Judge, MoveKind};
use crate::Job;
use crate::db::BadLines;
use crate::graph::{DbSource, Identity, Index};

const RULE: EnteringKingRule = EnteringKingRule::CsaRule27;

/// The rows of the book with this text.
fn rows(text: &str, judge: Judge) -> GraphMoves {
    let folder = TestFolder::new();
    let path = folder.path("book.db");
    std::fs::write(&path, text).unwrap();
    let source = DbSource::new(&path).unwrap();
    let job = Job::default();
    let index = Index::build(&job, &source, Identity::Position, BadLines::Fail).unwrap();
    judge.link(&Arc::new(index), &job, &source).unwrap().0
}

/// The moves of the first node: text, kind and value.
fn first_moves(rows: &GraphMoves) -> Vec<(String, MoveKind, i32)> {
    let text = |at: usize| rows.mv[at].decode().unwrap().to_string();
    rows.range(0)
        .map(|at| (text(at), rows.kind[at], rows.eval[at]))
        .collect()
}

/// Black mates with G*5b (and other golds do not).
const MATE: &str = "sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1\n";
/// White has entered and needs no more points: whatever black plays, white declares.
const ENTERED: &str = "sfen 4K4/9/9/9/9/9/r1b1b1r2/ggg1kgs2/s1+p1+p4 b - 1\n";

#[test]
fn a_mate_counts_whatever_the_book_says() {
    let judge = Judge::SomeMoves(RULE);
    let found = rows(
        &format!("{MATE}G*4b none 5\nG*6b none 9\nG*5b none -7\n"),
        judge,
    );
    let expected = [
        ("G*5b", MoveKind::Terminal, 31999),
        ("G*6b", MoveKind::Leaf, 9),
    ];
    assert_eq!(
        first_moves(&found),
        expected.map(|(mv, kind, eval)| (mv.to_owned(), kind, eval))
    );
    // It need not be registered.
    let found = rows(MATE, judge);
    assert_eq!(
        first_moves(&found),
        [("G*5b".to_owned(), MoveKind::Terminal, 31999)]
    );
}

#[test]
fn a_move_that_allows_a_declaration_loses() {
    let found = rows(&format!("{ENTERED}5a5b none 100\n"), Judge::SomeMoves(RULE));
    let moves = first_moves(&found);
    assert!(moves.len() > 1);
    for (mv, kind, eval) in moves {
        assert_eq!((kind, eval), (MoveKind::Terminal, -31999), "{mv}");
    }
    let nothing = Judge::SomeMoves(EnteringKingRule::NoEnteringKing);
    let found = rows(&format!("{ENTERED}5a5b none 100\n"), nothing);
    assert_eq!(
        first_moves(&found),
        [("5a5b".to_owned(), MoveKind::Leaf, 100)]
    );
}

#[test]
fn finished_positions_have_no_moves() {
    let declares = ENTERED.replace(" b ", " w ");
    let mated = "sfen 4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1\n";
    for (text, judge, fact) in [
        (&*declares, Judge::SomeMoves(RULE), Facts::WINS),
        (mated, Judge::SomeMoves(RULE), Facts::MATED),
        (mated, Judge::AllMoves(RULE), Facts::MATED),
    ] {
        let found = rows(text, judge);
        assert!(
            found.facts[0].has(fact) && found.range(0).is_empty(),
            "{text}"
        );
    }
}

#[test]
fn books_of_all_moves_must_have_all() {
    let judge = Judge::AllMoves(RULE);
    let corner = "sfen K7k/9/9/9/9/9/9/9/9 b - 1\n";
    let all = rows(&format!("{corner}9a8a\n9a8b\n9a9b none 3\n"), judge);
    assert!(!all.facts[0].has(Facts::ABSENT));
    assert_eq!(first_moves(&all), [("9a9b".to_owned(), MoveKind::Leaf, 3)]);
    let some = rows(&format!("{corner}9a8a\n9a9b none 3\n"), judge);
    assert!(some.facts[0].has(Facts::ABSENT));
    // Mate in one ends it, but only in a book with all moves.
    let position = shogi_core::Position::from_sfen(&MATE[5..MATE.len() - 1]).unwrap();
    let moves = position.moves::<shogi_core::movegen::LegalAll>();
    let lines: Vec<_> = moves.iter().map(|m| format!("{m} none 1")).collect();
    let won = rows(&format!("{MATE}{}", lines.join("\n")), judge);
    assert!(won.facts[0].has(Facts::WINS) && won.range(0).is_empty());
}
