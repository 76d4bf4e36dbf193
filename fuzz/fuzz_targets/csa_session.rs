//! Any lines of a server are taken by the client's side of the CSA protocol, whatever the client answers; a game that comes of them
//! has a record that can be read.
#![no_main]

use std::time::Duration;

use libfuzzer_sys::fuzz_target;
use shogi_csa::{CsaSession, RecordNotes, SessionEvent};
use shogi_kifu::{CsaVersion, read_csa, write_csa};

fuzz_target!(|text: &str| {
    let mut session = CsaSession::new();
    for line in text.split('\n') {
        let Ok(event) = session.line(line) else {
            return;
        };
        match event {
            Some(SessionEvent::Offered) => assert!(session.agree().is_some()),
            Some(SessionEvent::BadOffer(_)) => assert!(session.reject().is_some()),
            Some(SessionEvent::Ended(end)) => {
                let record = end.0.record(&RecordNotes::default(), Some(&end.1));
                let (text, _) = write_csa(&record, CsaVersion::V3);
                assert!(read_csa(&text).is_ok(), "{text}");
            }
            _ => {}
        }
        if let Some(game) = session.game() {
            let color = game.summary().color;
            let _ = game.clocks().limits(color, Duration::from_millis(100));
            let _ = session.resign();
        }
    }
});
