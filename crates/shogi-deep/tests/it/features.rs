//! Input planes and labels against dlshogi's.

use std::collections::BTreeMap;

use serde::Deserialize;
use shogi_core::movegen::LegalAll;
use shogi_core::{Position, Square};
use shogi_deep::{InputFormat, InputPlanes, PolicyLabel};
use test_support::fixture_rows;

#[derive(Deserialize)]
pub(crate) struct Row {
    pub(crate) sfen: String,
    f1: Vec<usize>,
    f2: Vec<usize>,
    f2x: Vec<usize>,
    moves: BTreeMap<String, usize>,
}

pub(crate) fn rows() -> Vec<Row> {
    fixture_rows("deep/features.jsonl")
}

#[test]
fn planes_are_those_of_dlshogi() {
    let rows = rows();
    assert_eq!(rows.len(), 190);
    for row in rows {
        let features = InputPlanes::new(&Position::from_sfen(&row.sfen).unwrap());
        let board: Vec<usize> = features.board_bits().collect();
        assert_eq!(board, row.f1, "{}", row.sfen);
        let small: Vec<usize> = features.state_planes(InputFormat::Wcsc28).collect();
        assert_eq!(small, row.f2, "{}", row.sfen);
        let large: Vec<usize> = features.state_planes(InputFormat::Wcsc35).collect();
        assert_eq!(large, [row.f2, row.f2x].concat(), "{}", row.sfen);
    }
}

#[test]
fn labels_are_those_of_dlshogi() {
    let mut count = 0;
    for row in rows() {
        let position = Position::from_sfen(&row.sfen).unwrap();
        let moves = position.moves::<LegalAll>();
        let labels = moves
            .iter()
            .map(|&m| (m.to_string(), PolicyLabel::new(m).index()));
        assert_eq!(
            labels.collect::<BTreeMap<_, _>>(),
            row.moves,
            "{}",
            row.sfen
        );
        count += moves.len();
    }
    assert_eq!(count, 7531);
}

#[test]
fn a_mirror_turns_labels_as_it_turns_moves() {
    /// The place or the move with files counted from the other side.
    fn mirrored(usi: &str) -> String {
        let file = |c: char| match c {
            '1'..='9' => char::from(b'1' + b'9' - c as u8),
            other => other,
        };
        usi.chars().map(file).collect()
    }
    for row in rows() {
        let position = Position::from_sfen(&row.sfen).unwrap();
        let mut setup = position.to_setup();
        for square in Square::ALL {
            setup.board[square.mirror().index()] = position.piece_on(square);
        }
        let mirror = Position::from_setup(&setup).unwrap();
        for &m in &position.moves::<LegalAll>() {
            let turned = mirror.move_from_usi(&mirrored(&m.to_string())).unwrap();
            assert_eq!(
                PolicyLabel::new(m).mirror(),
                PolicyLabel::new(turned),
                "{m}"
            );
        }
    }
}
