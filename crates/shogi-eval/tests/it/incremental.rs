//! Incremental evaluation agrees with evaluation from scratch, turning the board changes nothing,
//! and material is the field's.

use proptest::prelude::*;
use shogi_core::movegen::Legal;
use shogi_core::{Delta, Move, Position, Undo};
use shogi_eval::{
    Evaluator, LevelEvaluator, MaterialEvaluator, MaterialLevel, PositionalEvaluator,
};

const START_POSITIONS: [&str; 4] = [
    Position::STARTPOS_SFEN,
    "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
    // Two-piece handicap, and a problem without the attacker's king.
    "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "4k4/9/4P4/9/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1",
];

fn fresh<E: Evaluator + Default>(position: &Position) -> i32 {
    let mut evaluator = E::default();
    evaluator.reset(position);
    evaluator.evaluate(position)
}

/// Plays a random line, now and then passing or evaluating on the way, and takes it back.
fn walk<E: Evaluator + Default>(sfen: &str, choices: &[u16]) {
    let mut position = Position::from_sfen(sfen).unwrap();
    let mut evaluator = E::default();
    evaluator.reset(&position);
    let mut line: Vec<(Option<Move>, Undo)> = Vec::new();
    for &choice in choices {
        if choice % 16 == 0 && !position.in_check() {
            line.push((None, position.do_null_move()));
            evaluator.push(None);
        } else {
            let moves = position.moves::<Legal>();
            if moves.is_empty() {
                break;
            }
            let m = moves[usize::from(choice) % moves.len()];
            let undo = position.do_move(m);
            evaluator.push(Some(&Delta::new(&position, m, &undo)));
            line.push((Some(m), undo));
        }
        if choice % 3 != 0 {
            assert_eq!(
                evaluator.evaluate(&position),
                fresh::<E>(&position),
                "{line:?}"
            );
            assert_eq!(
                fresh::<E>(&position),
                fresh::<E>(&position.flip()),
                "{line:?}"
            );
        }
    }
    for (m, undo) in line.into_iter().rev() {
        match m {
            Some(m) => position.undo_move(m, &undo),
            None => position.undo_null_move(&undo),
        }
        evaluator.pop();
        assert_eq!(evaluator.evaluate(&position), fresh::<E>(&position));
    }
}

/// A material level as an evaluator with a default.
#[derive(Debug)]
struct Level<const N: u8>(LevelEvaluator);

impl<const N: u8> Default for Level<N> {
    fn default() -> Self {
        Self(LevelEvaluator::new(MaterialLevel::new(N).unwrap()))
    }
}

impl<const N: u8> Evaluator for Level<N> {
    fn reset(&mut self, position: &Position) {
        self.0.reset(position);
    }

    fn push(&mut self, delta: Option<&Delta>) {
        self.0.push(delta);
    }

    fn pop(&mut self) {
        self.0.pop();
    }

    fn evaluate(&mut self, position: &Position) -> i32 {
        self.0.evaluate(position)
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    #[test]
    fn random_lines(
        start in 0..START_POSITIONS.len(),
        choices in prop::collection::vec(any::<u16>(), 1..120),
    ) {
        walk::<MaterialEvaluator>(START_POSITIONS[start], &choices);
        walk::<PositionalEvaluator>(START_POSITIONS[start], &choices);
        walk::<Level<5>>(START_POSITIONS[start], &choices);
        walk::<Level<6>>(START_POSITIONS[start], &choices);
        walk::<Level<9>>(START_POSITIONS[start], &choices);
    }
}

/// Compares an evaluator with every line of a file of `fixtures/eval`.
fn equals<E: Evaluator + Default>(file: &str) {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/eval/");
    let text = std::fs::read_to_string(format!("{folder}{file}")).unwrap();
    let mut rows = 0;
    for line in text.lines().skip(1) {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        let position = Position::from_sfen(row["sfen"].as_str().unwrap()).unwrap();
        let value = fresh::<E>(&position);
        assert_eq!(i64::from(value), row["eval"].as_i64().unwrap(), "{line}");
        rows += 1;
    }
    assert_eq!(rows, 260);
}

#[test]
fn material_is_the_fields() {
    equals::<MaterialEvaluator>("material.jsonl");
    equals::<Level<1>>("material.jsonl");
    equals::<Level<9>>("material9.jsonl");
}
