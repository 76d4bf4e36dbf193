//! The evaluator gives what evaluation from scratch gives, whatever is played and taken back.

use std::sync::Arc;

use shogi_core::movegen::Legal;
use shogi_core::{Delta, Move, Position, Undo};
use shogi_eval::kppt::{KpptEvaluator, KpptLayout, evaluate};
use shogi_eval::{Evaluator, MaterialEvaluator};

use super::synthetic::SyntheticTables;

const START_POSITIONS: [&str; 6] = [
    Position::STARTPOS_SFEN,
    "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
    // Two and six pieces less, bare kings, and a problem without the attacker's king.
    "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "2sgkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "4k4/9/9/9/9/9/9/9/4K4 b RB2GSN2P 1",
    "4k4/9/4P4/9/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1",
];

/// Plies in all, for each kind of tables.
const PLIES: usize = 10_000;

/// A line of play with the evaluator that follows it.
struct Walk<'a> {
    tables: &'a Arc<SyntheticTables>,
    evaluator: KpptEvaluator<SyntheticTables>,
    position: Position,
    line: Vec<(Option<Move>, Undo)>,
}

impl Walk<'_> {
    /// A legal move or, if `choice` says so, a pass. False when there is no move.
    fn play(&mut self, choice: usize) -> bool {
        if choice.is_multiple_of(16) && !self.position.in_check() {
            let undo = self.position.do_null_move();
            self.line.push((None, undo));
            self.evaluator.push(None);
            return true;
        }
        let moves = self.position.moves::<Legal>();
        if moves.is_empty() {
            return false;
        }
        let m = moves[choice % moves.len()];
        let undo = self.position.do_move(m);
        let delta = Delta::new(&self.position, m, &undo);
        self.evaluator.push(Some(&delta));
        self.line.push((Some(m), undo));
        true
    }

    fn take_back(&mut self) -> bool {
        let Some((m, undo)) = self.line.pop() else {
            return false;
        };
        match m {
            Some(m) => self.position.undo_move(m, &undo),
            None => self.position.undo_null_move(&undo),
        }
        self.evaluator.pop();
        true
    }

    fn check(&mut self) {
        assert_eq!(
            self.evaluator.evaluate(&self.position),
            evaluate(&**self.tables, &self.position),
            "{}",
            self.position.to_sfen()
        );
    }
}

fn random(state: &mut u64) -> usize {
    *state = state
        .wrapping_mul(6364136223846793005)
        .wrapping_add(1442695040888963407);
    (*state >> 40) as usize
}

fn walk(tables: SyntheticTables) {
    let tables = Arc::new(tables);
    let mut state = 20_260_301;
    let mut plies = 0;
    let mut games = 0;
    while plies < PLIES {
        let sfen = START_POSITIONS[games % START_POSITIONS.len()];
        games += 1;
        let mut walk = Walk {
            evaluator: KpptEvaluator::new(Arc::clone(&tables)),
            tables: &tables,
            position: Position::from_sfen(sfen).unwrap(),
            line: Vec::new(),
        };
        walk.evaluator.reset(&walk.position);
        for _ in 0..300 {
            let choice = random(&mut state);
            if !walk.play(choice) {
                break;
            }
            plies += 1;
            // Several moves between evaluations, and some taken back.
            if choice.is_multiple_of(5) {
                walk.take_back();
                walk.take_back();
            }
            if !choice.is_multiple_of(3) {
                walk.check();
            }
        }
        while walk.take_back() {
            walk.check();
        }
    }
}

#[test]
fn kppt_walks() {
    walk(SyntheticTables::new(KpptLayout::Kppt));
}

#[test]
fn kpp_kkpt_walks() {
    walk(SyntheticTables::new(KpptLayout::KppKkpt));
}

/// No entry of a table is taken to be 0.
#[test]
fn missing_pieces_count() {
    walk(SyntheticTables::dense(KpptLayout::Kppt));
}

/// An evaluator that was never told a root takes the first position that it sees.
#[test]
fn the_first_position_is_the_root() {
    let tables = Arc::new(SyntheticTables::new(KpptLayout::Kppt));
    let position = Position::from_sfen(START_POSITIONS[1]).unwrap();
    let expected = evaluate(&*tables, &position);
    let mut evaluator = KpptEvaluator::new(tables);
    assert_eq!(evaluator.evaluate(&position), expected);
    assert_eq!(evaluator.clone().evaluate(&position), expected);
    let mut material = MaterialEvaluator::new();
    material.reset(&position);
    assert_ne!(material.evaluate(&position), expected);
}
