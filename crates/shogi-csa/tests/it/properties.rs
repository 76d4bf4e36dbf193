//! What holds for any lines and any games.

use proptest::prelude::*;
use shogi_core::movegen::LegalAll;
use shogi_core::{Color, Position};
use shogi_csa::{
    CsaSession, CsaSummary, GameVerdict, RecordNotes, ServerMessage, SessionEvent,
    floodgate_comment,
};
use shogi_kifu::{CsaVersion, csa_move, read_csa, write_csa};
use shogi_usi::{PvItem, Score};

use crate::util::summary;

/// Lines of servers, some with other text in them, in any order.
fn any_line() -> impl Strategy<Value = String> {
    let usual = prop::sample::select(vec![
        "LOGIN:me OK",
        "LOGIN:incorrect",
        "LOGOUT:completed",
        "BEGIN Game_Summary",
        "END Game_Summary",
        "Your_Turn:+",
        "Your_Turn:-",
        "To_Move:-",
        "Game_ID:x",
        "Name+:a",
        "Max_Moves:5",
        "BEGIN Time",
        "BEGIN Time-",
        "END Time",
        "Time_Unit:1msec",
        "Total_Time:18446744073709551615",
        "Byoyomi:10",
        "Increment:5",
        "Delay:1",
        "BEGIN Position",
        "END Position",
        "PI",
        "P1-KY-KE-GI-KI-OU-KI-GI-KE-KY",
        "P+00FU",
        "+",
        "-",
        "START:x",
        "REJECT:x by y",
        "+7776FU,T1",
        "-3334FU,T18446744073709551615",
        "+8822UM",
        "-3122GI,T1",
        "+0055KA,T2",
        "+7775FU,T1",
        "+2726FU",
        "-8384FU,T0",
        "%TORYO,T1",
        "%KACHI",
        "#RESIGN",
        "#TIME_UP",
        "#WIN",
        "#LOSE",
        "#DRAW",
        "#CHUDAN",
        "#MAX_MOVES",
        "#CENSORED",
        "#OUTE_SENNICHITE",
        "##[ERROR] x",
        "",
    ]);
    prop_oneof![
        8 => usual.prop_map(str::to_owned),
        1 => ".*",
        1 => "[-+%#P0-9A-Z:,_ ]{0,20}",
    ]
}

proptest! {
    #[test]
    fn any_lines_are_taken(lines in prop::collection::vec(any_line(), 0..120), agrees in any::<bool>()) {
        let mut session = CsaSession::new();
        for line in &lines {
            let Ok(event) = session.line(line) else { break };
            if matches!(event, Some(SessionEvent::Offered | SessionEvent::BadOffer(_))) {
                let sent = if agrees { session.agree().or_else(|| session.reject()) } else { session.reject() };
                prop_assert!(sent.is_some());
            }
            if let Some(game) = session.game() {
                let limits = game.clocks().limits(game.summary().color, std::time::Duration::from_millis(50));
                prop_assert!(limits.to_string().parse::<shogi_usi::Command>().is_ok());
                let record = game.record(&RecordNotes::default(), None);
                let (text, _) = write_csa(&record, CsaVersion::V3);
                prop_assert!(read_csa(&text).is_ok(), "{}", text);
            }
            if let Some(SessionEvent::Ended(end)) = event {
                let record = end.0.record(&RecordNotes::default(), Some(&end.1));
                let (text, _) = write_csa(&record, CsaVersion::V3);
                prop_assert!(read_csa(&text).is_ok(), "{}", text);
            }
        }
    }

    #[test]
    fn any_summary_is_read_or_refused(text in "(([-+%#P0-9A-Z:,_ ]{0,12}|Your_Turn:[+]|BEGIN Position|END Position|PI|BEGIN Time)\n){0,30}") {
        if let Ok(summary) = CsaSummary::parse(text.lines()) {
            let mut position = summary.start.clone();
            for earlier in &summary.moves {
                prop_assert!(position.is_legal(earlier.m));
                let _ = position.do_move_unchecked(earlier.m);
            }
        }
    }

    #[test]
    fn messages_are_what_their_lines_say(line in any_line()) {
        // Reading the same line with an end changes nothing.
        let ended = format!("{line}\r\n");
        prop_assert_eq!(ServerMessage::parse(&line), ServerMessage::parse(&ended));
    }

    #[test]
    fn games_are_followed(picks in prop::collection::vec(any::<prop::sample::Index>(), 0..80), black in any::<bool>(), times in prop::collection::vec(0u64..3, 80)) {
        let color = if black { Color::Black } else { Color::White };
        let mut session = CsaSession::new();
        session.line("LOGIN:me OK").unwrap();
        for line in summary(['+', '-'][color.index()], "").lines() {
            session.line(line).unwrap();
        }
        let agreed = session.agree();
        prop_assert_eq!(agreed.as_deref(), Some("AGREE g"));
        session.line("START:g").unwrap();
        let mut position = Position::startpos();
        let mut moves = Vec::new();
        let mut left = [10_000u64; 2];
        for (pick, seconds) in picks.iter().zip(&times) {
            let legal = position.moves::<LegalAll>();
            if legal.is_empty() {
                break;
            }
            let m = legal[pick.index(legal.len())];
            let ours = m.color() == color;
            // Only the side to move can send a move.
            let sent = session.play(m, Some("5"));
            prop_assert_eq!(sent, ours.then(|| format!("{},'* 5", csa_move(m))));
            // Nobody moves twice.
            prop_assert_eq!(session.resign(), None);
            let event = session.line(&format!("{},T{seconds}", csa_move(m))).unwrap();
            prop_assert_eq!(event, Some(SessionEvent::Moved { m, ours }));
            left[m.color().index()] = left[m.color().index()].saturating_sub(seconds * 1000);
            let _ = position.do_move_unchecked(m);
            moves.push(m);
        }
        let game = session.game().unwrap();
        prop_assert_eq!(game.game().moves().collect::<Vec<_>>(), moves.clone());
        prop_assert_eq!(Color::ALL.map(|side| game.clocks().left_ms(side)), left);
        let Some(SessionEvent::Ended(end)) = session.line("#WIN").unwrap() else {
            return Err(TestCaseError::fail("no end"));
        };
        prop_assert_eq!(end.1.verdict, GameVerdict::Win);
        let record = end.0.record(&RecordNotes::default(), Some(&end.1));
        let (text, losses) = write_csa(&record, CsaVersion::V22);
        prop_assert!(losses.is_empty());
        prop_assert_eq!(read_csa(&text).unwrap().moves().collect::<Vec<_>>(), moves);
    }

    #[test]
    fn comments_can_be_sent(picks in prop::collection::vec(any::<prop::sample::Index>(), 1..40), score in any::<i32>()) {
        let start = Position::startpos();
        let mut position = start.clone();
        let mut pv = Vec::new();
        for pick in picks {
            let legal = position.moves::<LegalAll>();
            if legal.is_empty() {
                break;
            }
            let m = legal[pick.index(legal.len())];
            pv.push(m);
            let _ = position.do_move_unchecked(m);
        }
        let items: Vec<_> = pv.iter().map(|&m| PvItem::Move(m.into())).collect();
        let comment = floodgate_comment(&start, pv[0], Some(Score::Cp(score)), &items).unwrap();
        let line = format!("{},'* {comment}\n", csa_move(pv[0]));
        prop_assert!(line.len() < 256);
        let mut words = comment.split(' ');
        let first: i32 = words.next().unwrap().parse().unwrap();
        prop_assert_eq!(first, score.clamp(-30_000, 30_000));
        for (word, m) in words.zip(&pv[1..]) {
            prop_assert_eq!(word, csa_move(*m));
        }
    }
}
