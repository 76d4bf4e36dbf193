//! The session through its public methods.

use std::sync::mpsc::{Receiver, Sender};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use shogi_core::{Game, Move, Position, parse_position_line};
use shogi_engine::{
    Listener, Message, Preparation, PvEnd, SearchOutcome, SearchState, Session, StartError,
};
use shogi_search::SearchInfo;
use shogi_usi::{ClockTimes, GoCommand, OptionError};
use test_support::SplitMix64;

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
    let value = session
        .options()
        .get("MultiPV")
        .map(|(_, value)| value.to_string());
    assert_eq!(value.as_deref(), Some("4"));
}

#[test]
fn evaluation_sees_the_current_position() {
    let mut session = session();
    let level = session.evaluate();
    let rook_up = "lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b R 1";
    session.set_game(Game::new(Position::from_sfen(rook_up).unwrap()));
    assert!(session.evaluate() > level + 1000);
}

// A listener that keeps the events of a search.

/// An event of a search.
#[derive(Debug)]
pub(crate) enum SearchEvent {
    /// Number of a line and its moves.
    Line(usize, Vec<Move>),
    /// A message of the book.
    Book,
    /// The decision.
    Outcome(SearchOutcome),
}

/// Sends the events to a channel.
pub(crate) struct EventSender(Mutex<Sender<SearchEvent>>);

/// A listener and the end of its channel.
pub(crate) fn listener() -> (Arc<EventSender>, Receiver<SearchEvent>) {
    let (sender, receiver) = mpsc::channel();
    (Arc::new(EventSender(Mutex::new(sender))), receiver)
}

impl EventSender {
    fn send(&self, event: SearchEvent) {
        self.0.lock().unwrap().send(event).ok();
    }
}

impl Listener for EventSender {
    fn line(&self, info: &SearchInfo) {
        self.send(SearchEvent::Line(info.multi_pv, info.pv.clone()));
    }

    fn line_with_end(&self, info: &SearchInfo, _: PvEnd) {
        self.line(info);
    }

    fn book(&self, _: &Message) {
        self.send(SearchEvent::Book);
    }

    fn finished(&self, outcome: &SearchOutcome) {
        self.send(SearchEvent::Outcome(*outcome));
    }
}

// The reply to ponder on belongs to the line that was shown last.

/// Positions in and out of check, with one legal move, shortly before mates, with repetitions at hand.
const POSITIONS: [&str; 7] = [
    "startpos",
    "startpos moves 7g7f 3c3d 8h2b+ 3a2b",
    "startpos moves 2h3h 8b7b 3h2h 7b8b 2h3h 8b7b 3h2h 7b8b",
    "sfen l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
    "sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G2r2b3g4s4n4l17p 1",
    "sfen lr5nl/6k2/6bpp/p1p1S1R2/1P1np2P1/P1P1P3P/3K5/1S3G3/LN5NL b 2G6Pbg2sp 95",
    "sfen 4k4/9/9/9/9/4r4/9/9/4K4 b P 1",
];

fn session_with(options: &[(&str, &str)]) -> Session {
    let mut session = Session::new();
    session.set_seed(7);
    let own = [("USI_Hash", "4"), ("BookFile", "no_book")];
    for (name, value) in own.iter().chain(options) {
        session.set_option(name, Some(value)).unwrap();
    }
    session
}

fn start_search(session: &mut Session, position: &str, go: &str) -> Receiver<SearchEvent> {
    let game = parse_position_line(position).unwrap();
    session.set_game(game);
    let (sender, events) = listener();
    session.go(&go.parse().unwrap(), sender).unwrap();
    events
}

/// Checks that the answer is the beginning of the best line that was shown last; returns whether it has a reply.
fn check(events: &Receiver<SearchEvent>, label: &str) -> bool {
    let mut shown = Vec::new();
    loop {
        match events.recv_timeout(Duration::from_secs(60)).expect(label) {
            SearchEvent::Line(1, pv) => shown = pv,
            SearchEvent::Line(..) | SearchEvent::Book => {}
            SearchEvent::Outcome(SearchOutcome::Move { best, ponder }) => {
                assert_eq!(shown.first(), Some(&best), "{label}");
                assert_eq!(shown.get(1), ponder.as_ref(), "{label}");
                return ponder.is_some();
            }
            SearchEvent::Outcome(SearchOutcome::Failed { .. }) => panic!("{label}"),
            // A mate, a declaration, giving up: no reply.
            SearchEvent::Outcome(_) => return false,
        }
    }
}

#[test]
fn the_reply_is_that_of_the_line_shown_last() {
    let mut random = SplitMix64::new(1);
    for threads in ["1", "2", "4"] {
        for lines in ["1", "3"] {
            for mode in ["false", "true"] {
                let mut session = session_with(&[
                    ("Threads", threads),
                    ("MultiPV", lines),
                    ("ConsiderationMode", mode),
                ]);
                let (mut replies, mut answers) = (0, 0);
                for round in 0..4 {
                    for position in POSITIONS {
                        let nodes = 1 + random.below(2000);
                        let limit = match round {
                            0 => format!("nodes {nodes}"),
                            1 => format!("depth {}", 1 + nodes % 6),
                            2 => "infinite".to_owned(),
                            _ => "ponder btime 100 wtime 100 byoyomi 10".to_owned(),
                        };
                        let label = format!("{threads} {lines} {mode} {position} {limit}");
                        let events = start_search(&mut session, position, &limit);
                        if round >= 2 {
                            std::thread::sleep(Duration::from_micros(random.below(6000)));
                            session.stop();
                        }
                        replies += u32::from(check(&events, &label));
                        answers += 1;
                    }
                }
                // Most searches come far enough to know a reply.
                assert!(replies > answers / 4, "{replies} of {answers}");
            }
        }
    }
}
