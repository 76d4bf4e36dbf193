//! Reads the output of a search as strictly as a GUI could: every field, every move, their order.

use std::time::Duration;

use shogi_core::{Game, Move, parse_position_line};
use shogi_engine::PvEnd;

use crate::util::Engine;

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

/// What a search said.
#[derive(Clone, Debug)]
pub(crate) struct Said {
    pub(crate) lines: Vec<Line>,
    /// The words of the answer: a move, `resign` or `win`.
    pub(crate) best: String,
    pub(crate) ponder: Option<String>,
}

impl Said {
    /// The last line of number 1.
    pub(crate) fn last(&self) -> &Line {
        let mut lines = self.lines.iter().rev();
        lines.find(|line| line.multi_pv == 1).expect("a line")
    }
}

/// Reads `lines`, an answer last, as the output of a search of the position `line`. `lines_wanted`: the
/// value of `MultiPV`.
pub(crate) fn read(line: &str, lines: &[String], lines_wanted: u64) -> Said {
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
    Said {
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
    game.play(m);
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

/// Searches a position and reads what is said.
pub(crate) fn search(engine: &mut Engine, position: &str, go: &str) -> Said {
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
) -> Said {
    engine.send(&format!("position {position}"));
    engine.send(go);
    std::thread::sleep(time);
    engine.send("stop");
    read(position, &engine.until("bestmove"), lines)
}
