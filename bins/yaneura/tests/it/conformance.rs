//! A scripted GUI: registration, games on the clock, pondering, analysis. Output is read as strictly as a GUI could:
//! every field, every move, their order.

use std::time::{Duration, Instant};

use shogi_core::{Game, Move, Repetition, parse_position_line};
use shogi_engine::PvEnd;
use shogi_usi::OptionSpec;

use crate::util::Engine;

/// The options that users of YaneuraOu know, with their defaults and ranges, as `usi` lists them.
const KNOWN: [&str; 37] = [
    "NumaPolicy type string default auto",
    "USI_Ponder type check default false",
    "Stochastic_Ponder type check default false",
    "DepthLimit type spin default 0 min 0 max 2147483647",
    "NodesLimit type spin default 0 min 0 max 9223372036854775807",
    "DebugLogFile type string default <empty>",
    "USI_Hash type spin default 1024 min 1 max 33554432",
    "MultiPV type spin default 1 min 1 max 600",
    "DrawValueBlack type spin default -2 min -30000 max 30000",
    "DrawValueWhite type spin default -2 min -30000 max 30000",
    "ResignValue type spin default 99999 min 0 max 99999",
    "MaxMovesToDraw type spin default 0 min 0 max 100000",
    "PvInterval type spin default 300 min 0 max 100000000",
    "ConsiderationMode type check default false",
    "OutputFailLHPV type check default true",
    "GenerateAllLegalMoves type check default false",
    "EnteringKingRule type combo default CSARule27 var NoEnteringKing var CSARule24 var CSARule24H \
     var CSARule27 var CSARule27H var TryRule",
    "NetworkDelay type spin default 120 min 0 max 10000",
    "NetworkDelay2 type spin default 1120 min 0 max 10000",
    "MinimumThinkingTime type spin default 2000 min 0 max 100000",
    "SlowMover type spin default 100 min 1 max 1000",
    "RoundUpToFullSecond type check default true",
    "USI_OwnBook type check default true",
    "NarrowBook type check default false",
    "BookMoves type spin default 16 min 0 max 10000",
    "BookIgnoreRate type spin default 0 min 0 max 100",
    "BookFile type combo default standard_book.db var no_book var standard_book.db \
     var yaneura_book1.db var yaneura_book2.db var yaneura_book3.db var yaneura_book4.db \
     var user_book1.db var user_book2.db var user_book3.db var book.bin",
    "BookDir type string default book",
    "BookEvalDiff type spin default 30 min 0 max 99999",
    "BookEvalBlackLimit type spin default 0 min -99999 max 99999",
    "BookEvalWhiteLimit type spin default -140 min -99999 max 99999",
    "BookDepthLimit type spin default 16 min 0 max 99999",
    "BookOnTheFly type check default false",
    "ConsiderBookMoveCount type check default false",
    "BookPvMoves type spin default 8 min 1 max 246",
    "IgnoreBookPly type check default false",
    "FlippedBook type check default true",
];

#[test]
fn every_known_option_is_there() {
    let mut engine = Engine::start();
    engine.send("usi");
    let lines = engine.until("usiok");
    let listed: Vec<_> = lines
        .iter()
        .filter_map(|line| line.strip_prefix("option name "))
        .collect();
    let threads = listed[0];
    assert!(
        threads.starts_with("Threads type spin default 4 min 1 max "),
        "{threads}"
    );
    // In the order that users are used to.
    let mut rest = listed.iter();
    for known in KNOWN {
        assert!(rest.any(|line| *line == known), "{known}");
    }
    for more in [
        "EvalDir type string default eval",
        "FV_SCALE type spin default 16 min 1 max 128",
        "SearchUnit type spin default 75 min 1 max 1600",
        "SkillLevel type spin default 20 min 0 max 20",
        "PlayAs type combo default SkillLevel var SkillLevel var first_games var beginner var casual_player \
         var club_player var strong_club_player var strong_amateur var tournament_player var master",
        "HumanTime type check default false",
        "PARAMETERS_LOG_FILE_PATH type string default <empty>",
    ] {
        assert!(listed.contains(&more), "{more}");
    }
    // Every value that a GUI sends back is taken, whatever the case of the name.
    for line in &listed {
        let option: OptionSpec = format!("name {line}").parse().expect(line);
        let value = option.kind.default_value();
        engine.send(&format!(
            "setoption name {} value {value}",
            option.name.to_ascii_uppercase()
        ));
        let shown = engine.ask(&format!("getoption {}", option.name.to_ascii_lowercase()));
        assert_eq!(shown, format!("Options[{}] = {value}", option.name));
    }
    engine.quit();
}

/// Milliseconds by which an answer may be late on a busy machine; the budgets themselves are tested in the search.
const BUSY: u64 = 150;

/// Milliseconds for `go`, from the command to the answer.
fn time_of(engine: &mut Engine, go: &str) -> u64 {
    let begin = Instant::now();
    engine.send(go);
    engine.until("bestmove");
    begin.elapsed().as_millis() as u64
}

#[test]
fn byoyomi_is_used_and_kept() {
    let mut engine = Engine::ready();
    engine.send("position startpos moves 7g7f 3c3d");
    for (go, least, most) in [
        // The delays that the options foresee are longer than all of it.
        ("go btime 0 wtime 0 byoyomi 1000", 600, 1000),
        ("go btime 300 wtime 0 byoyomi 1000", 600, 1300),
        ("go btime 0 wtime 0 byoyomi 500", 300, 500),
        ("go btime 0 wtime 0 byoyomi 200", 60, 200),
        ("go btime 0 wtime 0 binc 1000 winc 1000", 300, 1000),
        ("go btime 1000 wtime 0 binc 1000 winc 1000", 300, 1000),
        // Of three seconds the last is reserve.
        ("go btime 0 wtime 0 byoyomi 3000", 1700, 3000),
    ] {
        // Not every try has to succeed.
        let fits = |time: &u64| (least..most + BUSY).contains(time);
        let mut times = Vec::new();
        while times.len() < 5 && !times.iter().any(fits) {
            times.push(time_of(&mut engine, go));
        }
        assert!(times.iter().any(fits), "{go}: {times:?}");
        assert!(times.iter().all(|&time| time >= least), "{go}: {times:?}");
    }
    engine.quit();
}

#[test]
fn ponderhit_with_little_time_is_answered_in_it() {
    let mut engine = Engine::ready();
    for (go, hit, most) in [
        ("go ponder btime 0 wtime 0 byoyomi 400", "ponderhit", 400),
        ("go ponder", "ponderhit btime 0 wtime 0 byoyomi 400", 400),
        ("go ponder btime 100 wtime 100", "ponderhit", 100),
        ("go ponder", "ponderhit btime 100 wtime 100", 100),
        ("go ponder", "ponderhit", 400),
    ] {
        let mut times = Vec::new();
        let fits = |&time: &u64| time <= most + BUSY;
        while times.len() < 5 && !times.iter().any(fits) {
            engine.send("position startpos moves 7g7f 3c3d 2g2f");
            engine.send(go);
            engine.silent_for(Duration::from_millis(50));
            times.push(time_of(&mut engine, hit));
        }
        assert!(times.iter().any(fits), "{go}, {hit}: {times:?}");
    }
    engine.quit();
}

/// A game of the engine against itself as a GUI runs it, with pondering that hits now and then.
fn play_game(options: &[(&str, &str)], early: bool) {
    let mut engine = Engine::ready();
    engine.set(options);
    engine.send("isready");
    engine.until("readyok");
    engine.send("usinewgame");
    let clock = "btime 0 wtime 0 byoyomi 60";
    let mut position = "startpos moves 7g7f".to_owned();
    let mut output = search(&mut engine, &position, &format!("go {clock}"));
    for ply in 0..24 {
        let Some(reply) = output.ponder.clone() else {
            break;
        };
        let expected = format!("{position} {} {reply}", output.best);
        engine.send(&format!("position {expected}"));
        engine.send(&if early {
            "go ponder".to_owned()
        } else {
            format!("go ponder {clock}")
        });
        std::thread::sleep(Duration::from_millis(10));
        if ply % 3 == 2 {
            // A miss: the answer is thrown away, and the real move comes.
            engine.send("stop");
            let lines = engine.until("bestmove");
            assert!(
                lines.iter().all(|line| !line.contains("Error!")),
                "{lines:?}"
            );
            position = expected;
            output = search(&mut engine, &position, &format!("go {clock}"));
        } else {
            engine.send(&if early {
                format!("ponderhit {clock}")
            } else {
                "ponderhit".to_owned()
            });
            let lines = engine.until("bestmove");
            // With Stochastic_Ponder lines before the hit are about another position.
            let answer = &lines[lines.len() - 1..];
            output = read(&expected, answer, 1);
            position = expected;
        }
    }
    engine.send("gameover draw");
    assert_eq!(engine.answer_of_isready(), "readyok");
    engine.quit();
}

#[test]
fn games_with_pondering() {
    play_game(&[("USI_Ponder", "true")], false);
    play_game(&[("USI_Ponder", "true")], true);
    play_game(
        &[("USI_Ponder", "true"), ("Stochastic_Ponder", "true")],
        false,
    );
    play_game(
        &[
            ("Threads", "2"),
            ("MaxMovesToDraw", "20"),
            ("USI_Hash", "3"),
        ],
        false,
    );
}

#[test]
fn analysis_shows_lines_of_every_iteration() {
    let mut engine = Engine::ready();
    engine.send("usinewgame");
    let half = Duration::from_millis(400);
    for (lines, position) in [
        (1, "startpos"),
        (3, "startpos moves 7g7f"),
        (600, "startpos"),
        (2, "sfen 4k4/9/4P4/9/9/9/9/9/9 b G 1"),
    ] {
        engine.send(&format!("setoption name MultiPV value {lines}"));
        let output = search_for(&mut engine, position, "go infinite", half, lines);
        let first = output.lines.iter().map(|line| line.multi_pv).max();
        let moves = if position == "startpos" { 30 } else { 600 };
        assert_eq!(first, Some(lines.min(moves)), "{position}");
        // From the first iteration on, whatever PvInterval is.
        assert_eq!(output.lines[0].depth, 1);
        assert_eq!(output.last().pv[0].to_string(), output.best);
    }
    engine.quit();
}

#[test]
fn decisions_without_search_are_shown_at_once() {
    let mut engine = Engine::ready();
    for (position, line) in [
        (
            "sfen 4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1",
            "mate -1 nodes 0 nps 0 hashfull 0 time 1 pv resign",
        ),
        (
            "sfen LNSGKGSNL/1R5B1/PPPPPPPPP/9/9/9/ppppppppp/1b5r1/lnsgkgsnl w - 1",
            "mate 1 nodes 0 nps 0 hashfull 0 time 1 pv win",
        ),
    ] {
        engine.send(&format!("position {position}"));
        let shown = engine.ask("go infinite");
        assert_eq!(shown, format!("info depth 0 multipv 1 score {line}"));
        engine.silent_for(Duration::from_millis(50));
        engine.send("stop");
        let best = engine.line();
        assert_eq!(
            best,
            format!("bestmove {}", shown.rsplit(' ').next().unwrap())
        );
    }
    engine.quit();
}

#[test]
fn lines_for_consideration_have_ends() {
    let mut engine = Engine::ready();
    // Whether kings have something better than to shuffle is a matter of evaluation.
    engine.send("setoption name Evaluation value positional");
    engine.send("setoption name ConsiderationMode value true");
    // Two kings and rooks that cannot do better than to shuffle.
    let output = search(
        &mut engine,
        "sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G2r2b3g4s4n4l17p 1",
        "go depth 2",
    );
    assert_eq!(
        (output.last().score.as_str(), output.last().end),
        ("mate 1", Some(PvEnd::Resign))
    );
    let lone_kings = "sfen 4k4/9/9/9/9/9/9/9/4K4 b - 1";
    let output = search(&mut engine, lone_kings, "go depth 16");
    assert_eq!(output.last().end, Some(PvEnd::Repetition(Repetition::Draw)));
    engine.send("setoption name ConsiderationMode value false");
    let output = search(&mut engine, lone_kings, "go depth 16");
    assert_eq!(output.last().end, None);
    engine.quit();
}

#[test]
fn a_game_of_ten_thousand_moves_goes_on() {
    let round = " 2h3h 8b7b 3h2h 7b8b".repeat(2500);
    let mut engine = Engine::ready();
    let position = format!("startpos moves{round}");
    let begin = Instant::now();
    for _ in 0..3 {
        let output = search(&mut engine, &position, "go nodes 2000");
        assert!(output.last().pv.len() < 250);
    }
    assert!(
        begin.elapsed() < Duration::from_secs(10),
        "{:?}",
        begin.elapsed()
    );
    // With the limit reached the game is a draw, and a move is played all the same.
    engine.send("setoption name MaxMovesToDraw value 320");
    let output = search(
        &mut engine,
        &position,
        "go btime 1000 wtime 1000 byoyomi 100",
    );
    assert_ne!(output.best, "resign");
    engine.quit();
}

#[test]
fn limits_of_a_game_and_values_of_draws() {
    let mut engine = Engine::ready();
    let score = |engine: &mut Engine, go: &str| search(engine, "startpos", go).last().score.clone();
    engine.send("setoption name MaxMovesToDraw value 3");
    engine.send("setoption name DrawValueBlack value 500");
    let drawn = score(&mut engine, "go depth 6");
    let cp: i32 = drawn.strip_prefix("cp ").expect("cp").parse().unwrap();
    assert!((495..=505).contains(&cp), "{drawn}");
    engine.send("setoption name DrawValueBlack value -500");
    let drawn = score(&mut engine, "go depth 6");
    let cp: i32 = drawn.strip_prefix("cp ").expect("cp").parse().unwrap();
    assert!((-505..=-495).contains(&cp), "{drawn}");
    engine.quit();
}

#[test]
fn threads_and_hash_may_change_between_searches() {
    let mut engine = Engine::ready();
    for (threads, hash) in [(2, 1), (1, 5), (3, 2), (1, 1)] {
        engine.send(&format!("setoption name Threads value {threads}"));
        engine.send(&format!("setoption name USI_Hash value {hash}"));
        let output = search(&mut engine, "startpos", "go nodes 5000");
        assert!(output.last().nodes >= 1000);
        engine.send("isready");
        let lines = engine.until("readyok");
        let plural = if threads == 1 { "" } else { "s" };
        let using = format!("info string Using {threads} thread{plural}");
        assert!(lines.contains(&using), "{lines:?}");
    }
    engine.quit();
}

/// A line of a search.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) depth: u64,
    pub(crate) multi_pv: u64,
    pub(crate) score: String,
    pub(crate) nodes: u64,
    pub(crate) time: u64,
    pub(crate) pv: Vec<Move>,
    pub(crate) end: Option<PvEnd>,
}

/// The output of a search.
#[derive(Clone, Debug)]
pub(crate) struct SearchOutput {
    pub(crate) lines: Vec<Line>,
    /// The words of the answer: a move, `resign` or `win`.
    pub(crate) best: String,
    pub(crate) ponder: Option<String>,
}

impl SearchOutput {
    /// The last line of number 1.
    pub(crate) fn last(&self) -> &Line {
        let mut lines = self.lines.iter().rev();
        lines.find(|line| line.multi_pv == 1).expect("a line")
    }
}

/// Reads `lines`, an answer last, as the output of a search of the position `line`. `lines_wanted`: the
/// value of `MultiPV`.
pub(crate) fn read(line: &str, lines: &[String], lines_wanted: u64) -> SearchOutput {
    let game = parse_position_line(line).expect("a position");
    let (answer, infos) = lines.split_last().expect("an answer");
    let lines: Vec<_> = infos
        .iter()
        .filter_map(|info| read_info(&game, info))
        .collect();
    for pair in lines.windows(2) {
        let (a, b) = (&pair[0], &pair[1]);
        assert!(a.nodes <= b.nodes && a.time <= b.time, "{infos:?}");
        // Whole sets, in order.
        let next = if a.multi_pv < lines_wanted.min(u64::from(count_moves(&game))) {
            [a.multi_pv + 1, 1]
        } else {
            [1, 1]
        };
        assert!(next.contains(&b.multi_pv), "{infos:?}");
    }
    let words: Vec<_> = answer.split(' ').collect();
    let (best, ponder) = match words[..] {
        ["bestmove", best] => (best, None),
        ["bestmove", best, "ponder", ponder] => (best, Some(ponder)),
        _ => panic!("{answer}"),
    };
    if !["resign", "win"].contains(&best) {
        let mut game = game;
        play(&mut game, best);
        if let Some(ponder) = ponder {
            play(&mut game, ponder);
        }
    }
    SearchOutput {
        lines,
        best: best.to_owned(),
        ponder: ponder.map(str::to_owned),
    }
}

fn count_moves(game: &Game) -> u32 {
    game.position()
        .moves::<shogi_core::movegen::LegalAll>()
        .len() as u32
}

fn play(game: &mut Game, text: &str) -> Move {
    let m = game.position().move_from_usi(text).expect(text);
    game.play_unchecked(m);
    m
}

/// Reads an `info` line; `None` for a message.
fn read_info(game: &Game, line: &str) -> Option<Line> {
    assert!(!line.contains("Error!") && !line.contains("  "), "{line}");
    let mut words = line.split(' ').peekable();
    assert_eq!(words.next(), Some("info"), "{line}");
    if words.peek() == Some(&"string") {
        return None;
    }
    let mut number = |name: &str| -> u64 {
        assert_eq!(words.next(), Some(name), "{line}");
        words.next().and_then(|word| word.parse().ok()).expect(line)
    };
    let depth = number("depth");
    if line.contains(" seldepth ") {
        assert!(number("seldepth") > 0, "{line}");
    }
    let multi_pv = number("multipv");
    assert_eq!(words.next(), Some("score"), "{line}");
    let (kind, value) = (words.next().expect(line), words.next().expect(line));
    let value: i64 = value.parse().expect(line);
    assert!(kind == "cp" || (kind == "mate" && value != 0), "{line}");
    words.next_if(|word| ["lowerbound", "upperbound"].contains(word));
    let mut number = |name: &str| -> u64 {
        assert_eq!(words.next(), Some(name), "{line}");
        words.next().and_then(|word| word.parse().ok()).expect(line)
    };
    let nodes = number("nodes");
    number("nps");
    assert!(number("hashfull") <= 1000, "{line}");
    let time = number("time");
    assert_eq!(words.next(), Some("pv"), "{line}");
    let mut game = game.clone();
    let (mut pv, mut end) = (Vec::new(), None);
    for word in words {
        assert!(end.is_none(), "{line}");
        end = match word {
            "resign" => Some(PvEnd::Resign),
            "win" => Some(PvEnd::Win),
            _ if word.starts_with("rep_") => {
                let kind = game.repetition().kind;
                assert_eq!(kind.name(), word, "{line}");
                Some(PvEnd::Repetition(kind))
            }
            _ => {
                pv.push(play(&mut game, word));
                None
            }
        };
    }
    assert!(!pv.is_empty() || end.is_some(), "{line}");
    Some(Line {
        depth,
        multi_pv,
        score: format!("{kind} {value}"),
        nodes,
        time,
        pv,
        end,
    })
}

/// Searches a position and reads the output.
pub(crate) fn search(engine: &mut Engine, position: &str, go: &str) -> SearchOutput {
    engine.send(&format!("position {position}"));
    engine.send(go);
    read(position, &engine.until("bestmove"), 1)
}

/// Lets an endless search run for `time` and stops it.
pub(crate) fn search_for(
    engine: &mut Engine,
    position: &str,
    go: &str,
    time: Duration,
    lines: u64,
) -> SearchOutput {
    engine.send(&format!("position {position}"));
    engine.send(go);
    std::thread::sleep(time);
    engine.send("stop");
    read(position, &engine.until("bestmove"), lines)
}
