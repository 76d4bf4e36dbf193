//! What books with edits say, what is refused, and what is found in a whole book.

use test_support::TestFolder;
use yane_book::Job;
use yane_book::edit::{
    EntryChange, EntryFilter, EntryMatching, Field, MoveEdit, OverlaidBook, search, search_behind,
};
use yane_book::lookup::Match;

use super::{ODD, at, change, comment, open, position, refused, set, shown, usi};
use crate::util::{AFTER_7G7F, BookFolder, FLIPPED_7G7F, HEADER, START, text};

#[test]
fn what_a_book_does_not_say_is_nothing() {
    let folder = TestFolder::new();
    let path = folder.file("a.db", ODD);
    let book = open(&path);
    let start = at(&book, START);
    assert_eq!(shown(&start), ["7g7f 34 - 5 good\nsee", "2g2f 30 32 9"]);
    assert_eq!((start.comment(), start.ply()), ("start", Some(1)));
    assert_eq!(shown(&at(&book, AFTER_7G7F)), ["8c8d - - -", "3c3d - - -"]);
    let turned = book
        .find(&position(FLIPPED_7G7F), EntryMatching::default())
        .unwrap()
        .unwrap();
    assert_eq!(turned.matched, Match::FlippedOtherPly);
    assert_eq!(turned.into_moves()[0].mv, Some(usi("2g2f")));
}

#[test]
fn entries_come_and_go() {
    let folder = TestFolder::new();
    let path = folder.book("a.db", &[(START, &["7g7f none 1 2 3"])]);
    let mut book = open(&path);
    change(&mut book, AFTER_7G7F, &[set("3c3d", 1, 1, 1)]);
    assert_eq!(book.more(), 1);
    change(&mut book, AFTER_7G7F, &[EntryChange::Remove(usi("3c3d"))]);
    assert!(book.is_unchanged() && book.more() == 0);
    change(&mut book, AFTER_7G7F, &[set("3c3d", 1, 1, 1)]);
    change(&mut book, START, &[EntryChange::RemovePosition]);
    assert!(
        book.find(&position(START), EntryMatching::default())
            .unwrap()
            .is_none()
    );
    book.save(&Job::default()).unwrap();
    assert_eq!(
        folder.text("a.db"),
        text(&[(AFTER_7G7F, &["3c3d none 1 1 1"])])
    );
    // All entries may go.
    let mut book = open(&path);
    change(&mut book, AFTER_7G7F, &[EntryChange::RemovePosition]);
    book.save(&Job::default()).unwrap();
    assert_eq!(folder.text("a.db"), HEADER);
}

#[test]
fn what_cannot_be_is_refused() {
    let folder = TestFolder::new();
    let path = folder.book(
        "a.db",
        &[(AFTER_7G7F, &["hello"]), (START, &["7g7f none 1 2 3"])],
    );
    let mut book = open(&path);
    let reply = EntryChange::Set(MoveEdit {
        reply: Field::Is(usi("7g7f")),
        ..MoveEdit::new(usi("2g2f"))
    });
    for (changes, told) in [
        (vec![set("7g7e", 1, 1, 1)], "7g7e is not legal"),
        (vec![set("P*5e", 1, 1, 1)], "P*5e is not legal"),
        (vec![reply], "reply 7g7f is not legal after 2g2f"),
        (
            vec![EntryChange::Remove(usi("2g2f"))],
            "does not have the move 2g2f",
        ),
        (
            vec![EntryChange::First(usi("2g2f"))],
            "does not have the move 2g2f",
        ),
        (vec![comment("7g7f", "a\u{7}")], "comment: at most"),
        (
            vec![comment("7g7f", &"a".repeat(10_001))],
            "comment: at most",
        ),
        (
            vec![EntryChange::RemovePosition, EntryChange::RemovePosition],
            "does not have the position",
        ),
    ] {
        let error = refused(&mut book, START, &changes);
        assert!(error.contains(told), "{error}");
    }
    let error = refused(&mut book, AFTER_7G7F, &[set("3c3d", 1, 1, 1)]);
    assert!(error.contains("hello"), "{error}");
    let other = "4k4/9/9/9/9/9/9/9/4K4 b G 1";
    let error = refused(&mut book, other, &[EntryChange::Comment("x".to_owned())]);
    assert!(error.contains("does not have the position"), "{error}");
    assert!(book.is_unchanged());
}

#[test]
fn moves_stay_in_their_order() {
    let folder = TestFolder::new();
    let lines = ["7g7f none 10 2 9", "2g2f none 30 2 3", "5g5f none 20 2 3"];
    let path = folder.book("a.db", &[(START, &lines)]);
    let mut book = open(&path);
    change(&mut book, START, &[set("9g9f", 25, 2, 3)]);
    let order = |book: &OverlaidBook| {
        let moves = shown(&at(book, START));
        moves
            .iter()
            .map(|text| text[..4].to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(order(&book), ["7g7f", "2g2f", "9g9f", "5g5f"]);
    change(&mut book, START, &[EntryChange::First(usi("5g5f"))]);
    // In another order a new move comes last.
    change(&mut book, START, &[set("1g1f", 99, 2, 99)]);
    assert_eq!(order(&book), ["5g5f", "7g7f", "2g2f", "9g9f", "1g1f"]);
}

#[test]
fn positions_are_found_by_their_values() {
    let folder = TestFolder::new();
    let path = folder.file("a.db", ODD);
    let mut book = open(&path);
    let found = |book: &OverlaidBook, filter: EntryFilter| {
        let mut all = Vec::new();
        search(book, &filter, &Job::default(), |more| {
            all.extend(more.into_iter().map(|one| one.sfen));
            std::ops::ControlFlow::Continue(())
        })
        .unwrap();
        all
    };
    let score = |range| EntryFilter {
        score: Some(range),
        ..EntryFilter::default()
    };
    let text = |text: &str| EntryFilter {
        comment: Some(text.to_owned()),
        ..EntryFilter::default()
    };
    assert_eq!(found(&book, EntryFilter::default()), [AFTER_7G7F, START]);
    assert_eq!(found(&book, score(34..=40)), [START]);
    assert!(
        found(&book, score(0..=30)).is_empty(),
        "the best move has 34"
    );
    assert_eq!(found(&book, text("GOOD")), [START]);
    assert_eq!(
        found(
            &book,
            EntryFilter {
                ply: Some(2..=9),
                ..EntryFilter::default()
            }
        ),
        [AFTER_7G7F]
    );
    change(
        &mut book,
        AFTER_7G7F,
        &[set("3c3d", 7, 1, 1), comment("3c3d", "矢倉")],
    );
    assert_eq!(found(&book, score(0..=30)), [AFTER_7G7F]);
    assert_eq!(found(&book, text("矢倉")), [AFTER_7G7F]);
    let mut behind = Vec::new();
    let start = position(START);
    search_behind(
        &book,
        &start,
        EntryMatching::default(),
        &EntryFilter::default(),
        &Job::default(),
        |more| {
            behind.extend(more.into_iter().map(|one| one.sfen));
            std::ops::ControlFlow::Continue(())
        },
    )
    .unwrap();
    assert_eq!(behind, [START, AFTER_7G7F]);
}
