//! Answers of public programs (`fixtures/*/README.md`), every row of every file.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use shogi_core::movegen::{All, Checks, GenKind, Legal, LegalAll};
use shogi_core::{
    AperyMove16, Color, Declaration, EnteringKingRule, Game, Leaves, Move16, MoveText, Position,
    parse_position_line, perft, perft_divide,
};

use crate::positions::{is_slow, tell_skipped};

pub(crate) use test_support::fixture_text as text;

/// Counts above this are for the slow tier.
const QUICK_NODES: u64 = 2_500_000;
/// Counts up to this are also made with every leaf played.
const PLAYED_NODES: u64 = 150_000;

/// The moves of kind `G` in USI notation, sorted by their bytes.
fn sorted_moves<G: GenKind>(position: &Position) -> Vec<String> {
    let mut moves: Vec<String> = position
        .moves::<G>()
        .into_iter()
        .map(|m| m.to_string())
        .collect();
    moves.sort();
    moves
}

#[derive(Deserialize)]
struct PerftRow {
    name: String,
    position: String,
    nodes: BTreeMap<u32, u64>,
    divide2: BTreeMap<String, u64>,
}

impl PerftRow {
    fn position(&self) -> Position {
        parse_position_line(&self.position)
            .expect(&self.name)
            .position()
            .clone()
    }
}

fn perft_rows() -> Vec<PerftRow> {
    rows("shogi/perft.jsonl", 27)
}

#[test]
fn perft_quick() {
    for row in perft_rows() {
        let mut position = row.position();
        let before = position.clone();
        for (&depth, &nodes) in row.nodes.iter().filter(|&(_, &nodes)| nodes <= QUICK_NODES) {
            assert_eq!(
                perft(&mut position, depth, Leaves::Bulk),
                nodes,
                "{} {depth}",
                row.name
            );
            if nodes <= PLAYED_NODES {
                let played = perft(&mut position, depth, Leaves::Played);
                assert_eq!(played, nodes, "{} {depth}, every leaf played", row.name);
            }
        }
        let divide: BTreeMap<String, u64> = perft_divide(&mut position, 2)
            .into_iter()
            .map(|(m, nodes)| (m.to_string(), nodes))
            .collect();
        assert_eq!(divide, row.divide2, "{}", row.name);
        assert_eq!(position, before, "{}", row.name);
    }
}

#[test]
fn perft_deep() {
    if !is_slow() {
        tell_skipped("deep perft");
        return;
    }
    for row in perft_rows() {
        let mut position = row.position();
        for (&depth, &nodes) in row.nodes.iter().filter(|&(_, &nodes)| nodes > QUICK_NODES) {
            assert_eq!(
                perft(&mut position, depth, Leaves::Bulk),
                nodes,
                "{} {depth}",
                row.name
            );
        }
    }
}

#[derive(Deserialize)]
struct LegalMovesRow {
    sfen: String,
    in_check: bool,
    legal: Vec<String>,
    dropped_when_not_generate_all: Vec<String>,
}

#[test]
fn legal_moves() {
    for row in rows::<LegalMovesRow>("shogi/legal_moves.jsonl", 500) {
        let position = position(&row.sfen);
        let all = sorted_moves::<LegalAll>(&position);
        assert_eq!(all, row.legal, "{}", row.sfen);
        assert_eq!(position.in_check(), row.in_check, "{}", row.sfen);
        let useful = sorted_moves::<Legal>(&position);
        let dropped: Vec<String> = all.into_iter().filter(|m| !useful.contains(m)).collect();
        assert_eq!(dropped, row.dropped_when_not_generate_all, "{}", row.sfen);
        assert_eq!(
            useful.len() + dropped.len(),
            row.legal.len(),
            "{}",
            row.sfen
        );
    }
}

#[derive(Deserialize)]
struct Mate1Row {
    sfen: String,
    in_check: bool,
    mate1: bool,
    mates: Vec<String>,
    n_checks: usize,
}

#[test]
fn mate_in_one() {
    for row in rows::<Mate1Row>("shogi/mate1.jsonl", 1000) {
        let position = position(&row.sfen);
        assert_eq!(position.in_check(), row.in_check, "{}", row.sfen);
        assert_eq!(
            position.moves::<All<Checks>>().len(),
            row.n_checks,
            "{}",
            row.sfen
        );
        let mut mates: Vec<String> = position
            .mating_moves()
            .into_iter()
            .map(|m| m.to_string())
            .collect();
        mates.sort();
        let mut expected = row.mates;
        expected.sort();
        assert_eq!(mates, expected, "{}", row.sfen);
        let found = position.mate_in_one();
        assert_eq!(found.is_some(), row.mate1, "{}", row.sfen);
        assert!(
            found.is_none_or(|m| mates.contains(&m.to_string())),
            "{} {found:?}",
            row.sfen
        );
    }
}

#[test]
fn mate_in_one_is_found_and_never_invented() {
    for (file, is_mate) in [("mate/mate1_yes.sfen", true), ("mate/mate1_no.sfen", false)] {
        let text = text(file);
        assert_eq!(text.lines().count(), 1400, "{file}");
        for sfen in text.lines() {
            let mut position = position(sfen);
            let found = position.mate_in_one();
            assert_eq!(found.is_some(), is_mate, "{sfen} {found:?}");
            if let Some(m) = found {
                assert!(position.is_legal(m), "{sfen} {m}");
                let _ = position.do_move_unchecked(m);
                assert!(position.is_mated(), "{sfen} {m}");
            }
        }
    }
}

#[derive(Deserialize)]
struct TeacherRow {
    sfen: String,
    moves: Vec<TeacherMove>,
}

#[derive(Deserialize)]
struct TeacherMove {
    usi: String,
    apery16: u16,
    yaneuraou16: u16,
}

#[test]
fn both_families_of_moves() {
    for row in rows::<TeacherRow>("teacher/positions.jsonl", 300) {
        let position = position(&row.sfen);
        for TeacherMove {
            usi,
            apery16,
            yaneuraou16,
        } in row.moves
        {
            let m = position.move_from_usi(&usi).expect("a legal move");
            let text = MoveText::from_usi(&usi).expect("a move");
            assert_eq!(
                (Move16::from(m), AperyMove16::from(m)),
                (Move16(yaneuraou16), AperyMove16(apery16))
            );
            assert_eq!(Move16(yaneuraou16).decode(), Some(text));
            assert_eq!(AperyMove16(apery16).decode(), Some(text));
            assert_eq!(position.move_from_16(Move16(yaneuraou16)), Some(m));
            assert_eq!(position.move_from_apery_16(AperyMove16(apery16)), Some(m));
        }
    }
}

#[derive(Deserialize)]
struct RepetitionRow {
    position: String,
    final_sfen: String,
    rep: String,
    distance: i64,
    times: u32,
    rep_unlimited: String,
    distance_unlimited: i64,
    times_unlimited: u32,
    continuous_check: [u32; 2],
}

/// The distance as the golden counts it: negative from the fourth occurrence on.
fn signed_distance(game: &Game) -> i64 {
    let state = game.repetition();
    if state.times >= 3 {
        -i64::from(state.distance)
    } else {
        state.distance.into()
    }
}

#[test]
fn repetition() {
    for row in rows::<RepetitionRow>("shogi/repetition.jsonl", 99) {
        let game = parse_position_line(&row.position).expect("a game");
        assert_eq!(game.position().to_sfen(), row.final_sfen);
        let found = (
            game.repetition().kind.name(),
            signed_distance(&game),
            game.repetition().times,
        );
        assert_eq!(
            found,
            (row.rep.as_str(), row.distance, row.times),
            "{}",
            row.position
        );
        assert_eq!(
            Color::ALL.map(|c| game.continuous_check(c)),
            row.continuous_check
        );

        let start = row
            .position
            .split(" moves")
            .next()
            .expect("a start position");
        let start = parse_position_line(start).expect("a start position");
        let mut whole = Game::new(start.position().clone()).with_look_back(u32::MAX);
        game.moves().for_each(|m| whole.play_unchecked(m));
        let found = (
            whole.repetition().kind.name(),
            signed_distance(&whole),
            whole.repetition().times,
        );
        let expected = (
            row.rep_unlimited.as_str(),
            row.distance_unlimited,
            row.times_unlimited,
        );
        assert_eq!(found, expected, "whole game: {}", row.position);
    }
}

#[derive(Deserialize)]
struct DeclarationRow {
    sfen: String,
    in_check: bool,
    decl: BTreeMap<String, String>,
}

#[test]
fn declaration() {
    for row in rows::<DeclarationRow>("shogi/declaration.jsonl", 160) {
        let position = position(&row.sfen);
        assert_eq!(position.in_check(), row.in_check, "{}", row.sfen);
        assert_eq!(row.decl.len(), EnteringKingRule::ALL.len());
        for (name, expected) in &row.decl {
            let rule = EnteringKingRule::from_name(name).expect("a rule");
            let found = match position.declaration(rule) {
                None => "none".to_owned(),
                Some(Declaration::Win) => "win".to_owned(),
                Some(Declaration::Try(m)) => m.to_string(),
            };
            assert_eq!(&found, expected, "{name} {}", row.sfen);
        }
    }
}

#[derive(Deserialize)]
struct SeeRow {
    sfen: String,
    see: BTreeMap<String, i32>,
}

#[test]
fn static_exchange() {
    for row in rows::<SeeRow>("shogi/see.jsonl", 200) {
        let position = position(&row.sfen);
        for (usi, &value) in &row.see {
            let m = position.move_from_usi(usi).expect("a legal move");
            assert_eq!(position.see(m), value, "{usi} {}", row.sfen);
            assert!(
                position.see_ge(m, value) && !position.see_ge(m, value + 1),
                "{usi}"
            );
        }
    }
}

// Reading the files under `fixtures/`.

/// The rows of a file with one JSON value a line; `count` is how many there must be.
pub(crate) fn rows<T: DeserializeOwned>(path: &str, count: usize) -> Vec<T> {
    let rows = test_support::fixture_rows(path);
    assert_eq!(rows.len(), count, "{path}");
    rows
}

/// The position of an SFEN that is known to be right.
pub(crate) fn position(sfen: &str) -> Position {
    Position::from_sfen(sfen).unwrap_or_else(|error| panic!("{sfen}: {error}"))
}
