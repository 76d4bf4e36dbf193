//! Adjudication: resignation and draws by score.

use pack_format::{EndReason, TeacherScore};
use rand::RngExt;
use shogi_core::{ByColor, Color};

use super::{Random, Verdict};
use crate::{Adjudication, DrawRule, ResignRule};

/// Adjudicates a game by its scores.
#[derive(Debug)]
pub(super) struct Adjudicator {
    resign: Option<ResignRule>,
    draw: Option<DrawRule>,
    /// For how many moves in a row each player has been far behind.
    behind: ByColor<u32>,
    /// For how many plies in a row neither side was ahead.
    level: u32,
}

impl Adjudicator {
    /// The adjudicator of a new game. Some games are played to the end whatever the scores.
    pub(super) fn new(rules: &Adjudication, random: &mut Random) -> Self {
        let spared = rules
            .resign
            .filter(|rule| rule.never <= random.random::<f64>());
        Self {
            resign: spared,
            draw: rules.draw,
            behind: ByColor([0; 2]),
            level: 0,
        }
    }

    /// The verdict now that `us`, to move at `ply`, evaluates the position with `score`.
    pub(super) fn verdict(&mut self, us: Color, score: TeacherScore, ply: u32) -> Option<Verdict> {
        if let Some(rule) = self.resign {
            let behind = &mut self.behind[us];
            *behind = if score.0 <= -rule.value {
                *behind + 1
            } else {
                0
            };
            if *behind >= rule.moves {
                return Some(Verdict::loss(us, EndReason::RESIGN));
            }
        }
        if let Some(rule) = self.draw {
            let is_level = score.0.unsigned_abs() <= rule.value.unsigned_abs();
            self.level = if is_level { self.level + 1 } else { 0 };
            if self.level >= rule.plies && ply >= rule.min_ply {
                // The format's reason for a draw that was not reached on the board.
                return Some(Verdict::draw(EndReason::INTERRUPT));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    fn adjudicator(resign: Option<ResignRule>, draw: Option<DrawRule>) -> Adjudicator {
        Adjudicator::new(
            &Adjudication { resign, draw },
            &mut Random::seed_from_u64(1),
        )
    }

    #[test]
    fn far_behind_for_long_is_lost() {
        let rule = ResignRule {
            value: 1000,
            moves: 2,
            never: 0.0,
        };
        let mut adjudicator = adjudicator(Some(rule), None);
        for (color, score, lost) in [
            (Color::Black, -1500, false),
            (Color::White, 1500, false),
            (Color::Black, -999, false),
            (Color::White, -1000, false),
            (Color::Black, -1000, false),
            (Color::White, -1000, true),
        ] {
            let verdict = adjudicator.verdict(color, TeacherScore(score), 50);
            assert_eq!(verdict.is_some(), lost, "{color:?} {score}");
        }
    }

    #[test]
    fn some_games_are_never_resigned() {
        let rule = ResignRule {
            value: 1,
            moves: 1,
            never: 0.25,
        };
        let mut random = Random::seed_from_u64(7);
        let rules = Adjudication {
            resign: Some(rule),
            draw: None,
        };
        let spared = (0..1000)
            .filter(|_| Adjudicator::new(&rules, &mut random).resign.is_none())
            .count();
        assert!((200..300).contains(&spared), "{spared}");
    }

    #[test]
    fn level_for_long_is_a_draw() {
        let rule = DrawRule {
            value: 10,
            plies: 3,
            min_ply: 100,
        };
        let mut adjudicator = adjudicator(None, Some(rule));
        let mut verdict = |score, ply| adjudicator.verdict(Color::Black, TeacherScore(score), ply);
        assert_eq!(verdict(0, 97), None);
        assert_eq!(verdict(-10, 98), None);
        assert_eq!(verdict(10, 99), None);
        assert_eq!(verdict(11, 100), None);
        assert_eq!(verdict(1, 101), None);
        assert_eq!(verdict(i16::MIN, 102), None);
        assert_eq!((verdict(0, 103), verdict(0, 104)), (None, None));
        assert_eq!(verdict(0, 105), Some(Verdict::draw(EndReason::INTERRUPT)));
    }
}
