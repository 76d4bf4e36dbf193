//! Dialogues that were recorded between `yaneura csa` and a real shogi-server (`fixtures/csa`): the lines of the server give the same
//! lines of the client and the same record again.

use shogi_csa::{CsaGame, CsaSession, GameOver, RecordNotes, SessionEvent};
use shogi_kifu::{GameRecord, move_from_csa, read_csa};
use test_support::{fixture, fixture_text};

/// Plays a dialogue back; returns the games.
fn replay(text: &str) -> Vec<(CsaGame, GameOver)> {
    let mut session = CsaSession::new();
    let mut games = Vec::new();
    let mut comment = None;
    for line in text.lines() {
        let (mark, line) = line.split_at(1);
        let line = line.strip_prefix(' ').unwrap_or(line);
        if mark == ">" {
            let sent = match line.as_bytes() {
                [b'+' | b'-', ..] => {
                    let (text, rest) = line.split_once(",'* ").unwrap_or((line, ""));
                    let position = session.game().expect(line).game().position().clone();
                    let m = move_from_csa(&position, text).expect(line);
                    comment = (!rest.is_empty()).then(|| rest.to_owned());
                    session.play(m, comment.as_deref())
                }
                b"%TORYO" => session.resign().map(str::to_owned),
                b"%KACHI" => session.declare().map(str::to_owned),
                [b'A', ..] => session.agree(),
                [b'R', ..] => session.reject(),
                [b'L', b'O', b'G', b'I', ..] => {
                    let name = line.split(' ').nth(1).expect("a name");
                    Some(CsaSession::login(name, "*"))
                }
                b"" | b"LOGOUT" => continue,
                _ => panic!("unknown line {line}"),
            };
            assert_eq!(sent.as_deref(), Some(line));
            continue;
        }
        match session.line(line).expect(line) {
            Some(SessionEvent::Moved { ours: true, .. }) => {
                if let (Some(game), Some(comment)) = (session.game_mut(), comment.take()) {
                    game.comment(&comment);
                }
            }
            Some(SessionEvent::Ended(end)) => {
                games.push(*end);
                // Each game had a connection of its own.
                session = CsaSession::new();
            }
            _ => {}
        }
    }
    games
}

#[test]
fn recorded_dialogues_give_the_same_lines_and_the_record_of_the_server() {
    let mut seen = 0;
    let folder = fixture("csa");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.split('.').next_back() == Some("txt"))
        .collect();
    files.sort();
    for name in files {
        let games = replay(&fixture_text(format!("csa/{name}")));
        let [(game, over)] = &games[..] else {
            panic!("{name}: one game")
        };
        let ours = game.record(&RecordNotes::default(), Some(over));
        let golden = name.replace(".txt", ".csa");
        let of_server = read_csa(&fixture_text(format!("csa/{golden}"))).expect(&golden);
        assert_same(&ours, &of_server);
        seen += 1;
    }
    assert!(seen >= 6, "{seen}");
}

/// The record of a client is that of the server: players, start, moves with times, the own comments, the result.
pub(crate) fn assert_same(ours: &GameRecord, of_server: &GameRecord) {
    assert!(ours.moves().eq(of_server.moves()));
    assert_eq!(ours.start(), of_server.start());
    let last = ours.moves().count();
    for (ply, (own, other)) in (1..).zip(ours.main_line().zip(of_server.main_line())) {
        let (own, other) = (ours.node(own), of_server.node(other));
        if own.legal_move().is_some() {
            assert_eq!(own.time, other.time);
        }
        // The server leaves out the comment of a move that ends the game.
        if !own.comments.is_empty() && (ply < last || !other.comments.is_empty()) {
            assert_eq!(own.comments, other.comments);
        }
    }
    for key in ["先手", "後手", "棋戦"] {
        assert_eq!(ours.headers.get(key), of_server.headers.get(key), "{key}");
    }
    let summary = |record: &GameRecord| -> Vec<String> {
        let remarks = record.nodes().flat_map(|node| &node.remarks);
        let summaries = remarks.filter(|line| line.starts_with("summary:"));
        summaries.cloned().collect()
    };
    assert_eq!(summary(ours), summary(of_server));
}
