//! The opening book of a session.

use std::path::PathBuf;
use std::time::Duration;

use shogi_core::parse_position_line;
use shogi_engine::{BookEvent, SearchOutcome, Session};
use shogi_usi::ClockTimes;
use test_support::fixture;

use crate::session::{SearchEvent, listener};

/// A session with the book of the fixtures.
fn session(seed: u64) -> Session {
    let mut session = Session::new();
    session.set_folders(vec![PathBuf::from("no such folder"), fixture("book")]);
    session.set_seed(seed);
    for (name, value) in [
        ("USI_Hash", "1"),
        ("BookDir", "probe"),
        ("BookFile", "probe_book.db"),
    ] {
        session.set_option(name, Some(value)).unwrap();
    }
    let mut report = Vec::new();
    session.load_book(|new| report.push(new));
    assert!(
        matches!(
            report[..],
            [
                BookEvent::Reading(_),
                BookEvent::Read {
                    positions: Some(14)
                }
            ]
        ),
        "{report:?}"
    );
    session
}

/// The move, how many messages came from the book and how many lines from the search.
fn go(session: &mut Session, go: &str) -> (String, usize, usize) {
    let (sender, events) = listener();
    session.go(&go.parse().unwrap(), sender).unwrap();
    if go.starts_with("ponder") {
        session.ponder_hit(ClockTimes::default()).unwrap();
    }
    let (mut book, mut search) = (0, 0);
    loop {
        match events.recv_timeout(Duration::from_secs(60)).unwrap() {
            SearchEvent::Book => book += 1,
            SearchEvent::Line(..) => search += 1,
            SearchEvent::Outcome(SearchOutcome::Move { best, .. }) => {
                return (best.to_string(), book, search);
            }
            SearchEvent::Outcome(other) => panic!("{other:?}"),
        }
    }
}

#[test]
fn the_seed_decides_among_equals() {
    let choices = |seed| -> Vec<String> {
        let mut session = session(seed);
        (0..12).map(|_| go(&mut session, "depth 1").0).collect()
    };
    let first = choices(1);
    assert_eq!(first, choices(1));
    assert_ne!(first, choices(2));
    for mv in ["7g7f", "2g2f"] {
        assert!(first.iter().any(|choice| choice == mv), "{first:?}");
    }
}

#[test]
fn the_book_is_probed_where_a_move_is_wanted() {
    let mut session = session(1);
    let (_, book, search) = go(&mut session, "depth 1");
    assert_eq!((book, search), (5, 0));
    // Of the moves to search those of the book are shown, and searched all the same.
    for (named, shown) in [("1g1f", 0), ("2g2f", 1), ("1g1f 9g9f 2g2f 7g7f", 3)] {
        let (mv, book, search) = go(&mut session, &format!("depth 1 searchmoves {named}"));
        assert_eq!(book, shown, "{named}");
        assert!(search > 0 && named.contains(&mv), "{named}: {mv}");
    }
    let (_, book, search) = go(&mut session, "ponder depth 1");
    assert_eq!((book, search), (5, 0));
}

#[test]
fn stochastic_pondering_probes_the_position_itself() {
    let mut session = session(1);
    session
        .set_option("Stochastic_Ponder", Some("true"))
        .unwrap();
    let game = parse_position_line("startpos moves 5g5f 5c5d").unwrap();
    session
        .set_option("BookEvalBlackLimit", Some("-20"))
        .unwrap();
    session.set_game(game);
    let (mv, book, _) = go(&mut session, "ponder depth 1");
    // One line: not those of the position before 5c5d.
    assert_eq!((mv.as_str(), book), ("4i5h", 1));
}
