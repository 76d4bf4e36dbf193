//! The client against a server that follows a script.

use std::time::Duration;

use shogi_csa::{ClientOutcome, CsaClientError, OnInterrupt, RecordFormats};
use shogi_kifu::{GameEnding, GameOutcome, KifuFormat};
use test_support::TestFolder;

use crate::util::{Answer, MockServer, Peer, Ran, Run, Script, summary, with_token};

fn one_game() -> ClientOutcome {
    ClientOutcome {
        games: 1,
        ..ClientOutcome::default()
    }
}

#[test]
fn a_game_with_its_records() {
    let server = MockServer::start(vec![Box::new(|peer| {
        peer.begin('+');
        peer.expect("+7776FU,'* 77");
        peer.send("+7776FU,T1\n-3334FU,T2");
        peer.expect("+8822UM,'* 77");
        peer.send("+8822UM,T3\n%TORYO,T4\n#RESIGN\n#WIN");
        peer.logout();
    })]);
    let folder = TestFolder::new();
    let mut run = Run::new(server.port);
    run.settings.records = Some((folder.path("games"), RecordFormats::Both));
    run.answers = vec![Answer::Best("7g7f"), Answer::Best("8h2b+")];
    let ran = run.play();
    server.finish();
    assert_eq!(
        ran.outcome.unwrap(),
        ClientOutcome {
            wins: 1,
            ..one_game()
        }
    );
    assert_eq!(
        ran.calls,
        ["new game g", "go", "go 7g7f 3c3d", "gameover win"]
    );
    assert_eq!(
        ran.notes,
        ["win Some(Resign) rival as black, 3 moves, 2 files"]
    );
    for (name, format) in [
        ("games/g.csa", KifuFormat::Csa),
        ("games/g.kif", KifuFormat::Kif),
    ] {
        let text = String::from_utf8(folder.read(name)).unwrap();
        let record = format.read(&text).unwrap();
        let moves: Vec<String> = record.moves().map(|m| m.to_string()).collect();
        assert_eq!(moves, ["7g7f", "3c3d", "8h2b+"], "{name}");
        assert_eq!(record.ending(), Some(&GameEnding::Resign));
        assert_eq!(record.outcome(), GameOutcome::Win(shogi_core::Color::Black));
        assert_eq!(record.headers.get("後手"), Some("rival"));
        let times: Vec<_> = record
            .main_line()
            .map(|id| record.node(id).time)
            .take(3)
            .collect();
        assert_eq!(times, [Some(1000), Some(2000), Some(3000)]);
        assert!(
            text.contains("* 77") && text.contains("summary:toryo:me win:rival lose"),
            "{text}"
        );
    }
}

#[test]
fn a_server_that_ends_the_connection_after_each_game() {
    let script = |peer: &mut Peer| {
        peer.begin('-');
        peer.send("+7776FU,T1");
        peer.expect("-3334FU,'* -77");
        peer.send("-3334FU,T1\n#TIME_UP\n#WIN");
    };
    let server = MockServer::start(vec![Box::new(script), Box::new(script), Box::new(script)]);
    let mut run = Run::new(server.port);
    run.settings.games = Some(3);
    run.answers = vec![Answer::Best("3c3d"); 3];
    let ran = run.play();
    server.finish();
    let outcome = ran.outcome.unwrap();
    assert_eq!(
        (outcome.games, outcome.wins, outcome.interrupted),
        (3, 3, false)
    );
    assert_eq!(ran.notes.len(), 3, "{:?}", ran.notes);
}

#[test]
fn a_server_that_offers_the_next_game_on_the_same_connection() {
    let server = MockServer::start(vec![Box::new(|peer| {
        peer.begin('-');
        peer.send("#CHUDAN");
        peer.offer('+', "+7776FU,T3\n-3334FU,T4");
        peer.expect("AGREE g");
        peer.send("START:g");
        peer.expect("%KACHI");
        peer.send("%KACHI,T1\n#JISHOGI\n#WIN");
        peer.logout();
    })]);
    let mut run = Run::new(server.port);
    run.settings.games = Some(2);
    run.answers = vec![Answer::Best("win")];
    let ran = run.play();
    server.finish();
    assert_eq!(ran.outcome.unwrap().games, 2);
    assert_eq!(
        ran.notes,
        [
            "interrupted Some(Interrupted) rival as white, 0 moves, 0 files",
            "win Some(Jishogi) rival as black, 2 moves, 0 files"
        ]
    );
    assert_eq!(ran.calls[2..4], ["new game g", "go 7g7f 3c3d"]);
}

#[test]
fn a_refused_login_is_an_error() {
    let server = MockServer::start(vec![Box::new(|peer| {
        peer.expect("LOGIN me test-10-0,secret");
        peer.send("LOGIN:incorrect");
        peer.end();
    })]);
    let mut run = Run::new(server.port);
    run.settings.retries = 5;
    let ran = run.play();
    server.finish();
    assert!(
        matches!(ran.outcome, Err(CsaClientError::Login { .. })),
        "{:?}",
        ran.outcome
    );
}

#[test]
fn a_lost_connection_is_made_again() {
    let server = MockServer::start(vec![
        Box::new(Peer::login),
        // The server has not noticed yet.
        Box::new(|peer| {
            peer.expect("LOGIN me test-10-0,secret");
            peer.send("LOGIN:incorrect");
            peer.end();
        }),
        Box::new(|peer| {
            peer.begin('+');
            peer.expect("+7776FU");
            peer.send("+7776FU,T0\n#SENNICHITE\n#DRAW");
        }),
    ]);
    let mut run = Run::new(server.port);
    run.settings.retries = 3;
    run.settings.sends_comments = false;
    run.answers = vec![Answer::Best("7g7f")];
    let ran = run.play();
    server.finish();
    assert_eq!(
        ran.outcome.unwrap(),
        ClientOutcome {
            draws: 1,
            ..one_game()
        }
    );
    assert_eq!(ran.notes.len(), 3, "{:?}", ran.notes);
    assert_eq!(ran.notes[0], "retrying: the server closed the connection");
    assert_eq!(ran.notes[1], "retrying: the login was refused this time");
}

#[test]
fn a_server_that_floods_is_left() {
    let server = MockServer::start(vec![Box::new(|peer| {
        peer.login();
        peer.flood();
    })]);
    let mut run = Run::new(server.port);
    run.settings.retries = 0;
    let ran = run.play();
    server.finish();
    let error = ran.outcome.unwrap_err().to_string();
    let told = format!("{error} {:?}", ran.notes);
    assert!(told.contains("the server floods"), "{told}");
}

#[test]
fn connections_that_fail_again_and_again_are_an_error() {
    let server = MockServer::start(Vec::new());
    let port = server.port;
    server.finish();
    let mut run = Run::new(port);
    run.settings.retries = 1;
    let ran = run.play();
    match ran.outcome {
        Err(CsaClientError::Connection {
            attempts: 2,
            reason,
            ..
        }) => {
            assert!(reason.starts_with("cannot connect: "), "{reason}");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(ran.notes.len(), 1);
}

#[test]
fn a_connection_lost_in_a_game_leaves_its_record() {
    let server = MockServer::start(vec![Box::new(|peer| {
        peer.begin('+');
        peer.expect("+7776FU,'* 77");
        peer.send("+7776FU,T1");
    })]);
    let folder = TestFolder::new();
    let mut run = Run::new(server.port);
    run.settings.records = Some((folder.path(""), RecordFormats::Csa));
    run.answers = vec![Answer::Best("7g7f")];
    let ran = run.play();
    server.finish();
    assert_eq!(ran.outcome.unwrap(), one_game());
    let text = String::from_utf8(folder.read("g.csa")).unwrap();
    assert!(text.contains("+7776FU\nT1\n'** 77\n%CHUDAN\n"), "{text}");
}

#[test]
fn games_that_cannot_or_must_not_be_played_are_rejected() {
    let server = MockServer::start(vec![Box::new(|peer| {
        peer.login();
        peer.send(&summary('+', "").replace("Time_Unit:1sec", "Time_Unit:1week"));
        peer.expect("REJECT g");
        peer.send("REJECT:g by me");
        peer.offer('+', "+5555OU");
        peer.expect("REJECT g");
        peer.send("REJECT:g by me");
        peer.send(&summary('+', "").replace("rival", "bully"));
        peer.expect("REJECT g");
        peer.send("REJECT:g by me");
        peer.offer('-', "");
        peer.expect("AGREE g");
        peer.send("REJECT:g by rival");
        peer.offer('-', "");
        peer.expect("AGREE g");
        peer.send("START:g\n+7776FU,T1\n#MAX_MOVES\n#CENSORED");
        peer.logout();
    })]);
    let mut run = Run::new(server.port);
    run.settings.rejected = vec!["bully".to_owned()];
    run.answers = vec![Answer::Silence];
    let ran = run.play();
    server.finish();
    assert_eq!(ran.outcome.unwrap(), one_game());
    let notes = ran.notes.join("\n");
    for expected in [
        "1week",
        "the position of the game summary",
        "bully",
        "rejected by rival",
        "MaxMoves",
    ] {
        assert!(notes.contains(expected), "{expected}: {notes}");
    }
    assert_eq!(ran.calls[..2], ["new game g", "new game g"]);
    assert_eq!(ran.calls[2..], ["go 7g7f", "stop", "gameover draw"]);
}

#[test]
fn silence_is_broken_and_noticed() {
    let server = MockServer::start(vec![Box::new(|peer| {
        peer.login();
        assert_eq!(peer.any_line().as_deref(), Some(""));
        peer.send("");
        // No more answers: the client goes.
        let mut empty = 0;
        while let Some(line) = peer.any_line() {
            assert_eq!(line, "");
            empty += 1;
        }
        assert!(empty >= 2, "{empty}");
    })]);
    let mut run = Run::new(server.port);
    run.settings.keep_alive = Some(Duration::from_millis(200));
    let ran = run.play();
    server.finish();
    match ran.outcome {
        Err(CsaClientError::Connection { reason, .. }) => {
            assert!(reason.contains("does not answer"));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_interruption_finishes_the_game_or_resigns_it() {
    for (on_interrupt, wins) in [(OnInterrupt::Finish, 1), (OnInterrupt::Resign, 0)] {
        let server = MockServer::start(vec![Box::new(move |peer| {
            peer.begin('+');
            peer.expect("+7776FU,'* 77");
            peer.send("+7776FU,T1\n-3334FU,T1");
            if wins == 1 {
                peer.expect("+2726FU,'* 77");
                peer.send("+2726FU,T1\n%TORYO\n#RESIGN\n#WIN");
            } else {
                // The decision may have been on its way.
                let line = peer.line().unwrap();
                if line != "%TORYO" {
                    peer.send("+2726FU,T1\n-8384FU,T1");
                    peer.expect("%TORYO");
                }
                peer.send("%TORYO,T1\n#RESIGN\n#LOSE");
            }
            peer.logout();
        })]);
        let mut run = Run::new(server.port);
        run.settings.games = None;
        run.settings.on_interrupt = on_interrupt;
        run.interrupt_at = Some("+7776FU");
        run.answers = vec![Answer::Best("7g7f"), Answer::Best("2g2f"), Answer::Silence];
        let ran = run.play();
        server.finish();
        let expected = ClientOutcome {
            wins,
            losses: 1 - wins,
            interrupted: true,
            ..one_game()
        };
        assert_eq!(ran.outcome.unwrap(), expected, "{on_interrupt:?}");
    }
}

#[test]
fn an_interruption_before_a_game_logs_out() {
    let server = MockServer::start(vec![Box::new(|peer| {
        peer.login();
        while let Some(line) = peer.any_line() {
            if line == "LOGOUT" {
                peer.send("LOGOUT:completed");
            }
        }
    })]);
    let mut run = Run::new(server.port);
    run.settings.keep_alive = Some(Duration::from_millis(100));
    run.interrupt_at = Some("");
    let ran = run.play();
    server.finish();
    let expected = ClientOutcome {
        interrupted: true,
        ..ClientOutcome::default()
    };
    assert_eq!(ran.outcome.unwrap(), expected);
}

#[test]
fn the_expected_move_is_pondered_on() {
    let server = MockServer::start(vec![Box::new(|peer| {
        peer.begin('+');
        peer.expect("+7776FU,'* 77");
        peer.send("+7776FU,T1");
        peer.send("-3334FU,T1");
        peer.expect("+2726FU,'* 77");
        peer.send("+2726FU,T1\n-9394FU,T1");
        peer.expect("+2625FU,'* 77");
        peer.send("+2625FU,T1\n%TORYO\n#RESIGN\n#WIN");
        peer.logout();
    })]);
    let mut run = Run::new(server.port);
    run.settings.ponders = true;
    run.answers = vec![
        Answer::Best("7g7f ponder 3c3d"),
        Answer::Best("2g2f ponder 8c8d"),
        // Pondering on 8c8d, which does not come.
        Answer::Best("6i7h"),
        Answer::Best("2f2e ponder 9z9z"),
    ];
    let ran = run.play();
    server.finish();
    assert_eq!(ran.outcome.unwrap().wins, 1);
    assert_eq!(
        ran.calls,
        [
            "new game g",
            "go",
            "go ponder 7g7f 3c3d",
            "ponderhit",
            "go ponder 7g7f 3c3d 2g2f 8c8d",
            "stop",
            "go 7g7f 3c3d 2g2f 9c9d",
            "gameover win"
        ]
    );
}

#[test]
fn an_engine_that_breaks_is_started_again_once() {
    let server = MockServer::start(vec![Box::new(|peer| {
        peer.begin('+');
        peer.expect("+7776FU,'* 77");
        peer.send("+7776FU,T1\n-3334FU,T1");
        peer.expect("%TORYO");
        peer.send("%TORYO,T0\n#RESIGN\n#LOSE");
        peer.logout();
    })]);
    let mut run = Run::new(server.port);
    run.answers = vec![Answer::Break, Answer::Best("7g7f"), Answer::Break];
    let ran = run.play();
    server.finish();
    assert_eq!(ran.outcome.unwrap().losses, 1);
    let notes = ran.notes.join("\n");
    assert!(
        notes.contains("it broke; starting the engine again\nit broke; resigning"),
        "{notes}"
    );
}

#[test]
fn an_illegal_decision_is_resigned() {
    let server = MockServer::start(vec![Box::new(|peer| {
        peer.begin('+');
        peer.expect("%TORYO");
        peer.send("%TORYO,T0\n#RESIGN\n#LOSE");
        peer.logout();
    })]);
    let mut run = Run::new(server.port);
    run.answers = vec![Answer::Best("5a5b")];
    let ran = run.play();
    server.finish();
    assert_eq!(ran.outcome.unwrap().losses, 1);
    assert!(ran.notes[0].contains("5a5b"), "{:?}", ran.notes);
}

#[test]
fn a_move_that_does_not_fit_ends_the_connection() {
    let server = MockServer::start(vec![Box::new(|peer| {
        peer.begin('-');
        peer.send("+7776FU,T1\n+2726FU,T1");
        while peer.line().is_some() {}
    })]);
    let mut run = Run::new(server.port);
    run.answers = vec![Answer::Silence];
    let ran = run.play();
    server.finish();
    assert_eq!(ran.outcome.unwrap(), one_game());
}

#[test]
fn names_and_passwords_have_no_blanks() {
    let mut run = Run::new(1);
    run.settings.name = "a b".to_owned();
    assert!(matches!(
        run.play().outcome,
        Err(CsaClientError::Settings(_))
    ));
    let mut run = Run::new(1);
    run.settings.password = "x\nLOGOUT".to_owned();
    assert!(matches!(
        run.play().outcome,
        Err(CsaClientError::Settings(_))
    ));
}

/// Plays `scripts` with `--reconnect` and one game; the record, too.
fn reconnecting(seconds: u64, scripts: Vec<Script>) -> (Ran, String) {
    let server = MockServer::start(scripts);
    let folder = TestFolder::new();
    let mut run = Run::new(server.port);
    run.settings.reconnect = Some(Duration::from_secs(seconds));
    run.settings.retries = 20;
    run.settings.records = Some((folder.path("games"), RecordFormats::Csa));
    run.answers = vec![Answer::Best("7g7f"), Answer::Best("2g2f")];
    let ran = run.play();
    server.finish();
    let files: Vec<_> = std::fs::read_dir(folder.path("games")).unwrap().collect();
    assert_eq!(files.len(), 1, "{files:?}");
    let record = String::from_utf8(folder.read("games/g.csa")).unwrap();
    (ran, record)
}

const WON: ClientOutcome = ClientOutcome {
    games: 1,
    wins: 1,
    losses: 0,
    draws: 0,
    unsaved: 0,
    interrupted: false,
};

#[test]
fn a_game_goes_on_over_the_next_connection() {
    let (ran, record) = reconnecting(
        60,
        vec![
            Box::new(|peer| {
                peer.begin('+');
                peer.expect("+7776FU,'* 77");
                peer.send("+7776FU,T1");
            }),
            Box::new(|peer| {
                peer.login();
                peer.offer('+', "+7776FU,T1\n-3334FU,T2");
                peer.expect("AGREE g");
                peer.send("START:g");
                peer.expect("+2726FU,'* 77");
                peer.send("+2726FU,T3\n%TORYO,T4\n#RESIGN\n#WIN");
                peer.logout();
            }),
        ],
    );
    assert_eq!(ran.outcome.unwrap(), WON);
    assert_eq!(
        ran.calls,
        ["new game g", "go", "go 7g7f 3c3d", "gameover win"]
    );
    assert!(
        record.contains("+7776FU\nT1\n'** 77\n-3334FU\nT2\n+2726FU\nT3\n'** 77\n%TORYO\n"),
        "{record}"
    );
}

#[test]
fn a_game_goes_on_after_a_login_with_its_token() {
    let (ran, record) = reconnecting(
        60,
        vec![
            Box::new(|peer| {
                peer.login();
                peer.send(&with_token(&summary('+', "")));
                peer.expect("AGREE g");
                peer.send("START:g");
                // The move arrives, but its confirmation does not.
                peer.expect("+7776FU,'* 77");
            }),
            Box::new(|peer| {
                peer.login_again();
                // The position after this move and the answer to it.
                let offer = with_token(&summary('+', "")).replace(
                    "PI\n",
                    "P1-KY-KE-GI-KI-OU-KI-GI-KE-KY\nP2 * -HI *  *  *  *  * -KA * \nP3-FU-FU-FU-FU-FU-FU * -FU-FU\n\
                     P4 *  *  *  *  *  * -FU *  * \nP5 *  *  *  *  *  *  *  *  * \nP6 *  * +FU *  *  *  *  *  * \n\
                     P7+FU+FU * +FU+FU+FU+FU+FU+FU\nP8 * +KA *  *  *  *  * +HI * \nP9+KY+KE+GI+KI+OU+KI+GI+KE+KY\n",
                );
                peer.send(&offer);
                peer.send(
                    "BEGIN Reconnect_State\nCurrent_Turn:+\nBlack_Time_Remaining_Ms:5000\n\
                    White_Time_Remaining_Ms:4000\nLast_Move:-3334FU\nEND Reconnect_State",
                );
                peer.expect("+2726FU,'* 77");
                peer.send("+2726FU,T3\n#TIME_UP\n#WIN");
                peer.logout();
            }),
        ],
    );
    assert_eq!(ran.outcome.unwrap(), WON);
    assert_eq!(ran.calls[1..3], ["go", "go 7g7f 3c3d"]);
    assert!(
        record.contains("+7776FU\n-3334FU\n+2726FU\nT3\n"),
        "{record}"
    );
    assert!(
        ran.lines.contains(&"> LOGIN me * reconnect:g+*".to_owned()),
        "{:?}",
        ran.lines
    );
}

#[test]
fn a_game_that_does_not_go_on_is_over() {
    let begin = |peer: &mut Peer| {
        peer.begin('+');
        peer.expect("+7776FU,'* 77");
        peer.send("+7776FU,T1");
    };
    let other = |peer: &mut Peer| {
        peer.login();
        peer.send(&summary('-', "").replace("Game_ID:g", "Game_ID:h"));
        peer.expect("REJECT h");
        peer.logout();
    };
    let nothing = |peer: &mut Peer| {
        peer.login();
        peer.logout();
    };
    for (seconds, second) in [(60, Box::new(other) as Script), (2, Box::new(nothing))] {
        let (ran, record) = reconnecting(seconds, vec![Box::new(begin), second]);
        assert_eq!(ran.outcome.unwrap(), one_game());
        assert!(
            record.contains("+7776FU\nT1\n'** 77\n%CHUDAN\n"),
            "{record}"
        );
        assert_eq!(ran.notes[1], "the game g does not go on");
        assert!(ran.notes[2].starts_with("interrupted "), "{:?}", ran.notes);
    }
}
