//! The session through its public methods.

use std::sync::mpsc::Receiver;
use std::time::Duration;

use shogi_core::{Game, Position};
use shogi_engine::{Preparation, SearchOutcome, SearchState, Session, StartError};
use shogi_usi::{ClockTimes, GoCommand, OptionError};

use crate::events::{SearchEvent, listener};

fn session() -> Session {
    let mut session = Session::new();
    session.set_option("USI_Hash", Some("1")).unwrap();
    session
}

fn go(text: &str) -> GoCommand {
    text.parse().unwrap()
}

/// The events so far, with the outcome last.
fn outcome(events: &Receiver<SearchEvent>) -> SearchOutcome {
    loop {
        match events
            .recv_timeout(Duration::from_secs(60))
            .expect("an outcome in time")
        {
            SearchEvent::Line(..) | SearchEvent::Book => {}
            SearchEvent::Outcome(outcome) => return outcome,
        }
    }
}

#[test]
fn states_of_a_search() {
    let mut session = session();
    assert_eq!(session.state(), SearchState::Idle);
    let (sender, events) = listener();
    session.go(&go("infinite"), sender.clone()).unwrap();
    assert_eq!(session.state(), SearchState::Endless);
    assert_eq!(session.prepare(), Preparation::Busy);
    session.stop();
    assert_ne!(session.state(), SearchState::Endless);
    assert!(matches!(outcome(&events), SearchOutcome::Move { .. }));
    session.go(&go("ponder depth 1"), sender).unwrap();
    assert_eq!(session.state(), SearchState::Endless);
    session.ponder_hit(ClockTimes::default()).unwrap();
    session.wait();
    assert_eq!(session.state(), SearchState::Idle);
    assert!(matches!(outcome(&events), SearchOutcome::Move { .. }));
    assert_eq!(session.prepare(), Preparation::Fresh { hash_mib: 1 });
}

#[test]
fn an_abandoned_search_is_silent() {
    let mut session = session();
    let (sender, events) = listener();
    session.go(&go("infinite"), sender.clone()).unwrap();
    session.abandon();
    session.go(&go("depth 1"), sender).unwrap();
    session.wait();
    let outcomes = events
        .try_iter()
        .filter(|event| matches!(event, SearchEvent::Outcome(_)))
        .count();
    assert_eq!(outcomes, 1);
}

#[test]
fn the_decision_comes_last() {
    let mut session = session();
    session.set_option("PvInterval", Some("0")).unwrap();
    let (sender, events) = listener();
    session.go(&go("depth 5"), sender).unwrap();
    session.wait();
    let all: Vec<_> = events.try_iter().collect();
    let (last, lines) = all.split_last().unwrap();
    assert!(matches!(
        last,
        SearchEvent::Outcome(SearchOutcome::Move { .. })
    ));
    assert!(
        lines.len() >= 5
            && lines
                .iter()
                .all(|event| matches!(event, SearchEvent::Line(..)))
    );
}

#[test]
fn an_illegal_move_to_search_starts_nothing() {
    let mut session = session();
    let (sender, events) = listener();
    let error = session.go(&go("searchmoves 7g7e"), sender).unwrap_err();
    assert!(matches!(error, StartError::IllegalMove(_)), "{error}");
    assert_eq!(session.state(), SearchState::Idle);
    assert!(events.recv().is_err());
}

#[test]
fn the_game_belongs_to_the_search_that_was_asked() {
    let mut session = session();
    let (sender, events) = listener();
    session.go(&go("infinite"), sender).unwrap();
    let mated = Position::from_sfen("4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1").unwrap();
    session.set_game(Game::new(mated));
    session.stop();
    assert!(matches!(outcome(&events), SearchOutcome::Move { .. }));
    let (sender, events) = listener();
    session.go(&go("depth 3"), sender).unwrap();
    assert_eq!(outcome(&events), SearchOutcome::Mated);
}

#[test]
fn fixed_options_stay() {
    let mut session = session();
    session.fix_option("multipv", "4").unwrap();
    let error = session.set_option("MultiPV", Some("2")).unwrap_err();
    assert_eq!(error, OptionError::Fixed("MultiPV".to_owned()));
    assert_eq!(session.options().spin("MultiPV"), 4);
}

#[test]
fn evaluation_sees_the_current_position() {
    let mut session = session();
    let level = session.evaluate();
    let rook_up = "lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b R 1";
    session.set_game(Game::new(Position::from_sfen(rook_up).unwrap()));
    assert!(session.evaluate() > level + 1000);
}
