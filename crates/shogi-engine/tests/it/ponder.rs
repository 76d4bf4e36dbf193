//! The reply to ponder on belongs to the line that was shown last.

use std::sync::mpsc::Receiver;
use std::time::Duration;

use shogi_core::parse_position_line;
use shogi_engine::{SearchOutcome, Session};

use crate::events::{SearchEvent, listener};

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

fn session(options: &[(&str, &str)]) -> Session {
    let mut session = Session::new();
    session.set_seed(7);
    let own = [("USI_Hash", "4"), ("BookFile", "no_book")];
    for (name, value) in own.iter().chain(options) {
        session.set_option(name, Some(value)).unwrap();
    }
    session
}

fn go(session: &mut Session, position: &str, go: &str) -> Receiver<SearchEvent> {
    let game = parse_position_line(position).unwrap();
    session.set_game(game);
    let (sender, events) = listener();
    session.go(&go.parse().unwrap(), sender).unwrap();
    events
}

/// Checks that the answer is the beginning of the best line that was shown last; whether it has a reply.
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

/// Numbers that look random.
fn noise(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
    *state >> 33
}

#[test]
fn the_reply_is_that_of_the_line_shown_last() {
    let mut state = 1;
    for threads in ["1", "2", "4"] {
        for lines in ["1", "3"] {
            for mode in ["false", "true"] {
                let mut session = session(&[
                    ("Threads", threads),
                    ("MultiPV", lines),
                    ("ConsiderationMode", mode),
                ]);
                let (mut replies, mut answers) = (0, 0);
                for round in 0..4 {
                    for position in POSITIONS {
                        let nodes = 1 + noise(&mut state) % 2000;
                        let limit = match round {
                            0 => format!("nodes {nodes}"),
                            1 => format!("depth {}", 1 + nodes % 6),
                            2 => "infinite".to_owned(),
                            _ => "ponder btime 100 wtime 100 byoyomi 10".to_owned(),
                        };
                        let label = format!("{threads} {lines} {mode} {position} {limit}");
                        let events = go(&mut session, position, &limit);
                        if round >= 2 {
                            std::thread::sleep(Duration::from_micros(noise(&mut state) % 6000));
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
