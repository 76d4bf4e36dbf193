//! Scores of engines as scores of teacher data, and scores without a search.

use pack_format::{TeacherFormat, TeacherScore};
use shogi_core::Game;
use shogi_deep::EvaluationError;
use shogi_search::Value;
use shogi_usi::Score;

use crate::listener::usi_score;

/// Largest score of teacher data: a mate is this minus its length in plies.
pub const MAX_TEACHER_SCORE: i16 = 32_000;

/// Converts a score of an engine for a record, from the side of the player to move: centipawns within
/// ±30,000, a mate in `n` plies as 32,000 − `n`, being mated as −32,000 + `n`, a mate of unknown length as
/// ±31,999.
pub fn teacher_score(score: Score) -> TeacherScore {
    const CP: i32 = 30_000;
    let max = i32::from(MAX_TEACHER_SCORE);
    let value = match score {
        Score::Cp(cp) => cp.clamp(-CP, CP),
        Score::Mate(plies) => {
            let length = plies.get().unsigned_abs().min(MAX_TEACHER_SCORE as u32) as i32;
            if plies.get() > 0 {
                max - length
            } else {
                length - max
            }
        }
        Score::MateUnknown => max - 1,
        Score::MatedUnknown => 1 - max,
    };
    TeacherScore(value as i16)
}

/// The `Eval_Coef` by which the deep engine's probabilities of winning become the centipawns of those who read files of a
/// format: the training of networks here and nnue-pytorch turn them back with 600, dlshogi with 756. The option is for a
/// pawn of 90.
pub const fn teacher_eval_coef(format: TeacherFormat) -> &'static str {
    match format {
        TeacherFormat::Hcpe | TeacherFormat::Hcpe3 => "680",
        TeacherFormat::Pack | TeacherFormat::Psv | TeacherFormat::Jsonl | TeacherFormat::Csv => {
            "540"
        }
    }
}

/// Whoever scores positions without a search.
pub(crate) trait BareScore: Send {
    /// The score of the current position of `game`, which has a legal move, for the side to move.
    ///
    /// # Errors
    /// What the evaluation of a network says.
    fn score(&mut self, game: &Game) -> Result<Score, EvaluationError>;
}

/// The evaluation of positions without a search, by which every position has the same score whenever it is asked.
///
/// [`crate::Session::bare_evaluator`] makes one. The alpha-beta engine needs the stack of a search,
/// [`crate::Searcher::STACK_BYTES`].
pub struct BareEvaluator(Box<dyn BareScore>);

impl BareEvaluator {
    pub(crate) fn new(way: impl BareScore + 'static) -> Self {
        Self(Box::new(way))
    }

    /// The score of the current position of `game` for the side to move: the value of the quiescence search, or with the
    /// deep engine that of the network. Who has no legal move is mated.
    ///
    /// # Errors
    /// What the evaluation of a network says: a server is gone, and there is no network here.
    pub fn score(&mut self, game: &Game) -> Result<Score, EvaluationError> {
        if game.position().has_no_legal_move() {
            return Ok(usi_score(Value::mated_in(1)));
        }
        self.0.score(game)
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroI32;

    use shogi_deep::centipawns_of_win_rate;

    use super::*;

    #[test]
    fn scores_are_those_of_other_tools() {
        let mate = |plies| Score::Mate(NonZeroI32::new(plies).unwrap());
        for (score, expected) in [
            (Score::Cp(-57), -57),
            (Score::Cp(30_001), 30_000),
            (Score::Cp(i32::MIN), -30_000),
            (mate(1), 31_999),
            (mate(-4), -31_996),
            (mate(40_000), 0),
            (mate(i32::MIN), 0),
            (Score::MateUnknown, 31_999),
            (Score::MatedUnknown, -31_999),
        ] {
            assert_eq!(teacher_score(score), TeacherScore(expected), "{score:?}");
        }
    }

    /// The bare score of a position, with these options.
    fn score(options: &[(&str, &str)], sfen: &str) -> Score {
        let mut session = crate::Session::new();
        for (name, value) in options {
            session.set_option(name, Some(value)).unwrap();
        }
        let game = Game::new(shogi_core::Position::from_sfen(sfen).unwrap());
        session.bare_evaluator().score(&game).unwrap()
    }

    const MATED: &str = "4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1";

    #[test]
    fn captures_are_searched() {
        let material = [("Evaluation", "material")];
        // Black takes a rook.
        let Score::Cp(cp) = score(&material, "4k4/9/9/9/4r4/4P4/9/9/4K4 b - 1") else {
            panic!("a score in centipawns");
        };
        assert!(cp > 500, "{cp}");
        assert_eq!(
            teacher_score(score(&material, MATED)),
            TeacherScore(-31_999)
        );
    }

    #[test]
    fn the_deep_engine_has_the_value_of_its_network() {
        let network = test_support::fixture("deep/mtiny.onnx");
        let network = network.to_str().unwrap();
        let sfen = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
        let mut session = crate::Session::new();
        session.set_option("EvalDir", Some(network)).unwrap();
        let (value, _) = session.network_view().unwrap();
        for coef in ["540", "680"] {
            let options = [("EvalDir", network), ("Eval_Coef", coef)];
            let scale = coef.parse::<f32>().unwrap();
            let expected = Score::Cp(centipawns_of_win_rate(value, scale));
            assert_eq!(score(&options, sfen), expected);
        }
        let mated = score(&[("EvalDir", network)], MATED);
        assert_eq!(teacher_score(mated), TeacherScore(-31_999));
    }
}
